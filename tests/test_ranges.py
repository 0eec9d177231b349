# SPDX-License-Identifier: MIT
"""Parts of a log: --range, and the seams that sbpinfo --splits finds."""

import random
import subprocess

import pytest

import model
from tool import HEARTBEAT, HEARTBEAT_LINE, TEST_DATA, command, run, times



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
