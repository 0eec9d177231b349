/* SPDX-License-Identifier: MIT */
/* messages_write.c: straight-line writers of JSON. */
#include "sbpgen.h"

#include <string.h>

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
  if (body->description != NULL) {
    put_words(writer->text, body->description, LINE_WIDTH, "\n *");
    put_byte(writer->text, '\n');
  }
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

void make_writers(struct sbp_buffer *text, const struct sbp_schema *schema) {
  print(text, "#include \"messages_write.h\"\n\n#include \"emit.h\"\n\n");
  struct writer writer = {.text = text, .literal = {.allocator = &allocator}};
  for (uint32_t i = 0; i < schema->count; i++)
    write_message(&writer, schema->messages[i]);
  sbp_buffer_free(&writer.literal);
  text->size--;
}

void make_declarations(struct sbp_buffer *text, const struct sbp_schema *schema) {
  print(text, "#ifndef SBPKIT_MESSAGES_WRITE_H\n#define SBPKIT_MESSAGES_WRITE_H\n\n#include \"sbpkit/sbp.h\"\n\n"
              "/* The fields of a message as JSON, see sbp_message.write_fields. */\n");
  for (uint32_t i = 0; i < schema->count; i++) {
    put_signature(text, schema->messages[i]);
    print(text, ";\n");
  }
  print(text, "\n#endif\n");
}
