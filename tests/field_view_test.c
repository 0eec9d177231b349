/* SPDX-License-Identifier: MIT */
/* Fields at run time, in order and by name, against the lines in test_data, which the model in model.py made. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sbpkit/sbp.h"

static struct sbp_span slice(const char *from, const char *to) {
  return (struct sbp_span){from, (size_t)(to - from)};
}

/* ---- JSON of the model ------------------------------------------------------------------------------------------ */

/* Behind the value at p, which is valid and compact. */
static const char *value_end(const char *p) {
  unsigned depth = 0;
  do {
    if (*p == '"') {
      while (*++p != '"')
        p += *p == '\\';
      p++;
    } else if (*p == '{' || *p == '[') {
      depth++;
      p++;
    } else if (*p == '}' || *p == ']') {
      depth--;
      p++;
    } else {
      p += strcspn(p, "\"{}[],");
      p += depth > 0 && *p == ',';
    }
    if (depth > 0 && *p == ',')
      p++;
  } while (depth > 0);
  return p;
}

/* ---- Comparing -------------------------------------------------------------------------------------------------- */

struct walk {
  const struct sbp_message *message;
  const struct sbp_frame *frame;
  unsigned fields; /* compared */
};

static void check_number(const struct sbp_field_view *view, size_t element, struct sbp_span json) {
  char text[64];
  assert_true(json.length < sizeof text);
  memcpy(text, json.text, json.length);
  text[json.length] = '\0';
  const double real = sbp_field_double(view, element);
  if (strcmp(text, "null") == 0) {
    assert_true(view->field->type >= SBP_FLOAT && !isfinite(real));
  } else if (view->field->type == SBP_FLOAT) {
    assert_true((float)real == strtof(text, NULL));
    assert_int_equal(signbit(real) != 0, text[0] == '-');
  } else if (view->field->type == SBP_DOUBLE) {
    assert_true(real == strtod(text, NULL));
    assert_int_equal(signbit(real) != 0, text[0] == '-');
  } else if (view->field->type >= SBP_S8) {
    assert_true(sbp_field_signed(view, element) == strtoll(text, NULL, 10));
    assert_true(real == (double)strtoll(text, NULL, 10));
  } else {
    assert_true(sbp_field_unsigned(view, element) == strtoull(text, NULL, 10));
    assert_true(real == (double)strtoull(text, NULL, 10));
  }
}

static void check_string(const struct sbp_field_view *view, struct sbp_span json) {
  char *const text = malloc(json.length);
  assert_non_null(text);
  const ptrdiff_t length = sbp_unescape(json.text + 1, json.length - 2, text);
  assert_true(length >= 0);
  /* U+FFFD stands for bytes that are no UTF-8. */
  bool replaced = false;
  for (ptrdiff_t i = 0; i + 3 <= length; i++)
    replaced |= memcmp(text + i, "\xef\xbf\xbd", 3) == 0;
  if (!replaced) {
    assert_int_equal(view->size, length);
    assert_memory_equal(view->bytes, text, (size_t)length);
  }
  free(text);
}

static void check_struct(struct walk *walk, struct sbp_fields fields, struct sbp_span *members, const char *path);

static void check_element(struct walk *walk, const struct sbp_field_view *view, size_t element, struct sbp_span json,
                          const char *path) {
  walk->fields++;
  if (view->field->type == SBP_STRING) {
    check_string(view, json);
  } else if (view->field->type == SBP_STRUCT) {
    check_struct(walk, sbp_fields_in(view, element), &json, path);
    struct sbp_span key;
    struct sbp_span value;
    assert_false(sbp_member_next(&json, &key, &value));
  } else {
    check_number(view, element, json);
  }
}

/* The field's JSON text is the one of the line, and by its name it is the same field. */
static void check_named(struct walk *walk, const struct sbp_field_view *view, struct sbp_span json, const char *path) {
  static const struct sbp_line_options options = {.schema = &sbp_schema_builtin};
  static char text[1 << 16];
  struct sbp_field_view named;
  assert_true(sbp_line_max(&options) <= sizeof text);
  assert_true(sbp_field_find(walk->message, walk->frame, path, strlen(path), &named));
  assert_ptr_equal(named.field, view->field);
  assert_ptr_equal(named.bytes, view->bytes);
  assert_int_equal(named.size, view->size);
  assert_int_equal(named.count, view->count);
  assert_int_equal(named.is_array, view->is_array);
  assert_int_equal(sbp_field_write(&options, &named, text) - text, json.length);
  assert_memory_equal(text, json.text, json.length);
}

static void check_field(struct walk *walk, const struct sbp_field_view *view, struct sbp_span json, const char *path) {
  check_named(walk, view, json, path);
  if (!view->is_array) {
    assert_int_equal(view->count, 1);
    check_element(walk, view, 0, json, path);
    return;
  }
  const char *p = json.text + 1;
  for (size_t i = 0; i < view->count; i++) {
    char element_path[200];
    const char *const end = value_end(p);
    const struct sbp_field_view element = {view->field, view->bytes + i * view->field->size, view->field->size, 1,
                                           false};
    assert_true(snprintf(element_path, sizeof element_path, "%s[%u]", path, (unsigned)i) < 200);
    check_element(walk, view, i, slice(p, end), element_path);
    check_named(walk, &element, slice(p, end), element_path);
    p = end + (*end == ',');
  }
  assert_int_equal(*p, ']');
  assert_ptr_equal(p + 1, json.text + json.length);
}

/* Each field, in order, is the next member. */
static void check_struct(struct walk *walk, struct sbp_fields fields, struct sbp_span *members, const char *path) {
  struct sbp_field_view view;
  while (sbp_fields_next(&fields, &view)) {
    struct sbp_span key;
    struct sbp_span value;
    char inner[200];
    assert_true(sbp_member_next(members, &key, &value));
    assert_int_equal(key.length, view.field->name_length);
    assert_memory_equal(key.text, view.field->name, key.length);
    assert_true(snprintf(inner, sizeof inner, "%s%s%s", path, path[0] == '\0' ? "" : ".", view.field->name) < 200);
    check_field(walk, &view, value, inner);
  }
}

static char *read_file(const char *name, const char *extension, size_t *size) {
  char path[100];
  snprintf(path, sizeof path, "test_data/%s.%s", name, extension);
  FILE *const file = fopen(path, "rb");
  if (file == NULL)
    fail_msg("%s cannot be read", path);
  char *const data = malloc(1 << 20);
  assert_non_null(data);
  *size = fread(data, 1, (1 << 20) - 1, file);
  assert_true(*size < (1 << 20) - 1);
  data[*size] = '\0';
  fclose(file);
  return data;
}

static unsigned check_log(const char *name) {
  size_t size;
  size_t lines_size;
  char *const data = read_file(name, "sbp", &size);
  char *const lines = read_file(name, "json", &lines_size);
  const char *line = lines;
  struct sbp_scanner scanner = {0};
  struct sbp_frame frame;
  size_t at = 0;
  size_t used;
  unsigned fields = 0;
  while (sbp_scan(&scanner, (uint8_t *)data + at, size - at, true, &frame, &used) == SBP_OK) {
    const char *const end = strchr(line, '\n');
    struct sbp_span rest = slice(line, end);
    struct walk walk = {sbp_message_by_id(&sbp_schema_builtin, frame.type), &frame, 0};
    struct sbp_span key;
    struct sbp_span value;
    /* The envelope ends with the sender; the fields follow. */
    do
      assert_true(sbp_member_next(&rest, &key, &value));
    while (key.length != 6 || memcmp(key.text, "sender", 6) != 0);
    check_struct(&walk, sbp_fields_of(walk.message, &frame), &rest, "");
    assert_false(sbp_member_next(&rest, &key, &value));
    fields += walk.fields;
    line = end + 1;
    at += used;
  }
  assert_int_equal(*line, '\0');
  free(data);
  free(lines);
  return fields;
}

static void the_fields_of_every_message_are_those_of_the_model(void **state) {
  static const char *const logs[] = {"every_message", "shortest_and_longest", "short_surplus_unknown", "strings",
                                     "floats",        "receiver_10hz"};
  (void)state;
  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
    assert_true(check_log(logs[i]) > 0);
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* MSG_OBS with two observations. */
static struct sbp_frame observations(uint8_t *bytes) {
  uint8_t payload[11 + 2 * 17];
  struct sbp_scanner scanner = {0};
  struct sbp_frame frame;
  size_t used;
  for (size_t i = 0; i < sizeof payload; i++)
    payload[i] = (uint8_t)(i + 1);
  const size_t size = sbp_frame_pack(SBP_CPU_PORTABLE, 74, 1, payload, sizeof payload, bytes);
  assert_int_equal(sbp_scan(&scanner, bytes, size, true, &frame, &used), SBP_OK);
  return frame;
}

static void a_name_goes_into_structs_and_arrays(void **state) {
  uint8_t bytes[SBP_FRAME_MAX];
  const struct sbp_frame frame = observations(bytes);
  const struct sbp_message *const message = sbp_message_by_id(&sbp_schema_builtin, 74);
  struct sbp_field_view view;
  (void)state;
  assert_true(sbp_field_find(message, &frame, "header.t.tow", 12, &view));
  assert_ptr_equal(view.bytes, frame.payload);
  assert_int_equal(sbp_field_unsigned(&view, 0), 0x04030201);
  assert_string_equal(view.field->units, "ms");
  assert_true(sbp_field_find(message, &frame, "obs", 3, &view));
  assert_true(view.is_array);
  assert_int_equal(view.count, 2);
  assert_int_equal(view.size, 34);
  assert_true(sbp_field_find(message, &frame, "obs[1]", 6, &view));
  assert_false(view.is_array);
  assert_ptr_equal(view.bytes, frame.payload + 11 + 17);
  /* P is the first of an observation; of L.i and L.f the latter is 8 bytes in. */
  assert_true(sbp_field_find(message, &frame, "obs[1].L.f and more", 10, &view));
  assert_ptr_equal(view.bytes, frame.payload + 11 + 17 + 8);
  assert_int_equal(sbp_field_unsigned(&view, 0), 11 + 17 + 9);
}

static void what_is_no_field_is_not_found(void **state) {
  static const char *const names[] = {"",
                                      "tow",
                                      "header.",
                                      ".header",
                                      "header..t",
                                      "header.t.tow.",
                                      "header[0]",
                                      "obs.P",
                                      "obs[2]",
                                      "obs[2].P",
                                      "obs[]",
                                      "obs[",
                                      "obs[1",
                                      "obs[1]P",
                                      "obs[1].",
                                      "obs[-1]",
                                      "obs[ 1]",
                                      "obs[1][0]",
                                      "obs[0].P.x",
                                      "HEADER",
                                      "obs[18446744073709551616]",
                                      "obs[4294967296]",
                                      "header.t.to",
                                      "header.t.tows"};
  uint8_t bytes[SBP_FRAME_MAX];
  struct sbp_frame frame = observations(bytes);
  const struct sbp_message *const message = sbp_message_by_id(&sbp_schema_builtin, 74);
  struct sbp_field_view view;
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (sbp_field_find(message, &frame, names[i], strlen(names[i]), &view))
      fail_msg("found: %s", names[i]);
  }
  assert_false(sbp_field_find(NULL, &frame, "header", 6, &view));
  frame.length = 10; /* under the least of MSG_OBS */
  assert_false(sbp_field_find(message, &frame, "header", 6, &view));
  struct sbp_fields fields = sbp_fields_of(message, &frame);
  assert_false(sbp_fields_next(&fields, &view));
}

/* ---- Bit fields ------------------------------------------------------------------------------------------------- */

static void bit_fields_have_values_and_names(void **state) {
  static const struct sbp_value values[] = {{0, "none"}, {5, "five"}};
  static const struct sbp_bits low = {"Low", values, 2, 0, 2};
  static const struct sbp_bits high = {"High", NULL, 0, 60, 63};
  static const struct sbp_bits all = {"All", NULL, 0, 0, 63};
  static const struct sbp_bits most = {"Most", NULL, 0, 0, 62};
  const uint64_t number = UINT64_C(0xa00000000000000d);
  (void)state;
  assert_true(sbp_bits_value(&low, number) == 5);
  assert_string_equal(sbp_bits_name(&low, 5), "five");
  assert_string_equal(sbp_bits_name(&low, 0), "none");
  assert_null(sbp_bits_name(&low, 1));
  assert_true(sbp_bits_value(&high, number) == 10);
  assert_null(sbp_bits_name(&high, 10));
  assert_true(sbp_bits_value(&all, number) == number);
  assert_true(sbp_bits_value(&most, number) == (number & INT64_MAX));
}

static void numbers_of_every_kind_at_their_limits(void **state) {
  static const uint8_t bytes[] = {0x80, 0xff, 0x7f, 0x00, 0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  struct sbp_field field = {.type = SBP_S8, .size = 1};
  const struct sbp_field_view view = {&field, bytes, sizeof bytes, sizeof bytes, true};
  (void)state;
  assert_int_equal(sbp_field_signed(&view, 0), -128);
  assert_int_equal(sbp_field_signed(&view, 1), -1);
  assert_int_equal(sbp_field_signed(&view, 2), 127);
  assert_true(sbp_field_double(&view, 0) == -128.0);
  field.type = SBP_U8;
  assert_int_equal(sbp_field_unsigned(&view, 0), 128);
  assert_true(sbp_field_double(&view, 0) == 128.0);
  field = (struct sbp_field){.type = SBP_S64, .size = 8};
  const struct sbp_field_view last = {&field, bytes + 5, 8, 1, false};
  assert_true(sbp_field_signed(&last, 0) == -1);
  assert_true(sbp_field_double(&last, 0) == -1.0);
  field.type = SBP_U64;
  assert_true(sbp_field_unsigned(&last, 0) == UINT64_MAX);
  assert_true(sbp_field_double(&last, 0) == 18446744073709551616.0);
  field.type = SBP_DOUBLE;
  assert_true(isnan(sbp_field_double(&last, 0)));
  field = (struct sbp_field){.type = SBP_S16, .size = 2};
  const struct sbp_field_view two = {&field, bytes + 3, 4, 2, true};
  assert_int_equal(sbp_field_signed(&two, 0), -32768);
  assert_int_equal(sbp_field_signed(&two, 1), -1);
  field = (struct sbp_field){.type = SBP_S32, .size = 4};
  const struct sbp_field_view four = {&field, bytes + 1, 4, 1, false};
  assert_int_equal(sbp_field_signed(&four, 0), -2147450881);
}

static void what_is_no_number_or_not_there_is_zero(void **state) {
  static const uint8_t bytes[] = {1, 2, 3, 4};
  struct sbp_field field = {.type = SBP_U16, .size = 2, .repeat = SBP_VARIABLE_ARRAY};
  const struct sbp_field_view view = {&field, bytes, sizeof bytes, 2, true};
  struct sbp_field_view member;
  (void)state;
  assert_int_equal(sbp_field_unsigned(&view, 1), 0x0403);
  assert_int_equal(sbp_field_unsigned(&view, 2), 0);
  assert_int_equal(sbp_field_signed(&view, SIZE_MAX), 0);
  assert_true(sbp_field_double(&view, 2) == 0.0);
  struct sbp_fields fields = sbp_fields_in(&view, 0);
  assert_false(sbp_fields_next(&fields, &member));
  for (int size = 0; size <= UINT8_MAX; size += UINT8_MAX) {
    field = (struct sbp_field){.type = SBP_STRING, .size = (uint8_t)size};
    assert_int_equal(sbp_field_unsigned(&view, 0), 0);
    assert_int_equal(sbp_field_signed(&view, 0), 0);
    assert_true(sbp_field_double(&view, 0) == 0.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_fields_of_every_message_are_those_of_the_model),
      cmocka_unit_test(a_name_goes_into_structs_and_arrays),
      cmocka_unit_test(what_is_no_field_is_not_found),
      cmocka_unit_test(bit_fields_have_values_and_names),
      cmocka_unit_test(numbers_of_every_kind_at_their_limits),
      cmocka_unit_test(what_is_no_number_or_not_there_is_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
