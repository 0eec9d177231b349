# SPDX-License-Identifier: MIT
"""What must hold for any input, tried by hypothesis. On by far more examples where SBPKIT_TEST_SCALE says so."""

import base64
import json
import os
import struct

from hypothesis import example, given
from hypothesis import strategies as st

import model
import model_json
import tool
from test_pipes import fed, same
from tool import HEARTBEAT, clean, run, run_reporting

KNOWN = model.schema().messages
FLOAT_CORNERS = [
    0,
    0x80000000,
    0x7FC00000,
    0xFFC00001,
    0x7F800000,
    0xFF800000,
    1,
    0x007FFFFF,
    0x0F800000,
    0x4AAACCC9,
    0x3DCCCCCD,
    0x3F800000,
]


@st.composite
def payloads(draw, message):
    """Bytes for a message: of about its size, with telling floats and text among them."""
    length = draw(st.integers(0, 255) | st.integers(max(0, message.size - 2), min(255, message.size + 40)))
    data = bytearray(draw(st.binary(min_size=length, max_size=length)))
    for _ in range(draw(st.integers(0, 4))):
        piece = draw(
            st.sampled_from([bits.to_bytes(4, "little") for bits in FLOAT_CORNERS])
            | st.floats(width=32).map(lambda value: struct.pack("<f", value))
            | st.floats().map(lambda value: struct.pack("<d", value))
            | st.sampled_from([b"\0", b"\0\0", b"\xe2\x82\xac", b"\xef\xbf\xbd", b'"\\', b"\x1b[0m", b"\xed\xa0\x80"])
        )
        at = draw(st.integers(0, max(0, length - 1)))
        data[at : at + len(piece)] = piece
    return bytes(data[:length])


@st.composite
def frames(draw):
    message = draw(st.sampled_from(sorted(KNOWN)).map(KNOWN.get) | st.none())
    sender = draw(st.integers(0, 65535))
    if message is None:
        return model.pack(draw(st.integers(1, 65535)), sender, draw(st.binary(max_size=255)))
    return model.pack(message.id, sender, draw(payloads(message)))


frame_lists = st.lists(frames(), max_size=8).map(b"".join)
preambles = st.binary(min_size=1, max_size=7).map(lambda data: b"\x55" + data)
junk = (
    st.binary(max_size=80)
    | st.integers(0, 600).map(bytes)
    | preambles
    | st.integers(1, 40).map(lambda count: b"\x55" * count)
)
logs = st.lists(
    junk | frames() | st.tuples(frames(), st.integers(0, 262)).map(lambda cut: cut[0][: cut[1]]), max_size=8
).map(b"".join)


@given(st.binary(max_size=3000) | logs)
@example(HEARTBEAT[:-1] + HEARTBEAT)
@example(b"\x55" + bytes(7))
@example(b"x" * 4097)
def test_any_bytes_come_back_through_invalid_lines(data):
    lines = run("sbp2json", data, "--error-handler", "to-invalid")
    assert lines.code == (1 if model.find_frames(data).runs else 0)
    for args in ([], ["--from-fields"]):
        back = run("json2sbp", lines.out, "--error-handler", "to-invalid", *args)
        assert (back.code, back.out) == (0, data)


@given(logs)
def test_any_log_gives_the_lines_of_the_model(data):
    for handler in ("skip", "return", "to-invalid"):
        for compat in (False, True):
            result = run("sbp2json", data, "--error-handler", handler, *(["--float-compat"] if compat else []))
            assert result.out == model.sbp2json(data, compat, handler)


@given(st.data())
def test_any_split_of_a_log_gives_the_same(data):
    log = data.draw(logs)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(log)), max_size=30)))
    pieces = [log[a:b] for a, b in zip([0, *cuts], [*cuts, len(log)])]
    assert same(fed("sbp2json", pieces, "-d"), run("sbp2json", log, "-d"))


@given(frame_lists)
def test_any_frames_survive_the_round_trip(data):
    for form in ([], ["--float-compat"], ["--u64-strings"], ["--pretty"], ["--expand"]):
        lines = run("sbp2json", data, *form).out
        for back in ([], ["--from-fields"]):
            result = run("json2sbp", lines, *back)
            assert (result.code, result.out) == (0, data)


@given(frame_lists)
def test_any_frames_survive_json_dumps_with_sorted_keys(data):
    for form in ([], ["--float-compat"]):
        rows = [json.loads(text) for text in run("sbp2json", data, *form).out.decode().split("\n")[:-1]]
        for ascii_only in (True, False):
            lines = "".join(json.dumps(row, sort_keys=True, ensure_ascii=ascii_only) + "\n" for row in rows)
            # Python reads the -0 of compat lines as the integer 0: so only plain lines keep all fields.
            for back in ([], ["--from-fields"]) if not form else ([],):
                result = run("json2sbp", lines.encode(), *back)
                assert (result.code, result.out) == (0, data)


@given(frame_lists)
def test_json2json_makes_the_lines_again_from_payloads(data):
    lines = run("sbp2json", data).out
    rows = [json.loads(text) for text in lines.decode().split("\n")[:-1]]
    bare = "".join(json.dumps({key: row[key] for key in ("sender", "payload", "msg_type")}) + "\n" for row in rows)
    result = run("json2json", bare.encode())
    assert (result.code, result.out) == (0, lines)


# ---- JSON

scalars = st.sampled_from(
    [
        "0",
        "-0",
        "1",
        "255",
        "256",
        "65535",
        "65536",
        "1.0",
        "1e2",
        "1.5",
        "-1",
        "1e400",
        "18446744073709551615",
        "18446744073709551616",
        "9007199254740993",
        "null",
        "true",
        '""',
        '"NaN"',
        '"Infinity"',
        '"5"',
        '"-5"',
        '"AAAA"',
        '"ADIAAA=="',
        '"A"',
        '"\\u0041AAA"',
        '"caf\\u00e9"',
        '"\\ud83d\\ude00"',
        '"\\ud800"',
        '"MSG_LOG"',
        '"MSG_HEARTBEAT"',
        '"UNKNOWN"',
        '"INVALID"',
        "1025",
        "65535",
        "522",
        "74",
        "42",
        "0.1",
        "1e-45",
        "16777217",
        "3.4028236e38",
        "[]",
        "{}",
        "[1,2]",
        "[255,256]",
    ]
)
keys = st.sampled_from(
    [
        "msg_type",
        "sender",
        "payload",
        "msg_name",
        "data",
        "crc",
        "length",
        "flags",
        "level",
        "text",
        "tow",
        "lat",
        "obs",
        "header",
        "x",
        "\\u0066lags",
        "m\\u0073g_type",
    ]
)
spaces = st.sampled_from(["", "", "", " ", "\n", "\r\n", "\t", "\n\n"])


@st.composite
def objects(draw, depth=0):
    text = "{" + draw(spaces)
    for number in range(draw(st.integers(0, 6))):
        value = draw(scalars if depth > 1 else st.one_of(scalars, scalars, scalars, objects(depth + 1)))
        text += (draw(spaces) + "," if number else "") + '"%s":%s%s' % (draw(keys), draw(spaces), value)
    return text + draw(spaces) + "}"


@st.composite
def edited_lines(draw):
    """A line of sbp2json in which values are replaced, members dropped or moved, and payloads shortened."""
    frame = model.Frame(draw(frames()))
    members = list(json.loads(model.line(frame, draw(st.booleans()))).items())
    members = [(key, json.dumps(value, ensure_ascii=draw(st.booleans()))) for key, value in members]
    for _ in range(draw(st.integers(0, 3))):
        if not members:
            break
        at = draw(st.integers(0, len(members) - 1))
        action = draw(st.sampled_from(["drop", "replace", "move", "cut"]))
        if action == "drop":
            members.pop(at)
        elif action == "replace":
            members[at] = (members[at][0], draw(scalars))
        elif action == "move":
            members.append(members.pop(at))
        else:
            short = base64.b64encode(frame.payload[: draw(st.integers(0, 255))]).decode()
            members = [(key, '"%s"' % short if key == "payload" else value) for key, value in members]
    return "{" + ", ".join('"%s": %s' % member for member in members) + "}"


@st.composite
def streams(draw):
    text = ""
    for _ in range(draw(st.integers(1, 5))):
        value = draw(
            objects()
            | edited_lines()
            | st.lists(edited_lines(), max_size=3).map(lambda items: "[" + ",\n".join(items) + "]")
        )
        if draw(st.integers(0, 5)) == 0:
            at = draw(st.integers(0, len(value)))
            value = (
                value[:at]
                + draw(st.sampled_from(["", "x", '"', "\n", "\\", "}", ",", "\u00e9", "\0"]))
                + value[at + draw(st.integers(0, 2)) :]
            )
        text += value + draw(st.sampled_from(["\n", "\n", "\n", "\r\n", " ", "", "\n\n"]))
    return text.encode()


@given(streams())
def test_any_json_gives_the_frames_of_the_model(data):
    for from_fields in (False, True):
        for handler in ("skip", "to-invalid", "return"):
            want = model_json.json2sbp(data, from_fields, handler)
            options = ["--error-handler", handler] + (["--from-fields"] if from_fields else [])
            result, report = run_reporting("json2sbp", data, *options)
            assert (result.code, result.out) == (want.exit, want.out), (want.faults, result)
            assert report is None or report["values_left_out"] == len(want.faults), (want.faults, result)


@given(streams())
def test_any_json_gives_the_lines_of_the_model(data):
    for handler in ("skip", "to-invalid", "return"):
        want = model_json.json2json(data, handler=handler)
        result = run("json2json", data, "-d", "--error-handler", handler)
        assert (result.code, result.out) == (want.exit, want.out), (want.faults, result)


@given(st.data())
def test_any_split_of_json_gives_the_same(data):
    stream = data.draw(streams())
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=30)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)])]
    for name, args in (("json2sbp", ["-d", "--from-fields"]), ("json2json", ["-d", "--error-handler=to-invalid"])):
        assert same(fed(name, pieces, *args), run(name, stream, *args))


@given(st.lists(edited_lines(), min_size=2, max_size=6))
def test_what_came_before_does_not_change_a_line(lines):
    """Lines like those before are read by a faster way: with the same result."""
    stream = ("\n".join(lines * 3) + "\n").encode()
    for args in ([], ["--from-fields"], ["--check"]):
        environment = dict(os.environ, SBPKIT_TEMPLATES="off")
        assert same(run("json2sbp", stream, "-d", *args), run("json2sbp", stream, "-d", *args, env=environment))


def test_the_tools_are_there():
    assert tool.BIN.is_dir(), "SBPKIT_BUILD names no build folder"
    assert clean("sbp2json", HEARTBEAT) != b""
