/* SPDX-License-Identifier: MIT */
/* The text of a schema file -> entries. */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "schema_entry.h"

/* An index of a field must fit in sbp_field.count_field, a number of values in sbp_bits.value_count. */
enum { FIELDS_MAX = 255, VALUES_MAX = UINT16_MAX };

struct reader {
  struct sbp_schema_set *set;
  struct sbp_schema_error *error;
  enum sbp_status status; /* the first fault stays */
  const char *package;
  struct sbpi_origin origin; /* of what is being read */
  char owner_label[32];      /* names an entry whose name is not known yet, as "messages[3]" */
  char field_label[32];
  struct sbpi_locator locator;
};

SBPI_PRINTF(2, 3)
static bool fault(struct reader *reader, const char *format, ...) {
  if (reader->status != SBP_OK)
    return false;
  char text[sizeof(reader->error->text)];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  reader->status = sbpi_schema_fault(reader->error, &reader->origin, "%s", text);
  return false;
}

static void *take(struct reader *reader, size_t count, size_t size) {
  void *const memory = sbp_arena_take(reader->set->arena, count * size);
  if (memory == NULL && reader->status == SBP_OK)
    reader->status = sbpi_schema_no_memory(reader->error);
  return memory;
}

static const char *keep_bytes(struct reader *reader, const char *text, size_t length) {
  char *const copy = take(reader, length + 1, 1);
  return copy == NULL ? NULL : memcpy(copy, text, length);
}

/* The string `key` of an object, or NULL. */
static const char *keep(struct reader *reader, const json_t *object, const char *key) {
  const json_t *const string = json_object_get(object, key);
  return string == NULL ? NULL : keep_bytes(reader, json_string_value(string), json_string_length(string));
}

/* ---- Keys ------------------------------------------------------------------------------------------------------- */

struct key {
  const char *name;
  json_type type;
  bool required;
};

static const char *type_text(json_type type) {
  switch (type) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    return "an array";
  case JSON_STRING:
    return "a string";
  default:
    return "an integer";
  }
}

/* Texts go into one line of output, and into C sources. */
static bool check_text(struct reader *reader, const char *what, const json_t *string) {
  const char *const text = json_string_value(string);
  if (text == NULL)
    return fault(reader, "%s: not a string", what);
  if (*text == '\0')
    return fault(reader, "%s: empty", what);
  for (const char *c = text; *c != '\0'; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      return fault(reader, "%s: a control character", what);
  return true;
}

static bool check_key(struct reader *reader, const char *name, const json_t *value, const struct key *keys,
                      size_t count) {
  unsigned distance = sbpi_near_limit(strlen(name));
  const char *near = NULL;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(name, keys[i].name) == 0) {
      if (json_typeof(value) != keys[i].type)
        return fault(reader, "%s: not %s", name, type_text(keys[i].type));
      return keys[i].type != JSON_STRING || check_text(reader, name, value);
    }
    if (sbpi_nearer(name, strlen(name), keys[i].name, strlen(keys[i].name), &distance))
      near = keys[i].name;
  }
  if (near != NULL)
    return fault(reader, "unknown key \"%s\", did you mean \"%s\"?", name, near);
  return fault(reader, "unknown key \"%s\"", name);
}

static bool check_keys(struct reader *reader, json_t *object, const struct key *keys, size_t count) {
  if (!json_is_object(object))
    return fault(reader, "not an object");
  const char *name;
  json_t *value;
  json_object_foreach(object, name, value) {
    if (!check_key(reader, name, value, keys, count))
      return false;
  }
  for (size_t i = 0; i < count; i++)
    if (keys[i].required && json_object_get(object, keys[i].name) == NULL)
      return fault(reader, "missing key \"%s\"", keys[i].name);
  return true;
}

#define CHECK_KEYS(reader, object, keys) check_keys(reader, object, keys, sizeof(keys) / sizeof((keys)[0]))

/* ---- Names and numbers ------------------------------------------------------------------------------------------ */

static bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_name(const char *text, size_t length) {
  if (length == 0 || !is_letter(text[0]))
    return false;
  for (size_t i = 1; i < length; i++)
    if (!is_letter(text[i]) && !is_digit(text[i]))
      return false;
  return true;
}

static bool check_name(struct reader *reader, const char *name) {
  /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): check_keys() has seen that there is a name */
  if (!is_name(name, strlen(name)))
    return fault(reader, "name \"%s\": not letters, digits and _, or it begins with a digit", name);
  if (strlen(name) > SBPI_NAME_MAX)
    return fault(reader, "name: longer than %d characters", SBPI_NAME_MAX);
  return true;
}

/* A decimal number without sign and leading zeros. */
static bool parse_number(const char *text, size_t length, uint64_t *number) {
  *number = 0;
  if (length == 0 || (length > 1 && text[0] == '0'))
    return false;
  for (size_t i = 0; i < length; i++) {
    const uint64_t digit = (uint64_t)(text[i] - '0');
    if (!is_digit(text[i]) || *number > (UINT64_MAX - digit) / 10)
      return false;
    *number = *number * 10 + digit;
  }
  return true;
}

/* ---- Bit fields -------------------------------------------------------------------------------------------------- */

static uint64_t low_bits(unsigned count) {
  return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static bool read_values(struct reader *reader, json_t *object, struct sbp_bits *bits) {
  const size_t count = json_object_size(object);
  if (count > VALUES_MAX)
    return fault(reader, "bits %s: more than %d values", bits->name, VALUES_MAX);
  struct sbp_value *const values = take(reader, count, sizeof(*values));
  if (values == NULL)
    return false;

  size_t used = 0;
  const char *key;
  json_t *text;
  json_object_foreach(object, key, text) {
    uint64_t number;
    if (!parse_number(key, strlen(key), &number))
      return fault(reader, "bits %s: value \"%s\": not a decimal number", bits->name, key);
    if (number > low_bits(bits->last - bits->first + 1u))
      return fault(reader, "bits %s: value %s: not in %d bits", bits->name, key, bits->last - bits->first + 1);
    if (!check_text(reader, key, text))
      return false;
    size_t place = used++;
    for (; place > 0 && values[place - 1].value > number; place--)
      values[place] = values[place - 1];
    values[place] = (struct sbp_value){number, keep_bytes(reader, json_string_value(text), json_string_length(text))};
  }
  bits->values = count == 0 ? NULL : values;
  bits->value_count = (uint16_t)count;
  return reader->status == SBP_OK;
}

static bool read_bit_range(struct reader *reader, const char *text, unsigned width, struct sbp_bits *bits) {
  const size_t length = strlen(text);
  const char *const dash = strchr(text, '-');
  const size_t first_length = dash == NULL ? length : (size_t)(dash - text);
  uint64_t first;
  uint64_t last;
  if (!parse_number(text, first_length, &first))
    return fault(reader, "bits \"%s\": not as \"0-2\" or \"3\"", text);
  last = first;
  if (dash != NULL && !parse_number(dash + 1, length - first_length - 1, &last))
    return fault(reader, "bits \"%s\": not as \"0-2\" or \"3\"", text);
  if (first > last)
    return fault(reader, "bits \"%s\": the first is higher than the last", text);
  if (last >= width)
    return fault(reader, "bits \"%s\": the field has only bits 0-%u", text, width - 1);
  bits->first = (uint8_t)first;
  bits->last = (uint8_t)last;
  return true;
}

/* A line's "meaning" has each name once, and none of bits that mean nothing. */
static bool is_named_already(const struct sbp_bits *bits, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(bits[i].name, name) == 0)
      return strcmp(name, "Reserved") != 0;
  return false;
}

static bool read_bits(struct reader *reader, json_t *array, struct sbp_field *field) {
  static const struct key keys[] = {
      {"bits", JSON_STRING, true}, {"name", JSON_STRING, true}, {"values", JSON_OBJECT, false}};
  if (array == NULL)
    return true;
  if (field->type > SBP_S64 || field->repeat != SBP_ONE)
    return fault(reader, "bits: only an integer has bit fields");
  /* Bit fields do not overlap, so that an integer has no more than 64. */
  const size_t count = json_array_size(array);
  struct sbp_bits *const bits = take(reader, count < 64 ? count : 64, sizeof(*bits));
  if (bits == NULL)
    return false;

  uint64_t taken = 0;
  for (size_t i = 0; i < count; i++) {
    json_t *const item = json_array_get(array, i);
    if (!CHECK_KEYS(reader, item, keys))
      return false;
    const char *const range = json_string_value(json_object_get(item, "bits"));
    struct sbp_bits one = {.name = keep(reader, item, "name")};
    if (one.name == NULL || !read_bit_range(reader, range, field->size * 8u, &one))
      return false;
    const uint64_t mask = low_bits(one.last + 1u) & ~low_bits(one.first);
    if ((taken & mask) != 0)
      return fault(reader, "bits \"%s\": they overlap others", range);
    taken |= mask;
    if (is_named_already(bits, i, one.name))
      return fault(reader, "bits \"%s\": others have the name %s already", range, one.name);
    json_t *const values = json_object_get(item, "values");
    if (values != NULL && !read_values(reader, values, &one))
      return false;
    bits[i] = one;
  }
  field->bits = count == 0 ? NULL : bits;
  field->bits_count = (uint16_t)count;
  return true;
}

/* ---- Fields ----------------------------------------------------------------------------------------------------- */

/* In the order of enum sbp_type. */
static const struct {
  const char *name;
  uint8_t size;
} number_types[] = {{"u8", 1},  {"u16", 2}, {"u32", 4}, {"u64", 8},   {"s8", 1},
                    {"s16", 2}, {"s32", 4}, {"s64", 8}, {"float", 4}, {"double", 8}};

enum { NUMBER_TYPES = sizeof(number_types) / sizeof(number_types[0]) };

const char *sbpi_schema_near_type(const char *name, size_t length, unsigned *distance) {
  const char *near = sbpi_nearer(name, length, "string", 6, distance) ? "string" : NULL;
  for (size_t i = 0; i < NUMBER_TYPES; i++)
    if (sbpi_nearer(name, length, number_types[i].name, strlen(number_types[i].name), distance))
      near = number_types[i].name;
  return near;
}

/* The number type of a name, or SBP_STRING or SBP_STRUCT. */
static enum sbp_type type_of(const char *name, size_t length) {
  for (unsigned i = 0; i < NUMBER_TYPES; i++)
    if (strlen(number_types[i].name) == length && memcmp(name, number_types[i].name, length) == 0)
      return (enum sbp_type)i;
  return length == 6 && memcmp(name, "string", 6) == 0 ? SBP_STRING : SBP_STRUCT;
}

static bool read_encoding(struct reader *reader, const char *encoding, struct sbp_field *field) {
  static const struct {
    const char *name;
    enum sbp_encoding encoding;
    uint8_t size;
  } encodings[] = {{"unterminated", SBP_UNTERMINATED, 0},
                   {"null_terminated", SBP_NULL_TERMINATED, 1},
                   {"multipart", SBP_MULTIPART, 0},
                   {"double_null_terminated", SBP_DOUBLE_NULL_TERMINATED, 2}};
  if (encoding == NULL)
    return fault(reader, "missing key \"encoding\": how does the string end?");
  for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++)
    if (strcmp(encoding, encodings[i].name) == 0) {
      field->encoding = (uint8_t)encodings[i].encoding;
      field->size = encodings[i].size;
      return true;
    }
  return fault(reader, "encoding \"%s\": not unterminated, null_terminated, multipart or double_null_terminated",
               encoding);
}

/* A type is a name and, of arrays and fixed strings, "[]" or "[4]" behind it. */
static bool read_type(struct reader *reader, const json_t *object, struct sbp_field *field,
                      struct sbpi_field_source *source) {
  const char *const type = json_string_value(json_object_get(object, "type"));
  const char *const encoding = json_string_value(json_object_get(object, "encoding"));
  const size_t length = strlen(type);
  const size_t name_length = strcspn(type, "[");
  const bool indexed = name_length < length;
  const bool variable = indexed && strcmp(type + name_length, "[]") == 0;
  uint64_t count = 1;
  if (!is_name(type, name_length))
    return fault(reader, "unknown type \"%s\"", type);
  if (indexed && !variable &&
      (type[length - 1] != ']' || !parse_number(type + name_length + 1, length - name_length - 2, &count) ||
       count == 0 || count > SBP_PAYLOAD_MAX))
    return fault(reader, "type \"%s\": not 1 to %d in its brackets", type, SBP_PAYLOAD_MAX);

  field->type = (uint8_t)type_of(type, name_length);
  field->count = 1;
  if (field->type == SBP_STRING) {
    if (variable)
      return fault(reader, "type \"string[]\": a variable string is \"string\" with an encoding");
    if (!indexed)
      return read_encoding(reader, encoding, field);
    field->size = (uint8_t)count;
  } else {
    if (field->type == SBP_STRUCT)
      source->element = keep_bytes(reader, type, name_length);
    else
      field->size = number_types[field->type].size;
    if (indexed) {
      field->repeat = variable ? SBP_VARIABLE_ARRAY : SBP_FIXED_ARRAY;
      field->count = variable ? 0 : (uint8_t)count;
    }
  }
  if (encoding != NULL)
    return fault(reader, "encoding: only a variable string has one");
  return true;
}

static bool read_count_field(struct reader *reader, const char *name, struct sbp_field *fields, size_t position) {
  fields[position].count_field = UINT8_MAX;
  if (name == NULL)
    return true;
  if (fields[position].repeat == SBP_ONE)
    return fault(reader, "count_field: only an array has one");
  for (size_t i = 0; i < position; i++)
    if (strcmp(name, fields[i].name) == 0 && fields[i].type <= SBP_S64 && fields[i].repeat == SBP_ONE) {
      fields[position].count_field = (uint8_t)i;
      return true;
    }
  return fault(reader, "count_field \"%s\": not an integer field before this one", name);
}

/* A variable part takes what the payload has left, so nothing can follow it but behind a NUL. */
static bool check_variable(struct reader *reader, const struct sbp_field *field, bool in_message, bool last) {
  if (field->repeat != SBP_VARIABLE_ARRAY && (field->type != SBP_STRING || field->encoding == SBP_FIXED))
    return true;
  if (!in_message)
    return fault(reader, "of variable size, which only a message's fields can be");
  if (!last && field->encoding != SBP_NULL_TERMINATED)
    return fault(reader, "of variable size and not the last: only a null_terminated string can stand before others");
  return true;
}

static bool check_field_name(struct reader *reader, const char *name, const struct sbp_field *fields, size_t position) {
  static const char *const reserved[] = {"crc",      "length", "msg_type", "msg_name", "payload",
                                         "preamble", "sender", "meaning",  "utc",      "gps_week"};
  if (!check_name(reader, name))
    return false;
  for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
    if (strcmp(name, reserved[i]) == 0)
      return fault(reader, "the name is a key of every line already");
  for (size_t i = 0; i < position; i++)
    if (strcmp(name, fields[i].name) == 0)
      return fault(reader, "there is a field of this name already");
  return true;
}

static bool read_field(struct reader *reader, json_t *object, struct sbp_schema_entry *entry, size_t position,
                       bool last) {
  static const struct key keys[] = {{"name", JSON_STRING, true},      {"type", JSON_STRING, true},
                                    {"units", JSON_STRING, false},    {"description", JSON_STRING, false},
                                    {"encoding", JSON_STRING, false}, {"count_field", JSON_STRING, false},
                                    {"bits", JSON_ARRAY, false}};
  struct sbp_field *const field = &entry->fields[position];
  struct sbpi_field_source *const source = &entry->sources[position];
  const char *const name = json_string_value(json_object_get(object, "name"));
  (void)snprintf(reader->field_label, sizeof(reader->field_label), "%zu", position + 1);
  reader->origin.field = reader->field_label;
  if (name != NULL) {
    sbpi_locate(&reader->locator, name, &reader->origin);
    field->name = keep(reader, object, "name");
    if (field->name == NULL)
      return false;
    reader->origin.field = field->name;
  }
  if (!CHECK_KEYS(reader, object, keys) || !check_field_name(reader, name, entry->fields, position))
    return false;
  source->origin = reader->origin;
  field->name_length = (uint8_t)strlen(name);
  field->units = keep(reader, object, "units");
  field->description = keep(reader, object, "description");
  return read_type(reader, object, field, source) && check_variable(reader, field, entry->is_message, last) &&
         read_bits(reader, json_object_get(object, "bits"), field) &&
         read_count_field(reader, json_string_value(json_object_get(object, "count_field")), entry->fields, position) &&
         reader->status == SBP_OK;
}

static bool read_fields(struct reader *reader, const json_t *array, struct sbp_schema_entry *entry) {
  const size_t count = json_array_size(array);
  if (count > FIELDS_MAX)
    return fault(reader, "more than %d fields", FIELDS_MAX);
  if (count == 0 && !entry->is_message)
    return fault(reader, "a struct without fields");
  entry->fields = take(reader, count, sizeof(*entry->fields));
  entry->sources = take(reader, count, sizeof(*entry->sources));
  if (entry->fields == NULL || entry->sources == NULL)
    return false;
  for (size_t i = 0; i < count; i++)
    if (!read_field(reader, json_array_get(array, i), entry, i, i + 1 == count))
      return false;
  entry->message.body.fields = entry->fields;
  entry->message.body.field_count = (uint16_t)count;
  return true;
}

/* ---- Structs and messages --------------------------------------------------------------------------------------- */

static bool is_message_name(const char *name) {
  return strncmp(name, "MSG_", 4) == 0 && name[4] != '\0';
}

static bool check_entry_name(struct reader *reader, const char *name, bool is_message) {
  if (!check_name(reader, name))
    return false;
  if (is_message && !is_message_name(name))
    return fault(reader, "the name of a message begins with MSG_");
  /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the same */
  if (!is_message && type_of(name, strlen(name)) != SBP_STRUCT)
    return fault(reader, "the name is a type of its own");
  return true;
}

static bool read_id(struct reader *reader, const json_t *object, struct sbp_schema_entry *entry) {
  const json_int_t id = json_integer_value(json_object_get(object, "id"));
  if (id < 1 || id > UINT16_MAX)
    return fault(reader, "id %" JSON_INTEGER_FORMAT ": not 1 to 65535", id);
  entry->message.id = (uint16_t)id;
  return true;
}

/* What replaces a message may itself be gone: of the published definition, two have left the protocol. */
static bool read_replaced_by(struct reader *reader, const json_t *array, struct sbp_message *message) {
  const size_t count = json_array_size(array);
  if (count > UINT16_MAX)
    return fault(reader, "replaced_by: more than %d names", UINT16_MAX);
  const char **const names = take(reader, count, sizeof(*names));
  if (names == NULL)
    return false;
  for (size_t i = 0; i < count; i++) {
    const json_t *const name = json_array_get(array, i);
    if (!check_text(reader, "replaced_by", name) || !check_name(reader, json_string_value(name)))
      return false;
    if (!is_message_name(json_string_value(name)))
      return fault(reader, "replaced_by: the name of a message begins with MSG_");
    names[i] = keep_bytes(reader, json_string_value(name), json_string_length(name));
  }
  message->replaced_by = count == 0 ? NULL : names;
  message->replaced_by_count = (uint16_t)count;
  return reader->status == SBP_OK;
}

/* Nothing may stand twice; with `replace`, what an earlier file has gives way. */
static bool settle_doubles(struct reader *reader, const struct sbp_schema_entry *entry) {
  for (struct sbp_schema_entry *other = reader->set->first; other != NULL; other = other->next) {
    if (other->replaced || other->is_message != entry->is_message)
      continue;
    const bool same_id = entry->is_message && other->message.id == entry->message.id;
    const bool same_name = strcmp(other->message.body.name, entry->message.body.name) == 0;
    if (!same_id && !same_name)
      continue;
    if (reader->set->replace && other->file != entry->file)
      other->replaced = true;
    else if (same_name)
      return fault(reader, "the name stands already at %s:%u", other->origin.file, (unsigned)other->origin.line);
    else
      return fault(reader, "id %d is that of %s already, at %s:%u", entry->message.id, other->message.body.name,
                   other->origin.file, (unsigned)other->origin.line);
  }
  return true;
}

static bool read_entry(struct reader *reader, json_t *object, bool is_message) {
  static const struct key keys[] = {{"name", JSON_STRING, true},
                                    {"fields", JSON_ARRAY, true},
                                    {"description", JSON_STRING, false},
                                    {"id", JSON_INTEGER, true},
                                    {"replaced_by", JSON_ARRAY, false}};
  enum { STRUCT_KEYS = 3, MESSAGE_KEYS = 5 };
  struct sbp_schema_entry *const entry = take(reader, 1, sizeof(*entry));
  if (entry == NULL)
    return false;
  const char *const name = json_string_value(json_object_get(object, "name"));
  struct sbp_struct *const body = &entry->message.body;
  if (name != NULL) {
    sbpi_locate(&reader->locator, name, &reader->origin);
    body->name = keep(reader, object, "name");
    if (body->name == NULL)
      return false;
    reader->origin.owner = body->name;
  }
  if (!check_keys(reader, object, keys, is_message ? MESSAGE_KEYS : STRUCT_KEYS) ||
      !check_entry_name(reader, name, is_message) || (is_message && !read_id(reader, object, entry)) ||
      !read_replaced_by(reader, json_object_get(object, "replaced_by"), &entry->message))
    return false;
  body->description = keep(reader, object, "description");
  body->package = reader->package;
  entry->origin = reader->origin;
  entry->file = reader->set->files;
  entry->is_message = is_message;
  if (!settle_doubles(reader, entry) || !read_fields(reader, json_object_get(object, "fields"), entry))
    return false;

  if (reader->set->last == NULL)
    reader->set->first = entry;
  else
    reader->set->last->next = entry;
  reader->set->last = entry;
  return true;
}

static bool read_entries(struct reader *reader, const json_t *root, const char *key, bool is_message) {
  const json_t *const array = json_object_get(root, key);
  reader->locator = (struct sbpi_locator){.text = reader->locator.text, .size = reader->locator.size, .line = 1};
  for (size_t i = 0; i < json_array_size(array); i++) {
    (void)snprintf(reader->owner_label, sizeof(reader->owner_label), "%s[%zu]", key, i);
    reader->origin = (struct sbpi_origin){.file = reader->origin.file, .owner = reader->owner_label};
    if (!read_entry(reader, json_array_get(array, i), is_message))
      return false;
  }
  return true;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static bool read_protocol(struct reader *reader, json_t *root) {
  static const struct key keys[] = {{"protocol", JSON_STRING, true}, {"version", JSON_STRING, true}};
  if (!CHECK_KEYS(reader, root, keys))
    return false;
  if (strcmp(json_string_value(json_object_get(root, "protocol")), "SBP") != 0)
    return fault(reader, "protocol: not \"SBP\"");
  if (reader->set->version != NULL && !reader->set->replace)
    return fault(reader, "version: another file has given it already");
  reader->set->version = keep(reader, root, "version");
  return reader->set->version != NULL;
}

static bool read_package(struct reader *reader, json_t *root) {
  static const struct key keys[] = {{"package", JSON_STRING, true},
                                    {"description", JSON_STRING, false},
                                    {"structs", JSON_ARRAY, false},
                                    {"messages", JSON_ARRAY, false}};
  if (!CHECK_KEYS(reader, root, keys) || !check_name(reader, json_string_value(json_object_get(root, "package"))))
    return false;
  reader->package = keep(reader, root, "package");
  return reader->package != NULL && read_entries(reader, root, "structs", false) &&
         read_entries(reader, root, "messages", true);
}

enum sbp_status sbp_schema_add(struct sbp_schema_set *set, const char *name, const char *text, size_t size,
                               struct sbp_schema_error *error) {
  struct reader reader = {.set = set, .error = error, .locator = {.text = text, .size = size}};
  reader.origin.file = keep_bytes(&reader, name, strlen(name));
  if (reader.origin.file == NULL)
    return reader.status;

  json_error_t json_error;
  errno = 0;
  json_t *const root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &json_error);
  if (root == NULL) {
    /* Where memory is out jansson says so seldom, and else finds fault with the text. */
    if (errno == ENOMEM || json_error_code(&json_error) == json_error_out_of_memory)
      return sbpi_schema_no_memory(error);
    reader.origin.line = json_error.line > 0 ? (uint32_t)json_error.line : 0;
    reader.origin.column = json_error.column > 0 ? (uint32_t)json_error.column : 0;
    return sbpi_schema_fault(error, &reader.origin, "not JSON: %s", json_error.text);
  }
  set->files++;
  if (json_object_get(root, "protocol") != NULL)
    read_protocol(&reader, root);
  else
    read_package(&reader, root);
  json_decref(root);
  return reader.status;
}
