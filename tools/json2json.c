/* SPDX-License-Identifier: MIT */
/* json2json: JSON with payloads to JSON with fields. */
#include "cli.h"

struct json2json {
  struct cli cli;
  struct cli_json json;
  struct sbp_line_options line;
};

static const struct cli_option options[] = {{"float-compat", NULL, "floats as the Haskell sbp2json wrote them",
                                             offsetof(struct json2json, line.float_compat), CLI_FLAG, 0},
                                            {"check", NULL, "report values whose fields disagree with \"payload\"",
                                             offsetof(struct json2json, json.check), CLI_FLAG, 0},
                                            {NULL, NULL, NULL, 0, CLI_FLAG, 0}};

static const char data_begin[] = "{\"data\":";

static bool prepare(struct cli *cli) {
  struct json2json *const self = (struct json2json *)cli;
  self->line.schema = cli->schema;
  self->line.cpu = cli->cpu;
  cli->record_max = sizeof data_begin + sbp_line_max(&self->line);
  return cli_json_prepare(cli, &self->json);
}

static void begin(struct cli *cli) {
  cli_json_begin(cli, &((struct json2json *)cli)->json);
}

/* Write valid JSON on one line: without line breaks, which it can only have outside strings, and the white space that
 * follows them. */
static void write_flat(struct cli *cli, const char *text, size_t size) {
  const char *const limit = text + size;
  const char *stop;
  while ((stop = memchr(text, '\n', (size_t)(limit - text))) != NULL) {
    const bool crlf = stop > text && stop[-1] == '\r';
    cli_write(cli, text, (size_t)(stop - text) - crlf);
    while (stop != limit && (*stop == '\n' || *stop == '\r' || *stop == ' ' || *stop == '\t'))
      ++stop;
    text = stop;
  }
  cli_write(cli, text, (size_t)(limit - text));
}

/* Whether a key as it stands in JSON is "data", however it is escaped. */
static bool is_data(struct sbp_span key) {
  char plain[sizeof "\\u0064" * 4];
  if (key.length == 4 || memchr(key.text, '\\', key.length) == NULL)
    return key.length == 4 && memcmp(key.text, "data", 4) == 0;
  return key.length <= sizeof plain && sbp_unescape(key.text, key.length, plain) == 4 && memcmp(plain, "data", 4) == 0;
}

/* Write the members of a part of an object, each behind a comma. */
static void write_others(struct cli *cli, struct sbp_span members) {
  struct sbp_span key;
  struct sbp_span value;
  while (sbp_member_next(&members, &key, &value)) {
    if (is_data(key)) /* also one that stands before the one that counts */
      continue;
    const char *const member = key.text - 1; /* its quote */
    cli_write(cli, ",", 1);
    write_flat(cli, member, (size_t)(value.text + value.length - member));
  }
}

static void write_message(struct json2json *self, const struct sbp_line *line, const struct sbp_frame *frame) {
  struct cli *const cli = &self->cli;
  char *out = cli_room(cli);
  ++cli->counts.written;
  if (line->object.text == line->text.text) {
    cli->out_end = sbp_line_write(&self->line, line->message, frame, out);
    return;
  }
  memcpy(out, data_begin, sizeof data_begin - 1);
  out = sbp_line_write(&self->line, line->message, frame, out + sizeof data_begin - 1);
  cli->out_end = out - 1; /* without its line feed */

  /* The members before the message, which its key without a value ends, and those behind it. */
  const char *const object_end = line->object.text + line->object.length;
  const struct sbp_span before = {line->text.text, (size_t)(line->object.text - line->text.text)};
  const struct sbp_span behind = {object_end, (size_t)(line->text.text + line->text.length - object_end)};
  static const char data_key[] = "\"data\":";
  const size_t key_size = sizeof data_key - 1;
  if (line->compact && before.length > key_size && memcmp(line->object.text - key_size, data_key, key_size) == 0) {
    /* As they stand, but for the braces around them; a comma before each. */
    if (before.length > key_size + 1) {
      cli_write(cli, ",", 1);
      cli_write(cli, before.text + 1, before.length - key_size - 2);
    }
    cli_write(cli, behind.text, behind.length - 1);
  } else {
    write_others(cli, before);
    write_others(cli, behind);
  }
  cli_write(cli, "}\n", 2);
}

static enum sbp_status next(struct cli *cli, const char *data, size_t size, bool last, size_t *used) {
  struct json2json *const self = (struct json2json *)cli;
  uint8_t bytes[SBP_FRAME_MAX];
  struct sbp_line line;
  enum sbp_status status;
  size_t part;
  *used = 0;
  /* All values that are there, as in sbp2json. */
  for (;;) {
    status = cli_json_next(cli, &self->json, data, size, last, bytes, &line, &part);
    *used += part;
    if (status != SBP_OK)
      break;
    const size_t crc = line.frame_size - 2;
    const struct sbp_frame frame = {
        .bytes = bytes,
        .payload = bytes + SBP_FRAME_HEADER,
        .type = (uint16_t)(bytes[1] | bytes[2] << 8),
        .sender = (uint16_t)(bytes[3] | bytes[4] << 8),
        .crc = (uint16_t)(bytes[crc] | bytes[crc + 1] << 8),
        .length = bytes[5],
    };
    write_message(self, &line, &frame);
    if (cli->stop)
      break;
    data += part;
    size -= part;
  }
  switch (status) {
  case SBP_ERROR_INVALID:
  case SBP_ERROR_NOT_MESSAGE:
    if (cli->options.handler == CLI_TO_INVALID) {
      (void)cli_room(cli);
      write_flat(cli, line.text.text, line.text.length);
      cli_write(cli, "\n", 1);
      ++cli->counts.passed;
      cli_fault_value(cli, &line.fault.place, line.fault.text);
    } else {
      cli_json_left_out(cli, &line);
    }
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
      .name = "json2json",
      .summary = "Add the fields to JSON logs that hold SBP messages as payloads only.",
      .examples = "  json2json serial-link.json | jq .data.msg_name\n"
                  "  json2json --float-compat console.json expanded.json\n",
      .options = options,
      .reads_json = true,
      .first_byte = '{',
      .prepare = prepare,
      .begin = begin,
      .next = next,
      .end = end,
  };
  static struct json2json self;
  return cli_main(&self.cli, &tool, argc, argv);
}
