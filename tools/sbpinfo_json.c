/* SPDX-License-Identifier: MIT */
/* What sbpinfo prints for programs: one object, a line. Times are objects of the same form everywhere, or null. */
#include "sbpinfo.h"

#include <inttypes.h>
#include <stdio.h>

/* `"name":"text"`, the text being anything. */
static void print_string(struct cli *cli, const char *name, const char *text) {
  cli_print(cli, "\"%s\":", name);
  cli_print_string(cli, text);
}

static void print_time(struct sbpinfo *self, const char *name, bool known, int64_t gps) {
  struct cli *const cli = &self->cli;
  if (!known) {
    cli_print(cli, "\"%s\":null", name);
    return;
  }
  const struct sbp_week_time time = sbp_gps_split(gps);
  char utc[SBP_TIME_TEXT_MAX];
  const char *const end = sbp_utc_write(sbp_utc_from_gps(&self->info.clock.leap, gps), utc);
  cli_print(cli, "\"%s\":{\"utc\":\"%.*s\",\"gps_week\":%" PRId32 ",\"tow\":%" PRIu32 ",\"ns_residual\":%" PRId32 "}",
            name, (int)(end - utc), utc, time.week, time.tow, time.ns_residual);
}

/* A gap of 0 was none. */
static void print_gap(struct sbpinfo *self, int64_t gap, int64_t gap_end, uint64_t gap_offset) {
  cli_print(&self->cli, "\"longest_gap\":");
  if (gap == 0) {
    cli_print(&self->cli, "null");
    return;
  }
  cli_print(&self->cli, "{\"seconds\":%.9f,", (double)gap / 1e9);
  print_time(self, "end", true, gap_end);
  cli_print(&self->cli, ",\"offset\":%" PRIu64 "}", gap_offset);
}

static void print_types(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  const size_t count = info_rows_of_types(self);
  cli_print(cli, ",\"types\":[");
  for (size_t i = 0; i < count; ++i) {
    const uint16_t id = self->rows[i].number;
    const struct info_type *const type = &self->info.types[id];
    const struct sbp_message *const message = sbp_message_by_id(cli->schema, id);
    const double rate = info_rate(type);
    cli_print(cli, "%s{\"msg_type\":%u,\"msg_name\":\"%s\",\"messages\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"rate\":",
              i == 0 ? "" : ",", id, message == NULL ? "UNKNOWN" : message->body.name, type->messages, type->bytes);
    if (rate > 0)
      cli_print(cli, "%.6f,", rate);
    else
      cli_print(cli, "null,");
    print_time(self, "first", type->timed > 0, type->first);
    cli_print(cli, ",");
    print_time(self, "last", type->timed > 0, type->last);
    cli_print(cli, ",");
    print_gap(self, type->gap, type->gap_end, type->gap_offset);
    cli_print(cli, "}");
  }
  cli_print(cli, "]");
}

static void print_senders(struct sbpinfo *self) {
  const size_t count = info_rows_of_senders(self);
  cli_print(&self->cli, ",\"senders\":[");
  for (size_t i = 0; i < count; ++i) {
    const struct info_sender *const sender = &self->info.senders[self->rows[i].number];
    cli_print(&self->cli, "%s{\"sender\":%u,\"messages\":%" PRIu64 ",\"bytes\":%" PRIu64 "}", i == 0 ? "" : ",",
              self->rows[i].number, sender->messages, sender->bytes);
  }
  cli_print(&self->cli, "]");
}

static void print_damage(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  const struct info *const info = &self->info;
  cli_print(cli,
            ",\"damage\":{\"bytes_outside_frames\":%" PRIu64 ",\"runs\":%" PRIu64 ",\"crc_failures\":%" PRIu64
            ",\"truncated\":%" PRIu64 ",\"longest\":",
            info->outside, info->runs, info->crc_failures, info->truncated);
  if (info->runs == 0)
    cli_print(cli, "null");
  else
    cli_print(cli, "[%" PRIu64 ",%" PRIu64 "]", info->longest_run.offset, info->longest_run.length);
  cli_print(cli, ",\"damaged\":[");
  for (size_t i = 0; i < info->runs && i < INFO_RUNS; ++i)
    cli_print(cli, "%s[%" PRIu64 ",%" PRIu64 "]", i == 0 ? "" : ",", info->first_runs[i].offset,
              info->first_runs[i].length);
  cli_print(cli, "]}");
}

static void print_fix(struct sbpinfo *self, const char *name, const struct cli_position *position,
                      const struct info_fix *fix) {
  struct cli *const cli = &self->cli;
  const struct sbp_line_options line = {.schema = cli->schema};
  cli_print(cli, ",\"%s\":{\"offset\":%" PRIu64 ",", name, fix->offset);
  print_time(self, "time", fix->timed, fix->gps);
  for (int axis = 0; axis < CLI_AXES; ++axis) {
    const struct sbp_field_view view = info_axis(position, fix, axis);
    cli_print(cli, ",\"%s\":", view.field->name);
    cli_write(cli, self->number, (size_t)(sbp_field_write(&line, &view, self->number) - self->number));
  }
  cli_print(cli, "}");
}

static void print_solutions(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  const char *before = "";
  cli_print(cli, ",\"solutions\":[");
  for (size_t i = 0; i < CLI_POSITIONS; ++i) {
    const struct cli_position *const position = &self->positions[i];
    const struct info_solutions *const solutions = &self->info.solutions[i];
    if (solutions->solutions == 0)
      continue;
    cli_print(cli, "%s{\"msg_name\":\"%s\",\"messages\":%" PRIu64 ",\"fixes\":%" PRIu64 ",\"modes\":[", before,
              position->message->body.name, solutions->solutions, solutions->fixes);
    before = "";
    for (unsigned mode = 0; mode < CLI_MODES; ++mode) {
      const char *const name = sbp_bits_name(&position->flags->bits[0], mode);
      if (solutions->modes[mode] == 0)
        continue;
      cli_print(cli, "%s{\"mode\":%u,", before, mode);
      if (name == NULL)
        cli_print(cli, "\"name\":null");
      else
        print_string(cli, "name", name);
      cli_print(cli, ",\"messages\":%" PRIu64 "}", solutions->modes[mode]);
      before = ",";
    }
    cli_print(cli, "]");
    if (solutions->fixes > 0) {
      print_fix(self, "first_fix", position, &solutions->first);
      print_fix(self, "last_fix", position, &solutions->last);
    } else {
      cli_print(cli, ",\"first_fix\":null,\"last_fix\":null");
    }
    cli_print(cli, "}");
    before = ",";
  }
  cli_print(cli, "]");
}

static void print_device(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  const struct info_device *const device = &self->info.device;
  cli_print(cli,
            ",\"device\":{\"heartbeats\":%" PRIu64 ",\"with_errors\":%" PRIu64 ",\"startups\":%" PRIu64 ",\"sbp\":",
            device->heartbeats, device->with_errors, device->startups);
  if (device->sbp_version == 0)
    cli_print(cli, "null");
  else
    cli_print(cli, "\"%u.%u\"", device->sbp_version >> 8, device->sbp_version & 255u);
  for (size_t i = 0; i < INFO_TEXTS; ++i) {
    cli_print(cli, ",");
    if (device->texts[i][0] == '\0')
      cli_print(cli, "\"%s\":null", info_text_names[i]);
    else
      print_string(cli, info_text_names[i], device->texts[i]);
  }
  cli_print(cli, "}");
}

void info_print_json(struct sbpinfo *self) {
  struct cli *const cli = &self->cli;
  const struct info *const info = &self->info;
  const bool known = info->clock.known;
  cli_begin_record(cli);
  cli_print(cli, "{");
  print_string(cli, "file", cli->input.name);
  cli_print(cli, ",\"bytes\":%" PRIu64 ",\"messages\":%" PRIu64 ",\"whole\":%s,", info->bytes, info->messages,
            info->runs == 0 ? "true" : "false");
  print_time(self, "start", known, info->first);
  cli_print(cli, ",");
  print_time(self, "end", known, info->last);
  if (known)
    cli_print(cli, ",\"duration\":%.9f,", (double)(info->last - info->first) / 1e9);
  else
    cli_print(cli, ",\"duration\":null,");
  print_gap(self, info->gap, info->gap_end, info->gap_offset);
  print_damage(self);
  print_device(self);
  print_solutions(self);
  print_senders(self);
  print_types(self);
  cli_print(cli, "}\n");
}
