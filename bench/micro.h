/* SPDX-License-Identifier: MIT */
/* What the measurements in micro.c and micro_pairs.c share. */
#ifndef SBPKIT_MICRO_H
#define SBPKIT_MICRO_H

#include "port.h"
#include "sbpkit/sbp.h"

/* A frame of a known type that holds at least its minimum, so that it has fields. */
struct record {
  struct sbp_frame frame;
  const struct sbp_message *message;
};

/* A log in memory. */
struct log {
  const uint8_t *data;
  size_t size;
  struct record *records;
  size_t count;
};

/* One way to do something with a whole log. Ways that are compared return the same number, which is made from all that
 * they did, so that no compiler leaves any of it out. */
struct way {
  const char *name;
  uint64_t (*run)(const struct log *log, int variant);
  int variant;
};

/* Time the ways in turn, again and again, so that what disturbs the machine disturbs them all, and store each one's
 * median of CPU nanoseconds a record. */
void measure(const struct log *log, const struct way *ways, size_t count, double *nanoseconds);

/* Print what is wrong and exit. */
_Noreturn void fail(const char *what, const char *name);

/* realloc and malloc that fail() instead of returning NULL. */
void *take(void *old, size_t size);

/* Stages of programs that read messages (micro_structs.c): find the frames and read a field of each by view; read all
 * of each to a struct; make the frames again of the structs; and the structs alone. */
uint64_t scan_and_view(const struct log *log, int cpu);
uint64_t scan_and_decode(const struct log *log, int cpu);
uint64_t scan_decode_and_encode(const struct log *log, int cpu);
uint64_t decode_alone(const struct log *log, int variant);

/* The design pairs: a converter that owns its messages, with buffers that start at different sizes; and the others. */
void run_owned(struct log *log);
void run_pairs(struct log *log);

#endif
