/* SPDX-License-Identifier: MIT */
/* A line's structure found 64 bytes at a time, with AVX2. */
#ifndef SBPKIT_JSON_WIDE_H
#define SBPKIT_JSON_WIDE_H

#include "json_scan.h"

/* sbpi_scan_line (json_line.h), for objects without white space between their values, escapes, exponents and words.
 * NULL too where the machine or the line's place in the input does not let it. */
const char *sbpi_scan_wide(struct sbp_reader *reader, const char *text, const char *stop);

#endif
