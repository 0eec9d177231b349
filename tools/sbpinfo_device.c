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

/* The best first: the first that a log has is what its solutions are told by. */
static const char *const positions_by_name[INFO_POSITIONS] = {
    "MSG_POS_LLH",          "MSG_POS_LLH_ACC",       "MSG_POS_LLH_COV",   "MSG_POS_LLH_GNSS",
    "MSG_POS_LLH_COV_GNSS", "MSG_POS_LLH_DEP_A",     "MSG_POS_ECEF",      "MSG_POS_ECEF_COV",
    "MSG_POS_ECEF_GNSS",    "MSG_POS_ECEF_COV_GNSS", "MSG_POS_ECEF_DEP_A"};

/* The modes that are no fix, a bit each. */
static unsigned invalid_modes(const struct sbp_bits *bits) {
  unsigned modes = 0;
  for (unsigned mode = 0; mode < INFO_MODES; ++mode) {
    const char *const name = sbp_bits_name(bits, mode);
    if (name != NULL && strcmp(name, "Invalid") == 0)
      modes |= 1u << mode;
  }
  return modes;
}

/* Find the flags and coordinates of a message. A schema file may have made something else of it. */
static bool find_fields(struct info_position *position) {
  static const char *const names[2][INFO_AXES] = {{"lat", "lon", "height"}, {"x", "y", "z"}};
  const struct sbp_struct *const body = &position->message->body;
  for (uint16_t i = 0; i < body->field_count; ++i) {
    const struct sbp_field *const field = &body->fields[i];
    if (strcmp(field->name, "flags") == 0 && field->type == SBP_U8 && field->repeat == SBP_ONE &&
        field->bits_count > 0 && field->bits[0].last < 3)
      position->flags = field;
    for (int axis = 0; axis < INFO_AXES; ++axis)
      if ((strcmp(field->name, names[0][axis]) == 0 || strcmp(field->name, names[1][axis]) == 0) &&
          field->type == SBP_DOUBLE && field->repeat == SBP_ONE)
        position->axes[axis] = field;
  }
  return position->flags != NULL && position->axes[0] != NULL && position->axes[1] != NULL && position->axes[2] != NULL;
}

void info_device_prepare(const struct sbp_schema *schema, struct info_position *positions, uint8_t *roles) {
  static const uint16_t devices[] = {MSG_SETTINGS_READ_RESP,
                                     MSG_SETTINGS_READ_BY_INDEX_RESP,
                                     MSG_BOOTLOADER_HANDSHAKE_DEP_A,
                                     MSG_BOOTLOADER_HANDSHAKE_RESP,
                                     MSG_STARTUP,
                                     MSG_STATUS_REPORT,
                                     MSG_HEARTBEAT};
  for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i)
    roles[devices[i]] = INFO_DEVICE;
  for (size_t i = 0; i < INFO_POSITIONS; ++i) {
    struct info_position *const position = &positions[i];
    const char *const name = positions_by_name[i];
    position->message = sbp_message_by_name(schema, name, strlen(name));
    if (position->message != NULL && find_fields(position)) {
      position->invalid = invalid_modes(&position->flags->bits[0]);
      roles[position->message->id] = (uint8_t)(INFO_POSITION + i);
    }
  }
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

void info_position_feed(struct info_position *position, const struct sbp_frame *frame, uint64_t offset,
                        const struct sbp_clock *clock) {
  const struct sbp_bits *const bits = &position->flags->bits[0];
  const uint64_t mode = sbp_bits_value(bits, frame->payload[position->flags->offset]);
  ++position->solutions;
  ++position->modes[mode];
  if (position->invalid >> mode & 1)
    return;
  struct info_fix *const fix = position->fixes++ == 0 ? &position->first : &position->last;
  fix->offset = offset;
  fix->gps = clock->gps;
  fix->timed = clock->known;
  for (int axis = 0; axis < INFO_AXES; ++axis)
    memcpy(fix->axes[axis], frame->payload + position->axes[axis]->offset, sizeof fix->axes[axis]);
  if (position->fixes == 1)
    position->last = position->first;
}
