/* SPDX-License-Identifier: MIT */
/* --describe: what the schema knows, for people to read. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

static void list_messages(struct cli *cli) {
  cli_print(cli, "   id     hex  size  name\n");
  for (uint32_t i = 0; i < cli->schema->count; ++i) {
    const struct sbp_message *const message = cli->schema->messages[i];
    cli_print(cli, "%5u  0x%04x  %4u  ", message->id, message->id, message->body.size);
    if (message->body.description == NULL)
      cli_print(cli, "%s\n", message->body.name);
    else
      cli_print(cli, "%-37s %s\n", message->body.name, message->body.description);
  }
}

static bool is_variable_string(const struct sbp_field *field) {
  return field->type == SBP_STRING && field->encoding != SBP_FIXED;
}

/* A field's type as "u16", "u8[15]", "s8[]", "string[20]" or the name of a struct. */
static void type_text(const struct sbp_field *field, char *text, size_t size) {
  static const char *const names[] = {
      [SBP_U8] = "u8",       [SBP_U16] = "u16",       [SBP_U32] = "u32",      [SBP_U64] = "u64",
      [SBP_S8] = "s8",       [SBP_S16] = "s16",       [SBP_S32] = "s32",      [SBP_S64] = "s64",
      [SBP_FLOAT] = "float", [SBP_DOUBLE] = "double", [SBP_STRING] = "string"};
  const char *const name = field->type == SBP_STRUCT ? field->element->name : names[field->type];
  if (field->repeat == SBP_FIXED_ARRAY)
    (void)snprintf(text, size, "%s[%u]", name, field->count);
  else if (field->repeat == SBP_VARIABLE_ARRAY)
    (void)snprintf(text, size, "%s[]", name);
  else if (field->type == SBP_STRING && !is_variable_string(field))
    (void)snprintf(text, size, "%s[%u]", name, field->size);
  else
    (void)snprintf(text, size, "%s", name);
}

static bool is_variable(const struct sbp_struct *body) {
  for (uint16_t i = 0; i < body->field_count; ++i)
    if (body->fields[i].repeat == SBP_VARIABLE_ARRAY || is_variable_string(&body->fields[i]))
      return true;
  return false;
}

struct widths {
  int name; /* with what it is indented by */
  int type;
  int units;
};

static void measure(const struct sbp_struct *body, int indent, struct widths *widths) {
  for (uint16_t i = 0; i < body->field_count; ++i) {
    const struct sbp_field *const field = &body->fields[i];
    char type[80];
    type_text(field, type, sizeof type);
    const int units = field->units == NULL ? 0 : (int)strlen(field->units);
    if (indent + field->name_length > widths->name)
      widths->name = indent + field->name_length;
    if ((int)strlen(type) > widths->type)
      widths->type = (int)strlen(type);
    if (units > widths->units)
      widths->units = units;
    if (field->type == SBP_STRUCT)
      measure(field->element, indent + 2, widths);
  }
}

static void print_bits(struct cli *cli, const struct sbp_field *field, int indent) {
  for (uint16_t i = 0; i < field->bits_count; ++i) {
    const struct sbp_bits *const bits = &field->bits[i];
    char range[16];
    if (bits->first == bits->last)
      (void)snprintf(range, sizeof range, "bit %u", bits->first);
    else
      (void)snprintf(range, sizeof range, "bits %u-%u", bits->first, bits->last);
    cli_print(cli, "%*s%-10s %s\n", indent, "", range, bits->name);
    for (uint16_t v = 0; v < bits->value_count; ++v)
      cli_print(cli, "%*s%5" PRIu64 "  %s\n", indent + 9, "", bits->values[v].value, bits->values[v].name);
  }
}

/* Print the fields of a message, or of a struct in it that begins at `base`. In an array offsets count from the start
 * of an element, and behind a string whose length varies they are the least there can be: `before` is '+' or '>'. */
static void print_fields(struct cli *cli, const struct sbp_struct *body, unsigned base, char before, int indent,
                         const struct widths *widths) {
  for (uint16_t i = 0; i < body->field_count; ++i) {
    const struct sbp_field *const field = &body->fields[i];
    char line[400];
    char type[80];
    const unsigned offset = base + field->offset;
    type_text(field, type, sizeof type);
    int length = snprintf(
        line, sizeof line, "%c%5u  %*s%-*s  %-*s  %-*s%s%s%s%s%s", before, offset, indent, "", widths->name - indent,
        field->name, widths->type, type, widths->units, field->units == NULL ? "" : field->units,
        widths->units > 0 ? "  " : "", field->description == NULL ? "" : field->description,
        field->count_field == 255 ? "" : " (number: ",
        field->count_field == 255 ? "" : body->fields[field->count_field].name, field->count_field == 255 ? "" : ")");
    if (length >= (int)sizeof line)
      length = (int)sizeof line - 1;
    while (length > 0 && line[length - 1] == ' ')
      --length;
    cli_print(cli, "%.*s\n", length, line);
    print_bits(cli, field, 8 + indent + 2);
    if (field->type == SBP_STRUCT && field->repeat == SBP_ONE)
      print_fields(cli, field->element, offset, before, indent + 2, widths);
    else if (field->type == SBP_STRUCT)
      print_fields(cli, field->element, 0, '+', indent + 2, widths);
    if (is_variable_string(field))
      before = '>';
  }
}

static void describe_message(struct cli *cli, const struct sbp_message *message) {
  const struct sbp_struct *const body = &message->body;
  struct widths widths = {.name = 5, .type = 4, .units = 0};
  cli_print(cli, "%s, type %u (0x%04x), %u byte%s%s\n", body->name, message->id, message->id, body->size,
            body->size == 1 ? "" : "s", is_variable(body) ? " or more" : "");
  if (body->description != NULL)
    cli_print(cli, "%s\n", body->description);
  for (uint16_t i = 0; i < message->replaced_by_count; ++i)
    cli_print(cli, "%s%s%s", i == 0 ? "Replaced by " : ", ", message->replaced_by[i],
              i + 1 == message->replaced_by_count ? ".\n" : "");
  if (body->field_count == 0)
    return;
  measure(body, 0, &widths);
  if (widths.units > 0 && widths.units < 5)
    widths.units = 5;
  cli_print(cli, "\noffset  %-*s  %-*s  %-*s%sdescription\n", widths.name, "field", widths.type, "type", widths.units,
            widths.units > 0 ? "units" : "", widths.units > 0 ? "  " : "");
  print_fields(cli, body, 0, ' ', 0, &widths);
}

void cli_describe(struct cli *cli, const char *name) {
  if (*name == '\0') {
    list_messages(cli);
    return;
  }
  uint64_t id;
  const struct sbp_message *message = sbp_message_by_name(cli->schema, name, strlen(name));
  if (message == NULL && cli_number(name, strlen(name), &id) && id <= 65535)
    message = sbp_message_by_id(cli->schema, (uint16_t)id);
  if (message != NULL) {
    describe_message(cli, message);
    return;
  }
  const struct sbp_message *const near_message = sbp_message_near_name(cli->schema, name, strlen(name));
  if (near_message != NULL)
    cli_fail(cli, "--describe=%s: no such message; did you mean %s?", name, near_message->body.name);
  else
    cli_fail(cli, "--describe=%s: no such message; --describe lists them", name);
}
