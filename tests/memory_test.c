/* SPDX-License-Identifier: MIT */
/* The growable buffer and the arena, over an allocator that counts, and checks the sizes that it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sbpkit/sbp.h"

enum { REQUESTS_MAX = 1000 };

struct counter {
  size_t sizes[REQUESTS_MAX]; /* of the requests that were met, in order */
  size_t requests;
  size_t in_use; /* bytes */
  size_t allowed;
};

/* Each block begins with its size, so that what the caller says of it can be checked. Blocks begin 8 bytes behind an
 * aligned address, as they may on a 32-bit machine, and what lies in a new one is not zero. */
enum { BLOCK_HEADER = 24 };

static void *resize(void *context, void *old, size_t old_size, size_t new_size) {
  struct counter *const counter = context;
  char *const base = old == NULL ? NULL : (char *)old - BLOCK_HEADER;
  if (base == NULL) {
    assert_int_equal(old_size, 0);
  } else {
    size_t size;
    memcpy(&size, base, sizeof(size));
    assert_int_equal(old_size, size);
  }
  if (new_size == 0) {
    counter->in_use -= old_size;
    free(base);
    return NULL;
  }
  if (counter->requests == counter->allowed || new_size > SIZE_MAX / 4)
    return NULL;
  char *const block = realloc(base, BLOCK_HEADER + new_size);
  assert_non_null(block);
  memcpy(block, &new_size, sizeof(new_size));
  if (new_size > old_size)
    memset(block + BLOCK_HEADER + old_size, 0xa5, new_size - old_size);
  counter->in_use += new_size - old_size;
  counter->sizes[counter->requests++] = new_size;
  return block + BLOCK_HEADER;
}

#define COUNTING                                                                                                       \
  struct counter counter = {.allowed = REQUESTS_MAX};                                                                  \
  const struct sbp_allocator allocator = {resize, &counter}

/* ---- Buffer ----------------------------------------------------------------------------------------------------- */

static void a_buffer_starts_with_the_minimum(void **state) {
  (void)state;
  COUNTING;
  struct sbp_buffer buffer = {.allocator = &allocator};
  assert_int_equal(sbp_buffer_append(&buffer, "x", 1), SBP_OK);
  assert_int_equal(counter.requests, 1);
  assert_int_equal(counter.sizes[0], SBPKIT_BUFFER_MIN);
  assert_int_equal(buffer.capacity, SBPKIT_BUFFER_MIN);
  sbp_buffer_free(&buffer);
  assert_int_equal(counter.in_use, 0);
}

static void a_buffer_grows_by_half_at_least_and_keeps_its_bytes(void **state) {
  (void)state;
  COUNTING;
  struct sbp_buffer buffer = {.allocator = &allocator};
  for (size_t i = 0; i < 1000000; i++) {
    const char c = (char)(i * 7);
    assert_int_equal(sbp_buffer_append(&buffer, &c, 1), SBP_OK);
  }
  assert_int_equal(buffer.size, 1000000);
  for (size_t i = 0; i < buffer.size; i++)
    assert_int_equal(buffer.data[i], (char)(i * 7));
  for (size_t i = 1; i < counter.requests; i++)
    assert_true(counter.sizes[i] * 2 >= counter.sizes[i - 1] * 3);
  /* 128 * 1.5^23 is more than a million. */
  assert_true(counter.requests <= 24);
  sbp_buffer_free(&buffer);
  assert_int_equal(counter.in_use, 0);
}

static void a_buffer_makes_room_for_all_that_is_asked_for(void **state) {
  (void)state;
  COUNTING;
  struct sbp_buffer buffer = {.allocator = &allocator};
  assert_int_equal(sbp_buffer_reserve(&buffer, 100000), SBP_OK);
  assert_int_equal(buffer.capacity, 100000);
  assert_int_equal(buffer.size, 0);
  buffer.size = 99999;
  assert_int_equal(sbp_buffer_reserve(&buffer, 1), SBP_OK);
  assert_int_equal(counter.requests, 1);
  assert_int_equal(sbp_buffer_reserve(&buffer, 2), SBP_OK);
  assert_int_equal(buffer.capacity, 150000);
  assert_int_equal(sbp_buffer_append(&buffer, NULL, 0), SBP_OK);
  sbp_buffer_free(&buffer);
}

static void a_buffer_that_cannot_grow_stays_as_it_is(void **state) {
  (void)state;
  COUNTING;
  struct sbp_buffer buffer = {.allocator = &allocator};
  assert_int_equal(sbp_buffer_append(&buffer, "kept", 4), SBP_OK);
  const struct sbp_buffer before = buffer;
  counter.allowed = counter.requests;
  assert_int_equal(sbp_buffer_reserve(&buffer, 1000), SBP_ERROR_MEMORY);
  counter.allowed = REQUESTS_MAX;
  assert_int_equal(sbp_buffer_reserve(&buffer, SIZE_MAX), SBP_ERROR_MEMORY);
  assert_int_equal(sbp_buffer_reserve(&buffer, SIZE_MAX - 4), SBP_ERROR_MEMORY);
  assert_int_equal(sbp_buffer_append(&buffer, "", SIZE_MAX - 3), SBP_ERROR_MEMORY);
  assert_memory_equal(&buffer, &before, sizeof(buffer));
  assert_memory_equal(buffer.data, "kept", 4);
  sbp_buffer_free(&buffer);
  assert_int_equal(counter.in_use, 0);
}

static void a_freed_buffer_can_be_used_again(void **state) {
  (void)state;
  COUNTING;
  struct sbp_buffer buffer = {.allocator = &allocator};
  sbp_buffer_free(&buffer);
  assert_int_equal(sbp_buffer_append(&buffer, "abc", 3), SBP_OK);
  sbp_buffer_free(&buffer);
  assert_int_equal(sbp_buffer_append(&buffer, "de", 2), SBP_OK);
  assert_int_equal(buffer.size, 2);
  assert_memory_equal(buffer.data, "de", 2);
  sbp_buffer_free(&buffer);
  assert_int_equal(counter.in_use, 0);
}

/* ---- Arena ------------------------------------------------------------------------------------------------------ */

static void an_arena_starts_with_the_minimum_and_grows_by_half(void **state) {
  (void)state;
  COUNTING;
  struct sbp_arena arena = {.allocator = &allocator};
  for (int i = 0; i < 10000; i++)
    assert_non_null(sbp_arena_take(&arena, 10));
  assert_int_equal(counter.sizes[0], SBPKIT_BUFFER_MIN);
  for (size_t i = 1; i < counter.requests; i++)
    assert_true(counter.sizes[i] * 2 >= counter.sizes[i - 1] * 3);
  assert_true(counter.requests < 20);
  sbp_arena_drop(&arena);
  assert_int_equal(counter.in_use, 0);
}

static void what_an_arena_gives_is_zeroed_aligned_and_apart(void **state) {
  enum { PARTS = 200 };
  (void)state;
  COUNTING;
  struct sbp_arena arena = {.allocator = &allocator};
  unsigned char *parts[PARTS];
  for (size_t i = 0; i < PARTS; i++) {
    const size_t size = i * 5;
    parts[i] = sbp_arena_take(&arena, size);
    assert_non_null(parts[i]);
    assert_int_equal((uintptr_t)parts[i] % 16, 0);
    for (size_t j = 0; j < size; j++)
      assert_int_equal(parts[i][j], 0);
    memset(parts[i], (int)(i + 1), size);
  }
  for (size_t i = 0; i < PARTS; i++)
    for (size_t j = 0; j < i * 5; j++)
      assert_int_equal(parts[i][j], (unsigned char)(i + 1));
  sbp_arena_drop(&arena);
  assert_int_equal(counter.in_use, 0);
}

static void an_arena_gives_a_large_part_a_chunk_of_its_own_size(void **state) {
  (void)state;
  COUNTING;
  struct sbp_arena arena = {.allocator = &allocator};
  unsigned char *const small = sbp_arena_take(&arena, 8);
  unsigned char *const large = sbp_arena_take(&arena, 100000);
  assert_non_null(small);
  assert_non_null(large);
  memset(large, 1, 100000);
  assert_int_equal(counter.requests, 2);
  assert_true(counter.sizes[1] < 100064);
  sbp_arena_drop(&arena);
}

static void an_arena_without_memory_gives_nothing_and_keeps_what_it_gave(void **state) {
  (void)state;
  COUNTING;
  struct sbp_arena arena = {.allocator = &allocator};
  char *const kept = sbp_arena_take(&arena, 5);
  memcpy(kept, "kept", 5);
  counter.allowed = counter.requests;
  assert_null(sbp_arena_take(&arena, 1000));
  counter.allowed = REQUESTS_MAX;
  assert_null(sbp_arena_take(&arena, SIZE_MAX));
  assert_null(sbp_arena_take(&arena, SIZE_MAX - 40));
  assert_string_equal(kept, "kept");
  assert_non_null(sbp_arena_take(&arena, 1000));
  sbp_arena_drop(&arena);
  assert_int_equal(counter.in_use, 0);
}

static void a_reset_arena_keeps_its_largest_chunk_alone(void **state) {
  (void)state;
  COUNTING;
  struct sbp_arena arena = {.allocator = &allocator};
  sbp_arena_reset(&arena);
  assert_int_equal(counter.requests, 0);
  for (int i = 0; i < 1000; i++)
    assert_non_null(sbp_arena_take(&arena, 10));
  const size_t largest = counter.sizes[counter.requests - 1];
  for (size_t i = 0; i < counter.requests; i++)
    assert_true(counter.sizes[i] <= largest);
  sbp_arena_reset(&arena);
  assert_int_equal(counter.in_use, largest);
  const size_t requests = counter.requests;
  /* All but what a chunk needs for itself can be taken again, and is zeroed. */
  unsigned char *const again = sbp_arena_take(&arena, largest - 48);
  assert_non_null(again);
  assert_int_equal(counter.requests, requests);
  for (size_t i = 0; i < largest - 48; i++)
    assert_int_equal(again[i], 0);
  sbp_arena_drop(&arena);
  assert_int_equal(counter.in_use, 0);
}

static void an_arena_that_is_reset_between_rounds_stops_asking_for_memory(void **state) {
  (void)state;
  COUNTING;
  struct sbp_arena arena = {.allocator = &allocator};
  size_t requests = 0;
  for (int round = 0; round < 20; round++) {
    requests = counter.requests;
    for (size_t i = 0; i < 300; i++)
      assert_non_null(sbp_arena_take(&arena, i));
    sbp_arena_reset(&arena);
  }
  assert_int_equal(counter.requests, requests);
  sbp_arena_drop(&arena);
  assert_int_equal(counter.in_use, 0);
}

static void an_arena_is_an_allocator_for_what_lives_as_long(void **state) {
  (void)state;
  COUNTING;
  struct sbp_arena arena = {.allocator = &allocator};
  const struct sbp_allocator inside = sbp_arena_allocator(&arena);
  struct sbp_buffer buffer = {.allocator = &inside};
  for (int i = 0; i < 1000; i++) {
    const char c = (char)i;
    assert_int_equal(sbp_buffer_append(&buffer, &c, 1), SBP_OK);
  }
  for (int i = 0; i < 1000; i++)
    assert_int_equal(buffer.data[i], (char)i);
  assert_ptr_equal(inside.resize(inside.context, buffer.data, buffer.capacity, 10), buffer.data);
  assert_null(inside.resize(inside.context, buffer.data, buffer.capacity, 0));
  counter.allowed = counter.requests;
  assert_null(inside.resize(inside.context, NULL, 0, 100000));
  sbp_buffer_free(&buffer);
  assert_true(counter.in_use > 0);
  sbp_arena_drop(&arena);
  assert_int_equal(counter.in_use, 0);
}

static void a_dropped_arena_can_be_used_again(void **state) {
  (void)state;
  COUNTING;
  struct sbp_arena arena = {.allocator = &allocator};
  sbp_arena_drop(&arena);
  assert_non_null(sbp_arena_take(&arena, 100));
  const size_t first_size = counter.sizes[counter.requests - 1];
  assert_non_null(sbp_arena_take(&arena, 1000));
  sbp_arena_drop(&arena);
  assert_null(arena.chunk);
  /* It begins with a small chunk, as a new one does. */
  assert_non_null(sbp_arena_take(&arena, 100));
  assert_int_equal(counter.sizes[counter.requests - 1], first_size);
  sbp_arena_drop(&arena);
  assert_int_equal(counter.in_use, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_buffer_starts_with_the_minimum),
      cmocka_unit_test(a_buffer_grows_by_half_at_least_and_keeps_its_bytes),
      cmocka_unit_test(a_buffer_makes_room_for_all_that_is_asked_for),
      cmocka_unit_test(a_buffer_that_cannot_grow_stays_as_it_is),
      cmocka_unit_test(a_freed_buffer_can_be_used_again),
      cmocka_unit_test(an_arena_starts_with_the_minimum_and_grows_by_half),
      cmocka_unit_test(what_an_arena_gives_is_zeroed_aligned_and_apart),
      cmocka_unit_test(an_arena_gives_a_large_part_a_chunk_of_its_own_size),
      cmocka_unit_test(an_arena_without_memory_gives_nothing_and_keeps_what_it_gave),
      cmocka_unit_test(a_reset_arena_keeps_its_largest_chunk_alone),
      cmocka_unit_test(an_arena_that_is_reset_between_rounds_stops_asking_for_memory),
      cmocka_unit_test(an_arena_is_an_allocator_for_what_lives_as_long),
      cmocka_unit_test(a_dropped_arena_can_be_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
