/* SPDX-License-Identifier: MIT */
/* Strings of a payload as JSON text. */
#include "emit.h"

/* Per byte: 0 stands as it is; 1 needs a look (a byte of a longer character); else the second character of its escape.
 */
#define HIGH_16 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
static const char escape[256] = {
    'u',     'u',     'u',     'u',     'u',         'u',           'u',
    'u',     'b',     't',     'n',     'u',         'f',           'r',
    'u',     'u',     'u',     'u',     'u',         'u',           'u',
    'u',     'u',     'u',     'u',     'u',         'u',           'u',
    'u',     'u',     'u',     'u',     ['"'] = '"', ['\\'] = '\\', [0x80] = HIGH_16,
    HIGH_16, HIGH_16, HIGH_16, HIGH_16, HIGH_16,     HIGH_16,       HIGH_16,
};

/* The bytes that the second byte of a character may be, by its first (Unicode 15, table 3-7); the ones after it are
 * 80..BF. size 0: never a first byte. */
static size_t character_size(uint8_t first, uint8_t *low, uint8_t *high) {
  *low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  *high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

size_t sbpi_utf8_prefix(const uint8_t *text, size_t size, bool *valid) {
  uint8_t low;
  uint8_t high;
  const size_t whole = character_size(text[0], &low, &high);
  size_t i = 1;
  for (; i < whole && i < size && text[i] >= low && text[i] <= high; i++) {
    low = 0x80;
    high = 0xbf;
  }
  *valid = i == whole;
  return i;
}

char *sbpi_write_string(char *o, const uint8_t *text, size_t size) {
  static const char hex[] = "0123456789abcdef";
  const uint8_t *const end = text + size;
  *o++ = '"';
  while (text < end) {
    const uint8_t c = *text;
    const char e = escape[c];
    if (SBPI_LIKELY(e == 0)) {
      *o++ = (char)c;
      text++;
    } else if (e == 1) {
      bool valid;
      const size_t taken = sbpi_utf8_prefix(text, (size_t)(end - text), &valid);
      /* Both are at most 4 bytes; U+FFFD is three. */
      memcpy(o, valid ? (const char *)text : "\xef\xbf\xbd", valid ? taken : 3);
      o += valid ? taken : 3;
      text += taken;
    } else {
      *o++ = '\\';
      *o++ = e;
      if (e == 'u') {
        *o++ = '0';
        *o++ = '0';
        *o++ = hex[c >> 4];
        *o++ = hex[c & 15];
      }
      text++;
    }
  }
  *o = '"';
  return o + 1;
}
