/* SPDX-License-Identifier: MIT
 *
 * sbpkit-schema: descriptor tables from schema files (JSON, as those in schema/), at build time for the generator and
 * at run time for --schema. A library of its own, since it stands on jansson.
 *
 *   struct sbp_schema_set set = {.arena = &arena, .base = &sbp_schema_builtin};
 *   sbp_schema_add(&set, "private.json", text, size, &error);
 *   sbp_schema_build(&set, &schema, &error);
 */
#ifndef SBPKIT_SCHEMA_H
#define SBPKIT_SCHEMA_H

#include "sbpkit/sbp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Schema files that are being put together. Zero it and set the first part; the second is the set's own. */
struct sbp_schema_set {
  struct sbp_arena *arena;       /* all that is made here lives in it */
  const struct sbp_schema *base; /* messages and structs that files may use and replace, or NULL */
  bool replace;                  /* a file may replace what an earlier file has; else that is a fault */

  struct sbp_schema_entry *first;
  struct sbp_schema_entry *last;
  const char *version;
  uint32_t files;
};

/* A fault of a schema file, one line without its end:
 * navigation.json:12:16: MSG_POS_LLH: field lat: unknown type "duble", did you mean "double"? */
struct sbp_schema_error {
  char text[400];
};

/* Add the structs and messages of a file's text, or the protocol's version of a {"protocol":"SBP","version":".."};
 * `name` is what faults call the file. What stands there may be freed after the call, but for the arena.
 * A message replaces all that have its id or its name in the base (or, with `replace`, in earlier files), a struct
 * those that have its name; twice in one file is a fault. Returns SBP_OK, or SBP_ERROR_SYNTAX or SBP_ERROR_MEMORY with
 * *error filled in, and then the set is of no more use. What an entry refers to is looked up by sbp_schema_build, so
 * that files can be added in any order. */
SBP_API enum sbp_status sbp_schema_add(struct sbp_schema_set *set, const char *name, const char *text, size_t size,
                                       struct sbp_schema_error *error);

/* Check what was added and make the tables: of the set's messages, and the base's that none of them replaces. A message
 * of the base that holds a struct which the set replaces holds the new one. *schema lives in the arena, and as long as
 * the base. Call it once, behind the last file; returns as above. */
SBP_API enum sbp_status sbp_schema_build(struct sbp_schema_set *set, const struct sbp_schema **schema,
                                         struct sbp_schema_error *error);

#ifdef __cplusplus
}
#endif

#endif
