/* SPDX-License-Identifier: MIT */
/* JSON streams: what the values become is what another parser reads in them and the contract says of that. */
#include <jansson.h>

#include "fuzz.h"
#include "sbpkit/sbp.h"

/* What a value may become: statuses as bits, since of several faults any may be told; its frame, where SBP_OK is one of
 * them. */
struct expected {
  unsigned statuses;
  unsigned notes;
  bool inexact;        /* a number was read as a double, which may hide that it is no integer */
  const char *payload; /* of an INVALID line */
  size_t payload_length;
  size_t frame_size;
  uint8_t frame[SBP_FRAME_MAX];
};

static unsigned bit(enum sbp_status status) {
  return 1u << status;
}

/* The levels of a value: 1 for {}. */
static unsigned depth_of(const json_t *value) {
  unsigned deepest = 0;
  const char *key;
  json_t *member;
  size_t i;
  json_object_foreach((json_t *)value, key, member) {
    const unsigned depth = depth_of(member);
    deepest = depth > deepest ? depth : deepest;
  }
  json_array_foreach(value, i, member) {
    const unsigned depth = depth_of(member);
    deepest = depth > deepest ? depth : deepest;
  }
  return deepest + (json_is_object(value) || json_is_array(value));
}

/* The faults of a member that is to be an integer 0 .. 65535, or SBP_OK. */
static unsigned read_u16(const json_t *value, struct expected *expected, uint16_t *out) {
  if (value == NULL)
    return bit(SBP_ERROR_MISSING);
  if (json_is_real(value))
    expected->inexact = true;
  else if (!json_is_integer(value))
    return bit(SBP_ERROR_KIND);
  const double number = json_number_value(value);
  if (number > -1e15 && number < 1e15 && number != (double)(int64_t)number)
    return bit(SBP_ERROR_KIND);
  if (number < 0 || number > 65535)
    return bit(SBP_ERROR_RANGE);
  *out = (uint16_t)number;
  return bit(SBP_OK);
}

static unsigned read_payload(const json_t *value, uint8_t *out, size_t *size) {
  if (value == NULL)
    return bit(SBP_ERROR_MISSING);
  if (!json_is_string(value))
    return bit(SBP_ERROR_KIND);
  const size_t length = json_string_length(value);
  uint8_t *const bytes = malloc(length + 1);
  FUZZ_CHECK(bytes != NULL);
  const ptrdiff_t count = fuzz_base64(json_string_value(value), length, bytes);
  if (count >= 0 && count <= SBP_PAYLOAD_MAX)
    memcpy(out, bytes, (size_t)count);
  free(bytes);
  *size = (size_t)count;
  if (count < 0) /* where it is far too long, it is not looked at */
    return bit(SBP_ERROR_BASE64) | (length > SBP_BASE64_SIZE(SBP_PAYLOAD_MAX) ? bit(SBP_ERROR_PAYLOAD) : 0);
  return count > SBP_PAYLOAD_MAX ? bit(SBP_ERROR_PAYLOAD) : bit(SBP_OK);
}

static bool is_invalid(const json_t *object) {
  const json_t *const name = json_object_get(object, "msg_name");
  return json_is_string(name) && json_string_length(name) == 7 && memcmp(json_string_value(name), "INVALID", 7) == 0;
}

static bool is_message(const json_t *object) {
  return json_object_get(object, "msg_type") != NULL || is_invalid(object);
}

/* A note where a member is there and is not this number. */
static unsigned compare(const json_t *value, unsigned right, unsigned note, struct expected *expected) {
  if (value == NULL)
    return 0;
  if (json_is_real(value))
    expected->inexact = true;
  return json_is_number(value) && json_number_value(value) == right ? 0 : note;
}

static void expect_message(const json_t *object, struct expected *expected) {
  if (is_invalid(object)) {
    const json_t *const payload = json_object_get(object, "payload");
    expected->statuses = bit(payload == NULL            ? SBP_ERROR_MISSING
                             : !json_is_string(payload) ? SBP_ERROR_KIND
                                                        : SBP_ERROR_INVALID);
    expected->payload = json_string_value(payload);
    expected->payload_length = json_string_length(payload);
    return;
  }
  uint16_t type = 0, sender = 0;
  size_t size = 0;
  uint8_t *const frame = expected->frame;
  expected->statuses = read_u16(json_object_get(object, "msg_type"), expected, &type) |
                       read_u16(json_object_get(object, "sender"), expected, &sender) |
                       read_payload(json_object_get(object, "payload"), frame + SBP_FRAME_HEADER, &size);
  if (expected->statuses != bit(SBP_OK)) {
    expected->statuses &= ~bit(SBP_OK);
    return;
  }
  frame[0] = 0x55;
  frame[1] = (uint8_t)type;
  frame[2] = (uint8_t)(type >> 8);
  frame[3] = (uint8_t)sender;
  frame[4] = (uint8_t)(sender >> 8);
  frame[5] = (uint8_t)size;
  const uint16_t crc = fuzz_crc(frame + 1, size + 5);
  frame[size + 6] = (uint8_t)crc;
  frame[size + 7] = (uint8_t)(crc >> 8);
  expected->frame_size = size + SBP_FRAME_OVERHEAD;
  const struct sbp_message *message = NULL;
  for (uint32_t i = 0; i < sbp_schema_builtin.count; i++)
    if (sbp_schema_builtin.messages[i]->id == type)
      message = sbp_schema_builtin.messages[i];
  expected->notes = compare(json_object_get(object, "crc"), crc, SBP_NOTE_CRC, expected) |
                    compare(json_object_get(object, "length"), (unsigned)size, SBP_NOTE_LENGTH, expected) |
                    (message == NULL             ? SBP_NOTE_UNKNOWN
                     : size < message->body.size ? SBP_NOTE_SHORT
                                                 : 0u);
}

/* What a value becomes that stands `above` levels deep. */
static void expect(const json_t *value, unsigned above, struct expected *expected) {
  memset(expected, 0, sizeof *expected);
  if (depth_of(value) + above > SBP_NESTING_MAX) {
    expected->statuses = bit(SBP_ERROR_TOO_DEEP);
  } else if (!json_is_object(value)) {
    expected->statuses = bit(SBP_ERROR_NOT_MESSAGE);
  } else if (is_message(value)) {
    expect_message(value, expected);
  } else {
    const json_t *const data = json_object_get(value, "data");
    if (json_is_object(data) && is_message(data))
      expect_message(data, expected);
    else
      expected->statuses = bit(SBP_ERROR_MISSING) | bit(SBP_ERROR_NOT_MESSAGE);
  }
}

/* Our side: the stream, and what stands where in it. */
struct stream {
  struct sbp_reader reader;
  const char *text;
  size_t size;
  size_t at;
};

static enum sbp_status next(struct stream *stream, uint8_t *frame, struct sbp_line *line) {
  size_t used;
  const enum sbp_status status =
      sbp_read_line(&stream->reader, stream->text + stream->at, stream->size - stream->at, true, frame, line, &used);
  stream->at += used;
  return status;
}

static void check_value(struct stream *stream, const json_t *value, unsigned above) {
  static struct expected expected;
  uint8_t frame[SBP_FRAME_MAX];
  struct sbp_line line;
  expect(value, above, &expected);
  const enum sbp_status status = next(stream, frame, &line);
  FUZZ_CHECK(line.in_array == (above > 0));
  if (expected.inexact && (status == SBP_ERROR_KIND || status == SBP_ERROR_RANGE))
    return;
  if ((bit(status) & expected.statuses) == 0)
    fprintf(stderr, "status %d of %x at %zu: %s\n", (int)status, expected.statuses, stream->at, line.fault.text);
  FUZZ_CHECK((bit(status) & expected.statuses) != 0);
  if (status == SBP_OK) {
    FUZZ_CHECK(line.frame_size == expected.frame_size && memcmp(frame, expected.frame, line.frame_size) == 0);
    FUZZ_CHECK(expected.inexact || line.notes == expected.notes);
  } else if (status == SBP_ERROR_INVALID) {
    char *const payload = malloc(line.payload.length + 1);
    FUZZ_CHECK(payload != NULL);
    FUZZ_CHECK(sbp_unescape(line.payload.text, line.payload.length, payload) == (ptrdiff_t)expected.payload_length);
    FUZZ_CHECK(memcmp(payload, expected.payload, expected.payload_length) == 0);
    free(payload);
  }
}

/* Whether the other parser's fault is one of ours: it wants UTF-8, and numbers that fit. */
static bool is_fault(const json_error_t *error) {
  switch (json_error_code(error)) {
  case json_error_invalid_utf8:
  case json_error_numeric_overflow:
  case json_error_null_byte_in_key:
  case json_error_stack_overflow:
    return false;
  default: /* lone surrogates are ours only where their string is used */
    return strstr(error->text, "nicode") == NULL;
  }
}

/* Whether a number or a word ends where the other parser says so: ours go on to white space or a bracket. */
static bool ends(const json_t *value, const char *behind, const char *end) {
  return json_is_object(value) || json_is_array(value) || json_is_string(value) || behind == end ||
         memchr(" \t\r\n,[]{}\"", *behind, 10) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4 || size > 1 << 14)
    return 0;
  char *const text = fuzz_copy(data, size);
  struct stream stream = {.reader = {.schema = &sbp_schema_builtin, .cpu = sbp_cpu_best()}, .text = text, .size = size};
  uint8_t frame[SBP_FRAME_MAX];
  struct sbp_line line;
  size_t at = memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  bool fault = false, end = false;
  if (text[0] == '\0' || text[1] == '\0' || (uint8_t)text[0] >= 0xfe) {
    /* May be UTF-16. */
    FUZZ_CHECK(next(&stream, frame, &line) != SBP_OK);
    free(text);
    return 0;
  }
  while (!fault && !end) {
    while (at < size && memchr(" \t\r\n", text[at], 4) != NULL)
      at++;
    if (at == size)
      break;
    json_error_t error;
    json_t *const value =
        json_loadb(text + at, size - at, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &error);
    /* It overlooks a NUL behind a number. */
    end = value == NULL || memchr(text + at, '\0', (size_t)error.position) != NULL;
    if (end && value != NULL) {
      json_decref(value);
    } else if (value != NULL) {
      at += (size_t)error.position;
      if (!ends(value, text + at, text + size)) {
        fault = true;
      } else if (json_is_array(value)) {
        size_t i;
        json_t *element;
        json_array_foreach(value, i, element) check_value(&stream, element, 1);
      } else {
        check_value(&stream, value, 0);
      }
      json_decref(value);
    } else {
      fault = is_fault(&error);
    }
  }
  /* All is read, or the rest begins with what is not JSON. */
  bool any = false;
  for (enum sbp_status status; (status = next(&stream, frame, &line)) != SBP_END;) {
    FUZZ_CHECK(status != SBP_ERROR_UTF16);
    any |= status == SBP_ERROR_SYNTAX || status == SBP_ERROR_TOO_DEEP;
    FUZZ_CHECK(fault || end);
  }
  FUZZ_CHECK(any || !fault);
  free(text);
  return 0;
}
