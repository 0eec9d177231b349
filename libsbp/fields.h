/* SPDX-License-Identifier: MIT */
/* A payload from the fields of a JSON object (json2sbp --from-fields). */
#ifndef SBPKIT_FIELDS_H
#define SBPKIT_FIELDS_H

#include "json_scan.h"

struct sbpi_fields {
  const struct sbp_reader *reader;
  const struct sbp_message *message;
  struct sbp_span object; /* its members are the fields, beside the tools' own keys */
  const char *text;       /* the value that holds the object, and its place, for places of faults */
  struct sbp_place place;
  const uint8_t *old; /* the payload that the fields are edits of; NULL: none */
  size_t old_size;
  uint8_t *out;              /* room for SBP_PAYLOAD_MAX bytes; must not be old */
  size_t size;               /* what was written there */
  const char *behind;        /* while packing: where the value ends that was read last */
  unsigned notes;            /* enum sbp_note, added to */
  bool report_ignored;       /* tell reader->ignored of keys that are no field */
  struct sbp_fault *fault;   /* filled in where a fault is returned */
  struct sbp_fault *changed; /* or NULL: filled in for the first field that is not what the old payload has */
};

/* Make the payload: each field that is given replaces its bytes of the old one, unless it is what those bytes print as;
 * what is not given is kept. SBP_OK or a fault. */
enum sbp_status sbpi_fields_pack(struct sbpi_fields *fields);

/* Read an integer of a JSON value: any number that is one, as 1025, 1025.0, 1.025e3. SBP_OK with sign and magnitude,
 * SBP_ERROR_KIND where it is no number or no integer, SBP_ERROR_RANGE where it is over 64 bits. */
enum sbp_status sbpi_read_integer(struct sbp_span value, bool *negative, uint64_t *magnitude);

#endif
