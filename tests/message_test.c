/* SPDX-License-Identifier: MIT */
/* The built-in table, and finding things in it. Where SBPKIT_REFERENCE names the folder with the list of all messages,
 * the table is compared with it field by field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "message.h"

static const struct sbp_schema *const schema = &sbp_schema_builtin;

static const char *near(const char *name) {
  const struct sbp_message *const message = sbp_message_near_name(schema, name, strlen(name));
  return message == NULL ? "none" : message->body.name;
}

static const char *near_field(const char *message, const char *name) {
  const struct sbp_message *const found = sbp_message_by_name(schema, message, strlen(message));
  assert_non_null(found);
  const char *const field = sbpi_near_field(&found->body, name, strlen(name));
  return field == NULL ? "none" : field;
}

static void every_status_has_a_text_of_its_own(void **state) {
  (void)state;
  for (int i = SBP_OK; i <= SBP_ERROR_MEMORY; i++)
    for (int j = SBP_OK; j < i; j++)
      assert_string_not_equal(sbp_status_text((enum sbp_status)i), sbp_status_text((enum sbp_status)j));
  assert_string_equal(sbp_status_text(SBP_OK), "no error");
  assert_string_equal(sbp_status_text(SBP_ERROR_CRC), "wrong CRC");
  assert_string_equal(sbp_status_text(SBP_ERROR_MEMORY), "out of memory");
}

static void a_number_that_is_no_status_has_a_text_too(void **state) {
  (void)state;
  assert_string_equal(sbp_status_text((enum sbp_status)(SBP_ERROR_MEMORY + 1)), "unknown status");
  assert_string_equal(sbp_status_text((enum sbp_status) - 1), "unknown status");
}

static void every_message_is_found_by_its_id_and_by_its_name(void **state) {
  (void)state;
  assert_int_equal(schema->count, 242);
  assert_string_equal(schema->version, "6.5.2");
  unsigned found = 0;
  for (unsigned id = 0; id <= UINT16_MAX; id++) {
    const struct sbp_message *const message = sbp_message_by_id(schema, (uint16_t)id);
    if (message == NULL)
      continue;
    assert_int_equal(message->id, id);
    assert_ptr_equal(message, schema->messages[found]);
    assert_ptr_equal(sbp_message_by_name(schema, message->body.name, strlen(message->body.name)), message);
    assert_non_null(message->write_fields);
    found++;
  }
  assert_int_equal(found, schema->count);
}

static void a_name_counts_in_full_and_no_further(void **state) {
  (void)state;
  assert_int_equal(sbp_message_by_name(schema, "MSG_OBS_AND_MORE", 7)->id, 74);
  assert_null(sbp_message_by_name(schema, "MSG_OBS", 6));
  assert_null(sbp_message_by_name(schema, "MSG_OBS\0X", 9));
  assert_null(sbp_message_by_name(schema, "msg_obs", 7));
  assert_null(sbp_message_by_name(schema, "", 0));
  assert_null(sbp_message_by_name(schema, "AAA", 3));
  assert_null(sbp_message_by_name(schema, "\xff\xff", 2));
}

static void a_mistyped_message_name_has_a_near_one(void **state) {
  (void)state;
  assert_string_equal(near("MSG_POS_LHL"), "MSG_POS_LLH");
  assert_string_equal(near("msg_pos_llh"), "MSG_POS_LLH");
  assert_string_equal(near("POS_LLH"), "MSG_POS_LLH");
  assert_string_equal(near("pos_lh"), "MSG_POS_LLH");
  assert_string_equal(near("MGS_POS_LLH"), "MSG_POS_LLH");
  assert_string_equal(near("MSGPOS_LLH"), "MSG_POS_LLH");
  assert_string_equal(near("heartbeet"), "MSG_HEARTBEAT");
  assert_string_equal(near("MSG_OB"), "MSG_OBS");
  assert_string_equal(near("MsgHeartbeat"), "MSG_HEARTBEAT");
  assert_string_equal(near("MSG FILEIO_READ_RESP"), "MSG_FILEIO_READ_RESP");
}

static void what_is_like_no_message_has_no_near_one(void **state) {
  (void)state;
  assert_string_equal(near(""), "none");
  assert_string_equal(near("MSG_"), "none");
  assert_string_equal(near("MSG_X"), "none");
  assert_string_equal(near("flags"), "none");
  assert_string_equal(near("MSG_TEMPERATURE_OF_THE_SEA"), "none");
  char endless[10000];
  memset(endless, 'A', sizeof(endless));
  memcpy(endless, "MSG_POS_LLH", 11);
  assert_null(sbp_message_near_name(schema, endless, sizeof(endless)));
}

static void a_mistyped_field_has_a_near_one(void **state) {
  (void)state;
  assert_string_equal(near_field("MSG_HEARTBEAT", "falgs"), "flags");
  assert_string_equal(near_field("MSG_HEARTBEAT", "FLAGS"), "flags");
  assert_string_equal(near_field("MSG_HEARTBEAT", "flag"), "flags");
  assert_string_equal(near_field("MSG_POS_LLH", "heigth"), "height");
  assert_string_equal(near_field("MSG_POS_LLH", "h_acuracy"), "h_accuracy");
  assert_string_equal(near_field("MSG_POS_LLH", "LAT"), "lat");
}

static void what_is_like_no_field_has_no_near_one(void **state) {
  (void)state;
  assert_string_equal(near_field("MSG_HEARTBEAT", "host"), "none");
  assert_string_equal(near_field("MSG_HEARTBEAT", ""), "none");
  assert_string_equal(near_field("MSG_SETTINGS_SAVE", "flags"), "none");
  assert_string_equal(near_field("MSG_BASELINE_NED", "q"), "none");
}

static void edits_are_counted_with_swaps_and_without_regard_to_case(void **state) {
  static const struct {
    const char *a, *b;
    unsigned edits;
  } cases[] = {{"abc", "abc", 0},   {"abc", "ABC", 0}, {"", "abc", 3},           {"abc", "", 3},
               {"abc", "acb", 1},   {"ca", "abc", 3},  {"kitten", "sitting", 3}, {"ab", "ba", 1},
               {"flaw", "lawn", 2}, {"a_b", "a-b", 1}, {"abcd", "badc", 2}};
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    unsigned distance = 100;
    assert_true(sbpi_nearer(cases[i].a, strlen(cases[i].a), cases[i].b, strlen(cases[i].b), &distance));
    assert_int_equal(distance, cases[i].edits);
    assert_false(sbpi_nearer(cases[i].a, strlen(cases[i].a), cases[i].b, strlen(cases[i].b), &distance));
    assert_int_equal(distance, cases[i].edits);
  }
}

static void the_longest_names_can_be_near(void **state) {
  char name[SBPI_NAME_MAX + 1];
  char candidate[SBPI_NAME_MAX + 1];
  (void)state;
  memset(name, 'n', sizeof(name));
  memset(candidate, 'n', sizeof(candidate));
  candidate[SBPI_NAME_MAX - 1] = 'x';
  unsigned distance = 2;
  assert_true(sbpi_nearer(name, SBPI_NAME_MAX, candidate, SBPI_NAME_MAX, &distance));
  assert_int_equal(distance, 1);
  distance = 9;
  assert_false(sbpi_nearer(candidate, SBPI_NAME_MAX, name, SBPI_NAME_MAX + 1, &distance));
  assert_false(sbpi_nearer(name, SBPI_NAME_MAX + 1, candidate, SBPI_NAME_MAX, &distance));
}

/* ---- The reference ---------------------------------------------------------------------------------------------- */

/* Write a field as the list does: name:type, with [4], [], and of strings (20) or how they end. */
static int describe(const struct sbp_field *field, char *text, size_t size) {
  static const char *const types[] = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "float", "double"};
  static const char *const strings[] = {[SBP_UNTERMINATED] = "str",
                                        [SBP_NULL_TERMINATED] = "strz",
                                        [SBP_MULTIPART] = "strm",
                                        [SBP_DOUBLE_NULL_TERMINATED] = "strzz"};
  char count[16] = "";
  if (field->type == SBP_STRING && field->encoding == SBP_FIXED)
    return snprintf(text, size, " %s:str(%d)", field->name, field->size);
  if (field->type == SBP_STRING)
    return snprintf(text, size, " %s:%s", field->name, strings[field->encoding]);
  if (field->repeat == SBP_FIXED_ARRAY)
    snprintf(count, sizeof(count), "[%d]", field->count);
  else if (field->repeat == SBP_VARIABLE_ARRAY)
    strcpy(count, "[]");
  return snprintf(text, size, " %s:%s%s", field->name,
                  field->type == SBP_STRUCT ? field->element->name : types[field->type], count);
}

static void describe_body(const struct sbp_struct *body, char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "%s %d%s", body->name, body->size, body->field_count == 0 ? " " : "");
  for (unsigned i = 0; i < body->field_count; i++)
    length += (size_t)describe(&body->fields[i], text + length, size - length);
  assert_true(length < size);
}

/* The struct of this name in a body, however deep, or NULL. */
static const struct sbp_struct *find_struct(const struct sbp_struct *body, const char *name, size_t length) {
  for (unsigned i = 0; i < body->field_count; i++) {
    const struct sbp_struct *const element = body->fields[i].element;
    if (element == NULL)
      continue;
    const struct sbp_struct *const found = strlen(element->name) == length && memcmp(element->name, name, length) == 0
                                               ? element
                                               : find_struct(element, name, length);
    if (found != NULL)
      return found;
  }
  return NULL;
}

static void the_table_is_that_of_the_reference(void **state) {
  const char *const reference = getenv("SBPKIT_REFERENCE");
  char path[1000];
  char line[2000];
  char mine[2000];
  unsigned messages = 0;
  unsigned structs = 0;
  (void)state;
  if (reference == NULL) {
    print_message("SBPKIT_REFERENCE is not set\n");
    skip();
  }
  snprintf(path, sizeof(path), "%s/reference/messages.txt", reference);
  FILE *const file = fopen(path, "r");
  if (file == NULL)
    fail_msg("%s cannot be read", path);
  while (fgets(line, sizeof(line), file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == 'M') {
      char *rest;
      const struct sbp_message *const message = sbp_message_by_id(schema, (uint16_t)strtoul(line + 2, &rest, 10));
      if (message == NULL)
        fail_msg("missing: %s", line);
      describe_body(&message->body, mine, sizeof(mine));
      assert_string_equal(mine, rest + 1);
      messages++;
    } else if (line[0] == 'S') {
      const struct sbp_struct *found = NULL;
      for (uint32_t i = 0; i < schema->count && found == NULL; i++)
        found = find_struct(&schema->messages[i]->body, line + 2, strcspn(line + 2, " "));
      if (found == NULL)
        continue; /* No message holds it, and so the table does not. */
      describe_body(found, mine, sizeof(mine));
      assert_string_equal(mine, line + 2);
      structs++;
    }
  }
  fclose(file);
  assert_int_equal(messages, schema->count);
  assert_int_equal(structs, 63);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_a_text_of_its_own),
      cmocka_unit_test(a_number_that_is_no_status_has_a_text_too),
      cmocka_unit_test(every_message_is_found_by_its_id_and_by_its_name),
      cmocka_unit_test(a_name_counts_in_full_and_no_further),
      cmocka_unit_test(a_mistyped_message_name_has_a_near_one),
      cmocka_unit_test(what_is_like_no_message_has_no_near_one),
      cmocka_unit_test(a_mistyped_field_has_a_near_one),
      cmocka_unit_test(what_is_like_no_field_has_no_near_one),
      cmocka_unit_test(edits_are_counted_with_swaps_and_without_regard_to_case),
      cmocka_unit_test(the_longest_names_can_be_near),
      cmocka_unit_test(the_table_is_that_of_the_reference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
