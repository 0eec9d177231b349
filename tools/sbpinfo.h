/* SPDX-License-Identifier: MIT */
/* What sbpinfo learns of a log, in the same memory whatever its length, and how it is shown. */
#ifndef SBPINFO_H
#define SBPINFO_H

#include "cli.h"

/* ---- Types and senders ----------------------------------------------------------------------------------------- */

/* Messages of one type, in a cache line: one is touched for each frame. */
struct info_type {
  uint64_t messages;
  uint64_t bytes;      /* of their frames */
  uint64_t timed;      /* messages from the first on that has a time; 0: none has */
  int64_t first;       /* GPS time of that one, */
  int64_t last;        /* and the latest of them */
  int64_t gap;         /* the longest time without one, in ns */
  int64_t gap_end;     /* GPS time of the one behind it, */
  uint64_t gap_offset; /* and its first byte */
};

/* How many come in a second, 0 where that is not known. */
double info_rate(const struct info_type *type);

struct info_sender {
  uint64_t messages;
  uint64_t bytes;
};

/* ---- Time line (sbpinfo_timeline.c) ---------------------------------------------------------------------------- */

/* Messages and damage in steps of time that are as long as the log needs. */
enum { INFO_STEPS = 256 };
struct info_timeline {
  int64_t begin;  /* GPS time */
  int64_t length; /* of a step, in ns; 0: nothing had a time yet */
  size_t count;   /* steps in use */
  size_t at;      /* the step that goes on, */
  int64_t from;   /* and when it began */
  struct {
    uint64_t messages;
    uint64_t damage; /* bytes outside frames */
  } steps[INFO_STEPS];
};

/* What comes next is of this time. */
void info_timeline_go(struct info_timeline *timeline, int64_t gps);

/* ---- What messages tell (sbpinfo_device.c) --------------------------------------------------------------------- */

/* A position: its coordinates as they stand in the payload, and where and when it was sent. */
struct info_fix {
  uint64_t offset;
  int64_t gps;
  bool timed;
  uint8_t axes[CLI_AXES][8];
};

/* Solutions that messages of one type hold. */
struct info_solutions {
  uint64_t solutions;
  uint64_t fixes; /* of them */
  uint64_t modes[CLI_MODES];
  struct info_fix first;
  struct info_fix last;
};

/* What a device says of itself; the last word counts. Texts are printable. */
enum { INFO_TEXTS = 5 };
struct info_device {
  uint64_t heartbeats;
  uint64_t with_errors; /* of them */
  uint64_t startups;
  uint16_t sbp_version; /* major and minor in a byte each; 0: not told */
  char texts[INFO_TEXTS][64];
};
extern const char *const info_text_names[INFO_TEXTS];

/* What a type of messages can tell: 0 nothing, 1 what info_device_feed() reads, 2 + i position i. */
enum { INFO_DEVICE = 1, INFO_POSITION = 2 };

/* A coordinate of a fix, as a field that stands alone. */
static inline struct sbp_field_view info_axis(const struct cli_position *position, const struct info_fix *fix,
                                              int axis) {
  return (struct sbp_field_view){.field = position->axes[axis], .bytes = fix->axes[axis], .size = 8, .count = 1};
}

/* Note in roles what the types can tell. */
void info_device_prepare(const struct cli_position *positions, uint8_t *roles);

/* Learn from a frame; its message is known and its payload not too short. */
void info_device_feed(struct info_device *device, const struct sbp_frame *frame);
void info_position_feed(struct info_solutions *solutions, const struct cli_position *position,
                        const struct sbp_frame *frame, uint64_t offset, const struct sbp_clock *clock);

/* ---- All of it ------------------------------------------------------------------------------------------------- */

/* A run of bytes outside frames. */
struct info_run {
  uint64_t offset;
  uint64_t length;
};
enum { INFO_RUNS = 10000 };

/* What is known of one input. */
struct info {
  uint64_t bytes;
  uint64_t messages;
  uint64_t outside; /* bytes */
  uint64_t crc_failures;
  uint64_t truncated;
  uint64_t runs;
  struct info_run first_runs[INFO_RUNS];
  struct info_run longest_run;

  struct sbp_clock clock;
  int64_t first; /* the earliest GPS time, where clock.known */
  int64_t last;  /* the latest */
  int64_t gap;   /* the longest time of which no message tells, in ns */
  int64_t gap_end;
  uint64_t gap_offset;
  struct info_timeline timeline;

  struct info_type types[65536];
  struct info_sender senders[65536];
  struct info_device device;
  struct info_solutions solutions[CLI_POSITIONS]; /* of sbpinfo.positions */
};

/* A row of a table, and what it is sorted by: descending key, then ascending number. */
struct info_row {
  uint64_t key;
  uint16_t number;
};

struct sbpinfo {
  struct cli cli;
  bool json;
  bool ascii;
  const char *sort;
  const char *splits; /* as it was given */
  uint64_t parts;     /* of it */
  char *number;       /* room for the text of one */
  bool printed;       /* something, of an input before */

  struct cli_frames frames;
  struct cli_position positions[CLI_POSITIONS];
  uint8_t roles[65536];
  struct info info;
  struct info_row rows[65536];
};

/* Fill rows with the types that are there, in the order of --sort, or the senders by messages; their number. */
size_t info_rows_of_types(struct sbpinfo *self);
size_t info_rows_of_senders(struct sbpinfo *self);

/* Print START:END of so many parts of the input, a file (sbpinfo_splits.c). */
enum { INFO_SPLITS_MAX = 10000 };
void info_print_splits(struct cli *cli, uint64_t parts);

/* Print what is known: for people (sbpinfo_text.c), for programs (sbpinfo_json.c). */
void info_print_text(struct sbpinfo *self);
void info_print_json(struct sbpinfo *self);

#endif
