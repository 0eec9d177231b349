/* SPDX-License-Identifier: MIT */
/* The fixes of a log as a track: GPX 1.1, or GeoJSON (RFC 7946), a point a fix. */
#include "sbp2csv.h"

#include <inttypes.h>
#include <stdio.h>

/* The text of a number that stands in a fix, or none where the message has no such field or it is not finite. */
struct number {
  char text[64];
};

static struct number number_of(const struct sbp2csv *self, const struct sbp_message *message,
                               const struct sbp_frame *frame, const char *name) {
  struct number number = {.text = ""};
  struct sbp_field_view view;
  if (!sbp_field_find(message, frame, name, strlen(name), &view) || view.is_array || view.field->type > SBP_DOUBLE)
    return number;
  const size_t size = (size_t)(sbp_field_write(&self->line, &view, self->json) - self->json);
  if (memchr(self->json, 'e', size) != NULL) /* which XML's decimal has not */
    (void)snprintf(number.text, sizeof number.text, "%.12f", sbp_field_double(&view, 0));
  else if (memchr(self->json, 'n', size) == NULL && size < sizeof number.text)
    memcpy(number.text, self->json, size);
  return number;
}

/* Whether a field is a number from `least` up to, but without, `most`. */
static bool within(const struct sbp_message *message, const struct sbp_frame *frame, const struct sbp_field *field,
                   double least, double most) {
  struct sbp_field_view view;
  if (!sbp_field_find(message, frame, field->name, field->name_length, &view))
    return false;
  const double value = sbp_field_double(&view, 0);
  return value >= least && value < most;
}

/* The time, with a leap second, which XML has not, as the last ms before it. */
static void write_time(const struct sbp2csv *self, char *text) {
  const struct sbp_clock *const clock = &self->frames.clock;
  struct sbp_utc utc = sbp_utc_from_gps(&clock->leap, sbp_gps_whole_ms(clock->gps));
  if (utc.second == 60) {
    utc.second = 59;
    utc.ns = 999000000;
  }
  *sbp_utc_write(utc, text) = '\0';
}

static void write_gpx(struct sbp2csv *self, const struct cli_position *position, const struct sbp_frame *frame) {
  struct cli *const cli = &self->cli;
  const char *const mode = sbp_bits_name(&position->flags->bits[0], cli_position_mode(position, frame->payload));
  const struct number height = number_of(self, position->message, frame, "height");
  const struct number sats = number_of(self, position->message, frame, "n_sats");
  cli_begin_record(cli);
  if (self->broken && self->points > 0)
    cli_print(cli, "</trkseg><trkseg>\n");
  cli_print(cli, "<trkpt lat=\"%s\" lon=\"%s\">", number_of(self, position->message, frame, "lat").text,
            number_of(self, position->message, frame, "lon").text);
  if (height.text[0] != '\0')
    cli_print(cli, "<ele>%s</ele>", height.text);
  if (self->frames.clock.known) {
    char time[SBP_TIME_TEXT_MAX];
    write_time(self, time);
    cli_print(cli, "<time>%s</time>", time);
  }
  if (mode != NULL && strstr(mode, "SPP") != NULL)
    cli_print(cli, "<fix>3d</fix>");
  else if (mode != NULL &&
           (strstr(mode, "DGNSS") != NULL || strstr(mode, "RTK") != NULL || strstr(mode, "SBAS") != NULL))
    cli_print(cli, "<fix>dgps</fix>");
  if (sats.text[0] != '\0')
    cli_print(cli, "<sat>%s</sat>", sats.text);
  cli_print(cli, "</trkpt>\n");
}

static void write_geojson(struct sbp2csv *self, const struct cli_position *position, const struct sbp_frame *frame) {
  static const char *const others[] = {"n_sats", "h_accuracy", "v_accuracy"};
  struct cli *const cli = &self->cli;
  const unsigned mode = cli_position_mode(position, frame->payload);
  const char *const mode_name = sbp_bits_name(&position->flags->bits[0], mode);
  const struct number height = number_of(self, position->message, frame, "height");
  cli_begin_record(cli);
  cli_print(cli,
            "%s{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[%s,%s%s%s]},\"properties\":{",
            self->points == 0 ? "" : ",\n", number_of(self, position->message, frame, "lon").text,
            number_of(self, position->message, frame, "lat").text, height.text[0] == '\0' ? "" : ",", height.text);
  if (self->frames.clock.known) {
    char time[SBP_TIME_TEXT_MAX];
    write_time(self, time);
    cli_print(cli, "\"time\":\"%s\",", time);
  }
  cli_print(cli, "\"msg_name\":\"%s\",\"sender\":%u,\"mode\":%u", position->message->body.name, frame->sender, mode);
  if (mode_name != NULL) {
    cli_print(cli, ",\"mode_name\":");
    cli_print_string(cli, mode_name);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    const struct number other = number_of(self, position->message, frame, others[i]);
    if (other.text[0] != '\0')
      cli_print(cli, ",\"%s\":%s", others[i], other.text);
  }
  cli_print(cli, "}}");
}

void track_head(struct sbp2csv *self) {
  cli_begin_record(&self->cli);
  if (self->track == CSV_GPX)
    cli_print(&self->cli,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"sbpkit %s\" "
              "xmlns=\"http://www.topografix.com/GPX/1/1\">\n<trk><trkseg>\n",
              SBPKIT_VERSION);
  else
    cli_print(&self->cli, "{\"type\":\"FeatureCollection\",\"features\":[\n");
}

void track_point(struct sbp2csv *self, const struct sbp_message *message, const struct sbp_frame *frame) {
  const struct sbp_clock *const clock = &self->frames.clock;
  size_t rank = 0;
  while (rank < CLI_POSITIONS && self->positions[rank].message != message)
    ++rank;
  if (message == NULL || rank == CLI_POSITIONS || rank > self->best || !self->positions[rank].degrees ||
      frame->length < message->body.size)
    return;
  const struct cli_position *const position = &self->positions[rank];
  if ((position->invalid >> cli_position_mode(position, frame->payload) & 1) != 0 ||
      !within(message, frame, position->axes[0], -90, 90.0000001) ||
      !within(message, frame, position->axes[1], -180, 180)) {
    self->broken = self->broken || rank == self->best;
    return;
  }
  /* Where a better kind of message begins, its first fix may be the one that the worse has told before. */
  const bool again = rank != self->best && self->timed && clock->known && clock->gps <= self->latest;
  self->best = rank;
  if (again)
    return;
  if (self->track == CSV_GPX)
    write_gpx(self, position, frame);
  else
    write_geojson(self, position, frame);
  self->broken = false;
  self->timed = clock->known;
  self->latest = clock->gps;
  ++self->points;
  ++self->cli.counts.written;
  cli_select_count(&self->cli);
}

void track_foot(struct sbp2csv *self) {
  cli_begin_record(&self->cli);
  cli_print(&self->cli, "%s", self->track == CSV_GPX ? "</trkseg></trk></gpx>\n" : "\n]}\n");
  if (self->points == 0)
    cli_note(&self->cli, "no fix was found: no message with latitude and longitude whose mode is valid");
}
