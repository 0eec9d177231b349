/* SPDX-License-Identifier: MIT */
/* The syntax of JSON (RFC 8259), strictly, and spans of text that it has been found in. */
#ifndef SBPKIT_JSON_SCAN_H
#define SBPKIT_JSON_SCAN_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "port.h"
#include "sbpkit/sbp.h"

/* Members of an object that mean something beside the fields; indices of sbp_reader.state.known. */
enum sbpi_key {
  KEY_MSG_TYPE,
  KEY_SENDER,
  KEY_PAYLOAD,
  KEY_MSG_NAME,
  KEY_CRC,
  KEY_LENGTH,
  KEY_DATA,
  KEY_OTHER,
  KEY_FIELD
};

/* Which of them a key is: KEY_OTHER for the tools' remaining keys (preamble, meaning, utc, gps_week), KEY_FIELD for any
 * other one. The key stands as in the text, without quotes; escapes in it are resolved. */
enum sbpi_key sbpi_key_of(const char *key, size_t length);

/* The same of a key that has no escapes. */
enum sbpi_key sbpi_plain_key(const char *key, size_t length);

/* The same again of one of up to eight bytes, in a word, the first in its lowest byte and zeros above. All those keys
 * fit into one, and a multiplication that was looked for gives each a slot of its own. */
struct sbpi_key_slot {
  uint64_t word;
  enum sbpi_key key;
};
extern const struct sbpi_key_slot sbpi_key_slots[16];

/* The first bytes of a word, up to 8; none of it where there are more. */
extern const uint64_t sbpi_first_bytes[10];

SBPI_INLINE enum sbpi_key sbpi_key_of_word(uint64_t word) {
  const struct sbpi_key_slot *const slot = &sbpi_key_slots[word * UINT64_C(0x364e433ff7c882f5) >> 60];
  /* Without a branch: of keys in no order it could not be foretold. */
  const unsigned other = 0u - (slot->word != word);
  return (enum sbpi_key)(((unsigned)slot->key & ~other) | (KEY_FIELD & other));
}

/* Whether a key as it stands in the text is this name. */
bool sbpi_key_is(struct sbp_span key, const char *name, size_t name_length);

enum sbpi_scan { SBPI_SCAN_DONE, SBPI_SCAN_MORE, SBPI_SCAN_BAD, SBPI_SCAN_DEEP };

/* Begin a value. */
void sbpi_scan_begin(struct sbp_reader *reader);

/* Read on in the value that begins at text, of which size bytes are there. DONE: it is whole, up to state.at. MORE: the
 * rest is needed, and what was read is not read again. BAD: the byte at state.at is wrong, and *wanted says what could
 * stand there; with `last` also where the input ends in the value. DEEP: as DONE, but it is nested too deep, and only
 * its strings and brackets were looked at. */
enum sbpi_scan sbpi_scan_value(struct sbp_reader *reader, const char *text, size_t size, bool last,
                               const char **wanted);

/* Behind the value that begins at p, in text that has been found whole. */
const char *sbpi_value_end(const char *p, const char *end);

/* The closing quote of a string from inside it, found strictly; NULL where there is none before end. */
const char *sbpi_closing_quote(const char *p, const char *end);

/* The place of `to`, when `place` is that of `from`. */
struct sbp_place sbpi_place_after(struct sbp_place place, const char *from, const char *to);

SBPI_INLINE bool sbpi_is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
SBPI_INLINE bool sbpi_is_digit(char c) {
  return (unsigned char)(c - '0') < 10;
}

#ifdef __SSE2__
/* A bit for each of sixteen bytes: whether it ends a run of plain ones in a string. */
SBPI_INLINE unsigned sbpi_special_mask(__m128i bytes) {
  const __m128i control = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(0x1f)), _mm_set1_epi8(0x1f));
  const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control));
}
#endif

/* From inside a string to its first byte that is a quote, a backslash or a control character, or to end. */
SBPI_INLINE const char *sbpi_plain_end(const char *p, const char *end) {
#ifdef __SSE2__
  for (; end - p >= 16; p += 16) {
    const unsigned mask = sbpi_special_mask(_mm_loadu_si128((const __m128i *)(const void *)p));
    if (mask != 0)
      return p + __builtin_ctz(mask);
  }
#endif
  while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
    p++;
  return p;
}

/* Faults of a message (fault.c). Fill in a fault: "key: status: seen, wanted is wanted"; parts that are NULL or empty
 * are left out. */
void sbpi_fault_set(struct sbp_fault *fault, enum sbp_status status, struct sbp_place place, const char *key,
                    struct sbp_span seen, const char *wanted);

/* Put more behind a fault's text, or a number; what does not fit is cut off. */
void sbpi_fault_add(struct sbp_fault *fault, const char *text, size_t length);
void sbpi_fault_add_number(struct sbp_fault *fault, uint64_t number);

#endif
