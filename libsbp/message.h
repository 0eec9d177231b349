/* SPDX-License-Identifier: MIT */
/* "Did you mean": names that are nearly the same. */
#ifndef SBPKIT_MESSAGE_H
#define SBPKIT_MESSAGE_H

#include "sbpkit/sbp.h"

/* No name of a message, struct or field is longer, which bounds the stack here and the room that lines need. */
enum { SBPI_NAME_MAX = 64 };
_Static_assert(sizeof ",\"msg_type\":65535,\"msg_name\":\"\",\"payload\":\"" + SBPI_NAME_MAX <= SBP_ENVELOPE_MAX,
               "an envelope holds the longest name");

/* One more than the edits (a character added, left out or changed, or two neighbours swapped) by which a name may
 * differ from one of length bytes and still be near it. */
unsigned sbpi_near_limit(size_t length);

/* Whether fewer than *distance edits lead from name[0 .. length) to the candidate; *distance is then their number.
 * Upper and lower case are the same. Longer names than SBPI_NAME_MAX are near none. */
bool sbpi_nearer(const char *name, size_t length, const char *candidate, size_t candidate_length, unsigned *distance);

/* The name of the field nearest to this one, or NULL where none is near. */
const char *sbpi_near_field(const struct sbp_struct *body, const char *name, size_t length);

#endif
