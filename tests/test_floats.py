# SPDX-License-Identifier: MIT
"""Numbers as text, both ways, against independent computations: doubles against Python's repr() and float(), singles
against exact integer arithmetic, layouts against docs/format.md as written down once more here.
"""
import functools
import math
import random
import struct
import subprocess
import sys

import pytest
import tool

DRIVER = [*tool.EMULATOR, str(tool.BIN.parent / "tests" / "number_driver")]

# Precision in bits, exponent of the smallest number, bytes; and the layout's bounds of the point's place.
DOUBLE = {"name": "d", "precision": 53, "least": -1074, "size": 8, "low": -5, "high": 16}
FLOAT = {"name": "f", "precision": 24, "least": -149, "size": 4, "low": -6, "high": 13}
FORMATS = pytest.mark.parametrize("form", [DOUBLE, FLOAT], ids=["double", "float"])


def ask(*arguments, lines=()):
    """What the driver prints, a list of fields for each line."""
    command = DRIVER + [str(a) for a in arguments]
    result = subprocess.run(command, input="".join(line + "\n" for line in lines), capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return [line.split(" ") for line in result.stdout.splitlines()]


def bits_of(form, value):
    return struct.unpack("<Q", struct.pack("<d", value))[0] if form is DOUBLE else float_bits(value)


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def take_apart(form, bits):
    """A finite, positive number as c * 2^q, and whether the next smaller one is only half as far as the next larger."""
    hidden = form["precision"] - 1
    fraction = bits & ((1 << hidden) - 1)
    biased = bits >> hidden
    if biased == 0:
        return fraction, form["least"], False
    return fraction | 1 << hidden, form["least"] + biased - 1, fraction == 0 and biased > 1


# ---- The definition -------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def units(q, k):
    """2^(q - 2) and 10^k as multiples of a common unit."""
    return 2 ** max(q - 2, 0) * 10 ** max(-k, 0), 2 ** max(2 - q, 0) * 10 ** max(k, 0)


def shortest(c, q, irregular, ties_up):
    """Digits and exponent of the shortest decimal that rounds to c * 2^q, by the definition, with exact integers."""
    ends_out = c & 1
    # So small a power of ten has a multiple in the interval.
    k = math.floor((q - 1) * math.log10(2)) - 1
    found = None
    while True:
        scale, unit = units(q, k)
        low = (4 * c - (1 if irregular else 2)) * scale + ends_out
        high = (4 * c + 2) * scale - ends_out
        first = -(-low // unit)
        last = high // unit
        if first > last:
            return found
        below, rest = divmod(4 * c * scale, unit)
        above = below + (2 * rest > unit or (2 * rest == unit and (ties_up or below % 2 == 1)))
        found = min(max(above, first), last), k
        k += 1


def layout(form, negative, digits, k, compat_positional):
    """The text of digits * 10^k. compat_positional is None in the plain form."""
    text = str(digits)
    stripped = text.rstrip("0")
    if stripped:
        k += len(text) - len(stripped)
        text = stripped
    point = len(text) + k
    sign = "-" if negative else ""
    plain = compat_positional is None
    positional = form["low"] < point <= form["high"] if plain else compat_positional
    if not positional:
        return "%s%s%se%d" % (sign, text[0], "." + text[1:] if len(text) > 1 else "", point - 1)
    if k >= 0:
        return sign + text + "0" * k + (".0" if plain else "")
    if point > 0:
        return sign + text[:point] + "." + text[point:]
    return sign + "0." + "0" * -point + text


def expected(form, bits):
    """The plain and the compat text."""
    sign_bit = 8 * form["size"] - 1
    negative = bits >> sign_bit
    magnitude = bits & ((1 << sign_bit) - 1)
    sign = "-" if negative else ""
    if magnitude == 0:
        return [sign + "0.0", sign + "0"]
    c, q, irregular = take_apart(form, magnitude)
    positional = bits_of(form, 0.1) <= magnitude <= bits_of(form, 9999999.0)
    return [
        layout(form, negative, *shortest(c, q, irregular, False), None),
        layout(form, negative, *shortest(c, q, irregular, True), positional),
    ]


def round_to(form, numerator, denominator):
    """The bits of the number nearest to a fraction, ties to even, or None beyond the largest."""
    if numerator == 0:
        return 0
    q = max(numerator.bit_length() - denominator.bit_length() - form["precision"], form["least"])
    while True:
        c, rest = divmod(numerator << max(-q, 0), denominator << max(q, 0))
        if c < 1 << form["precision"]:
            break
        q += 1
    rest *= 2
    half = denominator << max(q, 0)
    c += rest > half or (rest == half and c % 2 == 1)
    hidden = form["precision"] - 1
    bits = (q - form["least"] << hidden) + c
    return bits if bits < ((1 << (8 * form["size"] - 1 - hidden)) - 1) << hidden else None


def decimal_fraction(text):
    """A JSON number without its sign as a numerator and a denominator."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, places = mantissa.partition(".")
    power = int(exponent or "0") - len(places)
    digits = int(whole + places)
    return digits * 10 ** max(power, 0), 10 ** max(-power, 0)


# ---- Writing --------------------------------------------------------------------------------------------------------


def check_written(form, all_bits):
    answers = ask(lines=["%s %x" % (form["name"], bits) for bits in all_bits])
    assert len(answers) == len(all_bits)
    for bits, answer in zip(all_bits, answers):
        assert answer == expected(form, bits), hex(bits)


def test_a_double_has_the_digits_of_its_repr():
    count = tool.times(100_000)
    answers = ask("--random-f64", random.randrange(2**32), count)
    assert len(answers) == count
    for bits, plain, _ in answers:
        text = repr(struct.unpack(">d", bytes.fromhex(bits))[0])
        if text != plain:
            # repr() goes over to exponents at other places, and writes them as e-05 and e+16.
            mantissa, _, exponent = text.lstrip("-").partition("e")
            whole, _, places = mantissa.partition(".")
            k = int(exponent or "0") - len(places)
            assert layout(DOUBLE, text[0] == "-", int(whole + places), k, None) == plain, bits


@FORMATS
def test_a_random_number_has_the_shortest_and_nearest_digits(form):
    count = tool.times(50_000 if form is FLOAT else 25_000)
    answers = ask("--random-f%d" % (8 * form["size"]), random.randrange(2**32), count)
    assert len(answers) == count
    for bits, *texts in answers:
        assert texts == expected(form, int(bits, 16)), bits


@FORMATS
def test_numbers_at_every_edge_have_the_shortest_digits(form):
    hidden = form["precision"] - 1
    sign = 1 << (8 * form["size"] - 1)
    largest = (((1 << (8 * form["size"] - 1 - hidden)) - 1) << hidden) - 1
    edges = {0, 1, 2, 3, largest, (1 << hidden) - 1, 1 << hidden}
    edges.update(biased << hidden for biased in range((largest >> hidden) + 1))
    for exponent in range(-330, 310):
        bits = round_to(form, *decimal_fraction("1e%d" % exponent))
        edges.update([] if bits is None else [bits])
    edges.update(bits_of(form, float(n) / 8) for n in range(1, 4000))
    edges.update(bits_of(form, float(n)) for n in range(1, 2000))
    edges.update(bits_of(form, float(2**form["precision"] + n)) for n in range(-20, 20))
    edges.update(1 << n for n in range(hidden))
    near = {bits + step for bits in edges for step in (-1, 0, 1) if 0 <= bits + step <= largest}
    check_written(form, sorted(near) + [bits | sign for bits in sorted(near)])


def first_in_range(a, m, low, high):
    """The least x >= 0 with low <= a * x mod m <= high, or None; 0 <= a < m, 0 <= low <= high < m."""
    if low == 0:
        return 0
    if a == 0:
        return None
    if 2 * a > m:
        return first_in_range(m - a, m, m - high, m - low)
    x = -(-low // a)
    if a * x <= high:
        return x
    # No multiple of a is in the range: take the least y for which one is in it after y * m more.
    y = first_in_range(-m % a, a, low % a, high % a)
    return None if y is None else -(-(low + m * y) // a)


def near_misses(numerator, denominator, target, first, last):
    """Some x in first .. last for which x * numerator / denominator misses target + a whole number by very little."""
    m = denominator
    for width in range(0, 40, 2):
        reach = (m * 2**width) // (last - first)
        if reach == 0:
            continue
        if 2 * reach >= m:
            return
        low = (target - reach - numerator * first) % m
        high = low + 2 * reach
        ranges = [(low, high)] if high < m else [(low, m - 1), (0, high - m)]
        found = [first_in_range(numerator % m, m, *r) for r in ranges]
        found = [x + first for x in found if x is not None and x + first <= last]
        if found:
            yield from found
            return


@FORMATS
def test_numbers_next_to_a_tie_or_to_an_end_of_an_interval_have_the_shortest_digits(form):
    """For each exponent the mantissas that come nearest: where a product cut off too early would decide wrong."""
    hidden = 1 << (form["precision"] - 1)
    cases = []
    for biased in range(1, 2 ** (8 * form["size"] - form["precision"]) - 1):
        q = form["least"] + biased - 1
        k = math.floor(q * math.log10(2))
        for kk in (k, k + 1):
            # (2c + odd) * 2^(q - 1) / 10^kk next to a whole number; c * 2^q / 10^kk next to a half.
            up = 2 ** max(q - 1, 0) * 10 ** max(-kk, 0)
            m = 2 ** max(1 - q, 0) * 10 ** max(kk, 0)
            for odd, target in ((1, 0), (-1, 0), (0, m)):
                c = near_misses(2 * up, m * (2 if target else 1), target - odd * up, hidden, 2 * hidden - 1)
                cases.extend((biased - 1 << (form["precision"] - 1)) + x for x in c)
    assert len(cases) > 500
    check_written(form, cases)


def test_floats_in_all_their_range_are_right_by_exact_arithmetic_in_c():
    assert len(ask("--sweep-f32", 0, tool.times(500_000), int(2**32 / tool.times(500_000)) or 1)) == 1


def test_the_texts_of_the_contract():
    doubles = """1.0 -0.0 0.00001 9.99999e-6 1000000000000000.0 1e16 9999999999999998.0 5e-324 1.7976931348623157e308
        0.1 0.3 1e23 2e-44 -1.5 123456789.125 1e-7"""
    floats = """0.000001 1e-7 1000000000000.0 1e13 16777216.0 1e-45 3.4028235e38 2798462.2 0.1 -1.0 33554432.0"""
    for form, texts in ((DOUBLE, doubles.split()), (FLOAT, floats.split())):
        lines = ["%s %x" % (form["name"], bits_of(form, float(text))) for text in texts]
        assert [answer[0] for answer in ask(lines=lines)] == texts
    compat = """0 -0 1 0.5 123456.79 1e-2 9.99999e-2 1e7 1.2345678e7 9999999 0.1 100 8388607.5""".split()
    lines = ["f %x" % float_bits(float(text)) for text in compat]
    assert [answer[1] for answer in ask(lines=lines)] == compat
    ties = {2798462.25: ["2798462.2", "2798462.3"], 200025.125: ["200025.12", "200025.13"]}
    assert ask(lines=["f %x" % float_bits(value) for value in ties]) == list(ties.values())
    traps = {"0f800000": "1.2621775e-29", "6b000000": "1.5474251e26", "6c800000": "1.2379401e27"}
    assert [answer[0] for answer in ask(lines=["f " + bits for bits in traps])] == list(traps.values())


@FORMATS
def test_what_is_no_number_is_null(form):
    infinity = bits_of(form, math.inf)
    sign = 1 << (8 * form["size"] - 1)
    lines = ["%s %x" % (form["name"], b) for b in (infinity, infinity | sign, infinity + 1, sign - 1, 2 * sign - 1)]
    assert ask(lines=lines) == [["null", "null"]] * 5


def test_integers_of_every_length_are_plain_decimals():
    values = {0}
    for bits in range(64):
        values.update((1 << bits) + step for step in (-1, 0, 1))
        values.update(random.getrandbits(bits + 1) for _ in range(100))
    for digits in range(20):
        values.update(10**digits + step for step in (-1, 0, 1))
    values.update(range(3000))
    values.update([2**64 - 1, 2**63 - 1, 2**31])
    unsigned = sorted(v for v in values if 0 <= v < 2**64)
    assert ask(lines=["u %d" % v for v in unsigned]) == [[str(v)] for v in unsigned]
    signed = [v for v in unsigned if v < 2**63] + [-v for v in unsigned if v <= 2**63]
    assert ask(lines=["s %d" % v for v in signed]) == [[str(v)] for v in signed]


# ---- Reading --------------------------------------------------------------------------------------------------------


def read_as(text):
    """All that the driver should answer for a number: see number_driver.c. None for a field not to be compared."""
    sign = text.startswith("-")
    mantissa, _, exponent = text.lstrip("-").lower().partition("e")
    whole, _, places = mantissa.partition(".")
    digits = (whole + places).lstrip("0")
    power = int(exponent or "0") - len(places)
    if len(digits) <= 19:
        fields = [digits or "0", power, int(sign), 0]
    else:
        fields = [digits[:19], power + len(digits) - 19, int(sign), int(digits[19:].strip("0") != "")]
    fields[0] = str(int(fields[0]))
    fields[1] = max(min(fields[1], 100_000_000), -100_000_000)
    # An exponent far out is as good as any other that is.
    digits = digits or "0"
    magnitude = power + len(digits)
    if int(digits) == 0 or magnitude < -400:
        numerator, denominator = 0, 1
    elif magnitude > 400:
        numerator, denominator = 10**400, 1
    else:
        numerator, denominator = int(digits) * 10 ** max(power, 0), 10 ** max(-power, 0)
    results = []
    for form in (FLOAT, DOUBLE):
        bits = round_to(form, numerator, denominator)
        if bits is None:
            results.append("-")
        else:
            results.append("%0*x" % (2 * form["size"], bits | sign << (8 * form["size"] - 1)))
    tiny = magnitude < -400 and int(digits) != 0
    is_integer = not tiny and numerator % denominator == 0 and numerator // denominator < 2**64
    results.append(str(numerator // denominator) if is_integer else "-")
    return [str(f) for f in fields] + results


def check_read(texts):
    answers = ask(lines=["r " + text for text in texts])
    assert len(answers) == len(texts)
    for text, answer in zip(texts, answers):
        assert answer == read_as(text), text[:100]


def random_number(rng):
    whole = str(rng.randrange(10 ** rng.choice((1, 1, 2, 3, 7, 12, 19, 22))))
    places = rng.choice((0, 0, 1, 2, 3, 7, 8, 9, 13, 14, 15, 16, 17, 18, 24))
    text = rng.choice(("", "-")) + whole
    if places:
        text += ".%0*d" % (places, rng.randrange(10**places))
    if rng.random() < 0.4:
        text += rng.choice("eE") + rng.choice(("", "+", "-")) + str(rng.randrange(rng.choice((3, 10, 30, 350))))
    return text


def test_random_numbers_are_rounded_once_to_the_nearest():
    rng = random.Random(random.randrange(2**32))
    check_read([random_number(rng) for _ in range(tool.times(50_000))])


def test_python_reads_the_same_doubles():
    rng = random.Random(random.randrange(2**32))
    texts = [random_number(rng) for _ in range(tool.times(50_000))]
    for text, answer in zip(texts, ask(lines=["r " + text for text in texts])):
        bits = "%016x" % bits_of(DOUBLE, float(text))
        assert answer[5] == ("-" if math.isinf(float(text)) else bits), text


@FORMATS
def test_a_number_in_the_middle_between_two_goes_to_the_even_one(form):
    """Written out in full, a little more, a little less, and cut off after any number of digits."""
    rng = random.Random(form["size"])
    hidden = form["precision"] - 1
    largest = (((1 << (8 * form["size"] - 1 - hidden)) - 1) << hidden) - 1
    chosen = [0, 1, 2, (1 << hidden) - 1, 1 << hidden, largest - 1, largest]
    chosen += [rng.randrange(largest) for _ in range(tool.times(150))]
    chosen += [rng.randrange(1 << hidden) for _ in range(tool.times(20))]
    chosen += [bits_of(form, float(rng.randrange(2 ** form["precision"]))) for _ in range(tool.times(50))]
    texts = []
    for bits in chosen:
        c, q, _ = take_apart(form, bits)
        middle, q = 2 * c + 1, q - 1
        digits, power = (middle << q, 0) if q >= 0 else (middle * 5**-q, q)
        full = str(digits)
        texts += ["%se%d" % (full, power), "%s.%se%d" % (full[0], full[1:] + "0", power + len(full) - 1)]
        for delta in (-1, 1):
            texts += ["%de%d" % (digits + delta, power), "%de%d" % (10 * digits + delta, power - 1)]
            texts += ["%de%d" % (digits * 10**n + delta, power - n) for n in (50, 800)]
        for length in (16, 17, 18, 19, 20, 21, 25, 40, 767, 768, 769, 770):
            if length < len(full):
                cut = int(full[:length])
                texts += ["%de%d" % (cut + step, power + len(full) - length) for step in (0, 1)]
        if -30 < power <= 0 and len(full) > -power > 0:
            texts.append(full[:power] + "." + full[power:])
    check_read(texts)


@FORMATS
def test_decimals_of_19_digits_next_to_the_middle_between_two_are_rounded_right(form):
    """For each power of ten those that come nearest to a middle."""
    texts = []
    for power in range(-342, 309):
        numerator, denominator = 10 ** max(power, 0), 10 ** max(-power, 0)
        for first in (10**18, 2 * 10**18, 5 * 10**18):
            q = (first * numerator // denominator or 1).bit_length() - form["precision"]
            if power < 0:
                q = (first * numerator).bit_length() - denominator.bit_length() - form["precision"]
            if q < form["least"]:
                q = form["least"]
            m = denominator * 2 ** max(q, 0)
            up = numerator * 2 ** max(-q, 0)
            if m < 10**20:
                continue
            for x in near_misses(2 * up, 2 * m, m, first, 2 * first - 1):
                texts += ["%de%d" % (x, power), "%d7e%d" % (x, power - 1), "%d0e%d" % (x, power - 1)]
    assert len(texts) > 300
    check_read(texts)


def test_numbers_at_every_edge_are_read_right():
    texts = []
    for exponent in range(-400, 330):
        texts += ["1e%d" % exponent, "9.999e%d" % exponent, "123456789012345678e%d" % exponent]
        texts += ["%se%d" % ("9" * n, exponent) for n in (15, 16, 17, 19, 20, 30)]
    for digits in range(1, 40):
        texts += ["1" + "0" * digits, "9" * digits, "0." + "0" * digits + "1", "0." + "9" * digits, "1." + "0" * digits]
    huge = "9" * 400
    texts += ["0", "-0", "0.0", "-0.0", "0e5", "-0.00e-5", "0e" + huge, "0e-" + huge, "-0.000E+" + huge]
    texts += ["1e" + huge, "1e-" + huge, "-123.456e" + huge, "1e-99999999999", "1e99999999999", "1e+007", "1E-007"]
    texts += ["0." + "0" * 4000 + "1e4001", "1" + "0" * 4000 + "e-4000", "0." + "0" * 4000 + "1" + "0" * 30 + "e4001"]
    texts += ["0." + "0" * 900, "1" * 800, "0." + "1" * 800, "1" * 800 + "e-790"]
    texts += ["1." + "0" * 900 + "1", "1" + "0" * 800 + "e-800"]
    texts += ["2.2250738585072011e-308", "2.2250738585072012e-308"]
    texts += ["2.4703282292062327e-324", "2.4703282292062328e-324"]
    texts += ["1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1.797693134862315807e308"]
    texts += ["3.4028235e38", "3.4028235677973366e38", "3.4028235677973367e38"]
    texts += ["7.006492321624085e-46", "7.1e-46", "7e-46"]
    texts += ["9007199254740993", "9007199254740993.0", "9007199254740992.999999999999", "16777217", "16777217.0"]
    check_read(texts)


def test_integers_may_have_a_point_or_an_exponent():
    texts = ["1025", "1025.0", "1.025e3", "-0", "102500e-2", "0.1025e4", "1025.5", "1e-1", "10e-1", "100000e-5", "-5.0"]
    for value in (2**64 - 1, 2**64, 2**64 + 1, 10**19, 10**20 - 1, 10**20, 18446744073709551609, 2**63):
        digits = str(value)
        texts += [digits + rest for rest in ("", ".0", "0e-1", "000.000e-3", ".5", "e-1", "e1")]
        texts += ["%s.%se%d" % (digits[:at], digits[at:], len(digits) - at) for at in (1, 5, 18)]
        texts += ["0.%se%d" % (digits, len(digits)), "0.000%se%d" % (digits, len(digits) + 3), digits + "." + "0" * 40]
        texts += [digits + "." + "0" * 40 + "1", "-" + digits]
    rng = random.Random(1)
    for _ in range(tool.times(5000)):
        digits = str(rng.randrange(10 ** rng.randrange(1, 22)))
        zeros = rng.randrange(4)
        texts.append("%s%se%d" % (digits, "0" * zeros, rng.randrange(-zeros - 1, 4)))
    check_read(texts)


# ---- Tables ---------------------------------------------------------------------------------------------------------


def test_the_committed_tables_are_what_their_script_makes():
    script = tool.ROOT / "scripts" / "make-number-tables"
    made = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert made.stdout == (tool.ROOT / "libsbp" / "number_tables.c").read_text()
