#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the expected lines of the logs in test_data/, as the independent model has them: NAME.json beside NAME.sbp, and
NAME.compat.json where --float-compat gives other ones. The tools have no part in it.
"""

import pathlib
import sys

import model

LARGE = "benchmark.sbp"


def expected(folder):
    """The files that belong into the folder, by name."""
    files = {}
    for path in sorted(folder.glob("*.sbp")):
        if path.name == LARGE:
            continue
        data = path.read_bytes()
        plain, compat = model.sbp2json(data), model.sbp2json(data, compat=True)
        files[path.stem + ".json"] = plain
        if compat != plain:
            files[path.stem + ".compat.json"] = compat
    return files


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else model.SCHEMA.parent / "test_data"
    for name, lines in expected(target).items():
        (target / name).write_bytes(lines)
        print("%7d %s" % (len(lines), name))
