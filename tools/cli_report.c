/* SPDX-License-Identifier: MIT */
/* --report: all that a run has come to, as a JSON object in a file. */
#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { LISTED_MAX = 10000 };

static void append(struct cli *cli, struct sbp_buffer *to, const char *text, size_t size) {
  if (sbp_buffer_append(to, text, size) == SBP_OK)
    return;
  cli->report_broken = true;
  cli_fail(cli, "out of memory");
}

CLI_PRINTF(3, 4) static void add(struct cli *cli, struct sbp_buffer *to, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length > 0)
    append(cli, to, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

/* The length of the UTF-8 character that begins here, 0 where none does (RFC 3629 section 4). */
static size_t character_length(const unsigned char *c) {
  const size_t length = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
  if ((c[0] >= 0x80 && c[0] < 0xc2) || c[0] > 0xf4)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((c[i] & 0xc0) != 0x80)
      return 0;
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
      (c[0] == 0xf4 && c[1] > 0x8f))
    return 0;
  return length;
}

/* What stands in a JSON string for the character at *text, which moves behind it; what is not UTF-8 becomes U+FFFD.
 * Returns the size. */
static size_t escape(const char **text, char out[8]) {
  const char c = **text;
  size_t size = character_length((const unsigned char *)*text);
  *text += size == 0 ? 1 : size;
  if (size == 0)
    size = (size_t)snprintf(out, 8, "\\ufffd");
  else if (c == '"' || c == '\\')
    size = (size_t)snprintf(out, 8, "\\%c", c);
  else if (size == 1 && (unsigned char)c < ' ')
    size = (size_t)snprintf(out, 8, "\\u%04x", (unsigned)c);
  else
    memcpy(out, *text - size, size);
  return size;
}

/* A string that may hold anything, as file names do. */
static void add_string(struct cli *cli, struct sbp_buffer *to, const char *text) {
  char escaped[8];
  add(cli, to, "\"");
  while (*text != '\0') {
    const size_t size = escape(&text, escaped);
    append(cli, to, escaped, size);
  }
  add(cli, to, "\"");
}

void cli_print_string(struct cli *cli, const char *text) {
  char escaped[8];
  cli_write(cli, "\"", 1);
  while (*text != '\0') {
    const size_t size = escape(&text, escaped);
    cli_write(cli, escaped, size);
  }
  cli_write(cli, "\"", 1);
}

/* Begin an element of the list of faults; false where the list is full or not wanted. */
static bool list(struct cli *cli) {
  if (cli->options.report == NULL || cli->report_listed == LISTED_MAX)
    return false;
  cli->report_list.allocator = &cli_allocator;
  add(cli, &cli->report_list, cli->report_listed++ == 0 ? "" : ",");
  return true;
}

static void end_element(struct cli *cli) {
  if (cli->several) {
    add(cli, &cli->report_list, ",");
    add_string(cli, &cli->report_list, cli->input.name);
  }
  add(cli, &cli->report_list, "]");
}

void cli_report_run(struct cli *cli, uint64_t offset, uint64_t length) {
  if (!list(cli))
    return;
  add(cli, &cli->report_list, "[%" PRIu64 ",%" PRIu64, offset, length);
  end_element(cli);
}

void cli_report_value(struct cli *cli, const struct sbp_place *place, const char *what) {
  if (!list(cli))
    return;
  add(cli, &cli->report_list, "[%" PRIu64 ",%" PRIu64 ",", place->line, place->column);
  add_string(cli, &cli->report_list, what);
  end_element(cli);
}

bool cli_report_open(struct cli *cli) {
  if (cli->options.report == NULL)
    return true;
  if (!io_open_write(&cli->report_file, cli->options.report)) {
    cli_fail(cli, "%s: %s", cli->report_file.name, io_error());
    return false;
  }
  if (io_same(&cli->report_file, &cli->output)) {
    cli_fail(cli, "%s: is output and report", cli->report_file.name);
    return false;
  }
  return true;
}

static void add_types(struct cli *cli, struct sbp_buffer *to) {
  bool first = true;
  add(cli, to, ",\n\"types\":[");
  for (unsigned type = 0; type < 65536; ++type) {
    if (cli->counts.types[type] == 0)
      continue;
    const struct sbp_message *const message = sbp_message_by_id(cli->schema, (uint16_t)type);
    add(cli, to, "%s\n{\"msg_type\":%u,\"msg_name\":\"%s\",\"messages\":%" PRIu64 ",\"too_short\":%" PRIu64 "}",
        first ? "" : ",", type, message == NULL ? "UNKNOWN" : message->body.name, cli->counts.types[type],
        cli->counts.shorter_types[type]);
    first = false;
  }
  add(cli, to, "]");
}

/* The report is written whole, or not at all. */
static void write_report(struct cli *cli, const struct sbp_buffer *text) {
  struct io_file *const file = &cli->report_file;
  if (!cli->report_broken && !io_truncate(file)) {
    cli_fail(cli, "%s: %s", file->name, io_error());
  } else if (!cli->report_broken) {
    const size_t written = io_write(file, text->data, text->size);
    if (written < text->size) {
      cli_fail(cli, "%s: %s", file->name, io_error());
      (void)io_undo(file, written);
    }
  }
  if (!io_close(file))
    cli_fail(cli, "%s: %s", file->name, io_error());
}

void cli_report_write(struct cli *cli) {
  const struct cli_counts *const counts = &cli->counts;
  struct sbp_buffer text = {.allocator = &cli_allocator};
  const struct {
    const char *name;
    uint64_t value;
  } of_frames[] = {{"bytes_outside_frames", counts->outside},
                   {"runs", counts->runs},
                   {"crc_failures", counts->crc_failures},
                   {"truncated", counts->truncated}},
    of_values[] = {{"values_left_out", counts->left_out}, {"values_passed_on", counts->passed},
                   {"values_edited", counts->edited},     {"invalid_lines_written", counts->raw},
                   {"values_compared", counts->compared}, {"values_differing", counts->differing},
                   {"wrong_crc", counts->wrong_crc},      {"wrong_length", counts->wrong_length},
                   {"rounded", counts->rounded}};
  if (cli->report_file.descriptor < 0)
    return;
  add(cli, &text, "{\"tool\":\"%s\",\"version\":\"%s\",\"sbp\":\"%s\",\"exit\":%d", cli->tool->name, SBPKIT_VERSION,
      cli->schema->version, cli->status);
  add(cli, &text, ",\n\"bytes_read\":%" PRIu64 ",\"bytes_written\":%" PRIu64, counts->bytes_read,
      counts->bytes_written);
  add(cli, &text, ",\n\"messages\":%" PRIu64 ",\"messages_written\":%" PRIu64, counts->messages, counts->written);
  add(cli, &text, ",\"unknown\":%" PRIu64 ",\"too_short\":%" PRIu64, counts->unknown, counts->shorter);
  if (cli->tool->reads_json)
    for (size_t i = 0; i < sizeof of_values / sizeof *of_values; ++i)
      add(cli, &text, "%s\"%s\":%" PRIu64, i == 0 ? ",\n" : ",", of_values[i].name, of_values[i].value);
  else
    for (size_t i = 0; i < sizeof of_frames / sizeof *of_frames; ++i)
      add(cli, &text, "%s\"%s\":%" PRIu64, i == 0 ? ",\n" : ",", of_frames[i].name, of_frames[i].value);
  add_types(cli, &text);
  add(cli, &text, cli->tool->reads_json ? ",\n\"left_out\":[" : ",\n\"damaged\":[");
  if (cli->report_list.size > 0)
    append(cli, &text, cli->report_list.data, cli->report_list.size);
  add(cli, &text, "]}\n");
  write_report(cli, &text);
  sbp_buffer_free(&text);
}
