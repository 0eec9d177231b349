/* SPDX-License-Identifier: MIT */
/* messages_table.c: the descriptor table. */
#include "sbpgen.h"

#include <stdlib.h>
#include <string.h>

/* By enum sbp_repeat and enum sbp_encoding. */
static const char *const repeat_names[] = {"ONE", "FIXED_ARRAY", "VARIABLE_ARRAY"};
static const char *const encoding_names[] = {"FIXED", "UNTERMINATED", "NULL_TERMINATED", "MULTIPART",
                                             "DOUBLE_NULL_TERMINATED"};

static void put_bits(struct sbp_buffer *text, const struct sbp_bits *bits) {
  print(text, "             {.name = %q, .first = %d, .last = %d", bits->name, bits->first, bits->last);
  if (bits->value_count > 0) {
    print(text, ", .value_count = %d, .values = (const struct sbp_value[]){\n", bits->value_count);
    for (unsigned i = 0; i < bits->value_count; i++) {
      print(text, "                 {");
      put_number(text, bits->values[i].value);
      print(text, bits->values[i].value > INT32_MAX ? "ULL, %q},\n" : ", %q},\n", bits->values[i].name);
    }
    print(text, "             }");
  }
  print(text, "},\n");
}

static void put_field(struct sbp_buffer *text, const struct sbp_field *field) {
  print(text, "        {.name = %q, .name_length = %d, .type = SBP_%s", field->name, field->name_length,
        type_names[field->type]);
  if (field->element != NULL)
    print(text, ", .element = &struct_%n", field->element->name);
  if (field->repeat != SBP_ONE)
    print(text, ", .repeat = SBP_%s", repeat_names[field->repeat]);
  if (field->encoding != SBP_FIXED)
    print(text, ", .encoding = SBP_%s", encoding_names[field->encoding]);
  print(text, ",\n         .offset = %d, .size = %d, .count = %d, .count_field = %d", field->offset, field->size,
        field->count, field->count_field);
  if (field->units != NULL)
    print(text, ", .units = %q", field->units);
  if (field->description != NULL)
    print(text, ",\n         .description = %q", field->description);
  if (field->bits_count > 0) {
    print(text, ",\n         .bits_count = %d, .bits = (const struct sbp_bits[]){\n", field->bits_count);
    for (unsigned i = 0; i < field->bits_count; i++)
      put_bits(text, &field->bits[i]);
    print(text, "         }");
  }
  print(text, "},\n");
}

/* The members of a struct sbp_struct. */
static void put_body(struct sbp_buffer *text, const struct sbp_struct *body) {
  print(text, ".name = %q, .package = %q, .size = %d, .field_count = %d,\n", body->name, body->package, body->size,
        body->field_count);
  if (body->description != NULL)
    print(text, "    .description = %q,\n", body->description);
  if (body->field_count > 0) {
    print(text, "    .fields = (const struct sbp_field[]){\n");
    for (unsigned i = 0; i < body->field_count; i++)
      put_field(text, &body->fields[i]);
    print(text, "    },\n");
  }
}

static void put_struct(struct sbp_buffer *text, const struct sbp_struct *body) {
  print(text, "static const struct sbp_struct struct_%n = {\n    ", body->name);
  put_body(text, body);
  print(text, "};\n\n");
}

static void put_message(struct sbp_buffer *text, const struct sbp_message *message) {
  const char *const name = message->body.name;
  print(text, "static const struct sbp_message %n = {\n", name);
  print(text, "    .id = %d, .fields_max = %d, .write_fields = FUNCTION(sbpi_write_%n),\n", message->id,
        (int)message->fields_max, name);
  print(text, "    .skip_fields = FUNCTION(sbpi_skip_%n),\n", name);
  print(text, "    .envelope_length = %d, .envelope = %q,\n", message->envelope_length, message->envelope);
  if (message->replaced_by_count > 0) {
    print(text, "    .replaced_by_count = %d, .replaced_by = (const char *const[]){", message->replaced_by_count);
    for (unsigned i = 0; i < message->replaced_by_count; i++)
      print(text, i == 0 ? "%q" : ", %q", message->replaced_by[i]);
    print(text, "},\n");
  }
  print(text, "    .body = {");
  put_body(text, &message->body);
  print(text, "    },\n};\n\n");
}

/* An element of an array that is mostly zeros. */
static void put_entry(struct sbp_buffer *text, unsigned *printed, unsigned index, int value) {
  print(text, *printed % 8 == 0 ? "\n    [%d] = %d," : " [%d] = %d,", (int)index, value);
  ++*printed;
}

static void put_index(struct sbp_buffer *text, const struct sbp_schema *schema) {
  unsigned rows = 1;
  unsigned printed = 0;
  print(text, "static const uint8_t row_of_high_byte[256] = {");
  for (unsigned high = 0; high < 256; high++)
    if (schema->page[high] != 0) {
      put_entry(text, &printed, high, schema->page[high]);
      rows = schema->page[high] + 1u;
    }
  print(text, "\n};\n\nstatic const uint16_t position_by_low_byte[][256] = {");
  for (unsigned row = 0; row < rows; row++) {
    print(text, "{");
    printed = 0;
    for (unsigned low = 0; low < 256; low++)
      if (schema->index[row][low] != 0)
        put_entry(text, &printed, low, schema->index[row][low]);
    print(text, printed == 0 ? "0}, " : "\n}, ");
  }
  text->size -= strlen(", ");
  print(text, "};\n\n");
}

/* `names` holds C names, each with its NUL; the new one must not be among them. */
static void add_c_name(struct sbp_buffer *names, const char *name) {
  const size_t begin = names->size;
  print(names, "%n", name);
  put_byte(names, '\0');
  for (size_t at = 0; at < begin; at += strlen(names->data + at) + 1)
    if (strcmp(names->data + at, names->data + begin) == 0)
      fail("%s: another name gives the C name %s too", name, names->data + begin);
}

void make_table(struct sbp_buffer *text, const struct sbp_schema *schema) {
  const struct struct_list structs = list_structs(schema);
  struct sbp_buffer names = {.allocator = &allocator};
  print(
      text,
      "#include \"messages_lines.h\"\n\n"
      "#ifdef SBPKIT_NO_JSON\n#define FUNCTION(function) NULL\n#else\n#define FUNCTION(function) function\n#endif\n\n");
  for (size_t i = 0; i < structs.count; i++) {
    add_c_name(&names, structs.all[i]->name);
    put_struct(text, structs.all[i]);
  }
  for (uint32_t i = 0; i < schema->count; i++) {
    add_c_name(&names, schema->messages[i]->body.name);
    put_message(text, schema->messages[i]);
  }
  free(structs.all);
  sbp_buffer_free(&names);

  print(text, "static const struct sbp_message *const messages[] = {\n");
  for (uint32_t i = 0; i < schema->count; i++)
    print(text, "    &%n,\n", schema->messages[i]->body.name);
  print(text, "};\n\nstatic const uint16_t by_name[] = {");
  for (uint32_t i = 0; i < schema->count; i++)
    print(text, i % 16 == 0 ? "\n    %d," : " %d,", schema->by_name[i]);
  print(text, "\n};\n\n");
  put_index(text, schema);
  print(text,
        "const struct sbp_schema sbp_schema_builtin = {\n"
        "    .messages = messages,\n"
        "    .by_name = by_name,\n"
        "    .page = row_of_high_byte,\n"
        "    .index = position_by_low_byte,\n"
        "    .version = %q,\n"
        "    .count = %d,\n"
        "    .fields_max = %d,\n"
        "};\n",
        schema->version, (int)schema->count, (int)schema->fields_max);
}
