/* SPDX-License-Identifier: MIT */
/* The rules of JSON as tables of what can stand behind what, and as sums and shifts of words that have a bit for each
 * byte. A loop that goes from value to value must know where one ends before it can look at the next, and guess what
 * that will be; where keys come in no order, it guesses wrong. Here no byte waits for the one before it. */
#include "json_wide.h"

#include "json_line.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define WIDE __attribute__((target("avx2,pclmul,bmi,popcnt")))

/* What is longer or deeper is left to json_line.c. A member has five bytes at least, and two places. */
enum { BLOCK = 64, BLOCKS_MAX = 64, PLACES_MAX = BLOCKS_MAX * BLOCK * 2 / 5, AT_ONCE = 8 };

/* A bit for each byte of a block. */
struct block {
  uint64_t text; /* strings, from the opening quote to before the closing one */
  uint64_t quotes;
  uint64_t wrong; /* what no string holds, or no byte before it lets stand there */
  /* These are of bytes outside strings alone. */
  uint64_t brackets; /* all four */
  uint64_t commas;
  uint64_t colons;
  uint64_t digits;
  uint64_t zeros;
  uint64_t points;
};

/* What of the block before reaches into the next one. */
struct carried {
  uint64_t text;  /* all ones in a string */
  uint64_t key;   /* one in a key */
  uint64_t whole; /* one among the digits before a point */
  /* One where the last byte is: */
  uint64_t before_key; /* a comma or an opening bracket of an object */
  uint64_t key_end;
  uint64_t numeral;    /* a digit or a point */
  uint64_t first_zero; /* a zero that begins a number */
};

/* Open brackets, the innermost in the lowest bit, set where it is a square one, and a one above them. */
enum { NOTHING_OPEN = 1, OUTER_OPEN = 2 };

/* What the brackets of a block say of its bytes. */
struct context {
  uint64_t open_braces;
  uint64_t closed;
  uint64_t in_array; /* the innermost open bracket is a square one */
  uint64_t top;      /* only the outer object is open */
  uint64_t end;      /* the bracket that closes it */
};

/* Where the members of the outer object have their colons and, in turn with them, what ends them: commas and the
 * closing bracket. */
struct places {
  size_t count;
  uint16_t offset[PLACES_MAX + BLOCK + AT_ONCE];
};

/* What bytes outside strings are. */
enum { COLON = 1, COMMA = 2, DIGIT = 4, POINT = 8, MINUS = 16, QUOTE = 32, CLOSE = 64, OPEN = 128 };

WIDE SBPI_INLINE uint64_t mask(__m256i low, __m256i high) {
  return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

WIDE SBPI_INLINE uint64_t equal(__m256i low, __m256i high, char c) {
  const __m256i wanted = _mm256_set1_epi8(c);
  return mask(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
}

WIDE SBPI_INLINE uint64_t class_mask(__m256i low, __m256i high, int class) {
  const int to_sign = 7 - __builtin_ctz((unsigned)class);
  return mask(_mm256_slli_epi16(low, to_sign), _mm256_slli_epi16(high, to_sign));
}

/* A byte is of a class where both its halves are. */
WIDE SBPI_INLINE __m256i classes(__m256i bytes) {
  const __m256i by_low =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(DIGIT, DIGIT, DIGIT | QUOTE, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT,
                                                DIGIT, COLON, (char)OPEN, COMMA, CLOSE | MINUS, POINT, 0));
  const __m256i by_high =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, QUOTE | COMMA | MINUS | POINT, DIGIT | COLON, 0,
                                                (char)(OPEN | CLOSE), 0, (char)(OPEN | CLOSE), 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
  return _mm256_and_si256(_mm256_shuffle_epi8(by_low, bytes), _mm256_shuffle_epi8(by_high, high));
}

/* What can stand behind a byte outside strings, which is of some class. A shuffle gives zero for bytes above 127: what
 * is below '0' takes one table, all else the other. A quote is a closing one here. */
WIDE SBPI_INLINE __m256i followers(__m256i bytes) {
  enum { VALUE = QUOTE | OPEN | DIGIT | MINUS, END = COMMA | CLOSE, NUMERAL = DIGIT | POINT | END };
  const __m256i from_0 =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(NUMERAL, NUMERAL, NUMERAL, NUMERAL, NUMERAL, NUMERAL, NUMERAL, NUMERAL,
                                                NUMERAL, NUMERAL, (char)VALUE, (char)(VALUE | CLOSE), 0, END, 0, 0));
  const __m256i below_0 = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 0, END | COLON, 0, 0, 0, 0, 0, 0, 0, 0, 0, (char)VALUE, DIGIT, DIGIT, 0));
  const __m256i moved = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
  return _mm256_or_si256(_mm256_shuffle_epi8(from_0, moved),
                         _mm256_shuffle_epi8(below_0, _mm256_xor_si256(moved, _mm256_set1_epi8(-128))));
}

WIDE SBPI_INLINE __m256i load(const char *p) {
  return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* Bytes that no string holds: control characters; and backslashes, which are left to json_line.c. */
WIDE SBPI_INLINE __m256i stops(__m256i bytes) {
  const __m256i controls_end = _mm256_set1_epi8(0x1f);
  return _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(bytes, controls_end), controls_end),
                         _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\')));
}

/* The byte before p is looked at too. */
WIDE SBPI_INLINE struct block read_block(const char *p, uint64_t *in_text) {
  const __m256i low = load(p);
  const __m256i high = load(p + 32);
  const __m256i low_classes = classes(low);
  const __m256i high_classes = classes(high);
  struct block block;
  block.quotes = class_mask(low_classes, high_classes, QUOTE);
  /* The sum without carries of all bits below: whether the quotes up to a byte are odd in number. */
  const __m128i odd = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)block.quotes), _mm_set1_epi8(-1), 0);
  block.text = (uint64_t)_mm_cvtsi128_si64(odd) ^ *in_text;
  *in_text = 0 - (block.text >> 63);
  const uint64_t outside = ~block.text;
  const __m256i low_follows = _mm256_and_si256(low_classes, followers(load(p - 1)));
  const __m256i high_follows = _mm256_and_si256(high_classes, followers(load(p + 31)));
  /* Quotes open a string or close it: this is asked of the opening ones alone. */
  block.wrong = (equal(low_follows, high_follows, 0) & (outside ^ block.quotes)) | mask(stops(low), stops(high));
  const __m256i low_brackets = _mm256_or_si256(low_classes, _mm256_slli_epi16(low_classes, 1));
  const __m256i high_brackets = _mm256_or_si256(high_classes, _mm256_slli_epi16(high_classes, 1));
  block.brackets = class_mask(low_brackets, high_brackets, OPEN) & outside;
  block.digits = class_mask(low_classes, high_classes, DIGIT) & outside;
  block.commas = class_mask(low_classes, high_classes, COMMA) & outside;
  block.colons = class_mask(low_classes, high_classes, COLON) & outside;
  block.zeros = equal(low, high, '0') & outside;
  block.points = class_mask(low_classes, high_classes, POINT) & outside;
  return block;
}

/* Follow the brackets of a block, to the outer object's end. False where they do not match, or are nested deep. */
WIDE SBPI_INLINE bool follow_brackets(const char *p, uint64_t brackets, uint64_t *nesting, struct context *context) {
  uint64_t open = *nesting;
  struct context seen = {0, 0, 0 - (open & 1), 0 - (uint64_t)(open == OUTER_OPEN), 0};
  for (; SBPI_UNLIKELY(brackets != 0); brackets = _blsr_u64(brackets)) {
    const uint64_t bracket = _blsi_u64(brackets);
    const uint64_t before = bracket - 1;
    const char c = p[_tzcnt_u64(brackets)];
    const uint64_t square = (c & 0x20) == 0;
    if (c == '{' || c == '[') {
      if (open >> 62 != 0)
        return false;
      open = open << 1 | square;
      seen.open_braces |= square ? 0 : bracket;
      seen.top &= before;
    } else {
      if ((open & 1) != square)
        return false;
      open >>= 1;
      seen.closed |= bracket;
      if (open == NOTHING_OPEN) {
        seen.end = bracket;
        break;
      }
      seen.top |= open == OUTER_OPEN ? ~before : 0;
    }
    seen.in_array = (seen.in_array & before) | (~before & (0 - (open & 1)));
  }
  *context = seen;
  *nesting = open;
  return true;
}

/* The bytes behind these. */
SBPI_INLINE uint64_t next(uint64_t bytes, uint64_t *carried) {
  const uint64_t result = bytes << 1 | *carried;
  *carried = bytes >> 63;
  return result;
}

/* The bytes behind those of these runs of ones of which the first one is given, or the beginning was carried here. */
SBPI_INLINE uint64_t behind_runs(uint64_t runs, uint64_t first, uint64_t *carried) {
  unsigned long long sum;
  *carried = _addcarry_u64((unsigned char)*carried, runs, first, &sum);
  return sum & ~runs;
}

/* The bytes of a block that JSON does not allow there, or that are left to json_line.c. */
SBPI_INLINE uint64_t wrong_bytes(const struct block *block, const struct context *context, struct carried *carried) {
  const uint64_t opening = block->quotes & block->text;
  const uint64_t key = next((block->commas & ~context->in_array) | context->open_braces, &carried->before_key);
  const uint64_t key_ends = behind_runs(block->text, opening & key, &carried->key);
  const uint64_t first = block->digits & ~next(block->digits | block->points, &carried->numeral);
  const uint64_t behind_whole = behind_runs(block->digits, first, &carried->whole);
  const uint64_t behind_first_zero = next(first & block->zeros, &carried->first_zero);
  return block->wrong | (key & ~(opening | context->closed)) | (next(key_ends, &carried->key_end) ^ block->colons) |
         (block->points & ~behind_whole) | (behind_first_zero & block->digits);
}

/* Note the places of bytes. Some are always written, since it cannot be foretold well how many there are. */
WIDE SBPI_INLINE void put_places(uint64_t bytes, size_t offset, struct places *places) {
  uint16_t *place = places->offset + places->count;
  places->count += (size_t)_mm_popcnt_u64(bytes);
#pragma GCC unroll AT_ONCE
  for (size_t i = 0; i < AT_ONCE; i++, bytes = _blsr_u64(bytes))
    *place++ = (uint16_t)(offset + _tzcnt_u64(bytes));
  for (; SBPI_UNLIKELY(bytes != 0); bytes = _blsr_u64(bytes))
    *place++ = (uint16_t)(offset + _tzcnt_u64(bytes));
}

/* Remember the members of the outer object that mean something. */
SBPI_INLINE void note_members(struct sbp_reader *reader, const char *text, const struct places *places) {
  size_t key = 2;
  for (size_t i = 0; i + 1 < places->count; i += 2) {
    const size_t colon = places->offset[i];
    const size_t end = places->offset[i + 1];
    sbpi_keep_member(reader, sbpi_key_in_line(text + key, colon - 1 - key), colon + 1, end);
    key = end + 2;
  }
}

WIDE static const char *scan(struct sbp_reader *reader, const char *text, const char *stop) {
  struct places places;
  struct carried carried = {.before_key = 1};
  uint64_t nesting = OUTER_OPEN;
  places.count = 0;
  /* The outer object's opening bracket is before the first block. */
  const size_t readable = (size_t)(stop + SBPI_LINE_SLACK - text) - 1;
  const size_t blocks = readable / BLOCK < BLOCKS_MAX ? readable / BLOCK : BLOCKS_MAX;
  for (size_t offset = 1; offset < blocks * BLOCK; offset += BLOCK) {
    const char *const p = text + offset;
    const struct block block = read_block(p, &carried.text);
    struct context context;
    if (!follow_brackets(p, block.brackets, &nesting, &context))
      return NULL;
    /* All bytes, where the end is in none of them. What stands behind it is none of this object. */
    const uint64_t before_end = context.end - 1;
    if ((wrong_bytes(&block, &context, &carried) & (before_end | context.end)) != 0)
      return NULL;
    put_places(((block.colons | block.commas) & context.top & before_end) | context.end, offset, &places);
    if (context.end != 0) {
      note_members(reader, text, &places);
      return text + places.offset[places.count - 1] + 1;
    }
  }
  return NULL;
}
#endif

const char *sbpi_scan_wide(struct sbp_reader *reader, const char *text, const char *stop) {
#ifdef WIDE
  if (SBPI_LIKELY(reader->cpu == SBP_CPU_AVX2))
    return scan(reader, text, stop);
#endif
  (void)reader;
  (void)text;
  (void)stop;
  return NULL;
}
