#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the examples in a folder, and compare what they say with the model.

    tests/package/check.py FOLDER [EXAMPLE..]      without names: all of them
"""
import json
import pathlib
import re
import socket
import struct
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import model  # noqa: E402

LOGS = [ROOT / "test_data" / (name + ".sbp") for name in ("receiver_10hz", "every_message", "damaged", "strings")]
HEARTBEAT, LOG, POS_LLH = 65535, 1025, 522


def run(folder, name, data=b"", *args):
    done = subprocess.run([folder / name, *args], input=data, capture_output=True, timeout=60)
    assert done.returncode == 0, (name, done)
    return done


def same(name, right, got):
    if right != got:
        at = next((i for i, (a, b) in enumerate(zip(right, got)) if a != b), min(len(right), len(got)))
        sys.exit("%s: differs at %d: %r is right, got %r" % (name, at, right[at - 40 : at + 80], got[at - 40 : at + 80]))


def fix(frame):
    """Time of week, latitude and longitude of a MSG_POS_LLH, or None."""
    return struct.unpack("<Idd", frame.payload[:20]) if frame.type == POS_LLH and len(frame.payload) >= 34 else None


def logger(folder, program="logger"):
    for log in LOGS:
        data = log.read_bytes()
        found = model.find_frames(data)
        right = b""
        for frame in found.frames:
            if frame.type == LOG and frame.length >= 1:
                right += b"%d says: %b\n" % (frame.sender, frame.payload[1:].split(b"\0")[0])
            elif fix(frame):
                tow, lat, lon = fix(frame)
                right += b"%.2f s: %.7f, %.7f\n" % (tow / 1000, lat, lon)
        done = run(folder, program, data)
        same(program, right, done.stdout)
        same(program, b"%d with a wrong CRC\n" % found.crc_failures, done.stderr)


def tcp_to_json(folder):
    for log in LOGS:
        data = log.read_bytes()

        def serve(server):
            connection, _ = server.accept()
            with connection:
                for at in range(0, len(data), 777):
                    connection.sendall(data[at : at + 777])

        with socket.create_server(("127.0.0.1", 0)) as server:
            thread = threading.Thread(target=serve, args=[server])
            thread.start()
            done = run(folder, "tcp_to_json", b"", "127.0.0.1", str(server.getsockname()[1]))
            thread.join()
        # Nobody says where the stream ends, so a frame that seems to reach beyond hides those in it.
        right = model.sbp2json(data)
        if model.find_frames(data).truncated:
            right = right[: len(done.stdout)]
            assert len(right) > 0
        same("tcp_to_json", right, done.stdout)


def filter_(folder):
    wanted = {"MSG_POS_LLH": POS_LLH, "MSG_HEARTBEAT": HEARTBEAT}
    for log in LOGS:
        data = log.read_bytes()
        frames = model.find_frames(data).frames
        right = b"".join(frame.bytes for frame in frames if frame.type in wanted.values())
        same("filter", right, run(folder, "filter", data, *wanted).stdout)
    done = subprocess.run([folder / "filter", "MSG_POS_LHL"], input=b"", capture_output=True)
    assert (done.returncode, done.stderr) == (2, b"filter: no message MSG_POS_LHL, is it MSG_POS_LLH\n"), done


def embedded_echo(folder):
    for log in LOGS:
        # Frames that are held back by one that seems longer than the rest come out with more bytes behind.
        data = log.read_bytes() + bytes(300)
        frames = model.find_frames(data).frames
        done = run(folder, "embedded_echo", data)
        same("embedded_echo", b"".join(frame.bytes for frame in frames), done.stdout)
        lamps = [frame.payload[0] & 1 for frame in frames if frame.type == HEARTBEAT and frame.length >= 4]
        same("embedded_echo", b"".join(b"lamp on\n" if on else b"lamp off\n" for on in lamps), done.stderr)


def rows():
    """Rows of the fields of each message and struct, by its name."""
    found = {}
    for path in (ROOT / "schema").glob("*.json"):
        package = json.loads(path.read_text(encoding="utf-8"))
        for row in package.get("structs", []) + package.get("messages", []):
            found[row["name"]] = {field["name"]: field for field in row.get("fields", [])}
    return found


def bits_text(row, number):
    """What each bit field means, where that has a name."""
    text = ""
    for bits in row.get("bits", []):
        first, _, last = bits["bits"].partition("-")
        value = number >> int(first) & (1 << int(last or first) - int(first) + 1) - 1
        name = bits.get("values", {}).get(str(value))
        text += "; %s: %s" % (bits["name"], name) if name else ""
    return text


class Text(str):
    """The text of a number."""


def as_text(value):
    """Values as JSON text, in lists and in tuples of pairs."""
    if isinstance(value, tuple):
        return tuple((key, as_text(inner)) for key, inner in value)
    if isinstance(value, list):
        return [as_text(inner) for inner in value]
    if value is None:
        return "null"
    return str(value) if isinstance(value, Text) else model.quoted(value.encode())


def fields(folder):
    tables = rows()

    def walk(path, members, table):
        for key, value in members:
            row = tables[table][key]
            base = re.match(r"\w+", row["type"]).group()
            if base in tables:
                elements = [value] if isinstance(value, tuple) else value
                for i, element in enumerate(elements):
                    inner = "%s%s." % (path, key) if isinstance(value, tuple) else "%s%s[%d]." % (path, key, i)
                    yield from walk(inner, element, base)
                continue
            is_array = isinstance(value, list)
            text = "[%s]" % ",".join(value) if is_array else value
            units = " " + row["units"] if "units" in row else ""
            bits = bits_text(row, int(value)) if "bits" in row and not is_array else ""
            yield "  %s%s = %s%s%s" % (path, key, text, units, bits)

    for log in LOGS:
        data = log.read_bytes() + bytes(300)
        right = []
        for frame in model.find_frames(data).frames:
            line = model.line(frame).decode()
            members = json.loads(line, object_pairs_hook=tuple, parse_int=Text, parse_float=Text)
            envelope = dict(members[:7])
            right.append("%s from %s" % (envelope["msg_name"], envelope["sender"]))
            right += walk("", as_text(members[7:]), envelope["msg_name"])
        same("fields", "".join(text + "\n" for text in right).encode(), run(folder, "fields", data).stdout)


def fixes(folder):
    for log in LOGS:
        found = model.find_frames(log.read_bytes())
        logs = (frame for frame in found.frames if frame.type == LOG and frame.length >= 1)
        right = b"".join(frame.payload[1:] + b"\n" for frame in logs)
        placed = [frame for frame in found.frames if fix(frame)]
        right += b"".join(b"%d %.7f %.7f\n" % fix(frame) for frame in placed)
        right += model.line(placed[-1]) if placed else b""
        done = run(folder, "fixes", b"", log)
        same("fixes", right, done.stdout)
        same("fixes", b"%d with a wrong CRC\n" % found.crc_failures, done.stderr)
    done = subprocess.run([folder / "fixes", "/nowhere/at all"], capture_output=True)
    assert done.returncode == 1 and b"No such file" in done.stderr, done


def private_message(folder):
    line = run(folder, "private_message").stdout
    assert line.endswith(b'"msg_name":"MSG_PRIVATE","payload":"Bw==","preamble":85,"sender":66,"answer":7}\n'), line


EXAMPLES = {
    "embedded_echo": embedded_echo,
    "fields": fields,
    "filter": filter_,
    "fixes": fixes,
    "logger": logger,
    "private_message": private_message,
    "tcp_to_json": tcp_to_json,
}

if __name__ == "__main__":
    where = pathlib.Path(sys.argv[1]).resolve()
    for example in sys.argv[2:] or sorted(EXAMPLES):
        EXAMPLES[example](where)
    print("%s: right" % where)
