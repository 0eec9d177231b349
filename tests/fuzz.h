/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. Each is one function that a fuzzer, or fuzz_main.c, calls with bytes; what must not
 * happen ends in abort(). */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Say what is wrong where a condition does not hold, and abort. */
#define FUZZ_CHECK(condition)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                          \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* How large the next piece of the input is: 1 to 512, most of them small. Xorshift; the state is never 0. */
static inline size_t fuzz_piece(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return 1 + (*state >> 8) % ((size_t)1 << (*state % 10));
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
