#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What fuzz targets begin with: inputs made of test_data and schema, and dictionaries of the words that count there.

    fuzz_seeds.py FOLDER      writes FOLDER/TARGET/* and FOLDER/TARGET.dict for every target
"""

import json
import pathlib
import re
import struct
import sys

import model

ROOT = pathlib.Path(__file__).resolve().parent.parent
SMALL = 4096


def logs():
    return [path.read_bytes() for path in sorted((ROOT / "test_data").glob("*.sbp")) if path.name != "benchmark.sbp"]


def lines():
    paths = sorted((ROOT / "test_data").glob("*.json"))
    return [line for path in paths for line in path.read_bytes().splitlines(True)]


def fields_alone(line):
    """The line without its payload, so that the fields count."""
    return re.sub(rb'"payload":"[^"]*",', b"", line)


def schema_texts():
    return [path.read_text() for path in sorted((ROOT / "schema").glob("*.json")) if path.name != "meta.schema.json"]


def schema_files():
    """Each message in a file of its own, with the structs of its package that it needs."""
    for package in map(json.loads, schema_texts()):
        structs = {one["name"]: one for one in package.get("structs", [])}
        for message in package.get("messages", []):
            needed, names = [], [message]
            while names:
                for field in names.pop()["fields"]:
                    struct_ = structs.get(field["type"].split("[")[0])
                    if struct_ and struct_ not in needed:
                        needed.insert(0, struct_)
                        names.append(struct_)
            yield json.dumps({"package": package["package"], "structs": needed, "messages": [message]}).encode()


def seeds():
    """(target, input) of all."""
    every = lines()
    for log in logs():
        for at in range(0, len(log), SMALL):
            yield "fuzz_frame", log[at : at + SMALL]
            yield "fuzz_accessors", log[at : at + SMALL]
        for frame in model.find_frames(log).frames:
            head = struct.pack("<HH", frame.type, frame.sender)
            yield "fuzz_roundtrip", b"\x20" + head + frame.payload
            yield "fuzz_library", b"\x03" + head + frame.payload
    for i, line in enumerate(every):
        yield "fuzz_message", line
        yield "fuzz_fields", line
        yield "fuzz_fields", fields_alone(line)
        yield "fuzz_json", bytes([i % 4]) + line
        yield "fuzz_json", bytes([i % 4]) + fields_alone(line)
    for target, first in (("fuzz_message", b""), ("fuzz_json", b"\x02"), ("fuzz_json", b"\x03")):
        for i in range(0, len(every) - 3, 20):
            yield target, first + b"".join(every[i : i + 3])
            yield target, first + b"[" + b",".join(every[i : i + 3]) + b"]"
    for number in sorted(set(re.findall(rb"-?[0-9][0-9.]*(?:e-?[0-9]+)?", b"".join(every)))):
        yield "fuzz_number", number
    for i in range(64):
        yield "fuzz_number", struct.pack("<Q", 1 << i)
    for message in model.schema().messages.values():
        yield "fuzz_library", b"\x04" + message.name.encode()
    for i, text in enumerate(every[::7]):
        for which in (0, 1, 2, 5, 6, 7, 8):
            yield "fuzz_library", bytes([which]) + text[:SMALL].rstrip(b"\n")
    for text in schema_files():
        yield "fuzz_schema", b"\x04" + text
        yield "fuzz_schema", b"\x01" + text
        yield "fuzz_schema", b"\xf3" + text


def words():
    """The words of JSON lines, of schema files, and the headers of frames."""
    known = model.schema()
    names = {message.name for message in known.messages.values()}
    fields = set()
    keys = set()

    def walk(value):
        if isinstance(value, dict):
            keys.update(key for key in value if key.isidentifier())
            for key, member in value.items():
                walk(member)
        elif isinstance(value, list):
            for member in value:
                if isinstance(member, dict) and "type" in member:
                    fields.add(member["name"])
                walk(member)

    walk([json.loads(text) for text in schema_texts()])
    envelope = ["crc", "length", "msg_type", "msg_name", "payload", "preamble", "sender", "data"]
    common = ['"%s":' % key for key in envelope]
    common += ['"INVALID"', '"UNKNOWN"', "null", "1e", "0.5", "\\u0000", "\\ud83d\\ude00"]
    ids = ['"msg_type":%d' % message.id for message in known.messages.values()]
    line_words = common + ['"%s"' % name for name in sorted(names)] + ['"%s":' % name for name in sorted(fields)] + ids
    types = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "float", "double", "string", "[]", "[2]"]
    types += ["unterminated", "null_terminated", "multipart", "double_null_terminated", "MSG_", "SBP"]
    keys |= {"protocol", "version"}
    schema_words = ['"%s":' % key for key in sorted(keys)] + ['"%s"' % word for word in types]
    headers = [b"\x55" + struct.pack("<H", message.id) for message in known.messages.values()]
    return {
        "fuzz_json": line_words,
        "fuzz_message": line_words,
        "fuzz_fields": line_words + ['"NaN"', '"Infinity"', '"-Infinity"'],
        "fuzz_library": sorted(names) + ["\\ud83d", "\\n"],
        "fuzz_schema": schema_words,
        "fuzz_frame": headers,
        "fuzz_accessors": headers,
    }


def entry(word):
    """A line of a dictionary, as libFuzzer and AFL++ read it."""
    data = word if isinstance(word, bytes) else word.encode()
    return '"%s"\n' % "".join(chr(c) if 0x20 <= c < 0x7F and c not in b'"\\' else "\\x%02x" % c for c in data)


if __name__ == "__main__":
    target_folder = pathlib.Path(sys.argv[1])
    for count, (target, data) in enumerate(seeds()):
        (target_folder / target).mkdir(parents=True, exist_ok=True)
        if len(data) <= SMALL:
            (target_folder / target / ("%05d" % count)).write_bytes(data)
    for target, entries in words().items():
        (target_folder / (target + ".dict")).write_text("".join(map(entry, entries)))
