/* SPDX-License-Identifier: MIT */
#include "message.h"

#include "port.h"

const char *sbp_status_text(enum sbp_status status) {
  static const char *const texts[] = {
#define X(name, text) text,
      SBP_STATUS_LIST(X)
#undef X
  };
  const size_t number = (size_t)status;
  return number < sizeof(texts) / sizeof(texts[0]) ? texts[number] : "unknown status";
}

const struct sbp_message *sbp_message_by_name(const struct sbp_schema *schema, const char *name, size_t length) {
  uint32_t low = 0;
  uint32_t high = schema->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const struct sbp_message *const message = schema->messages[schema->by_name[middle]];
    const size_t its_length = strlen(message->body.name);
    int order = memcmp(name, message->body.name, length < its_length ? length : its_length);
    if (order == 0)
      order = (length > its_length) - (length < its_length);
    if (order == 0)
      return message;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

unsigned sbpi_near_limit(size_t length) {
  if (length < 2)
    return 1;
  return length < 8 ? 2 : 1 + (unsigned)length / 4;
}

static unsigned char lower(char c) {
  return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static unsigned least(unsigned a, unsigned b) {
  return a < b ? a : b;
}

bool sbpi_nearer(const char *name, size_t length, const char *candidate, size_t candidate_length, unsigned *distance) {
  const size_t difference = length > candidate_length ? length - candidate_length : candidate_length - length;
  if (length > SBPI_NAME_MAX || candidate_length > SBPI_NAME_MAX || difference >= *distance)
    return false;

  /* rows[i % 3][j] is the number of edits between the first i bytes of the name and the first j of the candidate. A
   * swap looks two rows back. */
  unsigned rows[3][SBPI_NAME_MAX + 1];
  for (unsigned j = 0; j <= candidate_length; j++)
    rows[0][j] = j;
  for (unsigned i = 1; i <= length; i++) {
    unsigned *const row = rows[i % 3];
    const unsigned *const above = rows[(i - 1) % 3];
    row[0] = i;
    for (unsigned j = 1; j <= candidate_length; j++) {
      const unsigned char a = lower(name[i - 1]);
      const unsigned char b = lower(candidate[j - 1]);
      row[j] = least(above[j - 1] + (a != b), least(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a == lower(candidate[j - 2]) && b == lower(name[i - 2]))
        row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
    }
  }
  const unsigned edits = rows[length % 3][candidate_length];
  if (edits >= *distance)
    return false;
  *distance = edits;
  return true;
}

const char *sbpi_near_field(const struct sbp_struct *body, const char *name, size_t length) {
  unsigned distance = sbpi_near_limit(length);
  const char *near = NULL;
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    if (sbpi_nearer(name, length, field->name, field->name_length, &distance))
      near = field->name;
  }
  return near;
}

static bool has_prefix(const char *name, size_t length) {
  return length >= 4 && lower(name[0]) == 'm' && lower(name[1]) == 's' && lower(name[2]) == 'g' && name[3] == '_';
}

const struct sbp_message *sbp_message_near_name(const struct sbp_schema *schema, const char *name, size_t length) {
  /* The prefix, which all names have, must not make short names look alike: the rest alone sets the limit. A prefix
   * that is itself mistyped leaves the whole names to compare. */
  const bool prefixed = has_prefix(name, length);
  const char *const rest = prefixed ? name + 4 : name;
  const size_t rest_length = prefixed ? length - 4 : length;
  unsigned distance = sbpi_near_limit(rest_length);
  const struct sbp_message *near = NULL;
  for (uint32_t i = 0; i < schema->count; i++) {
    const char *const whole = schema->messages[i]->body.name;
    const size_t whole_length = strlen(whole);
    const bool rest_is_nearer = sbpi_nearer(rest, rest_length, whole + 4, whole_length - 4, &distance);
    if ((!prefixed && sbpi_nearer(name, length, whole, whole_length, &distance)) || rest_is_nearer)
      near = schema->messages[i];
  }
  return near;
}
