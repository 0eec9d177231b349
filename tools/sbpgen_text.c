/* SPDX-License-Identifier: MIT */
/* The text that sbpgen makes. */
#include "sbpgen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_FAULT = 2 };

_Noreturn void fail(const char *format, ...) {
  va_list arguments;
  (void)fputs("sbpgen: ", stderr);
  va_start(arguments, format);
  (void)vfprintf(stderr, format, arguments);
  va_end(arguments);
  (void)fputc('\n', stderr);
  exit(EXIT_FAULT);
}

void *resize(void *context, void *old, size_t old_size, size_t new_size) {
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

const struct sbp_allocator allocator = {resize, NULL};

void put_byte(struct sbp_buffer *text, int byte) {
  const char c = (char)byte;
  sbp_buffer_append(text, &c, 1);
}

void put_number(struct sbp_buffer *text, uint64_t number) {
  if (number >= 10)
    put_number(text, number / 10);
  put_byte(text, '0' + (int)(number % 10));
}

void put_string(struct sbp_buffer *text, const char *string) {
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

void put_c_name(struct sbp_buffer *text, const char *name) {
  for (const char *c = name; *c != '\0'; c++) {
    if (c > name && c[-1] != '_' && is_upper(*c) && (!is_upper(c[-1]) || (c[1] >= 'a' && c[1] <= 'z')))
      put_byte(text, '_');
    put_byte(text, is_upper(*c) ? *c + ('a' - 'A') : *c);
  }
}

void print(struct sbp_buffer *text, const char *format, ...) {
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
    const size_t begin = text->size;
    if (*c == 'q')
      put_string(text, string);
    else if (*c == 'n' || *c == 'N')
      put_c_name(text, string);
    else
      sbp_buffer_append(text, string, strlen(string));
    for (size_t i = begin; i < text->size && *c == 'N'; i++)
      if (text->data[i] >= 'a' && text->data[i] <= 'z')
        text->data[i] -= 'a' - 'A';
  }
  va_end(arguments);
}

void put_words(struct sbp_buffer *text, const char *words, size_t column, const char *new_line) {
  for (const char *word = words; *word != '\0';) {
    const size_t length = strcspn(word, " ");
    if (column + 1 + length > LINE_WIDTH) {
      print(text, "%s", new_line);
      column = strlen(new_line) - 1;
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
}

/* ---- The schema -------------------------------------------------------------------------------------------------- */

const char *const type_names[] = {"U8",  "U16", "U32",   "U64",    "S8",     "S16",
                                  "S32", "S64", "FLOAT", "DOUBLE", "STRING", "STRUCT"};

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

struct struct_list list_structs(const struct sbp_schema *schema) {
  struct struct_list list = {0};
  for (uint32_t i = 0; i < schema->count; i++)
    list_structs_of(&schema->messages[i]->body, &list);
  return list;
}

bool is_variable_string(const struct sbp_field *field) {
  return field->type == SBP_STRING && field->encoding != SBP_FIXED;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **list_packages(const struct sbp_schema *schema, size_t *count) {
  const struct struct_list structs = list_structs(schema);
  const size_t all = structs.count + schema->count;
  const char **const packages = resize(NULL, NULL, 0, (all + 1) * sizeof(packages[0]));
  for (size_t i = 0; i < all; i++)
    packages[i] = i < structs.count ? structs.all[i]->package : schema->messages[i - structs.count]->body.package;
  qsort(packages, all, sizeof(packages[0]), compare_names);
  *count = 0;
  for (size_t i = 0; i < all; i++)
    if (*count == 0 || strcmp(packages[*count - 1], packages[i]) != 0)
      packages[(*count)++] = packages[i];
  free(structs.all);
  return packages;
}

void put_member(struct sbp_buffer *text, const struct sbp_field *field) {
  /* Words that C or C++ keeps for itself and that could be names of fields. */
  static const char *const kept[] = {
      "and",       "asm",      "auto",     "bool",      "break",    "case",   "catch",    "char",   "class",
      "const",     "continue", "default",  "delete",    "do",       "double", "else",     "enum",   "explicit",
      "export",    "extern",   "false",    "float",     "for",      "friend", "goto",     "if",     "inline",
      "int",       "long",     "mutable",  "namespace", "new",      "not",    "operator", "or",     "private",
      "protected", "public",   "register", "requires",  "restrict", "return", "short",    "signed", "sizeof",
      "static",    "struct",   "switch",   "template",  "this",     "throw",  "true",     "try",    "typedef",
      "typename",  "union",    "unsigned", "using",     "virtual",  "void",   "volatile", "while",  "xor"};
  print(text, "%s", field->name);
  for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
    if (strcmp(field->name, kept[i]) == 0)
      put_byte(text, '_');
}

int most_elements(const struct sbp_field *field) {
  return field->repeat == SBP_VARIABLE_ARRAY ? (SBP_PAYLOAD_MAX - field->offset) / field->size : field->count;
}
