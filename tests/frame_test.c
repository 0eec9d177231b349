/* SPDX-License-Identifier: MIT */
/* Frames of bytes that come in pieces, and frames with memory of their own. What is right is what a scan of all the
 * bytes finds, which fuzz_frame.c compares with the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "sbpkit/sbp.h"

/* ---- Streams with damage ---------------------------------------------------------------------------------------- */

static uint32_t random_state;

static uint32_t random_number(uint32_t below) {
  return random_next(&random_state) % below;
}

enum { STREAM_MAX = 4096 };

struct stream {
  uint8_t data[STREAM_MAX];
  size_t size;
};

static void add(struct stream *stream, const void *data, size_t size) {
  assert_true(stream->size + size <= STREAM_MAX);
  memcpy(stream->data + stream->size, data, size);
  stream->size += size;
}

/* Payloads are full of preambles and small numbers, which make candidates. */
static size_t make_frame(uint8_t *frame, uint8_t most) {
  uint8_t payload[SBP_PAYLOAD_MAX];
  const uint8_t length = (uint8_t)random_number(most + 1u);
  for (unsigned i = 0; i < length; i++)
    payload[i] = random_number(4) == 0 ? SBP_PREAMBLE : (uint8_t)random_number(12);
  return sbp_frame_pack(SBP_CPU_PORTABLE, (uint16_t)random_number(65536), (uint16_t)random_number(65536), payload,
                        length, frame);
}

static void make_stream(struct stream *stream, uint32_t seed, unsigned parts, uint8_t most) {
  static const uint8_t zeros[] = {SBP_PREAMBLE, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  uint8_t frame[SBP_FRAME_MAX];
  random_state = seed;
  stream->size = 0;
  while (parts-- > 0) {
    const size_t size = make_frame(frame, most);
    switch (random_number(6)) {
    case 0: /* a wrong bit */
      frame[random_number((uint32_t)size)] ^= (uint8_t)(1 << random_number(8));
      add(stream, frame, size);
      break;
    case 1: /* cut off */
      add(stream, frame, random_number((uint32_t)size));
      break;
    case 2:
      add(stream, zeros, random_number(sizeof zeros + 1));
      break;
    default:
      add(stream, frame, size);
    }
  }
}

/* ---- What is found ---------------------------------------------------------------------------------------------- */

enum { FOUND_MAX = 4096 };

/* The frames, each with the bytes before it that lie outside frames, and what was said of others, in order. */
struct found {
  enum sbp_status status[FOUND_MAX];
  size_t offset[FOUND_MAX]; /* of the end of a frame, or behind a preamble */
  size_t count;
  uint64_t crc_failures;
  uint64_t truncated;
  uint64_t told;
};

static void count_failure(void *context, const uint8_t *candidate, enum sbp_status why) {
  assert_int_equal(*candidate, SBP_PREAMBLE);
  assert_true(why == SBP_ERROR_CRC || why == SBP_ERROR_ZEROS || why == SBP_ERROR_TRUNCATED);
  ++*(uint64_t *)context;
}

static void note(struct found *found, enum sbp_status status, size_t offset) {
  assert_true(found->count < FOUND_MAX);
  found->status[found->count] = status;
  found->offset[found->count++] = offset;
}

static void pull(const struct stream *stream, bool stop, struct found *found) {
  struct sbp_scanner scanner = {.stop = stop, .failed = count_failure, .context = &found->told};
  size_t at = 0;
  size_t used;
  struct sbp_frame frame;
  enum sbp_status status;
  memset(found, 0, sizeof *found);
  while ((status = sbp_scan(&scanner, stream->data + at, stream->size - at, true, &frame, &used)) != SBP_END) {
    at += used;
    note(found, status, at);
  }
  assert_int_equal(at + used, stream->size);
  found->crc_failures = scanner.crc_failures;
  found->truncated = scanner.truncated;
}

/* A framer that is fed, and what it found so far. A frame is looked for from where the last one ended, so that its
 * offset is known although its bytes may be a copy. */
struct feed {
  const struct stream *stream;
  struct sbp_framer framer;
  struct found found;
  size_t behind; /* the last frame or preamble */
};

static void begin_feed(struct feed *feed, const struct stream *stream, bool stop) {
  memset(feed, 0, sizeof *feed);
  feed->stream = stream;
  feed->framer.scanner = (struct sbp_scanner){.stop = stop, .failed = count_failure, .context = &feed->found.told};
}

/* Each piece is a copy of its own, so that a sanitizer sees whoever looks beyond or behind. */
static void push(struct feed *feed, size_t from, size_t to, bool last) {
  uint8_t *const piece = malloc(to - from + 1);
  size_t at = 0;
  size_t used;
  struct sbp_frame frame;
  enum sbp_status status;
  assert_non_null(piece);
  memcpy(piece, feed->stream->data + from, to - from);
  while ((status = sbp_push(&feed->framer, piece + at, to - from - at, last, &frame, &used)) != SBP_NEED_MORE &&
         status != SBP_END) {
    at += used;
    assert_true(at <= to - from);
    const uint8_t *const data = feed->stream->data;
    if (status == SBP_OK) {
      const size_t size = frame.length + (size_t)SBP_FRAME_OVERHEAD;
      assert_ptr_equal(frame.payload, frame.bytes + SBP_FRAME_HEADER);
      assert_int_equal(frame.type, frame.bytes[1] | frame.bytes[2] << 8);
      assert_int_equal(frame.sender, frame.bytes[3] | frame.bytes[4] << 8);
      while (memcmp(data + feed->behind, frame.bytes, size) != 0) {
        feed->behind++;
        assert_true(feed->behind + size <= from + at);
      }
      feed->behind += size;
    } else {
      while (data[feed->behind] != SBP_PREAMBLE)
        feed->behind++;
      feed->behind++;
    }
    note(&feed->found, status, feed->behind);
  }
  assert_int_equal(at + used, to - from);
  assert_int_equal(status, last ? SBP_END : SBP_NEED_MORE);
  feed->found.crc_failures = feed->framer.scanner.crc_failures;
  feed->found.truncated = feed->framer.scanner.truncated;
  free(piece);
}

static void check_same(const struct found *right, const struct found *got) {
  assert_int_equal(got->count, right->count);
  assert_memory_equal(got->status, right->status, right->count * sizeof *right->status);
  assert_memory_equal(got->offset, right->offset, right->count * sizeof *right->offset);
  assert_int_equal(got->crc_failures, right->crc_failures);
  assert_int_equal(got->truncated, right->truncated);
  assert_int_equal(got->told, right->told);
}

static struct stream stream;
static struct found right;
static struct feed feed;

/* ---- Push ------------------------------------------------------------------------------------------------------- */

static void a_stream_cut_in_two_anywhere_gives_what_a_scan_of_it_gives(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 20; seed++) {
    make_stream(&stream, seed, 12, 40);
    for (int stop = 0; stop < 2; stop++) {
      pull(&stream, stop != 0, &right);
      for (size_t cut = 0; cut <= stream.size; cut++) {
        begin_feed(&feed, &stream, stop != 0);
        push(&feed, 0, cut, false);
        push(&feed, cut, stream.size, true);
        check_same(&right, &feed.found);
      }
    }
  }
}

static void a_stream_in_pieces_of_any_size_gives_what_a_scan_of_it_gives(void **state) {
  (void)state;
  for (uint32_t seed = 100; seed < 104; seed++) {
    make_stream(&stream, seed, 14, 255);
    pull(&stream, true, &right);
    for (size_t piece = 1; piece <= 2 * SBP_FRAME_MAX; piece += 1 + piece / 16) {
      begin_feed(&feed, &stream, true);
      for (size_t at = 0; at < stream.size; at += piece)
        push(&feed, at, at + piece < stream.size ? at + piece : stream.size, false);
      /* The end may be known only later. */
      push(&feed, stream.size, stream.size, true);
      check_same(&right, &feed.found);
    }
  }
}

static void streams_hold_all_kinds_of_damage(void **state) {
  (void)state;
  unsigned seen[SBP_ERROR_MEMORY + 1] = {0};
  for (uint32_t seed = 1; seed <= 20; seed++) {
    make_stream(&stream, seed, 12, 40);
    pull(&stream, true, &right);
    for (size_t i = 0; i < right.count; i++)
      seen[right.status[i]]++;
  }
  assert_true(seen[SBP_OK] > 50);
  assert_true(seen[SBP_ERROR_CRC] > 50);
  assert_true(seen[SBP_ERROR_ZEROS] > 5);
  assert_true(seen[SBP_ERROR_TRUNCATED] > 5);
}

static void a_whole_frame_in_a_piece_is_not_copied(void **state) {
  (void)state;
  uint8_t data[3 * SBP_FRAME_MAX];
  struct sbp_framer framer = {0};
  struct sbp_frame frame;
  size_t used;
  random_state = 7;
  const size_t size = make_frame(data, 30);
  assert_int_equal(sbp_push(&framer, data, size, false, &frame, &used), SBP_OK);
  assert_ptr_equal(frame.bytes, data);
  assert_int_equal(used, size);
  assert_int_equal(sbp_push(&framer, data + used, 0, false, &frame, &used), SBP_NEED_MORE);
  /* In two pieces it is. */
  assert_int_equal(sbp_push(&framer, data, 5, false, &frame, &used), SBP_NEED_MORE);
  assert_int_equal(sbp_push(&framer, data + 5, size - 5, false, &frame, &used), SBP_OK);
  assert_ptr_equal(frame.bytes, framer.bytes);
  assert_int_equal(used, size - 5);
}

static void of_a_cut_frame_no_byte_behind_it_is_taken(void **state) {
  (void)state;
  uint8_t data[SBP_FRAME_MAX + 16] = {0};
  const uint8_t payload[SBP_PAYLOAD_MAX] = {1};
  for (unsigned length = 0; length <= SBP_PAYLOAD_MAX; length += SBP_PAYLOAD_MAX / 5) {
    const size_t size = sbp_frame_pack(SBP_CPU_PORTABLE, 7, 8, payload, (uint8_t)length, data);
    for (size_t cut = 1; cut < size; cut++) {
      struct sbp_framer framer = {0};
      struct sbp_frame frame;
      size_t used;
      assert_int_equal(sbp_push(&framer, data, cut, false, &frame, &used), SBP_NEED_MORE);
      assert_int_equal(sbp_push(&framer, data + cut, sizeof data - cut, false, &frame, &used), SBP_OK);
      assert_int_equal(used, size - cut);
      assert_in_range(framer.held, 0, SBP_FRAME_MAX);
    }
  }
}

static void a_framer_has_no_lookahead(void **state) {
  (void)state;
  make_stream(&stream, 1, 12, 40);
  pull(&stream, true, &right);
  for (size_t lookahead = 1; lookahead < 2 * SBP_FRAME_MAX; lookahead += 13) {
    begin_feed(&feed, &stream, true);
    feed.framer.scanner.lookahead = lookahead;
    push(&feed, 0, 100, false);
    push(&feed, 100, stream.size, true);
    check_same(&right, &feed.found);
  }
}

static void the_end_leaves_a_framer_as_new(void **state) {
  (void)state;
  uint8_t data[SBP_FRAME_MAX];
  struct sbp_framer framer = {0};
  struct sbp_frame frame;
  size_t used;
  random_state = 3;
  const size_t size = make_frame(data, 200);
  assert_int_equal(sbp_push(&framer, data, size - 1, false, &frame, &used), SBP_NEED_MORE);
  enum sbp_status status;
  while ((status = sbp_push(&framer, NULL, 0, true, &frame, &used)) == SBP_OK)
    ;
  assert_int_equal(status, SBP_END);
  assert_int_equal(used, 0);
  assert_true(framer.scanner.truncated > 0);
  assert_int_equal(framer.held, 0);
  /* The last byte now is one outside frames. */
  assert_int_equal(sbp_push(&framer, data + size - 1, 1, true, &frame, &used), SBP_END);
  assert_int_equal(sbp_push(&framer, data, size, true, &frame, &used), SBP_OK);
}

/* ---- Take ------------------------------------------------------------------------------------------------------- */

struct counter {
  size_t in_use;
  size_t asked;
  bool refuses;
};

static void *resize(void *context, void *old, size_t old_size, size_t new_size) {
  struct counter *const counter = context;
  counter->in_use += new_size - old_size;
  counter->asked++;
  if (new_size > 0 && counter->refuses) {
    counter->in_use -= new_size - old_size;
    return NULL;
  }
  if (new_size > 0)
    return realloc(old, new_size);
  free(old);
  return NULL;
}

static void a_taken_frame_outlives_its_input_and_the_view_is_gone(void **state) {
  (void)state;
  struct counter counter = {0};
  const struct sbp_allocator allocator = {resize, &counter};
  const struct sbp_frame none = {0};
  for (unsigned length = 0; length <= SBP_PAYLOAD_MAX; length++) {
    uint8_t data[SBP_FRAME_MAX];
    uint8_t before[SBP_FRAME_MAX];
    uint8_t payload[SBP_PAYLOAD_MAX];
    struct sbp_scanner scanner = {0};
    struct sbp_frame frame;
    struct sbp_owned_frame owned;
    size_t used;
    memset(payload, (int)length, sizeof payload);
    const size_t size = sbp_frame_pack(SBP_CPU_PORTABLE, 1000, 2000, payload, (uint8_t)length, data);
    memcpy(before, data, size);
    assert_int_equal(sbp_scan(&scanner, data, size, true, &frame, &used), SBP_OK);
    const struct sbp_frame view = frame;
    assert_int_equal(sbp_frame_take(&frame, &allocator, &owned), SBP_OK);
    memset(data, 0, sizeof data);

    assert_int_equal(counter.in_use, size);
    assert_ptr_equal(frame.bytes, none.bytes);
    assert_ptr_equal(frame.payload, none.payload);
    assert_int_equal(frame.type, 0);
    assert_int_equal(frame.sender, 0);
    assert_int_equal(frame.crc, 0);
    assert_int_equal(frame.length, 0);
    assert_memory_equal(owned.frame.bytes, before, size);
    assert_ptr_equal(owned.frame.payload, owned.frame.bytes + SBP_FRAME_HEADER);
    assert_int_equal(owned.frame.type, 1000);
    assert_int_equal(owned.frame.sender, 2000);
    assert_int_equal(owned.frame.crc, view.crc);
    assert_int_equal(owned.frame.length, length);

    sbp_owned_frame_free(&owned);
    assert_int_equal(counter.in_use, 0);
    assert_null(owned.frame.bytes);
    sbp_owned_frame_free(&owned);
  }
  /* A request and its return each. */
  assert_int_equal(counter.asked, 2 * (SBP_PAYLOAD_MAX + 1));
}

static void where_memory_is_out_a_frame_stays_what_it_is(void **state) {
  (void)state;
  struct counter counter = {.refuses = true};
  const struct sbp_allocator allocator = {resize, &counter};
  uint8_t data[SBP_FRAME_MAX];
  struct sbp_scanner scanner = {0};
  struct sbp_frame frame;
  struct sbp_owned_frame owned = {0};
  size_t used;
  random_state = 5;
  const size_t size = make_frame(data, 100);
  assert_int_equal(sbp_scan(&scanner, data, size, true, &frame, &used), SBP_OK);
  assert_int_equal(sbp_frame_take(&frame, &allocator, &owned), SBP_ERROR_MEMORY);
  assert_ptr_equal(frame.bytes, data);
  assert_ptr_equal(frame.payload, data + SBP_FRAME_HEADER);
  assert_int_equal(frame.length + SBP_FRAME_OVERHEAD, size);
  assert_null(owned.frame.bytes);
  counter.refuses = false;
  assert_int_equal(sbp_frame_take(&frame, &allocator, &owned), SBP_OK);
  sbp_owned_frame_free(&owned);
  assert_int_equal(counter.in_use, 0);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

static void a_part_with_lookahead_gives_the_frames_that_begin_in_it(void **state) {
  (void)state;
  static struct found found;
  for (uint32_t seed = 1; seed < 20; seed++) {
    make_stream(&stream, seed, 12, 60);
    pull(&stream, false, &found);
    for (size_t end = 0; end <= stream.size; end++) {
      const size_t behind = stream.size - end < SBP_FRAME_MAX - 1 ? stream.size - end : SBP_FRAME_MAX - 1;
      struct sbp_scanner scanner = {.lookahead = behind};
      struct sbp_frame frame;
      enum sbp_status status;
      size_t at = 0;
      size_t used;
      size_t frames = 0;
      while ((status = sbp_scan(&scanner, stream.data + at, end + behind - at, true, &frame, &used)) == SBP_OK) {
        at += used;
        assert_true((size_t)(frame.bytes - stream.data) < end);
        assert_int_equal(at, found.offset[frames++]);
      }
      assert_int_equal(status, SBP_END);
      /* The next one, if there is one, begins behind the part; what is scanned ends with it, or with a frame. */
      assert_int_equal(at + used, at > end ? at : end);
      if (frames < found.count)
        assert_true(found.offset[frames] > end && scanner.crc_failures <= found.crc_failures);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stream_cut_in_two_anywhere_gives_what_a_scan_of_it_gives),
      cmocka_unit_test(a_stream_in_pieces_of_any_size_gives_what_a_scan_of_it_gives),
      cmocka_unit_test(streams_hold_all_kinds_of_damage),
      cmocka_unit_test(a_whole_frame_in_a_piece_is_not_copied),
      cmocka_unit_test(of_a_cut_frame_no_byte_behind_it_is_taken),
      cmocka_unit_test(a_framer_has_no_lookahead),
      cmocka_unit_test(the_end_leaves_a_framer_as_new),
      cmocka_unit_test(a_taken_frame_outlives_its_input_and_the_view_is_gone),
      cmocka_unit_test(where_memory_is_out_a_frame_stays_what_it_is),
      cmocka_unit_test(a_part_with_lookahead_gives_the_frames_that_begin_in_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
