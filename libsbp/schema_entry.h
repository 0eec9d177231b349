/* SPDX-License-Identifier: MIT */
/* What schema_read.c makes of a file's text and schema.c makes tables of. */
#ifndef SBPKIT_SCHEMA_ENTRY_H
#define SBPKIT_SCHEMA_ENTRY_H

#include "sbpkit/schema.h"

/* No struct stands deeper in a message, so that those who walk the table know how deep they go. */
enum { SBPI_STRUCTS_MAX = 8 };

/* Where something stands in a schema file; NULL and 0 for what is not known. */
struct sbpi_origin {
  const char *file;
  const char *owner; /* the struct or message */
  const char *field;
  uint32_t line;
  uint32_t column;
};

/* jansson does not keep places, so the text of a file is searched for its names, one behind the other. Set text, size
 * and, to begin, line to 1. */
struct sbpi_locator {
  const char *text;
  size_t size;
  size_t at; /* where to go on */
  size_t line_start;
  uint32_t line;
};

/* Go on to the next `"name": "NAME"` and give its line and column to *origin. A name that is spelled with escapes is
 * not found; then the origin keeps the place of the last one. */
void sbpi_locate(struct sbpi_locator *locator, const char *name, struct sbpi_origin *origin);

/* A field as it was read. Its struct is not looked up yet, and so `element`, `size` and `offset` are not known. */
struct sbpi_field_source {
  struct sbpi_origin origin;
  const char *element; /* name of its struct, or NULL */
};

enum sbpi_entry_state { SBPI_ENTRY_READ, SBPI_ENTRY_BEING_LAID_OUT, SBPI_ENTRY_READY };

/* A message, or a struct, of which only message.body is used. */
struct sbp_schema_entry {
  struct sbp_schema_entry *next;
  struct sbp_message message;
  struct sbp_field *fields; /* message.body.fields, to be filled in */
  struct sbpi_field_source *sources;
  struct sbpi_origin origin;
  uint32_t file; /* counts the files of the set */
  enum sbpi_entry_state state;
  bool is_message;
  bool replaced;
};

#if defined(__GNUC__)
#define SBPI_PRINTF(text, arguments) __attribute__((format(printf, text, arguments)))
#else
#define SBPI_PRINTF(text, arguments)
#endif

/* Write a fault: "file:line:column: owner: field f: " and the message, one line. Returns SBP_ERROR_SYNTAX. */
SBPI_PRINTF(3, 4)
enum sbp_status sbpi_schema_fault(struct sbp_schema_error *error, const struct sbpi_origin *origin, const char *format,
                                  ...);

/* The type that is no struct and whose name is nearer to this one than *distance edits, or NULL; see sbpi_nearer. */
const char *sbpi_schema_near_type(const char *name, size_t length, unsigned *distance);

/* Say that memory is out. Returns SBP_ERROR_MEMORY. */
enum sbp_status sbpi_schema_no_memory(struct sbp_schema_error *error);

#endif
