/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <sbpkit/messages.h>
#include <stdio.h>
#include <unistd.h>

/* Print what a receiver says and where it is. */
static void print(const struct sbp_frame *frame) {
  struct sbp_view view;
  if (SBP_VIEW(&view, frame, SBP_MSG_LOG)) {
    const struct sbp_span text = sbp_view_string(view, SBP_MSG_LOG_TEXT);
    printf("%" PRIu16 " says: %.*s\n", frame->sender, (int)text.length, text.text);
  } else if (SBP_VIEW(&view, frame, SBP_MSG_POS_LLH)) {
    const double seconds = sbp_view_u32(view, SBP_MSG_POS_LLH_TOW) / 1000.0;
    printf("%.2f s: %.7f, %.7f\n", seconds, sbp_view_double(view, SBP_MSG_POS_LLH_LAT),
           sbp_view_double(view, SBP_MSG_POS_LLH_LON));
  }
}

int main(void) {
  struct sbp_framer framer = {.scanner = {.cpu = sbp_cpu_best()}};
  uint8_t in[4096];
  ssize_t got;
  do {
    got = read(STDIN_FILENO, in, sizeof in);
    const size_t size = got > 0 ? (size_t)got : 0;
    size_t done = 0, used;
    struct sbp_frame frame;
    while (sbp_push(&framer, in + done, size - done, size == 0, &frame, &used) == SBP_OK) {
      print(&frame);
      done += used;
    }
    fflush(stdout);
  } while (got > 0);
  fprintf(stderr, "%" PRIu64 " with a wrong CRC\n", framer.scanner.crc_failures);
  return got < 0 || ferror(stdout) ? 1 : 0;
}
