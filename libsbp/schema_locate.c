/* SPDX-License-Identifier: MIT */
/* Where a name stands in the text of a schema file. */
#include <string.h>

#include "schema_entry.h"

static size_t skip_space(const struct sbpi_locator *locator, size_t at) {
  while (at < locator->size && memchr(" \t\r\n", locator->text[at], 4) != NULL)
    at++;
  return at;
}

static bool has(const struct sbpi_locator *locator, size_t at, const char *token, size_t length) {
  return length <= locator->size - at && memcmp(locator->text + at, token, length) == 0;
}

/* The offset of the string's quote where `"name": "NAME"` begins at `at`, else 0. */
static size_t name_at(const struct sbpi_locator *locator, size_t at, const char *name, size_t length) {
  static const char key[] = "\"name\"";
  if (!has(locator, at, key, sizeof(key) - 1))
    return 0;
  const size_t colon = skip_space(locator, at + sizeof(key) - 1);
  if (!has(locator, colon, ":", 1))
    return 0;
  const size_t quote = skip_space(locator, colon + 1);
  if (!has(locator, quote, "\"", 1) || !has(locator, quote + 1, name, length) ||
      !has(locator, quote + 1 + length, "\"", 1))
    return 0;
  return quote;
}

void sbpi_locate(struct sbpi_locator *locator, const char *name, struct sbpi_origin *origin) {
  const size_t length = strlen(name);
  for (size_t at = locator->at; at < locator->size; at++) {
    const size_t quote = name_at(locator, at, name, length);
    if (quote == 0)
      continue;
    for (; locator->at <= quote; locator->at++)
      if (locator->text[locator->at] == '\n') {
        locator->line++;
        locator->line_start = locator->at + 1;
      }
    origin->line = locator->line;
    origin->column = (uint32_t)(quote - locator->line_start) + 1;
    return;
  }
}
