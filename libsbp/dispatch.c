/* SPDX-License-Identifier: MIT */
#include "port.h"
#include "sbpkit/sbp.h"

/* Where a call of sbp_dispatch() is in a list. Whoever removes a handler moves the cursors that stand on it. */
struct sbp_dispatch_cursor {
  struct sbp_dispatch_cursor *outer;
  struct sbp_handler *next;
};

/* Types come in runs, a package after the other; the multiplication is Fibonacci's and spreads runs evenly. */
static unsigned hash(uint16_t key) {
  return (uint16_t)(key * 40503u) >> 10;
}
_Static_assert(SBP_DISPATCH_LISTS == 1 << (16 - 10), "the hash of 16 bits numbers the lists");

static struct sbp_handler **list_of(struct sbp_dispatcher *dispatcher, enum sbp_match match, uint16_t key) {
  switch (match) {
  case SBP_MATCH_TYPE:
    return &dispatcher->by_type[hash(key)];
  case SBP_MATCH_SENDER:
    return &dispatcher->by_sender[hash(key)];
  default:
    return &dispatcher->all;
  }
}

void sbp_handler_add(struct sbp_dispatcher *dispatcher, struct sbp_handler *handler) {
  if (handler->link != NULL)
    return;
  struct sbp_handler **link = list_of(dispatcher, handler->match, handler->key);
  while (*link != NULL)
    link = &(*link)->next;
  handler->next = NULL;
  handler->link = link;
  handler->since = dispatcher->dispatches;
  *link = handler;
}

void sbp_handler_remove(struct sbp_dispatcher *dispatcher, struct sbp_handler *handler) {
  if (handler->link == NULL)
    return;
  for (struct sbp_dispatch_cursor *cursor = dispatcher->cursors; cursor != NULL; cursor = cursor->outer) {
    if (cursor->next == handler)
      cursor->next = handler->next;
  }
  *handler->link = handler->next;
  if (handler->next != NULL)
    handler->next->link = handler->link;
  handler->next = NULL;
  handler->link = NULL;
}

unsigned sbp_dispatch(struct sbp_dispatcher *dispatcher, const struct sbp_frame *frame) {
  static const enum sbp_match order[] = {SBP_MATCH_TYPE, SBP_MATCH_SENDER, SBP_MATCH_ALL};
  struct sbp_dispatch_cursor cursor = {.outer = dispatcher->cursors};
  const uint64_t number = ++dispatcher->dispatches;
  unsigned called = 0;
  dispatcher->cursors = &cursor;
  for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
    const uint16_t key = order[i] == SBP_MATCH_TYPE ? frame->type : frame->sender;
    cursor.next = *list_of(dispatcher, order[i], key);
    while (cursor.next != NULL) {
      const struct sbp_handler *const handler = cursor.next;
      cursor.next = handler->next;
      if (handler->since < number && (order[i] == SBP_MATCH_ALL || handler->key == key)) {
        handler->handle(handler->context, frame);
        called++;
      }
    }
  }
  dispatcher->cursors = cursor.outer;
  return called;
}
