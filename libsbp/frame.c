/* SPDX-License-Identifier: MIT */
#include "port.h"
#include "sbpkit/sbp.h"

/* What is wrong with the candidate at p, whose size bytes are all there: SBP_OK, and it is a frame. */
SBPI_INLINE enum sbp_status check(const struct sbp_scanner *scanner, const uint8_t *p, size_t size) {
  if (SBPI_UNLIKELY(sbp_crc16(scanner->cpu, 0, p + 1, size - 3) != sbpi_load16(p + size - 2)))
    return SBP_ERROR_CRC;
  if (SBPI_LIKELY(sbpi_load16(p + 1) != 0 || size != SBP_FRAME_OVERHEAD || sbpi_load32(p + 3) != 0))
    return SBP_OK;
  return SBP_ERROR_ZEROS;
}

SBPI_INLINE void fill_in(struct sbp_frame *frame, const uint8_t *p, size_t size) {
  frame->bytes = p;
  frame->payload = p + SBP_FRAME_HEADER;
  frame->type = sbpi_load16(p + 1);
  frame->sender = sbpi_load16(p + 3);
  frame->crc = sbpi_load16(p + size - 2);
  frame->length = p[5];
}

/* Where code is to be small, there is one way only. */
#ifdef __OPTIMIZE_SIZE__
#define SEARCH static
#else
#define SEARCH static SBPI_NOINLINE
#endif

/* sbp_scan(), whatever is there. */
SEARCH enum sbp_status search(struct sbp_scanner *scanner, const uint8_t *data, size_t size, bool last,
                              struct sbp_frame *frame, size_t *used) {
  if (SBPI_UNLIKELY(size == 0)) { /* data may be NULL, to which nothing may be added */
    *used = 0;
    return last ? SBP_END : SBP_NEED_MORE;
  }
  const uint8_t *const end = data + size;
  const uint8_t *const stop = size > scanner->lookahead ? end - scanner->lookahead : data;
  const uint8_t *p = data;
  for (;; p++) {
    if (p == stop || *p != SBP_PREAMBLE) {
      p = p == stop ? NULL : memchr(p, SBP_PREAMBLE, (size_t)(stop - p));
      if (p == NULL) {
        *used = (size_t)(stop - data);
        return last || stop != end ? SBP_END : SBP_NEED_MORE;
      }
    }
    const size_t left = (size_t)(end - p);
    const size_t frame_size = left < SBP_FRAME_HEADER ? SBP_FRAME_OVERHEAD : (size_t)p[5] + SBP_FRAME_OVERHEAD;
    enum sbp_status why = SBP_ERROR_TRUNCATED;
    if (SBPI_LIKELY(left >= frame_size)) {
      why = check(scanner, p, frame_size);
      if (SBPI_LIKELY(why == SBP_OK)) {
        fill_in(frame, p, frame_size);
        *used = (size_t)(p - data) + frame_size;
        return SBP_OK;
      }
    } else if (!last) {
      *used = (size_t)(p - data);
      return SBP_NEED_MORE;
    }
    scanner->crc_failures += why == SBP_ERROR_CRC;
    scanner->truncated += why == SBP_ERROR_TRUNCATED;
    if (scanner->failed != NULL)
      scanner->failed(scanner->context, p, why);
    if (scanner->stop) {
      *used = (size_t)(p + 1 - data);
      return why;
    }
  }
}

enum sbp_status sbp_scan(struct sbp_scanner *scanner, const uint8_t *data, size_t size, bool last,
                         struct sbp_frame *frame, size_t *used) {
#ifndef __OPTIMIZE_SIZE__
  /* Mostly a frame follows upon a frame, and more behind it. */
  if (SBPI_LIKELY(size >= SBP_FRAME_MAX && size - SBP_FRAME_MAX >= scanner->lookahead && *data == SBP_PREAMBLE)) {
    const size_t frame_size = (size_t)data[5] + SBP_FRAME_OVERHEAD;
    if (SBPI_LIKELY(check(scanner, data, frame_size) == SBP_OK)) {
      fill_in(frame, data, frame_size);
      *used = frame_size;
      return SBP_OK;
    }
  }
#endif
  return search(scanner, data, size, last, frame, used);
}

size_t sbp_frame_pack(enum sbp_cpu cpu, uint16_t type, uint16_t sender, const uint8_t *payload, uint8_t length,
                      uint8_t *out) {
  out[0] = SBP_PREAMBLE;
  sbpi_store16(out + 1, type);
  sbpi_store16(out + 3, sender);
  out[5] = length;
  if (payload != out + SBP_FRAME_HEADER && length > 0)
    memmove(out + SBP_FRAME_HEADER, payload, length);
  sbpi_store16(out + SBP_FRAME_HEADER + length, sbp_crc16(cpu, 0, out + 1, SBP_FRAME_HEADER - 1 + (size_t)length));
  return (size_t)length + SBP_FRAME_OVERHEAD;
}
