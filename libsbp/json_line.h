/* SPDX-License-Identifier: MIT */
/* JSON on one line of which the end is known: its line break stops every loop, so that nothing asks at each byte
 * whether there is another one. What is not as expected is no fault here: the general reader (json_scan.c) decides. */
#ifndef SBPKIT_JSON_LINE_H
#define SBPKIT_JSON_LINE_H

#include "json_scan.h"

enum {
  SBPI_LINE_MAX = 16384, /* no longer line is looked for */
  SBPI_LINE_SLACK = 16   /* bytes that can be read from a line's break on */
};

/* The line break that ends the line at text, or NULL where there is none near enough to its beginning, or too near to
 * the end of the input. */
SBPI_INLINE const char *sbpi_line_end(const char *text, const char *end) {
  const size_t left = (size_t)(end - text);
  const char *const line_end = memchr(text, '\n', left < SBPI_LINE_MAX ? left : SBPI_LINE_MAX);
  return line_end != NULL && end - line_end >= SBPI_LINE_SLACK ? line_end : NULL;
}

/* sbpi_scan_value for an object on a line. Returns what stands behind it, or NULL where the general reader must look.
 */
const char *sbpi_scan_line(struct sbp_reader *reader, const char *text, const char *line_end);

/* Tokens. Each of these returns what stands behind it, or NULL. */

/* The line break that ends the line stops every loop. */
SBPI_INLINE const char *sbpi_skip_digits(const char *p) {
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

/* An integer. Where a number goes on behind it, it does not match the next literal. */
SBPI_INLINE const char *sbpi_skip_integer(const char *p) {
  p += *p == '-';
  return SBPI_UNLIKELY(sbpi_has_leading_zero(p)) ? NULL : sbpi_skip_digits(p);
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

/* To a string's closing quote. */
SBPI_INLINE const char *sbpi_skip_string(const char *p, const char *end) {
  const char *const stop = sbpi_plain_end(p, end);
  return SBPI_LIKELY(*stop == '"') ? stop : sbpi_closing_quote(stop, end);
}

#endif
