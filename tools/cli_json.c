/* SPDX-License-Identifier: MIT */
/* What the tools that read JSON share: values, their faults and their notes. */
#include "cli.h"

#include <stdlib.h>

/* Without --check the first values and then every so many-th are compared with their payload. */
enum { SAMPLE_FIRST = 64, SAMPLE_EVERY = 64 };

/* Keep account of keys that are no fields. */
static void note_ignored(void *context, const struct sbp_message *message, struct sbp_span key,
                         const char *near_field) {
  struct cli *const cli = context;
  struct cli_ignored *ignored = cli->ignored;
  const size_t length = key.length < sizeof ignored->key - 1 ? key.length : sizeof ignored->key - 1;
  for (unsigned i = 0; i < cli->ignored_count; ++i, ++ignored) {
    if (ignored->message == message && strlen(ignored->key) == length && memcmp(ignored->key, key.text, length) == 0) {
      ++ignored->count;
      return;
    }
  }
  if (cli->ignored_count == CLI_IGNORED_MAX) {
    ++cli->ignored_more;
    return;
  }
  ++cli->ignored_count;
  ignored->message = message;
  ignored->near_field = near_field;
  ignored->count = 1;
  memcpy(ignored->key, key.text, length);
}

bool cli_json_prepare(struct cli *cli, struct cli_json *json) {
  json->reader.schema = cli->schema;
  json->reader.cpu = cli->cpu;
  json->reader.ignored = note_ignored;
  json->reader.context = cli;
  if (cli->use_templates) {
    json->reader.templates = malloc(sbp_templates_size());
    if (json->reader.templates == NULL) {
      cli_fail(cli, "out of memory");
      return false;
    }
    sbp_templates_begin(json->reader.templates);
  }
  return true;
}

void cli_json_begin(struct cli *cli, struct cli_json *json) {
  (void)cli;
  memset(&json->reader.place, 0, sizeof json->reader.place);
  memset(&json->reader.state, 0, sizeof json->reader.state);
}

static void take_notes(struct cli *cli, const struct sbp_line *line, uint16_t type) {
  static const struct {
    unsigned note;
    const char *text;
  } texts[] = {{SBP_NOTE_CRC, "crc is not that of the frame"},
               {SBP_NOTE_LENGTH, "length is not that of the payload"},
               {SBP_NOTE_SHORT, "the payload is shorter than the type"},
               {SBP_NOTE_UNKNOWN, "the type is not in the schema"},
               {SBP_NOTE_ROUNDED, "a 64-bit field is rounded, the payload's value was used"},
               {SBP_NOTE_IGNORED, "a key that is no field was ignored"}};
  cli->counts.wrong_crc += (line->notes & SBP_NOTE_CRC) != 0;
  cli->counts.wrong_length += (line->notes & SBP_NOTE_LENGTH) != 0;
  cli->counts.rounded += (line->notes & SBP_NOTE_ROUNDED) != 0;
  if ((line->notes & SBP_NOTE_UNKNOWN) != 0)
    cli_count_unknown(cli);
  if ((line->notes & SBP_NOTE_SHORT) != 0)
    cli_count_short(cli, type);
  for (size_t i = 0; cli->options.debug && i < sizeof texts / sizeof *texts; ++i)
    if ((line->notes & texts[i].note) != 0)
      cli_debug_place(cli, &line->place, texts[i].text);
}

/* Compare a value's fields with its payload. */
static void compare(struct cli *cli, struct cli_json *json, const struct sbp_line *line, const uint8_t *frame) {
  struct sbp_fault fault;
  const bool differs = sbp_line_check(&json->reader, line, frame, &fault) != SBP_OK;
  if (!json->check)
    ++cli->counts.compared;
  if (!differs)
    return;
  if (json->check) {
    ++cli->counts.edited;
    cli_fault_value(cli, &fault.place, fault.text);
  } else {
    ++cli->counts.differing;
    if (cli->options.debug)
      cli_debug_place(cli, &fault.place, fault.text);
  }
}

enum sbp_status cli_json_next(struct cli *cli, struct cli_json *json, const char *data, size_t size, bool last,
                              uint8_t *frame, struct sbp_line *line, size_t *used) {
  const uint64_t count = cli->counts.messages + 1;
  json->reader.will_check = json->check || (json->sample && (count <= SAMPLE_FIRST || count % SAMPLE_EVERY == 0));
  const enum sbp_status status = sbp_read_line(&json->reader, data, size, last, frame, line, used);
  switch (status) {
  case SBP_OK: {
    const uint16_t type = (uint16_t)(frame[1] | frame[2] << 8);
    cli_count(cli, type);
    if (line->notes != 0)
      take_notes(cli, line, type);
    if (json->reader.will_check)
      compare(cli, json, line, frame);
    return SBP_OK;
  }
  case SBP_NEED_MORE:
  case SBP_END:
  case SBP_ERROR_INVALID:
    return status;
  case SBP_ERROR_UTF16:
  case SBP_ERROR_MEMORY:
    cli_fail(cli, "%s: %s", cli->input.name, line->fault.text);
    return SBP_ERROR_SYNTAX;
  case SBP_ERROR_SYNTAX:
  case SBP_ERROR_TOO_LONG:
  case SBP_ERROR_TOO_DEEP:
    cli_json_left_out(cli, line);
    return SBP_ERROR_SYNTAX;
  default:
    return SBP_ERROR_NOT_MESSAGE;
  }
}

void cli_json_left_out(struct cli *cli, const struct sbp_line *line) {
  ++cli->counts.left_out;
  cli_fault_value(cli, &line->fault.place, line->fault.text);
}
