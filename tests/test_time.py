# SPDX-License-Identifier: MIT
"""When frames were made: sbp2json --time, and cuts by --from and --to in sbp2json and sbpcat."""

import datetime
import json
import random
import re
import struct

import pytest

import model
from model_time import (EPOCH, LEAPS, MS, TABLE, WEEK, fix, gps, gps_of_date, gps_time, observations, seconds, text,
                        times, utc_leap, utc_text, utc_time)  # fmt: skip
from tool import HEARTBEAT, TEST_DATA, clean, run
from tool import times as scaled

LOGS = sorted(path.name for path in TEST_DATA.glob("*.sbp") if path.name != "benchmark.sbp")
TIMES = re.compile(rb'(?:,"utc":"([^"]*)","gps_week":([0-9]+))?}$')


def told(data, *options):
    """(utc, gps_week) of each line, None where they are left out."""
    found = [TIMES.search(line).groups() for line in run("sbp2json", data, "--time", *options).out.splitlines()]
    return [(utc and utc.decode(), week and int(week)) for utc, week in found]


def utcs(data):
    return [utc for utc, _ in told(data)]


def as_told(data):
    return [(utc, None if ns is None else (ns + MS // 2) // MS // WEEK) for ns, utc in times(data)]


# ---- --time


def test_time_adds_utc_and_week_behind_the_fields_and_changes_nothing_else():
    data = (TEST_DATA / "receiver_10hz.sbp").read_bytes()
    lines = clean("sbp2json", data, "--time")
    assert lines.splitlines()[0].endswith(b',"flags":1,"utc":"2022-08-08T17:59:42.100Z","gps_week":2222}')
    assert re.sub(rb',"utc":"[^"]*","gps_week":2222}', b"}", lines) == clean("sbp2json", data)


def test_time_stands_behind_the_meaning_and_in_pretty_lines():
    frame = gps_time(2222, 5000)
    assert list(json.loads(clean("sbp2json", frame, "--time", "--expand")))[-3:] == ["meaning", "utc", "gps_week"]
    assert json.loads(clean("sbp2json", frame, "--time", "--pretty"))["gps_week"] == 2222


def test_lines_with_time_go_back():
    data = b"".join((TEST_DATA / name).read_bytes() for name in ("receiver_10hz.sbp", "every_message.sbp"))
    lines = clean("sbp2json", data, "--time")
    assert clean("json2sbp", lines) == data
    assert clean("json2sbp", lines, "--check") == data
    assert clean("json2sbp", lines, "--from-fields") == data
    bare = clean("sbp2json", data, "--time", "--no-payload", "--include", "MSG_POS_LLH")
    assert clean("json2sbp", bare, "--from-fields") == clean("sbpcat", data, "--include", "MSG_POS_LLH")


@pytest.mark.parametrize("name", LOGS)
def test_the_times_of_a_log_are_those_of_the_model(name):
    data = (TEST_DATA / name).read_bytes()
    assert told(data) == as_told(data)


def test_the_times_of_the_reference_logs_are_those_of_the_model(reference):
    for path in sorted((reference / "logs").iterdir()):
        data = path.read_bytes()
        assert told(data) == as_told(data), path.name


def test_every_leap_second_of_the_table_is_a_second_60():
    frames = []
    for midnight, before, _ in TABLE:
        first = (seconds(midnight) + before) * 1000
        frames += [gps_time(*divmod(first + step, WEEK)) for step in range(-1500, 2501, 250)]
    got = utcs(b"".join(frames))
    assert got == [utc_text(ns) for ns, _ in times(b"".join(frames))]
    assert sum(":60." in utc for utc in got) == 4 * len(LEAPS)
    # What the standard library makes of seconds that are none.
    for utc in got:
        if ":60." not in utc:
            datetime.datetime.strptime(utc, "%Y-%m-%dT%H:%M:%S.%fZ")


def test_utc_before_the_first_leap_second_is_gps_time():
    assert utcs(gps_time(1, 0)) == ["1980-01-13T00:00:00.000Z"]


def test_utc_is_that_of_the_calendar():
    for date in ((1999, 12, 31, 23, 59, 59), (2000, 2, 29, 12, 0, 0), (2024, 2, 29, 0, 0, 1), (2100, 3, 1, 0, 0, 0)):
        frame = gps_time(*divmod(gps_of_date(*date) // MS, WEEK))
        assert utcs(frame) == [datetime.datetime(*date).isoformat() + ".000Z"]


def test_utc_is_rounded_to_the_ms_as_tow_is():
    assert utcs(gps_time(1930, 17000, ns=-92)) == ["2016-12-31T23:59:60.000Z"]
    assert told(gps_time(1931, 0, ns=-92)) == [("2017-01-07T23:59:42.000Z", 1931)]


# ---- What is a clock


def test_a_message_without_time_goes_with_the_last_one_before_it():
    data = text(b"early") + gps_time(2222, 5000) + text(b"a") + HEARTBEAT + gps_time(2222, 6000) + text(b"b")
    first, second = utc_text(gps(2222, 5000)), utc_text(gps(2222, 6000))
    assert utcs(data) == [None, first, first, first, second, second]


def test_messages_of_unknown_type_and_too_short_ones_have_time_too():
    data = gps_time(2222, 5000) + model.pack(31420, 1, b"x") + model.pack(258, 1, b"\1")
    assert [week for _, week in told(data)] == [2222] * 3


INVALID = {
    "no time source": gps_time(2222, 9000, flags=0),
    "no time source, GNSS": gps_time(2222, 9000, flags=0, msg_type=260),
    "week 0": gps_time(0, 9000),
    "a week that is none": gps_time(65535, 9000),
    "tow that is none": gps_time(2222, WEEK),
    "UTC without a source": utc_time(9000, datetime.datetime(2022, 8, 6, 23, 59, 51), flags=2 << 3),
    "a date that is none": model.pack(259, 1, struct.pack("<BIHBBBBBI", 17, 9000, 2022, 13, 6, 23, 59, 51, 0)),
    "a date that is not that of its tow": utc_time(9000, datetime.datetime(2022, 8, 6, 23, 50, 51)),
    "no fix": fix(9000, flags=0),
    "event without a solution": model.pack(257, 1, struct.pack("<HIiBB", 2222, 9000, 0, 1, 0)),
    "odometry of the processor's clock": model.pack(2307, 1, struct.pack("<IiB", 9000, 1, 2)),
    "IMU since the system's start": model.pack(2304, 1, struct.pack("<IBhhhhhh", 9000 | 1 << 30, 0, 1, 2, 3, 4, 5, 6)),
    "magnetometer without time": model.pack(2306, 1, struct.pack("<IBhhh", 9000 | 1 << 31, 0, 1, 2, 3)),
    "orbit": model.pack(138, 1, bytes(139)),
}


@pytest.mark.parametrize("frame", INVALID.values(), ids=INVALID)
def test_a_message_that_says_its_time_is_invalid_is_no_clock(frame):
    assert utcs(frame) == [None]
    assert utcs(gps_time(2222, 5000) + frame) == [utc_text(gps(2222, 5000))] * 2


VALID = {
    "propagated": gps_time(2222, 9000, flags=2),
    "of GNSS alone": gps_time(2222, 9000, msg_type=260),
    "of old": gps_time(2222, 9000, flags=0, msg_type=256),
    "observations": observations(2222, 9000),
    "event": model.pack(257, 1, struct.pack("<HIiBB", 2222, 9000, 0, 2, 0)),
    "a date": utc_time(9000, datetime.datetime(2022, 8, 6, 23, 59, 51)),
}
VALID_WITH_WEEK = {
    "fix": fix(9000),
    "odometry": model.pack(2307, 1, struct.pack("<IiB", 9000, 1, 1)),
    "IMU": model.pack(2304, 1, struct.pack("<IBhhhhhh", 9000, 0, 1, 2, 3, 4, 5, 6)),
    "magnetometer": model.pack(2306, 1, struct.pack("<IBhhh", 9000, 0, 1, 2, 3)),
}


@pytest.mark.parametrize("frame", VALID.values(), ids=VALID)
def test_a_message_with_week_and_tow_is_a_clock(frame):
    assert told(frame) == [("2022-08-06T23:59:51.000Z", 2222)]


@pytest.mark.parametrize("frame", VALID_WITH_WEEK.values(), ids=VALID_WITH_WEEK)
def test_a_tow_alone_is_a_clock_where_the_week_is_known(frame):
    assert told(frame) == [(None, None)]
    assert told(gps_time(2222, 5000) + frame)[1] == ("2022-08-06T23:59:51.000Z", 2222)


def test_a_message_of_another_schema_is_a_clock_by_its_fields(tmp_path):
    fields = [{"name": "x", "type": "u8"}, {"name": "tow", "type": "u32", "units": "ms"}]
    row = {"name": "MSG_MINE", "id": 31420, "fields": fields + [{"name": "wn", "type": "u16", "units": "weeks"}]}
    (tmp_path / "mine.json").write_text(json.dumps({"package": "mine", "messages": [row]}))
    frame = model.pack(31420, 1, struct.pack("<BIH", 1, 9000, 2222))
    assert told(frame, "--schema", tmp_path / "mine.json") == [("2022-08-06T23:59:51.000Z", 2222)]
    fields[1]["units"] = "s"
    (tmp_path / "mine.json").write_text(json.dumps({"package": "mine", "messages": [row]}))
    assert told(frame, "--schema", tmp_path / "mine.json") == [(None, None)]


# ---- Weeks


def weeks(data):
    return [week for _, week in told(data)]


def test_a_tow_that_falls_from_the_end_of_the_week_is_in_the_next():
    tows = [WEEK - 200, WEEK - 100, 0, 100, 100, 200]
    data = gps_time(2222, WEEK - 300) + b"".join(map(fix, tows))
    assert weeks(data) == [2222] * 3 + [2223] * 4
    assert utcs(data)[3] == utc_text(gps(2223, 0))


def test_a_tow_that_comes_late_is_in_its_own_week():
    data = gps_time(2223, 100) + fix(WEEK - 100) + fix(200) + fix(WEEK - 50) + fix(300)
    assert weeks(data) == [2223, 2222, 2223, 2222, 2223]


def test_neither_a_replay_nor_a_counter_moves_the_week():
    day = 86400000
    for odd in (0, 1, day, 5 * day, WEEK - 1, WEEK - 3600001):
        data = gps_time(2222, 3 * day) + b"".join(fix(3 * day + i * 100) + fix(odd) for i in range(50))
        assert set(weeks(data)) == {2222}
    loop = [fix(tow) for tow in range(WEEK - 5000, WEEK, 100)] + [fix(tow) for tow in range(0, 5000, 100)]
    data = gps_time(2222, WEEK - 5100) + b"".join(loop * 5)
    assert set(weeks(data)) == {2222, 2223}
    assert weeks(data)[-1] == 2223


def test_a_week_that_is_told_again_counts():
    assert weeks(gps_time(2222, 100) + gps_time(1930, 100) + fix(200)) == [2222, 1930, 1930]


@pytest.mark.parametrize("seed", range(scaled(20)))
def test_the_times_of_any_stream_are_those_of_the_model(seed):
    source = random.Random(seed)
    at = source.choice([1930 * WEEK + 17000, 2222 * WEEK, 2222 * WEEK + 300000000]) + source.randrange(-30000, 30000)
    frames = []
    for _ in range(200):
        week, tow = divmod(at + source.choice([0, 0, 0, -700, 5000]), WEEK)
        date = EPOCH + datetime.timedelta(milliseconds=at - at % 1000)
        kind = source.randrange(9)
        frames.append(
            [
                lambda: fix(tow),
                lambda: fix(tow, flags=source.randrange(3)),
                lambda: gps_time(week, tow, flags=source.randrange(3), ns=source.randrange(-500000, 500000)),
                lambda: observations(source.choice([week, week, 0, week - 1024]), tow),
                lambda: utc_time(at % WEEK, date - datetime.timedelta(seconds=source.choice([17, 18, 18, 19])),
                                 flags=source.randrange(32), ns=at % 1000 * MS),
                lambda: utc_leap(week, source.randrange(8), 18, source.choice([17, 18, 19, 19])),
                lambda: fix(source.randrange(WEEK)),
                lambda: text(b"x"),
                lambda: model.pack(source.choice([257, 581, 2304, 2306, 2307, 528, 535, 288]), 1,
                                   struct.pack("<I", tow) + source.randbytes(90)),
            ][kind]()
        )  # fmt: skip
        at += source.choice([0, 100, 100, 1000, 1000000])
    data = b"".join(frames)
    assert told(data) == as_told(data)


# ---- Leap seconds that only a log knows

NEW_YEAR = datetime.datetime(2030, 1, 1)
BEFORE = (seconds(NEW_YEAR) + 18) * 1000  # 23:59:60 begins, in ms


def around(first=-1500, last=2500):
    return [gps_time(*divmod(BEFORE + step, WEEK)) for step in range(first, last, 500)]


def test_an_announced_leap_second_is_one():
    week, day = divmod(seconds(NEW_YEAR) // 86400, 7)
    data = utc_leap(week, day, 18, 19) + b"".join(around())
    leaps = [(NEW_YEAR, 18, 19)]
    assert utcs(data)[1:] == [utc_text((BEFORE + step) * MS, leaps) for step in range(-1500, 2500, 500)]
    assert utcs(data)[4] == "2029-12-31T23:59:60.000Z"
    assert utcs(b"".join(around()))[3] == "2030-01-01T00:00:00.000Z"


def test_the_end_of_a_week_is_day_7_of_it():
    # The last leap second as satellites announced it: week 1929, day 7.
    data = utc_leap(1929, 7, 17, 18) + gps_time(1930, 16999) + gps_time(1930, 17000) + gps_time(1930, 18000)
    assert utcs(data)[1:] == ["2016-12-31T23:59:59.999Z", "2016-12-31T23:59:60.000Z", "2017-01-01T00:00:00.000Z"]


@pytest.mark.parametrize("week, day, before, after", [(0, 0, 0, 0), (1000, 8, 18, 19), (1000, 1, 5, 18)])
def test_what_is_no_announcement_is_ignored(week, day, before, after):
    assert utcs(utc_leap(week, day, before, after) + gps_time(2222, 9000)) == [None, "2022-08-06T23:59:51.000Z"]


def test_utc_that_was_decoded_counts_more_than_the_table():
    date = datetime.datetime(2030, 6, 1, 12, 0, 0)
    tow = ((seconds(date) + 19) * 1000) % WEEK
    later = divmod((seconds(date) + 29) * 1000, WEEK)
    assert utcs(utc_time(tow, date) + gps_time(*later)) == ["2030-06-01T12:00:00.000Z", "2030-06-01T12:00:10.000Z"]
    for source in (0, 1):
        got = utcs(utc_time(tow, date, flags=1 | source << 3) + gps_time(*later))
        assert got == ["2030-06-01T12:00:01.000Z", "2030-06-01T12:00:11.000Z"]


def test_a_leap_second_that_utc_messages_alone_tell_is_one():
    frames = []
    for step in range(-1000, 2000, 500):
        date = NEW_YEAR + datetime.timedelta(milliseconds=step - (0 if step < 0 else 1000))
        whole = date.replace(microsecond=0)
        second = 60 if 0 <= step < 1000 else None
        frames.append(utc_time((BEFORE + step) % WEEK, whole, second=second, ns=date.microsecond * 1000))
    got = utcs(b"".join(frames) + gps_time(*divmod(BEFORE + 2000, WEEK)))
    assert got == [utc_text((BEFORE + step) * MS, [(NEW_YEAR, 18, 19)]) for step in range(-1000, 2500, 500)]


# ---- Cuts


def line_of(frames):
    return b"".join(map(model.line, frames))


def log_at(first_ms, last_ms, step=100):
    """A log of epochs from one GPS time to another, with damage and messages without time in it."""
    parts, at = [b"$GPGGA,junk\r\n", text(b"before any time")], first_ms
    while at < last_ms:
        week, tow = divmod(at, WEEK)
        parts += [gps_time(week, tow), fix(tow), text(b"in between")]
        if at % 700 == 0:
            parts.append(b"\x55damage")
        at += step
    return b"".join(parts)


ROLLOVER = log_at(1930 * WEEK - 3000, 1930 * WEEK + 3000)
LEAP = log_at(1930 * WEEK + 14000, 1930 * WEEK + 20000)


def expected(data, begin=None, end=None):
    """The frames of a log in a stretch of GPS time (ms): before the first time is before all times."""
    found = model.find_frames(data).frames
    return [
        frame
        for frame, (ns, _) in zip(found, times(data))
        if (begin is None or (ns is not None and ns >= begin * MS)) and (end is None or ns is None or ns < end * MS)
    ]


CUT = {"rollover": ROLLOVER, "leap second": LEAP}


@pytest.mark.parametrize("tool", ["sbp2json", "sbpcat"])
@pytest.mark.parametrize(
    "log, begin, end, begin_ms, end_ms",
    [
        ("rollover", "1929:604799000", "1930:1000", 1930 * WEEK - 1000, 1930 * WEEK + 1000),
        ("rollover", "1930:0", None, 1930 * WEEK, None),
        ("rollover", None, "1930:0", None, 1930 * WEEK),
        ("rollover", "2016-12-31T23:59:42.5Z", "2016-12-31T23:59:43.5Z", 1930 * WEEK - 500, 1930 * WEEK + 500),
        ("rollover", "+2s", "+4s", 1930 * WEEK - 1000, 1930 * WEEK + 1000),
        ("leap second", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", 1930 * WEEK + 17000, 1930 * WEEK + 18000),
        ("leap second", "2016-12-31T23:59:60.5Z", "2017-01-01T00:00Z", 1930 * WEEK + 17500, 1930 * WEEK + 18000),
        ("leap second", "2016-12-31T23:59:59Z", "2016-12-31T23:59:60Z", 1930 * WEEK + 16000, 1930 * WEEK + 17000),
        ("leap second", "2017-01-01T00:00:00Z", None, 1930 * WEEK + 18000, None),
        ("leap second", "1930:17000", "1930:18000", 1930 * WEEK + 17000, 1930 * WEEK + 18000),
        ("leap second", "+3s", "+4s", 1930 * WEEK + 17000, 1930 * WEEK + 18000),
        ("leap second", "+3500ms", "+1m", 1930 * WEEK + 17500, None),
        ("leap second", "1931:0", None, 1931 * WEEK, None),
    ],
)
def test_cuts_at_a_week_rollover_and_a_leap_second_come_out_right(tool, log, begin, end, begin_ms, end_ms):
    data = CUT[log]
    options = (["--from", begin] if begin else []) + (["--to", end] if end else [])
    want = expected(data, begin_ms, end_ms)
    result = run(tool, data, *options)
    if tool == "sbp2json":
        assert result.out == line_of(want)
    else:
        assert result.code == 0 and result.err == b""
        assert [frame.bytes for frame in model.find_frames(result.out).frames] == [frame.bytes for frame in want]


def test_a_utc_cut_uses_the_leap_seconds_of_the_log():
    week, day = divmod(seconds(NEW_YEAR) // 86400, 7)
    data = utc_leap(week, day, 18, 19) + b"".join(around())
    assert clean("sbpcat", data, "--from", "2029-12-31T23:59:60Z", "--to", "2030-01-01T00:00:00Z") == b"".join(
        around(0, 1000)
    )


@pytest.mark.parametrize("data", CUT.values(), ids=CUT)
def test_parts_that_are_cut_at_the_same_place_are_the_whole_with_its_damage(data):
    source = random.Random(len(data))
    size = len(data)
    for _ in range(scaled(10)):
        step = source.randrange(6000)
        for cut in ("+%dms" % step, "@%d" % source.randrange(size + 1),
                    "1930:%d" % source.randrange(20000), "2016-12-31T23:59:%02dZ" % source.randrange(40, 61)):  # fmt: skip
            assert clean("sbpcat", data, "--to", cut) + clean("sbpcat", data, "--from", cut) == data, cut


def test_the_whole_log_begins_at_0():
    for cut in ("+0s", "+0ms", "@0"):
        assert clean("sbpcat", LEAP, "--from", cut) == LEAP
        assert clean("sbpcat", LEAP, "--to", cut) == b""


def test_an_offset_cuts_by_the_first_byte_of_a_frame():
    data = HEARTBEAT * 5
    assert clean("sbpcat", data, "--from", "@12", "--to", "@36") == HEARTBEAT * 2
    assert clean("sbpcat", data, "--from", "@13", "--to", "@37") == HEARTBEAT * 2
    assert clean("sbpcat", data, "--from", "@0x18") == HEARTBEAT * 3
    assert clean("sbpcat", data, "--from", "@1000") == b""


def test_times_go_on_over_several_inputs(tmp_path):
    half = model.find_frames(LEAP).frames[60].offset
    (tmp_path / "a.sbp").write_bytes(LEAP[:half])
    (tmp_path / "b.sbp").write_bytes(LEAP[half:])
    out = tmp_path / "out.sbp"
    clean("sbpcat", b"", "--from", "+1s", "-o", out, tmp_path / "a.sbp", tmp_path / "b.sbp")
    assert out.read_bytes() == clean("sbpcat", LEAP, "--from", "+1s")


def test_damage_outside_a_cut_is_no_fault_and_in_it_is_one():
    data = b"junk" + gps_time(2222, 1000) + gps_time(2222, 2000) + b"junk" + gps_time(2222, 3000)
    assert run("sbp2json", data, "--from", "2222:3000").code == 0
    assert run("sbp2json", data, "--to", "2222:2000").code == 1
    assert run("sbp2json", data, "--from", "2222:1000", "--to", "2222:2000").code == 0
    assert run("sbp2json", data, "--from", "2222:2000").errors[0] == "sbp2json: offset 42: 4 bytes outside frames"
    invalid = run("sbp2json", data, "--from", "2222:2000", "--error-handler", "to-invalid")
    assert invalid.out.count(b"INVALID") == 1


def test_a_log_that_tells_no_time_is_before_every_time_and_that_is_said():
    result = run("sbp2json", HEARTBEAT * 3, "--from", "2222:0")
    assert (result.code, result.out, len(result.errors)) == (0, b"", 1) and "told its time" in result.errors[0]
    assert run("sbp2json", HEARTBEAT * 3, "--to", "2222:0").out.count(b"\n") == 3
    assert clean("sbp2json", HEARTBEAT * 3, "--from", "@12").count(b"\n") == 2
    assert clean("sbp2json", b"", "--from", "2222:0") == b""


@pytest.mark.parametrize("option", ["--from", "--to"])
@pytest.mark.parametrize("tool", ["sbp2json", "sbpcat"])
def test_a_plain_number_is_refused_with_what_to_write(tool, option):
    result = run(tool, LEAP, option, "4096")
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1)
    for form in ("2026-11-30T12:00:00Z", "WEEK:TOW", "+90s", "@4096"):
        assert form in result.errors[0]


@pytest.mark.parametrize(
    "text", ["", "x", "@", "@x", "@-1", "+", "+5", "+5x", "+s", "+1.s", "-5s", "+99999999999d", "2222", "2222:", "1:604800000",
             "2019-02-29T00:00:00Z", "2019-03-29T14:46:00", "2019-03-29"]
)  # fmt: skip
def test_a_place_that_is_none_is_refused(text):
    result = run("sbpcat", LEAP, "--from=" + text)
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1), result


def test_utc_without_its_z_is_refused_with_what_is_missing():
    assert "2019-03-29T14:46:00Z" in run("sbpcat", LEAP, "--from", "2019-03-29T14:46:00").errors[0]


@pytest.mark.parametrize("begin, end", [("+5s", "+4s"), ("@9", "@8"), ("1930:5", "1929:5"),
                                        ("2019-01-01T00:00Z", "2018-12-31T23:59:59Z")])  # fmt: skip
def test_an_end_before_the_begin_is_refused(begin, end):
    result = run("sbpcat", LEAP, "--from", begin, "--to", end)
    assert (result.code, len(result.errors)) == (2, 1) and "before" in result.errors[0]


def test_an_offset_in_several_inputs_is_refused(tmp_path):
    (tmp_path / "a.sbp").write_bytes(HEARTBEAT)
    assert run("sbpcat", b"", "--from", "@0", tmp_path / "a.sbp", tmp_path / "a.sbp").code == 2


def test_durations_add_up():
    assert clean("sbpcat", LEAP, "--from", "+0d0h0m2s500ms") == clean("sbpcat", LEAP, "--from", "+2.5s")
    assert clean("sbpcat", LEAP, "--from", "+0.05m") == clean("sbpcat", LEAP, "--from", "+3s")
