/* SPDX-License-Identifier: MIT */
/* The fields of a payload by the table, for programs that learn at run time what they want of it. */
#include "field_view.h"

struct sbp_fields sbp_fields_of(const struct sbp_message *message, const struct sbp_frame *frame) {
  struct sbp_fields fields = {0};
  if (message != NULL && frame->length >= message->body.size) {
    fields.body = &message->body;
    fields.next = frame->payload;
    fields.end = frame->payload + frame->length;
  }
  return fields;
}

struct sbp_fields sbp_fields_in(const struct sbp_field_view *view, size_t element) {
  if (element >= view->count || view->field->type != SBP_STRUCT)
    return (struct sbp_fields){0};
  const uint8_t *const begin = view->bytes + element * view->field->size;
  return (struct sbp_fields){.body = view->field->element, .next = begin, .end = begin + view->field->size};
}

bool sbp_fields_next(struct sbp_fields *fields, struct sbp_field_view *view) {
  if (fields->body == NULL || fields->index == fields->body->field_count)
    return false;
  const struct sbp_field *const field = &fields->body->fields[fields->index++];
  const bool is_array = field->repeat != SBP_ONE;
  size_t count = 1;
  size_t size;
  if (field->type == SBP_STRING) {
    size = (size_t)(sbpi_field_string_end(fields->body, field, fields->next, fields->end) - fields->next);
  } else {
    if (is_array)
      count = sbpi_field_elements(field, fields->next, fields->end);
    size = count * field->size;
  }
  *view = (struct sbp_field_view){field, fields->next, (uint16_t)size, (uint16_t)count, is_array};
  fields->next += size;
  return true;
}

/* ---- By name ---- */

static bool find_member(struct sbp_fields *fields, const char *name, size_t length, struct sbp_field_view *view) {
  while (sbp_fields_next(fields, view)) {
    if (view->field->name_length == length && memcmp(view->field->name, name, length) == 0)
      return true;
  }
  return false;
}

/* Read the `[index]` at *p, and make the view that of the element. */
static bool pick_element(struct sbp_field_view *view, const char **p, const char *end) {
  size_t index = 0;
  const char *const digits = ++*p;
  while (*p < end && **p >= '0' && **p <= '9' && index < view->count)
    index = index * 10 + (size_t)(*(*p)++ - '0');
  if (*p == digits || *p == end || **p != ']' || !view->is_array || index >= view->count)
    return false;
  ++*p;
  view->bytes += index * view->field->size;
  view->size = view->field->size;
  view->count = 1;
  view->is_array = false;
  return true;
}

bool sbp_field_find(const struct sbp_message *message, const struct sbp_frame *frame, const char *name, size_t length,
                    struct sbp_field_view *view) {
  struct sbp_fields fields = sbp_fields_of(message, frame);
  const char *p = name;
  const char *const end = name + length;
  for (;;) {
    const char *const begin = p;
    while (p < end && *p != '.' && *p != '[')
      p++;
    if (!find_member(&fields, begin, (size_t)(p - begin), view))
      return false;
    if (p < end && *p == '[' && !pick_element(view, &p, end))
      return false;
    if (p == end)
      return true;
    if (*p != '.' || view->field->type != SBP_STRUCT || view->is_array)
      return false;
    p++;
    fields = sbp_fields_in(view, 0);
  }
}

/* ---- Numbers ---- */

static uint64_t load(const struct sbp_field_view *view, size_t element) {
  if (element >= view->count || view->field->type >= SBP_STRING)
    return 0;
  return sbpi_load_integer(view->bytes + element * view->field->size, view->field->size);
}

uint64_t sbp_field_unsigned(const struct sbp_field_view *view, size_t element) {
  return load(view, element);
}

int64_t sbp_field_signed(const struct sbp_field_view *view, size_t element) {
  const uint64_t number = load(view, element);
  switch (view->field->size) {
  case 1:
    return (int8_t)number;
  case 2:
    return (int16_t)number;
  case 4:
    return (int32_t)number;
  default:
    return (int64_t)number;
  }
}

double sbp_field_double(const struct sbp_field_view *view, size_t element) {
  const uint64_t bits = load(view, element);
  if (view->field->type == SBP_DOUBLE) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (view->field->type == SBP_FLOAT) {
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
  }
  return view->field->type >= SBP_S8 ? (double)sbp_field_signed(view, element) : (double)bits;
}

uint64_t sbp_bits_value(const struct sbp_bits *bits, uint64_t number) {
  const unsigned width = bits->last - bits->first + 1u;
  return number >> bits->first & (width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX);
}

const char *sbp_bits_name(const struct sbp_bits *bits, uint64_t value) {
  for (uint16_t i = 0; i < bits->value_count; i++) {
    if (bits->values[i].value == value)
      return bits->values[i].name;
  }
  return NULL;
}
