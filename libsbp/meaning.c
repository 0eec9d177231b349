/* SPDX-License-Identifier: MIT */
#include "meaning.h"

static size_t field_max(const struct sbp_field *field);

static size_t struct_max(const struct sbp_struct *body) {
  size_t most = 0;
  for (uint16_t i = 0; i < body->field_count; i++)
    most += field_max(&body->fields[i]);
  return most;
}

/* An escape makes six characters of one. Two for the quotes, two for colon and comma. */
static size_t name_max(const char *name) {
  return 6 * strlen(name) + 4;
}

static size_t field_max(const struct sbp_field *field) {
  size_t element = 3 + (field->type == SBP_STRUCT ? struct_max(field->element) : 0);
  for (uint16_t b = 0; b < field->bits_count; b++) {
    const struct sbp_bits *const bits = &field->bits[b];
    size_t value = SBPI_NUMBER_ROOM;
    for (uint16_t v = 0; v < bits->value_count; v++) {
      const size_t length = name_max(bits->values[v].name);
      value = length > value ? length : value;
    }
    element += name_max(bits->name) + value;
  }
  const size_t elements = field->repeat == SBP_VARIABLE_ARRAY ? SBP_PAYLOAD_MAX / field->size : field->count;
  return name_max(field->name) + 3 + elements * element;
}

size_t sbpi_meaning_max(const struct sbp_message *message) {
  return sizeof ",\"meaning\":{}" + struct_max(&message->body) + SBPI_NUMBER_ROOM;
}

static bool has_meaning(const struct sbp_field *field) {
  if (field->type != SBP_STRUCT)
    return field->bits_count > 0;
  for (uint16_t i = 0; i < field->element->field_count; i++) {
    if (has_meaning(&field->element->fields[i]))
      return true;
  }
  return false;
}

static char *write_name(char *o, const char *name) {
  return sbpi_write_string(o, (const uint8_t *)name, strlen(name));
}

static char *write_bits(const struct sbp_bits *bits, uint64_t raw, char *o) {
  const uint64_t value = sbp_bits_value(bits, raw);
  const char *const name = sbp_bits_name(bits, value);
  o = write_name(o, bits->name);
  *o++ = ':';
  return name != NULL ? write_name(o, name) : sbpi_write_u64(o, value);
}

static char *close(char *o, char bracket) {
  o -= o[-1] == ',';
  *o = bracket;
  return o + 1;
}

static char *write_struct(const struct sbp_struct *body, const uint8_t *p, const uint8_t *end, char *o);

static char *write_element(const struct sbp_field *field, const uint8_t *p, const uint8_t *end, char *o) {
  if (field->type == SBP_STRUCT)
    return write_struct(field->element, p, end, o);
  const uint64_t raw = sbpi_load_integer(p, field->size);
  *o++ = '{';
  for (uint16_t b = 0; b < field->bits_count; b++) {
    if (strcmp(field->bits[b].name, "Reserved") == 0)
      continue;
    o = write_bits(&field->bits[b], raw, o);
    *o++ = ',';
  }
  return close(o, '}');
}

static char *write_struct(const struct sbp_struct *body, const uint8_t *p, const uint8_t *end, char *o) {
  *o++ = '{';
  for (uint16_t i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    if (field->type == SBP_STRING) {
      p = sbpi_field_string_end(body, field, p, end);
      continue;
    }
    const size_t elements = field->repeat == SBP_ONE ? 1 : sbpi_field_elements(field, p, end);
    if (has_meaning(field)) {
      o = write_name(o, field->name);
      *o++ = ':';
      if (field->repeat == SBP_ONE) {
        o = write_element(field, p, end, o);
      } else {
        *o++ = '[';
        for (size_t e = 0; e < elements; e++) {
          o = write_element(field, p + e * field->size, end, o);
          *o++ = ',';
        }
        o = close(o, ']');
      }
      *o++ = ',';
    }
    p += elements * field->size;
  }
  return close(o, '}');
}

char *sbpi_write_meaning(const struct sbp_message *message, const uint8_t *payload, const uint8_t *end, char *o) {
  o = EMIT_TEXT(o, ",\"meaning\":");
  return write_struct(&message->body, payload, end, o);
}
