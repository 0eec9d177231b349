/* SPDX-License-Identifier: MIT */
/* How everything that walks the table steps through a payload. */
#ifndef SBPKIT_FIELD_VIEW_H
#define SBPKIT_FIELD_VIEW_H

#include "port.h"
#include "sbpkit/sbp.h"

/* The integer in size bytes, 1 to 8, as they are. */
SBPI_INLINE uint64_t sbpi_load_integer(const uint8_t *p, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++)
    value |= (uint64_t)p[i] << (8 * i);
  return value;
}

/* The end of a null-terminated string that other fields follow: behind its first NUL, or `end`. */
SBPI_INLINE const uint8_t *sbpi_string_end(const uint8_t *text, const uint8_t *end) {
  const uint8_t *const nul = text == end ? NULL : memchr(text, 0, (size_t)(end - text));
  return nul == NULL ? end : nul + 1;
}

/* Where a string field of the body ends that begins at text. Before other fields it ends behind its first NUL, and
 * leaves them the least that they take. */
SBPI_INLINE const uint8_t *sbpi_field_string_end(const struct sbp_struct *body, const struct sbp_field *field,
                                                 const uint8_t *text, const uint8_t *end) {
  if (field->encoding == SBP_FIXED)
    return text + field->size;
  if (field == &body->fields[body->field_count - 1])
    return end;
  const ptrdiff_t behind = body->size - field->offset - field->size;
  return end - text > behind ? sbpi_string_end(text, end - behind) : text;
}

/* How many elements of an array field, which begins at p, the payload holds. */
SBPI_INLINE size_t sbpi_field_elements(const struct sbp_field *field, const uint8_t *p, const uint8_t *end) {
  return field->repeat == SBP_VARIABLE_ARRAY ? (size_t)(end - p) / field->size : field->count;
}

#endif
