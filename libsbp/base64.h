/* SPDX-License-Identifier: MIT */
#ifndef SBPKIT_BASE64_H
#define SBPKIT_BASE64_H

#include "port.h"
#include "sbpkit/sbp.h"

/* sbp_base64_encode of a frame's payload; touches up to 32 bytes of out behind its text. */
char *sbpi_base64_encode_payload(enum sbp_cpu cpu, const struct sbp_frame *frame, char *out);

#endif
