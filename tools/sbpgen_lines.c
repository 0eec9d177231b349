/* SPDX-License-Identifier: MIT */
/* Straight-line code for the fields of a message as JSON: writers (messages_write.c) and readers of lines with the same
 * keys in the same order, which want nothing of a value but where it ends (messages_skip.c). */
#include "sbpgen.h"

#include <string.h>

/* A function in the making. JSON text that is the same in every line waits in `literal`, so that what stands side by
 * side is written, or compared, at once. */
struct maker {
  struct sbp_buffer *text;
  struct sbp_buffer literal;
  unsigned loops;    /* that stand around this place */
  bool comma_behind; /* a writer's line ends in a comma that is one too many */
  bool skips;        /* a reader is made */
};

/* Where a value stands in the payload: so many bytes behind a variable. */
struct location {
  const char *variable;
  int offset;
};

static void begin_line(struct maker *maker) {
  for (unsigned i = 0; i <= maker->loops; i++)
    print(maker->text, "  ");
}

/* End a reader's line that leaves t behind what it has passed, or NULL. */
static void unless_null(struct maker *maker) {
  print(maker->text, ") == NULL)\n");
  begin_line(maker);
  print(maker->text, "  return NULL;\n");
}

/* So much can be read from a line's end on: json_line.h is asked in the file that is made. */
enum { PIECE = 48 };

/* Compare what waits, in pieces. */
static void compare(struct maker *maker, const char *literal, size_t size) {
  for (; size > 0; literal += PIECE, size -= size < PIECE ? size : PIECE) {
    char piece[PIECE + 1] = "";
    memcpy(piece, literal, size < PIECE ? size : PIECE);
    begin_line(maker);
    print(maker->text, "if ((t = SBPI_PAST(t, %q)", piece);
    unless_null(maker);
  }
}

static void flush(struct maker *maker) {
  const size_t size = maker->literal.size;
  if (size == 0)
    return;
  put_byte(&maker->literal, '\0');
  maker->literal.size = 0;
  if (maker->skips) {
    compare(maker, maker->literal.data, size);
    return;
  }
  begin_line(maker);
  if (size == 1)
    print(maker->text, maker->comma_behind ? "o[-1] = '%s';\n" : "*o++ = '%s';\n", maker->literal.data);
  else
    print(maker->text, maker->comma_behind ? "o = EMIT_TEXT(o - 1, %q);\n" : "o = EMIT_TEXT(o, %q);\n",
          maker->literal.data);
  maker->comma_behind = false;
}

static void put_location(struct maker *maker, struct location location) {
  print(maker->text, location.offset > 0 ? "%s + %d" : "%s", location.variable, location.offset);
}

static void write_field(struct maker *maker, const struct sbp_field *field, struct location body);

static void skip_value(struct maker *maker, const struct sbp_field *field, struct location location) {
  const bool string = field->type == SBP_STRING;
  if (string)
    put_byte(&maker->literal, '"');
  flush(maker);
  begin_line(maker);
  print(maker->text, string ? "if ((t = sbpi_skip_string(t, stop)" : "if ((t = sbpi_skip_%n(t, ",
        type_names[field->type]);
  if (!string) {
    put_location(maker, location);
    put_byte(maker->text, ')');
  } else {
    put_byte(&maker->literal, '"');
  }
  unless_null(maker);
}

static void write_element(struct maker *maker, const struct sbp_field *field, struct location location) {
  if (field->type == SBP_STRUCT) {
    for (unsigned i = 0; i < field->element->field_count; i++) {
      put_byte(&maker->literal, i == 0 ? '{' : ',');
      write_field(maker, &field->element->fields[i], location);
    }
    put_byte(&maker->literal, '}');
    return;
  }
  if (maker->skips) {
    skip_value(maker, field, location);
    return;
  }
  flush(maker);
  begin_line(maker);
  print(maker->text, field->type == SBP_STRING ? "o = sbpi_write_%n(o, " : "o = emit_%n(o, ", type_names[field->type]);
  put_location(maker, location);
  if (field->type == SBP_STRING)
    print(maker->text, ", %d", field->size);
  print(maker->text, field->type == SBP_FLOAT || field->type == SBP_DOUBLE ? ", compat);\n" : ");\n");
}

/* A condition: that more than so many of an array's elements are left, from the loop's variable on. */
static void put_left(struct maker *maker, const struct sbp_field *field, struct location location, int more_than) {
  const char variable = (char)('q' + maker->loops);
  const int bytes = field->size * (more_than + 1);
  if (field->repeat == SBP_VARIABLE_ARRAY) {
    print(maker->text, bytes == 1 ? "%s < end" : "end - %s >= %d", (char[]){variable, '\0'}, bytes);
    return;
  }
  location.offset += field->size * (field->count - more_than);
  print(maker->text, "%s < ", (char[]){variable, '\0'});
  put_location(maker, location);
}

static void write_loop(struct maker *maker, const struct sbp_field *field, struct location location) {
  const char variable[2] = {(char)('q' + maker->loops), '\0'};
  flush(maker);
  begin_line(maker);
  print(maker->text, "for (const uint8_t *%s = ", variable);
  put_location(maker, location);
  print(maker->text, "; ");
  put_left(maker, field, location, 0);
  print(maker->text, field->size == 1 ? "; %s++) {\n" : "; %s += %d) {\n", variable, field->size);
  maker->loops++;
  write_element(maker, field, (struct location){variable, 0});
  if (!maker->skips)
    put_byte(&maker->literal, ',');
  flush(maker);
  maker->loops--;
  if (maker->skips) {
    begin_line(maker);
    print(maker->text, "  if (");
    put_left(maker, field, location, 1);
    print(maker->text, " && *t++ != ',')\n");
    begin_line(maker);
    print(maker->text, "    return NULL;\n");
  }
  begin_line(maker);
  print(maker->text, "}\n");
}

static void write_array(struct maker *maker, const struct sbp_field *field, struct location location) {
  enum { UNROLLED_MAX = 4 };
  put_byte(&maker->literal, '[');
  if (field->repeat == SBP_VARIABLE_ARRAY || field->count > UNROLLED_MAX) {
    write_loop(maker, field, location);
    if (field->repeat == SBP_VARIABLE_ARRAY && !maker->skips) {
      print(maker->text, "  o = emit_array_end(o);\n");
      return;
    }
    maker->comma_behind = !maker->skips;
  } else {
    for (unsigned i = 0; i < field->count; i++) {
      if (i > 0)
        put_byte(&maker->literal, ',');
      write_element(maker, field, location);
      location.offset += field->size;
    }
  }
  put_byte(&maker->literal, ']');
}

static void write_field(struct maker *maker, const struct sbp_field *field, struct location body) {
  const struct location location = {body.variable, body.offset + field->offset};
  print(&maker->literal, "%q:", field->name);
  if (field->repeat == SBP_ONE)
    write_element(maker, field, location);
  else
    write_array(maker, field, location);
}

/* A string that ends where the payload does or, before other fields, behind its first NUL. Those begin there; it leaves
 * them the least that they take, whatever the payload holds. */
static void write_variable_string(struct maker *maker, const struct sbp_field *field, struct location location,
                                  int behind, bool last) {
  print(&maker->literal, "%q:", field->name);
  if (!maker->skips)
    flush(maker);
  if (!last) {
    print(maker->text, "  const uint8_t *const %s_end = sbpi_string_end(", field->name);
    put_location(maker, location);
    print(maker->text, behind > 0 ? ", end - %d);\n" : ", end);\n", behind);
  }
  if (maker->skips) {
    skip_value(maker, field, location);
  } else {
    print(maker->text, "  o = sbpi_write_string(o, ");
    put_location(maker, location);
    print(maker->text, last ? ", (size_t)(end - " : ", (size_t)(%s_end - ", field->name);
    print(maker->text, location.offset > 0 ? "(%s + %d)));\n" : "%s));\n", location.variable, location.offset);
  }
  if (!last)
    print(maker->text, "  p = %s_end;\n", field->name);
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

static void put_signature(struct sbp_buffer *text, const struct sbp_message *message, bool skips) {
  print(text,
        skips ? "const char *sbpi_skip_%n(const char *t, const char *stop, const uint8_t *p, const uint8_t *end)"
              : "char *sbpi_write_%n(char *o, const uint8_t *p, const uint8_t *end, bool compat)",
        message->body.name);
}

static void write_message(struct maker *maker, const struct sbp_message *message) {
  const struct sbp_struct *const body = &message->body;
  print(maker->text, "/* %s, id %d", body->name, message->id);
  if (body->description != NULL) {
    put_words(maker->text, body->description, LINE_WIDTH, "\n *");
    put_byte(maker->text, '\n');
  }
  print(maker->text, " */\n");
  put_signature(maker->text, message, maker->skips);
  print(maker->text, " {\n");
  if (maker->skips) {
    print(maker->text, "  (void)stop;\n  (void)p;\n  (void)end;\n"); /* not all messages need them */
  } else {
    if (body->field_count == 0)
      print(maker->text, "  (void)p;\n");
    if (!is_variable(body))
      print(maker->text, "  (void)end;\n");
    if (!holds_floats(body))
      print(maker->text, "  (void)compat;\n");
  }

  struct location start = {"p", 0};
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    const int next = field->offset + field->size;
    put_byte(&maker->literal, ',');
    if (!is_variable_string(field)) {
      write_field(maker, field, start);
      continue;
    }
    const struct location location = {start.variable, start.offset + field->offset};
    write_variable_string(maker, field, location, body->size - next, i + 1u == body->field_count);
    start.offset = -next;
  }
  flush(maker);
  print(maker->text, maker->skips ? "  return t;\n}\n\n" : "  return o;\n}\n\n");
}

static void make(struct sbp_buffer *text, const struct sbp_schema *schema, bool skips) {
  struct maker maker = {.text = text, .literal = {.allocator = &allocator}, .skips = skips};
  print(text, "#include \"messages_lines.h\"\n\n#include \"%s.h\"\n\n", skips ? "skip" : "emit");
  if (skips)
    print(text, "_Static_assert(SBPI_LINE_SLACK >= %d, \"literals are compared past a line's end\");\n\n", PIECE);
  for (uint32_t i = 0; i < schema->count; i++)
    write_message(&maker, schema->messages[i]);
  sbp_buffer_free(&maker.literal);
  text->size--;
}

void make_writers(struct sbp_buffer *text, const struct sbp_schema *schema) {
  make(text, schema, false);
}

void make_skippers(struct sbp_buffer *text, const struct sbp_schema *schema) {
  make(text, schema, true);
}

void make_declarations(struct sbp_buffer *text, const struct sbp_schema *schema) {
  print(text, "#ifndef SBPKIT_MESSAGES_LINES_H\n#define SBPKIT_MESSAGES_LINES_H\n\n#include \"sbpkit/sbp.h\"\n\n"
              "/* The fields of a message as JSON, see sbp_message.write_fields and .skip_fields. */\n");
  for (uint32_t i = 0; i < schema->count; i++) {
    put_signature(text, schema->messages[i], false);
    print(text, ";\n");
    put_signature(text, schema->messages[i], true);
    print(text, ";\n");
  }
  print(text, "\n#endif\n");
}
