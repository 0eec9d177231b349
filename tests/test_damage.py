# SPDX-License-Identifier: MIT
"""Damaged logs: what sbp2json says, counts and leaves out."""

import json
import random
import re

import pytest

import model
from tool import HEARTBEAT, HEARTBEAT_LINE, TEST_DATA, clean, run, times

PLACE = re.compile(r"^sbp2json: offset (\d+): (\d+) bytes? outside frames(, .+)?$")
SUMMARY = re.compile(
    r"^sbp2json: (\d+) messages?; (\d+) bytes? outside frames in (\d+) runs? "
    r"\((\d+) CRC failures?(?:, .+)?\), first at offset (\d+)$"
)
POS_LLH = model.pack(522, 7, bytes(range(1, 35)))
UNKNOWN = [model.pack(31420, 1, b"abc"), model.pack(31421, 1, b"")]


def broken(frame, at=-1):
    damaged = bytearray(frame)
    damaged[at] ^= 1
    return bytes(damaged)


def test_a_run_is_told_in_one_line_and_summed_up():
    result = run("sbp2json", HEARTBEAT + b"junk junk!" + HEARTBEAT)
    assert (result.code, result.out) == (1, HEARTBEAT_LINE * 2)
    assert result.errors[0] == "sbp2json: offset 12: 10 bytes outside frames"
    assert (
        result.errors[1]
        == "sbp2json: 2 messages; 10 bytes outside frames in 1 run (0 CRC failures), first at offset 12"
    )
    assert len(result.errors) == 2


def test_a_run_that_begins_like_a_message_says_so():
    result = run("sbp2json", broken(POS_LLH) + HEARTBEAT)
    assert result.errors[0] == "sbp2json: offset 0: 42 bytes outside frames, begins like MSG_POS_LLH with a wrong CRC"
    assert SUMMARY.match(result.errors[1]).groups() == ("1", "42", "1", "1", "0")


def test_summary_has_the_counts_of_the_model():
    data = (TEST_DATA / "damaged.sbp").read_bytes()
    found = model.find_frames(data)
    result = run("sbp2json", data)
    want = (len(found.frames), found.lost, len(found.runs), found.crc_failures, found.runs[0][0])
    summary = [line for line in result.errors if SUMMARY.match(line)]
    assert len(summary) == 1
    assert tuple(map(int, SUMMARY.match(summary[0]).groups())) == want


def test_after_ten_faults_the_rest_is_counted_and_debug_shows_it():
    data = (b"x" + HEARTBEAT) * 25
    result = run("sbp2json", data)
    assert [int(PLACE.match(line).group(1)) for line in result.errors[:10]] == [13 * i for i in range(10)]
    assert result.errors[10] == "sbp2json: further faults are counted, --debug shows them"
    assert len(result.errors) == 12
    for option in ("--debug", "-d"):
        shown = [line for line in run("sbp2json", data, option).errors if PLACE.match(line)]
        assert [int(PLACE.match(line).group(1)) for line in shown] == [13 * i for i in range(25)]


def test_ten_faults_need_no_word_on_further_ones():
    assert not any("further" in line for line in run("sbp2json", (b"x" + HEARTBEAT) * 10).errors)


def test_debug_shows_each_candidate_that_failed():
    data = broken(POS_LLH) + b"\x55\x01\x02" + HEARTBEAT
    without, with_debug = run("sbp2json", data), run("sbp2json", data, "-d")
    assert with_debug.out == without.out
    found = model.find_frames(data)
    extra = len(with_debug.errors) - len(without.errors)
    assert extra == found.crc_failures + found.truncated


def test_clean_input_says_nothing_and_verbose_sums_it_up():
    assert clean("sbp2json", HEARTBEAT * 3) == HEARTBEAT_LINE * 3
    result = run("sbp2json", HEARTBEAT * 3, "-v")
    assert (result.code, result.out, len(result.errors)) == (0, HEARTBEAT_LINE * 3, 1)
    assert result.errors[0].startswith("sbp2json: 3 messages")


def test_unknown_types_are_a_note_and_no_fault():
    result = run("sbp2json", UNKNOWN[0] * 300 + UNKNOWN[1] * 12)
    assert result.code == 0
    assert result.errors[-1] == "sbp2json: note: 312 messages of types 31420, 31421 are not in SBP 6.5.2"
    assert result.out == model.sbp2json(UNKNOWN[0] * 300 + UNKNOWN[1] * 12)


def test_payloads_under_the_minimum_are_a_note_and_no_fault():
    frame = model.pack(522, 1, b"short")
    result = run("sbp2json", frame)
    assert (result.code, result.out) == (0, model.line(model.Frame(frame)))
    assert any("note:" in line and "MSG_POS_LLH" in line for line in result.errors), result


def test_surplus_bytes_are_no_fault():
    frame = model.pack(65535, 42, bytes(range(1, 10)))
    assert clean("sbp2json", frame) == model.line(model.Frame(frame))


def test_notes_do_not_stop_return():
    result = run("sbp2json", UNKNOWN[0] + model.pack(522, 1, b"short") + HEARTBEAT, "--error-handler=return")
    assert (result.code, result.out.count(b"\n")) == (0, 3)


def test_return_writes_what_came_before_and_says_why_it_stopped():
    result = run("sbp2json", HEARTBEAT * 2 + b"junk" + HEARTBEAT, "--error-handler", "return")
    assert (result.code, result.out) == (1, HEARTBEAT_LINE * 2)
    assert "offset 24" in result.errors[0]


@pytest.mark.parametrize("size", [1, 2, 3, 4095, 4096, 4097, 8191, 8192, 8193, 12288, 20000])
def test_an_invalid_run_is_cut_at_every_4096th_byte_and_at_its_end(size):
    junk = bytes(i * 7 % 251 + 1 for i in range(size)).replace(b"\x55", b"x")
    data = HEARTBEAT + junk + HEARTBEAT
    result = run("sbp2json", data, "--error-handler", "to-invalid")
    assert result.out == HEARTBEAT_LINE + model.invalid_lines(junk) + HEARTBEAT_LINE
    assert result.code == 1
    back = run("json2sbp", result.out, "--error-handler", "to-invalid")
    assert (back.code, back.out, back.err) == (0, data, b"")


def test_an_invalid_run_with_false_preambles_is_cut_nowhere_else():
    junk = b"\x55\xff\xff\xff\xff\x00" * 900
    result = run("sbp2json", HEARTBEAT + junk + HEARTBEAT, "--error-handler", "to-invalid")
    assert result.out == HEARTBEAT_LINE + model.invalid_lines(junk) + HEARTBEAT_LINE


def test_to_invalid_of_clean_input_is_exit_0():
    assert clean("sbp2json", HEARTBEAT, "--error-handler", "to-invalid") == HEARTBEAT_LINE


KINDS = {
    "a flipped bit in each byte": lambda data, source: [
        data[:i] + bytes([data[i] ^ 1 << source.randrange(8)]) + data[i + 1 :] for i in range(len(data))
    ],
    "a cut of one byte anywhere": lambda data, source: [data[:i] + data[i + 1 :] for i in range(len(data))],
    "an inserted byte anywhere": lambda data, source: [
        data[:i] + bytes([source.choice([0, 0x55, 255])]) + data[i:] for i in range(len(data))
    ],
    "an end anywhere": lambda data, source: [data[:i] for i in range(len(data))],
    "a start anywhere": lambda data, source: [data[i:] for i in range(len(data))],
    "zeros from anywhere": lambda data, source: [data[:i] + bytes(300) for i in range(0, len(data), 2)],
    "an inserted header of length 255": lambda data, source: [
        data[:i] + b"\x55\x01\x02\x03\x04\xff" + data[i:] for i in range(len(data))
    ],
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_whole_frame_is_lost_by(kind):
    """All damaged logs go through one run, far enough apart that they cannot reach each other."""
    gap = b"\n" * 300
    frames = HEARTBEAT + POS_LLH + model.pack(1025, 5, b"\x06text U\x55\x55") + HEARTBEAT
    logs = KINDS[kind](frames, random.Random(kind))
    result = run("sbp2json", gap.join(logs) + gap)
    assert result.lines == [line for log in logs for line in model.sbp2json(log + gap).splitlines(keepends=True)]
    for log in logs[:: max(1, len(logs) // times(8))]:
        assert run("sbp2json", log).out == model.sbp2json(log)


def test_random_bytes_with_frames_in_them_give_what_the_model_gives(tmp_path):
    source = random.Random(17)
    for _ in range(times(12)):
        pieces = []
        for _ in range(source.randint(1, 60)):
            frame = model.pack(
                source.randrange(65536), source.randrange(65536), source.randbytes(source.randrange(256))
            )
            pieces.append(
                source.choice(
                    [
                        frame,
                        HEARTBEAT,
                        broken(frame, source.randrange(len(frame))),
                        frame[: source.randrange(len(frame))],
                        source.randbytes(source.randrange(40)),
                        b"\x55" * source.randrange(20),
                        bytes(source.randrange(300)),
                    ]
                )
            )
        data = b"".join(pieces)
        result = run("sbp2json", data, "--error-handler", "to-invalid", "--report", tmp_path / "report")
        assert result.out == model.sbp2json(data, handler="to-invalid")
        found, report = model.find_frames(data), json.loads((tmp_path / "report").read_bytes())
        assert (report["crc_failures"], report["truncated"]) == (found.crc_failures, found.truncated)


def test_report_lists_at_most_ten_thousand_runs(tmp_path):
    run("sbp2json", (b"x" + HEARTBEAT) * 10050, "--report", tmp_path / "report")
    report = json.loads((tmp_path / "report").read_bytes())
    assert report["runs"] == 10050
    assert report["damaged"] == [[13 * i, 1] for i in range(10000)]


def test_report_counts_each_type(tmp_path):
    data = HEARTBEAT * 3 + UNKNOWN[0] * 2 + model.pack(522, 1, b"short")
    run("sbp2json", data, "--report", tmp_path / "report")
    report = json.loads((tmp_path / "report").read_bytes())
    counts = {row["msg_type"]: (row["msg_name"], row["messages"]) for row in report["types"]}
    assert counts == {65535: ("MSG_HEARTBEAT", 3), 31420: ("UNKNOWN", 2), 522: ("MSG_POS_LLH", 1)}


def test_a_report_that_cannot_be_written_is_refused(tmp_path):
    result = run("sbp2json", HEARTBEAT, "--report", tmp_path / "no" / "report", "-", tmp_path / "out")
    assert result.code == 2 and "report" in result.errors[0]
    result = run("sbp2json", HEARTBEAT, "--report", "/dev/full")
    assert result.code == 2


def test_faults_past_the_first_block_have_their_offsets():
    data = HEARTBEAT * 60000 + b"junk" + HEARTBEAT * 10
    result = run("sbp2json", data)
    assert result.errors[0] == "sbp2json: offset 720000: 4 bytes outside frames"
    assert result.errors[1].startswith("sbp2json: 60010 messages; 4 bytes outside frames in 1 run")
