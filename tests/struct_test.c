/* SPDX-License-Identifier: MIT */
/* Views and structs of all messages, and strings of structs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accessors.h"
#include "random.h"

static uint32_t random_state = 1;

static uint32_t next_random(void) {
  return random_next(&random_state);
}

/* Any bytes; any with many NULs, which end strings; and ones, which never do. */
static void fill(uint8_t *payload, size_t size) {
  const uint32_t kind = next_random() % 4;
  for (size_t i = 0; i < size; i++) {
    const uint32_t number = next_random();
    payload[i] = kind == 0 ? 1 : kind == 1 && number >> 30 == 0 ? 0 : (uint8_t)(number >> 8);
  }
}

static void every_message_reads_the_same_by_view_struct_and_table_at_every_length(void **state) {
  (void)state;
  assert_int_equal(accessor_count, 242);
  for (size_t i = 0; i < accessor_count; i++)
    for (unsigned size = 0; size <= SBP_PAYLOAD_MAX; size++) {
      uint8_t payload[SBP_PAYLOAD_MAX];
      fill(payload, size);
      const char *const wrong = check_accessor(&accessors[i], payload, (uint8_t)size, next_random() % 16);
      if (wrong != NULL)
        fail_msg("type %d, %u bytes: %s", accessors[i].id, size, wrong);
    }
}

/* A frame as it may arrive: one that was, with bytes changed, cut off or added, and a CRC that holds nevertheless. */
static size_t mutate(uint8_t *bytes, size_t size, uint16_t type) {
  uint8_t *const payload = bytes + SBP_FRAME_HEADER;
  size_t length = size - SBP_FRAME_OVERHEAD;
  if (next_random() % 4 == 0) {
    const size_t longer = next_random() % (SBP_PAYLOAD_MAX + 1);
    for (size_t i = length; i < longer; i++)
      payload[i] = (uint8_t)(next_random() >> 24);
    length = longer;
  }
  for (uint32_t changes = next_random() % 8; changes > 0 && length > 0; changes--) {
    const uint32_t place = next_random() % (uint32_t)length;
    payload[place] = next_random() % 4 == 0 ? 0 : (uint8_t)(payload[place] ^ 1u << next_random() % 8);
  }
  return sbp_frame_pack(SBP_CPU_PORTABLE, type, 66, payload, (uint8_t)length, bytes);
}

static void mutated_frames_read_the_same_by_view_struct_and_table(void **state) {
  enum { FRAMES = 100000 };
  (void)state;
  const char *const scale = getenv("SBPKIT_TEST_SCALE");
  const double frames = FRAMES * (scale == NULL ? 1 : strtod(scale, NULL));
  uint8_t bytes[SBP_FRAME_MAX];
  struct sbp_scanner scanner = {.cpu = SBP_CPU_PORTABLE};
  struct sbp_frame frame;
  size_t size = SBP_FRAME_OVERHEAD, used;
  for (unsigned i = 0; i < frames; i++) {
    const struct accessor *const accessor = &accessors[next_random() % accessor_count];
    size = mutate(bytes, size, accessor->id);
    assert_int_equal(sbp_scan(&scanner, bytes, size, true, &frame, &used), SBP_OK);
    const char *const wrong = check_accessor(accessor, frame.payload, frame.length, next_random() % 16);
    if (wrong != NULL)
      fail_msg("frame %u, type %d, %d bytes: %s", i, frame.type, frame.length, wrong);
  }
}

static void the_structs_say_which_version_they_follow(void **state) {
  (void)state;
  assert_string_equal(sbp_protocol_version(), SBP_PROTOCOL_VERSION);
  assert_string_equal(sbp_protocol_version(), sbp_schema_builtin.version);
}

/* ---- Known values ------------------------------------------------------------------------------------------------ */

/* tow 100,000; lat 37.5; lon -122.25; height 15.0; accuracies 1 and 2; 12 satellites; flags 0x0c: SBAS and height. */
static const uint8_t position[] = {0xa0, 0x86, 0x01, 0x00, 0, 0, 0, 0, 0, 0xc0, 0x42, 0x40, 0, 0, 0, 0,    0,
                                   0x90, 0x5e, 0xc0, 0,    0, 0, 0, 0, 0, 0x2e, 0x40, 1,    0, 2, 0, 0x0c, 0x14};

static void a_position_is_read_where_it_stands(void **state) {
  (void)state;
  uint8_t bytes[SBP_FRAME_MAX + 1];
  const size_t size =
      sbp_frame_pack(SBP_CPU_PORTABLE, SBP_MSG_POS_LLH, 66, position, (uint8_t)sizeof position, bytes + 1);
  struct sbp_scanner scanner = {.cpu = SBP_CPU_PORTABLE};
  struct sbp_frame frame;
  size_t used;
  assert_int_equal(sbp_scan(&scanner, bytes + 1, size, true, &frame, &used), SBP_OK);
  struct sbp_view view;
  assert_true(SBP_VIEW(&view, &frame, SBP_MSG_POS_LLH));
  assert_int_equal(sbp_view_u32(view, SBP_MSG_POS_LLH_TOW), 100000);
  assert_true(sbp_view_double(view, SBP_MSG_POS_LLH_LAT) == 37.5);
  assert_true(sbp_view_double(view, SBP_MSG_POS_LLH_LON) == -122.25);
  assert_true(sbp_view_double(view, SBP_MSG_POS_LLH_HEIGHT) == 15.0);
  assert_int_equal(sbp_view_u16(view, SBP_MSG_POS_LLH_V_ACCURACY), 2);
  assert_int_equal(sbp_view_u8(view, SBP_MSG_POS_LLH_N_SATS), 12);
  const uint8_t flags = sbp_view_u8(view, SBP_MSG_POS_LLH_FLAGS);
  assert_int_equal(sbp_bits_get(flags, SBP_MSG_POS_LLH_FLAGS_FIX_MODE), SBP_MSG_POS_LLH_FLAGS_FIX_MODE_FIXED_RTK);
  assert_false(SBP_VIEW(&view, &frame, SBP_MSG_POS_ECEF));
}

static void a_position_is_written_as_it_stands(void **state) {
  (void)state;
  const struct sbp_msg_pos_llh pos = {
      .tow = 100000,
      .lat = 37.5,
      .lon = -122.25,
      .height = 15.0,
      .h_accuracy = 1,
      .v_accuracy = 2,
      .n_sats = 12,
      .flags = (uint8_t)sbp_bits_set(0x10, SBP_MSG_POS_LLH_FLAGS_FIX_MODE, SBP_MSG_POS_LLH_FLAGS_FIX_MODE_FIXED_RTK)};
  uint8_t payload[SBP_MSG_POS_LLH_SIZE_MIN];
  uint8_t size;
  assert_true(sbp_encode_msg_pos_llh(&pos, payload, &size));
  assert_int_equal(size, sizeof position);
  assert_memory_equal(payload, position, sizeof position);
}

/* 200 observations' worth of header, one whole observation, and a byte that is too few for a second. */
static void an_array_has_the_whole_elements_that_the_payload_holds(void **state) {
  (void)state;
  uint8_t payload[11 + 17 + 16] = {0};
  payload[11 + 4] = 0xfe; /* L.i, -2 */
  memset(payload + 11 + 5, 0xff, 3);
  payload[11 + 15] = 7; /* sid.sat */
  struct sbp_msg_obs obs;
  assert_true(sbp_decode_msg_obs(&obs, payload, sizeof payload));
  assert_int_equal(obs.obs_count, 1);
  assert_int_equal(obs.obs[0].L.i, -2);
  assert_int_equal(obs.obs[0].sid.sat, 7);
  const struct sbp_view view = {payload, sizeof payload};
  assert_int_equal(sbp_view_count(view, SBP_MSG_OBS_OBS), 1);
  const struct sbp_view first = sbp_view_element(view, SBP_MSG_OBS_OBS, 0);
  const struct sbp_view phase = sbp_view_struct(first, SBP_PACKED_OBS_CONTENT_L);
  assert_int_equal(sbp_view_s32(phase, SBP_CARRIER_PHASE_I), -2);
  assert_int_equal(sbp_view_bytes(view, SBP_MSG_OBS_OBS).size, 17);
}

/* ---- What is not there ------------------------------------------------------------------------------------------- */

static void what_is_not_there_reads_as_zero_or_empty(void **state) {
  (void)state;
  static const uint8_t bytes[] = {1, 2, 3};
  const struct sbp_view views[] = {{NULL, 0}, {bytes, 3}, {bytes, 0}};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(sbp_view_u32(views[i], SBP_MSG_POS_LLH_TOW), 0);
    assert_true(sbp_view_double(views[i], SBP_MSG_POS_LLH_LAT) == 0);
    assert_int_equal(sbp_view_string(views[i], SBP_MSG_FILEIO_WRITE_REQ_FILENAME).length, 0);
    assert_int_equal(sbp_view_behind(views[i], SBP_MSG_FILEIO_WRITE_REQ_FILENAME).size, views[i].size);
    assert_int_equal(sbp_view_count(views[i], SBP_MSG_OBS_OBS), 0);
    assert_null(sbp_view_element(views[i], SBP_MSG_OBS_OBS, 0).bytes);
    assert_null(sbp_view_struct(views[i], SBP_MSG_OBS_HEADER).bytes);
  }
  /* A number is there in whole or not at all. */
  static const uint8_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  for (size_t size = 0; size <= 8; size++) {
    const struct sbp_view view = {ones, size};
    assert_int_equal(sbp_view_u8(view, 0), size < 1 ? 0 : 1);
    assert_int_equal(sbp_view_u16(view, 0), size < 2 ? 0 : 0x0101);
    assert_int_equal(sbp_view_u32(view, 0), size < 4 ? 0 : 0x01010101);
    assert_true(sbp_view_u64(view, 0) == (size < 8 ? 0 : 0x0101010101010101));
  }
}

static void a_constant_that_is_none_is_harmless(void **state) {
  (void)state;
  uint8_t bytes[SBP_PAYLOAD_MAX];
  memset(bytes, 7, sizeof bytes);
  for (unsigned round = 0; round < 100000; round++) {
    /* Any of its parts may be 0. */
    uint32_t field = next_random();
    for (unsigned shift = 0; shift < 32; shift += 8)
      field &= next_random() >> 31 == 0 ? ~((uint32_t)255 << shift) : UINT32_MAX;
    const struct sbp_view view = {bytes, next_random() % sizeof bytes};
    const struct sbp_view all = sbp_view_bytes(view, field);
    assert_true(all.size == 0 || (all.bytes >= bytes && all.bytes + all.size <= bytes + view.size));
    const struct sbp_view behind = sbp_view_behind(view, field);
    assert_true(behind.size == 0 || behind.bytes + behind.size == bytes + view.size);
    assert_true(sbp_view_count(view, field) <= SBP_PAYLOAD_MAX);
    const struct sbp_view element = sbp_view_element(view, field, next_random() % 4);
    assert_true(element.size == 0 || element.bytes + element.size <= bytes + view.size);
    assert_true(sbp_view_string(view, field).length <= all.size);
    assert_true(sbp_view_u64(view, field) % 0x0707070707070707 == 0);
  }
}

/* ---- Strings ----------------------------------------------------------------------------------------------------- */

static void check_string(const struct sbp_string *string, const char *bytes, size_t size) {
  assert_int_equal(string->length, size);
  assert_memory_equal(string->text, bytes, size);
  assert_int_equal(string->text[size], 0);
}

static void a_text_gets_the_terminators_of_its_encoding(void **state) {
  (void)state;
  struct sbp_string string;
  assert_true(sbp_string_set(&string, SBP_MSG_LOG_TEXT, "hi"));
  check_string(&string, "hi", 2);
  assert_true(sbp_string_set(&string, SBP_MSG_COMMAND_REQ_COMMAND, "hi"));
  check_string(&string, "hi\0", 3);
  assert_true(sbp_string_set(&string, SBP_MSG_SETTINGS_WRITE_SETTING, "hi"));
  check_string(&string, "hi\0", 3);
  assert_true(sbp_string_set(&string, SBP_MSG_LINUX_PROCESS_FD_SUMMARY_MOST_OPENED, "hi"));
  check_string(&string, "hi\0\0", 4);
}

static void parts_are_added_where_the_encoding_has_them(void **state) {
  (void)state;
  struct sbp_string string = {0};
  assert_true(sbp_string_add(&string, SBP_MSG_SETTINGS_WRITE_SETTING, "section"));
  assert_true(sbp_string_add(&string, SBP_MSG_SETTINGS_WRITE_SETTING, ""));
  assert_true(sbp_string_add(&string, SBP_MSG_SETTINGS_WRITE_SETTING, "9"));
  check_string(&string, "section\0\0009\0", 11);

  string.length = 0;
  assert_true(sbp_string_add(&string, SBP_MSG_LINUX_PROCESS_FD_SUMMARY_MOST_OPENED, "a"));
  assert_true(sbp_string_add(&string, SBP_MSG_LINUX_PROCESS_FD_SUMMARY_MOST_OPENED, "b"));
  check_string(&string, "a\0b\0\0", 5);

  assert_true(sbp_string_set(&string, SBP_MSG_COMMAND_REQ_COMMAND, "a"));
  assert_true(sbp_string_add(&string, SBP_MSG_COMMAND_REQ_COMMAND, "b"));
  check_string(&string, "ab\0", 3);
  assert_int_equal(sbp_string_get(&string, SBP_MSG_COMMAND_REQ_COMMAND).length, 2);

  assert_true(sbp_string_set(&string, SBP_MSG_LOG_TEXT, "a"));
  assert_true(sbp_string_add(&string, SBP_MSG_LOG_TEXT, "b"));
  check_string(&string, "ab", 2);
}

static void parts_are_stepped_through(void **state) {
  static const char *const parts[] = {"section", "", "9"};
  (void)state;
  struct sbp_string string = {0};
  for (size_t i = 0; i < 3; i++)
    assert_true(sbp_string_add(&string, SBP_MSG_SETTINGS_WRITE_SETTING, parts[i]));
  struct sbp_span rest = sbp_string_get(&string, SBP_MSG_SETTINGS_WRITE_SETTING);
  struct sbp_span part;
  for (size_t i = 0; i < 3; i++) {
    assert_true(sbp_string_next(&rest, SBP_MSG_SETTINGS_WRITE_SETTING, &part));
    assert_int_equal(part.length, strlen(parts[i]));
    assert_memory_equal(part.text, parts[i], part.length);
  }
  assert_false(sbp_string_next(&rest, SBP_MSG_SETTINGS_WRITE_SETTING, &part));

  const uint32_t field = SBP_MSG_LINUX_PROCESS_FD_SUMMARY_MOST_OPENED;
  assert_true(sbp_string_set(&string, field, "file"));
  rest = sbp_string_get(&string, field);
  assert_true(sbp_string_next(&rest, field, &part));
  assert_int_equal(part.length, 4);
  assert_false(sbp_string_next(&rest, field, &part));
}

static void a_text_that_does_not_fit_changes_nothing(void **state) {
  (void)state;
  char text[300];
  struct sbp_string string;
  /* A payload has 254 bytes behind the level. */
  memset(text, 'x', sizeof text);
  text[254] = '\0';
  assert_true(sbp_string_set(&string, SBP_MSG_LOG_TEXT, text));
  check_string(&string, text, 254);
  text[254] = 'x';
  text[255] = '\0';
  assert_false(sbp_string_set(&string, SBP_MSG_LOG_TEXT, text));
  assert_false(sbp_string_add(&string, SBP_MSG_LOG_TEXT, "y"));
  check_string(&string, text, 254);
  /* With its NUL. */
  assert_false(sbp_string_set(&string, SBP_MSG_COMMAND_REQ_COMMAND, text));
  text[254] = '\0';
  assert_false(sbp_string_set(&string, SBP_MSG_COMMAND_REQ_COMMAND, text + 3));
  assert_true(sbp_string_set(&string, SBP_MSG_COMMAND_REQ_COMMAND, text + 4));
}

static void a_fixed_string_is_padded(void **state) {
  (void)state;
  struct sbp_msg_thread_state thread;
  memset(&thread, 'x', sizeof thread);
  assert_true(sbp_fixed_string_set(thread.name, SBP_MSG_THREAD_STATE_NAME, "main"));
  assert_memory_equal(thread.name, "main\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 21);
  assert_true(sbp_fixed_string_set(thread.name, SBP_MSG_THREAD_STATE_NAME, "abcdefghijklmnopqrst"));
  assert_string_equal(thread.name, "abcdefghijklmnopqrst");
  assert_false(sbp_fixed_string_set(thread.name, SBP_MSG_THREAD_STATE_NAME, "abcdefghijklmnopqrstu"));
  assert_string_equal(thread.name, "abcdefghijklmnopqrst");
}

static void an_empty_string_is_encoded_as_its_least(void **state) {
  (void)state;
  const struct sbp_msg_command_req request = {.sequence = 1};
  uint8_t payload[SBP_PAYLOAD_MAX];
  uint8_t size;
  memset(payload, 'x', sizeof payload);
  assert_true(sbp_encode_msg_command_req(&request, payload, &size));
  assert_int_equal(size, 5);
  assert_memory_equal(payload, "\1\0\0\0\0x", 6);
}

/* ---- A string that others follow --------------------------------------------------------------------------------- */

static void what_stands_behind_a_string_is_found_behind_its_nul(void **state) {
  (void)state;
  static const uint8_t payload[] = "\1\0\0\0\2\0\0\0name\0data\0";
  const struct sbp_view view = {payload, sizeof payload - 1};
  assert_int_equal(sbp_view_string(view, SBP_MSG_FILEIO_WRITE_REQ_FILENAME).length, 4);
  const struct sbp_view behind = sbp_view_behind(view, SBP_MSG_FILEIO_WRITE_REQ_FILENAME);
  const struct sbp_view data = sbp_view_bytes(behind, SBP_MSG_FILEIO_WRITE_REQ_DATA);
  assert_int_equal(data.size, 5);
  assert_memory_equal(data.bytes, "data", 5);

  struct sbp_msg_fileio_write_req request;
  assert_true(sbp_decode_msg_fileio_write_req(&request, payload, sizeof payload - 1));
  check_string(&request.filename, "name\0", 5);
  assert_int_equal(request.data_count, 5);
  assert_memory_equal(request.data, "data", 5);
}

static void a_string_that_others_follow_must_end_with_its_only_nul(void **state) {
  (void)state;
  struct sbp_msg_fileio_write_req request = {.data_count = 1};
  uint8_t payload[SBP_PAYLOAD_MAX];
  uint8_t size;
  memcpy(request.filename.text, "a\0b", 4);
  request.filename.length = 2;
  assert_true(sbp_encode_msg_fileio_write_req(&request, payload, &size));
  assert_int_equal(size, 11);
  request.filename.length = 1;
  assert_false(sbp_encode_msg_fileio_write_req(&request, payload, &size));
  request.filename.length = 4;
  assert_false(sbp_encode_msg_fileio_write_req(&request, payload, &size));
  /* Without a NUL it takes the rest, which may only be nothing. */
  request.data_count = 0;
  request.filename.length = 1;
  assert_true(sbp_encode_msg_fileio_write_req(&request, payload, &size));
}

static void what_is_longer_than_a_payload_is_not_encoded(void **state) {
  (void)state;
  static struct sbp_msg_obs obs;
  static struct sbp_msg_log log;
  static struct sbp_msg_fileio_write_req request;
  uint8_t payload[SBP_PAYLOAD_MAX];
  uint8_t size;
  obs.obs_count = 14;
  assert_true(sbp_encode_msg_obs(&obs, payload, &size));
  assert_int_equal(size, 11 + 14 * 17);
  obs.obs_count = 15;
  assert_false(sbp_encode_msg_obs(&obs, payload, &size));
  log.text.length = 254;
  assert_true(sbp_encode_msg_log(&log, payload, &size));
  log.text.length = 255;
  assert_false(sbp_encode_msg_log(&log, payload, &size));

  assert_true(sbp_string_set(&request.filename, SBP_MSG_FILEIO_WRITE_REQ_FILENAME, "name"));
  request.data_count = 242;
  assert_true(sbp_encode_msg_fileio_write_req(&request, payload, &size));
  assert_int_equal(size, 255);
  request.data_count = 243;
  assert_false(sbp_encode_msg_fileio_write_req(&request, payload, &size));
}

static void bits_are_taken_out_and_put_in(void **state) {
  (void)state;
  const uint32_t low = 0x0200, all = 63 << 8, high = 63 | 63 << 8;
  assert_int_equal(sbp_bits_get(0xfd, low), 5);
  assert_int_equal(sbp_bits_set(0xff, low, 2), 0xfa);
  assert_int_equal(sbp_bits_set(0, low, 0x1f), 7);
  assert_true(sbp_bits_get(UINT64_MAX, all) == UINT64_MAX);
  assert_true(sbp_bits_set(0, all, UINT64_MAX - 1) == UINT64_MAX - 1);
  assert_true(sbp_bits_get((uint64_t)1 << 63, high) == 1);
  assert_true(sbp_bits_set(0, high, 1) == (uint64_t)1 << 63);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_message_reads_the_same_by_view_struct_and_table_at_every_length),
      cmocka_unit_test(mutated_frames_read_the_same_by_view_struct_and_table),
      cmocka_unit_test(the_structs_say_which_version_they_follow),
      cmocka_unit_test(a_position_is_read_where_it_stands),
      cmocka_unit_test(a_position_is_written_as_it_stands),
      cmocka_unit_test(an_array_has_the_whole_elements_that_the_payload_holds),
      cmocka_unit_test(what_is_not_there_reads_as_zero_or_empty),
      cmocka_unit_test(a_constant_that_is_none_is_harmless),
      cmocka_unit_test(a_text_gets_the_terminators_of_its_encoding),
      cmocka_unit_test(parts_are_added_where_the_encoding_has_them),
      cmocka_unit_test(parts_are_stepped_through),
      cmocka_unit_test(a_text_that_does_not_fit_changes_nothing),
      cmocka_unit_test(a_fixed_string_is_padded),
      cmocka_unit_test(an_empty_string_is_encoded_as_its_least),
      cmocka_unit_test(what_stands_behind_a_string_is_found_behind_its_nul),
      cmocka_unit_test(a_string_that_others_follow_must_end_with_its_only_nul),
      cmocka_unit_test(what_is_longer_than_a_payload_is_not_encoded),
      cmocka_unit_test(bits_are_taken_out_and_put_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
