/* SPDX-License-Identifier: MIT */
/* Numbers as text: what the contract says in words and examples. test_floats.py tries the millions. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A writer's output, with a look at the bytes behind its room. */
static struct {
  char text[SBPI_NUMBER_ROOM];
  char behind[8];
} out;

static void begin(void) {
  memset(&out, '#', sizeof out);
}

static void assert_text(const char *end, const char *text) {
  assert_memory_equal(out.behind, "########", sizeof out.behind);
  assert_int_equal(end - out.text, strlen(text));
  assert_memory_equal(out.text, text, strlen(text));
}

/* ---- Integers -------------------------------------------------------------------------------------------------- */

static void check_integer(uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, value);
  begin();
  assert_text(sbpi_write_u64(out.text, value), text);
  if (value <= UINT32_MAX) {
    begin();
    assert_text(sbpi_write_u32(out.text, (uint32_t)value), text);
  }
  if (value <= UINT8_MAX) {
    begin();
    assert_text(sbpi_write_u8(out.text, (uint8_t)value), text);
  }
  for (int negative = 0; negative < 2; negative++) {
    if (value > (uint64_t)INT64_MAX + (unsigned)negative)
      continue;
    const int64_t s = negative == 0 ? (int64_t)value : value == 0 ? 0 : -(int64_t)(value - 1) - 1;
    snprintf(text, sizeof text, "%" PRId64, s);
    begin();
    assert_text(sbpi_write_s64(out.text, s), text);
    if (s >= INT32_MIN && s <= INT32_MAX) {
      begin();
      assert_text(sbpi_write_s32(out.text, (int32_t)s), text);
    }
  }
}

static void integers_of_every_length_are_plain_decimals(void **state) {
  (void)state;
  for (uint64_t value = 0; value < 20000; value++)
    check_integer(value);
  uint64_t power = 1;
  for (int digits = 1; digits <= 20; digits++) {
    for (uint64_t factor = 1; factor < 10 && power <= UINT64_MAX / factor; factor++) {
      check_integer(power * factor - 1);
      check_integer(power * factor);
      check_integer(power * factor + 1);
    }
    power *= 10;
  }
  for (int bits = 1; bits < 64; bits++) {
    check_integer((UINT64_C(1) << bits) - 1);
    check_integer(UINT64_C(1) << bits);
  }
  check_integer(413856000);
  check_integer(1001001001);
  check_integer(UINT64_C(1000000001000000001));
  check_integer(UINT64_MAX);
}

/* ---- Floats ---------------------------------------------------------------------------------------------------- */

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void check_float(uint32_t bits, const char *plain, const char *compat) {
  begin();
  assert_text(sbpi_write_float(out.text, bits, false), plain);
  begin();
  assert_text(sbpi_write_float(out.text, bits, true), compat);
}

static void check_double(uint64_t bits, const char *plain, const char *compat) {
  begin();
  assert_text(sbpi_write_double(out.text, bits, false), plain);
  begin();
  assert_text(sbpi_write_double(out.text, bits, true), compat);
}

static void a_double_is_positional_from_5_zeros_behind_the_point_to_16_digits_before_it(void **state) {
  (void)state;
  check_double(double_bits(1.0), "1.0", "1");
  check_double(double_bits(-0.0), "-0.0", "-0");
  check_double(double_bits(0.00001), "0.00001", "1e-5");
  check_double(double_bits(9.99999e-6), "9.99999e-6", "9.99999e-6");
  check_double(double_bits(1000000000000000.0), "1000000000000000.0", "1e15");
  check_double(double_bits(1e16), "1e16", "1e16");
  check_double(double_bits(9999999999999998.0), "9999999999999998.0", "9.999999999999998e15");
  check_double(double_bits(5e-324), "5e-324", "5e-324");
  check_double(double_bits(1.7976931348623157e308), "1.7976931348623157e308", "1.7976931348623157e308");
  check_double(double_bits(-2.2250738585072014e-308), "-2.2250738585072014e-308", "-2.2250738585072014e-308");
  check_double(double_bits(37.773970000000006), "37.773970000000006", "37.773970000000006");
  check_double(double_bits(-0.00012345678901234567), "-0.00012345678901234567", "-1.2345678901234567e-4");
  check_double(double_bits(123456789012345.67), "123456789012345.67", "1.2345678901234567e14");
}

static void a_float_is_positional_from_5_zeros_behind_the_point_to_13_digits_before_it(void **state) {
  (void)state;
  check_float(float_bits(0.1f), "0.1", "0.1");
  check_float(float_bits(-0.35f), "-0.35", "-0.35");
  check_float(float_bits(0.000001f), "0.000001", "1e-6");
  check_float(float_bits(1e-7f), "1e-7", "1e-7");
  check_float(float_bits(1e12f), "1000000000000.0", "1e12");
  check_float(float_bits(1e13f), "1e13", "1e13");
  check_float(float_bits(16777216.0f), "16777216.0", "1.6777216e7");
  check_float(float_bits(1e-45f), "1e-45", "1e-45");
  check_float(float_bits(3.4028235e38f), "3.4028235e38", "3.4028235e38");
}

/* At these the first decimal of rising length that reads back, as printf makes them, is a longer one. */
static void the_shortest_digits_are_found_where_rounding_the_value_to_as_many_misses_it(void **state) {
  (void)state;
  check_float(0x0f800000, "1.2621775e-29", "1.2621775e-29");
  check_float(0x6b000000, "1.5474251e26", "1.5474251e26");
  check_float(0x6c800000, "1.2379401e27", "1.2379401e27");
}

/* 1e23 and 3e10 lie in the middle between two doubles and two floats, of which the even one takes them. */
static void the_end_of_an_even_mantissas_interval_reads_back_to_it(void **state) {
  (void)state;
  check_double(UINT64_C(0x44b52d02c7e14af6), "1e23", "1e23");
  check_float(0x50df8476, "30000000000.0", "3e10");
}

static void of_two_decimals_as_near_the_even_one_is_taken_and_in_compat_form_the_larger(void **state) {
  (void)state;
  check_float(float_bits(2798462.25f), "2798462.2", "2798462.3");
  check_float(float_bits(200025.125f), "200025.12", "200025.13");
  check_float(float_bits(-200025.125f), "-200025.12", "-200025.13");
  check_float(float_bits(200025.375f), "200025.38", "200025.38");
}

static void compat_form_is_positional_from_a_tenth_to_9999999_in_the_fields_own_width(void **state) {
  (void)state;
  check_float(float_bits(0.0f), "0.0", "0");
  check_float(float_bits(0.5f), "0.5", "0.5");
  check_float(float_bits(123456.79f), "123456.79", "123456.79");
  check_float(float_bits(0.01f), "0.01", "1e-2");
  check_float(float_bits(0.0999999f), "0.0999999", "9.99999e-2");
  check_float(float_bits(0.1f) - 1, "0.099999994", "9.9999994e-2");
  check_float(float_bits(9999999.0f), "9999999.0", "9999999");
  check_float(float_bits(1e7f), "10000000.0", "1e7");
  check_float(float_bits(12345678.0f), "12345678.0", "1.2345678e7");
  check_double(double_bits(0.1), "0.1", "0.1");
  check_double(double_bits(0.1) - 1, "0.09999999999999999", "9.999999999999999e-2");
  check_double(double_bits(9999999.0), "9999999.0", "9999999");
  check_double(double_bits(9999999.0) + 1, "9999999.000000002", "9.999999000000002e6");
  check_double(double_bits(1000000.0), "1000000.0", "1000000");
}

static void what_is_no_number_is_null(void **state) {
  (void)state;
  static const uint32_t floats[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff};
  for (size_t i = 0; i < COUNT(floats); i++)
    check_float(floats[i], "null", "null");
  static const uint64_t doubles[] = {UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000),
                                     UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000000001), UINT64_MAX};
  for (size_t i = 0; i < COUNT(doubles); i++)
    check_double(doubles[i], "null", "null");
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* The number stands in a block of just its size, so that a sanitizer sees a read outside it. */
static struct sbpi_decimal decimal;
static char *number;
static size_t number_length;

static void take_apart(const char *text) {
  free(number);
  number_length = strlen(text);
  number = malloc(number_length);
  assert_non_null(number);
  memcpy(number, text, number_length);
  decimal = sbpi_decimal_read(number, number_length);
}

static int forget_number(void **state) {
  (void)state;
  free(number);
  number = NULL;
  return 0;
}

static void check_parts(const char *text, bool negative, uint64_t digits, int exponent, bool inexact) {
  take_apart(text);
  assert_int_equal(decimal.negative, negative);
  assert_true(decimal.digits == digits);
  assert_int_equal(decimal.exponent, exponent);
  assert_int_equal(decimal.inexact, inexact);
}

static void a_number_is_taken_apart_into_sign_digits_and_exponent(void **state) {
  (void)state;
  check_parts("0", false, 0, 0, false);
  check_parts("-0.0", true, 0, -1, false);
  check_parts("413856000", false, 413856000, 0, false);
  check_parts("-37.77397", true, 3777397, -5, false);
  check_parts("37.773970000000006", false, UINT64_C(37773970000000006), -15, false);
  check_parts("1.5E+3", false, 15, 2, false);
  check_parts("12e-07", false, 12, -7, false);
  check_parts("0.12345678e1", false, 12345678, -7, false);
  check_parts("0.1234567890123456", false, UINT64_C(1234567890123456), -16, false);
  check_parts("1234567890123456789", false, UINT64_C(1234567890123456789), 0, false);
  check_parts("1234567890.1234567890", false, UINT64_C(1234567890123456789), -9, false);
}

static void digits_from_the_20th_on_are_left_out(void **state) {
  (void)state;
  check_parts("12345678901234567890", false, UINT64_C(1234567890123456789), 1, false);
  check_parts("12345678901234567891", false, UINT64_C(1234567890123456789), 1, true);
  check_parts("-1234567890.12345678900001", true, UINT64_C(1234567890123456789), -9, true);
  check_parts("0.00000000000000000000000125", false, 125, -26, false);
  check_parts("9999999999999999999.9", false, UINT64_C(9999999999999999999), 0, true);
  check_parts("1.000000000000000000000000e5", false, UINT64_C(1000000000000000000), -13, false);
}

static void exponents_of_any_length_are_read_and_end_at_100000000(void **state) {
  (void)state;
  check_parts("1e-99999999999", false, 1, -100000000, false);
  check_parts("-1.5e99999999999999999999999999999999999999999999", true, 15, 100000000, false);
  check_parts("1e00000000000000000000000000000000000000000000012", false, 1, 12, false);
}

static void check_double_read(const char *text, uint64_t bits) {
  take_apart(text);
  uint64_t read = 1;
  assert_true(sbpi_decimal_double(&decimal, number, number_length, &read));
  assert_true(read == bits);
}

static void check_float_read(const char *text, uint32_t bits) {
  take_apart(text);
  uint32_t read = 1;
  assert_true(sbpi_decimal_float(&decimal, number, number_length, &read));
  assert_int_equal(read, bits);
}

static void a_number_is_read_as_the_nearest_double(void **state) {
  (void)state;
  check_double_read("0", 0);
  check_double_read("-0", UINT64_C(1) << 63);
  check_double_read("0.1", UINT64_C(0x3fb999999999999a));
  check_double_read("-1.5", UINT64_C(0xbff8000000000000));
  check_double_read("1e23", UINT64_C(0x44b52d02c7e14af6));
  check_double_read("1.7976931348623157e308", UINT64_C(0x7fefffffffffffff));
  check_double_read("5e-324", 1);
  check_double_read("2.2250738585072011e-308", UINT64_C(0x000fffffffffffff));
  check_double_read("2.2250738585072012e-308", UINT64_C(0x0010000000000000));
  check_double_read("0e400", 0);
  check_double_read("1e-400", 0);
  check_double_read("-1e-99999999999", UINT64_C(1) << 63);
}

static void the_middle_between_two_doubles_goes_to_the_even_one(void **state) {
  (void)state;
  check_double_read("9007199254740993", UINT64_C(0x4340000000000000));
  check_double_read("9007199254740993.0", UINT64_C(0x4340000000000000));
  check_double_read("9007199254740995", UINT64_C(0x4340000000000002));
  check_double_read("9007199254740993.00000000000000000000000000000001", UINT64_C(0x4340000000000001));
  check_double_read("9007199254740992.99999999999999999999999999999999", UINT64_C(0x4340000000000000));
  check_double_read("2.4703282292062327e-324", 0);
  check_double_read("2.4703282292062328e-324", 1);
}

/* 2^-1075, half of the smallest double, has 752 digits behind 323 zeros. */
static void a_digit_far_behind_the_middle_decides(void **state) {
  (void)state;
  char text[1200] = "0.";
  char half[1100];
  /* They are those of 5^1075. */
  unsigned char digits[1100] = {1};
  size_t count = 1;
  for (int i = 0; i < 1075; i++) {
    int carry = 0;
    for (size_t j = 0; j < count; j++) {
      carry += digits[j] * 5;
      digits[j] = (unsigned char)(carry % 10);
      carry /= 10;
    }
    while (carry != 0) {
      digits[count++] = (unsigned char)(carry % 10);
      carry /= 10;
    }
  }
  assert_int_equal(count, 752);
  for (size_t i = 0; i < count; i++)
    half[i] = (char)('0' + digits[count - 1 - i]);
  memset(text + 2, '0', 1075 - count);
  memcpy(text + 2 + 1075 - count, half, count);
  text[2 + 1075] = '\0';
  check_double_read(text, 0);
  memcpy(text + 2 + 1075, "00000000000000000000000000001", 30);
  check_double_read(text, 1);
}

static void a_number_is_rounded_once_to_the_width_of_a_float(void **state) {
  (void)state;
  check_float_read("0.1", 0x3dcccccd);
  check_float_read("16777217", 0x4b800000);
  check_float_read("16777219", 0x4b800002);
  check_float_read("3.4028235e38", 0x7f7fffff);
  check_float_read("1e-45", 1);
  check_float_read("7e-46", 0);
  /* The doubles next to these are the middle between two floats, so that rounding twice goes the other way. */
  check_float_read("16777217.000000001", 0x4b800001);
  check_float_read("16777218.999999999", 0x4b800001);
  check_float_read("1.00000005960464477540", 0x3f800001);
  check_float_read("1.00000005960464477538", 0x3f800000);
}

static void a_value_too_large_is_told(void **state) {
  (void)state;
  static const char *const too_large[] = {"1.7976931348623159e308", "1.797693134862315807938e308", "1e309", "1e400",
                                          "-1e99999999999"};
  uint64_t bits;
  uint32_t narrow;
  for (size_t i = 0; i < COUNT(too_large); i++) {
    take_apart(too_large[i]);
    assert_false(sbpi_decimal_double(&decimal, number, number_length, &bits));
    assert_false(sbpi_decimal_float(&decimal, number, number_length, &narrow));
  }
  take_apart("3.4028235677973367e38");
  assert_false(sbpi_decimal_float(&decimal, number, number_length, &narrow));
  take_apart("3.4028235677973366e38"); /* just below the middle between the largest and what would follow */
  assert_true(sbpi_decimal_float(&decimal, number, number_length, &narrow));
  assert_int_equal(narrow, 0x7f7fffff);
}

static void check_integer_read(const char *text, uint64_t magnitude) {
  take_apart(text);
  uint64_t read = 1;
  assert_true(sbpi_decimal_integer(&decimal, number, number_length, &read));
  assert_true(read == magnitude);
}

static void integers_may_have_a_point_or_an_exponent(void **state) {
  (void)state;
  check_integer_read("1025", 1025);
  check_integer_read("1025.0", 1025);
  check_integer_read("1.025e3", 1025);
  check_integer_read("-0", 0);
  check_integer_read("0e999999999999", 0);
  check_integer_read("1025000e-3", 1025);
  check_integer_read("18446744073709551615", UINT64_MAX);
  check_integer_read("-18446744073709551615", UINT64_MAX);
  check_integer_read("18446744073709551615.000", UINT64_MAX);
  check_integer_read("1.8446744073709551615e19", UINT64_MAX);
  check_integer_read("0.00018446744073709551610e23", UINT64_MAX - 5);
  check_integer_read("10000000000000000000", UINT64_C(10000000000000000000));
  check_integer_read("1e19", UINT64_C(10000000000000000000));
}

static void what_is_no_integer_of_64_bits_is_told(void **state) {
  (void)state;
  static const char *const others[] = {"0.5",
                                       "1025.5",
                                       "1e-1",
                                       "18446744073709551616",
                                       "18446744073709551615.5",
                                       "1844674407370955161.5",
                                       "18446744073709551615.00000000000000000000000001",
                                       "18446744073709551619",
                                       "1e20",
                                       "1e99999999999",
                                       "1e-99999999999",
                                       "184467440737095516150",
                                       "99999999999999999999"};
  for (size_t i = 0; i < COUNT(others); i++) {
    uint64_t magnitude;
    take_apart(others[i]);
    assert_false(sbpi_decimal_integer(&decimal, number, number_length, &magnitude));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_of_every_length_are_plain_decimals),
      cmocka_unit_test(a_double_is_positional_from_5_zeros_behind_the_point_to_16_digits_before_it),
      cmocka_unit_test(a_float_is_positional_from_5_zeros_behind_the_point_to_13_digits_before_it),
      cmocka_unit_test(the_shortest_digits_are_found_where_rounding_the_value_to_as_many_misses_it),
      cmocka_unit_test(the_end_of_an_even_mantissas_interval_reads_back_to_it),
      cmocka_unit_test(of_two_decimals_as_near_the_even_one_is_taken_and_in_compat_form_the_larger),
      cmocka_unit_test(compat_form_is_positional_from_a_tenth_to_9999999_in_the_fields_own_width),
      cmocka_unit_test(what_is_no_number_is_null),
      cmocka_unit_test(a_number_is_taken_apart_into_sign_digits_and_exponent),
      cmocka_unit_test(digits_from_the_20th_on_are_left_out),
      cmocka_unit_test(exponents_of_any_length_are_read_and_end_at_100000000),
      cmocka_unit_test(a_number_is_read_as_the_nearest_double),
      cmocka_unit_test(the_middle_between_two_doubles_goes_to_the_even_one),
      cmocka_unit_test(a_digit_far_behind_the_middle_decides),
      cmocka_unit_test(a_number_is_rounded_once_to_the_width_of_a_float),
      cmocka_unit_test(a_value_too_large_is_told),
      cmocka_unit_test(integers_may_have_a_point_or_an_exponent),
      cmocka_unit_test(what_is_no_integer_of_64_bits_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, forget_number);
}
