/* SPDX-License-Identifier: MIT */
#include "json_scan.h"

/* What may come next. A value that is not whole yet is left in one of these states, and read on from there. */
enum expect {
  EXPECT_VALUE,
  EXPECT_VALUE_OR_END, /* behind [ */
  EXPECT_KEY,
  EXPECT_KEY_OR_END, /* behind { */
  EXPECT_COLON,
  EXPECT_COMMA_OR_END,
  EXPECT_STRING_REST,
  EXPECT_KEY_REST,
  EXPECT_DEEP, /* nested too deep: only the end is looked for */
  EXPECT_DEEP_STRING
};

/* ---- Keys ---- */

#define WORD(a, b, c, d, e, f, g, h)                                                                                   \
  ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 | (uint64_t)(e) << 32 |              \
   (uint64_t)(f) << 40 | (uint64_t)(g) << 48 | (uint64_t)(h) << 56)

const struct sbpi_key_slot sbpi_key_slots[16] = {
    [0] = {0, KEY_FIELD},
    [1] = {WORD('m', 's', 'g', '_', 't', 'y', 'p', 'e'), KEY_MSG_TYPE},
    [2] = {WORD('l', 'e', 'n', 'g', 't', 'h', 0, 0), KEY_LENGTH},
    [3] = {WORD('s', 'e', 'n', 'd', 'e', 'r', 0, 0), KEY_SENDER},
    [4] = {WORD('u', 't', 'c', 0, 0, 0, 0, 0), KEY_OTHER},
    [6] = {WORD('g', 'p', 's', '_', 'w', 'e', 'e', 'k'), KEY_OTHER},
    [7] = {WORD('m', 'e', 'a', 'n', 'i', 'n', 'g', 0), KEY_OTHER},
    [8] = {WORD('p', 'r', 'e', 'a', 'm', 'b', 'l', 'e'), KEY_OTHER},
    [9] = {WORD('d', 'a', 't', 'a', 0, 0, 0, 0), KEY_DATA},
    [12] = {WORD('p', 'a', 'y', 'l', 'o', 'a', 'd', 0), KEY_PAYLOAD},
    [13] = {WORD('c', 'r', 'c', 0, 0, 0, 0, 0), KEY_CRC},
    [15] = {WORD('m', 's', 'g', '_', 'n', 'a', 'm', 'e'), KEY_MSG_NAME},
};

const uint64_t sbpi_first_bytes[10] = {0,
                                       UINT64_MAX >> 56,
                                       UINT64_MAX >> 48,
                                       UINT64_MAX >> 40,
                                       UINT64_MAX >> 32,
                                       UINT64_MAX >> 24,
                                       UINT64_MAX >> 16,
                                       UINT64_MAX >> 8,
                                       UINT64_MAX,
                                       0};

enum sbpi_key sbpi_plain_key(const char *key, size_t length) {
  uint64_t word = 0;
  if (length > sizeof word)
    return KEY_FIELD;
  for (size_t i = 0; i < length; i++)
    word |= (uint64_t)(uint8_t)key[i] << (8 * i);
  return sbpi_key_of_word(word);
}

enum sbpi_key sbpi_key_of(const char *key, size_t length) {
  /* The longest of these keys, each of its characters an escape of six. */
  enum { LONGEST = 6 * (sizeof "msg_type" - 1) };
  char plain[LONGEST];
  const enum sbpi_key which = sbpi_plain_key(key, length);
  if (which != KEY_FIELD || length > LONGEST || memchr(key, '\\', length) == NULL)
    return which;
  const ptrdiff_t size = sbp_unescape(key, length, plain);
  return size < 0 ? KEY_FIELD : sbpi_plain_key(plain, (size_t)size);
}

bool sbpi_key_is(struct sbp_span key, const char *name, size_t name_length) {
  char plain[6 * 64];
  if (SBPI_LIKELY(key.length == name_length && memcmp(key.text, name, name_length) == 0))
    return true;
  if (key.length <= name_length || key.length > sizeof plain || memchr(key.text, '\\', key.length) == NULL)
    return false;
  const ptrdiff_t size = sbp_unescape(key.text, key.length, plain);
  return size >= 0 && (size_t)size == name_length && memcmp(plain, name, name_length) == 0;
}

/* ---- Tokens ---- */

/* Read on in a string to behind its closing quote. MORE leaves *at on a byte to go on from. */
SBPI_INLINE enum sbpi_scan string_rest(const char **at, const char *end, const char **wanted) {
  const char *p = *at;
  for (;;) {
    p = sbpi_plain_end(p, end);
    *at = p;
    if (p == end)
      return SBPI_SCAN_MORE;
    if (*p == '"') {
      *at = p + 1;
      return SBPI_SCAN_DONE;
    }
    if (*p != '\\') {
      *wanted = "an escape for a control character";
      return SBPI_SCAN_BAD;
    }
    if (end - p < 2)
      return SBPI_SCAN_MORE;
    if (p[1] != 'u') {
      if (p[1] == 0 || strchr("\"\\/bfnrt", p[1]) == NULL) {
        *at = p + 1;
        *wanted = "an escape";
        return SBPI_SCAN_BAD;
      }
      p += 2;
      continue;
    }
    for (int i = 2; i < 6; i++) {
      if (end - p <= i)
        return SBPI_SCAN_MORE;
      const char c = (char)(p[i] | 0x20);
      if (!sbpi_is_digit(p[i]) && (c < 'a' || c > 'f')) {
        *at = p + i;
        *wanted = "a hexadecimal digit";
        return SBPI_SCAN_BAD;
      }
    }
    p += 6;
  }
}

const char *sbpi_closing_quote(const char *p, const char *end) {
  const char *wanted;
  return string_rest(&p, end, &wanted) == SBPI_SCAN_DONE ? p - 1 : NULL;
}

SBPI_INLINE const char *digits_end(const char *p, const char *end) {
  while (p < end && sbpi_is_digit(*p))
    p++;
  return p;
}

/* Read a number to behind its last digit. MORE where the input ends before it is certain that it has ended. */
SBPI_INLINE enum sbpi_scan number(const char **at, const char *end, bool last) {
  const char *p = *at + (**at == '-');
  const char *digits = p;
  p = p < end && *p == '0' ? p + 1 : digits_end(p, end);
  if (p > digits && p < end && *p == '.') {
    digits = ++p;
    p = digits_end(p, end);
  }
  if (p > digits && p < end && (*p == 'e' || *p == 'E')) {
    p++;
    p += p < end && (*p == '+' || *p == '-');
    digits = p;
    p = digits_end(p, end);
  }
  *at = p;
  if (p == end && !last)
    return SBPI_SCAN_MORE;
  return p > digits ? SBPI_SCAN_DONE : SBPI_SCAN_BAD;
}

static enum sbpi_scan literal(const char **at, const char *end, bool last) {
  static const char *const words[] = {"true", "false", "null"};
  const char *const p = *at;
  const char *const word = words[*p == 't' ? 0 : *p == 'f' ? 1 : 2];
  for (size_t i = 0; word[i] != 0; i++) {
    *at = p + i;
    if (p + i == end)
      return last ? SBPI_SCAN_BAD : SBPI_SCAN_MORE;
    if (p[i] != word[i])
      return SBPI_SCAN_BAD;
  }
  *at += 1;
  return SBPI_SCAN_DONE;
}

/* ---- Values ---- */

void sbpi_scan_begin(struct sbp_reader *reader) {
  memset(reader->state.known, 0, sizeof reader->state.known);
  reader->state.depth = 0;
  reader->state.at = 0;
  reader->state.expect = EXPECT_VALUE;
  reader->state.more_keys = false;
}

/* Pass over the rest of a value that is nested too deep. */
static enum sbpi_scan pass_deep(struct sbp_reader *reader, const char *text, const char *p, const char *end) {
  bool in_string = reader->state.expect == EXPECT_DEEP_STRING;
  for (; p < end; p++) {
    if (in_string) {
      if (*p == '\\') {
        if (end - p < 2)
          break;
        p++;
      } else {
        in_string = *p != '"';
      }
    } else if (*p == '"') {
      in_string = true;
    } else if (*p == '{' || *p == '[') {
      reader->state.depth++;
    } else if ((*p == '}' || *p == ']') && --reader->state.depth == 0) {
      reader->state.at = (uint32_t)(p + 1 - text);
      return SBPI_SCAN_DEEP;
    }
  }
  reader->state.expect = in_string ? EXPECT_DEEP_STRING : EXPECT_DEEP;
  reader->state.at = (uint32_t)(p - text);
  return SBPI_SCAN_MORE;
}

static void record_member(struct sbp_reader *reader, const char *text, const char *end) {
  const enum sbpi_key key =
      sbpi_key_of(text + reader->state.key_begin, reader->state.key_end - reader->state.key_begin);
  if (key < KEY_OTHER) {
    reader->state.known[key].begin = reader->state.value_begin;
    reader->state.known[key].end = (uint32_t)(end - text);
  } else if (key == KEY_FIELD) {
    reader->state.more_keys = true;
  }
}

SBPI_INLINE const char *skip_space(const char *p, const char *end) {
  if (SBPI_LIKELY(p < end && (unsigned char)*p > ' '))
    return p;
  while (p < end && sbpi_is_space(*p))
    p++;
  return p;
}

enum sbpi_scan sbpi_scan_value(struct sbp_reader *reader, const char *text, size_t size, bool last,
                               const char **wanted) {
  const char *const end = text + size;
  const char *p = text + reader->state.at;
  const uint32_t deepest = SBP_NESTING_MAX - (reader->state.in_array ? 1 : 0);
  uint32_t depth = reader->state.depth;
  bool in_object =
      depth > 0 && depth <= SBP_NESTING_MAX && (reader->state.nesting[(depth - 1) >> 6] >> ((depth - 1) & 63) & 1) != 0;
  enum expect expect = (enum expect)reader->state.expect;
  enum sbpi_scan result;

  switch (expect) {
  case EXPECT_VALUE:
  case EXPECT_VALUE_OR_END:
    goto value;
  case EXPECT_KEY:
  case EXPECT_KEY_OR_END:
    goto key;
  case EXPECT_COLON:
    goto colon;
  case EXPECT_COMMA_OR_END:
    goto comma;
  case EXPECT_STRING_REST:
    goto string;
  case EXPECT_KEY_REST:
    goto key_rest;
  case EXPECT_DEEP:
  case EXPECT_DEEP_STRING:
    result = pass_deep(reader, text, p, end);
    if (result == SBPI_SCAN_MORE && last)
      goto cut_off;
    return result;
  }

value:
  p = skip_space(p, end);
  if (p == end)
    goto more;
  if (depth == 1)
    reader->state.value_begin = (uint32_t)(p - text);
  switch (*p) {
  case '"':
    p++;
    expect = EXPECT_STRING_REST;
    goto string;
  case '{':
  case '[':
    if (depth == deepest) {
      reader->state.depth = depth;
      reader->state.expect = EXPECT_DEEP;
      result = pass_deep(reader, text, p, end);
      if (result == SBPI_SCAN_MORE && last)
        goto cut_off;
      return result;
    }
    in_object = *p == '{';
    const uint64_t bit = (uint64_t)1 << (depth & 63);
    if (in_object)
      reader->state.nesting[depth >> 6] |= bit;
    else
      reader->state.nesting[depth >> 6] &= ~bit;
    depth++;
    p++;
    expect = in_object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    if (in_object)
      goto key;
    goto value;
  case ']':
    if (expect == EXPECT_VALUE_OR_END)
      goto end_of_container;
    *wanted = "a value";
    goto bad;
  default: {
    const char *const begin = p;
    if (*p == '-' || sbpi_is_digit(*p)) {
      result = number(&p, end, last);
      *wanted = "a digit";
    } else if (*p == 't' || *p == 'f' || *p == 'n') {
      result = literal(&p, end, last);
      *wanted = "true, false or null";
    } else {
      *wanted = "a value";
      goto bad;
    }
    /* Values may stand side by side, but 12:34 is no number with something behind it. */
    if (result == SBPI_SCAN_DONE && depth == 0) {
      *wanted = "white space";
      if (p == end)
        result = last ? SBPI_SCAN_DONE : SBPI_SCAN_MORE;
      else if (!sbpi_is_space(*p) && (*p == 0 || strchr(",[]{}\"", *p) == NULL))
        result = SBPI_SCAN_BAD;
    }
    if (result == SBPI_SCAN_MORE)
      p = begin;
    if (result != SBPI_SCAN_DONE)
      goto stopped;
  }
  }

value_done:
  if (depth == 0) {
    reader->state.at = (uint32_t)(p - text);
    return SBPI_SCAN_DONE;
  }
  if (depth == 1 && in_object)
    record_member(reader, text, p);
  expect = EXPECT_COMMA_OR_END;

comma:
  p = skip_space(p, end);
  if (p == end)
    goto more;
  if (*p == ',') {
    p++;
    if (in_object) {
      expect = EXPECT_KEY;
      goto key;
    }
    expect = EXPECT_VALUE;
    goto value;
  }
  if (*p == (in_object ? '}' : ']'))
    goto end_of_container;
  *wanted = in_object ? "a comma or }" : "a comma or ]";
  goto bad;

end_of_container:
  p++;
  depth--;
  in_object = depth > 0 && (reader->state.nesting[(depth - 1) >> 6] >> ((depth - 1) & 63) & 1) != 0;
  goto value_done;

key:
  p = skip_space(p, end);
  if (p == end)
    goto more;
  if (*p == '}' && expect == EXPECT_KEY_OR_END)
    goto end_of_container;
  if (*p != '"') {
    *wanted = expect == EXPECT_KEY ? "a key in quotes" : "a key in quotes or }";
    goto bad;
  }
  p++;
  if (depth == 1)
    reader->state.key_begin = (uint32_t)(p - text);
  expect = EXPECT_KEY_REST;

key_rest:
  result = string_rest(&p, end, wanted);
  if (result != SBPI_SCAN_DONE)
    goto stopped;
  if (depth == 1)
    reader->state.key_end = (uint32_t)(p - 1 - text);
  expect = EXPECT_COLON;

colon:
  p = skip_space(p, end);
  if (p == end)
    goto more;
  if (*p != ':') {
    *wanted = "a colon";
    goto bad;
  }
  p++;
  expect = EXPECT_VALUE;
  goto value;

string:
  result = string_rest(&p, end, wanted);
  if (result != SBPI_SCAN_DONE)
    goto stopped;
  goto value_done;

stopped:
  if (result == SBPI_SCAN_BAD)
    goto bad;
more:
  reader->state.at = (uint32_t)(p - text);
  reader->state.depth = depth;
  reader->state.expect = (uint8_t)expect;
  if (!last)
    return SBPI_SCAN_MORE;
cut_off:
  p = end;
  *wanted = "the rest of the value that begins here";
bad:
  reader->state.at = (uint32_t)(p - text);
  return SBPI_SCAN_BAD;
}

/* ---- Text that has been found whole ---- */

static unsigned hexadecimal(const char *p) {
  unsigned value = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned c = (unsigned char)p[i];
    value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

/* The character of an escape that is one letter. */
static char escaped(char letter) {
  switch (letter) {
  case 'b':
    return '\b';
  case 'f':
    return '\f';
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  default:
    return letter;
  }
}

static char *write_utf8(char *o, unsigned c) {
  if (c < 0x80) {
    *o++ = (char)c;
    return o;
  }
  if (c < 0x800) {
    *o++ = (char)(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      *o++ = (char)(0xe0 | c >> 12);
    } else {
      *o++ = (char)(0xf0 | c >> 18);
      *o++ = (char)(0x80 | (c >> 12 & 63));
    }
    *o++ = (char)(0x80 | (c >> 6 & 63));
  }
  *o++ = (char)(0x80 | (c & 63));
  return o;
}

ptrdiff_t sbp_unescape(const char *text, size_t length, char *out) {
  const char *p = text;
  const char *const end = text + length;
  char *o = out;
  while (p < end) {
    if (*p != '\\') {
      *o++ = *p++;
      continue;
    }
    if (p[1] != 'u') {
      *o++ = escaped(p[1]);
      p += 2;
      continue;
    }
    unsigned c = hexadecimal(p + 2);
    p += 6;
    if (c >= 0xd800 && c < 0xe000) {
      if (c >= 0xdc00 || end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return -1;
      const unsigned low = hexadecimal(p + 2);
      if (low < 0xdc00 || low >= 0xe000)
        return -1;
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
      p += 6;
    }
    o = write_utf8(o, c);
  }
  return o - out;
}

/* Behind the closing quote of a string, from behind its opening one. */
static const char *string_end(const char *p, const char *end) {
  for (;;) {
    p = sbpi_plain_end(p, end);
    if (p == end || *p == '"')
      return p == end ? end : p + 1;
    p += end - p > 1 ? 2 : 1;
  }
}

const char *sbpi_value_end(const char *p, const char *end) {
  if (*p == '"')
    return string_end(p + 1, end);
  if (*p != '{' && *p != '[') {
    while (p < end && *p != ',' && *p != '}' && *p != ']' && !sbpi_is_space(*p))
      p++;
    return p;
  }
  size_t depth = 0;
  while (p < end) {
    const char c = *p++;
    if (c == '"')
      p = string_end(p, end);
    else if (c == '{' || c == '[')
      depth++;
    else if ((c == '}' || c == ']') && --depth == 0)
      break;
  }
  return p;
}

bool sbp_member_next(struct sbp_span *rest, struct sbp_span *key, struct sbp_span *value) {
  const char *p = rest->text;
  const char *const end = p + rest->length;
  while (p < end && (sbpi_is_space(*p) || *p == ',' || *p == '{'))
    p++;
  if (p == end || *p != '"')
    return false;
  key->text = p + 1;
  p = string_end(p + 1, end);
  key->length = (size_t)(p - 1 - key->text);
  while (p < end && (sbpi_is_space(*p) || *p == ':'))
    p++;
  if (p == end)
    return false;
  value->text = p;
  p = sbpi_value_end(p, end);
  value->length = (size_t)(p - value->text);
  rest->text = p;
  rest->length = (size_t)(end - p);
  return true;
}

struct sbp_place sbpi_place_after(struct sbp_place place, const char *from, const char *to) {
  place.offset += (uint64_t)(to - from);
  const char *newline;
  while (from < to && (newline = memchr(from, '\n', (size_t)(to - from))) != NULL) {
    place.line++;
    place.column = 1;
    from = newline + 1;
  }
  place.column += (uint64_t)(to - from);
  return place;
}
