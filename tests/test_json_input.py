# SPDX-License-Identifier: MIT
"""json2sbp in its default mode: the stream of JSON values, what is taken from each, and what a fault costs."""

import json
import random
import re

import pytest

import model
import model_json
from tool import HEARTBEAT, HEARTBEAT_LINE, LOG_FRAME, SHORT_LINE, clean, run, run_reporting, times

PLACE = re.compile(r"^json2sbp: line (\d+) column (\d+): (.+)$")
A = b'{"msg_type":1025,"payload":"Bmhp","sender":42}'
B = SHORT_LINE.strip()
NO_TYPE, NO_SENDER, NO_PAYLOAD = (
    b'{"sender":42,"payload":"Bmhp"}',
    b'{"msg_type":1025,"payload":"Bmhp"}',
    b'{"msg_type":1025,"sender":42}',
)


def message(**change):
    """A's object with members changed, or left out by None; values are JSON texts."""
    members = {"msg_type": "1025", "sender": "42", "payload": '"Bmhp"', **change}
    return ("{%s}" % ",".join('"%s":%s' % item for item in members.items() if item[1] is not None)).encode()


def faults(result):
    """(line, column, text) of each fault that is told."""
    return [(int(m.group(1)), int(m.group(2)), m.group(3)) for m in map(PLACE.match, result.errors) if m]


def costs_one(data, out=LOG_FRAME, where=None, count=1, args=(), words=()):
    """Exactly `count` faults, the first at this (line, column), and this output all the same."""
    result = run("json2sbp", data, *args)
    assert (result.code, result.out) == (1, out), result
    assert len(faults(result)) == count, result
    if where:
        assert faults(result)[0][:2] == where, result
    for word in words:
        assert word in faults(result)[0][2], result
    assert result.errors[count] == "json2sbp: %d message%s; %d value%s left out, first at line %d" % (
        len(model.find_frames(out).frames),
        "" if len(model.find_frames(out).frames) == 1 else "s",
        count,
        "" if count == 1 else "s",
        faults(result)[0][0],
    ), result
    return result


# ---- Values and what stands between them


GOOD_STREAMS = {
    "one object": A,
    "a line feed at the end": A + b"\n",
    "carriage returns": A + b"\r\n" + B + b"\r\n",
    "no space between objects": A + B,
    "several on a line": A + b" " + B + b"\t" + A,
    "blank lines": b"\n\n" + A + b"\n \n\t\n" + B + b"\n\n",
    "a byte order mark": b"\xef\xbb\xbf" + A,
    "a byte order mark alone": b"\xef\xbb\xbf",
    "only white space": b" \n\t\r\n",
    "an array": b"[" + A + b"," + B + b"]",
    "an array over lines, as jq -s writes it": b"[\n  " + A + b",\n  " + B + b"\n]\n",
    "an empty array": b"[]" + A + b"[ ]",
    "arrays and objects": b"[" + A + b"]" + B + b"[" + B + b"]",
    "pretty": json.dumps(json.loads(A), indent=2).encode() + b"\n" + json.dumps(json.loads(B), indent="\t").encode(),
    "pretty with CRLF": json.dumps(json.loads(A), indent=4).encode().replace(b"\n", b"\r\n"),
    "a wrapper": b'{"time":"x","data":' + A + b',"metadata":{}}',
    "a wrapper with other data first": b'{"data":1,"x":[],"data":' + A + b"}",
    "a repeated key: the last wins": message(msg_type="7")[:-1] + b',"msg_type":1025}',
    "escapes in keys": rb'{"\u006dsg_type":1025,"sende\u0072":42,"p\u0061yload":"Bmhp"}',
    "escapes in a key of the wrapper": b'{"d\\u0061ta":' + A + b"}",
    "escapes in the payload": message(payload=r'"\u0042mhp"'),
    "unused values of every kind": message(x='[1,-0.5e+3,"\\u00e9\\"",null,true,false,{"":{}}]'),
    "an unused lone surrogate": message(x='"\\ud800"', **{"\\udfff": "1"}),
    "strings that are not UTF-8": A[:-1] + b',"x":"caf\xe9 \xff\xfe"}',
    "msg_type in the outer object, which then is the message": A[:-1] + b',"data":' + B + b"}",
    "null as data beside msg_type": A[:-1] + b',"data":null}',
    "a solidus that is escaped": rb'{"msg_type":1,"sender":2,"payload":"\/\/\/\/"}',
}


@pytest.mark.parametrize("name", GOOD_STREAMS)
def test_is_read(name):
    data = GOOD_STREAMS[name]
    want = model_json.json2sbp(data)
    assert want.faults == []
    result = run("json2sbp", data)
    assert (result.code, result.out, faults(result)) == (0, want.out, []), result


@pytest.mark.parametrize("place", ["%s", "[%s]", "[1,%s,2]", '{"y":%s}'])
@pytest.mark.parametrize("word", ["true", "false", "null"])
def test_a_word_is_read_whole_among_other_lines(word, place):
    lines = [A, message(x=place % word), B]
    for at in range(len(word)):
        for wrong in (word[:at], word[:at] + "z" + word[at + 1 :], word[:at] + word[at].upper() + word[at + 1 :]):
            lines += [message(x=place % wrong), A]
    for others in (lines, [line[:-1] + b',"z":%s}' % word.encode() for line in lines]):
        data = b"\n".join(others * 2) + b"\n"
        want = model_json.json2sbp(data)
        result, report = run_reporting("json2sbp", data)
        assert len(want.faults) > 2 * len(word)
        assert (result.out, report["values_left_out"]) == (want.out, len(want.faults))


def test_the_contracts_example():
    assert clean("json2sbp", A) == LOG_FRAME


@pytest.mark.parametrize(
    "text, value",
    [
        ("1025", 1025),
        ("1025.0", 1025),
        ("1.025e3", 1025),
        ("1.025E+3", 1025),
        ("10250e-1", 1025),
        ("-0", 0),
        ("-0.0", 0),
        ("0e99999999999999999999", 0),
        ("65535.000", 65535),
        ("1025" + ".0" + "0" * 400, 1025),
    ],
)
def test_an_integer_may_be_written(text, value):
    assert run("json2sbp", message(msg_type=text)).out == model.pack(value, 42, b"\x06hi")
    assert clean("json2sbp", message(sender=text)) == model.pack(1025, value, b"\x06hi")


@pytest.mark.parametrize(
    "text",
    [
        "1.5",
        "65536",
        "-1",
        "1e5",
        "1e-1",
        "1e400",
        "1e-400",
        "1e99999999999999999999",
        "18446744073709551616",
        '"1025"',
        "true",
        "null",
        "[1]",
        "{}",
    ],
)
@pytest.mark.parametrize("key", ["msg_type", "sender"])
def test_another_value_is_no_type_or_sender(key, text):
    costs_one(message(**{key: text}) + b"\n" + A, words=[key])


@pytest.mark.parametrize(
    "text",
    [
        "Bmh",
        "Bmhp=",
        "Bmhp====",
        "Bm-_",
        "Bm hp",
        "Bmhp\\n",
        "=",
        "====",
        "YQ=",
        "YR==",
        "YWJ=",
        "YQ==YQ==",
        "\u00e9\u00e9",
        "Bmh*",
        "A",
        "\\ud800",
    ],
)
def test_base64_is_read_strictly(text):
    costs_one(message(payload='"%s"' % text) + b"\n" + A, words=["payload"])


@pytest.mark.parametrize("data", [b"", b"a", b"ab", b"abc", bytes(range(255)), b"\xff" * 254])
def test_base64_of_every_length_is_read(data):
    assert run("json2sbp", message(payload=model_quoted(data))).out == model.pack(1025, 42, data)


def model_quoted(data):
    import base64

    return '"%s"' % base64.b64encode(data).decode()


@pytest.mark.parametrize("size", [256, 257, 300, 100000])
def test_a_payload_of_more_than_255_bytes_is_a_fault(size):
    costs_one(message(payload=model_quoted(bytes(size))) + b"\n" + A, words=["payload"])


@pytest.mark.parametrize("text", ["null", "1", "[6,104,105]", "{}", "true"])
def test_a_payload_that_is_no_string_is_a_fault(text):
    costs_one(message(payload=text) + b"\n" + A, words=["payload"])


def test_the_payload_is_written_as_it_is_whatever_the_type_takes():
    for msg_type, payload in ((522, b"short"), (522, b""), (31420, b"x"), (65535, bytes(200))):
        data = message(msg_type=str(msg_type), payload=model_quoted(payload))
        result = run("json2sbp", data)
        assert (result.code, result.out) == (0, model.pack(msg_type, 42, payload))
    assert any("note:" in line and "MSG_POS_LLH" in line for line in run("json2sbp", message(msg_type="522")).errors)


@pytest.mark.parametrize(
    "data, key",
    [
        (NO_TYPE, "msg_type"),
        (NO_SENDER, "sender"),
        (NO_PAYLOAD, "payload"),
        (b"{}", "msg_type"),
        (b'{"data":{}}', "msg_type"),
        (b'{"data":[]}', "msg_type"),
        (b'{"data":{"data":' + A + b"}}", "msg_type"),
    ],
)
def test_what_is_missing_is_named(data, key):
    costs_one(data + b"\n" + A, where=(1, faults(run("json2sbp", data))[0][1]), words=[key])


def test_fields_without_a_payload_name_from_fields():
    data = b'{"msg_type":65535,"sender":42,"flags":7}'
    result = run("json2sbp", data)
    assert result.code == 1 and "--from-fields" in faults(result)[0][2]


def test_a_wrong_crc_or_length_is_a_note_and_the_frame_has_the_right_one():
    for change in ({"crc": "1"}, {"length": "9"}, {"crc": '"x"', "length": "null"}):
        result = run("json2sbp", message(**change))
        assert (result.code, result.out) == (0, LOG_FRAME), result
        assert any("note: " in line and next(iter(change)) in line.lower() for line in result.errors), result
    assert clean("json2sbp", message(crc="25455", length="3")) == LOG_FRAME


@pytest.mark.parametrize("key", [b"crc", b"length"])
def test_a_wrong_crc_or_length_is_a_note_among_lines_of_our_own_form(key):
    # A line that is byte for byte ours but for one number, with others before and behind it.
    wrong = re.sub(b'"%s":[0-9]+' % key, b'"%s":3' % key, HEARTBEAT_LINE)
    result = run("json2sbp", HEARTBEAT_LINE * 3 + wrong + HEARTBEAT_LINE * 3)
    assert (result.code, result.out) == (0, HEARTBEAT * 7), result
    assert any(line.startswith("json2sbp: note: 1 value had another %s" % key.decode()) for line in result.errors), result


@pytest.mark.parametrize("count, compared", [(1, 1), (64, 64), (127, 64), (128, 65), (1000, 64 + 14)])
def test_the_first_64_values_and_every_64th_after_are_compared_with_their_payload(count, compared):
    result = run("json2sbp", HEARTBEAT_LINE.replace(b"12800", b"7") * count)
    assert (result.code, result.out) == (0, HEARTBEAT * count)
    assert " %d of %d value" % (compared, compared) in result.errors[-1], result


def test_an_edit_of_a_field_gives_a_note_that_names_from_fields():
    edited = HEARTBEAT_LINE.replace(b"12800", b"7")
    result = run("json2sbp", edited)
    assert (result.code, result.out) == (0, HEARTBEAT)
    assert any("note: " in line and "--from-fields" in line for line in result.errors), result


@pytest.mark.parametrize("at, looked_at", [(0, True), (63, True), (64, False), (127, True), (128, False), (191, True)])
def test_the_first_64_values_and_every_64th_are_compared(at, looked_at):
    lines = [HEARTBEAT_LINE] * 300
    lines[at] = HEARTBEAT_LINE.replace(b"12800", b"7")
    result = run("json2sbp", b"".join(lines))
    assert any("--from-fields" in line for line in result.errors) == looked_at, result


def test_check_makes_each_edited_line_a_fault():
    lines = [HEARTBEAT_LINE] * 300
    for at in (5, 150, 299):
        lines[at] = HEARTBEAT_LINE.replace(b"12800", b"7")
    result = run("json2sbp", b"".join(lines), "--check")
    assert result.code == 1
    assert [place[0] for place in faults(result)] == [6, 151, 300]
    assert all("flags" in place[2] for place in faults(result))
    assert clean("json2sbp", HEARTBEAT_LINE * 300, "--check") == HEARTBEAT * 300


# ---- INVALID lines


INVALID = b'{"msg_name":"INVALID","payload":"VQA="}'


@pytest.mark.parametrize(
    "data",
    [
        INVALID,
        b'{"data":' + INVALID + b',"time":1}',
        b'{"msg_type":1025,"sender":42,"payload":"VQA=","msg_name":"INVALID"}',
        rb'{"msg_name":"INV\u0041LID","payload":"VQA="}',
    ],
)
def test_an_invalid_line_is_raw_bytes_with_to_invalid_and_else_a_fault(data):
    stream = A + b"\n" + data + b"\n" + A
    for args in ([], ["--from-fields"]):
        assert clean("json2sbp", stream, "--error-handler=to-invalid", *args) == LOG_FRAME + b"\x55\x00" + LOG_FRAME
        costs_one(stream, LOG_FRAME * 2, where=(2, faults(run("json2sbp", stream))[0][1]), args=args)


def test_an_invalid_line_may_be_of_any_length():
    junk = bytes(range(256)) * 2000
    data = b'{"msg_name":"INVALID","payload":' + model_quoted(junk).encode() + b"}"
    assert clean("json2sbp", data, "--error-handler=to-invalid") == junk


@pytest.mark.parametrize("payload", ["", ',"payload":"VQ"', ',"payload":1', ',"payload":"V*=="'])
def test_an_invalid_line_without_a_good_payload_is_a_fault_with_to_invalid_too(payload):
    data = ('{"msg_name":"INVALID"%s}\n' % payload).encode()
    result = run("json2sbp", data + A, "--error-handler=to-invalid")
    assert (result.code, result.out, len(faults(result))) == (1, LOG_FRAME, 1), result


# ---- What a fault costs


BROKEN_LINES = {
    "text": b"garbage",
    "text that begins with a digit": b"12:30 connected",
    "a date": b"2016-09-12T20:19:31 connected",
    "NMEA": b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47",
    "an unfinished object": A[:-1],
    "an unfinished string": A[:-4],
    "a missing colon": b'{"msg_type" 1025}',
    "a missing comma": b'{"a":1 "b":2}',
    "a comma too many": b'{"a":1,}',
    "a comma too many in an array": b'{"a":[1,]}',
    "a key without quotes": b"{a:1}",
    "single quotes": b"{'a':1}",
    "a number with a leading zero": b'{"a":01}',
    "a number with a plus": b'{"a":+1}',
    "a number that ends in a dot": b'{"a":1.}',
    "a number that begins with a dot": b'{"a":.5}',
    "a hexadecimal number": b'{"a":0x10}',
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":-Infinity}',
    "a word": b'{"a":nil}',
    "an unknown escape": b'{"a":"\\x41"}',
    "a short escape": b'{"a":"\\u12"}',
    "a tab in a string": b'{"a":"\t"}',
    "a NUL": b'{"a":1\0}',
    "a closing brace too many": b"}",
    "a closing bracket": b"]",
    "a comma": b",",
    "brackets that do not match": b'{"a":[1}',
    "a comment": b"// no",
    "bytes that are no text": b"\xff\xfe\xfd",
    "a byte order mark in the middle": b"\xef\xbb\xbf",
}


@pytest.mark.parametrize("name", BROKEN_LINES)
def test_a_line_costs_itself_only(name):
    line = BROKEN_LINES[name]
    costs_one(A + b"\n" + line + b"\n" + B + b"\n" + A + b"\n", LOG_FRAME + HEARTBEAT + LOG_FRAME, count=1)
    costs_one(b"{}\n" + line, b"", count=2)
    costs_one(A + b"\n" + line, LOG_FRAME, count=1)


VALUES_LEFT_OUT = {
    "a string": b'"x"',
    "a number": b"12",
    "null": b"null",
    "an array of arrays": b'[["x"]]',
    "an object": b"{}",
    "too deep": b"[" * 200 + b"]" * 200,
    "a type out of range": message(msg_type="65536"),
}


@pytest.mark.parametrize("name", VALUES_LEFT_OUT)
def test_a_value_that_is_no_message_costs_itself_only(name):
    value = VALUES_LEFT_OUT[name]
    costs_one(A + b"\n" + value + b"\n" + B, LOG_FRAME + HEARTBEAT, where=None)
    costs_one(A + value + b" " + B, LOG_FRAME + HEARTBEAT)
    costs_one(b"[" + A + b"," + value + b"," + B + b"]", LOG_FRAME + HEARTBEAT)


def test_an_unfinished_line_does_not_swallow_the_next():
    costs_one(A[:-1] + b"\n" + B + b"\n" + A, HEARTBEAT + LOG_FRAME, where=(2, 1))


def test_reading_goes_on_at_a_line_that_begins_with_a_brace_or_a_bracket():
    costs_one(b'{"a":\n  {"b":x},\n "c":1 }\n' + A, words=["line"])
    costs_one(b"x " + B + b"\n " + B + b"\n[" + A + b"]")
    costs_one(b"x\n\t" + B + b"\n" + B[1:] + b"\n" + A)


def test_what_was_passed_over_is_told_in_bytes_and_lines():
    result = costs_one(b"x\ny\nzz\n" + A)
    assert "7 bytes" in result.errors[0] and "3 lines" in result.errors[0]


def test_a_fault_points_at_the_offending_character():
    assert faults(run("json2sbp", b'\n{"msg_type":1025,\n "sender": 42x}'))[0][:2] == (3, 14)
    assert faults(run("json2sbp", A + b"\n\r\n  ?"))[0][:2] == (3, 3)
    assert faults(run("json2sbp", b'{"caf\xc3\xa9":@}'))[0][:2] == (1, 10)


def test_a_fault_points_at_the_offending_value():
    assert faults(run("json2sbp", b'\n {"sender":1,\n"msg_type": 70000,"payload":""}'))[0][:2] == (3, 13)
    result = run("json2sbp", A + b'\n{"msg_type":1,"sender":1,"payload":"A@B="}')
    assert faults(result)[0][:2] == (2, 36)
    assert faults(result)[0][2].startswith("payload: not base64")


@pytest.mark.parametrize(
    "data, out",
    [
        (b"[\n" + A + b",\n{x,\n" + B + b"\n]\n" + A, LOG_FRAME + HEARTBEAT + LOG_FRAME),
        (b"[\n" + A + b",\n{x},\n" + B + b",\n" + A + b"\n]\n", LOG_FRAME + HEARTBEAT + LOG_FRAME),
        (b"[" + A + b",{x},\n" + B + b",\n" + B + b"]," + A, LOG_FRAME + HEARTBEAT * 2 + LOG_FRAME),
        (b"[\n" + A + b",\n" + A[:-1] + b"\n,\n" + B + b"\n,\n" + A + b"]\n", LOG_FRAME + HEARTBEAT + LOG_FRAME),
        (b"[x,\n" + A + b",\n" + B + b"]", LOG_FRAME + HEARTBEAT),
        (b"[\n" + A + b",\n,\n" + B + b"\n]", LOG_FRAME + HEARTBEAT),
        (b"[\n" + A + b" x\n,\n" + B + b"\n]", LOG_FRAME + HEARTBEAT),
        (b"[\n" + A + b"\n" + B + b",\n" + A + b"\n]", LOG_FRAME + HEARTBEAT + LOG_FRAME),
    ],
)
def test_a_fault_in_an_array_costs_one_element(data, out):
    assert model_json.json2sbp(data).out == out
    costs_one(data, out)


@pytest.mark.parametrize("data", [b"[" + A, b"[" + A + b",", b"[" + A + b"\n"])
def test_an_array_that_does_not_end_costs_none_of_its_elements(data):
    costs_one(data, LOG_FRAME)


def test_nesting_of_128_is_read_and_more_is_one_fault():
    def nested(levels):
        return message(x="[" * levels + "]" * levels)

    assert clean("json2sbp", nested(127)) == LOG_FRAME
    assert clean("json2sbp", b"[" + nested(126) + b"]") == LOG_FRAME
    for levels in (128, 129, 200, 100000):
        costs_one(nested(levels) + A, words=["128"])
    costs_one(b"[" + nested(127) + b"," + A + b"]")
    brackets = '"]}[{\\"]"'
    costs_one(message(x="[" * 200 + brackets + "]" * 200) + b" " + A)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["json2sbp", "json2json"])
def test_utf_16_is_named_in_one_line_and_exit_2(encoding, name):
    result = run(name, (A + b"\n" + B).decode().encode(encoding))
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1), result
    assert "UTF-16" in result.errors[0]


def test_return_stops_at_the_first_fault():
    for bad in (b"garbage\n", b"{}\n", INVALID + b"\n"):
        result = run("json2sbp", A + b"\n" + bad + B, "--error-handler=return")
        assert (result.code, result.out) == (1, LOG_FRAME), result
        assert faults(result)[0][0] == 2


def test_after_ten_faults_the_rest_is_counted_and_debug_shows_it():
    data = (b"{}\n" + A + b"\n") * 25
    result = run("json2sbp", data)
    assert [place[0] for place in faults(result)] == list(range(1, 21, 2))
    assert result.errors[10] == "json2sbp: further faults are counted, --debug shows them"
    assert result.errors[11] == "json2sbp: 25 messages; 25 values left out, first at line 1"
    assert len(faults(run("json2sbp", data, "-d"))) == 25


TEN_KINDS = [
    b"garbage",
    A[:-1],
    NO_TYPE,
    NO_SENDER,
    NO_PAYLOAD,
    message(payload='"Bmh"'),
    message(msg_type="65536"),
    b'{"a":NaN}',
    b"[[]]",
    INVALID,
]


@pytest.mark.parametrize("args", [[], ["--from-fields"]])
def test_a_thousand_bad_lines_among_100001_cost_a_thousand(args, tmp_path):
    kinds = list(TEN_KINDS)
    if args:
        kinds[3] = b'{"msg_type":65535,"msg_name":"MSG_LOG","payload":"ADIAAA=="}'
    lines = [HEARTBEAT_LINE] * 100001
    places = [50 + 100 * i for i in range(1000)]
    for number, at in enumerate(places):
        lines[at] = kinds[number % 10] + b"\n"
    result = run("json2sbp", b"".join(lines), *args, "--report", tmp_path / "report")
    assert (result.code, result.out) == (1, HEARTBEAT * 99001), result
    assert "json2sbp: 99001 messages; 1000 values left out, first at line " in result.err.decode()
    report = json.loads((tmp_path / "report").read_bytes())
    assert (report["messages"], report["values_left_out"], len(report["left_out"])) == (99001, 1000, 1000)
    assert all(line - 1 - at in (0, 1) for (line, _, _), at in zip(report["left_out"], places))


@pytest.mark.full
def test_a_value_past_64_mib_is_one_fault():
    long = b'{"a":"' + b"x" * (65 << 20) + b'"}\n'
    costs_one(A + b"\n" + long + B, LOG_FRAME + HEARTBEAT)
    fits = message(x='"' + "x" * (63 << 20) + '"')
    assert clean("json2sbp", fits) == LOG_FRAME


def test_random_streams_give_what_the_model_gives():
    source = random.Random(23)
    pieces = [
        A,
        B,
        HEARTBEAT_LINE.strip(),
        b"[",
        b"]",
        b",",
        b"{",
        b"}",
        b"x",
        b'"',
        b"{}",
        b"12",
        b" ",
        b"\n",
        b"\n",
        b"\r\n",
        INVALID,
        A[:-1],
        b'{"data":' + B + b"}",
        b"\\",
        b'{"a":[{"b":',
        b"null",
    ]
    for _ in range(times(100)):
        data = b"".join(source.choices(pieces, k=source.randint(1, 25)))
        for handler in ("skip", "return", "to-invalid"):
            want = model_json.json2sbp(data, handler=handler)
            result, report = run_reporting("json2sbp", data, "--error-handler", handler)
            got = (result.code, result.out, report["values_left_out"])
            assert got == (want.exit, want.out, len(want.faults)), (data, want.faults, result)
