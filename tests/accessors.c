/* SPDX-License-Identifier: MIT */
#include "accessors.h"

#include "fuzz.h"
#include "meaning.h"

/* ---- Leaves ---- */

void add(struct leaves *leaves, uint64_t number) {
  FUZZ_CHECK(leaves->count < sizeof leaves->numbers / sizeof leaves->numbers[0]);
  leaves->numbers[leaves->count++] = number;
}

void add_float(struct leaves *leaves, float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  add(leaves, number == number ? bits : 0x7fc00000);
}

void add_double(struct leaves *leaves, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  add(leaves, number == number ? bits : 0x7ff8000000000000);
}

static void add_bytes(struct leaves *leaves, const void *bytes, size_t size) {
  add(leaves, size);
  for (size_t i = 0; i < size; i++)
    add(leaves, ((const uint8_t *)bytes)[i]);
}

static bool has_parts(uint32_t field) {
  return SBP_FIELD_ENCODING(field) == SBP_MULTIPART || SBP_FIELD_ENCODING(field) == SBP_DOUBLE_NULL_TERMINATED;
}

/* The bytes of a string, its text, and the parts of it. */
static void add_text(struct leaves *leaves, const char *text, size_t size, uint32_t field) {
  add_bytes(leaves, text, size);
  struct sbp_span rest = sbp_string_text(text, size, field);
  struct sbp_span part;
  add_bytes(leaves, rest.text, rest.length);
  while (has_parts(field) && sbp_string_next(&rest, field, &part))
    add_bytes(leaves, part.text, part.length);
}

void add_string(struct leaves *leaves, const struct sbp_string *string, uint32_t field) {
  FUZZ_CHECK(string->text[string->length] == '\0');
  add_text(leaves, string->text, string->length, field);
}

void add_view_string(struct leaves *leaves, struct sbp_view view, uint32_t field) {
  const struct sbp_view bytes = sbp_view_bytes(view, field);
  const struct sbp_span text = sbp_view_string(view, field);
  FUZZ_CHECK(text.text == (const char *)bytes.bytes && text.length <= bytes.size);
  FUZZ_CHECK(sbp_view_count(view, field) == 1);
  add_text(leaves, (const char *)bytes.bytes, bytes.size, field);
}

void add_fixed_string(struct leaves *leaves, const char *text, size_t room, uint32_t field) {
  FUZZ_CHECK(room == SBP_FIELD_SIZE(field) + 1 && text[room - 1] == '\0');
  add_text(leaves, text, room - 1, field);
}

void check_outside(struct sbp_view view, uint32_t field) {
  const size_t first = sbp_view_count(view, field);
  for (size_t step = 0; step < 4; step++) {
    const size_t index = step == 3 ? SIZE_MAX : first + step * step * 100;
    const struct sbp_view element = sbp_view_element(view, field, index);
    FUZZ_CHECK(element.bytes == NULL && element.size == 0);
    FUZZ_CHECK(sbp_view_u64(element, 0) == 0 && sbp_view_u8(element, 0) == 0);
  }
}

/* ---- The table ---- */

static uint64_t load(const uint8_t *p, size_t size) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; i++)
    bits |= (uint64_t)p[i] << (8 * i);
  return bits;
}

static bool is_nan(const struct sbp_field *field, uint64_t bits) {
  return field->type == SBP_FLOAT ? (bits & 0x7fffffff) > 0x7f800000 : (bits & INT64_MAX) > 0x7ff0000000000000;
}

static void walk_number(const struct sbp_field *field, const uint8_t *p, struct leaves *leaves) {
  const uint64_t bits = load(p, field->size);
  const uint64_t sign = (uint64_t)1 << (8 * field->size - 1);
  if (field->type >= SBP_S8 && field->type <= SBP_S64)
    add(leaves, (bits ^ sign) - sign);
  else if ((field->type == SBP_FLOAT || field->type == SBP_DOUBLE) && is_nan(field, bits))
    add(leaves, field->type == SBP_FLOAT ? 0x7fc00000 : 0x7ff8000000000000);
  else
    add(leaves, bits);
  for (unsigned i = 0; i < field->bits_count; i++) {
    const struct sbp_bits *const each = &field->bits[i];
    if (strcmp(each->name, "Reserved") == 0)
      continue;
    uint64_t value = 0;
    for (unsigned bit = each->first; bit <= each->last; bit++)
      value |= (bits >> bit & 1) << (bit - each->first);
    add(leaves, value);
  }
}

static void walk_string(const struct sbp_field *field, const uint8_t *p, size_t size, struct leaves *leaves) {
  size_t text = 0;
  add_bytes(leaves, p, size);
  switch (field->encoding) {
  case SBP_FIXED:
  case SBP_NULL_TERMINATED:
    while (text < size && p[text] != 0)
      text++;
    add_bytes(leaves, p, text);
    return;
  case SBP_UNTERMINATED:
    add_bytes(leaves, p, size);
    return;
  default:
    break;
  }
  add_bytes(leaves, p, size);
  for (size_t begin = 0; begin < size; begin = text + 1) {
    for (text = begin; text < size && p[text] != 0;)
      text++;
    if (text == begin && field->encoding == SBP_DOUBLE_NULL_TERMINATED)
      return;
    add_bytes(leaves, p + begin, text - begin);
  }
}

static const uint8_t *walk(const struct sbp_struct *body, const uint8_t *p, const uint8_t *end, struct leaves *leaves) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    if (field->type == SBP_STRING) {
      const uint8_t *const behind = sbpi_field_string_end(body, field, p, end);
      walk_string(field, p, (size_t)(behind - p), leaves);
      p = behind;
      continue;
    }
    size_t left = sbpi_field_elements(field, p, end);
    if (field->repeat != SBP_ONE)
      add(leaves, left);
    for (; left > 0; left--) {
      if (field->type == SBP_STRUCT)
        (void)walk(field->element, p, end, leaves);
      else
        walk_number(field, p, leaves);
      p += field->size;
    }
  }
  return p;
}

/* ---- All ways ---- */

static bool same(const struct leaves *one, const struct leaves *other) {
  return one->count == other->count && memcmp(one->numbers, other->numbers, one->count * sizeof one->numbers[0]) == 0;
}

/* A payload that is too short, or of another type. */
static const char *check_refused(const struct accessor *accessor, const struct sbp_frame *frame, const char *message,
                                 size_t struct_size, bool is_short) {
  struct sbp_view view = {frame->payload, 1};
  struct sbp_frame other = *frame;
  other.type = (uint16_t)(frame->type + 1);
  if (accessor->begin(&view, &other) || view.bytes != NULL || view.size != 0)
    return "a view of another type is not refused";
  if (!is_short)
    return NULL;
  view = (struct sbp_view){frame->payload, 1};
  if (accessor->begin(&view, frame) || view.bytes != NULL || view.size != 0)
    return "a view of a short payload is not refused";
  for (size_t i = 0; i < struct_size; i++)
    if (message[i] != 'x')
      return "a short payload changes the struct";
  return NULL;
}

static const char *check_encoding(const struct accessor *accessor, const void *message, const uint8_t *payload,
                                  size_t used, const struct leaves *right) {
  static struct leaves leaves;
  uint8_t encoded[SBP_PAYLOAD_MAX];
  uint8_t encoded_size = 0;
  if (!accessor->encode(message, encoded, &encoded_size))
    return "what was decoded cannot be encoded";
  if (encoded_size != used || memcmp(encoded, payload, used) != 0)
    return "encoding does not give the payload back";
  uint8_t *const exact = fuzz_copy(encoded, used);
  void *const again = malloc(accessor->size);
  FUZZ_CHECK(again != NULL);
  const char *wrong = NULL;
  memset(again, 'y', accessor->size);
  memset(exact, 0, used);
  leaves.count = 0;
  if (!accessor->encode(message, exact, &encoded_size) || memcmp(exact, encoded, used) != 0)
    wrong = "encoding needs more room than the payload";
  else if (!accessor->decode(again, exact, encoded_size))
    wrong = "what was encoded cannot be decoded";
  else
    accessor->members(again, &leaves);
  if (wrong == NULL && !same(right, &leaves))
    wrong = "a struct is another one when encoded and decoded";
  free(again);
  free(exact);
  return wrong;
}

static const char *check_all(const struct accessor *accessor, const struct sbp_frame *frame, char *message) {
  static struct leaves right, leaves;
  const struct sbp_message *const table = sbp_message_by_id(&sbp_schema_builtin, accessor->id);
  const bool is_short = frame->length < table->body.size;
  const bool decoded = accessor->decode(message, frame->payload, frame->length);
  const char *wrong = check_refused(accessor, frame, message, accessor->size, is_short);

  /* Views of too few bytes, too: what they read is defined. */
  leaves.count = 0;
  accessor->view((struct sbp_view){frame->payload, frame->length}, &leaves);
  if (wrong != NULL)
    return wrong;
  if (decoded == is_short)
    return "the struct and the table do not agree on the least payload";
  if (is_short)
    return NULL;

  right.count = 0;
  const size_t used =
      (size_t)(walk(&table->body, frame->payload, frame->payload + frame->length, &right) - frame->payload);
  struct sbp_view view;
  if (!accessor->begin(&view, frame) || view.bytes != frame->payload || view.size != frame->length)
    return "no view of a whole payload";
  if (!same(&right, &leaves))
    return "the view is not what the table says";
  leaves.count = 0;
  accessor->members(message, &leaves);
  if (!same(&right, &leaves))
    return "the struct is not what the table says";
  return check_encoding(accessor, message, frame->payload, used, &right);
}

const char *check_accessor(const struct accessor *accessor, const uint8_t *payload, uint8_t size, size_t distance) {
  uint8_t *const memory = malloc(distance + size + 1u);
  char *const message = malloc(accessor->size);
  FUZZ_CHECK(memory != NULL && message != NULL);
  /* The end, too, is that of the memory. */
  uint8_t *const exact = realloc(memory, distance + size > 0 ? distance + size : 1);
  FUZZ_CHECK(exact != NULL);
  if (size > 0)
    memcpy(exact + distance, payload, size);
  memset(message, 'x', accessor->size);
  const struct sbp_frame frame = {.payload = exact + distance, .type = accessor->id, .length = size};
  const char *const wrong = check_all(accessor, &frame, message);
  free(exact);
  free(message);
  return wrong;
}
