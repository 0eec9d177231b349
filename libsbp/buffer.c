/* SPDX-License-Identifier: MIT */
#include "port.h"
#include "sbpkit/sbp.h"

enum sbp_status sbp_buffer_reserve(struct sbp_buffer *buffer, size_t more) {
  if (more <= buffer->capacity - buffer->size)
    return SBP_OK;
  if (more > SIZE_MAX - buffer->size)
    return SBP_ERROR_MEMORY;

  const size_t needed = buffer->size + more;
  const size_t half = buffer->capacity - buffer->capacity / 2;
  size_t capacity = buffer->capacity > SIZE_MAX - half ? SIZE_MAX : buffer->capacity + half;
  if (capacity < SBPKIT_BUFFER_MIN)
    capacity = SBPKIT_BUFFER_MIN;
  if (capacity < needed)
    capacity = needed;

  const struct sbp_allocator *const allocator = buffer->allocator;
  char *const data = allocator->resize(allocator->context, buffer->data, buffer->capacity, capacity);
  if (data == NULL)
    return SBP_ERROR_MEMORY;
  buffer->data = data;
  buffer->capacity = capacity;
  return SBP_OK;
}

enum sbp_status sbp_buffer_append(struct sbp_buffer *buffer, const void *data, size_t size) {
  if (size == 0)
    return SBP_OK;
  const enum sbp_status status = sbp_buffer_reserve(buffer, size);
  if (status != SBP_OK)
    return status;
  memcpy(buffer->data + buffer->size, data, size);
  buffer->size += size;
  return SBP_OK;
}

void sbp_buffer_free(struct sbp_buffer *buffer) {
  if (buffer->data != NULL)
    buffer->allocator->resize(buffer->allocator->context, buffer->data, buffer->capacity, 0);
  buffer->data = NULL;
  buffer->size = 0;
  buffer->capacity = 0;
}
