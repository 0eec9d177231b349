/* SPDX-License-Identifier: MIT */
/* sbp2json: frames to JSON lines. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

/* With to-invalid a run of bytes outside frames is cut at every so many-th byte. */
enum { INVALID_MAX = 4096 };

/* The run of bytes outside frames that goes on at the place reached. */
struct outside {
  uint64_t offset;
  uint64_t length;       /* 0: there is none */
  enum sbp_status first; /* why the candidate at its first byte failed; SBP_OK: there was none */
  bool zeros;            /* so far */
  size_t held;           /* of its bytes, those that no INVALID line has yet */
  uint8_t head[8];       /* its first bytes */
  uint8_t bytes[INVALID_MAX];
};

struct sbp2json {
  struct cli cli;
  struct sbp_line_options line;
  struct sbp_buffer include;
  struct sbp_buffer exclude;
  struct sbp_buffer senders;
  const char *first;   /* --first, as it was given */
  uint64_t lines_left; /* of it */
  bool select_types;
  bool select_senders;
  struct cli_set types;
  struct cli_set sender_set;

  struct sbp_scanner scanner;
  uint64_t offset;     /* of `data` */
  const uint8_t *data; /* of the call under way */
  struct outside outside;
};

static const struct cli_option options[] = {
    {"include", "TYPES", "only these: names, patterns as 'MSG_POS*', ids", offsetof(struct sbp2json, include), CLI_LIST,
     0},
    {"exclude", "TYPES", "but not these; comma lists, and more than once", offsetof(struct sbp2json, exclude), CLI_LIST,
     0},
    {"sender", "IDS", "only messages of these senders", offsetof(struct sbp2json, senders), CLI_LIST, 0},
    {"first", "N", "stop after N lines", offsetof(struct sbp2json, first), CLI_TEXT, 0},
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

static void candidate_failed(void *context, const uint8_t *candidate, enum sbp_status why) {
  struct sbp2json *const self = context;
  if (self->outside.length == 0 && candidate == self->data)
    self->outside.first = why;
  if (self->cli.options.debug) {
    char text[120];
    const uint16_t type = (uint16_t)(why == SBP_ERROR_TRUNCATED ? 0 : candidate[1] | candidate[2] << 8);
    const struct sbp_message *const message = sbp_message_by_id(self->cli.schema, type);
    (void)snprintf(text, sizeof text, "candidate%s%s: %s", message == NULL ? "" : " for ",
                   message == NULL ? "" : message->body.name, sbp_status_text(why));
    cli_debug_offset(&self->cli, self->offset + (uint64_t)(candidate - self->data), text);
  }
}

/* Count a line for --first. */
static void line_written(struct sbp2json *self) {
  if (self->first != NULL && --self->lines_left == 0)
    self->cli.stop = true;
}

static void write_invalid(struct sbp2json *self) {
  struct cli *const cli = &self->cli;
  if (self->outside.held > 0 && (self->first == NULL || self->lines_left > 0)) {
    cli->out_end = sbp_line_write_invalid(cli->cpu, self->outside.bytes, self->outside.held, cli_room(cli));
    line_written(self);
  }
  self->outside.held = 0;
}

static bool all_zeros(const uint8_t *bytes, size_t size) {
  return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Add the next bytes to the run. */
static void outside_add(struct sbp2json *self, const uint8_t *bytes, size_t size) {
  struct outside *const outside = &self->outside;
  if (outside->length == 0) {
    outside->offset = self->offset;
    outside->zeros = true;
  }
  for (size_t i = 0; outside->length + i < sizeof outside->head && i < size; ++i)
    outside->head[outside->length + i] = bytes[i];
  outside->zeros = outside->zeros && all_zeros(bytes, size);
  outside->length += size;
  while (self->cli.options.handler == CLI_TO_INVALID && size > 0) {
    const size_t room = INVALID_MAX - outside->held;
    const size_t part = size < room ? size : room;
    memcpy(outside->bytes + outside->held, bytes, part);
    outside->held += part;
    bytes += part;
    size -= part;
    if (outside->held == INVALID_MAX)
      write_invalid(self);
  }
}

/* What a run is that begins like this, where that is known. */
static void outside_describe(const struct sbp2json *self, char *text, size_t size) {
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
  const struct outside *const outside = &self->outside;
  const uint16_t type = (uint16_t)(outside->head[1] | outside->head[2] << 8);
  const struct sbp_message *const message = sbp_message_by_id(self->cli.schema, type);
  text[0] = '\0';
  if (outside->length == 1) {
    return; /* which says nothing */
  } else if (outside->zeros) {
    (void)snprintf(text, size, ", all zeros");
  } else if (outside->first == SBP_ERROR_CRC && outside->length < SBP_FRAME_HEADER) {
    return; /* most of what was taken for a header is the good frame that follows */
  } else if (outside->first == SBP_ERROR_CRC && message != NULL) {
    (void)snprintf(text, size, ", begins like %s with a wrong CRC", message->body.name);
  } else if (outside->first == SBP_ERROR_CRC) {
    (void)snprintf(text, size, ", begins like a frame of type %u with a wrong CRC", type);
  } else if (outside->first == SBP_ERROR_TRUNCATED) {
    (void)snprintf(text, size, ", a frame cut off by the end of the input");
  } else if (outside->first == SBP_ERROR_ZEROS) {
    (void)snprintf(text, size, ", a preamble and zeros");
  } else {
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
      const size_t length = strlen(others[i].begin);
      if (length <= outside->length && memcmp(outside->head, others[i].begin, length) == 0) {
        (void)snprintf(text, size, ", begins like %s", others[i].what);
        return;
      }
    }
  }
}

/* A frame follows, or nothing more: the run, if there is one, is complete. */
static void outside_end(struct sbp2json *self) {
  struct outside *const outside = &self->outside;
  char what[120];
  if (outside->length == 0)
    return;
  write_invalid(self);
  outside_describe(self, what, sizeof what);
  cli_fault_run(&self->cli, outside->offset, outside->length, what);
  outside->length = 0;
  outside->held = 0;
  outside->first = SBP_OK;
}

/* ---- The tool -------------------------------------------------------------------------------------------------- */

static bool prepare(struct cli *cli) {
  struct sbp2json *const self = (struct sbp2json *)cli;
  self->line.schema = cli->schema;
  self->line.cpu = cli->cpu;
  self->scanner.cpu = cli->cpu;
  self->scanner.failed = candidate_failed;
  self->scanner.context = self;
  cli->record_max = sbp_line_max(&self->line);
  if (cli->record_max < SBP_BASE64_SIZE(INVALID_MAX) + SBP_INVALID_OVERHEAD)
    cli->record_max = SBP_BASE64_SIZE(INVALID_MAX) + SBP_INVALID_OVERHEAD;
  if (self->first != NULL &&
      (!cli_number(self->first, strlen(self->first), &self->lines_left) || self->lines_left == 0)) {
    cli_fail(cli, "--first %s: not a number of lines, 1 or more", self->first);
    return false;
  }
  self->select_types = self->include.size > 0 || self->exclude.size > 0;
  self->select_senders = self->senders.size > 0;
  return (!self->select_types || cli_select_types(cli, &self->include, &self->exclude, &self->types)) &&
         (!self->select_senders || cli_select_senders(cli, &self->senders, &self->sender_set));
}

static void begin(struct cli *cli) {
  struct sbp2json *const self = (struct sbp2json *)cli;
  self->offset = 0;
}

/* Count a message that is written without its fields, or unknown. */
static void note(struct sbp2json *self, const struct sbp_message *message, const struct sbp_frame *frame) {
  struct cli *const cli = &self->cli;
  if (message == NULL)
    cli_count_unknown(cli);
  else
    cli_count_short(cli, frame->type);
  if (cli->options.debug)
    cli_debug_offset(cli, self->offset + (uint64_t)(frame->bytes - self->data),
                     message == NULL ? "the type is not in the schema" : "the payload is shorter than the type");
}

static enum sbp_status next(struct cli *cli, const char *data, size_t size, bool last, size_t *used) {
  struct sbp2json *const self = (struct sbp2json *)cli;
  struct sbp_frame frame;
  self->data = (const uint8_t *)data;
  const enum sbp_status status = sbp_scan(&self->scanner, self->data, size, last, &frame, used);
  const size_t before = status == SBP_OK ? (size_t)(frame.bytes - self->data) : *used;
  if (before > 0)
    outside_add(self, self->data, before);
  if (status == SBP_OK) {
    outside_end(self);
    if (!cli->stop) {
      const struct sbp_message *const message = sbp_message_by_id(cli->schema, frame.type);
      cli_count(cli, frame.type);
      if (message == NULL || frame.length < message->body.size)
        note(self, message, &frame);
      if ((!self->select_types || cli_set_has(&self->types, frame.type)) &&
          (!self->select_senders || cli_set_has(&self->sender_set, frame.sender))) {
        cli->out_end = sbp_line_write(&self->line, message, &frame, cli_room(cli));
        ++cli->counts.written;
        line_written(self);
      }
    }
  }
  self->offset += *used;
  return status;
}

static void end(struct cli *cli) {
  struct sbp2json *const self = (struct sbp2json *)cli;
  outside_end(self);
  cli->counts.crc_failures = self->scanner.crc_failures;
  cli->counts.truncated = self->scanner.truncated;
}

int main(int argc, char **argv) {
  static const struct cli_tool tool = {
      .name = "sbp2json",
      .summary = "Convert SBP, as receivers send and log it, to JSON: a line a message.",
      .examples = "  sbp2json --include MSG_POS_LLH log.sbp | jq -c '[.tow, .lat, .lon]'\n"
                  "  sbp2json --include 'MSG_POS*' -o fixes.json monday.sbp tuesday.sbp\n"
                  "  nc 192.168.0.222 55555 | sbp2json --expand\n",
      .options = options,
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
