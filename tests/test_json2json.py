# SPDX-License-Identifier: MIT
"""json2json: lines with fields from lines with payloads."""

import gzip
import json
import random

import pytest

import model
import model_json
from tool import HEARTBEAT, HEARTBEAT_LINE, SHORT_LINE, TEST_DATA, clean, run, times

SHORT = SHORT_LINE.strip()
FULL = HEARTBEAT_LINE.strip()
INVALID = b'{"msg_name":"INVALID","payload":"VQA="}'


def members(line):
    """Keys and values of a line as they are spelled."""
    node = model_json.parse(line, 0)
    assert node.end == len(line)
    return [(key.text, value.text) for key, value in node.value]


def test_data_comes_first_and_gets_the_fields():
    assert (
        clean("json2json", b'{"time":"x","data":' + SHORT + b',"more":[1]}\n')
        == b'{"data":' + FULL + b',"time":"x","more":[1]}\n'
    )
    assert clean("json2json", b'{"data":' + SHORT + b"}") == b'{"data":' + FULL + b"}\n"


def test_a_bare_message_gives_the_line_of_sbp2json():
    assert clean("json2json", SHORT_LINE * 3) == HEARTBEAT_LINE * 3
    assert clean("json2json", HEARTBEAT_LINE) == HEARTBEAT_LINE


@pytest.mark.parametrize(
    "line",
    [
        b'{"data":%s}',
        b'{"data":%s,"b":"x y"}',
        b'{"a":"{\\"data\\":1}","data":%s,"b":[1, 2]}',
        b'{"a":{"q":[1,{"data":2}]},"data":%s}',
        b'{ "a":1 ,"data": %s , "b":2}',
        b'{"data":1,"a":2,"data":%s}',
        b'{"\\u0064ata":%s,"a":3}',
        b'{"a":1,"datA":2,"data":%s\t}',
    ],
)
def test_wrappers_of_a_shape_that_came_before_give_the_same(line):
    """A shape is learned from the first lines, and the next ones are taken the short way."""
    data = b"".join(line % short + b"\n" for short in [SHORT, SHORT.replace(b"42", b"7")] * 6)
    assert clean("json2json", data) == model_json.json2json(data).out


def test_float_compat_is_that_of_sbp2json():
    frame = model.pack(522, 1, bytes(range(1, 35)))
    line = model.line(model.Frame(frame))
    assert clean("json2json", line, "--float-compat") == model.line(model.Frame(frame), compat=True)
    wrapped = clean("json2json", b'{"data":' + line.strip() + b',"t":1.50}', "--float-compat")
    assert wrapped == b'{"data":' + model.line(model.Frame(frame), compat=True).strip() + b',"t":1.50}\n'


def test_crc_length_and_preamble_are_optional_and_made_right():
    wrong = b'{"msg_type":65535,"sender":42,"payload":"ADIAAA==","crc":1,"length":2,"preamble":3}'
    result = run("json2json", wrong)
    assert (result.code, result.out) == (0, HEARTBEAT_LINE)


@pytest.mark.parametrize(
    "others",
    [
        b'"b":1,"a":2,"c":3',
        b'"n":1.50e+03,"z":-0.0,"big":123456789012345678901234567890',
        b'"s":"\\u0041\\/\\ud83d\\ude00caf\xc3\xa9"',
        b'"caf\xe9":"\xff"',
        b'"\\u0061":1',
        b'"x":{"b":1,"a":{"data":1}},"y":[1,[2]]',
        b'"a":1,"a":2',
        b'"metadata":{}',
        b'"lone":"\\ud800"',
    ],
)
def test_other_keys_keep_order_spelling_and_values_byte_for_byte(others):
    for text in (b'{"data":' + SHORT + b"," + others + b"}", b"{" + others + b',"data":' + SHORT + b"}"):
        assert clean("json2json", text) == b'{"data":' + FULL + b"," + others + b"}\n"


def test_other_keys_around_data_keep_their_order():
    text = b'{"one":1,"data":' + SHORT + b',"two":2,"three":{"x": [1,  2]}}'
    assert members(clean("json2json", text).strip()) == [
        (b'"data"', FULL),
        (b'"one"', b"1"),
        (b'"two"', b"2"),
        (b'"three"', b'{"x": [1,  2]}'),
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_line_breaks_outside_strings_and_the_space_after_them_go(end):
    text = end.join(
        [b"{", b'  "t": {', b'    "x":  [1,', b"\t2],", b'    "y": "a\\n  b  c"', b"  },", b'  "data":' + SHORT, b"}"]
    )
    out = clean("json2json", text)
    assert out.count(b"\n") == 1 and out.endswith(b"}\n") and b"\r" not in out
    assert members(out.strip()) == [(b'"data"', FULL), (b'"t"', b'{"x":  [1,2],"y": "a\\n  b  c"}')]


def test_an_array_gives_a_line_an_element():
    text = b"[" + SHORT + b',{"t":1,"data":' + SHORT + b"}]"
    assert clean("json2json", text) == HEARTBEAT_LINE + b'{"data":' + FULL + b',"t":1}\n'
    assert clean("json2json", b"[\n " + SHORT + b",\n " + SHORT + b"\n]\n") == HEARTBEAT_LINE * 2


USELESS = [
    b'"x"',
    b"12",
    b"null",
    b"{}",
    b'{"data":5}',
    b'{"data":{"msg_type":1}}',
    INVALID,
    b'{"data":' + INVALID + b"}",
    b'{"msg_type":65536,"sender":1,"payload":""}',
    b'{"time": 1,  "data":null}',
    b'[["a", 1]]',
]


@pytest.mark.parametrize("value", USELESS)
def test_what_is_no_message_is_dropped_and_with_to_invalid_passed_through(value):
    stream = SHORT_LINE + value + b"\n" + SHORT_LINE
    result = run("json2json", stream)
    assert (result.code, result.out) == (1, HEARTBEAT_LINE * 2), result
    result = run("json2json", stream, "--error-handler", "to-invalid")
    passed = value[1:-1] if value.startswith(b"[[") else value
    assert (result.code, result.out) == (1, HEARTBEAT_LINE + passed + b"\n" + HEARTBEAT_LINE), result
    result = run("json2json", stream, "--error-handler", "return")
    assert (result.code, result.out) == (1, HEARTBEAT_LINE), result
    assert result.errors[0].startswith("json2json: line 2 column ")


def test_what_is_not_json_is_left_out_by_every_handler():
    stream = SHORT_LINE + b"garbage\n" + SHORT_LINE
    for handler, count in (("skip", 2), ("to-invalid", 2), ("return", 1)):
        result = run("json2json", stream, "--error-handler", handler)
        assert (result.code, result.out) == (1, HEARTBEAT_LINE * count), result


def test_invalid_lines_of_sbp2json_go_through_and_back():
    data = (TEST_DATA / "damaged.sbp").read_bytes()
    lines = run("sbp2json", data, "--error-handler", "to-invalid").out
    result = run("json2json", lines, "--error-handler", "to-invalid")
    assert (result.code, result.out) == (1, lines)
    assert run("json2sbp", result.out, "--error-handler", "to-invalid").out == data


def test_check_reports_lines_whose_fields_disagree():
    edited = HEARTBEAT_LINE.replace(b"12800", b"7")
    stream = HEARTBEAT_LINE + b'{"data":' + edited.strip() + b"}\n" + HEARTBEAT_LINE
    assert run("json2json", stream).code == 0
    result = run("json2json", stream, "--check")
    assert result.code == 1
    assert result.errors[0].startswith("json2json: line 2 column ") and "flags" in result.errors[0], result


def test_unknown_and_short_messages_keep_their_envelope():
    for frame in (model.pack(31420, 5, b"abc"), model.pack(522, 5, b"abc"), model.pack(65535, 5, bytes(9))):
        line = model.line(model.Frame(frame))
        result = run("json2json", line)
        assert (result.code, result.out) == (0, line)


def test_random_wrappers_give_what_the_model_gives():
    source = random.Random(41)
    values = [
        b"1",
        b'"x"',
        b"null",
        b"[]",
        b'{"a": 1}',
        b'"\\"}{"',
        SHORT,
        INVALID,
        b"{}",
        b'{"msg_type":1,"sender":2,"payload":"AAAA"}',
    ]
    for _ in range(times(100)):
        stream = b""
        for _ in range(source.randint(1, 6)):
            keys = source.sample([b"data", b"time", b"x", b"data2", b"metadata", b"msg_name"], source.randint(0, 4))
            value = b"{" + b",".join(b'"%s":%s' % (key, source.choice(values)) for key in keys) + b"}"
            stream += source.choice([value, value, SHORT, b"[" + value + b"," + SHORT + b"]", b"x"]) + source.choice(
                [b"\n", b"\n", b" "]
            )
        for handler in ("skip", "to-invalid", "return"):
            want = model_json.json2json(stream, handler=handler)
            result = run("json2json", stream, "--error-handler", handler)
            assert (result.code, result.out) == (want.exit, want.out), (stream, result)


def test_reference_wrappers_are_expanded(reference):
    source = (reference / "json" / "roundtrip.json2json.input").read_bytes()
    want = model_json.json2json(source, compat=True)
    assert clean("json2json", source, "--float-compat") == want.out
    for name in ("serial-link.log.json", "error_eof.json", "error_untagged.json"):
        data = (reference / "json" / name).read_bytes()
        want = model_json.json2json(data)
        result = run("json2json", data)
        assert (result.code, result.out) == (want.exit, want.out), name
    old = gzip.decompress((reference / "json" / "console-2015.json.gz").read_bytes())
    result = run("json2json", old)
    assert result.code == 0
    rows = [json.loads(line) for line in old.splitlines()]
    for line, row in zip(result.out.splitlines(), rows):
        made = json.loads(line)
        assert list(made) == ["data"] + [key for key in row if key != "data"]
        assert {key: made[key] for key in row if key != "data"} == {key: row[key] for key in row if key != "data"}
        assert made["data"]["payload"] == row["data"]["payload"]
    assert len(result.out.splitlines()) == len(rows)


def test_frames_come_back_from_what_json2json_made():
    data = (TEST_DATA / "every_message.sbp").read_bytes()
    payloads = b"".join(
        b'{"data":{"msg_type":%d,"sender":%d,"payload":%s}}\n'
        % (f.type, f.sender, json.dumps(json.loads(model.line(f))["payload"]).encode())
        for f in model.find_frames(data).frames
    )
    out = clean("json2json", payloads)
    assert clean("json2sbp", out) == data
    assert clean("json2sbp", out, "--from-fields") == data
    assert out.count(b"\n") == len(model.find_frames(data).frames)
    assert HEARTBEAT not in out


def test_a_carriage_return_that_breaks_no_line_stays():
    assert run("json2json", b'{"a":\r1}\n', "--error-handler", "to-invalid").out == b'{"a":\r1}\n'
    assert run("json2json", b'{"a":\r\r\n \r\n1}\n', "--error-handler", "to-invalid").out == b'{"a":\r1}\n'
