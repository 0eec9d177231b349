/* SPDX-License-Identifier: MIT */
/* The shapes of lines that were learned, as a tree; see templates.c. All of it lives in the memory that the caller gave
 * (sbp_reader.templates). Index 0 of nodes and leaves stands for none. */
#ifndef SBPKIT_TEMPLATE_TREE_H
#define SBPKIT_TEMPLATE_TREE_H

#include "json_line.h"
#include "number.h"
#include "templates.h"

enum {
  NODES_MAX = 6144,
  LEAVES_MAX = 512,
  STEPS_MAX = 200,
  CAPTURES_MAX = 640,
  LITERAL_MAX = 16, /* longer ones are several steps */
  FOLLOWERS_MAX = 1024,
  OWN_FOLLOWERS_MAX = 256,
  TURNS_MAX = 8,
  /* So many lines in a row that match nothing: only each 256th of the next ones is tried, and after many more only each
   * 4096th, since to try and learn one takes as long as to read a hundred. */
  MISSES_MAX = 64,
  MISSES_MANY = 8192
};

_Static_assert((int)LITERAL_MAX <= (int)SBPI_LINE_SLACK, "literals are compared in words that reach past a line");

/* What stands behind a step's literal. */
enum step_kind {
  STEP_INTEGER,      /* an integer field */
  STEP_FLOAT,        /* a float field; where fields are not wanted, it may be null */
  STEP_STRING,       /* a string field, without its quotes */
  STEP_NONE,         /* another literal */
  STEP_OTHER_NUMBER, /* the same outside the fields */
  STEP_OTHER_STRING,
  STEP_LOOP, /* the elements of a variable array and its closing bracket */
  STEP_PAYLOAD,
  STEP_TYPE,
  STEP_SENDER,
  STEP_CRC,
  STEP_LENGTH,
  STEP_END
};

/* A literal and a value behind it. Two of them fill a cache line. */
struct node {
  char literal[LITERAL_MAX]; /* zeros behind it */
  uint16_t child;            /* the first of the nodes that may follow; 0: none */
  uint16_t sibling;          /* the next one that may stand here instead */
  union {
    uint8_t unsteady[2]; /* numbers: for so many more lines the counts of digits below are not to be relied on */
    uint16_t element;    /* STEP_LOOP: the first node of an element; all of them stand in a row */
    uint16_t last;       /* STEP_LENGTH: the last value, below 1000 */
  };
  uint16_t type;  /* of the message, in a child of a STEP_TYPE node */
  uint16_t leaf;  /* the last one that was reached through it; STEP_END: the one that ends there */
  uint16_t mask;  /* a bit for each byte of the literal */
  uint8_t length; /* of the literal */
  uint8_t kind;
  uint8_t digits;      /* of the last number that stood here, never 0; STEP_LOOP: how many nodes an element has */
  uint8_t more_digits; /* the same behind its point */
};
_Static_assert(sizeof(struct node) == 32, "nodes do not straddle cache lines");

/* Where a captured value goes: the payload's bytes from `offset` on. */
struct target {
  uint8_t type;   /* enum sbp_type, or TARGET_LOOP */
  uint8_t offset; /* in a loop that of its first element */
  uint8_t size;   /* of a string, 0 for a variable one; TARGET_LOOP: how many targets an element has, which follow */
};
enum { TARGET_LOOP = 255 };

/* A place in a line: in the literal of a step, delta bytes from its beginning. */
struct step_place {
  uint8_t step;
  uint8_t delta;
};

/* Where a message's type begins in its envelope, which lines have too. */
enum { TYPE_AT = sizeof ",\"msg_type\":" - 1 };

/* A whole shape. */
struct leaf {
  const struct sbp_message *message;
  uint16_t path[STEPS_MAX];
  struct target targets[STEPS_MAX];
  uint16_t target_count;
  struct step_place object_begin;
  struct step_place object_end;
  uint8_t type_digits;  /* of the message's type, in its envelope */
  uint8_t element_size; /* of the variable array */
  bool has_loop;
  bool fit;      /* its fields can be stored by the targets */
  bool complete; /* every byte of the payload has a target */
  bool wrapped;  /* the message is another object's "data" */
  bool compact;  /* no white space outside strings */
};

struct templates {
  uint32_t misses; /* in a row */
  uint16_t node_count;
  uint16_t leaf_count;
  uint16_t root;
  uint16_t last;                /* the leaf of the last line */
  uint16_t before;              /* that of the line before */
  uint16_t next[FOLLOWERS_MAX]; /* the leaf of the line that came last upon two such leaves */
  /* Lines of our own form (json_own.c), of which no shape is learned: the messages of the last two, and which one came
   * last upon two such. */
  uint16_t own_last;
  uint16_t own_before;
  const struct sbp_message *own_next[OWN_FOLLOWERS_MAX];
  struct node nodes[NODES_MAX];
  struct leaf leaves[LEAVES_MAX];
};

#endif
