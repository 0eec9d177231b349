/* SPDX-License-Identifier: MIT */
/* Frames of bytes that come in pieces. All that is found is found by sbp_scan(): here waits what it could not decide.
 */
#include "port.h"
#include "sbpkit/sbp.h"

static void drop(struct sbp_framer *framer, size_t size) {
  if (size == 0)
    return;
  framer->held = (uint16_t)(framer->held - size);
  memmove(framer->bytes, framer->bytes + size, framer->held);
}

enum sbp_status sbp_push(struct sbp_framer *framer, const uint8_t *data, size_t size, bool last,
                         struct sbp_frame *frame, size_t *used) {
  size_t taken = 0;
  framer->scanner.lookahead = 0; /* the end of a piece is nowhere to stop at */
  drop(framer, framer->given);
  framer->given = 0;
  while (framer->held > 0) {
    size_t done;
    const enum sbp_status status =
        sbp_scan(&framer->scanner, framer->bytes, framer->held, last && taken == size, frame, &done);
    if (status != SBP_NEED_MORE && status != SBP_END) {
      framer->given = (uint16_t)done;
      *used = taken;
      return status;
    }
    drop(framer, done);
    if (framer->held == 0 || taken == size)
      break;
    /* What is left begins with a preamble. No byte more than its frame has is taken, so that held bytes never are too
     * many. */
    const size_t frame_size =
        framer->held < SBP_FRAME_HEADER ? SBP_FRAME_OVERHEAD : (size_t)framer->bytes[5] + SBP_FRAME_OVERHEAD;
    const size_t missing = frame_size - framer->held;
    const size_t more = missing < size - taken ? missing : size - taken;
    memcpy(framer->bytes + framer->held, data + taken, more);
    framer->held = (uint16_t)(framer->held + more);
    taken += more;
  }
  if (framer->held > 0 || taken == size) {
    *used = size;
    return last ? SBP_END : SBP_NEED_MORE;
  }
  const enum sbp_status status = sbp_scan(&framer->scanner, data + taken, size - taken, last, frame, used);
  *used += taken;
  if (status == SBP_NEED_MORE) {
    framer->held = (uint16_t)(size - *used);
    memcpy(framer->bytes, data + *used, framer->held);
    *used = size;
  }
  return status;
}
