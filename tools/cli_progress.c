/* SPDX-License-Identifier: MIT */
/* The line on a terminal that says how far a long run is. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

enum { FIRST_AFTER = 1000, AGAIN_AFTER = 200 }; /* milliseconds */

/* Only on a terminal, unless it is asked for; and not where the output goes to the same terminal. */
static bool wanted(const struct cli *cli) {
  return !cli->options.no_progress && (cli->options.progress || (io_is_terminal(2) && !io_is_terminal(1)));
}

/* Write a line over the one that stands there. */
static void overwrite(struct cli *cli, const char *text, size_t size) {
  char line[2 + 2 * 80];
  size_t at = 0;
  line[at++] = '\r';
  memcpy(line + at, text, size);
  at += size;
  for (size_t i = size; i < cli->progress_shown; ++i)
    line[at++] = ' ';
  if (size == 0)
    line[at++] = '\r';
  io_write_error(line, at);
  cli->progress_shown = size;
}

void cli_progress_show(struct cli *cli) {
  const uint64_t now = io_milliseconds();
  const uint64_t elapsed = now - cli->started;
  if (elapsed < FIRST_AFTER || now < cli->progress_next)
    return;
  if (cli->progress_next == 0 && !wanted(cli)) {
    cli->progress_next = UINT64_MAX;
    return;
  }
  cli->progress_next = now + AGAIN_AFTER;

  const uint64_t bytes = cli->counts.bytes_read;
  const uint64_t all = cli->input_size;
  char line[80];
  char percent[8] = "";
  char left[40] = "";
  if (all > 0 && bytes <= all) {
    (void)snprintf(percent, sizeof percent, "%u%%, ", (unsigned)((double)bytes / (double)all * 100));
    (void)snprintf(left, sizeof left, ", %" PRIu64 " s left",
                   (uint64_t)((double)(all - bytes) / (double)bytes * (double)elapsed / 1000 + 0.5));
  }
  const int length = snprintf(line, sizeof line, "%s%.1f MB at %.1f MB/s, %" PRIu64 " messages, %" PRIu64 " faults%s",
                              percent, (double)bytes / 1e6, (double)bytes / (double)elapsed / 1e3, cli->counts.messages,
                              cli->counts.faults, left);
  if (length > 0)
    overwrite(cli, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void cli_progress_clear(struct cli *cli) {
  if (cli->progress_shown > 0)
    overwrite(cli, "", 0);
}
