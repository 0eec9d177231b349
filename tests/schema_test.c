/* SPDX-License-Identifier: MIT */
/* Schema files -> tables. Sizes, offsets and longest texts are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sbpkit/schema.h"

static void *resize(void *context, void *old, size_t old_size, size_t new_size) {
  int *const left = context;
  (void)old_size;
  if (new_size == 0) {
    free(old);
    return NULL;
  }
  if (left != NULL && (*left)-- <= 0)
    return NULL;
  return realloc(old, new_size);
}

static const struct sbp_allocator allocator = {resize, NULL};

/* What a test puts together: a set, and what came of it. */
struct fixture {
  struct sbp_arena arena;
  struct sbp_schema_set set;
  struct sbp_schema_error error;
  const struct sbp_schema *schema;
};

static int begin(void **state) {
  struct fixture *const fixture = calloc(1, sizeof(*fixture));
  fixture->arena.allocator = &allocator;
  fixture->set.arena = &fixture->arena;
  *state = fixture;
  return 0;
}

static int end(void **state) {
  struct fixture *const fixture = *state;
  sbp_arena_drop(&fixture->arena);
  free(fixture);
  return 0;
}

static enum sbp_status add(struct fixture *fixture, const char *name, const char *text) {
  return sbp_schema_add(&fixture->set, name, text, strlen(text), &fixture->error);
}

static void add_good(struct fixture *fixture, const char *name, const char *text) {
  if (add(fixture, name, text) != SBP_OK)
    fail_msg("%s", fixture->error.text);
}

static void build_good(struct fixture *fixture) {
  if (sbp_schema_build(&fixture->set, &fixture->schema, &fixture->error) != SBP_OK)
    fail_msg("%s", fixture->error.text);
}

static const struct sbp_message *message_of(const struct fixture *fixture, const char *name) {
  const struct sbp_message *const message = sbp_message_by_name(fixture->schema, name, strlen(name));
  if (message == NULL)
    fail_msg("%s is missing", name);
  return message;
}

/* A file of one message with these fields, over a struct Pair of a u8 and a u16. */
static const char *file_of(const char *fields) {
  static char text[24000];
  snprintf(text, sizeof(text),
           "{\"package\":\"test\",\"structs\":[\n"
           "{\"name\":\"Pair\",\"fields\":[{\"name\":\"a\",\"type\":\"u8\"},{\"name\":\"b\",\"type\":\"u16\"}]}],\n"
           "\"messages\":[{\"id\":7,\"name\":\"MSG_T\",\"fields\":[\n%s]}]}",
           fields);
  return text;
}

static void build_message(struct fixture *fixture, const char *fields) {
  add_good(fixture, "protocol.json", "{\"protocol\":\"SBP\",\"version\":\"1.2.3\"}");
  add_good(fixture, "t.json", file_of(fields));
  build_good(fixture);
}

/* One file, alone, has this fault. */
static void check_fault(const char *text, const char *fault) {
  void *state;
  begin(&state);
  struct fixture *const fixture = state;
  add_good(fixture, "protocol.json", "{\"protocol\":\"SBP\",\"version\":\"1.2.3\"}");
  enum sbp_status status = add(fixture, "t.json", text);
  if (status == SBP_OK)
    status = sbp_schema_build(&fixture->set, &fixture->schema, &fixture->error);
  if (status == SBP_OK)
    fail_msg("no fault, but wanted: %s", fault);
  assert_string_equal(fixture->error.text, fault);
  assert_int_equal(status, SBP_ERROR_SYNTAX);
  end(&state);
}

static void check_field_fault(const char *fields, const char *fault) {
  check_fault(file_of(fields), fault);
}

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

static void lays_out_numbers_structs_arrays_and_strings(void **state) {
  static const struct {
    const char *name;
    int type, repeat, encoding, size, count, offset, count_field;
  } want[] = {
      {"n", SBP_U8, SBP_ONE, SBP_FIXED, 1, 1, 0, 255},
      {"pair", SBP_STRUCT, SBP_ONE, SBP_FIXED, 3, 1, 1, 255},
      {"pairs", SBP_STRUCT, SBP_FIXED_ARRAY, SBP_FIXED, 3, 2, 4, 255},
      {"word", SBP_STRING, SBP_ONE, SBP_FIXED, 20, 1, 10, 255},
      {"d", SBP_DOUBLE, SBP_ONE, SBP_FIXED, 8, 1, 30, 255},
      {"rest", SBP_S16, SBP_VARIABLE_ARRAY, SBP_FIXED, 2, 0, 38, 0},
  };
  build_message(*state, "{\"name\":\"n\",\"type\":\"u8\"},{\"name\":\"pair\",\"type\":\"Pair\"},"
                        "{\"name\":\"pairs\",\"type\":\"Pair[2]\"},{\"name\":\"word\",\"type\":\"string[20]\"},"
                        "{\"name\":\"d\",\"type\":\"double\",\"units\":\"m/s\",\"description\":\"Speed\"},"
                        "{\"name\":\"rest\",\"type\":\"s16[]\",\"count_field\":\"n\"}");
  const struct sbp_struct *const body = &message_of(*state, "MSG_T")->body;
  assert_string_equal(body->package, "test");
  assert_int_equal(body->size, 38);
  assert_int_equal(body->field_count, sizeof(want) / sizeof(want[0]));
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    assert_string_equal(field->name, want[i].name);
    assert_int_equal(field->name_length, strlen(want[i].name));
    assert_int_equal(field->type, want[i].type);
    assert_int_equal(field->repeat, want[i].repeat);
    assert_int_equal(field->encoding, want[i].encoding);
    assert_int_equal(field->size, want[i].size);
    assert_int_equal(field->count, want[i].count);
    assert_int_equal(field->offset, want[i].offset);
    assert_int_equal(field->count_field, want[i].count_field);
  }
  assert_string_equal(body->fields[1].element->name, "Pair");
  assert_int_equal(body->fields[1].element->size, 3);
  assert_ptr_equal(body->fields[1].element, body->fields[2].element);
  assert_string_equal(body->fields[4].units, "m/s");
  assert_string_equal(body->fields[4].description, "Speed");
  assert_null(body->fields[0].units);
}

static void gives_each_string_encoding_its_least_size(void **state) {
  static const struct {
    const char *name;
    int encoding, size;
  } want[] = {{"unterminated", SBP_UNTERMINATED, 0},
              {"null_terminated", SBP_NULL_TERMINATED, 1},
              {"multipart", SBP_MULTIPART, 0},
              {"double_null_terminated", SBP_DOUBLE_NULL_TERMINATED, 2}};
  (void)state;
  for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
    char field[100];
    void *one;
    begin(&one);
    snprintf(field, sizeof(field), "{\"name\":\"s\",\"type\":\"string\",\"encoding\":\"%s\"}", want[i].name);
    build_message(one, field);
    const struct sbp_message *const message = message_of(one, "MSG_T");
    assert_int_equal(message->body.fields[0].encoding, want[i].encoding);
    assert_int_equal(message->body.fields[0].size, want[i].size);
    assert_int_equal(message->body.fields[0].count, 1);
    assert_int_equal(message->body.size, want[i].size);
    end(&one);
  }
}

static void keeps_bit_fields_and_sorts_their_values(void **state) {
  build_message(*state,
                "{\"name\":\"f\",\"type\":\"u64\",\"bits\":["
                "{\"bits\":\"0-2\",\"name\":\"mode\",\"values\":{\"7\":\"seven\",\"0\":\"none\",\"2\":\"two\"}},"
                "{\"bits\":\"3\",\"name\":\"one\"},"
                "{\"bits\":\"4-63\",\"name\":\"high\",\"values\":{\"1152921504606846975\":\"all\"}}]}");
  const struct sbp_field *const field = &message_of(*state, "MSG_T")->body.fields[0];
  assert_int_equal(field->bits_count, 3);
  assert_string_equal(field->bits[0].name, "mode");
  assert_int_equal(field->bits[0].first, 0);
  assert_int_equal(field->bits[0].last, 2);
  assert_int_equal(field->bits[0].value_count, 3);
  assert_int_equal(field->bits[0].values[0].value, 0);
  assert_string_equal(field->bits[0].values[0].name, "none");
  assert_int_equal(field->bits[0].values[1].value, 2);
  assert_int_equal(field->bits[0].values[2].value, 7);
  assert_int_equal(field->bits[1].first, 3);
  assert_int_equal(field->bits[1].last, 3);
  assert_int_equal(field->bits[1].value_count, 0);
  assert_int_equal(field->bits[2].last, 63);
  assert_true(field->bits[2].values[0].value == UINT64_MAX >> 4);
}

static void finds_every_message_by_id_and_by_name(void **state) {
  struct fixture *const fixture = *state;
  add_good(fixture, "p.json", "{\"protocol\":\"SBP\",\"version\":\"9.8.7\"}");
  add_good(fixture, "a.json",
           "{\"package\":\"a\",\"messages\":[{\"id\":65535,\"name\":\"MSG_LAST\",\"fields\":[]},"
           "{\"id\":1,\"name\":\"MSG_FIRST\",\"fields\":[],\"replaced_by\":[\"MSG_LAST\",\"MSG_MIDDLE\"]}]}");
  add_good(fixture, "b.json", "{\"package\":\"b\",\"messages\":[{\"id\":256,\"name\":\"MSG_MIDDLE\",\"fields\":[]}]}");
  build_good(fixture);
  const struct sbp_schema *const schema = fixture->schema;
  assert_string_equal(schema->version, "9.8.7");
  assert_int_equal(schema->count, 3);
  unsigned found = 0;
  for (unsigned id = 0; id <= UINT16_MAX; id++) {
    const struct sbp_message *const message = sbp_message_by_id(schema, (uint16_t)id);
    if (message == NULL)
      continue;
    assert_int_equal(message->id, id);
    assert_ptr_equal(schema->messages[found], message);
    assert_ptr_equal(message_of(fixture, message->body.name), message);
    found++;
  }
  assert_int_equal(found, 3);
  assert_int_equal(message_of(fixture, "MSG_FIRST")->replaced_by_count, 2);
  assert_string_equal(message_of(fixture, "MSG_FIRST")->replaced_by[1], "MSG_MIDDLE");
  assert_null(message_of(fixture, "MSG_FIRST")->write_fields);
}

static void finds_messages_whose_ids_have_every_high_byte(void **state) {
  struct fixture *const fixture = *state;
  static char text[40000];
  size_t length = (size_t)snprintf(text, sizeof(text), "{\"package\":\"all\",\"messages\":[");
  for (unsigned high = 0; high < 256; high++)
    length += (size_t)snprintf(text + length, sizeof(text) - length, "%s{\"id\":%u,\"name\":\"MSG_%u\",\"fields\":[]}",
                               high == 0 ? "" : ",", high * 256 + 5, high);
  snprintf(text + length, sizeof(text) - length, "]}");
  add_good(fixture, "p.json", "{\"protocol\":\"SBP\",\"version\":\"1.0.0\"}");
  add_good(fixture, "all.json", text);
  build_good(fixture);
  for (unsigned id = 0; id <= UINT16_MAX; id++) {
    const struct sbp_message *const message = sbp_message_by_id(fixture->schema, (uint16_t)id);
    assert_true(id % 256 == 5 ? message != NULL && message->id == id : message == NULL);
  }
}

static void knows_the_longest_text_of_a_message(void **state) {
  static const struct {
    const char *fields;
    unsigned most;
  } cases[] = {
      {"", 0},
      /* ,"x":-128 */
      {"{\"name\":\"x\",\"type\":\"s8\"}", 9},
      {"{\"name\":\"x\",\"type\":\"u8\"}", 8},
      {"{\"name\":\"x\",\"type\":\"u16\"}", 10},
      {"{\"name\":\"x\",\"type\":\"s16\"}", 11},
      {"{\"name\":\"x\",\"type\":\"u32\"}", 15},
      {"{\"name\":\"x\",\"type\":\"s32\"}", 16},
      {"{\"name\":\"x\",\"type\":\"u64\"}", 25},
      {"{\"name\":\"x\",\"type\":\"s64\"}", 25},
      {"{\"name\":\"x\",\"type\":\"float\"}", 21},
      {"{\"name\":\"x\",\"type\":\"double\"}", 29},
      /* ,"x":{"a":255,"b":65535} */
      {"{\"name\":\"x\",\"type\":\"Pair\"}", 24},
      /* ,"x":[255,255,255] */
      {"{\"name\":\"x\",\"type\":\"u8[3]\"}", 18},
      /* ,"x":"\u0001\u0001" */
      {"{\"name\":\"x\",\"type\":\"string[2]\"}", 19},
      /* 255 times, and 255 bytes */
      {"{\"name\":\"x\",\"type\":\"u8[]\"}", 5 + 2 + 255 * 4 - 1},
      {"{\"name\":\"x\",\"type\":\"string\",\"encoding\":\"multipart\"}", 5 + 2 + 255 * 6},
      {"{\"name\":\"x\",\"type\":\"string\",\"encoding\":\"double_null_terminated\"}", 5 + 2 + 255 * 6},
      /* 85 elements {"a":255,"b":65535} and a comma behind all but the last */
      {"{\"name\":\"x\",\"type\":\"Pair[]\"}", 5 + 2 + 85 * 20 - 1},
      /* One byte less leaves room for 84. */
      {"{\"name\":\"c\",\"type\":\"u8\"},{\"name\":\"x\",\"type\":\"Pair[]\"}", 8 + 5 + 2 + 84 * 20 - 1},
      /* The string takes all, since a byte of it gives more than one of the array. */
      {"{\"name\":\"s\",\"type\":\"string\",\"encoding\":\"null_terminated\"},{\"name\":\"x\",\"type\":\"u8[]\"}",
       7 + 255 * 6 + 7},
      /* The array takes 252 of 255 bytes, since three bytes of it give more than three of the string, which keeps the
       * last three. */
      {"{\"name\":\"s\",\"type\":\"string\",\"encoding\":\"null_terminated\"},{\"name\":\"x\",\"type\":\"Pair[]\"}",
       7 + 3 * 6 + 7 + 84 * 20 - 1},
  };
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    void *one;
    begin(&one);
    build_message(one, cases[i].fields);
    const struct fixture *const fixture = one;
    assert_int_equal(message_of(fixture, "MSG_T")->fields_max, cases[i].most);
    assert_int_equal(fixture->schema->fields_max, cases[i].most);
    end(&one);
  }
}

static void copies_what_it_keeps_of_the_text(void **state) {
  struct fixture *const fixture = *state;
  char text[] = "{\"package\":\"t\",\"messages\":[{\"id\":9,\"name\":\"MSG_KEPT\",\"fields\":[]}]}";
  char name[] = "name.json";
  add_good(fixture, "p.json", "{\"protocol\":\"SBP\",\"version\":\"1.0.0\"}");
  add_good(fixture, name, text);
  memset(text, 'x', sizeof(text));
  memset(name, 'x', sizeof(name));
  build_good(fixture);
  assert_int_equal(message_of(fixture, "MSG_KEPT")->id, 9);
}

/* ---- A base ----------------------------------------------------------------------------------------------------- */

static void adds_messages_to_a_base_whose_structs_they_may_use(void **state) {
  struct fixture *const fixture = *state;
  fixture->set.base = &sbp_schema_builtin;
  add_good(fixture, "own.json",
           "{\"package\":\"own\",\"messages\":[{\"id\":40000,\"name\":\"MSG_OWN\",\"fields\":["
           "{\"name\":\"time\",\"type\":\"GPSTime\"},{\"name\":\"v\",\"type\":\"u8\"}]}]}");
  build_good(fixture);
  assert_int_equal(fixture->schema->count, sbp_schema_builtin.count + 1);
  assert_string_equal(fixture->schema->version, sbp_schema_builtin.version);
  assert_int_equal(message_of(fixture, "MSG_OWN")->body.size, 11);
  /* Messages that nothing touches are the base's own, with their writers. */
  for (uint32_t i = 0; i < sbp_schema_builtin.count; i++)
    assert_ptr_equal(sbp_message_by_id(fixture->schema, sbp_schema_builtin.messages[i]->id),
                     sbp_schema_builtin.messages[i]);
}

static void names_the_near_struct_of_a_base(void **state) {
  struct fixture *const fixture = *state;
  fixture->set.base = &sbp_schema_builtin;
  add_good(fixture, "own.json",
           "{\"package\":\"own\",\"messages\":[{\"id\":40000,\"name\":\"MSG_OWN\",\"fields\":["
           "{\"name\":\"signal\",\"type\":\"GnsSignal\"}]}]}");
  assert_int_equal(sbp_schema_build(&fixture->set, &fixture->schema, &fixture->error), SBP_ERROR_SYNTAX);
  assert_non_null(
      strstr(fixture->error.text, "MSG_OWN: field signal: unknown type \"GnsSignal\", did you mean \"GnssSignal\"?"));
}

static void a_message_replaces_those_of_the_base_with_its_id_or_its_name(void **state) {
  struct fixture *const fixture = *state;
  fixture->set.base = &sbp_schema_builtin;
  add_good(fixture, "own.json",
           "{\"package\":\"own\",\"messages\":["
           "{\"id\":65535,\"name\":\"MSG_BEAT\",\"fields\":[]},"
           "{\"id\":40000,\"name\":\"MSG_OBS\",\"fields\":[{\"name\":\"x\",\"type\":\"u8\"}]}]}");
  build_good(fixture);
  assert_int_equal(fixture->schema->count, sbp_schema_builtin.count);
  assert_null(sbp_message_by_name(fixture->schema, "MSG_HEARTBEAT", 13));
  assert_string_equal(sbp_message_by_id(fixture->schema, 65535)->body.name, "MSG_BEAT");
  assert_null(sbp_message_by_id(fixture->schema, 74));
  assert_int_equal(message_of(fixture, "MSG_OBS")->id, 40000);
}

static void a_struct_replaces_that_of_the_base_in_all_its_messages(void **state) {
  struct fixture *const fixture = *state;
  const struct sbp_message *const old = sbp_message_by_name(&sbp_schema_builtin, "MSG_OBS", 7);
  fixture->set.base = &sbp_schema_builtin;
  /* GPSTime stands in ObservationHeader, which stands in MSG_OBS; it grows from 10 bytes to 12. */
  add_good(fixture, "own.json",
           "{\"package\":\"own\",\"structs\":[{\"name\":\"GPSTime\",\"fields\":["
           "{\"name\":\"tow\",\"type\":\"u64\"},{\"name\":\"wn\",\"type\":\"u32\"}]}]}");
  build_good(fixture);
  const struct sbp_message *const now = message_of(fixture, "MSG_OBS");
  assert_int_equal(old->body.size, 11);
  assert_int_equal(now->body.size, 13);
  assert_int_equal(now->body.fields[1].offset, 13);
  assert_int_equal(now->body.fields[0].element->fields[1].offset, 12);
  assert_null(now->write_fields);
  assert_int_equal(old->body.fields[1].offset, 11);
  assert_ptr_equal(message_of(fixture, "MSG_HEARTBEAT"), sbp_message_by_id(&sbp_schema_builtin, 65535));
}

static void a_later_file_replaces_where_that_is_asked_for(void **state) {
  struct fixture *const fixture = *state;
  fixture->set.base = &sbp_schema_builtin;
  fixture->set.replace = true;
  add_good(fixture, "a.json", "{\"package\":\"a\",\"messages\":[{\"id\":40000,\"name\":\"MSG_OWN\",\"fields\":[]}]}");
  add_good(fixture, "b.json", "{\"package\":\"b\",\"messages\":[{\"id\":40001,\"name\":\"MSG_OWN\",\"fields\":[]}]}");
  build_good(fixture);
  assert_int_equal(fixture->schema->count, sbp_schema_builtin.count + 1);
  assert_null(sbp_message_by_id(fixture->schema, 40000));
  assert_string_equal(message_of(fixture, "MSG_OWN")->body.package, "b");
}

static void replacing_does_not_allow_twice_in_one_file(void **state) {
  struct fixture *const fixture = *state;
  fixture->set.replace = true;
  assert_int_equal(add(fixture, "a.json",
                       "{\"package\":\"a\",\"messages\":["
                       "{\"id\":1,\"name\":\"MSG_A\",\"fields\":[]},"
                       "{\"id\":2,\"name\":\"MSG_A\",\"fields\":[]}]}"),
                   SBP_ERROR_SYNTAX);
  assert_non_null(strstr(fixture->error.text, "MSG_A: the name stands already at a.json:1"));
}

/* A line of one message, without its envelope. */
static void check_line(const struct fixture *fixture, const char *name, const char *payload, uint8_t length,
                       const char *fields) {
  const struct sbp_line_options options = {.schema = fixture->schema};
  uint8_t bytes[SBP_FRAME_MAX];
  const struct sbp_message *const message = message_of(fixture, name);
  sbp_frame_pack(SBP_CPU_PORTABLE, message->id, 1, (const uint8_t *)payload, length, bytes);
  const struct sbp_frame frame = {.bytes = bytes, .payload = bytes + 6, .type = message->id, .length = length};
  char *const line = malloc(sbp_line_max(&options) + 1);
  *sbp_line_write(&options, message, &frame, line) = '\0';
  const char *const behind = strstr(line, "\"sender\":0,");
  if (behind == NULL)
    fail_msg("%s", line);
  assert_string_equal(behind + strlen("\"sender\":0,"), fields);
  free(line);
}

static void fields_behind_a_null_terminated_string_keep_their_bytes(void **state) {
  struct fixture *const fixture = *state;
  build_message(fixture, "{\"name\":\"s\",\"type\":\"string\",\"encoding\":\"null_terminated\"},"
                         "{\"name\":\"n\",\"type\":\"u16\"}");
  assert_int_equal(message_of(fixture, "MSG_T")->body.size, 3);
  assert_int_equal(message_of(fixture, "MSG_T")->body.fields[1].offset, 1);
  check_line(fixture, "MSG_T", "ab\0\x01\x02", 5, "\"s\":\"ab\\u0000\",\"n\":513}\n");
  /* Without a NUL, and with one only where the number must stand. */
  check_line(fixture, "MSG_T", "abc\x01\x02", 5, "\"s\":\"abc\",\"n\":513}\n");
  check_line(fixture, "MSG_T", "abc\0\x02", 5, "\"s\":\"abc\",\"n\":512}\n");
}

/* ---- Faults ----------------------------------------------------------------------------------------------------- */

static void says_where_a_file_is_not_json(void **state) {
  (void)state;
  check_fault("{\n  \"package\": x\n}", "t.json:2:14: not JSON: invalid token near 'x'");
  check_fault("{\"package\":\"a\",\n\"package\":\"b\"}",
              "t.json:2:9: not JSON: duplicate object key near '\"package\"'");
  check_fault("[]", "t.json: not an object");
  check_fault("", "t.json:1:0: not JSON: '[' or '{' expected near end of file");
}

static void names_unknown_and_missing_keys_and_wrong_kinds(void **state) {
  (void)state;
  check_fault("{\"pakage\":\"a\"}", "t.json: unknown key \"pakage\", did you mean \"package\"?");
  check_fault("{\"package\":\"a\",\"quux\":1}", "t.json: unknown key \"quux\"");
  check_fault("{\"messages\":[]}", "t.json: missing key \"package\"");
  check_fault("{\"package\":\"a\",\"messages\":{}}", "t.json: messages: not an array");
  check_fault("{\"package\":\"a\",\"messages\":[7]}", "t.json: messages[0]: not an object");
  check_fault("{\"package\":\"a\",\"messages\":[{\"id\":1,\"fields\":[]}]}",
              "t.json: messages[0]: missing key \"name\"");
  check_fault("{\"package\":\"a\",\"messages\":[{\"name\":\"MSG_A\",\"fields\":[]}]}",
              "t.json:1:36: MSG_A: missing key \"id\"");
  check_fault("{\"package\":\"a\",\"messages\":[\n {\"id\":\"1\", \"name\": \"MSG_A\",\"fields\":[]}]}",
              "t.json:2:21: MSG_A: id: not an integer");
  check_fault("{\"package\":\"a\",\"structs\":[{\"id\":1,\"name\":\"A\",\"fields\":[]}]}",
              "t.json:1:42: A: unknown key \"id\"");
  check_field_fault("{\"type\":\"u8\"}", "t.json:3:28: MSG_T: field 1: missing key \"name\"");
  check_field_fault("{\"name\":\"x\"}", "t.json:4:9: MSG_T: field x: missing key \"type\"");
  check_field_fault("{\"name\":\"x\",\"type\":\"u8\",\n \"unit\":\"m\"}",
                    "t.json:4:9: MSG_T: field x: unknown key \"unit\", did you mean \"units\"?");
  check_field_fault("{\"name\":\"x\",\"type\":\"u8\",\"units\":\"\"}", "t.json:4:9: MSG_T: field x: units: empty");
  check_field_fault("{\"name\":\"x\",\"type\":\"u8\",\"description\":\"a\\nb\"}",
                    "t.json:4:9: MSG_T: field x: description: a control character");
}

static void names_the_type_that_is_unknown_and_the_near_one(void **state) {
  (void)state;
  check_field_fault("{\"name\":\"x\",\"type\":\"duble\"}",
                    "t.json:4:9: MSG_T: field x: unknown type \"duble\", did you mean \"double\"?");
  check_field_fault("{\"name\":\"x\",\"type\":\"Piar[3]\"}",
                    "t.json:4:9: MSG_T: field x: unknown type \"Piar\", did you mean \"Pair\"?");
  check_field_fault("{\"name\":\"x\",\"type\":\"U8\"}",
                    "t.json:4:9: MSG_T: field x: unknown type \"U8\", did you mean \"u8\"?");
  check_field_fault("{\"name\":\"x\",\"type\":\"Quaternion\"}",
                    "t.json:4:9: MSG_T: field x: unknown type \"Quaternion\"");
  check_field_fault("{\"name\":\"x\",\"type\":\"u8 \"}", "t.json:4:9: MSG_T: field x: unknown type \"u8 \"");
  check_field_fault("{\"name\":\"x\",\"type\":\"u8[0]\"}",
                    "t.json:4:9: MSG_T: field x: type \"u8[0]\": not 1 to 255 in its brackets");
  check_field_fault("{\"name\":\"x\",\"type\":\"u8[256]\"}",
                    "t.json:4:9: MSG_T: field x: type \"u8[256]\": not 1 to 255 in its brackets");
  check_field_fault("{\"name\":\"x\",\"type\":\"u8[\"}",
                    "t.json:4:9: MSG_T: field x: type \"u8[\": not 1 to 255 in its brackets");
  check_field_fault("{\"name\":\"x\",\"type\":\"string\"}",
                    "t.json:4:9: MSG_T: field x: missing key \"encoding\": how does the string end?");
  check_field_fault("{\"name\":\"x\",\"type\":\"string\",\"encoding\":\"nul\"}",
                    "t.json:4:9: MSG_T: field x: encoding \"nul\": not unterminated, null_terminated, multipart or "
                    "double_null_terminated");
  check_field_fault("{\"name\":\"x\",\"type\":\"string[4]\",\"encoding\":\"multipart\"}",
                    "t.json:4:9: MSG_T: field x: encoding: only a variable string has one");
}

static void refuses_structs_in_a_cycle(void **state) {
  (void)state;
  check_fault("{\"package\":\"a\",\"structs\":[{\"name\":\"A\",\"fields\":[\n{\"name\":\"x\",\"type\":\"A\"}]}]}",
              "t.json:2:9: A: field x: a cycle: the struct A holds itself");
  check_fault("{\"package\":\"a\",\"structs\":[{\"name\":\"A\",\"fields\":[{\"name\":\"x\",\"type\":\"B\"}]},\n"
              "{\"name\":\"B\",\"fields\":[{\"name\":\"y\",\"type\":\"C\"}]},\n"
              "{\"name\":\"C\",\"fields\":[{\"name\":\"z\",\"type\":\"A[2]\"}]}]}",
              "t.json:3:31: C: field z: a cycle: the struct A holds itself");
}

static void refuses_what_stands_twice(void **state) {
  (void)state;
  check_field_fault("{\"name\":\"x\",\"type\":\"u8\"},\n{\"name\":\"x\",\"type\":\"u8\"}",
                    "t.json:5:9: MSG_T: field x: there is a field of this name already");
  check_fault("{\"package\":\"a\",\"messages\":[{\"id\":1,\"name\":\"MSG_A\",\"fields\":[]},\n"
              "{\"id\":2,\"name\":\"MSG_A\",\"fields\":[]}]}",
              "t.json:2:16: MSG_A: the name stands already at t.json:1");
  check_fault("{\"package\":\"a\",\"messages\":[{\"id\":1,\"name\":\"MSG_A\",\"fields\":[]},\n"
              "{\"id\":1,\"name\":\"MSG_B\",\"fields\":[]}]}",
              "t.json:2:16: MSG_B: id 1 is that of MSG_A already, at t.json:1");
  check_fault("{\"package\":\"a\",\"structs\":[{\"name\":\"A\",\"fields\":[{\"name\":\"x\",\"type\":\"u8\"}]},\n"
              "{\"name\":\"A\",\"fields\":[{\"name\":\"x\",\"type\":\"u8\"}]}]}",
              "t.json:2:9: A: the name stands already at t.json:1");
}

static void refuses_what_stands_in_two_files_unless_told(void **state) {
  struct fixture *const fixture = *state;
  add_good(fixture, "a.json", "{\"package\":\"a\",\"messages\":[{\"id\":1,\"name\":\"MSG_A\",\"fields\":[]}]}");
  assert_int_equal(
      add(fixture, "b.json", "{\"package\":\"b\",\"messages\":[{\"id\":1,\"name\":\"MSG_B\",\"fields\":[]}]}"),
      SBP_ERROR_SYNTAX);
  assert_string_equal(fixture->error.text, "b.json:1:43: MSG_B: id 1 is that of MSG_A already, at a.json:1");
}

static void refuses_a_variable_part_that_the_wire_cannot_tell_from_what_follows(void **state) {
  (void)state;
  check_field_fault("{\"name\":\"x\",\"type\":\"u8[]\"},{\"name\":\"y\",\"type\":\"u8\"}",
                    "t.json:4:9: MSG_T: field x: of variable size and not the last: only a null_terminated string can "
                    "stand before others");
  check_field_fault(
      "{\"name\":\"x\",\"type\":\"string\",\"encoding\":\"unterminated\"},{\"name\":\"y\",\"type\":\"u8\"}",
      "t.json:4:9: MSG_T: field x: of variable size and not the last: only a null_terminated string can "
      "stand before others");
  check_fault("{\"package\":\"a\",\"structs\":[{\"name\":\"A\",\"fields\":[{\"name\":\"x\",\"type\":\"u8[]\"}]}]}",
              "t.json:1:57: A: field x: of variable size, which only a message's fields can be");
  check_fault("{\"package\":\"a\",\"structs\":[{\"name\":\"A\",\"fields\":["
              "{\"name\":\"x\",\"type\":\"string\",\"encoding\":\"null_terminated\"}]}]}",
              "t.json:1:57: A: field x: of variable size, which only a message's fields can be");
}

static void refuses_a_least_payload_over_255_bytes(void **state) {
  struct fixture *const fixture = *state;
  build_message(fixture, "{\"name\":\"x\",\"type\":\"Pair[85]\"},{\"name\":\"y\",\"type\":\"u8[]\"}");
  assert_int_equal(message_of(fixture, "MSG_T")->body.size, 255);
  check_field_fault("{\"name\":\"x\",\"type\":\"Pair[85]\"},\n{\"name\":\"y\",\"type\":\"u8\"}",
                    "t.json:5:9: MSG_T: field y: ends at byte 256: a payload has 255 at most");
  check_field_fault("{\"name\":\"x\",\"type\":\"double[255]\"}",
                    "t.json:4:9: MSG_T: field x: ends at byte 2040: a payload has 255 at most");
}

static void refuses_bit_fields_that_the_field_does_not_hold(void **state) {
  static const struct {
    const char *type, *bits, *fault;
  } cases[] = {
      {"u8", "{\"bits\":\"8\",\"name\":\"b\"}", "bits \"8\": the field has only bits 0-7"},
      {"s16", "{\"bits\":\"3-16\",\"name\":\"b\"}", "bits \"3-16\": the field has only bits 0-15"},
      {"u8", "{\"bits\":\"3-1\",\"name\":\"b\"}", "bits \"3-1\": the first is higher than the last"},
      {"u8", "{\"bits\":\"\",\"name\":\"b\"}", "bits: empty"},
      {"u8", "{\"bits\":\"-1\",\"name\":\"b\"}", "bits \"-1\": not as \"0-2\" or \"3\""},
      {"u8", "{\"bits\":\"0-\",\"name\":\"b\"}", "bits \"0-\": not as \"0-2\" or \"3\""},
      {"u8", "{\"bits\":\"a\",\"name\":\"b\"}", "bits \"a\": not as \"0-2\" or \"3\""},
      {"u8", "{\"bits\":\"00\",\"name\":\"b\"}", "bits \"00\": not as \"0-2\" or \"3\""},
      {"u8", "{\"bits\":\"0-3\",\"name\":\"b\"},{\"bits\":\"3\",\"name\":\"c\"}", "bits \"3\": they overlap others"},
      {"u8", "{\"bits\":\"0\",\"name\":\"b\"},{\"bits\":\"3\",\"name\":\"b\"}",
       "bits \"3\": others have the name b already"},
      {"u8", "{\"bits\":\"0-1\",\"name\":\"b\",\"values\":{\"4\":\"x\"}}", "bits b: value 4: not in 2 bits"},
      {"u8", "{\"bits\":\"0-1\",\"name\":\"b\",\"values\":{\"0x1\":\"x\"}}",
       "bits b: value \"0x1\": not a decimal number"},
      {"u8", "{\"bits\":\"0-7\",\"name\":\"b\",\"values\":{\"1:\":\"x\"}}",
       "bits b: value \"1:\": not a decimal number"},
      {"u8", "{\"bits\":\"0-1\",\"name\":\"b\",\"values\":{\"1\":2}}", "1: not a string"},
      {"u64", "{\"bits\":\"0-63\",\"name\":\"b\",\"values\":{\"18446744073709551616\":\"x\"}}",
       "bits b: value \"18446744073709551616\": not a decimal number"},
      {"float", "{\"bits\":\"0\",\"name\":\"b\"}", "bits: only an integer has bit fields"},
      {"Pair", "{\"bits\":\"0\",\"name\":\"b\"}", "bits: only an integer has bit fields"},
      {"u8[2]", "{\"bits\":\"0\",\"name\":\"b\"}", "bits: only an integer has bit fields"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char field[300];
    char fault[300];
    snprintf(field, sizeof(field), "{\"name\":\"x\",\"type\":\"%s\",\"bits\":[%s]}", cases[i].type, cases[i].bits);
    snprintf(fault, sizeof(fault), "t.json:4:9: MSG_T: field x: %s", cases[i].fault);
    check_field_fault(field, fault);
  }
}

static void refuses_a_count_field_that_is_no_earlier_integer(void **state) {
  static const char *const fields[] = {
      "{\"name\":\"n\",\"type\":\"float\"},\n{\"name\":\"x\",\"type\":\"u8[]\",\"count_field\":\"n\"}",
      "{\"name\":\"n\",\"type\":\"u8[2]\"},\n{\"name\":\"x\",\"type\":\"u8[]\",\"count_field\":\"n\"}",
      "{\"name\":\"m\",\"type\":\"u8\"},\n{\"name\":\"x\",\"type\":\"u8[4]\",\"count_field\":\"n\"}",
      "\n{\"name\":\"x\",\"type\":\"u8[4]\",\"count_field\":\"n\"},{\"name\":\"n\",\"type\":\"u8\"}",
  };
  (void)state;
  for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
    check_field_fault(fields[i], "t.json:5:9: MSG_T: field x: count_field \"n\": not an integer field before this one");
  check_field_fault("{\"name\":\"n\",\"type\":\"u8\"},\n{\"name\":\"x\",\"type\":\"u8\",\"count_field\":\"n\"}",
                    "t.json:5:9: MSG_T: field x: count_field: only an array has one");
}

static void refuses_names_that_are_taken_or_no_identifiers(void **state) {
  static const char *const reserved[] = {"crc",      "length", "msg_type", "msg_name", "payload",
                                         "preamble", "sender", "meaning",  "utc",      "gps_week"};
  char text[300];
  char fault[300];
  (void)state;
  for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
    snprintf(text, sizeof(text), "{\"name\":\"%s\",\"type\":\"u8\"}", reserved[i]);
    snprintf(fault, sizeof(fault), "t.json:4:9: MSG_T: field %s: the name is a key of every line already", reserved[i]);
    check_field_fault(text, fault);
  }
  check_field_fault("{\"name\":\"a-b\",\"type\":\"u8\"}",
                    "t.json:4:9: MSG_T: field a-b: name \"a-b\": not letters, digits and _, or it begins with a digit");
  check_field_fault("{\"name\":\"1a\",\"type\":\"u8\"}",
                    "t.json:4:9: MSG_T: field 1a: name \"1a\": not letters, digits and _, or it begins with a digit");
  check_fault("{\"package\":\"a\",\"messages\":[{\"id\":1,\"name\":\"POS\",\"fields\":[]}]}",
              "t.json:1:43: POS: the name of a message begins with MSG_");
  check_fault("{\"package\":\"a\",\"messages\":[{\"id\":1,\"name\":\"MSG_\",\"fields\":[]}]}",
              "t.json:1:43: MSG_: the name of a message begins with MSG_");
  check_fault("{\"package\":\"a\",\"structs\":[{\"name\":\"u8\",\"fields\":[{\"name\":\"x\",\"type\":\"u8\"}]}]}",
              "t.json:1:35: u8: the name is a type of its own");
  check_fault("{\"package\":\"a b\"}", "t.json: name \"a b\": not letters, digits and _, or it begins with a digit");
}

static void holds_names_to_64_characters(void **state) {
  struct fixture *const fixture = *state;
  char text[200];
  snprintf(text, sizeof(text), "{\"package\":\"a\",\"messages\":[{\"id\":1,\"name\":\"MSG_%060d\",\"fields\":[]}]}", 0);
  add_good(fixture, "t.json", text);
  snprintf(text, sizeof(text), "{\"package\":\"a\",\"messages\":[{\"id\":2,\"name\":\"MSG_%061d\",\"fields\":[]}]}", 0);
  assert_int_equal(add(fixture, "u.json", text), SBP_ERROR_SYNTAX);
  assert_non_null(strstr(fixture->error.text, ": name: longer than 64 characters"));
}

static void refuses_ids_that_do_not_exist(void **state) {
  (void)state;
  check_fault("{\"package\":\"a\",\"messages\":[{\"id\":0,\"name\":\"MSG_A\",\"fields\":[]}]}",
              "t.json:1:43: MSG_A: id 0: not 1 to 65535");
  check_fault("{\"package\":\"a\",\"messages\":[{\"id\":65536,\"name\":\"MSG_A\",\"fields\":[]}]}",
              "t.json:1:47: MSG_A: id 65536: not 1 to 65535");
}

static void a_replacement_is_named_as_a_message_and_may_be_gone(void **state) {
  struct fixture *const fixture = *state;
  add_good(fixture, "a.json",
           "{\"package\":\"a\",\"messages\":[{\"id\":1,\"name\":\"MSG_A\",\"fields\":[],"
           "\"replaced_by\":[\"MSG_GONE\"]}]}");
  check_fault("{\"package\":\"a\",\"messages\":[{\"id\":2,\"name\":\"MSG_B\",\"fields\":[],\"replaced_by\":[\"A\"]}]}",
              "t.json:1:43: MSG_B: replaced_by: the name of a message begins with MSG_");
  check_fault("{\"package\":\"a\",\"messages\":[{\"id\":2,\"name\":\"MSG_B\",\"fields\":[],\"replaced_by\":[7]}]}",
              "t.json:1:43: MSG_B: replaced_by: not a string");
}

static void refuses_structs_nested_more_than_eight_deep(void **state) {
  (void)state;
  for (int deep = 8; deep <= 9; deep++)
    for (int from_top = 0; from_top <= 1; from_top++) {
      char text[2000] = "{\"package\":\"a\",\"structs\":[";
      for (int i = 0; i < deep; i++) {
        const int level = from_top ? deep - i : i + 1;
        char one[200];
        if (level == 1)
          snprintf(one, sizeof(one), "%s{\"name\":\"S1\",\"fields\":[{\"name\":\"x\",\"type\":\"u8\"}]}", i ? "," : "");
        else
          snprintf(one, sizeof(one), "%s{\"name\":\"S%d\",\"fields\":[{\"name\":\"x\",\"type\":\"S%d\"}]}",
                   i ? "," : "", level, level - 1);
        strcat(text, one);
      }
      char message[200];
      snprintf(message, sizeof(message),
               "],\n\"messages\":[{\"id\":1,\"name\":\"MSG_A\",\"fields\":[{\"name\":\"x\",\"type\":\"S%d\"}]}]}",
               deep);
      strcat(text, message);
      if (deep == 9) {
        check_fault(text, "t.json:2:54: MSG_A: field x: structs nested more than 8 deep");
        continue;
      }
      void *one;
      begin(&one);
      add_good(one, "p.json", "{\"protocol\":\"SBP\",\"version\":\"1.0.0\"}");
      add_good(one, "t.json", text);
      build_good(one);
      end(&one);
    }
}

static void survives_a_thousand_nested_structs(void **state) {
  struct fixture *const fixture = *state;
  static char text[80000];
  size_t length = (size_t)snprintf(text, sizeof(text), "{\"package\":\"a\",\"structs\":[");
  for (int i = 0; i < 1000; i++)
    length += (size_t)snprintf(text + length, sizeof(text) - length,
                               "{\"name\":\"S%d\",\"fields\":[{\"name\":\"x\",\"type\":\"S%d\"}]},", i, i + 1);
  snprintf(text + length, sizeof(text) - length,
           "{\"name\":\"S1000\",\"fields\":[{\"name\":\"x\",\"type\":\"u8\"}]}]}");
  add_good(fixture, "t.json", text);
  assert_int_equal(sbp_schema_build(&fixture->set, &fixture->schema, &fixture->error), SBP_ERROR_SYNTAX);
  assert_non_null(strstr(fixture->error.text, "structs nested more than 8 deep"));
}

static void refuses_more_than_255_fields(void **state) {
  static char fields[20000];
  size_t length = 0;
  for (int i = 0; i < 256; i++)
    length += (size_t)snprintf(fields + length, sizeof(fields) - length, "%s{\"name\":\"x%d\",\"type\":\"u8\"}",
                               i == 0 ? "" : ",", i);
  (void)state;
  check_field_fault(fields, "t.json:3:28: MSG_T: more than 255 fields");
}

static void refuses_a_struct_without_fields(void **state) {
  (void)state;
  check_fault("{\"package\":\"a\",\"structs\":[{\"name\":\"A\",\"fields\":[]}]}",
              "t.json:1:35: A: a struct without fields");
}

static void needs_the_protocol_version_and_a_message(void **state) {
  struct fixture *const fixture = *state;
  check_fault("{\"package\":\"a\"}", "there is no message in the schema");
  check_fault("{\"protocol\":\"SBP\",\"version\":\"1.2.4\"}", "t.json: version: another file has given it already");
  check_fault("{\"protocol\":\"UBX\",\"version\":\"1.2.4\"}", "t.json: protocol: not \"SBP\"");
  add_good(fixture, "t.json", file_of(""));
  assert_int_equal(sbp_schema_build(&fixture->set, &fixture->schema, &fixture->error), SBP_ERROR_SYNTAX);
  assert_string_equal(fixture->error.text, "no schema file gives the protocol's version");
}

static void keeps_a_fault_to_one_line_whatever_the_names_hold(void **state) {
  struct fixture *const fixture = *state;
  char text[2000];
  char name[1000];
  memset(name, 'x', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  snprintf(text, sizeof(text), "{\"package\":\"a\",\"\\u001b\\n%s\":1}", name);
  assert_int_equal(add(fixture, name, text), SBP_ERROR_SYNTAX);
  assert_null(strpbrk(fixture->error.text, "\n\x1b"));
  assert_non_null(strstr(fixture->error.text, "unknown key \"??xxx"));
  assert_int_equal(strlen(fixture->error.text), sizeof(fixture->error.text) - 1);
}

static void says_so_whenever_memory_runs_out(void **state) {
  (void)state;
  bool done = false;
  for (int allowed = 0; !done; allowed++) {
    int left = allowed;
    const struct sbp_allocator short_of_memory = {resize, &left};
    struct sbp_arena arena = {.allocator = &short_of_memory};
    struct sbp_schema_set set = {.arena = &arena, .base = &sbp_schema_builtin};
    const struct sbp_schema *schema = NULL;
    struct sbp_schema_error error;
    const char *const text =
        file_of("{\"name\":\"f\",\"type\":\"u8\",\"description\":\"what it is\",\"bits\":[{\"bits\":"
                "\"0\",\"name\":\"b\",\"values\":{\"0\":\"no\",\"1\":\"yes\"}}]},"
                "{\"name\":\"p\",\"type\":\"Pair[]\"}");
    enum sbp_status status = sbp_schema_add(&set, "t.json", text, strlen(text), &error);
    if (status == SBP_OK)
      status = sbp_schema_build(&set, &schema, &error);
    done = status == SBP_OK;
    if (!done) {
      assert_int_equal(status, SBP_ERROR_MEMORY);
      assert_string_equal(error.text, "out of memory");
    }
    sbp_arena_drop(&arena);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(lays_out_numbers_structs_arrays_and_strings),
      TEST(gives_each_string_encoding_its_least_size),
      TEST(keeps_bit_fields_and_sorts_their_values),
      TEST(finds_every_message_by_id_and_by_name),
      TEST(finds_messages_whose_ids_have_every_high_byte),
      TEST(knows_the_longest_text_of_a_message),
      TEST(copies_what_it_keeps_of_the_text),
      TEST(adds_messages_to_a_base_whose_structs_they_may_use),
      TEST(names_the_near_struct_of_a_base),
      TEST(a_message_replaces_those_of_the_base_with_its_id_or_its_name),
      TEST(a_struct_replaces_that_of_the_base_in_all_its_messages),
      TEST(a_later_file_replaces_where_that_is_asked_for),
      TEST(replacing_does_not_allow_twice_in_one_file),
      TEST(fields_behind_a_null_terminated_string_keep_their_bytes),
      TEST(says_where_a_file_is_not_json),
      TEST(names_unknown_and_missing_keys_and_wrong_kinds),
      TEST(names_the_type_that_is_unknown_and_the_near_one),
      TEST(refuses_structs_in_a_cycle),
      TEST(refuses_what_stands_twice),
      TEST(refuses_what_stands_in_two_files_unless_told),
      TEST(refuses_a_variable_part_that_the_wire_cannot_tell_from_what_follows),
      TEST(refuses_a_least_payload_over_255_bytes),
      TEST(refuses_bit_fields_that_the_field_does_not_hold),
      TEST(refuses_a_count_field_that_is_no_earlier_integer),
      TEST(refuses_names_that_are_taken_or_no_identifiers),
      TEST(holds_names_to_64_characters),
      TEST(refuses_ids_that_do_not_exist),
      TEST(a_replacement_is_named_as_a_message_and_may_be_gone),
      TEST(refuses_structs_nested_more_than_eight_deep),
      TEST(survives_a_thousand_nested_structs),
      TEST(refuses_more_than_255_fields),
      TEST(refuses_a_struct_without_fields),
      TEST(needs_the_protocol_version_and_a_message),
      TEST(keeps_a_fault_to_one_line_whatever_the_names_hold),
      TEST(says_so_whenever_memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
