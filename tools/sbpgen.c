/* SPDX-License-Identifier: MIT */
/* sbpgen SCHEMA_DIR OUTPUT_DIR: schema files -> the C sources of build/gen. A file is written only when it changes, so
 * that nothing is compiled again for no reason. */
#define _POSIX_C_SOURCE 200809L /* opendir, mkdir */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sbpgen.h"

/* What is made, beside a header a package; a file more is a line more. */
static const struct {
  const char *name;
  void (*make)(struct sbp_buffer *text, const struct sbp_schema *schema);
} outputs[] = {
    {"messages_table.c", make_table},
    {"messages_write.c", make_writers},
    {"messages_skip.c", make_skippers},
    {"messages_lines.h", make_declarations},
    {"messages_codec.c", make_codec},
    {"sbpkit/protocol.h", make_protocol_header},
    {"sbpkit/messages.h", make_messages_header},
};

static char *join(const char *directory, const char *name, const char *suffix) {
  struct sbp_buffer path = {.allocator = &allocator};
  print(&path, "%s/%s%s", directory, name, suffix);
  put_byte(&path, '\0');
  return path.data;
}

/* Read a file behind what the text holds. Returns false where it cannot be read; errno says why. */
static bool read_file(const char *path, struct sbp_buffer *text) {
  FILE *const file = fopen(path, "rb");
  if (file == NULL)
    return false;
  size_t got;
  do {
    sbp_buffer_reserve(text, BUFSIZ);
    got = fread(text->data + text->size, 1, BUFSIZ, file);
    text->size += got;
  } while (got > 0);
  const bool failed = ferror(file) != 0;
  const int error = errno;
  (void)fclose(file);
  errno = error;
  return !failed;
}

static void write_file(const char *directory, const char *name, const struct sbp_buffer *text) {
  char *const path = join(directory, name, "");
  char *const unfinished = join(directory, name, ".new");
  struct sbp_buffer old = {.allocator = &allocator};
  const bool same = read_file(path, &old) && old.size == text->size && memcmp(old.data, text->data, old.size) == 0;
  if (!same) {
    FILE *const file = fopen(unfinished, "wb");
    if (file == NULL)
      fail("%s: %s", unfinished, strerror(errno));
    /* cppcheck-suppress nullPointerRedundantCheck ; fail() does not return */
    const bool written = fwrite(text->data, 1, text->size, file) == text->size;
    /* cppcheck-suppress nullPointerRedundantCheck ; the same */
    if (fclose(file) != 0 || !written)
      fail("%s: %s", unfinished, strerror(errno));
    (void)remove(path); /* not everywhere does rename() replace a file */
    if (rename(unfinished, path) != 0)
      fail("%s: %s", path, strerror(errno));
  }
  sbp_buffer_free(&old);
  free(unfinished);
  free(path);
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name);
  return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths of a folder's schema files, sorted. NAME.schema.json describes schemas, and is none. */
static char **list_files(const char *directory, size_t *count) {
  DIR *const folder = opendir(directory);
  if (folder == NULL)
    fail("%s: %s", directory, strerror(errno));
  char **paths = NULL;
  *count = 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (ends_with(entry->d_name, ".json") && !ends_with(entry->d_name, ".schema.json")) {
      paths = resize(NULL, paths, 0, (*count + 1) * sizeof(paths[0]));
      paths[(*count)++] = join(directory, entry->d_name, "");
    }
  closedir(folder);
  if (*count == 0)
    fail("%s: no schema file (*.json) is in it", directory);
  /* cppcheck-suppress nullPointer ; there is a path, since fail() does not return */
  qsort(paths, *count, sizeof(paths[0]), compare_paths);
  return paths;
}

static const struct sbp_schema *read_schema(const char *directory, struct sbp_arena *arena) {
  struct sbp_schema_set set = {.arena = arena};
  struct sbp_schema_error error;
  size_t count;
  char **const paths = list_files(directory, &count);
  for (size_t i = 0; i < count; i++) {
    struct sbp_buffer text = {.allocator = &allocator};
    if (!read_file(paths[i], &text))
      fail("%s: %s", paths[i], strerror(errno));
    if (sbp_schema_add(&set, paths[i], text.data, text.size, &error) != SBP_OK)
      fail("%s", error.text);
    sbp_buffer_free(&text);
    free(paths[i]);
  }
  free(paths);
  const struct sbp_schema *schema;
  if (sbp_schema_build(&set, &schema, &error) != SBP_OK)
    fail("%s", error.text);
  return schema;
}

static void begin_file(struct sbp_buffer *text, const struct sbp_schema *schema) {
  text->size = 0;
  print(text, "/* SPDX-License-Identifier: MIT */\n/* Made by sbpgen of the schema of SBP %s. */\n", schema->version);
}

/* Headers of packages stand beside those that are there anyway. */
static void check_package(const char *package) {
  static const char *const taken[] = {"messages", "protocol", "sbp", "schema", "view"};
  for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
    if (strcmp(package, taken[i]) == 0)
      fail("package %s: sbpkit/%s.h is another header", package, package);
}

static void write_package_headers(const char *directory, const struct sbp_schema *schema, struct sbp_buffer *text) {
  size_t count;
  const char **const packages = list_packages(schema, &count);
  for (size_t i = 0; i < count; i++) {
    check_package(packages[i]);
    begin_file(text, schema);
    make_package_header(text, schema, packages[i]);
    char *const name = join("sbpkit", packages[i], ".h");
    write_file(directory, name, text);
    free(name);
  }
  free(packages);
}

int main(int argc, char **argv) {
  if (argc != 3)
    fail("usage: sbpgen SCHEMA_DIR OUTPUT_DIR");
  struct sbp_arena arena = {.allocator = &allocator};
  struct sbp_buffer text = {.allocator = &allocator};
  const struct sbp_schema *const schema = read_schema(argv[1], &arena);
  char *const headers = join(argv[2], "sbpkit", "");
  if (mkdir(headers, 0777) != 0 && errno != EEXIST)
    fail("%s: %s", headers, strerror(errno));
  write_package_headers(argv[2], schema, &text);
  for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
    begin_file(&text, schema);
    outputs[i].make(&text, schema);
    write_file(argv[2], outputs[i].name, &text);
  }
  free(headers);
  sbp_buffer_free(&text);
  sbp_arena_drop(&arena);
  return EXIT_SUCCESS;
}
