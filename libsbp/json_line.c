/* SPDX-License-Identifier: MIT */
#include "json_line.h"

/* A line break is no space here: it ends the line, and so what can be read without the general reader. */
SBPI_INLINE const char *skip_space(const char *p) {
  while (SBPI_UNLIKELY((unsigned char)*p <= ' ') && (*p == ' ' || *p == '\t' || *p == '\r'))
    p++;
  return p;
}

static const char *skip_value(const char *p, const char *end, unsigned depth);

/* To the closing bracket of an object or array, from its opening one. */
static const char *skip_container(const char *p, const char *end, unsigned depth) {
  const bool object = *p == '{';
  const char close = object ? '}' : ']';
  /* The general reader minds the limit itself, which is lower in a top-level array. */
  if (depth >= SBP_NESTING_MAX - 1)
    return NULL;
  p = skip_space(p + 1);
  if (*p == close)
    return p;
  for (;;) {
    if (object) {
      if (*p != '"' || (p = sbpi_skip_string(p + 1, end)) == NULL)
        return NULL;
      p = skip_space(p + 1);
      if (*p != ':')
        return NULL;
      p = skip_space(p + 1);
    }
    p = skip_value(p, end, depth);
    if (p == NULL)
      return NULL;
    p = skip_space(p);
    if (*p == close)
      return p;
    if (*p != ',')
      return NULL;
    p = skip_space(p + 1);
  }
}

static const char *skip_word(const char *p, const char *word, size_t length) {
  return memcmp(p, word, length) == 0 ? p + length : NULL;
}

SBPI_INLINE const char *skip_any(const char *p, const char *end, unsigned depth) {
  if (SBPI_LIKELY(*p == '-' || sbpi_is_digit(*p)))
    return sbpi_skip_number(p);
  switch (*p) {
  case '"':
    p = sbpi_skip_string(p + 1, end);
    break;
  case '{':
  case '[':
    p = skip_container(p, end, depth + 1);
    break;
  case 't':
    return skip_word(p, "true", 4);
  case 'f':
    return skip_word(p, "false", 5);
  case 'n':
    return skip_word(p, "null", 4);
  default:
    return NULL;
  }
  return p == NULL ? NULL : p + 1;
}

static const char *skip_value(const char *p, const char *end, unsigned depth) {
  return skip_any(p, end, depth);
}

const char *sbpi_scan_line(struct sbp_reader *reader, const char *text, const char *line_end) {
  const char *p = skip_space(text + 1);
  if (*p == '}')
    return p + 1;
  for (;;) {
    const char *const key = p + 1;
    if (*p != '"')
      return NULL;
    p = sbpi_plain_end(key, line_end);
    enum sbpi_key which = sbpi_plain_key(key, (size_t)(p - key));
    if (SBPI_UNLIKELY(*p != '"')) {
      p = sbpi_closing_quote(p, line_end);
      if (p == NULL)
        return NULL;
      which = sbpi_key_of(key, (size_t)(p - key));
    }
    p = skip_space(p + 1);
    if (*p != ':')
      return NULL;
    const char *const value = skip_space(p + 1);
    p = skip_any(value, line_end, 1);
    if (p == NULL)
      return NULL;
    if (which < KEY_OTHER) {
      reader->state.known[which].begin = (uint32_t)(value - text);
      reader->state.known[which].end = (uint32_t)(p - text);
    } else if (which == KEY_FIELD) {
      reader->state.more_keys = true;
    }
    p = skip_space(p);
    if (*p == '}')
      return p + 1;
    if (*p != ',')
      return NULL;
    p = skip_space(p + 1);
  }
}
