/* SPDX-License-Identifier: MIT */
/* Tables and wide multiplication that number_write.c and number_read.c share. */
#ifndef SBPKIT_NUMBER_TABLES_H
#define SBPKIT_NUMBER_TABLES_H

#include "number.h"

/* 10^e for e in SBPI_POWER_MIN .. SBPI_POWER_MAX, cut off to 128 significant bits, the highest of them set:
 *   high:low <= 10^e * 2^(127 - floor(log2(10^e))) < high:low + 1,
 * equal where e is in 0 .. SBPI_POWER_EXACT. The writer needs -292 .. 324, the reader -342 .. 308: below, 19 digits are
 * less than half of the smallest double, above, one digit is more than the largest. */
enum { SBPI_POWER_MIN = -342, SBPI_POWER_MAX = 324, SBPI_POWER_EXACT = 55 };

struct sbpi_power {
  uint64_t high;
  uint64_t low;
};

extern const struct sbpi_power sbpi_powers[SBPI_POWER_MAX - SBPI_POWER_MIN + 1];

/* floor(log2(10^e)), for |e| <= 1233. To shift a negative number right is left to the compiler by C; all of them divide
 * and round down, and the tests would show one that does not. */
SBPI_INLINE int sbpi_log2_of_power(int e) {
  return e * 1741647 >> 19;
}

/* A product of 64 by 64 bits. SBPI_NO_INT128 tries the portable way where the compiler has a wide integer. */
struct sbpi_product {
  uint64_t high;
  uint64_t low;
};

#if defined(__SIZEOF_INT128__) && !defined(SBPI_NO_INT128)

SBPI_INLINE struct sbpi_product sbpi_multiply(uint64_t a, uint64_t b) {
  __extension__ typedef unsigned __int128 wide;
  const wide product = (wide)a * b;
  return (struct sbpi_product){(uint64_t)(product >> 64), (uint64_t)product};
}

#else

SBPI_INLINE struct sbpi_product sbpi_multiply(uint64_t a, uint64_t b) {
  const uint64_t half = 0xffffffffu;
  const uint64_t low = (a & half) * (b & half);
  const uint64_t middle = (a >> 32) * (b & half) + (low >> 32);
  const uint64_t other = (a & half) * (b >> 32) + (middle & half);
  return (struct sbpi_product){(a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32), other << 32 | (low & half)};
}

#endif

/* The zero bits above the highest one bit of a number that is not 0. */
SBPI_INLINE int sbpi_leading_zeros(uint64_t value) {
#if defined(__GNUC__)
  return __builtin_clzll(value);
#else
  int count = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (value >> (64 - step) == 0) {
      value <<= step;
      count += step;
    }
  }
  return count;
#endif
}

#endif
