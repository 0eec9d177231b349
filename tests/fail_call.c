/* SPDX-License-Identifier: MIT */
/* A library to preload, which makes one kind of call fail. From the environment:
 *   FAIL_CALL  read, write, open, close, truncate, poll or memory (malloc, calloc, realloc)
 *   FAIL_AT    the number of the call that fails, from 1; 0: every one
 *   FAIL_WITH  the errno that it fails with; "half": read and write do half of what they are asked to; "full": a write
 *              does half, and all later ones to its descriptor fail with ENOSPC, as on a disk that fills up
 *   FAIL_LOG   a descriptor that gets a line for each call: its descriptor (memory: the size), its result, and
 *              whether it was made to fail */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *wanted = ""; /* FAIL_CALL, once main() is near */
static long fail_at;
static int fail_with;
static bool half;
static bool full;
static int log_descriptor;
static long calls;

__attribute__((constructor)) static void read_environment(void) {
  const char *const with = getenv("FAIL_WITH");
  fail_at = atol(getenv("FAIL_AT"));
  half = strcmp(with, "half") == 0;
  full = strcmp(with, "full") == 0;
  fail_with = full ? ENOSPC : atoi(with);
  log_descriptor = atoi(getenv("FAIL_LOG"));
  wanted = getenv("FAIL_CALL");
}

/* Count a call, and tell whether it is to fail. */
static bool fails(const char *call) {
  if (strcmp(call, wanted) != 0)
    return false;
  ++calls;
  return fail_at == 0 || calls == fail_at;
}

/* Log a call. Nothing here may be watched itself, or change errno. */
static void note(const char *call, long what, long result, bool failed) {
  const int saved = errno;
  char line[64];
  if (strcmp(call, wanted) == 0) {
    const int size = snprintf(line, sizeof line, "%ld %ld %d\n", what, result, failed);
    (void)syscall(SYS_write, log_descriptor, line, size);
  }
  errno = saved;
}

/* What to call in the end, of the type of `like`. */
#define NEXT(like) ((__typeof__(&(like)))dlsym(RTLD_NEXT, #like))

/* ---- Input and output ------------------------------------------------------------------------------------------- */

ssize_t read(int descriptor, void *data, size_t size) {
  const bool failed = fails("read");
  ssize_t result = -1;
  if (!failed || half)
    result = NEXT(read)(descriptor, data, failed ? (size + 1) / 2 : size);
  else
    errno = fail_with;
  note("read", descriptor, result, failed);
  return result;
}

ssize_t write(int descriptor, const void *data, size_t size) {
  static int full_disk = -1;
  const bool first = fails("write");
  const bool failed = first || descriptor == full_disk;
  ssize_t result = -1;
  if (first && full)
    full_disk = descriptor;
  if (!failed || half || (full && first))
    result = NEXT(write)(descriptor, data, failed ? (size + 1) / 2 : size);
  else
    errno = fail_with;
  note("write", descriptor, result, failed);
  return result;
}

int open(const char *path, int flags, ...) {
  const bool failed = fails("open");
  int result = -1;
  va_list arguments;
  va_start(arguments, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if (failed)
    errno = fail_with;
  else
    result = NEXT(open)(path, flags, mode);
  note("open", result, result, failed);
  return result;
}

#if defined(__GLIBC__) /* elsewhere it is open() itself */
int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  return open(path, flags | O_LARGEFILE, mode);
}
#endif

int close(int descriptor) {
  const bool failed = fails("close");
  /* It is closed all the same, as on Linux. */
  int result = NEXT(close)(descriptor);
  if (failed) {
    errno = fail_with;
    result = -1;
  }
  note("close", descriptor, result, failed);
  return result;
}

int ftruncate64(int descriptor, off64_t size) {
  const bool failed = fails("truncate");
  int result = -1;
  if (failed)
    errno = fail_with;
  else
    result = NEXT(ftruncate64)(descriptor, size);
  note("truncate", descriptor, result, failed);
  return result;
}

int poll(struct pollfd *wait, nfds_t count, int milliseconds) {
  const bool failed = fails("poll");
  int result = -1;
  if (failed)
    errno = fail_with;
  else
    result = NEXT(poll)(wait, count, milliseconds);
  note("poll", wait->fd, result, failed);
  return result;
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

static void *noted(void *memory, size_t size, bool failed) {
  note("memory", (long)size, memory != NULL, failed);
  if (memory == NULL)
    errno = ENOMEM;
  return memory;
}

void *malloc(size_t size) {
  const bool failed = fails("memory");
  return noted(failed ? NULL : NEXT(malloc)(size), size, failed);
}

void *calloc(size_t count, size_t size) {
  const bool failed = fails("memory");
  return noted(failed ? NULL : NEXT(calloc)(count, size), count * size, failed);
}

void *realloc(void *old, size_t size) {
  const bool failed = fails("memory");
  return noted(failed ? NULL : NEXT(realloc)(old, size), size, failed);
}
