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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_piece_of_input_needs_no_address),
      cmocka_unit_test(an_empty_payload_needs_no_address),
      cmocka_unit_test(base64_of_every_size_is_read_back_and_one_wrong_character_anywhere_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
