#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the tests see faults? Puts each of these into a copy of the sources, builds, and runs the quick tests.

    mutate.py [--quick] [WORD..]      all faults, or those whose name holds one of the words

The copy and its build are in build/mutate. A fault is caught where a unit test, the corpus of a fuzz target or a
command line test fails; what they miss is tried on reference data (with SBPKIT_REFERENCE), with sanitizers, by a minute
of each fuzz target, and at SBPKIT_TEST_SCALE=10, but not with --quick.
Exits with 1 where more than one is missed. Where the code has changed so that a fault does not fit any more, it says
so: write another one like it.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutate"
SOURCE = WORK / "source"
BUILD = WORK / "build"

# The first that has what the tests import, as in scripts/test.
PYTHON = next(
    (
        python
        for python in ("python3", "/usr/bin/python3")
        if subprocess.run([python, "-c", "import pytest, hypothesis, xdist"], stderr=subprocess.DEVNULL).returncode == 0
    ),
    sys.executable,
)

# Name, file, what stands there once, and what stands there instead. Each compiles, and most messages of a log are still
# converted rightly: they are what a hand slips into.
FAULTS = [
    ("a candidate that the input cuts off ends the search", "libsbp/frame.c",
     "    } else if (!last) {\n      *used = (size_t)(p - data);\n      return SBP_NEED_MORE;\n    }",
     "    } else {\n      *used = last ? size : (size_t)(p - data);\n      return last ? SBP_END : SBP_NEED_MORE;\n    }"),
    ("padding of one byte is not looked at", "libsbp/base64.c",
     "(bytes == 1 && (group & 0xffff) != 0)", "(bytes == 1 && (group & 0xfff) != 0)"),
    ("a tie between two shortest numbers goes down", "libsbp/number_write.c",
     "(ties_up || (whole & 1) != 0)", "(ties_up && (whole & 1) != 0)"),
    ("a tie of a number with many digits goes up", "libsbp/number_read.c",
     "(order == 0 && (cut.mantissa & 1) != 0)", "order == 0"),
    ("surrogates are UTF-8", "libsbp/text.c",
     "first == 0xed ? 0x9f :", "first == 0xee ? 0x9f :"),
    ("a value may nest one level less", "libsbp/json_scan.c",
     "const uint32_t deepest = SBP_NESTING_MAX - (reader->state.in_array ? 1 : 0);",
     "const uint32_t deepest = SBP_NESTING_MAX - 1;"),
    ("a message without sender has another", "libsbp/json_read.c",
     "uint16_t sender = 66;", "uint16_t sender = 42;"),
    ("65535 is out of range", "libsbp/json_read.c",
     "(magnitude > 0xffff || (negative && magnitude > 0))", "(magnitude >= 0xffff || (negative && magnitude > 0))"),
    ("the smallest signed integer is out of range", "libsbp/fields.c",
     "((uint64_t)1 << (8 * field->size - 1)) - !negative", "((uint64_t)1 << (8 * field->size - 1)) - 1"),
    ("surplus bytes of a payload are lost behind an edit", "libsbp/fields.c",
     "  return put(fields, old == NULL ? NULL : old + at, old_size - at, above, nothing);",
     "  return above == NULL ? SBP_OK : put(fields, old == NULL ? NULL : old + at, old_size - at, above, nothing);"),
    ("a line of our own form need not have its payload's crc", "libsbp/json_own.c",
     "if (crc != sbpi_load16(payload + length))", "if (crc == 0 && sbpi_load16(payload + length) != 0)"),
    ("integers of a learned shape may begin with 0", "libsbp/templates.c",
     "if (SBPI_UNLIKELY(count == 0 || (count > 1 && *digits == '0'))) {", "if (SBPI_UNLIKELY(count == 0)) {"),
    ("a payload of the least size is printed without fields", "libsbp/json_write.c",
     "frame->length >= message->body.size", "frame->length > message->body.size"),
    ("the longest text of a string is too short", "libsbp/schema.c",
     "return 6u * field->size + 2;", "return 5u * field->size + 2;"),
    ("bit fields may overlap", "libsbp/schema_read.c",
     "if ((taken & mask) != 0)", "if (taken == mask)"),
    ("names at the end of the alphabet are not found", "libsbp/message.c",
     "uint32_t high = schema->count;", "uint32_t high = schema->count - 1;"),
    ("an interrupted write is an error", "tools/io_posix.c",
     "    } else if (errno != EINTR) {\n      break;", "    } else {\n      break;"),
    ("runs of bytes outside frames are cut elsewhere", "tools/sbp2json.c",
     "enum { INVALID_MAX = 4096 };", "enum { INVALID_MAX = 4095 };"),
    ("values beyond the first are compared too rarely", "tools/cli_json.c",
     "SAMPLE_FIRST = 64", "SAMPLE_FIRST = 1"),
    ("a framer takes a byte too many of the longest frame", "libsbp/framer.c",
     "const size_t missing = frame_size - framer->held;",
     "const size_t missing = frame_size - framer->held + 1;"),
]


def run(*command, **options):
    return subprocess.run(command, cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def copy_sources():
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    shutil.rmtree(SOURCE, ignore_errors=True)
    for name in filter(None, names.split("\0")):
        (SOURCE / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, SOURCE / name)


def build():
    """What stops the build, or None."""
    done = run("cmake", "--build", str(BUILD), "--parallel", str(os.cpu_count()))
    return None if done.returncode == 0 else done.stdout


def failing_unit_test():
    done = run("ctest", "--test-dir", str(BUILD), "--stop-on-failure", "--timeout", "300")
    names = [line.split()[2] for line in done.stdout.splitlines() if "- " in line and "(" in line and "%" not in line]
    return None if done.returncode == 0 else "unit test " + (names[0] if names else done.stdout[-300:])


def failing_command_line(scale):
    variables = {**os.environ, "SBPKIT_BUILD": str(BUILD), "SBPKIT_TEST_SCALE": str(scale)}
    options = "-q -x -p no:cacheprovider -n auto --dist loadfile tests".split()
    done = run(PYTHON, "-m", "pytest", *options, env=variables)
    names = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    if done.returncode != 0 and not names:
        sys.exit(done.stdout)  # what stops the tests themselves says nothing of the fault
    return names[0] if names else None


def failing_reference():
    folder = os.environ.get("SBPKIT_REFERENCE")
    if not folder:
        return None
    return None if run(str(pathlib.Path(folder) / "check" / "run"), str(BUILD / "bin")).returncode == 0 else "reference"


def failing_sanitized():
    """With sanitizers: unit tests, corpora, then a minute a fuzz target; a build of its own, so it comes late."""
    for command in (
        ("cmake", "--preset", "fuzz"),
        ("cmake", "--build", "--preset", "fuzz"),
        ("ctest", "--test-dir", "build/fuzz", "--stop-on-failure"),
        ("scripts/fuzz", "all", "0.0167"),
    ):
        done = run(*command, env={**os.environ, "CMAKE_GENERATOR": "Ninja"})
        if done.returncode:
            lines = [line for line in done.stdout.splitlines() if "FAILED" in line or "Failed" in line]
            return "sanitizers: " + (lines[0].strip() if lines else done.stdout[-200:])
    return None


def check(fault, quick):
    """Which test fails, or None."""
    _, name, old, new = fault
    path = SOURCE / name
    text = path.read_text()
    if text.count(old) != 1:
        sys.exit("mutate.py: %s: stands there %d times and not once: %r" % (name, text.count(old), old))
    path.write_text(text.replace(old, new))
    try:
        stopped = build()
        if stopped:
            # A warning, or sbpgen that runs in the build.
            return "the build: " + stopped[-200:].replace("\n", " ")
        found = failing_unit_test() or failing_command_line(1)
        if not found and not quick:
            found = failing_reference() or failing_sanitized() or failing_command_line(10)
        return found
    finally:
        path.write_text(text)


def main():
    copy_sources()
    if run("cmake", "-S", ".", "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_C_COMPILER=gcc").returncode or build():
        sys.exit("mutate.py: the sources do not build without a fault")
    quick = "--quick" in sys.argv
    words = [word for word in sys.argv[1:] if word != "--quick"]
    chosen = [fault for fault in FAULTS if not words or any(word in fault[0] for word in words)]
    missed = 0
    for fault in chosen:
        begin = time.monotonic()
        found = check(fault, quick)
        missed += found is None
        word = "caught" if found else "MISSED"
        print("%-8s %-66s %4d s  %s" % (word, fault[0], time.monotonic() - begin, found or ""))
        sys.stdout.flush()
    print("%d of %d caught" % (len(chosen) - missed, len(chosen)))
    return missed > 1


if __name__ == "__main__":
    sys.exit(main())
