# SPDX-License-Identifier: MIT
"""Cases, a file each in tests/cases, whose name says the behaviour. docs/testing.md says how to add one.

A case begins with what happened, in words. Then come sections, each behind a line of its own:

    --- run TOOL ARGUMENT..
    --- file NAME           what stands in that file, in the folder where the tool runs; any number of them
    --- in, or in hex       standard input
    --- out, or out hex     standard output
    --- err                 standard error
    --- exit                the exit code; 0 where it is left out, as the others are empty
"""

import pathlib
import re
import shlex

import pytest

import tool

CASES = sorted((pathlib.Path(__file__).parent / "cases").iterdir())


def read_case(path):
    """The sections of a case by their names."""
    parts = re.split(r"^--- (.*)\n", path.read_text(), flags=re.MULTILINE)
    assert parts[0].strip(), "%s does not begin with what happened" % path.name
    sections = {}
    for name, text in zip(parts[1::2], parts[2::2]):
        if name.startswith("run "):
            sections["run"] = shlex.split(name)[1:]
        elif name.endswith(" hex"):
            sections[name[:-4]] = bytes.fromhex(text)
        else:
            sections[name] = text.encode()
    return sections


@pytest.mark.parametrize("path", CASES, ids=[path.name for path in CASES])
def test_case(path, tmp_path):
    case = read_case(path)
    name, *arguments = case.pop("run")
    for section in [section for section in case if section.startswith("file ")]:
        (tmp_path / section[5:]).write_bytes(case.pop(section))
    result = tool.run(name, case.pop("in", b""), *arguments, cwd=tmp_path)
    assert result.out == case.pop("out", b""), result
    assert result.err == case.pop("err", b""), result
    assert result.code == int(case.pop("exit", b"0")), result
    assert not case, "sections that are none: %s" % list(case)
