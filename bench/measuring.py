# SPDX-License-Identifier: MIT
"""Commands that are measured side by side, in turn, with hyperfine as the timer."""
import json
import os
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Bench:
    """Where everything is, and how often it is run."""

    def __init__(self, build, quick):
        self.build, self.quick = build, quick
        self.folder = build / "bench"
        self.tools = build / "bin"
        self.rounds, self.slow_rounds = (1, 1) if quick else (7, 3)
        cargo = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
        self.rust = cargo / "bin"
        self.python = self.folder / "python" / "bin"
        self.environment = dict(os.environ, PATH="%s:%s" % (self.tools, os.environ["PATH"]), LC_ALL="C")
        for name in ("SBPKIT_CPU", "SBPKIT_TEMPLATES", "LD_PRELOAD"):
            self.environment.pop(name, None)

    def shown(self, path):
        """A path as the commands have it, which run in the repository's root."""
        path = pathlib.Path(path)
        for base, prefix in ((ROOT, ""), (pathlib.Path.home(), "~/")):
            if base in path.parents:
                return prefix + str(path.relative_to(base))
        return str(path)

    def input(self, name):
        return self.shown(self.folder / name)

    def shell(self, command, **options):
        """Run a command line of bash."""
        return subprocess.run(["bash", "-c", command], cwd=ROOT, env=self.environment, text=True, **options)

    def output(self, command):
        return self.shell(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.strip()

    def hyperfine(self, commands, options=()):
        """Each command's results as hyperfine exports them, and what it printed."""
        export = self.folder / "hyperfine.json"
        run = subprocess.run(["hyperfine", *options, "--export-json", str(export), *commands], cwd=ROOT,
                             env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode != 0:
            raise SystemExit("bench/run: hyperfine failed:\n%s%s" % (run.stdout, run.stderr))
        return json.loads(export.read_text())["results"], run.stdout


class Case:
    """A command: one program or a pipeline of several, its input, and how it did.

    `same_as` is a command that must write the same output. `targets` maps "cpu" or "wall" to how many times faster than
    the group's peer it has to be. A slow command sits out most turns; `once`: all but the first.
    """

    def __init__(self, name, programs, source, prefix="", same_as=None, slow=False, once=False, targets=None):
        self.name, self.programs, self.source, self.prefix = name, programs, source, prefix
        self.same_as, self.slow, self.once, self.targets = same_as, slow, once, targets or {}
        self.walls, self.cpus, self.peaks, self.same = [], [], [], None

    def command(self, wrapper="", output=">/dev/null"):
        stages = [self.prefix + wrapper + program for program in self.programs]
        stages[0] += " <" + self.source
        return " | ".join(stages) + (" " + output if output else "")

    @property
    def wall(self):
        return statistics.median(self.walls)

    @property
    def cpu(self):
        return statistics.median(self.cpus)

    def first_run(self, bench):
        """Run it once outside the measurement: for its peak memory, and to compare its output."""
        notes = bench.folder / "peak"
        notes.write_text("")
        command = self.command("/usr/bin/time -a -o %s -f %%M " % notes, "")
        if self.same_as:
            run = bench.shell("%s | cmp -s - <(%s)" % (command, self.same_as), stderr=subprocess.DEVNULL)
            self.same = run.returncode == 0
        else:
            bench.shell(command + " >/dev/null", stderr=subprocess.DEVNULL)
        # A program that exits with a status other than 0 has a line that says so before its figure.
        self.peaks = sorted(int(line) * 1024 / 1e6 for line in notes.read_text().split("\n") if line.isdigit())


class Group:
    """Commands that do the same work. `peer` is the case that the others are compared with, if there is one."""

    def __init__(self, title, cases, messages, json_bytes, peer=None, note="", tolerant=False):
        self.title, self.cases, self.messages, self.json_bytes = title, cases, messages, json_bytes
        self.peer, self.note, self.tolerant = peer, note, tolerant

    def run(self, bench):
        print("  " + self.title, flush=True)
        for case in self.cases:
            case.first_run(bench)
        options = ["--style", "none", "--runs", "1"] + (["--ignore-failure"] if self.tolerant else [])
        every = max(1, (bench.rounds - 1) // max(1, bench.slow_rounds - 1))
        for number in range(bench.rounds):
            turn = [case for case in self.cases
                    if number == 0 or not (case.once or case.slow and number % every != 0)]
            results, _ = bench.hyperfine([case.command() for case in turn], options)
            for case, result in zip(turn, results):
                case.walls.append(result["times"][0])
                case.cpus.append(result["user"] + result["system"])

    def ratio(self, case, what):
        """How many times less CPU or wall time than the peer a case takes, or None."""
        mine = getattr(case, what)
        return getattr(self.peer, what) / mine if self.peer and self.peer is not case and mine > 0 else None


class Target:
    """Something that had to be shown. `held` is None where it could not be measured."""

    def __init__(self, text, wanted, measured, held):
        self.text, self.wanted, self.measured, self.held = text, wanted, measured, held


def group_targets(group):
    for case in group.cases:
        for what, factor in case.targets.items():
            ratio = group.ratio(case, what)
            unit = "times, wall" if what == "wall" else "times, CPU"
            yield Target(
                "%s: %s" % (group.title, case.name),
                ">= %g %s" % (factor, unit),
                "no peer (--peers installs it)" if ratio is None else "%.1f" % ratio,
                None if ratio is None else ratio >= factor,
            )
