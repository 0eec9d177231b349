# SPDX-License-Identifier: MIT
"""What sbpinfo tells of a log, against a count by the models."""

import collections
import json
import os
import pty
import random
import struct

import pytest

import model
import model_time
from tool import HEARTBEAT, PLAIN, TEST_DATA, clean, command, run, times

LOGS = sorted(path.name for path in TEST_DATA.glob("*.sbp") if path.name != "benchmark.sbp")
# Messages of positions: offsets of the three doubles and of the flags, the best to tell a solution by first.
POSITIONS = {
    "MSG_POS_LLH": (4, 33),
    "MSG_POS_LLH_ACC": (4, 66),
    "MSG_POS_LLH_COV": (4, 53),
    "MSG_POS_LLH_GNSS": (4, 33),
    "MSG_POS_LLH_COV_GNSS": (4, 53),
    "MSG_POS_LLH_DEP_A": (4, 33),
    "MSG_POS_ECEF": (4, 31),
    "MSG_POS_ECEF_COV": (4, 53),
    "MSG_POS_ECEF_GNSS": (4, 31),
    "MSG_POS_ECEF_COV_GNSS": (4, 53),
    "MSG_POS_ECEF_DEP_A": (4, 31),
}


def info_of(data, *options):
    result = run("sbpinfo", data, "--json", *options)
    assert result.out.count(b"\n") == 1, result
    return json.loads(result.out)


def time_of(ns, leaps):
    if ns is None:
        return None
    ms = (ns + model_time.MS // 2) // model_time.MS
    date, leap, rest = model_time.utc(ns, leaps)
    text = date.strftime("%Y-%m-%dT%H:%M:") + "%02d" % (date.second + leap)
    text += ".%03dZ" % (rest // model_time.MS) if rest % model_time.MS == 0 else ".%09dZ" % rest
    return {
        "utc": text,
        "gps_week": ms // model_time.WEEK,
        "tow": ms % model_time.WEEK,
        "ns_residual": ns - ms * model_time.MS,
    }


class Span:
    """Messages whose times are known: the first, the latest, the longest gap."""

    def __init__(self):
        self.count, self.first, self.last, self.gap = 0, None, None, (0, None, None)

    def add(self, ns, offset):
        self.count += 1
        if self.first is None:
            self.first = self.last = ns
        elif ns > self.last:
            if ns - self.last > self.gap[0]:
                self.gap = (ns - self.last, ns, offset)
            self.last = ns


def expected(data):
    """What the models make of a log, as far as it is compared."""
    found, clock = model.find_frames(data), model_time.Clock()
    types, spans, senders = collections.Counter(), collections.defaultdict(Span), collections.Counter()
    type_bytes, sender_bytes, solutions = collections.Counter(), collections.Counter(), {}
    whole = Span()
    earliest = None
    for frame in found.frames:
        before = clock.ns
        clock.feed(frame)
        types[frame.type] += 1
        senders[frame.sender] += 1
        type_bytes[frame.type] += frame.length + 8
        sender_bytes[frame.sender] += frame.length + 8
        if clock.ns is not None:
            spans[frame.type].add(clock.ns, frame.offset)
            if clock.ns != before:
                whole.add(clock.ns, frame.offset)
                earliest = clock.ns if earliest is None else min(earliest, clock.ns)
        message = model.schema().messages.get(frame.type)
        if message and message.name in POSITIONS and frame.length >= message.size:
            at, flags = POSITIONS[message.name]
            solution = solutions.setdefault(message.name, {"messages": 0, "modes": collections.Counter(), "fixes": []})
            solution["messages"] += 1
            solution["modes"][frame.payload[flags] & 7] += 1
            if frame.payload[flags] & 7 or message.name.endswith("_DEP_A"):
                solution["fixes"].append((frame.offset, clock.ns, struct.unpack_from("<3d", frame.payload, at)))
    return found, clock, types, type_bytes, spans, senders, sender_bytes, solutions, whole, earliest


def compare(data, got):
    found, clock, types, type_bytes, spans, senders, sender_bytes, solutions, whole, earliest = expected(data)
    at = lambda ns: time_of(ns, clock.leaps)
    assert (got["bytes"], got["messages"], got["whole"]) == (len(data), len(found.frames), not found.runs)
    assert {row["msg_type"]: row["messages"] for row in got["types"]} == types
    assert {row["msg_type"]: row["bytes"] for row in got["types"]} == type_bytes
    assert {row["sender"]: row["messages"] for row in got["senders"]} == senders
    assert {row["sender"]: row["bytes"] for row in got["senders"]} == sender_bytes
    assert (got["start"], got["end"]) == (at(earliest), at(whole.last))

    def gap_of(span):
        gap, end, offset = span.gap
        return {"seconds": gap / 1e9, "end": at(end), "offset": offset} if gap else None

    assert got["longest_gap"] == gap_of(whole)
    for row in got["types"]:
        known = model.schema().messages.get(row["msg_type"])
        span = spans[row["msg_type"]]
        assert row["msg_name"] == (known.name if known else "UNKNOWN")
        assert (row["first"], row["last"]) == (at(span.first), at(span.last))
        assert row["longest_gap"] == gap_of(span)
        if span.count > 1 and span.last > span.first:
            assert row["rate"] == pytest.approx((span.count - 1) / (span.last - span.first) * 1e9, abs=1e-6)
        else:
            assert row["rate"] is None

    damage = got["damage"]
    assert damage["damaged"] == [list(piece) for piece in found.runs[:10000]]
    assert (damage["bytes_outside_frames"], damage["runs"]) == (found.lost, len(found.runs))
    assert (damage["crc_failures"], damage["truncated"]) == (found.crc_failures, found.truncated)
    longest = max(found.runs, key=lambda piece: (piece[1], -piece[0]), default=None)
    assert damage["longest"] == (list(longest) if longest else None)

    assert [row["msg_name"] for row in got["solutions"]] == [name for name in POSITIONS if name in solutions]
    for row in got["solutions"]:
        solution = solutions[row["msg_name"]]
        assert row["messages"] == solution["messages"] and row["fixes"] == len(solution["fixes"])
        assert {mode["mode"]: mode["messages"] for mode in row["modes"]} == solution["modes"]
        axes = ("x", "y", "z") if "ECEF" in row["msg_name"] else ("lat", "lon", "height")
        for key, index in (("first_fix", 0), ("last_fix", -1)):
            if not solution["fixes"]:
                assert row[key] is None
                continue
            offset, ns, values = solution["fixes"][index]
            want = [None if value != value or abs(value) == float("inf") else value for value in values]
            assert (row[key]["offset"], row[key]["time"]) == (offset, at(ns))
            assert [row[key][axis] for axis in axes] == want


@pytest.mark.parametrize("name", LOGS)
def test_a_log_holds_what_the_models_count(name):
    data = (TEST_DATA / name).read_bytes()
    compare(data, info_of(data))


def test_logs_of_receivers_hold_what_the_models_count(reference):
    for path in sorted((reference / "logs").iterdir()):
        compare(path.read_bytes(), info_of(path.read_bytes()))


def test_random_logs_hold_what_the_models_count():
    source = random.Random(8)
    for _ in range(times(10)):
        pieces, tow = [], source.randrange(604700000)
        for _ in range(source.randrange(1, 400)):
            tow += source.choice([0, 0, 0, 100, 1000, 60000, -200])
            pieces.append(
                source.choice(
                    [
                        lambda: model_time.gps_time(2200, tow % model_time.WEEK, source.randrange(3)),
                        lambda: model_time.fix(tow % model_time.WEEK, source.randrange(7)),
                        lambda: model_time.observations(2200, tow % model_time.WEEK, source.randrange(1000)),
                        lambda: model.pack(source.randrange(65536), source.randrange(65536), b"payload"),
                        lambda: source.randbytes(source.randrange(30)),
                        lambda: HEARTBEAT,
                    ]
                )()
            )
        data = b"".join(pieces)
        compare(data, info_of(data))


def test_every_type_and_sender_has_its_row():
    data = b"".join(model.pack(number, 65535 - number, b"") for number in range(1, 65536))
    got = info_of(data)
    assert sorted(row["msg_type"] for row in got["types"]) == list(range(1, 65536))
    assert sorted(row["sender"] for row in got["senders"]) == list(range(65535))


# ---- The device


def setting(text, msg_type=165, before=b""):
    return model.pack(msg_type, 1, before + text.replace("|", "\0").encode("latin-1"))


def test_a_device_tells_its_firmware_and_protocol():
    data = (
        setting("system_info|firmware_version|v2.1.0|")
        + setting("system_info|product_id|Piksi Multi||", 167, b"\x05\x00")
        + setting("system_info|hw_version|7.1")
        + setting("other|firmware_version|wrong|")
        + setting("system_info|firmware_version_x|wrong|")
        + setting("system_info|hw_revision||")
        + model.pack(180, 1, struct.pack("<I", 0x0203) + b"boot 1")
        + model.pack(65535, 1, struct.pack("<I", 0x00040201))
        + model.pack(65535, 1, struct.pack("<I", 0x00040200))
        + model.pack(65280, 1, bytes(4))
    )
    assert info_of(data)["device"] == {
        "heartbeats": 2,
        "with_errors": 1,
        "startups": 1,
        "sbp": "4.2",
        "product_id": "Piksi Multi",
        "hw_revision": None,
        "hw_version": "7.1",
        "firmware_version": "v2.1.0",
        "boot_loader": "boot 1",
    }


def test_what_a_device_tells_does_nothing_to_a_terminal():
    data = setting("system_info|product_id|\x1b[2J\xe4" + "x" * 200 + "|")
    assert info_of(data)["device"]["product_id"] == "?[2J?" + "x" * 58
    assert b"\x1b" not in clean("sbpinfo", data)


def test_messages_that_are_too_short_tell_nothing():
    for msg_type in (65535, 65534, 65280, 167, 180, 522):
        got = info_of(model.pack(msg_type, 1, b""))
        assert (got["messages"], got["device"]["sbp"], got["solutions"]) == (1, None, [])


# ---- The report


def table(out):
    """Names and ids of the rows, in order."""
    lines = out.decode().split("\n\n")[1].splitlines()[1:]
    return [(line.split()[0], int(line.split()[1])) for line in lines]


DATA = (TEST_DATA / "receiver_10hz.sbp").read_bytes()


@pytest.mark.parametrize(
    "sort, key",
    [
        (None, lambda row: -row["messages"]),
        ("messages", lambda row: -row["messages"]),
        ("bytes", lambda row: -row["bytes"]),
        ("gap", lambda row: -(row["longest_gap"] or {"seconds": 0})["seconds"]),
        ("rate", lambda row: -(row["rate"] or 0)),
        ("name", lambda row: row["msg_name"]),
        ("id", lambda row: 0),
    ],
)
def test_types_are_in_the_order_that_is_asked_for(sort, key):
    options = [] if sort is None else ["--sort", sort]
    rows = info_of(DATA, *options)["types"]
    # Rates are printed rounded, so they are compared only where they differ.
    keys = [round(key(row), 5) if sort == "rate" else key(row) for row in rows]
    assert keys == sorted(keys)
    if sort != "rate":
        assert rows == sorted(rows, key=lambda row: (key(row), row["msg_type"]))
    assert table(clean("sbpinfo", DATA, *options)) == [(row["msg_name"], row["msg_type"]) for row in rows]


def test_an_order_that_is_none_is_refused():
    result = run("sbpinfo", DATA, "--sort", "size")
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1)


def test_each_log_has_its_own_report(tmp_path):
    for name, data in (("a.sbp", DATA), ("b.sbp", HEARTBEAT + b"junk" + HEARTBEAT), ("c.sbp", b"")):
        (tmp_path / name).write_bytes(data)
    result = run("sbpinfo", b"", "--json", *sorted(tmp_path.iterdir()))
    rows = [json.loads(line) for line in result.lines]
    assert (result.code, [row["whole"] for row in rows]) == (1, [True, False, True])
    assert [row["file"] for row in rows] == [str(path) for path in sorted(tmp_path.iterdir())]
    for row, path in zip(rows, sorted(tmp_path.iterdir())):
        compare(path.read_bytes(), row)
    text = run("sbpinfo", b"", *sorted(tmp_path.iterdir())).out
    for path in tmp_path.iterdir():
        assert b"".join(clean_or_damaged(path)) in text


def clean_or_damaged(path):
    return run("sbpinfo", b"", path).lines


def test_a_file_may_have_any_name(tmp_path):
    path = tmp_path / 'a "quoted"\n\\name.sbp'
    path.write_bytes(HEARTBEAT)
    assert json.loads(run("sbpinfo", b"", "--json", path).out)["file"] == str(path)


def test_a_damaged_log_is_told_apart_by_the_exit_code():
    assert run("sbpinfo", HEARTBEAT).code == 0
    assert run("sbpinfo", HEARTBEAT + b"x").code == 1
    assert run("sbpinfo", HEARTBEAT + b"x", "--fail-on", "never").code == 0
    assert b"damaged" in run("sbpinfo", HEARTBEAT + b"x").out
    assert b"whole" in run("sbpinfo", HEARTBEAT).out


def gap_and_damage():
    """A minute of a fix each 100 ms, twenty seconds of it missing, and damage near its end."""
    pieces = [model_time.gps_time(2200, 1000)]
    for step in range(600):
        if not 200 <= step < 400:
            pieces.append(model_time.fix(1000 + 100 * step))
        if step == 550:
            pieces.append(b"junk" * 9)
    return b"".join(pieces)


def test_a_gap_and_damage_are_seen_in_the_time_line():
    out = run("sbpinfo", gap_and_damage()).out.decode()
    messages, damage = (line[line.index("|") + 1 : line.rindex("|")] for line in out.splitlines()[-2:])
    width = len(messages)
    assert 40 <= width <= 64 and len(damage) == width
    missing = [i for i, letter in enumerate(messages) if letter == " "]
    # A third of it, in one piece that begins at a third; then damage at eleven twelfths.
    assert missing == list(range(missing[0], missing[-1] + 1))
    assert abs(missing[0] - width / 3) <= 2 and abs(len(missing) - width / 3) <= 2
    assert damage.strip() == "#" and abs(damage.index("#") - width * 550 / 600) <= 2


def on_a_terminal(data, tmp_path, *options, **variables):
    (tmp_path / "log.sbp").write_bytes(data)
    environment = {key: value for key, value in os.environ.items() if key not in ("LANG", "LC_ALL", "LC_CTYPE")}
    child, terminal = pty.fork()
    if child == 0:
        os.environ.clear()
        os.environ.update(environment, **variables)
        words = command("sbpinfo", *options, tmp_path / "log.sbp")
        os.execv(words[0] if "/" in words[0] else "/usr/bin/env", words if "/" in words[0] else ["env", *words])
    out = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    os.waitpid(child, 0)
    os.close(terminal)
    return out.replace(b"\r\n", b"\n").decode()


@pytest.mark.skipif(not PLAIN, reason="needs the tool itself")
def test_blocks_are_drawn_on_a_terminal_that_has_them_and_else_ascii(tmp_path):
    blocks = on_a_terminal(DATA, tmp_path, LANG="C.UTF-8")
    assert "█" in blocks and "#" not in blocks
    for variables in ({}, {"LANG": "C"}, {"LANG": "C.UTF-8", "LC_ALL": "C"}):
        assert on_a_terminal(DATA, tmp_path, **variables).isascii()
    assert on_a_terminal(DATA, tmp_path, "--ascii", LANG="C.UTF-8").isascii()
    assert run("sbpinfo", DATA, env=dict(os.environ, LANG="C.UTF-8")).out.isascii()


def test_a_log_without_time_says_so():
    out = clean("sbpinfo", HEARTBEAT * 3).decode()
    assert "no message tells it" in out and "|" not in out


def test_nothing_is_whole():
    assert clean("sbpinfo", b"").decode() == "standard input: 0 bytes, 0 messages, whole\n"


def test_times_that_jump_are_told(tmp_path):
    """A clock that leaps by centuries, and back, which is no time at all for the table of steps."""
    data = b"".join(model_time.gps_time(week, 5) for week in (2200, 2201, 15000, 1, 2200, 14999))
    compare(data, info_of(data))
    assert run("sbpinfo", data).code == 0
