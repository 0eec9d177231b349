# SPDX-License-Identifier: MIT
"""Lines of a shape that came before are read by a faster way: with the same frames, faults and places as without it."""

import os

import pytest

import model
from tool import HEARTBEAT, SHORT_LINE, run, run_reporting

LOG = b'{"msg_type":1025,"sender":1,"payload":"Bmhp"}'
TILE = (
    b'{"msg_type":1526,"sender":1,"tile_set_id":1,"tile_id":1,"corner_nw_lat":1,"corner_nw_lon":1,'
    b'"spacing_lat":1,"spacing_lon":1,"rows":1,"cols":1,"bitmask":%s}\n'
)
PLENTY = b" \n" * 16  # behind the last line, so that this one can be read the faster way too


def same_both_ways(data, *args):
    learned = run("json2sbp", data, "--debug", *args)
    general = run("json2sbp", data, "--debug", *args, env=dict(os.environ, SBPKIT_TEMPLATES="off"))
    assert (learned.code, learned.out, learned.err) == (general.code, general.out, general.err)
    return learned


@pytest.mark.parametrize(
    "number, right",
    [
        (b"18446744073709551615", 18446744073709551615),
        (b"10000000000000000000", 10000000000000000000),
        (b"9999999999999999999", 9999999999999999999),
        (b"1844674407370955.0", 1844674407370955),
        (b"1e3", 1000),
        (b"12345678901234567e-2", None),
        (b"1234567890123456.7", None),
        (b"18446744073709551616", None),
        (b"123456789012345678901", None),
        (b"-1", None),
        (b"01", None),
    ],
)
def test_a_long_or_odd_integer_keeps_its_value(number, right):
    data = TILE % b"1" * 3 + TILE % number * 3 + PLENTY
    result = same_both_ways(data, "--from-fields")
    frames = [result.out[at : at + 32] for at in range(0, len(result.out), 32)]
    bitmasks = [int.from_bytes(frame[22:30], "little") for frame in frames]
    assert bitmasks == [1] * 3 + ([right] * 3 if right is not None else [])
    assert result.code == (0 if right is not None else 1)


@pytest.mark.parametrize("acc", [b"[1.5,2.5]", b"[1.5,2.5,3.5,4.5]", b"1.5", b'{"x":1}', b"[]"])
def test_check_finds_each_array_of_the_wrong_length(acc):
    payload = b"A" * 122 + b"8="  # 92 bytes
    line = b'{"msg_type":139,"sender":1,"payload":"%s","acc":%s}\n' % (payload, acc)
    result = same_both_ways(line * 4 + PLENTY, "--check")
    assert result.code == 1
    assert sum("column" in line for line in result.errors) >= 4


def test_the_name_invalid_beside_a_message_counts_on_each_line():
    data = b"".join(b'{"msg_name":"%s","data":%s}\n' % (name, LOG) for name in (b"x", b"x", b"INVALID", b"x", b"x"))
    result = same_both_ways(data + PLENTY)
    assert (result.code, len(result.out)) == (1, 4 * 11)


def test_values_that_never_end_cost_the_same_among_good_ones():
    data = b"[\n" + b'{"x":[\n' * 3 + LOG + b",\n" + (b'{"x":[\n' + LOG + b",\n") * 40
    same_both_ways(data)
    long = b"[\n" + (b'{"x":[\n{"a":1},\n') * 100000
    assert run("json2sbp", long + SHORT_LINE).code == 1


def test_a_nul_before_text_is_no_utf_16():
    result = same_both_ways(b"\0" + SHORT_LINE * 3)
    assert (result.code, result.out) == (1, HEARTBEAT * 2)


def test_notes_of_a_shape_that_came_before_are_those_of_the_general_way():
    # Flags first: not our own form. The right crc of the heartbeat is in its frame.
    line = b'{"flags":12800,"crc":%d,"length":%d,"msg_type":65535,"payload":"%s","sender":42}\n'
    crc = int.from_bytes(HEARTBEAT[-2:], "little")
    good = line % (crc, 4, b"ADIAAA==")
    short = model.pack(65535, 42, b"\0")
    data = good * 3 + line % (crc ^ 1, 4, b"ADIAAA==") + line % (crc, 5, b"ADIAAA==") * 2
    data += line % (int.from_bytes(short[-2:], "little"), 1, b"AA==") * 3 + good + PLENTY
    assert same_both_ways(data).out == HEARTBEAT * 6 + short * 3 + HEARTBEAT
    _, report = run_reporting("json2sbp", data)
    assert (report["wrong_crc"], report["wrong_length"], report["too_short"]) == (1, 2, 3)
