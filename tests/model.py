# SPDX-License-Identifier: MIT
"""An independent model of sbp2json: frames, lines and their numbers, from the schema files.

It is written for plainness, not for speed, shares nothing with the library but the schema, and says what is right when
the two differ. model_json.py is the other half: JSON to frames.
"""

import base64
import binascii
import functools
import json
import pathlib
import re
import struct

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "schema"
NUMBER_FORMATS = {"u8": "<B", "u16": "<H", "u32": "<I", "u64": "<Q", "s8": "<b", "s16": "<h", "s32": "<i", "s64": "<q"}
NUMBER_SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "s8": 1, "s16": 2, "s32": 4, "s64": 8, "float": 4, "double": 8}
INVALID_CUT = 4096


# ---- The schema


class Field:
    """A field: `base` is a number type, "string" or a Struct. `repeat` is None for one, a count, or "variable"."""

    def __init__(self, row, structs):
        self.name = row["name"]
        base, bracket, count = re.fullmatch(r"(\w+)(?:(\[)(\d*)\])?", row["type"]).groups()
        self.encoding = row.get("encoding", "fixed") if base == "string" else None
        self.bits = row.get("bits", [])
        self.string_size = int(count) if base == "string" and count else None
        if base == "string":
            self.base, self.repeat = base, None
        else:
            self.base = base if base in NUMBER_SIZES else structs[base]
            self.repeat = None if not bracket else int(count) if count else "variable"

    @property
    def element_size(self):
        """The size of one element; of a variable string the least it takes."""
        if self.base == "string":
            least = {"null_terminated": 1, "double_null_terminated": 2}
            return self.string_size if self.string_size is not None else least.get(self.encoding, 0)
        return NUMBER_SIZES[self.base] if isinstance(self.base, str) else self.base.size

    @property
    def size(self):
        """The least number of payload bytes that the field takes."""
        if self.repeat == "variable":
            return 0
        return self.element_size * (1 if self.repeat is None else self.repeat)

    @property
    def is_variable(self):
        return self.repeat == "variable" or (self.base == "string" and self.string_size is None)


class Struct:
    """A struct or the body of a message."""

    def __init__(self, row, structs):
        self.name = row["name"]
        self.id = row.get("id")
        self.fields = [Field(field, structs) for field in row.get("fields", [])]
        self.size = sum(field.size for field in self.fields)


class Schema:
    def __init__(self, folder=SCHEMA):
        rows, messages = {}, []
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            package = json.loads(path.read_text(encoding="utf-8"))
            if "package" in package:
                rows.update((row["name"], row) for row in package.get("structs", []))
                messages += package.get("messages", [])
        self.structs = _Structs(rows)
        self.messages = {row["id"]: Struct(row, self.structs) for row in messages}
        self.by_name = {message.name: message for message in self.messages.values()}
        self.version = json.loads((pathlib.Path(folder) / "protocol.json").read_text())["version"]


class _Structs(dict):
    """Structs by name, made when first asked for, since they may stand in any order and file."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def __missing__(self, name):
        self[name] = Struct(self.rows[name], self)
        return self[name]


@functools.lru_cache(maxsize=1)
def schema():
    return Schema()


# ---- Frames


def crc16(data):
    """CRC-16/XMODEM, by the standard library; test_model.py checks it against the definition."""
    return binascii.crc_hqx(bytes(data), 0)


def pack(msg_type, sender, payload):
    """The frame of a payload."""
    body = struct.pack("<HHB", msg_type, sender, len(payload)) + bytes(payload)
    return b"\x55" + body + struct.pack("<H", crc16(body))


class Frame:
    def __init__(self, data, offset=0):
        self.offset = offset
        self.type, self.sender, self.length = struct.unpack_from("<HHB", data, offset + 1)
        self.end = offset + self.length + 8
        self.payload = bytes(data[offset + 6 : self.end - 2])
        self.crc = struct.unpack_from("<H", data, self.end - 2)[0]
        self.bytes = bytes(data[offset : self.end])


class Found:
    """What a search found: the frames in order, the runs of other bytes as (offset, length), and counts."""

    def __init__(self):
        self.frames = []
        self.runs = []
        self.crc_failures = 0
        self.truncated = 0

    @property
    def lost(self):
        return sum(length for _, length in self.runs)


def find_frames(data):
    found, size, behind, at = Found(), len(data), 0, 0
    while True:
        at = data.find(b"\x55", at)
        if at < 0:
            break
        end = at + 8 + data[at + 5] if at + 5 < size else size + 1
        if end > size:
            found.truncated += 1
        elif data[at + 1 : at + 8] == bytes(7):
            pass
        elif crc16(data[at + 1 : end - 2]) != data[end - 2] | data[end - 1] << 8:
            found.crc_failures += 1
        else:
            if at > behind:
                found.runs.append((behind, at - behind))
            found.frames.append(Frame(data, at))
            behind = at = end
            continue
        at += 1
    if size > behind:
        found.runs.append((behind, size - behind))
    return found


# ---- Numbers


@functools.lru_cache(maxsize=1 << 18)
def shortest_digits(mantissa, exponent, lower_is_near, ties_up):
    """(digits, k): the shortest digits * 10^k that reads back as mantissa * 2^exponent, by exact integers.

    `lower_is_near`: the number below is half as far as the one above (mantissa a power of two, not the least exponent).
    """
    inclusive = mantissa % 2 == 0
    value, upper, lower = 4 * mantissa, 4 * mantissa + 2, 4 * mantissa - (1 if lower_is_near else 2)
    up, down = 1 << max(exponent - 2, 0), 1 << max(2 - exponent, 0)
    power = _floor_log10(value * up, down)
    for count in range(1, 18):
        k = power - count + 1
        unit, whole = up * 10 ** max(-k, 0), down * 10 ** max(k, 0)
        best = None
        floor = value * unit // whole
        for digits in (floor, floor + 1):
            if inclusive:
                inside = lower * unit <= digits * whole <= upper * unit
            else:
                inside = lower * unit < digits * whole < upper * unit
            distance = abs(digits * whole - value * unit)
            if inside and digits > 0:
                wanted = best is None or distance < best[0]
                tie = best is not None and distance == best[0]
                if wanted or (tie and (ties_up or digits % 2 == 0)):
                    best = (distance, digits)
        if best:
            text = str(best[1])
            stripped = text.rstrip("0")
            return stripped, k + len(text) - len(stripped)
    raise AssertionError("seventeen digits are enough")


def _floor_log10(numerator, denominator):
    power = len(str(numerator)) - len(str(denominator))
    return power - (numerator * 10 ** max(-power, 0) < denominator * 10 ** max(power, 0))


@functools.lru_cache(maxsize=1 << 18)
def float_text(bits, width, compat):
    """The JSON text of a float of 32 or 64 bits."""
    mantissa_bits, bias = (23, 150) if width == 32 else (52, 1075)
    sign = "-" if bits >> (width - 1) else ""
    fraction = bits & ((1 << mantissa_bits) - 1)
    biased = (bits & ((1 << (width - 1)) - 1)) >> mantissa_bits
    if biased == (1 << (width - 1 - mantissa_bits)) - 1:
        return "null"
    if biased == 0 and fraction == 0:
        return sign + ("0" if compat else "0.0")
    mantissa, exponent = (fraction, 1 - bias) if biased == 0 else (fraction | 1 << mantissa_bits, biased - bias)
    digits, k = shortest_digits(mantissa, exponent, fraction == 0 and biased > 1, compat)
    kk = len(digits) + k
    if compat:
        tenth = 0x3DCCCCCD if width == 32 else 0x3FB999999999999A
        seven_nines = 0x4B18967F if width == 32 else 0x416312CFE0000000
        positional = tenth <= bits & ((1 << (width - 1)) - 1) <= seven_nines
    else:
        high, low = (13, -6) if width == 32 else (16, -5)
        positional = low < kk <= high
    if not positional:
        return "%s%s%se%d" % (sign, digits[0], "." + digits[1:] if len(digits) > 1 else "", kk - 1)
    if k >= 0:
        return sign + digits + "0" * k + ("" if compat else ".0")
    if kk > 0:
        return sign + digits[:kk] + "." + digits[kk:]
    return sign + "0." + "0" * -kk + digits


# ---- Lines

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPES = {**{chr(code): "\\u%04x" % code for code in range(32)}, **_ESCAPES}
_ESCAPED = re.compile(r'[\x00-\x1f"\\]')


def as_text(data):
    """What the bytes of a string field print as, before escaping: one U+FFFD per maximal valid prefix."""
    return bytes(data).decode("utf-8", "replace")


def quoted(data):
    return '"' + _ESCAPED.sub(lambda match: _ESCAPES[match.group()], as_text(data)) + '"'


def number_text(base, data, compat):
    if base == "float":
        return float_text(struct.unpack("<I", data)[0], 32, compat)
    if base == "double":
        return float_text(struct.unpack("<Q", data)[0], 64, compat)
    return str(struct.unpack(NUMBER_FORMATS[base], data)[0])


def old_extent(field, data, at, is_last):
    """How many bytes of a payload, from `at` on, a field takes, and the count of its elements (None for one)."""
    if field.repeat == "variable":
        count = max(len(data) - at, 0) // field.element_size
        return count * field.element_size, count
    if field.is_variable:
        end = data.find(b"\0", at) + 1 if field.encoding == "null_terminated" and not is_last else 0
        return (end or len(data)) - at, None
    return field.size, field.repeat


def _element_text(field, data, compat):
    if field.base == "string":
        return quoted(data)
    if isinstance(field.base, str):
        return number_text(field.base, data, compat)
    return "{" + ",".join(_members(field.base, data, compat)) + "}"


def _members(body, data, compat):
    at, texts = 0, []
    for index, field in enumerate(body.fields):
        size, count = old_extent(field, data, at, index == len(body.fields) - 1)
        if count is None:
            text = _element_text(field, data[at : at + size], compat)
        else:
            step = field.element_size
            elements = (data[at + i * step : at + (i + 1) * step] for i in range(count))
            text = "[" + ",".join(_element_text(field, element, compat) for element in elements) + "]"
        texts.append('"%s":%s' % (field.name, text))
        at += size
    return texts


def line(frame, compat=False, known=None):
    """The line of a frame, its line feed included."""
    message = (known or schema()).messages.get(frame.type)
    parts = [
        '"crc":%d' % frame.crc,
        '"length":%d' % frame.length,
        '"msg_type":%d' % frame.type,
        '"msg_name":"%s"' % (message.name if message else "UNKNOWN"),
        '"payload":"%s"' % base64.b64encode(frame.payload).decode(),
        '"preamble":85',
        '"sender":%d' % frame.sender,
    ]
    if message and len(frame.payload) >= message.size:
        parts += _members(message, frame.payload, compat)
    return ("{" + ",".join(parts) + "}\n").encode()


def invalid_lines(data):
    """The lines of a run of bytes outside frames."""
    pieces = (data[at : at + INVALID_CUT] for at in range(0, len(data), INVALID_CUT))
    return b"".join(b'{"msg_name":"INVALID","payload":"%s"}\n' % base64.b64encode(piece) for piece in pieces)


def sbp2json(data, compat=False, handler="skip"):
    """What sbp2json writes for these bytes."""
    found = find_frames(data)
    if handler == "return" and found.runs:
        return b"".join(line(frame, compat) for frame in found.frames if frame.offset < found.runs[0][0])
    pieces = [(frame.offset, line(frame, compat)) for frame in found.frames]
    if handler == "to-invalid":
        pieces += [(offset, invalid_lines(data[offset : offset + length])) for offset, length in found.runs]
    return b"".join(text for _, text in sorted(pieces))
