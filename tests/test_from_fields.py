# SPDX-License-Identifier: MIT
"""json2sbp --from-fields: payloads from fields, and fields as edits of a payload."""

import base64
import itertools
import json
import math
import random
import struct
import subprocess

import pytest

import model
import model_json
from tool import HEARTBEAT, HEARTBEAT_LINE, LOG_FRAME, TEST_DATA, clean, run, times


def convert(text, *args):
    return run("json2sbp", text.encode() if isinstance(text, str) else text, "--from-fields", *args)


def payload_of(text):
    """The payload of the one frame that a line gives."""
    result = convert(text)
    assert result.code == 0, result
    frame = model.Frame(result.out)
    assert frame.bytes == result.out, result
    return frame.payload


def fault_of(text, *words):
    """A line is a fault that holds these words, and the next line is still converted."""
    result = convert(text + "\n" + HEARTBEAT_LINE.decode())
    assert (result.code, result.out) == (1, HEARTBEAT), result
    for word in words:
        assert word in result.errors[0], result
    return result


def quoted(payload):
    return '"%s"' % base64.b64encode(payload).decode()


def line(msg_type, payload=None, **fields):
    parts = ['"msg_type":%d' % msg_type, '"sender":42']
    if payload is not None:
        parts.append('"payload":' + quoted(payload))
    return "{%s}" % ",".join(parts + ['"%s":%s' % item for item in fields.items()])


# ---- Type, name, sender


def test_fields_make_a_payload():
    assert convert('{"msg_type":65535,"sender":42,"flags":12800}').out == HEARTBEAT


def test_the_name_alone_gives_the_type():
    assert convert('{"msg_name":"MSG_HEARTBEAT","sender":42,"flags":12800}').out == HEARTBEAT
    assert convert(r'{"msg_name":"MSG_HEARTB\u0045AT","sender":42,"flags":12800}').out == HEARTBEAT


def test_a_missing_sender_is_66():
    assert convert('{"msg_name":"MSG_HEARTBEAT","flags":1}').out == model.pack(65535, 66, b"\1\0\0\0")


@pytest.mark.parametrize("name", ["MSG_LOG", "MSG_FOO", "", "msg_heartbeat"])
def test_a_type_and_a_name_that_differ_are_a_fault(name):
    fault_of('{"msg_type":65535,"msg_name":"%s","flags":1}' % name, "MSG_HEARTBEAT")


def test_unknown_agrees_with_every_type():
    assert convert('{"msg_type":65535,"sender":42,"msg_name":"UNKNOWN","flags":12800}').out == HEARTBEAT


def test_an_unknown_name_is_a_fault_that_names_a_near_one():
    fault_of('{"msg_name":"MSG_HEARTBEET","flags":1}', "MSG_HEARTBEET", "MSG_HEARTBEAT")
    fault_of('{"msg_name":"UNKNOWN","payload":"AA=="}', "msg_type")
    fault_of('{"msg_name":5,"flags":1}', "msg_name")


def test_any_name_makes_the_outer_object_the_message():
    text = '{"msg_name":"MSG_HEARTBEAT","sender":42,"flags":12800,"data":{"msg_type":1025,"payload":"Bmhp"}}'
    assert convert(text).out == HEARTBEAT
    assert convert('{"time":1,"data":{"msg_name":"MSG_HEARTBEAT","sender":42,"flags":12800}}').out == HEARTBEAT


def test_crc_length_and_preamble_are_ignored():
    assert convert('{"crc":"x","length":-1,"preamble":[],"msg_type":65535,"sender":42,"flags":12800}').err == b""


# ---- Patches


def test_a_field_that_is_given_replaces_its_bytes_and_others_stay():
    old = bytes(range(1, 35))
    assert payload_of(line(522, old, n_sats="200")) == old[:32] + bytes([200]) + old[33:]
    assert payload_of(line(522, old)) == old


def test_a_field_that_is_not_given_needs_a_payload():
    fault_of('{"msg_type":65535}', "flags")
    fault_of('{"msg_type":522,"tow":1,"lat":2}', "lon")
    fault_of(line(522, bytes(19), flags="1"), "lon")
    fault_of('{"msg_type":1025,"level":1}', "text")
    fault_of('{"msg_type":74,"header":{"t":{"tow":1,"ns_residual":2,"wn":3},"n_obs":4}}', "obs")


def test_a_message_without_fields_needs_nothing():
    empty = [message for message in model.schema().messages.values() if not message.fields]
    assert empty
    for message in empty:
        assert convert('{"msg_name":"%s"}' % message.name).out == model.pack(message.id, 66, b"")


def test_a_member_of_a_struct_is_replaced_alone():
    old = bytes(range(1, 29))
    new = payload_of(line(74, old, header='{"t":{"wn":7}}'))
    assert new == old[:8] + b"\7\0" + old[10:]
    new = payload_of(line(74, old, obs='[{"L":{"f":9}}]'))
    assert new == old[:19] + b"\x09" + old[20:]


def test_an_array_has_the_length_given():
    old = bytes(range(1, 13))
    assert payload_of(line(151, old, azel="[]")) == b""
    assert payload_of(line(151, old, azel="[{},{}]")) == old[:8]
    assert payload_of(line(151, old, azel='[{},{"az":200}]')) == old[:6] + b"\xc8" + old[7:8]
    more = '[{},{},{},{"sid":{"sat":1,"code":2},"az":3,"el":-4}]'
    assert payload_of(line(151, old, azel=more)) == old + b"\1\2\3\xfc"
    fault_of(line(151, old, azel='[{},{},{},{"sid":{"sat":1},"az":3,"el":4}]'), "code")


def test_a_fixed_array_needs_its_count():
    body = next(
        m
        for m in model.schema().messages.values()
        if any(isinstance(f.repeat, int) and f.base == "u8" for f in m.fields)
    )
    field = next(f for f in body.fields if isinstance(f.repeat, int) and f.base == "u8")
    old = bytes(body.size)
    for count in (0, field.repeat - 1, field.repeat + 1):
        fault_of(line(body.id, old, **{field.name: json.dumps([1] * count)}), field.name)
    assert payload_of(line(body.id, old, **{field.name: json.dumps([1] * field.repeat)})).count(1) == field.repeat


def test_a_payload_past_255_bytes_is_a_fault():
    assert len(payload_of('{"msg_name":"MSG_LOG","level":1,"text":"%s"}' % ("x" * 254))) == 255
    fault_of('{"msg_name":"MSG_LOG","level":1,"text":"%s"}' % ("x" * 255), "255")
    element = '{"sid":{"sat":1,"code":2},"az":3,"el":4}'
    assert len(payload_of('{"msg_name":"MSG_SV_AZ_EL","azel":[%s]}' % ",".join([element] * 63))) == 252
    for count in (64, 65, 5000):
        fault_of('{"msg_name":"MSG_SV_AZ_EL","azel":[%s]}' % ",".join([element] * count), "255")
    fault_of('{"msg_name":"MSG_LOG","level":1,"text":"%s"}' % ("\\u20ac" * 85), "255")
    fault_of('{"msg_name":"MSG_LOG","level":1,"text":"%s"}' % ("x" * 100000), "255")


def test_surplus_bytes_stay():
    old = b"\1\2\3\4SURPLUS"
    assert payload_of(line(65535, old, flags="7")) == b"\7\0\0\0SURPLUS"
    odd = bytes(range(1, 11))
    assert payload_of(line(151, odd, azel="[{}]")) == odd[:4] + odd[8:]
    assert payload_of(line(151, odd, azel="[{},{}]")) == odd
    fault_of(line(65535, bytes(256), flags="7"), "payload")


def test_a_short_payload_without_fields_stays():
    for size in range(34):
        result = convert(line(522, bytes(range(size))))
        assert (result.code, result.out) == (0, model.pack(522, 42, bytes(range(size)))), size
        assert any("note:" in text for text in result.errors)


def test_a_short_payload_with_all_fields_is_replaced():
    assert payload_of(line(65535, b"\1", flags="258")) == b"\2\1\0\0"


def test_a_result_under_the_minimum_is_a_note():
    result = convert('{"msg_name":"MSG_FILEIO_REMOVE","filename":""}')
    assert (result.code, result.out) == (0, model.pack(172, 66, b"")), result
    assert any("note:" in text for text in result.errors)


def test_payload_must_be_a_string_of_base64_for_known_types():
    fault_of('{"msg_type":65535,"payload":[1,2,3,4]}', "payload")
    fault_of('{"msg_type":65535,"payload":"AAA","flags":1}', "payload")
    fault_of('{"msg_type":65535,"payload":5,"flags":1}', "payload")


def test_unknown_types_come_from_base64_or_bytes():
    assert convert('{"msg_type":31420,"sender":1,"payload":"YWJj"}').out == model.pack(31420, 1, b"abc")
    assert convert('{"msg_type":31420,"sender":1,"payload":[97,98.0,9.9e1]}').out == model.pack(31420, 1, b"abc")
    assert convert('{"msg_type":31420,"sender":1,"payload":[]}').out == model.pack(31420, 1, b"")
    assert convert('{"msg_type":31420,"payload":%s}' % ([7] * 255)).out == model.pack(31420, 66, b"\7" * 255)
    for bad in ("[256]", "[-1]", "[1.5]", "[null]", '["a"]', str([7] * 256), "{}", "null", '"YWJ"'):
        fault_of('{"msg_type":31420,"payload":%s}' % bad, "payload")
    fault_of('{"msg_type":31420,"sender":1}', "payload")


# ---- Unknown keys


def test_an_unknown_key_is_a_note_that_names_the_near_field():
    result = convert('{"msg_type":65535,"sender":42,"flags":12800,"flgas":1}')
    assert (result.code, result.out) == (0, HEARTBEAT)
    notes = [text for text in result.errors if "note:" in text]
    assert len(notes) == 1 and "flgas" in notes[0] and "flags" in notes[0].replace("flgas", ""), result


def test_unknown_keys_have_one_note_a_key():
    text = '{"msg_type":65535,"sender":42,"flags":12800,"other":1,"flgas":1}\n'
    result = convert(text * 500)
    assert (result.code, result.out) == (0, HEARTBEAT * 500)
    assert len([text for text in result.errors if "note:" in text]) == 2, result


# ---- Integers


def example(base):
    """A message with a field of this type, and the offset of that field; the fields before it are of fixed size."""
    for message in model.schema().messages.values():
        at = 0
        for field in message.fields:
            if field.base == base and field.repeat is None:
                return message, field, at
            at += field.size
            if field.is_variable:
                break
    return None


@pytest.mark.parametrize("base", [base for base in model.NUMBER_FORMATS if example(base)])
def test_integers_are_read_in_range_and_in_every_form(base):
    message, field, at = example(base)
    old = bytes(range(100, 100 + message.size))
    size = model.NUMBER_SIZES[base]
    low, high = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if base[0] == "s" else (0, (1 << 8 * size) - 1)

    def replaced(value):
        return old[:at] + struct.pack(model.NUMBER_FORMATS[base], value) + old[at + size :]

    for text, value in {
        "7": 7,
        "7.0": 7,
        "1e2": 100,
        "0.5e1": 5,
        "-0": 0,
        "70E-1": 7,
        str(low): low,
        str(high): high,
        "%d.00" % high: high,
    }.items():
        assert payload_of(line(message.id, old, **{field.name: text})) == replaced(value), text
    for text in (
        str(low - 1),
        str(high + 1),
        "0.5",
        "1e-1",
        "1e30",
        "-1e30",
        "1e999999999",
        "true",
        "null",
        "[1]",
        '"x"',
        "%d.5" % (high - 1),
    ):
        fault_of(line(message.id, old, **{field.name: text}), field.name)
    for text in ("12", "-0", "007"):
        if size == 8:
            assert payload_of(line(message.id, old, **{field.name: '"%s"' % text})) == replaced(int(text))
        else:
            fault_of(line(message.id, old, **{field.name: '"%s"' % text}), field.name)
    if size == 8:
        assert payload_of(line(message.id, old, **{field.name: '"%d"' % high})) == replaced(high)
        for text in (str(high + 1), str(low - 1), "", "+1", " 1", "1.0", "1e3", "0x10", "--1", "-"):
            fault_of(line(message.id, old, **{field.name: '"%s"' % text}), field.name)


@pytest.mark.parametrize("base", [base for base in ("u64", "s64") if example(base)])
def test_a_64_bit_number_that_a_double_makes_of_the_old_value_keeps_it(base):
    message, field, at = example(base)
    values = [2**53 + 1, 2**53 + 3, 10**17 + 1, 2**62 + 12345, 2**63 - 1] + (
        [2**64 - 1, 2**63 + 1] if base == "u64" else [-(2**53) - 1, -(2**63) + 1]
    )
    for value in values:
        old = struct.pack(model.NUMBER_FORMATS[base], value).join([bytes(at), bytes(message.size - at - 8)])
        wide = float(value)
        for text in (repr(wide), "%.17g" % wide, "%d" % wide):
            result = convert(line(message.id, old, **{field.name: text}))
            assert (result.code, model.Frame(result.out).payload) == (0, old), (text, result)
            assert any("note:" in error for error in result.errors), result
        assert convert(line(message.id, old, **{field.name: str(value)})).err == b""
        other = math.nextafter(wide, 0) if hasattr(math, "nextafter") else wide / 2
        assert payload_of(line(message.id, old, **{field.name: "%d" % other})) != old
        assert payload_of(line(message.id, old, **{field.name: '"%d"' % (value - 1)})) != old


def test_a_signed_64_bit_number_of_ones_own_schema_keeps_what_a_double_cannot_hold(tmp_path):
    # The protocol has none yet.
    fields = [{"name": "offset", "type": "s64", "description": "Any"}]
    message = {"id": 40000, "name": "MSG_OWN", "description": "One of ours", "fields": fields}
    package = {"package": "own", "description": "Ours", "structs": [], "messages": [message]}
    schema = tmp_path / "own.json"
    schema.write_text(json.dumps(package), encoding="utf-8")
    for value in (-(2**53) - 1, -(2**63) + 1, -(2**62) - 12345, 2**63 - 1, -1):
        frame = model.pack(40000, 7, struct.pack("<q", value))
        text = clean("sbp2json", frame, "--schema", schema)
        assert json.loads(text)["offset"] == value
        rounded = text.replace(b'"offset":%d' % value, b'"offset":%d' % int(float(value)))
        result = run("json2sbp", rounded, "--from-fields", "--schema", schema)
        assert (result.code, result.out) == (0, frame), result
        assert (b"note:" in result.err) == (int(float(value)) != value), result
        edited = text.replace(b'"offset":%d' % value, b'"offset":%d' % (value // 2))
        assert run("json2sbp", edited, "--from-fields", "--schema", schema).out[6:14] == struct.pack("<q", value // 2)


@pytest.mark.skipif(
    subprocess.run(["sh", "-c", "command -v jq"], capture_output=True, check=False).returncode != 0, reason="needs jq"
)
def test_edits_by_jq_come_out_right():
    def jq(program, data):
        return subprocess.run(["jq", "-c", program], input=data, capture_output=True, check=True).stdout

    assert convert(jq(".flags=7", HEARTBEAT_LINE)).out == model.pack(65535, 42, b"\7\0\0\0")
    assert convert(jq(".flags=(.flags/100)+0.0|.flags|=.*1000/1000", HEARTBEAT_LINE)).out == model.pack(
        65535, 42, b"\x80\0\0\0"
    )
    assert convert(jq(".", HEARTBEAT_LINE)).out == HEARTBEAT
    for name in ("every_message.sbp", "floats.sbp", "receiver_10hz.sbp"):
        data = (TEST_DATA / name).read_bytes()
        for options in ([], ["--float-compat"]):
            assert convert(jq(".", clean("sbp2json", data, *options))).out == data


# ---- Floats


@pytest.mark.parametrize("base, at, name", [("float", 28, "cov_x_x"), ("double", 4, "x")])
def test_floats_are_rounded_once(base, at, name):
    code, width = ("<f", 32) if base == "float" else ("<d", 64)
    size = width // 8
    old = bytes(range(1, 55))

    def value_of(text):
        return payload_of(line(532, old, **{name: text}))[at : at + size]

    # The second lies just above the middle of two singles, but rounds to it as a double.
    texts = [
        "0.1",
        "1.00000005960464477539062500000000000000000000000001",
        "1.000000059604644775390625",
        "1.000000178813934326171875",
        "16777217",
        "16777219",
        "9007199254740993",
        "9007199254740993.0000000000000000000001",
        "-0",
        "-0.0",
        "0",
        "1e-400",
        "-1e-400",
        "1e-45",
        "7e-46",
        "7.1e-46",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.17549435e-38",
        "3.4028235e38",
        "2.2250738585072011e-308",
        "1" + "0" * 30,
        "0." + "0" * 50 + "1",
        "123456789" * 20 + "e-150",
        "1E5",
        "1e+5",
    ]
    for text in texts:
        bits = model_json.float_bits(model_json.number_value(text.encode()), text.startswith("-"), width)
        assert value_of(text) == bits.to_bytes(size, "little"), text
    largest = "3.40282356779733661637539395458142568448e38" if base == "float" else "1.7976931348623158e308"
    assert value_of(
        "3.40282356779733661637539395458142568447e38" if base == "float" else "1.797693134862315807e308"
    ) == struct.pack(code, 3.4028234663852886e38 if base == "float" else 1.7976931348623157e308)
    for text in ("1e400", "-1e400", "1e999999999", largest if base == "float" else "1.797693134862315808e308"):
        fault_of(line(532, old, **{name: text}), name)


@pytest.mark.parametrize("base, at, name", [("float", 28, "cov_x_x"), ("double", 4, "x")])
def test_what_is_no_number_has_names(base, at, name):
    size = 4 if base == "float" else 8
    old = bytes(range(1, 55))
    nan, infinity = (0x7FC00000, 0x7F800000) if size == 4 else (0x7FF8 << 48, 0x7FF << 52)
    for text, bits in {
        "null": nan,
        '"NaN"': nan,
        '"Infinity"': infinity,
        '"-Infinity"': infinity | 1 << (8 * size - 1),
    }.items():
        assert payload_of(line(532, old, **{name: text}))[at : at + size] == bits.to_bytes(size, "little")
    for text in ('"nan"', '"inf"', '"1.5"', '""', "true", "[1.5]", "{}"):
        fault_of(line(532, old, **{name: text}), name)


def test_null_keeps_the_bits_of_a_nan_or_infinity():
    for bits in (0x7FC00000, 0x7F800001, 0xFFFFFFFF, 0x7F800000, 0xFF800000):
        old = bytes(28) + struct.pack("<I", bits) + bytes(22)
        assert payload_of(line(532, old, cov_x_x="null", flags="0")) == old
    old = bytes(28) + struct.pack("<I", 0x7F800001) + bytes(22)
    assert payload_of(line(532, old, cov_x_x='"NaN"'))[28:32] == struct.pack("<I", 0x7FC00000)


# ---- Strings


def test_text_that_prints_as_the_old_bytes_keeps_them():
    for raw in (b"caf\xe9", b"\xff\xfe\x00x", b"\xed\xa0\x80", b"ok \xef\xbf\xbd", b"\xe2\x82"):
        old = b"\6" + raw
        shown = model.as_text(raw)
        assert payload_of(line(1025, old, text=json.dumps(shown, ensure_ascii=False))) == old
        assert payload_of(line(1025, old, text=json.dumps(shown, ensure_ascii=True))) == old
        assert payload_of(line(1025, old, text=json.dumps(shown + "!"))) == b"\6" + (shown + "!").encode()


def test_fixed_strings_are_padded_and_not_cut():
    assert (
        payload_of('{"msg_name":"MSG_THREAD_STATE","name":"abc","cpu":1,"stack_free":2}')
        == b"abc".ljust(20, b"\0") + b"\1\0\2\0\0\0"
    )
    assert payload_of(line(23, bytes(26), name='"%s"' % ("\u20ac" * 6 + "ab")))[:20] == ("\u20ac" * 6 + "ab").encode()
    fault_of(line(23, bytes(26), name='"%s"' % ("x" * 21)), "name")
    fault_of(line(23, bytes(26), name='"%s"' % ("\u20ac" * 7)), "name")
    assert payload_of(line(23, b"\xff" * 26, name='""')) == bytes(20) + b"\xff" * 6


def test_variable_strings_are_as_they_are():
    for text, raw in {
        "": b"",
        "a\\u0000b": b"a\0b",
        "\\ud83d\\ude00": "\U0001f600".encode(),
        '\\"\\\\\\/\\b\\f\\n\\r\\t': b'"\\/\b\f\n\r\t',
    }.items():
        assert payload_of('{"msg_name":"MSG_LOG","level":1,"text":"%s"}' % text) == b"\1" + raw
    raw = b'{"msg_name":"MSG_LOG","level":1,"text":"caf\xe9 \xff"}'
    assert payload_of(raw) == b"\1caf\xe9 \xff"


@pytest.mark.parametrize(
    "text", ["\\ud800", "\\udc00", "\\ud800x", "\\ud800\\n", "\\ud800\\ud800", "x\\udfff", "\\uD800\\u0041"]
)
def test_a_lone_surrogate_is_a_fault_of_a_string_that_is_used(text):
    fault_of('{"msg_name":"MSG_LOG","level":1,"text":"%s"}' % text, "text")
    assert convert('{"msg_type":65535,"sender":42,"flags":12800,"x":"%s"}' % text).out == HEARTBEAT


def test_a_string_before_other_fields_ends_with_its_nul():
    old = b"\1\0\0\0\2\0\0\0name\0data"
    assert payload_of(line(173, old, filename='"n\\u0000"')) == b"\1\0\0\0\2\0\0\0n\0data"
    assert payload_of(line(173, old, data="[1,2]")) == b"\1\0\0\0\2\0\0\0name\0\1\2"
    without = b"\1\0\0\0\2\0\0\0name"
    assert payload_of(line(173, without, filename='"name"', data="[]")) == without


@pytest.mark.parametrize(
    "key, bad", [("header", ["1", "[]", "null", '"x"']), ("obs", ["1", "{}", "null", "[1]", "[null]", "[[]]"])]
)
def test_a_value_of_another_kind_is_a_fault(key, bad):
    for text in bad:
        fault_of(line(74, bytes(28), **{key: text}), key)


def test_a_fault_names_its_place():
    result = convert('{"msg_type":74,"payload":%s,\n"obs":[{},{"L":{"f":256}}]}' % quoted(bytes(45)))
    assert result.errors[0].startswith("json2sbp: line 2 column 21: "), result
    assert "256" in result.errors[0]


# ---- Identity


def every_frame(lengths, seed):
    source = random.Random(seed)
    for message in model.schema().messages.values():
        for length in lengths(message, source):
            yield model.pack(message.id, source.randrange(65536), source.randbytes(length))


def lengths(message, source):
    yield message.size
    for _ in range(times(2)):
        yield source.randint(0, 255)
    yield from {min(255, message.size + 1), max(0, message.size - 1), 255}


@pytest.mark.parametrize("form, order", itertools.product([[], ["--float-compat"]], ["plain", "sorted"]))
def test_every_frame_comes_back(form, order):
    frames = b"".join(every_frame(lengths, 31))
    lines = clean_lines(frames, form)
    if order == "sorted":
        lines = "".join(
            json.dumps(json.loads(text), sort_keys=True) + "\n" for text in lines.decode().split("\n")[:-1]
        ).encode()
    result = convert(lines)
    assert (result.code, result.out == frames) == (0, True), result


def test_every_message_comes_back_without_its_payload():
    for name in ("every_message", "shortest_and_longest"):
        rows = [
            json.loads(text) for text in (TEST_DATA / (name + ".json")).read_text(encoding="utf-8").split("\n")[:-1]
        ]
        for row in rows:
            for key in ("payload", "crc", "length", "msg_type"):
                del row[key]
        assert convert("\n".join(map(json.dumps, rows))).out == (TEST_DATA / (name + ".sbp")).read_bytes()


def test_every_field_of_every_message_can_be_edited():
    source, edits = random.Random(37), []
    for message in model.schema().messages.values():
        length = min(255, message.size + source.randint(0, 40))
        random_bytes = (bytes(source.choices(range(256), [40] + [1] * 255, k=length)) for _ in range(2))
        one, other = (model.Frame(model.pack(message.id, 42, data)) for data in random_bytes)
        values = json.loads(model.line(other))
        for field in message.fields:
            row = json.loads(model.line(one))
            row[field.name] = values[field.name]
            edits.append(json.dumps(row))
    stream = "\n".join(edits).encode()
    want = model_json.json2sbp(stream, from_fields=True)
    result = convert(stream)
    assert (result.code, result.out == want.out) == (want.exit, True), result


def clean_lines(frames, form):
    result = run("sbp2json", frames, *form)
    assert result.code == 0
    return result.out


@pytest.mark.parametrize(
    "name", ["every_message", "shortest_and_longest", "short_surplus_unknown", "floats", "strings"]
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_lines_rewritten_by_python_come_back(name, ascii_only):
    data = (TEST_DATA / (name + ".sbp")).read_bytes()
    texts = (TEST_DATA / (name + ".json")).read_text(encoding="utf-8").split("\n")[:-1]
    rows = [json.loads(text) for text in texts]
    for sort_keys, indent in ((True, None), (False, 2), (False, None)):
        stream = "\n".join(json.dumps(row, ensure_ascii=ascii_only, sort_keys=sort_keys, indent=indent) for row in rows)
        assert convert(stream).out == data
    assert convert(json.dumps(rows, ensure_ascii=ascii_only)).out == data


def test_log_from_the_contract():
    assert convert('{"msg_type":1025,"payload":"Bmhp","sender":42}').out == LOG_FRAME
