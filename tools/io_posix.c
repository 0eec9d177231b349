/* SPDX-License-Identifier: MIT */
#if defined(__linux__)
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#define _FILE_OFFSET_BITS 64

#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Larger pipes make for fewer changes between the programs of a pipeline. Not larger still: an unprivileged user has
 * 64 MiB of pipes in all. */
enum { PIPE_SIZE = 256 << 10 };

static volatile sig_atomic_t stop_signal;

/* The ends of a pipe that becomes readable when a signal comes, so that none is missed between a look at stop_signal
 * and the wait that follows. Made at the first wait. */
static volatile sig_atomic_t wake_write = -1;
static int wake_read = -1;

static void on_stop(int number) {
  const int saved = errno;
  stop_signal = number;
  if (wake_write >= 0 && write(wake_write, "", 1) < 0) {
    /* Then the pipe is full, which wakes as well. */
  }
  errno = saved;
}

/* A signal that the tool was started to ignore, as a shell does for what runs in the background, stays ignored. */
static void catch_stop(int number) {
  struct sigaction old;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = on_stop;
  action.sa_flags = (int)SA_RESETHAND;
  if (sigaction(number, &action, &old) == 0 && old.sa_handler == SIG_IGN)
    sigaction(number, &old, NULL);
}

void io_start(void) {
  /* A closed standard stream gets a descriptor that refuses what the stream is for, so that using it is an error
   * and not a write to whichever file is opened first. */
  for (int stream = 0; stream <= 2; ++stream) {
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
      const int opened = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
      if (opened >= 0 && opened != stream)
        close(opened);
    }
  }
  catch_stop(SIGINT);
  catch_stop(SIGTERM);
  /* Writes tell of a closed pipe by EPIPE: then the progress line can go before the tool does. */
  (void)signal(SIGPIPE, SIG_IGN);
}

const char *io_error(void) {
  return strerror(errno);
}

static void describe(struct io_file *file, const struct stat *status) {
  file->kind = S_ISREG(status->st_mode)    ? IO_REGULAR
               : S_ISDIR(status->st_mode)  ? IO_DIRECTORY
               : S_ISFIFO(status->st_mode) ? IO_PIPE
                                           : IO_OTHER;
  file->size = file->kind == IO_REGULAR ? (uint64_t)status->st_size : 0;
  file->device = (uint64_t)status->st_dev;
  file->number = (uint64_t)status->st_ino;
}

static bool look(struct io_file *file) {
  struct stat status;
  if (fstat(file->descriptor, &status) != 0)
    return false;
  describe(file, &status);
#if defined(F_SETPIPE_SZ)
  if (file->kind == IO_PIPE && fcntl(file->descriptor, F_GETPIPE_SZ) < PIPE_SIZE)
    (void)fcntl(file->descriptor, F_SETPIPE_SZ, PIPE_SIZE);
#endif
  return true;
}

static int open_again(const char *path, int flags) {
  int descriptor;
  do
    descriptor = open(path, flags | O_CLOEXEC, 0666);
  while (descriptor < 0 && errno == EINTR && stop_signal == 0);
  return descriptor;
}

static bool is_standard(const char *path) {
  return path == NULL || strcmp(path, "-") == 0;
}

bool io_open_read(struct io_file *file, const char *path) {
  memset(file, 0, sizeof *file);
  if (is_standard(path)) {
    file->name = "standard input";
    file->descriptor = STDIN_FILENO;
  } else {
    file->name = file->path = path;
    file->descriptor = open_again(path, O_RDONLY);
  }
  return file->descriptor >= 0 && look(file);
}

bool io_probe(struct io_file *file, const char *path) {
  struct stat status;
  memset(file, 0, sizeof *file);
  if (is_standard(path))
    return io_open_read(file, path);
  file->name = file->path = path;
  file->descriptor = -1;
  if (stat(path, &status) != 0)
    return false;
  describe(file, &status);
  if (file->kind != IO_REGULAR)
    return true;
  file->descriptor = open_again(path, O_RDONLY);
  return file->descriptor >= 0 && io_close(file);
}

bool io_open_write(struct io_file *file, const char *path) {
  memset(file, 0, sizeof *file);
  if (is_standard(path)) {
    file->name = "standard output";
    file->descriptor = STDOUT_FILENO;
    return look(file);
  }
  file->name = file->path = path;
  file->descriptor = open_again(path, O_WRONLY);
  if (file->descriptor < 0 && errno == ENOENT) {
    file->descriptor = open_again(path, O_WRONLY | O_CREAT | O_EXCL);
    file->created = file->descriptor >= 0;
    /* A symbolic link to a file that is not there yet is made by a plain O_CREAT alone. */
    if (file->descriptor < 0 && errno == EEXIST)
      file->descriptor = open_again(path, O_WRONLY | O_CREAT);
  }
  return file->descriptor >= 0 && look(file);
}

bool io_create(struct io_file *file, const char *path) {
  memset(file, 0, sizeof *file);
  file->name = file->path = path;
  file->descriptor = open_again(path, O_WRONLY | O_CREAT | O_EXCL);
  file->created = file->descriptor >= 0;
  return file->descriptor >= 0 && look(file);
}

bool io_truncate(const struct io_file *file) {
  return file->kind != IO_REGULAR || file->path == NULL || ftruncate(file->descriptor, 0) == 0;
}

bool io_close(struct io_file *file) {
  const int descriptor = file->descriptor;
  file->descriptor = -1;
  /* After EINTR the descriptor is gone on Linux, and to close it twice is worse than not to. */
  return descriptor < 0 || close(descriptor) == 0 || errno == EINTR;
}

void io_discard(struct io_file *file) {
  (void)io_close(file);
  if (file->created)
    (void)unlink(file->path);
}

bool io_same(const struct io_file *one, const struct io_file *other) {
  return one->kind == IO_REGULAR && other->kind == IO_REGULAR && one->device == other->device &&
         one->number == other->number;
}

bool io_seek(const struct io_file *file, uint64_t offset) {
  return offset <= INT64_MAX && lseek(file->descriptor, (off_t)offset, SEEK_SET) >= 0;
}

/* Wait until one of the descriptors can be read, the second one being there or -1: as poll() does. */
static int wait_for_input(int one, int other, int milliseconds) {
#if defined(__APPLE__)
  /* Whose poll() takes no devices, as serial ports are. */
  if (one < FD_SETSIZE && other < FD_SETSIZE) {
    struct timeval time = {.tv_sec = 0, .tv_usec = 0};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(one, &set);
    if (other >= 0)
      FD_SET(other, &set);
    return select((one > other ? one : other) + 1, &set, NULL, NULL, milliseconds == 0 ? &time : NULL);
  }
#endif
  struct pollfd wanted[2] = {{.fd = one, .events = POLLIN}, {.fd = other, .events = POLLIN}};
  return poll(wanted, 2, milliseconds);
}

bool io_ready(const struct io_file *file) {
  return file->kind == IO_REGULAR || wait_for_input(file->descriptor, -1, 0) > 0;
}

void io_wait(const struct io_file *file) {
  if (wake_read < 0) {
    int ends[2];
    if (pipe(ends) == 0) {
      (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
      (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
      wake_read = ends[0];
      wake_write = ends[1];
    }
  }
  while (stop_signal == 0 && wait_for_input(file->descriptor, wake_read, -1) < 0 && errno == EINTR)
    continue;
}

ptrdiff_t io_read(const struct io_file *file, void *data, size_t size) {
  for (;;) {
    if (stop_signal != 0)
      return 0;
    const ssize_t count = read(file->descriptor, data, size);
    if (count >= 0)
      return count;
    if (errno == EAGAIN || errno == EWOULDBLOCK)
      io_wait(file);
    else if (errno != EINTR)
      return -1;
  }
}

size_t io_write(const struct io_file *file, const void *data, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = write(file->descriptor, (const char *)data + done, size - done);
    if (count >= 0) {
      done += (size_t)count;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      struct pollfd wanted = {.fd = file->descriptor, .events = POLLOUT};
      (void)poll(&wanted, 1, -1);
    } else if (errno != EINTR) {
      break;
    }
  }
  return done;
}

bool io_undo(const struct io_file *file, uint64_t size) {
  struct stat status;
  const off_t end = lseek(file->descriptor, 0, SEEK_CUR);
  const off_t begin = end - (off_t)size;
  /* Where standard output is shared, others may have written behind. */
  return file->kind == IO_REGULAR && begin >= 0 && fstat(file->descriptor, &status) == 0 && status.st_size == end &&
         ftruncate(file->descriptor, begin) == 0 && lseek(file->descriptor, begin, SEEK_SET) == begin;
}

bool io_reader_gone(void) {
  return errno == EPIPE;
}

void io_write_error(const void *data, size_t size) {
  const struct io_file file = {.descriptor = STDERR_FILENO};
  (void)io_write(&file, data, size);
}

int io_stopped(void) {
  return stop_signal;
}

int io_die(int signal_number) {
  const int number = signal_number == 0 ? SIGPIPE : signal_number;
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  (void)signal(number, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &only, NULL);
  (void)raise(number);
  return 128 + number;
}

uint64_t io_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool io_is_terminal(int stream) {
  return isatty(stream) == 1;
}
