/* SPDX-License-Identifier: MIT */
/* A board for embedded_echo.c that every machine has: its serial line is standard input and output. */
#include <stdio.h>

#include "embedded_echo.h"

void board_send(const uint8_t *bytes, size_t size) {
  fwrite(bytes, 1, size, stdout);
}

void board_light(bool on) {
  fprintf(stderr, "lamp %s\n", on ? "on" : "off");
}

int main(void) {
  int c;
  while ((c = getchar()) != EOF) {
    const uint8_t byte = (uint8_t)c;
    echo(&byte, 1);
  }
  return fflush(stdout) != 0 ? 1 : 0;
}
