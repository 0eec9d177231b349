/* SPDX-License-Identifier: MIT */
/* Messages: a frame's line fits, is the same by the table and by the written code, and reads back as the frame. */
#include "fuzz.h"
#include "sbpkit/sbp.h"

/* Read lines back, each of which must give the frame. `templates` is memory for them, or NULL. */
static void check_back(const char *text, size_t size, const uint8_t *frame, size_t frame_size, bool from_fields,
                       void *templates) {
  struct sbp_reader reader = {
      .schema = &sbp_schema_builtin, .cpu = sbp_cpu_best(), .from_fields = from_fields, .templates = templates};
  if (templates != NULL)
    sbp_templates_begin(templates);
  char *const copy = fuzz_copy(text, size);
  for (size_t at = 0;;) {
    uint8_t made[SBP_FRAME_MAX];
    struct sbp_line line;
    size_t used;
    const enum sbp_status status = sbp_read_line(&reader, copy + at, size - at, true, made, &line, &used);
    at += used;
    if (status == SBP_END)
      break;
    if (status != SBP_OK)
      fprintf(stderr, "%s\n%.*s", line.fault.text, (int)size, text);
    FUZZ_CHECK(status == SBP_OK);
    FUZZ_CHECK(line.frame_size == frame_size && memcmp(made, frame, frame_size) == 0);
    struct sbp_fault fault;
    FUZZ_CHECK(from_fields || sbp_line_check(&reader, &line, made, &fault) == SBP_OK);
  }
  free(copy);
}

/* Write the line of a frame with these options, by the code written for its type or by the table. */
static size_t write_line(const struct sbp_line_options *options, const struct sbp_frame *frame, bool walk,
                         char **text) {
  struct sbp_line_options own = *options;
  own.walk = walk;
  own.cpu = walk ? SBP_CPU_PORTABLE : sbp_cpu_best();
  const size_t most = sbp_line_max(&own);
  *text = malloc(most);
  FUZZ_CHECK(*text != NULL);
  const size_t size = (size_t)(sbp_line_write(&own, sbp_message_by_id(own.schema, frame->type), frame, *text) - *text);
  FUZZ_CHECK(size <= most && (*text)[size - 1] == '\n');
  return size;
}

static void check_frame(const struct sbp_line_options *options, const struct sbp_frame *frame, void *templates) {
  const size_t frame_size = frame->length + (size_t)SBP_FRAME_OVERHEAD;
  char *written, *walked;
  const size_t size = write_line(options, frame, false, &written);
  FUZZ_CHECK(write_line(options, frame, true, &walked) == size && memcmp(written, walked, size) == 0);
  if (!options->no_payload) {
    /* Twice, so that the second line is one that was seen before. */
    char *const twice = malloc(size * 2);
    FUZZ_CHECK(twice != NULL);
    memcpy(twice, written, size);
    memcpy(twice + size, written, size);
    for (unsigned way = 0; way < 4; way++)
      check_back(twice, size * 2, frame->bytes, frame_size, way % 2 != 0, way < 2 ? NULL : templates);
    free(twice);
  }
  free(written);
  free(walked);
}

/* Go through fields and the structs in them: each begins where the last one ended, and is found by its name. */
static const uint8_t *check_fields(struct sbp_fields fields, const uint8_t *begin, const uint8_t *end) {
  struct sbp_field_view view;
  while (sbp_fields_next(&fields, &view)) {
    FUZZ_CHECK(view.bytes == begin && view.size <= end - begin);
    for (size_t i = 0; i < view.count && view.field->type == SBP_STRUCT; i++) {
      const uint8_t *const element = begin + i * view.field->size;
      FUZZ_CHECK(check_fields(sbp_fields_in(&view, i), element, element + view.field->size) ==
                 element + view.field->size);
    }
    begin += view.size;
  }
  return begin;
}

/* The fields one by one, by name too, are those of the line. */
static void check_values(const struct sbp_line_options *options, const struct sbp_frame *frame) {
  const struct sbp_message *const message = sbp_message_by_id(options->schema, frame->type);
  struct sbp_line_options own = *options;
  own.expand = own.pretty = false;
  own.clock = NULL;
  check_fields(sbp_fields_of(message, frame), frame->payload, frame->payload + frame->length);

  char *line;
  const size_t size = write_line(&own, frame, true, &line);
  char *const text = malloc(sbp_line_max(&own));
  FUZZ_CHECK(text != NULL);
  char *o = text;
  struct sbp_fields fields = sbp_fields_of(message, frame);
  struct sbp_field_view view, named;
  while (sbp_fields_next(&fields, &view)) {
    FUZZ_CHECK(sbp_field_find(message, frame, view.field->name, view.field->name_length, &named));
    FUZZ_CHECK(named.bytes == view.bytes && named.size == view.size && named.count == view.count);
    o += sprintf(o, ",\"%s\":", view.field->name);
    o = sbp_field_write(&own, &view, o);
  }
  o += sprintf(o, "}\n");
  const size_t tail = (size_t)(o - text);
  FUZZ_CHECK(tail <= size && memcmp(line + size - tail, text, tail) == 0);
  free(text);
  free(line);
}

/* Feed a frame: whatever it tells is a time that can be written, read and converted back. */
static void check_time(struct sbp_clock *clock, const struct sbp_frame *frame) {
  const bool known = clock->known;
  const int64_t before = clock->gps;
  const bool told = sbp_clock_feed(clock, sbp_message_by_id(&sbp_schema_builtin, frame->type), frame);
  FUZZ_CHECK(told ? clock->known : clock->known == known && clock->gps == before);
  if (!clock->known)
    return;
  char text[SBP_TIME_TEXT_MAX];
  struct sbp_utc utc;
  int64_t gps;
  FUZZ_CHECK(sbp_gps_read(text, (size_t)(sbp_gps_write(clock->gps, text) - text), &gps) && gps == clock->gps);
  FUZZ_CHECK(sbp_gps_join(sbp_gps_split(clock->gps)) == clock->gps);
  const char *const end = sbp_utc_write(sbp_utc_from_gps(&clock->leap, clock->gps), text);
  FUZZ_CHECK(sbp_utc_read(text, (size_t)(end - text), &utc));
  FUZZ_CHECK(sbp_gps_from_utc(&clock->leap, utc) == clock->gps);
}

/* A byte of options, then two of the type (by its position in the table, or the id itself), two of the sender, and the
 * payload. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 5 || size > 5 + SBP_PAYLOAD_MAX)
    return 0;
  const unsigned choice = data[1] | (unsigned)data[2] << 8;
  const struct sbp_schema *const schema = &sbp_schema_builtin;
  struct sbp_clock clock = {.gps = INT64_C(1210000000) * 1000000000, .known = (data[0] & 128) != 0};
  const struct sbp_line_options options = {.schema = schema,
                                           .clock = (data[0] & 64) != 0 ? &clock : NULL,
                                           .float_compat = (data[0] & 1) != 0,
                                           .no_payload = (data[0] & 2) != 0,
                                           .u64_strings = (data[0] & 4) != 0,
                                           .expand = (data[0] & 8) != 0,
                                           .pretty = (data[0] & 16) != 0};
  const uint16_t type = (data[0] & 32) != 0 ? (uint16_t)choice : schema->messages[choice % schema->count]->id;
  uint8_t bytes[SBP_FRAME_MAX];
  const size_t frame_size =
      sbp_frame_pack(SBP_CPU_PORTABLE, type, (uint16_t)(data[3] | data[4] << 8), data + 5, (uint8_t)(size - 5), bytes);
  uint8_t *const exact = fuzz_copy(bytes, frame_size);
  struct sbp_scanner scanner = {.cpu = sbp_cpu_best()};
  struct sbp_frame frame;
  size_t used;
  if (sbp_scan(&scanner, exact, frame_size, true, &frame, &used) == SBP_OK) {
    static void *templates;
    if (templates == NULL)
      templates = malloc(sbp_templates_size());
    FUZZ_CHECK(templates != NULL);
    check_time(&clock, &frame);
    check_frame(&options, &frame, templates);
    check_values(&options, &frame);
  } else {
    FUZZ_CHECK(type == 0);
  }
  free(exact);
  return 0;
}
