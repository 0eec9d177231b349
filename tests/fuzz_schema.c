/* SPDX-License-Identifier: MIT */
/* Schema files: what is taken is in the tables as another look at the text has it, and serves to write and read lines;
 * what is not is one line of text; memory may be out at any time. */
#include <jansson.h>

#include "fuzz.h"
#include "sbpkit/schema.h"

enum { FILES_MAX = 4 };

static const char version[] = "{\"protocol\":\"SBP\",\"version\":\"1.2.3\"}";

struct files {
  json_t *roots[FILES_MAX];
  unsigned count;
};

/* ---- The tables ---- */

static bool same_text(const json_t *string, const char *text) {
  return string == NULL ? text == NULL : text != NULL && strcmp(json_string_value(string), text) == 0;
}

/* The struct of this name, of the last file that has it. */
static const json_t *find_struct(const struct files *files, const char *name) {
  for (unsigned i = files->count; i-- > 0;) {
    size_t k;
    const json_t *one;
    json_array_foreach(json_object_get(files->roots[i], "structs"), k, one) {
      if (same_text(json_object_get(one, "name"), name))
        return one;
    }
  }
  return NULL;
}

/* Whether a later file has a message of this id or name. */
static bool is_replaced(const struct files *files, unsigned file, const json_t *message) {
  for (unsigned i = file + 1; i < files->count; i++) {
    size_t k;
    const json_t *one;
    json_array_foreach(json_object_get(files->roots[i], "messages"), k, one) {
      if (json_equal(json_object_get(one, "id"), json_object_get(message, "id")) ||
          json_equal(json_object_get(one, "name"), json_object_get(message, "name")))
        return true;
    }
  }
  return false;
}

/* A field's type as a file spells it. */
static void spell(const struct sbp_field *field, char *out, size_t size) {
  static const char *const names[] = {"u8",  "u16", "u32",   "u64",    "s8",    "s16",
                                      "s32", "s64", "float", "double", "string"};
  const char *const name = field->type == SBP_STRUCT ? field->element->name : names[field->type];
  if (field->repeat == SBP_VARIABLE_ARRAY)
    snprintf(out, size, "%s[]", name);
  else if (field->repeat == SBP_FIXED_ARRAY)
    snprintf(out, size, "%s[%u]", name, (unsigned)field->count);
  else if (field->type == SBP_STRING && field->encoding == SBP_FIXED && field->size > 0)
    snprintf(out, size, "%s[%u]", name, (unsigned)field->size);
  else
    snprintf(out, size, "%s", name);
}

static void check_bits(const struct sbp_field *field, const json_t *array) {
  FUZZ_CHECK(field->bits_count == json_array_size(array));
  for (unsigned i = 0; i < field->bits_count; i++) {
    const struct sbp_bits *const bits = &field->bits[i];
    const json_t *const item = json_array_get(array, i), *const values = json_object_get(item, "values");
    char range[16];
    snprintf(range, sizeof range, bits->first == bits->last ? "%u" : "%u-%u", (unsigned)bits->first,
             (unsigned)bits->last);
    FUZZ_CHECK(same_text(json_object_get(item, "name"), bits->name));
    char both[16];
    snprintf(both, sizeof both, "%u-%u", (unsigned)bits->first, (unsigned)bits->last);
    FUZZ_CHECK(same_text(json_object_get(item, "bits"), range) || same_text(json_object_get(item, "bits"), both));
    FUZZ_CHECK(bits->value_count == json_object_size(values));
    for (unsigned k = 0; k < bits->value_count; k++) {
      char key[32];
      snprintf(key, sizeof key, "%llu", (unsigned long long)bits->values[k].value);
      FUZZ_CHECK(same_text(json_object_get(values, key), bits->values[k].name));
      FUZZ_CHECK(k == 0 || bits->values[k].value > bits->values[k - 1].value);
    }
  }
}

static void check_body(const struct files *files, const struct sbp_struct *body, const json_t *object) {
  static const char *const encodings[] = {NULL, "unterminated", "null_terminated", "multipart",
                                          "double_null_terminated"};
  const json_t *const fields = json_object_get(object, "fields");
  unsigned offset = 0;
  FUZZ_CHECK(same_text(json_object_get(object, "name"), body->name));
  FUZZ_CHECK(same_text(json_object_get(object, "description"), body->description));
  FUZZ_CHECK(body->field_count == json_array_size(fields));
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    const json_t *const given = json_array_get(fields, i), *const count_field = json_object_get(given, "count_field");
    char type[80];
    spell(field, type, sizeof type);
    FUZZ_CHECK(same_text(json_object_get(given, "type"), type));
    FUZZ_CHECK(same_text(json_object_get(given, "name"), field->name) && strlen(field->name) == field->name_length);
    FUZZ_CHECK(same_text(json_object_get(given, "units"), field->units));
    FUZZ_CHECK(same_text(json_object_get(given, "description"), field->description));
    FUZZ_CHECK(same_text(json_object_get(given, "encoding"), encodings[field->encoding]));
    FUZZ_CHECK(count_field == NULL
                   ? field->count_field == UINT8_MAX
                   : field->count_field < i && same_text(count_field, body->fields[field->count_field].name));
    check_bits(field, json_object_get(given, "bits"));
    FUZZ_CHECK(field->offset == offset);
    offset += (unsigned)field->size * field->count;
    if (field->type == SBP_STRUCT) {
      const json_t *const element = find_struct(files, field->element->name);
      FUZZ_CHECK(field->size == field->element->size);
      if (element != NULL)
        check_body(files, field->element, element);
    }
  }
  FUZZ_CHECK(body->size == offset);
}

static void check_index(const struct sbp_schema *schema) {
  static const uint16_t none[256];
  uint32_t found = 0;
  FUZZ_CHECK(memcmp(schema->index[0], none, sizeof none) == 0);
  for (unsigned high = 0; high < 256; high++)
    for (unsigned low = 0; schema->page[high] != 0 && low < 256; low++) {
      const struct sbp_message *const message = sbp_message_by_id(schema, (uint16_t)(high << 8 | low));
      FUZZ_CHECK(message == NULL || (message->id == (high << 8 | low) && message == schema->messages[found++]));
    }
  FUZZ_CHECK(found == schema->count);
  for (uint32_t i = 0; i < schema->count; i++) {
    const struct sbp_message *const message = schema->messages[i];
    const char *const name = schema->messages[schema->by_name[i]]->body.name;
    FUZZ_CHECK(sbp_message_by_id(schema, message->id) == message);
    FUZZ_CHECK(sbp_message_by_name(schema, message->body.name, strlen(message->body.name)) == message);
    FUZZ_CHECK(i == 0 || strcmp(schema->messages[schema->by_name[i - 1]]->body.name, name) < 0);
    FUZZ_CHECK(message->fields_max <= schema->fields_max);
  }
}

/* ---- Their use ---- */

/* A frame of this message with so many bytes: its line fits, another parser finds the fields in it, and it reads back.
 */
static void check_line(const struct sbp_schema *schema, const struct sbp_message *message, uint8_t length,
                       uint8_t filling) {
  uint8_t payload[SBP_PAYLOAD_MAX], bytes[SBP_FRAME_MAX], again[SBP_FRAME_MAX];
  for (unsigned i = 0; i < length; i++)
    payload[i] = filling == 0xaa ? (uint8_t)(i * 77 + length) : filling;
  const size_t size = sbp_frame_pack(SBP_CPU_PORTABLE, message->id, 66, payload, length, bytes);
  struct sbp_scanner scanner = {.cpu = SBP_CPU_PORTABLE};
  struct sbp_frame frame;
  size_t used;
  FUZZ_CHECK(sbp_scan(&scanner, bytes, size, true, &frame, &used) == SBP_OK);
  const struct sbp_line_options options = {.schema = schema, .u64_strings = filling == 0xaa, .expand = filling == 0xaa};
  const size_t most = sbp_line_max(&options);
  char *const text = malloc(most);
  FUZZ_CHECK(text != NULL);
  const size_t written = (size_t)(sbp_line_write(&options, message, &frame, text) - text);
  FUZZ_CHECK(written <= most);
  if (options.u64_strings) {
    json_t *const line = json_loadb(text, written, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    FUZZ_CHECK(line != NULL);
    void *member = json_object_iter(line);
    for (unsigned i = 0; i < 7; i++)
      member = json_object_iter_next(line, member);
    for (unsigned i = 0; length >= message->body.size && i < message->body.field_count; i++) {
      FUZZ_CHECK(strcmp(json_object_iter_key(member), message->body.fields[i].name) == 0);
      member = json_object_iter_next(line, member);
    }
    json_decref(line);
  }
  struct sbp_reader reader = {.schema = schema, .from_fields = true};
  struct sbp_line line;
  FUZZ_CHECK(sbp_read_line(&reader, text, written, true, again, &line, &used) == SBP_OK);
  FUZZ_CHECK(line.frame_size == size && memcmp(again, bytes, size) == 0 && line.message == message);
  free(text);
}

static void check_message(const struct files *files, const struct sbp_schema *schema, unsigned file,
                          const json_t *object) {
  const json_t *const root = files->roots[file], *const replaced_by = json_object_get(object, "replaced_by");
  const json_int_t id = json_integer_value(json_object_get(object, "id"));
  FUZZ_CHECK(id > 0 && id <= UINT16_MAX);
  const struct sbp_message *const message = sbp_message_by_id(schema, (uint16_t)id);
  FUZZ_CHECK(message != NULL && same_text(json_object_get(root, "package"), message->body.package));
  FUZZ_CHECK(message->replaced_by_count == json_array_size(replaced_by));
  for (unsigned i = 0; i < message->replaced_by_count; i++)
    FUZZ_CHECK(same_text(json_array_get(replaced_by, i), message->replaced_by[i]));
  check_body(files, &message->body, object);
  const uint8_t least = message->body.size;
  check_line(schema, message, least == 0 ? 0 : (uint8_t)(least - 1), 0xaa);
  check_line(schema, message, least, 0xff);
  check_line(schema, message, 255, 0xaa);
  check_line(schema, message, 255, 0x01);
}

/* ---- Files ---- */

static void check_fault(enum sbp_status status, const struct sbp_schema_error *error) {
  FUZZ_CHECK(status == SBP_ERROR_SYNTAX || status == SBP_ERROR_MEMORY);
  FUZZ_CHECK(error->text[0] != '\0' && memchr(error->text, '\0', sizeof error->text) != NULL);
  for (const char *c = error->text; *c != '\0'; c++)
    FUZZ_CHECK((uint8_t)*c >= 0x20 && *c != 0x7f);
}

/* Tables to stand on, small, since all of a base is looked through for each struct. */
static const struct sbp_schema *make_base(void) {
  static const char text[] =
      "{\"package\":\"base\",\"structs\":["
      "{\"name\":\"Time\",\"fields\":[{\"name\":\"tow\",\"type\":\"u32\"},{\"name\":\"wn\",\"type\":\"u16\"}]},"
      "{\"name\":\"Header\",\"fields\":[{\"name\":\"t\",\"type\":\"Time\"},{\"name\":\"n\",\"type\":\"u8\"}]}],"
      "\"messages\":[{\"id\":74,\"name\":\"MSG_OBS\",\"fields\":["
      "{\"name\":\"header\",\"type\":\"Header\"},{\"name\":\"times\",\"type\":\"Time[]\"}]},"
      "{\"id\":258,\"name\":\"MSG_GPS_TIME\",\"fields\":[{\"name\":\"t\",\"type\":\"Time\"}]},"
      "{\"id\":1025,\"name\":\"MSG_LOG\",\"fields\":["
      "{\"name\":\"text\",\"type\":\"string\",\"encoding\":\"unterminated\"}]}]}";
  static unsigned left = UINT32_MAX;
  static const struct sbp_allocator allocator = {fuzz_resize, &left};
  static struct sbp_arena arena = {.allocator = &allocator};
  struct sbp_schema_set set = {.arena = &arena};
  struct sbp_schema_error error;
  const struct sbp_schema *schema;
  FUZZ_CHECK(sbp_schema_add(&set, "protocol.json", version, sizeof version - 1, &error) == SBP_OK);
  FUZZ_CHECK(sbp_schema_add(&set, "base.json", text, sizeof text - 1, &error) == SBP_OK);
  FUZZ_CHECK(sbp_schema_build(&set, &schema, &error) == SBP_OK);
  return schema;
}

/* The first byte: 1 over other tables, 2 later files replace earlier ones, 4 the version is given, and above
 * that, how often memory is there. The rest is text of files, with a NUL between them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct sbp_schema *base;
  if (size == 0 || size > 1 << 14)
    return 0;
  if (base == NULL)
    base = make_base();
  unsigned left = data[0] < 8 ? UINT32_MAX : data[0] / 8;
  const struct sbp_allocator allocator = {fuzz_resize, &left};
  struct sbp_arena arena = {.allocator = &allocator};
  struct sbp_schema_set set = {
      .arena = &arena, .base = (data[0] & 1) != 0 ? base : NULL, .replace = (data[0] & 2) != 0};
  struct sbp_schema_error error = {""};
  struct files files = {.count = 0};
  const struct sbp_schema *schema = NULL;
  enum sbp_status status = SBP_OK;
  if ((data[0] & 4) != 0)
    status = sbp_schema_add(&set, "protocol.json", version, sizeof version - 1, &error);
  for (size_t at = 1; status == SBP_OK && at < size && files.count < FILES_MAX;) {
    const uint8_t *const end = memchr(data + at, '\0', size - at);
    const size_t length = end == NULL ? size - at : (size_t)(end - data) - at;
    char *const text = fuzz_copy(data + at, length);
    status = sbp_schema_add(&set, "file.json", text, length, &error);
    files.roots[files.count++] = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    FUZZ_CHECK(status != SBP_OK || json_is_object(files.roots[files.count - 1]));
    free(text);
    at += length + 1;
  }
  if (status == SBP_OK)
    status = sbp_schema_build(&set, &schema, &error);
  if (status != SBP_OK) {
    check_fault(status, &error);
    FUZZ_CHECK(status != SBP_ERROR_MEMORY || left == 0);
  } else {
    check_index(schema);
    for (unsigned i = 0; i < files.count; i++) {
      size_t k;
      const json_t *message;
      json_array_foreach(json_object_get(files.roots[i], "messages"), k, message) {
        if (!is_replaced(&files, i, message))
          check_message(&files, schema, i, message);
      }
    }
  }
  for (unsigned i = 0; i < files.count; i++)
    json_decref(files.roots[i]);
  sbp_arena_drop(&arena);
  return 0;
}
