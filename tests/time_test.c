/* SPDX-License-Identifier: MIT */
/* GPS time, UTC and their text, at the ends of what they can be. What frames tell is in test_time.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sbpkit/sbp.h"

static const struct sbp_leap by_table = {0};

static const char *utc_text(const struct sbp_leap *leap, int64_t gps) {
  static char text[SBP_TIME_TEXT_MAX + 1];
  *sbp_utc_write(sbp_utc_from_gps(leap, gps), text) = '\0';
  return text;
}

static const char *gps_text(int64_t gps) {
  static char text[SBP_TIME_TEXT_MAX + 1];
  *sbp_gps_write(gps, text) = '\0';
  return text;
}

static bool reads_utc(const char *text, struct sbp_utc *utc) {
  return sbp_utc_read(text, strlen(text), utc);
}

static int64_t gps_of(const char *text) {
  struct sbp_utc utc;
  assert_true(reads_utc(text, &utc));
  return sbp_gps_from_utc(&by_table, utc);
}

/* Nanoseconds of a week and ms. */
static int64_t at(int32_t week, uint32_t tow, int32_t ns) {
  return sbp_gps_join((struct sbp_week_time){week, tow, ns});
}

static void gps_time_begins_with_the_6th_of_january_1980(void **state) {
  (void)state;
  assert_string_equal(utc_text(&by_table, 0), "1980-01-06T00:00:00.000Z");
  assert_string_equal(gps_text(0), "0:0");
  assert_true(gps_of("1980-01-06T00:00Z") == 0);
}

static void gps_time_is_written_to_the_ns_without_zeros_behind_it(void **state) {
  (void)state;
  assert_string_equal(gps_text(at(1930, 123, 0)), "1930:123");
  assert_string_equal(gps_text(at(1930, 123, 500000)), "1930:123.5");
  assert_string_equal(gps_text(at(1930, 123, 20)), "1930:123.00002");
  assert_string_equal(gps_text(at(1930, 123, -1)), "1930:122.999999");
  assert_string_equal(gps_text(at(0, 0, -100000)), "-1:604799999.9");
}

static void text_that_was_written_is_read(void **state) {
  (void)state;
  static const int64_t times[] = {0, 1, 999999999, INT64_C(1167264017005000001), INT64_C(9071999999999999999)};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    struct sbp_utc utc;
    int64_t gps = -1;
    assert_true(reads_utc(utc_text(&by_table, times[i]), &utc));
    assert_true(sbp_gps_from_utc(&by_table, utc) == times[i]);
    const char *const text = gps_text(times[i]);
    assert_true(sbp_gps_read(text, strlen(text), &gps));
    assert_true(gps == times[i]);
  }
}

static void what_is_no_utc_is_not_read(void **state) {
  (void)state;
  static const char *const wrong[] = {"",
                                      "2019",
                                      "2019-03-29",
                                      "2019-03-29Z",
                                      "2019-03-29T14Z",
                                      "2019-03-29T14:46",
                                      "2019-03-29T14:46:00",
                                      "2019-03-29T14:46:00+00:00",
                                      "2019-03-29 14:46:00Z",
                                      "2019-03-29T14:46:00.Z",
                                      "2019-03-29T14:46:00.1234567890Z",
                                      "2019-03-29T14:46:00ZZ",
                                      "2019-3-29T14:46:00Z",
                                      "19-03-29T14:46:00Z",
                                      "2019-00-29T14:46:00Z",
                                      "2019-13-29T14:46:00Z",
                                      "2019-02-29T14:46:00Z",
                                      "2100-02-29T14:46:00Z",
                                      "2019-04-31T14:46:00Z",
                                      "2019-03-00T14:46:00Z",
                                      "2019-03-29T24:00:00Z",
                                      "2019-03-29T14:60:00Z",
                                      "2019-03-29T14:46:60Z",
                                      "2019-03-29T23:59:61Z",
                                      "1980-01-05T23:59:59Z",
                                      "9999-12-31T23:59:59Z"};
  struct sbp_utc utc;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(reads_utc(wrong[i], &utc));
  assert_true(reads_utc("2020-02-29T23:59Z", &utc));
  assert_true(reads_utc("2000-02-29T23:59:60.123456789Z", &utc));
  assert_int_equal(utc.ns, 123456789);
}

static void what_is_no_week_and_tow_is_not_read(void **state) {
  (void)state;
  static const char *const wrong[] = {"",         "1930",         "1930:",   ":1",      "1930:604800000", "15001:0",
                                      "a:b",      "-1:0",         "1930:-1", "1930:1.", "1930:1.1234567", "1930:1 ",
                                      "1930:1:2", "99999999999:0"};
  int64_t gps;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(sbp_gps_read(wrong[i], strlen(wrong[i]), &gps));
  assert_true(sbp_gps_read("1930:604799999.5", 16, &gps));
  assert_true(gps == at(1930, 604799999, 500000));
  assert_true(sbp_gps_read("15000:0", 7, &gps));
}

static void text_is_not_read_beyond_its_length(void **state) {
  (void)state;
  struct sbp_utc utc;
  int64_t gps;
  assert_true(sbp_utc_read("2019-03-29T14:46Z5", 17, &utc));
  assert_false(sbp_utc_read("2019-03-29T14:46Z", 16, &utc));
  assert_true(sbp_gps_read("1930:123", 6, &gps));
  assert_true(gps == at(1930, 1, 0));
}

static void a_residual_is_at_most_half_a_millisecond(void **state) {
  (void)state;
  static const struct {
    int32_t week;
    uint32_t tow;
    int32_t ns;
  } times[] = {{1930, 0, -92}, {1930, 604799999, 499999}, {1930, 5, -500000}, {1930, 5, 0}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    const struct sbp_week_time time = sbp_gps_split(at(times[i].week, times[i].tow, times[i].ns));
    assert_int_equal(time.week, times[i].week);
    assert_int_equal(time.tow, times[i].tow);
    assert_int_equal(time.ns_residual, times[i].ns);
  }
  assert_int_equal(sbp_gps_split(at(1930, 5, 500000)).tow, 6);
}

static void a_leap_second_of_the_table_is_a_second_60(void **state) {
  (void)state;
  const int64_t second = 1000000000;
  const int64_t begin = at(1930, 17000, 0);
  assert_string_equal(utc_text(&by_table, begin - 1), "2016-12-31T23:59:59.999999999Z");
  assert_string_equal(utc_text(&by_table, begin), "2016-12-31T23:59:60.000Z");
  assert_string_equal(utc_text(&by_table, begin + second - 1), "2016-12-31T23:59:60.999999999Z");
  assert_string_equal(utc_text(&by_table, begin + second), "2017-01-01T00:00:00.000Z");
  assert_true(gps_of("2016-12-31T23:59:60Z") == begin);
  assert_true(gps_of("2017-01-01T00:00:00Z") == begin + second);
}

static void a_second_60_elsewhere_is_the_second_after_it(void **state) {
  (void)state;
  assert_true(gps_of("2018-12-31T23:59:60.5Z") == gps_of("2019-01-01T00:00:00.5Z"));
}

static void a_second_may_be_left_out(void **state) {
  (void)state;
  const int64_t midnight = gps_of("2030-01-01T00:00:00Z") - INT64_C(18) * 1000000000;
  const struct sbp_leap leap = {midnight / 1000000000, 18, 17, true};
  assert_string_equal(utc_text(&leap, midnight + INT64_C(17) * 1000000000 - 1), "2029-12-31T23:59:58.999999999Z");
  assert_string_equal(utc_text(&leap, midnight + INT64_C(17) * 1000000000), "2030-01-01T00:00:00.000Z");
}

static void no_number_is_too_much(void **state) {
  (void)state;
  static const int64_t numbers[] = {INT64_MIN, INT64_MIN + 1, -1, INT64_MAX};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    assert_in_range(strlen(utc_text(&by_table, numbers[i])), 24, 30);
    assert_in_range(strlen(gps_text(numbers[i])), 3, 24);
    (void)sbp_gps_split(numbers[i]);
  }
  struct sbp_utc utc;
  memset(&utc, 0xff, sizeof utc);
  assert_true(sbp_gps_from_utc(&by_table, utc) == 0);
  memset(&utc, 0, sizeof utc);
  assert_true(sbp_gps_from_utc(&by_table, utc) == 0);
  assert_true(at(INT32_MAX, UINT32_MAX, INT32_MAX) > 0);
  assert_true(at(INT32_MIN, 0, 0) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gps_time_begins_with_the_6th_of_january_1980),
      cmocka_unit_test(gps_time_is_written_to_the_ns_without_zeros_behind_it),
      cmocka_unit_test(text_that_was_written_is_read),
      cmocka_unit_test(what_is_no_utc_is_not_read),
      cmocka_unit_test(what_is_no_week_and_tow_is_not_read),
      cmocka_unit_test(text_is_not_read_beyond_its_length),
      cmocka_unit_test(a_residual_is_at_most_half_a_millisecond),
      cmocka_unit_test(a_leap_second_of_the_table_is_a_second_60),
      cmocka_unit_test(a_second_60_elsewhere_is_the_second_after_it),
      cmocka_unit_test(a_second_may_be_left_out),
      cmocka_unit_test(no_number_is_too_much),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
