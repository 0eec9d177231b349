/* SPDX-License-Identifier: MIT */
#include "json_own.h"

#include "number.h"
#include "template_tree.h"

enum {
  FIELDS_MAX = 8192,   /* room for the fields of any message of the protocol */
  OWN_MISSES_MAX = 32, /* so many lines in a row that look like ours but are not: */
  OWN_MISSES_SKIP = 15 /* only each 16th is tried */
};

/* Past the fields, if they are those of the payload. Floats are tried in the form that the last line had, then in the
 * other one. */
static SBPI_NOINLINE const char *same_fields(struct sbp_reader *reader, const struct sbp_message *message,
                                             const uint8_t *payload, size_t size, const char *p, const char *stop) {
  char fields[FIELDS_MAX + SBPI_NUMBER_ROOM];
  for (int i = 0; i < 2; i++) {
    const bool compat = reader->state.float_compat;
    const size_t length = (size_t)(message->write_fields(fields, payload, payload + size, compat) - fields);
    if ((size_t)(stop - p) > length && memcmp(p, fields, length) == 0)
      return p + length;
    reader->state.float_compat = !compat;
  }
  return NULL;
}

SBPI_INLINE bool has_envelope(const char *p, const struct sbp_message *message) {
  return memcmp(p, message->envelope, message->envelope_length) == 0;
}

/* The message whose envelope stands at p, if its lines can be read here. */
static SBPI_NOINLINE const struct sbp_message *message_of(const struct sbp_reader *reader, const char *p) {
  uint32_t type;
  if (sbpi_read_u16(p + TYPE_AT, &type) == NULL)
    return NULL;
  const struct sbp_message *const message = sbp_message_by_id(reader->schema, (uint16_t)type);
  const bool readable = message != NULL && message->write_fields != NULL && message->fields_max <= FIELDS_MAX;
  return readable && has_envelope(p, message) ? message : NULL;
}

static const char *read(struct sbp_reader *reader, const char *text, const char *stop, uint8_t *frame,
                        struct sbp_line *line) {
  uint32_t crc;
  uint32_t length;
  uint32_t sender;
  /* The shortest of these lines is longer than what is compared here before its length is known. */
  if (stop - text < 64)
    return NULL;
  const char *p = sbpi_read_u16(text + sizeof "{\"crc\":" - 1, &crc);
  if (p == NULL || (p = SBPI_PAST(p, ",\"length\":")) == NULL || (p = sbpi_read_u16(p, &length)) == NULL ||
      length > 255)
    return NULL;
  const size_t base64 = SBP_BASE64_SIZE(length);
  static const char behind_payload[] = "\",\"preamble\":85,\"sender\":";
  if ((size_t)(stop - p) < SBP_ENVELOPE_MAX + base64 + sizeof behind_payload)
    return NULL;
  struct templates *const templates = reader->templates;
  const struct sbp_message **const next =
      &templates->own_next[(templates->own_before * 7u + templates->own_last) % OWN_FOLLOWERS_MAX];
  const struct sbp_message *message = *next;
  if (SBPI_UNLIKELY(message == NULL || !has_envelope(p, message))) {
    message = message_of(reader, p);
    if (message == NULL)
      return NULL;
    *next = message;
  }
  templates->own_before = templates->own_last;
  templates->own_last = message->id;
  p += message->envelope_length;
  uint8_t *const payload = frame + SBP_FRAME_HEADER;
  if (sbp_base64_decode(reader->cpu, p, base64, payload) != (ptrdiff_t)length ||
      (p = SBPI_PAST(p + base64, behind_payload)) == NULL || (p = sbpi_read_sender(reader, p, &sender)) == NULL)
    return NULL;
  line->frame_size = sbp_frame_pack(reader->cpu, message->id, (uint16_t)sender, payload, (uint8_t)length, frame);
  if (crc != sbpi_load16(payload + length))
    return NULL;
  /* To compare the fields with what is written of the payload takes less than to read them; not to want their values,
   * still less. */
  const bool compared = reader->from_fields || reader->will_check;
  if (length >= message->body.size) {
    p = compared ? same_fields(reader, message, payload, length, p, stop)
                 : message->skip_fields(p, stop, payload, payload + length);
    if (p == NULL)
      return NULL;
  }
  if (*p != '}')
    return NULL;
  line->agrees = compared;
  line->message = message;
  line->notes = length < message->body.size ? SBP_NOTE_SHORT : 0;
  return p + 1;
}

const char *sbpi_own_line_read(struct sbp_reader *reader, const char *text, const char *stop, uint8_t *frame,
                               struct sbp_line *line) {
  if (SBPI_PAST(text, "{\"crc\":") == NULL)
    return NULL;
  if (reader->state.own_misses > OWN_MISSES_MAX && (++reader->state.own_misses & OWN_MISSES_SKIP) != 0)
    return NULL;
  const char *const behind = read(reader, text, stop, frame, line);
  if (behind == NULL) {
    reader->state.own_misses++;
    return NULL;
  }
  reader->state.own_misses = 0;
  line->text.text = text;
  line->text.length = (size_t)(behind - text);
  line->object = line->text;
  return behind;
}
