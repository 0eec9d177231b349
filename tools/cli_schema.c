/* SPDX-License-Identifier: MIT */
/* --schema: messages from files, beside or in place of those built in. */
#include "cli.h"

#if defined(SBPKIT_NO_SCHEMA)

bool cli_schema_read(struct cli *cli) {
  cli->schema = &sbp_schema_builtin;
  if (cli->options.schemas.size > 0)
    cli_fail(cli, "--schema: left out when this %s was built, with jansson", cli->tool->name);
  return cli->options.schemas.size == 0;
}

#else

#include "sbpkit/schema.h"

static bool read_file(struct cli *cli, const char *path, struct sbp_buffer *text) {
  struct io_file file;
  if (!io_open_read(&file, path)) {
    cli_fail(cli, "%s: %s", file.name, io_error());
    return false;
  }
  ptrdiff_t count = -1;
  do {
    if (sbp_buffer_reserve(text, 65536) != SBP_OK) {
      cli_fail(cli, "out of memory");
      break;
    }
    count = io_read(&file, text->data + text->size, text->capacity - text->size);
    if (count < 0)
      cli_fail(cli, "%s: %s", file.name, io_error());
    else
      text->size += (size_t)count;
  } while (count > 0);
  (void)io_close(&file);
  return count == 0;
}

bool cli_schema_read(struct cli *cli) {
  const struct sbp_buffer *const paths = &cli->options.schemas;
  struct sbp_schema_set set = {.arena = &cli->schema_arena, .base = &sbp_schema_builtin, .replace = true};
  struct sbp_schema_error error = {.text = ""};
  struct sbp_buffer text = {.allocator = &cli_allocator};
  bool done = true;
  cli->schema = &sbp_schema_builtin;
  cli->schema_arena.allocator = &cli_allocator;
  for (const char *path = cli_list_next(paths, NULL); path != NULL && done; path = cli_list_next(paths, path)) {
    text.size = 0;
    done = read_file(cli, path, &text) && sbp_schema_add(&set, path, text.data, text.size, &error) == SBP_OK;
  }
  if (done && paths->size > 0)
    done = sbp_schema_build(&set, &cli->schema, &error) == SBP_OK;
  if (!done)
    cli_fail(cli, "%s", error.text); /* where a file could not be read, that has been said */
  sbp_buffer_free(&text);
  return done;
}

#endif
