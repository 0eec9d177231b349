/* SPDX-License-Identifier: MIT */
#include "skip.h"

#include "number.h"

/* An integer that is not the payload's. */
static SBPI_NOINLINE const char *other_integer(const char *t) {
  return sbpi_skip_integer(t);
}

#ifdef __SSE2__
/* How many digits a number has. */
SBPI_INLINE unsigned count_of(uint32_t value) {
  /* By the number's highest bit: so many times 2^32, and what must be added to that at a power of ten. */
#define LESS(digits, power) (((uint64_t)(digits) << 32) - (power))
  static const uint64_t steps[32] = {
      LESS(1, 0), LESS(1, 0),           LESS(1, 0),        LESS(2, 10), LESS(2, 0), LESS(2, 0),         LESS(3, 100),
      LESS(3, 0), LESS(3, 0),           LESS(4, 1000),     LESS(4, 0),  LESS(4, 0), LESS(4, 0),         LESS(5, 10000),
      LESS(5, 0), LESS(5, 0),           LESS(6, 100000),   LESS(6, 0),  LESS(6, 0), LESS(7, 1000000),   LESS(7, 0),
      LESS(7, 0), LESS(7, 0),           LESS(8, 10000000), LESS(8, 0),  LESS(8, 0), LESS(9, 100000000), LESS(9, 0),
      LESS(9, 0), LESS(10, 1000000000), LESS(10, 0),       LESS(10, 0)};
  return (unsigned)((value + steps[31 ^ __builtin_clz(value | 1)]) >> 32);
}

/* Past as many digits as a value has, or NULL. */
SBPI_INLINE const char *digits_of(const char *t, uint32_t value) {
  const unsigned count = count_of(value);
  const bool leading_zero = (count > 1) & (*t == '0');
  return SBPI_LIKELY((sbpi_no_digits(t) << (31 - count) == 1u << 31) & !leading_zero) ? t + count : NULL;
}
#else
SBPI_INLINE const char *digits_of(const char *t, uint32_t value) {
  (void)value;
  return sbpi_has_leading_zero(t) ? NULL : sbpi_skip_digits(t);
}
#endif

SBPI_INLINE const char *unsigned_integer(const char *t, uint32_t value) {
  const char *const behind = digits_of(t, value);
  return SBPI_LIKELY(behind != NULL) ? behind : other_integer(t);
}

SBPI_INLINE const char *signed_integer(const char *t, int32_t value) {
  const bool negative = value < 0;
  if (SBPI_LIKELY((*t == '-') == negative)) {
    const char *const behind = digits_of(t + negative, negative ? 0 - (uint32_t)value : (uint32_t)value);
    if (SBPI_LIKELY(behind != NULL))
      return behind;
  }
  return other_integer(t);
}

const char *sbpi_skip_u8(const char *t, const uint8_t *p) {
  const char *const behind = sbpi_past_small(t, *p);
  return SBPI_LIKELY(behind != NULL) ? behind : other_integer(t);
}
const char *sbpi_skip_u16(const char *t, const uint8_t *p) {
  return unsigned_integer(t, sbpi_load16(p));
}
const char *sbpi_skip_u32(const char *t, const uint8_t *p) {
  return unsigned_integer(t, sbpi_load32(p));
}
const char *sbpi_skip_s8(const char *t, const uint8_t *p) {
  return signed_integer(t, (int8_t)*p);
}
const char *sbpi_skip_s16(const char *t, const uint8_t *p) {
  return signed_integer(t, (int16_t)sbpi_load16(p));
}
const char *sbpi_skip_s32(const char *t, const uint8_t *p) {
  return signed_integer(t, (int32_t)sbpi_load32(p));
}
const char *sbpi_skip_u64(const char *t, const uint8_t *p) {
  (void)p;
  return sbpi_skip_integer(t);
}
const char *sbpi_skip_s64(const char *t, const uint8_t *p) {
  (void)p;
  return sbpi_skip_integer(t);
}

#ifdef __SSE2__
/* One to three digits, a point and up to 27 digits. */
SBPI_INLINE const char *number(const char *t, bool negative) {
  if (SBPI_UNLIKELY((*t == '-') != negative))
    return sbpi_skip_number_or_null(t);
  const char *const digits = t + negative;
  unsigned ends = sbpi_no_digits(digits);
  unsigned point = 1;
  if ((ends & 3) != 2) {
    point = (ends & 7) == 4 ? 2 : 3;
    if (SBPI_UNLIKELY((ends & 15) != 1u << point || *digits == '0'))
      return sbpi_skip_number_or_null(t);
  }
  if (SBPI_UNLIKELY(digits[point] != '.'))
    return sbpi_skip_number_or_null(t);
  ends >>= point + 1;
  const char *more = digits + point + 1;
  if (SBPI_UNLIKELY(ends == 0)) {
    more += 12; /* so many were seen at least */
    ends = sbpi_no_digits(more);
  }
  const char *const behind = more + __builtin_ctz(ends | 1u << 16);
  if (SBPI_UNLIKELY((ends & 0xffff) == 0 || behind == digits + point + 1 || (*behind | 0x20) == 'e'))
    return sbpi_skip_number_or_null(t);
  return behind;
}

#else
SBPI_INLINE const char *number(const char *t, bool negative) {
  (void)negative;
  return sbpi_skip_number_or_null(t);
}
#endif

const char *sbpi_skip_float(const char *t, const uint8_t *p) {
  return number(t, p[3] >> 7);
}
const char *sbpi_skip_double(const char *t, const uint8_t *p) {
  return number(t, p[7] >> 7);
}
