# SPDX-License-Identifier: MIT
"""The logs of test_data: made again, converted, and converted back."""

import gzip
import json
import subprocess

import pytest

import make_expected
import model
import model_json
import tool
from tool import TEST_DATA, clean, run

LOGS = sorted(path.name for path in TEST_DATA.glob("*.sbp") if path.name != make_expected.LARGE)
HANDLERS = ["skip", "to-invalid"]


def expected_exit(data):
    return 1 if model.find_frames(data).runs else 0


def only_frames(data):
    return b"".join(frame.bytes for frame in model.find_frames(data).frames)


def test_there_are_logs_with_expected_lines():
    assert len(LOGS) >= 8
    for name, lines in make_expected.expected(TEST_DATA).items():
        assert (TEST_DATA / name).read_bytes() == lines, "run tests/make_expected.py"


def generator():
    path = tool.BIN / "make_test_data"
    if not path.exists():
        pytest.skip("make_test_data is not built")
    return [*tool.EMULATOR, str(path)]


def test_the_generator_gives_the_committed_logs(tmp_path):
    subprocess.run([*generator(), "small", str(tmp_path)], check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == LOGS
    for name in LOGS:
        assert (tmp_path / name).read_bytes() == (TEST_DATA / name).read_bytes(), name


def test_the_benchmark_log_is_a_clean_receiver_log(tmp_path):
    subprocess.run([*generator(), "benchmark", str(tmp_path / "benchmark.sbp")], check=True)
    data = (tmp_path / "benchmark.sbp").read_bytes()
    found = model.find_frames(data)
    assert (len(found.frames), found.runs) == (60000, [])
    assert 2500000 < len(data) < 2700000
    assert 18 <= len({frame.type for frame in found.frames}) <= 25
    assert data.startswith((TEST_DATA / "receiver_10hz.sbp").read_bytes())
    lines = clean("sbp2json", data)
    assert lines.count(b"\n") == 60000
    judged = len(data) if tool.SCALE >= 5 else 200000
    want = model.sbp2json(b"".join(frame.bytes for frame in found.frames if frame.end <= judged))
    assert lines.startswith(want)
    assert clean("json2sbp", lines) == data
    assert clean("json2sbp", lines, "--from-fields") == data


@pytest.mark.parametrize("name", LOGS)
def test_lines_are_those_expected(name):
    data = (TEST_DATA / name).read_bytes()
    plain = TEST_DATA / name.replace(".sbp", ".json")
    compat = TEST_DATA / name.replace(".sbp", ".compat.json")
    for options, want in (([], plain), (["--float-compat"], compat if compat.exists() else plain)):
        result = run("sbp2json", data, *options)
        assert result.out == want.read_bytes()
        assert result.code == expected_exit(data)


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("form", [[], ["--float-compat"]])
@pytest.mark.parametrize("back", [[], ["--from-fields"]])
def test_lines_give_the_frames_back(name, form, back):
    data = (TEST_DATA / name).read_bytes()
    result = run("json2sbp", run("sbp2json", data, *form).out, *back)
    assert (result.code, result.out) == (0, only_frames(data)), result


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("back", [[], ["--from-fields"]])
def test_every_byte_comes_back_by_invalid_lines(name, back):
    data = (TEST_DATA / name).read_bytes()
    lines = run("sbp2json", data, "--error-handler", "to-invalid")
    assert lines.out == model.sbp2json(data, handler="to-invalid")
    assert lines.code == expected_exit(data)
    result = run("json2sbp", lines.out, "--error-handler", "to-invalid", *back)
    assert (result.code, result.out) == (0, data), result


@pytest.mark.parametrize("name", LOGS)
def test_return_stops_before_the_first_damage(name):
    data = (TEST_DATA / name).read_bytes()
    result = run("sbp2json", data, "--error-handler", "return")
    assert result.out == model.sbp2json(data, handler="return")
    assert result.code == expected_exit(data)


@pytest.mark.parametrize("name", LOGS)
def test_json2json_leaves_the_lines_of_sbp2json_as_they_are(name):
    lines = (TEST_DATA / name.replace(".sbp", ".json")).read_bytes()
    result = run("json2json", lines)
    assert (result.code, result.out) == (0, lines), result
    compat = run("json2json", lines, "--float-compat")
    assert compat.out == run("sbp2json", (TEST_DATA / name).read_bytes(), "--float-compat").out


@pytest.mark.parametrize("name", LOGS)
def test_what_is_counted_is_what_the_model_counts(name, tmp_path):
    data = (TEST_DATA / name).read_bytes()
    found = model.find_frames(data)
    run("sbp2json", data, "--report", tmp_path / "report")
    report = json.loads((tmp_path / "report").read_bytes())
    assert report["messages"] == len(found.frames)
    assert report["bytes_outside_frames"] == found.lost
    assert report["runs"] == len(found.runs)
    assert report["crc_failures"] == found.crc_failures
    assert report["truncated"] == found.truncated
    assert report["damaged"] == [list(run) for run in found.runs][:10000]


def test_the_lines_of_a_reference_log_come_back(reference):
    for path in sorted((reference / "logs").iterdir()):
        data = path.read_bytes()
        if len(data) > 400000 and tool.SCALE < 5:
            continue
        for form in ([], ["--float-compat"]):
            lines = run("sbp2json", data, *form).out
            for back in ([], ["--from-fields"]):
                assert run("json2sbp", lines, *back).out == only_frames(data), (path.name, form, back)


def test_old_console_logs_are_read(reference):
    data = gzip.decompress((reference / "json" / "console-2015.json.gz").read_bytes())
    for from_fields in (False, True):
        want = model_json.json2sbp(data, from_fields)
        result = run("json2sbp", data, *(["--from-fields"] if from_fields else []))
        assert (result.code, result.out) == (want.exit, want.out)
