/* SPDX-License-Identifier: MIT
 *
 * sbpkit: frames and messages of the Swift Binary Protocol (SBP), and their JSON lines.
 *
 * Nothing here allocates, prints, exits or keeps state of its own: the caller owns every buffer, and what a call must
 * remember is an argument. A frame, a line and every span in them borrow the input they were read from: they are good
 * until those bytes move or change. Functions may be called from any number of threads on different arguments.
 *
 * Contents
 *   1. Status       what a call returns, and its text
 *   2. Frames       bytes -> frames, frames -> bytes, CRC, base64
 *   3. Dispatch     frames -> whoever wants them
 *   4. Messages     the descriptor table: what a payload of a type holds
 *   5. Values       the fields of a payload by the table, in order or by name
 *   6. JSON out     frame -> line
 *   7. JSON in      values of a stream -> frames
 *   8. Memory       the growable buffer and the arena, for those who want one; frames of one's own
 *   9. Time         when frames were made: GPS time and UTC, and their text
 */
#ifndef SBPKIT_SBP_H
#define SBPKIT_SBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the library exports. */
#if defined(SBPKIT_SHARED) && defined(_WIN32)
#ifdef SBPKIT_BUILDING
#define SBP_API __declspec(dllexport)
#else
#define SBP_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SBP_API __attribute__((visibility("default")))
#else
#define SBP_API
#endif

/* The version of this header. */
#define SBPKIT_VERSION "0.1.0"

/* ---- 1. Status ------------------------------------------------------------------------------------------------- */

/* Every status with its text: one list makes the enum and sbp_status_text(). */
#define SBP_STATUS_LIST(X)                                                                                             \
  X(SBP_OK, "no error")                                                                                                \
  X(SBP_NEED_MORE, "more input is needed")                                                                             \
  X(SBP_END, "end of input")                                                                                           \
  X(SBP_ERROR_CRC, "wrong CRC")                                                                                        \
  X(SBP_ERROR_TRUNCATED, "cut off")                                                                                    \
  X(SBP_ERROR_ZEROS, "all zeros after the preamble")                                                                   \
  X(SBP_ERROR_SYNTAX, "not JSON")                                                                                      \
  X(SBP_ERROR_TOO_DEEP, "nested more than 128 deep")                                                                   \
  X(SBP_ERROR_TOO_LONG, "longer than 64 MiB")                                                                          \
  X(SBP_ERROR_UTF16, "UTF-16 text, UTF-8 is needed")                                                                   \
  X(SBP_ERROR_NOT_MESSAGE, "not a message")                                                                            \
  X(SBP_ERROR_INVALID, "an INVALID line: bytes outside frames")                                                        \
  X(SBP_ERROR_MISSING, "missing")                                                                                      \
  X(SBP_ERROR_KIND, "a value of the wrong kind")                                                                       \
  X(SBP_ERROR_RANGE, "out of range")                                                                                   \
  X(SBP_ERROR_BASE64, "not base64")                                                                                    \
  X(SBP_ERROR_PAYLOAD, "a payload of more than 255 bytes")                                                             \
  X(SBP_ERROR_COUNT, "the wrong number of elements")                                                                   \
  X(SBP_ERROR_STRING, "a string that is too long")                                                                     \
  X(SBP_ERROR_ESCAPE, "a lone surrogate escape")                                                                       \
  X(SBP_ERROR_NAME, "an unknown message name")                                                                         \
  X(SBP_ERROR_MISMATCH, "msg_type and msg_name do not agree")                                                          \
  X(SBP_ERROR_DIFFERS, "fields that disagree with the payload")                                                        \
  X(SBP_ERROR_MEMORY, "out of memory")

/* What a call returns. */
enum sbp_status {
#define X(name, text) name,
  SBP_STATUS_LIST(X)
#undef X
};

/* The text of a status, a constant; for a number that is none, "unknown status". */
SBP_API const char *sbp_status_text(enum sbp_status status);

/* The instructions to use. 0 is the portable path, which every machine has; all paths give the same bytes. */
enum sbp_cpu { SBP_CPU_PORTABLE, SBP_CPU_AVX2, SBP_CPU_NEON };

/* The best that this machine has: SBP_CPU_AVX2 stands for AVX2 and PCLMULQDQ, SBP_CPU_NEON for NEON and PMULL. */
SBP_API enum sbp_cpu sbp_cpu_best(void);

/* ---- 2. Frames ------------------------------------------------------------------------------------------------- */

/* A frame: preamble, type u16, sender u16, length u8, payload, CRC u16, all little-endian; 8 to 263 bytes. The CRC is
 * CRC-16/XMODEM over all between the preamble and itself. */
enum {
  SBP_PREAMBLE = 0x55,
  SBP_FRAME_HEADER = 6,
  SBP_FRAME_OVERHEAD = 8,
  SBP_PAYLOAD_MAX = 255,
  SBP_FRAME_MAX = SBP_PAYLOAD_MAX + SBP_FRAME_OVERHEAD
};

/* A frame as it stands in the input, whose CRC holds. `bytes` points at its preamble, `payload` at bytes + 6; it is
 * length + 8 bytes long. */
struct sbp_frame {
  const uint8_t *bytes;
  const uint8_t *payload;
  uint16_t type;
  uint16_t sender;
  uint16_t crc;
  uint8_t length;
};

/* What a scan remembers. Zero it, set `cpu` and, to be told of each candidate that fails, `failed` or `stop`. */
struct sbp_scanner {
  enum sbp_cpu cpu;
  bool stop;             /* return at each candidate that fails, instead of going on */
  size_t lookahead;      /* bytes at the end of data in which no frame is looked for: one that begins before may reach
                            into them. So a part of a log can be read as the scan of all of it would read it.
                            For sbp_push() 0. */
  uint64_t crc_failures; /* candidates whose bytes are all there and whose CRC is wrong */
  uint64_t truncated;    /* candidates that the end of the input cut off */
  void (*failed)(void *context, const uint8_t *candidate, enum sbp_status why);
  void *context;
};

/* Find the next frame in data[0 .. size), which may be NULL where size is 0. `last` says that no more will follow.
 * Returns
 *   SBP_OK         with *frame; data before frame->bytes lies outside frames; *used is the offset behind the frame
 *   SBP_NEED_MORE  the first *used bytes lie outside frames; call again with the rest and more behind it (at most
 *                  SBP_FRAME_MAX - 1 bytes are left over). Never when `last`.
 *   SBP_END        only when `last`, or where there is lookahead: all bytes before that lie outside frames, and *used
 *                  is their number.
 *   SBP_ERROR_..   only when scanner->stop: a candidate is damaged, which SBP_ERROR_CRC, SBP_ERROR_ZEROS and
 *                  SBP_ERROR_TRUNCATED tell apart. Its preamble is the last of the first *used bytes, all of which lie
 *                  outside frames; call again with the rest.
 * After a candidate fails the search goes on one byte behind its preamble, so that no whole frame is lost in a damaged
 * one; a preamble and seven zero bytes (a log filled up with zeros) are no frame although their CRC holds. Work is
 * linear: at most one CRC of 263 bytes per 0x55. The frames found depend on the bytes alone, never on how they are cut.
 */
SBP_API enum sbp_status sbp_scan(struct sbp_scanner *scanner, const uint8_t *data, size_t size, bool last,
                                 struct sbp_frame *frame, size_t *used);

/* Frames of bytes that come in pieces, from a serial line or a socket: what is there of a frame that is not whole waits
 * here. Zero it, and set `cpu` and what else is wanted in `scanner`; there is no lookahead. */
struct sbp_framer {
  struct sbp_scanner scanner;
  uint16_t held;  /* bytes that wait; they and the next are the framer's own */
  uint16_t given; /* how many of them the last call is done with */
  uint8_t bytes[SBP_FRAME_MAX];
};

/* Take the next piece of the input, of any size, and find the next frame: sbp_scan() of all pieces in a row, to the
 * byte. Nothing has to be kept behind a call. Returns what sbp_scan() does, but SBP_NEED_MORE when all `size` bytes are
 * taken; while it returns anything else, call again with what lies behind the *used bytes that it took. *frame borrows
 * from data where it stands there whole, else from the framer: it is good until the next call. With `last`, size may be
 * 0, and after SBP_END the framer is as new but for its counts. */
SBP_API enum sbp_status sbp_push(struct sbp_framer *framer, const uint8_t *data, size_t size, bool last,
                                 struct sbp_frame *frame, size_t *used);

/* Write the frame of a payload of at most 255 bytes to out, which has room for length + 8 bytes, and return that size.
 * The payload may already stand at out + 6. */
SBP_API size_t sbp_frame_pack(enum sbp_cpu cpu, uint16_t type, uint16_t sender, const uint8_t *payload, uint8_t length,
                              uint8_t *out);

/* CRC-16/XMODEM (polynomial 0x1021, nothing reflected) of size bytes, going on from crc; 0 begins. */
SBP_API uint16_t sbp_crc16(enum sbp_cpu cpu, uint16_t crc, const void *data, size_t size);

/* Base64, standard alphabet with padding (RFC 4648 section 4). The text of size bytes has SBP_BASE64_SIZE(size). */
#define SBP_BASE64_SIZE(size) (((size_t)(size) + 2) / 3 * 4)

/* Write the base64 of size bytes, no NUL, and return its end. */
SBP_API char *sbp_base64_encode(enum sbp_cpu cpu, const uint8_t *data, size_t size, char *out);

/* Read base64, strictly: whole groups of four, canonical padding, nothing else. out has room for size / 4 * 3 bytes.
 * Returns the number of bytes, or -1. */
SBP_API ptrdiff_t sbp_base64_decode(enum sbp_cpu cpu, const char *text, size_t size, uint8_t *out);

/* ---- 3. Dispatch ----------------------------------------------------------------------------------------------- */

/* Which frames a handler is called for. */
enum sbp_match { SBP_MATCH_ALL, SBP_MATCH_TYPE, SBP_MATCH_SENDER };

/* A function and the frames that it is called for. The caller owns it and keeps it where it is while it is added. Zero
 * it and set the first part; the second is the dispatcher's own. */
struct sbp_handler {
  void (*handle)(void *context, const struct sbp_frame *frame);
  void *context;
  enum sbp_match match;
  uint16_t key; /* the type or the sender; of SBP_MATCH_ALL nothing */

  struct sbp_handler *next;
  struct sbp_handler **link; /* what points at this one; NULL while it is not added */
  uint64_t since;            /* the number of dispatches before it was added */
};

enum { SBP_DISPATCH_LISTS = 64 };

/* Handlers by what they match. Zero it. */
struct sbp_dispatcher {
  struct sbp_handler *by_type[SBP_DISPATCH_LISTS]; /* lists of handlers whose keys have the same hash */
  struct sbp_handler *by_sender[SBP_DISPATCH_LISTS];
  struct sbp_handler *all;
  struct sbp_dispatch_cursor *cursors; /* of the calls of sbp_dispatch() that are going on */
  uint64_t dispatches;
};

/* Add a handler behind those that are there, or do nothing where it is added already. */
SBP_API void sbp_handler_add(struct sbp_dispatcher *dispatcher, struct sbp_handler *handler);

/* Take a handler out, or do nothing where it is not added. It is not called any more, and its memory is the caller's
 * again. */
SBP_API void sbp_handler_remove(struct sbp_dispatcher *dispatcher, struct sbp_handler *handler);

/* Call the handlers of the frame's type, then those of its sender, then those of all frames, each in the order in which
 * they were added, and return how many that were. The work is that of the handlers called, and of those whose keys have
 * the same hash, however many are added. A handler may add and remove any, itself too, and dispatch other frames: one
 * that is removed is not called any more, and one that is added is first called for a later frame than this one. */
SBP_API unsigned sbp_dispatch(struct sbp_dispatcher *dispatcher, const struct sbp_frame *frame);

/* ---- 4. Messages ----------------------------------------------------------------------------------------------- */

/* What a field holds. Integers and floats are little-endian on the wire; SBP_STRING is bytes; SBP_STRUCT is `element`.
 */
enum sbp_type {
  SBP_U8,
  SBP_U16,
  SBP_U32,
  SBP_U64,
  SBP_S8,
  SBP_S16,
  SBP_S32,
  SBP_S64,
  SBP_FLOAT,
  SBP_DOUBLE,
  SBP_STRING,
  SBP_STRUCT
};

/* How often it stands there. A variable array takes as many whole elements as the payload holds. */
enum sbp_repeat { SBP_ONE, SBP_FIXED_ARRAY, SBP_VARIABLE_ARRAY };

/* How a variable string ends; a fixed one is SBP_FIXED and padded with NUL. */
enum sbp_encoding { SBP_FIXED, SBP_UNTERMINATED, SBP_NULL_TERMINATED, SBP_MULTIPART, SBP_DOUBLE_NULL_TERMINATED };

/* A named value of a bit field. */
struct sbp_value {
  uint64_t value;
  const char *name;
};

/* Bits first .. last (0 is the lowest) of an integer field, and their named values in ascending order. */
struct sbp_bits {
  const char *name;
  const struct sbp_value *values;
  uint16_t value_count;
  uint8_t first;
  uint8_t last;
};

struct sbp_struct;

/* A field of a struct or a message. */
struct sbp_field {
  const char *name;
  const struct sbp_struct *element; /* SBP_STRUCT: which; else NULL */
  const char *units;                /* or NULL */
  const char *description;          /* or NULL: the name says it */
  const struct sbp_bits *bits;
  uint16_t bits_count;
  uint8_t name_length;
  uint8_t type;        /* enum sbp_type */
  uint8_t repeat;      /* enum sbp_repeat */
  uint8_t encoding;    /* enum sbp_encoding, of strings */
  uint8_t size;        /* bytes of one element; of a variable string the least it takes: 0, 1 or 2 */
  uint8_t count;       /* elements of a fixed array; 1 for one; 0 for a variable array */
  uint8_t offset;      /* where it starts in its payload or struct; behind a variable string, the least that is */
  uint8_t count_field; /* index of the field that announces the elements, or 255; it is printed, not obeyed */
};

/* A struct, or the body of a message. All of a struct has a fixed size; in a message the last field may be variable,
 * and a null-terminated string may stand before others. `size` is the fixed size, of a message the least payload. */
struct sbp_struct {
  const char *name;
  const char *description; /* or NULL */
  const char *package;     /* the schema file's package */
  const struct sbp_field *fields;
  uint16_t field_count;
  uint8_t size;
};

/* Room for the longest name, 64 characters, between the keys. */
enum { SBP_ENVELOPE_MAX = 112 };

/* A message: its fields, and what its lines are made with. */
struct sbp_message {
  struct sbp_struct body; /* name is MSG_..; size the minimum payload */
  const char *const *replaced_by;
  /* Straight-line writer of the fields, or NULL: then the table is walked. Same bytes either way. See sbp_line_write.
   */
  char *(*write_fields)(char *out, const uint8_t *payload, const uint8_t *end, bool float_compat);
  /* Straight-line reader of what that writes of about this payload, any values in it: returns what stands behind the
   * fields, or NULL where they stand in another way. It is for sbp_read_line, which knows how far it can read. */
  const char *(*skip_fields)(const char *text, const char *stop, const uint8_t *payload, const uint8_t *end);
  uint32_t fields_max; /* the most text that the fields can give, 255 payload bytes taken, plain line */
  uint16_t replaced_by_count;
  uint16_t id;
  uint8_t envelope_length;
  char envelope[SBP_ENVELOPE_MAX]; /* `,"msg_type":1025,"msg_name":"MSG_LOG","payload":"`: a part of each line of it */
};

/* A set of messages. `page` maps the id's high byte to a row of `index`, which maps the low byte to 1 + the position in
 * `messages`, 0 for none; row 0 is all zeros. `by_name` lists positions by ascending name (strcmp). */
struct sbp_schema {
  const struct sbp_message *const *messages; /* by ascending id */
  const uint16_t *by_name;
  const uint8_t *page; /* 256 */
  const uint16_t (*index)[256];
  const char *version; /* of the protocol, as "6.5.2" */
  uint32_t count;
  uint32_t fields_max; /* the largest of its messages */
};

/* All messages of the protocol version that this library was made from. */
SBP_API extern const struct sbp_schema sbp_schema_builtin;

/* The message with this id, or NULL. */
static inline const struct sbp_message *sbp_message_by_id(const struct sbp_schema *schema, uint16_t id) {
  const uint16_t position = schema->index[schema->page[id >> 8]][id & 255];
  return position == 0 ? NULL : schema->messages[position - 1];
}

/* The message with this name of length bytes (no NUL needed), or NULL. */
SBP_API const struct sbp_message *sbp_message_by_name(const struct sbp_schema *schema, const char *name, size_t length);

/* The message whose name is nearest to this one, or NULL where none is near: for "did you mean". */
SBP_API const struct sbp_message *sbp_message_near_name(const struct sbp_schema *schema, const char *name,
                                                        size_t length);

/* ---- 5. Values ------------------------------------------------------------------------------------------------- */

/* A field as it stands in a payload, all its elements, or one element of it. It borrows the payload. */
struct sbp_field_view {
  const struct sbp_field *field; /* name, type, units and bit fields */
  const uint8_t *bytes;          /* a string's text, or `count` elements of field->size bytes each */
  uint16_t size;                 /* of all of it, in bytes */
  uint16_t count;                /* elements; 1 of what is no array */
  bool is_array;                 /* not of an element */
};

/* Goes through the fields of a payload, or of a struct in it. */
struct sbp_fields {
  const struct sbp_struct *body;
  const uint8_t *next;
  const uint8_t *end;
  uint16_t index;
};

/* Begin with the first field of a frame, whose message sbp_message_by_id() gives; there is none where that is NULL, or
 * where the payload is shorter than message->body.size. */
SBP_API struct sbp_fields sbp_fields_of(const struct sbp_message *message, const struct sbp_frame *frame);

/* Begin with the first member of element number `element` of an SBP_STRUCT; 0 is the first element. There is none where
 * element is not below view->count. */
SBP_API struct sbp_fields sbp_fields_in(const struct sbp_field_view *view, size_t element);

/* The next field in order. Returns false behind the last. */
SBP_API bool sbp_fields_next(struct sbp_fields *fields, struct sbp_field_view *view);

/* The field of this name of length bytes: members behind a dot, elements in brackets, as in `header.t.tow`, `obs` (all
 * of an array) and `obs[2].P.i`. Returns false where the payload has no such field or element. */
SBP_API bool sbp_field_find(const struct sbp_message *message, const struct sbp_frame *frame, const char *name,
                            size_t length, struct sbp_field_view *view);

/* The number in element number `element`, of SBP_U8 .. SBP_U64. Of all three, 0 where it is no number or not below
 * view->count. */
SBP_API uint64_t sbp_field_unsigned(const struct sbp_field_view *view, size_t element);

/* The same of SBP_S8 .. SBP_S64. */
SBP_API int64_t sbp_field_signed(const struct sbp_field_view *view, size_t element);

/* The same of any number: exact but for integers beyond 2^53, which are rounded. */
SBP_API double sbp_field_double(const struct sbp_field_view *view, size_t element);

/* What a bit field holds, in the number that sbp_field_unsigned() gives. */
SBP_API uint64_t sbp_bits_value(const struct sbp_bits *bits, uint64_t number);

/* The name of what it holds, or NULL where it has none. */
SBP_API const char *sbp_bits_name(const struct sbp_bits *bits, uint64_t value);

/* ---- 6. JSON out ----------------------------------------------------------------------------------------------- */

struct sbp_clock; /* see 7. Time */

/* What lines look like. Zero gives the plain line; set schema. */
struct sbp_line_options {
  const struct sbp_schema *schema;
  enum sbp_cpu cpu;
  const struct sbp_clock *clock; /* add "utc", to the ms, and "gps_week" of its time behind all else, or nothing where
                                    that is not known; NULL: never. It was fed this frame. */
  bool float_compat;             /* --float-compat: floats as older tools print them */
  bool no_payload;               /* leave the payload key out */
  bool u64_strings;              /* 64-bit fields as strings */
  bool expand;                   /* a "meaning" object behind the fields: names of bit-field values */
  bool pretty;                   /* over several lines, indented by 2 */
  bool walk;                     /* walk the table even where there is a straight-line writer (tests, measurements) */
};

/* The most bytes that sbp_line_write can write with these options, whatever the frame. */
SBP_API size_t sbp_line_max(const struct sbp_line_options *options);

/* Write a frame's JSON line, `\n` included, to out, which has room for sbp_line_max() bytes; returns its end. `message`
 * is sbp_message_by_id(options->schema, frame->type), which the caller wants for its counts anyway. NULL writes the
 * envelope alone with msg_name UNKNOWN; a payload shorter than message->body.size the envelope alone with its name. */
SBP_API char *sbp_line_write(const struct sbp_line_options *options, const struct sbp_message *message,
                             const struct sbp_frame *frame, char *out);

/* Write a field's value as it stands in the line, all its elements: a JSON value, compact, to out, which has room for
 * sbp_line_max() bytes; returns its end. */
SBP_API char *sbp_field_write(const struct sbp_line_options *options, const struct sbp_field_view *view, char *out);

/* What the line of bytes outside frames has besides their base64. */
#define SBP_INVALID_OVERHEAD 40

/* Write the line of bytes outside frames: {"msg_name":"INVALID","payload":"<base64>"}. out has room for
 * SBP_BASE64_SIZE(size) + SBP_INVALID_OVERHEAD bytes. */
SBP_API char *sbp_line_write_invalid(enum sbp_cpu cpu, const uint8_t *data, size_t size, char *out);

/* ---- 7. JSON in ------------------------------------------------------------------------------------------------ */

/* A place in a stream: the offset counts from 0, line and column (in bytes) from 1. */
struct sbp_place {
  uint64_t offset;
  uint64_t line;
  uint64_t column;
};

/* Bytes of the input; no NUL behind them. */
struct sbp_span {
  const char *text;
  size_t length;
};

/* Limits of a value (RFC 8259 section 9 lets a reader set them). */
#define SBP_VALUE_MAX ((size_t)64 << 20)
enum { SBP_NESTING_MAX = 128 };

/* What is wrong with a value: where, and a sentence without a full stop as "payload: not base64: \"A@B=\"". */
struct sbp_fault {
  enum sbp_status status;
  struct sbp_place place;
  char text[240];
};

/* What is worth saying of a value that did become a frame; bits of sbp_line.notes. */
enum sbp_note {
  SBP_NOTE_CRC = 1,      /* `crc` is there and is not the frame's; the frame has the right one */
  SBP_NOTE_LENGTH = 2,   /* the same of `length` */
  SBP_NOTE_SHORT = 4,    /* the payload is under its type's minimum */
  SBP_NOTE_UNKNOWN = 8,  /* the type is not in the schema */
  SBP_NOTE_ROUNDED = 16, /* a 64-bit field was what a double makes of the payload's value, which was kept */
  SBP_NOTE_IGNORED = 32  /* a key that is no field was passed over; see sbp_reader.ignored */
};

/* A value that was read. Spans point into the data of the call that returned it. */
struct sbp_line {
  struct sbp_place place;            /* of its first byte */
  struct sbp_span text;              /* all of it */
  struct sbp_span object;            /* the message object: all of it, or its "data" */
  struct sbp_span payload;           /* base64 text of the payload of an INVALID line, without quotes */
  const struct sbp_message *message; /* or NULL */
  size_t frame_size;
  unsigned notes; /* enum sbp_note */
  bool in_array;  /* an element of a top-level array */
  bool agrees;    /* its fields are known to be those of its payload */
  bool compact;   /* known to have no white space outside its strings and its message object, and no key twice */
  struct sbp_fault fault; /* filled in where a fault is returned */
};

/* What reading remembers. Zero it and set the first part; the second is the reader's own. */
struct sbp_reader {
  const struct sbp_schema *schema;
  enum sbp_cpu cpu;
  bool from_fields; /* the fields make the payload, as edits of `payload` where it is given */
  bool will_check;  /* sbp_line_check() follows upon the next line: then reading it does most of that work */
  void *templates;  /* sbp_templates_size() bytes, aligned as malloc does, after sbp_templates_begin(): lines of a shape
                       that came before are read faster, with the same result; or NULL */
  void (*ignored)(void *context, const struct sbp_message *message, struct sbp_span key, const char *near_field);
  void *context; /* for ignored: told of each key that is no field, with the name of the nearest one, or NULL */

  struct sbp_place place; /* of data[0] in the next call */
  struct {
    uint64_t nesting[2]; /* a bit a level: set in an object */
    uint32_t depth;
    uint32_t at;          /* how far the value is read; this and what follows count from its first byte */
    uint32_t value_begin; /* of the current member of the outer object */
    uint32_t key_begin;
    uint32_t key_end;
    struct {
      uint32_t begin; /* 0: not there */
      uint32_t end;
    } known[9];      /* members that mean something, as enum sbpi_key in json_scan.h lists them */
    uint8_t expect;  /* enum expect in json_scan.c */
    bool more_keys;  /* the outer object has others too */
    bool in_line;    /* the value was read as json_line.h does it */
    bool begun;      /* a value's first byte is data[0] */
    bool started;    /* the stream's first bytes were looked at */
    bool in_array;   /* inside a top-level array */
    bool elements;   /* there: an element has been read, a comma or the end must follow */
    bool separated;  /* there: a comma has been read, an element must follow */
    bool lenient;    /* after a fault in an array: commas and closing brackets between values are passed over */
    bool passing;    /* looking for a line to go on at */
    bool line_began; /* there: data[0] is in the first column */
    struct sbp_place array_place; /* where the top-level array begins */
    bool float_compat;            /* how floats stood in the last line of our own form */
    uint32_t own_misses;          /* lines in a row that began like our own */
    uint64_t last_sender_text;    /* the last sender that was read, its text, ... */
    uint8_t last_sender_digits;   /* ... and so many digits of that; 0: none was */
    uint16_t last_sender;
    uint64_t passed_bytes;
    uint64_t passed_lines;
    uint64_t stop_searched; /* the end, by its offset, of the input in which a line break was looked for */
    uint32_t stop_distance; /* from that end */
    uint32_t endless;       /* values whose end was not found, ... */
    uint64_t endless_end;   /* ... since reading was at an offset up to which none had been looked for */
    struct sbp_fault fault;
  } state;
};

/* Read the next JSON value of a stream and make its frame. data[0 .. size), which may be NULL where size is 0, goes on
 * where the last call left off: behind the *used bytes it took. Values may stand in any number on a line or over
 * several; a top-level array holds messages.
 * Returns
 *   SBP_OK         a frame of line->frame_size bytes stands in frame (room: SBP_FRAME_MAX)
 *   SBP_NEED_MORE  call again with the rest and more behind it; what was read of a value is not read again. A full
 *                  buffer must grow then: a value may have SBP_VALUE_MAX bytes.
 *   SBP_END        only when `last`: nothing is left
 *   SBP_ERROR_..   one value cannot be used: line->fault says why, and *used passes it. line->text is then a whole JSON
 *                  value, but empty after SBP_ERROR_SYNTAX, SBP_ERROR_TOO_LONG and SBP_ERROR_TOO_DEEP.
 *                  SBP_ERROR_INVALID is an INVALID line, whose line->payload holds base64.
 *                  After SBP_ERROR_UTF16 nothing more can be read. */
SBP_API enum sbp_status sbp_read_line(struct sbp_reader *reader, const char *data, size_t size, bool last,
                                      uint8_t *frame, struct sbp_line *line, size_t *used);

/* Whether the fields of a line that was read without from_fields agree with its payload, which is that of `frame`.
 * SBP_OK, or SBP_ERROR_DIFFERS or another fault of a field in *fault. */
SBP_API enum sbp_status sbp_line_check(const struct sbp_reader *reader, const struct sbp_line *line,
                                       const uint8_t *frame, struct sbp_fault *fault);

/* Step through the members of a JSON object that a call above has returned as a whole value: *rest begins as the object
 * and shrinks. Spans are as they stand in the text, keys without their quotes. Returns false behind the last. */
SBP_API bool sbp_member_next(struct sbp_span *rest, struct sbp_span *key, struct sbp_span *value);

/* What the text of a JSON string stands for, escapes resolved, written to out, which has room for length bytes. Returns
 * the number of bytes, or -1 where a surrogate stands alone. The text comes from a whole value. */
SBP_API ptrdiff_t sbp_unescape(const char *text, size_t length, char *out);

/* How much memory sbp_reader.templates needs: some 700 KB. */
SBP_API size_t sbp_templates_size(void);

/* Make that memory ready, which touches a small part of it only. */
SBP_API void sbp_templates_begin(void *memory);

/* ---- 8. Memory ------------------------------------------------------------------------------------------------- */

/* Where every buffer starts that the library or a tool grows. Growing from nothing costs more than it saves: a
 * converter that decoded into vectors of at least 128 elements took 0.4 of its time. */
#define SBPKIT_BUFFER_MIN 128

/* Where memory comes from. resize works as realloc does (old may be NULL; a new_size of 0 frees) and may return NULL.
 */
struct sbp_allocator {
  void *(*resize)(void *context, void *old, size_t old_size, size_t new_size);
  void *context;
};

/* Bytes that grow: by half at least, from SBPKIT_BUFFER_MIN. Zero it and set allocator. */
struct sbp_buffer {
  char *data;
  size_t size;
  size_t capacity;
  const struct sbp_allocator *allocator;
};

/* Make room for `more` bytes behind size. SBP_OK or SBP_ERROR_MEMORY, and then nothing has changed. */
SBP_API enum sbp_status sbp_buffer_reserve(struct sbp_buffer *buffer, size_t more);

/* Add size bytes, with room made for them; the same. */
SBP_API enum sbp_status sbp_buffer_append(struct sbp_buffer *buffer, const void *data, size_t size);

/* Give the memory back. The buffer is empty then, and can be used again. */
SBP_API void sbp_buffer_free(struct sbp_buffer *buffer);

/* Memory that is dropped whole: chunks of SBPKIT_BUFFER_MIN bytes or more, each half again as large as the one before.
 * Zero it and set allocator. */
struct sbp_arena {
  const struct sbp_allocator *allocator;
  struct sbp_arena_chunk *chunk;
  size_t used;
};

/* size bytes, zeroed, aligned to 16; NULL where memory is out. They live until the arena is dropped. */
SBP_API void *sbp_arena_take(struct sbp_arena *arena, size_t size);

/* Make all of it free to be taken again, and keep the newest chunk, which is the largest: after a few rounds of the
 * same work an arena asks for no memory any more. */
SBP_API void sbp_arena_reset(struct sbp_arena *arena);

/* An allocator that takes from the arena, for a buffer or frames that live as long as its other parts. What is given
 * back to it is free at the next reset. */
SBP_API struct sbp_allocator sbp_arena_allocator(struct sbp_arena *arena);

/* Give all of it back. The arena is empty then, and can be used again. */
SBP_API void sbp_arena_drop(struct sbp_arena *arena);

/* A frame with bytes of its own, which may be kept and handed on. */
struct sbp_owned_frame {
  struct sbp_frame frame;
  const struct sbp_allocator *allocator;
};

/* Take a frame out of its input: *owned gets its bytes, in one piece from the allocator, and *frame is zeroed, so that
 * nobody goes on with a view of bytes that may move. SBP_OK; or SBP_ERROR_MEMORY, and then nothing has changed. */
SBP_API enum sbp_status sbp_frame_take(struct sbp_frame *frame, const struct sbp_allocator *allocator,
                                       struct sbp_owned_frame *owned);

/* Give the memory of a taken frame back, and zero it; of a zeroed one nothing. */
SBP_API void sbp_owned_frame_free(struct sbp_owned_frame *owned);

/* ---- 9. Time --------------------------------------------------------------------------------------------------- */

/* GPS time is one number here: nanoseconds since 1980-01-06 00:00:00 UTC, where week 0 began. It goes on through leap
 * seconds, which UTC does not. Weeks are full counts, as in SBP, so no 1024th week rolls over. Weeks up to
 * SBP_GPS_WEEK_MAX (in 2267) fit. */
enum { SBP_GPS_WEEK_MAX = 15000, SBP_GPS_WEEK_MS = 604800000 };

/* The same as messages have it: week, time of week in ms, and what that rounding leaves over, -500000 to 499999 ns. */
struct sbp_week_time {
  int32_t week;
  uint32_t tow;
  int32_t ns_residual;
};

/* A moment of UTC. */
struct sbp_utc {
  uint16_t year;
  uint8_t month; /* from 1 */
  uint8_t day;   /* from 1 */
  uint8_t hour;
  uint8_t minute;
  uint8_t second; /* 60 in a leap second */
  uint32_t ns;    /* of the second */
};

/* What a log has told of leap seconds: GPS time is `before` seconds ahead of UTC up to a midnight, and `after` from
 * there on. Zero stands for the table of the IERS as of 2025-07-07, whose last entry, 18 s from 2017-01-01 on, holds
 * for all later times. */
struct sbp_leap {
  int64_t midnight; /* the UTC day that begins there, in days since 1980-01-06, times 86400 */
  int16_t before;
  int16_t after;
  bool told;
};

/* What a run over frames knows of their time. Zero it, feed it each frame in order; the second part is its own. */
struct sbp_clock {
  int64_t gps; /* of the last frame that told its time */
  bool known;  /* there was one; else gps means nothing */
  struct sbp_leap leap;

  uint32_t tow; /* of gps, in ms, and what that leaves over */
  int32_t ns;
  /* Where the time stands in the payloads of messages that came before. */
  struct sbp_clock_place {
    const struct sbp_message *message;
    uint8_t tow; /* offsets; 255: it is not there */
    uint8_t week;
    uint8_t ns_residual;
    uint8_t tow_f;
    uint8_t flags;
    uint8_t mask; /* the bits of flags that say it is no time: where they are `value`, or anything else */
    uint8_t value;
    bool other;
  } places[128];
};

/* Take note of a frame; `message` is its message, or NULL. Returns whether it told its own time; clock->gps is that
 * then. A frame that tells none goes with its neighbours: it has the time of the last one before it that did, which
 * clock->gps still is. Before the first there is no time.
 *
 * A frame tells its time by a field `tow` in ms, at the top or in a first struct named `header` or `t` (as in MSG_OBS),
 * by the descriptor table, so that messages of other schemas count too; beside it `wn` is the week and `ns_residual` or
 * `tow_f` the rest. MSG_IMU_RAW is known by its id, and so is MSG_UTC_TIME, whose date gives the week. It tells none
 *   - where a bit field at bit 0 of `flags` has the value 0 and the table calls that invalid (no time source, no fix);
 *     in MSG_EXT_EVENT, MSG_ODOMETRY and MSG_POSE_RELATIVE, where their flags say that the time is not GPS time
 *   - where tow is no time of week, wn is 0 (a receiver that does not know) or beyond SBP_GPS_WEEK_MAX, or the date of
 *     MSG_UTC_TIME is none or not that of its tow
 *   - where tow is alone, and no week puts it within an hour of the time that is known: so a tow that falls from the
 * end of the week to its beginning is in the next week, one that comes late is in its own, and neither a replay nor a
 *     counter that is no time of week moves the clock.
 * Times that corrections and orbits refer to (GPSTimeSec, in s) are no clock.
 *
 * Leap seconds come from MSG_UTC_LEAP_SECOND, whose ref_wn and ref_dn are WN_LSF and DN of IS-GPS-200 section
 * 20.3.3.5.2.4 (the change is at the end of day 1 to 7), and from MSG_UTC_TIME where its offset was decoded in this
 * session and is not what is known. A later one wins. */
SBP_API bool sbp_clock_feed(struct sbp_clock *clock, const struct sbp_message *message, const struct sbp_frame *frame);

/* Take GPS time apart; the week is at most SBP_GPS_WEEK_MAX. */
SBP_API struct sbp_week_time sbp_gps_split(int64_t gps);

/* Put it together again. */
SBP_API int64_t sbp_gps_join(struct sbp_week_time time);

/* GPS time to the nearest ms, as lines have it. UTC follows from that: rounded itself, it could end in a second that
 * there is not. */
SBP_API int64_t sbp_gps_whole_ms(int64_t gps);

/* GPS time as UTC. */
SBP_API struct sbp_utc sbp_utc_from_gps(const struct sbp_leap *leap, int64_t gps);

/* UTC as GPS time; 0 for a utc that is none. A second 60 where there is no leap second stands for the second after it.
 */
SBP_API int64_t sbp_gps_from_utc(const struct sbp_leap *leap, struct sbp_utc utc);

/* Room for a time as text. */
enum { SBP_TIME_TEXT_MAX = 48 };

/* Write UTC as in ISO 8601, to the ms, or to the ns where it is not whole ms: 2016-12-31T23:59:60.000Z. No NUL; out has
 * room for SBP_TIME_TEXT_MAX bytes, the end is returned. */
SBP_API char *sbp_utc_write(struct sbp_utc utc, char *out);

/* The same of GPS time, as week:tow, tow in ms: 1930:17000. */
SBP_API char *sbp_gps_write(int64_t gps, char *out);

/* Read such text of UTC, all of it; false where it is none, or out of range. The seconds, or their fraction of up to 9
 * digits, may be missing; the Z may not. */
SBP_API bool sbp_utc_read(const char *text, size_t length, struct sbp_utc *utc);

/* The same of GPS time. Of tow there may be a fraction of up to 6 digits. */
SBP_API bool sbp_gps_read(const char *text, size_t length, int64_t *gps);

#ifdef __cplusplus
}
#endif

#endif
