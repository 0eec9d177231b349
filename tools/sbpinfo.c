/* SPDX-License-Identifier: MIT */
/* sbpinfo: what is in a log, whether it is whole, and where it can be cut. */
#include "sbpinfo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {"json", NULL, "print an object for programs, a line an input", offsetof(struct sbpinfo, json), CLI_FLAG, 0},
    {"sort", "KEY", "types by messages (default), bytes, rate, gap, name or id", offsetof(struct sbpinfo, sort),
     CLI_TEXT, 0},
    {"ascii", NULL, "draw with ASCII, also on a terminal that has more", offsetof(struct sbpinfo, ascii), CLI_FLAG, 0},
    {"splits", "N", "print START:END of N parts of one size, nothing else", offsetof(struct sbpinfo, splits), CLI_TEXT,
     0},
    {NULL, NULL, NULL, 0, CLI_FLAG, 0}};

/* ---- Rows ------------------------------------------------------------------------------------------------------ */

double info_rate(const struct info_type *type) {
  return type->timed > 1 && type->last > type->first
             ? (double)(type->timed - 1) * 1e9 / (double)(type->last - type->first)
             : 0;
}

static int compare_rows(const void *one, const void *other) {
  const struct info_row *const a = one;
  const struct info_row *const b = other;
  if (a->key != b->key)
    return a->key < b->key ? 1 : -1;
  return a->number < b->number ? -1 : 1;
}

enum sort { SORT_MESSAGES, SORT_BYTES, SORT_RATE, SORT_GAP, SORT_NAME, SORT_ID };
static const char *const sorts[] = {"messages", "bytes", "rate", "gap", "name", "id"};

/* What --sort says, or -1. */
static int sort_of(const char *name) {
  if (name == NULL)
    return SORT_MESSAGES;
  for (size_t i = 0; i < sizeof sorts / sizeof *sorts; ++i)
    if (strcmp(name, sorts[i]) == 0)
      return (int)i;
  return -1;
}

static uint64_t key_of(const struct sbpinfo *self, int sort, uint16_t id) {
  const struct info_type *const type = &self->info.types[id];
  switch (sort) {
  case SORT_BYTES:
    return type->bytes;
  case SORT_RATE: {
    /* Positive doubles are in the order of their bits. */
    const double rate = info_rate(type);
    uint64_t bits;
    memcpy(&bits, &rate, sizeof bits);
    return bits;
  }
  case SORT_GAP:
    return (uint64_t)type->gap;
  case SORT_NAME: {
    /* Types without a name come last. */
    const struct sbp_schema *const schema = self->cli.schema;
    uint64_t place = schema->count;
    for (uint32_t i = 0; i < schema->count; ++i)
      if (schema->messages[schema->by_name[i]]->id == id)
        place = i;
    return UINT64_MAX - place;
  }
  case SORT_ID:
    return 0;
  default:
    return type->messages;
  }
}

size_t info_rows_of_types(struct sbpinfo *self) {
  const int sort = sort_of(self->sort);
  size_t count = 0;
  for (unsigned id = 0; id < 65536; ++id)
    if (self->info.types[id].messages > 0)
      self->rows[count++] = (struct info_row){key_of(self, sort, (uint16_t)id), (uint16_t)id};
  qsort(self->rows, count, sizeof *self->rows, compare_rows);
  return count;
}

size_t info_rows_of_senders(struct sbpinfo *self) {
  size_t count = 0;
  for (unsigned id = 0; id < 65536; ++id)
    if (self->info.senders[id].messages > 0)
      self->rows[count++] = (struct info_row){self->info.senders[id].messages, (uint16_t)id};
  qsort(self->rows, count, sizeof *self->rows, compare_rows);
  return count;
}

/* ---- What is learned of a frame and of bytes outside ----------------------------------------------------------- */

/* The end of a run of bytes outside frames. */
static void outside(struct cli *cli, const uint8_t *bytes, size_t size) {
  struct sbpinfo *const self = (struct sbpinfo *)cli;
  struct info *const info = &self->info;
  const struct info_run run = {self->frames.run.offset, self->frames.run.length};
  (void)bytes;
  if (size > 0)
    return;
  if (info->runs < INFO_RUNS)
    info->first_runs[info->runs] = run;
  if (run.length > info->longest_run.length)
    info->longest_run = run;
  ++info->runs;
  info->outside += run.length;
  info->timeline.steps[info->timeline.at].damage += run.length;
}

/* A frame that begins at offset has told the time. */
static void time_told(struct info *info, bool known_before, uint64_t offset) {
  const int64_t now = info->clock.gps;
  if (!known_before) {
    info->first = info->last = now;
  } else if (now > info->last) {
    if (now - info->last > info->gap) {
      info->gap = now - info->last;
      info->gap_end = now;
      info->gap_offset = offset;
    }
    info->last = now;
  } else if (now < info->first) {
    info->first = now;
  }
  info_timeline_go(&info->timeline, now);
}

static void learn(struct sbpinfo *self, const struct sbp_message *message, const struct sbp_frame *frame) {
  struct info *const info = &self->info;
  struct info_type *const type = &info->types[frame->type];
  struct info_sender *const sender = &info->senders[frame->sender];
  const size_t size = (size_t)frame->length + SBP_FRAME_OVERHEAD;
  const uint64_t offset = self->frames.offset - size;
  const bool known = info->clock.known;
  ++type->messages;
  type->bytes += size;
  ++sender->messages;
  sender->bytes += size;
  const int64_t before = info->clock.gps;
  if (sbp_clock_feed(&info->clock, message, frame) && (info->clock.gps != before || !known))
    time_told(info, known, offset);
  if (info->clock.known) {
    ++info->timeline.steps[info->timeline.at].messages;
    const int64_t now = info->clock.gps;
    if (type->timed++ == 0) {
      type->first = type->last = now;
    } else if (now > type->last) {
      if (now - type->last > type->gap) {
        type->gap = now - type->last;
        type->gap_end = now;
        type->gap_offset = offset;
      }
      type->last = now;
    }
  }
  const uint8_t role = self->roles[frame->type];
  if (role != 0 && message != NULL && frame->length >= message->body.size) {
    if (role == INFO_DEVICE)
      info_device_feed(&info->device, frame);
    else
      info_position_feed(&info->solutions[role - INFO_POSITION], &self->positions[role - INFO_POSITION], frame, offset,
                         &info->clock);
  }
}

/* ---- The tool -------------------------------------------------------------------------------------------------- */

static bool prepare(struct cli *cli) {
  struct sbpinfo *const self = (struct sbpinfo *)cli;
  cli_frames_prepare(cli, &self->frames);
  self->frames.outside = outside;
  self->number = malloc(sbp_line_max(&(struct sbp_line_options){.schema = cli->schema}));
  cli_positions_find(cli->schema, self->positions);
  info_device_prepare(self->positions, self->roles);
  if (self->number == NULL) {
    cli_fail(cli, "out of memory");
  } else if (sort_of(self->sort) < 0) {
    cli_fail(cli, "--sort %s: not one of messages, bytes, rate, gap, name, id", self->sort);
  } else if (self->splits != NULL && (!cli_number(self->splits, strlen(self->splits), &self->parts) ||
                                      self->parts == 0 || self->parts > INFO_SPLITS_MAX)) {
    cli_fail(cli, "--splits %s: not a number of parts, 1 to %d", self->splits, INFO_SPLITS_MAX);
  } else if (self->splits != NULL && cli->options.path_count > 1) {
    cli_fail(cli, "--splits: of one input; there are %d", cli->options.path_count);
  }
  return !cli->stop;
}

static void begin(struct cli *cli) {
  struct sbpinfo *const self = (struct sbpinfo *)cli;
  if (self->info.messages > 0 || self->info.runs > 0)
    memset(&self->info, 0, sizeof self->info);
  self->info.crc_failures = self->frames.scanner.crc_failures;
  self->info.truncated = self->frames.scanner.truncated;
  cli_frames_begin(&self->frames);
  if (self->splits != NULL) {
    if (cli->input.kind == IO_REGULAR)
      info_print_splits(cli, self->parts);
    else
      cli_fail(cli, "%s: --splits needs a file, in which it can go to any place", cli->input.name);
    cli->stop = true;
  }
}

static enum sbp_status next(struct cli *cli, const char *data, size_t size, bool last, size_t *used) {
  struct sbpinfo *const self = (struct sbpinfo *)cli;
  const struct sbp_message *message;
  struct sbp_frame frame;
  const enum sbp_status status = cli_frames_next(&self->frames, data, size, last, &frame, &message, used);
  if (status == SBP_OK && !cli->stop) {
    ++self->info.messages;
    learn(self, message, &frame);
  }
  return status;
}

static void end(struct cli *cli) {
  struct sbpinfo *const self = (struct sbpinfo *)cli;
  struct info *const info = &self->info;
  cli_frames_end(&self->frames);
  cli->counts.written = cli->counts.messages;
  info->bytes = self->frames.offset;
  info->crc_failures = self->frames.scanner.crc_failures - info->crc_failures;
  info->truncated = self->frames.scanner.truncated - info->truncated;
  if (cli->status == CLI_FAILED || self->splits != NULL)
    return;
  if (self->json)
    info_print_json(self);
  else
    info_print_text(self);
}

int main(int argc, char **argv) {
  static const struct cli_tool tool = {
      .name = "sbpinfo",
      .summary = "Tell what is in SBP logs and whether they are whole.",
      .examples = "  sbpinfo log.sbp\n"
                  "  sbpinfo --json *.sbp | jq -r 'select(.damage.runs > 0).file'\n"
                  "  sbpinfo --splits 8 log.sbp | parallel -k sbp2json --range {} log.sbp > log.json\n",
      .arguments = "[LOG ...]",
      .options = options,
      .first_byte = '\0',
      .prepare = prepare,
      .begin = begin,
      .next = next,
      .end = end,
  };
  static struct sbpinfo self;
  return cli_main(&self.cli, &tool, argc, argv);
}
