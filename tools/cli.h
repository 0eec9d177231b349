/* SPDX-License-Identifier: MIT */
/* What the tools share, and the only place for policy: options, the read and write loop, messages, exit codes. A tool
 * is a table of its own options and a callback that converts one record; cli_main() does the rest. */
#ifndef CLI_H
#define CLI_H

#include <string.h>

#include "io.h"
#include "sbpkit/sbp.h"

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* Exit codes. */
enum {
  CLI_ALL = 0,   /* all input was converted */
  CLI_SOME = 1,  /* finished, but something was left out */
  CLI_FAILED = 2 /* could not run, or not finish */
};

/* ---- Options --------------------------------------------------------------------------------------------------- */

enum cli_kind {
  CLI_FLAG,     /* sets a bool */
  CLI_TEXT,     /* const char *; the last one counts */
  CLI_OPTIONAL, /* the same, and its value may be missing: then it is "" */
  CLI_LIST      /* struct sbp_buffer of strings with their NULs, see cli_list_next(); each one counts */
};

struct cli_option {
  const char *name;  /* without its dashes */
  const char *value; /* what --help calls its value */
  const char *help;  /* a line of --help */
  size_t offset;     /* in the tool's struct, of what it sets */
  enum cli_kind kind;
  char letter; /* the short form, or 0 */
};

/* --error-handler: what becomes of what cannot be converted. */
enum cli_handler { CLI_SKIP, CLI_RETURN, CLI_TO_INVALID };

/* What every tool understands. */
struct cli_options {
  char **paths; /* arguments that are no options */
  int path_count;
  const char *output; /* -o; then all paths are inputs */
  const char *handler_name;
  const char *fail_on;
  const char *report;
  const char *describe; /* NULL, "" for the list, or a message's name */
  const char *range;    /* --range, of the tools that list it with their own */
  struct sbp_buffer schemas;
  enum cli_handler handler;
  bool debug;
  bool buffered;
  bool verbose;
  bool progress;
  bool no_progress;
  bool help;
  bool version;
};

/* Read an unsigned number, decimal or 0x and hexadecimal; false where text is none. */
bool cli_number(const char *text, size_t length, uint64_t *number);

/* Step through a list: the string behind `item`, or the first behind NULL; NULL behind the last. */
const char *cli_list_next(const struct sbp_buffer *list, const char *item);

/* ---- A run ----------------------------------------------------------------------------------------------------- */

struct cli;

struct cli_tool {
  const char *name;
  const char *summary;              /* what it does, for --help */
  const char *examples;             /* for --help, whole lines */
  const char *arguments;            /* what --help calls its paths, all of them inputs; NULL: an input and an output */
  const struct cli_option *options; /* its own, behind the last one with no name */
  const char *shorter;              /* how the note goes on of messages "shorter than the type"; NULL: it does not */
  bool copies;                      /* it hands frames on as they are: what is not known of them is worth no note */
  bool reads_json;                  /* places in the input are lines and columns, not offsets */
  char first_byte;                  /* of all that it writes */

  /* The options are known: get ready, set cli->record_max. False after cli_fail(). */
  bool (*prepare)(struct cli *cli);
  /* An input begins. */
  void (*begin)(struct cli *cli);
  /* Convert the next record of data[0 .. size), of which *used bytes are then done with. `last` says that no more
   * follows. SBP_OK after a record or a fault, SBP_NEED_MORE or SBP_END. */
  enum sbp_status (*next)(struct cli *cli, const char *data, size_t size, bool last, size_t *used);
  /* The input ends, or no more of it will be read. */
  void (*end)(struct cli *cli);
  /* The run ends, if it began; or NULL. */
  void (*finish)(struct cli *cli);
};

/* What a run has come to. */
struct cli_counts {
  uint64_t bytes_read;
  uint64_t bytes_written;
  uint64_t messages; /* good frames, or values that gave one */
  uint64_t written;  /* of them */
  uint64_t faults;   /* all that make the exit code 1 */

  uint64_t outside; /* bytes outside frames */
  uint64_t runs;
  uint64_t crc_failures;
  uint64_t truncated;

  uint64_t left_out;  /* values */
  uint64_t passed;    /* values that json2json hands on as they are */
  uint64_t edited;    /* values that --check found to disagree with their payload */
  uint64_t raw;       /* INVALID lines that became the bytes they stand for */
  uint64_t compared;  /* values looked at without --check */
  uint64_t differing; /* of them, those that disagree */
  uint64_t wrong_crc;
  uint64_t wrong_length;
  uint64_t rounded;

  uint64_t unknown; /* messages whose type is not in the schema */
  uint64_t shorter; /* messages whose payload is under the minimum of their type */
  uint64_t types[65536];
  uint64_t shorter_types[65536];
};

/* A key that was no field, for the notes. */
struct cli_ignored {
  const struct sbp_message *message;
  const char *near_field;
  uint64_t count;
  char key[40];
};
enum { CLI_IGNORED_MAX = 16 };

/* A set of 16-bit numbers. */
struct cli_set {
  uint8_t bits[65536 / 8];
};

/* Where --from or --to cuts. */
enum cli_cut_kind { CLI_NOWHERE, CLI_AT_UTC, CLI_AT_GPS, CLI_AFTER, CLI_AT_OFFSET };
struct cli_cut {
  enum cli_cut_kind kind;
  struct sbp_utc utc;
  int64_t time;    /* ns of GPS time, or, CLI_AFTER, since the log began */
  uint64_t offset; /* bytes */
};

/* What the options that select messages say, see CLI_SELECT_OPTIONS; then what cli_select_prepare() makes of it. */
struct cli_select {
  struct sbp_buffer include;
  struct sbp_buffer exclude;
  struct sbp_buffer senders;
  const char *from;
  const char *to;
  const char *first;

  bool all; /* none of them leaves any out, but for --first */
  bool by_type;
  bool by_sender;
  bool by_time; /* a cut is at a time */
  struct cli_set types;
  struct cli_set sender_set;
  struct cli_cut from_cut;
  struct cli_cut to_cut;
  uint64_t left; /* of --first */
  bool no_time;  /* there is such a cut, and no message told its time */
};

/* A run of a tool, at the beginning of the tool's own struct. All zeros is a good start. */
struct cli {
  const struct cli_tool *tool;
  struct cli_options options;
  const struct sbp_schema *schema;
  struct sbp_arena schema_arena; /* of --schema */
  enum sbp_cpu cpu;
  bool use_templates;

  size_t record_max;  /* the most that a record may write to cli_room() */
  bool keeps_outside; /* bytes outside frames are written, so that they are no fault */
  bool own_files;     /* the tool writes to files that it opens itself */
  bool stop;          /* convert no more */
  int status;         /* the exit code so far */

  struct cli_select select; /* of the tools that list its options with their own */

  uint64_t range_begin; /* of the input's bytes, those that are converted: up to ... */
  uint64_t range_end;   /* ... here; UINT64_MAX: to the end */
  uint64_t unread;      /* of them and the lookahead behind them, what is still to be read */
  size_t lookahead;     /* bytes of in.data behind range_end, which complete a frame that begins before */

  struct io_file input; /* the one being read; no name: none was opened */
  bool several;         /* there are more: messages name them */
  struct io_file output;
  struct sbp_buffer in; /* what is read and not converted yet: in.data[taken .. in.size) */
  size_t taken;
  char *out; /* what is converted and not written yet: out[0 .. out_end) */
  char *out_end;
  char *out_limit;
  char *record;          /* in out: where the record that is being put there begins */
  uint64_t record_begun; /* bytes of it that are written already, as they did not fit */

  struct cli_counts counts;
  const char *first_file; /* where the first fault is */
  uint64_t first_place;
  struct cli_ignored ignored[CLI_IGNORED_MAX];
  unsigned ignored_count;
  uint64_t ignored_more; /* in keys beyond those */

  struct io_file report_file;
  struct sbp_buffer report_list; /* --report: damaged runs or values left out, as JSON */
  unsigned report_listed;
  bool report_broken; /* memory for it was out */

  uint64_t input_size; /* of all inputs, where all are files; else 0 */
  uint64_t started;    /* milliseconds */
  uint64_t progress_next;
  size_t progress_shown; /* bytes of a progress line that stand on the terminal */
};

/* Run a tool: parse the options, convert all inputs, report. Returns the exit code. */
int cli_main(struct cli *cli, const struct cli_tool *tool, int argc, char **argv);

/* malloc's memory. */
extern const struct sbp_allocator cli_allocator;

/* Write what is converted so far, which ends with a whole record. */
void cli_flush(struct cli *cli);

/* Begin a record: room for cli->record_max bytes. They are put there and cli->out_end moved behind them. */
static inline char *cli_room(struct cli *cli) {
  if ((size_t)(cli->out_limit - cli->out_end) < cli->record_max)
    cli_flush(cli);
  cli->record = cli->out_end;
  return cli->out_end;
}

/* Begin a record of any size, which cli_write() and cli_print() put there. */
static inline void cli_begin_record(struct cli *cli) {
  cli->record = cli->out_end;
}

/* Write any bytes, as part of the record that was begun: cli_write() those that may not fit by cli_write_parts(). */
void cli_print(struct cli *cli, const char *format, ...) CLI_PRINTF(2, 3);
void cli_write_parts(struct cli *cli, const void *data, size_t size);
static inline void cli_write(struct cli *cli, const void *data, size_t size) {
  if (size > (size_t)(cli->out_limit - cli->out_end)) {
    cli_write_parts(cli, data, size);
    return;
  }
  memcpy(cli->out_end, data, size);
  cli->out_end += size;
}

/* Write a JSON string that may hold anything, as file names do; what is not UTF-8 becomes U+FFFD. */
void cli_print_string(struct cli *cli, const char *text);

/* Count a message of this type. */
static inline void cli_count(struct cli *cli, uint16_t type) {
  ++cli->counts.messages;
  ++cli->counts.types[type];
}

/* Count one that is not in the schema, or whose payload is under its type's minimum, beside cli_count(). */
static inline void cli_count_unknown(struct cli *cli) {
  ++cli->counts.unknown;
}
static inline void cli_count_short(struct cli *cli, uint16_t type) {
  ++cli->counts.shorter;
  ++cli->counts.shorter_types[type];
}

/* ---- Messages -------------------------------------------------------------------------------------------------- */

/* The run cannot go on: a line, exit code 2. The first one counts, later ones are not said. */
void cli_fail(struct cli *cli, const char *format, ...) CLI_PRINTF(2, 3);

/* A fault of the input: a run of bytes outside frames, and what is known of it (", all zeros" or ""); a value, where it
 * is and what is wrong with it. Counts, prints and lists it; the run stops where --error-handler says so. */
void cli_fault_run(struct cli *cli, uint64_t offset, uint64_t length, const char *what);
void cli_fault_value(struct cli *cli, const struct sbp_place *place, const char *what);

/* A line that begins with "note:". */
void cli_note(struct cli *cli, const char *format, ...) CLI_PRINTF(2, 3);

/* A line for --debug about a place in the input. */
void cli_debug_offset(struct cli *cli, uint64_t offset, const char *what);
void cli_debug_place(struct cli *cli, const struct sbp_place *place, const char *what);

/* At the end of a run: summary and notes. */
void cli_summarise(struct cli *cli);

/* --report: open its file, list a fault, write all. */
bool cli_report_open(struct cli *cli);
void cli_report_run(struct cli *cli, uint64_t offset, uint64_t length);
void cli_report_value(struct cli *cli, const struct sbp_place *place, const char *what);
void cli_report_write(struct cli *cli);

/* Show how far the run is, where that is wanted; clear that away. */
void cli_progress_show(struct cli *cli);
void cli_progress_clear(struct cli *cli);

/* ---- The parts of cli_main() ----------------------------------------------------------------------------------- */

/* Read the arguments. False after cli_fail(). */
bool cli_options_read(struct cli *cli, int argc, char **argv);
void cli_help(struct cli *cli);

/* The schema, with the files of --schema. False after cli_fail(). */
bool cli_schema_read(struct cli *cli);

/* --describe: print the list of messages, or one of them. */
void cli_describe(struct cli *cli, const char *name);

/* ---- Reading SBP ----------------------------------------------------------------------------------------------- */

/* What the tools that read SBP remember. */
struct cli_frames {
  struct cli *cli;
  struct sbp_scanner scanner;
  uint64_t offset;     /* in the input, of `data` */
  const uint8_t *data; /* of the call under way */

  bool timed;             /* feed the clock: its time is that of the last frame */
  struct sbp_clock clock; /* over all inputs */
  int64_t start;          /* clock.gps when it was first known */

  /* Told of each run of bytes outside frames, in one or more calls, and of its end by one with no bytes; or NULL. Runs
   * that are not between --from and --to are no fault, and nothing is told of them. */
  void (*outside)(struct cli *cli, const uint8_t *bytes, size_t size);
  struct {
    uint64_t offset;
    uint64_t length;       /* 0: there is none */
    enum sbp_status first; /* why the candidate at its first byte failed; SBP_OK: there was none */
    bool zeros;            /* so far */
    uint8_t head[8];       /* its first bytes */
  } run;                   /* that goes on at the place reached */
};

/* Get ready; begin an input; end it. */
void cli_frames_prepare(struct cli *cli, struct cli_frames *frames);
void cli_frames_begin(struct cli_frames *frames);
void cli_frames_end(struct cli_frames *frames);

/* Parts of cli_frames_next() that few frames need. */
void cli_frames_outside(struct cli_frames *frames, size_t size, bool ends);
void cli_frames_note(const struct cli_frames *frames, const struct sbp_message *message, const struct sbp_frame *frame);
void cli_frames_tell_time(struct cli_frames *frames, const struct sbp_message *message, const struct sbp_frame *frame);

/* sbp_scan() in the tool's `next`, with counts, faults and notes seen to. After SBP_OK *message is the frame's message,
 * or NULL, and frames->offset is that of the byte behind it. Where cli->stop is set then, the frame is not to be used:
 * the fault before it ends the run. */
static inline enum sbp_status cli_frames_next(struct cli_frames *frames, const char *data, size_t size, bool last,
                                              struct sbp_frame *frame, const struct sbp_message **message,
                                              size_t *used) {
  struct cli *const cli = frames->cli;
  frames->data = (const uint8_t *)data;
  frames->scanner.lookahead = cli->lookahead;
  const enum sbp_status status = sbp_scan(&frames->scanner, frames->data, size, last, frame, used);
  if (status != SBP_OK)
    cli_frames_outside(frames, *used, false);
  else if (frame->bytes != frames->data || frames->run.length > 0)
    cli_frames_outside(frames, (size_t)(frame->bytes - frames->data), true);
  *message = status == SBP_OK ? sbp_message_by_id(cli->schema, frame->type) : NULL;
  if (status == SBP_OK && !cli->stop) {
    cli_count(cli, frame->type);
    if (*message == NULL || frame->length < (*message)->body.size)
      cli_frames_note(frames, *message, frame);
    if (frames->timed)
      cli_frames_tell_time(frames, *message, frame);
  }
  frames->offset += *used;
  return status;
}

/* ---- Selection ------------------------------------------------------------------------------------------------- */

/* The options, for the list of a tool that selects messages. */
#define CLI_SELECT_OPTIONS                                                                                             \
  {"include", "TYPES", "only these: names, patterns as 'MSG_POS*', ids", offsetof(struct cli, select.include),         \
   CLI_LIST,  0},                                                                                                      \
      {"exclude", "TYPES", "but not these; comma lists, and more than once", offsetof(struct cli, select.exclude),     \
       CLI_LIST,  0},                                                                                                  \
      {"sender", "IDS", "only messages of these senders", offsetof(struct cli, select.senders), CLI_LIST, 0},          \
      {"from",   "TIME", "from here on: UTC, WEEK:TOW, +DURATION, @OFFSET", offsetof(struct cli, select.from),         \
       CLI_TEXT, 0},                                                                                                   \
      {"to", "TIME", "what comes before that", offsetof(struct cli, select.to), CLI_TEXT, 0},                          \
      {"first", "N", "stop after N messages", offsetof(struct cli, select.first), CLI_TEXT, 0}, {                      \
    "range", "START:END", "only what begins at these bytes of INPUT", offsetof(struct cli, options.range), CLI_TEXT, 0 \
  }

static inline bool cli_set_has(const struct cli_set *set, uint16_t number) {
  return (set->bits[number >> 3] >> (number & 7) & 1) != 0;
}

/* Work out what they select, and see that frames->timed is set where that takes time. False after cli_fail(). */
bool cli_select_prepare(struct cli *cli, struct cli_frames *frames);

/* Whether a place in a log is at or behind --from and before --to: that of a frame which was just found, or of the
 * bytes outside frames behind it, which begins at this offset. It has the time that the clock shows. Before the first
 * frame that tells its time, it is before all times, and at the start. */
bool cli_select_place(const struct cli *cli, const struct cli_frames *frames, uint64_t offset);

/* Whether the frame is selected that cli_frames_next() found. */
static inline bool cli_selected(const struct cli *cli, const struct cli_frames *frames, const struct sbp_frame *frame) {
  const struct cli_select *const select = &cli->select;
  if (select->all)
    return true;
  return (!select->by_type || cli_set_has(&select->types, frame->type)) &&
         (!select->by_sender || cli_set_has(&select->sender_set, frame->sender)) &&
         ((select->from == NULL && select->to == NULL) ||
          cli_select_place(cli, frames, frames->offset - frame->length - SBP_FRAME_OVERHEAD));
}

/* Count a record for --first, of which it may be the last. */
static inline void cli_select_count(struct cli *cli) {
  if (cli->select.first != NULL && --cli->select.left == 0)
    cli->stop = true;
}

/* Read a duration as "1h30m" or "0.5s": numbers with d, h, m, s or ms behind each. */
bool cli_duration(const char *text, int64_t *ns);

/* ---- Positions ------------------------------------------------------------------------------------------------- */

enum { CLI_POSITIONS = 11, CLI_AXES = 3, CLI_MODES = 8 };

/* A type of message that holds a position, and where in its payload. */
struct cli_position {
  const struct sbp_message *message; /* NULL: the schema has no such message, or another one of that name */
  const struct sbp_field *flags;     /* u8 whose first bits, at most 3, are the mode: what kind of solution it is */
  const struct sbp_field *axes[CLI_AXES];
  unsigned invalid; /* a bit for each mode that is no fix */
  bool degrees;     /* the axes are lat, lon and height in m; else x, y and z of ECEF in m */
};

/* Find all of them, the best to tell a track by first, and those in degrees before the others. */
void cli_positions_find(const struct sbp_schema *schema, struct cli_position *positions);

/* The mode of a payload that is not too short for its message. */
static inline unsigned cli_position_mode(const struct cli_position *position, const uint8_t *payload) {
  return (unsigned)sbp_bits_value(&position->flags->bits[0], payload[position->flags->offset]);
}

/* ---- Reading JSON ---------------------------------------------------------------------------------------------- */

/* What json2sbp and json2json remember. */
struct cli_json {
  struct sbp_reader reader;
  bool check;  /* --check: fields that disagree with their payload are a fault */
  bool sample; /* look at some values all the same, for a note */
};

/* Get ready; begin an input. */
bool cli_json_prepare(struct cli *cli, struct cli_json *json);
void cli_json_begin(struct cli *cli, struct cli_json *json);

/* sbp_read_line(), with its faults, notes and counts seen to. Returns
 *   SBP_OK                  a frame was made
 *   SBP_NEED_MORE, SBP_END  as there
 *   SBP_ERROR_SYNTAX        what is no JSON was left out, or reading cannot go on
 *   SBP_ERROR_INVALID       an INVALID line; it is the tool's to see to, and so is
 *   SBP_ERROR_NOT_MESSAGE   any other JSON that cannot be used; line->fault says why. */
enum sbp_status cli_json_next(struct cli *cli, struct cli_json *json, const char *data, size_t size, bool last,
                              uint8_t *frame, struct sbp_line *line, size_t *used);

/* Leave a value out: the fault that line->fault names. */
void cli_json_left_out(struct cli *cli, const struct sbp_line *line);

#endif
