/* SPDX-License-Identifier: MIT */
/* sbpgen SCHEMA_DIR OUTPUT_DIR: schema files -> the C sources of build/gen. A file is written only when it changes, so
 * that nothing is compiled again for no reason. */
#define _POSIX_C_SOURCE 200809L /* opendir */

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sbpkit/schema.h"

enum { LINE_WIDTH = 120, EXIT_FAULT = 2 };

/* A build tool can end where it finds a fault. */
_Noreturn static void fail(const char *format, ...) {
  va_list arguments;
  fputs("sbpgen: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(EXIT_FAULT);
}

static void *resize(void *context, void *old, size_t old_size, size_t new_size) {
  (void)context;
  (void)old_size;
  if (new_size == 0) {
    free(old);
    return NULL;
  }
  void *const memory = realloc(old, new_size);
  if (memory == NULL)
    fail("out of memory");
  return memory;
}

static const struct sbp_allocator allocator = {resize, NULL};

/* ---- Text ------------------------------------------------------------------------------------------------------- */

static void put_byte(struct sbp_buffer *text, int byte) {
  const char c = (char)byte;
  sbp_buffer_append(text, &c, 1);
}

static void put_number(struct sbp_buffer *text, uint64_t number) {
  if (number >= 10)
    put_number(text, number / 10);
  put_byte(text, '0' + (int)(number % 10));
}

/* A C string. Bytes that are not ASCII are escaped, since not every compiler takes sources for UTF-8, and so is `?`
 * behind `?`, which could begin a trigraph. */
static void put_string(struct sbp_buffer *text, const char *string) {
  put_byte(text, '"');
  for (const char *c = string; *c != '\0'; c++) {
    const unsigned char byte = (unsigned char)*c;
    const bool octal = byte < 0x20 || byte > 0x7e;
    if (octal || byte == '"' || byte == '\\' || (byte == '?' && c > string && c[-1] == '?'))
      put_byte(text, '\\');
    if (octal) {
      put_byte(text, '0' + (byte >> 6));
      put_byte(text, '0' + (byte >> 3 & 7));
    }
    put_byte(text, octal ? '0' + (byte & 7) : byte);
  }
  put_byte(text, '"');
}

static bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/* "GPSTimeSec" -> "gps_time_sec", "MSG_POS_LLH" -> "msg_pos_llh": a word begins at a capital that a small letter or
 * digit stands before, or a small letter behind. */
static void put_c_name(struct sbp_buffer *text, const char *name) {
  for (const char *c = name; *c != '\0'; c++) {
    if (c > name && c[-1] != '_' && is_upper(*c) && (!is_upper(c[-1]) || (c[1] >= 'a' && c[1] <= 'z')))
      put_byte(text, '_');
    put_byte(text, is_upper(*c) ? *c + ('a' - 'A') : *c);
  }
}

/* Print C: %d an int, %s a string, %q a string as a C string, %n a name as a C name. */
static void print(struct sbp_buffer *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (const char *c = format; *c != '\0'; c++) {
    if (*c != '%') {
      put_byte(text, *c);
      continue;
    }
    c++;
    if (*c == 'd') {
      put_number(text, (uint64_t)va_arg(arguments, int));
      continue;
    }
    const char *const string = va_arg(arguments, const char *);
    if (*c == 'q')
      put_string(text, string);
    else if (*c == 'n')
      put_c_name(text, string);
    else
      sbp_buffer_append(text, string, strlen(string));
  }
  va_end(arguments);
}

/* The words of a description as lines of a comment. Nothing in it may end the comment, or begin another or a trigraph.
 */
static void put_comment(struct sbp_buffer *text, const char *words) {
  size_t column = 0;
  for (const char *word = words; *word != '\0';) {
    const size_t length = strcspn(word, " ");
    if (column == 0 || column + 1 + length > LINE_WIDTH) {
      print(text, "\n *");
      column = 2;
    }
    put_byte(text, ' ');
    for (size_t i = 0; i < length; i++) {
      const char pair[] = {i == 0 ? ' ' : word[i - 1], word[i], '\0'};
      if (strcmp(pair, "*/") == 0 || strcmp(pair, "/*") == 0 || strcmp(pair, "??") == 0)
        put_byte(text, ' ');
      put_byte(text, word[i]);
    }
    column += 1 + length;
    word += length + strspn(word + length, " ");
  }
  put_byte(text, '\n');
}

/* ---- messages_table.c ------------------------------------------------------------------------------------------- */

/* By enum sbp_type; the calls of emit.h have the same names in small letters. */
static const char *const type_names[] = {"U8",  "U16", "U32",   "U64",    "S8",     "S16",
                                         "S32", "S64", "FLOAT", "DOUBLE", "STRING", "STRUCT"};
/* By enum sbp_repeat and enum sbp_encoding. */
static const char *const repeat_names[] = {"ONE", "FIXED_ARRAY", "VARIABLE_ARRAY"};
static const char *const encoding_names[] = {"FIXED", "UNTERMINATED", "NULL_TERMINATED", "MULTIPART",
                                             "DOUBLE_NULL_TERMINATED"};

static void put_bits(struct sbp_buffer *text, const struct sbp_bits *bits) {
  print(text, "             {.name = %q, .first = %d, .last = %d", bits->name, bits->first, bits->last);
  if (bits->value_count > 0) {
    print(text, ", .value_count = %d, .values = (const struct sbp_value[]){\n", bits->value_count);
    for (unsigned i = 0; i < bits->value_count; i++) {
      print(text, "                 {");
      put_number(text, bits->values[i].value);
      print(text, bits->values[i].value > INT32_MAX ? "ULL, %q},\n" : ", %q},\n", bits->values[i].name);
    }
    print(text, "             }");
  }
  print(text, "},\n");
}

static void put_field(struct sbp_buffer *text, const struct sbp_field *field) {
  print(text, "        {.name = %q, .name_length = %d, .type = SBP_%s", field->name, field->name_length,
        type_names[field->type]);
  if (field->element != NULL)
    print(text, ", .element = &struct_%n", field->element->name);
  if (field->repeat != SBP_ONE)
    print(text, ", .repeat = SBP_%s", repeat_names[field->repeat]);
  if (field->encoding != SBP_FIXED)
    print(text, ", .encoding = SBP_%s", encoding_names[field->encoding]);
  print(text, ",\n         .offset = %d, .size = %d, .count = %d, .count_field = %d", field->offset, field->size,
        field->count, field->count_field);
  if (field->units != NULL)
    print(text, ", .units = %q", field->units);
  if (field->description != NULL)
    print(text, ",\n         .description = %q", field->description);
  if (field->bits_count > 0) {
    print(text, ",\n         .bits_count = %d, .bits = (const struct sbp_bits[]){\n", field->bits_count);
    for (unsigned i = 0; i < field->bits_count; i++)
      put_bits(text, &field->bits[i]);
    print(text, "         }");
  }
  print(text, "},\n");
}

/* The members of a struct sbp_struct. */
static void put_body(struct sbp_buffer *text, const struct sbp_struct *body) {
  print(text, ".name = %q, .package = %q, .size = %d, .field_count = %d,\n", body->name, body->package, body->size,
        body->field_count);
  if (body->description != NULL)
    print(text, "    .description = %q,\n", body->description);
  if (body->field_count > 0) {
    print(text, "    .fields = (const struct sbp_field[]){\n");
    for (unsigned i = 0; i < body->field_count; i++)
      put_field(text, &body->fields[i]);
    print(text, "    },\n");
  }
}

static void put_struct(struct sbp_buffer *text, const struct sbp_struct *body) {
  print(text, "static const struct sbp_struct struct_%n = {\n    ", body->name);
  put_body(text, body);
  print(text, "};\n\n");
}

static void put_message(struct sbp_buffer *text, const struct sbp_message *message) {
  const char *const name = message->body.name;
  print(text, "static const struct sbp_message %n = {\n", name);
  print(text, "    .id = %d, .fields_max = %d, .write_fields = sbpi_write_%n,\n", message->id, (int)message->fields_max,
        name);
  print(text, "    .envelope_length = %d, .envelope = %q,\n", message->envelope_length, message->envelope);
  if (message->replaced_by_count > 0) {
    print(text, "    .replaced_by_count = %d, .replaced_by = (const char *const[]){", message->replaced_by_count);
    for (unsigned i = 0; i < message->replaced_by_count; i++)
      print(text, i == 0 ? "%q" : ", %q", message->replaced_by[i]);
    print(text, "},\n");
  }
  print(text, "    .body = {");
  put_body(text, &message->body);
  print(text, "    },\n};\n\n");
}

/* An element of an array that is mostly zeros. */
static void put_entry(struct sbp_buffer *text, unsigned *printed, unsigned index, int value) {
  print(text, *printed % 8 == 0 ? "\n    [%d] = %d," : " [%d] = %d,", (int)index, value);
  ++*printed;
}

static void put_index(struct sbp_buffer *text, const struct sbp_schema *schema) {
  unsigned rows = 1;
  unsigned printed = 0;
  print(text, "static const uint8_t row_of_high_byte[256] = {");
  for (unsigned high = 0; high < 256; high++)
    if (schema->page[high] != 0) {
      put_entry(text, &printed, high, schema->page[high]);
      rows = schema->page[high] + 1u;
    }
  print(text, "\n};\n\nstatic const uint16_t position_by_low_byte[][256] = {");
  for (unsigned row = 0; row < rows; row++) {
    print(text, "{");
    printed = 0;
    for (unsigned low = 0; low < 256; low++)
      if (schema->index[row][low] != 0)
        put_entry(text, &printed, low, schema->index[row][low]);
    print(text, printed == 0 ? "0}, " : "\n}, ");
  }
  text->size -= strlen(", ");
  print(text, "};\n\n");
}

/* The structs of a schema: those that its messages hold. */
struct struct_list {
  const struct sbp_struct **all; /* one that others hold stands before them */
  size_t count;
};

static void list_structs_of(const struct sbp_struct *body, struct struct_list *list) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_struct *const element = body->fields[i].element;
    bool listed = element == NULL;
    for (size_t j = 0; j < list->count && !listed; j++)
      listed = list->all[j] == element;
    if (listed)
      continue;
    list_structs_of(element, list);
    list->all = resize(NULL, list->all, 0, (list->count + 1) * sizeof(list->all[0]));
    list->all[list->count++] = element;
  }
}

/* `names` holds C names, each with its NUL; the new one must not be among them. */
static void add_c_name(struct sbp_buffer *names, const char *name) {
  const size_t begin = names->size;
  print(names, "%n", name);
  put_byte(names, '\0');
  for (size_t at = 0; at < begin; at += strlen(names->data + at) + 1)
    if (strcmp(names->data + at, names->data + begin) == 0)
      fail("%s: another name gives the C name %s too", name, names->data + begin);
}

static void make_table(struct sbp_buffer *text, const struct sbp_schema *schema) {
  struct struct_list structs = {0};
  struct sbp_buffer names = {.allocator = &allocator};
  print(text, "#include \"messages_write.h\"\n\n");
  for (uint32_t i = 0; i < schema->count; i++)
    list_structs_of(&schema->messages[i]->body, &structs);
  for (size_t i = 0; i < structs.count; i++) {
    add_c_name(&names, structs.all[i]->name);
    put_struct(text, structs.all[i]);
  }
  for (uint32_t i = 0; i < schema->count; i++) {
    add_c_name(&names, schema->messages[i]->body.name);
    put_message(text, schema->messages[i]);
  }
  free(structs.all);
  sbp_buffer_free(&names);

  print(text, "static const struct sbp_message *const messages[] = {\n");
  for (uint32_t i = 0; i < schema->count; i++)
    print(text, "    &%n,\n", schema->messages[i]->body.name);
  print(text, "};\n\nstatic const uint16_t by_name[] = {");
  for (uint32_t i = 0; i < schema->count; i++)
    print(text, i % 16 == 0 ? "\n    %d," : " %d,", schema->by_name[i]);
  print(text, "\n};\n\n");
  put_index(text, schema);
  print(text,
        "const struct sbp_schema sbp_schema_builtin = {\n"
        "    .messages = messages,\n"
        "    .by_name = by_name,\n"
        "    .page = row_of_high_byte,\n"
        "    .index = position_by_low_byte,\n"
        "    .version = %q,\n"
        "    .count = %d,\n"
        "    .fields_max = %d,\n"
        "};\n",
        schema->version, (int)schema->count, (int)schema->fields_max);
}

/* ---- messages_write.c ------------------------------------------------------------------------------------------- */

/* A writer function in the making. JSON text that is the same in every line waits in `literal`, so that what stands
 * side by side is written at once. */
struct writer {
  struct sbp_buffer *text;
  struct sbp_buffer literal;
  unsigned loops;    /* that stand around this place */
  bool comma_behind; /* the line ends in a comma that is one too many */
};

/* Where a value stands in the payload: so many bytes behind a variable. */
struct location {
  const char *variable;
  int offset;
};

static void begin_line(struct writer *writer) {
  for (unsigned i = 0; i <= writer->loops; i++)
    print(writer->text, "  ");
}

static void flush(struct writer *writer) {
  const size_t size = writer->literal.size;
  if (size == 0)
    return;
  put_byte(&writer->literal, '\0');
  begin_line(writer);
  if (size == 1)
    print(writer->text, writer->comma_behind ? "o[-1] = '%s';\n" : "*o++ = '%s';\n", writer->literal.data);
  else
    print(writer->text, writer->comma_behind ? "o = EMIT_TEXT(o - 1, %q);\n" : "o = EMIT_TEXT(o, %q);\n",
          writer->literal.data);
  writer->literal.size = 0;
  writer->comma_behind = false;
}

static void put_location(struct writer *writer, struct location location) {
  print(writer->text, location.offset > 0 ? "%s + %d" : "%s", location.variable, location.offset);
}

static void write_field(struct writer *writer, const struct sbp_field *field, struct location body);

static void write_element(struct writer *writer, const struct sbp_field *field, struct location location) {
  if (field->type == SBP_STRUCT) {
    for (unsigned i = 0; i < field->element->field_count; i++) {
      put_byte(&writer->literal, i == 0 ? '{' : ',');
      write_field(writer, &field->element->fields[i], location);
    }
    put_byte(&writer->literal, '}');
    return;
  }
  flush(writer);
  begin_line(writer);
  print(writer->text, field->type == SBP_STRING ? "o = sbpi_write_%n(o, " : "o = emit_%n(o, ", type_names[field->type]);
  put_location(writer, location);
  if (field->type == SBP_STRING)
    print(writer->text, ", %d", field->size);
  print(writer->text, field->type == SBP_FLOAT || field->type == SBP_DOUBLE ? ", compat);\n" : ");\n");
}

static void write_loop(struct writer *writer, const struct sbp_field *field, struct location location) {
  const char variable[2] = {(char)('q' + writer->loops), '\0'};
  flush(writer);
  begin_line(writer);
  print(writer->text, "for (const uint8_t *%s = ", variable);
  put_location(writer, location);
  if (field->repeat == SBP_FIXED_ARRAY) {
    print(writer->text, "; %s < ", variable);
    location.offset += field->size * field->count;
    put_location(writer, location);
  } else {
    print(writer->text, field->size == 1 ? "; %s < end" : "; end - %s >= %d", variable, field->size);
  }
  print(writer->text, field->size == 1 ? "; %s++) {\n" : "; %s += %d) {\n", variable, field->size);
  writer->loops++;
  write_element(writer, field, (struct location){variable, 0});
  put_byte(&writer->literal, ',');
  flush(writer);
  writer->loops--;
  begin_line(writer);
  print(writer->text, "}\n");
}

static void write_array(struct writer *writer, const struct sbp_field *field, struct location location) {
  enum { UNROLLED_MAX = 4 };
  put_byte(&writer->literal, '[');
  if (field->repeat == SBP_VARIABLE_ARRAY) {
    write_loop(writer, field, location);
    print(writer->text, "  o = emit_array_end(o);\n");
    return;
  }
  if (field->count > UNROLLED_MAX) {
    write_loop(writer, field, location);
    writer->comma_behind = true;
  } else {
    for (unsigned i = 0; i < field->count; i++) {
      if (i > 0)
        put_byte(&writer->literal, ',');
      write_element(writer, field, location);
      location.offset += field->size;
    }
  }
  put_byte(&writer->literal, ']');
}

static void write_field(struct writer *writer, const struct sbp_field *field, struct location body) {
  const struct location location = {body.variable, body.offset + field->offset};
  print(&writer->literal, "%q:", field->name);
  if (field->repeat == SBP_ONE)
    write_element(writer, field, location);
  else
    write_array(writer, field, location);
}

static bool is_variable_string(const struct sbp_field *field) {
  return field->type == SBP_STRING && field->encoding != SBP_FIXED;
}

/* A string that ends where the payload does or, before other fields, behind its first NUL. Those begin there; it leaves
 * them the least that they take, whatever the payload holds. */
static void write_variable_string(struct writer *writer, const struct sbp_field *field, struct location location,
                                  int behind, bool last) {
  print(&writer->literal, "%q:", field->name);
  flush(writer);
  if (!last) {
    print(writer->text, "  const uint8_t *const %s_end = sbpi_string_end(", field->name);
    put_location(writer, location);
    print(writer->text, behind > 0 ? ", end - %d);\n" : ", end);\n", behind);
  }
  print(writer->text, "  o = sbpi_write_string(o, ");
  put_location(writer, location);
  print(writer->text, last ? ", (size_t)(end - " : ", (size_t)(%s_end - ", field->name);
  print(writer->text, location.offset > 0 ? "(%s + %d)));\n" : "%s));\n", location.variable, location.offset);
  if (!last)
    print(writer->text, "  p = %s_end;\n", field->name);
}

static bool holds_floats(const struct sbp_struct *body) {
  bool found = false;
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    found |= field->type == SBP_FLOAT || field->type == SBP_DOUBLE ||
             (field->element != NULL && holds_floats(field->element));
  }
  return found;
}

static bool is_variable(const struct sbp_struct *body) {
  bool found = false;
  for (unsigned i = 0; i < body->field_count; i++)
    found |= is_variable_string(&body->fields[i]) || body->fields[i].repeat == SBP_VARIABLE_ARRAY;
  return found;
}

static void put_signature(struct sbp_buffer *text, const struct sbp_message *message) {
  print(text, "char *sbpi_write_%n(char *o, const uint8_t *p, const uint8_t *end, bool compat)", message->body.name);
}

static void write_message(struct writer *writer, const struct sbp_message *message) {
  const struct sbp_struct *const body = &message->body;
  print(writer->text, "/* %s, id %d", body->name, message->id);
  if (body->description != NULL)
    put_comment(writer->text, body->description);
  print(writer->text, " */\n");
  put_signature(writer->text, message);
  print(writer->text, " {\n");
  if (body->field_count == 0)
    print(writer->text, "  (void)p;\n");
  if (!is_variable(body))
    print(writer->text, "  (void)end;\n");
  if (!holds_floats(body))
    print(writer->text, "  (void)compat;\n");

  struct location start = {"p", 0};
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    const int next = field->offset + field->size;
    put_byte(&writer->literal, ',');
    if (!is_variable_string(field)) {
      write_field(writer, field, start);
      continue;
    }
    const struct location location = {start.variable, start.offset + field->offset};
    write_variable_string(writer, field, location, body->size - next, i + 1u == body->field_count);
    start.offset = -next;
  }
  flush(writer);
  print(writer->text, "  return o;\n}\n\n");
}

static void make_writers(struct sbp_buffer *text, const struct sbp_schema *schema) {
  print(text, "#include \"messages_write.h\"\n\n#include \"emit.h\"\n\n");
  struct writer writer = {.text = text, .literal = {.allocator = &allocator}};
  for (uint32_t i = 0; i < schema->count; i++)
    write_message(&writer, schema->messages[i]);
  sbp_buffer_free(&writer.literal);
  text->size--;
}

static void make_declarations(struct sbp_buffer *text, const struct sbp_schema *schema) {
  print(text, "#ifndef SBPKIT_MESSAGES_WRITE_H\n#define SBPKIT_MESSAGES_WRITE_H\n\n#include \"sbpkit/sbp.h\"\n\n"
              "/* The fields of a message as JSON, see sbp_message.write_fields. */\n");
  for (uint32_t i = 0; i < schema->count; i++) {
    put_signature(text, schema->messages[i]);
    print(text, ";\n");
  }
  print(text, "\n#endif\n");
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

/* What is made; a file more is a line more. */
static const struct {
  const char *name;
  void (*make)(struct sbp_buffer *text, const struct sbp_schema *schema);
} outputs[] = {
    {"messages_table.c", make_table},
    {"messages_write.c", make_writers},
    {"messages_write.h", make_declarations},
};

static char *join(const char *directory, const char *name, const char *suffix) {
  struct sbp_buffer path = {.allocator = &allocator};
  print(&path, "%s/%s%s", directory, name, suffix);
  put_byte(&path, '\0');
  return path.data;
}

/* Read a file behind what the text holds. Returns false where it cannot be read; errno says why. */
static bool read_file(const char *path, struct sbp_buffer *text) {
  FILE *const file = fopen(path, "rb");
  if (file == NULL)
    return false;
  size_t got;
  do {
    sbp_buffer_reserve(text, BUFSIZ);
    got = fread(text->data + text->size, 1, BUFSIZ, file);
    text->size += got;
  } while (got > 0);
  const bool failed = ferror(file) != 0;
  const int error = errno;
  fclose(file);
  errno = error;
  return !failed;
}

static void write_file(const char *directory, const char *name, const struct sbp_buffer *text) {
  char *const path = join(directory, name, "");
  char *const unfinished = join(directory, name, ".new");
  struct sbp_buffer old = {.allocator = &allocator};
  const bool same = read_file(path, &old) && old.size == text->size && memcmp(old.data, text->data, old.size) == 0;
  if (!same) {
    FILE *const file = fopen(unfinished, "wb");
    if (file == NULL)
      fail("%s: %s", unfinished, strerror(errno));
    const bool written = fwrite(text->data, 1, text->size, file) == text->size;
    if (fclose(file) != 0 || !written)
      fail("%s: %s", unfinished, strerror(errno));
    remove(path); /* not everywhere does rename() replace a file */
    if (rename(unfinished, path) != 0)
      fail("%s: %s", path, strerror(errno));
  }
  sbp_buffer_free(&old);
  free(unfinished);
  free(path);
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name);
  return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths of a folder's schema files, sorted. NAME.schema.json describes schemas, and is none. */
static char **list_files(const char *directory, size_t *count) {
  DIR *const folder = opendir(directory);
  if (folder == NULL)
    fail("%s: %s", directory, strerror(errno));
  char **paths = NULL;
  *count = 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (ends_with(entry->d_name, ".json") && !ends_with(entry->d_name, ".schema.json")) {
      paths = resize(NULL, paths, 0, (*count + 1) * sizeof(paths[0]));
      paths[(*count)++] = join(directory, entry->d_name, "");
    }
  closedir(folder);
  if (*count == 0)
    fail("%s: no schema file (*.json) is in it", directory);
  qsort(paths, *count, sizeof(paths[0]), compare_paths);
  return paths;
}

static const struct sbp_schema *read_schema(const char *directory, struct sbp_arena *arena) {
  struct sbp_schema_set set = {.arena = arena};
  struct sbp_schema_error error;
  size_t count;
  char **const paths = list_files(directory, &count);
  for (size_t i = 0; i < count; i++) {
    struct sbp_buffer text = {.allocator = &allocator};
    if (!read_file(paths[i], &text))
      fail("%s: %s", paths[i], strerror(errno));
    if (sbp_schema_add(&set, paths[i], text.data, text.size, &error) != SBP_OK)
      fail("%s", error.text);
    sbp_buffer_free(&text);
    free(paths[i]);
  }
  free(paths);
  const struct sbp_schema *schema;
  if (sbp_schema_build(&set, &schema, &error) != SBP_OK)
    fail("%s", error.text);
  return schema;
}

int main(int argc, char **argv) {
  if (argc != 3)
    fail("usage: sbpgen SCHEMA_DIR OUTPUT_DIR");
  struct sbp_arena arena = {.allocator = &allocator};
  const struct sbp_schema *const schema = read_schema(argv[1], &arena);
  for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
    struct sbp_buffer text = {.allocator = &allocator};
    print(&text, "/* SPDX-License-Identifier: MIT */\n/* Made by sbpgen of the schema of SBP %s. */\n",
          schema->version);
    outputs[i].make(&text, schema);
    write_file(argv[2], outputs[i].name, &text);
    sbp_buffer_free(&text);
  }
  sbp_arena_drop(&arena);
  return EXIT_SUCCESS;
}
