/* SPDX-License-Identifier: MIT */
/* Entries of schema files -> descriptor tables. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "schema_entry.h"

struct builder {
  const struct sbp_schema_set *set;
  struct sbp_schema_error *error;
  enum sbp_status status;
};

/* ---- Faults ----------------------------------------------------------------------------------------------------- */

enum sbp_status sbpi_schema_fault(struct sbp_schema_error *error, const struct sbpi_origin *origin, const char *format,
                                  ...) {
  char place[32] = "";
  if (origin->line > 0)
    (void)snprintf(place, sizeof(place), "%u:%u:", (unsigned)origin->line, (unsigned)origin->column);
  /* No part may push the others out. */
  int length = snprintf(error->text, sizeof(error->text), "%.160s%s%s%s%.64s%s%s%.64s%s",
                        origin->file == NULL ? "" : origin->file, origin->file == NULL ? "" : ":", place,
                        origin->file == NULL ? "" : " ", origin->owner == NULL ? "" : origin->owner,
                        origin->owner == NULL ? "" : ": ", origin->field == NULL ? "" : "field ",
                        origin->field == NULL ? "" : origin->field, origin->field == NULL ? "" : ": ");
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(error->text + length, sizeof(error->text) - (size_t)length, format, arguments);
  va_end(arguments);
  for (char *c = error->text; *c != '\0'; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      *c = '?';
  return SBP_ERROR_SYNTAX;
}

enum sbp_status sbpi_schema_no_memory(struct sbp_schema_error *error) {
  (void)snprintf(error->text, sizeof(error->text), "out of memory");
  return SBP_ERROR_MEMORY;
}

static void *take(struct builder *builder, size_t count, size_t size) {
  void *const memory = sbp_arena_take(builder->set->arena, count * size);
  if (memory == NULL)
    builder->status = sbpi_schema_no_memory(builder->error);
  return memory;
}

/* ---- Structs by name -------------------------------------------------------------------------------------------- */

static struct sbp_schema_entry *find_entry(const struct sbp_schema_set *set, bool is_message, const char *name) {
  for (struct sbp_schema_entry *entry = set->first; entry != NULL; entry = entry->next)
    if (!entry->replaced && entry->is_message == is_message && strcmp(entry->message.body.name, name) == 0)
      return entry;
  return NULL;
}

static const struct sbp_struct *find_struct_in(const struct sbp_struct *body, const char *name) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_struct *const element = body->fields[i].element;
    if (element == NULL)
      continue;
    const struct sbp_struct *const found = strcmp(element->name, name) == 0 ? element : find_struct_in(element, name);
    if (found != NULL)
      return found;
  }
  return NULL;
}

/* A schema has no list of its structs: they are those that its messages hold. */
static const struct sbp_struct *find_base_struct(const struct sbp_schema *base, const char *name) {
  const struct sbp_struct *found = NULL;
  for (uint32_t i = 0; base != NULL && found == NULL && i < base->count; i++)
    found = find_struct_in(&base->messages[i]->body, name);
  return found;
}

static const char *near_struct_in(const struct sbp_struct *body, const char *name, unsigned *distance,
                                  const char *near) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_struct *const element = body->fields[i].element;
    if (element == NULL)
      continue;
    if (sbpi_nearer(name, strlen(name), element->name, strlen(element->name), distance))
      near = element->name;
    near = near_struct_in(element, name, distance, near);
  }
  return near;
}

static void unknown_type(struct builder *builder, const struct sbpi_origin *origin, const char *name) {
  unsigned distance = sbpi_near_limit(strlen(name));
  const char *near = sbpi_schema_near_type(name, strlen(name), &distance);
  for (const struct sbp_schema_entry *entry = builder->set->first; entry != NULL; entry = entry->next) {
    const char *const candidate = entry->message.body.name;
    if (!entry->is_message && sbpi_nearer(name, strlen(name), candidate, strlen(candidate), &distance))
      near = candidate;
  }
  const struct sbp_schema *const base = builder->set->base;
  for (uint32_t i = 0; base != NULL && i < base->count; i++)
    near = near_struct_in(&base->messages[i]->body, name, &distance, near);
  if (near == NULL)
    builder->status = sbpi_schema_fault(builder->error, origin, "unknown type \"%s\"", name);
  else
    builder->status =
        sbpi_schema_fault(builder->error, origin, "unknown type \"%s\", did you mean \"%s\"?", name, near);
}

/* ---- Layout ----------------------------------------------------------------------------------------------------- */

static unsigned depth(const struct sbp_struct *body) {
  unsigned deepest = 0;
  for (unsigned i = 0; i < body->field_count; i++)
    if (body->fields[i].element != NULL) {
      const unsigned below = 1 + depth(body->fields[i].element);
      deepest = below > deepest ? below : deepest;
    }
  return deepest;
}

/* Sizes and offsets of a body whose elements are laid out. */
static bool lay_out_fields(struct builder *builder, struct sbp_struct *body, struct sbp_field *fields,
                           const struct sbpi_field_source *sources) {
  unsigned offset = 0;
  for (unsigned i = 0; i < body->field_count; i++) {
    struct sbp_field *const field = &fields[i];
    const struct sbpi_origin inherited = {.owner = body->name, .field = field->name};
    const struct sbpi_origin *const origin = sources == NULL ? &inherited : &sources[i].origin;
    if (field->element != NULL) {
      field->size = field->element->size;
      if (1 + depth(field->element) > SBPI_STRUCTS_MAX) {
        builder->status =
            sbpi_schema_fault(builder->error, origin, "structs nested more than %d deep", SBPI_STRUCTS_MAX);
        return false;
      }
    }
    field->offset = (uint8_t)offset;
    offset += (unsigned)field->size * field->count;
    if (offset > SBP_PAYLOAD_MAX) {
      builder->status = sbpi_schema_fault(builder->error, origin, "ends at byte %u: a payload has %d at most", offset,
                                          SBP_PAYLOAD_MAX);
      return false;
    }
  }
  body->fields = fields;
  body->size = (uint8_t)offset;
  return true;
}

static const struct sbp_struct *struct_by_name(struct builder *builder, const struct sbpi_origin *origin,
                                               const char *name, unsigned level);

/* `level` structs hold this one, so that the stack is bounded. */
static bool lay_out_entry(struct builder *builder, struct sbp_schema_entry *entry, unsigned level) {
  if (entry->state == SBPI_ENTRY_READY)
    return true;
  entry->state = SBPI_ENTRY_BEING_LAID_OUT;
  for (unsigned i = 0; i < entry->message.body.field_count; i++) {
    const struct sbpi_field_source *const source = &entry->sources[i];
    if (source->element == NULL)
      continue;
    entry->fields[i].element = struct_by_name(builder, &source->origin, source->element, level);
    if (entry->fields[i].element == NULL)
      return false;
  }
  entry->state = SBPI_ENTRY_READY;
  return lay_out_fields(builder, &entry->message.body, entry->fields, entry->sources);
}

/* A body of the base; where it holds a struct that the set replaces, a copy that holds the new one. */
static const struct sbp_struct *renew(struct builder *builder, const struct sbp_struct *old, unsigned level) {
  struct sbp_field *fields = NULL;
  for (unsigned i = 0; i < old->field_count; i++) {
    const struct sbp_struct *const element = old->fields[i].element;
    if (element == NULL)
      continue;
    const struct sbpi_origin origin = {.owner = old->name, .field = old->fields[i].name};
    const struct sbp_struct *const now = struct_by_name(builder, &origin, element->name, level);
    if (now == NULL)
      return NULL;
    if (now == element)
      continue;
    if (fields == NULL) {
      fields = take(builder, old->field_count, sizeof(*fields));
      if (fields == NULL)
        return NULL;
      memcpy(fields, old->fields, old->field_count * sizeof(*fields));
    }
    fields[i].element = now;
  }
  if (fields == NULL)
    return old;
  struct sbp_struct *const renewed = take(builder, 1, sizeof(*renewed));
  if (renewed == NULL)
    return NULL;
  *renewed = *old;
  return lay_out_fields(builder, renewed, fields, NULL) ? renewed : NULL;
}

static const struct sbp_struct *struct_by_name(struct builder *builder, const struct sbpi_origin *origin,
                                               const char *name, unsigned level) {
  struct sbp_schema_entry *const entry = find_entry(builder->set, false, name);
  const struct sbp_struct *const base = entry == NULL ? find_base_struct(builder->set->base, name) : NULL;
  if (entry == NULL && base == NULL) {
    unknown_type(builder, origin, name);
    return NULL;
  }
  if (entry != NULL && entry->state == SBPI_ENTRY_BEING_LAID_OUT) {
    builder->status = sbpi_schema_fault(builder->error, origin, "a cycle: the struct %s holds itself", name);
    return NULL;
  }
  if (level == SBPI_STRUCTS_MAX + 1) {
    builder->status = sbpi_schema_fault(builder->error, origin, "structs nested more than %d deep", SBPI_STRUCTS_MAX);
    return NULL;
  }
  if (entry == NULL)
    return renew(builder, base, level + 1);
  return lay_out_entry(builder, entry, level + 1) ? &entry->message.body : NULL;
}

/* ---- The longest text ------------------------------------------------------------------------------------------- */

/* Of one element. A byte of a string can become six, as \u0001. The longest floats are -1000000000000.0 and
 * -0.000012345678 (16 bytes), the longest doubles as -2.2250738585072014e-308 (24); the compat form has none longer. */
static uint32_t struct_text_max(const struct sbp_struct *body);

static uint32_t element_text_max(const struct sbp_field *field) {
  static const uint8_t number_text_max[] = {
      [SBP_U8] = sizeof("255") - 1,
      [SBP_U16] = sizeof("65535") - 1,
      [SBP_U32] = sizeof("4294967295") - 1,
      [SBP_U64] = sizeof("18446744073709551615") - 1,
      [SBP_S8] = sizeof("-128") - 1,
      [SBP_S16] = sizeof("-32768") - 1,
      [SBP_S32] = sizeof("-2147483648") - 1,
      [SBP_S64] = sizeof("-9223372036854775808") - 1,
      [SBP_FLOAT] = sizeof("-1000000000000.0") - 1,
      [SBP_DOUBLE] = sizeof("-2.2250738585072014e-308") - 1,
  };
  if (field->type == SBP_STRUCT)
    return struct_text_max(field->element);
  if (field->type == SBP_STRING)
    return 6u * field->size + 2;
  return number_text_max[field->type];
}

/* Brackets around all, commas between. */
static uint32_t array_text_max(const struct sbp_field *field, uint32_t count) {
  return count == 0 ? 2 : count * (element_text_max(field) + 1) + 1;
}

static uint32_t field_text_max(const struct sbp_field *field) {
  return field->repeat == SBP_ONE ? element_text_max(field) : array_text_max(field, field->count);
}

static uint32_t struct_text_max(const struct sbp_struct *body) {
  uint32_t size = 1;
  for (unsigned i = 0; i < body->field_count; i++)
    size += (uint32_t)sizeof("\"\":,") - 1 + body->fields[i].name_length + field_text_max(&body->fields[i]);
  return size;
}

/* What a variable field's text grows by with this many bytes more than the least. */
static uint32_t growth(const struct sbp_field *field, uint32_t bytes) {
  if (field->type == SBP_STRING)
    return 6 * bytes;
  return array_text_max(field, bytes / field->size) - array_text_max(field, 0);
}

/* Where several parts are variable (a null-terminated string stands before others), they share the bytes that the fixed
 * ones leave: most[n] is the most that those seen so far can make of n bytes. */
static uint32_t fields_text_max(const struct sbp_struct *body) {
  uint32_t size = 0;
  uint32_t most[SBP_PAYLOAD_MAX + 1] = {0};
  const uint32_t spare = SBP_PAYLOAD_MAX - (uint32_t)body->size;
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    size += (uint32_t)sizeof("\"\":,") - 1 + field->name_length + field_text_max(field);
    if (field->repeat != SBP_VARIABLE_ARRAY && (field->type != SBP_STRING || field->encoding == SBP_FIXED))
      continue;
    for (uint32_t bytes = spare; bytes > 0; bytes--)
      for (uint32_t taken = 1; taken <= bytes; taken++) {
        const uint32_t together = growth(field, taken) + most[bytes - taken];
        most[bytes] = together > most[bytes] ? together : most[bytes];
      }
  }
  return size + most[spare];
}

/* ---- Messages --------------------------------------------------------------------------------------------------- */

static bool is_replaced(const struct sbp_schema_set *set, const struct sbp_message *message) {
  for (const struct sbp_schema_entry *entry = set->first; entry != NULL; entry = entry->next)
    if (!entry->replaced && entry->is_message &&
        (entry->message.id == message->id || strcmp(entry->message.body.name, message->body.name) == 0))
      return true;
  return false;
}

static const struct sbp_message *renew_message(struct builder *builder, const struct sbp_message *old) {
  const struct sbp_struct *const body = renew(builder, &old->body, 0);
  if (body == NULL || body == &old->body)
    return body == NULL ? NULL : old;
  struct sbp_message *const renewed = take(builder, 1, sizeof(*renewed));
  if (renewed == NULL)
    return NULL;
  *renewed = *old;
  renewed->body = *body;
  renewed->write_fields = NULL;
  renewed->skip_fields = NULL;
  renewed->fields_max = fields_text_max(body);
  return renewed;
}

static void set_envelope(struct sbp_message *message) {
  message->envelope_length =
      (uint8_t)snprintf(message->envelope, sizeof message->envelope,
                        ",\"msg_type\":%d,\"msg_name\":\"%s\",\"payload\":\"", message->id, message->body.name);
}

static bool collect(struct builder *builder, const struct sbp_message **messages, uint32_t *count) {
  const struct sbp_schema_set *const set = builder->set;
  *count = 0;
  for (struct sbp_schema_entry *entry = set->first; entry != NULL; entry = entry->next) {
    if (entry->replaced)
      continue;
    if (!lay_out_entry(builder, entry, 0))
      return false;
    if (entry->is_message) {
      entry->message.fields_max = fields_text_max(&entry->message.body);
      set_envelope(&entry->message);
      messages[(*count)++] = &entry->message;
    }
  }
  for (uint32_t i = 0; set->base != NULL && i < set->base->count; i++) {
    if (is_replaced(set, set->base->messages[i]))
      continue;
    const struct sbp_message *const message = renew_message(builder, set->base->messages[i]);
    if (message == NULL)
      return false;
    messages[(*count)++] = message;
  }
  return true;
}

static int compare_ids(const void *a, const void *b) {
  return (*(const struct sbp_message *const *)a)->id - (*(const struct sbp_message *const *)b)->id;
}

static int compare_names(const void *a, const void *b) {
  return strcmp((*(const struct sbp_message *const *)a)->body.name, (*(const struct sbp_message *const *)b)->body.name);
}

/* `messages` are those of the schema, by ascending id. */
static bool index_ids(struct builder *builder, struct sbp_schema *schema, const struct sbp_message *const *messages) {
  bool used[256] = {false};
  unsigned rows = 0;
  for (uint32_t i = 0; i < schema->count; i++) {
    rows += !used[messages[i]->id >> 8];
    used[messages[i]->id >> 8] = true;
  }
  uint8_t *const page = take(builder, 256, 1);
  uint16_t(*const index)[256] = take(builder, rows + 1, sizeof(*index));
  if (page == NULL || index == NULL)
    return false;
  /* Row 0 is for the high bytes that no message has. Where there is none such, the last row wraps around to it. */
  unsigned row = 1;
  for (unsigned high = 0; high < 256; high++)
    if (used[high])
      page[high] = (uint8_t)row++;
  for (uint32_t i = 0; i < schema->count; i++)
    index[page[messages[i]->id >> 8]][messages[i]->id & 255] = (uint16_t)(i + 1);
  schema->page = page;
  schema->index = (const uint16_t(*)[256])index;
  return true;
}

static bool index_names(struct builder *builder, struct sbp_schema *schema, const struct sbp_message **messages) {
  uint16_t *const by_name = take(builder, schema->count, sizeof(*by_name));
  if (by_name == NULL)
    return false;
  qsort(messages, schema->count, sizeof(messages[0]), compare_names);
  for (uint32_t i = 0; i < schema->count; i++)
    by_name[i] = (uint16_t)(schema->index[schema->page[messages[i]->id >> 8]][messages[i]->id & 255] - 1);
  schema->by_name = by_name;
  return true;
}

enum sbp_status sbp_schema_build(struct sbp_schema_set *set, const struct sbp_schema **schema,
                                 struct sbp_schema_error *error) {
  struct builder builder = {.set = set, .error = error};
  static const struct sbpi_origin nowhere = {0};
  size_t most = set->base == NULL ? 0 : set->base->count;
  for (const struct sbp_schema_entry *entry = set->first; entry != NULL; entry = entry->next)
    most++;
  struct sbp_schema *const made = take(&builder, 1, sizeof(*made));
  const struct sbp_message **const messages = take(&builder, most, sizeof(*messages));
  const struct sbp_message **const by_name = take(&builder, most, sizeof(*by_name));
  if (made == NULL || messages == NULL || by_name == NULL || !collect(&builder, messages, &made->count))
    return builder.status;
  if (made->count == 0)
    return sbpi_schema_fault(error, &nowhere, "there is no message in the schema");

  made->version = set->version != NULL || set->base == NULL ? set->version : set->base->version;
  if (made->version == NULL)
    return sbpi_schema_fault(error, &nowhere, "no schema file gives the protocol's version");
  made->messages = messages;
  qsort(messages, made->count, sizeof(messages[0]), compare_ids);
  memcpy(by_name, messages, made->count * sizeof(messages[0]));
  if (!index_ids(&builder, made, messages) || !index_names(&builder, made, by_name))
    return builder.status;
  for (uint32_t i = 0; i < made->count; i++)
    if (messages[i]->fields_max > made->fields_max)
      made->fields_max = messages[i]->fields_max;
  *schema = made;
  return SBP_OK;
}
