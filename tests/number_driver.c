/* SPDX-License-Identifier: MIT */
/* Lets test_floats.py try millions of numbers, and sweeps over floats by itself.
 *
 *   number_driver                   one answer a line for each line of stdin:
 *     f BITS, d BITS                a float's or double's text, plain and compat; BITS is hexadecimal
 *     u VALUE, s VALUE              the text of a u64 or s64, which must be that of the u32 or s32 where it is one
 *     r TEXT                        digits exponent negative inexact float double integer, as read; - for a false
 *   number_driver --random-f32 SEED COUNT
 *   number_driver --random-f64 SEED COUNT
 *                                   BITS, plain and compat text of random finite values
 *   number_driver --sweep-f32 START COUNT [STEP]
 *                                   check COUNT floats from the bits START on, see sweep_one()
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "number.h"

static void fail(const char *what, const char *value) {
  fprintf(stderr, "number_driver: %s: %s\n", what, value);
  exit(1);
}

/* ---- Texts, with a look at the bytes behind the room that a writer may use ------------------------------------- */

struct text {
  char text[SBPI_NUMBER_ROOM + 8];
};

static void text_begin(struct text *t) {
  memset(t->text, '#', sizeof t->text);
}

static void text_end(struct text *t, char *end) {
  if (memcmp(t->text + SBPI_NUMBER_ROOM, "########", 8) != 0)
    fail("written behind the room", t->text);
  *end = '\0';
}

static void float_text(struct text *t, uint32_t bits, bool compat) {
  text_begin(t);
  text_end(t, sbpi_write_float(t->text, bits, compat));
}

static void double_text(struct text *t, uint64_t bits, bool compat) {
  text_begin(t);
  text_end(t, sbpi_write_double(t->text, bits, compat));
}

static uint32_t float_of(const char *text) {
  const size_t length = strlen(text);
  const struct sbpi_decimal decimal = sbpi_decimal_read(text, length);
  uint32_t bits;
  if (!sbpi_decimal_float(&decimal, text, length, &bits))
    fail("not in range", text);
  return bits;
}

static uint64_t double_of(const char *text) {
  const size_t length = strlen(text);
  const struct sbpi_decimal decimal = sbpi_decimal_read(text, length);
  uint64_t bits;
  if (!sbpi_decimal_double(&decimal, text, length, &bits))
    fail("not in range", text);
  return bits;
}

/* ---- Answers --------------------------------------------------------------------------------------------------- */

static void answer_integer(const char *text, bool is_signed) {
  struct text wide;
  struct text narrow;
  text_begin(&wide);
  text_begin(&narrow);
  if (is_signed) {
    const int64_t value = strtoll(text, NULL, 10);
    text_end(&wide, sbpi_write_s64(wide.text, value));
    if (value >= INT32_MIN && value <= INT32_MAX)
      text_end(&narrow, sbpi_write_s32(narrow.text, (int32_t)value));
    else
      narrow = wide;
  } else {
    const uint64_t value = strtoull(text, NULL, 10);
    text_end(&wide, sbpi_write_u64(wide.text, value));
    if (value <= UINT32_MAX)
      text_end(&narrow, sbpi_write_u32(narrow.text, (uint32_t)value));
    else
      narrow = wide;
  }
  if (strcmp(wide.text, narrow.text) != 0)
    fail("widths differ", text);
  puts(wide.text);
}

static void answer_read(const char *text) {
  /* The number in a block of just its size, so that a sanitizer sees a read outside it. */
  const size_t length = strlen(text);
  char *copy = malloc(length);
  if (copy == NULL)
    fail("no memory for", text);
  memcpy(copy, text, length);
  const struct sbpi_decimal decimal = sbpi_decimal_read(copy, length);
  printf("%" PRIu64 " %" PRId32 " %d %d", decimal.digits, decimal.exponent, decimal.negative, decimal.inexact);
  uint32_t float_bits;
  if (sbpi_decimal_float(&decimal, copy, length, &float_bits))
    printf(" %08" PRIx32, float_bits);
  else
    printf(" -");
  uint64_t double_bits;
  if (sbpi_decimal_double(&decimal, copy, length, &double_bits))
    printf(" %016" PRIx64, double_bits);
  else
    printf(" -");
  uint64_t magnitude;
  if (sbpi_decimal_integer(&decimal, copy, length, &magnitude))
    printf(" %" PRIu64 "\n", magnitude);
  else
    printf(" -\n");
  free(copy);
}

static void answer_lines(void) {
  static char line[1 << 16];
  struct text plain;
  struct text compat;
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    const char *argument = line + 2;
    switch (line[0]) {
    case 'f':
      float_text(&plain, (uint32_t)strtoul(argument, NULL, 16), false);
      float_text(&compat, (uint32_t)strtoul(argument, NULL, 16), true);
      printf("%s %s\n", plain.text, compat.text);
      break;
    case 'd':
      double_text(&plain, strtoull(argument, NULL, 16), false);
      double_text(&compat, strtoull(argument, NULL, 16), true);
      printf("%s %s\n", plain.text, compat.text);
      break;
    case 'u':
    case 's':
      answer_integer(argument, line[0] == 's');
      break;
    case 'r':
      answer_read(argument);
      break;
    default:
      fail("unknown command", line);
    }
  }
}

/* splitmix64, by Sebastiano Vigna. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void random_floats(uint64_t seed, uint64_t count) {
  struct text plain;
  struct text compat;
  while (count > 0) {
    const uint32_t bits = (uint32_t)next_random(&seed);
    if ((bits >> 23 & 0xff) == 0xff)
      continue;
    float_text(&plain, bits, false);
    float_text(&compat, bits, true);
    printf("%08" PRIx32 " %s %s\n", bits, plain.text, compat.text);
    if (float_of(plain.text) != bits || float_of(compat.text) != bits)
      fail("does not read back", plain.text);
    count--;
  }
}

/* Half of them with any bits, half with an exponent as measurements have it. */
static void random_doubles(uint64_t seed, uint64_t count) {
  struct text plain;
  struct text compat;
  while (count > 0) {
    uint64_t bits = next_random(&seed);
    if (count % 2 == 0)
      bits = (bits & UINT64_C(0x800fffffffffffff)) | (UINT64_C(0x3d0) + (bits >> 52 & 0x7f)) << 52;
    if ((bits >> 52 & 0x7ff) == 0x7ff)
      continue;
    double_text(&plain, bits, false);
    double_text(&compat, bits, true);
    printf("%016" PRIx64 " %s %s\n", bits, plain.text, compat.text);
    if (double_of(plain.text) != bits || double_of(compat.text) != bits)
      fail("does not read back", plain.text);
    count--;
  }
}

/* ---- The sweep ------------------------------------------------------------------------------------------------- */

/* A whole number of 256 bits, the lowest word first: enough for all that is compared, and no more than school
 * arithmetic, so that nothing here is what it checks. */
enum { WORDS = 8 };

struct whole {
  uint32_t words[WORDS];
};

static struct whole multiply(const struct whole *a, uint32_t factor) {
  struct whole product;
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; i++) {
    carry += (uint64_t)a->words[i] * factor;
    product.words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0)
    fail("overflow", "multiply");
  return product;
}

static struct whole power(uint32_t base, int exponent) {
  struct whole result = {{1}};
  for (; exponent > 0; exponent--)
    result = multiply(&result, base);
  return result;
}

static struct whole add(const struct whole *a, const struct whole *b) {
  struct whole sum;
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; i++) {
    carry += (uint64_t)a->words[i] + b->words[i];
    sum.words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  return sum;
}

static int compare(const struct whole *a, const struct whole *b) {
  for (int i = WORDS - 1; i >= 0; i--) {
    if (a->words[i] != b->words[i])
      return a->words[i] < b->words[i] ? -1 : 1;
  }
  return 0;
}

/* Digits without zeros at the end, and the exponent of the last one. */
static uint32_t parse(const char *text, int *exponent) {
  uint64_t digits = 0;
  int places = 0;
  bool point = false;
  for (; *text != '\0' && *text != 'e'; text++) {
    if (*text == '.')
      point = true;
    else if (*text != '-') {
      digits = digits * 10 + (uint64_t)(*text - '0');
      places += point;
    }
  }
  *exponent = (*text == 'e' ? atoi(text + 1) : 0) - places;
  while (digits != 0 && digits % 10 == 0) {
    digits /= 10;
    ++*exponent;
  }
  return (uint32_t)digits;
}

/* A float's text reads back to it; its decimal lies in the float's rounding interval; no decimal with a digit less
 * does; no neighbour with as many digits does and is nearer; of two as near it is the even one, in compat form the
 * larger. */
static void sweep_one(uint32_t bits, bool compat) {
  struct text text;
  float_text(&text, bits, compat);
  if (float_of(text.text) != bits)
    fail("does not read back", text.text);

  const uint32_t fraction = bits & 0x7fffff;
  const int biased = (int)(bits >> 23 & 0xff);
  const uint32_t c = biased == 0 ? fraction : fraction | 0x800000;
  const int q = (biased == 0 ? 1 : biased) - 150;
  int k;
  const uint32_t digits = parse(text.text, &k);
  if (c == 0) {
    if (digits != 0)
      fail("not zero", text.text);
    return;
  }

  /* Units: 2^(q - 2) is `a` of them and 10^k `b`. They stay the same for many floats in a row. */
  static struct whole a;
  static struct whole b;
  static int a_b_of_q = 1000;
  static int a_b_of_k = 1000;
  if (a_b_of_q != q || a_b_of_k != k) {
    const int twos = q - 2 - k;
    a = power(5, k < 0 ? -k : 0);
    b = power(5, k > 0 ? k : 0);
    for (int i = 0; i < twos; i++)
      a = multiply(&a, 2);
    for (int i = 0; i < -twos; i++)
      b = multiply(&b, 2);
    a_b_of_q = q;
    a_b_of_k = k;
  }
  const bool irregular = fraction == 0 && biased > 1;
  const struct whole value = multiply(&a, 4 * c);
  const struct whole low = multiply(&a, 4 * c - (irregular ? 1 : 2));
  const struct whole high = multiply(&a, 4 * c + 2);
  const int ends_out = (int)(c & 1);
#define IS_IN(x) (compare(&low, &(x)) <= -ends_out && compare(&(x), &high) <= -ends_out)
  const struct whole decimal = multiply(&b, digits);
  if (!IS_IN(decimal))
    fail("outside the interval", text.text);
  const struct whole shorter = multiply(&b, digits - digits % 10);
  const struct whole ten = multiply(&b, 10);
  const struct whole other_shorter = add(&shorter, &ten);
  if (digits % 10 != 0 && (IS_IN(shorter) || IS_IN(other_shorter)))
    fail("not the shortest", text.text);

  /* Twice the value against the sum of the decimal and its neighbour beyond the value. */
  const struct whole twice = add(&value, &value);
  const int side = compare(&value, &decimal);
  if (side != 0) {
    const struct whole neighbour = multiply(&b, side > 0 ? digits + 1 : digits - 1);
    const struct whole sum = add(&decimal, &neighbour);
    const int nearer = compare(&twice, &sum) * side; /* above 0: the neighbour is; 0: both as near */
    const bool tie_is_right = compat ? side < 0 : digits % 2 == 0;
    if (IS_IN(neighbour) && (nearer > 0 || (nearer == 0 && !tie_is_right)))
      fail("not the nearest", text.text);
  }
#undef IS_IN
}

static void sweep(uint32_t start, uint64_t count, uint32_t step) {
  uint32_t bits = start;
  for (uint64_t i = 0; i < count; i++, bits += step) {
    if ((bits >> 23 & 0xff) == 0xff)
      continue;
    sweep_one(bits, false);
    sweep_one(bits, true);
  }
  printf("%" PRIu64 " floats from %08" PRIx32 " on are right\n", count, start);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (argc == 1)
    answer_lines();
  else if (strcmp(mode, "--random-f32") == 0 && argc == 4)
    random_floats(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
  else if (strcmp(mode, "--random-f64") == 0 && argc == 4)
    random_doubles(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
  else if (strcmp(mode, "--sweep-f32") == 0 && (argc == 4 || argc == 5))
    sweep((uint32_t)strtoul(argv[2], NULL, 0), strtoull(argv[3], NULL, 0),
          argc == 5 ? (uint32_t)strtoul(argv[4], NULL, 0) : 1);
  else
    fail("usage", "number_driver [--random-f32 SEED COUNT | --random-f64 SEED COUNT | --sweep-f32 START COUNT [STEP]]");
  return 0;
}
