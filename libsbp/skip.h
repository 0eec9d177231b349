/* SPDX-License-Identifier: MIT */
/* What the generated readers (build/gen/messages_skip.c) are made of. Each goes past a value of a line, at t, and
 * returns what stands behind it, or NULL where it is none that the field's type may have. Values are read as strictly
 * as everywhere, but mostly they are those of the payload, at p: how many characters one takes is reckoned from there,
 * and then what follows need not wait until its end is found in the text. */
#ifndef SBPKIT_SKIP_H
#define SBPKIT_SKIP_H

#include "field_view.h"
#include "json_line.h"

const char *sbpi_skip_u8(const char *t, const uint8_t *p);
const char *sbpi_skip_u16(const char *t, const uint8_t *p);
const char *sbpi_skip_u32(const char *t, const uint8_t *p);
const char *sbpi_skip_u64(const char *t, const uint8_t *p);
const char *sbpi_skip_s8(const char *t, const uint8_t *p);
const char *sbpi_skip_s16(const char *t, const uint8_t *p);
const char *sbpi_skip_s32(const char *t, const uint8_t *p);
const char *sbpi_skip_s64(const char *t, const uint8_t *p);

/* Also past null. */
const char *sbpi_skip_float(const char *t, const uint8_t *p);
const char *sbpi_skip_double(const char *t, const uint8_t *p);

#endif
