# SPDX-License-Identifier: MIT
"""Work grows with the size of the input and no faster, whatever is in it.

Instructions are counted, by valgrind, and no times taken: for an input and for two and four times as much of the same.
"""

import re
import shutil
import subprocess

import pytest

import model
import tool
from tool import HEARTBEAT, SHORT_LINE, command

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        not tool.PLAIN or not shutil.which("valgrind"), reason="needs tools of this machine and valgrind"
    ),
]
SIZE = 30000  # bytes, of the smallest input
# No input may cost more instructions a byte. The most that any costs here is a third of it; bytes that are read again
# and again would be far above.
MOST = 1500


def message(before=b"", behind=b""):
    return b"{" + before + b'"msg_type":65535,"sender":42,"payload":"ADIAAA=="' + behind + b"}\n"


def fields(text):
    """A message whose payload is made of fields."""
    return b'{"msg_type":65535,"sender":42,"payload":"ADIAAA==",' + text + b"}\n"


def position(latitude):
    """The same with a float among them."""
    payload = b'"payload":"' + b"A" * 45 + b'A=="'
    return b'{"msg_type":522,"sender":42,' + payload + b',"lat":' + latitude + b"}\n"


def typed(number):
    return b'{"msg_type":%s,"sender":1,"payload":""}\n' % number


def paid(payload):
    return b'{"msg_type":1,"sender":1,"payload":"%s"}\n' % payload


DEEP = b"[" * 99 + b"]" * 99 + b","
# name: tool, arguments, and what makes about so many bytes of input
INPUTS = {
    "0x55": ("sbp2json", [], lambda n: b"\x55" * n),
    "0x55, kept": ("sbp2json", ["--error-handler", "to-invalid"], lambda n: b"\x55" * n),
    "0x55 and the longest length": ("sbp2json", [], lambda n: b"\x55\xff\xff\xff\xff\xff" * (n // 6)),
    "frames in frames": ("sbp2json", [], lambda n: (b"\x55\1\2\3\4\xff" + HEARTBEAT) * (n // 18)),
    "zeros": ("sbp2json", [], lambda n: bytes(n)),
    "damage and frames in turn": ("sbp2json", [], lambda n: (b"x" + HEARTBEAT) * (n // 13)),
    "types that are not known": ("sbp2json", [], lambda n: b"".join(model.pack(i, 1, b"") for i in range(n // 8))),
    "0x55, copied": ("sbpcat", ["--repair"], lambda n: b"\x55" * n),
    "0x55, told of": ("sbpinfo", ["--json"], lambda n: b"\x55" * n),
    "frames, told of": ("sbpinfo", [], lambda n: HEARTBEAT * (n // 12)),
    "arrays in arrays": ("json2sbp", [], lambda n: b"[" * n),
    "objects in objects": ("json2sbp", [], lambda n: b'{"a":' * (n // 5)),
    "objects in objects, a line each": ("json2sbp", [], lambda n: b'{"a":\n' * (n // 6)),
    "arrays that begin again": ("json2sbp", [], lambda n: b"[[1,\n" * (n // 5)),
    "objects that break off": ("json2sbp", [], lambda n: b'{"a":1,\n' * (n // 8)),
    "elements that break off": ("json2sbp", [], lambda n: b"[" + SHORT_LINE + b',{"a"\n' * (n // 6)),
    "strings that break off": ("json2sbp", [], lambda n: b'{"a":"b\n' * (n // 8)),
    "a string without an end": ("json2sbp", [], lambda n: b'{"a":"' + b"{\\n" * (n // 3)),
    "nesting as deep as it may be": ("json2sbp", [], lambda n: message(b'"x":[' + DEEP * (n // 199) + b"1],")),
    "a long key": ("json2sbp", [], lambda n: message(b'"%s":1,' % (b"k" * n))),
    "a long key, of escapes": ("json2sbp", [], lambda n: message(b'"%s":1,' % (b"\\u006b" * (n // 6)))),
    "a key again and again": ("json2sbp", [], lambda n: message(b'"sender":1,' * (n // 11))),
    "a payload again and again": ("json2sbp", [], lambda n: message(b'"payload":"AAAA",' * (n // 17))),
    "many keys": ("json2sbp", [], lambda n: message(b"".join(b'"k%d":1,' % i for i in range(n // 9)))),
    "a number that is not used": ("json2sbp", [], lambda n: message(b'"x":1%s,' % (b"1" * n))),
    "a number that is no type": ("json2sbp", [], lambda n: typed(b"1" * n)),
    "a number with a long tail": ("json2sbp", [], lambda n: typed(b"1." + b"0" * n)),
    "a payload that is too long": ("json2sbp", [], lambda n: paid(b"A" * n)),
    "a payload of escapes": ("json2sbp", [], lambda n: paid(b"\\u0041" * (n // 6))),
    "raw bytes": (
        "json2sbp",
        ["--error-handler", "to-invalid"],
        lambda n: b'{"msg_name":"INVALID","payload":"%s"}' % (b"AAAA" * (n // 4)),
    ),
    "white space": ("json2sbp", [], lambda n: b" " * n),
    "small values": ("json2sbp", [], lambda n: b"1 " * (n // 2)),
    "fields that there are not": (
        "json2sbp",
        ["--from-fields"],
        lambda n: fields(b",".join(b'"flagz%d":1' % i for i in range(n // 12))),
    ),
    "a long name of a field": ("json2sbp", ["--from-fields"], lambda n: fields(b'"%s":1' % (b"flags" * (n // 5)))),
    "a field again and again": (
        "json2sbp",
        ["--from-fields"],
        lambda n: fields(b'"flags":7,' * (n // 10) + b'"flags":8'),
    ),
    "digits of a float": ("json2sbp", ["--from-fields"], lambda n: position(b"1.%s" % (b"1" * n))),
    "digits in the middle between floats": (
        "json2sbp",
        ["--from-fields"],
        lambda n: position(b"9007199254740993.%s1" % (b"0" * n)),
    ),
    "zeros before a float": ("json2sbp", ["--from-fields"], lambda n: position(b"0.%s1" % (b"0" * n))),
    "an exponent without an end": ("json2sbp", ["--from-fields"], lambda n: position(b"1e-%s" % (b"9" * n))),
    "an integer of zeros": ("json2sbp", ["--from-fields"], lambda n: fields(b'"flags":0.%se%d' % (b"0" * n, n))),
    "lines of all shapes": ("json2sbp", [], lambda n: b"".join(message(b'"a%d":1,' % i) for i in range(n // 60))),
    "line breaks in a value": ("json2json", [], lambda n: b'{"data":%s,"x":[%s1]}' % (SHORT_LINE, b"1,\n" * (n // 3))),
    "data again and again": ("json2json", [], lambda n: b"{" + b'"data":2,' * (n // 9) + b'"data":%s}' % SHORT_LINE),
    "values passed on": ("json2json", ["--error-handler", "to-invalid"], lambda n: b'{"a":1}\n' * (n // 8)),
}


def instructions(name, size, folder):
    program, args, make = INPUTS[name]
    data = make(size)
    (folder / "in").write_bytes(data)
    counter = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*counter, *command(program, *args, folder / "in", "-o", "/dev/null")], capture_output=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return len(data), int(re.search(rb"Collected : (\d+)", done.stderr).group(1))


@pytest.mark.parametrize("name", INPUTS)
def test_work_grows_with_the_input_and_no_faster(name, tmp_path):
    runs = [instructions(name, SIZE * factor, tmp_path) for factor in (1, 2, 4)]
    (_, one), (double, two), (quadruple, four) = runs
    print("%-40s %6.1f instructions a byte" % (name, (four - two) / (quadruple - double)))
    # Twice the difference, were it not for buffers that grow in steps.
    assert four - two < 2.5 * (two - one) + 200000, (one, two, four)
    assert (four - two) / (quadruple - double) < MOST
