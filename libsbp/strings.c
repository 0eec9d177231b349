/* SPDX-License-Identifier: MIT */
/* Strings of message structs. */
#include "port.h"
#include "sbpkit/view.h"

/* By enum sbp_encoding: the NULs behind a text. */
static const uint8_t terminators[] = {
    [SBP_UNTERMINATED] = 0, [SBP_NULL_TERMINATED] = 1, [SBP_MULTIPART] = 1, [SBP_DOUBLE_NULL_TERMINATED] = 2};

/* The most bytes that the string can have in a payload. */
static size_t most(uint32_t field) {
  const uint32_t count = SBP_FIELD_COUNT(field);
  return SBP_PAYLOAD_MAX - SBP_FIELD_OFFSET(field) - (count > 0 ? count - 1 : 0);
}

/* Put text and terminators behind the first `at` bytes. */
static bool put(struct sbp_string *string, size_t at, uint32_t field, const char *text) {
  const size_t length = strlen(text);
  const size_t nuls = terminators[SBP_FIELD_ENCODING(field)];
  if (length > most(field) || at + length + nuls > most(field))
    return false;
  memcpy(string->text + at, text, length);
  memset(string->text + at + length, 0, nuls + 1);
  string->length = (uint8_t)(at + length + nuls);
  return true;
}

bool sbp_string_set(struct sbp_string *string, uint32_t field, const char *text) {
  return put(string, 0, field, text);
}

bool sbp_string_add(struct sbp_string *string, uint32_t field, const char *text) {
  size_t at = string->length;
  switch (SBP_FIELD_ENCODING(field)) {
  case SBP_NULL_TERMINATED:
    at = sbp_string_get(string, field).length;
    break;
  case SBP_DOUBLE_NULL_TERMINATED:
    /* Its parts end with the NUL before the last; an empty one has none. */
    at = at > 2 ? at - 1 : 0;
    break;
  default:
    break;
  }
  return put(string, at, field, text);
}

bool sbp_fixed_string_set(char *string, uint32_t field, const char *text) {
  const size_t length = strlen(text);
  const size_t size = SBP_FIELD_SIZE(field);
  if (length > size)
    return false;
  memcpy(string, text, length);
  memset(string + length, 0, size + 1 - length);
  return true;
}
