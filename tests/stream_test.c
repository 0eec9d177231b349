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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_piece_of_input_needs_no_address),
      cmocka_unit_test(an_empty_payload_needs_no_address),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
