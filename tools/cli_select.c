/* SPDX-License-Identifier: MIT */
/* Selection of messages by type, sender and place in the log, worked out once before the first one. */
#include "cli.h"

#include <stdio.h>

/* ---- By type and sender ---------------------------------------------------------------------------------------- */

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

/* The types that --include and --exclude select: included (all where no include is given), then not excluded. Items are
 * names, patterns of * and ?, or numbers, and comma lists of them. */
static bool select_types(struct cli *cli, const struct sbp_buffer *include, const struct sbp_buffer *exclude,
                         struct cli_set *set) {
  memset(set, include->size == 0 ? 0xff : 0, sizeof *set);
  return change(cli, "include", include, set, true) && change(cli, "exclude", exclude, set, false);
}

static bool select_senders(struct cli *cli, const struct sbp_buffer *senders, struct cli_set *set) {
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

/* ---- By place -------------------------------------------------------------------------------------------------- */

bool cli_duration(const char *text, int64_t *ns) {
  static const struct {
    const char *name;
    int64_t ns;
  } units[] = {{"ms", 1000000},
               {"s", 1000000000},
               {"m", INT64_C(60) * 1000000000},
               {"h", INT64_C(3600) * 1000000000},
               {"d", INT64_C(86400) * 1000000000}};
  const int64_t most = INT64_MAX / 4; /* 73 years */
  *ns = 0;
  do {
    const size_t digits = strspn(text, "0123456789");
    const size_t decimals = text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;
    const char *const name = text + digits + (decimals > 0 ? decimals + 1 : 0);
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    size_t unit = 0;
    while (unit < sizeof units / sizeof *units &&
           (strlen(units[unit].name) != length || memcmp(units[unit].name, name, length) != 0))
      ++unit;
    if (digits == 0 || unit == sizeof units / sizeof *units)
      return false;
    for (int64_t place = units[unit].ns, i = (int64_t)decimals, j = 1; i > 0; --i, ++j) {
      place /= 10;
      *ns += (text[digits + (size_t)j] - '0') * place;
    }
    uint64_t whole;
    if (!cli_number(text, digits, &whole) || whole > (uint64_t)((most - *ns) / units[unit].ns))
      return false;
    *ns += (int64_t)whole * units[unit].ns;
    text = name + length;
  } while (*text != '\0');
  return true;
}

/* Read where --from or --to cuts. */
static bool read_cut(struct cli *cli, const char *option, const char *text, struct cli_cut *cut) {
  const size_t length = strlen(text);
  char zoned[64];
  if (*text == '@' && cli_number(text + 1, length - 1, &cut->offset))
    cut->kind = CLI_AT_OFFSET;
  else if (*text == '+' && cli_duration(text + 1, &cut->time))
    cut->kind = CLI_AFTER;
  else if (sbp_gps_read(text, length, &cut->time))
    cut->kind = CLI_AT_GPS;
  else if (sbp_utc_read(text, length, &cut->utc))
    cut->kind = CLI_AT_UTC;
  else if ((size_t)snprintf(zoned, sizeof zoned, "%sZ", text) < sizeof zoned &&
           sbp_utc_read(zoned, length + 1, &cut->utc))
    cli_fail(cli, "--%s %s: of which time zone? UTC is written with a Z: %s", option, text, zoned);
  else
    cli_fail(cli,
             "--%s %s: not a place in a log; write UTC as 2026-11-30T12:00:00Z, GPS time as WEEK:TOW (ms), a duration "
             "from the start as +90s, or an offset in bytes as @%s",
             option, text, cli_number(text, length, &cut->offset) ? text : "4096");
  return cut->kind != CLI_NOWHERE;
}

/* Where a cut is, among those of its kind. */
static uint64_t cut_order(const struct cli_cut *cut) {
  static const struct sbp_leap no_leap = {0};
  return cut->kind == CLI_AT_OFFSET ? cut->offset
         : cut->kind == CLI_AT_UTC  ? (uint64_t)sbp_gps_from_utc(&no_leap, cut->utc)
                                    : (uint64_t)cut->time;
}

static bool is_time(const struct cli_cut *cut) {
  return cut->kind != CLI_NOWHERE && cut->kind != CLI_AT_OFFSET;
}

static bool prepare_cuts(struct cli *cli) {
  struct cli_select *const select = &cli->select;
  const struct cli_cut *const from = &select->from_cut;
  const struct cli_cut *const to = &select->to_cut;
  if ((select->from != NULL && !read_cut(cli, "from", select->from, &select->from_cut)) ||
      (select->to != NULL && !read_cut(cli, "to", select->to, &select->to_cut)))
    return false;
  select->by_time = is_time(from) || is_time(to);
  if (from->kind == to->kind && cut_order(from) > cut_order(to)) {
    cli_fail(cli, "--to %s: is before --from %s", select->to, select->from);
    return false;
  }
  if (cli->several && (from->kind == CLI_AT_OFFSET || to->kind == CLI_AT_OFFSET)) {
    cli_fail(cli, "--%s: an offset is one of one input, and there are several",
             from->kind == CLI_AT_OFFSET ? "from" : "to");
    return false;
  }
  return true;
}

/* Whether the place of the last frame is before a cut. */
static bool is_before(const struct cli_frames *frames, uint64_t offset, const struct cli_cut *cut) {
  const struct sbp_clock *const clock = &frames->clock;
  switch (cut->kind) {
  case CLI_AT_OFFSET:
    return offset < cut->offset;
  case CLI_AFTER:
    /* What comes late may be older than the start. */
    return cut->time > 0 && (!clock->known || clock->gps - frames->start < cut->time);
  case CLI_AT_GPS:
    return !clock->known || clock->gps < cut->time;
  case CLI_AT_UTC:
    return !clock->known || clock->gps < sbp_gps_from_utc(&clock->leap, cut->utc);
  case CLI_NOWHERE:
    break;
  }
  return false;
}

bool cli_select_place(const struct cli *cli, const struct cli_frames *frames, uint64_t offset) {
  const struct cli_select *const select = &cli->select;
  return !is_before(frames, offset, &select->from_cut) &&
         (select->to == NULL || is_before(frames, offset, &select->to_cut));
}

bool cli_select_prepare(struct cli *cli, struct cli_frames *frames) {
  struct cli_select *const select = &cli->select;
  select->by_type = select->include.size > 0 || select->exclude.size > 0;
  select->by_sender = select->senders.size > 0;
  select->all = !select->by_type && !select->by_sender && select->from == NULL && select->to == NULL;
  if (select->first != NULL &&
      (!cli_number(select->first, strlen(select->first), &select->left) || select->left == 0)) {
    cli_fail(cli, "--first %s: not a number of messages, 1 or more", select->first);
    return false;
  }
  if (!prepare_cuts(cli) ||
      (select->by_type && !select_types(cli, &select->include, &select->exclude, &select->types)) ||
      (select->by_sender && !select_senders(cli, &select->senders, &select->sender_set)))
    return false;
  frames->timed = frames->timed || select->by_time;
  return true;
}
