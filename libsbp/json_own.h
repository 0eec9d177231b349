/* SPDX-License-Identifier: MIT */
/* Lines that stand as this library writes them. */
#ifndef SBPKIT_JSON_OWN_H
#define SBPKIT_JSON_OWN_H

#include "json_line.h"

/* Read the line at text, which begins before the line break at stop (json_line.h), if all of it up to its closing brace
 * is what sbp_line_write makes of its payload, byte for byte, or with other values in the fields where those do not
 * matter. Fills in the frame and *line (but for its place and in_array) and returns what stands behind the
 * object; or NULL, where another reader must look. */
const char *sbpi_own_line_read(struct sbp_reader *reader, const char *text, const char *stop, uint8_t *frame,
                               struct sbp_line *line);

#endif
