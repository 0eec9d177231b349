/* SPDX-License-Identifier: MIT */
/* What a program does that reads messages: find the frame, and read its message by view or to a struct. */
#include "micro.h"
#include "sbpkit/messages.h"

/* The messages of the log that bench/run uses, and of each a number that it is about. */
#define MESSAGES(X)                                                                                                    \
  X(IMU_RAW, imu_raw, s16, ACC_X, acc_x)                                                                               \
  X(UTC_TIME, utc_time, u32, NS, ns)                                                                                   \
  X(POS_LLH_COV, pos_llh_cov, double, LAT, lat)                                                                        \
  X(POS_LLH, pos_llh, double, LAT, lat)                                                                                \
  X(POS_ECEF, pos_ecef, double, X, x)                                                                                  \
  X(GPS_TIME, gps_time, s32, NS_RESIDUAL, ns_residual)                                                                 \
  X(VEL_NED_COV, vel_ned_cov, s32, N, n)                                                                               \
  X(VEL_NED, vel_ned, s32, N, n)                                                                                       \
  X(VEL_ECEF, vel_ecef, s32, X, x)                                                                                     \
  X(ORIENT_EULER, orient_euler, s32, ROLL, roll)                                                                       \
  X(OBS, obs, u8, HEADER, obs_count)                                                                                   \
  X(INS_STATUS, ins_status, u32, FLAGS, flags)                                                                         \
  X(BASELINE_NED, baseline_ned, s32, N, n)                                                                             \
  X(ANGULAR_RATE, angular_rate, s32, X, x)                                                                             \
  X(AGE_CORRECTIONS, age_corrections, u16, AGE, age)                                                                   \
  X(DOPS, dops, u16, GDOP, gdop)                                                                                       \
  X(UART_STATE, uart_state, u8, UART_A, uart_a.tx_buffer_level)                                                        \
  X(TRACKING_STATE, tracking_state, u8, STATES, states_count)                                                          \
  X(SV_AZ_EL, sv_az_el, u8, AZEL, azel_count)                                                                          \
  X(MEASUREMENT_STATE, measurement_state, u8, STATES, states_count)                                                    \
  X(HEARTBEAT, heartbeat, u32, FLAGS, flags)                                                                           \
  X(DEVICE_MONITOR, device_monitor, s16, DEV_VIN, dev_vin)                                                             \
  X(LOG, log, u8, LEVEL, level)

static union {
#define X(NAME, name, type, FIELD, member) struct sbp_msg_##name name;
  MESSAGES(X)
#undef X
} message;

SBPI_INLINE uint64_t view(const struct sbp_frame *frame) {
  struct sbp_view view;
  switch (frame->type) {
#define X(NAME, name, type, FIELD, member)                                                                             \
  case SBP_MSG_##NAME:                                                                                                 \
    return SBP_VIEW(&view, frame, SBP_MSG_##NAME) ? (uint64_t)sbp_view_##type(view, SBP_MSG_##NAME##_##FIELD) : 0;
    MESSAGES(X)
#undef X
  default:
    return 0;
  }
}

SBPI_INLINE uint64_t decode(const struct sbp_frame *frame) {
  switch (frame->type) {
#define X(NAME, name, type, FIELD, member)                                                                             \
  case SBP_MSG_##NAME:                                                                                                 \
    return sbp_decode_msg_##name(&message.name, frame->payload, frame->length) ? (uint64_t)message.name.member : 0;
    MESSAGES(X)
#undef X
  default:
    return 0;
  }
}

SBPI_INLINE uint64_t encode(const struct sbp_frame *frame, uint8_t *payload) {
  uint8_t size = 0;
  switch (frame->type) {
#define X(NAME, name, type, FIELD, member)                                                                             \
  case SBP_MSG_##NAME:                                                                                                 \
    return sbp_encode_msg_##name(&message.name, payload, &size) ? size : 0;
    MESSAGES(X)
#undef X
  default:
    return 0;
  }
}

enum use { VIEW, STRUCT, STRUCT_AND_BACK };

SBPI_INLINE uint64_t read_log(const struct log *log, int cpu, enum use use) {
  struct sbp_scanner scanner = {.cpu = (enum sbp_cpu)cpu};
  struct sbp_frame frame;
  uint8_t out[SBP_FRAME_MAX];
  size_t at = 0, used;
  uint64_t sum = 0;
  while (sbp_scan(&scanner, log->data + at, log->size - at, true, &frame, &used) == SBP_OK) {
    at += used;
    sum += use == VIEW ? view(&frame) : decode(&frame);
    if (use == STRUCT_AND_BACK) {
      const uint8_t size = (uint8_t)encode(&frame, out + SBP_FRAME_HEADER);
      sum += sbp_frame_pack((enum sbp_cpu)cpu, frame.type, frame.sender, out + SBP_FRAME_HEADER, size, out);
    }
  }
  return sum;
}

uint64_t scan_and_view(const struct log *log, int cpu) {
  return read_log(log, cpu, VIEW);
}
uint64_t scan_and_decode(const struct log *log, int cpu) {
  return read_log(log, cpu, STRUCT);
}
uint64_t scan_decode_and_encode(const struct log *log, int cpu) {
  return read_log(log, cpu, STRUCT_AND_BACK);
}

/* The structs alone, of frames that were found. */
uint64_t decode_alone(const struct log *log, int variant) {
  (void)variant;
  uint64_t sum = 0;
  for (size_t i = 0; i < log->count; i++)
    sum += decode(&log->records[i].frame);
  return sum;
}
