/* SPDX-License-Identifier: MIT */
/* The shape of a line that the generic reader has read, put into the tree of shapes. */
#include "template_tree.h"

struct step {
  const char *literal;
  size_t length;
  enum step_kind kind;
  uint16_t element_begin; /* STEP_LOOP: its element's steps, among learner.elements */
  uint16_t element_end;
};

/* What the members of an object are. */
struct scope {
  const struct sbp_struct *body; /* fields, or NULL: none */
  unsigned offset;               /* of the body in the payload */
  bool message;                  /* the message object itself */
  bool element;                  /* in an element of the variable array */
};

struct learner {
  const struct sbp_line *line;
  const char *end;
  const char *literal; /* where the next step's literal begins */
  struct step steps[STEPS_MAX];
  struct step elements[STEPS_MAX];
  size_t step_count;
  size_t element_count;
  struct target targets[STEPS_MAX];
  size_t target_count;
  struct step_place object_begin;
  struct step_place object_end;
  uint8_t given[SBP_PAYLOAD_MAX]; /* bytes of the payload that have a target */
  unsigned element_size;
  unsigned depth;
  bool has_type;
  bool has_loop;
  bool unfit;   /* fields that have no fixed place: not to be stored by the targets */
  bool ignored; /* a key that is no field */
  bool failed;
};

/* Deeper lines are left to the generic reader, which minds SBP_NESTING_MAX. */
enum { DEPTH_MAX = 32 };

/* ---- Steps ---- */

/* End the literal here; a value of this kind follows, which ends at value_end. */
static void add_step(struct learner *learner, bool element, const char *here, enum step_kind kind,
                     const char *value_end) {
  struct step *const steps = element ? learner->elements : learner->steps;
  size_t *const count = element ? &learner->element_count : &learner->step_count;
  while (!learner->failed) {
    if (*count == STEPS_MAX - 1) {
      learner->failed = true;
      break;
    }
    const size_t left = (size_t)(here - learner->literal);
    struct step *const step = &steps[(*count)++];
    step->literal = learner->literal;
    step->length = left < LITERAL_MAX ? left : LITERAL_MAX;
    step->kind = left <= LITERAL_MAX ? kind : STEP_NONE;
    learner->literal += step->length;
    if (left <= LITERAL_MAX)
      break;
  }
  learner->literal = value_end;
}

static void add_target(struct learner *learner, unsigned type, unsigned offset, unsigned size) {
  if (learner->target_count == STEPS_MAX || offset > SBP_PAYLOAD_MAX) {
    learner->failed = true;
    return;
  }
  const struct target target = {(uint8_t)type, (uint8_t)offset, (uint8_t)size};
  learner->targets[learner->target_count++] = target;
}

/* ---- Values ---- */

static const char *skip_space(const char *p) {
  while (sbpi_is_space(*p))
    p++;
  return p;
}

static const char *learn_value(struct learner *learner, const char *p, const struct scope *scope,
                               const struct sbp_field *field, unsigned offset);
static const char *learn_object(struct learner *learner, const char *p, const struct scope *scope);

static const char *learn_scalar(struct learner *learner, const char *p, const struct scope *scope,
                                const struct sbp_field *field, unsigned offset) {
  const char *const value_end = sbpi_value_end(p, learner->end);
  const bool string = *p == '"';
  const bool number = *p == '-' || sbpi_is_digit(*p);
  if (field == NULL) {
    /* true, false and null become part of the literal. */
    if (string)
      add_step(learner, scope->element, p + 1, STEP_OTHER_STRING, value_end - 1);
    else if (number)
      add_step(learner, scope->element, p, STEP_OTHER_NUMBER, value_end);
    return value_end;
  }
  if (string && field->type == SBP_STRING) {
    const bool fixed = field->encoding == SBP_FIXED;
    add_step(learner, scope->element, p + 1, STEP_STRING, value_end - 1);
    add_target(learner, SBP_STRING, offset, fixed ? field->size : 0);
    /* Strings in elements, and other fields behind a variable string, have no fixed place. */
    learner->unfit |= scope->element;
    return value_end;
  }
  const bool null = *p == 'n' && field->type >= SBP_FLOAT && field->type <= SBP_DOUBLE;
  if ((!number && !null) || field->type >= SBP_STRING) {
    learner->failed = true;
    return value_end;
  }
  add_step(learner, scope->element, p, field->type < SBP_FLOAT ? STEP_INTEGER : STEP_FLOAT, value_end);
  add_target(learner, field->type, offset, field->size);
  for (unsigned i = 0; i < field->size && offset + i < SBP_PAYLOAD_MAX; i++)
    learner->given[offset + i] = 1;
  return value_end;
}

/* A variable array: its first element is the shape of all. */
static const char *learn_loop(struct learner *learner, const char *p, const struct sbp_field *field, unsigned offset) {
  const char *const array_end = sbpi_value_end(p, learner->end);
  const char *const first = skip_space(p + 1);
  if (*first == ']') {
    /* No elements: a shape of its own, without a loop. */
    learner->has_loop = true;
    learner->element_size = field->size;
    return array_end;
  }
  const size_t element_begin = learner->element_count;
  add_step(learner, false, p + 1, STEP_LOOP, p + 1);
  if (learner->failed)
    return array_end;
  struct step *const loop = &learner->steps[learner->step_count - 1];
  const size_t header = learner->target_count;
  add_target(learner, TARGET_LOOP, 0, 0);
  const struct scope scope = {NULL, 0, false, true};
  struct sbp_field one = *field;
  one.repeat = SBP_ONE;
  const char *const element_end = learn_value(learner, first, &scope, &one, offset);
  if (element_end > learner->literal)
    add_step(learner, true, element_end, STEP_NONE, element_end);
  loop->element_begin = (uint16_t)element_begin;
  loop->element_end = (uint16_t)learner->element_count;
  if (!learner->failed)
    learner->targets[header].size = (uint8_t)(learner->target_count - header - 1);
  learner->has_loop = true;
  learner->element_size = field->size;
  learner->literal = array_end;
  return array_end;
}

static const char *learn_array(struct learner *learner, const char *p, const struct scope *scope,
                               const struct sbp_field *field, unsigned offset) {
  unsigned index = 0;
  p++;
  learner->failed |= ++learner->depth > DEPTH_MAX || (field != NULL && field->repeat == SBP_ONE);
  while (!learner->failed) {
    p = skip_space(p);
    if (*p == ',') {
      p++;
      continue;
    }
    if (*p == ']')
      break;
    if (field != NULL && index >= field->count) {
      learner->failed = true;
      break;
    }
    struct sbp_field one = {0};
    if (field != NULL) {
      one = *field;
      one.repeat = SBP_ONE;
    }
    p = learn_value(learner, p, scope, field == NULL ? NULL : &one, field == NULL ? 0 : offset + index * field->size);
    index++;
  }
  learner->failed |= field != NULL && index != field->count;
  learner->depth--;
  return p + 1;
}

static const char *learn_value(struct learner *learner, const char *p, const struct scope *scope,
                               const struct sbp_field *field, unsigned offset) {
  if (*p != '[' && field != NULL && field->repeat != SBP_ONE) {
    learner->failed = true;
    return p;
  }
  if (*p == '[') {
    if (field != NULL && field->repeat == SBP_VARIABLE_ARRAY)
      return learn_loop(learner, p, field, offset);
    return learn_array(learner, p, scope, field, offset);
  }
  if (*p == '{') {
    if (field != NULL && field->type != SBP_STRUCT) {
      learner->failed = true;
      return p;
    }
    const bool message = p == learner->line->object.text;
    const struct scope inner = {message         ? &learner->line->message->body
                                : field == NULL ? NULL
                                                : field->element,
                                offset, message, scope->element};
    return learn_object(learner, p, &inner);
  }
  return learn_scalar(learner, p, scope, field, offset);
}

/* The members of the message that make its envelope. Returns NULL where the key is another one. */
static const char *learn_envelope(struct learner *learner, const char *p, enum sbpi_key key) {
  static const enum step_kind kinds[] = {[KEY_MSG_TYPE] = STEP_TYPE,
                                         [KEY_SENDER] = STEP_SENDER,
                                         [KEY_PAYLOAD] = STEP_PAYLOAD,
                                         [KEY_CRC] = STEP_CRC,
                                         [KEY_LENGTH] = STEP_LENGTH};
  const char *const value_end = sbpi_value_end(p, learner->end);
  switch (key) {
  case KEY_MSG_NAME:
    /* The same on each line of this type, and so a part of the literal; the preamble too. */
    return *p == '"' ? value_end : NULL;
  case KEY_OTHER:
    return sbpi_is_digit(*p) ? value_end : NULL;
  case KEY_MSG_TYPE:
    learner->has_type = true;
    add_step(learner, false, p, STEP_TYPE, value_end);
    return value_end;
  case KEY_PAYLOAD:
    if (*p != '"')
      learner->failed = true;
    add_step(learner, false, p + 1, STEP_PAYLOAD, value_end - 1);
    return value_end;
  case KEY_SENDER:
  case KEY_CRC:
  case KEY_LENGTH:
    if (!sbpi_is_digit(*p))
      learner->failed = true;
    add_step(learner, false, p, kinds[key], value_end);
    return value_end;
  default:
    return NULL;
  }
}

static const struct sbp_field *field_named(const struct sbp_struct *body, struct sbp_span key) {
  for (uint16_t i = 0; i < body->field_count; i++) {
    if (sbpi_key_is(key, body->fields[i].name, body->fields[i].name_length))
      return &body->fields[i];
  }
  return NULL;
}

/* The keys of an object so far. */
struct keys {
  struct sbp_span key[STEPS_MAX];
  size_t count;
};

/* Add a key. False where it is a repeated one, or has an escape, or there are too many. */
static bool add_key(struct keys *keys, struct sbp_span key) {
  if (keys->count == STEPS_MAX || memchr(key.text, '\\', key.length) != NULL)
    return false;
  for (size_t i = 0; i < keys->count; i++) {
    if (keys->key[i].length == key.length && memcmp(keys->key[i].text, key.text, key.length) == 0)
      return false;
  }
  keys->key[keys->count++] = key;
  return true;
}

static const char *learn_member(struct learner *learner, struct sbp_span key, const char *p,
                                const struct scope *scope) {
  const struct scope inner = {NULL, 0, false, scope->element};
  if (scope->message) {
    const char *const behind = learn_envelope(learner, p, sbpi_key_of(key.text, key.length));
    if (behind != NULL)
      return behind;
  }
  /* Beside "data" the name decides whether that is the message, and so no other value may match. */
  if (learner->depth == 1 && !scope->message && sbpi_key_of(key.text, key.length) == KEY_MSG_NAME)
    learner->failed = true;
  if (scope->body == NULL)
    return learn_value(learner, p, &inner, NULL, 0);
  const struct sbp_field *const field = field_named(scope->body, key);
  if (field == NULL) {
    /* The reader tells of each such key. */
    learner->ignored |= !(scope->message && sbpi_key_of(key.text, key.length) != KEY_FIELD);
    return learn_value(learner, p, &inner, NULL, 0);
  }
  /* Behind a variable string that is not the last field nothing has a fixed place. */
  const struct sbp_field *const last_field = &scope->body->fields[scope->body->field_count - 1];
  if (field->type == SBP_STRING && field->encoding != SBP_FIXED && field != last_field)
    learner->failed = true;
  return learn_value(learner, p, &inner, field, scope->offset + field->offset);
}

static const char *learn_object(struct learner *learner, const char *p, const struct scope *scope) {
  struct keys keys;
  keys.count = 0;
  learner->failed |= ++learner->depth > DEPTH_MAX;
  if (scope->message) {
    learner->object_begin.step = (uint8_t)learner->step_count;
    learner->object_begin.delta = (uint8_t)(p - learner->literal);
    learner->failed |= p - learner->literal > UINT8_MAX;
  }
  p++;
  while (!learner->failed) {
    p = skip_space(p);
    if (*p == ',') {
      p++;
      continue;
    }
    if (*p == '}')
      break;
    const char *const key_end = sbpi_value_end(p, learner->end);
    const struct sbp_span key = {p + 1, (size_t)(key_end - p - 2)};
    if (!add_key(&keys, key)) {
      learner->failed = true;
      break;
    }
    p = skip_space(key_end);
    p = learn_member(learner, key, skip_space(p + 1), scope);
  }
  p++;
  learner->depth--;
  if (scope->message) {
    learner->object_end.step = (uint8_t)learner->step_count;
    learner->object_end.delta = (uint8_t)(p - learner->literal);
    learner->failed |= p - learner->literal > UINT8_MAX;
  }
  return p;
}

/* ---- The tree ---- */

static uint16_t new_node(struct templates *templates, const struct step *step, uint16_t type) {
  if (templates->node_count + 1 >= NODES_MAX)
    return 0;
  const uint16_t n = ++templates->node_count;
  struct node *const node = &templates->nodes[n];
  memset(node, 0, sizeof *node);
  memcpy(node->literal, step->literal, step->length);
  node->length = (uint8_t)step->length;
  node->mask = (uint16_t)((1u << step->length) - 1);
  node->kind = (uint8_t)step->kind;
  node->type = type;
  node->digits = 1;
  node->more_digits = 1;
  return n;
}

static bool same_node(const struct node *node, const struct step *step, uint16_t type) {
  return node->length == step->length && node->kind == step->kind && node->type == type &&
         memcmp(node->literal, step->literal, step->length) == 0;
}

/* Whether a loop's elements have these steps. */
static bool same_element(const struct templates *templates, const struct node *loop, const struct step *step,
                         size_t count) {
  if (loop->digits != count)
    return false;
  for (size_t i = 0; i < count; i++) {
    if (!same_node(&templates->nodes[loop->element + i], &step[i], 0))
      return false;
  }
  return true;
}

/* The node for a step behind *link, found or made; 0 where there is no room. */
static uint16_t enter_step(struct templates *templates, const struct learner *learner, uint16_t *link,
                           const struct step *step, uint16_t type) {
  const struct step *const element = &learner->elements[step->element_begin];
  const size_t element_count = step->kind == STEP_LOOP ? (size_t)(step->element_end - step->element_begin) : 0;
  for (; *link != 0; link = &templates->nodes[*link].sibling) {
    const struct node *const node = &templates->nodes[*link];
    if (same_node(node, step, type) &&
        (step->kind != STEP_LOOP || same_element(templates, node, element, element_count)))
      return *link;
  }
  const uint16_t n = new_node(templates, step, type);
  if (n == 0)
    return 0;
  if (step->kind == STEP_LOOP)
    templates->nodes[n].digits = (uint8_t)element_count;
  for (size_t i = 0; i < element_count; i++) {
    const uint16_t e = new_node(templates, &element[i], 0);
    if (e == 0)
      return 0;
    if (i == 0)
      templates->nodes[n].element = e;
  }
  *link = n;
  return n;
}

/* Whether no white space stands outside strings. */
static bool is_compact(struct sbp_span text) {
  bool in_string = false;
  for (size_t i = 0; i < text.length; i++) {
    if (text.text[i] == '"')
      in_string = !in_string;
    else if (in_string && text.text[i] == '\\')
      i++;
    else if (!in_string && sbpi_is_space(text.text[i]))
      return false;
  }
  return true;
}

static bool enter(struct templates *templates, const struct learner *learner, const struct sbp_message *message) {
  uint16_t path[STEPS_MAX];
  uint16_t *link = &templates->root;
  uint16_t n = 0;
  for (size_t i = 0; i < learner->step_count; i++) {
    const bool behind_type = i > 0 && learner->steps[i - 1].kind == STEP_TYPE;
    n = enter_step(templates, learner, link, &learner->steps[i], behind_type ? message->id : 0);
    if (n == 0)
      return false;
    path[i] = n;
    link = &templates->nodes[n].child;
  }
  struct node *const end = &templates->nodes[n];
  if (end->leaf != 0)
    return true;
  if (templates->leaf_count + 1 >= LEAVES_MAX)
    return false;
  end->leaf = ++templates->leaf_count;
  struct leaf *const leaf = &templates->leaves[end->leaf];
  memset(leaf, 0, sizeof *leaf);
  leaf->message = message;
  leaf->type_digits = (uint8_t)(strchr(message->envelope + TYPE_AT, ',') - message->envelope - TYPE_AT);
  for (size_t i = 0; i + 1 < learner->step_count; i++)
    templates->nodes[path[i]].leaf = end->leaf;
  memcpy(leaf->path, path, learner->step_count * sizeof path[0]);
  memcpy(leaf->targets, learner->targets, learner->target_count * sizeof leaf->targets[0]);
  leaf->target_count = (uint16_t)learner->target_count;
  leaf->object_begin = learner->object_begin;
  leaf->object_end = learner->object_end;
  leaf->element_size = (uint8_t)learner->element_size;
  leaf->has_loop = learner->has_loop;
  leaf->wrapped = learner->line->object.text != learner->line->text.text;
  leaf->compact = is_compact(learner->line->text);
  leaf->fit = !learner->unfit;
  leaf->complete = true;
  for (unsigned i = 0; i < message->body.size; i++)
    leaf->complete &= learner->given[i] != 0;
  const struct sbp_field *const last =
      message->body.field_count == 0 ? NULL : &message->body.fields[message->body.field_count - 1];
  if (last != NULL && last->repeat == SBP_VARIABLE_ARRAY)
    leaf->complete &= learner->has_loop;
  if (last != NULL && last->type == SBP_STRING && last->encoding != SBP_FIXED)
    leaf->complete = false;
  return true;
}

void sbpi_templates_learn(struct sbp_reader *reader, const struct sbp_line *line) {
  struct templates *const templates = reader->templates;
  if (line->message == NULL || line->frame_size - SBP_FRAME_OVERHEAD < line->message->body.size ||
      memchr(line->text.text, '\n', line->text.length) != NULL)
    return;
  struct learner learner;
  memset(&learner, 0, sizeof learner);
  learner.line = line;
  learner.end = line->text.text + line->text.length;
  learner.literal = line->text.text;
  const bool wrapped = line->object.text != line->text.text;
  const struct scope scope = {wrapped ? NULL : &line->message->body, 0, !wrapped, false};
  const char *const behind = learn_object(&learner, line->text.text, &scope);
  if (learner.failed)
    return;
  add_step(&learner, false, behind, STEP_END, behind);
  if (learner.failed || !learner.has_type || (reader->from_fields && (learner.unfit || learner.ignored)))
    return;
  if (!enter(templates, &learner, line->message)) {
    /* No room: what was learned is forgotten, and learning begins anew. */
    const uint32_t misses = templates->misses;
    sbp_templates_begin(templates);
    templates->misses = misses;
  }
}

size_t sbp_templates_size(void) {
  return sizeof(struct templates);
}

void sbp_templates_begin(void *memory) {
  struct templates *const templates = memory;
  /* With the node that stands for none. */
  memset(templates, 0, offsetof(struct templates, nodes) + sizeof(struct node));
}
