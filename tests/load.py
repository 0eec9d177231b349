#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Load by hand, which is too much for CI: a long stream, many runs at a time, readers that are slow or stop.

  tests/load.py [--gigabytes N] [--runs N]      default: 20 and 1000; SBPKIT_BUILD as for the other tests

Nothing goes to a disk. Prints a line for each part, and exits with 1 where one of them went wrong.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import model
import tool

MIB = 1 << 20
# Whole frames, and a few bytes that are none, so that both ways through the tools are taken.
LOG = (tool.TEST_DATA / "benchmark.sbp").read_bytes()
JUNK = b"\x55no frame\x00\xff"
BLOCK = LOG + JUNK
FRAMES = len(model.find_frames(LOG).frames)
failures = 0


def check(holds, what):
    global failures
    failures += not holds
    print("%s %s" % ("ok    " if holds else "FAILED", what), flush=True)


def start(name, *args, **options):
    return subprocess.Popen(tool.command(name, "--error-handler", "to-invalid", *args), **options)


def feed(pipe, count):
    """Write so many blocks."""
    try:
        with pipe:
            for _ in range(count):
                pipe.write(BLOCK)
    except BrokenPipeError:
        pass


def peak(process):
    """The most memory that a process has had, in bytes."""
    status = pathlib.Path("/proc/%d/status" % process.pid).read_text()
    return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE).group(1)) * 1024


def cpu_seconds(process):
    fields = pathlib.Path("/proc/%d/stat" % process.pid).read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Comparison:
    """Compares a stream with the block that it should consist of, again and again."""

    def __init__(self):
        self.twice = memoryview(BLOCK * 2)
        self.count, self.same = 0, True

    def take(self, data):
        view = memoryview(data)
        while view:
            at = self.count % len(BLOCK)
            part = min(len(view), 2 * len(BLOCK) - at)
            self.same = self.same and view[:part] == self.twice[at : at + part]
            self.count += part
            view = view[part:]


def long_stream(gigabytes):
    """sbp2json | json2sbp: what comes out is what went in, and memory does not grow."""
    blocks = max(10, round(gigabytes * 10**9 / len(BLOCK)))
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        begun = time.monotonic()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        first = start("sbp2json", "--report", report, **pipes)
        second = start("json2sbp", stdin=first.stdout, stdout=subprocess.PIPE)
        first.stdout.close()
        feeder = threading.Thread(target=feed, args=(first.stdin, blocks))
        feeder.start()
        comparison, early, late = Comparison(), None, None
        for data in iter(lambda: second.stdout.read(MIB), b""):
            comparison.take(data)
            if early is None and comparison.count > blocks * len(BLOCK) // 20:
                early = peak(first), peak(second)
            elif early and comparison.count > (blocks - 1) * len(BLOCK) - MIB and late is None:
                late = peak(first), peak(second)
        feeder.join()
        codes = first.wait(), second.wait()
        counts = json.loads(report.read_text())
    seconds = time.monotonic() - begun
    gigabytes = comparison.count / 1e9, counts["bytes_written"] / 1e9
    print("       %.1f GB of SBP, %.0f GB of JSON, %d messages, %.0f s" % (*gigabytes, counts["messages"], seconds))
    check(comparison.same and comparison.count == blocks * len(BLOCK), "each byte came back")
    check(codes == (1, 0), "exit codes tell of the bytes outside frames alone: %s" % (codes,))
    check(counts["messages"] == blocks * FRAMES, "all messages were counted")
    outside = counts["bytes_outside_frames"], counts["runs"]
    check(outside == (blocks * len(JUNK), blocks), "all bytes outside frames were counted")
    peaks = "%d and %d KiB after a 20th, %d and %d at the end" % tuple(size // 1024 for size in early + late)
    # The list of the report grows, up to 10,000 runs.
    check(max(end - begin for begin, end in zip(early, late)) <= 1 * MIB, "memory was flat: " + peaks)


def many_runs(count):
    """As many short pipelines as there may be, 50 at a time."""

    def one(number):
        data = model.pack(522, number, bytes(34)) * (number % 50 + 1)
        first = start("sbp2json", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        second = start("json2sbp", stdin=first.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first.stdout.close()
        first.stdin.write(data)
        first.stdin.close()
        out, errors = second.communicate()
        return (out, errors, first.stderr.read(), first.wait(), second.returncode) == (data, b"", b"", 0, 0)

    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        good = sum(pool.map(one, range(count)))
    check(good == count, "%d of %d short pipelines, 50 at a time, in %.0f s" % (good, count, time.monotonic() - begun))


def slow_reader():
    """A reader that takes a little at a time costs the writer nothing but time."""
    process = start("json2sbp", stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    lines = tool.run("sbp2json", BLOCK, "--error-handler", "to-invalid").out

    def write():
        with process.stdin:
            view = memoryview(lines * 8)
            while view:
                view = view[process.stdin.write(view) :]

    feeder = threading.Thread(target=write)
    feeder.start()
    comparison = Comparison()
    begun = time.monotonic()
    while True:
        data = os.read(process.stdout.fileno(), 4096 if time.monotonic() - begun < 20 else MIB)
        if not data:
            break
        comparison.take(data)
        if comparison.count < 7 * len(BLOCK):
            memory = peak(process)
        if time.monotonic() - begun < 20:
            time.sleep(0.002)
    feeder.join()
    check(comparison.same and comparison.count == 8 * len(BLOCK) and process.wait() == 0, "a slow reader gets all")
    check(memory < 8 * MIB, "a slow reader makes no memory grow: %d KiB" % (memory // 1024))


def stopped_reader():
    """While nobody reads, a tool waits without work; then it goes on, or ends quietly."""
    for goes_on in (True, False):
        process = start("sbp2json", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        feeder = threading.Thread(target=feed, args=(process.stdin, 5))
        feeder.start()
        out = os.read(process.stdout.fileno(), 1000)
        time.sleep(2)
        before = cpu_seconds(process)
        time.sleep(10)
        check(cpu_seconds(process) - before < 0.1, "a tool that nobody reads from does nothing")
        if goes_on:
            lines = tool.run("sbp2json", BLOCK, "--error-handler", "to-invalid").out * 5
            out += process.stdout.read()
            check(out == lines and process.wait() == 1, "it goes on where it was")
        else:
            process.stdout.close()
            quiet = process.wait(60) == -13 and process.stderr.read() == b""
            check(quiet, "it ends as by SIGPIPE when the reader leaves")
        feeder.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gigabytes", type=float, default=20)
    parser.add_argument("--runs", type=int, default=1000)
    options = parser.parse_args()
    many_runs(options.runs)
    slow_reader()
    stopped_reader()
    long_stream(options.gigabytes)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
