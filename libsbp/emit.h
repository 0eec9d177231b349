/* SPDX-License-Identifier: MIT */
/* What the generated writers (build/gen) are made of. Each writes at `o` and returns the end of its text. Nobody checks
 * for room: sbp_line_max() bytes are there, and SBPI_NUMBER_ROOM more than any text needs. */
#ifndef SBPKIT_EMIT_H
#define SBPKIT_EMIT_H

#include "field_view.h"
#include "number.h"

/* A literal whose length the compiler knows. */
#define EMIT_TEXT(o, literal) (memcpy((o), (literal), sizeof(literal) - 1), (o) + sizeof(literal) - 1)

SBPI_INLINE char *emit_u8(char *o, const uint8_t *p) {
  return sbpi_write_u8(o, *p);
}
SBPI_INLINE char *emit_u16(char *o, const uint8_t *p) {
  return sbpi_write_medium(o, sbpi_load16(p));
}
SBPI_INLINE char *emit_u32(char *o, const uint8_t *p) {
  return sbpi_write_u32(o, sbpi_load32(p));
}
SBPI_INLINE char *emit_u64(char *o, const uint8_t *p) {
  return sbpi_write_u64(o, sbpi_load64(p));
}

SBPI_INLINE char *emit_s8(char *o, const uint8_t *p) {
  const int value = *p < 128 ? *p : *p - 256;
  *o = '-';
  return sbpi_write_u8(o + (value < 0), (uint8_t)(value < 0 ? -value : value));
}

SBPI_INLINE char *emit_s16(char *o, const uint8_t *p) {
  const int value = sbpi_load16(p);
  return sbpi_write_s32(o, value < 32768 ? value : value - 65536);
}

SBPI_INLINE char *emit_s32(char *o, const uint8_t *p) {
  return sbpi_write_s32(o, (int32_t)sbpi_load32(p));
}
SBPI_INLINE char *emit_s64(char *o, const uint8_t *p) {
  return sbpi_write_s64(o, (int64_t)sbpi_load64(p));
}

SBPI_INLINE char *emit_float(char *o, const uint8_t *p, bool compat) {
  return sbpi_write_float(o, sbpi_load32(p), compat);
}

SBPI_INLINE char *emit_double(char *o, const uint8_t *p, bool compat) {
  return sbpi_write_double(o, sbpi_load64(p), compat);
}

/* Close an array whose elements each left a comma behind. */
SBPI_INLINE char *emit_array_end(char *o) {
  o -= o[-1] == ',';
  *o = ']';
  return o + 1;
}

/* A string of bytes, in quotes: escapes, and U+FFFD for what is not UTF-8. */
char *sbpi_write_string(char *o, const uint8_t *text, size_t size);

/* The longest start of text that could begin a character of UTF-8: its size is 1 at least. *valid: it is a whole one.
 */
size_t sbpi_utf8_prefix(const uint8_t *text, size_t size, bool *valid);

#endif
