/* SPDX-License-Identifier: MIT */
/* Messages from their fields: the line of the frame that was made says what was given, by another parser, and gives the
 * same frame again, by its fields alone too. */
#include <jansson.h>

#include "fuzz.h"
#include "sbpkit/sbp.h"

static json_t *parse(const char *text, size_t size) {
  return json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

/* ---- What was given, and what the line says ---- */

/* Whether two doubles are one float. One that lies between two floats exactly may have been rounded to that, where the
 * text was not. */
static bool same_float(double one, double other) {
  const float a = (float)one, b = (float)other;
  uint32_t a_bits, b_bits;
  memcpy(&a_bits, &a, sizeof a);
  memcpy(&b_bits, &b, sizeof b);
  return a == b || ((double)a / 2 + (double)b / 2 == one && (a_bits + 1 == b_bits || b_bits + 1 == a_bits));
}

/* The text of a 64-bit field, which stands as a string in our line, for an integer or a string that was given. */
static bool same_integer_64(const json_t *given, const char *written, bool is_signed, bool rounded) {
  char *end;
  const uint64_t value = is_signed ? (uint64_t)strtoll(written, &end, 10) : strtoull(written, &end, 10);
  const double as_double = is_signed ? (double)(int64_t)value : (double)value;
  FUZZ_CHECK(*end == '\0');
  if (json_is_string(given)) {
    const char *const text = json_string_value(given);
    return (is_signed ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10)) == value && *end == '\0';
  }
  if (json_is_integer(given) && (uint64_t)json_integer_value(given) == value)
    return true;
  /* A double is all that is known of a number with a point or an exponent. */
  return json_is_number(given) && (json_is_real(given) || rounded) && json_number_value(given) == as_double;
}

static bool same_number(const struct sbp_field *field, const json_t *given, const json_t *written, unsigned notes) {
  if (field->type == SBP_U64 || field->type == SBP_S64)
    return json_is_string(written) &&
           same_integer_64(given, json_string_value(written), field->type == SBP_S64, (notes & SBP_NOTE_ROUNDED) != 0);
  if (field->type < SBP_FLOAT)
    return json_is_number(given) && json_is_integer(written) && json_number_value(given) == json_number_value(written);
  if (json_is_null(written))
    return json_is_null(given) || json_is_string(given);
  if (!json_is_number(given) || !json_is_number(written))
    return false;
  const double one = json_number_value(given), other = json_number_value(written);
  if (one == 0 && json_is_real(given)) /* the sign of an integer 0 is lost here */
    return memcmp(&one, &other, sizeof one) == 0;
  return field->type == SBP_FLOAT ? same_float(one, other) : one == other;
}

/* A fixed string is filled up with NUL. */
static bool same_string(const struct sbp_field *field, const json_t *given, const json_t *written) {
  const size_t length = json_string_length(given), written_length = json_string_length(written);
  if (!json_is_string(given) || !json_is_string(written) || written_length < length ||
      memcmp(json_string_value(given), json_string_value(written), length) != 0)
    return false;
  for (size_t i = length; i < written_length; i++)
    if (json_string_value(written)[i] != '\0' || field->encoding != SBP_FIXED)
      return false;
  return true;
}

/* Whether a string is its first NUL's end. */
static bool is_terminated(const json_t *string) {
  const size_t length = json_string_length(string);
  return length > 0 && strlen(json_string_value(string)) == length - 1;
}

/* Whether the fields of `given` are in our line's object as they were given. */
static bool same_fields(const struct sbp_struct *body, const json_t *given, const json_t *written, unsigned notes);

static bool same_element(const struct sbp_field *field, const json_t *given, const json_t *written, unsigned notes) {
  if (field->type == SBP_STRUCT)
    return json_is_object(given) && json_is_object(written) && same_fields(field->element, given, written, notes);
  return field->type == SBP_STRING ? same_string(field, given, written) : same_number(field, given, written, notes);
}

static bool same_array(const struct sbp_field *field, const json_t *given, const json_t *written, unsigned notes) {
  if (!json_is_array(given) || !json_is_array(written) || json_array_size(given) != json_array_size(written))
    return false;
  for (size_t i = 0; i < json_array_size(given); i++)
    if (!same_element(field, json_array_get(given, i), json_array_get(written, i), notes))
      return false;
  return true;
}

static bool same_fields(const struct sbp_struct *body, const json_t *given, const json_t *written, unsigned notes) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    const json_t *const one = json_object_get(given, field->name), *const other = json_object_get(written, field->name);
    if (other == NULL)
      return false;
    if (field->encoding == SBP_NULL_TERMINATED && i + 1u < body->field_count &&
        (!is_terminated(other) || (one != NULL && !is_terminated(one))))
      return true; /* such a string takes what follows, up to a NUL, where it is read again */
    if (one != NULL &&
        !(field->repeat == SBP_ONE ? same_element(field, one, other, notes) : same_array(field, one, other, notes)))
      return false;
  }
  return true;
}

/* ---- The frame's line ---- */

static size_t write_line(const struct sbp_line_options *options, const uint8_t *bytes, char **text) {
  struct sbp_scanner scanner = {.cpu = options->cpu};
  struct sbp_frame frame;
  size_t used;
  FUZZ_CHECK(sbp_scan(&scanner, bytes, bytes[5] + (size_t)SBP_FRAME_OVERHEAD, true, &frame, &used) == SBP_OK);
  *text = malloc(sbp_line_max(options) + 1);
  FUZZ_CHECK(*text != NULL);
  char *const end = sbp_line_write(options, sbp_message_by_id(options->schema, frame.type), &frame, *text);
  *end = '\0';
  return (size_t)(end - *text);
}

static enum sbp_status read_fields(const char *text, size_t size, uint8_t *frame, struct sbp_line *line) {
  struct sbp_reader reader = {.schema = &sbp_schema_builtin, .cpu = sbp_cpu_best(), .from_fields = true};
  size_t used;
  return sbp_read_line(&reader, text, size, true, frame, line, &used);
}

/* Our line without its payload: what its fields say is all there is, and is what they give. */
static void check_fields_alone(const struct sbp_line_options *options, const uint8_t *bytes, const json_t *written) {
  struct sbp_line_options alone = *options;
  alone.no_payload = true;
  char *text, *again;
  uint8_t made[SBP_FRAME_MAX];
  struct sbp_line line;
  const size_t size = write_line(&alone, bytes, &text);
  const enum sbp_status status = read_fields(text, size, made, &line);
  if (status != SBP_OK) {
    /* What is not UTF-8 prints as U+FFFD, which is longer. */
    FUZZ_CHECK(status == SBP_ERROR_STRING || status == SBP_ERROR_PAYLOAD);
    FUZZ_CHECK(strstr(text, "\xef\xbf\xbd") != NULL);
  } else {
    const size_t second = write_line(options, made, &again);
    json_t *const object = parse(again, second);
    const char *key;
    json_t *value;
    FUZZ_CHECK(object != NULL && json_object_size(object) == json_object_size(written));
    json_object_foreach((json_t *)written, key, value) {
      if (strcmp(key, "crc") != 0 && strcmp(key, "length") != 0 && strcmp(key, "payload") != 0)
        FUZZ_CHECK(json_equal(value, json_object_get(object, key)));
    }
    json_decref(object);
    free(again);
  }
  free(text);
}

static void check_frame(const uint8_t *bytes, const struct sbp_line *given, const struct sbp_message *message) {
  const struct sbp_line_options options = {
      .schema = &sbp_schema_builtin, .cpu = sbp_cpu_best(), .u64_strings = true, .walk = bytes[7] % 2 != 0};
  const size_t payload_size = bytes[5];
  char *text;
  const size_t size = write_line(&options, bytes, &text);
  json_t *const written = parse(text, size);
  FUZZ_CHECK(written != NULL);

  uint8_t again[SBP_FRAME_MAX];
  struct sbp_line line;
  FUZZ_CHECK(read_fields(text, size, again, &line) == SBP_OK);
  FUZZ_CHECK(line.frame_size == payload_size + SBP_FRAME_OVERHEAD && memcmp(again, bytes, line.frame_size) == 0);

  if (message != NULL && payload_size >= message->body.size) {
    json_t *const object = parse(given->object.text, given->object.length);
    if (object != NULL && !same_fields(&message->body, object, written, given->notes)) {
      fprintf(stderr, "given:   %.*s\nwritten: %.*s", (int)given->object.length, given->object.text, (int)size, text);
      abort();
    }
    json_decref(object);
    check_fields_alone(&options, bytes, written);
  }
  json_decref(written);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 1 << 14)
    return 0;
  char *const text = fuzz_copy(data, size);
  struct sbp_reader reader = {.schema = &sbp_schema_builtin, .cpu = sbp_cpu_best(), .from_fields = true};
  uint8_t frame[SBP_FRAME_MAX];
  for (size_t at = 0;;) {
    struct sbp_line line;
    size_t used;
    const enum sbp_status status = sbp_read_line(&reader, text + at, size - at, true, frame, &line, &used);
    at += used;
    if (status == SBP_END || status == SBP_ERROR_UTF16)
      break;
    if (status == SBP_OK && (frame[1] != 0 || frame[2] != 0))
      check_frame(frame, &line, line.message);
  }
  free(text);
  return 0;
}
