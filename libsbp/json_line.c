/* SPDX-License-Identifier: MIT */
#include "json_line.h"

/* A line break is no space here: it ends the line, and so what can be read without the general reader. */
SBPI_INLINE const char *skip_space(const char *p) {
  while (SBPI_UNLIKELY((unsigned char)*p <= ' ') && (*p == ' ' || *p == '\t' || *p == '\r'))
    p++;
  return p;
}

/* Past a character that is mostly there at once, and the space behind it; NULL where it is not there. */
SBPI_INLINE const char *past(const char *p, char c) {
  if (SBPI_UNLIKELY(*p != c)) {
    p = skip_space(p);
    if (*p != c)
      return NULL;
  }
  return skip_space(p + 1);
}

static const char *skip_object(const char *p, const char *end, unsigned depth);
static const char *skip_array(const char *p, const char *end, unsigned depth);

static const char *skip_word(const char *p, const char *word, size_t length) {
  return memcmp(p, word, length) == 0 ? p + length : NULL;
}

/* What is no number. */
static const char *skip_other(const char *p, const char *end, unsigned depth) {
  switch (*p) {
  case '"':
    p = sbpi_skip_string(p + 1, end);
    return p == NULL ? NULL : p + 1;
  case '{':
    return skip_object(p, end, depth + 1);
  case '[':
    return skip_array(p, end, depth + 1);
  case 't':
    return skip_word(p, "true", 4);
  case 'f':
    return skip_word(p, "false", 5);
  case 'n':
    return skip_word(p, "null", 4);
  default:
    return NULL;
  }
}

SBPI_INLINE const char *skip_value(const char *p, const char *end, unsigned depth) {
  return SBPI_LIKELY(sbpi_is_digit(*p) || *p == '-') ? sbpi_skip_number(p) : skip_other(p, end, depth);
}

/* The general reader minds the limit of nesting itself, which is lower in a top-level array. */
static bool is_deep(unsigned depth) {
  return depth >= SBP_NESTING_MAX - 1;
}

static const char *skip_object(const char *p, const char *end, unsigned depth) {
  if (is_deep(depth))
    return NULL;
  p = skip_space(p + 1);
  if (*p == '}')
    return p + 1;
  for (;;) {
    if (*p != '"' || (p = sbpi_skip_string(p + 1, end)) == NULL || (p = past(p + 1, ':')) == NULL ||
        (p = skip_value(p, end, depth)) == NULL)
      return NULL;
    const char *const next = past(p, ',');
    if (next == NULL) {
      p = skip_space(p);
      return *p == '}' ? p + 1 : NULL;
    }
    p = next;
  }
}

static const char *skip_array(const char *p, const char *end, unsigned depth) {
  if (is_deep(depth))
    return NULL;
  p = skip_space(p + 1);
  if (*p == ']')
    return p + 1;
  for (;;) {
    if ((p = skip_value(p, end, depth)) == NULL)
      return NULL;
    const char *const next = past(p, ',');
    if (next == NULL) {
      p = skip_space(p);
      return *p == ']' ? p + 1 : NULL;
    }
    p = next;
  }
}

const char *sbpi_skip_number_or_null(const char *p) {
  const char *const behind = sbpi_skip_number(p);
  return behind != NULL ? behind : SBPI_PAST(p, "null");
}

const char *sbpi_scan_line(struct sbp_reader *reader, const char *text, const char *stop) {
  const char *p = skip_space(text + 1);
  if (*p == '}')
    return p + 1;
  for (;;) {
    const char *const key = p + 1;
    if (*p != '"')
      return NULL;
    p = sbpi_line_plain_end(key);
    enum sbpi_key which = sbpi_key_in_line(key, (size_t)(p - key));
    if (SBPI_UNLIKELY(*p != '"')) {
      p = sbpi_closing_quote(p, stop);
      if (p == NULL)
        return NULL;
      which = sbpi_key_of(key, (size_t)(p - key));
    }
    const char *const value = past(p + 1, ':');
    if (value == NULL || (p = skip_value(value, stop, 1)) == NULL)
      return NULL;
    sbpi_keep_member(reader, which, (size_t)(value - text), (size_t)(p - text));
    const char *const next = past(p, ',');
    if (next == NULL) {
      p = skip_space(p);
      return *p == '}' ? p + 1 : NULL;
    }
    p = next;
  }
}
