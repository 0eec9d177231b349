/* SPDX-License-Identifier: MIT */
/* Every field of every message, read in three ways that must agree: by its constant in a view, as a member of the
 * struct, and by walking the descriptor table. make_accessors.py writes the first two from the schema. */
#ifndef ACCESSORS_H
#define ACCESSORS_H

#include "sbpkit/messages.h"

/* What was read, one number behind the other: numbers as they are (any NaN is the same one, since not every machine
 * hands a NaN on as it was), the counts of arrays, the lengths of strings and their bytes. */
struct leaves {
  size_t count;
  uint64_t numbers[8192];
};

/* A message's accessors. `size` is that of its struct. */
struct accessor {
  uint16_t id;
  size_t size;
  bool (*decode)(void *message, const uint8_t *payload, uint8_t size);
  bool (*encode)(const void *message, uint8_t *payload, uint8_t *size);
  bool (*begin)(struct sbp_view *view, const struct sbp_frame *frame);
  void (*view)(struct sbp_view view, struct leaves *leaves);
  void (*members)(const void *message, struct leaves *leaves);
};

extern const struct accessor accessors[];
extern const size_t accessor_count;

/* Read a payload of up to 255 bytes by all of them, from memory of its very size at this distance from an aligned
 * address, and encode what was read. NULL, or what is wrong. */
const char *check_accessor(const struct accessor *accessor, const uint8_t *payload, uint8_t size, size_t distance);

/* ---- For the code that is made ---- */

void add(struct leaves *leaves, uint64_t number);
void add_float(struct leaves *leaves, float number);
void add_double(struct leaves *leaves, double number);
void add_view_string(struct leaves *leaves, struct sbp_view view, uint32_t field);
void add_string(struct leaves *leaves, const struct sbp_string *string, uint32_t field);
void add_fixed_string(struct leaves *leaves, const char *text, size_t room, uint32_t field);

/* Abort where an element that is not there is not empty. */
void check_outside(struct sbp_view view, uint32_t field);

#endif
