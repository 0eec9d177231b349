/* SPDX-License-Identifier: MIT */
/* Design decisions as pairs of ways to do the same. What they read is the descriptor table, and each way of a pair
 * gives the same sum; the first is what sbpkit does. */
#include "micro.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- A converter that owns its messages ------------------------------------------------------------------------ */

/* Where a buffer starts that grows from nothing by half: its capacity for `wanted` bytes. */
enum start { EXACT, LEAST_64, LEAST_128, LEAST_256, STEPS_OF_64, STARTS };

static const char *const start_names[STARTS] = {"0", "64", "128", "256", "64 * (1 + size / 64)"};

static size_t start_capacity(enum start start, size_t wanted) {
  static const size_t least[] = {[EXACT] = 0, [LEAST_64] = 64, [LEAST_128] = 128, [LEAST_256] = 256};
  if (start == STEPS_OF_64)
    return 64 * (1 + wanted / 64);
  return wanted < least[start] ? least[start] : wanted;
}

struct vector {
  uint8_t *data;
  size_t size;
  size_t capacity;
};

/* No message has more arrays and strings, and its other fields are at most one number a payload byte. */
enum { VECTORS_MAX = 16 };

/* A message that borrows nothing: numbers stand in it, arrays and strings in vectors. */
struct owned {
  uint16_t type;
  uint16_t sender;
  unsigned number_count;
  unsigned vector_count;
  uint64_t numbers[SBP_PAYLOAD_MAX];
  struct vector vectors[VECTORS_MAX];
};

/* Where memory comes from: malloc, or an arena, which gives nothing back before it is dropped. */
struct memory {
  enum start start;
  struct sbp_arena *arena;
  uint64_t requests;
};

static void reserve(struct memory *memory, struct vector *vector, size_t more) {
  if (SBPI_LIKELY(more <= vector->capacity - vector->size))
    return;
  const size_t needed = vector->size + more;
  const size_t grown = vector->capacity + vector->capacity / 2;
  const size_t capacity = start_capacity(memory->start, needed > grown ? needed : grown);
  memory->requests++;
  if (memory->arena == NULL) {
    vector->data = take(vector->data, capacity);
  } else {
    uint8_t *const data = sbp_arena_take(memory->arena, capacity);
    if (data == NULL)
      fail("out of memory", "arena");
    if (vector->size > 0)
      memcpy(data, vector->data, vector->size);
    vector->data = data;
  }
  vector->capacity = capacity;
}

static void append(struct memory *memory, struct vector *vector, const void *data, size_t size) {
  reserve(memory, vector, size);
  if (size > 0)
    memcpy(vector->data + vector->size, data, size);
  vector->size += size;
}

SBPI_INLINE uint64_t load(const uint8_t *p, unsigned size) {
  switch (size) {
  case 1:
    return *p;
  case 2:
    return sbpi_load16(p);
  case 4:
    return sbpi_load32(p);
  default:
    return sbpi_load64(p);
  }
}

SBPI_INLINE void append_number(struct memory *memory, struct vector *vector, uint64_t number, unsigned size) {
  uint8_t bytes[8];
  sbpi_store64(bytes, number);
  append(memory, vector, bytes, size);
}

/* The numbers of an array's element, one by one, as a decoder that knows only its type would push them. */
static void decode_element(struct memory *memory, struct vector *vector, const struct sbp_struct *body,
                           const uint8_t **p) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    if (field->type == SBP_STRING) {
      append(memory, vector, *p, field->size);
      *p += field->size;
      continue;
    }
    for (unsigned left = field->count; left > 0; left--) {
      if (field->type == SBP_STRUCT) {
        decode_element(memory, vector, field->element, p);
      } else {
        append_number(memory, vector, load(*p, field->size), field->size);
        *p += field->size;
      }
    }
  }
}

static void decode_body(struct memory *memory, struct owned *owned, const struct sbp_struct *body, const uint8_t **p,
                        const uint8_t *end) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    if (field->type == SBP_STRING || field->repeat != SBP_ONE) {
      struct vector *const vector = &owned->vectors[owned->vector_count++];
      *vector = (struct vector){0};
      if (field->type == SBP_STRING) {
        const size_t size = field->encoding == SBP_FIXED ? field->size : (size_t)(end - *p);
        append(memory, vector, *p, size);
        *p += size;
        continue;
      }
      for (size_t left = field->repeat == SBP_FIXED_ARRAY ? field->count : (size_t)(end - *p) / field->size; left > 0;
           left--) {
        if (field->type == SBP_STRUCT) {
          decode_element(memory, vector, field->element, p);
        } else {
          append_number(memory, vector, load(*p, field->size), field->size);
          *p += field->size;
        }
      }
    } else if (field->type == SBP_STRUCT) {
      decode_body(memory, owned, field->element, p, end);
    } else {
      owned->numbers[owned->number_count++] = load(*p, field->size);
      *p += field->size;
    }
  }
}

static void decode(struct memory *memory, const struct record *record, struct owned *owned) {
  const uint8_t *p = record->frame.payload;
  owned->type = record->frame.type;
  owned->sender = record->frame.sender;
  owned->number_count = 0;
  owned->vector_count = 0;
  decode_body(memory, owned, &record->message->body, &p, p + record->frame.length);
}

static void encode_body(struct memory *memory, const struct owned *owned, const struct sbp_struct *body,
                        struct vector *out, unsigned *number, unsigned *vector) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    if (field->type == SBP_STRING || field->repeat != SBP_ONE) {
      const struct vector *const from = &owned->vectors[(*vector)++];
      append(memory, out, from->data, from->size);
    } else if (field->type == SBP_STRUCT) {
      encode_body(memory, owned, field->element, out, number, vector);
    } else {
      append_number(memory, out, owned->numbers[(*number)++], field->size);
    }
  }
}

static void release(const struct memory *memory, struct owned *owned) {
  if (memory->arena != NULL)
    return;
  for (unsigned i = 0; i < owned->vector_count; i++)
    free(owned->vectors[i].data);
}

/* Decode and encode a message, in memory of its own, to a frame. */
static size_t convert(struct memory *memory, const struct record *record, uint8_t *frame) {
  struct owned owned;
  struct vector payload = {0};
  unsigned number = 0, vector = 0;
  decode(memory, record, &owned);
  encode_body(memory, &owned, &record->message->body, &payload, &number, &vector);
  const size_t size = payload.size > SBP_PAYLOAD_MAX ? 0
                                                     : sbp_frame_pack(sbp_cpu_best(), owned.type, owned.sender,
                                                                      payload.data, (uint8_t)payload.size, frame);
  free(payload.data);
  release(memory, &owned);
  return size;
}

static uint64_t requests[STARTS];

static uint64_t convert_all(const struct log *log, int start) {
  struct memory memory = {.start = (enum start)start};
  uint8_t frame[SBP_FRAME_MAX];
  uint64_t sum = 0;
  for (size_t i = 0; i < log->count; i++) {
    const size_t size = convert(&memory, &log->records[i], frame);
    sum += size + frame[size - 1];
  }
  requests[start] = memory.requests;
  return sum;
}

/* Leave out of the log what the converter does not know how to bring back the same: payloads that are longer than their
 * type, and strings before other fields. */
static void keep_convertible(struct log *log) {
  uint8_t frame[SBP_FRAME_MAX];
  size_t count = 0;
  for (size_t i = 0; i < log->count; i++) {
    struct memory memory = {.start = LEAST_128};
    const struct record record = log->records[i];
    const size_t size = convert(&memory, &record, frame);
    if (size == record.frame.length + (size_t)SBP_FRAME_OVERHEAD && memcmp(frame, record.frame.bytes, size) == 0)
      log->records[count++] = record;
  }
  if (count == 0)
    fail("no message that can be converted", "owned");
  log->count = count;
}

void run_owned(struct log *log) {
  struct way ways[STARTS];
  double nanoseconds[STARTS];
  keep_convertible(log);
  for (int start = 0; start < STARTS; start++)
    ways[start] = (struct way){start_names[start], convert_all, start};
  measure(log, ways, STARTS, nanoseconds);
  puts("| first capacity | ns a message | requests a message |\n|---|---:|---:|");
  for (int start = 0; start < STARTS; start++)
    printf("| %s | %.1f | %.2f |\n", start_names[start], nanoseconds[start],
           (double)requests[start] / (double)log->count);
}

/* ---- Pair 2: how a reader goes into a nested part, learns its options, and reads a number ---------------------- */

/* Options of the kind that readers of messages have. */
struct read_options {
  bool big_endian;
  bool as_doubles; /* 64-bit integers as a double holds them */
  bool no_negative_zero;
};

/* A reader. The sum stands for what is made of the values. */
struct cursor {
  const uint8_t *p;
  const uint8_t *end;
  struct read_options options;
  unsigned depth;
  bool failed;
  uint64_t sum;
};

enum nesting { MOVED_END, READER_ON_STACK, READER_ON_HEAP };
enum option_use { OPTIONS_ONCE, OPTIONS_EACH_READ };
enum dispatch { BY_SWITCH, BY_POINTER };

SBPI_INLINE uint64_t apply_options(const struct read_options *options, uint64_t value, unsigned size, bool is_double) {
  if (options->big_endian)
    value = __builtin_bswap64(value) >> (64 - 8 * size);
  if (options->as_doubles && size == 8 && !is_double)
    value = (uint64_t)(double)value;
  if (options->no_negative_zero && is_double && value == UINT64_C(1) << 63)
    value = 0;
  return value;
}

SBPI_INLINE uint64_t read_bytes(struct cursor *cursor, unsigned size, bool is_double, enum option_use use) {
  if (SBPI_UNLIKELY((size_t)(cursor->end - cursor->p) < size)) {
    cursor->failed = true;
    return 0;
  }
  const uint64_t value = load(cursor->p, size);
  cursor->p += size;
  return use == OPTIONS_ONCE ? value : apply_options(&cursor->options, value, size, is_double);
}

static uint64_t read_1(struct cursor *cursor) {
  return read_bytes(cursor, 1, false, OPTIONS_ONCE);
}
static uint64_t read_2(struct cursor *cursor) {
  return read_bytes(cursor, 2, false, OPTIONS_ONCE);
}
static uint64_t read_4(struct cursor *cursor) {
  return read_bytes(cursor, 4, false, OPTIONS_ONCE);
}
static uint64_t read_8(struct cursor *cursor) {
  return read_bytes(cursor, 8, false, OPTIONS_ONCE);
}
static uint64_t (*const read_functions[])(struct cursor *) = {
    [SBP_U8] = read_1,  [SBP_U16] = read_2, [SBP_U32] = read_4, [SBP_U64] = read_8,   [SBP_S8] = read_1,
    [SBP_S16] = read_2, [SBP_S32] = read_4, [SBP_S64] = read_8, [SBP_FLOAT] = read_4, [SBP_DOUBLE] = read_8};

SBPI_INLINE uint64_t read_number(struct cursor *cursor, enum sbp_type type, enum option_use use,
                                 enum dispatch dispatch) {
  if (dispatch == BY_POINTER)
    return read_functions[type](cursor);
  switch (type) {
  case SBP_U8:
  case SBP_S8:
    return read_bytes(cursor, 1, false, use);
  case SBP_U16:
  case SBP_S16:
    return read_bytes(cursor, 2, false, use);
  case SBP_U32:
  case SBP_S32:
  case SBP_FLOAT:
    return read_bytes(cursor, 4, false, use);
  case SBP_U64:
  case SBP_S64:
    return read_bytes(cursor, 8, false, use);
  case SBP_DOUBLE:
    return read_bytes(cursor, 8, true, use);
  default:
    return 0;
  }
}

typedef void read_body_function(struct cursor *cursor, const struct sbp_struct *body);

SBPI_INLINE void read_nested(struct cursor *cursor, const struct sbp_struct *body, read_body_function *read_body,
                             enum nesting nesting) {
  const uint8_t *const end = cursor->end;
  if (SBPI_UNLIKELY((size_t)(end - cursor->p) < body->size)) {
    cursor->failed = true;
    return;
  }
  if (nesting == MOVED_END) {
    cursor->end = cursor->p + body->size;
    read_body(cursor, body);
    cursor->end = end;
    return;
  }
  struct cursor on_stack;
  /* cppcheck-suppress uninitvar ; it is written below */
  struct cursor *const inner = nesting == READER_ON_HEAP ? take(NULL, sizeof *inner) : &on_stack;
  *inner = (struct cursor){
      .p = cursor->p, .end = cursor->p + body->size, .options = cursor->options, .depth = cursor->depth + 1};
  read_body(inner, body);
  cursor->p = inner->p;
  cursor->sum += inner->sum;
  cursor->failed |= inner->failed;
  if (nesting == READER_ON_HEAP)
    free(inner);
}

/* All ways are this one, with constants that the compiler resolves; `self` is the function that they make of it. */
SBPI_INLINE void read_fields(struct cursor *cursor, const struct sbp_struct *body, read_body_function *self,
                             enum nesting nesting, enum option_use use, enum dispatch dispatch) {
  for (unsigned i = 0; i < body->field_count && !cursor->failed; i++) {
    const struct sbp_field *const field = &body->fields[i];
    const size_t left_bytes = (size_t)(cursor->end - cursor->p);
    if (field->type == SBP_STRING) {
      const size_t size = field->encoding == SBP_FIXED ? field->size : left_bytes;
      cursor->sum += size;
      cursor->p += size;
      continue;
    }
    size_t left = field->repeat == SBP_VARIABLE_ARRAY ? left_bytes / field->size : field->count;
    for (; left > 0 && !cursor->failed; left--) {
      if (field->type == SBP_STRUCT)
        read_nested(cursor, field->element, self, nesting);
      else
        cursor->sum += read_number(cursor, (enum sbp_type)field->type, use, dispatch);
    }
  }
}

#define READ_BODY(name, nesting, use, dispatch)                                                                        \
  static void name(struct cursor *cursor, const struct sbp_struct *body) {                                             \
    read_fields(cursor, body, name, nesting, use, dispatch);                                                           \
  }
READ_BODY(read_plain, MOVED_END, OPTIONS_ONCE, BY_SWITCH)
READ_BODY(read_new_on_stack, READER_ON_STACK, OPTIONS_ONCE, BY_SWITCH)
READ_BODY(read_new_on_heap, READER_ON_HEAP, OPTIONS_ONCE, BY_SWITCH)
READ_BODY(read_asking, MOVED_END, OPTIONS_EACH_READ, BY_SWITCH)
READ_BODY(read_by_pointer, MOVED_END, OPTIONS_ONCE, BY_POINTER)

static read_body_function *const body_readers[] = {read_plain, read_new_on_stack, read_new_on_heap, read_asking,
                                                   read_by_pointer};

static uint64_t read_all(const struct log *log, int reader) {
  /* Whatever the compiler can find out about them here must not make them constant. */
  static volatile bool no = false;
  const struct read_options options = {no, no, no};
  uint64_t sum = 0;
  for (size_t i = 0; i < log->count; i++) {
    const struct record *const record = &log->records[i];
    struct cursor cursor = {
        .p = record->frame.payload, .end = record->frame.payload + record->frame.length, .options = options};
    body_readers[reader](&cursor, &record->message->body);
    if (cursor.failed)
      fail("a payload that ends too early", record->message->body.name);
    sum += cursor.sum;
  }
  return sum;
}

/* ---- Pair 3: where what is made of a message lives ------------------------------------------------------------- */

enum { VIEWS, ARENA_A_BATCH, ARENA_A_MESSAGE, FREE_EACH };

/* So many messages live at once, where messages live on. */
enum { BATCH = 100 };

static void *resize_memory(void *context, void *old, size_t old_size, size_t new_size) {
  (void)context, (void)old_size;
  if (new_size > 0)
    return realloc(old, new_size);
  free(old);
  return NULL;
}
static const struct sbp_allocator allocator = {.resize = resize_memory};

/* Where each array and string of a body begins, as spans of the payload: nothing is made of them. */
static void view_body(struct owned *owned, const struct sbp_struct *body, const uint8_t **p, const uint8_t *end) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    const size_t left = (size_t)(end - *p);
    if (field->type == SBP_STRUCT && field->repeat == SBP_ONE) {
      view_body(owned, field->element, p, end);
      continue;
    }
    size_t size = (size_t)field->size * field->count;
    if (field->repeat == SBP_VARIABLE_ARRAY)
      size = left / field->size * field->size;
    else if (field->type == SBP_STRING && field->encoding != SBP_FIXED)
      size = left;
    if (field->type == SBP_STRING || field->repeat != SBP_ONE)
      owned->vectors[owned->vector_count++].size = size;
    else
      owned->numbers[owned->number_count++] = load(*p, field->size);
    *p += size;
  }
}

static uint64_t materialise(const struct log *log, int way) {
  struct sbp_arena arena = {.allocator = &allocator};
  struct memory memory = {.start = LEAST_128, .arena = way == FREE_EACH ? NULL : &arena};
  struct owned owned;
  uint64_t sum = 0;
  for (size_t i = 0; i < log->count; i++) {
    const struct record *const record = &log->records[i];
    if (way == VIEWS) {
      const uint8_t *p = record->frame.payload;
      owned.number_count = owned.vector_count = 0;
      view_body(&owned, &record->message->body, &p, p + record->frame.length);
    } else {
      decode(&memory, record, &owned);
    }
    for (unsigned k = 0; k < owned.vector_count; k++)
      sum += owned.vectors[k].size;
    for (unsigned k = 0; k < owned.number_count; k++)
      sum += owned.numbers[k];
    release(&memory, &owned);
    if (way == ARENA_A_MESSAGE || (way == ARENA_A_BATCH && (i + 1) % BATCH == 0))
      sbp_arena_reset(&arena);
  }
  sbp_arena_drop(&arena);
  return sum;
}

/* ---- Pair 4: who owns a header, and a body that is kept -------------------------------------------------------- */

enum { CLONED = 1, KEPT = 2, COUNTED = 4, IN_ARENA = 8 };

struct header {
  const char *name;
  uint16_t type;
  uint16_t sender;
  uint8_t length;
  atomic_uint owners;
};

/* A message that lives on. */
struct kept {
  struct sbp_owned_frame frame;
  struct header *header; /* or NULL: the frame has it */
  uint8_t *payload;
};

/* Who reads the headers: another file as far as the compiler knows. */
SBPI_NOINLINE static uint64_t consume(const struct header *header) {
  return header->type + header->sender + (uint64_t)(unsigned char)header->name[4] + header->length;
}

static uint64_t read_borrowed(const struct record *record) {
  const struct sbp_frame *const frame = &record->frame;
  const struct header header = {
      .name = record->message->body.name, .type = frame->type, .sender = frame->sender, .length = frame->length};
  return consume(&header);
}

static struct header *clone(const struct record *record) {
  const char *const name = record->message->body.name;
  const size_t name_size = strlen(name) + 1;
  struct header *const header = take(NULL, sizeof *header);
  header->name = memcpy(take(NULL, name_size), name, name_size);
  header->type = record->frame.type;
  header->sender = record->frame.sender;
  header->length = record->frame.length;
  return header;
}

static void free_header(struct header *header) {
  if (header != NULL)
    free((void *)header->name);
  free(header);
}

/* The last byte of what was kept, and an end of it. */
static uint64_t end_kept(struct kept *kept, int way) {
  const uint8_t *const payload = (way & CLONED) != 0 ? kept->payload : kept->frame.frame.payload;
  const uint8_t length = (way & CLONED) != 0 ? kept->header->length : kept->frame.frame.length;
  const uint64_t last = length > 0 ? payload[length - 1] : 0u;
  /* The sender's and the consumer's. */
  if ((way & COUNTED) != 0 && atomic_fetch_sub(&kept->header->owners, 1) > 1)
    atomic_fetch_sub(&kept->header->owners, 1);
  if ((way & CLONED) != 0) {
    free(kept->payload);
    free_header(kept->header);
  } else if ((way & IN_ARENA) == 0) {
    sbp_owned_frame_free(&kept->frame);
  }
  return last;
}

static uint64_t hand_over(const struct log *log, int way) {
  static struct kept kept[BATCH];
  struct sbp_arena arena = {.allocator = &allocator};
  const struct sbp_allocator in_arena = sbp_arena_allocator(&arena);
  uint64_t sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < log->count; i++) {
    const struct record *const record = &log->records[i];
    struct header *const header = (way & CLONED) != 0 ? clone(record) : NULL;
    if (header != NULL && (way & COUNTED) != 0) {
      atomic_init(&header->owners, 1);
      atomic_fetch_add(&header->owners, 1);
    }
    sum += header != NULL ? consume(header) : read_borrowed(record);
    if ((way & KEPT) == 0) {
      free_header(header);
      continue;
    }
    struct kept *const one = &kept[count++];
    if (header != NULL) {
      one->header = header;
      one->payload = memcpy(take(NULL, record->frame.length), record->frame.payload, record->frame.length);
    } else {
      struct sbp_frame view = record->frame;
      if (sbp_frame_take(&view, (way & IN_ARENA) != 0 ? &in_arena : &allocator, &one->frame) != SBP_OK)
        fail("out of memory", "take");
    }
    if (count == BATCH || i + 1 == log->count) {
      for (size_t k = 0; k < count; k++)
        sum += end_kept(&kept[k], way);
      sbp_arena_reset(&arena);
      count = 0;
    }
  }
  sbp_arena_drop(&arena);
  return sum;
}

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

struct pair {
  const char *title;
  const char *published;
  struct way ways[4];
  size_t count;
};

/* Make a log one of 100,000 messages: its first 1000, again and again, which are in the cache as they are where their
 * CRC has just been checked. */
static void repeat(struct log *log) {
  enum { FIRST = 1000, COUNT = 100000 };
  const size_t first = log->count < FIRST ? log->count : FIRST;
  log->records = take(log->records, COUNT * sizeof *log->records);
  for (size_t i = first; i < COUNT; i++)
    log->records[i] = log->records[i - first];
  log->count = COUNT;
}

void run_pairs(struct log *log) {
  static const struct pair pairs[] = {
      {"A nested part",
       "1.3",
       {{"the same cursor, its end moved", read_all, 0},
        {"a new reader, on the stack", read_all, 1},
        {"a new reader, from malloc", read_all, 2}},
       3},
      {"Options", "1.7", {{"known once", read_all, 0}, {"asked at each read", read_all, 3}}, 2},
      {"A number by its type", "3.9", {{"in a switch", read_all, 0}, {"through a function pointer", read_all, 4}}, 2},
      {"What is made of a message",
       "3.0",
       {{"views of the input", materialise, VIEWS},
        {"copies in an arena, reset after 100 messages", materialise, ARENA_A_BATCH},
        {"copies in an arena, reset after each message", materialise, ARENA_A_MESSAGE},
        {"copies from malloc, each array and string freed", materialise, FREE_EACH}},
       4},
      {"A header that is read", "", {{"borrows from the input", hand_over, 0}, {"cloned", hand_over, CLONED}}, 2},
      {"A message that is read and kept, 100 at a time",
       "2.5",
       {{"header borrowed, frame taken into an arena", hand_over, KEPT | IN_ARENA},
        {"header borrowed, frame taken with malloc", hand_over, KEPT},
        {"header cloned, body copied", hand_over, KEPT | CLONED},
        {"the same, with counted owners", hand_over, KEPT | CLONED | COUNTED}},
       4},
  };
  keep_convertible(log);
  repeat(log);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const struct pair *const pair = &pairs[i];
    double nanoseconds[4];
    for (size_t k = 1; k < pair->count; k++)
      if (pair->ways[k].run(log, pair->ways[k].variant) != pair->ways[0].run(log, pair->ways[0].variant))
        fail("does not give what the first one does", pair->ways[k].name);
    measure(log, pair->ways, pair->count, nanoseconds);
    printf("| %s | ns a message | times the first | published |\n|---|---:|---:|---:|\n", pair->title);
    for (size_t k = 0; k < pair->count; k++)
      printf("| %s | %.1f | %.2f | %s |\n", pair->ways[k].name, nanoseconds[k], nanoseconds[k] / nanoseconds[0],
             k + 1 == pair->count ? pair->published : "");
    putchar('\n');
  }
}
