/* SPDX-License-Identifier: MIT */
/* Makes the logs in test_data/ from the descriptor table:
 *   make_test_data small DIR        the small ones, which are committed
 *   make_test_data benchmark FILE   60,000 messages of a receiver at 10 Hz
 * The same bytes on every machine: a PRNG of its own, and floats made from integers by exact steps only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port.h"
#include "sbpkit/sbp.h"

enum { SENDER = 0x4321, BENCHMARK_MESSAGES = 60000, EXCERPT_MESSAGES = 120 };

static const struct sbp_schema *const schema = &sbp_schema_builtin;

/* The log being made. */
static uint8_t out[4 << 20];
static size_t out_size;
static unsigned out_messages;

static _Noreturn void fail(const char *what, const char *name) {
  fprintf(stderr, "make_test_data: %s: %s\n", what, name);
  exit(2);
}

static void save(const char *folder, const char *name) {
  char path[1024];
  const int length = snprintf(path, sizeof path, "%s%s%s", folder, folder[0] == '\0' ? "" : "/", name);
  if (length < 0 || (size_t)length >= sizeof path)
    fail("path too long", folder);
  FILE *const file = fopen(path, "wb");
  if (file == NULL || fwrite(out, 1, out_size, file) != out_size || fclose(file) != 0)
    fail("cannot write", path);
  out_size = 0;
  out_messages = 0;
}

/* SplitMix64: small, of good quality, the same everywhere. */
static uint64_t random_state;

static uint64_t random_bits(void) {
  uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* A number from 0 to bound - 1. */
static uint32_t random_below(uint32_t bound) {
  return (uint32_t)((random_bits() >> 32) * bound >> 32);
}

/* A number from -spread to spread, those near 0 more often. */
static int32_t noise(int32_t spread) {
  const int32_t up = (int32_t)random_below((uint32_t)spread + 1);
  return up - (int32_t)random_below((uint32_t)spread + 1);
}

/* ---- Frames ---- */

static void put(const void *data, size_t size) {
  if (size > sizeof out - out_size)
    fail("the log is too large", "out");
  memcpy(out + out_size, data, size);
  out_size += size;
}

static void put_text(const char *text) {
  put(text, strlen(text));
}

static void put_repeated(uint8_t byte, size_t count) {
  for (size_t i = 0; i < count; i++)
    put(&byte, 1);
}

static void frame(uint16_t type, uint16_t sender, const void *payload, size_t length) {
  uint8_t bytes[SBP_FRAME_MAX];
  if (length > SBP_PAYLOAD_MAX)
    fail("payload too long", "frame");
  put(bytes, sbp_frame_pack(SBP_CPU_PORTABLE, type, sender, payload, (uint8_t)length, bytes));
  out_messages++;
}

static const struct sbp_message *message_named(const char *name) {
  const struct sbp_message *const message = sbp_message_by_name(schema, name, strlen(name));
  if (message == NULL)
    fail("not in the schema", name);
  return message;
}

static void named(const char *name, const void *payload, size_t length) {
  frame(message_named(name)->id, SENDER, payload, length);
}

static void log_text(const char *text) {
  uint8_t payload[SBP_PAYLOAD_MAX] = {6};
  const size_t length = strlen(text);
  if (length + 1 > sizeof payload)
    fail("text too long", text);
  memcpy(payload + 1, text, length);
  named("MSG_LOG", payload, length + 1);
}

/* ---- Every message ---- */

/* Letters over the strings of a body, since random bytes would all print as U+FFFD. */
static void write_strings(const struct sbp_struct *body, uint8_t *bytes, size_t length) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    if (field->offset >= length)
      return;
    uint8_t *const at = bytes + field->offset;
    const size_t left = length - field->offset;
    if (field->type == SBP_STRUCT) {
      const size_t elements = field->repeat == SBP_VARIABLE_ARRAY ? left / field->size : field->count;
      for (size_t k = 0; k < elements; k++)
        write_strings(field->element, at + k * field->size, field->size);
    } else if (field->type == SBP_STRING) {
      const size_t size = field->encoding == SBP_FIXED ? field->size
                          : i + 1 < body->field_count  ? (left + 1) / 2
                                                       : left;
      for (size_t k = 0; k < size; k++)
        at[k] = (uint8_t)((k % 2 == 0 ? 'a' : 'A') + (k * 7 + field->offset) % 26);
      /* The NULs of its kind. Fixed strings have two to pad them, multipart ones two parts. */
      const bool two = field->encoding == SBP_DOUBLE_NULL_TERMINATED || field->encoding == SBP_FIXED;
      if (field->encoding != SBP_UNTERMINATED && size > 0)
        at[size - 1] = 0;
      if (two && size > 1)
        at[size - 2] = 0;
      if (field->encoding == SBP_MULTIPART)
        at[size / 2] = 0;
    }
  }
}

/* A frame of length payload bytes: none is zero and, but for strings, none comes twice. */
static void telling(const struct sbp_message *message, size_t length) {
  uint8_t payload[SBP_PAYLOAD_MAX];
  for (unsigned i = 0; i < SBP_PAYLOAD_MAX; i++)
    payload[i] = (uint8_t)(i + 1);
  for (unsigned i = SBP_PAYLOAD_MAX - 1; i > 0; i--) {
    const unsigned other = random_below(i + 1);
    const uint8_t byte = payload[i];
    payload[i] = payload[other];
    payload[other] = byte;
  }
  write_strings(&message->body, payload, length);
  frame(message->id, (uint16_t)(SENDER + random_below(1000)), payload, length);
}

/* Bytes that one element of a variable last field takes, 0 where all is fixed. */
static unsigned variable_step(const struct sbp_struct *body) {
  if (body->field_count == 0)
    return 0;
  const struct sbp_field *const last = &body->fields[body->field_count - 1];
  if (last->type == SBP_STRING)
    return last->encoding == SBP_FIXED ? 0 : 1;
  return last->repeat == SBP_VARIABLE_ARRAY ? last->size : 0;
}

static void make_every_message(const char *folder) {
  for (unsigned i = 0; i < schema->count; i++) {
    const struct sbp_message *const message = schema->messages[i];
    const unsigned step = variable_step(&message->body);
    size_t length = message->body.size + step * (step == 1 ? 10u : 2u);
    telling(message, length <= SBP_PAYLOAD_MAX ? length : SBP_PAYLOAD_MAX);
  }
  save(folder, "every_message.sbp");
}

static void make_lengths(const char *folder) {
  unsigned variable = 0;
  for (unsigned i = 0; i < schema->count; i++) {
    const struct sbp_message *const message = schema->messages[i];
    const unsigned step = variable_step(&message->body);
    if (step == 0)
      continue;
    const size_t least = message->body.size;
    telling(message, least);
    /* One in four, since these lines are long. */
    if (variable++ % 4 == 0)
      telling(message, SBP_PAYLOAD_MAX - (SBP_PAYLOAD_MAX - least) % step);
  }
  save(folder, "shortest_and_longest.sbp");
}

static void make_odd_lengths(const char *folder) {
  for (unsigned i = 0; i < schema->count; i += 5) {
    const struct sbp_message *const message = schema->messages[i];
    const size_t least = message->body.size;
    if (least > 0)
      telling(message, random_below((uint32_t)least));
    const unsigned step = variable_step(&message->body);
    if (step != 1 && least < SBP_PAYLOAD_MAX - 20)
      telling(message, least + 1 + (step == 0 ? random_below(20) : random_below(step - 1)));
  }
  uint8_t bytes[SBP_PAYLOAD_MAX];
  for (unsigned i = 0; i < SBP_PAYLOAD_MAX; i++)
    bytes[i] = (uint8_t)(i * 37 + 11);
  static const uint16_t unknown[] = {0, 1, 31420, 31421, 65534};
  static const uint8_t lengths[] = {0, 1, 31, 32, 255};
  for (unsigned i = 0; i < 25; i++)
    if (sbp_message_by_id(schema, unknown[i / 5]) == NULL)
      frame(unknown[i / 5], i == 0 ? 7 : (uint16_t)(65535 - i), bytes, lengths[i % 5]);
  save(folder, "short_surplus_unknown.sbp");
}

/* ---- Floats ---- */

/* Zero, the least and largest numbers, the ends of each layout, powers of two and ten and their neighbours, ties, and
 * the values at which printing with ever more digits until it reads back gives a longer text. */
static const uint32_t singles[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00000002, 0x00000007, 0x007FFFFF, 0x00800000, 0x00800001,
    0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FA5A5A5, 0xFFFFFFFF,
    0x0F800000, 0x6B000000, 0x6C800000, 0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x3F800001, 0x3DCCCCCD, 0x3DCCCCCC,
    0x3DCCCCCE, 0x3E99999A, 0x3EAAAAAB, 0x4B18967F, 0x4B189680, 0x4B18967E, 0x4B800000, 0x4B800001, 0x4AAACCC9,
    0x48435248, 0x322BCC77, 0x322BCC76, 0x322BCC78, 0x33D6BF95, 0x33D6BF94, 0x33D6BF96, 0x358637BD, 0x358637BC,
    0x358637BE, 0x38D1B717, 0x3A83126F, 0x3C23D70A, 0x41200000, 0x42C80000, 0x447A0000, 0x461C4000, 0x47C35000,
    0x49742400, 0x4CBEBC20, 0x4E6E6B28, 0x501502F9, 0x51BA43B7, 0x5368D4A5, 0x5368D4A4, 0x5368D4A6, 0x551184E7,
    0x551184E6, 0x551184E8, 0x56B5E621, 0x5A0E1BCA, 0x40490FDB, 0x402DF854, 0x7E800000, 0x00400000, 0x34000000};

static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x0000000000000002,
    0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x0010000000000001, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF,
    0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001,
    0x7FF5A5A5A5A5A5A5, 0xFFFFFFFFFFFFFFFF, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FEFFFFFFFFFFFFF,
    0x3FF0000000000001, 0x3FB999999999999A, 0x3FB9999999999999, 0x3FB999999999999B, 0x3FD3333333333334,
    0x416312CFE0000000, 0x416312CFE0000001, 0x416312D000000000, 0x4341C37937E08000, 0x4341C37937E07FFF,
    0x4341C37937E08001, 0x430C6BF526340000, 0x42D6BCC41E900000, 0x3EE4F8B588E368F1, 0x3EE4F8B588E368F0,
    0x3EE4F8B588E368F2, 0x3EB0C6F7A0B5ED8D, 0x3F1A36E2EB1C432D, 0x4340000000000000, 0x4340000000000001,
    0x433FFFFFFFFFFFFF, 0x4310000000000001, 0x4310000000000003, 0x44B52D02C7E14AF6, 0x3CB0000000000000,
    0x44B52D02C7E14AF7, 0x400921FB54442D18, 0x4005BF0A8B145769, 0x40CCB1E9F02ECE2C, 0x4415AF1D78B58C40,
    0x7E37E43C8800759C, 0x0008000000000000, 0x3D0E67E49D6E47AC, 0x418CBA6E12345678};

/* MSG_POS_ECEF_COV: tow, 3 doubles, 6 floats, n_sats and flags. */
static void make_floats(const char *folder) {
  enum { DOUBLES = sizeof doubles / sizeof *doubles, SINGLES = sizeof singles / sizeof *singles };
  for (unsigned i = 0; i < 30; i++) {
    uint8_t payload[54] = {1, 2, 3, 4};
    for (unsigned k = 0; k < 3; k++) {
      const unsigned at = i * 3 + k;
      sbpi_store64(payload + 4 + 8 * k, at < DOUBLES ? doubles[at] : random_bits());
    }
    for (unsigned k = 0; k < 6; k++) {
      const unsigned at = i * 6 + k;
      sbpi_store32(payload + 28 + 4 * k, at < SINGLES ? singles[at] : (uint32_t)random_bits());
    }
    named("MSG_POS_ECEF_COV", payload, sizeof payload);
  }
  save(folder, "floats.sbp");
}

/* ---- Strings ---- */

/* clang-format off */
#define BYTES(literal) {literal, sizeof(literal) - 1}
/* clang-format on */

static const struct {
  const char *bytes;
  size_t size;
} strings[] = {BYTES(""),
               BYTES("plain"),
               BYTES("\0"),
               BYTES("a\0b\0\0"),
               BYTES("quote \" backslash \\ slash / apostrophe '"),
               BYTES("\b\t\n\f\r"),
               BYTES("\1\2\3\4\5\6\7\x0b\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"),
               BYTES("\x7f"),
               BYTES("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xe2\x80\xa8 \xef\xbf\xbd \xef\xbb\xbf"),
               BYTES("\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
               BYTES("\xe2\x82"),
               BYTES("\xe2\x82x"),
               BYTES("\xf0\x9f\x98"),
               BYTES("\xf0\x9f\x98\"\\"),
               BYTES("\xed\xa0\x80 \xed\xbf\xbf"),
               BYTES("\xc0\x80 \xc1\xbf"),
               BYTES("\xf5\x80\x80\x80 \xf4\x90\x80\x80"),
               BYTES("\xe2\x28\xa1"),
               BYTES("\xe0\x9f\xbf \xf0\x8f\xbf\xbf"),
               BYTES("\x80\xbf\xfe\xff"),
               BYTES("caf\xe9 latin one"),
               BYTES("0123456789abcde\xc3\xa9"),
               BYTES("0123456789abcdef0123456789abcde\xe2\x82\xac"),
               BYTES("{\"msg_type\":1}\\u0041\\ud800")};

/* Each of them in a string of each kind: at the end, fixed and not terminated, before other fields. */
static void make_strings(const char *folder) {
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
    uint8_t payload[SBP_PAYLOAD_MAX] = {(uint8_t)(i % 8)};
    memcpy(payload + 1, strings[i].bytes, strings[i].size);
    named("MSG_LOG", payload, 1 + strings[i].size);

    memset(payload, 'x', 26);
    memcpy(payload, strings[i].bytes, strings[i].size < 20 ? strings[i].size : 20);
    named("MSG_THREAD_STATE", payload, 26);

    memset(payload, 2, 8);
    memcpy(payload + 8, strings[i].bytes, strings[i].size);
    memcpy(payload + 8 + strings[i].size, "\0data", 5);
    named("MSG_FILEIO_WRITE_REQ", payload, 8 + strings[i].size + (i % 3 == 0 ? 0 : 5));

    payload[0] = 3;
    memcpy(payload + 1, strings[i].bytes, strings[i].size);
    named("MSG_SETTINGS_WRITE_RESP", payload, 1 + strings[i].size);
  }
  uint8_t pattern[SBP_PAYLOAD_MAX];
  for (unsigned i = 0; i < SBP_PAYLOAD_MAX; i++)
    pattern[i] = (uint8_t)(i + 1);
  named("MSG_LOG", pattern, SBP_PAYLOAD_MAX);
  memset(pattern, 0xFF, sizeof pattern);
  named("MSG_LOG", pattern, SBP_PAYLOAD_MAX);
  memset(pattern, 0x1B, sizeof pattern);
  named("MSG_LOG", pattern, SBP_PAYLOAD_MAX);
  save(folder, "strings.sbp");
}

/* ---- Damage ---- */

/* A frame to be damaged, and where it stands. */
static uint8_t *victim(void) {
  const size_t at = out_size;
  telling(message_named("MSG_POS_LLH"), 34);
  return out + at;
}

/* What the file holds is told by the good messages in it. */
static void make_damaged(const char *folder) {
  static const struct {
    const char *what;
    unsigned at;
    uint8_t flip;
  } flips[] = {{"a flipped bit in the preamble", 0, 0x04},
               {"in the type", 1, 0x40},
               {"in the sender", 4, 0x01},
               {"a shorter length", 5, 0x02},
               {"a longer length", 5, 0x10},
               {"the largest length", 5, 0xDD},
               {"in the payload", 20, 0x80},
               {"in the CRC", 40, 0x08},
               {"in its last bit", 41, 0x80}};
  for (size_t i = 0; i < sizeof flips / sizeof *flips; i++) {
    log_text(flips[i].what);
    victim()[flips[i].at] ^= flips[i].flip;
  }

  log_text("a frame that misses its last byte");
  victim();
  out_size--;
  log_text("one that misses all but its preamble");
  victim();
  out_size -= 41;
  log_text("one that misses a byte in the middle");
  uint8_t *const cut = victim();
  memmove(cut + 17, cut + 18, 24);
  out_size--;
  log_text("one with a byte too many");
  uint8_t *const inserted = victim();
  put("\0", 1);
  memmove(inserted + 18, inserted + 17, 25);

  log_text("NMEA sentences");
  put_text("$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n");
  put_text("$GPVTG,054.7,T,034.4,M,005.5,N,010.2,K*48 UUUU\r\n");
  log_text("RTCM bytes");
  put("\xd3\x00\x13\x3e\xd7\xd3\x02\x02\x98\x0e\xde\xef\x34\xb4\xbd\x62\xac\x09\x41\x98\x6f\x33\x36\x0b\x98", 25);
  log_text("zeros");
  put_repeated(0, 100);
  log_text("a preamble and seven zeros, which are no frame");
  put("\x55\0\0\0\0\0\0\0", 8);
  log_text("a preamble and a hundred zeros");
  put("\x55", 1);
  put_repeated(0, 100);
  log_text("two bytes of 0x55");
  put_repeated(0x55, 2);
  log_text("three hundred bytes of 0x55");
  put_repeated(0x55, 300);
  log_text("five thousand bytes of junk");
  for (unsigned i = 0; i < 5000; i++)
    put_repeated((uint8_t)random_below(256), 1);
  log_text("8192 bytes of 0xff");
  put_repeated(0xFF, 8192);

  log_text("a false preamble with length 255 over good frames");
  put("\x55\xff\xff\xff\xff\xff", 6);
  for (unsigned i = 0; i < 8; i++)
    log_text("covered by it");
  log_text("false preambles one behind the other, each over the next");
  for (unsigned i = 0; i < 40; i++)
    put("\x55\x0a\x02\x01\x00\xf0", 6);
  log_text("a whole frame in a broken one");
  uint8_t payload[60] = {0};
  sbp_frame_pack(SBP_CPU_PORTABLE, 0xFFFF, SENDER, (const uint8_t *)"\x01\x02\x03\x04", 4, payload + 9);
  sbp_frame_pack(SBP_CPU_PORTABLE, 0xFFFF, SENDER, (const uint8_t *)"\x05\x06\x07\x08", 4, payload + 40);
  frame(0x7A00, SENDER, payload, sizeof payload);
  out[out_size - 1] ^= 1;
  log_text("a whole frame in a good one, which is no message of its own");
  frame(0x7A00, SENDER, payload, sizeof payload);
  log_text("a header at the end of a broken frame that begins a good one");
  frame(0x7A00, SENDER, payload, 10);
  out_size -= 4;
  log_text("right behind it");

  log_text("then the log ends in the middle of a frame, with whole ones in it");
  put("\x55\xff\xff\xff\xff\xff", 6);
  log_text("covered by the last");
  put("\x55\xff\xff\x42", 4);
  save(folder, "damaged.sbp");

  put_text("SwiftNav boot v2.1 UUU\r\n");
  log_text("the log starts with junk");
  log_text("and is cut, then filled with zeros by the file system");
  victim();
  out_size -= 20;
  put_repeated(0, 600);
  save(folder, "junk_first_zeros_last.sbp");
}

/* ---- A receiver ---- */

/* (mean + noise(spread)) / 2^shift, which is exact: the numerator stays under 2^53. */
struct reading {
  int64_t mean;
  int32_t spread;
  unsigned shift;
};

/* clang-format off */
#define IS(mean) {(mean), 0, 0}
#define ABOUT(mean, spread) {(mean), (spread), 0}
#define COVARIANCE(middle) {(middle) * 1000, (middle) * 300, 22}
/* clang-format on */
#define COVARIANCES(n, e, d) COVARIANCE(n), COVARIANCE(1), COVARIANCE(1), COVARIANCE(e), COVARIANCE(1), COVARIANCE(d)
#define SEND(name, ...)                                                                                                \
  send_readings(name, (const struct reading[]){__VA_ARGS__},                                                           \
                sizeof((const struct reading[]){__VA_ARGS__}) / sizeof(struct reading))

/* The bytes of a reading in a field; a float is rounded once from the exact value. */
static uint64_t reading_bits(const struct reading *reading, unsigned type) {
  const int64_t value = reading->mean + noise(reading->spread);
  const double wide = (double)value * (1.0 / (double)(UINT64_C(1) << reading->shift));
  uint64_t bits = (uint64_t)value;
  if (type == SBP_DOUBLE) {
    memcpy(&bits, &wide, sizeof bits);
  } else if (type == SBP_FLOAT) {
    const float narrow = (float)wide;
    uint32_t half;
    memcpy(&half, &narrow, sizeof half);
    bits = half;
  }
  return bits;
}

/* Pack readings into the leaves of a body in wire order; a variable array takes what is left. */
static const struct reading *pack_leaves(const struct sbp_struct *body, const struct reading *reading,
                                         const struct reading *end, uint8_t **to) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    unsigned left = field->count;
    while (field->repeat == SBP_VARIABLE_ARRAY ? reading < end : left-- > 0) {
      if (field->type == SBP_STRUCT) {
        reading = pack_leaves(field->element, reading, end, to);
        continue;
      }
      const uint64_t bits = reading_bits(reading++, field->type);
      for (unsigned k = 0; k < field->size; k++)
        *(*to)++ = (uint8_t)(bits >> (8 * k));
    }
  }
  return reading;
}

static void send_readings(const char *name, const struct reading *readings, size_t count) {
  uint8_t payload[SBP_PAYLOAD_MAX + 64];
  uint8_t *to = payload;
  const struct sbp_message *const message = message_named(name);
  if (pack_leaves(&message->body, readings, readings + count, &to) != readings + count)
    fail("the wrong number of values", name);
  frame(message->id, 0x88A1, payload, (size_t)(to - payload));
}

/* The car: its heading as a unit vector in 2^30ths, and its place from the base in mm. */
static struct {
  uint32_t tow; /* ms */
  int64_t cosine, sine;
  int64_t north, east, down;
  int64_t v_north, v_east; /* mm/s */
} car;

static int64_t over_2_30(int64_t product) {
  return product / (1 << 30);
}

/* A tenth of a second: turn a little, roll on. */
static void drive(unsigned epoch) {
  const int64_t turn = (epoch % 600 < 300 ? 7000000 : 0) + noise(200000); /* radians, in 2^30ths */
  const int64_t cosine = car.cosine - over_2_30(car.sine * turn);
  car.sine += over_2_30(cosine * turn);
  car.cosine = cosine;
  const int64_t phase = epoch % 200;
  const int64_t speed = 14000 + (phase < 100 ? phase : 200 - phase) * 25 + noise(40);
  car.v_north = over_2_30(car.cosine * speed);
  car.v_east = over_2_30(car.sine * speed);
  car.north += car.v_north / 10;
  car.east += car.v_east / 10;
  car.down += noise(12);
  car.tow += 100;
}

/* The base is at 37.77 N, 122.4 W; a mm north is 316047 and one east 399842 times 2^-45 degrees there. */
static void send_position(void) {
  const int64_t sats = 14 + car.tow / 7000 % 5;
#define LAT_LON_HEIGHT                                                                                                 \
  {INT64_C(1328912803123456) + car.north * 316047, 40000, 45},                                                         \
      {-INT64_C(4306456800654321) + car.east * 399842, 40000, 45},                                                     \
      {INT64_C(26388279066624) - car.down * 1099512, 4000000, 40}
  SEND("MSG_POS_LLH", IS(car.tow), LAT_LON_HEIGHT, ABOUT(35, 5), ABOUT(60, 9), IS(sats), IS(4));
  SEND("MSG_POS_LLH_COV", IS(car.tow), LAT_LON_HEIGHT, COVARIANCES(2, 2, 9), IS(sats), IS(4));
  SEND("MSG_POS_ECEF", IS(car.tow), {-INT64_C(90868120371200) + car.north * 10300 - car.east * 28400, 9000, 25},
       {-INT64_C(143175543291904) + car.north * 17300 + car.east * 17900, 9000, 25},
       {INT64_C(130338419310592) + car.north * 26500, 9000, 25}, ABOUT(70, 9), IS(sats), IS(4));
  SEND("MSG_BASELINE_NED", IS(car.tow), IS(car.north), IS(car.east), IS(car.down), ABOUT(35, 5), ABOUT(60, 9), IS(sats),
       IS(4));
  SEND("MSG_VEL_NED", IS(car.tow), IS(car.v_north), IS(car.v_east), ABOUT(0, 30), ABOUT(40, 9), ABOUT(60, 9), IS(sats),
       IS(2));
  SEND("MSG_VEL_NED_COV", IS(car.tow), IS(car.v_north), IS(car.v_east), ABOUT(0, 30), COVARIANCES(3, 3, 7), IS(sats),
       IS(2));
  SEND("MSG_VEL_ECEF", IS(car.tow), IS(car.v_north / 3 - car.v_east * 84 / 100),
       IS(car.v_north / 2 + car.v_east * 53 / 100), IS(car.v_north * 79 / 100), ABOUT(70, 9), IS(sats), IS(2));
}

/* What tells a satellite: its number, its signal, and how strong that is. */
static int64_t satellite(unsigned i) {
  return 2 + i * 2;
}
static int64_t signal_strength(unsigned epoch, unsigned i) {
  return 150 + (i * 13 + epoch / 40) % 60;
}

/* The observations of a constellation. Ranges are in 2 cm, carriers in cycles, Doppler in Hz. */
static void send_observations(unsigned epoch, int64_t code, unsigned satellites) {
  enum { HEADER = 4, LEAVES = 10, MOST = 14 };
  struct reading readings[HEADER + MOST * LEAVES] = {IS(car.tow), ABOUT(0, 400), IS(2222), IS(16)};
  for (unsigned i = 0; i < satellites; i++) {
    const int64_t speed = (int64_t)(i * 977 % 1600) - 800; /* m/s */
    const int64_t range = 1005000000 + (int64_t)i * 41777777 + speed * 5 * epoch;
    const struct reading observation[LEAVES] = {ABOUT(range, 30),     ABOUT(range * 105 / 1000, 3),
                                                ABOUT(128, 127),      ABOUT(-speed * 5, 2),
                                                ABOUT(128, 127),      ABOUT(signal_strength(epoch, i), 4),
                                                IS(epoch / 100 % 16), IS(15),
                                                IS(satellite(i)),     IS(code)};
    memcpy(readings + HEADER + i * LEAVES, observation, sizeof observation);
  }
  send_readings("MSG_OBS", readings, HEADER + satellites * LEAVES);
}

/* What comes once a second: satellites, and how the receiver itself is. */
static void send_housekeeping(unsigned epoch) {
  static const char *const lines[] = {"base station selected", "RTK fixed", "antenna: no short", "caf\xc3\xa9"};
  enum { TRACKED = 22, MEASURED = 20 };
  struct reading tracking[TRACKED * 4], measurement[MEASURED * 3], angles[TRACKED * 4];
  for (unsigned i = 0; i < TRACKED; i++) {
    const int64_t code = i < 12 ? 0 : 14;
    const struct reading tracked[4] = {IS(satellite(i)), IS(code), IS(0), ABOUT(signal_strength(epoch, i), 4)};
    const struct reading seen[4] = {IS(satellite(i)), IS(code), IS((i * 53 + epoch / 300) % 180), IS(i * 37 % 85 + 5)};
    memcpy(tracking + i * 4, tracked, sizeof tracked);
    memcpy(angles + i * 4, seen, sizeof seen);
    if (i < MEASURED)
      memcpy(measurement + i * 3, ((const struct reading[]){tracked[0], tracked[1], tracked[3]}), 3 * sizeof *tracked);
  }
  send_readings("MSG_TRACKING_STATE", tracking, TRACKED * 4);
  send_readings("MSG_MEASUREMENT_STATE", measurement, MEASURED * 3);
  send_readings("MSG_SV_AZ_EL", angles, TRACKED * 4);
  SEND("MSG_DEVICE_MONITOR", ABOUT(12034, 20), ABOUT(3312, 5), ABOUT(1815, 5), ABOUT(5120, 40), ABOUT(4980, 40));
  SEND("MSG_UART_STATE", {3355443, 30000, 20}, IS(0), IS(0), IS(0), ABOUT(12, 9), IS(0), {812345, 3000, 20},
       {204800, 3000, 20}, IS(0), IS(0), ABOUT(3, 3), IS(1), {41943040, 90000, 20}, IS(0), IS(0), IS(0), ABOUT(20, 19),
       IS(0), ABOUT(31, 9), IS(10), IS(97), ABOUT(25, 9), ABOUT(200, 2), IS(198), IS(203), IS(200));
  SEND("MSG_HEARTBEAT", IS(0x80320000));
  if (epoch % 70 == 0)
    log_text(lines[epoch / 70 % 4]);
}

static void send_epoch(unsigned epoch) {
  drive(epoch);
  const int64_t second = car.tow / 1000 % 86400;
  SEND("MSG_GPS_TIME", IS(2222), IS(car.tow), ABOUT(0, 400000), IS(1));
  SEND("MSG_UTC_TIME", IS(9), IS(car.tow), IS(2022), IS(8), IS(8), IS(second / 3600), IS(second / 60 % 60),
       IS(second % 60), ABOUT(car.tow % 1000 * 1000000 + 500, 500));
  send_position();
  if (epoch % 5 == 0)
    SEND("MSG_DOPS", IS(car.tow), ABOUT(180, 9), ABOUT(150, 9), ABOUT(100, 9), ABOUT(80, 5), ABOUT(130, 9), IS(4));
  SEND("MSG_AGE_CORRECTIONS", IS(car.tow), ABOUT(8, 4));
  SEND("MSG_ORIENT_EULER", IS(car.tow), ABOUT(0, 900000), ABOUT(0, 700000), ABOUT(epoch % 600 * 600000, 5000),
       {4000, 99, 15}, {4100, 99, 15}, {17000, 999, 15}, IS(3));
  SEND("MSG_ANGULAR_RATE", IS(car.tow), ABOUT(0, 250000), ABOUT(0, 250000), ABOUT(3730000, 250000), IS(3));
  SEND("MSG_INS_STATUS", IS(0x20000129));
  for (unsigned i = 0; i < 2; i++)
    SEND("MSG_IMU_RAW", IS(car.tow + i * 50), ABOUT(128, 127), ABOUT(0, 300), ABOUT(0, 300), ABOUT(4096, 200),
         ABOUT(0, 90), ABOUT(0, 90), ABOUT(1200, 90));
  if (epoch % 2 == 0) {
    send_observations(epoch, 0, 13);
    send_observations(epoch, 14, 11);
  }
  if (epoch % 10 == 0)
    send_housekeeping(epoch);
}

static void make_receiver(unsigned messages) {
  random_state = 10;
  memset(&car, 0, sizeof car);
  car.tow = 151200000;
  car.cosine = INT64_C(1) << 30;
  for (unsigned epoch = 0; out_messages < messages; epoch++)
    send_epoch(epoch);
  /* The last epoch may have gone past the number. */
  out_size = 0;
  for (unsigned i = 0; i < messages; i++)
    out_size += (size_t)out[out_size + 5] + SBP_FRAME_OVERHEAD;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "small") == 0) {
    random_state = 1;
    make_every_message(argv[2]);
    make_lengths(argv[2]);
    make_odd_lengths(argv[2]);
    make_floats(argv[2]);
    make_strings(argv[2]);
    make_damaged(argv[2]);
    make_receiver(EXCERPT_MESSAGES);
    save(argv[2], "receiver_10hz.sbp");
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "benchmark") == 0) {
    make_receiver(BENCHMARK_MESSAGES);
    save("", argv[2]);
    return 0;
  }
  fputs("usage: make_test_data small DIR | make_test_data benchmark FILE\n", stderr);
  return 2;
}
