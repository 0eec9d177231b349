/* SPDX-License-Identifier: MIT */
/* Print all fields of each message on standard input, by what the tables know at run time: name, value, units and what
 * bit fields mean. */
#include <inttypes.h>
#include <sbpkit/sbp.h>
#include <stdio.h>
#include <string.h>

static const struct sbp_line_options options = {.schema = &sbp_schema_builtin};

static void print_bits(const struct sbp_field *field, uint64_t number) {
  for (unsigned i = 0; i < field->bits_count; i++) {
    const uint64_t value = sbp_bits_value(&field->bits[i], number);
    const char *name = sbp_bits_name(&field->bits[i], value);
    if (name != NULL)
      printf("; %s: %s", field->bits[i].name, name);
  }
}

static void print_fields(struct sbp_fields fields, const char *path) {
  static char text[1 << 16];
  struct sbp_field_view view;
  while (sbp_fields_next(&fields, &view)) {
    char name[256];
    if (view.field->type != SBP_STRUCT) {
      const char *end = sbp_field_write(&options, &view, text);
      printf("%s%s = %.*s", path, view.field->name, (int)(end - text), text);
      if (view.field->units != NULL)
        printf(" %s", view.field->units);
      if (view.field->bits_count > 0 && !view.is_array)
        print_bits(view.field, sbp_field_unsigned(&view, 0));
      putchar('\n');
    } else {
      for (size_t i = 0; i < view.count; i++) {
        if (view.is_array)
          snprintf(name, sizeof name, "%s%s[%u].", path, view.field->name, (unsigned)i);
        else
          snprintf(name, sizeof name, "%s%s.", path, view.field->name);
        print_fields(sbp_fields_in(&view, i), name);
      }
    }
  }
}

int main(void) {
  struct sbp_framer framer = {0};
  struct sbp_frame frame;
  uint8_t in[4096];
  size_t size;
  if (sbp_line_max(&options) > 1 << 16)
    return 1;
  while ((size = fread(in, 1, sizeof in, stdin)) > 0) {
    size_t done = 0, used;
    while (sbp_push(&framer, in + done, size - done, false, &frame, &used) == SBP_OK) {
      const struct sbp_message *message = sbp_message_by_id(options.schema, frame.type);
      printf("%s from %" PRIu16 "\n", message == NULL ? "UNKNOWN" : message->body.name, frame.sender);
      print_fields(sbp_fields_of(message, &frame), "  ");
      done += used;
    }
  }
  return ferror(stdin) || fflush(stdout) != 0 ? 1 : 0;
}
