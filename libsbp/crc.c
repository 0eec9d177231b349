/* SPDX-License-Identifier: MIT */
/* CRC-16/XMODEM: the remainder of the message times x^16 by x^16 + x^12 + x^5 + 1. A remainder of a sum is the sum of
 * the remainders, which all paths here stand on. */
#include "port.h"
#include "sbpkit/sbp.h"

#ifdef SBPKIT_SMALL_CRC

/* Without a table. The remainder of b x^16, for a byte b, is q (x^12 + x^5 + 1), its quotient q being b + b / x^4. */
uint16_t sbp_crc16(enum sbp_cpu cpu, uint16_t crc, const void *data, size_t size) {
  (void)cpu;
  for (const uint8_t *p = data; size > 0; size--, p++) {
    const unsigned byte = (uint8_t)(*p ^ crc >> 8);
    const unsigned quotient = byte ^ byte >> 4;
    crc = (uint16_t)((unsigned)crc << 8 ^ quotient << 12 ^ quotient << 5 ^ quotient);
  }
  return crc;
}

#else

/* A table from its entries 1, 2, 4, .. 128: each of them doubles it. */
#define TABLE_2(x, a) (x), (x) ^ (a)
#define TABLE_4(x, a, b) TABLE_2(x, a), TABLE_2((x) ^ (b), a)
#define TABLE_8(x, a, b, c) TABLE_4(x, a, b), TABLE_4((x) ^ (c), a, b)
#define TABLE_16(x, a, b, c, d) TABLE_8(x, a, b, c), TABLE_8((x) ^ (d), a, b, c)
#define TABLE_32(x, a, b, c, d, e) TABLE_16(x, a, b, c, d), TABLE_16((x) ^ (e), a, b, c, d)
#define TABLE_64(x, a, b, c, d, e, f) TABLE_32(x, a, b, c, d, e), TABLE_32((x) ^ (f), a, b, c, d, e)
#define TABLE_128(x, a, b, c, d, e, f, g) TABLE_64(x, a, b, c, d, e, f), TABLE_64((x) ^ (g), a, b, c, d, e, f)
#define TABLE(a, b, c, d, e, f, g, h) TABLE_128(0, a, b, c, d, e, f, g), TABLE_128((h), a, b, c, d, e, f, g)

/* table[k][i]: the remainder of byte i with k bytes behind it (slicing by 8). The numbers are x^(8k + b + 16) for bit
 * b. */
static const uint16_t table[8][256] = {
    {TABLE(0x1021, 0x2042, 0x4084, 0x8108, 0x1231, 0x2462, 0x48c4, 0x9188)},
    {TABLE(0x3331, 0x6662, 0xccc4, 0x89a9, 0x0373, 0x06e6, 0x0dcc, 0x1b98)},
    {TABLE(0x3730, 0x6e60, 0xdcc0, 0xa9a1, 0x4363, 0x86c6, 0x1dad, 0x3b5a)},
    {TABLE(0x76b4, 0xed68, 0xcaf1, 0x85c3, 0x1ba7, 0x374e, 0x6e9c, 0xdd38)},
    {TABLE(0xaa51, 0x4483, 0x8906, 0x022d, 0x045a, 0x08b4, 0x1168, 0x22d0)},
    {TABLE(0x45a0, 0x8b40, 0x06a1, 0x0d42, 0x1a84, 0x3508, 0x6a10, 0xd420)},
    {TABLE(0xb861, 0x60e3, 0xc1c6, 0x93ad, 0x377b, 0x6ef6, 0xddec, 0xabf9)},
    {TABLE(0x47d3, 0x8fa6, 0x0f6d, 0x1eda, 0x3db4, 0x7b68, 0xf6d0, 0xfd81)},
};

static uint16_t crc_by_table(uint16_t crc, const uint8_t *p, size_t size) {
  for (; size >= 8; size -= 8, p += 8) {
    crc = (uint16_t)(table[7][p[0] ^ crc >> 8] ^ table[6][p[1] ^ (crc & 255)] ^ table[5][p[2]] ^ table[4][p[3]] ^
                     table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]]);
  }
  for (; size > 0; size--, p++)
    crc = (uint16_t)(crc << 8 ^ table[0][*p ^ crc >> 8]);
  return crc;
}

/* Sixteen bytes as a polynomial of two halves, first byte first, and products of halves without carries. */
#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_CARRYLESS 1
#include <immintrin.h>
#define CARRYLESS __attribute__((target("pclmul,ssse3,sse4.1")))
typedef __m128i block;

CARRYLESS SBPI_INLINE block load(const void *p) {
  return _mm_loadu_si128((const __m128i *)p);
}
CARRYLESS SBPI_INLINE block pick(block bytes, block indices) {
  return _mm_shuffle_epi8(bytes, indices);
}
CARRYLESS SBPI_INLINE block add(block a, block b) {
  return _mm_xor_si128(a, b);
}
CARRYLESS SBPI_INLINE block multiply_low(block a, block b) {
  return _mm_clmulepi64_si128(a, b, 0x00);
}
CARRYLESS SBPI_INLINE block multiply_high(block a, block b) {
  return _mm_clmulepi64_si128(a, b, 0x11);
}
CARRYLESS SBPI_INLINE uint64_t low(block a) {
  return (uint64_t)_mm_cvtsi128_si64(a);
}
CARRYLESS SBPI_INLINE uint64_t high(block a) {
  return (uint64_t)_mm_extract_epi64(a, 1);
}
CARRYLESS SBPI_INLINE block from(uint64_t a) {
  return _mm_cvtsi64_si128((int64_t)a);
}
#elif defined(__aarch64__) && defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HAVE_CARRYLESS 1
#include <arm_neon.h>
#define CARRYLESS __attribute__((target("+crypto")))
typedef uint8x16_t block;

CARRYLESS SBPI_INLINE block load(const void *p) {
  return vld1q_u8(p);
}
CARRYLESS SBPI_INLINE block pick(block bytes, block indices) {
  return vqtbl1q_u8(bytes, indices);
}
CARRYLESS SBPI_INLINE block add(block a, block b) {
  return veorq_u8(a, b);
}
CARRYLESS SBPI_INLINE uint64_t low(block a) {
  return vgetq_lane_u64(vreinterpretq_u64_u8(a), 0);
}
CARRYLESS SBPI_INLINE uint64_t high(block a) {
  return vgetq_lane_u64(vreinterpretq_u64_u8(a), 1);
}
CARRYLESS SBPI_INLINE block multiply_low(block a, block b) {
  return vreinterpretq_u8_p128(vmull_p64((poly64_t)low(a), (poly64_t)low(b)));
}
CARRYLESS SBPI_INLINE block multiply_high(block a, block b) {
  return vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b)));
}
CARRYLESS SBPI_INLINE block from(uint64_t a) {
  return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(a), vcreate_u64(0)));
}
#endif

#ifdef HAVE_CARRYLESS
/* x^(64 j + 16): what eight bytes weigh that have j times eight bytes behind them. */
static const uint64_t weight[34] = {0x1021, 0xeb23, 0x10e2, 0x45b4, 0x8ddc, 0xb8e0, 0xbd64, 0x9fe5, 0x78b3,
                                    0x8420, 0x9c1a, 0x15b7, 0x9e3a, 0xf4e7, 0x4347, 0xfa0d, 0x36fb, 0xa2a0,
                                    0xcc40, 0xc70a, 0x3f07, 0x865a, 0x6493, 0xc6d5, 0xb353, 0x413d, 0x0284,
                                    0xe599, 0x8fc9, 0x799a, 0x86c9, 0x2093, 0x3f68, 0xbfa9};

/* Indices that reverse a block; and, read from `head` bytes on, its first `head` bytes to the low end, zeros above. */
static const uint8_t reverse[32] = {15,  14,  13,  12,  11,  10,  9,   8,   7,   6,   5,   4,   3,   2,   1,   0,
                                    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

/* Blocks of 16 bytes, aligned to the message's end, each multiplied by its own weights: no block waits for another one,
 * as it would where they are folded into each other. What remains are 80 bits, reduced at last. */
CARRYLESS static uint16_t crc_by_multiply(const uint8_t *p, size_t size) {
  const block order = load(reverse);
  const size_t head = size & 15;
  const uint64_t *w = weight + (size >> 4 << 1);
  block sum = from(0);
  if (head > 0) {
    const block bytes = pick(load(p), load(reverse + 16 - head));
    const block weights = load(w);
    sum = add(multiply_low(bytes, weights), multiply_high(bytes, weights));
    p += head;
  }
  for (; w > weight; p += 16) {
    w -= 2;
    const block bytes = pick(load(p), order);
    const block weights = load(w);
    sum = add(sum, add(multiply_low(bytes, weights), multiply_high(bytes, weights)));
  }
  /* 80 bits -> 64: bits 64 and up weigh x^64. Then Barrett: the quotient by x^64 / P = 0x111303471a041. */
  const uint64_t rest = low(sum) ^ low(multiply_low(from(high(sum)), from(0xb861)));
  const block product = multiply_low(from(rest >> 16), from(0x111303471a041));
  const uint64_t quotient = low(product) >> 48 | high(product) << 16;
  /* The low 16 bits of the quotient times P are all that is wanted. */
  return (uint16_t)(rest ^ quotient ^ quotient << 5 ^ quotient << 12);
}
#endif

uint16_t sbp_crc16(enum sbp_cpu cpu, uint16_t crc, const void *data, size_t size) {
#ifdef HAVE_CARRYLESS
  if (SBPI_LIKELY(cpu != SBP_CPU_PORTABLE && crc == 0 && size >= 16 && size < 272))
    return crc_by_multiply(data, size);
#else
  (void)cpu;
#endif
  return crc_by_table(crc, data, size);
}

#endif
