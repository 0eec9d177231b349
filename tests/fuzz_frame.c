/* SPDX-License-Identifier: MIT */
/* Frames: input cut anywhere gives the same ones as in one piece, on every path, and those that the definition says. */
#include "fuzz.h"
#include "sbpkit/sbp.h"

enum { FRAMES_MAX = 1 << 13 };

struct found {
  size_t offsets[FRAMES_MAX];
  size_t count;
  uint64_t crc_failures;
  uint64_t truncated;
  uint64_t told[2]; /* by the callback: wrong CRC, cut off */
};

static void add(struct found *found, size_t offset) {
  FUZZ_CHECK(found->count < FRAMES_MAX);
  found->offsets[found->count++] = offset;
}

static void search_by_definition(const uint8_t *data, size_t size, struct found *found) {
  static const uint8_t zeros[7];
  for (size_t at = 0; at < size;) {
    const size_t left = size - at;
    const uint8_t *const c = data + at;
    size_t step = 1;
    if (c[0] != SBP_PREAMBLE) {
    } else if (left < 6 || left < (size_t)c[5] + 8) {
      found->truncated++;
    } else if (memcmp(c + 1, zeros, sizeof zeros) == 0) {
    } else if (fuzz_crc(c + 1, c[5] + 5u) != (c[c[5] + 6] | c[c[5] + 7] << 8)) {
      found->crc_failures++;
    } else {
      add(found, at);
      step = c[5] + 8u;
    }
    at += step;
  }
}

static void failed(void *context, const uint8_t *candidate, enum sbp_status why) {
  struct found *const found = context;
  FUZZ_CHECK(candidate[0] == SBP_PREAMBLE);
  FUZZ_CHECK(why == SBP_ERROR_CRC || why == SBP_ERROR_TRUNCATED || why == SBP_ERROR_ZEROS);
  found->told[0] += why == SBP_ERROR_CRC;
  found->told[1] += why == SBP_ERROR_TRUNCATED;
}

/* Search with pieces as large as *pieces says, or in one where it is NULL. */
static void search(enum sbp_cpu cpu, const uint8_t *data, size_t size, uint32_t *pieces, struct found *found) {
  struct sbp_scanner scanner = {.cpu = cpu, .failed = failed, .context = found};
  size_t begin = 0, end = pieces == NULL ? size : 0;
  for (;;) {
    const bool last = end == size;
    uint8_t *const window = fuzz_copy(data + begin, end - begin);
    struct sbp_frame frame;
    size_t used = SIZE_MAX;
    const enum sbp_status status = sbp_scan(&scanner, window, end - begin, last, &frame, &used);
    FUZZ_CHECK(used <= end - begin);
    if (status == SBP_OK) {
      FUZZ_CHECK(frame.payload == frame.bytes + SBP_FRAME_HEADER);
      FUZZ_CHECK((size_t)(frame.bytes - window) + frame.length + SBP_FRAME_OVERHEAD == used);
      FUZZ_CHECK(frame.type == (frame.bytes[1] | frame.bytes[2] << 8));
      FUZZ_CHECK(frame.sender == (frame.bytes[3] | frame.bytes[4] << 8));
      add(found, begin + (size_t)(frame.bytes - window));
      uint8_t packed[SBP_FRAME_MAX];
      FUZZ_CHECK(sbp_frame_pack(cpu, frame.type, frame.sender, frame.payload, frame.length, packed) ==
                 frame.length + (size_t)SBP_FRAME_OVERHEAD);
      FUZZ_CHECK(memcmp(packed, frame.bytes, frame.length + (size_t)SBP_FRAME_OVERHEAD) == 0);
    }
    free(window);
    begin += used;
    if (status == SBP_END) {
      FUZZ_CHECK(last && begin == size);
      break;
    }
    if (status == SBP_NEED_MORE) {
      FUZZ_CHECK(!last && end - begin < SBP_FRAME_MAX);
      const size_t piece = fuzz_piece(pieces);
      end = size - end < piece ? size : end + piece;
    } else {
      FUZZ_CHECK(status == SBP_OK);
    }
  }
  found->crc_failures = scanner.crc_failures;
  found->truncated = scanner.truncated;
}

/* The same by pushing the pieces. What a frame is a copy of is found again in the input: that it is the right one, the
 * offsets say. */
static void search_by_pushing(enum sbp_cpu cpu, const uint8_t *data, size_t size, uint32_t *pieces,
                              struct found *found) {
  struct sbp_framer framer = {.scanner = {.cpu = cpu, .failed = failed, .context = found}};
  size_t behind = 0;
  for (size_t begin = 0, end = 0;; begin = end) {
    const size_t piece = fuzz_piece(pieces);
    end = size - end < piece ? size : end + piece;
    uint8_t *const window = fuzz_copy(data + begin, end - begin);
    struct sbp_frame frame;
    size_t at = 0, used;
    enum sbp_status status;
    while ((status = sbp_push(&framer, window + at, end - begin - at, end == size, &frame, &used)) == SBP_OK) {
      at += used;
      FUZZ_CHECK(at <= end - begin);
      const size_t frame_size = frame.length + (size_t)SBP_FRAME_OVERHEAD;
      while (memcmp(data + behind, frame.bytes, frame_size) != 0) {
        behind++;
        FUZZ_CHECK(behind + frame_size <= begin + at);
      }
      add(found, behind);
      behind += frame_size;
    }
    FUZZ_CHECK(status == (end == size ? SBP_END : SBP_NEED_MORE));
    FUZZ_CHECK(at + used == end - begin);
    free(window);
    if (end == size)
      break;
  }
  found->crc_failures = framer.scanner.crc_failures;
  found->truncated = framer.scanner.truncated;
}

static void check_same(const struct found *one, const struct found *other) {
  FUZZ_CHECK(one->count == other->count);
  FUZZ_CHECK(memcmp(one->offsets, other->offsets, one->count * sizeof *one->offsets) == 0);
  FUZZ_CHECK(one->crc_failures == other->crc_failures);
  FUZZ_CHECK(one->truncated == other->truncated);
  FUZZ_CHECK(other->told[0] == other->crc_failures && other->told[1] == other->truncated);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct found right, found;
  uint32_t pieces = 1;
  if (size > 1 << 16)
    return 0;
  memset(&right, 0, sizeof right);
  search_by_definition(data, size, &right);
  for (unsigned round = 0; round < 6; round++) {
    const enum sbp_cpu cpu = round % 2 == 0 ? sbp_cpu_best() : SBP_CPU_PORTABLE;
    memset(&found, 0, sizeof found);
    pieces = pieces * 69069 + (uint32_t)size + 1;
    if (pieces == 0)
      pieces = 1;
    if (round < 4)
      search(cpu, data, size, round < 2 ? NULL : &pieces, &found);
    else
      search_by_pushing(cpu, data, size, &pieces, &found);
    check_same(&right, &found);
  }
  return 0;
}
