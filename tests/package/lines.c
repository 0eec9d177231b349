/* SPDX-License-Identifier: MIT */
/* The README's library example: print the JSON line of each frame on standard input. */
#include <sbpkit/sbp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  const struct sbp_line_options options = {.schema = &sbp_schema_builtin, .cpu = sbp_cpu_best()};
  struct sbp_scanner scanner = {.cpu = options.cpu};
  uint8_t in[65536];
  char *out = malloc(sbp_line_max(&options));
  size_t have = 0;
  bool last = false;

  while (out != NULL && !last) {
    have += fread(in + have, 1, sizeof in - have, stdin);
    last = feof(stdin) || ferror(stdin);

    size_t done = 0, used;
    struct sbp_frame frame;
    while (sbp_scan(&scanner, in + done, have - done, last, &frame, &used) == SBP_OK) {
      const struct sbp_message *message = sbp_message_by_id(options.schema, frame.type);
      const char *end = sbp_line_write(&options, message, &frame, out);
      fwrite(out, 1, (size_t)(end - out), stdout);
      done += used;
    }
    have -= done + used;
    memmove(in, in + done + used, have);
  }
  free(out);
  return 0;
}
