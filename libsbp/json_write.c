/* SPDX-License-Identifier: MIT */
/* Frame -> JSON line: the envelope, and the fields by walking the descriptor table. Generated writers (emit.h) give the
 * same bytes as the walker for plain lines; see sbp_line_write. */
#include "base64.h"
#include "emit.h"
#include "meaning.h"

static char *copy(char *o, const char *text, size_t length) {
  memcpy(o, text, length);
  return o + length;
}

/* ---- The fields by the table ---- */

struct walk {
  const struct sbp_line_options *options;
  const uint8_t *end; /* of the payload */
};

static char *walk_struct(const struct walk *walk, const struct sbp_struct *body, const uint8_t **p, char *o);

static char *walk_number(const struct walk *walk, enum sbp_type type, const uint8_t *p, char *o) {
  const bool compat = walk->options->float_compat;
  const bool quoted = walk->options->u64_strings && (type == SBP_U64 || type == SBP_S64);
  if (quoted)
    *o++ = '"';
  switch (type) {
  case SBP_U8:
    o = emit_u8(o, p);
    break;
  case SBP_U16:
    o = emit_u16(o, p);
    break;
  case SBP_U32:
    o = emit_u32(o, p);
    break;
  case SBP_U64:
    o = emit_u64(o, p);
    break;
  case SBP_S8:
    o = emit_s8(o, p);
    break;
  case SBP_S16:
    o = emit_s16(o, p);
    break;
  case SBP_S32:
    o = emit_s32(o, p);
    break;
  case SBP_S64:
    o = emit_s64(o, p);
    break;
  case SBP_FLOAT:
    o = emit_float(o, p, compat);
    break;
  case SBP_DOUBLE:
    o = emit_double(o, p, compat);
    break;
  case SBP_STRING:
  case SBP_STRUCT:
    break;
  }
  if (quoted)
    *o++ = '"';
  return o;
}

static char *walk_element(const struct walk *walk, const struct sbp_struct *body, const struct sbp_field *field,
                          const uint8_t **p, char *o) {
  if (field->type == SBP_STRUCT) {
    *o++ = '{';
    o = walk_struct(walk, field->element, p, o);
    /* The comma that the last member left gives way to the brace. */
    o -= o[-1] == ',';
    *o++ = '}';
    return o;
  }
  if (field->type == SBP_STRING) {
    const uint8_t *const text = *p;
    *p = sbpi_field_string_end(body, field, text, walk->end);
    return sbpi_write_string(o, text, (size_t)(*p - text));
  }
  o = walk_number(walk, (enum sbp_type)field->type, *p, o);
  *p += field->size;
  return o;
}

/* The value of a field. *p goes on behind what it took. */
static char *walk_field(const struct walk *walk, const struct sbp_struct *body, const struct sbp_field *field,
                        const uint8_t **p, char *o) {
  if (field->repeat == SBP_ONE)
    return walk_element(walk, body, field, p, o);
  *o++ = '[';
  for (size_t left = sbpi_field_elements(field, *p, walk->end); left > 0; left--) {
    o = walk_element(walk, body, field, p, o);
    *o++ = ',';
  }
  return emit_array_end(o);
}

/* Members, each with a comma behind it. */
static char *walk_struct(const struct walk *walk, const struct sbp_struct *body, const uint8_t **p, char *o) {
  for (uint16_t i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    *o++ = '"';
    o = copy(o, field->name, field->name_length);
    *o++ = '"';
    *o++ = ':';
    o = walk_field(walk, body, field, p, o);
    *o++ = ',';
  }
  return o;
}

/* ---- --pretty ---- */

static char *new_line(char *o, size_t depth) {
  *o++ = '\n';
  memset(o, ' ', 2 * depth);
  return o + 2 * depth;
}

/* Lay out a line of ours, which ends before `end`, over several lines. */
static char *indent(const char *p, const char *end, char *o) {
  size_t depth = 0;
  while (p < end) {
    const char c = *p++;
    if (c == '"') {
      *o++ = c;
      for (; *p != '"'; p++) {
        if (*p == '\\')
          *o++ = *p++;
        *o++ = *p;
      }
      *o++ = *p++;
    } else if ((c == '{' || c == '[') && *p != '}' && *p != ']') {
      *o++ = c;
      o = new_line(o, ++depth);
    } else if ((c == '}' || c == ']') && p[-2] != '{' && p[-2] != '[') {
      o = new_line(o, --depth);
      *o++ = c;
    } else {
      *o++ = c;
      if (c == ',')
        o = new_line(o, depth);
      else if (c == ':')
        *o++ = ' ';
    }
  }
  return o;
}

/* ---- Lines ---- */

/* What an envelope takes but for the name and the payload's base64, with room for what writers touch behind their text.
 */
enum { ENVELOPE_ROOM = 160 + SBPI_NUMBER_ROOM, TIME_ROOM = 32 + SBP_TIME_TEXT_MAX + SBPI_NUMBER_ROOM };

/* A value's least text with its comma is two characters; layout puts before it a line break and two spaces a level: the
 * line's object, structs in structs and arrays of them, of which a schema has at most 8. */
enum { DEEPEST = 2 * (8 + 2), PRETTY_FACTOR = (2 + 1 + 2 * DEEPEST + 1) / 2 + 1 };

static size_t compact_max(const struct sbp_line_options *options) {
  size_t meaning = 0;
  for (uint32_t i = 0; i < options->schema->count; i++) {
    const struct sbp_message *const message = options->schema->messages[i];
    if (options->expand) {
      const size_t most = sbpi_meaning_max(message);
      meaning = most > meaning ? most : meaning;
    }
  }
  const size_t quotes = options->u64_strings ? 2 * SBP_PAYLOAD_MAX / 8 : 0;
  return ENVELOPE_ROOM + TIME_ROOM + SBP_BASE64_SIZE(SBP_PAYLOAD_MAX) + options->schema->fields_max + quotes + meaning;
}

size_t sbp_line_max(const struct sbp_line_options *options) {
  const size_t compact = compact_max(options);
  return options->pretty ? compact * (1 + PRETTY_FACTOR) : compact;
}

static SBPI_NOINLINE char *write_time(const struct sbp_clock *clock, char *o) {
  const int64_t gps = sbp_gps_whole_ms(clock->gps);
  o = EMIT_TEXT(o, ",\"utc\":\"");
  o = sbp_utc_write(sbp_utc_from_gps(&clock->leap, gps), o);
  o = EMIT_TEXT(o, "\",\"gps_week\":");
  return sbpi_write_s32(o, sbp_gps_split(gps).week);
}

/* The fields of a payload that ends at end, by the table, with a comma before them. */
static SBPI_NOINLINE char *walk_fields(const struct sbp_line_options *options, const struct sbp_message *message,
                                       const uint8_t *payload, const uint8_t *end, char *o) {
  const struct walk walk = {options, end};
  *o++ = ',';
  return walk_struct(&walk, &message->body, &payload, o) - 1;
}

static char *write_compact(const struct sbp_line_options *options, const struct sbp_message *message,
                           const struct sbp_frame *frame, char *o) {
  o = EMIT_TEXT(o, "{\"crc\":");
  o = sbpi_write_medium(o, frame->crc);
  o = EMIT_TEXT(o, ",\"length\":");
  o = sbpi_write_u8(o, frame->length);
  if (SBPI_LIKELY(message != NULL)) {
    /* All of the array: a copy whose length is known is a few moves. */
    memcpy(o, message->envelope, sizeof message->envelope);
    o += message->envelope_length;
  } else {
    o = EMIT_TEXT(o, ",\"msg_type\":");
    o = sbpi_write_u32(o, frame->type);
    o = EMIT_TEXT(o, ",\"msg_name\":\"UNKNOWN\",\"payload\":\"");
  }
  if (SBPI_LIKELY(!options->no_payload))
    o = sbpi_base64_encode_payload(options->cpu, frame, o);
  else
    o -= sizeof "\",\"payload\":\"" - 1;
  o = EMIT_TEXT(o, "\",\"preamble\":85,\"sender\":");
  o = sbpi_write_medium(o, frame->sender);
  if (message != NULL && frame->length >= message->body.size) {
    const uint8_t *const end = frame->payload + frame->length;
    if (message->write_fields != NULL && !options->u64_strings && !options->walk)
      o = message->write_fields(o, frame->payload, end, options->float_compat);
    else
      o = walk_fields(options, message, frame->payload, end, o);
    if (options->expand)
      o = sbpi_write_meaning(message, frame->payload, end, o);
  }
  if (options->clock != NULL && options->clock->known)
    o = write_time(options->clock, o);
  *o = '}';
  return o + 1;
}

char *sbp_line_write(const struct sbp_line_options *options, const struct sbp_message *message,
                     const struct sbp_frame *frame, char *out) {
  char *o;
  if (SBPI_UNLIKELY(options->pretty)) {
    /* The compact line stands behind all that its layout can take. */
    char *const compact = out + compact_max(options) * PRETTY_FACTOR;
    o = indent(compact, write_compact(options, message, frame, compact), out);
  } else {
    o = write_compact(options, message, frame, out);
  }
  *o = '\n';
  return o + 1;
}

char *sbp_field_write(const struct sbp_line_options *options, const struct sbp_field_view *view, char *out) {
  const struct walk walk = {options, view->bytes + view->size};
  const uint8_t *p = view->bytes;
  if (view->field->type == SBP_STRING)
    return sbpi_write_string(out, p, view->size);
  return view->is_array ? walk_field(&walk, NULL, view->field, &p, out)
                        : walk_element(&walk, NULL, view->field, &p, out);
}

char *sbp_line_write_invalid(enum sbp_cpu cpu, const uint8_t *data, size_t size, char *out) {
  char *o = EMIT_TEXT(out, "{\"msg_name\":\"INVALID\",\"payload\":\"");
  o = sbp_base64_encode(cpu, data, size, o);
  return EMIT_TEXT(o, "\"}\n");
}
