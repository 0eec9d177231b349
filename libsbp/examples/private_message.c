/* SPDX-License-Identifier: MIT */
/* Add a private message to the protocol's at run time, and print a line of it. */
#include <sbpkit/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema_text[] = "{\"package\": \"private\", \"messages\": [{\"name\": \"MSG_PRIVATE\", \"id\": 48879,"
                                  " \"fields\": [{\"name\": \"answer\", \"type\": \"u8\"}]}]}";

static void *resize(void *context, void *old, size_t old_size, size_t new_size) {
  (void)context, (void)old_size;
  if (new_size == 0) {
    free(old);
    return NULL;
  }
  return realloc(old, new_size);
}

int main(void) {
  const struct sbp_allocator allocator = {.resize = resize};
  struct sbp_arena arena = {.allocator = &allocator};
  struct sbp_schema_set set = {.arena = &arena, .base = &sbp_schema_builtin};
  struct sbp_schema_error error;
  const struct sbp_schema *schema;
  if (sbp_schema_add(&set, "private.json", schema_text, sizeof schema_text - 1, &error) != SBP_OK ||
      sbp_schema_build(&set, &schema, &error) != SBP_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }

  uint8_t bytes[SBP_FRAME_MAX];
  const size_t size = sbp_frame_pack(SBP_CPU_PORTABLE, 48879, 66, (const uint8_t *)"\x07", 1, bytes);
  struct sbp_scanner scanner = {.cpu = SBP_CPU_PORTABLE};
  struct sbp_frame frame;
  size_t used;
  if (sbp_scan(&scanner, bytes, size, true, &frame, &used) != SBP_OK) {
    return 1;
  }
  const struct sbp_line_options options = {.schema = schema};
  char *out = malloc(sbp_line_max(&options));
  if (out == NULL) {
    return 1;
  }
  const char *end = sbp_line_write(&options, sbp_message_by_id(schema, 48879), &frame, out);
  fwrite(out, 1, (size_t)(end - out), stdout);
  free(out);
  sbp_arena_drop(&arena);
  return 0;
}
