/* SPDX-License-Identifier: MIT */
/* json2sbp: JSON values to frames. */
#include "cli.h"

struct json2sbp {
  struct cli cli;
  struct cli_json json;
  struct sbp_buffer raw; /* the bytes of an INVALID line */
};

static const struct cli_option options[] = {{"from-fields", NULL, "make payloads from the fields, edits of \"payload\"",
                                             offsetof(struct json2sbp, json.reader.from_fields), CLI_FLAG, 0},
                                            {"check", NULL, "report values whose fields disagree with \"payload\"",
                                             offsetof(struct json2sbp, json.check), CLI_FLAG, 0},
                                            {NULL, NULL, NULL, 0, CLI_FLAG, 0}};

static bool prepare(struct cli *cli) {
  struct json2sbp *const self = (struct json2sbp *)cli;
  if (self->json.check && self->json.reader.from_fields) {
    cli_fail(cli, "--check looks for edits that are not used, --from-fields uses them: one of the two");
    return false;
  }
  cli->record_max = SBP_FRAME_MAX;
  self->raw.allocator = &cli_allocator;
  self->json.sample = !self->json.reader.from_fields;
  return cli_json_prepare(cli, &self->json);
}

static void begin(struct cli *cli) {
  cli_json_begin(cli, &((struct json2sbp *)cli)->json);
}

/* Write the bytes of an INVALID line. */
static void write_raw(struct json2sbp *self, struct sbp_line *line) {
  static const char not_base64[] = "payload: not base64";
  struct cli *const cli = &self->cli;
  const char *text = line->payload.text;
  ptrdiff_t size = (ptrdiff_t)line->payload.length;
  /* The bytes, and behind their place the text without escapes, where it has some. */
  if (sbp_buffer_reserve(&self->raw, 2 * line->payload.length) != SBP_OK) {
    cli_fail(cli, "out of memory");
    return;
  }
  if (memchr(text, '\\', line->payload.length) != NULL) {
    char *const plain = self->raw.data + line->payload.length;
    size = sbp_unescape(text, line->payload.length, plain);
    text = plain;
  }
  if (size >= 0)
    size = sbp_base64_decode(cli->cpu, text, (size_t)size, (uint8_t *)self->raw.data);
  if (size < 0) {
    memcpy(line->fault.text, not_base64, sizeof not_base64);
    cli_json_left_out(cli, line);
    return;
  }
  cli_write(cli, self->raw.data, (size_t)size);
  ++cli->counts.raw;
}

static enum sbp_status next(struct cli *cli, const char *data, size_t size, bool last, size_t *used) {
  struct json2sbp *const self = (struct json2sbp *)cli;
  struct sbp_line line;
  enum sbp_status status;
  size_t part;
  *used = 0;
  /* All values that are there, as in sbp2json. */
  for (;;) {
    status = cli_json_next(cli, &self->json, data, size, last, (uint8_t *)cli_room(cli), &line, &part);
    *used += part;
    if (status != SBP_OK)
      break;
    cli->out_end += line.frame_size;
    ++cli->counts.written;
    if (cli->stop)
      break;
    data += part;
    size -= part;
  }
  switch (status) {
  case SBP_ERROR_INVALID:
    if (cli->options.handler == CLI_TO_INVALID)
      write_raw(self, &line);
    else
      cli_json_left_out(cli, &line);
    return SBP_OK;
  case SBP_ERROR_NOT_MESSAGE:
    cli_json_left_out(cli, &line);
    return SBP_OK;
  case SBP_ERROR_SYNTAX:
    return SBP_OK;
  default:
    return status;
  }
}

static void end(struct cli *cli) {
  (void)cli;
}

int main(int argc, char **argv) {
  static const struct cli_tool tool = {
      .name = "json2sbp",
      .summary = "Convert JSON, as sbp2json writes it, back to SBP.",
      .examples = "  json2sbp log.json log.sbp\n"
                  "  sbp2json log.sbp | jq -c 'select(.sender == 66)' | json2sbp >base.sbp\n"
                  "  sbp2json log.sbp | jq -c '.sender = 1' | json2sbp --from-fields >renamed.sbp\n",
      .options = options,
      .reads_json = true,
      .first_byte = SBP_PREAMBLE,
      .prepare = prepare,
      .begin = begin,
      .next = next,
      .end = end,
  };
  static struct json2sbp self;
  return cli_main(&self.cli, &tool, argc, argv);
}
