/* SPDX-License-Identifier: MIT */
#include "port.h"
#include "sbpkit/sbp.h"

enum { ALIGNMENT = 16 };

/* A chunk begins with this; `size` counts all of its bytes, and so does sbp_arena.used of the newest. */
struct sbp_arena_chunk {
  struct sbp_arena_chunk *previous;
  size_t size;
};

/* The first offset from `used` on whose address is aligned: allocators of 32-bit machines may align to 8 only. */
static size_t align(const struct sbp_arena_chunk *chunk, size_t used) {
  return used + (ALIGNMENT - ((uintptr_t)chunk + used) % ALIGNMENT) % ALIGNMENT;
}

static struct sbp_arena_chunk *add_chunk(struct sbp_arena *arena, size_t size) {
  const size_t overhead = sizeof(struct sbp_arena_chunk) + ALIGNMENT - 1;
  if (size > SIZE_MAX - overhead)
    return NULL;

  const size_t newest = arena->chunk == NULL ? 0 : arena->chunk->size;
  const size_t half = newest - newest / 2;
  size_t chunk_size = newest > SIZE_MAX - half ? SIZE_MAX : newest + half;
  if (chunk_size < SBPKIT_BUFFER_MIN)
    chunk_size = SBPKIT_BUFFER_MIN;
  if (chunk_size < size + overhead)
    chunk_size = size + overhead;

  struct sbp_arena_chunk *const chunk = arena->allocator->resize(arena->allocator->context, NULL, 0, chunk_size);
  if (chunk == NULL)
    return NULL;
  chunk->previous = arena->chunk;
  chunk->size = chunk_size;
  arena->chunk = chunk;
  arena->used = sizeof(*chunk);
  return chunk;
}

static void *take(struct sbp_arena *arena, size_t size) {
  struct sbp_arena_chunk *chunk = arena->chunk;
  size_t offset = chunk == NULL ? 0 : align(chunk, arena->used);
  if (chunk == NULL || offset > chunk->size || size > chunk->size - offset) {
    chunk = add_chunk(arena, size);
    if (chunk == NULL)
      return NULL;
    offset = align(chunk, arena->used);
  }
  arena->used = offset + size;
  return (char *)chunk + offset;
}

void *sbp_arena_take(struct sbp_arena *arena, size_t size) {
  void *const memory = take(arena, size);
  return memory == NULL ? NULL : memset(memory, 0, size);
}

static void *resize(void *context, void *old, size_t old_size, size_t new_size) {
  if (new_size <= old_size)
    return new_size == 0 ? NULL : old;
  void *const memory = take(context, new_size);
  if (memory != NULL && old_size > 0)
    memcpy(memory, old, old_size);
  return memory;
}

struct sbp_allocator sbp_arena_allocator(struct sbp_arena *arena) {
  return (struct sbp_allocator){.resize = resize, .context = arena};
}

/* Give back a chunk and those before it. */
static void give_back(const struct sbp_allocator *allocator, struct sbp_arena_chunk *chunk) {
  while (chunk != NULL) {
    struct sbp_arena_chunk *const previous = chunk->previous;
    allocator->resize(allocator->context, chunk, chunk->size, 0);
    chunk = previous;
  }
}

void sbp_arena_reset(struct sbp_arena *arena) {
  if (arena->chunk == NULL)
    return;
  give_back(arena->allocator, arena->chunk->previous);
  arena->chunk->previous = NULL;
  arena->used = sizeof(*arena->chunk);
}

void sbp_arena_drop(struct sbp_arena *arena) {
  give_back(arena->allocator, arena->chunk);
  arena->chunk = NULL;
  arena->used = 0;
}
