/* SPDX-License-Identifier: MIT */
/* Nanoseconds a message, stage by stage, and the design pairs (micro_pairs.c). From the repository's root, after a
 * build in build/:
 *
 *   gcc -std=c11 -O2 -I libsbp -I build/gen bench/micro*.c build/libsbpkit.a -o build/bench-micro
 *   build/bench-micro stages test_data/benchmark.sbp [JSON..]   each JSON: lines of the log's messages in another form
 *   build/bench-micro owned test_data/benchmark.sbp             under LD_PRELOAD for another allocator
 *   build/bench-micro pairs test_data/benchmark.sbp
 *
 * All figures are CPU time of this process, medians of rounds in which every stage runs in turn, on data that is in
 * memory and, a stage alone, mostly in the cache. Output is Markdown, which bench/run puts into RESULTS.md. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "micro.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base64.h"
#include "emit.h"

enum { ROUNDS = 15 };

_Noreturn void fail(const char *what, const char *name) {
  fprintf(stderr, "micro: %s: %s\n", name, what);
  exit(2);
}

void *take(void *old, size_t size) {
  void *const memory = realloc(old, size > 0 ? size : 1);
  if (memory == NULL)
    fail("out of memory", "realloc");
  return memory;
}

/* ---- Time ------------------------------------------------------------------------------------------------------ */

static double cpu_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double left = *(const double *)a;
  const double right = *(const double *)b;
  return (left > right) - (left < right);
}

void measure(const struct log *log, const struct way *ways, size_t count, double *nanoseconds) {
  double *const samples = take(NULL, count * ROUNDS * sizeof *samples);
  volatile uint64_t kept = 0;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < count; i++) {
      const double begin = cpu_nanoseconds();
      kept = ways[i].run(log, ways[i].variant);
      samples[i * ROUNDS + (size_t)round] = cpu_nanoseconds() - begin;
    }
  }
  (void)kept;
  for (size_t i = 0; i < count; i++) {
    qsort(samples + i * ROUNDS, ROUNDS, sizeof *samples, by_value);
    nanoseconds[i] = samples[i * ROUNDS + ROUNDS / 2] / (double)log->count;
  }
  free(samples);
}

/* ---- Input ----------------------------------------------------------------------------------------------------- */

static uint8_t *read_file(const char *path, size_t *size) {
  FILE *const file = fopen(path, "rb");
  uint8_t *data = NULL;
  size_t capacity = 0;
  *size = 0;
  if (file == NULL)
    fail("cannot open", path);
  for (size_t count = 1; count > 0; *size += count) {
    if (capacity - *size < (1 << 16))
      data = take(data, capacity = 2 * capacity + (1 << 20));
    count = fread(data + *size, 1, capacity - *size, file);
  }
  if (ferror(file) || *size == 0)
    fail("cannot read, or empty", path);
  fclose(file);
  return data;
}

/* Frames of unknown types and those too short for theirs are left out. */
static struct log read_log(const char *path) {
  struct log log = {0};
  struct sbp_scanner scanner = {.cpu = sbp_cpu_best()};
  size_t at = 0, used, capacity = 0;
  struct record record;
  log.data = read_file(path, &log.size);
  while (sbp_scan(&scanner, log.data + at, log.size - at, true, &record.frame, &used) == SBP_OK) {
    at += used;
    record.message = sbp_message_by_id(&sbp_schema_builtin, record.frame.type);
    if (record.message == NULL || record.frame.length < record.message->body.size)
      continue;
    if (log.count == capacity)
      log.records = take(log.records, (capacity = 2 * capacity + 1024) * sizeof *log.records);
    log.records[log.count++] = record;
  }
  if (log.count == 0)
    fail("no message", path);
  return log;
}

/* ---- Stages: SBP -> JSON --------------------------------------------------------------------------------------- */

/* Lines go where the tools write them: into a buffer of this size, again and again. */
enum { BLOCK = 256 << 10, LINE_ROOM = 1 << 16 };
static char out[BLOCK + LINE_ROOM];

SBPI_INLINE char *next_place(char *o) {
  return o - out >= BLOCK ? out : o;
}

static uint64_t scan(const struct log *log, int cpu) {
  struct sbp_scanner scanner = {.cpu = (enum sbp_cpu)cpu};
  struct sbp_frame frame;
  size_t at = 0, used;
  uint64_t sum = 0;
  while (sbp_scan(&scanner, log->data + at, log->size - at, true, &frame, &used) == SBP_OK) {
    at += used;
    sum += frame.crc;
  }
  return sum;
}

static uint64_t crc(const struct log *log, int cpu) {
  uint64_t sum = 0;
  for (size_t i = 0; i < log->count; i++) {
    const struct sbp_frame *const frame = &log->records[i].frame;
    sum += sbp_crc16((enum sbp_cpu)cpu, 0, frame->bytes + 1, frame->length + SBP_FRAME_HEADER - 1u);
  }
  return sum;
}

static uint64_t base64_encode(const struct log *log, int cpu) {
  uint64_t sum = 0;
  char *o = out;
  for (size_t i = 0; i < log->count; i++) {
    char *const begin = next_place(o);
    o = sbpi_base64_encode_payload((enum sbp_cpu)cpu, &log->records[i].frame, begin);
    sum += (uint64_t)(o - begin);
  }
  return sum;
}

/* The fields, by the straight-line writers. */
static uint64_t fields(const struct log *log, int variant) {
  (void)variant;
  uint64_t sum = 0;
  char *o = out;
  for (size_t i = 0; i < log->count; i++) {
    const struct record *const record = &log->records[i];
    char *const begin = next_place(o);
    if (record->message->write_fields == NULL)
      continue;
    o = record->message->write_fields(begin, record->frame.payload, record->frame.payload + record->frame.length,
                                      false);
    sum += (uint64_t)(o - begin);
  }
  return sum;
}

enum { WALK = 16 }; /* added to a cpu */

static uint64_t whole_line(const struct log *log, int variant) {
  const struct sbp_line_options options = {
      .schema = &sbp_schema_builtin, .cpu = (enum sbp_cpu)(variant % WALK), .walk = variant >= WALK};
  uint64_t sum = 0;
  char *o = out;
  for (size_t i = 0; i < log->count; i++) {
    char *const begin = next_place(o);
    o = sbp_line_write(&options, log->records[i].message, &log->records[i].frame, begin);
    sum += (uint64_t)(o - begin);
  }
  return sum;
}

/* All that sbp2json does but for read and write. */
static uint64_t scan_and_line(const struct log *log, int cpu) {
  const struct sbp_line_options options = {.schema = &sbp_schema_builtin, .cpu = (enum sbp_cpu)cpu};
  struct sbp_scanner scanner = {.cpu = (enum sbp_cpu)cpu};
  struct sbp_frame frame;
  size_t at = 0, used;
  uint64_t sum = 0;
  char *o = out;
  while (sbp_scan(&scanner, log->data + at, log->size - at, true, &frame, &used) == SBP_OK) {
    at += used;
    char *const begin = next_place(o);
    o = sbp_line_write(&options, sbp_message_by_id(options.schema, frame.type), &frame, begin);
    sum += (uint64_t)(o - begin);
  }
  return sum;
}

/* ---- Numbers, apart from their messages ------------------------------------------------------------------------ */

/* The numbers of the log by type, those of messages of one kind in a row, so that branches are predicted about as well
 * as in their messages; and the texts they are written as, each with a comma behind it. */
static struct numbers {
  uint8_t *bytes;
  uint8_t *lengths; /* of the texts */
  const char *text;
  size_t count;
  size_t capacity;
} numbers[SBP_STRING];

static const uint8_t sizes[SBP_STRING] = {
    [SBP_U8] = 1,  [SBP_U16] = 2, [SBP_U32] = 4, [SBP_U64] = 8,   [SBP_S8] = 1,
    [SBP_S16] = 2, [SBP_S32] = 4, [SBP_S64] = 8, [SBP_FLOAT] = 4, [SBP_DOUBLE] = 8};

static void collect(const struct sbp_struct *body, const uint8_t **p, const uint8_t *end) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    if (field->type == SBP_STRING) {
      /* Where a string of variable length is not the last field, the numbers behind it are left out. */
      *p = field->encoding == SBP_FIXED ? *p + field->size : end;
      continue;
    }
    size_t left = field->repeat == SBP_VARIABLE_ARRAY ? (size_t)(end - *p) / field->size : field->count;
    for (; left > 0 && end - *p >= field->size; left--) {
      if (field->type == SBP_STRUCT) {
        collect(field->element, p, end);
        continue;
      }
      struct numbers *const list = &numbers[field->type];
      if (list->count == list->capacity)
        list->bytes = take(list->bytes, (list->capacity = 2 * list->capacity + 1024) * 8);
      memcpy(list->bytes + list->count++ * field->size, *p, field->size);
      *p += field->size;
    }
  }
}

SBPI_INLINE char *write_number(enum sbp_type type, const uint8_t *p, char *o) {
  switch (type) {
  case SBP_U8:
    return emit_u8(o, p);
  case SBP_U16:
    return emit_u16(o, p);
  case SBP_U32:
    return emit_u32(o, p);
  case SBP_U64:
    return emit_u64(o, p);
  case SBP_S8:
    return emit_s8(o, p);
  case SBP_S16:
    return emit_s16(o, p);
  case SBP_S32:
    return emit_s32(o, p);
  case SBP_S64:
    return emit_s64(o, p);
  case SBP_FLOAT:
    return emit_float(o, p, false);
  case SBP_DOUBLE:
    return emit_double(o, p, false);
  default:
    return o;
  }
}

static void collect_numbers(const struct log *log) {
  for (uint32_t kind = 0; kind < sbp_schema_builtin.count; kind++) {
    for (size_t i = 0; i < log->count; i++) {
      const struct sbp_frame *const frame = &log->records[i].frame;
      const uint8_t *p = frame->payload;
      if (log->records[i].message == sbp_schema_builtin.messages[kind])
        collect(&log->records[i].message->body, &p, p + frame->length);
    }
  }
  for (unsigned type = 0; type < SBP_STRING; type++) {
    struct numbers *const list = &numbers[type];
    list->lengths = take(NULL, list->count);
    char *o = take(NULL, (list->count + 1) * SBPI_NUMBER_ROOM);
    list->text = o;
    for (size_t i = 0; i < list->count; i++) {
      char *const end = write_number((enum sbp_type)type, list->bytes + i * sizes[type], o);
      list->lengths[i] = (uint8_t)(end - o);
      o = end;
      *o++ = ',';
    }
  }
}

/* A loop a type, so that the compiler writes its writer in line, as it does in the straight-line writers. */
SBPI_INLINE uint64_t write_all(enum sbp_type type) {
  const struct numbers *const list = &numbers[type];
  uint64_t sum = 0;
  char *o = out;
  for (size_t i = 0; i < list->count; i++) {
    char *const begin = next_place(o);
    o = write_number(type, list->bytes + i * sizes[type], begin);
    sum += (uint64_t)(o - begin);
  }
  return sum;
}

static uint64_t write_integers(const struct log *log, int variant) {
  (void)log, (void)variant;
  return write_all(SBP_U8) + write_all(SBP_U16) + write_all(SBP_U32) + write_all(SBP_U64) + write_all(SBP_S8) +
         write_all(SBP_S16) + write_all(SBP_S32) + write_all(SBP_S64);
}

static uint64_t write_floats(const struct log *log, int variant) {
  (void)log, (void)variant;
  return write_all(SBP_FLOAT) + write_all(SBP_DOUBLE);
}

SBPI_INLINE uint64_t read_all(enum sbp_type type) {
  const struct numbers *const list = &numbers[type];
  const char *text = list->text;
  uint64_t sum = 0;
  for (size_t i = 0; i < list->count; i++) {
    const size_t length = list->lengths[i];
    const struct sbpi_decimal decimal = sbpi_decimal_read(text, length);
    uint64_t bits = 0;
    uint32_t bits_32 = 0;
    bool good;
    if (type == SBP_DOUBLE)
      good = sbpi_decimal_double(&decimal, text, length, &bits);
    else if (type == SBP_FLOAT)
      good = sbpi_decimal_float(&decimal, text, length, &bits_32);
    else
      good = sbpi_decimal_integer(&decimal, text, length, &bits);
    sum += bits + bits_32 + good;
    text += length + 1;
  }
  return sum;
}

static uint64_t read_integers(const struct log *log, int variant) {
  (void)log, (void)variant;
  uint64_t sum = 0;
  for (unsigned type = SBP_U8; type <= SBP_S64; type++)
    sum += read_all((enum sbp_type)type);
  return sum;
}

static uint64_t read_floats(const struct log *log, int variant) {
  (void)log, (void)variant;
  return read_all(SBP_FLOAT) + read_all(SBP_DOUBLE);
}

/* ---- Stages: JSON -> SBP --------------------------------------------------------------------------------------- */

/* The log's lines, and the base64 text in each. */
static struct text {
  const char *name;
  const char *data;
  size_t size;
} lines;
static struct sbp_span *payload_texts;

static void make_lines(const struct log *log) {
  static const char before[] = "\"payload\":\"";
  const struct sbp_line_options options = {.schema = &sbp_schema_builtin, .cpu = sbp_cpu_best()};
  const size_t most = sbp_line_max(&options);
  size_t capacity = 0;
  size_t *const ends = take(NULL, log->count * sizeof *ends);
  char *data = NULL;
  if (most > LINE_ROOM)
    fail("a line can be longer than there is room", "stages");
  for (size_t i = 0; i < log->count; i++) {
    if (capacity - lines.size < most)
      data = take(data, capacity = 2 * capacity + (1 << 20));
    lines.size +=
        (size_t)(sbp_line_write(&options, log->records[i].message, &log->records[i].frame, data + lines.size) -
                 (data + lines.size));
    ends[i] = lines.size;
  }
  lines.name = "our lines";
  lines.data = data;
  payload_texts = take(NULL, log->count * sizeof *payload_texts);
  for (size_t i = 0; i < log->count; i++) {
    data[ends[i] - 1] = '\0';
    payload_texts[i].text = strstr(data + (i == 0 ? 0 : ends[i - 1]), before) + sizeof before - 1;
    payload_texts[i].length = SBP_BASE64_SIZE((size_t)log->records[i].frame.length);
    data[ends[i] - 1] = '\n';
  }
  free(ends);
}

static uint64_t base64_decode(const struct log *log, int cpu) {
  uint64_t sum = 0;
  for (size_t i = 0; i < log->count; i++)
    sum +=
        (uint64_t)sbp_base64_decode((enum sbp_cpu)cpu, payload_texts[i].text, payload_texts[i].length, (uint8_t *)out);
  return sum;
}

static uint64_t pack(const struct log *log, int cpu) {
  uint64_t sum = 0;
  for (size_t i = 0; i < log->count; i++) {
    const struct sbp_frame *const frame = &log->records[i].frame;
    sum += sbp_frame_pack((enum sbp_cpu)cpu, frame->type, frame->sender, frame->payload, frame->length, (uint8_t *)out);
  }
  return sum;
}

/* The text that read_text() reads, and how; added to a cpu. */
static const struct text *text_to_read;
enum { TEMPLATES = 16, FROM_FIELDS = 32 };

static uint64_t read_text(const struct log *log, int variant) {
  static void *templates;
  struct sbp_reader reader = {.schema = &sbp_schema_builtin,
                              .cpu = (enum sbp_cpu)(variant % TEMPLATES),
                              .from_fields = (variant & FROM_FIELDS) != 0};
  struct sbp_line line;
  size_t at = 0, used, count = 0;
  uint64_t sum = 0;
  enum sbp_status status;
  if (variant & TEMPLATES) {
    if (templates == NULL)
      templates = take(NULL, sbp_templates_size());
    sbp_templates_begin(templates);
    reader.templates = templates;
  }
  while ((status = sbp_read_line(&reader, text_to_read->data + at, text_to_read->size - at, true, (uint8_t *)out, &line,
                                 &used)) == SBP_OK) {
    at += used;
    count++;
    sum += line.frame_size;
  }
  if (status != SBP_END)
    fail(line.fault.text, text_to_read->name);
  if (count != log->count)
    fail("has another number of messages than the log", text_to_read->name);
  return sum;
}

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

struct stage {
  const char *name;
  uint64_t (*run)(const struct log *log, int variant);
  int variant;
  bool by_cpu; /* the variant holds a cpu, so the stage runs on the best and on the portable one */
};

static void print_stages(const struct log *log, const char *title, const struct stage *stages, size_t count) {
  const int best = (int)sbp_cpu_best();
  struct way *const ways = take(NULL, 2 * count * sizeof *ways);
  double *const nanoseconds = take(NULL, 2 * count * sizeof *nanoseconds);
  size_t way_count = 0;
  for (size_t i = 0; i < count; i++) {
    ways[way_count++] =
        (struct way){stages[i].name, stages[i].run, stages[i].by_cpu ? stages[i].variant + best : stages[i].variant};
    if (stages[i].by_cpu)
      ways[way_count++] = (struct way){stages[i].name, stages[i].run, stages[i].variant};
  }
  measure(log, ways, way_count, nanoseconds);
  printf("| %s | ns a message | portable |\n|---|---:|---:|\n", title);
  for (size_t i = 0, way = 0; i < count; i++) {
    printf("| %s | %.1f | ", stages[i].name, nanoseconds[way++]);
    if (stages[i].by_cpu)
      printf("%.1f |\n", nanoseconds[way++]);
    else
      puts("|");
  }
  putchar('\n');
  free(ways);
  free(nanoseconds);
}

static void print_reading(const struct log *log, const char *title, const struct text *text) {
  static const struct stage stages[] = {
      {"json2sbp", read_text, TEMPLATES, true},
      {"json2sbp, without templates", read_text, 0, true},
      {"--from-fields", read_text, FROM_FIELDS + TEMPLATES, true},
      {"--from-fields, without templates", read_text, FROM_FIELDS, true},
  };
  text_to_read = text;
  print_stages(log, title, stages, sizeof stages / sizeof *stages);
}

static void run_stages(struct log *log, char **json, int json_count) {
  static const struct stage writing[] = {
      {"find the frames, CRC included", scan, 0, true},
      {"CRC of them alone", crc, 0, true},
      {"base64 of the payloads", base64_encode, 0, true},
      {"text of the integers", write_integers, 0, false},
      {"text of the floats", write_floats, 0, false},
      {"all fields, straight line", fields, 0, false},
      {"whole line, straight line", whole_line, 0, true},
      {"whole line, walking the table", whole_line, WALK, true},
      {"find the frames and write their lines", scan_and_line, 0, true},
  };
  static const struct stage reading_messages[] = {
      {"find the frames and view their messages", scan_and_view, 0, true},
      {"find the frames and decode them to structs", scan_and_decode, 0, true},
      {"the structs alone", decode_alone, 0, false},
      {"frames to structs and back to frames", scan_decode_and_encode, 0, true},
  };
  static const struct stage reading[] = {
      {"payloads from base64", base64_decode, 0, true},
      {"integers from their text", read_integers, 0, false},
      {"floats from their text", read_floats, 0, false},
      {"pack frames", pack, 0, true},
  };
  size_t integers = 0;
  char title[1100];
  collect_numbers(log);
  make_lines(log);
  for (unsigned type = SBP_U8; type <= SBP_S64; type++)
    integers += numbers[type].count;
  const double messages = (double)log->count;
  printf("%zu messages; on average %.0f bytes of SBP, %.0f of JSON, %.1f integers, %.1f floats.\n\n", log->count,
         (double)log->size / messages, (double)lines.size / messages, (double)integers / messages,
         (double)(numbers[SBP_FLOAT].count + numbers[SBP_DOUBLE].count) / messages);
  print_stages(log, "SBP to JSON", writing, sizeof writing / sizeof *writing);
  print_stages(log, "Views and structs", reading_messages, sizeof reading_messages / sizeof *reading_messages);
  print_stages(log, "JSON to SBP, parts", reading, sizeof reading / sizeof *reading);
  print_reading(log, "JSON to SBP, our lines", &lines);
  for (int i = 0; i < json_count; i++) {
    struct text text = {.name = json[i]};
    text.data = (const char *)read_file(json[i], &text.size);
    const char *const slash = strrchr(json[i], '/');
    snprintf(title, sizeof title, "JSON to SBP, %.1000s", slash == NULL ? json[i] : slash + 1);
    print_reading(log, title, &text);
  }
}

int main(int argc, char **argv) {
  if (argc >= 3 && strcmp(argv[1], "stages") == 0) {
    struct log log = read_log(argv[2]);
    run_stages(&log, argv + 3, argc - 3);
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "owned") == 0) {
    struct log log = read_log(argv[2]);
    run_owned(&log);
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "pairs") == 0) {
    struct log log = read_log(argv[2]);
    run_pairs(&log);
    return 0;
  }
  fputs("usage: micro stages LOG [JSON..] | micro owned LOG | micro pairs LOG\n", stderr);
  return 2;
}
