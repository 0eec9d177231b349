/* SPDX-License-Identifier: MIT */
/* Selection of messages by type and sender, worked out once before the first one. */
#include "cli.h"

static void set_change(struct cli_set *set, uint16_t number, bool member) {
  const uint8_t bit = (uint8_t)(1u << (number & 7));
  uint8_t *const byte = &set->bits[number >> 3];
  *byte = (uint8_t)(member ? *byte | bit : *byte & ~bit);
}

/* The items of a comma list: the one at *rest, which moves behind it; false behind the last. */
static bool next_item(const char **rest, struct sbp_span *item) {
  if (*rest == NULL)
    return false;
  item->text = *rest;
  item->length = strcspn(*rest, ",");
  *rest = item->text[item->length] == ',' ? item->text + item->length + 1 : NULL;
  return true;
}

/* Whether a pattern of * (any text) and ? (any letter) stands for all of name. */
static bool matches(const char *pattern, size_t length, const char *name) {
  const char *const end = pattern + length;
  const char *star = NULL;
  const char *tried = name;
  for (;;) {
    if (pattern != end && *pattern == '*') {
      star = ++pattern;
      tried = name;
    } else if (*name == '\0') {
      return pattern == end;
    } else if (pattern != end && (*pattern == '?' || *pattern == *name)) {
      ++pattern;
      ++name;
    } else if (star != NULL) {
      pattern = star; /* then the star stands for one letter more */
      name = ++tried;
    } else {
      return false;
    }
  }
}

/* Put all types whose name matches into the set, or take them out. A type that is not in the schema is called UNKNOWN,
 * as in its line. Returns whether there was one. */
static bool change_named(const struct cli *cli, struct cli_set *set, struct sbp_span pattern, bool member) {
  const bool unknown = matches(pattern.text, pattern.length, "UNKNOWN");
  bool any = unknown;
  for (unsigned type = 0; type < 65536; ++type) {
    const struct sbp_message *const message = sbp_message_by_id(cli->schema, (uint16_t)type);
    if (message == NULL ? unknown : matches(pattern.text, pattern.length, message->body.name)) {
      set_change(set, (uint16_t)type, member);
      any = true;
    }
  }
  return any;
}

/* Read a 16-bit number; what it is, is said where it is none. */
static bool read_number(struct cli *cli, const char *option, const char *what, struct sbp_span item, uint16_t *value) {
  uint64_t number;
  if (!cli_number(item.text, item.length, &number) || number > 65535) {
    cli_fail(cli, "--%s %.*s: not %s, 0 to 65535", option, (int)item.length, item.text, what);
    return false;
  }
  *value = (uint16_t)number;
  return true;
}

static bool change(struct cli *cli, const char *option, const struct sbp_buffer *list, struct cli_set *set,
                   bool member) {
  for (const char *value = cli_list_next(list, NULL); value != NULL; value = cli_list_next(list, value)) {
    const char *rest = value;
    struct sbp_span item;
    while (next_item(&rest, &item)) {
      uint16_t type;
      if (item.length > 0 && item.text[0] >= '0' && item.text[0] <= '9') {
        if (!read_number(cli, option, "a message type", item, &type))
          return false;
        set_change(set, type, member);
      } else if (!change_named(cli, set, item, member)) {
        const struct sbp_message *const near_message = sbp_message_near_name(cli->schema, item.text, item.length);
        if (near_message != NULL && memchr(item.text, '*', item.length) == NULL)
          cli_fail(cli, "--%s %.*s: no such message; did you mean %s?", option, (int)item.length, item.text,
                   near_message->body.name);
        else
          cli_fail(cli, "--%s %.*s: no such message; --describe lists them", option, (int)item.length, item.text);
        return false;
      }
    }
  }
  return true;
}

bool cli_select_types(struct cli *cli, const struct sbp_buffer *include, const struct sbp_buffer *exclude,
                      struct cli_set *set) {
  memset(set, include->size == 0 ? 0xff : 0, sizeof *set);
  return change(cli, "include", include, set, true) && change(cli, "exclude", exclude, set, false);
}

bool cli_select_senders(struct cli *cli, const struct sbp_buffer *senders, struct cli_set *set) {
  memset(set, 0, sizeof *set);
  for (const char *value = cli_list_next(senders, NULL); value != NULL; value = cli_list_next(senders, value)) {
    const char *rest = value;
    struct sbp_span item;
    while (next_item(&rest, &item)) {
      uint16_t sender;
      if (!read_number(cli, "sender", "a sender", item, &sender))
        return false;
      set_change(set, sender, true);
    }
  }
  return true;
}
