/* SPDX-License-Identifier: MIT */
/* Which frame tells what time; GPS time, UTC, and their text. */
#include "number.h"
#include "port.h"
#include "sbpkit/sbp.h"

enum { DAY_SECONDS = 86400, WEEK_DAYS = 7, MS_NS = 1000000, SECOND_NS = 1000000000 };

/* How far from the time that is known a time of week is believed that comes without its week. */
static const int64_t LONE_TOW_NS = INT64_C(3600) * SECOND_NS;

static int64_t floor_divide(int64_t value, int64_t by) {
  return value / by - (value % by < 0);
}

/* What that leaves: from 0 on. */
static int64_t floor_rest(int64_t value, int64_t by) {
  const int64_t rest = value % by;
  return rest < 0 ? rest + by : rest;
}

/* ---- Dates ----------------------------------------------------------------------------------------------------- */

/* 1980-01-06 as days_of_date() counts. */
enum { GPS_EPOCH = 723125 };

/* Days of the Gregorian calendar since the 1st of March of year 0. A year begins in March here, so that the day which
 * not every year has is its last. */
static int64_t days_of_date(int32_t year, int32_t month, int32_t day) {
  const int32_t march = (month + 9) % 12;
  const int32_t y = year - (month < 3);
  return (int64_t)365 * y + y / 4 - y / 100 + y / 400 + (306 * march + 5) / 10 + day - 1;
}

/* The date of a day; only years from 1 on are asked for. */
static void date_of_days(int64_t days, struct sbp_utc *utc) {
  int32_t y = (int32_t)((10000 * days + 14780) / 3652425);
  if (days_of_date(y, 3, 1) > days)
    y--;
  const int32_t rest = (int32_t)(days - days_of_date(y, 3, 1));
  const int32_t march = (100 * rest + 52) / 3060;
  utc->year = (uint16_t)(y + (march > 9));
  utc->month = (uint8_t)((march + 2) % 12 + 1);
  utc->day = (uint8_t)(rest - (306 * march + 5) / 10 + 1);
}

/* Seconds of UTC since the GPS epoch, leap seconds not counted: the 60th second is the one after it. */
static int64_t plain_seconds(const struct sbp_utc *utc) {
  const int64_t days = days_of_date(utc->year, utc->month, utc->day) - GPS_EPOCH;
  return days * DAY_SECONDS + (int64_t)utc->hour * 3600 + (int64_t)utc->minute * 60 + utc->second;
}

static bool is_valid(const struct sbp_utc *utc) {
  static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (utc->month < 1 || utc->month > 12)
    return false;
  const bool leap_year = utc->year % 4 == 0 && (utc->year % 100 != 0 || utc->year % 400 == 0);
  const int last = lengths[utc->month - 1] + (utc->month == 2 && leap_year);
  const bool last_minute = utc->hour == 23 && utc->minute == 59;
  const int64_t seconds = plain_seconds(utc);
  return utc->day >= 1 && utc->day <= last && utc->hour < 24 && utc->minute < 60 && utc->second < 60 + last_minute &&
         utc->ns < SECOND_NS && seconds >= 0 && seconds < (SBP_GPS_WEEK_MAX + INT64_C(1)) * WEEK_DAYS * DAY_SECONDS;
}

/* ---- Leap seconds ---------------------------------------------------------------------------------------------- */

/* The days that began with one second more between GPS time and UTC, in days since 1980-01-06 (IERS Bulletin C). */
static const uint16_t leap_days[] = {542 /* 1981-07 */,   907 /* 1982-07 */,   1272 /* 1983-07 */,
                                     2003 /* 1985-07 */,  2917 /* 1988-01 */,  3648 /* 1990-01 */,
                                     4013 /* 1991-01 */,  4560 /* 1992-07 */,  4925 /* 1993-07 */,
                                     5290 /* 1994-07 */,  5839 /* 1996-01 */,  6386 /* 1997-07 */,
                                     6935 /* 1999-01 */,  9492 /* 2006-01 */,  10588 /* 2009-01 */,
                                     11865 /* 2012-07 */, 12960 /* 2015-07 */, 13510 /* 2017-01 */};
enum { LEAPS = sizeof leap_days / sizeof *leap_days };

/* The change that decides on a GPS second: what the log told, or the last of the table that has begun by then. */
static struct sbp_leap change_at(const struct sbp_leap *leap, int64_t second) {
  struct sbp_leap change = {0, 0, 0, true};
  if (leap->told)
    return *leap;
  for (int i = LEAPS; i > 0; i--) {
    const int64_t midnight = (int64_t)leap_days[i - 1] * DAY_SECONDS;
    if (second >= midnight + i - 1) {
      change.midnight = midnight;
      change.before = (int16_t)(i - 1);
      change.after = (int16_t)i;
      break;
    }
  }
  return change;
}

/* Seconds of UTC, leap seconds not counted, of a GPS second. *extra says that it is 1 second behind those, which no
 * other second is: a leap second. */
static int64_t utc_second(const struct sbp_leap *leap, int64_t second, bool *extra) {
  const struct sbp_leap change = change_at(leap, second);
  const int64_t least = change.before < change.after ? change.before : change.after;
  *extra = false;
  if (second < change.midnight + least)
    return second - change.before;
  if (second >= change.midnight + change.after)
    return second - change.after;
  *extra = true;
  return change.midnight - 1;
}

struct sbp_utc sbp_utc_from_gps(const struct sbp_leap *leap, int64_t gps) {
  struct sbp_utc utc;
  bool extra;
  const int64_t second = floor_divide(gps, SECOND_NS);
  const int64_t plain = utc_second(leap, second, &extra);
  const int64_t days = floor_divide(plain, DAY_SECONDS);
  const int32_t of_day = (int32_t)floor_rest(plain, DAY_SECONDS);
  date_of_days(days + GPS_EPOCH, &utc);
  utc.hour = (uint8_t)(of_day / 3600);
  utc.minute = (uint8_t)(of_day / 60 % 60);
  utc.second = (uint8_t)(of_day % 60 + extra);
  utc.ns = (uint32_t)floor_rest(gps, SECOND_NS);
  return utc;
}

int64_t sbp_gps_from_utc(const struct sbp_leap *leap, struct sbp_utc utc) {
  if (!is_valid(&utc))
    return 0;
  const bool extra = utc.second == 60;
  const int64_t plain = plain_seconds(&utc) - extra;
  int64_t ahead = 0;
  if (leap->told) {
    ahead = plain < leap->midnight ? leap->before : leap->after;
  } else {
    while (ahead < LEAPS && plain >= (int64_t)leap_days[ahead] * DAY_SECONDS)
      ahead++;
  }
  return (plain + ahead + extra) * SECOND_NS + utc.ns;
}

/* ---- Weeks ----------------------------------------------------------------------------------------------------- */

struct sbp_week_time sbp_gps_split(int64_t gps) {
  const int32_t rest = (int32_t)floor_rest(gps, MS_NS);
  const bool up = rest >= MS_NS / 2;
  const int64_t ms = floor_divide(gps, MS_NS) + up;
  return (struct sbp_week_time){(int32_t)floor_divide(ms, SBP_GPS_WEEK_MS), (uint32_t)floor_rest(ms, SBP_GPS_WEEK_MS),
                                up ? rest - MS_NS : rest};
}

int64_t sbp_gps_join(struct sbp_week_time time) {
  const int64_t week = time.week < 0 ? 0 : time.week > SBP_GPS_WEEK_MAX ? SBP_GPS_WEEK_MAX : time.week;
  return (week * SBP_GPS_WEEK_MS + time.tow) * MS_NS + time.ns_residual;
}

int64_t sbp_gps_whole_ms(int64_t gps) {
  struct sbp_week_time time = sbp_gps_split(gps);
  time.ns_residual = 0;
  return sbp_gps_join(time);
}

/* ---- What a frame tells ---------------------------------------------------------------------------------------- */

enum {
  TYPE_EXT_EVENT = 257,
  TYPE_UTC_TIME = 259,
  TYPE_UTC_TIME_GNSS = 261,
  TYPE_UTC_LEAP_SECOND = 570,
  TYPE_POSE_RELATIVE = 581,
  TYPE_IMU_RAW = 2304,
  TYPE_ODOMETRY = 2307
};

/* What stands in a frame. */
struct told {
  uint32_t tow; /* SBP_GPS_WEEK_MS: none */
  int32_t week; /* -1: none */
  int32_t ns;   /* behind tow */
};

static bool is_one(const struct sbp_field *field, const char *name, enum sbp_type type) {
  return strcmp(field->name, name) == 0 && field->type == (uint8_t)type && field->repeat == SBP_ONE;
}

/* Which values of a field say that the time, or what was measured at it, is invalid. */
static void find_invalid(uint16_t type, const struct sbp_field *flags, struct sbp_clock_place *place) {
  static const struct {
    uint16_t type;
    uint8_t mask;
    uint8_t valid;
  } by_type[] = {{TYPE_EXT_EVENT, 2, 2}, {TYPE_POSE_RELATIVE, 0x30, 0x10}, {TYPE_ODOMETRY, 7, 1}};
  for (size_t i = 0; i < sizeof by_type / sizeof *by_type; i++) {
    if (by_type[i].type == type) {
      place->mask = by_type[i].mask;
      place->value = by_type[i].valid;
      place->other = true;
      return;
    }
  }
  for (uint16_t b = 0; b < flags->bits_count; b++) {
    const struct sbp_bits *const bits = &flags->bits[b];
    if (bits->first == 0 && bits->last < 8 && bits->value_count > 0 && bits->values[0].value == 0) {
      if (strcmp(bits->values[0].name, "Invalid") == 0 || strcmp(bits->values[0].name, "None (invalid)") == 0)
        place->mask = (uint8_t)((2u << bits->last) - 1);
      return;
    }
  }
}

/* Find the places in a struct that stands at `offset`. */
static void find_places(uint16_t type, const struct sbp_struct *body, size_t offset, struct sbp_clock_place *place) {
  for (uint16_t i = 0; i < body->field_count; i++) {
    const struct sbp_field *const field = &body->fields[i];
    const uint8_t at = (uint8_t)(offset + field->offset);
    if (field->type == SBP_STRUCT) {
      if (i == 0 && (is_one(field, "header", SBP_STRUCT) || is_one(field, "t", SBP_STRUCT))) {
        find_places(type, field->element, offset, place);
        return;
      }
      continue;
    }
    /* Behind a variable string no place is known. */
    if (field->type == SBP_STRING && field->encoding != SBP_FIXED)
      return;
    if (is_one(field, "wn", SBP_U16) || is_one(field, "wn", SBP_S16))
      place->week = at;
    else if (is_one(field, "tow", SBP_U32) &&
             (type == TYPE_IMU_RAW || (field->units != NULL && strcmp(field->units, "ms") == 0)))
      place->tow = at;
    else if (is_one(field, "tow_f", SBP_U8))
      place->tow_f = at;
    else if (is_one(field, "ns_residual", SBP_S32))
      place->ns_residual = at;
    else if (strcmp(field->name, "flags") == 0 && field->repeat == SBP_ONE && field->type < SBP_FLOAT) {
      place->flags = at;
      find_invalid(type, field, place);
    }
  }
}

enum { NOWHERE = 255 };

/* The places of a message: those that were found before, or are found now. */
static const struct sbp_clock_place *places_of(struct sbp_clock *clock, const struct sbp_message *message) {
  enum { PLACES = sizeof clock->places / sizeof *clock->places, TRIED = 8 };
  /* The high bits of a product depend on all bits of the id: by the golden ratio of 2^16. */
  const size_t first = (uint16_t)(message->id * 40503u) * (size_t)PLACES >> 16;
  struct sbp_clock_place *place = &clock->places[first];
  for (size_t i = 1; place->message != message && place->message != NULL && i <= TRIED; i++)
    place = &clock->places[(first + i % TRIED) % PLACES];
  if (SBPI_UNLIKELY(place->message != message)) {
    *place = (struct sbp_clock_place){.message = message,
                                      .tow = NOWHERE,
                                      .week = NOWHERE,
                                      .ns_residual = NOWHERE,
                                      .tow_f = NOWHERE,
                                      .flags = NOWHERE};
    find_places(message->id, &message->body, 0, place);
  }
  return place;
}

/* Take what stands in a payload. False where there is no time, or it says that it is none. */
static bool look(const struct sbp_clock_place *place, const uint8_t *payload, struct told *told) {
  if (place->tow == NOWHERE ||
      (place->mask != 0 && ((payload[place->flags] & place->mask) == place->value) != place->other))
    return false;
  told->tow = sbpi_load32(payload + place->tow);
  if (place->week != NOWHERE)
    told->week = sbpi_load16(payload + place->week); /* a negative one is beyond the last */
  if (place->ns_residual != NOWHERE)
    told->ns = (int32_t)sbpi_load32(payload + place->ns_residual);
  else if (place->tow_f != NOWHERE)
    told->ns = payload[place->tow_f] * (MS_NS / 64) / 4;
  return true;
}

/* MSG_UTC_TIME: its date tells the week and, where the receiver has heard it from the sky, how far GPS time is ahead.
 */
SBPI_NOINLINE static bool take_utc(struct sbp_clock *clock, const uint8_t *payload, struct told *told) {
  enum { OFFSET_SOURCE = 3 << 3, DECODED = 2 << 3 };
  const struct sbp_utc utc = {.year = sbpi_load16(payload + 5),
                              .month = payload[7],
                              .day = payload[8],
                              .hour = payload[9],
                              .minute = payload[10],
                              .second = payload[11],
                              .ns = sbpi_load32(payload + 12)};
  if (!is_valid(&utc))
    return false;
  const int64_t plain = plain_seconds(&utc);
  const int64_t utc_ms = plain * 1000 + utc.ns / MS_NS;
  /* GPS time is ahead by some seconds, or less than nothing by rounding. */
  const int64_t week = floor_divide(utc_ms - told->tow + SBP_GPS_WEEK_MS / 2, SBP_GPS_WEEK_MS);
  const int64_t gps_ms = week * SBP_GPS_WEEK_MS + told->tow;
  const int64_t ahead = floor_divide(gps_ms - utc_ms + 500, 1000);
  if (ahead < 0 || ahead > INT8_MAX)
    return false;
  told->week = (int32_t)week;

  bool extra;
  const int64_t second = floor_divide(gps_ms, 1000);
  /* In a leap second `plain` is the second after it, so that UTC is as far behind as before. */
  const int64_t known = second - utc_second(&clock->leap, second, &extra) - extra;
  if ((payload[0] & OFFSET_SOURCE) == DECODED && ahead > 0 && (ahead != known || (utc.second == 60 && !extra))) {
    clock->leap.told = true;
    clock->leap.midnight = utc.second == 60 ? plain : 0;
    clock->leap.before = (int16_t)ahead;
    clock->leap.after = (int16_t)(ahead + (utc.second == 60));
  }
  return true;
}

SBPI_NOINLINE static void take_leap(struct sbp_clock *clock, const uint8_t *payload) {
  /* UTC minus GPS time by the letter, but receivers send what the satellites do: GPS time minus UTC. */
  const int before = (int8_t)payload[5] < 0 ? -(int8_t)payload[5] : payload[5];
  const int after = (int8_t)payload[13] < 0 ? -(int8_t)payload[13] : payload[13];
  const int64_t day = (int64_t)sbpi_load16(payload + 10) * WEEK_DAYS + payload[12];
  /* All zeros is a receiver that does not know yet. */
  if (after == 0 || after - before > 1 || before - after > 1 || payload[12] > WEEK_DAYS)
    return;
  clock->leap.midnight = day * DAY_SECONDS;
  clock->leap.before = (int16_t)before;
  clock->leap.after = (int16_t)after;
  clock->leap.told = true;
}

/* The time with this time of week that is nearest to what the clock shows. */
static int64_t nearest(const struct sbp_clock *clock, const struct told *told) {
  const int64_t gps = clock->gps;
  const int64_t step = ((int64_t)told->tow - clock->tow) * MS_NS + told->ns - clock->ns;
  if (SBPI_LIKELY(step >= -LONE_TOW_NS && step <= LONE_TOW_NS))
    return gps + step;
  const int64_t week_ns = (int64_t)SBP_GPS_WEEK_MS * MS_NS;
  const int64_t of_week = (int64_t)told->tow * MS_NS + told->ns;
  return floor_divide(gps - of_week + week_ns / 2, week_ns) * week_ns + of_week;
}

bool sbp_clock_feed(struct sbp_clock *clock, const struct sbp_message *message, const struct sbp_frame *frame) {
  struct told told = {SBP_GPS_WEEK_MS, -1, 0};
  if (message == NULL || frame->length < message->body.size)
    return false;
  const uint16_t type = message->id;
  if (SBPI_UNLIKELY(type == TYPE_UTC_LEAP_SECOND) && message->body.size == 14)
    take_leap(clock, frame->payload);
  if (!look(places_of(clock, message), frame->payload, &told) || told.tow >= SBP_GPS_WEEK_MS)
    return false;
  /* What is no rest of a rounded ms is none. */
  if (told.ns <= -MS_NS || told.ns >= MS_NS)
    told.ns = 0;
  if ((type == TYPE_UTC_TIME || type == TYPE_UTC_TIME_GNSS) && message->body.size == 16 &&
      !take_utc(clock, frame->payload, &told))
    return false;
  if (told.week == 0 || told.week > SBP_GPS_WEEK_MAX)
    return false;
  if (told.week > 0) {
    clock->gps = sbp_gps_join((struct sbp_week_time){told.week, told.tow, told.ns});
    clock->tow = told.tow;
    clock->ns = told.ns;
    clock->known = true;
    return true;
  }
  if (!clock->known)
    return false;
  const int64_t gps = nearest(clock, &told);
  if (gps < clock->gps - LONE_TOW_NS || gps > clock->gps + LONE_TOW_NS)
    return false;
  clock->gps = gps;
  clock->tow = told.tow;
  clock->ns = told.ns;
  return true;
}

/* ---- Text ------------------------------------------------------------------------------------------------------ */

/* So many digits, with zeros before them. */
static char *write_digits(char *out, uint32_t value, unsigned count) {
  for (char *p = out + count; p > out; value /= 10)
    *--p = (char)('0' + value % 10);
  return out + count;
}

char *sbp_utc_write(struct sbp_utc utc, char *out) {
  const uint8_t parts[] = {utc.month, utc.day, utc.hour, utc.minute, utc.second};
  static const char before[] = "--T::";
  char *o = write_digits(out, utc.year, 4);
  for (size_t i = 0; i < sizeof parts; i++) {
    *o++ = before[i];
    o = write_digits(o, parts[i], 2);
  }
  *o++ = '.';
  o = utc.ns % MS_NS == 0 ? write_digits(o, utc.ns / MS_NS, 3) : write_digits(o, utc.ns, 9);
  *o++ = 'Z';
  return o;
}

char *sbp_gps_write(int64_t gps, char *out) {
  const int64_t ms = floor_divide(gps, MS_NS);
  const uint32_t rest = (uint32_t)floor_rest(gps, MS_NS);
  char *o = sbpi_write_s32(out, (int32_t)floor_divide(ms, SBP_GPS_WEEK_MS));
  *o++ = ':';
  o = sbpi_write_u32(o, (uint32_t)floor_rest(ms, SBP_GPS_WEEK_MS));
  if (rest > 0) {
    *o++ = '.';
    o = write_digits(o, rest, 6);
    while (o[-1] == '0')
      o--;
  }
  return o;
}

/* Text that is being read. */
struct text {
  const char *at;
  const char *end;
};

/* Past this character; false where it is not there. */
static bool skip(struct text *text, char c) {
  if (text->at == text->end || *text->at != c)
    return false;
  text->at++;
  return true;
}

/* least to most digits, most up to 9. */
static bool read_digits(struct text *text, unsigned least, unsigned most, uint32_t *value) {
  unsigned count = 0;
  *value = 0;
  for (; count < most && text->at < text->end && *text->at >= '0' && *text->at <= '9'; count++)
    *value = *value * 10 + (uint32_t)(*text->at++ - '0');
  return count >= least;
}

/* A point and digits behind it, or nothing, as a number of `most` digits. */
static bool read_fraction(struct text *text, unsigned most, uint32_t *value) {
  *value = 0;
  if (!skip(text, '.'))
    return true;
  const char *const begin = text->at;
  if (!read_digits(text, 1, most, value))
    return false;
  for (size_t count = (size_t)(text->at - begin); count < most; count++)
    *value *= 10;
  return true;
}

bool sbp_utc_read(const char *text, size_t length, struct sbp_utc *utc) {
  struct text rest = {text, text + length};
  uint32_t parts[5] = {0}; /* month, day, hour, minute, second */
  uint32_t year;
  static const char before[] = "--T::";
  if (!read_digits(&rest, 4, 4, &year))
    return false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (skip(&rest, before[i])) {
      if (!read_digits(&rest, 2, 2, &parts[i]))
        return false;
    } else if (i < 4) {
      return false;
    }
  }
  utc->year = (uint16_t)year;
  utc->month = (uint8_t)parts[0];
  utc->day = (uint8_t)parts[1];
  utc->hour = (uint8_t)parts[2];
  utc->minute = (uint8_t)parts[3];
  utc->second = (uint8_t)parts[4];
  return read_fraction(&rest, 9, &utc->ns) && skip(&rest, 'Z') && rest.at == rest.end && is_valid(utc);
}

bool sbp_gps_read(const char *text, size_t length, int64_t *gps) {
  struct text rest = {text, text + length};
  uint32_t week, tow, ns;
  if (!read_digits(&rest, 1, 5, &week) || !skip(&rest, ':') || !read_digits(&rest, 1, 9, &tow) ||
      !read_fraction(&rest, 6, &ns) || rest.at != rest.end || week > SBP_GPS_WEEK_MAX || tow >= SBP_GPS_WEEK_MS)
    return false;
  *gps = sbp_gps_join((struct sbp_week_time){(int32_t)week, tow, (int32_t)ns});
  return true;
}
