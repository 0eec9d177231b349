/* SPDX-License-Identifier: MIT */
/* Numbers at random, the same in each run. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* The next number. Xorshift; the state is never 0. */
static inline uint32_t random_next(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

#endif
