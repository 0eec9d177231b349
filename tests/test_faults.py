# SPDX-License-Identifier: MIT
"""Every call to the system fails once, in turn: a message, exit code 2, and whole records up to there.

fail_call.c, preloaded, lets the n-th read, write and so on fail, for every n until a run ends before it. What a run
without faults gives is right by the other tests; here, each run either gives the same in every respect, or says what
failed, exits with 2 and leaves a beginning of the same output that ends with a whole record.
"""

import errno
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import pytest

import model
import tool
from tool import HEARTBEAT, HEARTBEAT_LINE, SHORT_LINE, command

LIBRARY = tool.BIN.parent / "tests" / "fail_call.so"
pytestmark = pytest.mark.skipif(
    not tool.PLAIN or not LIBRARY.exists(), reason="needs a tool of this machine without sanitizers, and fail_call.so"
)

LOG = model.pack(1025, 42, b"\x06hello") + HEARTBEAT + model.pack(522, 1, bytes(range(34)))
# Inputs of two reads and more, and outputs of two writes and more.
FRAMES = b"junk" + LOG * 4100
SOME = LOG * 300
LINES = b"junk\n" + model.sbp2json(LOG) * 1600
# Lines that do not fit any more where a block ends.
WRAPPED = b"junk\n" + b'{"data":%s,"more":"%s"}\n' % (SHORT_LINE.strip(), b"x" * 50000) * 16 + b'{"none":1}\n'
LONG = b'{"x":"%s","data":%s}\n' % (b"x" * 700000, SHORT_LINE.strip())
SCHEMA = json.dumps(
    {
        "package": "private",
        "description": "private messages",
        "structs": [],
        "messages": [{"id": 31420, "name": "MSG_PRIVATE", "fields": [{"name": "count", "type": "u16"}]}],
    }
).encode()

# name: tool, arguments, files; "out" and "report" are what it writes, "-" its standard input and output.
RUNS = {
    "two inputs": ("sbp2json", ["a", "b", "-o", "out", "--report", "report"], {"a": b"x" + SOME, "b": SOME}),
    "redirected": ("sbp2json", ["--error-handler", "to-invalid"], {"-": FRAMES}),
    "over an old output": ("sbp2json", ["a", "out"], {"a": SOME, "out": b"{}\n"}),
    "a schema": ("sbp2json", ["--schema", "schema", "a", "out"], {"a": LOG, "schema": SCHEMA}),
    "back": ("json2sbp", ["a", "b", "-o", "out", "--report", "report"], {"a": LINES, "b": LINES}),
    "from fields": ("json2sbp", ["--from-fields", "--debug", "a", "out"], {"a": LINES + b'{"msg_type":1}\n'}),
    "redirected back": ("json2sbp", [], {"-": LINES}),
    "wrapped": ("json2json", ["a", "out", "--error-handler", "to-invalid"], {"a": WRAPPED}),
    "a long value": ("json2json", ["a", "out"], {"a": SHORT_LINE + LONG + SHORT_LINE}),
    "reports": ("sbpinfo", ["--json", "a", "b", "-o", "out"], {"a": FRAMES, "b": LOG}),
    "parts": ("sbpinfo", ["--splits", "3", "a", "-o", "out"], {"a": FRAMES}),
    "a table": ("sbp2csv", ["a", "MSG_LOG", "-o", "out", "--report", "report"], {"a": FRAMES}),
    "a track": ("sbp2csv", ["--track", "gpx", "a", "-o", "out"], {"a": FRAMES}),
    "a copy": ("sbpcat", ["--repair", "a", "b", "-o", "out", "--report", "report"], {"a": FRAMES, "b": LOG}),
    "help": ("json2sbp", ["--help"], {}),
    "describe": ("sbp2json", ["--describe"], {}),
}
every_run = pytest.mark.parametrize("name", RUNS)
CALLS = ["read", "write", "open", "close", "truncate", "poll", "memory"]


class Outcome:
    """All that a run leaves behind."""

    def __init__(self, code, stderr, files):
        self.code, self.stderr, self.files = code, stderr, files
        self.output = files["out"] if "out" in files else files["-out"]

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __repr__(self):
        sizes = {name: len(data) for name, data in self.files.items()}
        return "exit %d, files %s\n%s" % (self.code, sizes, self.stderr[:1500].decode())


def run(name, call="none", at=1 << 30, failure=0):
    """A run in a folder of its own: what it left, and (descriptor, result, failed) for each call that was watched."""
    program, args, files = RUNS[name]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        folder = pathlib.Path(folder)
        for path, data in files.items():
            (folder / path).write_bytes(data)
        environment = dict(
            os.environ,
            LD_PRELOAD=str(LIBRARY),
            FAIL_CALL=call,
            FAIL_AT=str(at),
            FAIL_WITH=str(failure),
            FAIL_LOG=str(log.fileno()),
        )
        with open(folder / "-" if "-" in files else os.devnull, "rb") as stdin, open(folder / "-out", "wb") as stdout:
            done = subprocess.run(
                command(program, *args),
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment,
                pass_fds=[log.fileno()],
                timeout=60,
                check=False,
            )
        written = [path for path in folder.iterdir() if path.name not in files or path.name == "out"]
        left = {path.name: path.read_bytes() for path in written}
        log.seek(0)
        return Outcome(done.returncode, done.stderr, left), [tuple(map(int, line.split())) for line in log]


def failing(name, call, failure):
    """Runs in which the first such call fails, the second, and so on: outcome and log of each."""
    at = 1
    while True:
        outcome, log = run(name, call, at, failure)
        if not any(failed for _, _, failed in log):
            return
        yield outcome, log
        at += 1


def record_ends(name, output):
    """Where an output may end."""
    if RUNS[name][0] in ("json2sbp", "sbpcat") and "help" not in name:
        ends = [0]
        while ends[-1] < len(output):
            ends.append(ends[-1] + output[ends[-1] + 5] + 8)
        return set(ends)
    return {0} | {at + 1 for at, byte in enumerate(output) if byte == 0x0A}


def stopped_well(name, outcome, clean, ends, reason):
    """The run said why it could not go on, and left whole records."""
    program = RUNS[name][0]
    assert outcome.code == 2, outcome
    lines = outcome.stderr.decode().splitlines()
    assert all(line.startswith(program + ": ") for line in lines), outcome
    assert any(reason in line for line in lines), (reason, outcome)
    output = outcome.files.get("out", b"") if "out" in clean.files else outcome.output
    assert output == b"{}\n" or (clean.output.startswith(output) and len(output) in ends), outcome
    if outcome.files.get("report"):
        # It is closed when it has been written.
        assert json.loads(outcome.files["report"])["exit"] == 2 or output == clean.output
    return output


def descriptor_of_fault(log):
    return next(descriptor for descriptor, _, failed in log if failed)


def done_on(log, descriptor):
    """The bytes that went through a descriptor."""
    return sum(result for where, result, _ in log if where == descriptor and result > 0)


# What a call can fail with so that the run has to end.
FATAL = {
    "read": errno.EIO,
    "write": errno.ENOSPC,
    "open": errno.EMFILE,
    "close": errno.EIO,
    "truncate": errno.EIO,
    "memory": errno.ENOMEM,
}


@every_run
@pytest.mark.parametrize("call", FATAL)
def test_a_call_that_fails_ends_the_run_cleanly_whichever_it_is(name, call):
    clean, _ = run(name)
    ends = record_ends(name, clean.output)
    reason = "out of memory" if call == "memory" else os.strerror(FATAL[call])
    count = 0
    for outcome, log in failing(name, call, FATAL[call]):
        count += 1
        where = descriptor_of_fault(log)
        if call == "write" and where == 2:  # a message is lost, nothing else
            assert (outcome.code, outcome.files) == (clean.code, clean.files), outcome
        elif outcome == clean:  # an input that cannot be closed, memory or a seed that a library does without
            assert call == "close" or name == "a schema"
        else:
            output = stopped_well(name, outcome, clean, ends, reason)
            if call == "write" and output != clean.output and name != "a long value":
                assert len(output) == done_on(log, where), outcome
    print("%s, %s: %d faults" % (name, call, count))


@every_run
@pytest.mark.parametrize(
    "call, failure",
    [
        ("read", errno.EINTR),
        ("read", errno.EAGAIN),
        ("read", "half"),
        ("write", errno.EINTR),
        ("write", errno.EAGAIN),
        ("write", "half"),
        ("open", errno.EINTR),
        ("close", errno.EINTR),
        ("poll", errno.EINTR),
        ("poll", errno.ENOMEM),
    ],
)
def test_an_interrupted_or_short_call_changes_nothing(name, call, failure):
    clean, _ = run(name)
    count = 0
    for outcome, _ in failing(name, call, failure):
        count += 1
        assert outcome == clean, (count, outcome)
    if failure == "half":
        assert run(name, call, 0, failure)[0] == clean
    print("%s, %s: %d faults" % (name, call, count))


@every_run
def test_a_disk_that_fills_up_leaves_whole_records(name):
    """The last write is done in part, as file systems do it."""
    clean, _ = run(name)
    ends = record_ends(name, clean.output)
    count = 0
    for outcome, log in failing(name, "write", "full"):
        count += 1
        if descriptor_of_fault(log) != 2 and outcome != clean:
            output = stopped_well(name, outcome, clean, ends, os.strerror(errno.ENOSPC))
            before = [result for where, result, failed in log if where == descriptor_of_fault(log) and not failed]
            if name not in ("a long value", "describe"):  # of which a write may be a part
                assert len(output) == sum(before) or output == clean.output, outcome
    print("%s, full: %d faults" % (name, count))


def test_files_of_a_log_that_is_split_end_with_a_whole_frame_too():
    RUNS["split"] = ("sbpcat", ["--split", "size=100k", "a"], {"a": b"x" + LOG * 7000})
    clean, _ = run("split")
    assert clean.code == 0 and sum(len(data) for data in clean.files.values()) == 1 + len(LOG) * 7000
    for failure in (errno.ENOSPC, "full"):
        for outcome, _ in failing("split", "write", failure):
            assert outcome.code == 2 and os.strerror(errno.ENOSPC) in outcome.stderr.decode(), outcome
            for path, data in outcome.files.items():
                good = clean.files[path]
                assert good.startswith(data) and (data == good or not data or frames_end(data)), path
    del RUNS["split"]


def frames_end(data):
    """Whether this is whole frames, but for a byte before them."""
    at = data.find(b"\x55")
    while at < len(data):
        at += data[at + 5] + 8
    return at == len(data)


def whole_records(name, size):
    """How many records the first so many bytes of an input hold."""
    data = RUNS[name][2]["-"][:size]
    if RUNS[name][0] == "json2sbp":
        return max(0, data.count(b"}"))
    count, at = 1, 4  # "junk" is one, of bytes
    while at + 6 <= size and at + data[at + 5] + 8 <= size:
        count, at = count + 1, at + data[at + 5] + 8
    return count


@pytest.mark.parametrize("name", ["redirected", "redirected back"])
def test_what_was_read_before_a_fault_is_all_converted(name):
    clean, _ = run(name)
    ends = sorted(record_ends(name, clean.output))
    for outcome, log in failing(name, "read", errno.EIO):
        assert len(outcome.output) == ends[whole_records(name, done_on(log, 0))] or done_on(log, 0) == 0, outcome
        assert outcome.code == 2


def test_the_library_that_lets_calls_fail_reaches_them():
    """Against what is known of the tools: their reads and writes, and each allocation."""
    _, log = run("redirected", "read")
    assert done_on(log, 0) == len(FRAMES) and len(log) == -(-len(FRAMES) // (256 << 10)) + 1
    outcome, log = run("redirected", "write")
    assert done_on(log, 1) == len(outcome.output)
    _, log = run("redirected", "memory")
    assert len(log) == 2  # in[] and out[]
    _, log = run("redirected back", "memory")
    assert len(log) == 3  # and the templates


# ---- Processes that stop, go on and die


def start(name, *args, stdin=subprocess.PIPE):
    return subprocess.Popen(
        command(name, *args), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )


def whole_frames(data):
    """A number of heartbeats and nothing else."""
    assert data == HEARTBEAT * (len(data) // len(HEARTBEAT))
    return len(data) // len(HEARTBEAT)


def read_some(stream, size):
    data = b""
    while len(data) < size:
        data += os.read(stream.fileno(), size - len(data))
    return data


@pytest.mark.parametrize(
    "name, data, want",
    [("sbp2json", HEARTBEAT, HEARTBEAT_LINE), ("json2sbp", HEARTBEAT_LINE, HEARTBEAT)],
    ids=["sbp2json", "json2sbp"],
)
def test_a_tool_that_is_stopped_goes_on_where_it_was(name, data, want, tmp_path):
    (tmp_path / "in").write_bytes(data * 100000)
    with start(name, tmp_path / "in") as process:
        out = b""
        for _ in range(20):
            out += os.read(process.stdout.fileno(), 9999)
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.002)
            process.send_signal(signal.SIGCONT)
        out += process.stdout.read()
        assert (process.wait(), process.stderr.read()) == (0, b"")
    assert out == want * 100000


def test_a_killed_writer_costs_no_line_that_it_had_written(tmp_path):
    (tmp_path / "log").write_bytes(HEARTBEAT * 2000000)
    with start("sbp2json", tmp_path / "log") as first:
        with start("json2sbp", stdin=first.stdout) as second:
            first.stdout.close()
            out = read_some(second.stdout, 50000)
            first.kill()
            out += second.stdout.read()
            # Where the kill came between lines there is nothing to complain of.
            assert second.wait() in (0, 1)
            errors = second.stderr.read()
            assert second.returncode == 0 or errors.count(b"\n") == 2 and b"1 value left out" in errors
            assert first.wait() == -signal.SIGKILL
    assert whole_frames(out) < 2000000


def test_lines_before_one_that_was_cut_off_become_frames():
    """What a reader gets of a writer that was killed, at each place it can be cut."""
    for cut in range(1, len(HEARTBEAT_LINE)):
        result = tool.run("json2sbp", HEARTBEAT_LINE * 3 + HEARTBEAT_LINE[:cut])
        whole = cut == len(HEARTBEAT_LINE) - 1  # but for its line feed
        assert (result.code, result.out) == ((0, HEARTBEAT * 4) if whole else (1, HEARTBEAT * 3)), cut


def test_a_killed_reader_stops_the_writer_quietly(tmp_path):
    (tmp_path / "log").write_bytes(HEARTBEAT * 2000000)
    with start("sbp2json", tmp_path / "log") as first, start("json2sbp", stdin=first.stdout) as second:
        first.stdout.close()
        whole_frames(read_some(second.stdout, 12000))
        second.kill()
        assert first.wait(60) == -signal.SIGPIPE
        assert first.stderr.read() == b""


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
@pytest.mark.parametrize(
    "name, data, want",
    [("sbp2json", HEARTBEAT, HEARTBEAT_LINE), ("json2sbp", HEARTBEAT_LINE, HEARTBEAT)],
    ids=["sbp2json", "json2sbp"],
)
def test_a_pipe_that_does_not_block_is_as_good_as_one_that_does(stream, name, data, want):
    """A program at the other end may have made it so, for both."""
    read_end, write_end = os.pipe()
    os.set_blocking(read_end if stream == "stdin" else write_end, False)
    if stream == "stdin":
        with start(name, stdin=read_end) as process:
            os.close(read_end)
            for _ in range(50):
                os.write(write_end, data[:7])
                time.sleep(0.002)
                os.write(write_end, data[7:])
            assert read_some(process.stdout, len(want) * 50) == want * 50
            os.close(write_end)
            assert (process.wait(60), process.stdout.read(), process.stderr.read()) == (0, b"", b"")
    else:
        with tempfile.TemporaryFile() as file:
            file.write(data * 100000)
            file.seek(0)
            with subprocess.Popen(command(name), stdin=file, stdout=write_end) as process:
                os.close(write_end)
                time.sleep(0.1)
                with open(read_end, "rb") as reader:
                    assert reader.read() == want * 100000
                assert process.wait(60) == 0
