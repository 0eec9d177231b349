/* SPDX-License-Identifier: MIT */
/* Where things are in a log whose length in bytes and time shows only at its end: tables of a fixed size, in which two
 * entries become one whenever they are full. */
#include "sbpinfo.h"

/* ---- Time line ------------------------------------------------------------------------------------------------- */

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
    timeline->begin = gps;
    timeline->length = 1000000;
  }
  int64_t at = gps < timeline->begin ? 0 : (gps - timeline->begin) / timeline->length;
  for (; at >= INFO_STEPS; at /= 2)
    widen(timeline);
  timeline->at = (size_t)at;
  if (timeline->at >= timeline->count)
    timeline->count = timeline->at + 1;
}

/* ---- Seams ----------------------------------------------------------------------------------------------------- */

void info_seams_add(struct info_seams *seams, uint64_t end) {
  if (seams->stride == 0)
    seams->stride = 1;
  while (seams->count * seams->stride <= end) {
    if (seams->count == INFO_SEAMS) {
      for (size_t i = 0; i < INFO_SEAMS / 2; ++i)
        seams->ends[i] = seams->ends[2 * i];
      seams->count = INFO_SEAMS / 2;
      seams->stride *= 2;
    } else {
      seams->ends[seams->count++] = end;
    }
  }
}

uint64_t info_seams_begin(const struct info_seams *seams, uint64_t size, uint64_t index, uint64_t count) {
  const uint64_t ideal = size / count * index + size % count * index / count;
  if (index == 0 || seams->stride == 0)
    return index == 0 ? 0 : size;
  const uint64_t at = ideal / seams->stride + (ideal % seams->stride != 0);
  return index == count || at >= seams->count ? size : seams->ends[at];
}
