/* SPDX-License-Identifier: MIT
 *
 * sbpkit: fields of a message where they stand in its payload, and the strings of message structs. The headers of
 * messages (navigation.h and so on, messages.h for all) include this one.
 *
 *   struct sbp_view pos;
 *   if (SBP_VIEW(&pos, &frame, SBP_MSG_POS_LLH))
 *     use(sbp_view_u32(pos, SBP_MSG_POS_LLH_TOW), sbp_view_double(pos, SBP_MSG_POS_LLH_LAT));
 *
 * A view borrows the payload, as a frame does. Bytes may stand at any address and are little-endian on every machine.
 * Nothing here reads outside of its view, whatever it is asked: what is not there reads as 0 or as empty.
 */
#ifndef SBPKIT_VIEW_H
#define SBPKIT_VIEW_H

#include "sbpkit/sbp.h"

#if !defined(__STDC_HOSTED__) || __STDC_HOSTED__
#include <string.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__STDC_HOSTED__) && !__STDC_HOSTED__
/* Without a C library there is no <string.h>. */
void *memcpy(void *to, const void *from, size_t size);
void *memchr(const void *in, int byte, size_t size);
#endif

/* ---- Constants of fields --------------------------------------------------------------------------------------- */

/* Each field of a message or struct has a constant, MESSAGE_FIELD, which says all that a reader must know of it. In
 * hexadecimal digits, from the left: encoding, type, two of count, two of size, two of offset; all as in sbp_field. But
 * the count of a string of variable length is 0 where it is the last field, else 1 + the least that those behind take.
 */
#define SBP_FIELD_ENCODING(field) ((field) >> 28)    /* enum sbp_encoding, of a string */
#define SBP_FIELD_TYPE(field) ((field) >> 24 & 15)   /* enum sbp_type */
#define SBP_FIELD_COUNT(field) ((field) >> 16 & 255) /* elements; 0 for a variable array */
#define SBP_FIELD_SIZE(field) ((field) >> 8 & 255)   /* bytes of one element */
#define SBP_FIELD_OFFSET(field) ((field)&255)        /* from the begin of its payload or struct */

/* Each bit field has a constant, MESSAGE_FIELD_BITS: first bit + 256 * last bit. Named values are constants too,
 * MESSAGE_FIELD_BITS_VALUE. */
#define SBP_BITS_FIRST(bits) ((bits)&255)
#define SBP_BITS_LAST(bits) ((bits) >> 8) /* the last of them */

/* The bits of an integer field, moved down to bit 0. */
static inline uint64_t sbp_bits_get(uint64_t value, uint32_t bits) {
  return value >> SBP_BITS_FIRST(bits) & UINT64_MAX >> (63 - SBP_BITS_LAST(bits) + SBP_BITS_FIRST(bits));
}

/* The integer with these bits replaced; what does not fit into them is left out. */
static inline uint64_t sbp_bits_set(uint64_t value, uint32_t bits, uint64_t part) {
  const uint64_t mask = UINT64_MAX >> (63 - SBP_BITS_LAST(bits) + SBP_BITS_FIRST(bits));
  return (value & ~(mask << SBP_BITS_FIRST(bits))) | (part & mask) << SBP_BITS_FIRST(bits);
}

/* ---- Views ----------------------------------------------------------------------------------------------------- */

/* A payload, a struct in it, an element, or the bytes of a field. */
struct sbp_view {
  const uint8_t *bytes;
  size_t size;
};

/* View the payload of a frame. False, and an empty view, where it has another type or is shorter than size_min. Behind
 * a true one all fields of fixed size are there. */
static inline bool sbp_view_begin(struct sbp_view *view, const struct sbp_frame *frame, uint16_t type,
                                  size_t size_min) {
  const bool good = frame->type == type && frame->length >= size_min;
  view->bytes = good ? frame->payload : NULL;
  view->size = good ? frame->length : 0;
  return good;
}

/* The same, with the message's constants: SBP_VIEW(&view, &frame, SBP_MSG_POS_LLH). */
#define SBP_VIEW(view, frame, message) sbp_view_begin((view), (frame), (message), message##_SIZE_MIN)

/* Readers of one number: the constant of its field, or 0 for the number that begins the view, as in an element. */
static inline uint8_t sbp_view_u8(struct sbp_view view, uint32_t field) {
  const size_t offset = SBP_FIELD_OFFSET(field);
  return offset < view.size ? view.bytes[offset] : (uint8_t)0;
}

static inline uint16_t sbp_view_u16(struct sbp_view view, uint32_t field) {
  const size_t offset = SBP_FIELD_OFFSET(field);
  if (offset + 2 > view.size)
    return 0;
  const uint8_t *const p = view.bytes + offset;
  return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t sbp_view_u32(struct sbp_view view, uint32_t field) {
  const size_t offset = SBP_FIELD_OFFSET(field);
  if (offset + 4 > view.size)
    return 0;
  const uint8_t *const p = view.bytes + offset;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t sbp_view_u64(struct sbp_view view, uint32_t field) {
  const size_t offset = SBP_FIELD_OFFSET(field);
  if (offset + 8 > view.size)
    return 0;
  const uint8_t *const p = view.bytes + offset;
  return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
         (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static inline int8_t sbp_view_s8(struct sbp_view view, uint32_t field) {
  return (int8_t)sbp_view_u8(view, field);
}

static inline int16_t sbp_view_s16(struct sbp_view view, uint32_t field) {
  return (int16_t)sbp_view_u16(view, field);
}

static inline int32_t sbp_view_s32(struct sbp_view view, uint32_t field) {
  return (int32_t)sbp_view_u32(view, field);
}

static inline int64_t sbp_view_s64(struct sbp_view view, uint32_t field) {
  return (int64_t)sbp_view_u64(view, field);
}

/* In freestanding programs memcpy() would be a call. */
#if defined(__GNUC__)
#define SBPI_BITS_TO(value, bits) __builtin_memcpy((value), (bits), sizeof *(bits))
#else
#define SBPI_BITS_TO(value, bits) memcpy((value), (bits), sizeof *(bits))
#endif

static inline float sbp_view_float(struct sbp_view view, uint32_t field) {
  const uint32_t bits = sbp_view_u32(view, field);
  float value;
  SBPI_BITS_TO(&value, &bits);
  return value;
}

static inline double sbp_view_double(struct sbp_view view, uint32_t field) {
  const uint64_t bits = sbp_view_u64(view, field);
  double value;
  SBPI_BITS_TO(&value, &bits);
  return value;
}

/* All bytes of a field: a number's, all whole elements of an array, a string's with its terminators and padding. */
static inline struct sbp_view sbp_view_bytes(struct sbp_view view, uint32_t field) {
  const size_t offset = SBP_FIELD_OFFSET(field), size = SBP_FIELD_SIZE(field), count = SBP_FIELD_COUNT(field);
  struct sbp_view part = {NULL, 0};
  if (offset > view.size || view.bytes == NULL)
    return part;
  size_t taken = size * count;
  size_t left = view.size - offset;
  part.bytes = view.bytes + offset;
  if (SBP_FIELD_TYPE(field) == SBP_STRING && SBP_FIELD_ENCODING(field) != SBP_FIXED) {
    taken = left;
    if (count > 0) {
      /* Others follow: it ends behind its first NUL, and leaves them the least that they take. */
      left = left < count ? 0 : left - (count - 1);
      const void *const nul = left == 0 ? NULL : memchr(part.bytes, 0, left);
      taken = nul == NULL ? left : (size_t)((const uint8_t *)nul - part.bytes) + 1;
    }
  } else if (count == 0 && size > 0) {
    taken = left / size * size;
  }
  part.size = taken < left ? taken : left;
  return part;
}

/* How many elements an array has: those of a fixed one, or as many whole ones as the payload holds. 1 for a field that
 * is no array. */
static inline size_t sbp_view_count(struct sbp_view view, uint32_t field) {
  const size_t count = SBP_FIELD_COUNT(field), size = SBP_FIELD_SIZE(field);
  if (SBP_FIELD_TYPE(field) == SBP_STRING || size == 0)
    return 1;
  return count > 0 ? count : sbp_view_bytes(view, field).size / size;
}

/* An element of an array, or with index 0 a field that is a struct: read its fields with the constants of the struct,
 * a number with 0. Empty where index is not under sbp_view_count(). */
static inline struct sbp_view sbp_view_element(struct sbp_view view, uint32_t field, size_t index) {
  struct sbp_view part = sbp_view_bytes(view, field);
  const size_t size = SBP_FIELD_SIZE(field);
  if (size > 0 && index < part.size / size) {
    part.bytes += index * size;
    part.size = size;
  } else {
    part.bytes = NULL;
    part.size = 0;
  }
  return part;
}

/* A struct that is a field. */
static inline struct sbp_view sbp_view_struct(struct sbp_view view, uint32_t field) {
  return sbp_view_element(view, field, 0);
}

/* The view to read the fields with that stand behind a null-terminated string: moved on by what the string has more
 * than its least, so that their constants are right. */
static inline struct sbp_view sbp_view_behind(struct sbp_view view, uint32_t string) {
  const size_t taken = sbp_view_bytes(view, string).size, least = SBP_FIELD_SIZE(string);
  if (taken > least) {
    view.bytes += taken - least;
    view.size -= taken - least;
  }
  return view;
}

/* ---- Strings --------------------------------------------------------------------------------------------------- */

/* The text in the bytes of a string field: up to its first NUL where it is padded with NUL or ends with one; else all
 * of it, and sbp_string_next() steps through its parts. */
static inline struct sbp_span sbp_string_text(const void *bytes, size_t size, uint32_t field) {
  const uint32_t encoding = SBP_FIELD_ENCODING(field);
  const bool one = encoding == SBP_FIXED || encoding == SBP_NULL_TERMINATED;
  const void *const nul = one && size > 0 ? memchr(bytes, 0, size) : NULL;
  struct sbp_span text;
  text.text = (const char *)bytes;
  text.length = nul == NULL ? size : (size_t)((const char *)nul - text.text);
  return text;
}

/* The text of a string field of a view. No NUL need stand behind it. */
static inline struct sbp_span sbp_view_string(struct sbp_view view, uint32_t field) {
  const struct sbp_view all = sbp_view_bytes(view, field);
  return sbp_string_text(all.bytes, all.size, field);
}

/* Step through the parts of a multipart or double-null-terminated string, behind each of which stands a NUL. *rest
 * begins as the string and shrinks. Returns false behind the last part; the NUL that ends a double-null-terminated
 * string is none. */
static inline bool sbp_string_next(struct sbp_span *rest, uint32_t field, struct sbp_span *part) {
  const void *const nul = rest->length == 0 ? NULL : memchr(rest->text, 0, rest->length);
  const size_t length = nul == NULL ? rest->length : (size_t)((const char *)nul - rest->text);
  const size_t taken = nul == NULL ? length : length + 1;
  part->text = rest->text;
  part->length = length;
  if (taken == 0)
    return false;
  rest->text += taken;
  rest->length -= taken;
  return length > 0 || SBP_FIELD_ENCODING(field) != SBP_DOUBLE_NULL_TERMINATED;
}

/* A string of variable length in a message struct: the bytes that stand in the payload, terminators included, and a NUL
 * behind them that does not count. */
struct sbp_string {
  uint8_t length;
  char text[SBP_PAYLOAD_MAX + 1];
};

/* Make a string the one text, with the terminators of the field's encoding: sbp_string_set(&log.text, SBP_MSG_LOG_TEXT,
 * "hello"). False, and nothing is changed, where a payload has not that much room behind the fields before. */
SBP_API bool sbp_string_set(struct sbp_string *string, uint32_t field, const char *text);

/* Add a part to a multipart or double-null-terminated string, to others more text before its terminator. The same. */
SBP_API bool sbp_string_add(struct sbp_string *string, uint32_t field, const char *text);

/* The text of a string as sbp_view_string() gives it. */
static inline struct sbp_span sbp_string_get(const struct sbp_string *string, uint32_t field) {
  return sbp_string_text(string->text, string->length, field);
}

/* Make a string of fixed size, char[size + 1] in a message struct, this text, padded with NUL. False, and nothing is
 * changed, where it is longer than size. */
SBP_API bool sbp_fixed_string_set(char *string, uint32_t field, const char *text);

#ifdef __cplusplus
}
#endif

#endif
