/* SPDX-License-Identifier: MIT */
/* The rules of JSON as sums and shifts of words that have a bit for each byte. A loop that goes from value to value
 * must know where one ends before it can look at the next, and guess what that will be; where keys come in no order, it
 * guesses wrong. Here no byte waits for the one before it. */
#include "json_wide.h"

#include "json_line.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define WIDE __attribute__((target("avx2,pclmul,bmi,popcnt")))

/* What is longer or deeper or has more members is left to json_line.c. */
enum { BLOCK = 64, BLOCKS_MAX = 64, DEPTH_MAX = 60, MEMBERS_MAX = 256, AT_ONCE = 8 };

/* A bit for each byte of a block. */
struct block {
  uint64_t text; /* strings, from the opening quote to before the closing one */
  uint64_t quotes;
  uint64_t stops; /* backslashes and control characters */
  /* These are of bytes outside strings alone. */
  uint64_t brackets; /* all four */
  uint64_t commas;
  uint64_t colons;
  uint64_t digits;
  uint64_t zeros;
  uint64_t points;
  uint64_t minuses;
};

/* What of the block before reaches into the next one. */
struct carried {
  uint64_t text;     /* all ones in a string */
  uint64_t key;      /* one in a key */
  uint64_t fraction; /* one among the digits behind a point */
  /* One where the last byte is: */
  uint64_t separator; /* a comma or a colon */
  uint64_t opened;
  uint64_t before_key; /* a comma or an opening bracket of an object */
  uint64_t key_end;
  uint64_t end; /* of a string, an object or an array */
  uint64_t digit;
  uint64_t point;
  uint64_t minus;
  uint64_t first_zero; /* a zero that begins a number */
};

/* Open brackets, the innermost in the lowest bit, set where it is a square one. */
struct nesting {
  uint64_t squares;
  unsigned depth;
};

/* What the brackets of a block say of its bytes. */
struct context {
  uint64_t opened; /* opening brackets */
  uint64_t open_braces;
  uint64_t closed;
  uint64_t in_array; /* the innermost open bracket is a square one */
  uint64_t top;      /* only the outer object is open */
  uint64_t inside;   /* the object's bytes, to its last one */
  bool ends;
};

/* Where the members of the outer object have their colons and, in turn with them, what ends them: commas and the
 * closing bracket. */
struct places {
  size_t count;
  uint16_t offset[2 * MEMBERS_MAX + BLOCK + AT_ONCE];
};

WIDE SBPI_INLINE uint64_t mask(__m256i low, __m256i high) {
  return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

WIDE SBPI_INLINE uint64_t equal(__m256i low, __m256i high, char c) {
  const __m256i wanted = _mm256_set1_epi8(c);
  return mask(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
}

/* A byte is of a class where both its halves are. */
WIDE SBPI_INLINE __m256i classes(__m256i bytes) {
  enum { COLON = 1, COMMA = 2, DIGIT = 4, BRACKET = 8, BACKSLASH = 16, CONTROL = 32, QUOTE = 64 };
  enum { EACH = CONTROL, NUMERAL = EACH | DIGIT };
  const __m256i by_low = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(NUMERAL, NUMERAL, NUMERAL | QUOTE, NUMERAL, NUMERAL, NUMERAL, NUMERAL, NUMERAL, NUMERAL, NUMERAL,
                    EACH | COLON, EACH | BRACKET, EACH | COMMA | BACKSLASH, EACH | BRACKET, EACH, EACH));
  const __m256i by_high = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      CONTROL, CONTROL, COMMA | QUOTE, DIGIT | COLON, 0, BRACKET | BACKSLASH, 0, BRACKET, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
  return _mm256_and_si256(_mm256_shuffle_epi8(by_low, bytes), _mm256_shuffle_epi8(by_high, high));
}

WIDE SBPI_INLINE uint64_t class_mask(__m256i low, __m256i high, int bit) {
  return mask(_mm256_slli_epi16(low, 7 - bit), _mm256_slli_epi16(high, 7 - bit));
}

WIDE SBPI_INLINE struct block read_block(const char *p, uint64_t *in_text) {
  const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)p);
  const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
  const __m256i low_classes = classes(low);
  const __m256i high_classes = classes(high);
  struct block block;
  block.quotes = class_mask(low_classes, high_classes, 6);
  block.stops = class_mask(low_classes, high_classes, 5) | class_mask(low_classes, high_classes, 4);
  /* The sum without carries of all bits below: whether the quotes up to a byte are odd in number. */
  const __m128i odd = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)block.quotes), _mm_set1_epi8(-1), 0);
  block.text = (uint64_t)_mm_cvtsi128_si64(odd) ^ *in_text;
  *in_text = 0 - (block.text >> 63);
  const uint64_t outside = ~block.text;
  block.brackets = class_mask(low_classes, high_classes, 3) & outside;
  block.digits = class_mask(low_classes, high_classes, 2) & outside;
  block.commas = class_mask(low_classes, high_classes, 1) & outside;
  block.colons = class_mask(low_classes, high_classes, 0) & outside;
  block.zeros = equal(low, high, '0') & outside;
  block.points = equal(low, high, '.') & outside;
  block.minuses = equal(low, high, '-') & outside;
  return block;
}

/* Follow the brackets of a block. False where they do not match, or are nested deep. */
WIDE SBPI_INLINE bool follow_brackets(const char *p, uint64_t brackets, struct nesting *nesting,
                                      struct context *context) {
  struct context seen = {0, 0, 0, 0, 0, UINT64_MAX, false};
  struct nesting open = *nesting;
  uint64_t rest = UINT64_MAX;
  for (; SBPI_UNLIKELY(brackets != 0); brackets = _blsr_u64(brackets)) {
    const uint64_t bracket = _blsi_u64(brackets);
    const uint64_t before = rest & (bracket - 1);
    const char c = p[_tzcnt_u64(brackets)];
    const bool square = (c & 0x20) == 0;
    rest &= ~(bracket - 1);
    seen.in_array |= before & (0 - (open.squares & 1));
    seen.top |= before & (0 - (uint64_t)(open.depth == 1));
    if (c == '{' || c == '[') {
      if (open.depth == DEPTH_MAX)
        return false;
      seen.opened |= bracket;
      seen.open_braces |= square ? 0 : bracket;
      open.squares = open.squares << 1 | square;
      open.depth++;
      continue;
    }
    if ((open.squares & 1) != square)
      return false;
    seen.closed |= bracket;
    open.squares >>= 1;
    if (--open.depth == 0) {
      seen.inside = bracket | (bracket - 1);
      seen.ends = true;
      *context = seen;
      return true;
    }
  }
  seen.in_array |= rest & (0 - (open.squares & 1));
  seen.top |= rest & (0 - (uint64_t)(open.depth == 1));
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
  const uint64_t part = runs + first;
  const uint64_t sum = part + *carried;
  *carried = (part < runs) | (sum < part);
  return sum & ~runs;
}

/* The bytes of a block that JSON does not allow there, or that are left to json_line.c. */
SBPI_INLINE uint64_t wrong_bytes(const struct block *block, const struct context *context, struct carried *carried) {
  const uint64_t inside = context->inside;
  const uint64_t closed = context->closed;
  const uint64_t opened = context->opened;
  const uint64_t commas = block->commas & inside;
  const uint64_t colons = block->colons & inside;
  const uint64_t digits = block->digits & inside;
  const uint64_t points = block->points & inside;
  const uint64_t minuses = block->minuses & inside;
  const uint64_t text = block->text & inside;
  const uint64_t opening = block->quotes & text;
  const uint64_t closing = block->quotes & inside & ~text;

  const uint64_t behind_separator = next(commas | colons, &carried->separator);
  const uint64_t behind_opened = next(opened, &carried->opened);
  const uint64_t key = next((commas & ~context->in_array) | context->open_braces, &carried->before_key);
  const uint64_t key_ends = behind_runs(text, opening & key, &carried->key);
  const uint64_t behind_digit = next(digits, &carried->digit);
  const uint64_t behind_point = next(points, &carried->point);
  const uint64_t behind_minus = next(minuses, &carried->minus);
  const uint64_t behind_fraction = behind_runs(digits, digits & behind_point, &carried->fraction);
  const uint64_t first_zero = digits & block->zeros & ~(behind_digit | behind_point);

  uint64_t wrong = ~(text | closing | opened | closed | commas | colons | digits | points | minuses) | block->stops;
  wrong |= (behind_separator | behind_opened) & ~(opening | opened | digits | minuses | closed);
  wrong |= behind_separator & closed;
  wrong |= key & ~(opening | closed);
  wrong |= next(key_ends, &carried->key_end) ^ colons;
  wrong |= next(closing | closed, &carried->end) & ~(commas | closed | colons);
  wrong |= behind_digit & ~(digits | points | commas | closed);
  wrong |= (behind_minus | behind_point) & ~digits;
  wrong |= points & (~behind_digit | behind_fraction);
  wrong |= next(first_zero, &carried->first_zero) & digits;
  return wrong & inside;
}

/* Note the places of bytes. Some are always written, since it cannot be foretold well how many there are. */
WIDE SBPI_INLINE void put_places(uint64_t bytes, size_t offset, struct places *places) {
  uint16_t *place = places->offset + places->count;
  places->count += (size_t)_mm_popcnt_u64(bytes);
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
  struct carried carried = {0};
  struct nesting nesting = {0, 0};
  places.count = 0;
  for (size_t offset = 0; offset < (size_t)BLOCKS_MAX * BLOCK; offset += BLOCK) {
    const char *const p = text + offset;
    if (stop + SBPI_LINE_SLACK - p < BLOCK || places.count > (size_t)2 * MEMBERS_MAX)
      return NULL;
    const struct block block = read_block(p, &carried.text);
    struct context context;
    if (!follow_brackets(p, block.brackets, &nesting, &context) || wrong_bytes(&block, &context, &carried) != 0)
      return NULL;
    const uint64_t end = context.ends ? context.inside & ~(context.inside >> 1) : 0;
    put_places(((block.colons | block.commas) & context.top) | end, offset, &places);
    if (end != 0) {
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
