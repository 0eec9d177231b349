/* SPDX-License-Identifier: MIT */
/* JSON streams: in one piece, cut anywhere, with templates and without, they give the same frames, faults and places.
 */
#include "fuzz.h"
#include "sbpkit/sbp.h"

/* What one call said that was no request for more. */
struct event {
  enum sbp_status status;
  struct sbp_place place;
  struct sbp_place fault_place;
  uint64_t text_offset, text_length;
  uint64_t object_offset, object_length;
  uint64_t payload_offset, payload_length;
  const struct sbp_message *message;
  uint64_t frame_size;
  unsigned notes;
  bool in_array;
  enum sbp_status check;
  uint64_t ignored; /* a hash of the keys that were passed over */
  char fault[240];
  char check_fault[240];
  uint8_t frame[SBP_FRAME_MAX];
};

struct events {
  struct event *list;
  size_t count;
  size_t room;
  uint64_t ignored;
};

static void add_to_hash(uint64_t *hash, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    *hash = (*hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001B3);
}

static void ignored(void *context, const struct sbp_message *message, struct sbp_span key, const char *near_field) {
  struct events *const events = context;
  add_to_hash(&events->ignored, key.text, key.length);
  add_to_hash(&events->ignored, message->body.name, strlen(message->body.name));
  add_to_hash(&events->ignored, near_field == NULL ? "-" : near_field, near_field == NULL ? 1 : strlen(near_field));
}

/* A span as an offset in the whole input. One that is empty may point anywhere. */
static uint64_t offset_of(struct sbp_span span, const char *window, size_t size, size_t begin) {
  if (span.length == 0)
    return 0;
  FUZZ_CHECK(span.text >= window && span.length <= size - (size_t)(span.text - window));
  return begin + (uint64_t)(span.text - window);
}

static void check_members(struct sbp_span object) {
  struct sbp_span rest = object, key, value;
  while (sbp_member_next(&rest, &key, &value)) {
    FUZZ_CHECK(key.text >= object.text && key.text + key.length <= object.text + object.length);
    FUZZ_CHECK(value.length > 0 && value.text >= object.text &&
               value.text + value.length <= object.text + object.length);
  }
}

static struct event *new_event(struct events *events) {
  if (events->count == events->room) {
    events->room = events->room * 2 + 16;
    events->list = realloc(events->list, events->room * sizeof *events->list);
    FUZZ_CHECK(events->list != NULL);
  }
  struct event *const event = &events->list[events->count++];
  memset(event, 0, sizeof *event);
  return event;
}

static void record(struct events *events, const struct sbp_reader *reader, enum sbp_status status,
                   const struct sbp_line *line, const uint8_t *frame, const char *window, size_t size, size_t begin) {
  struct event *const event = new_event(events);
  event->status = status;
  event->ignored = events->ignored;
  if (status == SBP_END)
    return;
  event->place = line->place;
  event->in_array = line->text.length > 0 && line->in_array;
  event->text_offset = offset_of(line->text, window, size, begin);
  event->text_length = line->text.length;
  if (status == SBP_OK) {
    FUZZ_CHECK(line->frame_size >= SBP_FRAME_OVERHEAD && line->frame_size <= SBP_FRAME_MAX);
    FUZZ_CHECK(line->frame_size == frame[5] + (size_t)SBP_FRAME_OVERHEAD);
    event->message = line->message;
    event->frame_size = line->frame_size;
    event->notes = line->notes;
    memcpy(event->frame, frame, line->frame_size);
    event->object_offset = offset_of(line->object, window, size, begin);
    event->object_length = line->object.length;
    check_members(line->object);
    struct sbp_fault fault;
    event->check = reader->from_fields ? SBP_OK : sbp_line_check(reader, line, frame, &fault);
    if (event->check != SBP_OK)
      memcpy(event->check_fault, fault.text, strlen(fault.text) + 1);
    return;
  }
  FUZZ_CHECK(line->fault.status == status && strlen(line->fault.text) < sizeof line->fault.text);
  event->fault_place = line->fault.place;
  memcpy(event->fault, line->fault.text, strlen(line->fault.text) + 1);
  if (status == SBP_ERROR_INVALID) {
    event->payload_offset = offset_of(line->payload, window, size, begin);
    event->payload_length = line->payload.length;
  }
}

/* Read all of data in pieces as large as *pieces says, or in one where it is NULL. */
static void read_all(const char *data, size_t size, bool from_fields, bool will_check, void *templates,
                     enum sbp_cpu cpu, uint32_t *pieces, struct events *events) {
  struct sbp_reader reader = {.schema = &sbp_schema_builtin,
                              .cpu = cpu,
                              .from_fields = from_fields,
                              .will_check = will_check,
                              .templates = templates,
                              .ignored = ignored,
                              .context = events};
  size_t begin = 0, end = pieces == NULL ? size : 0;
  events->count = 0;
  events->ignored = 0;
  for (unsigned idle = 0;;) {
    char *const window = fuzz_copy(data + begin, end - begin);
    const bool last = end == size;
    uint8_t frame[SBP_FRAME_MAX];
    struct sbp_line line;
    size_t used = SIZE_MAX;
    const enum sbp_status status = sbp_read_line(&reader, window, end - begin, last, frame, &line, &used);
    FUZZ_CHECK(used <= end - begin);
    if (status != SBP_NEED_MORE)
      record(events, &reader, status, &line, frame, window, end - begin, begin);
    free(window);
    begin += used;
    FUZZ_CHECK(reader.place.offset == begin || status == SBP_END || status == SBP_ERROR_UTF16);
    if (status == SBP_END || status == SBP_ERROR_UTF16)
      break;
    if (status == SBP_NEED_MORE) {
      FUZZ_CHECK(!last);
      const size_t piece = fuzz_piece(pieces);
      end = size - end < piece ? size : end + piece;
      idle = 0;
    } else {
      idle = used == 0 ? idle + 1 : 0;
      FUZZ_CHECK(idle < 4);
    }
  }
}

static void check_same(const struct events *one, const struct events *other) {
  for (size_t i = 0; i < one->count && i < other->count; i++) {
    const struct event *const a = &one->list[i], *const b = &other->list[i];
    if (memcmp(a, b, sizeof *a) != 0) {
      fprintf(stderr, "event %zu: status %d and %d, offset %llu and %llu, line %llu and %llu\n  %s\n  %s\n  %s\n  %s\n",
              i, (int)a->status, (int)b->status, (unsigned long long)a->place.offset,
              (unsigned long long)b->place.offset, (unsigned long long)a->fault_place.line,
              (unsigned long long)b->fault_place.line, a->fault, b->fault, a->check_fault, b->check_fault);
      abort();
    }
  }
  FUZZ_CHECK(one->count == other->count);
}

/* The first byte says how to read: 1 with --from-fields, 2 the stream three times, so that its lines were seen before.
 * The rest is the stream. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct events right, events;
  static void *templates;
  static char text[3 << 14];
  if (size < 1 || size > 1 << 14)
    return 0;
  if (templates == NULL)
    templates = memset(malloc(sbp_templates_size()), 0xa5, sbp_templates_size());
  FUZZ_CHECK(templates != NULL);
  const bool from_fields = (data[0] & 1) != 0;
  const size_t times = (data[0] & 2) != 0 ? 3 : 1;
  for (size_t i = 0; i < times; i++)
    memcpy(text + i * (size - 1), data + 1, size - 1);
  const size_t length = times * (size - 1);
  uint32_t pieces = data[0] * 2654435761u + 1;
  read_all(text, length, from_fields, false, NULL, SBP_CPU_PORTABLE, NULL, &right);
  for (unsigned way = 1; way < 4; way++) {
    sbp_templates_begin(templates);
    read_all(text, length, from_fields, way == 3, way < 2 ? NULL : templates, sbp_cpu_best(), way == 2 ? NULL : &pieces,
             &events);
    check_same(&right, &events);
  }
  return 0;
}
