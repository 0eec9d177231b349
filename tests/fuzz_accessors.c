/* SPDX-License-Identifier: MIT */
/* Views and structs: each frame of the input by its message's accessors; and the input as a payload, by those of the
 * message that its first two bytes choose. */
#include "fuzz.h"

#include "accessors.h"

static void check(const struct accessor *accessor, const uint8_t *payload, uint8_t size, size_t distance) {
  const char *const wrong = check_accessor(accessor, payload, size, distance);
  if (wrong != NULL) {
    fprintf(stderr, "type %d, %d bytes: %s\n", accessor->id, size, wrong);
    abort();
  }
}

static void check_frames(const uint8_t *data, size_t size) {
  struct sbp_scanner scanner = {.cpu = sbp_cpu_best()};
  struct sbp_frame frame;
  size_t used;
  for (; sbp_scan(&scanner, data, size, true, &frame, &used) == SBP_OK; data += used, size -= used)
    for (size_t i = 0; i < accessor_count; i++)
      if (accessors[i].id == frame.type)
        check(&accessors[i], frame.payload, frame.length, frame.sender % 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_frames(data, size);
  if (size < 2)
    return 0;
  const uint8_t length = (uint8_t)(size - 2 > SBP_PAYLOAD_MAX ? SBP_PAYLOAD_MAX : size - 2);
  check(&accessors[(data[0] | (size_t)data[1] << 8) % accessor_count], data + 2, length, data[1] % 16);
  return 0;
}
