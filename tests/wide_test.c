/* SPDX-License-Identifier: MIT */
/* What json_wide.c accepts of a line, the general reader accepts, and finds the same in it; whatever is done to one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "json_line.h"
#include "json_wide.h"

enum { ROOM = 8192 };

static const char *const lines[] = {
    "{\"crc\":65535,\"length\":0,\"msg_type\":1025,\"msg_name\":\"MSG_LOG\",\"payload\":\"\",\"sender\":-0,\"a\":[]}",
    "{\"sender\":66,\"x\":[1,-2,3.25,-0.5,0,10],\"payload\":\"AA==\",\"y\":{\"z\":{},\"w\":[[],[[1]],{\"q\":\"r\"}]},"
    "\"msg_type\":1}",
    "{\"obs\":[{\"P\":1038056,\"L\":{\"i\":-107,\"f\":0},\"sid\":{\"sat\":3,\"code\":14}},{\"P\":0,\"L\":{\"i\":1,"
    "\"f\":255},"
    "\"sid\":{\"sat\":30,\"code\":0}}],\"payload\":"
    "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\","
    "\"length\":200,\"sender\":4660,\"text\":\"{[,:]}.-09 \xc3\xa9\",\"crc\":7}",
    "{}",
    "{\"a\":\"\"}",
    "{\"a\":{\"b\":[{\"c\":[{\"d\":0.0}]}]}}",
};

/* Whether the wide reader takes the line; then the general one must. */
static bool takes(const char *line, size_t length) {
  static char text[ROOM + 128];
  assert_true(length <= ROOM);
  memcpy(text, line, length);
  memset(text + length, '\n', 128);
  struct sbp_reader wide = {.schema = &sbp_schema_builtin, .cpu = sbp_cpu_best()};
  struct sbp_reader general = wide;
  const char *const behind = sbpi_scan_wide(&wide, text, text + length + 64);
  if (behind == NULL)
    return false;
  const char *wanted = NULL;
  sbpi_scan_begin(&general);
  assert_int_equal(sbpi_scan_value(&general, text, length, true, &wanted), SBPI_SCAN_DONE);
  assert_int_equal(behind - text, general.state.at);
  assert_int_equal(wide.state.more_keys, general.state.more_keys);
  for (int key = KEY_MSG_TYPE; key < KEY_OTHER; key++) {
    assert_int_equal(wide.state.known[key].begin, general.state.known[key].begin);
    assert_int_equal(wide.state.known[key].end, general.state.known[key].end);
  }
  return true;
}

static void takes_whole_lines_wherever_their_parts_fall_in_a_block(void **state) {
  (void)state;
  if (sbp_cpu_best() != SBP_CPU_AVX2)
    skip();
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    assert_true(takes(lines[i], strlen(lines[i])));
  for (size_t i = 1; i < 3; i++) {
    for (size_t shift = 0; shift < 200; shift++) {
      char line[ROOM];
      const int length = snprintf(line, sizeof line, "{\"%0*d\":1,%s", (int)shift + 1, 0, lines[i] + 1);
      assert_true(takes(line, (size_t)length));
    }
  }
}

static void takes_no_line_that_an_edit_of_one_or_two_bytes_has_broken(void **state) {
  static const char put[] = "\"\\,:{}[]0123.-+eE n\t\n\r\x1f\x7f\x80";
  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    const size_t length = strlen(lines[i]);
    for (size_t at = 1; at < length; at++) {
      char line[ROOM];
      memcpy(line, lines[i], at);
      memcpy(line + at, lines[i] + at + 1, length - at - 1);
      takes(line, length - 1);
      for (size_t j = 0; j < sizeof put - 1; j++) {
        line[at] = put[j];
        memcpy(line + at + 1, lines[i] + at + 1, length - at - 1);
        takes(line, length);
        memcpy(line + at + 1, lines[i] + at, length - at);
        takes(line, length + 1);
        for (size_t k = 0; k < sizeof put - 1; k++) {
          line[at + 1] = put[k];
          takes(line, length + 1);
        }
      }
    }
  }
}

static void leaves_lines_that_are_cut_long_or_deep(void **state) {
  char line[ROOM];
  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    for (size_t length = 1; length < strlen(lines[i]); length++)
      assert_false(takes(lines[i], length));
  for (size_t depth = 1; depth < 140; depth++) {
    size_t size = (size_t)snprintf(line, sizeof line, "{\"a\":");
    memset(line + size, '[', depth);
    memset(line + size + depth, ']', depth);
    size += 2 * depth;
    line[size++] = '}';
    takes(line, size);
  }
  for (int length = 1; length < ROOM - 20; length += 7)
    takes(line, (size_t)snprintf(line, sizeof line, "{\"a\":\"%0*d\"}", length, 0));
  for (int members = 1; members < 600; members += 3) {
    size_t size = 0;
    for (int i = 0; i < members; i++)
      size += (size_t)snprintf(line + size, sizeof line - size, "%c\"%d\":%d", i == 0 ? '{' : ',', i, i);
    line[size++] = '}';
    takes(line, size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_whole_lines_wherever_their_parts_fall_in_a_block),
      cmocka_unit_test(takes_no_line_that_an_edit_of_one_or_two_bytes_has_broken),
      cmocka_unit_test(leaves_lines_that_are_cut_long_or_deep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
