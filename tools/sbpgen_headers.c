/* SPDX-License-Identifier: MIT */
/* sbpkit/PACKAGE.h: the structs of messages, and the constants that views read their fields by. */
#include "sbpgen.h"

#include <stdlib.h>
#include <string.h>

/* By enum sbp_type, of numbers. */
static const char *const c_types[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t",
                                      "int16_t", "int32_t",  "int64_t",  "float",    "double"};

/* ---- Constants ---- */

/* A header in the making. */
struct header {
  struct sbp_buffer *text;
  const struct sbp_schema *schema;
};

/* All constants of all headers, each with its NUL. */
static struct sbp_buffer constants = {.allocator = &allocator};

static int compare_constants(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* They stand side by side in a program. */
static void check_constants(void) {
  char **sorted = NULL;
  size_t count = 0;
  for (size_t at = 0; at < constants.size; at += strlen(constants.data + at) + 1) {
    sorted = resize(NULL, sorted, 0, (count + 1) * sizeof(sorted[0]));
    sorted[count++] = constants.data + at;
  }
  if (count > 0)
    qsort(sorted, count, sizeof(sorted[0]), compare_constants);
  for (size_t i = 1; i < count; i++)
    if (strcmp(sorted[i - 1], sorted[i]) == 0)
      fail("two constants of the headers have the name %s", sorted[i]);
  free(sorted);
}

/* Begin the line of a constant whose name was printed into `name`, up to its value. */
static void put_constant(struct sbp_buffer *text, struct sbp_buffer *name) {
  put_byte(name, '\0');
  print(text, "  %s = ", name->data);
  sbp_buffer_append(&constants, name->data, name->size);
  name->size = 0;
}

static void put_hex(struct sbp_buffer *text, uint32_t number, int digits) {
  print(text, "0x");
  for (int shift = 4 * digits - 4; shift >= 0; shift -= 4)
    put_byte(text, "0123456789abcdef"[number >> shift & 15]);
}

/* The number that view.h describes. */
static uint32_t field_constant(const struct sbp_struct *body, const struct sbp_field *field) {
  const bool last = field == &body->fields[body->field_count - 1];
  uint32_t count = field->count;
  if (is_variable_string(field))
    count = last ? 0 : 1u + body->size - field->offset - field->size;
  return (uint32_t)field->encoding << 28 | (uint32_t)field->type << 24 | count << 16 | (uint32_t)field->size << 8 |
         field->offset;
}

/* "Fix mode" -> "FIX_MODE", and no more than some words of a sentence. */
static void put_words_name(struct sbp_buffer *name, const char *words) {
  enum { ENOUGH = 40 };
  const size_t begin = name->size;
  size_t whole = begin; /* the size at the end of the last word */
  for (const char *c = words; *c != '\0' && name->size - begin <= ENOUGH; c++) {
    const bool small = *c >= 'a' && *c <= 'z';
    if (small || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')) {
      put_byte(name, small ? *c - ('a' - 'A') : *c);
      if (c[1] == '\0')
        whole = name->size;
    } else if (name->size > begin && name->data[name->size - 1] != '_') {
      whole = name->size;
      put_byte(name, '_');
    }
  }
  name->size = whole > begin ? whole : name->size;
}

static bool is_reserved(const char *name) {
  return strcmp(name, "Reserved") == 0;
}

/* Whether an earlier value of the bit field has the same name as C sees it. */
static bool is_repeated(const struct sbp_bits *bits, unsigned v) {
  struct sbp_buffer mine = {.allocator = &allocator};
  struct sbp_buffer other = {.allocator = &allocator};
  bool repeated = false;
  put_words_name(&mine, bits->values[v].name);
  for (unsigned i = 0; i < v && !repeated; i++) {
    other.size = 0;
    put_words_name(&other, bits->values[i].name);
    repeated = mine.size == other.size && memcmp(mine.data, other.data, mine.size) == 0;
  }
  sbp_buffer_free(&mine);
  sbp_buffer_free(&other);
  return repeated;
}

static void put_bits_constants(struct sbp_buffer *text, struct sbp_buffer *name, const struct sbp_struct *body,
                               const struct sbp_field *field, const struct sbp_bits *bits) {
  print(name, "SBP_%N_%N_", body->name, field->name);
  put_words_name(name, bits->name);
  put_constant(text, name);
  put_hex(text, (uint32_t)bits->last << 8 | bits->first, 4);
  print(text, ", /* bits %d to %d */\n", bits->first, bits->last);
  for (unsigned i = 0; i < bits->value_count; i++) {
    const struct sbp_value *const value = &bits->values[i];
    /* No enumerator is larger. */
    if (is_reserved(value->name) || value->value > INT32_MAX)
      continue;
    print(name, "SBP_%N_%N_", body->name, field->name);
    put_words_name(name, bits->name);
    put_byte(name, '_');
    put_words_name(name, value->name);
    if (is_repeated(bits, i))
      print(name, "_%d", (int)value->value);
    put_constant(text, name);
    print(text, "%d,\n", (int)value->value);
  }
}

static void put_type(struct sbp_buffer *text, const struct sbp_field *field) {
  static const char *const strings[] = {"string of fixed size", "unterminated string", "null-terminated string",
                                        "multipart string", "double-null-terminated string"};
  if (field->type == SBP_STRING)
    print(text, "%s", strings[field->encoding]);
  else if (field->type == SBP_STRUCT)
    print(text, "%s", field->element->name);
  else
    print(text, "%n", type_names[field->type]);
  if (field->repeat == SBP_FIXED_ARRAY)
    print(text, "[%d]", field->count);
  else if (field->repeat == SBP_VARIABLE_ARRAY)
    print(text, "[]");
}

/* The enumerators of a message or struct; id and least payload of a message alone. */
static void put_constants(struct sbp_buffer *text, const struct sbp_struct *body, const struct sbp_message *message) {
  struct sbp_buffer name = {.allocator = &allocator};
  print(text, "enum {\n");
  if (message != NULL) {
    print(&name, "SBP_%N", body->name);
    put_constant(text, &name);
    print(text, "%d,\n", message->id);
    print(&name, "SBP_%N_SIZE_MIN", body->name);
    put_constant(text, &name);
    print(text, "%d,\n", body->size);
  }
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    print(&name, "SBP_%N_%N", body->name, field->name);
    put_constant(text, &name);
    put_hex(text, field_constant(body, field), 8);
    print(text, ", /* ");
    put_type(text, field);
    print(text, " */\n");
    for (unsigned b = 0; b < field->bits_count; b++)
      if (!is_reserved(field->bits[b].name))
        put_bits_constants(text, &name, body, field, &field->bits[b]);
  }
  print(text, "};\n\n");
  sbp_buffer_free(&name);
}

/* ---- Structs ---- */

static void put_count_member(struct sbp_buffer *text, const struct sbp_struct *body, const struct sbp_field *field) {
  struct sbp_buffer name = {.allocator = &allocator};
  put_member(&name, field);
  print(&name, "_count");
  put_byte(&name, '\0');
  for (unsigned i = 0; i < body->field_count; i++)
    if (strcmp(body->fields[i].name, name.data) == 0)
      fail("%s: field %s: the struct counts the elements of %s under this name", body->name, name.data, field->name);
  print(text, "  uint8_t %s; /* elements that are there */\n", name.data);
  sbp_buffer_free(&name);
}

static void put_struct_member(struct sbp_buffer *text, const struct sbp_struct *body, const struct sbp_field *field) {
  if (field->description != NULL || field->units != NULL) {
    struct sbp_buffer words = {.allocator = &allocator};
    if (field->description != NULL)
      print(&words, "%s", field->description);
    if (field->units != NULL)
      print(&words, field->description != NULL ? " [%s]" : "[%s]", field->units);
    put_byte(&words, '\0');
    print(text, "  /*");
    put_words(text, words.data, sizeof "  /* */" - 1, "\n   *   ");
    print(text, " */\n");
    sbp_buffer_free(&words);
  }
  if (field->repeat == SBP_VARIABLE_ARRAY)
    put_count_member(text, body, field);
  if (field->type == SBP_STRUCT)
    print(text, "  struct sbp_%n ", field->element->name);
  else if (field->type == SBP_STRING)
    print(text, is_variable_string(field) ? "  struct sbp_string " : "  char ");
  else
    print(text, "  %s ", c_types[field->type]);
  put_member(text, field);
  if (field->type == SBP_STRING && !is_variable_string(field))
    print(text, "[%d + 1]", field->size);
  else if (field->repeat != SBP_ONE)
    print(text, "[%d]", most_elements(field));
  print(text, ";\n");
}

static void put_struct_type(struct sbp_buffer *text, const struct sbp_struct *body) {
  print(text, "struct sbp_%n {\n", body->name);
  for (unsigned i = 0; i < body->field_count; i++)
    put_struct_member(text, body, &body->fields[i]);
  if (body->field_count == 0)
    print(text, "  uint8_t none; /* It has no fields, and C no structs without members. */\n");
  print(text, "};\n\n");
}

static void put_heading(struct sbp_buffer *text, const struct sbp_struct *body, const struct sbp_message *message) {
  struct sbp_buffer words = {.allocator = &allocator};
  print(&words, "%s", body->name);
  if (message != NULL)
    print(&words, ", id %d", message->id);
  if (body->description != NULL)
    print(&words, ": %s", body->description);
  for (unsigned i = 0; message != NULL && i < message->replaced_by_count; i++)
    print(&words, i == 0 ? ". Replaced by %s" : ", %s", message->replaced_by[i]);
  put_byte(&words, '\0');
  print(text, "/*");
  put_words(text, words.data, sizeof "/* */" - 1, "\n *");
  print(text, " */\n");
  sbp_buffer_free(&words);
}

static void put_whole_struct(struct sbp_buffer *text, const struct sbp_struct *body,
                             const struct sbp_message *message) {
  put_heading(text, body, message);
  put_struct_type(text, body);
  put_constants(text, body, message);
  if (message != NULL) {
    print(text, "SBP_API bool sbp_decode_%n(struct sbp_%n *message, const uint8_t *payload, uint8_t size);\n",
          body->name, body->name);
    print(text, "SBP_API bool sbp_encode_%n(const struct sbp_%n *message, uint8_t *payload, uint8_t *size);\n\n",
          body->name, body->name);
  }
}

/* ---- Headers ---- */

static void put_guard(struct sbp_buffer *text, const char *name) {
  print(text, "#ifndef SBPKIT_%N_H\n#define SBPKIT_%N_H\n\n", name, name);
}

static void put_c_begin(struct sbp_buffer *text) {
  print(text, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
}

static void put_c_end(struct sbp_buffer *text) {
  print(text, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* Mark the packages whose structs a body of this package holds. */
static void mark_held(const struct sbp_struct *body, const char *package, const char **packages, size_t count,
                      bool *held) {
  for (unsigned i = 0; i < body->field_count && strcmp(body->package, package) == 0; i++)
    for (size_t p = 0; p < count && body->fields[i].element != NULL; p++)
      held[p] |= strcmp(body->fields[i].element->package, packages[p]) == 0;
}

/* The packages that a package needs, itself left out. */
static bool *list_needed(const struct sbp_schema *schema, const char *package, const char **packages, size_t count) {
  const struct struct_list structs = list_structs(schema);
  bool *const needed = resize(NULL, NULL, 0, count * sizeof(needed[0]));
  memset(needed, 0, count * sizeof(needed[0]));
  for (size_t i = 0; i < structs.count; i++)
    mark_held(structs.all[i], package, packages, count, needed);
  for (uint32_t i = 0; i < schema->count; i++)
    mark_held(&schema->messages[i]->body, package, packages, count, needed);
  for (size_t p = 0; p < count; p++)
    needed[p] &= strcmp(packages[p], package) != 0;
  free(structs.all);
  return needed;
}

static bool leads_to(const struct sbp_schema *schema, const char *from, const char *to, const char **packages,
                     size_t count, size_t steps) {
  bool *const needed = list_needed(schema, from, packages, count);
  bool found = false;
  for (size_t p = 0; p < count && !found && steps > 0; p++)
    found =
        needed[p] && (strcmp(packages[p], to) == 0 || leads_to(schema, packages[p], to, packages, count, steps - 1));
  free(needed);
  return found;
}

static void put_includes(struct sbp_buffer *text, const struct sbp_schema *schema, const char *package) {
  size_t count;
  const char **const packages = list_packages(schema, &count);
  bool *const needed = list_needed(schema, package, packages, count);
  print(text, "#include \"sbpkit/protocol.h\"\n");
  for (size_t p = 0; p < count; p++) {
    if (!needed[p])
      continue;
    if (leads_to(schema, packages[p], package, packages, count, count))
      fail("package %s: its header and that of %s would include each other", package, packages[p]);
    print(text, "#include \"sbpkit/%s.h\"\n", packages[p]);
  }
  free(needed);
  free(packages);
}

void make_package_header(struct sbp_buffer *text, const struct sbp_schema *schema, const char *package) {
  const struct struct_list structs = list_structs(schema);
  put_guard(text, package);
  put_includes(text, schema, package);
  put_c_begin(text);
  for (size_t i = 0; i < structs.count; i++)
    if (strcmp(structs.all[i]->package, package) == 0)
      put_whole_struct(text, structs.all[i], NULL);
  for (uint32_t i = 0; i < schema->count; i++)
    if (strcmp(schema->messages[i]->body.package, package) == 0)
      put_whole_struct(text, &schema->messages[i]->body, schema->messages[i]);
  put_c_end(text);
  free(structs.all);
}

void make_messages_header(struct sbp_buffer *text, const struct sbp_schema *schema) {
  size_t count;
  const char **const packages = list_packages(schema, &count);
  check_constants();
  put_guard(text, "messages");
  print(text, "#include \"sbpkit/protocol.h\"\n");
  for (size_t i = 0; i < count; i++)
    print(text, "#include \"sbpkit/%s.h\"\n", packages[i]);
  print(text, "\n#endif\n");
  free(packages);
}

void make_protocol_header(struct sbp_buffer *text, const struct sbp_schema *schema) {
  put_guard(text, "protocol");
  print(text, "#include \"sbpkit/view.h\"\n");
  put_c_begin(text);
  print(text,
        "/* The version of the protocol that the structs follow, in the program that includes this. */\n"
        "#define SBP_PROTOCOL_VERSION %q\n\n"
        "/* The same in the library that it runs with. */\n"
        "SBP_API const char *sbp_protocol_version(void);\n\n",
        schema->version);
  print(text,
        "/* Each message has two functions.\n"
        " *\n"
        " * sbp_decode_..(&message, frame.payload, frame.length) fills the struct: false, and nothing is changed, "
        "where the\n"
        " * payload is shorter than the message's SIZE_MIN; bytes that a longer one has are passed over. Of arrays, "
        "the\n"
        " * elements that are counted are written; behind strings there is a NUL.\n"
        " *\n"
        " * sbp_encode_..(&message, payload, &size) writes the payload, SIZE_MIN bytes and what variable fields "
        "take,\n"
        " * SBP_PAYLOAD_MAX at most, and its size. False where a count or a string is longer than a payload, or a "
        "string\n"
        " * that others follow does not end with its one NUL; the payload is then unfinished. An empty string gets "
        "the\n"
        " * terminators that are its least. sbp_frame_pack() makes a frame of the payload. */\n\n");
  put_c_end(text);
}
