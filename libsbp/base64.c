/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648 section 4), strict when read. */
#include "base64.h"

/* Portable: three bytes are two pairs of characters, a pair from a table of 4096; read back four characters at a time,
 * each from its own table, so that what is no character shows in the bits above 24. */
#define PAIRS(a)                                                                                                       \
  {a, 'A'}, {a, 'B'}, {a, 'C'}, {a, 'D'}, {a, 'E'}, {a, 'F'}, {a, 'G'}, {a, 'H'}, {a, 'I'}, {a, 'J'}, {a, 'K'},        \
      {a, 'L'}, {a, 'M'}, {a, 'N'}, {a, 'O'}, {a, 'P'}, {a, 'Q'}, {a, 'R'}, {a, 'S'}, {a, 'T'}, {a, 'U'}, {a, 'V'},    \
      {a, 'W'}, {a, 'X'}, {a, 'Y'}, {a, 'Z'}, {a, 'a'}, {a, 'b'}, {a, 'c'}, {a, 'd'}, {a, 'e'}, {a, 'f'}, {a, 'g'},    \
      {a, 'h'}, {a, 'i'}, {a, 'j'}, {a, 'k'}, {a, 'l'}, {a, 'm'}, {a, 'n'}, {a, 'o'}, {a, 'p'}, {a, 'q'}, {a, 'r'},    \
      {a, 's'}, {a, 't'}, {a, 'u'}, {a, 'v'}, {a, 'w'}, {a, 'x'}, {a, 'y'}, {a, 'z'}, {a, '0'}, {a, '1'}, {a, '2'},    \
      {a, '3'}, {a, '4'}, {a, '5'}, {a, '6'}, {a, '7'}, {a, '8'}, {a, '9'}, {a, '+'}, {                                \
    a, '/'                                                                                                             \
  }

static const char pair[4096][2] = {
    PAIRS('A'), PAIRS('B'), PAIRS('C'), PAIRS('D'), PAIRS('E'), PAIRS('F'), PAIRS('G'), PAIRS('H'),
    PAIRS('I'), PAIRS('J'), PAIRS('K'), PAIRS('L'), PAIRS('M'), PAIRS('N'), PAIRS('O'), PAIRS('P'),
    PAIRS('Q'), PAIRS('R'), PAIRS('S'), PAIRS('T'), PAIRS('U'), PAIRS('V'), PAIRS('W'), PAIRS('X'),
    PAIRS('Y'), PAIRS('Z'), PAIRS('a'), PAIRS('b'), PAIRS('c'), PAIRS('d'), PAIRS('e'), PAIRS('f'),
    PAIRS('g'), PAIRS('h'), PAIRS('i'), PAIRS('j'), PAIRS('k'), PAIRS('l'), PAIRS('m'), PAIRS('n'),
    PAIRS('o'), PAIRS('p'), PAIRS('q'), PAIRS('r'), PAIRS('s'), PAIRS('t'), PAIRS('u'), PAIRS('v'),
    PAIRS('w'), PAIRS('x'), PAIRS('y'), PAIRS('z'), PAIRS('0'), PAIRS('1'), PAIRS('2'), PAIRS('3'),
    PAIRS('4'), PAIRS('5'), PAIRS('6'), PAIRS('7'), PAIRS('8'), PAIRS('9'), PAIRS('+'), PAIRS('/')};

#define BAD 0x1000000u
#define BAD_8 BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD
#define BAD_32 BAD_8, BAD_8, BAD_8, BAD_8
#define BITS(value, s) ((uint32_t)(value) << (s))
#define BITS_5(v, s) BITS(v, s), BITS((v) + 1, s), BITS((v) + 2, s), BITS((v) + 3, s), BITS((v) + 4, s)
#define BITS_26(v, s)                                                                                                  \
  BITS_5(v, s), BITS_5((v) + 5, s), BITS_5((v) + 10, s), BITS_5((v) + 15, s), BITS_5((v) + 20, s), BITS((v) + 25, s)
/* By character: 43 '+', 47 '/', 48 '0', 65 'A', 97 'a'. */
#define BITS_256(s)                                                                                                    \
  BAD_32, BAD_8, BAD, BAD, BAD, BITS(62, s), BAD, BAD, BAD, BITS(63, s), BITS_5(52, s), BITS_5(57, s), BAD, BAD, BAD,  \
      BAD, BAD, BAD, BAD, BITS_26(0, s), BAD, BAD, BAD, BAD, BAD, BAD, BITS_26(26, s), BAD, BAD, BAD, BAD, BAD,        \
      BAD_32, BAD_32, BAD_32, BAD_32

static const uint32_t bits[4][256] = {{BITS_256(18)}, {BITS_256(12)}, {BITS_256(6)}, {BITS_256(0)}};

static char *encode_by_table(const uint8_t *p, size_t size, char *out) {
  for (; size >= 3; size -= 3, p += 3, out += 4) {
    const uint32_t group = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
    memcpy(out, pair[group >> 12], 2);
    memcpy(out + 2, pair[group & 4095], 2);
  }
  if (size > 0) {
    const uint32_t group = (uint32_t)p[0] << 16 | (size > 1 ? (uint32_t)p[1] << 8 : 0);
    memcpy(out, pair[group >> 12], 2);
    memcpy(out + 2, pair[group & 4095], 2);
    out[3] = '=';
    if (size == 1)
      out[2] = '=';
    out += 4;
  }
  return out;
}

static uint32_t group_of(const char *text) {
  const uint8_t *const c = (const uint8_t *)text;
  return bits[0][c[0]] | bits[1][c[1]] | bits[2][c[2]] | bits[3][c[3]];
}

/* The last group, which may be padded; returns how many bytes it gave, or -1. */
static int decode_last(const char *text, uint8_t *out) {
  char whole[4];
  memcpy(whole, text, 4);
  const int bytes = text[3] != '=' ? 3 : text[2] != '=' ? 2 : 1;
  if (bytes < 3)
    whole[3] = 'A';
  if (bytes < 2)
    whole[2] = 'A';
  const uint32_t group = group_of(whole);
  /* Padding is canonical where the bits that it cuts off are 0. */
  if (group >= BAD || (bytes == 2 && (group & 0xff) != 0) || (bytes == 1 && (group & 0xffff) != 0))
    return -1;
  out[0] = (uint8_t)(group >> 16);
  if (bytes > 1)
    out[1] = (uint8_t)(group >> 8);
  if (bytes > 2)
    out[2] = (uint8_t)group;
  return bytes;
}

static ptrdiff_t decode_by_table(const char *text, size_t size, uint8_t *out) {
  const uint8_t *const begin = out;
  if (size == 0)
    return 0;
  if (size % 4 != 0)
    return -1;
  uint32_t seen = 0;
  for (; size > 4; size -= 4, text += 4, out += 3) {
    const uint32_t group = group_of(text);
    seen |= group;
    out[0] = (uint8_t)(group >> 16);
    out[1] = (uint8_t)(group >> 8);
    out[2] = (uint8_t)group;
  }
  const int bytes = decode_last(text, out);
  return seen >= BAD || bytes < 0 ? -1 : out - begin + bytes;
}

/* What the wide paths look up, by the low and by the high half of a character: the two have a bit in common where it is
 * no base64; what to add to a character for its value; the order of the bytes of four groups. */
#if defined(__GNUC__) && (defined(__x86_64__) || (defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))
#define HAVE_WIDE 1
static const uint8_t decode_low[16] = {0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                                       0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a};
static const uint8_t decode_high[16] = {0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08,
                                        0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10};
static const uint8_t decode_offset[16] = {0, 16, 19, 4, 191, 191, 185, 185};
static const uint8_t decode_order[16] = {2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 255, 255, 255, 255};
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WIDE __attribute__((target("avx2")))

/* Wide base64 after W. Mula and D. Lemire, "Faster Base64 Encoding and Decoding using AVX2 Instructions", 2018. */

/* characters: twelve bytes from the fifth on -> sixteen characters. encode_24 reads 32 bytes, of which 24 count from
 * the fifth on. decode_12: sixteen characters -> twelve bytes, zeros behind them; *bad gets bits where one is no
 * base64. decode_24 does it twice, and stores four bytes more. */

typedef __m128i bytes_16;

WIDE SBPI_INLINE bytes_16 load(const void *p) {
  return _mm_loadu_si128((const __m128i *)p);
}
WIDE SBPI_INLINE __m256i load_32(const void *p) {
  return _mm256_loadu_si256((const __m256i *)p);
}
WIDE SBPI_INLINE void store(void *o, bytes_16 bytes) {
  _mm_storeu_si128((__m128i *)o, bytes);
}
WIDE SBPI_INLINE bytes_16 pick(bytes_16 bytes, bytes_16 indices) {
  return _mm_shuffle_epi8(bytes, indices);
}

#define EIGHT_TIMES(x)                                                                                                 \
  { x, x, x, x, x, x, x, x }
static const uint32_t words[][8] = {EIGHT_TIMES(0x0fc0fc00), EIGHT_TIMES(0x04000040), EIGHT_TIMES(0x003f03f0),
                                    EIGHT_TIMES(0x01000010), EIGHT_TIMES(0x1a1a1a1a), EIGHT_TIMES(0x0d0d0d0d),
                                    EIGHT_TIMES(0x33333333)};
enum { HIGH_BITS, HIGH_SHIFT, LOW_BITS, LOW_SHIFT, LETTERS, CAPITAL, SMALL_Z };

/* Where the compiler cannot see what they are: it would make each anew, in four instructions, for every payload. */
SBPI_INLINE const uint32_t (*hidden_words(void))[8] {
  const uint32_t(*hidden)[8] = words;
  __asm__("" : "+r"(hidden));
  return hidden;
}

WIDE SBPI_INLINE bytes_16 characters(bytes_16 bytes) {
  const uint32_t(*const word)[8] = hidden_words();
  const __m128i order = _mm_setr_epi8(5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14);
  const __m128i offset = _mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                                       '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0);
  const __m128i picked = _mm_shuffle_epi8(bytes, order);
  const __m128i high = _mm_mulhi_epu16(_mm_and_si128(picked, load(word[HIGH_BITS])), load(word[HIGH_SHIFT]));
  const __m128i low = _mm_mullo_epi16(_mm_and_si128(picked, load(word[LOW_BITS])), load(word[LOW_SHIFT]));
  const __m128i values = _mm_or_si128(high, low);
  const __m128i capital = _mm_and_si128(_mm_cmpgt_epi8(load(word[LETTERS]), values), load(word[CAPITAL]));
  const __m128i kind = _mm_or_si128(_mm_subs_epu8(values, load(word[SMALL_Z])), capital);
  return _mm_add_epi8(_mm_shuffle_epi8(offset, kind), values);
}

/* The same twice: each half holds its twelve bytes from the fifth on. */
WIDE SBPI_INLINE __m256i characters_twice(__m256i bytes) {
  const uint32_t(*const word)[8] = hidden_words();
  const __m256i order = _mm256_setr_epi8(5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14, 1, 0, 2, 1, 4, 3, 5, 4,
                                         7, 6, 8, 7, 10, 9, 11, 10);
  const __m256i offset =
      _mm256_broadcastsi128_si256(_mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                                                '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0));
  const __m256i picked = _mm256_shuffle_epi8(bytes, order);
  const __m256i high =
      _mm256_mulhi_epu16(_mm256_and_si256(picked, load_32(word[HIGH_BITS])), load_32(word[HIGH_SHIFT]));
  const __m256i low = _mm256_mullo_epi16(_mm256_and_si256(picked, load_32(word[LOW_BITS])), load_32(word[LOW_SHIFT]));
  const __m256i values = _mm256_or_si256(high, low);
  const __m256i capital = _mm256_and_si256(_mm256_cmpgt_epi8(load_32(word[LETTERS]), values), load_32(word[CAPITAL]));
  const __m256i kind = _mm256_or_si256(_mm256_subs_epu8(values, load_32(word[SMALL_Z])), capital);
  return _mm256_add_epi8(_mm256_shuffle_epi8(offset, kind), values);
}

WIDE SBPI_INLINE void encode_24(const uint8_t *p, char *o) {
  _mm256_storeu_si256((__m256i *)(void *)o, characters_twice(load_32(p)));
}

WIDE SBPI_INLINE bytes_16 decode_12(bytes_16 c, bytes_16 *bad) {
  const __m128i nibble = _mm_set1_epi8(0x0f);
  const __m128i high = _mm_and_si128(_mm_srli_epi32(c, 4), nibble);
  const __m128i low = _mm_and_si128(c, nibble);
  *bad = _mm_or_si128(*bad, _mm_and_si128(pick(load(decode_low), low), pick(load(decode_high), high)));
  const __m128i which = _mm_add_epi8(_mm_cmpeq_epi8(c, _mm_set1_epi8('/')), high);
  const __m128i values = _mm_add_epi8(c, pick(load(decode_offset), which));
  const __m128i pairs = _mm_maddubs_epi16(values, _mm_set1_epi32(0x01400140));
  return pick(_mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000)), load(decode_order));
}
WIDE SBPI_INLINE bool any(bytes_16 bad) {
  return _mm_testz_si128(bad, bad) == 0;
}
WIDE SBPI_INLINE bytes_16 add(bytes_16 a, bytes_16 b) {
  return _mm_add_epi8(a, b);
}
WIDE SBPI_INLINE uint64_t low(bytes_16 a) {
  return (uint64_t)_mm_cvtsi128_si64(a);
}
WIDE SBPI_INLINE uint64_t high(bytes_16 a) {
  return (uint64_t)_mm_extract_epi64(a, 1);
}

WIDE SBPI_INLINE void decode_24(const char *text, uint8_t *out, bytes_16 *bad) {
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)text);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi32(c, 4), nibble);
  const __m256i low = _mm256_and_si256(c, nibble);
  const __m256i wrong = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load(decode_low)), low),
                                         _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load(decode_high)), high));
  *bad = _mm_or_si128(*bad, _mm_or_si128(_mm256_castsi256_si128(wrong), _mm256_extracti128_si256(wrong, 1)));
  const __m256i which = _mm256_add_epi8(_mm256_cmpeq_epi8(c, _mm256_set1_epi8('/')), high);
  const __m256i values =
      _mm256_add_epi8(c, _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load(decode_offset)), which));
  const __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000)),
                                            _mm256_broadcastsi128_si256(load(decode_order)));
  store(out, _mm256_castsi256_si128(bytes));
  store(out + 12, _mm256_extracti128_si256(bytes, 1));
}
#endif

#if defined(__aarch64__) && defined(HAVE_WIDE)
#define WIDE
#include <arm_neon.h>

/* NEON shifts each lane as far as it needs, and looks up in 64 bytes. */
typedef uint8x16_t bytes_16;

SBPI_INLINE bytes_16 load(const void *p) {
  return vld1q_u8(p);
}
SBPI_INLINE void store(void *o, bytes_16 bytes) {
  vst1q_u8(o, bytes);
}
SBPI_INLINE bytes_16 pick(bytes_16 bytes, bytes_16 indices) {
  return vqtbl1q_u8(bytes, indices);
}

SBPI_INLINE bytes_16 characters(bytes_16 bytes) {
  static const uint8_t order[16] = {5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14};
  static const int16_t right[8] = {-10, -6, -10, -6, -10, -6, -10, -6};
  static const int16_t left[8] = {4, 8, 4, 8, 4, 8, 4, 8};
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const uint16x8_t words = vreinterpretq_u16_u8(vqtbl1q_u8(bytes, vld1q_u8(order)));
  const uint16x8_t first = vandq_u16(vshlq_u16(words, vld1q_s16(right)), vdupq_n_u16(0x003f));
  const uint16x8_t second = vandq_u16(vshlq_u16(words, vld1q_s16(left)), vdupq_n_u16(0x3f00));
  const uint8x16_t values = vreinterpretq_u8_u16(vorrq_u16(first, second));
  return vqtbl4q_u8(vld1q_u8_x4((const uint8_t *)alphabet), values);
}

SBPI_INLINE void encode_24(const uint8_t *p, char *o) {
  store(o, characters(load(p)));
  store(o + 16, characters(load(p + 12)));
}

SBPI_INLINE bytes_16 decode_12(bytes_16 c, bytes_16 *bad) {
  const uint8x16_t high = vshrq_n_u8(c, 4);
  const uint8x16_t low = vandq_u8(c, vdupq_n_u8(15));
  *bad = vorrq_u8(*bad, vandq_u8(pick(load(decode_low), low), pick(load(decode_high), high)));
  const uint8x16_t which = vaddq_u8(vceqq_u8(c, vdupq_n_u8('/')), high);
  const uint16x8_t values = vreinterpretq_u16_u8(vaddq_u8(c, pick(load(decode_offset), which)));
  const uint16x8_t pairs = vorrq_u16(vshlq_n_u16(vandq_u16(values, vdupq_n_u16(63)), 6), vshrq_n_u16(values, 8));
  const uint32x4_t halves = vreinterpretq_u32_u16(pairs);
  const uint32x4_t groups = vorrq_u32(vshlq_n_u32(vandq_u32(halves, vdupq_n_u32(0xffff)), 12), vshrq_n_u32(halves, 16));
  return pick(vreinterpretq_u8_u32(groups), load(decode_order));
}
SBPI_INLINE bool any(bytes_16 bad) {
  return vmaxvq_u8(bad) != 0;
}
SBPI_INLINE bytes_16 add(bytes_16 a, bytes_16 b) {
  return vaddq_u8(a, b);
}
SBPI_INLINE uint64_t low(bytes_16 a) {
  return vgetq_lane_u64(vreinterpretq_u64_u8(a), 0);
}
SBPI_INLINE uint64_t high(bytes_16 a) {
  return vgetq_lane_u64(vreinterpretq_u64_u8(a), 1);
}
SBPI_INLINE void decode_24(const char *text, uint8_t *out, bytes_16 *bad) {
  store(out, decode_12(load(text), bad));
  store(out + 12, decode_12(load(text + 16), bad));
}
#endif

#ifdef HAVE_WIDE
/* A frame's payload: six bytes of header stand before it and two of CRC behind, so that wide loads stay in the frame.
 */
WIDE static char *encode_payload_wide(const uint8_t *p, size_t size, char *o) {
  const uint8_t *const end = p + size;
  for (; end - p >= 26; p += 24, o += 32)
    encode_24(p - 4, o);
  for (; end - p >= 12; p += 12, o += 16)
    store(o, characters(load(p - 4)));
  const size_t rest = (size_t)(end - p);
  if (size < 10)
    return encode_by_table(p, rest, o);
  /* The payload's last sixteen bytes, moved so that the rest begins at the fifth, with zeros behind it. */
  static const uint8_t slide[32] = {0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
                                    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  /* What makes '=' of the 'A' that come of no bytes; how many characters there are then. */
  enum { PAD = (uint8_t)('=' - 'A') };
  static const uint8_t padding[12][16] = {
      [1] = {[2] = PAD, [3] = PAD},   [2] = {[3] = PAD},  [4] = {[6] = PAD, [7] = PAD},    [5] = {[7] = PAD},
      [7] = {[10] = PAD, [11] = PAD}, [8] = {[11] = PAD}, [10] = {[14] = PAD, [15] = PAD}, [11] = {[15] = PAD}};
  static const uint8_t sizes[12] = {0, 4, 4, 4, 8, 8, 8, 12, 12, 12, 16, 16};
  store(o, add(characters(pick(load(end - 16), load(slide + 12 - rest))), load(padding[rest])));
  return o + sizes[rest];
}

/* Twelve bytes, and none behind them. */
WIDE SBPI_INLINE void store_12(uint8_t *out, bytes_16 block) {
  sbpi_store64(out, low(block));
  sbpi_store32(out + 8, (uint32_t)high(block));
}

/* Whole groups, sixteen characters or more. The last block may reach back into the one before it. */
WIDE static ptrdiff_t decode_wide(const char *text, size_t size, uint8_t *out) {
  if (size % 4 != 0)
    return -1;
  /* Read from n on: what makes 'A' of n characters '=' at the end of a block. */
  static const uint8_t filler[18] = {[16] = 'A' - '=', [17] = 'A' - '='};
  static const uint32_t cut_off[3] = {0, 0xff000000, 0xffff0000};
  const size_t bytes = size / 4 * 3;
  const char *const last = text + size - 16;
  uint8_t *const last_out = out + bytes - 12;
  const unsigned one = text[size - 1] == '=';
  const unsigned padding = one + (one & (text[size - 2] == '='));
  bytes_16 bad = load(filler);
  for (; last - text >= 24; text += 32, out += 24)
    decode_24(text, out, &bad);
  for (; text < last; text += 16, out += 12)
    store_12(out, decode_12(load(text), &bad));
  const bytes_16 block = decode_12(add(load(last), load(filler + padding)), &bad);
  store_12(last_out, block);
  /* Padding is canonical where the bits that it cuts off are 0. */
  if (any(bad) || ((uint32_t)high(block) & cut_off[padding]) != 0)
    return -1;
  return (ptrdiff_t)(bytes - padding);
}
#endif

char *sbp_base64_encode(enum sbp_cpu cpu, const uint8_t *data, size_t size, char *out) {
  (void)cpu;
  return encode_by_table(data, size, out);
}

char *sbpi_base64_encode_payload(enum sbp_cpu cpu, const struct sbp_frame *frame, char *out) {
#ifdef HAVE_WIDE
  if (SBPI_LIKELY(cpu != SBP_CPU_PORTABLE))
    return encode_payload_wide(frame->payload, frame->length, out);
#endif
  (void)cpu;
  return encode_by_table(frame->payload, frame->length, out);
}

ptrdiff_t sbp_base64_decode(enum sbp_cpu cpu, const char *text, size_t size, uint8_t *out) {
#ifdef HAVE_WIDE
  if (SBPI_LIKELY(cpu != SBP_CPU_PORTABLE && size >= 16))
    return decode_wide(text, size, out);
#endif
  (void)cpu;
  return decode_by_table(text, size, out);
}
