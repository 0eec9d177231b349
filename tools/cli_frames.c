/* SPDX-License-Identifier: MIT */
/* Reading SBP: frames, and what is said and counted of the bytes outside them. */
#include "cli.h"

#include <stdio.h>

/* ---- Bytes outside frames -------------------------------------------------------------------------------------- */

static void candidate_failed(void *context, const uint8_t *candidate, enum sbp_status why) {
  struct cli_frames *const frames = context;
  if (frames->run.length == 0 && candidate == frames->data)
    frames->run.first = why;
  if (frames->cli->options.debug) {
    char text[120];
    const uint16_t type = (uint16_t)(why == SBP_ERROR_TRUNCATED ? 0 : candidate[1] | candidate[2] << 8);
    const struct sbp_message *const message = sbp_message_by_id(frames->cli->schema, type);
    (void)snprintf(text, sizeof text, "candidate%s%s: %s", message == NULL ? "" : " for ",
                   message == NULL ? "" : message->body.name, sbp_status_text(why));
    cli_debug_offset(frames->cli, frames->offset + (uint64_t)(candidate - frames->data), text);
  }
}

static bool all_zeros(const uint8_t *bytes, size_t size) {
  return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Add the next bytes to the run. */
static void run_add(struct cli_frames *frames, const uint8_t *bytes, size_t size) {
  if (frames->run.length == 0) {
    frames->run.offset = frames->offset;
    frames->run.zeros = true;
  }
  for (size_t i = 0; frames->run.length + i < sizeof frames->run.head && i < size; ++i)
    frames->run.head[frames->run.length + i] = bytes[i];
  frames->run.zeros = frames->run.zeros && all_zeros(bytes, size);
  frames->run.length += size;
  if (frames->outside != NULL && cli_select_place(frames->cli, frames, frames->run.offset))
    frames->outside(frames->cli, bytes, size);
}

/* What a run is that begins like this, where that is known. */
static void run_describe(const struct cli_frames *frames, char *text, size_t size) {
  static const struct {
    const char *begin;
    const char *what;
  } others[] = {{"$G", "NMEA text"},
                {"$P", "NMEA text"},
                {"\xd3", "RTCM 3"},
                {"\xb5\x62", "UBX"},
                {"{", "JSON text"},
                {"\x1f\x8b", "gzip data: try zcat FILE | sbp2json"},
                {"\x28\xb5\x2f\xfd", "zstd data: try zstdcat FILE | sbp2json"}};
  const uint16_t type = (uint16_t)(frames->run.head[1] | frames->run.head[2] << 8);
  const struct sbp_message *const message = sbp_message_by_id(frames->cli->schema, type);
  text[0] = '\0';
  if (frames->run.length == 1)
    return; /* which says nothing */
  if (frames->run.zeros) {
    (void)snprintf(text, size, ", all zeros");
  } else if (frames->run.first == SBP_ERROR_CRC && frames->run.length < SBP_FRAME_HEADER) {
    return; /* most of what was taken for a header is the good frame that follows */
  } else if (frames->run.first == SBP_ERROR_CRC && message != NULL) {
    (void)snprintf(text, size, ", begins like %s with a wrong CRC", message->body.name);
  } else if (frames->run.first == SBP_ERROR_CRC) {
    (void)snprintf(text, size, ", begins like a frame of type %u with a wrong CRC", type);
  } else if (frames->run.first == SBP_ERROR_TRUNCATED) {
    (void)snprintf(text, size, ", a frame cut off by the end of the input");
  } else if (frames->run.first == SBP_ERROR_ZEROS) {
    (void)snprintf(text, size, ", a preamble and zeros");
  } else {
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
      const size_t length = strlen(others[i].begin);
      if (length <= frames->run.length && memcmp(frames->run.head, others[i].begin, length) == 0) {
        (void)snprintf(text, size, ", begins like %s", others[i].what);
        return;
      }
    }
  }
}

/* A frame follows, or nothing more: the run, if there is one, is complete. */
static void run_end(struct cli_frames *frames) {
  char what[120];
  if (frames->run.length == 0)
    return;
  if (cli_select_place(frames->cli, frames, frames->run.offset)) {
    if (frames->outside != NULL)
      frames->outside(frames->cli, NULL, 0);
    run_describe(frames, what, sizeof what);
    cli_fault_run(frames->cli, frames->run.offset, frames->run.length, what);
  }
  frames->run.length = 0;
  frames->run.first = SBP_OK;
}

/* The next bytes lie outside frames; a run ends there where a frame follows. */
void cli_frames_outside(struct cli_frames *frames, size_t size, bool ends) {
  if (size > 0)
    run_add(frames, frames->data, size);
  if (ends)
    run_end(frames);
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

void cli_frames_prepare(struct cli *cli, struct cli_frames *frames) {
  frames->cli = cli;
  frames->scanner.cpu = cli->cpu;
  frames->scanner.failed = candidate_failed;
  frames->scanner.context = frames;
}

void cli_frames_begin(struct cli_frames *frames) {
  frames->offset = frames->cli->range_begin;
}

void cli_frames_end(struct cli_frames *frames) {
  run_end(frames);
  frames->cli->counts.crc_failures = frames->scanner.crc_failures;
  frames->cli->counts.truncated = frames->scanner.truncated;
  frames->cli->select.no_time = frames->cli->select.by_time && !frames->clock.known;
}

/* Count a message that has no fields that could be read. */
void cli_frames_note(const struct cli_frames *frames, const struct sbp_message *message,
                     const struct sbp_frame *frame) {
  struct cli *const cli = frames->cli;
  if (message == NULL)
    cli_count_unknown(cli);
  else
    cli_count_short(cli, frame->type);
  if (cli->options.debug)
    cli_debug_offset(cli, frames->offset + (uint64_t)(frame->bytes - frames->data),
                     message == NULL ? "the type is not in the schema" : "the payload is shorter than the type");
}

void cli_frames_tell_time(struct cli_frames *frames, const struct sbp_message *message, const struct sbp_frame *frame) {
  const bool known = frames->clock.known;
  (void)sbp_clock_feed(&frames->clock, message, frame);
  if (!known)
    frames->start = frames->clock.gps;
}
