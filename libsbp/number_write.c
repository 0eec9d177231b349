/* SPDX-License-Identifier: MIT */
/* Numbers to text, three digits at a time: a table of 1000 costs half the time of splitting numbers into single digits,
 * eight in a word at once. Stores are four or eight bytes wide: what stands behind a number is overwritten by what
 * follows. */
#include "number_tables.h"

#define ASCII_ZEROS UINT64_C(0x3030303030303030)

/* ---- Integers -------------------------------------------------------------------------------------------------- */

SBPI_INLINE char *write_triple(char *out, uint32_t value) {
  memcpy(out, sbpi_triple[value], 4);
  return out + 3;
}

SBPI_INLINE char *write_nine(char *out, uint32_t value) {
  const uint32_t thousands = value / 1000;
  const uint32_t millions = value / 1000000;
  out = write_triple(out, millions);
  out = write_triple(out, thousands - millions * 1000);
  return write_triple(out, value - thousands * 1000);
}

char *sbpi_write_long_u32(char *out, uint32_t value) {
  const uint32_t thousands = value / 1000;
  if (value < 1000000) {
    out = sbpi_write_small(out, thousands);
    return write_triple(out, value - thousands * 1000);
  }
  if (value < 1000000000) {
    const uint32_t millions = value / 1000000;
    out = sbpi_write_small(out, millions);
    out = write_triple(out, thousands - millions * 1000);
    return write_triple(out, value - thousands * 1000);
  }
  const uint32_t first = value / 1000000000;
  *out = (char)('0' + first);
  return write_nine(out + 1, value - first * 1000000000);
}

char *sbpi_write_u64(char *out, uint64_t value) {
  if (value <= UINT32_MAX)
    return sbpi_write_u32(out, (uint32_t)value);
  const uint64_t high = value / 1000000000;
  out = sbpi_write_u64(out, high);
  return write_nine(out, (uint32_t)(value - high * 1000000000));
}

/* ---- The shortest digits --------------------------------------------------------------------------------------- */

/* digits * 10^exponent. */
struct shortest {
  uint64_t digits;
  int exponent;
};

/* c * 2^q times 10^-k times 4, where k is floor(log10(2^q)) or one less, rounded to odd: the lowest bit is set as well
 * where a fraction was cut off. The power is one unit too large, never too small; that no quotient of this kind which
 * is not whole comes so near to a whole one is what section 9 of the paper below shows. */
static uint64_t scale_to_odd(struct sbpi_power power, uint64_t four_c) {
  const struct sbpi_product lower = sbpi_multiply(power.low + 1, four_c);
  const struct sbpi_product upper = sbpi_multiply(power.high, four_c);
  const uint64_t fraction = upper.low + lower.high;
  return (upper.high + (fraction < upper.low)) | (fraction != 0);
}

/* Schubfach: Raffaello Giulietti, "The Schubfach way to render doubles", 2020. The value is c * 2^q; `irregular` says
 * that the next smaller value is but half as far as the next larger one. Right for every value of both widths. */
static SBPI_NOINLINE struct shortest shortest_exact(uint64_t c, int q, bool irregular, bool ties_up) {
  const int k = (irregular ? q * 315653 - 131072 : q * 315653) >> 20;
  const int shift = q + sbpi_log2_of_power(-k) + 1;
  const struct sbpi_power power = sbpi_powers[-k - SBPI_POWER_MIN];
  const uint64_t odd = c & 1;
  const uint64_t value = scale_to_odd(power, 4 * c << shift);
  const uint64_t low = scale_to_odd(power, (4 * c - (irregular ? 1 : 2)) << shift) + odd;
  const uint64_t high = scale_to_odd(power, (4 * c + 2) << shift) - odd;

  const uint64_t whole = value / 4;
  const uint64_t tens = whole / 10;
  const bool tens_in = low <= 40 * tens;
  const bool next_tens_in = 40 * tens + 40 <= high;
  if (tens_in != next_tens_in)
    return (struct shortest){tens + next_tens_in, k + 1};

  const bool whole_in = low <= 4 * whole;
  const bool next_in = 4 * whole + 4 <= high;
  const uint64_t middle = 4 * whole + 2;
  const bool next_closer = value > middle || (value == middle && (ties_up || (whole & 1) != 0));
  return (struct shortest){whole + (whole_in != next_in ? next_in : next_closer), k};
}

/* a or b, without a branch: which one it is differs from number to number, and would be guessed wrong. gcc makes
 * branches of ?: here. */
SBPI_INLINE uint64_t select(bool first, uint64_t a, uint64_t b) {
  return b ^ ((a ^ b) & (0 - (uint64_t)first));
}

/* The same for nearly all values, by one multiplication instead of three: c * 2^q is a whole number of 10^k and a
 * fraction of 64 bits, and half the distance to its neighbours follows from the power alone. Both come out a little too
 * small, by less than `slack` in the units they are compared in. Returns false for what is nearer than that to an end
 * of the interval or to the middle between two numbers. */
SBPI_INLINE bool shortest_regular(uint64_t c, int q, bool narrow, struct shortest *shortest) {
  const uint64_t slack = narrow ? UINT64_C(1) << 29 : 8;
  const int k = q * 315653 >> 20;
  const int shift = q + sbpi_log2_of_power(-k) + 1; /* 1 .. 4 */
  const struct sbpi_power *power = &sbpi_powers[-k - SBPI_POWER_MIN];
  struct sbpi_product value = sbpi_multiply(power->high, c << shift);
  if (!narrow) {
    const uint64_t lower = sbpi_multiply(power->low, c << shift).high;
    value.low += lower;
    value.high += value.low < lower;
  }

  /* In units of 10^k / 2^60, of which ten times 10^k just fit. */
  const uint64_t ten = UINT64_C(10) << 60;
  const uint64_t half_of_one = UINT64_C(1) << 63;
  const uint64_t tens = value.high / 10;
  const uint64_t above = (value.high - 10 * tens) << 60 | value.low >> 4;
  const uint64_t half = power->high >> (5 - shift);
  const bool next = above > ten / 2;
  const uint64_t distance = select(next, ten - above, above);
  if (SBPI_UNLIKELY(distance - half + slack <= 2 * slack || value.low - half_of_one + slack <= 2 * slack))
    return false;
  shortest->digits = select(distance < half, 10 * (tens + next), value.high + (value.low > half_of_one));
  shortest->exponent = k;
  return true;
}

/* ---- Layout ---------------------------------------------------------------------------------------------------- */

/* The three digits of a number below 1000, the first in the lowest byte. */
SBPI_INLINE uint64_t load_triple(uint32_t value) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint32_t word;
  memcpy(&word, sbpi_triple[value], sizeof word);
  return word;
#else
  return sbpi_load32((const uint8_t *)sbpi_triple[value]);
#endif
}

/* Three times three digits of a number below 10^9. */
struct nine {
  uint64_t first;
  uint64_t second;
  uint64_t third;
};

SBPI_INLINE struct nine nine_digits(uint32_t value) {
  const uint32_t thousands = value / 1000;
  const uint32_t millions = value / 1000000;
  return (struct nine){load_triple(millions), load_triple(thousands - millions * 1000),
                       load_triple(value - thousands * 1000)};
}

/* Digits of the value 0.ddd * 10^point: eight, eight and one, ASCII zeros behind the `count` that it has. */
struct digits {
  uint64_t first;
  uint64_t second;
  char last;
  int count;
  int point;
};

/* How many of eight digits stand before zeros at the end. `digits` are 0 .. 9, so that they may be doubled. */
SBPI_INLINE int significant(uint64_t digits) {
  return ((sbpi_leading_zeros(2 * digits | 1) ^ 63) + 7) >> 3;
}

/* Write the digits with a point behind the first `point` of them, 1 .. 7. The first word is parted in a register:
 * loading from what was just stored in other pieces would stall. */
SBPI_INLINE void write_with_point(char *out, struct digits digits, int point) {
  const uint64_t one = UINT64_C(1) << 8 * point;
  const uint64_t before = digits.first & (one - 1);
  sbpi_store_eight(out + 1, digits.first);
  sbpi_store_eight(out + 9, digits.second);
  out[17] = digits.last;
  sbpi_store_eight(out, ((digits.first - before) << 8) + before + one * '.');
}

/* The same for 8 .. 16. */
SBPI_INLINE void write_with_late_point(char *out, struct digits digits, int point) {
  char text[25];
  sbpi_store_eight(text, digits.first);
  sbpi_store_eight(text + 8, digits.second);
  sbpi_store_eight(text + 16, ASCII_ZEROS);
  text[16] = digits.last;
  memcpy(out, text, 16);
  out[point] = '.';
  memcpy(out + point + 1, text + point, 9);
}

/* Positional where `point` is above `low` and at most `high`, else exponential. A whole number ends in `.0` unless
 * `bare`. */
SBPI_INLINE char *write_digits(char *out, struct digits digits, int low, int high, bool bare) {
  const int point = digits.point;
  const int count = digits.count;
  if (SBPI_UNLIKELY(point <= low || point > high)) {
    const int exponent = point - 1;
    write_with_point(out, digits, 1);
    out += count > 1 ? count + 1 : 1;
    memcpy(out, "e-", 2);
    return sbpi_write_small(out + 1 + (exponent < 0), (uint32_t)(exponent < 0 ? -exponent : exponent));
  }
  if (point > 0) {
    if (SBPI_LIKELY(point < 8))
      write_with_point(out, digits, point);
    else
      write_with_late_point(out, digits, point);
    if (bare && count <= point)
      return out + point;
    return out + (count > point ? count : point + 1) + 1;
  }
  sbpi_store_eight(out, '0' | '.' << 8 | ASCII_ZEROS << 16);
  out += 2 - point;
  sbpi_store_eight(out, digits.first);
  sbpi_store_eight(out + 8, digits.second);
  out[16] = digits.last;
  return out + count;
}

/* The digits of a number of 16 or 17. */
SBPI_INLINE struct digits double_digits(struct shortest shortest) {
  const bool shorter = shortest.digits < UINT64_C(10000000000000000);
  const uint64_t all = shortest.digits * select(shorter, 100, 10);
  const uint32_t upper = (uint32_t)(all / 1000000000);
  const struct nine high = nine_digits(upper);
  const struct nine low = nine_digits((uint32_t)(all - (uint64_t)upper * 1000000000));
  const uint64_t first = high.first | high.second << 24 | high.third << 48;
  const uint64_t second = high.third >> 16 | low.first << 8 | low.second << 32 | low.third << 56;
  const uint64_t last_eight = (second >> 8 | low.third >> 8 << 56) ^ ASCII_ZEROS;
  const int count = SBPI_LIKELY(last_eight != 0) ? 9 + significant(last_eight)
                                                 : 1 + significant((first >> 8 | second << 56) ^ ASCII_ZEROS);
  return (struct digits){first, second, (char)(low.third >> 8), count, shortest.exponent + 17 - shorter};
}

/* The digits of a number of 7, 8 or 9. */
SBPI_INLINE struct digits float_digits(struct shortest shortest) {
  const bool below_8 = shortest.digits < 100000000;
  const bool below_7 = shortest.digits < 10000000;
  const uint32_t all = (uint32_t)(shortest.digits * (1 + select(below_8, 9, 0) + select(below_7, 90, 0)));
  const struct nine nine = nine_digits(all);
  const uint64_t first = nine.first | nine.second << 24 | nine.third << 48;
  const uint64_t second = nine.third >> 16 | ASCII_ZEROS << 8;
  const int count = 1 + significant((first >> 8 | second << 56) ^ ASCII_ZEROS);
  return (struct digits){first, second, '0', count, shortest.exponent + 9 - below_8 - below_7};
}

/* ---- Doubles and floats ---------------------------------------------------------------------------------------- */

static const uint64_t double_hidden = UINT64_C(1) << 52;
static const uint32_t float_hidden = UINT32_C(1) << 23;

static char *write_null(char *out) {
  memcpy(out, "null", 4);
  return out + 4;
}

static char *write_zero(char *out, bool compat) {
  memcpy(out, "0.0", 3);
  return out + (compat ? 1 : 3);
}

/* All doubles, in both forms. */
static SBPI_NOINLINE char *write_double_exact(char *out, uint64_t bits, bool compat) {
  const uint64_t fraction = bits & (double_hidden - 1);
  const int biased = (int)(bits >> 52 & 0x7ff);
  if (biased == 0x7ff)
    return write_null(out);
  *out = '-';
  out += bits >> 63;
  if (biased == 0 && fraction == 0)
    return write_zero(out, compat);
  struct shortest shortest =
      biased == 0 ? shortest_exact(fraction, -1074, false, compat)
                  : shortest_exact(double_hidden | fraction, biased - 1075, fraction == 0 && biased > 1, compat);
  for (; shortest.digits < UINT64_C(1000000000000000); shortest.exponent--)
    shortest.digits *= 10;
  const struct digits digits = double_digits(shortest);
  if (!compat)
    return write_digits(out, digits, -5, 16, false);
  const uint64_t magnitude = bits << 1 >> 1;
  const bool positional = magnitude >= UINT64_C(0x3fb999999999999a) && magnitude <= UINT64_C(0x416312cfe0000000);
  return write_digits(out, digits, positional ? -1 : 7, 7, true);
}

char *sbpi_write_double(char *out, uint64_t bits, bool compat) {
  const uint64_t fraction = bits & (double_hidden - 1);
  const int biased = (int)(bits >> 52 & 0x7ff);
  struct shortest shortest;
  if (SBPI_UNLIKELY(compat || (unsigned)biased - 1 >= 0x7fe || fraction == 0 ||
                    !shortest_regular(double_hidden | fraction, biased - 1075, false, &shortest)))
    return write_double_exact(out, bits, compat);
  *out = '-';
  return write_digits(out + (bits >> 63), double_digits(shortest), -5, 16, false);
}

static SBPI_NOINLINE char *write_float_exact(char *out, uint32_t bits, bool compat) {
  const uint32_t fraction = bits & (float_hidden - 1);
  const int biased = (int)(bits >> 23 & 0xff);
  if (biased == 0xff)
    return write_null(out);
  *out = '-';
  out += bits >> 31;
  if (biased == 0 && fraction == 0)
    return write_zero(out, compat);
  struct shortest shortest =
      biased == 0 ? shortest_exact(fraction, -149, false, compat)
                  : shortest_exact(float_hidden | fraction, biased - 150, fraction == 0 && biased > 1, compat);
  for (; shortest.digits < 10000000; shortest.exponent--)
    shortest.digits *= 10;
  const struct digits digits = float_digits(shortest);
  if (!compat)
    return write_digits(out, digits, -6, 13, false);
  const uint32_t magnitude = bits << 1 >> 1;
  const bool positional = magnitude >= 0x3dcccccd && magnitude <= 0x4b18967f;
  return write_digits(out, digits, positional ? -1 : 7, 7, true);
}

char *sbpi_write_float(char *out, uint32_t bits, bool compat) {
  const uint32_t fraction = bits & (float_hidden - 1);
  const int biased = (int)(bits >> 23 & 0xff);
  struct shortest shortest;
  if (SBPI_UNLIKELY(compat || (unsigned)biased - 1 >= 0xfe || fraction == 0 ||
                    !shortest_regular(float_hidden | fraction, biased - 150, true, &shortest)))
    return write_float_exact(out, bits, compat);
  *out = '-';
  return write_digits(out + (bits >> 31), float_digits(shortest), -6, 13, false);
}
