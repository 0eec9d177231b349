/* SPDX-License-Identifier: MIT */
/* sbp2csv: messages of one type as a table (RFC 4180), or the fixes as a track. */
#include "sbp2csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct cli_option options[] = {{"track", "FORMAT", "in place of a table the fixes, as gpx or geojson",
                                             offsetof(struct sbp2csv, track_name), CLI_TEXT, 0},
                                            CLI_SELECT_OPTIONS,
                                            {NULL, NULL, NULL, 0, CLI_FLAG, 0}};

/* What a row can take but for the text of its fields: time, sender and a comma a field. */
enum { ROW_ROOM = 256 + SBP_PAYLOAD_MAX };

/* ---- Columns --------------------------------------------------------------------------------------------------- */

/* Write the columns of a struct; `prefix` is the name of the field that holds it, with a dot behind it. */
static void write_columns(struct sbp2csv *self, const struct sbp_struct *body, const char *prefix) {
  for (uint16_t i = 0; i < body->field_count; ++i) {
    const struct sbp_field *const field = &body->fields[i];
    char name[512];
    if (field->type == SBP_STRUCT && (field->repeat == SBP_ONE || field == self->array)) {
      (void)snprintf(name, sizeof name, "%s%s.", prefix, field->name);
      write_columns(self, field->element, name);
    } else {
      cli_print(&self->cli, ",%s%s", prefix, field->name);
      ++self->columns;
    }
  }
}

static void write_head(struct sbp2csv *self) {
  cli_begin_record(&self->cli);
  cli_print(&self->cli, "utc,gps_week,sender");
  write_columns(self, &self->message->body, "");
  cli_print(&self->cli, "\r\n");
}

/* ---- Cells ----------------------------------------------------------------------------------------------------- */

/* Write a cell, in quotes where its text needs them. A NUL, which many readers take for the end, stays the escape that
 * it is in JSON. */
static char *write_cell(char *out, const char *text, size_t size) {
  bool plain = true;
  for (size_t i = 0; i < size && plain; ++i)
    /* cppcheck-suppress uninitvar ; all of text is there */
    plain = text[i] != ',' && text[i] != '"' && text[i] != '\r' && text[i] != '\n';
  if (!plain)
    *out++ = '"';
  for (size_t i = 0; i < size; ++i) {
    if (text[i] == '\0') {
      memcpy(out, "\\u0000", 6);
      out += 6;
    } else {
      if (text[i] == '"')
        *out++ = '"';
      *out++ = text[i];
    }
  }
  if (!plain)
    *out++ = '"';
  return out;
}

static char *write_value(const struct sbp2csv *self, struct sbp_field_view view, char *out) {
  const bool is_string = view.field->type == SBP_STRING;
  /* The NULs that end a string or fill it up are no part of its text. */
  while (is_string && view.size > 0 && view.bytes[view.size - 1] == 0)
    --view.size;
  const size_t size = (size_t)(sbp_field_write(&self->line, &view, self->json) - self->json);
  if (is_string) {
    char text[3 * SBP_PAYLOAD_MAX]; /* a byte that is not UTF-8 becomes three */
    return write_cell(out, text, (size_t)sbp_unescape(self->json + 1, size - 2, text));
  }
  if (size == 4 && memcmp(self->json, "null", 4) == 0)
    return out;
  return write_cell(out, self->json, size);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------ */

/* The fields of a message or struct; of the array that is taken apart this element. */
static char *write_fields(const struct sbp2csv *self, struct sbp_fields fields, size_t element, char *out) {
  struct sbp_field_view view;
  while (sbp_fields_next(&fields, &view)) {
    if (view.field == self->array) {
      /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): sbp_fields_next() has set it */
      view.bytes += element * view.field->size;
      view.size = view.field->size;
      view.count = 1;
      view.is_array = false;
    }
    if (view.field->type == SBP_STRUCT && !view.is_array) {
      out = write_fields(self, sbp_fields_in(&view, 0), 0, out);
    } else {
      *out++ = ',';
      out = write_value(self, view, out);
    }
  }
  return out;
}

/* How many rows a frame gives. */
static size_t rows_of(const struct sbp2csv *self, struct sbp_fields fields) {
  struct sbp_field_view view;
  while (self->array != NULL && sbp_fields_next(&fields, &view))
    if (view.field == self->array)
      return view.count;
  return 1; /* all of the message, or what can be said of one that is too short */
}

static void write_rows(struct sbp2csv *self, const struct sbp_frame *frame) {
  const struct sbp_clock *const clock = &self->frames.clock;
  const struct sbp_fields fields = sbp_fields_of(self->message, frame);
  const size_t rows = rows_of(self, fields);
  char utc[SBP_TIME_TEXT_MAX];
  char head[64 + SBP_TIME_TEXT_MAX];
  int head_size;
  if (clock->known) {
    const int64_t gps = sbp_gps_whole_ms(clock->gps);
    *sbp_utc_write(sbp_utc_from_gps(&clock->leap, gps), utc) = '\0';
    head_size = snprintf(head, sizeof head, "%s,%" PRId32 ",%u", utc, sbp_gps_split(gps).week, frame->sender);
  } else {
    head_size = snprintf(head, sizeof head, ",,%u", frame->sender);
  }
  for (size_t row = 0; row < rows; ++row) {
    char *out = cli_room(&self->cli);
    memcpy(out, head, (size_t)head_size);
    out += head_size;
    if (fields.body != NULL) {
      out = write_fields(self, fields, row, out);
    } else {
      memset(out, ',', self->columns);
      out += self->columns;
    }
    memcpy(out, "\r\n", 2);
    self->cli.out_end = out + 2;
  }
}

/* ---- The tool -------------------------------------------------------------------------------------------------- */

/* Find what MESSAGE or MESSAGE.ARRAY names. */
static bool find_message(struct sbp2csv *self, const char *name) {
  struct cli *const cli = &self->cli;
  const size_t length = strcspn(name, ".");
  self->message = sbp_message_by_name(cli->schema, name, length);
  if (self->message == NULL) {
    const struct sbp_message *const near_message = sbp_message_near_name(cli->schema, name, length);
    struct io_file file;
    if (io_probe(&file, name))
      cli_fail(cli, "%s: is a file; behind the logs stands the message: LOG MESSAGE", name);
    else if (near_message != NULL)
      cli_fail(cli, "%.*s: no such message; did you mean %s?", (int)length, name, near_message->body.name);
    else
      cli_fail(cli, "%s: no such message; --describe lists them", name);
    return false;
  }
  if (name[length] == '\0')
    return true;
  for (uint16_t i = 0; i < self->message->body.field_count; ++i) {
    const struct sbp_field *const field = &self->message->body.fields[i];
    if (strcmp(field->name, name + length + 1) == 0 && field->repeat != SBP_ONE)
      self->array = field;
  }
  if (self->array == NULL)
    cli_fail(cli, "%s: %s has no such array; --describe=%s lists its fields", name, self->message->body.name,
             self->message->body.name);
  return self->array != NULL;
}

static bool prepare_track(struct sbp2csv *self) {
  if (strcmp(self->track_name, "gpx") == 0)
    self->track = CSV_GPX;
  else if (strcmp(self->track_name, "geojson") == 0)
    self->track = CSV_GEOJSON;
  else
    cli_fail(&self->cli, "--track %s: not one of gpx, geojson", self->track_name);
  cli_positions_find(self->cli.schema, self->positions);
  self->best = CLI_POSITIONS;
  return self->track != CSV_TABLE;
}

static bool prepare_table(struct sbp2csv *self) {
  struct cli_options *const paths = &self->cli.options;
  if (paths->path_count == 0) {
    cli_fail(&self->cli, "of which message? %s LOG MESSAGE; --describe lists them", self->cli.tool->name);
    return false;
  }
  return find_message(self, paths->paths[--paths->path_count]);
}

static bool prepare(struct cli *cli) {
  struct sbp2csv *const self = (struct sbp2csv *)cli;
  self->line.schema = cli->schema;
  self->line.cpu = cli->cpu;
  const size_t json_max = sbp_line_max(&self->line);
  /* Quotes double what is in them at most. */
  cli->record_max = 2 * json_max + ROW_ROOM;
  self->json = malloc(json_max);
  if (self->json == NULL)
    cli_fail(cli, "out of memory");
  self->frames.timed = true;
  cli_frames_prepare(cli, &self->frames);
  return self->json != NULL && (self->track_name != NULL ? prepare_track(self) : prepare_table(self)) &&
         cli_select_prepare(cli, &self->frames);
}

static void begin(struct cli *cli) {
  struct sbp2csv *const self = (struct sbp2csv *)cli;
  cli_frames_begin(&self->frames);
  if (self->begun)
    return;
  self->begun = true;
  if (self->track != CSV_TABLE)
    track_head(self);
  else
    write_head(self);
}

static enum sbp_status next(struct cli *cli, const char *data, size_t size, bool last, size_t *used) {
  struct sbp2csv *const self = (struct sbp2csv *)cli;
  const struct sbp_message *message;
  struct sbp_frame frame;
  const enum sbp_status status = cli_frames_next(&self->frames, data, size, last, &frame, &message, used);
  if (status != SBP_OK || cli->stop || !cli_selected(cli, &self->frames, &frame))
    return status;
  if (self->track != CSV_TABLE) {
    track_point(self, message, &frame);
  } else if (message == self->message) {
    write_rows(self, &frame);
    ++cli->counts.written;
    cli_select_count(cli);
  }
  return status;
}

static void end(struct cli *cli) {
  cli_frames_end(&((struct sbp2csv *)cli)->frames);
}

static void finish(struct cli *cli) {
  struct sbp2csv *const self = (struct sbp2csv *)cli;
  if (self->track != CSV_TABLE && self->begun && cli->status < CLI_FAILED)
    track_foot(self);
}

int main(int argc, char **argv) {
  static const struct cli_tool tool = {
      .name = "sbp2csv",
      .summary = "Write the messages of one type as a CSV table, a row a message or, of an array, a row an element.",
      .examples = "  sbp2csv log.sbp MSG_POS_LLH > fixes.csv\n"
                  "  sbp2csv log.sbp MSG_OBS.obs > observations.csv\n"
                  "  sbp2csv --track gpx log.sbp > log.gpx\n",
      .arguments = "[LOG ...] MESSAGE[.ARRAY]",
      .options = options,
      .shorter = " and has no values",
      .first_byte = 'u',
      .prepare = prepare,
      .begin = begin,
      .next = next,
      .end = end,
      .finish = finish,
  };
  static struct sbp2csv self;
  return cli_main(&self.cli, &tool, argc, argv);
}
