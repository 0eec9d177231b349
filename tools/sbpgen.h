/* SPDX-License-Identifier: MIT */
/* What the parts of the generator share: sbpgen.c reads the schema and writes files, each other part makes one kind. */
#ifndef SBPGEN_H
#define SBPGEN_H

#include "sbpkit/schema.h"

/* ---- Text (sbpgen_text.c) ---- */

/* A build tool can end where it finds a fault, and where memory is out. */
_Noreturn void fail(const char *format, ...);
void *resize(void *context, void *old, size_t old_size, size_t new_size);
extern const struct sbp_allocator allocator;

void put_byte(struct sbp_buffer *text, int byte);
void put_number(struct sbp_buffer *text, uint64_t number);

/* A C string. Bytes that are not ASCII are escaped, since not every compiler takes sources for UTF-8, and so is `?`
 * behind `?`, which could begin a trigraph. */
void put_string(struct sbp_buffer *text, const char *string);

/* "GPSTimeSec" -> "gps_time_sec", "MSG_POS_LLH" -> "msg_pos_llh": a word begins at a capital that a small letter or
 * digit stands before, or a small letter behind. */
void put_c_name(struct sbp_buffer *text, const char *name);

/* Print C: %d an int, %s a string, %q a string as a C string, %n a name as a C name, %N the same in capitals. */
void print(struct sbp_buffer *text, const char *format, ...);

/* The words of a description in a comment, where the line has so many columns already; a word that would stand beyond
 * LINE_WIDTH begins with new_line. Nothing in it may end the comment, or begin another or a trigraph. */
enum { LINE_WIDTH = 120 };
void put_words(struct sbp_buffer *text, const char *words, size_t column, const char *new_line);

/* ---- The schema (sbpgen_text.c) ---- */

/* By enum sbp_type; the calls of emit.h and codec.h have the same names in small letters. */
extern const char *const type_names[];

/* The structs of a schema: those that its messages hold. */
struct struct_list {
  const struct sbp_struct **all; /* one that others hold stands before them */
  size_t count;
};

struct struct_list list_structs(const struct sbp_schema *schema);

/* Whether it is a string whose length the payload decides. */
bool is_variable_string(const struct sbp_field *field);

/* The C name of the member of a struct that holds a field. */
void put_member(struct sbp_buffer *text, const struct sbp_field *field);

/* The most elements of an array field that a payload can hold. */
int most_elements(const struct sbp_field *field);

/* ---- What is made ---- */

/* messages_table.c: the descriptor table */
void make_table(struct sbp_buffer *text, const struct sbp_schema *schema);

/* messages_write.c: straight-line writers of JSON; messages_skip.c: straight-line readers of what those write;
 * messages_lines.h: both */
void make_writers(struct sbp_buffer *text, const struct sbp_schema *schema);
void make_skippers(struct sbp_buffer *text, const struct sbp_schema *schema);
void make_declarations(struct sbp_buffer *text, const struct sbp_schema *schema);

/* messages_codec.c: payload -> struct, struct -> payload */
void make_codec(struct sbp_buffer *text, const struct sbp_schema *schema);

/* sbpkit/PACKAGE.h: the messages of a package; sbpkit/messages.h: all; sbpkit/protocol.h: the version. */
void make_package_header(struct sbp_buffer *text, const struct sbp_schema *schema, const char *package);
void make_messages_header(struct sbp_buffer *text, const struct sbp_schema *schema);
void make_protocol_header(struct sbp_buffer *text, const struct sbp_schema *schema);

/* The packages of a schema that messages or their structs are in, `count` of them, sorted. */
const char **list_packages(const struct sbp_schema *schema, size_t *count);

#endif
