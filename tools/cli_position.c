/* SPDX-License-Identifier: MIT */
/* Which messages hold positions, and where in their payloads. */
#include "cli.h"

/* The best first. */
static const char *const names[CLI_POSITIONS] = {"MSG_POS_LLH",           "MSG_POS_LLH_ACC",      "MSG_POS_LLH_COV",
                                                 "MSG_POS_LLH_GNSS",      "MSG_POS_LLH_COV_GNSS", "MSG_POS_LLH_DEP_A",
                                                 "MSG_POS_ECEF",          "MSG_POS_ECEF_COV",     "MSG_POS_ECEF_GNSS",
                                                 "MSG_POS_ECEF_COV_GNSS", "MSG_POS_ECEF_DEP_A"};

/* The modes that are no fix, a bit each. */
static unsigned invalid_modes(const struct sbp_bits *bits) {
  unsigned modes = 0;
  for (unsigned mode = 0; mode < CLI_MODES; ++mode) {
    const char *const name = sbp_bits_name(bits, mode);
    if (name != NULL && strcmp(name, "Invalid") == 0)
      modes |= 1u << mode;
  }
  return modes;
}

/* Find the flags and coordinates of a message. A schema file may have made something else of it. */
static bool find_fields(const struct sbp_struct *body, struct cli_position *position) {
  static const char *const axes[2][CLI_AXES] = {{"lat", "lon", "height"}, {"x", "y", "z"}};
  for (uint16_t i = 0; i < body->field_count; ++i) {
    const struct sbp_field *const field = &body->fields[i];
    if (field->repeat != SBP_ONE)
      continue;
    if (strcmp(field->name, "flags") == 0 && field->type == SBP_U8 && field->bits_count > 0 && field->bits[0].last < 3)
      position->flags = field;
    for (int axis = 0; axis < CLI_AXES; ++axis)
      if ((strcmp(field->name, axes[0][axis]) == 0 || strcmp(field->name, axes[1][axis]) == 0) &&
          field->type == SBP_DOUBLE)
        position->axes[axis] = field;
  }
  return position->flags != NULL && position->axes[0] != NULL && position->axes[1] != NULL && position->axes[2] != NULL;
}

void cli_positions_find(const struct sbp_schema *schema, struct cli_position *positions) {
  memset(positions, 0, CLI_POSITIONS * sizeof *positions);
  for (size_t i = 0; i < CLI_POSITIONS; ++i) {
    struct cli_position *const position = &positions[i];
    const struct sbp_message *const message = sbp_message_by_name(schema, names[i], strlen(names[i]));
    if (message == NULL || !find_fields(&message->body, position))
      continue;
    position->message = message;
    position->degrees = strcmp(position->axes[0]->name, "lat") == 0;
    position->invalid = invalid_modes(&position->flags->bits[0]);
  }
}
