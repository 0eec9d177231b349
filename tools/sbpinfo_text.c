/* SPDX-License-Identifier: MIT */
/* What sbpinfo prints for people. */
#include "sbpinfo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BAR = 12, COLUMNS = 64, SENDERS_SHOWN = 8 };

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

/* Whether standard output is a terminal that shows UTF-8. */
static bool shows_blocks(const struct sbpinfo *self) {
  static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  if (self->ascii || self->cli.output.path != NULL || !io_is_terminal(1))
    return false;
  for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
    const char *const value = getenv(variables[i]);
    if (value != NULL && *value != '\0')
      return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL || strstr(value, "utf-8") != NULL;
  }
  return false;
}

/* A bar of up to BAR letters. What is not 0 is seen. */
static void draw_bar(struct sbpinfo *self, bool blocks, double part) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const unsigned least = part > 0;
  if (blocks) {
    const unsigned all = (unsigned)(part * BAR * 8 + 0.5);
    const unsigned length = all < least ? least : all;
    for (unsigned i = 0; i < length / 8; ++i)
      cli_print(&self->cli, "█");
    cli_print(&self->cli, "%s", eighths[length % 8]);
  } else {
    const unsigned all = (unsigned)(part * BAR + 0.5);
    for (unsigned i = 0; i < (all < least ? least : all); ++i)
      cli_print(&self->cli, "#");
  }
}

/* One letter that says how much of the most there is. */
static void draw_level(struct sbpinfo *self, bool blocks, uint64_t value, uint64_t most) {
  static const char *const levels[2][9] = {{" ", ".", ":", "-", "=", "+", "*", "%", "#"},
                                           {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}};
  const unsigned level = value == 0 ? 0 : 1 + (unsigned)((double)value / (double)most * 7 + 0.5);
  cli_print(&self->cli, "%s", levels[blocks][level]);
}

/* ---- Words ----------------------------------------------------------------------------------------------------- */

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* Time that passed, as text: "0.200 s", "3 min 20 s", "5 h 12 min", "3 d 4 h". */
struct text {
  char bytes[SBP_TIME_TEXT_MAX + 32];
};

static struct text duration(int64_t ns) {
  const uint64_t seconds = (uint64_t)ns / 1000000000;
  const uint64_t minutes = seconds / 60;
  const uint64_t hours = minutes / 60;
  struct text text;
  if (seconds < 60)
    (void)snprintf(text.bytes, sizeof text.bytes, "%.3f s", (double)ns / 1e9);
  else if (minutes < 60)
    (void)snprintf(text.bytes, sizeof text.bytes, "%" PRIu64 " min %" PRIu64 " s", minutes, seconds % 60);
  else if (hours < 24)
    (void)snprintf(text.bytes, sizeof text.bytes, "%" PRIu64 " h %" PRIu64 " min", hours, minutes % 60);
  else
    (void)snprintf(text.bytes, sizeof text.bytes, "%" PRIu64 " d %" PRIu64 " h", hours / 24, hours % 24);
  return text;
}

static struct text utc(const struct sbpinfo *self, int64_t gps) {
  struct text text;
  *sbp_utc_write(sbp_utc_from_gps(&self->info.clock.leap, sbp_gps_whole_ms(gps)), text.bytes) = '\0';
  /* cppcheck-suppress uninitvar ; it was written in the line above */
  return text;
}

static struct text week_and_tow(int64_t gps) {
  struct text text;
  *sbp_gps_write(sbp_gps_whole_ms(gps), text.bytes) = '\0';
  /* cppcheck-suppress uninitvar ; it was written in the line above */
  return text;
}

/* ---- Parts of the report --------------------------------------------------------------------------------------- */

static void print_head(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  const struct info *const info = &self->info;
  cli_print(cli, "%s: %" PRIu64 " byte%s, %" PRIu64 " message%s, ", cli->input.name, info->bytes, plural(info->bytes),
            info->messages, plural(info->messages));
  if (info->runs == 0) {
    cli_print(cli, "whole\n");
    return;
  }
  cli_print(cli, "damaged\n");
  cli_print(cli,
            "damage    %" PRIu64 " byte%s outside frames (%.2f %%) in %" PRIu64 " run%s; %" PRIu64 " CRC failure%s%s\n",
            info->outside, plural(info->outside), 100 * (double)info->outside / (double)info->bytes, info->runs,
            plural(info->runs), info->crc_failures, plural(info->crc_failures),
            info->truncated > 0 ? ", cut off at the end" : "");
  cli_print(cli, "          first at byte %" PRIu64 ", longest %" PRIu64 " byte%s at byte %" PRIu64 "\n",
            info->first_runs[0].offset, info->longest_run.length, plural(info->longest_run.length),
            info->longest_run.offset);
}

static void print_time(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  const struct info *const info = &self->info;
  if (!info->clock.known) {
    if (info->messages > 0)
      cli_print(cli, "time      no message tells it\n");
    return;
  }
  cli_print(cli, "time      %s to %s, %s\n", utc(self, info->first).bytes, utc(self, info->last).bytes,
            duration(info->last - info->first).bytes);
  cli_print(cli, "          GPS week:tow %s to %s\n", week_and_tow(info->first).bytes, week_and_tow(info->last).bytes);
  if (info->gap > 0)
    cli_print(cli, "          longest gap %s, ends at byte %" PRIu64 ", %s\n", duration(info->gap).bytes,
              info->gap_offset, utc(self, info->gap_end).bytes);
}

static void print_device(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  const struct info_device *const device = &self->info.device;
  const char *before = "device    ";
  for (size_t i = 0; i < INFO_TEXTS; ++i) {
    if (device->texts[i][0] != '\0') {
      cli_print(cli, "%s%s %s", before, info_text_names[i], device->texts[i]);
      before = ", ";
    }
  }
  if (*before == ',')
    cli_print(cli, "\n");
  before = *before == ',' ? "          " : before;
  if (device->sbp_version != 0) {
    cli_print(cli, "%sSBP %u.%u", before, device->sbp_version >> 8, device->sbp_version & 255u);
    before = ", ";
  }
  if (device->startups > 0) {
    cli_print(cli, "%s%" PRIu64 " startup%s", before, device->startups, plural(device->startups));
    before = ", ";
  }
  if (device->heartbeats > 0) {
    cli_print(cli, "%s%" PRIu64 " heartbeat%s, %" PRIu64 " with errors", before, device->heartbeats,
              plural(device->heartbeats), device->with_errors);
    before = ", ";
  }
  if (*before == ',')
    cli_print(cli, "\n");
}

static void print_fix(struct sbpinfo *self, const char *head, const struct cli_position *position,
                      const struct info_fix *fix) {
  struct cli *const cli = &self->cli;
  cli_print(cli, "%s", head);
  for (int axis = 0; axis < CLI_AXES; ++axis) {
    const struct sbp_field_view view = info_axis(position, fix, axis);
    cli_print(cli, "%s %.*f, ", view.field->name, position->degrees && axis < 2 ? 8 : 3, sbp_field_double(&view, 0));
  }
  if (fix->timed)
    cli_print(cli, "%s, ", utc(self, fix->gps).bytes);
  cli_print(cli, "byte %" PRIu64 "\n", fix->offset);
}

static void print_solutions(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  size_t best = 0;
  while (best < CLI_POSITIONS && self->info.solutions[best].solutions == 0)
    ++best;
  if (best == CLI_POSITIONS)
    return;
  const struct cli_position *const position = &self->positions[best];
  const struct info_solutions *const solutions = &self->info.solutions[best];
  cli_print(cli, "solution  %s: ", position->message->body.name);
  const char *before = "";
  for (unsigned mode = 0; mode < CLI_MODES; ++mode) {
    const char *const name = sbp_bits_name(&position->flags->bits[0], mode);
    if (solutions->modes[mode] == 0)
      continue;
    if (name != NULL)
      cli_print(cli, "%s%s", before, name);
    else
      cli_print(cli, "%smode %u", before, mode);
    cli_print(cli, " %.1f %%", 100 * (double)solutions->modes[mode] / (double)solutions->solutions);
    before = ", ";
  }
  cli_print(cli, "\n");
  if (solutions->fixes > 0) {
    print_fix(self, "first fix ", position, &solutions->first);
    print_fix(self, "last fix  ", position, &solutions->last);
  }
}

static void print_senders(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  const size_t count = info_rows_of_senders(self);
  for (size_t i = 0; i < count && i < SENDERS_SHOWN; ++i) {
    const uint64_t messages = self->rows[i].key;
    cli_print(cli, "%s%u (%.1f %%)", i == 0 ? "senders   " : ", ", self->rows[i].number,
              100 * (double)messages / (double)self->info.messages);
  }
  if (count > SENDERS_SHOWN)
    cli_print(cli, " and %u more", (unsigned)(count - SENDERS_SHOWN));
  if (count > 0)
    cli_print(cli, "\n");
}

static void print_types(struct sbpinfo *self, bool blocks) {
  struct cli *const cli = &self->cli;
  const size_t count = info_rows_of_types(self);
  int width = (int)strlen("message");
  uint64_t most = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint16_t id = self->rows[i].number;
    const struct sbp_message *const message = sbp_message_by_id(cli->schema, id);
    const int length = message == NULL ? 0 : (int)strlen(message->body.name);
    const uint64_t messages = self->info.types[id].messages;
    width = length > width ? length : width;
    most = messages > most ? messages : most;
  }
  if (count > 0)
    cli_print(cli, "\n%-*s  %5s  %9s  %11s  %8s  %9s  %11s\n", width, "message", "id", "messages", "bytes", "rate/Hz",
              "gap/s", "ends at");
  for (size_t i = 0; i < count; ++i) {
    const uint16_t id = self->rows[i].number;
    const struct info_type *const type = &self->info.types[id];
    const struct sbp_message *const message = sbp_message_by_id(cli->schema, id);
    const double rate = info_rate(type);
    cli_print(cli, "%-*s  %5u  %9" PRIu64 "  %11" PRIu64, width, message == NULL ? "UNKNOWN" : message->body.name, id,
              type->messages, type->bytes);
    if (rate > 0)
      cli_print(cli, "  %8.3f  %9.3f  %11" PRIu64 "  ", rate, (double)type->gap / 1e9, type->gap_offset);
    else
      cli_print(cli, "  %8s  %9s  %11s  ", "-", "-", "-");
    draw_bar(self, blocks, (double)type->messages / (double)most);
    cli_print(cli, "\n");
  }
}

static void print_timeline(struct sbpinfo *self, bool blocks) {
  struct cli *const cli = &self->cli;
  const struct info_timeline *const timeline = &self->info.timeline;
  /* As many steps to a column that all of it fits. */
  const size_t wide = (timeline->count + COLUMNS - 1) / COLUMNS;
  uint64_t sums[2][COLUMNS] = {{0}};
  uint64_t most[2] = {0, 0};
  size_t columns = 0;
  if (self->info.last == self->info.first)
    return;
  for (size_t i = 0; i < timeline->count; ++i) {
    columns = i / wide + 1;
    sums[0][i / wide] += timeline->steps[i].messages;
    sums[1][i / wide] += timeline->steps[i].damage;
  }
  for (size_t i = 0; i < columns; ++i)
    for (size_t row = 0; row < 2; ++row)
      most[row] = sums[row][i] > most[row] ? sums[row][i] : most[row];
  cli_print(cli, "\n");
  for (size_t row = 0; row < 2; ++row) {
    if (most[row] == 0)
      continue;
    cli_print(cli, "%s |", row == 0 ? "messages" : "damage  ");
    for (size_t i = 0; i < columns; ++i)
      draw_level(self, blocks, sums[row][i], most[row]);
    cli_print(cli, "|");
    if (row == 0)
      cli_print(cli, " %s each", duration(timeline->length * (int64_t)wide).bytes);
    cli_print(cli, "\n");
  }
}

void info_print_text(struct sbpinfo *self) {
  const bool blocks = shows_blocks(self);
  cli_begin_record(&self->cli);
  if (self->printed)
    cli_print(&self->cli, "\n");
  self->printed = true;
  print_head(self);
  print_time(self);
  print_device(self);
  print_solutions(self);
  print_senders(self);
  print_types(self, blocks);
  print_timeline(self, blocks);
}
