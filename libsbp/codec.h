/* SPDX-License-Identifier: MIT */
/* What the generated readers and writers of message structs (build/gen) are made of. */
#ifndef SBPKIT_CODEC_H
#define SBPKIT_CODEC_H

#include "port.h"
#include "sbpkit/view.h"

SBPI_INLINE uint8_t load_u8(const uint8_t *p) {
  return *p;
}
SBPI_INLINE uint16_t load_u16(const uint8_t *p) {
  return sbpi_load16(p);
}
SBPI_INLINE uint32_t load_u32(const uint8_t *p) {
  return sbpi_load32(p);
}
SBPI_INLINE uint64_t load_u64(const uint8_t *p) {
  return sbpi_load64(p);
}
SBPI_INLINE int8_t load_s8(const uint8_t *p) {
  return (int8_t)*p;
}
SBPI_INLINE int16_t load_s16(const uint8_t *p) {
  return (int16_t)sbpi_load16(p);
}
SBPI_INLINE int32_t load_s32(const uint8_t *p) {
  return (int32_t)sbpi_load32(p);
}
SBPI_INLINE int64_t load_s64(const uint8_t *p) {
  return (int64_t)sbpi_load64(p);
}

/* Bits are copied as bits: a float that is handed on as a value need not arrive as the same NaN. */
SBPI_INLINE void load_float(float *to, const uint8_t *p) {
  const uint32_t bits = sbpi_load32(p);
  SBPI_COPY(to, &bits, sizeof bits);
}

SBPI_INLINE void load_double(double *to, const uint8_t *p) {
  const uint64_t bits = sbpi_load64(p);
  SBPI_COPY(to, &bits, sizeof bits);
}

SBPI_INLINE void store_u8(uint8_t *p, uint8_t v) {
  *p = v;
}
SBPI_INLINE void store_u16(uint8_t *p, uint16_t v) {
  sbpi_store16(p, v);
}
SBPI_INLINE void store_u32(uint8_t *p, uint32_t v) {
  sbpi_store32(p, v);
}
SBPI_INLINE void store_u64(uint8_t *p, uint64_t v) {
  sbpi_store64(p, v);
}
SBPI_INLINE void store_s8(uint8_t *p, int8_t v) {
  *p = (uint8_t)v;
}
SBPI_INLINE void store_s16(uint8_t *p, int16_t v) {
  sbpi_store16(p, (uint16_t)v);
}
SBPI_INLINE void store_s32(uint8_t *p, int32_t v) {
  sbpi_store32(p, (uint32_t)v);
}
SBPI_INLINE void store_s64(uint8_t *p, int64_t v) {
  sbpi_store64(p, (uint64_t)v);
}

SBPI_INLINE void store_float(uint8_t *p, const float *v) {
  uint32_t bits;
  SBPI_COPY(&bits, v, sizeof bits);
  sbpi_store32(p, bits);
}

SBPI_INLINE void store_double(uint8_t *p, const double *v) {
  uint64_t bits;
  SBPI_COPY(&bits, v, sizeof bits);
  sbpi_store64(p, bits);
}

SBPI_INLINE void load_string(struct sbp_string *string, const uint8_t *p, size_t size) {
  memcpy(string->text, p, size);
  string->text[size] = '\0';
  string->length = (uint8_t)size;
}

/* What a string takes of a payload: one that is empty, its terminators. */
SBPI_INLINE size_t string_size(const struct sbp_string *string, size_t least) {
  return string->length < least ? least : string->length;
}

SBPI_INLINE size_t store_string(uint8_t *p, const struct sbp_string *string, size_t least) {
  const size_t size = string_size(string, least);
  memset(p, 0, least);
  memcpy(p, string->text, string->length);
  return size;
}

#endif
