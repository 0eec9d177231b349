/* SPDX-License-Identifier: MIT */
/* Firmware that sends each frame back that it receives, and lights a lamp while a receiver's heartbeat tells of an
 * error. It needs no C library, and the framer is all its memory. A board brings board_send() and board_light(), and
 * calls echo() with what its serial line received, a byte at a time or more: board_posix.c is one for a terminal. */
#include "embedded_echo.h"

#include <sbpkit/system.h>

static struct sbp_framer framer;

void echo(const uint8_t *bytes, size_t size) {
  struct sbp_frame frame;
  size_t used;
  while (sbp_push(&framer, bytes, size, false, &frame, &used) == SBP_OK) {
    bytes += used;
    size -= used;
    struct sbp_view heartbeat;
    if (SBP_VIEW(&heartbeat, &frame, SBP_MSG_HEARTBEAT)) {
      const uint32_t flags = sbp_view_u32(heartbeat, SBP_MSG_HEARTBEAT_FLAGS);
      board_light(sbp_bits_get(flags, SBP_MSG_HEARTBEAT_FLAGS_SYSTEM_ERROR_FLAG) != 0);
    }
    board_send(frame.bytes, (size_t)frame.length + SBP_FRAME_OVERHEAD);
  }
}
