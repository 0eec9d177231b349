/* SPDX-License-Identifier: MIT */
/* Text to numbers: a decimal is taken apart once, and rounded once to the width that is wanted. */
#include <float.h>

#include "number_tables.h"

enum {
  DIGITS_MAX = 19,           /* as many fit 64 bits */
  EXPONENT_MAX = 100000000,  /* what sbpi_decimal_read() ends at */
  EXPONENT_READ = 1000000000 /* where reading one stops: more than the zeros of any text could make up for */
};

/* ---- Taking apart ---------------------------------------------------------------------------------------------- */

SBPI_INLINE bool is_digit(char c) {
  return (unsigned char)(c - '0') < 10;
}

/* Read the exponent at `text`, behind its e. Out of line: most numbers have none, and pay for its registers. */
static SBPI_NOINLINE int64_t read_exponent(const char *text, const char *end) {
  const bool negative = *text == '-';
  text += negative || *text == '+';
  int64_t exponent = 0;
  for (; text < end; text++) {
    if (exponent < EXPONENT_READ)
      exponent = exponent * 10 + (*text - '0');
  }
  return negative ? -exponent : exponent;
}

/* The significant digits of a number, one by one: neither sign nor point nor zeros in front. */
struct cursor {
  const char *text;
  const char *end;
};

/* The next digit, or -1 behind the last. */
SBPI_INLINE int next_digit(struct cursor *cursor) {
  if (cursor->text < cursor->end && *cursor->text == '.')
    cursor->text++;
  if (cursor->text == cursor->end || !is_digit(*cursor->text))
    return -1;
  return *cursor->text++ - '0';
}

static struct cursor first_significant(const char *text, size_t length) {
  struct cursor cursor = {text, text + length};
  while (cursor.text < cursor.end && (*cursor.text == '-' || *cursor.text == '0' || *cursor.text == '.'))
    cursor.text++;
  return cursor;
}

/* Whether another digit than 0 is left. */
static bool more_than_zeros(struct cursor *cursor) {
  int digit;
  do
    digit = next_digit(cursor);
  while (digit == 0);
  return digit > 0;
}

/* Numbers of more than 19 digits, zeros in front included, and exponents far out. `exponent` is that of the last digit.
 */
static SBPI_NOINLINE struct sbpi_decimal read_long(const char *text, size_t length, int64_t exponent) {
  struct sbpi_decimal decimal = {.negative = *text == '-'};
  struct cursor cursor = first_significant(text, length);
  int digit = 0;
  for (int count = 0; count < DIGITS_MAX && (digit = next_digit(&cursor)) >= 0; count++)
    decimal.digits = decimal.digits * 10 + (unsigned)digit;
  while (digit >= 0 && (digit = next_digit(&cursor)) >= 0) {
    decimal.inexact |= digit > 0;
    exponent++;
  }
  if (exponent > EXPONENT_MAX)
    exponent = EXPONENT_MAX;
  else if (exponent < -EXPONENT_MAX)
    exponent = -EXPONENT_MAX;
  decimal.exponent = (int32_t)exponent;
  return decimal;
}

/* Eight bytes of text as digits, the first in the lowest byte; what is no digit gives 10 .. 255. */
SBPI_INLINE uint64_t load_eight(const char *text) {
  return sbpi_load64((const uint8_t *)text) ^ UINT64_C(0x3030303030303030);
}

SBPI_INLINE bool are_digits(uint64_t eight) {
  return ((eight | (eight + UINT64_C(0x0606060606060606))) & UINT64_C(0xf0f0f0f0f0f0f0f0)) == 0;
}

/* The number that eight digits make: first pairs of them, then all four pairs by the upper halves of two products. */
SBPI_INLINE uint64_t value_of_eight(uint64_t eight) {
  const uint64_t pairs = eight * 10 + (eight >> 8);
  const uint64_t lanes = UINT64_C(0x000000ff000000ff);
  return (uint32_t)(((pairs & lanes) * (100 + (UINT64_C(1000000) << 32)) +
                     (pairs >> 16 & lanes) * (1 + (UINT64_C(10000) << 32))) >>
                    32);
}

struct sbpi_decimal sbpi_decimal_read(const char *text, size_t length) {
  const char *const end = text + length;
  const bool negative = *text == '-';
  const char *p = text + negative;
  const char *first = p;
  uint64_t digits = 0;
  for (; p < end && is_digit(*p); p++)
    digits = digits * 10 + (unsigned)(*p - '0');
  ptrdiff_t count = p - first;
  int64_t exponent = 0;
  if (p < end && *p == '.') {
    first = ++p;
    /* No loop where there are 8 .. 16 places: its end would be guessed wrong. The second eight digits are the last ones
     * of the text, those that were among the first set to 0. */
    if (end - p >= 8 && end - p <= 16) {
      static const uint32_t ten_to[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
      const unsigned more = (unsigned)(end - p) - 8;
      const uint64_t eight = load_eight(p);
      const uint64_t tail = load_eight(end - 8) & (UINT64_MAX << 4 * (8 - more) << 4 * (8 - more));
      if (are_digits(eight) && are_digits(tail)) {
        digits = (digits * 100000000 + value_of_eight(eight)) * ten_to[more] + value_of_eight(tail);
        p = end;
      }
    }
    for (; p < end && is_digit(*p); p++)
      digits = digits * 10 + (unsigned)(*p - '0');
    exponent = first - p;
    count += p - first;
  }
  if (SBPI_UNLIKELY(p < end))
    exponent += read_exponent(p + 1, end);
  if (SBPI_UNLIKELY(count > DIGITS_MAX || exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX))
    return read_long(text, length, exponent);
  return (struct sbpi_decimal){digits, (int32_t)exponent, negative, false};
}

bool sbpi_decimal_integer(const struct sbpi_decimal *decimal, const char *text, size_t length, uint64_t *magnitude) {
  uint64_t value = decimal->digits;
  int exponent = decimal->exponent;
  if (SBPI_UNLIKELY(decimal->inexact)) {
    /* 64 bits hold some integers of 20 digits: then the last one stands alone behind the 19, and is the units'. */
    struct cursor cursor = first_significant(text, length);
    for (int i = 0; i < DIGITS_MAX; i++)
      (void)next_digit(&cursor);
    const unsigned last = (unsigned)next_digit(&cursor);
    if (exponent != 1 || more_than_zeros(&cursor) || value > (UINT64_MAX - last) / 10)
      return false;
    *magnitude = value * 10 + last;
    return true;
  }
  if (value == 0)
    exponent = 0;
  for (; exponent > 0; exponent--) {
    if (value > UINT64_MAX / 10)
      return false;
    value *= 10;
  }
  for (; exponent < 0; exponent++) {
    if (value % 10 != 0)
      return false;
    value /= 10;
  }
  *magnitude = value;
  return true;
}

/* ---- Exact comparison ------------------------------------------------------------------------------------------ */

/* A whole number in words of 32 bits, the lowest first. The largest below is the middle between two doubles, 54 bits,
 * times 5^(342 + 769 - 19), 2536 bits; what it is compared with comes to the same size. */
enum { WORDS_MAX = 88 };

struct whole {
  uint32_t words[WORDS_MAX];
  int count;
};

static void set_whole(struct whole *whole, uint64_t value) {
  whole->words[0] = (uint32_t)value;
  whole->words[1] = (uint32_t)(value >> 32);
  whole->count = 2;
}

static void multiply_add(struct whole *whole, uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (int i = 0; i < whole->count; i++) {
    carry += (uint64_t)whole->words[i] * factor;
    whole->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0)
    whole->words[whole->count++] = (uint32_t)carry;
}

static void multiply_by_power_of_5(struct whole *whole, int exponent) {
  for (; exponent >= 13; exponent -= 13)
    multiply_add(whole, 1220703125, 0);
  for (; exponent > 0; exponent--)
    multiply_add(whole, 5, 0);
}

static void shift_left(struct whole *whole, int bits) {
  const int by = bits / 32;
  for (int i = whole->count - 1; i >= 0; i--)
    whole->words[i + by] = whole->words[i];
  for (int i = 0; i < by; i++)
    whole->words[i] = 0;
  whole->count += by;
  multiply_add(whole, UINT32_C(1) << bits % 32, 0);
}

static int compare_wholes(const struct whole *a, const struct whole *b) {
  for (int i = WORDS_MAX - 1; i >= 0; i--) {
    const uint32_t word_a = i < a->count ? a->words[i] : 0;
    const uint32_t word_b = i < b->count ? b->words[i] : 0;
    if (word_a != word_b)
      return word_a < word_b ? -1 : 1;
  }
  return 0;
}

/* The significant digits of a decimal, all that can matter: the middle between two doubles has at most 767, so behind
 * the first 768 a single 1 stands for whatever follows. Returns the exponent that belongs to them. */
static int read_digits(struct whole *whole, const struct sbpi_decimal *decimal, const char *text, size_t length) {
  if (!decimal->inexact) {
    set_whole(whole, decimal->digits);
    return decimal->exponent;
  }
  set_whole(whole, 0);
  struct cursor cursor = first_significant(text, length);
  int count = 0;
  int digit = 0;
  uint32_t part = 0;
  uint32_t scale = 1;
  for (; count < 768 && (digit = next_digit(&cursor)) >= 0; count++) {
    part = part * 10 + (uint32_t)digit;
    scale *= 10;
    if (scale == 1000000000) {
      multiply_add(whole, scale, part);
      part = 0;
      scale = 1;
    }
  }
  multiply_add(whole, scale, part);
  if (digit >= 0 && more_than_zeros(&cursor)) {
    multiply_add(whole, 10, 1);
    count++;
  }
  return decimal->exponent + DIGITS_MAX - count;
}

/* Compare a decimal with middle * 2^exponent, which is less than twice or half as large. */
static int compare_exactly(const struct sbpi_decimal *decimal, const char *text, size_t length, uint64_t middle,
                           int exponent) {
  struct whole left;
  struct whole right;
  const int power = read_digits(&left, decimal, text, length);
  set_whole(&right, middle);
  if (power >= 0)
    multiply_by_power_of_5(&left, power);
  else
    multiply_by_power_of_5(&right, -power);
  if (exponent >= power)
    shift_left(&right, exponent - power);
  else
    shift_left(&left, power - exponent);
  return compare_wholes(&left, &right);
}

/* ---- Rounding -------------------------------------------------------------------------------------------------- */

/* The formats: their precision in bits, and `least`, where 2^least is the smallest number. */
enum { FLOAT_PRECISION = 24, FLOAT_LEAST = -149, DOUBLE_PRECISION = 53, DOUBLE_LEAST = -1074 };
#define FLOAT_INFINITY UINT64_C(0x7f800000)
#define DOUBLE_INFINITY UINT64_C(0x7ff0000000000000)

/* A decimal cut off to the format's next number below, mantissa * 2^exponent, which is encoded as `encoding`. `rest` is
 * what was cut off, in units of 2^exponent / 2^64. It is a multiple of `step`, and too small by less than 2 steps;
 * where the decimal lacks digits, by less than 18. */
struct cut {
  uint64_t encoding;
  uint64_t mantissa;
  uint64_t rest;
  uint64_t step;
  int exponent;
};

/* After Daniel Lemire, "Number parsing at a gigabyte per second", 2021: the product of all digits and the first 64 bits
 * of the power of ten tells the nearest number but for cases next to the middle between two. Here the power is never
 * too large, so that the product's upper half lies below the value, by less than 1 for what the power lacks and 1 for
 * the lower half; digits left out are less than 1 in the last place of 19, and shifted by at most 4 bits. A value too
 * large gives infinity's encoding or a larger one. */
SBPI_INLINE struct cut cut_off(const struct sbpi_decimal *decimal, int precision, int least) {
  const int power = decimal->exponent;
  if (SBPI_UNLIKELY(decimal->digits == 0 || power < SBPI_POWER_MIN))
    return (struct cut){0};
  if (SBPI_UNLIKELY(power > 308))
    return (struct cut){.encoding = DOUBLE_INFINITY};

  /* The value is about product * 2^exponent, the product having 63 or 64 bits. A small value keeps fewer of them than
   * the format has, down to none. A still smaller one is less than half of the smallest number, however much the
   * product is too small: none comes near 2^64, since no power in the table does. */
  const int zeros = sbpi_leading_zeros(decimal->digits);
  const uint64_t product = sbpi_multiply(decimal->digits << zeros, sbpi_powers[power - SBPI_POWER_MIN].high).high;
  const int exponent = sbpi_log2_of_power(power) + 1 - zeros;
  int keep = precision + (int)(product >> 63 ^ 1);
  if (SBPI_UNLIKELY(exponent + 64 - keep < least)) {
    keep = exponent + 64 - least;
    if (keep < 0)
      return (struct cut){0};
  }
  const uint64_t mantissa = product >> 1 >> (63 - keep);
  const int last = exponent + 64 - keep;
  return (struct cut){((uint64_t)(last - least) << (precision - 1)) + mantissa, mantissa, product << keep,
                      UINT64_C(1) << keep, last};
}

/* Whether the value, `rest` being too small by less than `steps`, may lie on both sides of the middle. */
SBPI_INLINE bool is_open(const struct cut *cut, unsigned steps) {
  return (UINT64_C(1) << 63) - cut->rest < steps * cut->step;
}

/* The encoding of the nearest number, where the cut alone does not tell. */
static SBPI_NOINLINE uint64_t round_exactly(const struct sbpi_decimal *decimal, const char *text, size_t length,
                                            struct cut cut) {
  if (!is_open(&cut, 18))
    return cut.encoding + (cut.rest >> 63);
  const int order = compare_exactly(decimal, text, length, 2 * cut.mantissa + 1, cut.exponent - 1);
  return cut.encoding + (order > 0 || (order == 0 && (cut.mantissa & 1) != 0));
}

static SBPI_NOINLINE bool float_exactly(const struct sbpi_decimal *decimal, const char *text, size_t length,
                                        uint32_t *bits) {
  const struct cut cut = cut_off(decimal, FLOAT_PRECISION, FLOAT_LEAST);
  const uint64_t magnitude = round_exactly(decimal, text, length, cut);
  *bits = (uint32_t)magnitude | (uint32_t)decimal->negative << 31;
  return magnitude < FLOAT_INFINITY;
}

bool sbpi_decimal_float(const struct sbpi_decimal *decimal, const char *text, size_t length, uint32_t *bits) {
  const struct cut cut = cut_off(decimal, FLOAT_PRECISION, FLOAT_LEAST);
  if (SBPI_UNLIKELY(decimal->inexact || is_open(&cut, 2)))
    return float_exactly(decimal, text, length, bits);
  const uint64_t magnitude = cut.encoding + (cut.rest >> 63);
  *bits = (uint32_t)magnitude | (uint32_t)decimal->negative << 31;
  return magnitude < FLOAT_INFINITY;
}

static SBPI_NOINLINE bool double_exactly(const struct sbpi_decimal *decimal, const char *text, size_t length,
                                         uint64_t *bits) {
  const struct cut cut = cut_off(decimal, DOUBLE_PRECISION, DOUBLE_LEAST);
  const uint64_t magnitude = round_exactly(decimal, text, length, cut);
  *bits = magnitude | (uint64_t)decimal->negative << 63;
  return magnitude < DOUBLE_INFINITY;
}

/* William Clinger, "How to read floating point numbers accurately", 1990: where digits and power of ten are doubles,
 * one operation on them rounds right. That saves 2 to 4 ns of 15. It takes arithmetic of just that width. */
SBPI_INLINE bool double_by_arithmetic(const struct sbpi_decimal *decimal, uint64_t *magnitude) {
#if FLT_EVAL_METHOD == 0
  static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const int power = decimal->exponent;
  if (decimal->digits > UINT64_C(1) << DOUBLE_PRECISION || power < -22 || power > 22)
    return false;
  const double digits = (double)(int64_t)decimal->digits;
  const double value = power < 0 ? digits / ten_to[-power] : digits * ten_to[power];
  memcpy(magnitude, &value, sizeof value);
  return true;
#else
  (void)decimal;
  (void)magnitude;
  return false;
#endif
}

bool sbpi_decimal_double(const struct sbpi_decimal *decimal, const char *text, size_t length, uint64_t *bits) {
  uint64_t magnitude;
  if (double_by_arithmetic(decimal, &magnitude)) {
    *bits = magnitude | (uint64_t)decimal->negative << 63;
    return true;
  }
  const struct cut cut = cut_off(decimal, DOUBLE_PRECISION, DOUBLE_LEAST);
  if (SBPI_UNLIKELY(decimal->inexact || is_open(&cut, 2)))
    return double_exactly(decimal, text, length, bits);
  magnitude = cut.encoding + (cut.rest >> 63);
  *bits = magnitude | (uint64_t)decimal->negative << 63;
  return magnitude < DOUBLE_INFINITY;
}
