# SPDX-License-Identifier: MIT
"""Long and hostile input ends in linear time and small memory. Sizes grow with SBPKIT_TEST_SCALE, up to 5."""

import fcntl
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import termios
import time

import pytest

import model
import tool
from tool import HEARTBEAT, HEARTBEAT_LINE, PLAIN, SHORT_LINE, command

MIB = 1 << 20
SHARE = min(1.0, tool.SCALE / 5)


class Measured(tool.Result):
    def __init__(self, code, out, err, seconds, memory):
        super().__init__(code, out, err)
        self.seconds, self.memory = seconds, memory


def measure(name, path, *args, keep=True):
    """Run a tool on a file's bytes: output, CPU seconds and peak memory in bytes.

    The peak is read while the tool waits for the end of its input, since what wait4() gives has this process's memory
    in it, from before the exec().
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command(name, *args),
            stdin=subprocess.PIPE,
            stdout=out if keep else subprocess.DEVNULL,
            stderr=err,
            bufsize=0,
        )
        try:
            with open(path, "rb") as file:
                while os.sendfile(process.stdin.fileno(), file.fileno(), None, MIB):
                    pass
            while int.from_bytes(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)), sys.byteorder):
                time.sleep(0.001)
            time.sleep(0.01)
        except BrokenPipeError:
            pass
        memory = peak(process.pid)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        out.seek(0)
        err.seek(0)
        return Measured(process.returncode, out.read(), err.read(), usage.ru_utime + usage.ru_stime, memory)


def peak(pid):
    try:
        status = pathlib.Path("/proc/%d/status" % pid).read_text()
    except OSError:
        return 0
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    return int(found.group(1)) * 1024 if found else 0


def write(path, piece, size):
    """A file of `size` bytes made of a repeated piece."""
    with open(path, "wb") as file:
        block = piece * max(1, 4 * MIB // len(piece))
        while file.tell() < size:
            file.write(block[: size - file.tell()])
    return path


def small(result, limit):
    if PLAIN:
        assert result.memory < limit * MIB, "%.1f MiB" % (result.memory / MIB)


def quick(result, seconds):
    assert result.seconds < (seconds if PLAIN else seconds * 40), result.seconds


HOSTILE = {
    "0x55": (b"\x55", 3 * MIB),
    "bad frames": (b"\x55\x01\x02\x03\x04\x10" + b"x" * 18, 300000 * 24),
    "frames that end where the next begins to fail": (b"\x55\xff\xff\xff\xff\xff", 3 * MIB),
    "zeros": (b"\0", 100 * MIB),
    "preambles in zeros": (b"\x55" + bytes(7), 20 * MIB),
    "ones": (b"\xff", 100 * MIB),
    "messages and damage in turn": (HEARTBEAT + b"\x55" + HEARTBEAT + b"junk", 20 * MIB),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("handler", ["skip", "to-invalid"])
def test_hostile_bytes_end_soon_in_small_memory(name, handler, tmp_path):
    piece, size = HOSTILE[name]
    path = write(tmp_path / "log", piece, int(size * SHARE) // len(piece) * len(piece))
    result = measure("sbp2json", path, "--error-handler", handler, keep=False)
    assert result.code == 1
    small(result, 8)
    quick(result, 5)


def test_random_bytes_end_soon_in_small_memory(tmp_path):
    block = random.Random(3).randbytes(MIB)
    path = write(tmp_path / "log", block, int(100 * MIB * SHARE))
    result = measure("sbp2json", path, keep=False)
    assert result.code == 1
    small(result, 8)
    quick(result, 10)


def test_time_is_linear_in_bad_input(tmp_path):
    def seconds(size):
        return min(measure("sbp2json", write(tmp_path / "log", b"\x55", size), keep=False).seconds for _ in range(3))

    one = seconds(int(2 * MIB * max(SHARE, 0.3)))
    four = seconds(int(8 * MIB * max(SHARE, 0.3)))
    assert four < one * 8 + 0.05, (one, four)


def test_bad_frames_hide_no_good_one(tmp_path):
    count = int(300000 * SHARE)
    path = write(tmp_path / "log", b"\x55\x01\x02\x03\x04\x10" + b"x" * 18, count * 24)
    with open(path, "ab") as file:
        file.write(HEARTBEAT)
    result = measure("sbp2json", path)
    assert (result.code, result.out) == (1, HEARTBEAT_LINE)
    assert b"%d CRC failures" % count in result.err


LONG_LINES = {
    "a long string": b'{"x":"%s","msg_type":65535,"sender":42,"payload":"ADIAAA=="}',
    "a long number": b'{"x":1%s,"msg_type":65535,"sender":42,"payload":"ADIAAA=="}',
    "a long space": b'{%s"msg_type":65535,"sender":42,"payload":"ADIAAA=="}',
    "a long array": b'{"x":[%s0],"msg_type":65535,"sender":42,"payload":"ADIAAA=="}',
    "many keys": b'{%s"msg_type":65535,"sender":42,"payload":"ADIAAA=="}',
}
FILLING = {
    "a long string": b"x",
    "a long number": b"0",
    "a long space": b" ",
    "a long array": b"0,",
    "many keys": b'"k":0,',
}


@pytest.mark.parametrize("name", LONG_LINES)
@pytest.mark.parametrize("args", [[], ["--from-fields"]])
def test_a_long_line_is_read_in_linear_time(name, args, tmp_path):
    path = tmp_path / "lines"
    filling = FILLING[name]
    text = LONG_LINES[name] % (filling * (5 * MIB // len(filling)))
    if args:
        text = text[:-1] + b',"flags":12800}'
    path.write_bytes(SHORT_LINE + text + b"\n" + SHORT_LINE)
    result = measure("json2sbp", path, *args)
    assert (result.code, result.out) == (0, HEARTBEAT * 3), result
    small(result, 20)
    quick(result, 2)


def test_a_long_line_that_never_closes_costs_linear_time(tmp_path):
    (tmp_path / "lines").write_bytes(SHORT_LINE + b'{"a":"' + b"x" * (5 * MIB) + b"\n" + SHORT_LINE)
    result = measure("json2sbp", tmp_path / "lines")
    assert (result.code, result.out) == (1, HEARTBEAT * 2)
    quick(result, 2)


@pytest.mark.parametrize("piece", [b"{", b"[", b"{\n", b'"', b'"\n', b"}", b"x\n", b"1 ", b",", b'{"a":', b"\\"])
def test_hostile_text_ends_soon(piece, tmp_path):
    path = write(tmp_path / "lines", piece, int(3 * MIB * SHARE) // len(piece) * len(piece))
    for name in ("json2sbp", "json2json"):
        result = measure(name, path)
        assert (result.code, result.out) == (1, b"")
        quick(result, 4)


def test_memory_does_not_grow_with_the_stream(tmp_path):
    lines = model.sbp2json((tool.TEST_DATA / "receiver_10hz.sbp").read_bytes())
    path = write(tmp_path / "lines", lines, len(lines) * int(3000 * SHARE))
    for args in ([], ["--from-fields"]):
        result = measure("json2sbp", path, *args, keep=False)
        assert (result.code, result.err) == (0, b"")
        small(result, 8)
    result = measure("json2json", path, keep=False)
    assert result.code == 0
    small(result, 8)


@pytest.mark.skipif(not PLAIN, reason="needs memory limits that count")
def test_tools_run_under_a_tight_memory_limit(tmp_path):
    path = write(tmp_path / "log", HEARTBEAT, 12 * 100000)
    with open(path, "rb") as stdin:
        done = subprocess.run(
            command("sbp2json"),
            stdin=stdin,
            capture_output=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (64 * MIB, 64 * MIB)),
        )
    assert (done.returncode, len(done.stdout)) == (0, len(HEARTBEAT_LINE) * 100000)


@pytest.mark.skipif(tool.SCALE < 20, reason="SBPKIT_TEST_SCALE is under 20")
def test_a_sparse_file_past_4_gib_is_read_to_its_end(tmp_path):
    size = (4 << 30) + 5 * MIB
    with open(tmp_path / "log", "wb") as file:
        file.seek(size - len(HEARTBEAT))
        file.write(HEARTBEAT)
    result = measure("sbp2json", tmp_path / "log")
    assert (result.code, result.out) == (1, HEARTBEAT_LINE)
    assert result.errors[0].startswith("sbp2json: offset 0: %d bytes outside frames" % (size - len(HEARTBEAT)))


@pytest.mark.full
def test_a_value_of_100_mib_is_one_fault_and_memory_ends_at_the_limit(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b'{"a":"' + b"x" * (100 * MIB) + b'"}\n' + SHORT_LINE)
    result = measure("json2sbp", path)
    assert (result.code, result.out) == (1, HEARTBEAT)
    small(result, 200)
    begun = time.monotonic()
    assert measure("json2json", path).code == 1
    assert time.monotonic() - begun < 30


@pytest.mark.full
def test_base64_of_100_mb_is_one_fault_and_of_40_mb_the_bytes_it_stands_for(tmp_path):
    for payload, code in ((b"QUJD" * 33400000, 1), (b"QUJD" * 13400000, 0)):
        path = tmp_path / "lines"
        with open(path, "wb") as file:
            for part in (SHORT_LINE, b'{"msg_name":"INVALID","payload":"', payload, b'"}\n', SHORT_LINE):
                file.write(part)
        result = measure("json2sbp", path, "--error-handler", "to-invalid")
        between = b"" if code else b"ABC" * (len(payload) // 4)
        assert (result.code, result.out == HEARTBEAT + between + HEARTBEAT) == (code, True), result.err
        small(result, 200)
