/* SPDX-License-Identifier: MIT */
/* Print the messages of a receiver or a caster as JSON lines, each as soon as it is there: tcp_to_json HOST PORT */
#define _POSIX_C_SOURCE 200112L /* getaddrinfo */

#include <netdb.h>
#include <sbpkit/sbp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int connect_to(const char *host, const char *port) {
  const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *found;
  const int error = getaddrinfo(host, port, &wanted, &found);
  if (error != 0) {
    fprintf(stderr, "%s: %s\n", host, gai_strerror(error));
    return -1;
  }
  int connection = -1;
  for (const struct addrinfo *at = found; at != NULL && connection < 0; at = at->ai_next) {
    connection = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (connection >= 0 && connect(connection, at->ai_addr, at->ai_addrlen) != 0) {
      close(connection);
      connection = -1;
    }
  }
  freeaddrinfo(found);
  if (connection < 0)
    perror(host);
  return connection;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: tcp_to_json HOST PORT\n");
    return 2;
  }
  const struct sbp_line_options options = {.schema = &sbp_schema_builtin, .cpu = sbp_cpu_best()};
  struct sbp_framer framer = {.scanner = {.cpu = options.cpu}};
  char *line = malloc(sbp_line_max(&options));
  const int connection = line == NULL ? -1 : connect_to(argv[1], argv[2]);
  if (connection < 0) {
    free(line);
    return 1;
  }

  uint8_t in[4096];
  ssize_t got;
  while ((got = recv(connection, in, sizeof in, 0)) > 0) {
    size_t done = 0, used;
    struct sbp_frame frame;
    while (sbp_push(&framer, in + done, (size_t)got - done, false, &frame, &used) == SBP_OK) {
      const struct sbp_message *message = sbp_message_by_id(options.schema, frame.type);
      const char *end = sbp_line_write(&options, message, &frame, line);
      fwrite(line, 1, (size_t)(end - line), stdout);
      done += used;
    }
    if (fflush(stdout) != 0)
      break;
  }
  if (got < 0)
    perror("recv");
  close(connection);
  free(line);
  return got == 0 ? 0 : 1;
}
