/* SPDX-License-Identifier: MIT */
/* The command line: reading it, and --help. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>

static const struct cli_option common_options[] = {
    {"output", "FILE", "write to FILE; then all paths are inputs, in a row", offsetof(struct cli, options.output),
     CLI_TEXT, 'o'},
    {"error-handler", "HOW", "on faults: skip (default), return or to-invalid",
     offsetof(struct cli, options.handler_name), CLI_TEXT, 0},
    {"fail-on", "WHEN", "fault (default); never: exit 0 whatever was left out", offsetof(struct cli, options.fail_on),
     CLI_TEXT, 0},
    {"report", "FILE", "write counts and faults to FILE as JSON", offsetof(struct cli, options.report), CLI_TEXT, 0},
    {"schema", "FILE", "add or replace messages from a schema file", offsetof(struct cli, options.schemas), CLI_LIST,
     0},
    {"describe", "MESSAGE", "print all messages known, or what one holds", offsetof(struct cli, options.describe),
     CLI_OPTIONAL, 0},
    {"buffered", NULL, "write large blocks only, also to a live reader", offsetof(struct cli, options.buffered),
     CLI_FLAG, 'b'},
    {"debug", NULL, "print every fault, and what led to it", offsetof(struct cli, options.debug), CLI_FLAG, 'd'},
    {"verbose", NULL, "print the summary also when all is well", offsetof(struct cli, options.verbose), CLI_FLAG, 'v'},
    {"progress", NULL, "show progress; --no-progress: nor on a terminal", offsetof(struct cli, options.progress),
     CLI_FLAG, 0},
    {"no-progress", NULL, NULL, offsetof(struct cli, options.no_progress), CLI_FLAG, 0},
    {"help", NULL, "print this", offsetof(struct cli, options.help), CLI_FLAG, 'h'},
    {"version", NULL, "print the version", offsetof(struct cli, options.version), CLI_FLAG, 'V'}};

/* The index-th of the tool's own options and, behind those, the common ones; NULL behind the last. */
static const struct cli_option *option_at(const struct cli *cli, size_t index) {
  const struct cli_option *option = cli->tool->options;
  for (; option->name != NULL; ++option, --index)
    if (index == 0)
      return option;
  return index < sizeof common_options / sizeof *common_options ? &common_options[index] : NULL;
}

/* What is wrong with the command line: the first thing, said when all of it is read, since -h and -V win. */
struct complaint {
  char text[256];
};

CLI_PRINTF(2, 3) static void complain(struct complaint *complaint, const char *format, ...) {
  if (complaint->text[0] != '\0')
    return;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(complaint->text, sizeof complaint->text, format, arguments);
  va_end(arguments);
}

/* The number of letters to change, add or take away to make one word of the other (Levenshtein). */
static size_t distance(const char *word, const char *other) {
  size_t row[32];
  const size_t columns = strlen(other);
  if (columns >= sizeof row / sizeof *row)
    return SIZE_MAX;
  for (size_t j = 0; j <= columns; ++j)
    row[j] = j;
  for (size_t i = 1; word[i - 1] != '\0'; ++i) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= columns; ++j) {
      size_t least = corner + (word[i - 1] != other[j - 1]);
      if (row[j] + 1 < least)
        least = row[j] + 1;
      if (row[j - 1] + 1 < least)
        least = row[j - 1] + 1;
      corner = row[j];
      row[j] = least;
    }
  }
  return row[columns];
}

/* The option that a word without its dashes is most like, or NULL. A beginning is like its whole. */
static const struct cli_option *near_option(const struct cli *cli, const char *word) {
  const struct cli_option *nearest = NULL;
  const size_t length = strlen(word);
  size_t least = length < 4 ? 2 : 3;
  const struct cli_option *option;
  for (size_t i = 0; (option = option_at(cli, i)) != NULL; ++i) {
    const size_t is = length > 0 && strncmp(word, option->name, length) == 0 ? 0 : distance(word, option->name);
    if (is < least) {
      least = is;
      nearest = option;
    }
  }
  return nearest;
}

bool cli_number(const char *text, size_t length, uint64_t *number) {
  const bool hexadecimal = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const unsigned base = hexadecimal ? 16 : 10;
  *number = 0;
  for (size_t i = hexadecimal ? 2 : 0; i < length; ++i) {
    const unsigned char c = (unsigned char)text[i];
    const unsigned digit = c >= '0' && c <= '9'                 ? c - '0'
                           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                                : 16;
    if (digit >= base || *number > (UINT64_MAX - digit) / base)
      return false;
    *number = *number * base + digit;
  }
  return length > 0;
}

static void set(struct cli *cli, struct complaint *complaint, const struct cli_option *option, const char *value) {
  void *const target = (char *)cli + option->offset;
  switch (option->kind) {
  case CLI_FLAG:
    *(bool *)target = true;
    break;
  case CLI_TEXT:
  case CLI_OPTIONAL:
    *(const char **)target = value;
    break;
  case CLI_LIST: {
    struct sbp_buffer *const list = target;
    list->allocator = &cli_allocator;
    if (sbp_buffer_append(list, value, strlen(value) + 1) != SBP_OK)
      complain(complaint, "out of memory");
    break;
  }
  }
}

/* Read --name, --name=value or --name value, `next` being the argument behind. Returns how many arguments it took. */
static int read_long(struct cli *cli, struct complaint *complaint, const char *word, const char *next) {
  const size_t length = strcspn(word, "=");
  const char *value = word[length] == '=' ? word + length + 1 : NULL;
  const struct cli_option *option;
  for (size_t i = 0; (option = option_at(cli, i)) != NULL; ++i)
    if (strncmp(option->name, word, length) == 0 && option->name[length] == '\0')
      break;
  if (option == NULL) {
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word);
    option = near_option(cli, name);
    if (option != NULL)
      complain(complaint, "unknown option --%s; did you mean --%s?", name, option->name);
    else
      complain(complaint, "unknown option --%s; see --help", name);
    return 1;
  }
  if (option->kind == CLI_FLAG) {
    if (value != NULL)
      complain(complaint, "--%s takes no value", option->name);
    else
      set(cli, complaint, option, NULL);
    return 1;
  }
  if (value != NULL || option->kind == CLI_OPTIONAL) {
    set(cli, complaint, option, value == NULL ? "" : value);
    return 1;
  }
  if (next == NULL)
    complain(complaint, "--%s needs a value: --%s %s", option->name, option->name, option->value);
  else
    set(cli, complaint, option, next);
  return 2;
}

/* Read short options, as "db" or "oFILE". */
static int read_short(struct cli *cli, struct complaint *complaint, const char *letters, const char *next) {
  for (; *letters != '\0'; ++letters) {
    const struct cli_option *option;
    for (size_t i = 0; (option = option_at(cli, i)) != NULL && option->letter != *letters; ++i)
      continue;
    if (option == NULL) {
      option = near_option(cli, letters);
      if (option != NULL && letters[1] != '\0')
        complain(complaint, "unknown option -%s; did you mean --%s?", letters, option->name);
      else
        complain(complaint, "unknown option -%c; see --help", *letters);
      return 1;
    }
    if (option->kind == CLI_FLAG) {
      set(cli, complaint, option, NULL);
      continue;
    }
    if (letters[1] != '\0') {
      set(cli, complaint, option, letters + 1);
      return 1;
    }
    if (next == NULL)
      complain(complaint, "-%c needs a value: -%c %s", *letters, *letters, option->value);
    else
      set(cli, complaint, option, next);
    return 2;
  }
  return 1;
}

/* Read START:END, each of which may be missing. */
static bool read_range(struct cli *cli, const char *text) {
  const char *const colon = strchr(text, ':');
  if (colon == NULL)
    return false;
  const size_t before = (size_t)(colon - text);
  const size_t behind = strlen(colon + 1);
  return (before == 0 || cli_number(text, before, &cli->range_begin)) &&
         (behind == 0 || cli_number(colon + 1, behind, &cli->range_end)) && cli->range_begin <= cli->range_end;
}

static bool same_word(const char *word, const char *other) {
  for (; *word != '\0' && *other != '\0'; ++word, ++other) {
    const char lower = *word >= 'A' && *word <= 'Z' ? (char)(*word - 'A' + 'a') : *word;
    if (lower != *other)
      return false;
  }
  return *word == *other;
}

static void read_choices(struct cli *cli, struct complaint *complaint) {
  static const struct {
    const char *name;
    enum cli_handler handler;
  } handlers[] = {{"skip", CLI_SKIP},
                  {"return", CLI_RETURN},
                  {"to-invalid", CLI_TO_INVALID},
                  {"toinvalid", CLI_TO_INVALID},
                  {"to_invalid", CLI_TO_INVALID}};
  struct cli_options *const options = &cli->options;
  bool known = options->handler_name == NULL;
  for (size_t i = 0; i < sizeof handlers / sizeof *handlers && !known; ++i) {
    known = same_word(options->handler_name, handlers[i].name);
    if (known)
      options->handler = handlers[i].handler;
  }
  if (!known)
    complain(complaint, "--error-handler %s: not one of skip, return, to-invalid", options->handler_name);
  if (options->fail_on != NULL && strcmp(options->fail_on, "never") != 0 && strcmp(options->fail_on, "fault") != 0)
    complain(complaint, "--fail-on %s: not one of fault, never", options->fail_on);
  if (options->report != NULL && strcmp(options->report, "-") == 0)
    complain(complaint, "--report -: the report needs a file of its own");
  if (options->range != NULL && !read_range(cli, options->range))
    complain(complaint, "--range %s: not START:END, offsets in bytes of which START is not the larger", options->range);
  const bool all_inputs = options->output != NULL || cli->tool->arguments != NULL;
  cli->several = all_inputs && options->path_count > 1;
  if (options->range != NULL && cli->several)
    complain(complaint, "--range: of one input; there are %d", options->path_count);
  if (options->path_count > 2 && !all_inputs && options->describe == NULL)
    complain(complaint, "%s: more than an input and an output; with -o FILE all paths are inputs", options->paths[2]);
}

bool cli_options_read(struct cli *cli, int argc, char **argv) {
  struct complaint complaint = {.text = ""};
  struct cli_options *const options = &cli->options;
  bool only_paths = false;
  options->paths = argv;
  cli->range_end = UINT64_MAX;
  for (int i = 1; i < argc;) {
    char *const argument = argv[i];
    const char *const next = i + 1 < argc ? argv[i + 1] : NULL;
    if (only_paths || argument[0] != '-' || argument[1] == '\0') {
      argv[options->path_count++] = argument;
      ++i;
    } else if (argument[1] != '-') {
      i += read_short(cli, &complaint, argument + 1, next);
    } else if (argument[2] != '\0') {
      i += read_long(cli, &complaint, argument + 2, next);
    } else {
      only_paths = true;
      ++i;
    }
  }
  read_choices(cli, &complaint);
  if (complaint.text[0] != '\0' && !options->help && !options->version) {
    cli_fail(cli, "%s", complaint.text);
    return false;
  }
  return true;
}

const char *cli_list_next(const struct sbp_buffer *list, const char *item) {
  const char *const next = item == NULL ? list->data : item + strlen(item) + 1;
  return list->size == 0 || next == list->data + list->size ? NULL : next;
}

void cli_help(struct cli *cli) {
  const struct cli_option *option;
  const char *const arguments = cli->tool->arguments;
  cli_print(cli, "Usage: %s [OPTIONS] %s  (none or -: standard input%s)\n%s\n\n", cli->tool->name,
            arguments == NULL ? "[INPUT] [OUTPUT]" : arguments, arguments == NULL ? ", output" : "",
            cli->tool->summary);
  for (size_t i = 0; (option = option_at(cli, i)) != NULL; ++i) {
    char letter[] = "    ";
    char value[24] = "";
    if (option->help == NULL)
      continue;
    if (option->letter != 0)
      (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    if (option->value != NULL)
      (void)snprintf(value, sizeof value, option->kind == CLI_OPTIONAL ? "[=%s]" : " %s", option->value);
    cli_print(cli, "  %s--%s%-*s  %s\n", letter, option->name, (int)(18 - strlen(option->name)), value, option->help);
  }
  cli_print(cli, "\n%s", cli->tool->examples);
}
