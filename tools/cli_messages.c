/* SPDX-License-Identifier: MIT */
/* What the tools say on standard error: faults, the summary, notes. */
#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { FAULTS_SHOWN = 10, TYPES_NAMED = 8 };

/* "s" behind the name of what there is not one of. */
static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* ---- Lines ----------------------------------------------------------------------------------------------------- */

CLI_PRINTF(2, 0) static void say(struct cli *cli, const char *format, va_list arguments) {
  char line[1024];
  size_t size = (size_t)snprintf(line, sizeof line, "%s: ", cli->tool->name);
  const int length = vsnprintf(line + size, sizeof line - size, format, arguments);
  size += length > 0 ? (size_t)length : 0;
  if (size > sizeof line - 1)
    size = sizeof line - 1;
  /* Whatever a file is called and an input holds, this is one line and does nothing to a terminal. */
  for (size_t i = 0; i < size; ++i)
    if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
      line[i] = '?';
  line[size] = '\n';
  cli_progress_clear(cli);
  io_write_error(line, size + 1);
}

static void CLI_PRINTF(2, 3) say_line(struct cli *cli, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(cli, format, arguments);
  va_end(arguments);
}

void cli_fail(struct cli *cli, const char *format, ...) {
  if (cli->status < CLI_FAILED) {
    va_list arguments;
    va_start(arguments, format);
    say(cli, format, arguments);
    va_end(arguments);
    cli->status = CLI_FAILED;
  }
  cli->stop = true;
}

/* ---- Faults ---------------------------------------------------------------------------------------------------- */

/* "FILE: ", where there are several inputs. */
static const char *file_name(const struct cli *cli) {
  return cli->several ? cli->input.name : "";
}
static const char *file_colon(const struct cli *cli) {
  return cli->several ? ": " : "";
}

/* Count a fault, and tell whether it is to be printed. */
static bool count_fault(struct cli *cli, uint64_t place) {
  const uint64_t faults = ++cli->counts.faults;
  const char *const fail_on = cli->options.fail_on;
  if (faults == 1) {
    cli->first_file = cli->input.name;
    cli->first_place = place;
  }
  if (cli->status == CLI_ALL && (fail_on == NULL || strcmp(fail_on, "never") != 0))
    cli->status = CLI_SOME;
  if (cli->options.handler == CLI_RETURN)
    cli->stop = true;
  if (faults == FAULTS_SHOWN + 1 && !cli->options.debug)
    say_line(cli, "further faults are counted, --debug shows them");
  return faults <= FAULTS_SHOWN || cli->options.debug;
}

void cli_fault_run(struct cli *cli, uint64_t offset, uint64_t length, const char *what) {
  ++cli->counts.runs;
  cli->counts.outside += length;
  if (cli->keeps_outside ? cli->options.debug : count_fault(cli, offset))
    say_line(cli, "%s%soffset %" PRIu64 ": %" PRIu64 " byte%s outside frames%s", file_name(cli), file_colon(cli),
             offset, length, plural(length), what);
  cli_report_run(cli, offset, length);
}

void cli_fault_value(struct cli *cli, const struct sbp_place *place, const char *what) {
  if (count_fault(cli, place->line))
    say_line(cli, "%s%sline %" PRIu64 " column %" PRIu64 ": %s", file_name(cli), file_colon(cli), place->line,
             place->column, what);
  cli_report_value(cli, place, what);
}

void cli_note(struct cli *cli, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  say_line(cli, "note: %s", text);
}

void cli_debug_offset(struct cli *cli, uint64_t offset, const char *what) {
  say_line(cli, "%s%soffset %" PRIu64 ": %s", file_name(cli), file_colon(cli), offset, what);
}

void cli_debug_place(struct cli *cli, const struct sbp_place *place, const char *what) {
  say_line(cli, "%s%sline %" PRIu64 " column %" PRIu64 ": %s", file_name(cli), file_colon(cli), place->line,
           place->column, what);
}

/* ---- Summary --------------------------------------------------------------------------------------------------- */

/* Text that is put together part by part; what does not fit any more is dropped. */
struct text {
  size_t size;
  char bytes[800];
};

CLI_PRINTF(2, 3) static void add(struct text *text, const char *format, ...) {
  const size_t room = sizeof text->bytes - text->size;
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text->bytes + text->size, room, format, arguments);
  va_end(arguments);
  if (length > 0)
    text->size += (size_t)length < room ? (size_t)length : room - 1;
}

static void summary_line(struct cli *cli) {
  const struct cli_counts *const counts = &cli->counts;
  struct text text = {.size = 0};
  add(&text, "%" PRIu64 " message%s", counts->messages, plural(counts->messages));
  if (cli->options.verbose && counts->written < counts->messages)
    add(&text, ", %" PRIu64 " of them written", counts->written);
  if (counts->runs > 0)
    add(&text, "; %" PRIu64 " byte%s outside frames in %" PRIu64 " run%s (%" PRIu64 " CRC failure%s)", counts->outside,
        plural(counts->outside), counts->runs, plural(counts->runs), counts->crc_failures,
        plural(counts->crc_failures));
  if (counts->left_out > 0)
    add(&text, "; %" PRIu64 " value%s left out", counts->left_out, plural(counts->left_out));
  if (counts->passed > 0)
    add(&text, "; %" PRIu64 " value%s passed on as %s", counts->passed, plural(counts->passed),
        counts->passed == 1 ? "it is" : "they are");
  if (counts->edited > 0)
    add(&text, "; %" PRIu64 " value%s with fields that disagree with the payload", counts->edited,
        plural(counts->edited));
  if (cli->options.verbose && counts->raw > 0)
    add(&text, "; %" PRIu64 " INVALID line%s written as bytes", counts->raw, plural(counts->raw));
  if (counts->faults > 0)
    add(&text, ", first at %s%s%s %" PRIu64, cli->several ? cli->first_file : "", file_colon(cli),
        cli->tool->reads_json ? "line" : "offset", cli->first_place);
  say_line(cli, "%s", text.bytes);
}

/* ---- Notes ----------------------------------------------------------------------------------------------------- */

/* Note messages by type: "312 messages of types 31420, 31421 WHAT", the types by name where they are `named`. */
static void note_types(struct cli *cli, const uint64_t *types, uint64_t total, bool named, const char *what) {
  struct text text = {.size = 0};
  unsigned count = 0;
  for (unsigned type = 0; type < 65536; ++type) {
    const struct sbp_message *const message = sbp_message_by_id(cli->schema, (uint16_t)type);
    if (types[type] == 0 || (message != NULL) != named || ++count > TYPES_NAMED)
      continue;
    add(&text, count == 1 ? "" : ", ");
    if (named)
      add(&text, "%s", message->body.name);
    else
      add(&text, "%u", type);
  }
  if (count > TYPES_NAMED)
    add(&text, " and %u more", count - TYPES_NAMED);
  say_line(cli, "note: %" PRIu64 " message%s of %s%s %s %s", total, plural(total),
           named       ? ""
           : count > 1 ? "types "
                       : "type ",
           text.bytes, total == 1 ? "is" : "are", what);
}

/* Note values that were converted, but not just as they stood. */
static void note_values(struct cli *cli, uint64_t count, const char *had, const char *what) {
  if (count > 0)
    say_line(cli, "note: %" PRIu64 " value%s %s %s", count, plural(count), had, what);
}

static void notes(struct cli *cli) {
  const struct cli_counts *const counts = &cli->counts;
  char what[64];
  if (counts->unknown > 0 && !cli->tool->copies) {
    (void)snprintf(what, sizeof what, "not in SBP %s", cli->schema->version);
    note_types(cli, counts->types, counts->unknown, false, what);
  }
  if (counts->shorter > 0 && !cli->tool->copies) {
    (void)snprintf(what, sizeof what, "shorter than the type%s", cli->tool->shorter == NULL ? "" : cli->tool->shorter);
    note_types(cli, counts->shorter_types, counts->shorter, true, what);
  }
  if (cli->select.no_time && counts->messages > 0)
    say_line(cli, "note: no message told its time, so all of them count as before --from and --to");
  note_values(cli, counts->wrong_crc, "had", "another crc than the frame, which has the right one");
  note_values(cli, counts->wrong_length, "had", "another length than the payload, which was used");
  note_values(cli, counts->rounded, "had",
              "a 64-bit field rounded as jq before 1.7 does; the payload's value was used");
  if (counts->differing > 0)
    say_line(cli,
             "note: %" PRIu64 " of %" PRIu64
             " values looked at have fields that disagree with their payload, which was "
             "used; --from-fields uses the fields",
             counts->differing, counts->compared);
  for (unsigned i = 0; i < cli->ignored_count; ++i) {
    const struct cli_ignored *const ignored = &cli->ignored[i];
    say_line(cli, "note: key \"%s\" is no field of %s, ignored in %" PRIu64 " value%s%s%s", ignored->key,
             ignored->message == NULL ? "UNKNOWN" : ignored->message->body.name, ignored->count, plural(ignored->count),
             ignored->near_field == NULL ? "" : "; did you mean ",
             ignored->near_field == NULL ? "" : ignored->near_field);
  }
  if (cli->ignored_more > 0)
    say_line(cli, "note: more keys that are no fields were ignored in %" PRIu64 " place%s", cli->ignored_more,
             plural(cli->ignored_more));
}

void cli_summarise(struct cli *cli) {
  const bool ran = cli->input.name != NULL;
  if (ran && (cli->counts.faults > 0 || (cli->options.verbose && cli->status < CLI_FAILED)))
    summary_line(cli);
  if (ran)
    notes(cli);
}
