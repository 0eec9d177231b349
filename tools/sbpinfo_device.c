/* SPDX-License-Identifier: MIT */
/* What messages tell of the device that sent them, and of where it was. */
#include "sbpinfo.h"

enum {
  MSG_SETTINGS_READ_RESP = 165,
  MSG_SETTINGS_READ_BY_INDEX_RESP = 167,
  MSG_BOOTLOADER_HANDSHAKE_DEP_A = 176,
  MSG_BOOTLOADER_HANDSHAKE_RESP = 180,
  MSG_STARTUP = 65280,
  MSG_STATUS_REPORT = 65534,
  MSG_HEARTBEAT = 65535
};

/* Settings of the section system_info; and the boot loader's version, which has messages of its own. */
enum { BOOT_LOADER = 4 };
const char *const info_text_names[INFO_TEXTS] = {"product_id", "hw_revision", "hw_version",
                                                 "firmware_version", [BOOT_LOADER] = "boot_loader"};

void info_device_prepare(const struct cli_position *positions, uint8_t *roles) {
  static const uint16_t devices[] = {MSG_SETTINGS_READ_RESP,
                                     MSG_SETTINGS_READ_BY_INDEX_RESP,
                                     MSG_BOOTLOADER_HANDSHAKE_DEP_A,
                                     MSG_BOOTLOADER_HANDSHAKE_RESP,
                                     MSG_STARTUP,
                                     MSG_STATUS_REPORT,
                                     MSG_HEARTBEAT};
  for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i)
    roles[devices[i]] = INFO_DEVICE;
  for (size_t i = 0; i < CLI_POSITIONS; ++i)
    if (positions[i].message != NULL)
      roles[positions[i].message->id] = (uint8_t)(INFO_POSITION + i);
}

/* Keep a text, as much of it as there is room for; what is not printable becomes a question mark. */
static void keep(char *value, size_t room, const uint8_t *text, size_t size) {
  const uint8_t *const nul = size == 0 ? NULL : memchr(text, 0, size);
  size_t length = nul == NULL ? size : (size_t)(nul - text);
  if (length == 0)
    return;
  if (length > room - 1)
    length = room - 1;
  for (size_t i = 0; i < length; ++i)
    value[i] = text[i] >= ' ' && text[i] < 0x7f ? (char)text[i] : '?';
  value[length] = '\0';
}

/* A setting: section, name and value, each with a NUL behind it. */
static void read_setting(struct info_device *device, const uint8_t *text, const uint8_t *end) {
  static const char section[] = "system_info";
  if ((size_t)(end - text) <= sizeof section || memcmp(text, section, sizeof section) != 0)
    return;
  text += sizeof section;
  for (size_t i = 0; i < BOOT_LOADER; ++i) {
    const size_t size = strlen(info_text_names[i]) + 1;
    if ((size_t)(end - text) > size && memcmp(text, info_text_names[i], size) == 0)
      keep(device->texts[i], sizeof device->texts[i], text + size, (size_t)(end - text) - size);
  }
}

void info_device_feed(struct info_device *device, const struct sbp_frame *frame) {
  const uint8_t *const payload = frame->payload;
  char *const boot_loader = device->texts[BOOT_LOADER];
  switch (frame->type) {
  case MSG_HEARTBEAT:
    ++device->heartbeats;
    device->with_errors += (payload[0] & 7) != 0;
    device->sbp_version = (uint16_t)(payload[1] | payload[2] << 8);
    break;
  case MSG_STATUS_REPORT:
    device->sbp_version = (uint16_t)(payload[2] | payload[3] << 8);
    break;
  case MSG_STARTUP:
    ++device->startups;
    break;
  case MSG_SETTINGS_READ_RESP:
    read_setting(device, payload, payload + frame->length);
    break;
  case MSG_SETTINGS_READ_BY_INDEX_RESP:
    read_setting(device, payload + 2, payload + frame->length);
    break;
  case MSG_BOOTLOADER_HANDSHAKE_RESP:
    keep(boot_loader, sizeof device->texts[BOOT_LOADER], payload + 4, (size_t)frame->length - 4);
    break;
  case MSG_BOOTLOADER_HANDSHAKE_DEP_A:
    keep(boot_loader, sizeof device->texts[BOOT_LOADER], payload, frame->length);
    break;
  default:
    break;
  }
}

void info_position_feed(struct info_solutions *solutions, const struct cli_position *position,
                        const struct sbp_frame *frame, uint64_t offset, const struct sbp_clock *clock) {
  const unsigned mode = cli_position_mode(position, frame->payload);
  ++solutions->solutions;
  ++solutions->modes[mode];
  if (position->invalid >> mode & 1)
    return;
  struct info_fix *const fix = &solutions->last;
  fix->offset = offset;
  fix->gps = clock->gps;
  fix->timed = clock->known;
  for (int axis = 0; axis < CLI_AXES; ++axis)
    memcpy(fix->axes[axis], frame->payload + position->axes[axis]->offset, sizeof fix->axes[axis]);
  if (solutions->fixes++ == 0)
    solutions->first = *fix;
}
