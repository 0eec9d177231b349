# SPDX-License-Identifier: MIT
"""sbpcat: the identity on any file, selections, repair, files of --split."""

import json
import random
import subprocess
import time

import pytest

import model
from model_time import WEEK, fix, gps_time, text
from tool import HEARTBEAT, PLAIN, TEST_DATA, clean, command, run, run_reporting, times

LOGS = sorted(path.name for path in TEST_DATA.glob("*.sbp") if path.name != "benchmark.sbp")
DATA = (TEST_DATA / "receiver_10hz.sbp").read_bytes()
FRAMES = model.find_frames(DATA).frames
DAMAGED = (TEST_DATA / "damaged.sbp").read_bytes()


def frames_of(data):
    return [frame.bytes for frame in model.find_frames(data).frames]


# ---- The identity


@pytest.mark.parametrize("name", LOGS)
def test_a_log_comes_out_as_it_is(name):
    data = (TEST_DATA / name).read_bytes()
    assert clean("sbpcat", data) == data
    assert clean("sbpcat", b"", TEST_DATA / name) == data


def test_any_bytes_come_out_as_they_are():
    source = random.Random(7)
    for size in [0, 1, 2, 7, 8, 9, 263, 300000] + [source.randrange(3000) for _ in range(times(20))]:
        for data in (source.randbytes(size), bytes(size), b"\x55" * size, b"\x55" + bytes(size), DAMAGED[:size] * 2):
            assert clean("sbpcat", data) == data


def test_the_reference_logs_come_out_as_they_are(reference):
    for path in sorted((reference / "logs").iterdir()) + sorted((reference / "cases").iterdir()):
        data = path.read_bytes()
        assert clean("sbpcat", data) == data, path.name


def test_inputs_come_out_in_a_row(tmp_path):
    (tmp_path / "a").write_bytes(DAMAGED)
    (tmp_path / "b").write_bytes(DATA)
    assert clean("sbpcat", HEARTBEAT, tmp_path / "a", "-", tmp_path / "b") == DAMAGED + HEARTBEAT + DATA
    clean("sbpcat", b"", "-o", tmp_path / "c", tmp_path / "b", tmp_path / "a")
    assert (tmp_path / "c").read_bytes() == DATA + DAMAGED


def test_an_input_is_not_written_over(tmp_path):
    (tmp_path / "a").write_bytes(DATA)
    assert run("sbpcat", b"", "-o", tmp_path / "a", tmp_path / "a").code == 2
    assert (tmp_path / "a").read_bytes() == DATA


def test_what_stays_is_no_fault_but_counted():
    result, report = run_reporting("sbpcat", DAMAGED)
    found = model.find_frames(DAMAGED)
    assert (result.code, result.err, result.out) == (0, b"", DAMAGED)
    assert (report["messages"], report["bytes_outside_frames"]) == (len(found.frames), found.lost)
    assert [tuple(run) for run in report["damaged"]] == found.runs
    assert b"bytes outside frames" in run("sbpcat", DAMAGED, "-v").err


def test_what_is_not_known_of_a_message_is_worth_no_note():
    data = (TEST_DATA / "short_surplus_unknown.sbp").read_bytes()
    assert clean("sbpcat", data, "--repair") == data


def test_a_live_reader_sees_each_message_at_once():
    if not PLAIN:
        pytest.skip("not the tool's own time")
    process = subprocess.Popen(command("sbpcat"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for _ in range(3):
        process.stdin.write(HEARTBEAT)
        process.stdin.flush()
        assert process.stdout.read(len(HEARTBEAT)) == HEARTBEAT
        time.sleep(0.01)
    process.stdin.close()
    assert process.stdout.read() == b"" and process.wait() == 0


def test_help_and_version_are_those_of_a_tool_of_the_house():
    lines = clean("sbpcat", b"", "--help").decode().splitlines()
    assert len(lines) <= 50 and max(map(len, lines)) <= 100
    assert clean("sbpcat", b"", "-V") == clean("sbp2json", b"", "-V").replace(b"sbp2json", b"sbpcat")
    assert clean("sbpcat", b"", "--describe") == clean("sbp2json", b"", "--describe")


# ---- --repair


@pytest.mark.parametrize("name", LOGS)
def test_repair_keeps_whole_frames_alone_and_says_what_it_left_out(name):
    data = (TEST_DATA / name).read_bytes()
    found = model.find_frames(data)
    result, report = run_reporting("sbpcat", data, "--repair")
    assert result.out == b"".join(frame.bytes for frame in found.frames)
    assert result.code == (1 if found.runs else 0)
    assert [tuple(run) for run in report["damaged"]] == found.runs
    if found.runs:
        assert "%d bytes outside frames in %d run" % (found.lost, len(found.runs)) in result.errors[-1]


def test_repair_of_a_reference_log(reference):
    result = run("sbpcat", (reference / "logs" / "piksi.bin").read_bytes(), "--repair")
    assert result.code == 1 and len(frames_of(result.out)) == 2064
    assert result.errors[-1] == (
        "sbpcat: 2064 messages; 8339 bytes outside frames in 632 runs (662 CRC failures), first at offset 12"
    )


def test_what_is_repaired_is_whole():
    repaired = run("sbpcat", DAMAGED, "--repair").out
    assert clean("sbpcat", repaired, "--repair") == repaired


def test_return_stops_at_the_first_damage_where_it_is_left_out():
    data = HEARTBEAT + b"junk" + HEARTBEAT
    assert run("sbpcat", data, "--repair", "--error-handler", "return").out == HEARTBEAT
    assert clean("sbpcat", data, "--error-handler", "return") == data


def test_to_invalid_is_refused():
    assert run("sbpcat", DATA, "--error-handler", "to-invalid").code == 2


# ---- Selections


SELECTIONS = [
    (["--include", "MSG_POS_*"], lambda name, _: name.startswith("MSG_POS_")),
    (["--exclude=MSG_IMU_RAW,74"], lambda name, _: name not in ("MSG_IMU_RAW", "MSG_OBS")),
    (["--include", "522", "--sender", "34977"], lambda name, _: name == "MSG_POS_LLH"),
    (["--sender", "1"], lambda *_: False),
]


@pytest.mark.parametrize("options, wanted", SELECTIONS)
def test_messages_are_selected(options, wanted):
    names = model.schema().messages
    want = [frame.bytes for frame in FRAMES if wanted(names[frame.type].name, frame)]
    assert clean("sbpcat", DATA, *options) == b"".join(want)


def test_damage_is_left_out_where_messages_are_picked():
    for options in (["--include", "*"], ["--sender", "17185"], ["--every", "1"]):
        result = run("sbpcat", b"junk" + HEARTBEAT + b"junk", *options)
        assert (result.code, result.out) == (1, HEARTBEAT if options[0] != "--sender" else b"")
        assert "8 bytes outside frames in 2 runs" in result.errors[-1]


def test_first_stops_after_so_many_messages_and_keeps_the_damage_before():
    data = b"junk" + HEARTBEAT + b"more" + HEARTBEAT + b"junk" + HEARTBEAT
    assert clean("sbpcat", data, "--first", "2") == b"junk" + HEARTBEAT + b"more" + HEARTBEAT
    assert run("sbpcat", data, "--first", "2", "--repair").out == HEARTBEAT * 2
    assert clean("sbpcat", DATA, "--first", "2", "--include", "MSG_OBS") == b"".join(
        [frame.bytes for frame in FRAMES if frame.type == 74][:2]
    )


@pytest.mark.parametrize("every", [1, 2, 3, 7, 1000])
def test_every_counts_each_type_by_itself(every):
    seen, want = {}, []
    for frame in FRAMES:
        if seen.setdefault(frame.type, 0) % every == 0:
            want.append(frame.bytes)
        seen[frame.type] += 1
    assert clean("sbpcat", DATA, "--every", every) == b"".join(want)


def test_every_counts_what_is_selected():
    data = b"".join(model.pack(65535, sender, bytes([i, 0, 0, 0])) for i in range(10) for sender in (1, 2))
    got = frames_of(clean("sbpcat", data, "--every", "3", "--sender", "2"))
    assert [frame[6] for frame in got] == [0, 3, 6, 9]


@pytest.mark.parametrize("option", ["--every", "--first"])
@pytest.mark.parametrize("value", ["0", "-1", "x", "", "1.5"])
def test_a_number_of_messages_that_is_none_is_refused(option, value):
    assert run("sbpcat", DATA, option, value).code == 2


def test_a_range_is_what_begins_in_it():
    assert clean("sbpcat", HEARTBEAT * 5, "--range", "12:36") == HEARTBEAT * 2


# ---- --split


def split(tmp_path, data, how, *options):
    """Run it on LOG.sbp and return the files that it made."""
    (tmp_path / "log.sbp").write_bytes(data)
    result = run("sbpcat", b"", "--split", how, *options, tmp_path / "log.sbp")
    made = [path for path in tmp_path.iterdir() if path.name != "log.sbp"]
    made.sort(key=lambda path: (len(path.name), path.name))
    return result, {path.name: path.read_bytes() for path in made}


@pytest.mark.parametrize("size", [7, 100, 1000, 5000, 1000000])
@pytest.mark.parametrize("data", [DATA, DAMAGED, b"", b"\x55" * 3000], ids=["clean", "damaged", "empty", "junk"])
def test_files_by_size_are_together_the_log_and_no_larger(tmp_path, data, size):
    result, files = split(tmp_path, data, "size=%d" % size)
    assert (result.code, result.out, result.err) == (0, b"", b""), result
    assert list(files) == ["log.%04d.sbp" % (i + 1) for i in range(len(files))]
    assert b"".join(files.values()) == data
    for part in files.values():
        found = model.find_frames(part)
        assert len(part) <= size or (len(found.frames) == 1 and not found.runs)
    assert sum(len(frames_of(part)) for part in files.values()) == len(frames_of(data))


def test_a_file_may_be_as_large_as_the_size_says(tmp_path):
    _, files = split(tmp_path, HEARTBEAT * 4, "size=24")
    assert [len(part) for part in files.values()] == [24, 24]


def test_sizes_may_have_a_unit(tmp_path):
    _, files = split(tmp_path, DATA, "size=2k")
    assert 1000 < max(map(len, files.values())) <= 2000


def epochs(first, last, step=1000):
    return b"".join(gps_time(*divmod(at, WEEK)) + text(b"x") for at in range(first, last, step))


def test_files_by_time_begin_where_that_has_passed_since_the_log_began(tmp_path):
    begin = 1930 * WEEK - 5000
    head = text(b"before any time")
    data = head + epochs(begin, begin + 60000)
    result, files = split(tmp_path, data, "time=25s")
    assert (result.code, result.err) == (0, b"")
    assert list(files) == ["log.0001.sbp", "log.0002.sbp", "log.0003.sbp"]
    assert files["log.0001.sbp"] == head + epochs(begin, begin + 25000)
    assert files["log.0003.sbp"] == epochs(begin + 50000, begin + 60000)
    assert b"".join(files.values()) == data


def test_what_comes_late_stays_with_what_it_comes_with_and_gaps_leave_no_empty_files(tmp_path):
    begin = 2222 * WEEK
    late = fix(9000)
    data = epochs(begin, begin + 12000) + late + epochs(begin + 95000, begin + 97000)
    _, files = split(tmp_path, data, "time=10s")
    assert list(files) == ["log.0001.sbp", "log.0002.sbp", "log.0003.sbp"]
    assert files["log.0002.sbp"] == epochs(begin + 10000, begin + 12000) + late


def test_files_by_type_hold_one_type_each(tmp_path):
    data = DATA + model.pack(31420, 1, b"x") + model.pack(31421, 1, b"y") + DATA
    result, files = split(tmp_path, data, "type")
    assert (result.code, result.err) == (0, b"")
    names = model.schema().messages
    want = {}
    for frame in model.find_frames(data).frames:
        name = names[frame.type].name if frame.type in names else "UNKNOWN"
        want["log.%s.sbp" % name] = want.get("log.%s.sbp" % name, b"") + frame.bytes
    assert files == want


def test_files_by_type_leave_damage_out(tmp_path):
    result, files = split(tmp_path, HEARTBEAT + b"junk" + HEARTBEAT, "type")
    assert result.code == 1 and files == {"log.MSG_HEARTBEAT.sbp": HEARTBEAT * 2}


def test_files_larger_than_what_is_kept_of_them_are_whole(tmp_path):
    data = b"".join(model.pack(1025, i & 1, bytes(200) + i.to_bytes(4, "little")) for i in range(2000))
    for how in ("type", "size=300k", "time=1h"):
        folder = tmp_path / how.replace("=", "")
        folder.mkdir()
        _, files = split(folder, data, how)
        assert b"".join(files.values()) == data


def test_split_and_selection_go_together(tmp_path):
    result, files = split(tmp_path, b"junk" + DATA, "size=1k", "--include", "MSG_POS_LLH", "--repair")
    assert result.code == 1
    assert b"".join(files.values()) == clean("sbpcat", DATA, "--include", "MSG_POS_LLH")


def test_split_overwrites_nothing(tmp_path):
    (tmp_path / "log.0002.sbp").write_bytes(b"mine")
    result, files = split(tmp_path, DATA, "size=1k")
    assert result.code == 2 and "log.0002.sbp" in result.errors[0]
    assert files["log.0002.sbp"] == b"mine"


def test_output_names_the_files_of_split(tmp_path):
    clean("sbpcat", DATA, "--split", "type", "--include", "MSG_OBS", "-o", tmp_path / "day.one.sbp")
    assert [path.name for path in tmp_path.iterdir()] == ["day.one.MSG_OBS.sbp"]
    clean("sbpcat", HEARTBEAT, "--split", "type", "-o", tmp_path / ".hidden")
    assert (tmp_path / ".hidden.MSG_HEARTBEAT.sbp").read_bytes() == HEARTBEAT


def test_split_of_standard_input_needs_a_name():
    result = run("sbpcat", DATA, "--split", "type")
    assert (result.code, len(result.errors)) == (2, 1) and "-o" in result.errors[0]


@pytest.mark.parametrize("how", ["", "5", "size", "size=", "size=0", "size=x", "size=-1", "size=99999999999G", "time=5",
                                 "time=0s", "time=", "Type"])  # fmt: skip
def test_a_split_that_is_none_is_refused(how, tmp_path):
    result, files = split(tmp_path, DATA, how)
    assert (result.code, files, len(result.errors)) == (2, {}, 1)


def test_a_split_that_cannot_be_written_is_said(tmp_path):
    result = run("sbpcat", DATA, "--split", "type", "-o", tmp_path / "missing" / "log.sbp")
    assert result.code == 2 and len(result.errors) == 1


def test_the_report_of_a_split_counts_what_was_written(tmp_path):
    (tmp_path / "log.sbp").write_bytes(DATA)
    clean("sbpcat", b"", "--split", "type", "--report", tmp_path / "report", tmp_path / "log.sbp")
    report = json.loads((tmp_path / "report").read_bytes())
    assert report["bytes_written"] == len(DATA) and report["messages_written"] == len(FRAMES)
