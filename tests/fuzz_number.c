/* SPDX-License-Identifier: MIT */
/* Numbers as text, both ways, beside the C library's. */
#include <errno.h>
#include <inttypes.h>

#include "fuzz.h"
#include "number.h"

static bool is_number(const char *p) {
  p += *p == '-';
  const char *const whole = p;
  p += strspn(p, "0123456789");
  if (p == whole || (*whole == '0' && p > whole + 1))
    return false;
  if (*p == '.') {
    const size_t digits = strspn(++p, "0123456789");
    p += digits;
    if (digits == 0)
      return false;
  }
  if (*p == 'e' || *p == 'E') {
    p++;
    p += *p == '+' || *p == '-';
    const size_t digits = strspn(p, "0123456789");
    p += digits;
    if (digits == 0)
      return false;
  }
  return *p == '\0';
}

/* ---- Text to numbers ---- */

/* The integer that a number's text is, by moving its digits; false where it is none or has more than 64 bits. */
static bool integer_by_digits(const char *text, uint64_t *value) {
  static char digits[1 << 13];
  size_t count = 0, behind_point = 0;
  bool point = false;
  for (; *text != '\0' && *text != 'e' && *text != 'E'; text++) {
    point |= *text == '.';
    if (*text < '0' || (count == 0 && *text == '0' && !point))
      continue;
    digits[count++] = *text;
    behind_point += point;
  }
  while (count > 0 && digits[count - 1] == '0' && behind_point > 0) {
    count--;
    behind_point--;
  }
  size_t first = 0;
  while (first < count && digits[first] == '0')
    first++;
  *value = 0;
  if (first == count)
    return true;
  long exponent = *text == '\0' ? 0 : strtol(text + 1, NULL, 10);
  if (exponent > 100000 || exponent < -100000)
    return false;
  exponent -= (long)behind_point;
  for (; exponent < 0 && count > first && digits[count - 1] == '0'; exponent++)
    count--;
  if (exponent < 0 || count - first + (size_t)exponent > 20)
    return false;
  for (; exponent > 0; exponent--)
    digits[count++] = '0';
  digits[count] = '\0';
  errno = 0;
  *value = strtoull(digits + first, NULL, 10);
  return errno == 0;
}

static void check_reading(const char *text, size_t length) {
  /* No NUL behind it. */
  char *const copy = fuzz_copy(text, length);
  const struct sbpi_decimal decimal = sbpi_decimal_read(copy, length);
  FUZZ_CHECK(decimal.negative == (text[0] == '-'));

  uint64_t bits = 0, right_bits;
  uint32_t narrow = 0, right_narrow;
  const double number = strtod(text, NULL);
  const float small = strtof(text, NULL);
  memcpy(&right_bits, &number, sizeof number);
  memcpy(&right_narrow, &small, sizeof small);
  const bool finite = (right_bits >> 52 & 0x7ff) != 0x7ff, finite_float = (right_narrow >> 23 & 0xff) != 0xff;
  FUZZ_CHECK(sbpi_decimal_double(&decimal, copy, length, &bits) == finite);
  FUZZ_CHECK(!finite || bits == right_bits);
  FUZZ_CHECK(sbpi_decimal_float(&decimal, copy, length, &narrow) == finite_float);
  FUZZ_CHECK(!finite_float || narrow == right_narrow);

  uint64_t value, right;
  const bool is_integer = integer_by_digits(text, &right);
  FUZZ_CHECK(sbpi_decimal_integer(&decimal, copy, length, &value) == is_integer);
  FUZZ_CHECK(!is_integer || value == right);
  free(copy);
}

/* ---- Numbers to text ---- */

/* The significant digits of a number's text; returns how many. */
static size_t significant(const char *text, char *digits) {
  size_t count = 0;
  for (; *text != '\0' && *text != 'e'; text++)
    if (*text >= '0' && (count > 0 || *text != '0'))
      digits[count++] = *text;
  while (count > 0 && digits[count - 1] == '0')
    count--;
  digits[count] = '\0';
  return count;
}

/* Text of a finite number: `reads_back` says whether a text is the number. */
static void check_text(const char *text, double number, bool compat, bool (*reads_back)(const char *, uint64_t),
                       uint64_t bits) {
  char digits[SBPI_NUMBER_ROOM], other[64], other_digits[64];
  FUZZ_CHECK(is_number(text) && reads_back(text, bits));
  const int count = (int)significant(text, digits);
  if (count == 0)
    return;
  if (count > 1) {
    snprintf(other, sizeof other, "%.*e", count - 2, number);
    FUZZ_CHECK(!reads_back(other, bits));
  }
  /* As many digits, the closest; of two as close the even one, as printf has it. */
  snprintf(other, sizeof other, "%.*e", count - 1, number);
  if (!compat && reads_back(other, bits)) {
    significant(other, other_digits);
    FUZZ_CHECK(strcmp(digits, other_digits) == 0);
  }
}

static bool is_double(const char *text, uint64_t bits) {
  const double value = strtod(text, NULL);
  return memcmp(&value, &bits, sizeof value) == 0;
}

static bool is_float(const char *text, uint64_t bits) {
  const float value = strtof(text, NULL);
  const uint32_t narrow = (uint32_t)bits;
  return memcmp(&value, &narrow, sizeof value) == 0;
}

static void check_writing(uint64_t bits) {
  char out[SBPI_NUMBER_ROOM + 1];
  double number;
  float small;
  const uint32_t narrow = (uint32_t)bits;
  memcpy(&number, &bits, sizeof number);
  memcpy(&small, &narrow, sizeof small);
  for (int compat = 0; compat < 2; compat++) {
    *sbpi_write_double(out, bits, compat != 0) = '\0';
    if ((bits >> 52 & 0x7ff) == 0x7ff)
      FUZZ_CHECK(strcmp(out, "null") == 0);
    else
      check_text(out, number, compat != 0, is_double, bits);
    *sbpi_write_float(out, narrow, compat != 0) = '\0';
    if ((narrow >> 23 & 0xff) == 0xff)
      FUZZ_CHECK(strcmp(out, "null") == 0);
    else
      check_text(out, (double)small, compat != 0, is_float, narrow);
  }
  char right[32];
  *sbpi_write_u64(out, bits) = '\0';
  snprintf(right, sizeof right, "%" PRIu64, bits);
  FUZZ_CHECK(strcmp(out, right) == 0);
  *sbpi_write_u32(out, narrow) = '\0';
  snprintf(right, sizeof right, "%" PRIu32, narrow);
  FUZZ_CHECK(strcmp(out, right) == 0);
}

/* A number's text is read; the first eight bytes of anything are written. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0 || size > 4096)
    return 0;
  char *const text = malloc(size + 1);
  FUZZ_CHECK(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  if (strlen(text) == size && is_number(text))
    check_reading(text, size);
  free(text);
  uint64_t bits = 0;
  memcpy(&bits, data, size < sizeof bits ? size : sizeof bits);
  check_writing(bits);
  return 0;
}
