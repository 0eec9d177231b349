/* SPDX-License-Identifier: MIT */
/* JSON within one line, before a place in the input where a line break is known to stand: it stops every loop, so that
 * nothing asks at each byte whether there is another one. What is not as expected is no fault here: the general reader
 * (json_scan.c) decides. */
#ifndef SBPKIT_JSON_LINE_H
#define SBPKIT_JSON_LINE_H

#include "json_scan.h"

/* So many bytes can be read from that line break on. */
enum { SBPI_LINE_SLACK = 48 };

/* sbpi_scan_value for an object, which begins before the line break at stop. Returns what stands behind it, or NULL
 * where the general reader must look. */
const char *sbpi_scan_line(struct sbp_reader *reader, const char *text, const char *stop);

/* sbpi_plain_key of a key of any length, from which on eight bytes can be read. What it is takes no branch. */
SBPI_INLINE enum sbpi_key sbpi_key_in_line(const char *key, size_t length) {
  return sbpi_key_of_word(sbpi_load64((const uint8_t *)key) & sbpi_first_bytes[length < 9 ? length : 9]);
}

/* Remember a member of the outer object, whose value is [begin, end) of its text. Those that mean nothing are kept too:
 * storing is cheaper than asking. */
SBPI_INLINE void sbpi_keep_member(struct sbp_reader *reader, enum sbpi_key which, size_t begin, size_t end) {
  reader->state.known[which].begin = (uint32_t)begin;
  reader->state.known[which].end = (uint32_t)end;
  reader->state.more_keys |= which == KEY_FIELD;
}

/* Tokens. Each of these returns what stands behind it, or NULL. */

/* A literal of no more than SBPI_LINE_SLACK bytes, with no line break in it. */
#define SBPI_PAST(p, literal) (memcmp((p), (literal), sizeof(literal) - 1) == 0 ? (p) + sizeof(literal) - 1 : NULL)

#ifdef __SSE2__
/* A bit for each of sixteen bytes that is no digit. */
SBPI_INLINE unsigned sbpi_no_digits(const char *p) {
  /* All but the digits, which are 0 .. 9 then, get their highest bit set. */
  const __m128i moved = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), _mm_set1_epi8('0'));
  return (unsigned)_mm_movemask_epi8(_mm_adds_epu8(moved, _mm_set1_epi8(INT8_MAX - 9)));
}

/* How many digits stand at p, or 16 where those are more. */
SBPI_INLINE unsigned sbpi_count_digits(const char *p) {
  return (unsigned)__builtin_ctz(sbpi_no_digits(p) | 1u << 16);
}
#endif

/* Digits, one at least. The line break that ends the line stops every loop. */
SBPI_INLINE const char *sbpi_skip_digits(const char *p) {
#ifdef __SSE2__
  const unsigned count = sbpi_count_digits(p);
  if (SBPI_LIKELY(count < 16))
    return count == 0 ? NULL : p + count;
#endif
  if (!sbpi_is_digit(*p))
    return NULL;
  do
    p++;
  while (sbpi_is_digit(*p));
  return p;
}

/* Whether a number begins with a zero that may not stand there. */
SBPI_INLINE bool sbpi_has_leading_zero(const char *p) {
  return (p[0] == '0') & sbpi_is_digit(p[1]);
}

/* An integer. Where a number goes on behind it, it does not match the next literal. In lines of no known order nothing
 * of a number can be foretold, and so what is usual takes no branch. */
SBPI_INLINE const char *sbpi_skip_integer(const char *p) {
  p += *p == '-';
#ifdef __SSE2__
  const unsigned count = sbpi_count_digits(p);
  /* The sign bit is set where the first digit is 0 and there are others, or where there is none. */
  const unsigned first = (unsigned)(uint8_t)*p - '0';
  if (SBPI_LIKELY(count < 16 && ((((first - 1) & (1 - count)) | (count - 1)) >> 31) == 0))
    return p + count;
#endif
  return sbpi_has_leading_zero(p) ? NULL : sbpi_skip_digits(p);
}

SBPI_INLINE const char *sbpi_skip_number(const char *p) {
  p = sbpi_skip_integer(p);
  if (p == NULL || (*p == '.' && (p = sbpi_skip_digits(p + 1)) == NULL))
    return NULL;
  if (SBPI_UNLIKELY((*p | 0x20) == 'e')) {
    p++;
    p += *p == '+' || *p == '-';
    p = sbpi_skip_digits(p);
  }
  return p;
}

/* The same where null may stand too. For what is unusual: it is no part of the fast ways. */
const char *sbpi_skip_number_or_null(const char *p);

#ifdef __SSE2__
/* The value of 1 .. 8 digits, the first in the lowest byte; they are moved up to the highest, with zeros before them.
 */
SBPI_INLINE uint64_t sbpi_eight_digits(uint64_t text, unsigned count) {
  const uint64_t digits = (text - UINT64_C(0x3030303030303030)) << (64 - 8 * count);
  const uint64_t pairs = digits * 10 + (digits >> 8);
  return ((pairs & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
          (pairs >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
         32;
}

/* The value of 1 .. 15 digits. */
SBPI_INLINE uint64_t sbpi_value_of_digits(const char *p, unsigned count) {
  if (SBPI_LIKELY(count <= 8))
    return sbpi_eight_digits(sbpi_load64((const uint8_t *)p), count);
  return sbpi_eight_digits(sbpi_load64((const uint8_t *)p), count - 8) * 100000000 +
         sbpi_eight_digits(sbpi_load64((const uint8_t *)p + count - 8), 8);
}
#else
SBPI_INLINE uint64_t sbpi_value_of_digits(const char *p, unsigned count) {
  uint64_t value = 0;
  for (; count > 0; count--)
    value = value * 10 + (uint64_t)(*p++ - '0');
  return value;
}
#endif

/* A plain integer 0 .. 65535. How many digits it has is mostly foretold, so that what follows waits for none of them.
 */
SBPI_INLINE const char *sbpi_read_u16(const char *p, uint32_t *value) {
  uint32_t sum = (uint32_t)(unsigned char)*p - '0';
  if (sum > 9)
    return NULL;
  for (int i = 1; i < 5; i++) {
    const uint32_t digit = (uint32_t)(unsigned char)p[i] - '0';
    if (digit > 9) {
      *value = sum;
      return i > 1 && *p == '0' ? NULL : p + i;
    }
    sum = sum * 10 + digit;
  }
  *value = sum;
  return sum > 0xffff || *p == '0' ? NULL : p + 5;
}

/* Whether these digits, so many first bytes of a word, stand at p, and no more behind them. */
SBPI_INLINE bool sbpi_same_digits(const char *p, uint64_t digits, unsigned count) {
  return ((sbpi_load64((const uint8_t *)p) ^ digits) & sbpi_first_bytes[count]) == 0 && !sbpi_is_digit(p[count]);
}

/* sbpi_read_u16 of a sender: most lines have that of the line before them. */
SBPI_INLINE const char *sbpi_read_sender(struct sbp_reader *reader, const char *p, uint32_t *sender) {
  const uint32_t count = reader->state.last_sender_digits;
  *sender = reader->state.last_sender;
  if (SBPI_LIKELY(count > 0 && sbpi_same_digits(p, reader->state.last_sender_text, count)))
    return p + count;
  const char *const behind = sbpi_read_u16(p, sender);
  if (behind != NULL) {
    reader->state.last_sender = (uint16_t)*sender;
    reader->state.last_sender_digits = (uint8_t)(behind - p);
    reader->state.last_sender_text = sbpi_load64((const uint8_t *)p);
  }
  return behind;
}

/* A number of a line that json_line.c or json_wide.c has read, where it is a plain integer of up to five digits. */
SBPI_INLINE bool sbpi_small_integer(struct sbp_span number, uint32_t *value) {
#ifdef __SSE2__
  if (SBPI_UNLIKELY(number.length > 5))
    return false;
  const uint64_t digits = (sbpi_load64((const uint8_t *)number.text) - UINT64_C(0x3030303030303030))
                          << (64 - 8 * number.length);
  *value = (uint32_t)sbpi_eight_digits(sbpi_load64((const uint8_t *)number.text), (unsigned)number.length);
  /* A byte above 9 has its highest bit set, then or before. */
  return ((digits | (digits + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080)) == 0;
#else
  return sbpi_read_u16(number.text, value) == number.text + number.length;
#endif
}

/* To a string's first byte that is a quote, a backslash or a control character, as the line break is. */
SBPI_INLINE const char *sbpi_line_plain_end(const char *p) {
#ifdef __SSE2__
  for (;; p += 16) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    const unsigned mask = sbpi_special_mask(bytes);
    if (SBPI_LIKELY(mask != 0))
      return p + __builtin_ctz(mask);
  }
#else
  while (*p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
    p++;
  return p;
#endif
}

/* To a string's closing quote. */
SBPI_INLINE const char *sbpi_skip_string(const char *p, const char *end) {
  const char *const stop = sbpi_line_plain_end(p);
  return SBPI_LIKELY(*stop == '"') ? stop : sbpi_closing_quote(stop, end);
}

#endif
