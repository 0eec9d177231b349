/* SPDX-License-Identifier: MIT */
/* The library's smaller functions: each gives what its definition says, worked out slowly, or what another parser says.
 */
#include <jansson.h>

#include "fuzz.h"
#include "sbpkit/sbp.h"

static const enum sbp_cpu portable = SBP_CPU_PORTABLE;

/* ---- CRC, base64, frames ---- */

static void check_crc(const uint8_t *data, size_t size) {
  const uint16_t right = fuzz_crc(data, size);
  uint16_t crc = 0;
  FUZZ_CHECK(sbp_crc16(portable, 0, data, size) == right);
  FUZZ_CHECK(sbp_crc16(sbp_cpu_best(), 0, data, size) == right);
  uint32_t pieces = (uint32_t)size + 1;
  for (size_t at = 0, step; at < size; at += step) {
    step = fuzz_piece(&pieces);
    step = step < size - at ? step : size - at;
    crc = sbp_crc16(at % 2 == 0 ? portable : sbp_cpu_best(), crc, data + at, step);
  }
  FUZZ_CHECK(crc == right);
}

static void check_base64(const uint8_t *data, size_t size) {
  const size_t text_size = SBP_BASE64_SIZE(size);
  char *const text = malloc(text_size + 1), *const other = malloc(text_size + 1);
  uint8_t *const back = malloc(text_size + 1);
  FUZZ_CHECK(text != NULL && other != NULL && back != NULL);
  FUZZ_CHECK(sbp_base64_encode(portable, data, size, text) == text + text_size);
  FUZZ_CHECK(sbp_base64_encode(sbp_cpu_best(), data, size, other) == other + text_size);
  FUZZ_CHECK(memcmp(text, other, text_size) == 0);
  FUZZ_CHECK(fuzz_base64(text, text_size, back) == (ptrdiff_t)size && memcmp(back, data, size) == 0);
  free(other);
  free(text);
  free(back);
}

static void check_base64_text(const uint8_t *data, size_t size) {
  uint8_t *const right = malloc(size + 1);
  FUZZ_CHECK(right != NULL);
  const ptrdiff_t count = fuzz_base64((const char *)data, size, right);
  for (int way = 0; way < 2; way++) {
    uint8_t *const out = malloc(size / 4 * 3 + 1);
    FUZZ_CHECK(out != NULL);
    FUZZ_CHECK(sbp_base64_decode(way == 0 ? portable : sbp_cpu_best(), (const char *)data, size, out) == count);
    FUZZ_CHECK(count <= 0 || memcmp(out, right, (size_t)count) == 0);
    free(out);
  }
  free(right);
}

static void check_pack(const uint8_t *data, size_t size) {
  if (size < 4 || size > 4 + SBP_PAYLOAD_MAX)
    return;
  const size_t length = size - 4;
  uint8_t *const out = malloc(length + SBP_FRAME_OVERHEAD), *const in_place = malloc(length + SBP_FRAME_OVERHEAD);
  FUZZ_CHECK(out != NULL && in_place != NULL);
  const uint16_t type = (uint16_t)(data[0] | data[1] << 8), sender = (uint16_t)(data[2] | data[3] << 8);
  FUZZ_CHECK(sbp_frame_pack(sbp_cpu_best(), type, sender, data + 4, (uint8_t)length, out) == length + 8);
  FUZZ_CHECK(out[0] == 0x55 && memcmp(out + 1, data, 4) == 0 && out[5] == length);
  FUZZ_CHECK(memcmp(out + 6, data + 4, length) == 0);
  FUZZ_CHECK((out[length + 6] | out[length + 7] << 8) == fuzz_crc(out + 1, length + 5));
  memcpy(in_place + 6, data + 4, length);
  FUZZ_CHECK(sbp_frame_pack(portable, type, sender, in_place + 6, (uint8_t)length, in_place) == length + 8);
  FUZZ_CHECK(memcmp(in_place, out, length + 8) == 0);
  free(in_place);
  free(out);
}

/* ---- Messages ---- */

/* How many characters are to be added, left out, changed or swapped with their neighbour, each once. */
FUZZ_UNCOUNTED static unsigned edits(const char *a, size_t a_length, const char *b, size_t b_length) {
  static unsigned cell[41][65];
  for (size_t i = 0; i <= a_length; i++)
    for (size_t k = 0; k <= b_length; k++) {
      unsigned best = (unsigned)(i + k);
      if (i > 0 && k > 0) {
        const unsigned change = cell[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
        best = cell[i - 1][k] < cell[i][k - 1] ? cell[i - 1][k] + 1 : cell[i][k - 1] + 1;
        best = change < best ? change : best;
      }
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && cell[i - 2][k - 2] + 1 < best)
        best = cell[i - 2][k - 2] + 1;
      cell[i][k] = best;
    }
  return cell[a_length][b_length];
}

static void check_names(const char *name, size_t length) {
  const struct sbp_schema *const schema = &sbp_schema_builtin;
  const struct sbp_message *right = NULL;
  unsigned least = 128;
  char upper[40]; /* longer ones cost too much */
  for (size_t i = 0; i < length && i < sizeof upper; i++)
    upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
  for (uint32_t i = 0; i < schema->count; i++) {
    const char *const candidate = schema->messages[i]->body.name;
    if (strlen(candidate) == length && memcmp(candidate, name, length) == 0)
      right = schema->messages[i];
    const size_t its_length = strlen(candidate);
    if (length <= sizeof upper && length < its_length + least && its_length < length + least) {
      const unsigned distance = edits(upper, length, candidate, its_length);
      least = distance < least ? distance : least;
    }
  }
  FUZZ_CHECK(sbp_message_by_name(schema, name, length) == right);
  const struct sbp_message *const near = sbp_message_near_name(schema, name, length);
  FUZZ_CHECK(right == NULL || near == right);
  FUZZ_CHECK(near == NULL || length <= 64 + strlen("MSG_"));
  if (near != NULL && length <= sizeof upper) {
    /* The nearest is as near as any, unless it is so without the prefix that all have. */
    const char *const found = near->body.name;
    const unsigned whole = edits(upper, length, found, strlen(found));
    const unsigned rest = edits(upper, length, found + 4, strlen(found) - 4);
    FUZZ_CHECK(whole <= least || rest <= least);
  }
}

/* ---- JSON ---- */

static void check_invalid_line(const uint8_t *data, size_t size) {
  const size_t room = SBP_BASE64_SIZE(size) + SBP_INVALID_OVERHEAD;
  char *const line = malloc(room);
  uint8_t *const back = malloc(room);
  FUZZ_CHECK(line != NULL && back != NULL);
  const char *const end = sbp_line_write_invalid(sbp_cpu_best(), data, size, line);
  FUZZ_CHECK(end > line && (size_t)(end - line) <= room && end[-1] == '\n');
  json_t *const object = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);
  FUZZ_CHECK(json_object_size(object) == 2);
  FUZZ_CHECK(strcmp(json_string_value(json_object_get(object, "msg_name")), "INVALID") == 0);
  const json_t *const payload = json_object_get(object, "payload");
  FUZZ_CHECK(fuzz_base64(json_string_value(payload), json_string_length(payload), back) == (ptrdiff_t)size);
  FUZZ_CHECK(memcmp(back, data, size) == 0);
  json_decref(object);
  free(back);
  free(line);
}

/* The bytes as a string between quotes, where the other parser takes them for one. */
static void check_unescape(const uint8_t *data, size_t size) {
  char *const quoted = malloc(size + 2), *const out = malloc(size + 1);
  FUZZ_CHECK(quoted != NULL && out != NULL);
  quoted[0] = quoted[size + 1] = '"';
  memcpy(quoted + 1, data, size);
  json_error_t error;
  json_t *const string = json_loadb(quoted, size + 2, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
  if (string != NULL) {
    char *const exact = fuzz_copy(data, size);
    const size_t length = json_string_length(string);
    FUZZ_CHECK(sbp_unescape(exact, size, out) == (ptrdiff_t)length);
    FUZZ_CHECK(memcmp(out, json_string_value(string), length) == 0);
    free(exact);
  }
  json_decref(string);
  free(out);
  free(quoted);
}

static void check_members(const char *text, size_t size) {
  json_t *const object = json_loadb(text, size, JSON_ALLOW_NUL, NULL);
  if (json_is_object(object)) {
    json_t *const copy = json_object();
    size_t begin = 0;
    while (text[begin] != '{')
      begin++;
    struct sbp_span rest = {text + begin, size - begin}, key, value;
    while (sbp_member_next(&rest, &key, &value)) {
      char *const name = malloc(key.length + 1);
      FUZZ_CHECK(name != NULL);
      const ptrdiff_t length = sbp_unescape(key.text, key.length, name);
      FUZZ_CHECK(length >= 0);
      name[length] = '\0';
      json_t *const member = json_loadb(value.text, value.length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
      FUZZ_CHECK(member != NULL && json_object_set_new(copy, name, member) == 0);
      free(name);
    }
    FUZZ_CHECK(json_equal(object, copy));
    json_decref(copy);
  }
  json_decref(object);
}

/* ---- Memory ---- */

/* Each byte is an operation on a buffer and on an arena. */
static void check_memory(const uint8_t *data, size_t size) {
  static uint8_t right[1 << 16];
  unsigned left = size > 0 ? data[0] : 0;
  const struct sbp_allocator allocator = {fuzz_resize, &left};
  struct sbp_buffer buffer = {.allocator = &allocator};
  struct sbp_arena arena = {.allocator = &allocator};
  size_t right_size = 0;
  for (size_t i = 1; i < size && i < 1024; i++) {
    const size_t count = (size_t)(data[i] >> 2) << (data[i] >> 5);
    switch (data[i] & 3) {
    case 0: {
      const size_t most = size - i < count ? size - i : count;
      if (right_size + most > sizeof right)
        break;
      if (sbp_buffer_append(&buffer, data + i, most) == SBP_OK) {
        memcpy(right + right_size, data + i, most);
        right_size += most;
      }
      break;
    }
    case 1:
      if (sbp_buffer_reserve(&buffer, count) == SBP_OK) {
        FUZZ_CHECK(buffer.capacity - buffer.size >= count);
        if (count > 0)
          memset(buffer.data + buffer.size, 0xa5, count);
      }
      break;
    case 2: {
      uint8_t *const taken = sbp_arena_take(&arena, count);
      FUZZ_CHECK((uintptr_t)taken % 16 == 0);
      for (size_t k = 0; taken != NULL && k < count; k++) {
        FUZZ_CHECK(taken[k] == 0);
        taken[k] = 0xff;
      }
      break;
    }
    default:
      if (data[i] == 3)
        sbp_arena_drop(&arena);
      if (data[i] == 7) {
        FUZZ_CHECK(right_size == 0 || memcmp(buffer.data, right, right_size) == 0);
        sbp_buffer_free(&buffer);
        right_size = 0;
      }
    }
    FUZZ_CHECK(buffer.size == right_size);
  }
  FUZZ_CHECK(right_size == 0 || memcmp(buffer.data, right, right_size) == 0);
  sbp_buffer_free(&buffer);
  sbp_arena_drop(&arena);
}

/* The first byte says which; the rest is for it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0 || size > 1 << 14)
    return 0;
  const unsigned which = data[0] % 9;
  uint8_t *const rest = fuzz_copy(data + 1, --size);
  switch (which) {
  case 0:
    check_crc(rest, size);
    break;
  case 1:
    check_base64(rest, size);
    break;
  case 2:
    check_base64_text(rest, size);
    break;
  case 3:
    check_pack(rest, size);
    break;
  case 4:
    check_names((const char *)rest, size);
    break;
  case 5:
    check_invalid_line(rest, size);
    break;
  case 6:
    check_unescape(rest, size);
    break;
  case 7:
    check_members((const char *)rest, size);
    break;
  default:
    check_memory(rest, size);
  }
  free(rest);
  return 0;
}
