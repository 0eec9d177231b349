# SPDX-License-Identifier: MIT
"""What bench/run writes: RESULTS.md and results.svg."""
import datetime
import html
import os
import platform
import re

BARS = ("#2f6f9f", "#9fc3dc", "#c0392b", "#333333")


def _table(head, rows):
    """A Markdown table; the first column is text, all others are numbers."""
    lines = ["| %s |" % " | ".join(head), "|---|%s" % ("---:|" * (len(head) - 1))]
    return "\n".join(lines + ["| %s |" % " | ".join(row) for row in rows]) + "\n"


def _code(text, language="sh"):
    return "```%s\n%s\n```\n" % (language, text)


def _seconds(value):
    return "%.3f" % value if value < 1 else "%.2f" % value


def _times(value):
    return "" if value is None else "%.1f" % value


# ---- The machine


def _cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return re.search(r"^(?:model name|Model)\s*:\s*(.*)$", file.read(), re.M).group(1)
    except (OSError, AttributeError):
        return platform.processor() or "unknown"


def _instructions():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = set(re.search(r"^(?:flags|Features)\s*:\s*(.*)$", file.read(), re.M).group(1).split())
    except (OSError, AttributeError):
        return ""
    return ", ".join(flag for flag in ("avx2", "pclmulqdq", "asimd", "pmull") if flag in flags)


def _machine(bench, load, seconds):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    rows = [
        ("processor", ", ".join(filter(None, (_cpu_model(), "%d cores" % os.cpu_count(), _instructions())))),
        ("memory", "%.1f GB" % memory),
        ("system", "%s, %s %s" % (bench.output(". /etc/os-release && echo $PRETTY_NAME"), platform.system(),
                                  platform.release())),
        ("date", "%s UTC, %d minutes; load before: %.1f" % (
            datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"), round(seconds / 60), load)),
        ("sbpkit", "%s, commit %s, %s" % (
            bench.output("sbp2json --version"), bench.output("git describe --always --dirty"),
            bench.output("gcc --version | head -n 1"))),
        ("peers", "; ".join(filter(None, (
            bench.output("%s/sbp2json --version" % bench.rust) if (bench.rust / "sbp2json").exists() else None,
            bench.output("%s/pip list 2>/dev/null | awk '$1 == \"sbp\" { print \"Python sbp\", $2 }'" % bench.python)
            if bench.python.exists() else None,
            bench.output("jq --version"))))),
        ("timer", bench.output("hyperfine --version")),
    ]
    return "| | |\n|---|---|\n" + "".join("| %s | %s |\n" % row for row in rows)


# ---- Sections


def _targets(targets):
    words = {True: "held", False: "**missed**", None: "not measured"}
    rows = [(target.text, target.wanted, target.measured, words[target.held]) for target in targets]
    missed = sum(target.held is False for target in targets)
    unknown = sum(target.held is None for target in targets)
    return "%d of %d held, %d missed, %d not measured.\n\n" % (
        sum(target.held is True for target in targets), len(targets), missed, unknown
    ) + _table(("what", "wanted", "measured", ""), rows)


def _group(group):
    by_wall = getattr(group, "by_wall", False)
    rows = []
    for case in group.cases:
        used = case.wall if by_wall else case.cpu
        rate = "%.2f" % (group.json_bytes / used / 1e9) if used > 0 else ""
        output = {True: "same", False: "**differs**", None: ""}[case.same]
        ratio = "1" if case is group.peer else _times(group.ratio(case, "wall" if by_wall else "cpu"))
        rows.append((case.name, _seconds(case.cpu), _seconds(case.wall), "%.0f" % (case.cpu / group.messages * 1e9), rate,
                     " + ".join("%.1f" % peak for peak in case.peaks), ratio, output))
    kind = "wall" if by_wall else "CPU"
    head = ("", "CPU s", "wall s", "ns a message", "GB/s", "peak MB", "times Rust, " + kind, "output")
    text = "### %s\n\n%s messages, %.0f MB of JSON%s\n\n" % (
        group.title, "{:,}".format(group.messages), group.json_bytes / 1e6,
        ". " + group.note if group.note else ".")
    if group.peer is None:
        head = head[:6] + head[7:]
        rows = [row[:6] + row[7:] for row in rows]
    if not any(row[-1] for row in rows):
        head, rows = head[:-1], [row[:-1] for row in rows]
    commands = "\n".join(case.command() for case in group.cases)
    return text + _table(head, rows) + "\n" + _code(commands)


def start(medians, limit, command):
    """The section on empty input."""
    rows = [(name, "%.2f" % median) for name, median in medians]
    return ("Nothing on standard input, medians; at most %.2f ms was wanted (1.3 times `/bin/true` and 1 ms).\n\n" % limit
            + _table(("", "ms"), rows) + "\n" + _code(command))


def _streams(rows):
    table = _table(("", "GB", "peak MB", "seconds"),
                   [(name, "%.1f" % size, "%.1f" % peak, "%.1f" % seconds) for name, size, peak, seconds, _ in rows])
    return table + "\n" + _code("\n".join(row[-1] for row in rows))


def _pipelines(result):
    if result is None:
        return "Not measured: the user nobody cannot read the build.\n"
    count, waiting, same, seconds, command = result
    return (
        "%d pipelines are started by a user without privileges, who may have 64 MiB of pipes in all and so cannot make "
        "all of them larger. Each waits with all its programs running until a gate opens; %d were waiting then. %d "
        "brought the log back the same, the last one %.1f seconds after the gate had opened.\n\n" % (
            count, waiting, same, seconds) + _code(command))


# ---- Stages and design pairs

PAIRS_TEXT = """The published figures are those of other programs in other languages, so no more than the direction is the
same:

- *A nested part*, 1.3: a JavaScript reader, where a new reader is an object that is collected later. Here one on the stack
  is a few stores; one from `malloc` costs no less than there. sbpkit has one cursor, and since all of a struct has a fixed
  size, no end to move.
- *Options*, 1.7: the same reader. Here they are three booleans beside the cursor, in the cache and always predicted, so
  nothing much is left to gain. sbpkit hands them down as plain arguments.
- *A number by its type*, 3.9: the same reader. What an engine puts in line of a switch it cannot of an unknown function; a
  processor predicts the indirect call as well as the switch's indirect jump, and what remains is the call. sbpkit's walker
  has a switch.
- *What is made of a message*, 3.0 (556 to 185 ns): a message broker, which went from objects that are built and destroyed
  one by one to views and an arena. Views are what sbpkit has, and where the gain is. The arena alone gains little over an
  allocator that caches by size, because a message here has few parts.
- *A message that is read and kept*, 2.5 (933 to 380 ns a message): a message bus, whose other work stays the same either way
  and hides what the copies alone cost. sbpkit's headers are borrowed, and sbp_frame_take() makes a frame one's own in one
  piece.

They are of 100,000 messages, the log's first 1000 again and again, so that they come from the cache, as they do where the
CRC has just been checked.
"""


def _owned(parts):
    text = (
        "Design pair 1. A converter that owns its messages: it decodes arrays and strings into buffers that grow element by "
        "element, encodes the message again and frees all. The buffers' first capacity, in bytes, under three allocators; "
        "in brackets, times the first row of the system's allocator.\n\n")
    for columns, requests, medians in parts:
        names = list(columns)
        starts = list(requests)
        base = medians[(starts[0], names[0])]
        rows = [[start, requests[start]] + ["%.1f (%.2f)" % (medians[(start, name)], base / medians[(start, name)])
                                            for name in names] for start in starts]
        text += _table(["first capacity", "requests a message"] + ["ns a message, " + name for name in names], rows)
        text += "\n" + _code("\n".join(columns.values())) + "\n"
    columns, requests, medians = parts[0]
    exact, at_128 = medians[("0", "system")], medians[("128", "system")]
    saved = float(requests["0"]) - float(requests["128"])
    text += (
        "Published, of a Rust converter there and back: 2.4 times faster (1.755 to 0.718 s for 60,000 messages) by buffers "
        "that never start under 128, then 1.12 to 1.18 times by mimalloc. Here, on the receiver's log: %.2f times by 128 "
        "bytes" % (exact / at_128))
    if "mimalloc" in columns:
        text += ", then %.2f times by mimalloc (below 1 is slower)" % (at_128 / medians[("128", "mimalloc")])
    text += ". Why it differs: the gain is the requests that are saved, %.1f a message here" % saved
    if exact > at_128:
        text += ", at %.0f ns each; the published 17,000 ns a message would be some %d of them" % (
            (exact - at_128) / saved, round(17000 / ((exact - at_128) / saved), -1))
    text += (
        ". So that program probably grew far more from nothing than arrays and strings of messages, which is all that "
        "grows in this one. And an allocator can only save what is spent on requests: with one or two a message, freed at "
        "once, the system's has the right block at hand. Beyond 64 bytes little is left to gain; sbpkit starts at 128, "
        "which is near the best with each allocator, and its tools ask for no memory for a message.\n")
    return text


def _micro(parts):
    text = "The program, and all its modes:\n\n" + _code(parts["compile"])
    for key, title in (("stages", "Stages, a receiver's log"), ("corrections", "Stages, observations and corrections")):
        command, output = parts[key]
        text += "\n### %s\n\n%s\n%s" % (title, output.rstrip() + "\n", _code(command))
    text += (
        "\nStages that are measured alone run from the cache and with all branches learned, so their sum is not the "
        "whole.\n")
    text += "\n### Buffers that start small\n\n" + _owned(parts["owned"])
    text += "\n### Other design pairs\n\nThe first way is what sbpkit does; *published* is the ratio elsewhere.\n"
    for key, log in (("pairs", "A receiver's log:"), ("corrections pairs", "Observations and corrections:")):
        command, output = parts[key]
        text += "\n%s\n\n%s\n%s" % (log, output.rstrip() + "\n", _code(command))
    return text + "\n" + PAIRS_TEXT


HEAD = """# How fast sbpkit is

All of this page and its plot is written by [`bench/run`](run); `bench/profile` shows where the time goes.

"""

METHOD = """## How it is measured

Each table is one run: hyperfine times each command once (`hyperfine --runs 1 COMMAND..`), all commands in turn, and again,
so that whatever disturbs the machine disturbs them all; {slow} turns for the slow programs, {fast} for the fast ones, and medians
of them. CPU is user and system time. GB/s is of JSON: by CPU time, in the tables of pipelines by wall time. Peak is the
largest resident memory of a program (`/usr/bin/time`), from a run before the measurement, in which the output was also
compared: *same* as what it should be.

Commands run in the repository's root with `PATH={path}:$PATH`. The inputs are in `{folder}`, and [`inputs.py`](inputs.py)
makes them:

- `receiver.sbp`: the 10 Hz log `test_data/benchmark.sbp` {log_copies} times ({size:.0f} MB, {messages:,} messages);
  `receiver_part.*` {json_copies} times;
- `shuffled.sbp`: its messages in random order; `shuffled_part.*` the same of the part;
- `corrections.sbp`: MSG_OBS, MSG_OSR and SSR messages; `corrections_part.*` less of it;
- `sorted.json`, `sorted_spaced.json`: the lines of the part as Python's `json.dumps(sort_keys=True)` writes them, without
  and with its spaces; `random.json`: the keys of each line in an order of its own;
- `short.sbp`: a tenth of `test_data/benchmark.sbp`;
- `wrapped.json`: `{{"time":..,"data":{{..}}}}` with the payload and no fields.

"""


def markdown(bench, load, seconds, files, groups, targets, typed, start_text, streams, pipelines, micro):
    text = HEAD + _machine(bench, load, seconds) + "\n"
    if bench.quick:
        text += "**A quick run on small inputs: its figures mean nothing.**\n\n"
    text += "![Times faster than the Rust tools](results.svg)\n\n## What was to be shown\n\n" + _targets(targets) + "\n"
    text += METHOD.format(slow=bench.slow_rounds, fast=bench.rounds, path=bench.shown(bench.tools),
                          folder=bench.shown(bench.folder), log_copies=files.log_copies, json_copies=files.json_copies,
                          size=files.sizes["receiver.sbp"] / 1e6, messages=files.messages["receiver.sbp"])
    text += "## Side by side\n\n" + "\n".join(_group(group) for group in groups)
    text += ("\n## There and back, as the Rust project's history times it\n\nIts own figures, on 60,000 messages: 1.755 s, "
             "then 0.718, then 0.610 to 0.643. On %d times the log: the pipelines above.\n\n" % files.log_copies)
    text += "\n".join(_code(one, "console") for one in typed)
    text += "\n## Empty input\n\n" + start_text
    text += "\n## Memory on a stream\n\n" + _streams(streams)
    text += "\n## Many pipelines at once\n\n" + _pipelines(pipelines)
    text += "\n## Nanoseconds by stage\n\n" + _micro(micro)
    return text


# ---- The plot


def _bar(x, y, width, height, colour):
    return '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' % (x, y, width, height, colour)


def _label(x, y, text, anchor="start", size=13):
    return '<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d" fill="%s">%s</text>' % (
        x, y, anchor, size, BARS[3], html.escape(text))


def plot(groups):
    """Bars of how many times faster than the Rust tools, and a mark where it had to be."""
    bars = []
    for group in groups:
        if group.peer:
            what = "wall" if getattr(group, "by_wall", False) else "cpu"
            ratios = [group.ratio(case, what) or 0 for case in group.cases[:2]]
            bars.append((group.title, ratios[0], ratios[1], group.cases[0].targets.get(what)))
    most = max((value for _, *values in bars for value in values if value), default=1)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if most / step <= 10)
    ticks = int(most / step) + 1
    left, width, row, top = 350, 440, 30, 58
    scale, bottom = width / (ticks * step), top + row * len(bars)
    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif">' % (
            left + width + 70, bottom + 34),
        '<rect width="100%" height="100%" fill="white"/>',
        _label(16, 24, "Times faster than the Rust tools (CPU time; pipelines: wall time)", size=16),
    ]
    for name, colour, x in (("best instructions", BARS[0], 16), ("portable", BARS[1], 140), ("wanted", BARS[2], 220)):
        out += [_bar(x, 36, 12, 8, colour), _label(x + 17, 45, name, size=11)]
    for tick in range(ticks + 1):
        x = left + tick * step * scale
        out.append(_bar(x - 0.5, top, 1, bottom - top, "#dddddd"))
        out.append(_label(x, bottom + 18, "%d" % (tick * step), "middle", 11))
    for number, (title, best, portable, wanted) in enumerate(bars):
        y = top + row * number
        out += [
            _label(left - 8, y + 18, title, "end"),
            _bar(left, y + 4, best * scale, 13, BARS[0]),
            _bar(left, y + 18, portable * scale, 6, BARS[1]),
            _label(left + width + 54, y + 18, "%.1f" % best, "end"),
        ]
        if wanted:
            out.append(_bar(left + wanted * scale - 1, y + 2, 2, 24, BARS[2]))
    return "\n".join(out) + "\n</svg>\n"
