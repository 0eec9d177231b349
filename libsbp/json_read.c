/* SPDX-License-Identifier: MIT */
/* A stream of JSON values -> frames: where values begin and end, where to go on behind a fault, and what of a message
 * object makes its frame. The syntax is json_scan.c's, fields are fields.c's. */
#include "fields.h"
#include "json_own.h"
#include "json_wide.h"
#include "templates.h"

static const struct sbp_span nothing = {NULL, 0};

/* So many values may lack their end and be read on at the line behind their first one, until all that was looked at for
 * their ends has been read. */
enum { ENDLESS_MAX = 16 };

/* ---- The message object ---- */

static bool is_known(const struct sbp_reader *reader, enum sbpi_key key) {
  return reader->state.known[key].end > 0;
}

static struct sbp_span known(const struct sbp_reader *reader, const struct sbp_line *line, enum sbpi_key key) {
  const struct sbp_span value = {line->text.text + reader->state.known[key].begin,
                                 reader->state.known[key].end - reader->state.known[key].begin};
  return value;
}

static struct sbp_place place_in(const struct sbp_line *line, const char *at) {
  return sbpi_place_after(line->place, line->text.text, at);
}

static enum sbp_status fault_at(struct sbp_line *line, enum sbp_status status, const char *key, struct sbp_span value,
                                const char *wanted) {
  sbpi_fault_set(&line->fault, status, value.length > 0 ? place_in(line, value.text) : line->place, key, value, wanted);
  return status;
}

static enum sbp_status missing(struct sbp_line *line, const char *key) {
  sbpi_fault_set(&line->fault, SBP_ERROR_MISSING, place_in(line, line->object.text), key, nothing, NULL);
  return SBP_ERROR_MISSING;
}

static struct sbp_span unquoted(struct sbp_span string) {
  const struct sbp_span inside = {string.text + 1, string.length - 2};
  return inside;
}

static bool is_string(struct sbp_span value) {
  return value.text[0] == '"';
}

/* Whether a value is a string that stands for exactly this text. */
static bool is_text(struct sbp_span value, const char *text) {
  return is_string(value) && sbpi_key_is(unquoted(value), text, strlen(text));
}

/* sbpi_read_integer of what is mostly a small plain one; of a line of json_line.h it can be read in words. */
static enum sbp_status read_integer(const struct sbp_reader *reader, struct sbp_span value, bool *negative,
                                    uint64_t *magnitude) {
  uint32_t small;
  if (SBPI_LIKELY(reader->state.in_line && sbpi_small_integer(value, &small))) {
    *negative = false;
    *magnitude = small;
    return SBP_OK;
  }
  return sbpi_read_integer(value, negative, magnitude);
}

static enum sbp_status read_u16(const struct sbp_reader *reader, struct sbp_line *line, const char *key,
                                struct sbp_span value, uint16_t *out) {
  uint64_t magnitude;
  bool negative;
  enum sbp_status status = read_integer(reader, value, &negative, &magnitude);
  if (status == SBP_OK && (magnitude > 0xffff || (negative && magnitude > 0)))
    status = SBP_ERROR_RANGE;
  if (status != SBP_OK)
    return fault_at(line, status, key, value, "an integer 0 .. 65535");
  *out = (uint16_t)magnitude;
  return SBP_OK;
}

/* The payload of a base64 string, to out, which has room for SBP_PAYLOAD_MAX bytes and three more. */
static enum sbp_status read_base64(const struct sbp_reader *reader, struct sbp_line *line, struct sbp_span value,
                                   uint8_t *out, size_t *size) {
  char plain[6 * SBP_BASE64_SIZE(SBP_PAYLOAD_MAX + 1)];
  if (!is_string(value))
    return fault_at(line, SBP_ERROR_KIND, "payload", value, "a base64 string");
  struct sbp_span text = unquoted(value);
  ptrdiff_t decoded = text.length <= SBP_BASE64_SIZE(SBP_PAYLOAD_MAX)
                          ? sbp_base64_decode(reader->cpu, text.text, text.length, out)
                          : -1;
  if (SBPI_UNLIKELY(decoded < 0)) {
    /* Some writers make \/ of /. */
    const bool escaped = text.length <= sizeof plain && memchr(text.text, '\\', text.length) != NULL;
    const ptrdiff_t length = escaped ? sbp_unescape(text.text, text.length, plain) : -1;
    if (length >= 0)
      text = (struct sbp_span){plain, (size_t)length};
    if (text.length > SBP_BASE64_SIZE(SBP_PAYLOAD_MAX))
      return fault_at(line, SBP_ERROR_PAYLOAD, "payload", value, NULL);
    decoded = sbp_base64_decode(reader->cpu, text.text, text.length, out);
    if (decoded < 0)
      return fault_at(line, SBP_ERROR_BASE64, "payload", value, NULL);
  }
  *size = (size_t)decoded;
  return SBP_OK;
}

/* The payload of an array of bytes, which stands for it where the schema does not know the type. */
static enum sbp_status read_bytes(struct sbp_line *line, struct sbp_span array, uint8_t *out, size_t *size) {
  const char *p = array.text + 1;
  const char *const end = array.text + array.length;
  size_t count = 0;
  for (;;) {
    while (sbpi_is_space(*p) || *p == ',')
      p++;
    if (*p == ']')
      break;
    struct sbp_span value = {p, 0};
    while (p < end && *p != ',' && *p != ']' && !sbpi_is_space(*p))
      p++;
    value.length = (size_t)(p - value.text);
    bool negative;
    uint64_t magnitude;
    enum sbp_status status = sbpi_read_integer(value, &negative, &magnitude);
    if (status == SBP_OK && (magnitude > 255 || (negative && magnitude > 0)))
      status = SBP_ERROR_RANGE;
    if (status != SBP_OK)
      return fault_at(line, status, "payload", value, "an integer 0 .. 255");
    if (count == SBP_PAYLOAD_MAX)
      return fault_at(line, SBP_ERROR_PAYLOAD, "payload", array, NULL);
    out[count++] = (uint8_t)magnitude;
  }
  *size = count;
  return SBP_OK;
}

/* The type of a message read by its fields, which msg_type, msg_name or both give. */
static enum sbp_status resolve_type(const struct sbp_reader *reader, struct sbp_line *line, uint16_t *type) {
  const bool has_type = is_known(reader, KEY_MSG_TYPE);
  const bool has_name = is_known(reader, KEY_MSG_NAME);
  if (has_type) {
    const enum sbp_status status = read_u16(reader, line, "msg_type", known(reader, line, KEY_MSG_TYPE), type);
    if (status != SBP_OK)
      return status;
  }
  const struct sbp_message *const by_type = has_type ? sbp_message_by_id(reader->schema, *type) : NULL;
  line->message = by_type;
  if (!has_name)
    return SBP_OK;
  const struct sbp_span value = known(reader, line, KEY_MSG_NAME);
  if (!is_string(value))
    return fault_at(line, SBP_ERROR_KIND, "msg_name", value, "a string");
  if (is_text(value, "UNKNOWN"))
    return has_type ? SBP_OK : missing(line, "msg_type");
  if (by_type != NULL && is_text(value, by_type->body.name))
    return SBP_OK;
  char name[6 * 64];
  const struct sbp_span text = unquoted(value);
  const ptrdiff_t length = text.length <= sizeof name ? sbp_unescape(text.text, text.length, name) : -1;
  const struct sbp_message *const by_name =
      length < 0 ? NULL : sbp_message_by_name(reader->schema, name, (size_t)length);
  if (by_type != NULL || (by_name != NULL && has_type)) {
    fault_at(line, SBP_ERROR_MISMATCH, "msg_name", value, by_type != NULL ? by_type->body.name : NULL);
    return SBP_ERROR_MISMATCH;
  }
  if (by_name == NULL && has_type)
    return SBP_OK;
  if (by_name == NULL) {
    const struct sbp_message *const near_one =
        length < 0 ? NULL : sbp_message_near_name(reader->schema, name, (size_t)length);
    fault_at(line, SBP_ERROR_NAME, "msg_name", value, NULL);
    if (near_one != NULL) {
      sbpi_fault_add(&line->fault, ", did you mean ", 15);
      sbpi_fault_add(&line->fault, near_one->body.name, strlen(near_one->body.name));
    }
    return SBP_ERROR_NAME;
  }
  line->message = by_name;
  *type = by_name->id;
  return SBP_OK;
}

/* Note where crc or length are there and are not those of the frame that was made. */
static void compare_envelope(const struct sbp_reader *reader, struct sbp_line *line, const uint8_t *frame) {
  const uint64_t right[] = {sbpi_load16(frame + line->frame_size - 2), frame[5]};
  static const enum sbpi_key keys[] = {KEY_CRC, KEY_LENGTH};
  static const unsigned notes[] = {SBP_NOTE_CRC, SBP_NOTE_LENGTH};
  for (int i = 0; i < 2; i++) {
    if (!is_known(reader, keys[i]))
      continue;
    bool negative;
    uint64_t magnitude;
    const enum sbp_status status = read_integer(reader, known(reader, line, keys[i]), &negative, &magnitude);
    if (status != SBP_OK || magnitude != right[i] || (negative && magnitude > 0))
      line->notes |= notes[i];
  }
}

static enum sbp_status make_frame(const struct sbp_reader *reader, struct sbp_line *line, uint8_t *frame) {
  uint16_t type = 0;
  uint16_t sender = 66;
  uint8_t payload[SBP_PAYLOAD_MAX + 3];
  size_t size = 0;
  const bool has_payload = is_known(reader, KEY_PAYLOAD);
  enum sbp_status status;

  if (reader->from_fields) {
    status = resolve_type(reader, line, &type);
    if (status != SBP_OK)
      return status;
  } else {
    if (!is_known(reader, KEY_MSG_TYPE))
      return missing(line, "msg_type");
    status = read_u16(reader, line, "msg_type", known(reader, line, KEY_MSG_TYPE), &type);
    if (status != SBP_OK)
      return status;
    line->message = sbp_message_by_id(reader->schema, type);
  }
  if (is_known(reader, KEY_SENDER)) {
    status = read_u16(reader, line, "sender", known(reader, line, KEY_SENDER), &sender);
    if (status != SBP_OK)
      return status;
  } else if (!reader->from_fields) {
    return missing(line, "sender");
  }
  if (has_payload) {
    const struct sbp_span value = known(reader, line, KEY_PAYLOAD);
    status = reader->from_fields && line->message == NULL && value.text[0] == '['
                 ? read_bytes(line, value, payload, &size)
                 : read_base64(reader, line, value, payload, &size);
    if (status != SBP_OK)
      return status;
  } else if (!reader->from_fields || line->message == NULL) {
    missing(line, "payload");
    if (!reader->from_fields && reader->state.more_keys)
      sbpi_fault_add(&line->fault, "; --from-fields makes it from the fields", 40);
    return SBP_ERROR_MISSING;
  }
  if (reader->from_fields && line->message != NULL) {
    struct sbpi_fields fields = {
        .reader = reader,
        .message = line->message,
        .object = line->object,
        .text = line->text.text,
        .place = line->place,
        .old = has_payload ? payload : NULL,
        .old_size = size,
        .out = frame + SBP_FRAME_HEADER,
        .report_ignored = true,
        .fault = &line->fault,
    };
    status = sbpi_fields_pack(&fields);
    if (status != SBP_OK)
      return status;
    line->notes |= fields.notes;
    line->frame_size = sbp_frame_pack(reader->cpu, type, sender, fields.out, (uint8_t)fields.size, frame);
  } else {
    line->frame_size = sbp_frame_pack(reader->cpu, type, sender, payload, (uint8_t)size, frame);
  }
  if (line->message == NULL)
    line->notes |= SBP_NOTE_UNKNOWN;
  else if (line->frame_size - SBP_FRAME_OVERHEAD < line->message->body.size)
    line->notes |= SBP_NOTE_SHORT;
  if (!reader->from_fields)
    compare_envelope(reader, line, frame);
  return SBP_OK;
}

static bool is_message(const struct sbp_reader *reader, const struct sbp_line *line) {
  if (is_known(reader, KEY_MSG_TYPE))
    return true;
  return is_known(reader, KEY_MSG_NAME) &&
         (reader->from_fields || is_text(known(reader, line, KEY_MSG_NAME), "INVALID"));
}

/* Take "data" for the message: its members are known from here on. */
static void enter_data(struct sbp_reader *reader, struct sbp_line *line) {
  struct sbp_span rest = known(reader, line, KEY_DATA);
  struct sbp_span key;
  struct sbp_span value;
  line->object = rest;
  memset(reader->state.known, 0, sizeof reader->state.known);
  reader->state.more_keys = false;
  while (sbp_member_next(&rest, &key, &value)) {
    const enum sbpi_key which = sbpi_key_of(key.text, key.length);
    if (which < KEY_OTHER) {
      reader->state.known[which].begin = (uint32_t)(value.text - line->text.text);
      reader->state.known[which].end = (uint32_t)(value.text + value.length - line->text.text);
    } else if (which == KEY_FIELD) {
      reader->state.more_keys = true;
    }
  }
}

/* What a whole value gives. */
static enum sbp_status use_value(struct sbp_reader *reader, struct sbp_line *line, uint8_t *frame) {
  line->object = line->text;
  if (line->text.text[0] != '{')
    return fault_at(line, SBP_ERROR_NOT_MESSAGE, NULL, line->text, "an object");
  if (!is_message(reader, line)) {
    if (is_known(reader, KEY_DATA) && known(reader, line, KEY_DATA).text[0] == '{')
      enter_data(reader, line);
    if (!is_message(reader, line))
      return missing(line, "msg_type");
  }
  if (is_known(reader, KEY_MSG_NAME) && is_text(known(reader, line, KEY_MSG_NAME), "INVALID")) {
    if (!is_known(reader, KEY_PAYLOAD))
      return missing(line, "payload");
    const struct sbp_span payload = known(reader, line, KEY_PAYLOAD);
    if (!is_string(payload))
      return fault_at(line, SBP_ERROR_KIND, "payload", payload, "a base64 string");
    line->payload = unquoted(payload);
    return fault_at(line, SBP_ERROR_INVALID, NULL, nothing, NULL);
  }
  return make_frame(reader, line, frame);
}

enum sbp_status sbp_line_check(const struct sbp_reader *reader, const struct sbp_line *line, const uint8_t *frame,
                               struct sbp_fault *fault) {
  uint8_t payload[SBP_PAYLOAD_MAX];
  if (line->message == NULL || line->agrees || (reader->templates != NULL && sbpi_templates_agree(reader, line, frame)))
    return SBP_OK;
  struct sbp_fault wrong;
  fault->status = SBP_OK;
  struct sbpi_fields fields = {
      .reader = reader,
      .message = line->message,
      .object = line->object,
      .text = line->text.text,
      .place = line->place,
      .old = frame + SBP_FRAME_HEADER,
      .old_size = line->frame_size - SBP_FRAME_OVERHEAD,
      .out = payload,
      .fault = &wrong,
      .changed = fault,
  };
  if (sbpi_fields_pack(&fields) != SBP_OK)
    *fault = wrong; /* cppcheck-suppress uninitvar ; it is filled in where a fault is returned */
  return fault->status;
}

/* ---- The stream ---- */

/* Move the reader's place over [from, to). */
static const char *pass(struct sbp_reader *reader, const char *from, const char *to) {
  reader->place = sbpi_place_after(reader->place, from, to);
  return to;
}

/* Byte order marks, or text of which each second byte is 0. */
static bool is_utf16(const unsigned char *p, size_t size) {
  if ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff))
    return true;
  if ((p[0] == 0) == (p[1] == 0))
    return false;
  return size < 4 || ((p[2] == 0) == (p[0] == 0) && (p[3] == 0) == (p[1] == 0));
}

/* A fault that leaves it open where the value ends: lines are passed over from its beginning on. */
static void begin_passing(struct sbp_reader *reader, enum sbp_status status, struct sbp_place place,
                          struct sbp_span seen, const char *wanted) {
  sbpi_fault_set(&reader->state.fault, status, place, NULL, seen, wanted);
  reader->state.begun = false;
  reader->state.passing = true;
  reader->state.line_began = false;
  reader->state.passed_bytes = 0;
  reader->state.passed_lines = 0;
  reader->state.lenient |= reader->state.in_array;
  reader->state.in_array = false;
}

/* Pass over bytes up to a line that begins with { or [. Returns where that is, or end with *found unset. */
static const char *pass_lines(struct sbp_reader *reader, const char *p, const char *end, bool *found) {
  const char *const begin = p;
  *found = false;
  while (p < end) {
    if (reader->state.line_began && (*p == '{' || *p == '[')) {
      *found = true;
      break;
    }
    const char *const newline = memchr(p, '\n', (size_t)(end - p));
    reader->state.line_began = newline != NULL;
    reader->state.passed_lines += newline != NULL;
    p = newline == NULL ? end : newline + 1;
  }
  reader->state.passed_bytes += (uint64_t)(p - begin);
  return pass(reader, begin, p);
}

static enum sbp_status end_passing(struct sbp_reader *reader, struct sbp_line *line) {
  const uint64_t lines = reader->state.passed_lines + !reader->state.line_began;
  line->fault = reader->state.fault;
  reader->state.passing = false;
  if (reader->state.passed_bytes == 0)
    return line->fault.status;
  sbpi_fault_add(&line->fault, "; ", 2);
  sbpi_fault_add_number(&line->fault, reader->state.passed_bytes);
  sbpi_fault_add(&line->fault, reader->state.passed_bytes == 1 ? " byte on " : " bytes on ",
                 reader->state.passed_bytes == 1 ? 9 : 10);
  sbpi_fault_add_number(&line->fault, lines);
  sbpi_fault_add(&line->fault, lines == 1 ? " line passed over" : " lines passed over", lines == 1 ? 17 : 18);
  return line->fault.status;
}

/* Pass over what stands between values. Returns the first byte of a value, or end, or with *bad set the byte at which
 * the array's syntax is broken. */
static const char *pass_between(struct sbp_reader *reader, const char *p, const char *end, bool *bad) {
  *bad = false;
  /* Mostly a line follows upon a line. */
  if (SBPI_LIKELY(end - p > 1 && p[0] == '\n' && p[1] == '{' && !reader->state.in_array && !reader->state.lenient)) {
    reader->place.offset++;
    reader->place.line++;
    reader->place.column = 1;
    return p + 1;
  }
  for (; p < end; p++) {
    if (sbpi_is_space(*p)) {
      if (*p == '\n') {
        reader->place.line++;
        reader->place.column = 0;
      }
    } else if (reader->state.in_array && reader->state.elements && !reader->state.separated) {
      if (*p == ']') {
        reader->state.in_array = false;
      } else if (*p == ',') {
        reader->state.separated = true;
      } else {
        *bad = true;
        return p;
      }
    } else if (reader->state.in_array && *p == ']' && !reader->state.separated) {
      reader->state.in_array = false;
    } else if (!reader->state.in_array && *p == '[') {
      reader->state.in_array = true;
      reader->state.elements = false;
      reader->state.separated = false;
      reader->state.array_place = reader->place;
    } else if (!(reader->state.lenient && !reader->state.in_array && (*p == ',' || *p == ']'))) {
      break;
    }
    reader->place.offset++;
    reader->place.column++;
  }
  return p;
}

/* The last line break of the input that is there, with room behind it, as json_line.h wants; NULL where there is none
 * behind p. It is looked for once for each piece of input that is read. */
static const char *find_stop(struct sbp_reader *reader, const char *p, const char *end) {
  enum { FARTHEST = 16384 };
  const size_t left = (size_t)(end - p);
  const uint64_t end_offset = reader->place.offset + left;
  if (SBPI_UNLIKELY(reader->state.stop_searched != end_offset)) {
    size_t distance = SBPI_LINE_SLACK;
    while (distance <= left && distance <= FARTHEST && end[-(ptrdiff_t)distance] != '\n')
      distance++;
    reader->state.stop_searched = end_offset;
    reader->state.stop_distance = (uint32_t)distance;
    if (distance > FARTHEST)
      reader->state.stop_distance = UINT32_MAX;
  }
  return reader->state.stop_distance <= left ? end - reader->state.stop_distance : NULL;
}

/* Read on in the value at p; stop is what json_line.h wants, or NULL. */
static enum sbpi_scan scan(struct sbp_reader *reader, const char *p, size_t size, bool last, const char *stop,
                           const char **wanted) {
  reader->state.in_line = false;
  if (stop != NULL) {
    const char *behind = sbpi_scan_wide(reader, p, stop);
    if (behind == NULL)
      behind = sbpi_scan_line(reader, p, stop);
    if (SBPI_LIKELY(behind != NULL && (size_t)(behind - p) <= size)) {
      reader->state.at = (uint32_t)(behind - p);
      reader->state.in_line = true;
      return SBPI_SCAN_DONE;
    }
    sbpi_scan_begin(reader);
  }
  return sbpi_scan_value(reader, p, size, last, wanted);
}

enum sbp_status sbp_read_line(struct sbp_reader *reader, const char *data, size_t size, bool last, uint8_t *frame,
                              struct sbp_line *line, size_t *used) {
  if (SBPI_UNLIKELY(data == NULL))
    data = ""; /* nothing may be added to NULL */
  /* cppcheck-suppress pointerOutOfBoundsCond ; where data was NULL, size is 0 */
  const char *const end = data + size;
  const char *p = data;
  const char *wanted = NULL;
  const char *stop = NULL;
  bool learn = false;

  line->notes = 0;
  line->agrees = false;
  line->compact = false;
  line->message = NULL;
  line->text = nothing;
  *used = 0;
  if (SBPI_UNLIKELY(!reader->state.started)) {
    if (size < 4 && !last)
      return SBP_NEED_MORE;
    reader->state.started = true;
    reader->place.line = 1;
    reader->place.column = 1;
    if (size >= 2 && is_utf16((const unsigned char *)p, size)) {
      line->place = reader->place;
      return fault_at(line, SBP_ERROR_UTF16, NULL, nothing, NULL);
    }
    if (size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
      p = pass(reader, p, p + 3);
  }

  if (!reader->state.passing && !reader->state.begun) {
    bool bad;
    const char *const value = pass_between(reader, p, end, &bad);
    if (SBPI_UNLIKELY(bad)) {
      const struct sbp_span seen = {value, 1};
      p = value;
      begin_passing(reader, SBP_ERROR_SYNTAX, reader->place, seen, "a comma or ]");
      /* The last element was whole: this line may be the one to go on at. */
      reader->state.line_began = reader->place.column == 1;
    } else if (value == end) {
      *used = size;
      if (!last)
        return SBP_NEED_MORE;
      if (!reader->state.in_array)
        return SBP_END;
      reader->state.in_array = false;
      line->place = reader->state.array_place;
      return fault_at(line, SBP_ERROR_SYNTAX, NULL, nothing, "] at the end of the array that begins here");
    } else {
      p = value;
      line->place = reader->place;
      line->in_array = reader->state.in_array;
      stop = *p == '{' ? find_stop(reader, p, end) : NULL;
      if (reader->templates != NULL && stop != NULL) {
        const char *behind = sbpi_own_line_read(reader, p, stop, frame, line);
        if (behind == NULL)
          behind = sbpi_templates_read(reader, p, stop, frame, line, &learn);
        if (SBPI_LIKELY(behind != NULL)) {
          reader->state.elements = true;
          reader->state.separated = false;
          reader->place.offset += (uint64_t)(behind - p);
          reader->place.column += (uint64_t)(behind - p);
          *used = (size_t)(behind - data);
          return SBP_OK;
        }
      }
      reader->state.begun = true;
      sbpi_scan_begin(reader);
    }
  }

  if (!reader->state.passing) {
    const size_t left = (size_t)(end - p);
    const size_t most = left < SBP_VALUE_MAX ? left : SBP_VALUE_MAX;
    const enum sbpi_scan result = scan(reader, p, most, last && most == left, stop, &wanted);
    line->place = reader->place;
    line->in_array = reader->state.in_array;
    if (SBPI_LIKELY(result == SBPI_SCAN_DONE || result == SBPI_SCAN_DEEP)) {
      line->text.text = p;
      line->text.length = reader->state.at;
      reader->state.begun = false;
      reader->state.elements = true;
      reader->state.separated = false;
      *used = (size_t)(p - data) + reader->state.at;
      enum sbp_status status;
      if (SBPI_LIKELY(result == SBPI_SCAN_DONE)) {
        status = use_value(reader, line, frame);
        if (learn && status == SBP_OK)
          sbpi_templates_learn(reader, line);
      } else {
        status = fault_at(line, SBP_ERROR_TOO_DEEP, NULL, nothing, NULL);
        line->text = nothing;
      }
      if (SBPI_LIKELY(reader->state.in_line)) {
        reader->place.offset += reader->state.at;
        reader->place.column += reader->state.at;
      } else {
        pass(reader, p, data + *used);
      }
      return status;
    }
    if (result == SBPI_SCAN_MORE && left <= SBP_VALUE_MAX) {
      *used = (size_t)(p - data);
      return SBP_NEED_MORE;
    }
    if (result == SBPI_SCAN_MORE) {
      begin_passing(reader, SBP_ERROR_TOO_LONG, reader->place, nothing, NULL);
    } else {
      const char *const bad = p + reader->state.at;
      const struct sbp_span seen = {bad, bad < end ? 1 : 0};
      /* Of a value that is cut off the beginning tells more than the end of the input. */
      const struct sbp_place place = bad < end ? sbpi_place_after(reader->place, p, bad) : reader->place;
      begin_passing(reader, SBP_ERROR_SYNTAX, place, seen, wanted);
    }
    const bool ended = result == SBPI_SCAN_BAD && p + reader->state.at < end;
    if (!ended) {
      const uint64_t looked_at = reader->place.offset + (result == SBPI_SCAN_MORE ? SBP_VALUE_MAX : left);
      if (reader->place.offset >= reader->state.endless_end)
        reader->state.endless = 0;
      reader->state.endless++;
      if (looked_at > reader->state.endless_end)
        reader->state.endless_end = looked_at;
    }
    if (!ended && reader->state.endless > ENDLESS_MAX) {
      /* Each of these values has cost a look at all that follows. Now what follows is taken for its inside. */
      const char *const behind = p + (result == SBPI_SCAN_MORE ? SBP_VALUE_MAX : left);
      reader->state.passed_lines = sbpi_place_after(reader->place, p, behind).line - reader->place.line;
      reader->state.passed_bytes = (uint64_t)(behind - p);
      p = pass(reader, p, behind);
    }
  }

  bool found;
  p = pass_lines(reader, p, end, &found);
  *used = (size_t)(p - data);
  line->place = reader->state.fault.place;
  if (!found && !last)
    return SBP_NEED_MORE;
  return end_passing(reader, line);
}
