/* SPDX-License-Identifier: MIT */
/* Lines of a log have few shapes: the same keys in the same order with other values between them. A shape is a path of
 * steps, each a literal and a value behind it; all shapes learned form a tree, whose branches are tried where lines
 * part. This file matches lines with the tree; template_learn.c grows it. Only what is certain is taken: every byte is
 * either equal to a literal's or read as strictly as by the generic reader, which gets all that does not match. */
#include "template_tree.h"

/* A number or string as it stood in the line. */
struct capture {
  struct sbpi_decimal decimal;
  const char *text;
  uint32_t length;
};

struct match {
  const char *end; /* the line break that stops all loops */
  struct templates *templates;
  struct sbp_reader *reader;     /* or NULL */
  const char *starts[STEPS_MAX]; /* of each step's literal */
  struct capture *captures;      /* CAPTURES_MAX of them; NULL where fields are not wanted */
  size_t loop_count;             /* elements of the variable array */
  const char *payload;
  size_t payload_length; /* of its text */
  uint32_t type;
  uint32_t sender;
  uint32_t crc;
  uint32_t length;
  bool has_crc;
  bool has_length;
};

/* Whether the line goes on with a node's literal. No literal has a line break in it, so that none is equal past the
 * line's end, where LITERAL_MAX bytes can be read. */
SBPI_INLINE bool same_literal(const struct node *node, const char *p) {
#ifdef __SSE2__
  const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
  const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)node->literal);
  return (~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) & node->mask) == 0;
#else
  return memcmp(p, node->literal, node->length) == 0;
#endif
}

/* ---- Values: each returns what stands behind it, or NULL ---- */

static SBPI_NOINLINE const char *read_long(const char *p, struct capture *capture) {
  const char *const behind = sbpi_skip_number(p);
  if (behind == NULL)
    return NULL;
  capture->text = p;
  capture->length = (uint32_t)(behind - p);
  capture->decimal = sbpi_decimal_read(p, capture->length);
  return behind;
}

/* How many digits stand at p; 0 where there is none, or more than 15. *last is how many it were the last time. If that
 * has been the same for a while it is what is tried, so that the next step begins without waiting for the count; else a
 * wrong guess would cost more than to wait. */
SBPI_INLINE unsigned count_digits(const char *p, uint8_t *last, uint8_t *unsteady) {
#ifdef __SSE2__
  enum { STEADY_AFTER = 64 };
  const unsigned count = sbpi_count_digits(p);
  unsigned expected = *last;
  if (SBPI_LIKELY(*unsteady == 0)) {
    if (SBPI_LIKELY(count == expected)) {
      /* Else the compiler may take the one for the other. */
      __asm__("" : "+r"(expected));
      if (expected == 0)
        __builtin_unreachable();
      return expected;
    }
    *unsteady = STEADY_AFTER;
  } else {
    *unsteady = (uint8_t)((*unsteady - 1u) | ((0u - (count != expected)) & STEADY_AFTER));
  }
  if (SBPI_UNLIKELY(count - 1 > 14))
    return 0;
  *last = (uint8_t)count;
  return count;
#else
  unsigned count = 0;
  (void)last;
  (void)unsteady;
  while (count < 16 && sbpi_is_digit(p[count]))
    count++;
  return count & 15;
#endif
}

/* Past a minus sign. Its branch is foretold mostly, and then what follows does not wait for the byte: so compilers must
 * not make an addition of it. */
SBPI_INLINE const char *skip_sign(const char *p) {
  if (SBPI_UNLIKELY(*p == '-')) {
#ifdef __GNUC__
    __asm__("" : "+r"(p));
#endif
    p++;
  }
  return p;
}

/* An integer of up to 15 digits; longer ones, and what is none, count as 0 digits. */
SBPI_INLINE const char *match_integer(const char *p, struct node *node, struct capture *capture) {
  const char *const digits = skip_sign(p);
  const unsigned count = count_digits(digits, &node->digits, &node->unsteady[0]);
  if (SBPI_UNLIKELY(count == 0 || (count > 1 && *digits == '0'))) {
    if (capture == NULL)
      return sbpi_skip_number_or_null(p);
    const char *const behind = read_long(p, capture);
    /* 1e3 and 20 digits are integers too, but no word and no sign. */
    return behind != NULL && capture->decimal.exponent == 0 && !capture->decimal.inexact ? behind : NULL;
  }
  if (capture != NULL) {
    capture->decimal.digits = sbpi_value_of_digits(digits, count);
    capture->decimal.negative = digits != p;
  }
  return digits + count;
}

/* A number, taken apart as sbpi_decimal_read does it. */
SBPI_INLINE const char *match_float(const char *p, struct node *node, struct capture *capture) {
  static const uint64_t powers[] = {1,
                                    10,
                                    100,
                                    1000,
                                    10000,
                                    100000,
                                    1000000,
                                    10000000,
                                    100000000,
                                    1000000000,
                                    10000000000,
                                    100000000000,
                                    1000000000000,
                                    10000000000000,
                                    100000000000000,
                                    1000000000000000};
  const char *const digits = skip_sign(p);
  const unsigned count = count_digits(digits, &node->digits, &node->unsteady[0]);
  const char *const point = digits + count;
  const unsigned more = *point == '.' ? count_digits(point + 1, &node->more_digits, &node->unsteady[1]) : 0;
  const char *const behind = point + 1 + more;
  if (SBPI_UNLIKELY(count == 0 || more == 0 || (*behind | 0x20) == 'e' || (count > 1 && *digits == '0') ||
                    (capture != NULL && count + more > 19))) {
    return capture == NULL ? sbpi_skip_number_or_null(p) : read_long(p, capture);
  }
  if (capture != NULL) {
    capture->decimal.digits =
        sbpi_value_of_digits(digits, count) * powers[more] + sbpi_value_of_digits(point + 1, more);
    capture->decimal.exponent = -(int32_t)more;
    capture->decimal.negative = digits != p;
    capture->decimal.inexact = false;
    capture->text = p;
    capture->length = (uint32_t)(behind - p);
  }
  return behind;
}

/* A plain integer 0 .. 65535. */
SBPI_INLINE const char *read_u16(const char *p, struct node *node, uint32_t *value) {
  const unsigned count = count_digits(p, &node->digits, &node->unsteady[0]);
  if (count == 0 || count > 5 || (count > 1 && *p == '0'))
    return NULL;
  *value = (uint32_t)sbpi_value_of_digits(p, count);
  return *value > 0xffff ? NULL : p + count;
}

/* The same of one that mostly is what it was on the last line that came this way. */
SBPI_INLINE const char *read_length(const char *p, struct node *node, uint32_t *value) {
  const char *const behind = sbpi_past_small(p, node->last);
  *value = node->last;
  if (SBPI_LIKELY(behind != NULL && !sbpi_is_digit(*behind)))
    return behind;
  p = sbpi_read_u16(p, value);
  if (p != NULL && *value < 1000)
    node->last = (uint16_t)*value;
  return p;
}

/* Whether the line has the type of this shape; *p goes on behind it then. */
SBPI_INLINE bool same_type(const char **p, const struct leaf *leaf) {
  const uint64_t type = sbpi_load64((const uint8_t *)leaf->message->envelope + TYPE_AT);
  if (SBPI_UNLIKELY(!sbpi_same_digits(*p, type, leaf->type_digits)))
    return false;
  *p += leaf->type_digits;
  return true;
}

/* A string, captured without its quotes. */
SBPI_INLINE const char *match_string(const char *p, const char *end, struct capture *capture) {
  const char *const behind = sbpi_skip_string(p, end);
  if (capture != NULL) {
    capture->text = p;
    capture->length = behind == NULL ? 0 : (uint32_t)(behind - p);
  }
  return behind;
}

/* A value that a field may have. *capture goes on behind those taken; it is NULL where fields are not wanted. */
SBPI_INLINE const char *match_field(const struct match *match, const char *end, struct node *node, const char *p,
                                    struct capture **capture) {
  struct capture *const taken = *capture;
  if (taken != NULL) {
    if (SBPI_UNLIKELY(taken == match->captures + CAPTURES_MAX))
      return NULL;
    ++*capture;
  }
  if (SBPI_LIKELY(node->kind == STEP_INTEGER))
    return match_integer(p, node, taken);
  return SBPI_LIKELY(node->kind == STEP_FLOAT) ? match_float(p, node, taken) : match_string(p, end, taken);
}

static SBPI_NOINLINE const char *match_payload(struct match *match, const char *p) {
  const size_t left = (size_t)(match->end - p);
  const size_t expected = SBP_BASE64_SIZE((size_t)match->length);
  const char *behind = p + (expected < left ? expected : 0);
  if (SBPI_UNLIKELY(*behind != '"') && (behind = memchr(p, '"', left)) == NULL)
    return NULL;
  match->payload = p;
  match->payload_length = (size_t)(behind - p);
  return behind;
}

/* The elements of a variable array, from behind its opening bracket to behind its closing one. */
SBPI_INLINE const char *match_loop(struct match *match, const struct node *loop, const char *p,
                                   struct capture **capture) {
  size_t count = 0;
  if (*p == ']')
    return p + 1;
  struct node *const first = &match->templates->nodes[loop->element];
  const struct node *const behind_last = first + loop->digits;
  for (;;) {
    for (struct node *node = first; node < behind_last; node++) {
      if (!same_literal(node, p))
        return NULL;
      p += node->length;
      if (node->kind != STEP_NONE && (p = match_field(match, match->end, node, p, capture)) == NULL)
        return NULL;
    }
    count++;
    const char separator = *p++;
    if (separator != ',') {
      match->loop_count = count;
      return separator == ']' ? p : NULL;
    }
    p += *p == ' ';
  }
}

/* Out of line, which leaves the way through other lines its registers. */
static SBPI_NOINLINE const char *match_loop_unread(struct match *match, const struct node *loop, const char *p) {
  struct capture *none = NULL;
  return match_loop(match, loop, p, &none);
}

static SBPI_NOINLINE const char *match_loop_captured(struct match *match, const struct node *loop, const char *p,
                                                     struct capture **capture) {
  return match_loop(match, loop, p, capture);
}

/* The first node behind a type's step that was learned for this type, or 0. */
SBPI_INLINE uint16_t child_for_type(const struct templates *templates, const struct node *node, uint32_t type) {
  uint16_t n = node->child;
  while (n != 0 && templates->nodes[n].type != type)
    n = templates->nodes[n].sibling;
  return n;
}

/* Where the line leaves the path at a step: the node beside it that has the line's literal, or 0. */
static SBPI_NOINLINE uint16_t other_node(const struct templates *templates, uint16_t n, const char *p) {
  while (n != 0 && !same_literal(&templates->nodes[n], p))
    n = templates->nodes[n].sibling;
  return n;
}

/* Walk the tree along the line on the path of the leaf that is guessed, and where the line leaves that, on the path of
 * the last leaf there. Returns the leaf that is reached and, in *behind, the line's end; or 0, and then *parted says
 * whether the shape is a new one. */
SBPI_INLINE uint16_t match_line(struct match *match, const char *p, uint16_t guess, bool wanted, const char **behind,
                                bool *parted) {
  struct templates *const templates = match->templates;
  struct node *const nodes = templates->nodes;
  const char *const end = match->end;
  struct capture *capture = wanted ? match->captures : NULL;
  uint16_t turns[TURNS_MAX]; /* nodes beside the path taken before */
  unsigned turn_count = 0;
  *parted = guess == 0;
  if (guess == 0)
    return 0;
  const struct leaf *leaf = &templates->leaves[guess];
  for (size_t k = 0;; k++) {
    struct node *node = nodes + leaf->path[k];
    if (SBPI_UNLIKELY(!same_literal(node, p))) {
      const uint16_t n = other_node(templates, k == 0 ? templates->root : nodes[leaf->path[k - 1]].child, p);
      if (n == 0) {
        *parted = true;
        return 0;
      }
      node = nodes + n;
      leaf = &templates->leaves[node->leaf];
      turns[turn_count++ % TURNS_MAX] = n;
    }
    match->starts[k] = p;
    p += node->length;
    if (SBPI_LIKELY(node->kind <= STEP_STRING)) {
      p = match_field(match, end, node, p, &capture);
      if (SBPI_UNLIKELY(p == NULL))
        return 0;
      continue;
    }
    switch (node->kind) {
    case STEP_NONE:
      continue;
    case STEP_OTHER_NUMBER:
      p = match_float(p, node, NULL);
      break;
    case STEP_OTHER_STRING:
      p = match_string(p, end, NULL);
      break;
    case STEP_LOOP:
      p = wanted ? match_loop_captured(match, node, p, &capture) : match_loop_unread(match, node, p);
      break;
    case STEP_PAYLOAD:
      p = match_payload(match, p);
      break;
    case STEP_SENDER:
      p = match->reader == NULL ? sbpi_read_u16(p, &match->sender) : sbpi_read_sender(match->reader, p, &match->sender);
      break;
    case STEP_CRC:
      p = read_u16(p, node, &match->crc);
      match->has_crc = true;
      break;
    case STEP_LENGTH:
      p = read_length(p, node, &match->length);
      match->has_length = true;
      break;
    case STEP_TYPE:
      match->type = leaf->message->id;
      if (SBPI_UNLIKELY(!same_type(&p, leaf))) {
        p = read_u16(p, node, &match->type);
        const uint16_t n = p == NULL ? 0 : child_for_type(templates, node, match->type);
        *parted = p != NULL && n == 0;
        if (n == 0)
          return 0;
        leaf = &templates->leaves[nodes[n].leaf];
        turns[turn_count++ % TURNS_MAX] = n;
      }
      break;
    default:
      *behind = p;
      for (unsigned i = 0; i < turn_count && i < TURNS_MAX; i++)
        nodes[turns[i]].leaf = node->leaf;
      return node->leaf;
    }
    if (SBPI_UNLIKELY(p == NULL))
      return 0;
  }
}

/* ---- Fields ---- */

/* The largest magnitude of an integer type, without and with a minus sign. */
static const uint64_t most[2][SBP_S64 + 1] = {
    {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX, INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX},
    {0, 0, 0, 0, (uint64_t)INT8_MAX + 1, (uint64_t)INT16_MAX + 1, (uint64_t)INT32_MAX + 1, (uint64_t)INT64_MAX + 1}};

/* Store an integer in its field's bytes. False where the generic reader must decide. */
SBPI_INLINE bool store_integer(const struct capture *capture, struct target target, uint8_t *out, bool has_old,
                               size_t room) {
  /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): a match has captured what its leaf has targets for */
  const uint64_t digits = capture->decimal.digits;
  const uint64_t raw = capture->decimal.negative ? 0 - digits : digits;
  if (SBPI_UNLIKELY(digits > most[capture->decimal.negative][target.type]))
    return false;
  /* Most lines were not edited: the value is what stands there. */
  if (SBPI_LIKELY(room >= 8 && (sbpi_load64(out) ^ raw) << (64 - 8 * target.size) == 0))
    return true;
  switch (target.size) {
  case 1:
    out[0] = (uint8_t)raw;
    return true;
  case 2:
    sbpi_store16(out, (uint16_t)raw);
    return true;
  case 4:
    sbpi_store32(out, (uint32_t)raw);
    return true;
  default:
    /* A number that is not the payload's may be what a double made of it. */
    if (has_old && sbpi_load64(out) != raw)
      return false;
    sbpi_store64(out, raw);
    return true;
  }
}

/* Store a number in its field's bytes. False where the generic reader must decide. */
SBPI_INLINE bool store_number(const struct capture *capture, struct target target, size_t offset, uint8_t *payload,
                              bool has_old) {
  uint8_t *const out = payload + offset;
  if (SBPI_LIKELY(target.type < SBP_FLOAT))
    return store_integer(capture, target, out, has_old, SBP_FRAME_MAX - SBP_FRAME_HEADER - offset);
  if (target.type == SBP_FLOAT) {
    uint32_t bits;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): as in store_integer() */
    if (!sbpi_decimal_float(&capture->decimal, capture->text, capture->length, &bits))
      return false;
    sbpi_store32(out, bits);
    return true;
  }
  uint64_t bits;
  /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the same */
  if (!sbpi_decimal_double(&capture->decimal, capture->text, capture->length, &bits))
    return false;
  sbpi_store64(out, bits);
  return true;
}

/* A string's bytes are those of the payload, or the generic reader must decide. */
static bool same_string(const struct capture *capture, struct target target, const uint8_t *payload, size_t size) {
  char plain[6 * SBP_PAYLOAD_MAX];
  const size_t extent = target.size > 0 ? target.size : size - target.offset;
  /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): as in store_integer() */
  const char *text = capture->text;
  size_t length = capture->length;
  if (memchr(text, '\\', length) != NULL) {
    const ptrdiff_t unescaped = length > sizeof plain ? -1 : sbp_unescape(text, length, plain);
    if (unescaped < 0)
      return false;
    text = plain;
    length = (size_t)unescaped;
  }
  return length == extent && memcmp(text, payload + target.offset, extent) == 0;
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
    memset(payload, 0, SBP_FRAME_MAX - SBP_FRAME_HEADER);
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

SBPI_INLINE bool make_frame(const struct sbp_reader *reader, const struct match *match, const struct leaf *leaf,
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

static struct sbp_span object_of(const struct match *match, const struct leaf *leaf, struct sbp_span text) {
  struct sbp_span object = text;
  if (leaf->wrapped) {
    object.text = match->starts[leaf->object_begin.step] + leaf->object_begin.delta;
    object.length = (size_t)(match->starts[leaf->object_end.step] + leaf->object_end.delta - object.text);
  }
  return object;
}

static void begin(struct match *match, struct templates *templates, struct capture *captures, const char *end) {
  match->end = end;
  match->templates = templates;
  match->reader = NULL;
  match->captures = captures;
  match->loop_count = 0;
  match->payload = NULL;
  match->type = UINT32_MAX;
  match->sender = 66;
  match->length = 0;
  match->has_crc = false;
  match->has_length = false;
}

SBPI_INLINE const char *read_line(struct sbp_reader *reader, const char *text, const char *stop, uint8_t *frame,
                                  struct sbp_line *line, struct capture *captures, bool *parted) {
  struct templates *const templates = reader->templates;
  struct match match;
  begin(&match, templates, captures, stop);
  match.reader = reader;
  uint16_t *const next = &templates->next[(templates->before * 32u ^ templates->last) % FOLLOWERS_MAX];
  const uint16_t guess = *next == 0 ? templates->nodes[templates->root].leaf : *next;
  const char *behind = text;
  const uint16_t n = match_line(&match, text, guess, captures != NULL, &behind, parted);
  if (n == 0)
    return NULL;
  const struct leaf *const leaf = &templates->leaves[n];
  if (match.type != leaf->message->id || !make_frame(reader, &match, leaf, frame, line)) {
    line->notes = 0;
    return NULL;
  }
  line->message = leaf->message;
  line->text.text = text;
  line->text.length = (size_t)(behind - text);
  line->object = object_of(&match, leaf, line->text);
  line->compact = leaf->compact;
  *next = n;
  templates->before = templates->last;
  templates->last = n;
  return behind;
}

/* The captures take 20 KB of stack, which is not to be touched where they are not needed. */
static SBPI_NOINLINE const char *read_fields(struct sbp_reader *reader, const char *text, const char *stop,
                                             uint8_t *frame, struct sbp_line *line, bool *parted) {
  struct capture captures[CAPTURES_MAX];
  return read_line(reader, text, stop, frame, line, captures, parted);
}

const char *sbpi_templates_read(struct sbp_reader *reader, const char *text, const char *stop, uint8_t *frame,
                                struct sbp_line *line, bool *learn) {
  struct templates *const templates = reader->templates;
  *learn = false;
  /* Where so many lines had no common shape, the next ones are not worth a try each. */
  if (templates->misses > MISSES_MAX) {
    const uint32_t skipped = templates->misses < MISSES_MANY ? 255 : 4095;
    if ((++templates->misses & skipped) != 0)
      return NULL;
  }
  const char *const behind = reader->from_fields ? read_fields(reader, text, stop, frame, line, learn)
                                                 : read_line(reader, text, stop, frame, line, NULL, learn);
  templates->misses = behind == NULL ? templates->misses + 1 : 0;
  return behind;
}

bool sbpi_templates_agree(const struct sbp_reader *reader, const struct sbp_line *line, const uint8_t *frame) {
  struct templates *const templates = reader->templates;
  enum { LONGEST_CHECKED = 4096 };
  char text[LONGEST_CHECKED + SBPI_LINE_SLACK];
  uint8_t copy[SBP_FRAME_MAX];
  struct capture captures[CAPTURES_MAX];
  if (line->text.length > LONGEST_CHECKED || templates->last == 0)
    return false;
  memcpy(text, line->text.text, line->text.length);
  memset(text + line->text.length, '\n', SBPI_LINE_SLACK);
  struct match match;
  begin(&match, templates, captures, text + line->text.length);
  const char *behind;
  bool parted;
  const uint16_t n = match_line(&match, text, templates->last, true, &behind, &parted);
  if (n == 0)
    return false;
  const struct leaf *const leaf = &templates->leaves[n];
  size_t size = line->frame_size - SBP_FRAME_OVERHEAD;
  if (leaf->message != line->message || !leaf->fit)
    return false;
  memcpy(copy, frame, line->frame_size);
  return store_fields(&match, leaf, copy + SBP_FRAME_HEADER, &size, true) && memcmp(copy, frame, line->frame_size) == 0;
}
