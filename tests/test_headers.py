# SPDX-License-Identifier: MIT
"""The headers of messages: C and C++ that compiles by itself, how large it is, and the names that it takes."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import model
import tool

BUILD = tool.BIN.parent
HEADERS = BUILD / "gen" / "sbpkit"
SYSTEM = ["stdbool.h", "stddef.h", "stdint.h", "string.h"]
LANGUAGES = {"gcc": "-std=c11", "clang": "-std=c11", "g++": "-std=c++11", "clang++": "-std=c++11"}
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror".split()

pytestmark = pytest.mark.skipif(not HEADERS.exists() or bool(tool.EMULATOR), reason="this build did not make them")


def names():
    return sorted(path.name for path in HEADERS.glob("*.h"))


def includes(*headers):
    return "".join("#include <sbpkit/%s>\n" % header for header in headers)


def preprocessed_size(text):
    command = ["gcc", "-E", "-P", "-x", "c", "-I", tool.ROOT / "libsbp", "-I", BUILD / "gen", "-"]
    return len(subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout)


def check_compiles(compiler, text):
    if shutil.which(compiler) is None:
        pytest.skip("no %s here" % compiler)
    language = "c++" if compiler.endswith("++") else "c"
    command = [compiler, LANGUAGES[compiler], *WARNINGS, "-fsyntax-only", "-x", language]
    command += ["-I", tool.ROOT / "libsbp", "-I", BUILD / "gen", "-"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()[:3000]


def test_each_package_has_a_header_and_one_includes_all():
    packages = {re.search('"package": "(.*)"', text).group(1) for text in schema_files() if '"package"' in text}
    assert set(names()) == {name + ".h" for name in packages} | {"messages.h", "protocol.h"}
    all_of_them = (HEADERS / "messages.h").read_text()
    assert all('#include "sbpkit/%s.h"\n' % name in all_of_them for name in packages)


def schema_files():
    return [path.read_text(encoding="utf-8") for path in model.SCHEMA.glob("*.json") if "schema" not in path.name]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc here")
def test_the_headers_are_small():
    system = preprocessed_size("".join("#include <%s>\n" % header for header in SYSTEM))
    assert preprocessed_size(includes("sbp.h")) - system <= 60_000
    assert preprocessed_size(includes("messages.h")) - system <= 500_000


@pytest.mark.parametrize("compiler", LANGUAGES)
def test_all_headers_together_are_c_and_c_plus_plus(compiler):
    check_compiles(compiler, includes("messages.h"))


@pytest.mark.parametrize("compiler", ["gcc", "clang++"])
def test_each_header_stands_alone(compiler):
    for name in [*names(), "view.h"]:
        check_compiles(compiler, includes(name, name))


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_views_and_structs_are_used_from_c_plus_plus(compiler):
    check_compiles(
        compiler,
        includes("navigation.h", "logging.h", "observation.h")
        + """
double latitude(const sbp_frame &frame);
double latitude(const sbp_frame &frame) {
  sbp_view view;
  sbp_msg_pos_llh pos;
  if (SBP_VIEW(&view, &frame, SBP_MSG_POS_LLH))
    return sbp_view_double(view, SBP_MSG_POS_LLH_LAT);
  return sbp_decode_msg_pos_llh(&pos, frame.payload, frame.length) ? pos.lat : 0;
}
bool hello(uint8_t *payload, uint8_t *size);
bool hello(uint8_t *payload, uint8_t *size) {
  sbp_msg_log log = sbp_msg_log();
  return sbp_string_set(&log.text, SBP_MSG_LOG_TEXT, "hello") && sbp_encode_msg_log(&log, payload, size);
}
uint64_t first_code(sbp_view obs);
uint64_t first_code(sbp_view obs) {
  const sbp_view first = sbp_view_element(obs, SBP_MSG_OBS_OBS, 0);
  const sbp_view sid = sbp_view_struct(first, SBP_PACKED_OBS_CONTENT_SID);
  return sbp_bits_get(sbp_view_u8(sid, SBP_GNSS_SIGNAL_CODE), SBP_GNSS_SIGNAL_CODE_SIGNAL);
}
""",
    )


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm here")
def test_no_symbol_is_one_of_the_other_library(reference):
    theirs = set((reference / "swift-libsbp-symbols.txt").read_text().split())
    libraries = [path for path in BUILD.glob("libsbpkit*") if path.suffix in (".a", ".so")]
    assert len(theirs) > 2000 and libraries
    listed = subprocess.run(["nm", "-g", "--defined-only", *libraries], capture_output=True, check=True, text=True)
    ours = {line.split()[2] for line in listed.stdout.splitlines() if len(line.split()) == 3}
    assert "sbp_decode_msg_pos_llh" in ours and "sbp_protocol_version" in ours
    assert ours & theirs == set()
