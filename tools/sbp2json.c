/* SPDX-License-Identifier: MIT */
/* sbp2json: frames to JSON lines. */
#include "cli.h"

/* With to-invalid a run of bytes outside frames is cut at every so many-th byte. */
enum { INVALID_MAX = 4096 };

struct sbp2json {
  struct cli cli;
  struct sbp_line_options line;
  struct cli_frames frames;
  size_t held; /* of the run of bytes outside frames, those that no INVALID line has yet */
  uint8_t outside[INVALID_MAX];
};

static const struct cli_option options[] = {
    CLI_SELECT_OPTIONS,
    {"time", NULL, "add \"utc\" and \"gps_week\", where they are known", offsetof(struct sbp2json, frames.timed),
     CLI_FLAG, 0},
    {"no-payload", NULL, "leave the payload key out", offsetof(struct sbp2json, line.no_payload), CLI_FLAG, 0},
    {"u64-strings", NULL, "64-bit fields as strings, for jq before 1.7", offsetof(struct sbp2json, line.u64_strings),
     CLI_FLAG, 0},
    {"expand", NULL, "add \"meaning\": the names of bit-field values", offsetof(struct sbp2json, line.expand), CLI_FLAG,
     0},
    {"pretty", NULL, "indent by 2", offsetof(struct sbp2json, line.pretty), CLI_FLAG, 0},
    {"float-compat", NULL, "floats as the Haskell sbp2json wrote them", offsetof(struct sbp2json, line.float_compat),
     CLI_FLAG, 0},
    {NULL, NULL, NULL, 0, CLI_FLAG, 0}};

/* ---- Bytes outside frames -------------------------------------------------------------------------------------- */

static void write_invalid(struct sbp2json *self) {
  struct cli *const cli = &self->cli;
  if (self->held > 0 && (cli->select.first == NULL || cli->select.left > 0)) {
    cli->out_end = sbp_line_write_invalid(cli->cpu, self->outside, self->held, cli_room(cli));
    cli_select_count(cli);
  }
  self->held = 0;
}

/* The next bytes of a run, or its end, with no bytes. */
static void outside(struct cli *cli, const uint8_t *bytes, size_t size) {
  struct sbp2json *const self = (struct sbp2json *)cli;
  if (size == 0)
    write_invalid(self);
  while (size > 0) {
    const size_t room = INVALID_MAX - self->held;
    const size_t part = size < room ? size : room;
    memcpy(self->outside + self->held, bytes, part);
    self->held += part;
    bytes += part;
    size -= part;
    if (self->held == INVALID_MAX)
      write_invalid(self);
  }
}

/* ---- The tool -------------------------------------------------------------------------------------------------- */

static bool prepare(struct cli *cli) {
  struct sbp2json *const self = (struct sbp2json *)cli;
  self->line.schema = cli->schema;
  self->line.cpu = cli->cpu;
  self->line.clock = self->frames.timed ? &self->frames.clock : NULL; /* before --from may set it too */
  cli_frames_prepare(cli, &self->frames);
  if (cli->options.handler == CLI_TO_INVALID)
    self->frames.outside = outside;
  cli->record_max = sbp_line_max(&self->line);
  if (cli->record_max < SBP_BASE64_SIZE(INVALID_MAX) + SBP_INVALID_OVERHEAD)
    cli->record_max = SBP_BASE64_SIZE(INVALID_MAX) + SBP_INVALID_OVERHEAD;
  return cli_select_prepare(cli, &self->frames);
}

static void begin(struct cli *cli) {
  cli_frames_begin(&((struct sbp2json *)cli)->frames);
}

static enum sbp_status next(struct cli *cli, const char *data, size_t size, bool last, size_t *used) {
  struct sbp2json *const self = (struct sbp2json *)cli;
  const struct sbp_message *message;
  struct sbp_frame frame;
  size_t part;
  *used = 0;
  /* All frames that are there: to return for each would cost as much as to find it. */
  for (;;) {
    const enum sbp_status status = cli_frames_next(&self->frames, data, size, last, &frame, &message, &part);
    *used += part;
    if (status != SBP_OK || cli->stop)
      return status;
    if (cli_selected(cli, &self->frames, &frame)) {
      cli->out_end = sbp_line_write(&self->line, message, &frame, cli_room(cli));
      ++cli->counts.written;
      cli_select_count(cli);
      if (cli->stop)
        return SBP_OK;
    }
    data += part;
    size -= part;
  }
}

static void end(struct cli *cli) {
  cli_frames_end(&((struct sbp2json *)cli)->frames);
}

int main(int argc, char **argv) {
  static const struct cli_tool tool = {
      .name = "sbp2json",
      .summary = "Convert SBP, as receivers send and log it, to JSON: a line a message.",
      .examples = "  sbp2json --include MSG_POS_LLH log.sbp | jq -c '[.tow, .lat, .lon]'\n"
                  "  sbp2json --include 'MSG_POS*' -o fixes.json monday.sbp tuesday.sbp\n"
                  "  nc 192.168.0.222 55555 | sbp2json --expand\n",
      .options = options,
      .shorter = " and printed without fields",
      .reads_json = false,
      .first_byte = '{',
      .prepare = prepare,
      .begin = begin,
      .next = next,
      .end = end,
  };
  static struct sbp2json self;
  return cli_main(&self.cli, &tool, argc, argv);
}
