/* SPDX-License-Identifier: MIT */
/* Numbers as JSON text, both ways; exact, and the same in every locale. */
#ifndef SBPKIT_NUMBER_H
#define SBPKIT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "port.h"

/* The most bytes that a writer below may touch from `out` on, which is more than the text it leaves there. */
enum { SBPI_NUMBER_ROOM = 40 };

/* Decimal text of 0 .. 999, left-justified, and its length in the fourth byte. */
extern const char sbpi_small[1000][4];

/* The same as three digits, and a zero byte. */
extern const char sbpi_triple[1000][4];

/* Write a number, no NUL, and return the end of its text. */

/* Below 1000. */
SBPI_INLINE char *sbpi_write_small(char *out, uint32_t value) {
  memcpy(out, sbpi_small[value], 4);
  return out + sbpi_small[value][3];
}

/* Past the text of a number below 1000, from which on four bytes can be read; NULL where it does not begin there. */
SBPI_INLINE const char *sbpi_past_small(const char *text, uint32_t value) {
  static const uint32_t masks[4] = {0, 0xff, 0xffff, 0xffffff};
  const uint32_t small = sbpi_load32((const uint8_t *)sbpi_small[value]);
  const unsigned count = small >> 24;
  return ((sbpi_load32((const uint8_t *)text) ^ small) & masks[count]) == 0 ? text + count : NULL;
}

SBPI_INLINE char *sbpi_write_u8(char *out, uint8_t value) {
  return sbpi_write_small(out, value);
}

/* Below 1000, as three digits. */
SBPI_INLINE char *sbpi_write_triple(char *out, uint32_t value) {
  memcpy(out, sbpi_triple[value], 4);
  return out + 3;
}

/* Below a million, as all of 16 bits are. */
SBPI_INLINE char *sbpi_write_medium(char *out, uint32_t value) {
  if (value < 1000)
    return sbpi_write_small(out, value);
  const uint32_t thousands = value / 1000;
  out = sbpi_write_small(out, thousands);
  return sbpi_write_triple(out, value - 1000 * thousands);
}

/* From a million on. */
char *sbpi_write_large(char *out, uint32_t value);

SBPI_INLINE char *sbpi_write_u32(char *out, uint32_t value) {
  return value < 1000000 ? sbpi_write_medium(out, value) : sbpi_write_large(out, value);
}

char *sbpi_write_u64(char *out, uint64_t value);

SBPI_INLINE char *sbpi_write_s32(char *out, int32_t value) {
  *out = '-';
  return sbpi_write_u32(out + (value < 0), value < 0 ? 0 - (uint32_t)value : (uint32_t)value);
}

SBPI_INLINE char *sbpi_write_s64(char *out, int64_t value) {
  *out = '-';
  return sbpi_write_u64(out + (value < 0), value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* The shortest digits that read back to the same value of this width; among those the closest; of two as close the one
 * with an even last digit, or, in compat form, the larger one. NaN and infinities are `null`. The value is given by its
 * IEEE 754 bits. The plain and compat layouts are those of docs/format.md, section "Floats". */
char *sbpi_write_float(char *out, uint32_t bits, bool compat);
char *sbpi_write_double(char *out, uint64_t bits, bool compat);

/* A JSON number taken apart: (-1)^negative * digits * 10^exponent. `digits` holds the first 19 significant digits;
 * `inexact` is set where digits other than 0 were left out behind them. */
struct sbpi_decimal {
  uint64_t digits;
  int32_t exponent;
  bool negative;
  bool inexact;
};

/* Take apart a number whose syntax was checked before (RFC 8259 section 6). Exponents of any length are fine: they end
 * at +-100,000,000. */
struct sbpi_decimal sbpi_decimal_read(const char *text, size_t length);

/* The nearest float or double, ties to even, rounded once; `text` is the number itself, looked at only where the
 * decimal is inexact. Returns false where the value is too large for a finite one. The floating-point environment must
 * round to nearest, as it does when a program starts. */
bool sbpi_decimal_float(const struct sbpi_decimal *decimal, const char *text, size_t length, uint32_t *bits);
bool sbpi_decimal_double(const struct sbpi_decimal *decimal, const char *text, size_t length, uint64_t *bits);

/* The integer that a decimal is exactly, as in 1025, 1025.0, 1.025e3, -0. Returns false where it is none, or its
 * magnitude is over 2^64 - 1; *magnitude and the decimal's sign make the value. `text` as above. */
bool sbpi_decimal_integer(const struct sbpi_decimal *decimal, const char *text, size_t length, uint64_t *magnitude);

#endif
