# SPDX-License-Identifier: MIT
"""Parts of a log: --range, and the seams that sbpinfo --splits finds."""

import itertools
import random
import struct
import subprocess

import pytest

import model
from tool import HEARTBEAT, HEARTBEAT_LINE, TEST_DATA, clean, command, run, run_reporting, times


# What a run reports that those of its parts add up to.
COUNTS = ["messages", "unknown", "too_short", "bytes_outside_frames", "runs", "crc_failures", "truncated"]


def of_model(data, begin, end):
    """The lines of the frames that begin in a range, where a scan from its first byte finds them."""
    found = model.find_frames(data[begin:])
    return b"".join(model.line(frame) for frame in found.frames if frame.offset + begin < end)


def test_a_range_is_what_begins_in_it(tmp_path):
    log = tmp_path / "log.sbp"
    log.write_bytes(HEARTBEAT * 5)
    for begin, end, lines in ((0, 60, 5), (0, 12, 1), (0, 13, 2), (12, 36, 2), (0, 0, 0), (60, 60, 0), (12, 1000, 4)):
        result = run("sbp2json", b"", "--range", "%d:%d" % (begin, end), log)
        assert (result.code, result.out, result.err) == (0, HEARTBEAT_LINE * lines, b"")


@pytest.mark.parametrize("text, lines", [(":24", 2), ("24:", 3), (":", 5), ("0x18:0x24", 1)])
def test_an_end_of_a_range_may_be_missing_and_numbers_hexadecimal(text, lines):
    assert run("sbp2json", HEARTBEAT * 5, "--range", text).out == HEARTBEAT_LINE * lines


def test_a_frame_belongs_to_the_range_in_which_its_first_byte_lies():
    result = run("sbp2json", HEARTBEAT * 3, "--range", "6:25")
    assert result.out == HEARTBEAT_LINE * 2
    assert result.errors[0] == "sbp2json: offset 6: 6 bytes outside frames"


def test_places_in_a_range_are_those_of_the_whole_file(tmp_path):
    log = tmp_path / "log.sbp"
    log.write_bytes(HEARTBEAT * 40000 + b"junk" + HEARTBEAT * 3)
    result = run("sbp2json", b"", "--range", "360000:480010", log)
    assert result.errors[0] == "sbp2json: offset 480000: 4 bytes outside frames"
    assert result.out == HEARTBEAT_LINE * 10001


def test_a_pipe_has_ranges_too(tmp_path):
    data = HEARTBEAT * 50000
    (tmp_path / "log.sbp").write_bytes(data)
    with (tmp_path / "log.sbp").open("rb") as file:
        assert run("sbp2json", data, "--range", "480000:480024").out == HEARTBEAT_LINE * 2
        got = subprocess.run(command("sbp2json", "--range", "480000:480024"), stdin=file, capture_output=True)
        assert got.stdout == HEARTBEAT_LINE * 2


def test_a_range_behind_the_end_of_its_input_is_refused(tmp_path):
    log = tmp_path / "log.sbp"
    log.write_bytes(HEARTBEAT)
    for arguments, data in (([log], b""), ([], HEARTBEAT)):
        result = run("sbp2json", data, "--range", "13:20", *arguments)
        assert (result.code, result.out, len(result.errors)) == (2, b"", 1)
        assert "ends at byte 12, before --range 13:20" in result.errors[0]


@pytest.mark.parametrize("text", ["5", "", "x:", ":y", "9:5", "-1:4", "1:2:3", "0x:4"])
def test_a_range_that_is_none_is_refused(text):
    result = run("sbp2json", HEARTBEAT, "--range=" + text)
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1)


def test_a_range_of_several_inputs_is_refused(tmp_path):
    log = tmp_path / "log.sbp"
    log.write_bytes(HEARTBEAT)
    assert run("sbp2json", b"", "--range", "0:12", "-o", tmp_path / "out", log, log).code == 2


def test_any_range_gives_what_a_scan_from_its_first_byte_gives(tmp_path):
    source = random.Random(4)
    data = (TEST_DATA / "damaged.sbp").read_bytes()
    log = tmp_path / "log.sbp"
    log.write_bytes(data)
    for _ in range(times(30)):
        begin, end = sorted(source.randrange(len(data) + 1) for _ in range(2))
        assert run("sbp2json", b"", "--range", "%d:%d" % (begin, end), log).out == of_model(data, begin, end)


# ---- Seams


def splits(path, parts):
    lines = clean("sbpinfo", b"", "--splits", parts, path).decode().splitlines()
    return [tuple(map(int, line.split(":"))) for line in lines]


def damage(data, source):
    """The log with bits flipped, bytes cut out and put in, whole frames inside payloads, and its end cut off."""
    damaged = bytearray(data)
    inner = model.pack(522, 1, bytes(range(34)))
    for _ in range(12):
        at = source.randrange(len(damaged))
        kind = source.randrange(5)
        if kind == 0:
            damaged[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            del damaged[at : at + source.randrange(300)]
        elif kind == 2:
            damaged[at:at] = source.choice([bytes(700), b"\x55" * 300, b"\x55\x01\x02\x03\x04\xff", b"$GPGGA,1*00\r\n" * 500])
        elif kind == 3:
            damaged[at:at] = model.pack(1025, 2, b"\x06" + inner * 3)
        else:
            damaged[at:at] = b"\x55\x01\x02\x03\x04\xff" + inner * 9
    return bytes(damaged[: len(damaged) - source.randrange(60)])


def check_parts(path, parts):
    """Each part converted alone, put together, is the whole: output, faults and counts. Exit codes too."""
    data = path.read_bytes()
    ranges = splits(path, parts)
    ends = {frame.end for frame in model.find_frames(data).frames} | {0, len(data)}
    assert len(ranges) == parts and ranges[0][0] == 0 and ranges[-1][1] == len(data)
    assert all(begin <= end for begin, end in ranges)
    assert [end for _, end in ranges[:-1]] == [begin for begin, _ in ranges[1:]]
    assert {begin for begin, _ in ranges} <= ends
    for handler in ("skip", "to-invalid"):
        whole, whole_report = run_reporting("sbp2json", b"", "--error-handler", handler, path)
        done = [
            run_reporting("sbp2json", b"", "--error-handler", handler, "--range", "%d:%d" % pair, path) for pair in ranges
        ]
        assert b"".join(result.out for result, _ in done) == whole.out
        assert max(result.code for result, _ in done) == whole.code
        for key in COUNTS + ["bytes_read", "bytes_written"]:
            assert sum(report[key] for _, report in done) == whole_report[key], key
        assert [run for _, report in done for run in report["damaged"]] == whole_report["damaged"]


PARTS = [2, 3, 7, pytest.param(100, marks=pytest.mark.full)]
LOGS = sorted(path.name for path in TEST_DATA.glob("*.sbp") if path.name != "benchmark.sbp")


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("name", LOGS)
def test_parts_of_a_log_are_together_the_whole(name, parts):
    check_parts(TEST_DATA / name, parts)


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("name", LOGS)
def test_parts_of_a_damaged_log_are_together_the_whole(tmp_path, name, parts):
    path = tmp_path / "damaged.sbp"
    for seed in range(times(1) if parts < 100 else 2):
        path.write_bytes(damage((TEST_DATA / name).read_bytes(), random.Random("%s %d" % (name, seed))))
        check_parts(path, parts)


def test_a_hundred_parts_are_together_the_whole(tmp_path):
    path = tmp_path / "damaged.sbp"
    path.write_bytes(damage((TEST_DATA / "receiver_10hz.sbp").read_bytes(), random.Random(100)))
    check_parts(path, 100)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"\x55",
        HEARTBEAT,
        HEARTBEAT[:-1],
        b"\x55" * 9000,
        bytes(9000),
        HEARTBEAT + bytes(9000),
        b"junk" * 3000 + HEARTBEAT + b"junk" * 3000,
        HEARTBEAT + b"\x55\x01\x02\x03\x04\xff" + HEARTBEAT * 40 + b"\x55\x01\x02\x03\x04\xff" + HEARTBEAT,
    ],
    ids=["nothing", "a byte", "a preamble", "a frame", "a frame cut off", "preambles", "zeros", "a frame and zeros",
         "a frame in junk", "headers that reach over frames"],
)
def test_parts_of_an_odd_log_are_together_the_whole(tmp_path, data):
    path = tmp_path / "log.sbp"
    path.write_bytes(data)
    for parts in (1, 2, 3, 7):
        check_parts(path, parts)


@pytest.mark.parametrize("parts", PARTS)
def test_parts_of_logs_of_receivers_are_together_the_whole(reference, parts):
    for path in sorted((reference / "logs").iterdir()):
        check_parts(path, parts)


def test_parts_are_of_one_size_but_for_the_length_of_frames(tmp_path):
    source = random.Random(9)
    path = tmp_path / "log.sbp"
    frames = [model.pack(1025, 1, bytes(source.randrange(256))) for _ in range(20000)]
    path.write_bytes(b"".join(frames))
    ends = set(itertools.accumulate(map(len, frames), initial=0))
    for parts in (2, 10, 1000):
        for begin, end in splits(path, parts):
            assert begin in ends
            assert abs(end - begin - max(ends) / parts) <= 2 * 263


def test_seams_of_a_pipe_are_refused_and_of_a_file_on_standard_input_not(tmp_path):
    result = run("sbpinfo", HEARTBEAT * 9, "--splits", "2")
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1)
    path = tmp_path / "log.sbp"
    path.write_bytes(HEARTBEAT * 1000)
    with path.open("rb") as file:
        got = subprocess.run(command("sbpinfo", "--splits", "5"), stdin=file, capture_output=True)
    assert got.stdout == clean("sbpinfo", b"", "--splits", "5", path)


def test_a_place_inside_a_frame_is_no_seam_whatever_the_frame_holds(tmp_path):
    """Payloads that are whole frames in a row, which a scan from the middle would take for frames of the log."""
    inner = [model.pack(1025, 3, b"\x06" + bytes([i] * 12)) for i in range(10)]
    frames = [model.pack(1025, 1, b"\x06" + b"".join(inner)) for _ in range(300)]
    path = tmp_path / "log.sbp"
    path.write_bytes(b"".join(frames))
    ends = set(itertools.accumulate(map(len, frames), initial=0))
    assert {begin for parts in range(1, 40) for begin, _ in splits(path, parts)} <= ends


def test_where_frames_reach_over_each_other_no_place_is_certain_and_parts_are_right_all_the_same(tmp_path):
    """A frame of 128 bytes with a right CRC begins at every 46th byte."""
    source = random.Random(6)
    log = bytearray(b"".join(b"\x55\x01\x04\x03\x00\x78" + source.randbytes(40) for _ in range(60)))
    begins = range(0, len(log) - 128, 46)
    for at in begins:
        log[at + 126 : at + 128] = struct.pack("<H", model.crc16(log[at + 1 : at + 126]))
    assert all(model.Frame(log, at).crc == model.crc16(log[at + 1 : at + 126]) for at in begins)
    path = tmp_path / "log.sbp"
    path.write_bytes(HEARTBEAT * 9 + log + HEARTBEAT * 50)
    for parts in (2, 5, 20):
        check_parts(path, parts)


@pytest.mark.parametrize("value", ["0", "-1", "x", "", "10001", "1.5"])
def test_a_number_of_parts_that_is_none_is_refused(value):
    result = run("sbpinfo", HEARTBEAT, "--splits=" + value)
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1)


def test_seams_of_several_inputs_are_refused(tmp_path):
    log = tmp_path / "log.sbp"
    log.write_bytes(HEARTBEAT)
    assert run("sbpinfo", b"", "--splits", "2", log, log).code == 2
