/* SPDX-License-Identifier: MIT */
#include "fields.h"

#include "emit.h"
#include "meaning.h"
#include "message.h"
#include "number.h"

/* Where packing stands in the table: a field, and its index where it is an array's element, of the level above. Faults
 * and changes name a field by it. */
struct level {
  const struct level *above;
  const struct sbp_field *field;
  size_t index;
};

static const struct sbp_span nothing = {NULL, 0};

/* ---- Faults ---- */

static void add_path(struct sbp_fault *fault, const struct level *level) {
  if (level == NULL)
    return;
  if (level->above != NULL) {
    add_path(fault, level->above);
    sbpi_fault_add(fault, ".", 1);
  }
  sbpi_fault_add(fault, level->field->name, level->field->name_length);
  if (level->index != SIZE_MAX) {
    sbpi_fault_add(fault, "[", 1);
    sbpi_fault_add_number(fault, level->index);
    sbpi_fault_add(fault, "]", 1);
  }
}

static void set_fault(const struct sbpi_fields *fields, struct sbp_fault *fault, enum sbp_status status,
                      const struct level *level, struct sbp_span value, const char *wanted) {
  struct sbp_fault path = {.text = ""};
  const char *const at = value.length > 0 ? value.text : fields->object.text;
  add_path(&path, level);
  sbpi_fault_set(fault, status, sbpi_place_after(fields->place, fields->text, at), path.text, value, wanted);
}

static enum sbp_status fault_of(const struct sbpi_fields *fields, enum sbp_status status, const struct level *level,
                                struct sbp_span value, const char *wanted) {
  set_fault(fields, fields->fault, status, level, value, wanted);
  return status;
}

/* Remember the first field that is not what the old payload has. */
static void note_change(struct sbpi_fields *fields, const struct level *level, struct sbp_span value,
                        const uint8_t *old, size_t old_size, const uint8_t *now, size_t size) {
  if (fields->changed == NULL || fields->changed->status != SBP_OK)
    return;
  if (old_size == size && (size == 0 || memcmp(old, now, size) == 0))
    return;
  set_fault(fields, fields->changed, SBP_ERROR_DIFFERS, level, value, NULL);
}

/* ---- Output ---- */

static enum sbp_status room_for(const struct sbpi_fields *fields, size_t size, const struct level *level,
                                struct sbp_span value) {
  if (size <= SBP_PAYLOAD_MAX - fields->size)
    return SBP_OK;
  return fault_of(fields, SBP_ERROR_PAYLOAD, level, value, NULL);
}

static enum sbp_status put(struct sbpi_fields *fields, const uint8_t *data, size_t size, const struct level *level,
                           struct sbp_span value) {
  const enum sbp_status status = room_for(fields, size, level, value);
  if (status == SBP_OK && size > 0) {
    memcpy(fields->out + fields->size, data, size);
    fields->size += size;
  }
  return status;
}

/* ---- Numbers ---- */

enum sbp_status sbpi_read_integer(struct sbp_span value, bool *negative, uint64_t *magnitude) {
  const char *p = value.text;
  const char *const end = p + value.length;
  *negative = *p == '-';
  p += *negative;
  if (p == end || !sbpi_is_digit(*p))
    return SBP_ERROR_KIND;
  uint64_t sum = 0;
  const char *const most = end - p < 19 ? end : p + 19;
  while (p < most && sbpi_is_digit(*p))
    sum = sum * 10 + (uint64_t)(*p++ - '0');
  *magnitude = sum;
  if (SBPI_LIKELY(p == end))
    return SBP_OK;
  const struct sbpi_decimal decimal = sbpi_decimal_read(value.text, value.length);
  if (sbpi_decimal_integer(&decimal, value.text, value.length, magnitude))
    return SBP_OK;
  /* No integer, or one that is too large. */
  return decimal.exponent >= 0 ? SBP_ERROR_RANGE : SBP_ERROR_KIND;
}

/* The digits of a number without zeros at either end, and its exponent: two numbers are the same where both are. */
static struct sbpi_decimal normal(const char *text, size_t length) {
  struct sbpi_decimal decimal = sbpi_decimal_read(text, length);
  while (decimal.digits != 0 && decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    decimal.exponent++;
  }
  return decimal;
}

/* Whether a number is what a program that keeps all numbers as doubles makes of an integer: the double's exact value,
 * its shortest digits, or 17 digits of it. */
static bool is_rounded(struct sbp_span value, bool negative, uint64_t magnitude) {
  const double rounded = (double)magnitude;
  const uint64_t two_to_53 = (uint64_t)1 << 53;
  if (magnitude < two_to_53)
    return false;
  char text[SBPI_NUMBER_ROOM];
  uint64_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  const struct sbpi_decimal given = normal(value.text, value.length);
  const struct sbpi_decimal shortest = normal(text, (size_t)(sbpi_write_double(text, bits, false) - text));
  if (given.negative != negative && given.digits != 0)
    return false;
  if (given.inexact) {
    static const char two_to_64[] = "18446744073709551616";
    const size_t sign = value.text[0] == '-';
    return rounded >= 18446744073709551616.0 && value.length - sign == sizeof two_to_64 - 1 &&
           memcmp(value.text + sign, two_to_64, sizeof two_to_64 - 1) == 0;
  }
  if (given.digits == shortest.digits && given.exponent == shortest.exponent)
    return true;
  if (rounded >= 18446744073709551616.0) /* 17 digits of 2^64 are its shortest ones */
    return false;
  const uint64_t exact = (uint64_t)rounded;
  uint64_t unit = 1;
  while (exact / unit >= 100000000000000000)
    unit *= 10;
  const uint64_t rest = exact % unit;
  const uint64_t down = exact - rest;
  const uint64_t digits_17 = rest * 2 > unit || (rest * 2 == unit && down / unit % 2 == 1) ? down + unit : down;
  const uint64_t candidates[] = {exact, digits_17};
  for (int i = 0; i < 2; i++) {
    const struct sbpi_decimal one = normal(text, (size_t)(sbpi_write_u64(text, candidates[i]) - text));
    if (given.digits == one.digits && given.exponent == one.exponent)
      return true;
  }
  return false;
}

static bool is_signed(enum sbp_type type) {
  return type >= SBP_S8 && type <= SBP_S64;
}

/* The integer that a field's bytes hold. */
static uint64_t load_integer(const struct sbp_field *field, const uint8_t *p, bool *negative) {
  const uint64_t raw = sbpi_load_integer(p, field->size);
  *negative = is_signed((enum sbp_type)field->type) && (p[field->size - 1] & 0x80) != 0;
  if (!*negative)
    return raw;
  const uint64_t extended = field->size == 8 ? raw : raw | UINT64_MAX << (8 * field->size);
  return 0 - extended;
}

static enum sbp_status pack_integer(struct sbpi_fields *fields, const struct sbp_field *field,
                                    const struct level *level, struct sbp_span value, const uint8_t *old,
                                    uint8_t *out) {
  static const char *const wanted[] = {"an integer 0 .. 255",
                                       "an integer 0 .. 65535",
                                       "an integer 0 .. 4294967295",
                                       "an integer 0 .. 18446744073709551615",
                                       "an integer -128 .. 127",
                                       "an integer -32768 .. 32767",
                                       "an integer -2147483648 .. 2147483647",
                                       "an integer -9223372036854775808 .. 9223372036854775807"};
  const bool is_64 = field->size == 8;
  struct sbp_span number = value;
  if (is_64 && value.text[0] == '"') {
    number.text++;
    number.length -= 2;
    for (size_t i = number.length > 0 && number.text[0] == '-'; i < number.length; i++) {
      if (!sbpi_is_digit(number.text[i]))
        return fault_of(fields, SBP_ERROR_KIND, level, value, wanted[field->type]);
    }
  }
  bool negative = false;
  uint64_t magnitude = 0;
  enum sbp_status status = number.length == 0 ? SBP_ERROR_KIND : sbpi_read_integer(number, &negative, &magnitude);
  if (status == SBP_OK) {
    const uint64_t most = is_signed((enum sbp_type)field->type) ? ((uint64_t)1 << (8 * field->size - 1)) - !negative
                          : negative                            ? 0
                                                                : UINT64_MAX >> (64 - 8 * field->size);
    if (magnitude > most)
      status = SBP_ERROR_RANGE;
  }
  if (is_64 && old != NULL && value.text[0] != '"' && status != SBP_ERROR_KIND) {
    bool old_negative;
    const uint64_t old_magnitude = load_integer(field, old, &old_negative);
    const bool same = status == SBP_OK && magnitude == old_magnitude && (negative == old_negative || magnitude == 0);
    if (!same && is_rounded(value, old_negative, old_magnitude)) {
      memcpy(out, old, 8);
      fields->notes |= SBP_NOTE_ROUNDED;
      return SBP_OK;
    }
  }
  if (status != SBP_OK)
    return fault_of(fields, status, level, value, wanted[field->type]);
  const uint64_t raw = negative ? 0 - magnitude : magnitude;
  for (uint8_t i = 0; i < field->size; i++)
    out[i] = (uint8_t)(raw >> (8 * i));
  return SBP_OK;
}

static void store_float(uint8_t *out, uint8_t size, uint64_t bits) {
  if (size == 4)
    sbpi_store32(out, (uint32_t)bits);
  else
    sbpi_store64(out, bits);
}

static enum sbp_status pack_float(const struct sbpi_fields *fields, const struct sbp_field *field,
                                  const struct level *level, struct sbp_span value, const uint8_t *old, uint8_t *out) {
  const bool wide = field->size == 8;
  const uint64_t infinity = wide ? 0x7ff0000000000000 : 0x7f800000;
  const uint64_t nan = wide ? 0x7ff8000000000000 : 0x7fc00000;
  const uint64_t sign = wide ? 0x8000000000000000 : 0x80000000;
  if (SBPI_LIKELY(value.text[0] == '-' || sbpi_is_digit(value.text[0]))) {
    const struct sbpi_decimal decimal = sbpi_decimal_read(value.text, value.length);
    uint64_t bits = 0;
    uint32_t narrow = 0;
    const bool finite = wide ? sbpi_decimal_double(&decimal, value.text, value.length, &bits)
                             : sbpi_decimal_float(&decimal, value.text, value.length, &narrow);
    if (!finite)
      return fault_of(fields, SBP_ERROR_RANGE, level, value, wide ? "a finite double" : "a finite float");
    store_float(out, field->size, wide ? bits : narrow);
    return SBP_OK;
  }
  if (value.text[0] == 'n') {
    /* null is what not-a-number and the infinities print as. */
    const uint64_t bits = old == NULL ? 0 : wide ? sbpi_load64(old) : sbpi_load32(old);
    if (old != NULL && (bits & infinity) == infinity)
      memcpy(out, old, field->size);
    else
      store_float(out, field->size, nan);
    return SBP_OK;
  }
  if (value.text[0] == '"') {
    const struct sbp_span text = {value.text + 1, value.length - 2};
    const uint64_t bits = sbpi_key_is(text, "NaN", 3)         ? nan
                          : sbpi_key_is(text, "Infinity", 8)  ? infinity
                          : sbpi_key_is(text, "-Infinity", 9) ? sign | infinity
                                                              : 0;
    if (bits != 0) {
      store_float(out, field->size, bits);
      return SBP_OK;
    }
  }
  return fault_of(fields, SBP_ERROR_KIND, level, value, "a number, null, \"NaN\", \"Infinity\" or \"-Infinity\"");
}

/* ---- Strings ---- */

/* What a string's bytes print as, escapes resolved: U+FFFD for what is not UTF-8. out has room for three times size. */
static size_t printed_text(const uint8_t *text, size_t size, char *out) {
  char *o = out;
  for (size_t i = 0; i < size;) {
    if (text[i] < 0x80) {
      *o++ = (char)text[i++];
      continue;
    }
    bool valid;
    const size_t taken = sbpi_utf8_prefix(text + i, size - i, &valid);
    memcpy(o, valid ? (const char *)text + i : "\xef\xbf\xbd", valid ? taken : 3);
    o += valid ? taken : 3;
    i += taken;
  }
  return (size_t)(o - out);
}

/* A string field in place of old_size bytes of the old payload; old is NULL where there are none. */
static enum sbp_status pack_string(struct sbpi_fields *fields, const struct sbp_field *field, const struct level *level,
                                   struct sbp_span value, const uint8_t *old, size_t old_size) {
  /* No payload prints as more than three bytes a byte, and an escape is at most six bytes a byte. */
  enum { LONGEST = 3 * SBP_PAYLOAD_MAX };
  char text[6 * LONGEST];
  char printed[LONGEST];
  const bool fixed = field->encoding == SBP_FIXED;
  if (value.text[0] != '"')
    return fault_of(fields, SBP_ERROR_KIND, level, value, "a string");
  ptrdiff_t size = LONGEST + 1;
  if (value.length - 2 <= sizeof text) {
    size = sbp_unescape(value.text + 1, value.length - 2, text);
    if (size < 0)
      return fault_of(fields, SBP_ERROR_ESCAPE, level, value, NULL);
  }
  const uint8_t *now = (const uint8_t *)text;
  if (old != NULL && size <= LONGEST && printed_text(old, old_size, printed) == (size_t)size &&
      memcmp(printed, text, (size_t)size) == 0) {
    now = old;
    size = (ptrdiff_t)old_size;
  }
  if (size > (fixed ? (ptrdiff_t)field->size : SBP_PAYLOAD_MAX)) {
    const enum sbp_status status = fixed ? SBP_ERROR_STRING : SBP_ERROR_PAYLOAD;
    fault_of(fields, status, level, value, NULL);
    if (fixed) {
      sbpi_fault_add(fields->fault, ", ", 2);
      sbpi_fault_add_number(fields->fault, field->size);
      sbpi_fault_add(fields->fault, " bytes are the most", 19);
    }
    return status;
  }
  const size_t begin = fields->size;
  enum sbp_status status = put(fields, now, (size_t)size, level, value);
  if (status != SBP_OK)
    return status;
  if (fixed) {
    const size_t padding = field->size - (size_t)size;
    status = room_for(fields, padding, level, value);
    if (status != SBP_OK)
      return status;
    memset(fields->out + fields->size, 0, padding);
    fields->size += padding;
  }
  note_change(fields, level, value, old, old == NULL ? 0 : old_size, fields->out + begin, fields->size - begin);
  return SBP_OK;
}

/* ---- Structs, arrays, messages ---- */

static enum sbp_status pack_struct(struct sbpi_fields *fields, const struct sbp_struct *body, const struct level *above,
                                   struct sbp_span object, const uint8_t *old, size_t old_size);

/* One element: the old bytes, if there are that many, replaced by the value. */
static enum sbp_status pack_element(struct sbpi_fields *fields, const struct level *level, struct sbp_span value,
                                    const uint8_t *old) {
  const struct sbp_field *const field = level->field;
  fields->behind = value.text + value.length;
  if (field->type == SBP_STRUCT) {
    if (value.text[0] != '{')
      return fault_of(fields, SBP_ERROR_KIND, level, value, "an object");
    return pack_struct(fields, field->element, level, value, old, old == NULL ? 0 : field->size);
  }
  if (field->type == SBP_STRING)
    return pack_string(fields, field, level, value, old, field->size);
  enum sbp_status status = room_for(fields, field->size, level, value);
  if (status != SBP_OK)
    return status;
  uint8_t *const out = fields->out + fields->size;
  status = field->type >= SBP_FLOAT ? pack_float(fields, field, level, value, old, out)
                                    : pack_integer(fields, field, level, value, old, out);
  if (status == SBP_OK) {
    fields->size += field->size;
    note_change(fields, level, value, old, old == NULL ? 0 : field->size, out, field->size);
  }
  return status;
}

/* Step to the next element or member of text that has been found whole. */
static const char *skip_separators(const char *p, const char *end) {
  while (p < end && (sbpi_is_space(*p) || *p == ',' || *p == ':'))
    p++;
  return p;
}

/* The value at p. The end of an object or array is not looked for: what reads its inside finds it. */
static struct sbp_span value_at(const char *p, const char *end) {
  const char *const value_end = *p == '{' || *p == '[' ? end : sbpi_value_end(p, end);
  const struct sbp_span value = {p, (size_t)(value_end - p)};
  return value;
}

static enum sbp_status pack_array(struct sbpi_fields *fields, const struct level *level, struct sbp_span array,
                                  const uint8_t *old, size_t old_count) {
  struct level element = *level;
  struct sbp_span value = nothing;
  if (array.text[0] != '[')
    return fault_of(fields, SBP_ERROR_KIND, level, array, "an array");
  const char *p = array.text + 1;
  const char *const end = array.text + array.length;
  const size_t size = level->field->size;
  for (element.index = 0; *(p = skip_separators(p, end)) != ']'; element.index++) {
    value = value_at(p, end);
    if (level->field->repeat == SBP_FIXED_ARRAY && element.index == level->field->count)
      break;
    const uint8_t *const old_bytes = element.index < old_count ? old + element.index * size : NULL;
    const enum sbp_status status = pack_element(fields, &element, value, old_bytes);
    if (status != SBP_OK)
      return status;
    p = fields->behind;
    value = nothing;
  }
  fields->behind = p + 1;
  if (level->field->repeat == SBP_FIXED_ARRAY && (element.index != level->field->count || value.length > 0)) {
    fault_of(fields, SBP_ERROR_COUNT, level, array, NULL);
    sbpi_fault_add(fields->fault, ", exactly ", 10);
    sbpi_fault_add_number(fields->fault, level->field->count);
    sbpi_fault_add(fields->fault, level->field->count == 1 ? " is wanted" : " are wanted",
                   level->field->count == 1 ? 10 : 11);
    return SBP_ERROR_COUNT;
  }
  if (level->field->repeat == SBP_VARIABLE_ARRAY && element.index != old_count)
    note_change(fields, level, array, old, 1, NULL, 0);
  return SBP_OK;
}

/* The field with this key, looked for from *next on, where keys in the schema's order have it. */
static const struct sbp_field *find_field(const struct sbp_struct *body, struct sbp_span key, uint16_t *next) {
  const bool plain = memchr(key.text, '\\', key.length) == NULL;
  uint16_t at = *next;
  for (uint16_t i = 0; i < body->field_count; i++, at++) {
    if (at >= body->field_count)
      at = 0;
    const struct sbp_field *const field = &body->fields[at];
    if (plain && (field->name_length != key.length || field->name[0] != key.text[0]))
      continue;
    if (sbpi_key_is(key, field->name, field->name_length)) {
      *next = (uint16_t)(at + 1);
      return field;
    }
  }
  return NULL;
}

static void report_ignored(struct sbpi_fields *fields, const struct sbp_struct *body, const struct level *above,
                           struct sbp_span key) {
  if (above == NULL && sbpi_key_of(key.text, key.length) != KEY_FIELD)
    return;
  fields->notes |= SBP_NOTE_IGNORED;
  if (fields->report_ignored && fields->reader->ignored != NULL)
    fields->reader->ignored(fields->reader->context, fields->message, key, sbpi_near_field(body, key.text, key.length));
}

/* How many bytes of the old payload's rest a field takes. */
static size_t old_extent(const struct sbp_field *field, const struct sbp_struct *body, const uint8_t *old,
                         size_t left) {
  if (field->repeat == SBP_VARIABLE_ARRAY)
    return left / field->size * field->size;
  if (field->type == SBP_STRING && field->encoding != SBP_FIXED)
    return old == NULL ? 0 : (size_t)(sbpi_field_string_end(body, field, old, old + left) - old);
  return field->repeat == SBP_FIXED_ARRAY ? (size_t)field->size * field->count : field->size;
}

static enum sbp_status pack_field(struct sbpi_fields *fields, const struct level *level, const struct sbp_struct *body,
                                  struct sbp_span value, const uint8_t *old, size_t old_left, size_t *taken) {
  const struct sbp_field *const field = level->field;
  const size_t extent = old_extent(field, body, old, old_left);
  const uint8_t *const bytes = extent <= old_left ? old : NULL;
  *taken = bytes == NULL ? old_left : extent;
  if (value.length == 0) {
    if (bytes == NULL)
      return fault_of(fields, SBP_ERROR_MISSING, level, nothing, NULL);
    return put(fields, bytes, extent, level, nothing);
  }
  if (field->repeat != SBP_ONE)
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): elements have a size, only a variable string may have none */
    return pack_array(fields, level, value, bytes, bytes == NULL ? 0 : extent / field->size);
  if (field->type == SBP_STRING) {
    fields->behind = value.text + value.length;
    return pack_string(fields, field, level, value, bytes, extent);
  }
  return pack_element(fields, level, value, bytes);
}

/* Fields `next` and on, as given[] has them or, where that is NULL, as the old payload has them from `at` on. */
static enum sbp_status pack_rest(struct sbpi_fields *fields, const struct sbp_struct *body, const struct level *above,
                                 const struct sbp_span *given, uint16_t next, const uint8_t *old, size_t old_size,
                                 size_t at) {
  for (; next < body->field_count; next++) {
    const struct level level = {above, &body->fields[next], SIZE_MAX};
    size_t taken;
    const enum sbp_status status = pack_field(fields, &level, body, given == NULL ? nothing : given[next],
                                              old == NULL ? NULL : old + at, old_size - at, &taken);
    if (status != SBP_OK)
      return status;
    at += taken;
  }
  return put(fields, old == NULL ? NULL : old + at, old_size - at, above, nothing);
}

/* Whether a key of a message object belongs to its envelope. "data" is a field of some messages. */
static bool is_tools_key(struct sbp_span key) {
  const enum sbpi_key which = sbpi_key_of(key.text, key.length);
  return which != KEY_FIELD && which != KEY_DATA;
}

/* The fields of an object whose keys come in the schema's order, in one go: no value is looked at twice. SBP_NEED_MORE
 * where they do not, or a key is no field. */
static enum sbp_status pack_in_order(struct sbpi_fields *fields, const struct sbp_struct *body,
                                     const struct level *above, struct sbp_span object, const uint8_t *old,
                                     size_t old_size) {
  const char *p = object.text + 1;
  const char *const end = object.text + object.length;
  uint16_t next = 0;
  size_t at = 0;
  while (*(p = skip_separators(p, end)) != '}') {
    const char *const key_end = sbpi_value_end(p, end);
    const struct sbp_span key = {p + 1, (size_t)(key_end - p - 2)};
    p = skip_separators(key_end, end);
    if (next < body->field_count && sbpi_key_is(key, body->fields[next].name, body->fields[next].name_length)) {
      const struct level level = {above, &body->fields[next], SIZE_MAX};
      size_t taken;
      const enum sbp_status status =
          pack_field(fields, &level, body, value_at(p, end), old == NULL ? NULL : old + at, old_size - at, &taken);
      if (status != SBP_OK)
        return status;
      at += taken;
      next++;
      p = fields->behind;
    } else if (above == NULL && is_tools_key(key)) {
      p = sbpi_value_end(p, end);
    } else {
      return SBP_NEED_MORE;
    }
  }
  if (next == 0 && old != NULL) {
    fields->behind = p + 1;
    return put(fields, old, old_size, above, nothing);
  }
  const enum sbp_status status = pack_rest(fields, body, above, NULL, next, old, old_size, at);
  fields->behind = p + 1;
  return status;
}

static enum sbp_status pack_struct(struct sbpi_fields *fields, const struct sbp_struct *body, const struct level *above,
                                   struct sbp_span object, const uint8_t *old, size_t old_size) {
  enum { MOST_FIELDS = 255 };
  const size_t size = fields->size;
  const unsigned notes = fields->notes;
  const enum sbp_status changed = fields->changed == NULL ? SBP_OK : fields->changed->status;
  if (pack_in_order(fields, body, above, object, old, old_size) == SBP_OK)
    return SBP_OK;
  /* Any order; of a key that is repeated the last value counts, so that only now what was wrong may be so. */
  fields->size = size;
  fields->notes = notes;
  if (fields->changed != NULL)
    fields->changed->status = changed;
  struct sbp_span given[MOST_FIELDS];
  struct sbp_span key;
  struct sbp_span value;
  uint16_t next = 0;
  bool any = false;
  memset(given, 0, body->field_count * sizeof given[0]);
  object.length = (size_t)(sbpi_value_end(object.text, object.text + object.length) - object.text);
  const char *const behind = object.text + object.length;
  while (sbp_member_next(&object, &key, &value)) {
    const struct sbp_field *const field = find_field(body, key, &next);
    if (field != NULL) {
      given[field - body->fields] = value;
      any = true;
    } else {
      report_ignored(fields, body, above, key);
    }
  }
  const enum sbp_status status = !any && old != NULL ? put(fields, old, old_size, above, nothing)
                                                     : pack_rest(fields, body, above, given, 0, old, old_size, 0);
  fields->behind = behind;
  return status;
}

enum sbp_status sbpi_fields_pack(struct sbpi_fields *fields) {
  fields->size = 0;
  return pack_struct(fields, &fields->message->body, NULL, fields->object, fields->old,
                     fields->old == NULL ? 0 : fields->old_size);
}
