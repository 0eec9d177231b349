/* SPDX-License-Identifier: MIT */
/* What the readers and writers of streams promise at their edges; the tools' tests have the streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "sbpkit/sbp.h"

static void an_empty_piece_of_input_needs_no_address(void **state) {
  (void)state;
  struct sbp_scanner scanner = {.cpu = sbp_cpu_best()};
  struct sbp_frame frame;
  size_t used = 1;
  assert_int_equal(sbp_scan(&scanner, NULL, 0, false, &frame, &used), SBP_NEED_MORE);
  assert_int_equal(used, 0);
  assert_int_equal(sbp_scan(&scanner, NULL, 0, true, &frame, &used), SBP_END);
  assert_int_equal(used, 0);

  struct sbp_reader reader = {.schema = &sbp_schema_builtin, .cpu = sbp_cpu_best()};
  struct sbp_line line;
  uint8_t bytes[SBP_FRAME_MAX];
  used = 1;
  assert_int_equal(sbp_read_line(&reader, NULL, 0, false, bytes, &line, &used), SBP_NEED_MORE);
  assert_int_equal(used, 0);
  assert_int_equal(sbp_read_line(&reader, "{}  ", 4, false, bytes, &line, &used), SBP_ERROR_MISSING);
  assert_int_equal(sbp_read_line(&reader, NULL, 0, false, bytes, &line, &used), SBP_NEED_MORE);
  assert_int_equal(sbp_read_line(&reader, NULL, 0, true, bytes, &line, &used), SBP_END);
  assert_int_equal(used, 0);
}

static void an_empty_payload_needs_no_address(void **state) {
  (void)state;
  uint8_t out[SBP_FRAME_OVERHEAD], decoded[1];
  char text[1];
  /* CRC of 01 00 02 00 00, bit by bit. */
  static const uint8_t frame[] = {0x55, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00};
  assert_int_equal(sbp_frame_pack(sbp_cpu_best(), 1, 2, NULL, 0, out), SBP_FRAME_OVERHEAD);
  assert_memory_equal(out, frame, 6);
  assert_int_equal(sbp_crc16(sbp_cpu_best(), 0x1234, NULL, 0), 0x1234);
  assert_ptr_equal(sbp_base64_encode(sbp_cpu_best(), NULL, 0, text), text);
  assert_int_equal(sbp_base64_decode(sbp_cpu_best(), NULL, 0, decoded), 0);
}

/* In memory of just the size that is promised, which sanitizers guard. */
static ptrdiff_t decode(enum sbp_cpu cpu, const char *text, size_t size, const uint8_t *wanted) {
  char *const in = malloc(size + 1);
  uint8_t *const out = malloc(size / 4 * 3 + 1);
  assert_non_null(in);
  assert_non_null(out);
  /* The byte more is in front, so that the end is guarded. */
  memcpy(in + 1, text, size);
  const ptrdiff_t count = sbp_base64_decode(cpu, in + 1, size, out + 1);
  if (count > 0 && wanted != NULL)
    assert_memory_equal(out + 1, wanted, (size_t)count);
  free(in);
  free(out);
  return count;
}

static void base64_of_every_size_is_read_back_and_one_wrong_character_anywhere_is_seen(void **state) {
  static const char wrong[] = {'=', '-', '_', ' ', '\0', '\n', '"', '\\',       '@',
                               '[', '`', '{', ':', '*',  ',',  '.', (char)0x80, (char)0xc1};
  (void)state;
  for (size_t size = 0; size <= SBP_PAYLOAD_MAX; size++) {
    uint8_t bytes[SBP_PAYLOAD_MAX];
    char text[SBP_BASE64_SIZE(SBP_PAYLOAD_MAX)];
    const size_t length = SBP_BASE64_SIZE(size);
    const size_t padding = (3 - size % 3) % 3;
    for (size_t i = 0; i < size; i++)
      bytes[i] = (uint8_t)((i * 167 + size * 59) ^ i >> 3);
    assert_ptr_equal(sbp_base64_encode(SBP_CPU_PORTABLE, bytes, size, text), text + length);
    for (int way = 0; way < 2; way++) {
      const enum sbp_cpu cpu = way == 0 ? SBP_CPU_PORTABLE : sbp_cpu_best();
      assert_int_equal(decode(cpu, text, length, bytes), size);
      for (size_t cut = 1; cut < 4 && cut < length; cut++)
        assert_int_equal(decode(cpu, text, length - cut, NULL), -1);
      for (size_t i = 0; i < length - padding; i++) {
        const char right = text[i];
        text[i] = wrong[(i + size) % sizeof wrong];
        /* One '=' more at the end may be the padding of less. */
        if (text[i] != '=' || i + 3 < length)
          assert_int_equal(decode(cpu, text, length, NULL), -1);
        text[i] = right;
      }
      if (padding > 0) {
        /* The bits that padding cuts off are 0. */
        char *const last = &text[length - padding - 1];
        const char right = *last;
        *last = right == '9' ? '+' : right == 'Z' ? 'a' : right == 'z' ? '0' : (char)(right + 1);
        assert_int_equal(decode(cpu, text, length, NULL), -1);
        *last = right;
      }
    }
  }
}

/* ---- Lines of our own form ---- */

enum { LINE_ROOM = 16384, BEHIND = 64 };

static uint32_t random_state = 1;

static uint32_t next_random(void) {
  return random_next(&random_state);
}

/* A line of a message with a random payload, many small numbers in it, and a line break. */
static size_t write_line(const struct sbp_message *message, char *line) {
  const struct sbp_line_options options = {.schema = &sbp_schema_builtin, .cpu = sbp_cpu_best()};
  uint8_t bytes[SBP_FRAME_MAX], payload[SBP_PAYLOAD_MAX];
  struct sbp_scanner scanner = {.cpu = options.cpu};
  struct sbp_frame frame;
  size_t used;
  const uint32_t kind = next_random() % 4;
  const uint32_t longer = next_random() % (SBP_PAYLOAD_MAX + 1u - message->body.size);
  const size_t size = message->body.size + (next_random() % 2 == 0 ? longer : longer % 40);
  for (size_t i = 0; i < size; i++) {
    const uint32_t number = next_random();
    payload[i] = (uint8_t)(kind == 0 || i % 4 == 0 ? number : kind == 1 ? 0 : 0 - (number & 1));
  }
  const size_t frame_size =
      sbp_frame_pack(options.cpu, message->id, (uint16_t)next_random(), payload, (uint8_t)size, bytes);
  assert_int_equal(sbp_scan(&scanner, bytes, frame_size, true, &frame, &used), SBP_OK);
  return (size_t)(sbp_line_write(&options, message, &frame, line) - line);
}

/* What the first value of a text is read as. */
struct reading {
  enum sbp_status status;
  struct sbp_line line;
  uint8_t frame[SBP_FRAME_MAX];
  size_t used;
  enum sbp_status check;
};

static struct reading read_first(const char *text, size_t size, void *templates, bool will_check) {
  struct sbp_reader reader = {
      .schema = &sbp_schema_builtin, .cpu = sbp_cpu_best(), .will_check = will_check, .templates = templates};
  struct reading reading = {.check = SBP_OK};
  struct sbp_fault fault;
  if (templates != NULL) {
    memset(templates, 0xa5, 100000); /* memory comes with anything in it */
    sbp_templates_begin(templates);
  }
  reading.status = sbp_read_line(&reader, text, size, true, reading.frame, &reading.line, &reading.used);
  if (reading.status == SBP_OK && will_check)
    reading.check = sbp_line_check(&reader, &reading.line, reading.frame, &fault);
  return reading;
}

static void assert_same_reading(const char *text, size_t size, void *templates) {
  for (int way = 0; way < 2; way++) {
    const struct reading wanted = read_first(text, size, NULL, way != 0);
    const struct reading got = read_first(text, size, templates, way != 0);
    if (got.status != wanted.status || got.used != wanted.used)
      print_message("%.*s\n", (int)size, text);
    assert_int_equal(got.status, wanted.status);
    assert_int_equal(got.used, wanted.used);
    assert_int_equal(got.check, wanted.check);
    if (wanted.status != SBP_OK) {
      assert_string_equal(got.line.fault.text, wanted.line.fault.text);
      continue;
    }
    assert_int_equal(got.line.notes, wanted.line.notes);
    assert_int_equal(got.line.text.length, wanted.line.text.length);
    assert_int_equal(got.line.frame_size, wanted.line.frame_size);
    assert_memory_equal(got.frame, wanted.frame, wanted.line.frame_size);
  }
}

/* Put something else in the place of `removed` bytes. */
static size_t edit(char *line, size_t size, size_t place, size_t removed, const char *added) {
  const size_t length = strlen(added);
  removed = removed < size - place ? removed : size - place;
  memmove(line + place + length, line + place + removed, size - place - removed);
  memcpy(line + place, added, length);
  return size - removed + length;
}

static void a_line_of_our_own_is_read_the_same_whatever_was_edited_in_it(void **state) {
  static const char *const others[] = {"",
                                       "0",
                                       "7",
                                       "-",
                                       "--",
                                       ".",
                                       "12",
                                       "00",
                                       "e",
                                       "1e5",
                                       ",",
                                       "]",
                                       "}",
                                       "[",
                                       "{",
                                       "\"",
                                       "\\",
                                       "null",
                                       "x",
                                       " ",
                                       "-0",
                                       "0.5",
                                       "1.5",
                                       ",1.5",
                                       "\"1\"",
                                       "},{",
                                       "1,2",
                                       "\t",
                                       "]]",
                                       ",,",
                                       ",]",
                                       "12345678",
                                       "1.",
                                       ".5",
                                       "+1",
                                       "\n",
                                       "1.7976931348623157e308"};
  (void)state;
  void *const templates = malloc(sbp_templates_size());
  assert_non_null(templates);
  unsigned read = 0;
  for (uint32_t i = 0; i < sbp_schema_builtin.count; i++) {
    for (int times = 0; times < 3; times++) {
      char line[LINE_ROOM], edited[LINE_ROOM + BEHIND + 32];
      const size_t size = write_line(sbp_schema_builtin.messages[i], line);
      for (int edits = 0; edits < 24; edits++) {
        memcpy(edited, line, size);
        size_t length = size;
        for (uint32_t changes = edits == 0 ? 0 : 1 + next_random() % 2; changes > 0; changes--)
          length = edit(edited, length, next_random() % (uint32_t)length, next_random() % 3,
                        others[next_random() % (sizeof others / sizeof *others)]);
        memset(edited + length, ' ', BEHIND);
        assert_same_reading(edited, length + BEHIND, templates);
        read++;
      }
    }
  }
  assert_int_equal(read, 242 * 3 * 24);
  free(templates);
}

/* How a value may be written and how not; the digits before and behind it are those of the payload or are not. */
static void any_json_number_may_stand_in_a_line_of_our_own_and_nothing_else(void **state) {
  static const struct {
    const char *text;
    bool right;
  } values[] = {{"0", true},
                {"9", true},
                {"10", true},
                {"99", true},
                {"100", true},
                {"255", true},
                {"256", true},
                {"65535", true},
                {"-1", true},
                {"-0", true},
                {"1.5", true},
                {"1e3", true},
                {"-1E-3", true},
                {"1.0e+2", true},
                {"null", true},
                {"0.25", true},
                {"00", false},
                {"01", false},
                {"-", false},
                {"-01", false},
                {"--1", false},
                {"1.", false},
                {".5", false},
                {"+1", false},
                {"1e", false},
                {"1e+", false},
                {"0x1", false},
                {"1 2", false},
                {"1,", false},
                {"", false},
                {"nul", false},
                {"nulls", false},
                {"1.5.5", false},
                {"1-", false},
                {"-a", false},
                {"00.5", false},
                {"010.5", false},
                {"123.4", true},
                {"1234.5", true},
                {"0.0", true},
                {"-0.0", true},
                {"1.e5", false},
                {"4294967296", true},
                {"18446744073709551616", true},
                {"12345678901234567890123456789012345", true},
                {"0.1234567890123456789012345678901234567890", true}};
  static const struct {
    uint16_t type;
    const char *key;
  } places[] = {{522, "tow"},     {522, "lat"},    {522, "flags"}, {524, "n"}, {524, "tow"}, {544, "x"},  {139, "week"},
                {117, "dev_vin"}, {2304, "acc_x"}, {74, "P"},      {74, "i"},  {74, "f"},    {545, "yaw"}};
  (void)state;
  void *const templates = malloc(sbp_templates_size());
  assert_non_null(templates);
  unsigned tried = 0;
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    const struct sbp_message *const message = sbp_message_by_id(&sbp_schema_builtin, places[k].type);
    assert_non_null(message);
    for (size_t i = 0; i < 8 * (sizeof values / sizeof *values); i++) {
      const char *const text = values[i / 8].text;
      char line[LINE_ROOM], key[32];
      size_t size = write_line(message, line);
      (void)snprintf(key, sizeof key, "\"%s\":", places[k].key);
      line[size] = 0;
      char *const value = strstr(line, key);
      if (value == NULL)
        continue;
      const size_t place = (size_t)(value - line) + strlen(key);
      if (line[place] == '[')
        continue;
      size = edit(line, size, place, strcspn(line + place, ",}"), text);
      memset(line + size, ' ', BEHIND);
      assert_same_reading(line, size + BEHIND, templates);
      assert_int_equal(read_first(line, size + BEHIND, templates, false).status == SBP_OK, values[i / 8].right);
      tried++;
    }
  }
  assert_true(tried > 8 * 300);
  free(templates);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_piece_of_input_needs_no_address),
      cmocka_unit_test(an_empty_payload_needs_no_address),
      cmocka_unit_test(base64_of_every_size_is_read_back_and_one_wrong_character_anywhere_is_seen),
      cmocka_unit_test(a_line_of_our_own_is_read_the_same_whatever_was_edited_in_it),
      cmocka_unit_test(any_json_number_may_stand_in_a_line_of_our_own_and_nothing_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
