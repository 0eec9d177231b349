/* SPDX-License-Identifier: MIT */
/* sbpcat: SBP to SBP, frames and what stands between them as they are. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

/* --split: when the next file begins. */
enum split { SPLIT_NOT, SPLIT_SIZE, SPLIT_TIME, SPLIT_TYPE };

/* What is kept of a file of --split before it is written. None stays open meanwhile, so there may be any number. */
enum { PIECE_BLOCK = 32 << 10 };

struct piece {
  char *path;
  uint64_t size; /* of it, with what is kept */
  struct sbp_buffer kept;
  bool created;
};

struct sbpcat {
  struct cli cli;
  struct cli_frames frames;
  bool repair;
  const char *every_text;
  const char *split_text;

  uint64_t every;       /* 0: all */
  uint64_t seen[65536]; /* messages of each type that were selected but for that */

  enum split split;
  uint64_t split_size;
  int64_t split_time;  /* ns */
  const char *base;    /* what the files' names begin with: this, up to ... */
  size_t base_length;  /* ... here */
  uint64_t number;     /* of the last file */
  int64_t slice;       /* of time, which it holds */
  struct piece *piece; /* the one that is written to; it owns it where they are numbered */
  struct piece *of_type[65536];
  struct piece *of_unknown;
};

static const struct cli_option options[] = {
    CLI_SELECT_OPTIONS,
    {"every", "N", "of each type the first message and each Nth after", offsetof(struct sbpcat, every_text), CLI_TEXT,
     0},
    {"repair", NULL, "leave out bytes outside frames", offsetof(struct sbpcat, repair), CLI_FLAG, 0},
    {"split", "HOW", "into files: size=100M, time=10m or type", offsetof(struct sbpcat, split_text), CLI_TEXT, 0},
    {NULL, NULL, NULL, 0, CLI_FLAG, 0}};

/* ---- Files of --split ------------------------------------------------------------------------------------------ */

static void write_kept(struct cli *cli, struct piece *piece) {
  struct io_file file = {.descriptor = -1};
  size_t written = 0;
  if (piece->kept.size == 0 || cli->status == CLI_FAILED)
    return;
  if (piece->created ? io_open_write(&file, piece->path) && io_seek(&file, file.size) : io_create(&file, piece->path))
    written = io_write(&file, piece->kept.data, piece->kept.size);
  if (written < piece->kept.size) {
    cli_fail(cli, "%s: %s", piece->path, io_error());
    if (io_undo(&file, written))
      written = 0;
  }
  if (!io_close(&file))
    cli_fail(cli, "%s: %s", piece->path, io_error());
  piece->created = true;
  cli->counts.bytes_written += written;
  piece->kept.size = 0;
}

static void add(struct cli *cli, struct piece *piece, const void *data, size_t size) {
  if (piece->kept.size + size > PIECE_BLOCK)
    write_kept(cli, piece);
  if (sbp_buffer_append(&piece->kept, data, size) != SBP_OK)
    cli_fail(cli, "out of memory");
  piece->size += size;
}

/* A file LOG.NAME.sbp, of which nothing is written yet; NULL after cli_fail(). */
static struct piece *new_piece(struct sbpcat *self, const char *name) {
  const size_t room = self->base_length + strlen(name) + sizeof "..sbp";
  struct piece *const piece = cli_allocator.resize(cli_allocator.context, NULL, 0, sizeof *piece + room);
  if (piece == NULL) {
    cli_fail(&self->cli, "out of memory");
    return NULL;
  }
  memset(piece, 0, sizeof *piece);
  piece->kept.allocator = &cli_allocator;
  piece->path = (char *)(piece + 1);
  (void)snprintf(piece->path, room, "%.*s.%s.sbp", (int)self->base_length, self->base, name);
  return piece;
}

static void end_piece(struct cli *cli, struct piece *piece) {
  if (piece == NULL)
    return;
  write_kept(cli, piece);
  sbp_buffer_free(&piece->kept);
  (void)cli_allocator.resize(cli_allocator.context, piece, sizeof *piece, 0);
}

/* Go on with the next numbered file. */
static bool next_number(struct sbpcat *self) {
  char name[24];
  end_piece(&self->cli, self->piece);
  (void)snprintf(name, sizeof name, "%04" PRIu64, ++self->number);
  self->piece = new_piece(self, name);
  return self->piece != NULL;
}

/* See that the file is the one that is written to in which a frame belongs. */
static bool choose_piece(struct sbpcat *self, const struct sbp_message *message, const struct sbp_frame *frame) {
  const struct cli_frames *const frames = &self->frames;
  struct piece **const of_type = message == NULL ? &self->of_unknown : &self->of_type[frame->type];
  int64_t slice;
  switch (self->split) {
  case SPLIT_TYPE:
    if (*of_type == NULL)
      *of_type = new_piece(self, message == NULL ? "UNKNOWN" : message->body.name);
    self->piece = *of_type;
    return self->piece != NULL;
  case SPLIT_TIME:
    /* What comes late stays with what it comes with. */
    slice = frames->clock.known ? (frames->clock.gps - frames->start) / self->split_time : 0;
    if (self->piece != NULL && slice <= self->slice)
      return true;
    self->slice = slice;
    return next_number(self);
  case SPLIT_SIZE:
    if (self->piece != NULL &&
        (self->piece->size == 0 || self->piece->size + frame->length + SBP_FRAME_OVERHEAD <= self->split_size))
      return true;
    return next_number(self);
  case SPLIT_NOT:
    break;
  }
  return true;
}

/* Bytes outside frames, which may be cut anywhere, go where the frame before them went. */
static void split_outside(struct sbpcat *self, const uint8_t *bytes, size_t size) {
  while (size > 0 && !self->cli.stop) {
    if ((self->piece == NULL || (self->split == SPLIT_SIZE && self->piece->size >= self->split_size)) &&
        !next_number(self))
      return;
    size_t part = size < PIECE_BLOCK ? size : PIECE_BLOCK;
    if (self->split == SPLIT_SIZE && part > self->split_size - self->piece->size)
      part = (size_t)(self->split_size - self->piece->size);
    add(&self->cli, self->piece, bytes, part);
    bytes += part;
    size -= part;
  }
}

/* ---- The tool -------------------------------------------------------------------------------------------------- */

/* Read a size as "100M" or "4096". */
static bool read_size(const char *text, uint64_t *size) {
  static const char units[] = "kMG";
  const size_t length = strlen(text);
  const char *const unit = length == 0 ? NULL : strchr(units, text[length - 1]);
  uint64_t factor = 1;
  for (const char *u = units; unit != NULL && u <= unit; ++u)
    factor *= 1000;
  if (!cli_number(text, unit == NULL ? length : length - 1, size) || *size == 0 || *size > UINT64_MAX / factor)
    return false;
  *size *= factor;
  return true;
}

static bool prepare_split(struct sbpcat *self) {
  struct cli *const cli = &self->cli;
  const char *const text = self->split_text;
  if (strncmp(text, "size=", 5) == 0 && read_size(text + 5, &self->split_size))
    self->split = SPLIT_SIZE;
  else if (strncmp(text, "time=", 5) == 0 && cli_duration(text + 5, &self->split_time) && self->split_time > 0)
    self->split = SPLIT_TIME;
  else if (strcmp(text, "type") == 0)
    self->split = SPLIT_TYPE;
  else {
    cli_fail(cli, "--split %s: not one of size=100M, time=10m, type", text);
    return false;
  }
  self->base = cli->options.output != NULL   ? cli->options.output
               : cli->options.path_count > 0 ? cli->options.paths[0]
                                             : "-";
  if (strcmp(self->base, "-") == 0) {
    cli_fail(cli, "--split: its files are named after the log, and standard input has no name; give them one by -o");
    return false;
  }
  /* Without the last extension, which is not the dot that a name begins with. */
  const char *dot = strrchr(self->base, '.');
  const char *const slash = strrchr(self->base, '/');
  if (dot == NULL || dot == self->base || (slash != NULL && dot <= slash + 1))
    dot = self->base + strlen(self->base);
  self->base_length = (size_t)(dot - self->base);
  self->frames.timed = self->split == SPLIT_TIME;
  cli->own_files = true;
  return true;
}

static void outside(struct cli *cli, const uint8_t *bytes, size_t size) {
  struct sbpcat *const self = (struct sbpcat *)cli;
  if (size == 0)
    return;
  if (self->split == SPLIT_NOT) {
    cli_begin_record(cli);
    cli_write(cli, bytes, size);
  } else {
    split_outside(self, bytes, size);
  }
}

static bool prepare(struct cli *cli) {
  struct sbpcat *const self = (struct sbpcat *)cli;
  if (cli->options.handler == CLI_TO_INVALID) {
    cli_fail(cli, "--error-handler to-invalid: that is for JSON; here bytes outside frames stay, or --repair");
    return false;
  }
  if (self->every_text != NULL &&
      (!cli_number(self->every_text, strlen(self->every_text), &self->every) || self->every == 0)) {
    cli_fail(cli, "--every %s: not a number of messages, 1 or more", self->every_text);
    return false;
  }
  if (self->split_text != NULL && !prepare_split(self))
    return false;
  cli_frames_prepare(cli, &self->frames);
  if (!cli_select_prepare(cli, &self->frames))
    return false;
  /* Bytes that are no message go where messages are picked. */
  cli->keeps_outside =
      !self->repair && !cli->select.by_type && !cli->select.by_sender && self->every == 0 && self->split != SPLIT_TYPE;
  if (cli->keeps_outside)
    self->frames.outside = outside;
  return true;
}

static void begin(struct cli *cli) {
  cli_frames_begin(&((struct sbpcat *)cli)->frames);
}

/* Whether a frame is written, which --every may keep from it. */
static bool is_written(struct sbpcat *self, const struct sbp_frame *frame) {
  return cli_selected(&self->cli, &self->frames, frame) &&
         (self->every == 0 || self->seen[frame->type]++ % self->every == 0);
}

static void write_frame(struct sbpcat *self, const struct sbp_message *message, const struct sbp_frame *frame) {
  const size_t size = (size_t)frame->length + SBP_FRAME_OVERHEAD;
  if (self->split == SPLIT_NOT) {
    cli_begin_record(&self->cli);
    cli_write(&self->cli, frame->bytes, size);
  } else if (choose_piece(self, message, frame)) {
    add(&self->cli, self->piece, frame->bytes, size);
  }
}

static enum sbp_status next(struct cli *cli, const char *data, size_t size, bool last, size_t *used) {
  struct sbpcat *const self = (struct sbpcat *)cli;
  const struct sbp_message *message;
  struct sbp_frame frame;
  const enum sbp_status status = cli_frames_next(&self->frames, data, size, last, &frame, &message, used);
  if (status == SBP_OK && !cli->stop && is_written(self, &frame)) {
    write_frame(self, message, &frame);
    ++cli->counts.written;
    cli_select_count(cli);
  }
  return status;
}

static void end(struct cli *cli) {
  cli_frames_end(&((struct sbpcat *)cli)->frames);
}

/* Behind the last input: what is kept of the files of --split. */
static void finish(struct cli *cli) {
  struct sbpcat *const self = (struct sbpcat *)cli;
  if (self->split != SPLIT_TYPE)
    end_piece(cli, self->piece);
  for (unsigned type = 0; type < 65536; ++type)
    end_piece(cli, self->of_type[type]);
  end_piece(cli, self->of_unknown);
}

int main(int argc, char **argv) {
  static const struct cli_tool tool = {
      .name = "sbpcat",
      .summary = "Copy SBP: parts of a log, some of its messages, what is whole of it.",
      .examples = "  sbpcat --from 2026-11-30T12:00:00Z --to 2026-11-30T12:10:00Z log.sbp >part.sbp\n"
                  "  sbpcat --include 'MSG_POS*' --every 10 log.sbp >fixes.sbp\n"
                  "  sbpcat --repair log.sbp >whole.sbp\n"
                  "  sbpcat --split time=1h log.sbp\n",
      .arguments = "[LOG ...]",
      .options = options,
      .copies = true,
      .first_byte = SBP_PREAMBLE,
      .prepare = prepare,
      .begin = begin,
      .next = next,
      .end = end,
      .finish = finish,
  };
  static struct sbpcat self;
  return cli_main(&self.cli, &tool, argc, argv);
}
