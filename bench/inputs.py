# SPDX-License-Identifier: MIT
"""The logs and JSON files that bench/run measures with, made in a folder and kept there for the next run.

The receiver's log is test_data/benchmark.sbp, which the build makes, repeated; the JSON forms hold its messages, fewer
times repeated. All is the same on every machine: generators are seeded.
"""
import hashlib
import itertools
import json
import pathlib
import random
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import model  # noqa: E402

RECEIVER = ROOT / "test_data" / "benchmark.sbp"
SENDER = 0x1000
WEEK = 2222


# ---- A log of observations and corrections


def _pick(rng, *limits):
    """A number between each two limits."""
    return [rng.randint(low, high) for low, high in zip(limits[::2], limits[1::2])]


def _observation(rng, satellite, code):
    pseudorange, carrier = rng.randint(1000000000, 1400000000), rng.randint(90000000, 140000000)
    return struct.pack("<IiBhBBBBBB", pseudorange, carrier, *_pick(rng, 0, 255, -4000, 4000, 0, 255),
                       *_pick(rng, 120, 210, 0, 15), 15, satellite, code)


def _synthetic_observation(rng, satellite, code):
    pseudorange, carrier = rng.randint(1000000000, 1400000000), rng.randint(90000000, 140000000)
    return struct.pack("<IiBBBBBHHH", pseudorange, carrier, *_pick(rng, 0, 255, 0, 15), 31, satellite, code,
                       *_pick(rng, 1, 400, 1, 200, 1, 300))


def _corrections(size):
    """What a base station and a correction service send, about `size` bytes."""
    rng = random.Random(5)
    out = bytearray()
    systems = [(0, 14, range(1, 33)), (14, 20, range(1, 37)), (12, 13, range(1, 47)), (3, 4, range(1, 25))]

    def send(name, head, elements=b""):
        out.extend(model.pack(model.schema().by_name[name].id, SENDER, head + elements))

    def send_in_parts(name, tow, elements):
        each = (255 - 11) // len(elements[0])
        parts = [elements[at : at + each] for at in range(0, len(elements), each)]
        for index, part in enumerate(parts):
            head = struct.pack("<IiHB", tow * 1000, rng.randint(-400, 400), WEEK, len(parts) << 4 | index)
            send(name, head, b"".join(part))

    for second in itertools.count():
        tow = 345600 + second
        seen = [(code, satellite) for first, other, satellites in systems
                for satellite in rng.sample(satellites, 9) for code in (first, other)]
        send_in_parts("MSG_OBS", tow, [_observation(rng, satellite, code) for code, satellite in seen])
        if second % 2 == 0:
            send_in_parts("MSG_OSR", tow, [_synthetic_observation(rng, satellite, code) for code, satellite in seen])
        if second % 5 == 0:
            for code, satellite in seen[::2]:
                time = struct.pack("<IHBB", tow, WEEK, satellite, code)
                send("MSG_SSR_ORBIT_CLOCK", time + struct.pack(
                    "<BBI9i", 5, second % 16, rng.randint(0, 1000), *_pick(rng, *(-30000, 30000) * 3),
                    *_pick(rng, *(-900, 900) * 3), rng.randint(-90000, 90000), 0, 0))
                biases = [struct.pack("<Bh", code + k, rng.randint(-9000, 9000)) for k in range(4)]
                send("MSG_SSR_CODE_BIASES", time + bytes([5, second % 16]), b"".join(biases))
                biases = [struct.pack("<BBBBi", code + k, k % 2, 2, *_pick(rng, 0, 255, -90000, 90000)) for k in range(4)]
                head = struct.pack("<BBBBHb", 5, second % 16, 0, 1, *_pick(rng, 0, 65535, -128, 127))
                send("MSG_SSR_PHASE_BIASES", time + head, b"".join(biases))
        if second % 10 == 0:
            bounds = struct.pack("<IHBBBB", tow, WEEK, 1, 0, 10, 1)
            stec = [struct.pack("<BBB4h", satellite, code % 5, *_pick(rng, 0, 63, *(-9000, 9000) * 4))
                    for code, satellite in seen[::4]]
            send("MSG_SSR_STEC_CORRECTION", bounds + struct.pack("<BHHB", 1, 7, 12, len(stec)), b"".join(stec))
            for point in range(8):
                head = struct.pack("<HHIHHHBBB", 7, 12, tow, WEEK, 8, point, 10, 1, 35)
                delay = struct.pack("<HhbB", point, *_pick(rng, -900, 900, -60, 60, 0, 60))
                residuals = [struct.pack("<BBhB", satellite, code % 5, *_pick(rng, -3000, 3000, 0, 99))
                             for code, satellite in seen[::3]]
                send("MSG_SSR_GRIDDED_CORRECTION", head + delay, b"".join(residuals))
            limits = [bytes([satellite, *_pick(rng, *(0, 255) * 8)]) for _, satellite in seen[::4]]
            send("MSG_SSR_ORBIT_CLOCK_BOUNDS", bounds + bytes([1, 0, len(limits)]), b"".join(limits))
        if len(out) >= size:
            return bytes(out)


# ---- The same messages in another order


def _shuffled(log):
    frames, at = [], 0
    while at < len(log):
        end = at + 8 + log[at + 5]
        frames.append(log[at:end])
        at = end
    random.Random(6).shuffle(frames)
    return b"".join(frames)


# ---- Forms of JSON

_compact = json.JSONEncoder(separators=(",", ":")).encode
_compact_sorted = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode
_sorted = json.JSONEncoder(sort_keys=True).encode


def _in_random_order(rng, value):
    """The members of all objects inside a value in random order."""
    if isinstance(value, list):
        return [_in_random_order(rng, element) for element in value]
    if not isinstance(value, dict):
        return value
    return {key: _in_random_order(rng, value[key]) for key in rng.sample(list(value), len(value))}


def _random_lines(messages, copies):
    """Lines whose keys stand in a random order, which is a new one in each copy for the outer keys."""
    rng = random.Random(7)
    rows = []
    for message in messages:
        members = _in_random_order(rng, message).items()
        rows.append(['"%s":%s' % (key, _compact(value)) for key, value in members])
    for _ in range(copies):
        # Sorting by random keys is the fastest way to shuffle a short list.
        orders = (sorted(row, key=lambda _: rng.random()) for row in rows)
        yield "".join("{" + ",".join(row) + "}\n" for row in orders).encode()


def _wrapped(messages):
    """Lines as a console logs them: when, and the message without its fields."""
    keys = ("crc", "length", "msg_type", "payload", "preamble", "sender")
    for number, message in enumerate(messages):
        time = "2022-08-08T18:%02d:%02d.%03d" % (number // 10200 % 60, number // 170 % 60, number % 1000)
        yield _compact({"time": time, "data": {key: message[key] for key in keys}}) + "\n"


# ---- Files


class Inputs:
    """Paths of the inputs, and what is in them."""

    def __init__(self, folder, tools, log_copies, json_copies):
        self.folder, self.tools = folder, tools
        self.log_copies, self.json_copies = log_copies, json_copies
        self.sizes = {}
        self.messages = {}

    def path(self, name):
        return self.folder / name

    def _to_json(self, log):
        return subprocess.run([self.tools / "sbp2json", log], check=True, stdout=subprocess.PIPE).stdout

    def _write(self, name, parts, messages):
        with open(self.path(name), "wb") as file:
            for part in parts:
                file.write(part)
        self._know(name, messages)

    def _know(self, name, messages):
        self.sizes[name] = self.path(name).stat().st_size
        self.messages[name] = messages

    def make(self):
        """Make what is missing, or all if something that it depends on has changed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        sources = [RECEIVER, pathlib.Path(__file__)]
        key = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
        key += " %d %d" % (self.log_copies, self.json_copies)
        known = self.path("inputs.json")
        if known.exists():
            stored = json.loads(known.read_text())
            if stored["key"] == key and all(self.path(name).exists() for name in stored["sizes"]):
                self.sizes, self.messages = stored["sizes"], stored["messages"]
                return
        self._make_all()
        known.write_text(json.dumps({"key": key, "sizes": self.sizes, "messages": self.messages}))

    def _make_all(self):
        log, copies = RECEIVER.read_bytes(), self.json_copies
        corrections = _corrections(len(log))
        for name, one in (("receiver", log), ("corrections", corrections)):
            frames = model.find_frames(one).frames
            count = len(frames)
            self._write(name + ".sbp", itertools.repeat(one, self.log_copies), count * self.log_copies)
            self._write(name + "_part.sbp", itertools.repeat(one, copies), count * copies)
            lines = self._to_json(self.path(name + "_part.sbp"))
            self._write(name + "_part.json", [lines], count * copies)
            if name == "corrections":
                self._write("one_corrections.sbp", [one], count)
            else:
                self._write("short.sbp", [one[: frames[count // 10].offset]], count // 10)
                self._write("receiver.json", [self._to_json(self.path("receiver.sbp"))], count * self.log_copies)
                one_copy = lines[: len(lines) // copies]
        shuffled = _shuffled(log * self.log_copies)
        self._write("shuffled.sbp", [shuffled], self.messages["receiver.sbp"])
        self._write("shuffled_part.sbp", [_shuffled(log * copies)], self.messages["receiver_part.sbp"])
        self._write("shuffled_part.json", [self._to_json(self.path("shuffled_part.sbp"))],
                    self.messages["receiver_part.sbp"])

        messages = [json.loads(line) for line in one_copy.splitlines()]
        spaced = "".join(_sorted(message) + "\n" for message in messages).encode()
        compact = "".join(_compact_sorted(message) + "\n" for message in messages).encode()
        wrapped = "".join(_wrapped(messages)).encode()
        for name, one in (("one_lines", one_copy), ("one_sorted", compact)):
            self._write(name + ".json", [one], len(messages))
        for name, one in (("sorted", compact), ("sorted_spaced", spaced), ("wrapped", wrapped)):
            self._write(name + ".json", itertools.repeat(one, copies), len(messages) * copies)
        in_random_order = _random_lines(messages, copies)
        first = next(in_random_order)
        self._write("one_random.json", [first], len(messages))
        self._write("random.json", itertools.chain([first], in_random_order), len(messages) * copies)

    def add_log(self, path):
        """A log of the user's, repeated until it is large, and its JSON; returns its name here."""
        name = "log_" + hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]
        one = path.read_bytes()
        copies = max(1, round(self.sizes["receiver.sbp"] / max(len(one), 1)))
        self._write(name + ".sbp", itertools.repeat(one, copies), 0)
        with open(self.path(name + ".json"), "wb") as lines:
            subprocess.run([self.tools / "sbp2json", self.path(name + ".sbp")], stdout=lines, stderr=subprocess.DEVNULL)
        with open(self.path(name + ".json"), "rb") as lines:
            count = sum(block.count(b"\n") for block in iter(lambda: lines.read(1 << 20), b""))
        self._know(name + ".sbp", count)
        self._know(name + ".json", count)
        return name
