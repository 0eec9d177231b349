# SPDX-License-Identifier: MIT
"""The tools as they were built have what compiler and linker guard a program with."""

import re
import shutil
import subprocess

import pytest

import tool

TOOLS = ["sbp2json", "json2sbp", "json2json", "sbp2csv", "sbpcat", "sbpinfo"]


def readelf(*args):
    return subprocess.run(["readelf", "-W", *args], capture_output=True, text=True, check=True).stdout


def is_elf(path):
    return path.exists() and path.read_bytes()[:4] == b"\x7fELF"


pytestmark = pytest.mark.skipif(
    not shutil.which("readelf") or not is_elf(tool.BIN / "sbp2json"), reason="needs readelf and tools in ELF"
)
every_tool = pytest.mark.parametrize("name", TOOLS)


@every_tool
def test_a_tool_may_be_loaded_anywhere(name):
    assert re.search(r"Type:\s+DYN", readelf("-h", tool.BIN / name))
    assert "TEXTREL" not in readelf("-d", tool.BIN / name)


@every_tool
def test_the_tables_of_the_linker_are_read_only(name):
    assert "GNU_RELRO" in readelf("-l", tool.BIN / name)
    # A static program has nothing that is bound later.
    static = "INTERP" not in readelf("-l", tool.BIN / name)
    assert static or re.search(r"FLAGS.*\bNOW\b", readelf("-d", tool.BIN / name))


@every_tool
def test_nothing_can_be_both_written_and_run(name):
    segments = readelf("-l", tool.BIN / name)
    assert re.search(r"GNU_STACK .* RW ", segments)
    assert "RWE" not in segments


@every_tool
def test_the_stack_and_copies_are_checked(name):
    symbols = readelf("-s", tool.BIN / name)
    assert "__stack_chk_fail" in symbols
    assert not tool.PLAIN or re.search(r"__\w+_chk\b", symbols)


@every_tool
def test_calls_and_returns_are_marked_where_the_machine_checks_them(name):
    machine = re.search(r"Machine:\s+(.*)", readelf("-h", tool.BIN / name)).group(1)
    marks = {"Advanced Micro Devices X86-64": bytes.fromhex("f30f1efa"), "AArch64": bytes.fromhex("3f2303d5")}
    if machine not in marks:
        pytest.skip("not on " + machine)
    assert (tool.BIN / name).read_bytes().count(marks[machine]) > 50  # endbr64, paciasp
