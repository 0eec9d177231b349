# SPDX-License-Identifier: MIT
"""The model before it judges anybody: against published definitions, the standard library and the reference data."""

import gzip
import hashlib
import json
import random
import struct
from fractions import Fraction

import pytest

import model
import model_json
from tool import HEARTBEAT, HEARTBEAT_LINE, times


def test_crc_is_xmodem():
    def by_definition(data):
        crc = 0
        for byte in data:
            crc ^= byte << 8
            for _ in range(8):
                crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
        return crc

    assert model.crc16(b"123456789") == 0x31C3
    for size in range(300):
        data = random.Random(size).getrandbits(8 * size + 8).to_bytes(size + 1, "little")
        assert model.crc16(data) == by_definition(data)


def test_a_frame_is_packed_and_found_again():
    assert model.pack(65535, 42, bytes.fromhex("00320000")) == HEARTBEAT
    found = model.find_frames(HEARTBEAT)
    assert (len(found.frames), found.runs) == (1, [])
    assert model.line(found.frames[0]) == HEARTBEAT_LINE


def test_a_frame_inside_a_broken_one_is_found():
    broken = b"\x55" + bytes([1, 2, 3, 4, 200]) + HEARTBEAT + bytes(300)
    found = model.find_frames(broken)
    assert [frame.offset for frame in found.frames] == [6]
    assert found.runs == [(0, 6), (18, 300)]
    assert (found.crc_failures, found.truncated) == (1, 0)


def test_a_preamble_and_seven_zeros_are_no_frame():
    found = model.find_frames(b"\x55" + bytes(7))
    assert (found.frames, found.runs, found.crc_failures) == ([], [(0, 8)], 0)


@pytest.mark.parametrize(
    "value, width, plain, compat",
    [
        (1.0, 64, "1.0", "1"),
        (-0.0, 64, "-0.0", "-0"),
        (0.00001, 64, "0.00001", "1e-5"),
        (9.99999e-6, 64, "9.99999e-6", "9.99999e-6"),
        (1e15, 64, "1000000000000000.0", "1e15"),
        (1e16, 64, "1e16", "1e16"),
        (9999999999999998.0, 64, "9999999999999998.0", "9.999999999999998e15"),
        (5e-324, 64, "5e-324", "5e-324"),
        (1.7976931348623157e308, 64, "1.7976931348623157e308", "1.7976931348623157e308"),
        (1e-6, 32, "0.000001", "1e-6"),
        (1e-7, 32, "1e-7", "1e-7"),
        (1e12, 32, "1000000000000.0", "1e12"),
        (1e13, 32, "1e13", "1e13"),
        (16777216.0, 32, "16777216.0", "1.6777216e7"),
        (1e-45, 32, "1e-45", "1e-45"),
        (3.4028234663852886e38, 32, "3.4028235e38", "3.4028235e38"),
        (2798462.25, 32, "2798462.2", "2798462.3"),
        (200025.125, 32, "200025.12", "200025.13"),
        (0.5, 32, "0.5", "0.5"),
        (123456.79, 32, "123456.79", "123456.79"),
        (0.01, 32, "0.01", "1e-2"),
        (9.99999e-2, 32, "0.0999999", "9.99999e-2"),
        (1e7, 32, "10000000.0", "1e7"),
        (12345678.0, 32, "12345678.0", "1.2345678e7"),
        (0.1, 32, "0.1", "0.1"),
        (9999999.0, 64, "9999999.0", "9999999"),
        (float("nan"), 32, "null", "null"),
        (float("-inf"), 64, "null", "null"),
    ],
)
def test_floats_print_as_published(value, width, plain, compat):
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    if width == 32:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
    assert model.float_text(bits, width, False) == plain
    assert model.float_text(bits, width, True) == compat


@pytest.mark.parametrize(
    "bits, text", [(0x0F800000, "1.2621775e-29"), (0x6B000000, "1.5474251e26"), (0x6C800000, "1.2379401e27")]
)
def test_singles_at_powers_of_two_take_the_short_digits(bits, text):
    assert model.float_text(bits, 32, False) == text


def significant(text):
    mantissa, _, exponent = text.lower().lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    value = Fraction(mantissa) * Fraction(10) ** int(exponent or 0)
    return (whole + fraction).strip("0"), value


def test_doubles_have_the_digits_of_python():
    source = random.Random(5)
    for _ in range(times(5000)):
        bits = source.getrandbits(64)
        value = struct.unpack("<d", struct.pack("<Q", bits))[0]
        if value - value == 0:
            assert significant(model.float_text(bits, 64, False)) == significant(repr(value))


def test_singles_read_back_and_nothing_shorter_does():
    source = random.Random(6)
    for _ in range(times(1500)):
        bits = source.getrandbits(31)
        text = model.float_text(bits, 32, False)
        if text == "null":
            continue
        assert model_json.float_bits(model_json.number_value(text.encode()), False, 32) == bits
        digits = len(significant(text)[0])
        value = struct.unpack("<f", struct.pack("<I", bits))[0]
        for count in range(1, digits):
            shorter = "%.*e" % (count - 1, value)
            assert model_json.float_bits(model_json.number_value(shorter.encode()), False, 32) != bits


def test_decimals_round_as_python_rounds_them():
    source = random.Random(7)
    for _ in range(times(3000)):
        text = "%d.%de%d" % (source.getrandbits(20), source.getrandbits(60), source.randint(-340, 300))
        value = model_json.number_value(text.encode())
        want = struct.unpack("<Q", struct.pack("<d", float(text)))[0]
        assert model_json.float_bits(value, False, 64) == (None if float(text) == float("inf") else want)


def test_text_has_one_replacement_for_each_maximal_valid_prefix():
    for given, count in {
        b"\xe2\x82": 1,
        b"\xf0\x9f\x98": 1,
        b"\xed\xa0\x80": 3,
        b"\xc0\x80": 2,
        b"\xf5\x80\x80\x80": 4,
    }.items():
        assert model.as_text(given) == "\ufffd" * count
    assert model.as_text(b"\xe2\x28\xa1") == "\ufffd(\ufffd"


def test_json_is_accepted_as_the_standard_library_does():
    source = random.Random(8)
    pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"a"',
        '"\\u00e9"',
        "1",
        "-0",
        "1.5e3",
        "01",
        "true",
        "nul",
        " ",
        "\n",
        '"',
        "\\",
        "1.",
        ".5",
    ]

    def refuse(text):
        raise ValueError(text)

    for _ in range(times(20000)):
        text = "".join(source.choices(pieces, k=source.randint(1, 9))).strip(" \n")
        try:
            json.loads(text, parse_constant=refuse)
            good = True
        except ValueError:
            good = False
        data = text.encode()
        try:
            mine = data != b"" and model_json.parse(data, 0).end == len(data)
        except model_json.Fault:
            mine = False
        assert mine == good, text


# ---- Against the reference data


def reference_rows(reference):
    return [json.loads(text) for text in (reference / "vectors.jsonl").read_text().splitlines()]


def test_schema_has_the_messages_of_the_reference(reference):
    known, count = model.schema(), 0
    for text in (reference / "messages.txt").read_text().splitlines():
        if text.startswith("#"):
            continue
        kind, *words = text.split()
        count += kind == "M"
        body = known.messages[int(words.pop(0))] if kind == "M" else known.structs[words[0]]
        assert [body.name, body.size] == [words[0], int(words[1])]
        assert [field.name for field in body.fields] == [word.split(":")[0] for word in words[2:]]
    assert count == len(known.messages)


def test_model_gives_the_reference_lines_and_frames(reference):
    rows = reference_rows(reference)
    for row in rows:
        frame = model.Frame(bytes.fromhex(row["frame"]))
        assert model.line(frame) == row["json"].encode() + b"\n"
        assert model.line(frame, compat=True) == row["float_compat"].encode() + b"\n"
    frames = b"".join(bytes.fromhex(row["frame"]) for row in rows)
    for key in ("json", "float_compat"):
        text = "".join(row[key] + "\n" for row in rows).encode()
        for from_fields in (False, True):
            result = model_json.json2sbp(text, from_fields)
            assert (result.out == frames, result.faults) == (True, [])


def test_model_gives_what_the_reference_logs_must_give(reference):
    for name, want in json.loads((reference / "logs.json").read_text()).items():
        data = (reference / "logs" / name).read_bytes()
        if len(data) > 100000 and times(1) < 20:
            continue
        for key, compat in (("json", False), ("float_compat", True)):
            out = model.sbp2json(data, compat)
            assert hashlib.sha256(out).hexdigest() == want[key]["sha256"], name
            assert (1 if model.find_frames(data).runs else 0) == want["exit"]
        back = model_json.json2sbp(model.sbp2json(data), from_fields=len(data) < 50000)
        assert hashlib.sha256(back.out).hexdigest() == want["frames_sha256"], name
        raw = model_json.json2sbp(model.sbp2json(data, handler="to-invalid"), handler="to-invalid")
        assert raw.out == data


def test_model_gives_what_the_reference_cases_must_give(reference):
    for case in json.loads((reference / "cases.json").read_text()):
        data = (reference / "cases" / case["file"]).read_bytes()
        if case["tool"] == "json2sbp":
            result = model_json.json2sbp(data, "--from-fields" in case.get("args", []))
            assert (result.out.hex(), result.exit) == (case["hex"], case["exit"]), case["file"]
        elif case["tool"] == "sbp2json":
            out = model.sbp2json(data)
            assert out.count(b"\n") == case["lines"], case["file"]
            assert case.get("contains", "").encode() in out
            assert (1 if model.find_frames(data).runs else 0) == case["exit"]


def test_model_expands_the_reference_wrappers(reference):
    source = (reference / "json" / "roundtrip.json2json.input").read_bytes()
    want = (reference / "json" / "roundtrip.json2json.output").read_bytes().splitlines()
    result = model_json.json2json(source, compat=True)
    assert result.exit == 0
    lines = result.out.splitlines()
    assert len(lines) == len(want)
    assert all(line.startswith(b'{"data":' + message + b",") for line, message in zip(lines, want))
    old = gzip.decompress((reference / "json" / "console-2015.json.gz").read_bytes())
    assert model_json.json2sbp(old).exit == 0
