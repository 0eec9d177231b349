/* SPDX-License-Identifier: MIT */
/* messages_codec.c: payload -> struct, struct -> payload, in a straight line. */
#include "sbpgen.h"

#include <stdlib.h>
#include <string.h>

/* What a line of a function says of the field, `load` or `store`. */
struct codec {
  struct sbp_buffer *text;
  const struct sbp_struct *body;
  bool encode;
  bool moves; /* encoding a message with a string before other fields: p has moved on from begin */
};

static void put_place(struct sbp_buffer *text, int offset) {
  print(text, offset > 0 ? "p + %d" : "p", offset);
}

static bool is_byte(const struct sbp_field *field) {
  return field->type == SBP_U8 || field->type == SBP_S8;
}

/* One value, or an element that is at index i. */
static void put_value(const struct codec *codec, const struct sbp_field *field, bool indexed) {
  struct sbp_buffer *const text = codec->text;
  const char *const type = type_names[field->type];
  const bool is_float = field->type == SBP_FLOAT || field->type == SBP_DOUBLE;
  struct sbp_buffer place = {.allocator = &allocator};
  put_place(&place, field->offset);
  if (indexed)
    print(&place, field->size > 1 ? " + %d * i" : " + i", field->size);
  put_byte(&place, '\0');
  struct sbp_buffer member = {.allocator = &allocator};
  print(&member, "m->");
  put_member(&member, field);
  print(&member, indexed ? "[i]" : "");
  put_byte(&member, '\0');
  if (field->type == SBP_STRUCT)
    print(text, codec->encode ? "encode_%n(&%s, %s);\n" : "decode_%n(&%s, %s);\n", field->element->name, member.data,
          place.data);
  else if (codec->encode)
    print(text, is_float ? "store_%n(%s, &%s);\n" : "store_%n(%s, %s);\n", type, place.data, member.data);
  else if (is_float)
    print(text, "load_%n(&%s, %s);\n", type, member.data, place.data);
  else
    print(text, "%s = load_%n(%s);\n", member.data, type, place.data);
  sbp_buffer_free(&place);
  sbp_buffer_free(&member);
}

/* Bytes as they are. */
static void put_copy(const struct codec *codec, const struct sbp_field *field, int size) {
  struct sbp_buffer *const text = codec->text;
  print(text, "  memcpy(");
  if (codec->encode) {
    put_place(text, field->offset);
    print(text, ", m->");
    put_member(text, field);
  } else {
    print(text, "m->");
    put_member(text, field);
    print(text, ", ");
    put_place(text, field->offset);
  }
  if (size > 0) {
    print(text, ", %d);\n", size);
  } else {
    print(text, ", m->");
    put_member(text, field);
    print(text, "_count);\n");
  }
}

static void put_fixed_string(const struct codec *codec, const struct sbp_field *field) {
  put_copy(codec, field, field->size);
  if (!codec->encode) {
    print(codec->text, "  m->");
    put_member(codec->text, field);
    print(codec->text, "[%d] = '\\0';\n", field->size);
  }
}

static void put_fixed_array(const struct codec *codec, const struct sbp_field *field) {
  if (is_byte(field)) {
    put_copy(codec, field, field->count);
    return;
  }
  print(codec->text, "  for (size_t i = 0; i < %d; i++)\n    ", field->count);
  put_value(codec, field, true);
}

/* The least of a payload that stands before what is variable: " + 11", or " + (size_t)(p - begin)" too. */
static void put_moved(const struct codec *codec) {
  if (codec->moves)
    print(codec->text, "(size_t)(p - begin) + ");
}

static void put_variable_array(const struct codec *codec, const struct sbp_field *field) {
  struct sbp_buffer *const text = codec->text;
  struct sbp_buffer count = {.allocator = &allocator};
  print(&count, "m->");
  put_member(&count, field);
  print(&count, "_count");
  put_byte(&count, '\0');
  if (!codec->encode) {
    print(text, "  %s = (uint8_t)(", count.data);
    print(text, field->size > 1 ? "(size - %d) / %d" : "size - %d", field->offset, field->size);
    print(text, ");\n");
  } else if (!codec->moves) {
    if (most_elements(field) < UINT8_MAX)
      print(text, "  if (%s > %d)\n    return false;\n", count.data, most_elements(field));
  } else {
    print(text, "  if ((size_t)(p - begin) + %d + %du * %s > SBP_PAYLOAD_MAX)\n    return false;\n", field->offset,
          field->size, count.data);
  }
  if (is_byte(field)) {
    put_copy(codec, field, 0);
  } else {
    print(text, "  for (size_t i = 0; i < %s; i++)\n    ", count.data);
    put_value(codec, field, true);
  }
  if (codec->encode) {
    print(text, "  *size = (uint8_t)(");
    put_moved(codec);
    print(text, field->size > 1 ? "%d + %s * %d);\n" : "%d + %s);\n", field->offset, count.data, field->size);
  }
  sbp_buffer_free(&count);
}

static void put_variable_string(struct codec *codec, const struct sbp_field *field) {
  struct sbp_buffer *const text = codec->text;
  const bool last = field == &codec->body->fields[codec->body->field_count - 1];
  const int behind = codec->body->size - field->offset - field->size;
  struct sbp_buffer member = {.allocator = &allocator};
  print(&member, "m->");
  put_member(&member, field);
  put_byte(&member, '\0');
  if (codec->encode) {
    const int most = SBP_PAYLOAD_MAX - field->offset - behind;
    if (codec->moves)
      print(text, "  if ((size_t)(p - begin) + %s.length > %d)\n    return false;\n", member.data, most);
    else if (most < UINT8_MAX)
      print(text, "  if (%s.length > %d)\n    return false;\n", member.data, most);
    if (last) {
      print(text, "  *size = (uint8_t)(");
      put_moved(codec);
      print(text, field->offset > 0 ? "%d + store_string(" : "store_string(", field->offset);
      put_place(text, field->offset);
      print(text, ", &%s, %d));\n", member.data, field->size);
    } else {
      print(text, "  p += store_string(");
      put_place(text, field->offset);
      print(text, ", &%s, %d) - %d;\n", member.data, field->size, field->size);
      codec->moves = true;
    }
  } else if (last) {
    print(text, "  load_string(&%s, ", member.data);
    put_place(text, field->offset);
    print(text, field->offset > 0 ? ", size - %du);\n" : ", size);\n", field->offset);
  } else {
    print(text, "  const struct sbp_view behind_%s = sbp_view_behind((struct sbp_view){p, size}, SBP_%N_%N);\n",
          field->name, codec->body->name, field->name);
    print(text, "  load_string(&%s, ", member.data);
    put_place(text, field->offset);
    print(text, ", (size_t)(behind_%s.bytes - p) + %d);\n", field->name, field->size);
    print(text, "  p = behind_%s.bytes;\n  size = (uint8_t)behind_%s.size;\n", field->name, field->name);
  }
  sbp_buffer_free(&member);
}

/* Decoding would find the ends of strings that others follow elsewhere, where they do not end with their one NUL. */
static void put_string_checks(const struct codec *codec) {
  const struct sbp_field *before = NULL;
  for (unsigned i = 0; i + 1 < codec->body->field_count; i++) {
    const struct sbp_field *const field = &codec->body->fields[i];
    if (!is_variable_string(field))
      continue;
    print(codec->text, "  const struct sbp_view from_%s = ", field->name);
    if (before == NULL)
      print(codec->text, "{begin, *size};\n");
    else
      print(codec->text, "sbp_view_behind(from_%s, SBP_%N_%N);\n", before->name, codec->body->name, before->name);
    print(codec->text, "  if (sbp_view_bytes(from_%s, SBP_%N_%N).size != string_size(&m->", field->name,
          codec->body->name, field->name);
    put_member(codec->text, field);
    print(codec->text, ", %d))\n    return false;\n", field->size);
    before = field;
  }
}

static void put_fields(struct codec *codec) {
  for (unsigned i = 0; i < codec->body->field_count; i++) {
    const struct sbp_field *const field = &codec->body->fields[i];
    if (is_variable_string(field)) {
      put_variable_string(codec, field);
    } else if (field->type == SBP_STRING) {
      put_fixed_string(codec, field);
    } else if (field->repeat == SBP_FIXED_ARRAY) {
      put_fixed_array(codec, field);
    } else if (field->repeat == SBP_VARIABLE_ARRAY) {
      put_variable_array(codec, field);
    } else {
      print(codec->text, "  ");
      put_value(codec, field, false);
    }
  }
}

static void put_struct_codec(struct sbp_buffer *text, const struct sbp_struct *body) {
  struct codec codec = {.text = text, .body = body};
  print(text, "static void decode_%n(struct sbp_%n *m, const uint8_t *p) {\n", body->name, body->name);
  put_fields(&codec);
  codec.encode = true;
  print(text, "}\n\nstatic void encode_%n(const struct sbp_%n *m, uint8_t *p) {\n", body->name, body->name);
  put_fields(&codec);
  print(text, "}\n\n");
}

/* Whether the size of a payload is not always the same. */
static bool is_variable(const struct sbp_struct *body) {
  const struct sbp_field *const last = body->field_count == 0 ? NULL : &body->fields[body->field_count - 1];
  bool variable = last != NULL && (is_variable_string(last) || last->repeat == SBP_VARIABLE_ARRAY);
  return variable;
}

static bool has_inner_string(const struct sbp_struct *body) {
  for (unsigned i = 0; i + 1 < body->field_count; i++)
    if (is_variable_string(&body->fields[i]))
      return true;
  return false;
}

static void put_message_codec(struct sbp_buffer *text, const struct sbp_struct *body) {
  struct codec codec = {.text = text, .body = body};
  print(text, "bool sbp_decode_%n(struct sbp_%n *m, const uint8_t *p, uint8_t size) {\n", body->name, body->name);
  if (body->size > 0)
    print(text, "  if (size < %d)\n    return false;\n", body->size);
  else if (!is_variable(body))
    print(text, "  (void)size;\n");
  if (body->field_count == 0)
    print(text, "  (void)p;\n  m->none = 0;\n");
  put_fields(&codec);

  codec.encode = true;
  print(text, "  return true;\n}\n\nbool sbp_encode_%n(const struct sbp_%n *m, uint8_t *p, uint8_t *size) {\n",
        body->name, body->name);
  if (body->field_count == 0)
    print(text, "  (void)m;\n  (void)p;\n");
  if (has_inner_string(body))
    print(text, "  const uint8_t *const begin = p;\n");
  put_fields(&codec);
  if (!is_variable(body) && codec.moves)
    print(text, "  *size = (uint8_t)((size_t)(p - begin) + %d);\n", body->size);
  else if (!is_variable(body))
    print(text, "  *size = %d;\n", body->size);
  put_string_checks(&codec);
  print(text, "  return true;\n}\n\n");
}

void make_codec(struct sbp_buffer *text, const struct sbp_schema *schema) {
  const struct struct_list structs = list_structs(schema);
  print(text, "#include \"sbpkit/messages.h\"\n\n#include \"codec.h\"\n\n");
  print(text, "const char *sbp_protocol_version(void) {\n  return SBP_PROTOCOL_VERSION;\n}\n\n");
  for (size_t i = 0; i < structs.count; i++)
    put_struct_codec(text, structs.all[i]);
  for (uint32_t i = 0; i < schema->count; i++)
    put_message_codec(text, &schema->messages[i]->body);
  text->size--;
  free(structs.all);
}
