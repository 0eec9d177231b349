/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. Each is one function that a fuzzer, or fuzz_main.c, calls with bytes; what must not
 * happen ends in abort(). */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Say what is wrong where a condition does not hold, and abort. */
#define FUZZ_CHECK(condition)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                          \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* For slow computations of what is right: where fuzzers need not look, and spend no time on counting. */
#if defined(__clang__) && __clang_major__ >= 13
#define FUZZ_UNCOUNTED __attribute__((no_sanitize("coverage")))
#else
#define FUZZ_UNCOUNTED
#endif

/* For struct sbp_allocator: gives memory so many times as its context, an unsigned, says. */
static inline void *fuzz_resize(void *context, void *old, size_t old_size, size_t new_size) {
  unsigned *const left = context;
  (void)old_size;
  if (new_size == 0) {
    free(old);
    return NULL;
  }
  if (*left == 0)
    return NULL;
  (*left)--;
  return realloc(old, new_size);
}

/* How large the next piece of the input is: 1 to 512, most of them small. */
static inline size_t fuzz_piece(uint32_t *state) {
  const uint32_t number = random_next(state);
  return 1 + (number >> 8) % ((size_t)1 << (number % 10));
}

/* The CRC of a frame as its definition reads, a bit at a time. */
FUZZ_UNCOUNTED static inline uint16_t fuzz_crc(const uint8_t *data, size_t size) {
  uint32_t crc = 0;
  for (size_t i = 0; i < size; i++) {
    crc ^= (uint32_t)data[i] << 8;
    for (int bit = 0; bit < 8; bit++)
      crc = (crc & 0x8000) != 0 ? (crc << 1 ^ 0x1021) & 0xFFFF : crc << 1 & 0xFFFF;
  }
  return (uint16_t)crc;
}

/* Base64 as RFC 4648 has it, a bit at a time: the number of bytes, or -1 where the text is not the one that those bytes
 * have. out has room for size bytes. */
FUZZ_UNCOUNTED static inline ptrdiff_t fuzz_base64(const char *text, size_t size, uint8_t *out) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t padding = 0, bits = 0;
  memset(out, 0, size);
  while (padding < 2 && padding < size && text[size - 1 - padding] == '=')
    padding++;
  if (size % 4 != 0)
    return -1;
  for (size_t i = 0; i < size - padding; i++) {
    const char *const letter = text[i] == '\0' ? NULL : strchr(alphabet, text[i]);
    if (letter == NULL)
      return -1;
    for (unsigned bit = 0x20; bit != 0; bit /= 2, bits++)
      if (((size_t)(letter - alphabet) & bit) != 0)
        out[bits / 8] |= (uint8_t)(0x80 >> bits % 8);
  }
  /* Bits of the last letter that are of no byte must be 0. */
  return bits % 8 != 0 && out[bits / 8] != 0 ? -1 : (ptrdiff_t)(bits / 8);
}

/* A copy of exactly these bytes, so that a sanitizer sees the first byte read beyond them. */
static inline void *fuzz_copy(const void *data, size_t size) {
  void *const copy = malloc(size == 0 ? 1 : size);
  FUZZ_CHECK(copy != NULL);
  if (size > 0)
    memcpy(copy, data, size);
  return copy;
}

#endif
