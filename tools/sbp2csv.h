/* SPDX-License-Identifier: MIT */
#ifndef SBP2CSV_H
#define SBP2CSV_H

#include "cli.h"

enum csv_track { CSV_TABLE, CSV_GPX, CSV_GEOJSON };

struct sbp2csv {
  struct cli cli;
  const char *track_name; /* --track, as it was given */
  enum csv_track track;
  struct cli_frames frames;
  struct sbp_line_options line;
  char *json; /* room for the text of a field */
  bool begun; /* what stands before all rows is written */

  /* A table: of which message, and of which of its arrays a row an element. */
  const struct sbp_message *message;
  const struct sbp_field *array; /* or NULL */
  size_t columns;                /* of the message, without those of time and sender */

  /* A track: */
  struct cli_position positions[CLI_POSITIONS];
  size_t best;    /* the position that it is made of, the best that came so far; CLI_POSITIONS: none came */
  bool broken;    /* the last solution was no fix */
  int64_t latest; /* time of the last point, where timed */
  bool timed;
  uint64_t points;
};

/* A track (sbp2csv_track.c): what stands before all points; a frame of any message, which may hold a fix; what stands
 * behind all. */
void track_head(struct sbp2csv *self);
void track_point(struct sbp2csv *self, const struct sbp_message *message, const struct sbp_frame *frame);
void track_foot(struct sbp2csv *self);

#endif
