/* SPDX-License-Identifier: MIT */
/* Messages and damage over the time of a log, whose length shows only at its end: whenever the table is full, two steps
 * become one. */
#include "sbpinfo.h"

/* Make every two steps one. */
static void widen(struct info_timeline *timeline) {
  for (size_t i = 0; i < INFO_STEPS / 2; ++i) {
    timeline->steps[i].messages = timeline->steps[2 * i].messages + timeline->steps[2 * i + 1].messages;
    timeline->steps[i].damage = timeline->steps[2 * i].damage + timeline->steps[2 * i + 1].damage;
  }
  memset(timeline->steps + INFO_STEPS / 2, 0, sizeof timeline->steps / 2);
  timeline->length *= 2;
  timeline->count = (timeline->count + 1) / 2;
}

void info_timeline_go(struct info_timeline *timeline, int64_t gps) {
  if (timeline->length == 0) {
    timeline->begin = timeline->from = gps;
    timeline->length = 1000000;
    timeline->count = 1;
  }
  if (gps >= timeline->from && gps - timeline->from < timeline->length)
    return;
  int64_t at = gps < timeline->begin ? 0 : (gps - timeline->begin) / timeline->length;
  for (; at >= INFO_STEPS; at /= 2)
    widen(timeline);
  timeline->at = (size_t)at;
  timeline->from = timeline->begin + at * timeline->length;
  if (timeline->at >= timeline->count)
    timeline->count = timeline->at + 1;
}
