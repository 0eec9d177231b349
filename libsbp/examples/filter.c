/* SPDX-License-Identifier: MIT */
/* Copy the frames of some messages from standard input to standard output: filter MSG_POS_LLH MSG_OBS <in >out */
#include <sbpkit/sbp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy(void *context, const struct sbp_frame *frame) {
  fwrite(frame->bytes, 1, (size_t)frame->length + SBP_FRAME_OVERHEAD, context);
}

int main(int argc, char **argv) {
  struct sbp_dispatcher dispatcher = {0};
  struct sbp_handler *handlers = calloc((size_t)argc, sizeof *handlers);
  if (handlers == NULL)
    return 1;
  for (int i = 1; i < argc; i++) {
    const struct sbp_message *message = sbp_message_by_name(&sbp_schema_builtin, argv[i], strlen(argv[i]));
    if (message == NULL) {
      message = sbp_message_near_name(&sbp_schema_builtin, argv[i], strlen(argv[i]));
      fprintf(stderr, "filter: no message %s%s%s\n", argv[i], message == NULL ? "" : ", is it ",
              message == NULL ? "" : message->body.name);
      free(handlers);
      return 2;
    }
    handlers[i] = (struct sbp_handler){.handle = copy, .context = stdout, .match = SBP_MATCH_TYPE, .key = message->id};
    sbp_handler_add(&dispatcher, &handlers[i]);
  }

  struct sbp_scanner scanner = {.cpu = sbp_cpu_best()};
  uint8_t in[65536];
  size_t have = 0;
  bool last = false;
  while (!last) {
    have += fread(in + have, 1, sizeof in - have, stdin);
    last = feof(stdin) || ferror(stdin);

    size_t done = 0, used;
    struct sbp_frame frame;
    while (sbp_scan(&scanner, in + done, have - done, last, &frame, &used) == SBP_OK) {
      sbp_dispatch(&dispatcher, &frame);
      done += used;
    }
    /* What is left may be the begin of a frame. */
    have -= done + used;
    memmove(in, in + done + used, have);
  }
  free(handlers);
  return ferror(stdin) || fflush(stdout) != 0 ? 1 : 0;
}
