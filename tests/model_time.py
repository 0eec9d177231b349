# SPDX-License-Identifier: MIT
"""An independent model of when frames were made: Python's calendar, the list of leap seconds, and the rules of the
public header's section on time."""

import datetime
import json
import struct

import model

EPOCH = datetime.datetime(1980, 1, 6)
WEEK = 604800000
MS = 10**6
HOUR = 3600 * 1000 * MS
# The first days with one second more between GPS time and UTC (IERS Bulletin C).
LEAPS = [(1981, 7), (1982, 7), (1983, 7), (1985, 7), (1988, 1), (1990, 1), (1991, 1), (1992, 7), (1993, 7), (1994, 7),
         (1996, 1), (1997, 7), (1999, 1), (2006, 1), (2009, 1), (2012, 7), (2015, 7), (2017, 1)]  # fmt: skip
TABLE = [(datetime.datetime(year, month, 1), count, count + 1) for count, (year, month) in enumerate(LEAPS)]


def seconds(date):
    """Whole seconds from the epoch to a date, as if all days were equal."""
    delta = date - EPOCH
    return delta.days * 86400 + delta.seconds


def utc(ns, leaps=TABLE):
    """(date, whether it is the leap second behind it, ns of the second) of GPS time in ns. `leaps` are (midnight, offset
    before, offset after)."""
    second, rest = divmod(ns, 1000 * MS)
    offset = leaps[0][1]
    for midnight, before, after in leaps:
        if seconds(midnight) + before <= second < seconds(midnight) + after:
            return midnight - datetime.timedelta(seconds=1), True, rest
        if second >= seconds(midnight) + after:
            offset = after
    return EPOCH + datetime.timedelta(seconds=second - offset), False, rest


def utc_text(ns, leaps=TABLE):
    """To the nearest ms."""
    date, leap, rest = utc((ns + MS // 2) // MS * MS, leaps)
    return date.strftime("%Y-%m-%dT%H:%M:") + "%02d.%03dZ" % (date.second + leap, rest // MS)


def gps(week, tow, ns=0):
    return (week * WEEK + tow) * MS + ns


def gps_of_date(*date):
    """GPS time at the begin of a second of UTC that is no leap second."""
    date = datetime.datetime(*date)
    return (seconds(date) + sum(midnight <= date for midnight, _, _ in TABLE)) * 1000 * MS


# ---- Frames


def gps_time(week, tow, flags=1, ns=0, msg_type=258):
    return model.pack(msg_type, 1, struct.pack("<HIiB", week, tow, ns, flags))


def utc_time(tow, date, flags=1 | 2 << 3, second=None, ns=0):
    day = struct.pack("<HBBBBB", date.year, date.month, date.day, date.hour, date.minute,
                      date.second if second is None else second)  # fmt: skip
    return model.pack(259, 1, struct.pack("<BI", flags, tow) + day + struct.pack("<I", ns))


def utc_leap(week, day, before, after):
    return model.pack(570, 1, struct.pack("<hhbbHHHBb", 0, 0, 0, before, 0, 0, week, day, after))


def fix(tow, flags=4):
    """MSG_POS_LLH"""
    return model.pack(522, 1, struct.pack("<IdddHHBB", tow, 1.0, 2.0, 3.0, 4, 5, 6, flags))


def observations(week, tow, ns=0):
    return model.pack(74, 1, struct.pack("<IiHB", tow, ns, week, 16))


def text(line):
    """MSG_LOG, which tells no time"""
    return model.pack(1025, 1, b"\6" + line)


# ---- The clock

# Messages of which the low bits of `flags` are 0 where there is no time or no solution.
ZERO_IS_INVALID = {258, 260, 259, 261, 520, 521, 532, 522, 529, 536, 523, 524, 525, 533, 526, 530, 553, 564, 554, 561,
                   557, 565, 558, 562, 531, 540, 527, 544, 545, 546, 547}  # fmt: skip
# Messages whose header has the time.
OBSERVATIONS = {74, 1600, 67, 69, 73}

class Clock:
    """What is known of the time after each frame that is fed."""

    def __init__(self):
        self.ns = None
        self.leaps = TABLE

    def feed(self, frame):
        message = model.schema().messages.get(frame.type)
        if message is None or frame.length < message.size:
            return
        if frame.type == 570:
            self._leap(frame.payload)
        told = self._told(frame, message)
        if told is None:
            return
        week, tow, ns = told
        if tow >= WEEK:
            return
        ns = ns if -MS < ns < MS else 0
        if frame.type in (259, 261):
            week = self._utc(frame.payload, tow)
            if week is None:
                return
        if week is not None:
            if 0 < week <= 15000:
                self.ns = gps(week, tow, ns)
            return
        if self.ns is not None:
            here = self.ns // (WEEK * MS)
            near = min((gps(here + step, tow, ns) for step in (-1, 0, 1)), key=lambda time: abs(time - self.ns))
            if abs(near - self.ns) <= HOUR:
                self.ns = near

    def _told(self, frame, message):
        """(week or None, tow, ns) as it stands in a frame."""
        found, flags = fields_of(message, frame.payload)
        if "tow" not in found:
            return None
        if frame.type == 257 and not flags & 2:
            return None
        if frame.type == 2307 and flags & 7 != 1:
            return None
        if frame.type == 581 and flags >> 4 & 3 != 1:
            return None
        if frame.type in ZERO_IS_INVALID and flags & 7 == 0:
            return None
        return found.get("wn"), found["tow"], found.get("ns_residual", found.get("tow_f", 0) * 15625 // 4)

    def _leap(self, payload):
        before, week, day, after = struct.unpack("<5xb4xHBb", payload[:14])
        before, after = abs(before), abs(after)
        if after > 0 and abs(after - before) <= 1 and day <= 7:
            self.leaps = [(EPOCH + datetime.timedelta(weeks=week, days=day), before, after)]

    def _utc(self, payload, tow):
        flags, year, month, day, hour, minute, second, ns = struct.unpack("<B4xHBBBBBI", payload[:16])
        try:
            date = datetime.datetime(year, month, day, hour, minute, min(second, 59))
        except ValueError:
            return None
        if date < EPOCH or second > 60 or (second == 60 and (hour, minute) != (23, 59)) or ns >= 1000 * MS:
            return None
        plain = seconds(date) + (second == 60)
        ms = plain * 1000 + ns // MS
        for week in {(ms + step * WEEK) // WEEK for step in (-1, 0, 1)}:
            ahead = (week * WEEK + tow - ms + 500) // 1000
            if 0 <= ahead < 128:
                break
        else:
            return None
        date, leap, _ = utc(gps(week, tow), self.leaps)
        known = gps(week, tow) // (1000 * MS) - seconds(date) - leap
        if flags >> 3 & 3 == 2 and ahead > 0 and (ahead != known or (second == 60 and not leap)):
            midnight = EPOCH + datetime.timedelta(seconds=plain if second == 60 else 0)
            self.leaps = [(midnight, ahead, ahead + (second == 60))]
        return week


def fields_of(message, payload):
    """The fields on time of a message, and its flags."""
    found, flags, at = {}, 0, 0
    row = ROWS[message.id]
    for index, field in enumerate(message.fields):
        if field.base == "string" and field.is_variable:
            break
        size = field.size
        part = payload[at : at + size]
        if field.repeat is None and field.base in model.NUMBER_FORMATS:
            value = struct.unpack(model.NUMBER_FORMATS[field.base], part)[0]
            units = row["fields"][index].get("units")
            if field.name == "tow" and field.base == "u32" and (units == "ms" or message.id == 2304):
                found["tow"] = value
            elif field.name in ("wn", "ns_residual", "tow_f"):
                found[field.name] = value
            elif field.name == "flags":
                flags = value
        elif index == 0 and message.id in OBSERVATIONS:
            if field.base.size == 11:
                names, form = ("tow", "ns_residual", "wn"), "<IiH"
            else:
                names, form = ("tow", "wn"), "<IH"
            return dict(zip(names, struct.unpack_from(form, part))), 0
        at += size
    return found, flags


def _rows():
    rows = {}
    for path in model.SCHEMA.glob("*.json"):
        for row in json.loads(path.read_text(encoding="utf-8")).get("messages", []):
            rows[row["id"]] = row
    return rows


ROWS = _rows()


def times(data):
    """(GPS time in ns or None, UTC or None) of each frame of a log."""
    clock, result = Clock(), []
    for frame in model.find_frames(data).frames:
        clock.feed(frame)
        if clock.ns is None:
            result.append((None, None))
        else:
            result.append((clock.ns, utc_text(clock.ns, clock.leaps)))
    return result
