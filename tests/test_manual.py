# SPDX-License-Identifier: MIT
"""What the manual pages and the README show is what happens: every example is run."""
import base64
import gzip
import json
import os
import re
import shutil
import subprocess

import pytest

import model
import tool

PAGES = ["sbp2json.1", "json2sbp.1", "json2json.1", "sbpcat.1", "sbpinfo.1", "sbp2csv.1"]
# Examples of what happens on damaged input.
DAMAGED = ["sbpinfo noisy.sbp 2>/dev/null", "sbp2json noisy.sbp > good.json", "json2sbp broken.json > good.sbp", "sbpcat --repair noisy.sbp > good.sbp",
           "sbpcat --repair noisy.sbp > whole.sbp"]
MDOC_ESCAPES = {r"\e": "\\", r"\(aq": "'", r"\&": "", r"\-": "-"}
# A build from generated sources has no --schema.
HAVE_SCHEMA = "--schema" in tool.clean("sbp2json", b"", "--help").decode()


def literal_blocks(page):
    """The displays of an mdoc page, as the reader sees them."""
    text = (tool.ROOT / "docs" / page).read_text()
    for block in re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed$", text, re.M | re.S):
        yield re.sub(r"\\(?:e|\(aq|&|-)", lambda escape: MDOC_ESCAPES[escape.group()], block)


def readme_blocks(language):
    return re.findall(r"^```%s\n(.*?)^```$" % language, (tool.ROOT / "README.md").read_text(), re.M | re.S)


def examples(block):
    """Each command behind a `$ ` with the output that is shown under it, or None."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, output or None


def all_examples():
    for page in PAGES:
        for block in literal_blocks(page):
            for command, output in examples(block):
                yield pytest.param(command, output, id="%s: %s" % (page, command))
    for block in readme_blocks("console"):
        for command, output in examples(block):
            yield pytest.param(command, output, id="README.md: %s" % command)


def looks_like(shown, got):
    """`...` stands for anything."""
    return re.fullmatch(".*".join(map(re.escape, shown.split("..."))), got, re.S) is not None


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with the files that the examples name, and stand-ins for the network."""
    folder = tmp_path_factory.mktemp("desk")
    binaries = folder / "bin"
    binaries.mkdir()
    for name in (page[:-2] for page in PAGES):
        script = binaries / name
        script.write_text("#!/bin/sh\nexec %s \"$@\"\n" % " ".join(tool.command(name)))
        script.chmod(0o755)
    network = binaries / "nc"
    network.write_text("#!/bin/sh\nif [ \"$2\" = 55555 ]; then cat log.sbp; else cat >sent.sbp; fi\n")
    network.chmod(0o755)

    log = tool.HEARTBEAT + tool.LOG_FRAME + (tool.TEST_DATA / "receiver_10hz.sbp").read_bytes()
    (folder / "log.sbp").write_bytes(log)
    (folder / "log.sbp.gz").write_bytes(gzip.compress(log))
    # Six minutes of a receiver, which the build makes.
    shutil.copy(tool.TEST_DATA / "benchmark.sbp", folder / "day.sbp")
    (folder / "morning.sbp").write_bytes(log)
    (folder / "evening.sbp").write_bytes(log)
    (folder / "noisy.sbp").write_bytes(b"$GPGGA,noise\r\n" + log)
    lines = [model.line(frame).decode() for frame in model.find_frames(log).frames]
    (folder / "log.json").write_text("".join(lines))
    (folder / "broken.json").write_text(lines[0] + '{"msg_type":1025,"payload":"A@B=","sender":42}\n' + lines[1])
    wrapped = [{"data": {key: json.loads(line)[key] for key in ("msg_type", "sender", "payload")}, "time": "2026-11-30"}
               for line in lines]
    (folder / "wrapped.json").write_text("".join(json.dumps(value) + "\n" for value in wrapped))
    return folder


@pytest.mark.parametrize("command, shown", all_examples())
def test_an_example_does_what_is_shown(desk, command, shown):
    for other in ("jq", "parallel"):
        if " %s " % other in command and shutil.which(other) is None:
            pytest.skip("%s is missing" % other)
    if " part.*." in command and not list(desk.glob("part.*.json")):
        pytest.skip("the example that makes its files did not run")
    environment = dict(os.environ, PATH="%s:%s" % (desk / "bin", os.environ["PATH"]), LC_ALL="C.UTF-8")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=desk, env=environment, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    got = done.stdout.decode().replace("\r\n", "\n")
    if shown is not None:
        assert looks_like(shown, got), got
    if command in DAMAGED:
        assert done.returncode == 1, got
    elif "| head" in command:
        assert done.returncode in (0, 141), got
    else:
        assert done.returncode == 0, got


def test_the_edits_of_the_examples_arrive(desk):
    for name in ("edited.sbp",):
        if not (desk / name).exists():
            pytest.skip("its example did not run")
        frames = model.find_frames((desk / name).read_bytes()).frames
        flags = {frame.payload for frame in frames if frame.type == 65535}
        assert flags == {bytes([7, 0, 0, 0])}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_clean_mdoc(page):
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is missing")
    done = subprocess.run(["mandoc", "-Tlint", str(tool.ROOT / "docs" / page)], capture_output=True, text=True)
    # The pages that it refers to need not be installed yet; they are named below.
    faults = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
    assert faults == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_refers_to_pages_that_there_are(page):
    references = re.findall(r"^\.Xr (\S+) (\d)", (tool.ROOT / "docs" / page).read_text(), re.M)
    assert {"%s.%s" % reference for reference in references} == set(PAGES) - {page}


@pytest.mark.parametrize("name", [page[:-2] for page in PAGES])
def test_a_page_and_help_name_the_same_options(name):
    page = (tool.ROOT / "docs" / (name + ".1")).read_text()
    if not HAVE_SCHEMA:
        page = page.replace("Fl -schema", "")
    documented = set(re.findall(r"Fl -([a-z0-9-]+)", page)) | set(re.findall(r"^\.It Fl ([a-zA-Z]) ,", page, re.M))
    helped = tool.clean(name, b"", "--help").decode()
    options = helped.split("\n\n")[1]
    offered = set(re.findall(r"--([a-z0-9][a-z0-9-]*)", options)) | set(re.findall(r"(?<![\w-])-([a-zA-Z])(?![\w-])", options))
    assert documented == offered


@pytest.mark.skipif(not HAVE_SCHEMA, reason="built without --schema")
def test_the_schema_file_of_the_pages_is_one(tmp_path):
    schemas = {block for page in PAGES for block in literal_blocks(page) if block.startswith("{")}
    assert len(schemas) == 1
    schema = tmp_path / "private.json"
    schema.write_text(schemas.pop())
    frame = model.pack(48879, 1, bytes([215, 0, 40]))
    line = json.loads(tool.clean("sbp2json", frame, "--schema", schema))
    assert (line["msg_name"], line["temperature"], line["humidity"]) == ("MSG_ROOM", 215, 40)


def test_the_lines_of_format_md_are_right():
    text = (tool.ROOT / "docs" / "format.md").read_text()
    shown = [line.strip() for line in text.splitlines() if line.startswith("    {")]
    assert shown[0].encode() + b"\n" == tool.HEARTBEAT_LINE
    invalid = json.loads(shown[1])
    noise = base64.b64decode(invalid["payload"])
    got = tool.run("sbp2json", noise + tool.HEARTBEAT, "--error-handler", "to-invalid")
    assert got.lines[0].decode().strip() == shown[1]
    assert tool.clean("json2sbp", shown[2].encode()) == tool.LOG_FRAME


def test_the_program_of_the_readme_is_the_logger_that_is_tested():
    shown = readme_blocks("c")[0]
    licence, program = (tool.ROOT / "libsbp" / "examples" / "logger.c").read_text().split("\n", 1)
    assert licence == "/* SPDX-License-Identifier: MIT */"
    assert shown == program
    assert shown.count("\n") <= 40
