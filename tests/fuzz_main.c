/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on files, and on all files of folders, where there is no fuzzer to link with. */
#include <dirent.h>

#include "fuzz.h"

static unsigned files;

static void run_file(const char *path) {
  FILE *const file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  uint8_t *data = NULL;
  size_t size = 0, count;
  do {
    uint8_t *const larger = realloc(data, size + 65536);
    if (larger == NULL)
      exit(2);
    data = larger;
    count = fread(data + size, 1, 65536, file);
    size += count;
  } while (count > 0);
  (void)fclose(file);
  (void)LLVMFuzzerTestOneInput(data, size);
  free(data);
  files++;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    DIR *const folder = opendir(argv[i]);
    if (folder == NULL) {
      run_file(argv[i]);
      continue;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
      char path[4096];
      const int length = snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
      if (entry->d_name[0] != '.' && length > 0 && (size_t)length < sizeof path)
        run_file(path);
    }
    (void)closedir(folder);
  }
  printf("%u files\n", files);
  return 0;
}
