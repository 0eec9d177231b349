/* SPDX-License-Identifier: MIT */
/* All input and output of the tools, always binary: io_posix.c, or io_win32.c in its place. Nothing here prints or
 * decides; where a call fails, io_error() says why. */
#ifndef IO_H
#define IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum io_kind { IO_REGULAR, IO_DIRECTORY, IO_PIPE, IO_OTHER };

struct io_file {
  const char *name; /* as messages call it */
  const char *path; /* NULL for a standard stream */
  uint64_t size;    /* of a regular file, when it was opened */
  uint64_t device;  /* with number: which file it is, under whatever name */
  uint64_t number;
  int descriptor;
  enum io_kind kind;
  bool created; /* it was not there before */
};

/* Before anything else: see that the three standard streams cannot be taken for files opened later, and catch the
 * signals that ask the tool to stop. */
void io_start(void);

/* Why the last call that failed did so. */
const char *io_error(void);

/* Open a file to read; NULL or "-" is standard input. A directory opens, its kind tells. */
bool io_open_read(struct io_file *file, const char *path);

/* Whether a file could be opened to read, and what it is, without side effects: a FIFO is only looked at. */
bool io_probe(struct io_file *file, const char *path);

/* Open a file to write, made if it is not there, its bytes untouched so far; NULL or "-" is standard output. */
bool io_open_write(struct io_file *file, const char *path);

/* Open a file to write that is not there yet. */
bool io_create(struct io_file *file, const char *path);

/* Empty a file that was opened to write, if it is a regular one. */
bool io_truncate(const struct io_file *file);

/* Close a file. False where that tells of a write that failed. */
bool io_close(struct io_file *file);

/* Close a file that was opened to write and, if this run created it, remove it. */
void io_discard(struct io_file *file);

/* Whether both are the same regular file. */
bool io_same(const struct io_file *one, const struct io_file *other);

/* Go to a byte, counted from the file's begin; false for what has no such places, as a pipe. */
bool io_seek(const struct io_file *file, uint64_t offset);

/* Whether a read would return at once. */
bool io_ready(const struct io_file *file);

/* Wait until a read would return, or a signal asks to stop. */
void io_wait(const struct io_file *file);

/* Read up to size bytes: their number, 0 at the end, -1 for an error. Also 0 where io_stopped() is set meanwhile. */
ptrdiff_t io_read(const struct io_file *file, void *data, size_t size);

/* Write all of data. Returns how much of it was written: less than all where that failed. */
size_t io_write(const struct io_file *file, const void *data, size_t size);

/* Take back the last bytes that were written to a file. Returns whether that went: it is for regular files alone, and
 * only while the bytes are their end. */
bool io_undo(const struct io_file *file, uint64_t size);

/* Whether the last write failed since nobody reads the other end any more. */
bool io_reader_gone(void);

/* Write to standard error as well as that goes. */
void io_write_error(const void *data, size_t size);

/* The signal that asked the tool to stop, or 0. A second one ends it at once. */
int io_stopped(void);

/* End the program as this signal does; 0 stands for the one that a closed pipe sends. Returns the exit status that says
 * the same where that did not work. */
int io_die(int signal_number);

/* Milliseconds of a clock that only goes forward. */
uint64_t io_milliseconds(void);

/* Whether a standard stream (1 or 2) is a terminal. */
bool io_is_terminal(int stream);

#endif
