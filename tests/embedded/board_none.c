/* SPDX-License-Identifier: MIT */
/* The least board that links: where the program begins, and what a compiler without a C library wants of it. */
#include "embedded_echo.h"

void reset(void);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *in, int byte, size_t size);

/* A serial line's registers, at any address. */
static volatile uint32_t *const line = (volatile uint32_t *)0x40004400;

void reset(void) {
  for (;;) {
    const uint8_t byte = (uint8_t)line[0];
    echo(&byte, 1);
  }
}

void board_send(const uint8_t *bytes, size_t size) {
  while (size-- > 0)
    line[1] = *bytes++;
}

void board_light(bool on) {
  line[2] = on;
}

void *memcpy(void *to, const void *from, size_t size) {
  return memmove(to, from, size);
}

void *memmove(void *to, const void *from, size_t size) {
  uint8_t *t = to;
  const uint8_t *f = from;
  if (t <= f) {
    while (size-- > 0)
      *t++ = *f++;
  } else {
    while (size-- > 0)
      t[size] = f[size];
  }
  return to;
}

void *memset(void *to, int byte, size_t size) {
  uint8_t *t = to;
  while (size-- > 0)
    *t++ = (uint8_t)byte;
  return to;
}

int memcmp(const void *a, const void *b, size_t size) {
  const uint8_t *x = a;
  const uint8_t *y = b;
  for (; size > 0 && *x == *y; x++, y++)
    size--;
  return size == 0 ? 0 : *x - *y;
}

void *memchr(const void *in, int byte, size_t size) {
  for (const uint8_t *p = in; size-- > 0; p++) {
    if (*p == (uint8_t)byte)
      return (void *)(uintptr_t)p;
  }
  return NULL;
}
