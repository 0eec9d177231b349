/* SPDX-License-Identifier: MIT */
#ifndef EMBEDDED_ECHO_H
#define EMBEDDED_ECHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The application: take bytes that came in. */
void echo(const uint8_t *bytes, size_t size);

/* The board: send bytes, which are gone behind the call; switch the lamp. */
void board_send(const uint8_t *bytes, size_t size);
void board_light(bool on);

#endif
