/* SPDX-License-Identifier: MIT */
/* Lines of a log have few shapes: the same keys in the same order with other values between them. A shape is a path of
 * steps, each a literal and a value behind it; all shapes learned form a tree, whose branches are tried where lines
 * part. This file matches lines with the tree; template_learn.c grows it. Only what is certain is taken: every byte is
 * either equal to a literal's or read as strictly as by the generic reader, which gets all that does not match. */
#include "template_tree.h"

/* No line longer than this is looked at. */
enum { LONGEST_LINE = 16384 };

/* A number or string as it stood in the line. */
struct capture {
  struct sbpi_decimal decimal;
  const char *text;
  uint32_t length;
};

struct match {
  const char *p;
  const char *end; /* a line break: no number or string goes on behind it */
  const struct templates *templates;
  const char *starts[STEPS_MAX]; /* of each step's literal */
  struct capture captures[CAPTURES_MAX];
  size_t capture_count;
  size_t loop_count; /* elements of the variable array */
  const char *payload;
  size_t payload_length; /* of its text */
  uint32_t type;
  uint32_t sender;
  uint32_t crc;
  uint32_t length;
  bool has_crc;
  bool has_length;
};

SBPI_INLINE bool same_literal(const struct templates *templates, const struct node *node, const char *p,
                              const char *end) {
  const char *literal = templates->text + node->literal;
  size_t left = node->length;
  if ((size_t)(end - p) < left)
    return false;
  /* The pool has eight bytes behind each literal, and the line eight behind its end. */
  for (;;) {
    uint64_t a;
    uint64_t b;
    memcpy(&a, p, 8);
    memcpy(&b, literal, 8);
    if (left < 8) {
      uint64_t mask;
      memcpy(&mask, masks[left], 8);
      return ((a ^ b) & mask) == 0;
    }
    if (a != b)
      return false;
    p += 8;
    literal += 8;
    left -= 8;
  }
}

/* ---- Values ---- */

/* Behind a number, or NULL. The line break that ends the line stops every loop. */
SBPI_INLINE const char *skip_number(const char *p) {
  p += *p == '-';
  if (*p == '0') {
    p++;
  } else {
    if (!sbpi_is_digit(*p))
      return NULL;
    do
      p++;
    while (sbpi_is_digit(*p));
  }
  if (*p == '.') {
    p++;
    if (!sbpi_is_digit(*p))
      return NULL;
    do
      p++;
    while (sbpi_is_digit(*p));
  }
  if ((*p | 0x20) == 'e') {
    p++;
    p += *p == '+' || *p == '-';
    if (!sbpi_is_digit(*p))
      return NULL;
    do
      p++;
    while (sbpi_is_digit(*p));
  }
  return p;
}

/* The same, taken apart as sbpi_decimal_read does it. */
SBPI_INLINE const char *read_number(const char *p, struct capture *capture) {
  const char *const begin = p;
  uint64_t digits = 0;
  int32_t exponent = 0;
  const bool negative = *p == '-';
  p += negative;
  const char *const first = p;
  if (*p == '0') {
    p++;
  } else {
    if (!sbpi_is_digit(*p))
      return NULL;
    do
      digits = digits * 10 + (uint64_t)(*p++ - '0');
    while (sbpi_is_digit(*p));
  }
  bool more = p - first > 19;
  if (*p == '.') {
    const char *const point = ++p;
    if (!sbpi_is_digit(*p))
      return NULL;
    do
      digits = digits * 10 + (uint64_t)(*p++ - '0');
    while (sbpi_is_digit(*p));
    exponent = (int32_t)(point - p);
    more = p - first > 20;
  }
  if (SBPI_UNLIKELY((*p | 0x20) == 'e')) {
    p++;
    const bool down = *p == '-';
    p += down || *p == '+';
    if (!sbpi_is_digit(*p))
      return NULL;
    int32_t written = 0;
    do {
      written = written * 10 + (*p++ - '0');
      more |= written > 100000;
      written = more ? 0 : written;
    } while (sbpi_is_digit(*p));
    exponent += down ? -written : written;
  }
  capture->text = begin;
  capture->length = (uint32_t)(p - begin);
  if (SBPI_UNLIKELY(more)) {
    capture->decimal = sbpi_decimal_read(begin, capture->length);
    return p;
  }
  capture->decimal.digits = digits;
  capture->decimal.exponent = exponent;
  capture->decimal.negative = negative;
  capture->decimal.inexact = false;
  return p;
}

/* A plain integer 0 .. 65535, or NULL. */
SBPI_INLINE const char *read_u16(const char *p, uint32_t *value) {
  uint32_t sum = 0;
  const char *const begin = p;
  while (sbpi_is_digit(*p) && p - begin < 6)
    sum = sum * 10 + (uint32_t)(*p++ - '0');
  *value = sum;
  return p == begin || sum > 0xffff || (*begin == '0' && p - begin > 1) ? NULL : p;
}

/* To the closing quote of a string, or NULL where it has escapes or ends nowhere. */
SBPI_INLINE const char *skip_string(const char *p, const char *end) {
  p = sbpi_plain_end(p, end);
  return *p == '"' ? p : NULL;
}

/* A value that a field may have, captured where its fields are wanted. */
SBPI_INLINE bool match_field(struct match *match, enum step_kind kind, bool wanted) {
  const char *p;
  if (kind == STEP_NUMBER) {
    if (wanted) {
      if (match->capture_count == CAPTURES_MAX)
        return false;
      p = read_number(match->p, &match->captures[match->capture_count++]);
    } else {
      p = skip_number(match->p);
      if (SBPI_UNLIKELY(p == NULL) && memcmp(match->p, "null", 4) == 0)
        p = match->p + 4;
    }
  } else {
    p = skip_string(match->p, match->end);
    if (wanted) {
      if (match->capture_count == CAPTURES_MAX)
        return false;
      struct capture *const capture = &match->captures[match->capture_count++];
      capture->text = match->p;
      capture->length = p == NULL ? 0 : (uint32_t)(p - match->p);
    }
  }
  if (p == NULL)
    return false;
  match->p = p;
  return true;
}

static bool match_payload(struct match *match) {
  const size_t left = (size_t)(match->end - match->p);
  const size_t expected = SBP_BASE64_SIZE((size_t)match->length);
  const char *end = match->p + (expected < left ? expected : 0);
  if (*end != '"' && (end = memchr(match->p, '"', left)) == NULL)
    return false;
  match->payload = match->p;
  match->payload_length = (size_t)(end - match->p);
  match->p = end;
  return true;
}

/* The elements of a variable array, from behind its opening bracket to behind its closing one. */
SBPI_INLINE bool match_loop(struct match *match, const struct node *loop, bool wanted) {
  const struct templates *const templates = match->templates;
  match->loop_count = 0;
  if (*match->p == ']') {
    match->p++;
    return true;
  }
  for (;;) {
    for (uint16_t n = loop->element; n != 0; n = templates->nodes[n].child) {
      const struct node *const node = &templates->nodes[n];
      if (!same_literal(templates, node, match->p, match->end))
        return false;
      match->p += node->length;
      if (node->kind != STEP_NONE && !match_field(match, (enum step_kind)node->kind, wanted))
        return false;
    }
    match->loop_count++;
    const char separator = *match->p++;
    if (separator == ']')
      return true;
    if (separator != ',')
      return false;
    match->p += *match->p == ' ';
  }
}

/* The node behind a type's, among those learned for that type. */
SBPI_INLINE uint16_t child_for_type(const struct templates *templates, const struct node *node, uint32_t type) {
  uint16_t n = node->child;
  while (n != 0 && templates->nodes[n].type != type)
    n = templates->nodes[n].sibling;
  return n;
}

/* Walk the tree along the line. Returns the node that ends the path, or 0; *parted: no branch had the line's literal.
 */
SBPI_INLINE uint16_t match_line(struct match *match, uint16_t guess, bool wanted, bool *parted) {
  const struct templates *const templates = match->templates;
  const uint16_t *path = guess == 0 ? NULL : templates->leaves[guess].path;
  uint16_t first = templates->root;
  for (size_t k = 0;; k++) {
    uint16_t n = path != NULL ? path[k] : first;
    if (SBPI_UNLIKELY(n == 0 || !same_literal(templates, &templates->nodes[n], match->p, match->end))) {
      path = NULL;
      n = first;
      while (n != 0 && !same_literal(templates, &templates->nodes[n], match->p, match->end))
        n = templates->nodes[n].sibling;
      if (n == 0) {
        *parted = true;
        return 0;
      }
    }
    const struct node *const node = &templates->nodes[n];
    match->starts[k] = match->p;
    match->p += node->length;
    first = node->child;
    bool matched = true;
    switch (node->kind) {
    case STEP_NONE:
      break;
    case STEP_NUMBER:
    case STEP_STRING:
      matched = match_field(match, (enum step_kind)node->kind, wanted);
      break;
    case STEP_OTHER_NUMBER:
      matched = match_field(match, STEP_NUMBER, false);
      break;
    case STEP_OTHER_STRING:
      matched = match_field(match, STEP_STRING, false);
      break;
    case STEP_LOOP:
      matched = match_loop(match, node, wanted);
      break;
    case STEP_PAYLOAD:
      matched = match_payload(match);
      break;
    case STEP_TYPE: {
      const char *const p = read_u16(match->p, &match->type);
      if (p == NULL)
        return 0;
      match->p = p;
      if (path == NULL || templates->nodes[path[k + 1]].type != match->type) {
        path = NULL;
        first = child_for_type(templates, node, match->type);
        if (first == 0) {
          *parted = true;
          return 0;
        }
      }
      break;
    }
    case STEP_SENDER:
    case STEP_CRC:
    case STEP_LENGTH: {
      uint32_t *const value = node->kind == STEP_SENDER ? &match->sender
                              : node->kind == STEP_CRC  ? &match->crc
                                                        : &match->length;
      const char *const p = read_u16(match->p, value);
      if (p == NULL)
        return 0;
      match->p = p;
      match->has_crc |= node->kind == STEP_CRC;
      match->has_length |= node->kind == STEP_LENGTH;
      break;
    }
    case STEP_END:
      return n;
    }
    if (SBPI_UNLIKELY(!matched))
      return 0;
  }
}

/* ---- Fields ---- */

/* Store a number in its field's bytes. False where the generic reader must decide. */
SBPI_INLINE bool store_number(const struct capture *capture, struct target target, size_t offset, uint8_t *payload,
                              bool has_old) {
  const struct sbpi_decimal *const decimal = &capture->decimal;
  uint8_t *const out = payload + offset;
  if (target.type == SBP_FLOAT) {
    uint32_t bits;
    if (!sbpi_decimal_float(decimal, capture->text, capture->length, &bits))
      return false;
    sbpi_store32(out, bits);
    return true;
  }
  if (target.type == SBP_DOUBLE) {
    uint64_t bits;
    if (!sbpi_decimal_double(decimal, capture->text, capture->length, &bits))
      return false;
    sbpi_store64(out, bits);
    return true;
  }
  static const uint64_t most[] = {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX,
                                  INT8_MAX,  INT16_MAX,  INT32_MAX,  INT64_MAX};
  if (decimal->exponent != 0 || decimal->inexact)
    return false;
  if (SBPI_UNLIKELY(decimal->negative)) {
    if (target.type < SBP_S8 || decimal->digits > most[target.type] + 1)
      return false;
  } else if (SBPI_UNLIKELY(decimal->digits > most[target.type])) {
    return false;
  }
  const uint64_t raw = decimal->negative ? 0 - decimal->digits : decimal->digits;
  switch (target.type) {
  case SBP_U8:
  case SBP_S8:
    out[0] = (uint8_t)raw;
    break;
  case SBP_U16:
  case SBP_S16:
    sbpi_store16(out, (uint16_t)raw);
    break;
  case SBP_U32:
  case SBP_S32:
    sbpi_store32(out, (uint32_t)raw);
    break;
  default:
    /* A number that is not the payload's may be what a double made of it. */
    if (has_old && sbpi_load64(out) != raw)
      return false;
    sbpi_store64(out, raw);
    break;
  }
  return true;
}

/* A string's bytes are those of the payload, or the generic reader must decide. */
static bool same_string(const struct capture *capture, struct target target, const uint8_t *payload, size_t size) {
  const size_t extent = target.size > 0 ? target.size : size - target.offset;
  return capture->length == extent && memcmp(capture->text, payload + target.offset, extent) == 0;
}

/* The fields of a line, put over the bytes of its payload. */
static bool store_fields(const struct match *match, const struct leaf *leaf, uint8_t *payload, size_t *size,
                         bool has_old) {
  const struct sbp_struct *const body = &leaf->message->body;
  const size_t whole = body->size + match->loop_count * leaf->element_size;
  if (!has_old) {
    if (!leaf->complete || whole > SBP_PAYLOAD_MAX)
      return false;
    *size = whole;
  } else if (*size < body->size || (leaf->has_loop && *size != whole)) {
    return false;
  }
  const struct capture *capture = match->captures;
  for (size_t i = 0; i < leaf->target_count; i++) {
    const struct target target = leaf->targets[i];
    if (target.type == TARGET_LOOP) {
      const struct target *const element = &leaf->targets[i + 1];
      const size_t element_targets = target.size;
      for (size_t e = 0; e < match->loop_count; e++) {
        for (size_t j = 0; j < element_targets; j++) {
          if (!store_number(capture++, element[j], element[j].offset + e * leaf->element_size, payload, has_old))
            return false;
        }
      }
      i += element_targets;
    } else if (target.type == SBP_STRING) {
      if (!has_old || !same_string(capture++, target, payload, *size))
        return false;
    } else if (!store_number(capture++, target, target.offset, payload, has_old)) {
      return false;
    }
  }
  return true;
}

/* ---- Lines ---- */

static bool make_frame(const struct sbp_reader *reader, const struct match *match, const struct leaf *leaf,
                       uint8_t *frame, struct sbp_line *line) {
  uint8_t *const payload = frame + SBP_FRAME_HEADER;
  size_t size = 0;
  if (match->payload != NULL) {
    if (match->payload_length > SBP_BASE64_SIZE(SBP_PAYLOAD_MAX))
      return false;
    const ptrdiff_t decoded = sbp_base64_decode(reader->cpu, match->payload, match->payload_length, payload);
    if (decoded < 0)
      return false;
    size = (size_t)decoded;
  }
  if (reader->from_fields && !store_fields(match, leaf, payload, &size, match->payload != NULL))
    return false;
  line->frame_size =
      sbp_frame_pack(reader->cpu, (uint16_t)match->type, (uint16_t)match->sender, payload, (uint8_t)size, frame);
  if (size < leaf->message->body.size)
    line->notes |= SBP_NOTE_SHORT;
  if (!reader->from_fields) {
    if (match->has_crc && match->crc != sbpi_load16(payload + size))
      line->notes |= SBP_NOTE_CRC;
    if (match->has_length && match->length != size)
      line->notes |= SBP_NOTE_LENGTH;
  }
  return true;
}

static struct sbp_span object_of(const struct match *match, const struct leaf *leaf, const char *text) {
  struct sbp_span object = {text, (size_t)(match->p - text)};
  if (leaf->wrapped) {
    object.text = match->starts[leaf->object_begin.step] + leaf->object_begin.delta;
    object.length = (size_t)(match->starts[leaf->object_end.step] + leaf->object_end.delta - object.text);
  }
  return object;
}

const char *sbpi_templates_read(struct sbp_reader *reader, const char *text, const char *end, uint8_t *frame,
                                struct sbp_line *line, bool *learn) {
  struct templates *const templates = reader->templates;
  *learn = false;
  /* Lines without a common shape are not worth a try each. */
  if (templates->misses > MISSES_MAX && (++templates->misses & 63) != 0)
    return NULL;
  const size_t left = (size_t)(end - text);
  const char *const line_end = memchr(text, '\n', left < LONGEST_LINE ? left : LONGEST_LINE);
  /* Literals are compared in words of eight bytes, which must not reach past the input. */
  if (line_end == NULL || end - line_end < 8) {
    *learn = line_end != NULL;
    return NULL;
  }
  struct match match;
  match.p = text;
  match.end = line_end;
  match.templates = templates;
  match.capture_count = 0;
  match.loop_count = 0;
  match.payload = NULL;
  match.type = UINT32_MAX;
  match.sender = 66;
  match.has_crc = false;
  match.has_length = false;
  match.length = 0;
  bool parted = false;
  const uint16_t guess = templates->leaves[templates->last].next;
  const uint16_t n =
      reader->from_fields ? match_line(&match, guess, true, &parted) : match_line(&match, guess, false, &parted);
  if (n != 0) {
    const uint16_t number = templates->nodes[n].leaf;
    const struct leaf *const leaf = &templates->leaves[number];
    if (match.type == leaf->message->id && make_frame(reader, &match, leaf, frame, line)) {
      line->message = leaf->message;
      line->text.text = text;
      line->text.length = (size_t)(match.p - text);
      line->object = object_of(&match, leaf, text);
      templates->leaves[templates->last].next = number;
      templates->last = number;
      templates->misses = 0;
      return match.p;
    }
    line->notes = 0;
  }
  templates->misses++;
  *learn = parted;
  return NULL;
}
