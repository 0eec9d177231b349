/* SPDX-License-Identifier: MIT */
/* Unaligned little-endian access and what compilers spell differently. */
#ifndef SBPKIT_PORT_H
#define SBPKIT_PORT_H

#include <stddef.h>
#include <stdint.h>

#if __STDC_HOSTED__
#include <string.h>
#else
/* Without a C library there is no <string.h>. The compiler itself wants the first four of whoever links the program,
 * and we want the others too. */
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *in, int byte, size_t size);
size_t strlen(const char *text);
char *strchr(const char *text, int byte);
int strcmp(const char *a, const char *b);
#endif

#if defined(__GNUC__)
#define SBPI_LIKELY(x) __builtin_expect(!!(x), 1)
#define SBPI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SBPI_INLINE static inline __attribute__((always_inline))
#define SBPI_NOINLINE __attribute__((noinline))
#else
#define SBPI_LIKELY(x) (x)
#define SBPI_UNLIKELY(x) (x)
#define SBPI_INLINE static inline
#define SBPI_NOINLINE
#endif

/* A copy of known size, which is a few instructions in line. In freestanding programs memcpy() would be a call. */
#if defined(__GNUC__)
#define SBPI_COPY(to, from, size) __builtin_memcpy((to), (from), (size))
#else
#define SBPI_COPY(to, from, size) memcpy((to), (from), (size))
#endif

/* One load or store where the machine's order is the wire's; else byte by byte, which is right everywhere. (Compilers
 * can make one load of such bytes too, but gcc 12 takes them apart again near other stores.) */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
SBPI_INLINE uint16_t sbpi_load16(const uint8_t *p) {
  uint16_t v;
  SBPI_COPY(&v, p, sizeof v);
  return v;
}

SBPI_INLINE uint32_t sbpi_load32(const uint8_t *p) {
  uint32_t v;
  SBPI_COPY(&v, p, sizeof v);
  return v;
}

SBPI_INLINE uint64_t sbpi_load64(const uint8_t *p) {
  uint64_t v;
  SBPI_COPY(&v, p, sizeof v);
  return v;
}

SBPI_INLINE void sbpi_store16(uint8_t *p, uint16_t v) {
  SBPI_COPY(p, &v, sizeof v);
}
SBPI_INLINE void sbpi_store32(uint8_t *p, uint32_t v) {
  SBPI_COPY(p, &v, sizeof v);
}
SBPI_INLINE void sbpi_store64(uint8_t *p, uint64_t v) {
  SBPI_COPY(p, &v, sizeof v);
}
#else
SBPI_INLINE uint16_t sbpi_load16(const uint8_t *p) {
  return (uint16_t)(p[0] | (unsigned)p[1] << 8);
}

SBPI_INLINE uint32_t sbpi_load32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

SBPI_INLINE uint64_t sbpi_load64(const uint8_t *p) {
  return (uint64_t)sbpi_load32(p) | (uint64_t)sbpi_load32(p + 4) << 32;
}

SBPI_INLINE void sbpi_store16(uint8_t *p, uint16_t v) {
  p[0] = (uint8_t)v;
  p[1] = (uint8_t)(v >> 8);
}

SBPI_INLINE void sbpi_store32(uint8_t *p, uint32_t v) {
  p[0] = (uint8_t)v;
  p[1] = (uint8_t)(v >> 8);
  p[2] = (uint8_t)(v >> 16);
  p[3] = (uint8_t)(v >> 24);
}

SBPI_INLINE void sbpi_store64(uint8_t *p, uint64_t v) {
  sbpi_store32(p, (uint32_t)v);
  sbpi_store32(p + 4, (uint32_t)(v >> 32));
}

#endif

#endif
