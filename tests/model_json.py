# SPDX-License-Identifier: MIT
"""The other half of the independent model: a stream of JSON values to frames (json2sbp) and to lines (json2json).

Trees and exact fractions; nothing here is shared with the library but the schema.
"""

import base64
import binascii
import re
import struct
from fractions import Fraction

import model

NESTING_MAX = 128
_SPACE = b" \t\r\n"
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(rb'[^ \t\r\n,\[\]{}"]+')
_STRING = re.compile(rb'"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"', re.DOTALL)
_BRACKET_OR_STRING = re.compile(rb'[\[\]{}]|"(?:[^"\\]|\\.)*"|"', re.DOTALL)
_LINE_TO_GO_ON = re.compile(rb"^[\[{]", re.MULTILINE)


class Fault(Exception):
    """Why a value cannot be used; `at` is the offset of the character or value."""

    def __init__(self, status, at=None):
        super().__init__(status)
        self.status = status
        self.at = at


class Node:
    """A JSON value: its kind, its place in the text, and its value: members as (key node, node), elements, raw text."""

    def __init__(self, data, kind, start, end, value=None):
        self.data, self.kind, self.start, self.end, self.value = data, kind, start, end, value

    @property
    def text(self):
        return self.data[self.start : self.end]

    def members(self):
        """Members by unescaped key; of a repeated key the last."""
        return {unescape(key.value): node for key, node in self.value}


def unescape(raw):
    """The bytes that a string's text between quotes stands for, or None with a lone surrogate."""
    out, at = bytearray(), 0
    while True:
        back = raw.find(b"\\", at)
        if back < 0:
            return bytes(out + raw[at:])
        out += raw[at:back]
        letter = raw[back + 1 : back + 2]
        at = back + 2
        if letter != b"u":
            out += {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(letter, letter)
            continue
        code = int(raw[at : at + 4], 16)
        at += 4
        if 0xD800 <= code < 0xDC00 and re.match(rb"\\u[dD][c-fC-F]", raw[at : at + 4]):
            code = 0x10000 + ((code & 0x3FF) << 10) + (int(raw[at + 2 : at + 6], 16) & 0x3FF)
            at += 6
        if 0xD800 <= code < 0xE000:
            return None
        out += chr(code).encode()


def _skip_space(data, at):
    while at < len(data) and data[at] in _SPACE:
        at += 1
    return at


def parse(data, at, depth=0):
    """The value that begins at `at`, strictly; faults are SYNTAX at the offending character, or TOO_DEEP."""
    first = data[at : at + 1]
    if first == b'"':
        match = _STRING.match(data, at)
        if not match:
            raise Fault("SYNTAX", at)
        return Node(data, "string", at, match.end(), match.group(1))
    if first in (b"{", b"["):
        if depth == NESTING_MAX:
            raise Fault("TOO_DEEP", at)
        return _parse_container(data, at, depth, first)
    word = _WORD.match(data, at)
    if not word:
        raise Fault("SYNTAX", at)
    if word.group() in (b"true", b"false", b"null"):
        return Node(data, word.group().decode(), at, word.end())
    if not _NUMBER.fullmatch(word.group()):
        raise Fault("SYNTAX", at)
    return Node(data, "number", at, word.end(), word.group())


def _parse_container(data, start, depth, first):
    close, items = (b"}", []) if first == b"{" else (b"]", [])
    at = _skip_space(data, start + 1)
    while data[at : at + 1] != close or items:
        key = None
        if first == b"{":
            if data[at : at + 1] != b'"':
                raise Fault("SYNTAX", at)
            key = parse(data, at, depth + 1)
            at = _skip_space(data, key.end)
            if data[at : at + 1] != b":":
                raise Fault("SYNTAX", at)
            at = _skip_space(data, at + 1)
        node = parse(data, at, depth + 1)
        items.append(node if key is None else (key, node))
        at = _skip_space(data, node.end)
        if data[at : at + 1] == close:
            break
        if data[at : at + 1] != b",":
            raise Fault("SYNTAX", at)
        at = _skip_space(data, at + 1)
    return Node(data, "object" if first == b"{" else "array", start, at + 1, items)


def _end_of_deep(data, start):
    """The end of a value too deep to be read, by its brackets alone, or None."""
    depth = 0
    for match in _BRACKET_OR_STRING.finditer(data, start):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
        if match.group() == b'"':
            break
    return None


def values(data):
    """The stream's values and faults: ("value", node, in_array) or ("fault", status, start, at)."""
    zeros = [byte == 0 for byte in data[:4]]
    alternating = len(zeros) > 1 and zeros[0] != zeros[1] and (len(zeros) < 4 or zeros[2:] == zeros[:2])
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or alternating:
        yield ("fault", "UTF16", 0, 0)
        return
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    in_array, lenient, separated, behind = False, False, False, None
    while True:
        at = _skip_space(data, at)
        char = data[at : at + 1]
        if not char and not in_array:
            return
        if in_array and char == b"]" and not separated:
            in_array, at = False, at + 1
            continue
        if not in_array and lenient and char in (b",", b"]"):
            at += 1
            continue
        if in_array and behind is not None and not separated:
            if char == b",":
                separated, at = True, at + 1
                continue
            yield ("fault", "SYNTAX", at, at)
            at = _line_to_go_on(data, behind)
            in_array, lenient = False, True
            continue
        if not in_array and char == b"[":
            in_array, separated, behind, at = True, False, None, at + 1
            continue
        start = at
        try:
            node = parse(data, start, 1 if in_array else 0)
        except Fault as fault:
            yield ("fault", fault.status, start, fault.at)
            end = _end_of_deep(data, start) if fault.status == "TOO_DEEP" else None
            if end is not None:
                at = behind = end
                separated = False
                continue
            line_end = data.find(b"\n", start)
            at = _line_to_go_on(data, line_end if line_end >= 0 else len(data))
            in_array, lenient = False, lenient or in_array
            continue
        yield ("value", node, in_array)
        at = behind = node.end
        separated = False


def _line_to_go_on(data, at):
    match = _LINE_TO_GO_ON.search(data, at)
    return match.start() if match else len(data)


# ---- Numbers


def number_value(text):
    """A number as a fraction; magnitudes past 10^400 either way are cut to that."""
    mantissa, _, exponent = text.lower().partition(b"e")
    whole, _, fraction = mantissa.lstrip(b"-").partition(b".")
    digits = int(whole + fraction)
    power = int(exponent or b"0") - len(fraction)
    if digits and not -800 < len(str(digits)) + power < 400:
        digits, power = 1, 400 if power > 0 else -800
    value = Fraction(digits) * Fraction(10) ** power
    return -value if text.startswith(b"-") else value


def integer(node, low, high):
    if node.kind != "number":
        raise Fault("KIND", node.start)
    value = number_value(node.value)
    if value.denominator != 1:
        raise Fault("KIND", node.start)
    if not low <= value <= high:
        raise Fault("RANGE", node.start)
    return int(value)


def float_bits(value, negative, width):
    """The bits of a fraction rounded once, ties to even, or None past the largest finite value."""
    precision, least, most = (24, -149, 254) if width == 32 else (53, -1074, 2046)
    value = abs(value)
    exponent = least
    if value:
        guess = value.numerator.bit_length() - value.denominator.bit_length() - precision
        exponent = max(guess, least)
        while value >= Fraction(2) ** (exponent + precision):
            exponent += 1
    scaled = value / Fraction(2) ** exponent
    mantissa = scaled.numerator // scaled.denominator
    rest = scaled - mantissa
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and mantissa % 2):
        mantissa += 1
    # A mantissa that is rounded up to the next power of two carries into the exponent by itself.
    biased = exponent - least
    bits = mantissa if mantissa < 1 << (precision - 1) else (biased << (precision - 1)) + mantissa
    if bits >> (precision - 1) > most:
        return None
    return bits | (negative << (width - 1))


# ---- Messages


def text_of(node, status="KIND"):
    """The bytes of a string."""
    if node.kind != "string":
        raise Fault(status, node.start)
    value = unescape(node.value)
    if value is None:
        raise Fault("ESCAPE", node.start)
    return value


def base64_bytes(node, limit=255):
    text = text_of(node)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Fault("BASE64", node.start) from None
    if base64.b64encode(data) != text:
        raise Fault("BASE64", node.start)
    if limit is not None and len(data) > limit:
        raise Fault("PAYLOAD", node.start)
    return data


def is_invalid(members):
    name = members.get(b"msg_name")
    return name is not None and name.kind == "string" and unescape(name.value) == b"INVALID"


def message_object(node, from_fields=False):
    """The message object in a value and whether it is wrapped."""
    if node.kind != "object":
        raise Fault("NOT_MESSAGE", node.start)
    members = node.members()
    if b"msg_type" in members or is_invalid(members) or (from_fields and b"msg_name" in members):
        return members, False
    data = members.get(b"data")
    if data is not None and data.kind == "object":
        return data.members(), True
    raise Fault("NOT_MESSAGE", node.start)


def needed(members, key):
    if key not in members:
        raise Fault("MISSING")
    return members[key]


def frame_of(node, from_fields=False):
    """The frame of a value, or ("INVALID", bytes) for an INVALID line with a good payload."""
    members, _ = message_object(node, from_fields)
    if is_invalid(members):
        return ("INVALID", base64_bytes(needed(members, b"payload"), None))
    if from_fields:
        return frame_from_fields(members)
    msg_type = integer(needed(members, b"msg_type"), 0, 65535)
    sender = integer(needed(members, b"sender"), 0, 65535)
    return model.pack(msg_type, sender, base64_bytes(needed(members, b"payload")))


def frame_from_fields(members):
    known = model.schema()
    name = "UNKNOWN"
    if b"msg_name" in members:
        if members[b"msg_name"].kind != "string":
            raise Fault("KIND", members[b"msg_name"].start)
        name = (unescape(members[b"msg_name"].value) or b"").decode("utf-8", "replace")
    if b"msg_type" in members:
        msg_type = integer(members[b"msg_type"], 0, 65535)
        message = known.messages.get(msg_type)
        # A name that is not known either agrees with a type that is not: both may be of a private schema.
        differs = message.name != name if message else name in known.by_name
        if name != "UNKNOWN" and differs:
            raise Fault("MISMATCH", members[b"msg_name"].start)
    elif name == "UNKNOWN":
        raise Fault("MISSING")
    else:
        message = known.by_name.get(name)
        if message is None:
            raise Fault("NAME", members[b"msg_name"].start)
        msg_type = message.id
    sender = integer(members[b"sender"], 0, 65535) if b"sender" in members else 0x42
    if message is None:
        return model.pack(msg_type, sender, unknown_payload(needed(members, b"payload")))
    old = base64_bytes(members[b"payload"]) if b"payload" in members else None
    if old is not None and not any(field.name.encode() in members for field in message.fields):
        if len(old) < message.size:
            return model.pack(msg_type, sender, old)
    payload, at = edited_fields(message, members, old, 0)
    if old is not None:
        payload += old[at:]
    if len(payload) > 255:
        raise Fault("PAYLOAD")
    return model.pack(msg_type, sender, payload)


def unknown_payload(node):
    if node.kind != "array":
        return base64_bytes(node)
    if len(node.value) > 255:
        raise Fault("PAYLOAD", node.start)
    return bytes(integer(element, 0, 255) for element in node.value)


def edited_fields(body, members, old, at):
    """The new bytes of a body's fields, and the offset in the old payload behind them. `old` may be None."""
    out = b""
    for index, field in enumerate(body.fields):
        node = members.get(field.name.encode())
        there = old is not None and at <= len(old)
        size, count = model.old_extent(field, old if there else b"", at if there else 0, index == len(body.fields) - 1)
        if node is None:
            if not there or at + size > len(old):
                raise Fault("MISSING")
            out += old[at : at + size]
        elif count is None:
            out += edited_element(field, node, old, at, size)
        else:
            out += edited_array(field, node, old, at, count)
        at += size
    return out, at


def edited_array(field, node, old, at, count):
    if node.kind != "array":
        raise Fault("KIND", node.start)
    if field.repeat != "variable" and len(node.value) != field.repeat:
        raise Fault("COUNT", node.start)
    out = b""
    for i, element in enumerate(node.value):
        step = field.element_size
        out += edited_element(field, element, old if i < count else None, at + i * step, step)
    return out


def edited_element(field, node, old, at, size):
    if not isinstance(field.base, str):
        if node.kind != "object":
            raise Fault("KIND", node.start)
        return edited_fields(field.base, node.members(), old, at)[0]
    kept = None
    if old is not None and at + size <= len(old):
        kept = old[at : at + size]
    if field.base == "string":
        return edited_string(field, node, kept)
    if field.base in ("float", "double"):
        return edited_float(field.base, node, kept)
    return edited_integer(field.base, node, kept)


def edited_string(field, node, kept):
    new = text_of(node)
    if kept is not None and new == model.as_text(kept).encode():
        return kept
    if field.string_size is None:
        return new
    if len(new) > field.string_size:
        raise Fault("STRING", node.start)
    return new.ljust(field.string_size, b"\0")


def edited_float(base, node, kept):
    width, code = (32, "<I") if base == "float" else (64, "<Q")
    infinity, quiet_nan = (0x7F800000, 0x7FC00000) if width == 32 else (0x7FF << 52, 0x7FF8 << 48)
    sign = 1 << (width - 1)
    if node.kind == "null":
        if kept is not None and struct.unpack(code, kept)[0] & infinity == infinity:
            return kept
        return struct.pack(code, quiet_nan)
    if node.kind == "string":
        named = {b"NaN": quiet_nan, b"Infinity": infinity, b"-Infinity": infinity | sign}
        if text_of(node) not in named:
            raise Fault("KIND", node.start)
        return struct.pack(code, named[text_of(node)])
    if node.kind != "number":
        raise Fault("KIND", node.start)
    bits = float_bits(number_value(node.value), node.value.startswith(b"-"), width)
    if bits is None:
        raise Fault("RANGE", node.start)
    return struct.pack(code, bits)


def edited_integer(base, node, kept):
    width = model.NUMBER_SIZES[base] * 8
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if base.startswith("s") else (0, (1 << width) - 1)
    if node.kind == "string" and width == 64:
        text = text_of(node)
        if not re.fullmatch(rb"-?[0-9]+", text):
            raise Fault("KIND", node.start)
        if not low <= int(text) <= high:
            raise Fault("RANGE", node.start)
        return struct.pack(model.NUMBER_FORMATS[base], int(text))
    if node.kind == "number" and width == 64 and kept is not None:
        # What jq before 1.7 prints of a value past 2^53: the double's digits, 17 of them or the shortest.
        wide = float(struct.unpack(model.NUMBER_FORMATS[base], kept)[0])
        if number_value(node.value) in {Fraction(wide), Fraction(repr(wide)), Fraction("%.17g" % wide)}:
            return kept
    return struct.pack(model.NUMBER_FORMATS[base], integer(node, low, high))


# ---- Tools


class Result:
    """What a JSON tool makes of its input: output, the places of its faults, and the exit code."""

    def __init__(self):
        self.out = bytearray()
        self.faults = []  # (status, offset of the value, offset of the fault)
        self.exit = 0


def convert(data, handler, use):
    """Go through the stream: use(node) gives bytes or raises Fault. With to-invalid, useless values are passed on."""
    result = Result()
    for event in values(data):
        try:
            if event[0] == "fault":
                raise Fault(event[1], event[3])
            result.out += use(event[1])
            continue
        except Fault as fault:
            start = event[1].start if event[0] == "value" else event[2]
            result.faults.append((fault.status, start, fault.at if fault.at is not None else start))
            result.exit = 1
            if event[0] == "fault" and fault.status == "UTF16":
                result.exit = 2
            elif handler == "return":
                break
            elif handler == "to-invalid" and event[0] == "value":
                result.out += one_line(event[1].text) + b"\n"
    return result


def json2sbp(data, from_fields=False, handler="skip"):
    def use(node):
        made = frame_of(node, from_fields)
        if isinstance(made, tuple):
            if handler != "to-invalid":
                raise Fault("INVALID", node.start)
            return made[1]
        return made

    return convert(data, "skip" if handler == "to-invalid" else handler, use)


def one_line(text):
    """A value without the line breaks outside strings and the white space after them."""
    pieces = re.split(rb'("(?:[^"\\]|\\.)*")', text)
    return b"".join(piece if i % 2 else re.sub(rb"\r?\n[ \t\r\n]*", b"", piece) for i, piece in enumerate(pieces))


def json2json(data, compat=False, handler="skip"):
    def use(node):
        made = frame_of(node)
        if isinstance(made, tuple):
            raise Fault("INVALID", node.start)
        line = model.line(model.Frame(made), compat)
        if not message_object(node)[1]:
            return line
        others = b"".join(
            b"," + key.text + b":" + one_line(value.text) for key, value in node.value if unescape(key.value) != b"data"
        )
        return b'{"data":' + line[:-1] + others + b"}\n"

    return convert(data, handler, use)
