/* SPDX-License-Identifier: MIT */
/* Where a log can be cut so that its parts, each scanned from its first byte, give what one scan of all of it gives.
 *
 * A scan from the start comes to every place but those inside the frames that it finds. So it comes to a place that no
 * good frame reaches over, whether it finds that frame or not: it is enough to look at the candidates that begin in the
 * SBP_FRAME_MAX - 1 bytes before it. From there on the scan is known, and the next frame's end is a seam: the scan
 * comes to it, and no run of bytes outside frames goes on over it. */
#include "sbpinfo.h"

#include <inttypes.h>

/* A part of the log in memory. */
struct window {
  struct cli *cli;
  uint64_t begin;
  size_t size;
  uint8_t bytes[65536];
};

/* Have the bytes from `place` on, as many as a frame may take or the log has. False after cli_fail(). */
static bool window_move(struct window *window, uint64_t place) {
  struct cli *const cli = window->cli;
  const uint64_t end = window->begin + window->size;
  const uint64_t wanted = cli->input.size - place < SBP_FRAME_MAX ? cli->input.size : place + SBP_FRAME_MAX;
  if (place >= window->begin && wanted <= end)
    return true;
  window->begin = place;
  window->size = 0;
  ptrdiff_t count = io_seek(&cli->input, place) ? 1 : -1;
  while (count > 0 && window->size < sizeof window->bytes) {
    count = io_read(&cli->input, window->bytes + window->size, sizeof window->bytes - window->size);
    window->size += count > 0 ? (size_t)count : 0;
  }
  if (count < 0)
    cli_fail(cli, "%s: %s", cli->input.name, io_error());
  else if (place + window->size < wanted)
    cli_fail(cli, "%s: became shorter while it was read", cli->input.name);
  return !cli->stop;
}

/* Scan from a place in the window, the last `lookahead` bytes for no more than the rest of a frame. */
static enum sbp_status scan(const struct window *window, uint64_t place, size_t size, size_t lookahead, size_t *used) {
  struct sbp_scanner scanner = {.cpu = window->cli->cpu, .lookahead = lookahead};
  const bool last = place + size >= window->cli->input.size;
  struct sbp_frame frame;
  return sbp_scan(&scanner, window->bytes + (place - window->begin), size, last, &frame, used);
}

/* The first place at `least` or behind it of which it is certain that a scan from the start comes to it. */
static uint64_t certain_place(struct window *window, uint64_t least) {
  const uint64_t size = window->cli->input.size;
  uint64_t place = least < SBP_FRAME_MAX ? 0 : least - (SBP_FRAME_MAX - 1);
  uint64_t reached = 0; /* the farthest end of a good frame that begins before `place` */
  for (; place < size && (place < least || place < reached); ++place) {
    if (!window_move(window, place))
      return size;
    const uint64_t there = window->begin + window->size - place;
    const size_t part = there < SBP_FRAME_MAX ? (size_t)there : SBP_FRAME_MAX;
    size_t used;
    if (scan(window, place, part, part - 1, &used) == SBP_OK && place + used > reached)
      reached = place + used;
  }
  return place;
}

/* The end of the first frame that a scan finds which is at this place; or that of the log. */
static uint64_t frame_end(struct window *window, uint64_t place) {
  const uint64_t size = window->cli->input.size;
  while (place < size && window_move(window, place)) {
    size_t used;
    const enum sbp_status status = scan(window, place, (size_t)(window->begin + window->size - place), 0, &used);
    place += used;
    if (status == SBP_OK)
      return place;
  }
  return size;
}

void info_print_splits(struct cli *cli, uint64_t parts) {
  struct window window = {.cli = cli};
  const uint64_t size = cli->input.size;
  uint64_t begin = 0;
  for (uint64_t i = 1; i <= parts && !cli->stop; ++i) {
    const uint64_t ideal = size / parts * i + size % parts * i / parts;
    uint64_t end = begin;
    if (i == parts)
      end = size;
    else if (ideal > begin)
      end = frame_end(&window, certain_place(&window, ideal));
    if (!cli->stop) {
      cli_begin_record(cli);
      cli_print(cli, "%" PRIu64 ":%" PRIu64 "\n", begin, end);
    }
    begin = end;
  }
}
