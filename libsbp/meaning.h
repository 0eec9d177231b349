/* SPDX-License-Identifier: MIT */
/* The "meaning" object of --expand. */
#ifndef SBPKIT_MEANING_H
#define SBPKIT_MEANING_H

#include "emit.h"
#include "field_view.h"

/* The most text of sbpi_write_meaning. */
size_t sbpi_meaning_max(const struct sbp_message *message);

/* Write `,"meaning":{..}`: by field name, nested as the fields are, an object of each bit field's name and the name of
 * its value, or the number where it has none. Fields without bit fields and reserved bits are left out. The payload has
 * the message's minimum at least. */
char *sbpi_write_meaning(const struct sbp_message *message, const uint8_t *payload, const uint8_t *end, char *o);

#endif
