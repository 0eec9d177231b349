# SPDX-License-Identifier: MIT
"""What is different on Windows: text modes, paths, redirected files. Runs on its tools, here under Wine."""

import os
import subprocess

import pytest

import model
import tool
from test_pipes import Live
from tool import HEARTBEAT, HEARTBEAT_LINE, SHORT_LINE, clean, command, run

WINDOWS = (tool.BIN / "sbp2json.exe").exists()
pytestmark = pytest.mark.skipif(not WINDOWS, reason="needs the tools of Windows")

# What text mode would change: line feeds, returns, and the end that 0x1a is there.
BYTES = bytes(range(256))
FRAME = model.pack(1025, 42, BYTES[:255])


def test_bytes_pass_through_standard_streams_as_they_are():
    lines = clean("sbp2json", FRAME)
    assert lines.count(b"\n") == 1 and b"\r" not in lines
    assert clean("json2sbp", lines) == FRAME
    invalid = run("sbp2json", BYTES * 3, "--error-handler", "to-invalid")
    assert invalid.code == 1
    assert run("json2sbp", invalid.out, "--error-handler", "to-invalid").out == BYTES * 3


def test_bytes_pass_through_files_as_they_are(tmp_path):
    (tmp_path / "in").write_bytes(FRAME)
    assert clean("sbp2json", b"", tmp_path / "in", tmp_path / "lines") == b""
    assert clean("json2sbp", b"", tmp_path / "lines", tmp_path / "out") == b""
    assert (tmp_path / "out").read_bytes() == FRAME


def test_lines_that_end_as_on_windows_are_read():
    assert clean("json2sbp", SHORT_LINE.replace(b"\n", b"\r\n") * 3) == HEARTBEAT * 3
    assert clean("json2json", b'{\r\n"a":1,\r\n"data":' + SHORT_LINE.strip() + b"\r\n}\r\n") == (
        b'{"data":' + HEARTBEAT_LINE.strip() + b',"a":1}\n'
    )


def test_standard_streams_may_be_files(tmp_path):
    (tmp_path / "in").write_bytes(HEARTBEAT * 1000)
    with open(tmp_path / "in", "rb") as stdin, open(tmp_path / "out", "wb") as stdout:
        done = subprocess.run(command("sbp2json"), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "out").read_bytes() == HEARTBEAT_LINE * 1000


@pytest.mark.parametrize("name", ["журнал ü €.sbp", "with space.sbp"], ids=["UTF-8", "space"])
def test_a_path_may_hold_any_character(name, tmp_path):
    folder = tmp_path / ("folder of " + name)
    folder.mkdir()
    (folder / name).write_bytes(HEARTBEAT)
    assert clean("sbp2json", b"", folder / name, folder / ("out " + name)) == b""
    assert (folder / ("out " + name)).read_bytes() == HEARTBEAT_LINE
    result = run("sbp2json", b"", folder / ("no " + name))
    assert result.code == 2 and ("no " + name) in result.errors[0], result


def test_backslashes_and_drives_are_paths(tmp_path):
    (tmp_path / "in").write_bytes(HEARTBEAT)
    path = "Z:" + str(tmp_path / "in").replace("/", "\\")
    assert clean("sbp2json", b"", path) == HEARTBEAT_LINE


def test_the_same_file_is_known_by_another_name(tmp_path):
    (tmp_path / "log").write_bytes(HEARTBEAT)
    result = run("sbp2json", b"", "log", "-o", "../%s/LOG" % tmp_path.name, cwd=tmp_path)
    assert result.code == 2 and "is input and output" in result.errors[0], result
    assert (tmp_path / "log").read_bytes() == HEARTBEAT


def test_a_folder_is_no_input_and_no_output(tmp_path):
    (tmp_path / "in").write_bytes(HEARTBEAT)
    assert run("sbp2json", b"", tmp_path).code == 2
    result = run("sbp2json", b"", tmp_path / "in", "-o", tmp_path)
    assert result.code == 2 and len(result.errors) == 1, result


def test_nul_takes_everything():
    assert clean("sbp2json", HEARTBEAT * 1000, "-o", "NUL", "-") == b""


def test_a_line_comes_out_while_the_pipe_stays_open():
    with Live("sbp2json") as live:
        for _ in range(3):
            live.write(HEARTBEAT)
            assert live.read(len(HEARTBEAT_LINE)) == HEARTBEAT_LINE


def test_a_closed_reader_stops_the_tool_quietly(tmp_path):
    (tmp_path / "in").write_bytes(HEARTBEAT * 300000)
    read_end, write_end = os.pipe()
    with subprocess.Popen(command("sbp2json", tmp_path / "in"), stdout=write_end, stderr=subprocess.PIPE) as process:
        os.close(write_end)
        os.read(read_end, 20)
        os.close(read_end)
        assert process.wait(60) == 141
        assert process.stderr.read() == b""
