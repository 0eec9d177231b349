/* SPDX-License-Identifier: MIT */
/* Lines read by the shape of lines before them. */
#ifndef SBPKIT_TEMPLATES_H
#define SBPKIT_TEMPLATES_H

#include "json_scan.h"

/* Try to read the value that begins at text, before the line break at stop (json_line.h), as one of a shape that was
 * learned. Where that gives a frame without any doubt *line (but for its place and in_array) and the frame are filled
 * in, and the value's end is returned. Else NULL: the generic reader must read it, and with *learn its shape is worth
 * learning then. */
const char *sbpi_templates_read(struct sbp_reader *reader, const char *text, const char *stop, uint8_t *frame,
                                struct sbp_line *line, bool *learn);

/* Whether the fields of a line, by a shape that was learned, are certainly those of its frame's payload. */
bool sbpi_templates_agree(const struct sbp_reader *reader, const struct sbp_line *line, const uint8_t *frame);

/* Learn the shape of a line that the generic reader has made a frame of. */
void sbpi_templates_learn(struct sbp_reader *reader, const struct sbp_line *line);

#endif
