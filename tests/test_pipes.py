# SPDX-License-Identifier: MIT
"""Live input and output: pipes that stay open, input cut anywhere, readers that leave, signals."""

import os
import random
import select
import signal
import subprocess
import time

import pytest

import model
import tool
from tool import HEARTBEAT, HEARTBEAT_LINE, SHORT_LINE, TEST_DATA, command, run, times

SOON = 10.0  # seconds; generous, for busy machines and emulators


class Live:
    """A tool with pipes at both ends."""

    def __init__(self, name, *args, stdin=subprocess.PIPE):
        self.process = subprocess.Popen(
            command(name, *args), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()

    def write(self, data):
        self.process.stdin.write(data)

    def read(self, size):
        """The next `size` bytes of output, or what has come of them in time."""
        data, end = b"", time.monotonic() + SOON
        while len(data) < size:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            if not ready:
                break
            piece = os.read(self.process.stdout.fileno(), size - len(data))
            if not piece:
                break
            data += piece
        return data

    def silent(self, seconds=0.05):
        return not select.select([self.process.stdout], [], [], seconds)[0]

    def finish(self):
        out, err = self.process.communicate(timeout=60)
        return tool.Result(self.process.returncode, out, err)


def fed(name, pieces, *args):
    """A run whose input comes in these pieces, each at least likely to be one read."""
    with Live(name, *args) as live:
        for piece in pieces:
            live.write(piece)
            os.sched_yield()
        return live.finish()


def same(one, other):
    return (one.code, one.out, one.err) == (other.code, other.out, other.err)


# ---- Prompt


def test_a_line_comes_out_while_the_pipe_stays_open():
    with Live("sbp2json") as live:
        for _ in range(3):
            live.write(HEARTBEAT)
            assert live.read(len(HEARTBEAT_LINE)) == HEARTBEAT_LINE
        assert live.silent()
        assert live.finish().code == 0


@pytest.mark.parametrize("args", [[], ["--from-fields"]])
def test_a_frame_comes_out_while_the_pipe_stays_open(args):
    with Live("json2sbp", *args) as live:
        for _ in range(3):
            live.write(HEARTBEAT_LINE)
            assert live.read(len(HEARTBEAT)) == HEARTBEAT


def test_a_frame_comes_out_at_the_closing_brace():
    with Live("json2sbp") as live:
        live.write(HEARTBEAT_LINE[:-2])
        assert live.silent()
        live.write(b"}")
        assert live.read(len(HEARTBEAT)) == HEARTBEAT


def test_json2json_is_prompt_too():
    with Live("json2json") as live:
        live.write(SHORT_LINE)
        assert live.read(len(HEARTBEAT_LINE)) == HEARTBEAT_LINE


def test_a_frame_goes_through_two_tools_while_the_pipe_stays_open():
    with Live("sbp2json") as first, Live("json2sbp", stdin=first.process.stdout) as second:
        first.write(HEARTBEAT)
        begun = time.monotonic()
        assert second.read(len(HEARTBEAT)) == HEARTBEAT
        assert time.monotonic() - begun < SOON / 2


def test_a_message_waits_for_an_earlier_preamble_only():
    with Live("sbp2json") as live:
        live.write(b"\x55\x01\x02\x03\x04\x20" + HEARTBEAT)
        assert live.silent()
        live.write(bytes(22))
        assert live.read(len(HEARTBEAT_LINE)) == HEARTBEAT_LINE


def test_buffered_output_waits_for_the_end():
    with Live("sbp2json", "-b") as live:
        live.write(HEARTBEAT)
        assert live.silent()
        assert live.finish().out == HEARTBEAT_LINE


@pytest.mark.skipif(not tool.PLAIN, reason="needs system calls that count")
def test_large_blocks_are_written_when_input_does_not_pause(tmp_path):
    """A write per message costs more than all else together."""
    if not os.path.exists("/usr/bin/strace"):
        pytest.skip("needs strace")
    (tmp_path / "log").write_bytes(HEARTBEAT * 20000)
    trace = tmp_path / "trace"
    subprocess.run(
        ["strace", "-e", "trace=write,writev", "-o", trace, *command("sbp2json", tmp_path / "log")],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    assert trace.read_text().count("write") < 20000 * len(HEARTBEAT_LINE) / 65536 + 5


# ---- Cut anywhere

SMALL = (
    model.pack(1025, 42, b"\x06hi U\x55")
    + b"junk"
    + HEARTBEAT
    + b"\x55\x01\x02\x03\x04\xff"
    + HEARTBEAT
    + model.pack(522, 1, bytes(range(34)))
    + b"\x55"
    + bytes(7)
    + HEARTBEAT[:-1]
)
SMALL_JSON = (
    b"\xef\xbb\xbf" + SHORT_LINE + b'{"a":[true,false,null],"msg_type":1025,"sender":42,"payload":"Bmhp"}\r\n'
    b'[{"msg_type":1,"sender":2,"payload":""},{"msg_type":1.0e0,"sender":-0,"payload":"AA\\u003d="}]\n'
    b'garbage "x\n{"msg_type":70000,"sender":1,"payload":""}{"msg_name":"INVALID","payload":"AAAA"}\n[1,\n'
    b'{"data":{"msg_type":65535,"sender":42,"payload":"ADIAAA==","flags":1}}  {"msg_type":\n'
    b'{"msg_type":2,"sender":3,"payload":"YQ=="}'
)


@pytest.mark.parametrize(
    "name, data, args",
    [
        ("sbp2json", SMALL, ["--error-handler", "to-invalid"]),
        ("sbp2json", SMALL, ["-d"]),
        ("json2sbp", SMALL_JSON, ["--error-handler", "to-invalid"]),
        ("json2sbp", SMALL_JSON, ["--from-fields"]),
        ("json2json", SMALL_JSON, ["--error-handler", "to-invalid"]),
    ],
    ids=["sbp2json", "sbp2json-debug", "json2sbp", "json2sbp-from-fields", "json2json"],
)
def test_input_one_byte_at_a_time_gives_what_a_file_gives(name, data, args):
    want = run(name, data, *args)
    with Live(name, *args) as live:
        for at in range(len(data)):
            live.write(data[at : at + 1])
            if at % 3 == 0:
                time.sleep(0.0005)
        assert same(live.finish(), want)


@pytest.mark.parametrize(
    "name, data",
    [("sbp2json", SMALL), ("json2sbp", SMALL_JSON), ("json2json", SMALL_JSON)],
    ids=["sbp2json", "json2sbp", "json2json"],
)
def test_a_pause_anywhere_changes_nothing(name, data):
    want = run(name, data)
    step = 1 if tool.SCALE >= 5 else 5
    for at in range(1, len(data), step):
        with Live(name) as live:
            live.write(data[:at])
            time.sleep(0.001)
            live.write(data[at:])
            assert same(live.finish(), want), at


@pytest.mark.parametrize("name", ["damaged.sbp", "strings.sbp", "every_message.sbp"])
def test_random_pieces_of_a_log_give_what_the_file_gives(name):
    data = (TEST_DATA / name).read_bytes()
    source = random.Random(name)
    want, lines = run("sbp2json", data), model.sbp2json(data, handler="to-invalid")
    back = run("json2sbp", lines)
    for _ in range(times(3)):
        largest = source.choice([3, 30, 3000])
        assert same(fed("sbp2json", cut(data, largest, source)), want)
        assert same(fed("json2sbp", cut(lines, largest * 10, source)), back)


def cut(data, largest, source):
    at = 0
    while at < len(data):
        size = source.randint(1, largest)
        yield data[at : at + size]
        at += size


# ---- Readers that leave, and signals


@pytest.mark.parametrize(
    "name, data",
    [("sbp2json", HEARTBEAT), ("json2sbp", HEARTBEAT_LINE), ("json2json", SHORT_LINE)],
    ids=["sbp2json", "json2sbp", "json2json"],
)
def test_a_closed_reader_stops_the_tool_quietly(name, data, tmp_path):
    (tmp_path / "in").write_bytes(data * 300000)
    script = '%s | head -c 20 >/dev/null; echo "${PIPESTATUS[0]}"' % " ".join(command(name, tmp_path / "in"))
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == (b"141\n", b"")


def test_a_reader_that_is_gone_before_a_small_output_is_told_by_the_status():
    with Live("sbp2json") as live:
        live.process.stdout.close()
        live.process.stdout = None
        live.write(HEARTBEAT)
        live.process.stdin.close()
        live.process.stdin = None
        assert live.process.wait(SOON) in (-signal.SIGPIPE, 141)
        assert live.process.stderr.read() == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "name, data, line",
    [("sbp2json", HEARTBEAT, HEARTBEAT_LINE), ("json2sbp", HEARTBEAT_LINE, HEARTBEAT)],
    ids=["sbp2json", "json2sbp"],
)
def test_a_signal_leaves_whole_records_and_is_died_of(number, name, data, line):
    with Live(name, "-b") as live:
        live.write(data * 1000 + data[:5])
        time.sleep(0.2)
        live.process.send_signal(number)
        result = live.finish()
    assert result.code in (-number, 128 + number)
    assert result.out == line * 1000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_still_gives_the_summary(number):
    with Live("sbp2json") as live:
        live.write(b"x" + HEARTBEAT * 10)
        live.read(len(HEARTBEAT_LINE) * 10)
        live.process.send_signal(number)
        result = live.finish()
    assert any(line.startswith("sbp2json: 10 messages; 1 byte outside frames") for line in result.errors), result


def test_a_blocked_writer_dies_of_a_signal(tmp_path):
    (tmp_path / "log").write_bytes(HEARTBEAT * 300000)
    with Live("sbp2json", tmp_path / "log") as live:
        time.sleep(0.3)
        live.process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        out = b""
        while True:
            piece = os.read(live.process.stdout.fileno(), 1 << 20)
            if not piece:
                break
            out += piece
        assert live.process.wait(SOON) in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert out == HEARTBEAT_LINE * (len(out) // len(HEARTBEAT_LINE))


def test_no_progress_line_reaches_a_pipe(tmp_path):
    with Live("sbp2json") as live:
        live.write(HEARTBEAT)
        time.sleep(1.2)
        live.write(HEARTBEAT)
        assert live.finish().err == b""


def test_progress_shows_on_a_terminal_after_a_second_and_goes_away():
    import pty

    master, slave = pty.openpty()
    process = subprocess.Popen(
        command("sbp2json"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=slave, bufsize=0
    )
    os.close(slave)
    for _ in range(30):
        process.stdin.write(HEARTBEAT * 10)
        time.sleep(0.08)
    process.stdin.close()
    assert process.wait(SOON) == 0
    seen = b""
    try:
        while True:
            piece = os.read(master, 4096)
            if not piece:
                break
            seen += piece
    except OSError:
        pass
    os.close(master)
    assert b"messages" in seen and b"\r" in seen
    assert b"\n" not in seen


def test_a_growing_file_is_followed_through_tail(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(HEARTBEAT)
    with subprocess.Popen(
        ["tail", "-c", "+1", "-F", str(log)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as tail:
        try:
            with Live("sbp2json", stdin=tail.stdout) as live:
                assert live.read(len(HEARTBEAT_LINE)) == HEARTBEAT_LINE
                with open(log, "ab") as more:
                    more.write(HEARTBEAT)
                assert live.read(len(HEARTBEAT_LINE)) == HEARTBEAT_LINE
        finally:
            tail.kill()
