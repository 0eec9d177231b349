/* SPDX-License-Identifier: MIT */
/* Numbers to text, three digits at a time from a table: 2 to 3 ns for an integer, against 5 to 6 where single digits
 * are split off, eight in a word at once. Stores are four and eight bytes wide: what stands behind a number is
 * overwritten by what follows. */
#include "number_tables.h"

#define ASCII_ZEROS UINT64_C(0x3030303030303030)

SBPI_INLINE void store_eight(char *out, uint64_t characters) {
  sbpi_store64((uint8_t *)out, characters);
}

/* ---- Integers -------------------------------------------------------------------------------------------------- */

SBPI_INLINE char *write_nine(char *out, uint32_t value) {
  const uint32_t thousands = value / 1000;
  const uint32_t millions = value / 1000000;
  out = sbpi_write_triple(out, millions);
  out = sbpi_write_triple(out, thousands - millions * 1000);
  return sbpi_write_triple(out, value - thousands * 1000);
}

char *sbpi_write_large(char *out, uint32_t value) {
  if (value < 1000000000) {
    const uint32_t thousands = value / 1000;
    const uint32_t millions = value / 1000000;
    out = sbpi_write_small(out, millions);
    out = sbpi_write_triple(out, thousands - millions * 1000);
    return sbpi_write_triple(out, value - thousands * 1000);
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

/* floor(log10(2^q)), for |q| <= 1100. */
SBPI_INLINE int log10_of_power_of_2(int q) {
  return q * 315653 >> 20;
}

/* floor(log10(3/4 * 2^q)). */
SBPI_INLINE int log10_of_three_quarters(int q) {
  return (q * 315653 - 131072) >> 20;
}

/* x * 10^-k in quarters, rounded to odd: the lowest bit is also set where a fraction was cut off. `power` is 10^-k and
 * x comes shifted to match it. The power taken is too large by less than one unit, which can be seen in no fraction: of
 * all the quotients that are compared below, none but the whole ones is within 2^-63 of a whole one. */
SBPI_INLINE uint64_t round_to_odd(const struct sbpi_power *power, uint64_t x) {
  const struct sbpi_product lower = sbpi_multiply(power->low + 1, x);
  const struct sbpi_product upper = sbpi_multiply(power->high, x);
  const uint64_t fraction = upper.low + lower.high;
  return (upper.high + (fraction < upper.low)) | (fraction != 0);
}

/* Raffaello Giulietti, "The Schubfach way to render doubles", 2020: among the multiples of 10^(k + 1) at most one
 * rounds to the value c * 2^q, among those of 10^k at least one does. `irregular` says that the next smaller value is
 * half as far away as the next larger one; `ties_up` that of two decimals as near the larger is wanted, not the even
 * one. */
static struct shortest shortest_exactly(uint64_t c, int q, bool irregular, bool ties_up) {
  const int k = irregular ? log10_of_three_quarters(q) : log10_of_power_of_2(q);
  const int shift = q + sbpi_log2_of_power(-k) + 1;
  const struct sbpi_power *power = &sbpi_powers[-k - SBPI_POWER_MIN];
  const uint64_t ends_out = c & 1;
  const uint64_t value = round_to_odd(power, 4 * c << shift);
  const uint64_t low = round_to_odd(power, (4 * c - (irregular ? 1 : 2)) << shift) + ends_out;
  const uint64_t high = round_to_odd(power, (4 * c + 2) << shift) - ends_out;

  const uint64_t whole = value / 4;
  const uint64_t tens = whole / 10;
  const bool tens_in = low <= 40 * tens;
  const bool next_tens_in = 40 * tens + 40 <= high;
  if (tens_in != next_tens_in)
    return (struct shortest){tens + next_tens_in, k + 1};

  const bool whole_in = low <= 4 * whole;
  const bool next_in = 4 * whole + 4 <= high;
  const uint64_t middle = 4 * whole + 2;
  const bool next_nearer = value > middle || (value == middle && (ties_up || (whole & 1) != 0));
  return (struct shortest){whole + (whole_in != next_in ? next_in : next_nearer), k};
}

/* a or b, without a branch: where that differs from number to number, wrong guesses cost 10 ns a double. gcc makes
 * branches of ?:. */
SBPI_INLINE uint64_t pick(bool first, uint64_t a, uint64_t b) {
  return b ^ ((a ^ b) & (0 - (uint64_t)first));
}

/* The same for nearly all values, by one multiplication instead of three: c * 2^q is a whole number of 10^k and a
 * fraction of 64 bits, and half the distance to its neighbours follows from the power alone. Both come out too small,
 * by less than `slack` in the units they are compared in. Returns false where that leaves it open: next to an end of
 * the interval, or to the middle between two decimals. A float is content with the upper half of the power. */
SBPI_INLINE bool shortest_regular(uint64_t c, int q, bool narrow, struct shortest *shortest) {
  const uint64_t slack = narrow ? UINT64_C(1) << 29 : 8;
  const int k = log10_of_power_of_2(q);
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
  const uint64_t distance = pick(next, ten - above, above);
  if (SBPI_UNLIKELY(distance - half + slack <= 2 * slack || value.low - half_of_one + slack <= 2 * slack))
    return false;
  shortest->digits = pick(distance < half, 10 * (tens + next), value.high + (value.low > half_of_one));
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
  store_eight(out + 1, digits.first);
  store_eight(out + 9, digits.second);
  out[17] = digits.last;
  store_eight(out, ((digits.first - before) << 8) + before + one * '.');
}

/* The same for 8 .. 16. */
SBPI_INLINE void write_with_late_point(char *out, struct digits digits, int point) {
  char text[25];
  store_eight(text, digits.first);
  store_eight(text + 8, digits.second);
  store_eight(text + 16, ASCII_ZEROS);
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
  store_eight(out, '0' | '.' << 8 | ASCII_ZEROS << 16);
  out += 2 - point;
  store_eight(out, digits.first);
  store_eight(out + 8, digits.second);
  out[16] = digits.last;
  return out + count;
}

/* The digits of a number of 16 or 17. */
SBPI_INLINE struct digits double_digits(struct shortest shortest) {
  const bool shorter = shortest.digits < UINT64_C(10000000000000000);
  const uint64_t all = shortest.digits * pick(shorter, 100, 10);
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
  const uint32_t all = (uint32_t)(shortest.digits * (1 + pick(below_8, 9, 0) + pick(below_7, 90, 0)));
  const struct nine nine = nine_digits(all);
  const uint64_t first = nine.first | nine.second << 24 | nine.third << 48;
  const uint64_t second = nine.third >> 16 | ASCII_ZEROS << 8;
  const int count = 1 + significant((first >> 8 | second << 56) ^ ASCII_ZEROS);
  return (struct digits){first, second, '0', count, shortest.exponent + 9 - below_8 - below_7};
}

/* ---- Doubles and floats ---------------------------------------------------------------------------------------- */

/* Where the point may stand in positional form. */
enum { FLOAT_LOW = -6, FLOAT_HIGH = 13, DOUBLE_LOW = -5, DOUBLE_HIGH = 16 };

/* Any float (`narrow`) or double, in either form. `magnitude` is its bits but for the sign. */
static SBPI_NOINLINE char *write_exactly(char *out, bool negative, uint64_t magnitude, bool narrow, bool compat) {
  const uint64_t hidden = UINT64_C(1) << (narrow ? 23 : 52);
  const uint64_t fraction = magnitude & (hidden - 1);
  const int biased = (int)(magnitude / hidden);
  const int least = narrow ? -149 : -1074;
  if (biased == (narrow ? 0xff : 0x7ff)) {
    memcpy(out, "null", 4);
    return out + 4;
  }
  *out = '-';
  out += negative;
  if (magnitude == 0) {
    memcpy(out, "0.0", 3);
    return out + (compat ? 1 : 3);
  }
  struct shortest shortest =
      biased == 0 ? shortest_exactly(fraction, least, false, compat)
                  : shortest_exactly(hidden | fraction, least + biased - 1, fraction == 0 && biased > 1, compat);
  for (const uint64_t fewest = narrow ? 10000000 : UINT64_C(1000000000000000); shortest.digits < fewest;) {
    shortest.digits *= 10;
    shortest.exponent--;
  }
  const struct digits digits = narrow ? float_digits(shortest) : double_digits(shortest);
  if (!compat)
    return write_digits(out, digits, narrow ? FLOAT_LOW : DOUBLE_LOW, narrow ? FLOAT_HIGH : DOUBLE_HIGH, false);
  const uint64_t tenth = narrow ? 0x3dcccccd : UINT64_C(0x3fb999999999999a);
  const uint64_t limit = narrow ? 0x4b18967f : UINT64_C(0x416312cfe0000000); /* 9999999 */
  const bool positional = magnitude >= tenth && magnitude <= limit;
  return write_digits(out, digits, positional ? -1 : 7, 7, true);
}

char *sbpi_write_float(char *out, uint32_t bits, bool compat) {
  const uint32_t hidden = UINT32_C(1) << 23;
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t fraction = magnitude & (hidden - 1);
  const int biased = (int)(magnitude / hidden);
  struct shortest shortest;
  if (SBPI_UNLIKELY(compat || (unsigned)biased - 1 >= 0xfe || fraction == 0 ||
                    !shortest_regular(hidden | fraction, biased - 150, true, &shortest)))
    return write_exactly(out, bits >> 31, magnitude, true, compat);
  *out = '-';
  return write_digits(out + (bits >> 31), float_digits(shortest), FLOAT_LOW, FLOAT_HIGH, false);
}

char *sbpi_write_double(char *out, uint64_t bits, bool compat) {
  const uint64_t hidden = UINT64_C(1) << 52;
  const uint64_t magnitude = bits & (UINT64_MAX >> 1);
  const uint64_t fraction = magnitude & (hidden - 1);
  const int biased = (int)(magnitude / hidden);
  struct shortest shortest;
  if (SBPI_UNLIKELY(compat || (unsigned)biased - 1 >= 0x7fe || fraction == 0 ||
                    !shortest_regular(hidden | fraction, biased - 1075, false, &shortest)))
    return write_exactly(out, bits >> 63, magnitude, false, compat);
  *out = '-';
  return write_digits(out + (bits >> 63), double_digits(shortest), DOUBLE_LOW, DOUBLE_HIGH, false);
}
