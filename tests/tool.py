# SPDX-License-Identifier: MIT
"""Running the built tools: what every command-line test needs."""

import json
import os
import pathlib
import shlex
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("SBPKIT_BUILD", ROOT / "build")).resolve() / "bin"
TEST_DATA = ROOT / "test_data"
# Runs foreign binaries, as in "qemu-s390x -L /usr/s390x-linux-gnu".
EMULATOR = shlex.split(os.environ.get("SBPKIT_EMULATOR", ""))
# How much of the random and the long: 1 in a quick run, 10 and more in a full one.
SCALE = float(os.environ.get("SBPKIT_TEST_SCALE", "1"))


def _is_plain():
    path = BIN / "sbp2json"
    if EMULATOR or not path.exists():
        return False
    program = path.read_bytes()
    return b"__asan_init" not in program and b"__gcov_" not in program


# Whether time, memory and system calls are the tools' own: not those of an emulator, a sanitizer or coverage.
PLAIN = _is_plain()

HEARTBEAT = bytes.fromhex("55ffff2a00040032000009a7")
HEARTBEAT_LINE = (
    b'{"crc":42761,"length":4,"msg_type":65535,"msg_name":"MSG_HEARTBEAT",'
    b'"payload":"ADIAAA==","preamble":85,"sender":42,"flags":12800}\n'
)
SHORT_LINE = b'{"msg_type":65535,"sender":42,"payload":"ADIAAA=="}\n'
LOG_FRAME = bytes.fromhex("5501042a0003066869 6f63".replace(" ", ""))


def times(count):
    """A count of random cases for this run."""
    return max(1, int(count * SCALE))


def command(name, *args):
    path = BIN / name
    return [*EMULATOR, str(path if path.exists() else path.with_suffix(".exe")), *map(str, args)]


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def lines(self):
        return self.out.splitlines(keepends=True)

    @property
    def errors(self):
        return self.err.decode("utf-8", "replace").splitlines()

    def __repr__(self):
        return "exit %d\n  out %r\n  err %s" % (self.code, self.out[:400], self.err[:1500].decode("utf-8", "replace"))


def run(name, data=b"", *args, timeout=60, **options):
    """Run a tool on these bytes."""
    done = subprocess.run(command(name, *args), input=data, capture_output=True, timeout=timeout, **options)
    return Result(done.returncode, done.stdout, done.stderr)


def clean(name, data=b"", *args):
    """Run a tool that has nothing to complain of, and return its output."""
    result = run(name, data, *args)
    assert (result.code, result.err) == (0, b""), result
    return result.out


def run_reporting(name, data=b"", *args):
    """A run and what its --report says."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report"
        result = run(name, data, "--report", path, *args)
        return result, json.loads(path.read_bytes()) if path.exists() and path.stat().st_size else None
