# SPDX-License-Identifier: MIT
"""Selecting and shaping in sbp2json, and what the tools know of messages."""

import json
import re

import pytest

import model
from tool import HEARTBEAT, HEARTBEAT_LINE, LOG_FRAME, TEST_DATA, clean, run

DATA = (TEST_DATA / "receiver_10hz.sbp").read_bytes()
FRAMES = model.find_frames(DATA).frames
TOOLS = ["sbp2json", "json2sbp", "json2json"]


def names(out):
    return [json.loads(line)["msg_name"] for line in out.splitlines()]


def lines_of(wanted, frames=None):
    known = model.schema().messages
    return b"".join(
        model.line(frame) for frame in (FRAMES if frames is None else frames) if wanted(known[frame.type].name, frame)
    )


@pytest.mark.parametrize(
    "options, wanted",
    [
        (["--include", "MSG_POS_LLH"], lambda name, _: name == "MSG_POS_LLH"),
        (["--include=MSG_POS_*"], lambda name, _: name.startswith("MSG_POS_")),
        (["--include", "*_ECEF"], lambda name, _: name.endswith("_ECEF")),
        (["--include", "MSG_?PS_TIME"], lambda name, _: name == "MSG_GPS_TIME"),
        (["--include", "522"], lambda name, _: name == "MSG_POS_LLH"),
        (
            ["--include", "522,MSG_GPS_TIME,MSG_VEL_*"],
            lambda name, _: name in ("MSG_POS_LLH", "MSG_GPS_TIME") or name.startswith("MSG_VEL_"),
        ),
        (["--include", "522", "--include", "258"], lambda name, _: name in ("MSG_POS_LLH", "MSG_GPS_TIME")),
        (["--exclude", "MSG_IMU_*"], lambda name, _: not name.startswith("MSG_IMU_")),
        (
            ["--exclude=MSG_IMU_RAW,74", "--exclude", "258"],
            lambda name, _: name not in ("MSG_IMU_RAW", "MSG_OBS", "MSG_GPS_TIME"),
        ),
        (
            ["--include", "MSG_POS_*", "--exclude", "MSG_POS_ECEF"],
            lambda name, _: name.startswith("MSG_POS_") and name != "MSG_POS_ECEF",
        ),
        (
            ["--exclude", "MSG_POS_ECEF", "--include", "MSG_POS_*"],
            lambda name, _: name.startswith("MSG_POS_") and name != "MSG_POS_ECEF",
        ),
        (["--sender", "34977"], lambda _, frame: frame.sender == 34977),
        (["--sender", "1"], lambda _, frame: False),
        (["--include", "*"], lambda *_: True),
    ],
)
def test_messages_are_selected(options, wanted):
    assert clean("sbp2json", DATA, *options) == lines_of(wanted)


def test_a_selection_by_id_works_for_types_that_are_not_known():
    data = HEARTBEAT + model.pack(31420, 1, b"x")
    assert names(run("sbp2json", data, "--include", "31420").out) == ["UNKNOWN"]
    assert names(run("sbp2json", data, "--exclude", "31420").out) == ["MSG_HEARTBEAT"]


@pytest.mark.parametrize("option", ["--include", "--exclude"])
@pytest.mark.parametrize("value", ["MSG_POS_LHL", "MSG_NONE_*", "65536", "-1", "MSG_POS_LLH,MSG_NO", ""])
def test_a_selection_of_nothing_known_is_refused(option, value):
    result = run("sbp2json", DATA, option, value)
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1), result
    if value == "MSG_POS_LHL":
        assert "MSG_POS_LLH" in result.errors[0]


@pytest.mark.parametrize("value", ["65536", "-1", "x", ""])
def test_a_sender_that_is_none_is_refused(value):
    assert run("sbp2json", DATA, "--sender", value).code == 2


def test_senders_are_selected():
    data = b"".join(model.pack(65535, sender, b"\1\2\3\4") for sender in (0, 1, 66, 65535, 1))
    out = clean("sbp2json", data, "--sender", "1", "--sender", "65535")
    assert [json.loads(line)["sender"] for line in out.splitlines()] == [1, 65535, 1]


@pytest.mark.parametrize("count", [1, 5, 119, 120, 121, 18446744073709551615])
def test_first_stops_after_so_many_lines(count):
    assert clean("sbp2json", DATA, "--first", count) == b"".join(model.line(frame) for frame in FRAMES[:count])


def test_first_counts_lines_that_are_written():
    out = clean("sbp2json", DATA, "--first=2", "--include", "MSG_OBS")
    assert names(out) == ["MSG_OBS"] * 2


@pytest.mark.parametrize("value", ["-1", "x", "", "1.5", "18446744073709551616"])
def test_first_needs_a_number(value):
    assert run("sbp2json", DATA, "--first", value).code == 2


def test_no_payload_leaves_that_key_out():
    want = re.sub(rb'"payload":"[^"]*",', b"", model.sbp2json(DATA))
    assert clean("sbp2json", DATA, "--no-payload") == want


def test_u64_strings_are_64_bit_fields_as_strings_which_go_back():
    data = (TEST_DATA / "every_message.sbp").read_bytes()
    out = clean("sbp2json", data, "--u64-strings")
    plain, count = model.sbp2json(data), 0
    for frame, line in zip(model.find_frames(data).frames, out.splitlines(keepends=True)):
        wide = sum(text_count(field) for field in model.schema().messages[frame.type].fields)
        stripped = re.sub(rb'(?<=[:\[,])"(-?[0-9]{2,20})"(?=[,\]}])', rb"\1", line)
        assert stripped == model.line(frame)
        assert (line != stripped) == (wide > 0)
        count += wide
    assert count > 10 and out != plain
    assert clean("json2sbp", out, "--from-fields") == data
    rows = "\n".join(json.dumps(json.loads(line), sort_keys=True) for line in out.decode().split("\n")[:-1])
    assert clean("json2sbp", rows.encode(), "--from-fields") == data


def text_count(field):
    """How many 64-bit numbers there are in a field of fixed size."""
    if isinstance(field.base, model.Struct):
        return sum(text_count(member) for member in field.base.fields)
    return 1 if field.base in ("u64", "s64") else 0


def test_pretty_is_the_same_json_indented_by_two():
    data = (TEST_DATA / "every_message.sbp").read_bytes() + model.pack(65535, 1, b"x") + model.pack(31420, 1, b"")
    out = run("sbp2json", data, "--pretty").out.decode("utf-8")
    decoder, at, rows = json.JSONDecoder(object_pairs_hook=list), 0, []
    while at < len(out):
        row, end = decoder.raw_decode(out, at)
        rows.append(row)
        assert out[at : at + 4] == "{\n  " and out[end - 2 : end + 1] == "\n}\n"
        at = end + 1
    assert rows == [decoder.decode(line) for line in model.sbp2json(data).decode("utf-8").split("\n")[:-1]]
    assert run("json2sbp", out.encode()).out == data
    assert run("json2sbp", out.encode(), "--from-fields").out == data


def test_shapes_combine():
    out = clean(
        "sbp2json", DATA, "--no-payload", "--pretty", "--float-compat", "--include", "MSG_POS_LLH", "--first", "1"
    )
    row = json.loads(out)
    assert "payload" not in row and row["msg_name"] == "MSG_POS_LLH"


def test_what_is_not_selected_is_no_fault_and_damage_still_is():
    assert run("sbp2json", DATA + b"junk" + DATA, "--include", "MSG_OBS").code == 1


# ---- --expand


def test_expand_adds_the_meaning_of_bit_fields():
    frame = model.pack(258, 1, bytes([1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]))
    line = clean("sbp2json", frame, "--expand")
    row = json.loads(line)
    assert line.startswith(model.line(model.Frame(frame)).rstrip(b"}\n"))
    assert list(row)[-1] == "meaning"
    assert "GNSS" in json.dumps(row["meaning"]["flags"])


def test_expand_nests_as_the_fields_do_and_reads_back():
    data = (TEST_DATA / "every_message.sbp").read_bytes()
    out = clean("sbp2json", data, "--expand")
    for line, plain in zip(out.decode().split("\n"), model.sbp2json(data).decode().split("\n")[:-1]):
        row, fields = json.loads(line), json.loads(plain)
        meaning = row.pop("meaning", {})
        assert row == fields
        check_nesting(meaning, fields)
    assert clean("json2sbp", out) == data
    assert clean("json2sbp", out, "--from-fields") == data


def check_nesting(meaning, fields):
    for key, value in meaning.items():
        assert key in fields
        if isinstance(fields[key], dict):
            check_nesting(value, fields[key])


# ---- --describe


@pytest.mark.parametrize("name", TOOLS)
def test_describe_lists_all_messages(name):
    text = clean(name, b"", "--describe").decode()
    for message in model.schema().messages.values():
        assert re.search(
            r"\b%d\b.*\b%s\b|\b%s\b.*\b%d\b" % (message.id, message.name, message.name, message.id), text
        ), message.name


@pytest.mark.parametrize("message", ["MSG_POS_LLH", "MSG_OBS", "MSG_LOG", "MSG_FILEIO_WRITE_REQ", "MSG_SETTINGS_SAVE"])
def test_describe_shows_the_fields_of_a_message(message):
    text = clean("sbp2json", b"", "--describe=" + message).decode()
    body = model.schema().by_name[message]
    assert str(body.id) in text
    for field in body.fields:
        assert re.search(r"\b%s\b" % field.name, text)
        if isinstance(field.base, model.Struct):
            assert all(re.search(r"\b%s\b" % member.name, text) for member in field.base.fields)


def test_describe_shows_units_and_named_values():
    text = clean("sbp2json", b"", "--describe=MSG_POS_LLH").decode()
    assert "deg" in text and "mm" in text and "Fixed RTK" in text


def test_describe_of_an_unknown_message_suggests_a_near_one():
    result = run("sbp2json", b"", "--describe=MSG_POS_LHL")
    assert (result.code, result.out) == (2, b"") and "MSG_POS_LLH" in result.errors[0], result


def test_describe_reads_no_input():
    assert b"MSG_HEARTBEAT" in clean("sbp2json", HEARTBEAT, "--describe")


# ---- --schema

PRIVATE = {
    "package": "private",
    "description": "private messages",
    "structs": [{"name": "Pair", "fields": [{"name": "a", "type": "u8"}, {"name": "b", "type": "float"}]}],
    "messages": [
        {
            "id": 31420,
            "name": "MSG_PRIVATE",
            "fields": [{"name": "count", "type": "u16"}, {"name": "pairs", "type": "Pair[]"}],
        }
    ],
}


@pytest.fixture
def private(tmp_path):
    path = tmp_path / "private.json"
    path.write_text(json.dumps(PRIVATE))
    return path


PRIVATE_FRAME = model.pack(31420, 1, b"\1\2" + b"\x07\0\0\xc0\x3f" * 2)
PRIVATE_FIELDS = b'"count":513,"pairs":[{"a":7,"b":1.5},{"a":7,"b":1.5}]}\n'


def test_a_schema_file_adds_messages(private):
    line = clean("sbp2json", PRIVATE_FRAME + HEARTBEAT, "--schema", private)
    assert line.split(b"\n")[0].endswith(PRIVATE_FIELDS.strip()) and b'"msg_name":"MSG_PRIVATE"' in line
    assert line.endswith(HEARTBEAT_LINE)
    assert clean("json2sbp", line, "--schema", private, "--from-fields") == PRIVATE_FRAME + HEARTBEAT
    edited = line.replace(b'"count":513', b'"count":514')
    assert (
        clean("json2sbp", edited, "--schema", private, "--from-fields")
        == model.pack(31420, 1, b"\2\2" + b"\x07\0\0\xc0\x3f" * 2) + HEARTBEAT
    )
    assert clean(
        "json2json", run("sbp2json", PRIVATE_FRAME).out.replace(b"UNKNOWN", b"MSG_PRIVATE"), "--schema", private
    ).endswith(PRIVATE_FIELDS)
    assert b"MSG_PRIVATE" in clean("sbp2json", b"", "--schema", private, "--describe")
    assert clean("sbp2json", PRIVATE_FRAME, "--schema", private, "--include", "MSG_PRIVATE") != b""


def test_a_later_schema_file_wins(private, tmp_path):
    other = dict(PRIVATE, messages=[{"id": 31420, "name": "MSG_OTHER", "fields": [{"name": "x", "type": "u8"}]}])
    (tmp_path / "other.json").write_text(json.dumps(other))
    line = run("sbp2json", PRIVATE_FRAME, "--schema", private, "--schema", tmp_path / "other.json").out
    assert b'"msg_name":"MSG_OTHER"' in line and line.endswith(b'"x":1}\n')


def test_a_schema_file_replaces_messages_of_the_protocol(tmp_path):
    heartbeat = {
        "package": "mine",
        "structs": [],
        "messages": [{"id": 65535, "name": "MSG_HEARTBEAT", "fields": [{"name": "bytes", "type": "u8[4]"}]}],
    }
    (tmp_path / "mine.json").write_text(json.dumps(heartbeat))
    assert clean("sbp2json", HEARTBEAT, "--schema", tmp_path / "mine.json").endswith(b'"bytes":[0,50,0,0]}\n')


@pytest.mark.parametrize(
    "text", ["", "{", '{"package":"x","messages":[{"id":1}]}', json.dumps(dict(PRIVATE, structs=[])), "[]"]
)
@pytest.mark.parametrize("name", TOOLS)
def test_a_faulty_schema_file_converts_nothing(name, text, tmp_path):
    (tmp_path / "bad.json").write_text(text)
    data = HEARTBEAT if name == "sbp2json" else HEARTBEAT_LINE
    result = run(name, data, "--schema", tmp_path / "bad.json")
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1), result
    assert "bad.json" in result.errors[0]
    assert run(name, data, "--schema", tmp_path / "missing.json").code == 2


def test_verbose_and_first_line_of_report(tmp_path):
    run("json2sbp", HEARTBEAT_LINE + b"x\n", "--report", tmp_path / "report")
    report = json.loads((tmp_path / "report").read_bytes())
    assert (report["messages"], report["values_left_out"]) == (1, 1)
    assert report["left_out"][0][:2] == [2, 1]
    assert isinstance(report["left_out"][0][2], str)
    assert run("json2sbp", HEARTBEAT_LINE, "-v").errors == ["json2sbp: 1 message"]
    assert LOG_FRAME not in HEARTBEAT
