/* SPDX-License-Identifier: MIT */
/* The way through a run: options, files, the read and write loop, the end. */
#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What is read at a time is as much as a pipe holds (see io_posix.c). What is written at a time is a quarter of that:
 * so a pipe is never wholly full or empty while both its ends work, and neither waits for the other. */
enum { READ_BLOCK = 256 << 10, WRITE_BLOCK = 64 << 10 };

/* What is read behind the end of --range: the rest of the longest frame that begins before it. */
enum { LOOKAHEAD = SBP_FRAME_MAX - 1 };

static void *resize_memory(void *context, void *old, size_t old_size, size_t new_size) {
  (void)context;
  (void)old_size;
  if (new_size > 0)
    return realloc(old, new_size);
  free(old);
  return NULL;
}

const struct sbp_allocator cli_allocator = {.resize = resize_memory};

/* ---- Output ---------------------------------------------------------------------------------------------------- */

/* Take the memory that cli_room() and cli_write() fill. */
static bool prepare_output(struct cli *cli) {
  const size_t size = WRITE_BLOCK + cli->record_max;
  cli->out = cli->out_end = cli->record = malloc(size);
  if (cli->out == NULL) {
    cli_fail(cli, "out of memory");
    return false;
  }
  cli->out_limit = cli->out + size;
  return true;
}

/* Write out[0 .. size) and move what follows to the front. Where that fails, a file that can ends with the last record
 * that is whole. */
static void write_out(struct cli *cli, size_t size) {
  const size_t left = (size_t)(cli->out_end - cli->out) - size;
  size_t written = size;
  if (cli->output.descriptor >= 0) {
    written = io_write(&cli->output, cli->out, size);
    cli->counts.bytes_written += written;
  }
  if (written < size) {
    const uint64_t part = cli->record_begun + written;
    if (io_reader_gone()) {
      cli_progress_clear(cli);
      cli->status = io_die(0);
      cli->stop = true;
    } else {
      cli_fail(cli, "%s: %s", cli->output.name, io_error());
    }
    if (io_undo(&cli->output, part))
      cli->counts.bytes_written -= part;
    (void)io_close(&cli->output);
  }
  memmove(cli->out, cli->out + size, left);
  cli->out_end = cli->out + left;
  cli->record = cli->out;
}

void cli_flush(struct cli *cli) {
  if (cli->out_end != cli->out)
    write_out(cli, (size_t)(cli->out_end - cli->out));
  cli->record_begun = 0;
}

void cli_write_parts(struct cli *cli, const void *data, size_t size) {
  const char *from = data;
  while (size > 0) {
    const size_t room = (size_t)(cli->out_limit - cli->out_end);
    const size_t part = size < room ? size : room;
    memcpy(cli->out_end, from, part);
    cli->out_end += part;
    from += part;
    size -= part;
    if (size == 0)
      return;
    /* The records before go out whole; one that fills all of out[] goes in parts. */
    const size_t whole = (size_t)(cli->record - cli->out);
    write_out(cli, whole > 0 ? whole : (size_t)(cli->out_end - cli->out));
    cli->record_begun = whole > 0 ? 0 : cli->record_begun + (size_t)(cli->out_limit - cli->out);
  }
}

void cli_print(struct cli *cli, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length > 0)
    cli_write(cli, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

/* ---- Input ----------------------------------------------------------------------------------------------------- */

/* Go to the first byte that is to be read: read on to it where the input cannot be entered in the middle. */
static bool skip_to_range(struct cli *cli) {
  struct sbp_buffer *const in = &cli->in;
  uint64_t left = cli->range_begin;
  ptrdiff_t count = 1;
  if (cli->input.kind == IO_REGULAR && cli->input.size < left) {
    left -= cli->input.size;
    count = 0;
  } else if (left > 0 && !io_seek(&cli->input, left)) {
    while (left > 0 && count > 0) {
      count = io_read(&cli->input, in->data, left < in->capacity ? (size_t)left : in->capacity);
      left -= count > 0 ? (uint64_t)count : 0;
    }
  }
  if (count < 0)
    cli_fail(cli, "%s: %s", cli->input.name, io_error());
  else if (count == 0 && io_stopped() == 0)
    cli_fail(cli, "%s: ends at byte %" PRIu64 ", before --range %s", cli->input.name, cli->range_begin - left,
             cli->options.range);
  return count > 0;
}

/* Open the next input. */
static bool open_input(struct cli *cli, const char *path) {
  const uint64_t length = cli->range_end - cli->range_begin;
  cli->unread = length == 0 ? 0 : length > UINT64_MAX - LOOKAHEAD ? UINT64_MAX : length + LOOKAHEAD;
  cli->lookahead = 0;
  if (!io_open_read(&cli->input, path))
    cli_fail(cli, "%s: %s", cli->input.name, io_error());
  else if (cli->input.kind == IO_DIRECTORY)
    cli_fail(cli, "%s: is a directory", cli->input.name);
  else if (cli->options.range != NULL && !skip_to_range(cli))
    cli->stop = true;
  return !cli->stop;
}

/* Make room for more of a long value. In a few large steps, since an allocator may hold on to the smaller blocks. */
static bool grow_input(struct sbp_buffer *in) {
  const size_t most = SBP_VALUE_MAX + READ_BLOCK;
  const size_t more = 3 * in->capacity;
  return sbp_buffer_reserve(in, more < most - in->size ? more : most - in->size) == SBP_OK;
}

/* Read more behind what is not converted yet. What is written so far goes out first where the read would block, so that
 * a live reader sees each record as soon as it is there. False at the end of the input and where the run has to stop.
 */
static bool read_more(struct cli *cli) {
  struct sbp_buffer *in = &cli->in;
  if (cli->unread == 0)
    return false;
  if (cli->taken > 0) {
    in->size -= cli->taken;
    memmove(in->data, in->data + cli->taken, in->size);
    cli->taken = 0;
  }
  if (in->capacity - in->size < in->capacity / 4 && !grow_input(in)) {
    cli_fail(cli, "out of memory");
    return false;
  }
  if (!io_ready(&cli->input)) {
    if (!cli->options.buffered)
      cli_flush(cli);
    io_wait(&cli->input);
  }
  const size_t room = in->capacity - in->size;
  const ptrdiff_t count = io_read(&cli->input, in->data + in->size, cli->unread < room ? (size_t)cli->unread : room);
  if (io_stopped() != 0)
    cli->stop = true;
  if (count < 0)
    cli_fail(cli, "%s: %s", cli->input.name, io_error());
  if (count <= 0 || cli->stop)
    return false;
  in->size += (size_t)count;
  cli->counts.bytes_read += (uint64_t)count;
  if (cli->range_end != UINT64_MAX) {
    cli->unread -= (uint64_t)count;
    const size_t lookahead = cli->unread < LOOKAHEAD ? LOOKAHEAD - (size_t)cli->unread : 0;
    cli->counts.bytes_read -= lookahead - cli->lookahead;
    cli->lookahead = lookahead;
  }
  cli_progress_show(cli);
  return true;
}

/* Convert an input whose first bytes have been read; `last` says that there are no more. */
static void convert(struct cli *cli, bool last) {
  cli->tool->begin(cli);
  while (!cli->stop) {
    size_t used;
    const enum sbp_status status =
        cli->tool->next(cli, cli->in.data + cli->taken, cli->in.size - cli->taken, last, &used);
    cli->taken += used;
    if (status == SBP_END)
      break;
    if (status == SBP_NEED_MORE)
      last = !read_more(cli);
  }
  cli->tool->end(cli);
  cli->taken = cli->in.size;
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

/* Whether a file that is there may be overwritten without -o: it holds nothing, or what this tool writes. */
static bool may_overwrite(struct cli *cli) {
  struct io_file file;
  char first = 0;
  if (cli->output.path == NULL || cli->output.kind != IO_REGULAR || cli->output.size == 0)
    return true;
  if (!io_open_read(&file, cli->output.path) || io_read(&file, &first, 1) < 0) {
    cli_fail(cli, "%s: %s, so there is no telling what it holds; -o overwrites it", file.name, io_error());
    return false;
  }
  (void)io_close(&file);
  if (first == cli->tool->first_byte)
    return true;
  cli_fail(cli, "%s: is there and does not begin as the output of %s does; -o overwrites it", file.name,
           cli->tool->name);
  return false;
}

/* Whether a file is also one of the inputs, which writing would destroy, or that cannot be told; then why has been
 * said.
 */
static bool is_input(struct cli *cli, const struct io_file *file, char **inputs, int count) {
  bool same = io_same(&cli->input, file);
  for (int i = 1; i < count && !same; ++i) {
    struct io_file other;
    if (!io_probe(&other, inputs[i])) {
      cli_fail(cli, "%s: %s", other.name, io_error());
      return true;
    }
    same = io_same(&other, file);
  }
  if (same)
    cli_fail(cli, "%s: is input and output", file->name);
  return same;
}

/* Open the output and the file of --report. Neither is touched before it is certain that both can be had. */
static bool open_outputs(struct cli *cli, const char *path, char **inputs, int count) {
  const bool overwrite = cli->options.output != NULL;
  if (cli->own_files) {
    if (cli_report_open(cli) && !is_input(cli, &cli->report_file, inputs, count))
      return true;
    io_discard(&cli->report_file);
    return false;
  }
  if (!io_open_write(&cli->output, path)) {
    cli_fail(cli, "%s: %s", cli->output.name, io_error());
    return false;
  }
  if (is_input(cli, &cli->output, inputs, count) || !(overwrite || may_overwrite(cli)) || !cli_report_open(cli) ||
      is_input(cli, &cli->report_file, inputs, count)) {
    io_discard(&cli->output);
    io_discard(&cli->report_file);
    return false;
  }
  if (!io_truncate(&cli->output)) {
    cli_fail(cli, "%s: %s", cli->output.name, io_error());
    return false;
  }
  return true;
}

/* See that the inputs behind the first can be read before anything is written, and how much there is to read. */
static bool probe_inputs(struct cli *cli, char **inputs, int count) {
  bool known = cli->input.kind == IO_REGULAR;
  uint64_t size = cli->input.size;
  for (int i = 1; i < count; ++i) {
    struct io_file file;
    if (!io_probe(&file, inputs[i])) {
      cli_fail(cli, "%s: %s", file.name, io_error());
      return false;
    }
    if (file.kind == IO_DIRECTORY) {
      cli_fail(cli, "%s: is a directory", file.name);
      return false;
    }
    known = known && file.kind == IO_REGULAR;
    size += file.size;
  }
  if (size > cli->range_end)
    size = cli->range_end;
  cli->input_size = known ? size - cli->range_begin : 0;
  return true;
}

/* Convert all inputs. */
static void run(struct cli *cli) {
  char *no_path[] = {NULL};
  const struct cli_options *options = &cli->options;
  char **inputs = options->path_count > 0 ? options->paths : no_path;
  const char *output = options->output;
  int count = options->path_count > 0 ? options->path_count : 1;
  if (cli->tool->arguments == NULL && output == NULL && count == 2)
    output = inputs[--count];

  cli->in.allocator = &cli_allocator;
  if (sbp_buffer_reserve(&cli->in, READ_BLOCK) != SBP_OK) {
    cli_fail(cli, "out of memory");
    return;
  }
  if (!open_input(cli, inputs[0]) || !probe_inputs(cli, inputs, count))
    return;
  bool last = !read_more(cli);
  if (cli->stop || !open_outputs(cli, output, inputs, count))
    return;
  for (int i = 0;;) {
    convert(cli, last);
    (void)io_close(&cli->input);
    if (++i == count || cli->stop || !open_input(cli, inputs[i]))
      return;
    last = !read_more(cli);
  }
}

/* ---- Begin and end --------------------------------------------------------------------------------------------- */

/* SBPKIT_CPU=portable keeps off the instructions that not every machine has, SBPKIT_TEMPLATES=off reads all JSON by the
 * general reader: the tests compare, and so can who suspects a fault there. */
static bool read_environment(struct cli *cli) {
  static const char *const names[] = {
      [SBP_CPU_PORTABLE] = "portable", [SBP_CPU_AVX2] = "avx2", [SBP_CPU_NEON] = "neon"};
  const char *const cpu = getenv("SBPKIT_CPU");
  const char *const templates = getenv("SBPKIT_TEMPLATES");
  cli->cpu = sbp_cpu_best();
  cli->use_templates = templates == NULL || strcmp(templates, "off") != 0;
  if (cpu == NULL || *cpu == '\0' || strcmp(cpu, names[cli->cpu]) == 0)
    return true;
  if (strcmp(cpu, names[SBP_CPU_PORTABLE]) != 0) {
    const bool other = cli->cpu != SBP_CPU_PORTABLE;
    cli_fail(cli, "SBPKIT_CPU=%s: this machine has portable%s%s", cpu, other ? " and " : " alone",
             other ? names[cli->cpu] : "");
    return false;
  }
  cli->cpu = SBP_CPU_PORTABLE;
  return true;
}

/* What needs no input: --help, --version, --describe. */
static void inform(struct cli *cli) {
  if (!io_open_write(&cli->output, NULL) || !prepare_output(cli))
    return;
  if (cli->options.help) {
    cli_help(cli);
  } else if (cli->options.version) {
    cli_print(cli, "%s %s (SBP %s)\n", cli->tool->name, SBPKIT_VERSION, sbp_schema_builtin.version);
  } else if (*cli->options.describe != '\0' || cli->options.path_count == 0) {
    cli_describe(cli, cli->options.describe);
  } else {
    for (int i = 0; i < cli->options.path_count && !cli->stop; ++i) {
      cli_print(cli, "%s", i == 0 ? "" : "\n");
      cli_describe(cli, cli->options.paths[i]);
    }
  }
}

int cli_main(struct cli *cli, const struct cli_tool *tool, int argc, char **argv) {
  io_start();
  cli->tool = tool;
  cli->output.descriptor = cli->report_file.descriptor = -1;
  cli->started = io_milliseconds();
  if (!cli_options_read(cli, argc, argv))
    return cli->status;
  if (cli->options.help || cli->options.version || cli->options.describe != NULL) {
    if (cli->options.help || cli->options.version || cli_schema_read(cli))
      inform(cli);
  } else if (read_environment(cli) && cli_schema_read(cli) && tool->prepare(cli) && prepare_output(cli)) {
    run(cli);
    if (tool->finish != NULL)
      tool->finish(cli);
  }
  cli_flush(cli);
  if (!io_close(&cli->output))
    cli_fail(cli, "%s: %s", cli->output.name, io_error());
  cli_progress_clear(cli);
  cli_summarise(cli);
  cli_report_write(cli);
  return io_stopped() != 0 ? io_die(io_stopped()) : cli->status;
}
