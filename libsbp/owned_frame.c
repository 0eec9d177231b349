/* SPDX-License-Identifier: MIT */
#include "port.h"
#include "sbpkit/sbp.h"

static size_t size_of(const struct sbp_frame *frame) {
  return (size_t)frame->length + SBP_FRAME_OVERHEAD;
}

enum sbp_status sbp_frame_take(struct sbp_frame *frame, const struct sbp_allocator *allocator,
                               struct sbp_owned_frame *owned) {
  const size_t size = size_of(frame);
  uint8_t *const bytes = allocator->resize(allocator->context, NULL, 0, size);
  if (bytes == NULL)
    return SBP_ERROR_MEMORY;
  memcpy(bytes, frame->bytes, size);
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
