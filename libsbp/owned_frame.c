/* SPDX-License-Identifier: MIT */
#include "port.h"
#include "sbpkit/sbp.h"

static size_t size_of(const struct sbp_frame *frame) {
  return (size_t)frame->length + SBP_FRAME_OVERHEAD;
}

/* A frame has 8 bytes at least. Blocks of a size that the compiler knows, of which the last may overlap the one before:
 * a memcpy of any size takes several times as long for so few bytes (bench/micro, "read and kept"). */
static void copy(uint8_t *to, const uint8_t *from, size_t size) {
  if (size >= 32) {
    for (size_t at = 0; at + 32 < size; at += 32)
      memcpy(to + at, from + at, 32);
    memcpy(to + size - 32, from + size - 32, 32);
  } else if (size >= 16) {
    memcpy(to, from, 16);
    memcpy(to + size - 16, from + size - 16, 16);
  } else {
    memcpy(to, from, 8);
    memcpy(to + size - 8, from + size - 8, 8);
  }
}

enum sbp_status sbp_frame_take(struct sbp_frame *frame, const struct sbp_allocator *allocator,
                               struct sbp_owned_frame *owned) {
  const size_t size = size_of(frame);
  uint8_t *const bytes = allocator->resize(allocator->context, NULL, 0, size);
  if (bytes == NULL)
    return SBP_ERROR_MEMORY;
  copy(bytes, frame->bytes, size);
  owned->frame = *frame;
  owned->frame.bytes = bytes;
  owned->frame.payload = bytes + SBP_FRAME_HEADER;
  owned->allocator = allocator;
  *frame = (struct sbp_frame){0};
  return SBP_OK;
}

void sbp_owned_frame_free(struct sbp_owned_frame *owned) {
  if (owned->frame.bytes != NULL)
    owned->allocator->resize(owned->allocator->context, (void *)owned->frame.bytes, size_of(&owned->frame), 0);
  *owned = (struct sbp_owned_frame){0};
}
