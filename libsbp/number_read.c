/* SPDX-License-Identifier: MIT */
/* Text to numbers: a decimal is taken apart once, and rounded once to the width that is wanted. */
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

/* Read the exponent at `text`, behind its e. */
static int64_t read_exponent(const char *text, const char *end) {
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

/* Numbers of more than 19 digits, zeros in front included. `exponent` is that of the last digit. */
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

/* The value of eight digits at `text`, or -1 where not all are digits. */
SBPI_INLINE int64_t read_eight(const char *text) {
  uint64_t word = sbpi_load64((const uint8_t *)text) ^ UINT64_C(0x3030303030303030);
  if (((word | (word + UINT64_C(0x0606060606060606))) & UINT64_C(0xf0f0f0f0f0f0f0f0)) != 0)
    return -1;
  word = word * 10 + (word >> 8);
  const uint64_t pairs = UINT64_C(0x000000ff000000ff);
  return (int64_t)((((word & pairs) * (100 + (UINT64_C(1000000) << 32)) +
                     (word >> 16 & pairs) * (1 + (UINT64_C(10000) << 32))) >> 32));
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
    while (end - p >= 8) {
      const int64_t eight = read_eight(p);
      if (eight < 0)
        break;
      digits = digits * 100000000 + (uint64_t)eight;
      p += 8;
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
    /* Of 20 significant digits, and whole only if the last one is the units' and nothing is behind it. */
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

/* A whole number in words of 32 bits, the lowest first. The largest that is compared below is the middle between two
 * small doubles times 5^(342 + 770): 2640 bits. */
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
  for (; count < 768 && (digit = next_digit(&cursor)) >= 0; count++)
    multiply_add(whole, 10, (uint32_t)digit);
  if (digit >= 0 && more_than_zeros(&cursor)) {
    multiply_add(whole, 10, 1);
    count++;
  }
  return decimal->exponent + DIGITS_MAX - count;
}

/* Compare a decimal with middle * 2^exponent, to which it is near. */
static SBPI_NOINLINE int compare_exact(const struct sbpi_decimal *decimal, const char *text, size_t length,
                                       uint64_t middle, int exponent) {
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

/* The encoding of the nearest number with `precision` bits, whose lowest is 2^least or more. Too large a value gives an
 * encoding that is no finite number's.
 *
 * After Daniel Lemire, "Number parsing at a gigabyte per second", 2021: 64 digits bits times 128 bits of the power of
 * ten tell the number but for cases next to the middle between two. Here the power is never too large, so that the
 * product lies below the value by a known bound, and what is left open is compared exactly. */
SBPI_INLINE uint64_t nearest(const struct sbpi_decimal *decimal, const char *text, size_t length, int precision,
                             int least) {
  const int power = decimal->exponent;
  if (decimal->digits == 0 || power < SBPI_POWER_MIN)
    return 0;
  if (power > 308)
    return UINT64_MAX;

  const int zeros = sbpi_leading_zeros(decimal->digits);
  const struct sbpi_power *ten = &sbpi_powers[power - SBPI_POWER_MIN];
  const struct sbpi_product upper = sbpi_multiply(decimal->digits << zeros, ten->high);
  const struct sbpi_product lower = sbpi_multiply(decimal->digits << zeros, ten->low);
  uint64_t low = upper.low + lower.high;
  uint64_t high = upper.high + (low < upper.low);
  const int shift = (int)(high >> 63) ^ 1;
  high = high << shift | (low >> 63 & (uint64_t)shift);
  low <<= shift;

  /* The value is high * 2^exponent and a bit. Small ones keep fewer bits. */
  int exponent = sbpi_log2_of_power(power) + 1 - zeros - shift;
  int keep = precision;
  if (SBPI_UNLIKELY(exponent + 64 - precision < least)) {
    keep = exponent + 64 - least;
    if (keep < -1)
      return 0;
    if (keep < 0) { /* just below half of the smallest, perhaps */
      low = low >> 1 | high << 63;
      high >>= 1;
      exponent++;
      keep = 0;
    }
  }
  const uint64_t mantissa = high >> 1 >> (63 - keep);
  const uint64_t rest = high << keep;
  const int last = exponent + 64 - keep;
  const uint64_t below = ((uint64_t)(last - least) << (precision - 1)) + mantissa;

  const uint64_t middle = UINT64_C(1) << 63;
  const bool exact = !decimal->inexact && power >= 0 && power <= SBPI_POWER_EXACT;
  if (rest >= middle) {
    const bool tie = exact && rest == middle && low == 0 && lower.low == 0;
    return below + (tie ? mantissa & 1 : 1);
  }
  /* The product is too small by less than 4 in `low`; where digits were left out, which are less than one in `digits`,
   * by less than 3 << zeros in `high`, and zeros is at most 4. */
  const bool near = decimal->inexact ? middle - rest <= UINT64_C(3) << zeros << keep
                                     : rest == middle - (UINT64_C(1) << keep) && low >= UINT64_MAX - 4;
  if (SBPI_LIKELY(exact || !near))
    return below;
  const int order = compare_exact(decimal, text, length, 2 * mantissa + 1, last - 1);
  return below + (order > 0 || (order == 0 && (mantissa & 1) != 0));
}

bool sbpi_decimal_float(const struct sbpi_decimal *decimal, const char *text, size_t length, uint32_t *bits) {
  const uint64_t magnitude = nearest(decimal, text, length, 24, -149);
  *bits = (uint32_t)magnitude | (uint32_t)decimal->negative << 31;
  return magnitude < 0x7f800000;
}

bool sbpi_decimal_double(const struct sbpi_decimal *decimal, const char *text, size_t length, uint64_t *bits) {
  const uint64_t magnitude = nearest(decimal, text, length, 53, -1074);
  *bits = magnitude | (uint64_t)decimal->negative << 63;
  return magnitude < UINT64_C(0x7ff0000000000000);
}
