/* SPDX-License-Identifier: MIT */
/* What is said of a value that cannot be used. */
#include "json_scan.h"
#include "number.h"

void sbpi_fault_add(struct sbp_fault *fault, const char *text, size_t length) {
  const size_t size = strlen(fault->text);
  const size_t room = sizeof fault->text - 1 - size;
  length = length < room ? length : room;
  memcpy(fault->text + size, text, length); /* cppcheck-suppress uninitvar ; text[0 .. length) is set by all callers */
  fault->text[size + length] = 0;
}

static void add(struct sbp_fault *fault, const char *text) {
  sbpi_fault_add(fault, text, strlen(text));
}

void sbpi_fault_add_number(struct sbp_fault *fault, uint64_t number) {
  char text[SBPI_NUMBER_ROOM];
  sbpi_fault_add(fault, text, (size_t)(sbpi_write_u64(text, number) - text));
}

/* Input on one line: control characters, which would break it or reach a terminal, show as question marks. */
static void add_seen(struct sbp_fault *fault, struct sbp_span seen) {
  enum { SHOWN = 40 };
  char text[SHOWN];
  const size_t length = seen.length < SHOWN ? seen.length : SHOWN;
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)seen.text[i];
    text[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
  }
  sbpi_fault_add(fault, text, length);
  if (length < seen.length)
    add(fault, "..");
}

void sbpi_fault_set(struct sbp_fault *fault, enum sbp_status status, struct sbp_place place, const char *key,
                    struct sbp_span seen, const char *wanted) {
  fault->status = status;
  fault->place = place;
  fault->text[0] = 0;
  if (key != NULL) {
    add(fault, key);
    add(fault, ": ");
  }
  add(fault, sbp_status_text(status));
  if (seen.length > 0) {
    add(fault, ": ");
    add_seen(fault, seen);
  }
  if (wanted != NULL) {
    add(fault, seen.length > 0 ? " where " : ", ");
    add(fault, wanted);
    add(fault, " is wanted");
  }
}
