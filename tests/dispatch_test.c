/* SPDX-License-Identifier: MIT */
/* Handlers by type, sender or all, which come and go while frames are dispatched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sbpkit/sbp.h"

static struct sbp_dispatcher dispatcher;

/* The names of the handlers that were called, in order. */
static char calls[256];

struct probe {
  struct sbp_handler handler;
  char name;
  /* What it does when it is called, before and after it notes its name. */
  struct probe *adds;
  struct probe *removes;
  const struct sbp_frame *dispatches;
};

static void handle(void *context, const struct sbp_frame *frame) {
  struct probe *const probe = context;
  const size_t length = strlen(calls);
  assert_true(length + 1 < sizeof calls);
  assert_non_null(frame);
  calls[length] = probe->name;
  calls[length + 1] = '\0';
  if (probe->removes != NULL)
    sbp_handler_remove(&dispatcher, &probe->removes->handler);
  if (probe->adds != NULL)
    sbp_handler_add(&dispatcher, &probe->adds->handler);
  if (probe->dispatches != NULL) {
    const struct sbp_frame *const other = probe->dispatches;
    probe->dispatches = NULL;
    sbp_dispatch(&dispatcher, other);
  }
}

#define PROBE(letter, kind, number)                                                                                    \
  { .handler = {.handle = handle, .match = (kind), .key = (number)}, .name = (letter) }

static void add(struct probe *probe) {
  probe->handler.context = probe;
  sbp_handler_add(&dispatcher, &probe->handler);
}

/* The calls for a frame of this type and sender. */
static const char *dispatch(uint16_t type, uint16_t sender) {
  const struct sbp_frame frame = {.type = type, .sender = sender};
  calls[0] = '\0';
  const unsigned called = sbp_dispatch(&dispatcher, &frame);
  assert_int_equal(called, strlen(calls));
  return calls;
}

static int begin(void **state) {
  (void)state;
  memset(&dispatcher, 0, sizeof dispatcher);
  return 0;
}

static void handlers_are_called_by_type_then_sender_then_all_in_order_of_adding(void **state) {
  struct probe probes[] = {PROBE('1', SBP_MATCH_ALL, 0),     PROBE('2', SBP_MATCH_SENDER, 66),
                           PROBE('3', SBP_MATCH_TYPE, 1025), PROBE('4', SBP_MATCH_ALL, 0),
                           PROBE('5', SBP_MATCH_TYPE, 1025), PROBE('6', SBP_MATCH_SENDER, 1025),
                           PROBE('7', SBP_MATCH_TYPE, 66)};
  (void)state;
  assert_string_equal(dispatch(1025, 66), "");
  for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
    add(&probes[i]);
  assert_string_equal(dispatch(1025, 66), "35214");
  assert_string_equal(dispatch(1025, 1), "3514");
  assert_string_equal(dispatch(1, 66), "214");
  assert_string_equal(dispatch(66, 1025), "7614");
  assert_string_equal(dispatch(0, 0), "14");
}

static void every_type_and_sender_has_handlers_of_its_own(void **state) {
  static struct probe by_type[1000];
  static struct probe by_sender[1000];
  (void)state;
  for (unsigned i = 0; i < 1000; i++) {
    by_type[i] = (struct probe)PROBE((char)('a' + i % 26), SBP_MATCH_TYPE, (uint16_t)(i * 65));
    by_sender[i] = (struct probe)PROBE((char)('A' + i % 26), SBP_MATCH_SENDER, (uint16_t)(i * 64));
    add(&by_type[i]);
    add(&by_sender[i]);
  }
  for (unsigned i = 0; i < 1000; i++) {
    const char right[] = {by_type[i].name, by_sender[999 - i].name, '\0'};
    assert_string_equal(dispatch((uint16_t)(i * 65), (uint16_t)((999 - i) * 64)), right);
    assert_string_equal(dispatch((uint16_t)(i * 65 + 1), (uint16_t)(i * 64 + 1)), "");
  }
}

/* The work of a call is bounded by this, and not by how many handlers there are. */
static void the_lists_are_short_with_a_handler_for_every_message(void **state) {
  static struct sbp_handler handlers[1000];
  size_t longest = 0;
  (void)state;
  for (uint32_t i = 0; i < sbp_schema_builtin.count; i++) {
    handlers[i] = (struct sbp_handler){.match = SBP_MATCH_TYPE, .key = sbp_schema_builtin.messages[i]->id};
    sbp_handler_add(&dispatcher, &handlers[i]);
  }
  for (size_t list = 0; list < SBP_DISPATCH_LISTS; list++) {
    size_t length = 0;
    for (const struct sbp_handler *at = dispatcher.by_type[list]; at != NULL; at = at->next)
      length++;
    longest = length > longest ? length : longest;
  }
  print_message("%u messages, the longest list has %u\n", (unsigned)sbp_schema_builtin.count, (unsigned)longest);
  assert_true(longest <= 3 * (1 + sbp_schema_builtin.count / SBP_DISPATCH_LISTS));
}

static void a_removed_handler_is_not_called_and_its_memory_is_free(void **state) {
  struct probe probes[] = {PROBE('1', SBP_MATCH_TYPE, 5), PROBE('2', SBP_MATCH_TYPE, 5), PROBE('3', SBP_MATCH_TYPE, 5)};
  (void)state;
  for (size_t i = 0; i < 3; i++)
    add(&probes[i]);
  sbp_handler_remove(&dispatcher, &probes[1].handler);
  memset(&probes[1], 0xff, sizeof probes[1]);
  assert_string_equal(dispatch(5, 0), "13");
  sbp_handler_remove(&dispatcher, &probes[2].handler);
  sbp_handler_remove(&dispatcher, &probes[0].handler);
  assert_string_equal(dispatch(5, 0), "");
  /* Behind the others, when it comes back. */
  add(&probes[2]);
  add(&probes[0]);
  assert_string_equal(dispatch(5, 0), "31");
}

static void adding_twice_and_removing_what_is_not_there_do_nothing(void **state) {
  struct probe one = PROBE('1', SBP_MATCH_ALL, 0);
  struct probe two = PROBE('2', SBP_MATCH_ALL, 0);
  (void)state;
  add(&one);
  add(&two);
  add(&one);
  assert_string_equal(dispatch(1, 1), "12");
  sbp_handler_remove(&dispatcher, &one.handler);
  sbp_handler_remove(&dispatcher, &one.handler);
  assert_string_equal(dispatch(1, 1), "2");
}

static void a_handler_may_remove_itself_and_any_other(void **state) {
  struct probe probes[] = {PROBE('1', SBP_MATCH_TYPE, 5), PROBE('2', SBP_MATCH_TYPE, 5), PROBE('3', SBP_MATCH_TYPE, 5),
                           PROBE('4', SBP_MATCH_SENDER, 6), PROBE('5', SBP_MATCH_ALL, 0)};
  (void)state;
  /* Each pair of who removes and who is removed. */
  for (size_t who = 0; who < 5; who++) {
    for (size_t whom = 0; whom < 5; whom++) {
      char first[8] = "";
      char then[8] = "";
      begin(NULL);
      for (size_t i = 0; i < 5; i++) {
        probes[i].handler.link = NULL;
        probes[i].removes = i == who ? &probes[whom] : NULL;
        add(&probes[i]);
        if (i != whom || whom <= who)
          first[strlen(first)] = probes[i].name;
        if (i != whom)
          then[strlen(then)] = probes[i].name;
      }
      assert_string_equal(dispatch(5, 6), first);
      assert_string_equal(dispatch(5, 6), then);
    }
  }
}

static void what_a_handler_adds_is_called_from_the_next_frame_on(void **state) {
  struct probe added = PROBE('+', SBP_MATCH_TYPE, 5);
  struct probe adds = PROBE('1', SBP_MATCH_TYPE, 5);
  struct probe last = PROBE('2', SBP_MATCH_ALL, 0);
  (void)state;
  added.handler.context = &added;
  adds.adds = &added;
  add(&adds);
  add(&last);
  assert_string_equal(dispatch(5, 6), "12");
  assert_string_equal(dispatch(5, 6), "1+2");
  /* Taken out and added again by itself or another: not twice for one frame. */
  adds.removes = &added;
  assert_string_equal(dispatch(5, 6), "12");
  assert_string_equal(dispatch(5, 6), "12");
  adds.removes = NULL;
  adds.adds = NULL;
  added.removes = &added;
  added.adds = &added;
  assert_string_equal(dispatch(5, 6), "1+2");
  assert_string_equal(dispatch(5, 6), "1+2");
}

static void a_handler_may_dispatch_another_frame(void **state) {
  static const struct sbp_frame inner = {.type = 5, .sender = 7};
  struct probe outer = PROBE('1', SBP_MATCH_TYPE, 5);
  struct probe removes = PROBE('2', SBP_MATCH_TYPE, 5);
  struct probe removed = PROBE('3', SBP_MATCH_TYPE, 5);
  struct probe added = PROBE('+', SBP_MATCH_TYPE, 5);
  struct probe last = PROBE('4', SBP_MATCH_TYPE, 5);
  const struct sbp_frame frame = {.type = 5, .sender = 6};
  (void)state;
  add(&outer);
  add(&removes);
  add(&removed);
  add(&last);
  added.handler.context = &added;
  outer.adds = &added;
  outer.dispatches = &inner;
  removes.removes = &removed;
  calls[0] = '\0';
  /* What the outer one adds is there for the inner frame; what is removed in the inner call is gone from the outer. */
  assert_int_equal(sbp_dispatch(&dispatcher, &frame), 3);
  assert_string_equal(calls, "1"
                             "124+"
                             "24");
  assert_null(dispatcher.cursors);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(handlers_are_called_by_type_then_sender_then_all_in_order_of_adding, begin),
      cmocka_unit_test_setup(every_type_and_sender_has_handlers_of_its_own, begin),
      cmocka_unit_test_setup(the_lists_are_short_with_a_handler_for_every_message, begin),
      cmocka_unit_test_setup(a_removed_handler_is_not_called_and_its_memory_is_free, begin),
      cmocka_unit_test_setup(adding_twice_and_removing_what_is_not_there_do_nothing, begin),
      cmocka_unit_test_setup(a_handler_may_remove_itself_and_any_other, begin),
      cmocka_unit_test_setup(what_a_handler_adds_is_called_from_the_next_frame_on, begin),
      cmocka_unit_test_setup(a_handler_may_dispatch_another_frame, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
