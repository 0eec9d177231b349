/* SPDX-License-Identifier: MIT */
/* How the walkers of the table step through a payload, and the "meaning" object of --expand. */
#ifndef SBPKIT_MEANING_H
#define SBPKIT_MEANING_H

#include "emit.h"
#include "sbpkit/sbp.h"

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

/* The most text of sbpi_write_meaning. */
size_t sbpi_meaning_max(const struct sbp_message *message);

/* Write `,"meaning":{..}`: by field name, nested as the fields are, an object of each bit field's name and the name of
 * its value, or the number where it has none. Fields without bit fields and reserved bits are left out. The payload has
 * the message's minimum at least. */
char *sbpi_write_meaning(const struct sbp_message *message, const uint8_t *payload, const uint8_t *end, char *o);

#endif
