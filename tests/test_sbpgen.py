# SPDX-License-Identifier: MIT
"""tools/sbpgen: what it makes of a schema, when it writes, and how it fails."""
import json
import os
import re
import shutil
import subprocess
import time

import pytest

import make_accessors
import model
import tool

SBPGEN = tool.BIN / "sbpgen"
CC = os.environ.get("CC", "cc")
FLAGS = "-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror".split()
# Of a schema that is one package, `test`.
OUTPUTS = [
    "messages_codec.c",
    "messages_lines.h",
    "messages_skip.c",
    "messages_table.c",
    "messages_write.c",
    "sbpkit/messages.h",
    "sbpkit/protocol.h",
    "sbpkit/test.h",
]

pytestmark = pytest.mark.skipif(not SBPGEN.exists(), reason="a cross build has no sbpgen")
needs_compiler = pytest.mark.skipif(shutil.which(CC) is None or bool(tool.EMULATOR), reason="no compiler for this machine")


def write_schema(folder, *packages):
    folder.mkdir(exist_ok=True)
    (folder / "protocol.json").write_text('{"protocol": "SBP", "version": "1.2.3"}')
    for package in packages:
        (folder / (package["package"] + ".json")).write_text(json.dumps(package, indent=1))
    return folder


def field(name, kind, **more):
    return {"name": name, "type": kind, **more}


def message(number, name, *fields, **more):
    return {"id": number, "name": name, "fields": list(fields), **more}


def struct(name, *fields, **more):
    return {"name": name, "fields": list(fields), **more}


def package(messages, structs=(), name="test"):
    return {"package": name, "structs": list(structs), "messages": list(messages)}


def sbpgen(*args):
    return subprocess.run([SBPGEN, *map(str, args)], capture_output=True, text=True, timeout=60)


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def generate(schema, output):
    output.mkdir(exist_ok=True)
    done = sbpgen(schema, output)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
    return {name: (output / name).read_text() for name in files_in(output)}


def check_fault(fault, *args):
    done = sbpgen(*args)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "sbpgen: %s\n" % fault)


def writer_of(text, name):
    """The comment and function of a message."""
    begin = text.index("/* %s, id" % name)
    return text[begin : text.index("\n}\n", begin) + 3]


def compile_c(output, *sources):
    subprocess.run([CC, *FLAGS, "-I", tool.ROOT / "libsbp", "-I", output, *sources], check=True, timeout=300)


# Shapes that the protocol does not have, or not together.
POINT = struct("Point", field("x", "s32"), field("y", "float[2]"))
TRACE = struct("Trace", field("p", "Point[5]"), field("end", "u8"), field("o", "s8[6]"))
ODD = package(
    [
        message(1, "MSG_NOTHING"),
        message(2, "MSG_FIXED", field("t", "Trace"), field("d", "double"), field("s", "string[3]"), field("u", "u64[9]")),
        message(3, "MSG_TRACES", field("n", "u8"), field("traces", "Trace[]")),
        message(
            4,
            "MSG_STRINGS",
            field("a", "u16"),
            field("b", "string", encoding="null_terminated"),
            field("c", "string", encoding="null_terminated"),
            field("d", "s64"),
            field("e", "Point[]"),
        ),
        message(5, "MSG_REST", field("p", "string", encoding="null_terminated"), field("q", "string", encoding="multipart")),
        message(6, "MSG_PAIRS", field("q", "double[4]"), field("r", "u16[]")),
        message(
            7,
            "MSG_WORDS",
            field("class", "string[9]"),
            field("int", "s16", bits=[{"bits": "3-15", "name": "High", "values": {"1": "One", "8191": "All"}}]),
            field("p", "string", encoding="null_terminated"),
            field("size", "s64", bits=[{"bits": "63", "name": "Sign"}, {"bits": "0-62", "name": "Rest"}]),
            field("i", "s64[2]"),
            field("m", "string", encoding="null_terminated"),
            field("begin", "float"),
        ),
        message(300, "MSG_LAST", field("s", "string", encoding="double_null_terminated")),
    ],
    [POINT, TRACE],
)

COMPARE_WITH_THE_TABLE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sbpkit/sbp.h"
int main(void) {
  struct sbp_line_options fast = {.schema = &sbp_schema_builtin};
  const size_t most = sbp_line_max(&fast);
  char *const lines[2] = {malloc(most), malloc(most)};
  uint32_t random = 1;
  for (int round = 0; round < 20000; round++)
    for (uint32_t i = 0; i < sbp_schema_builtin.count; i++) {
      const struct sbp_message *const message = sbp_schema_builtin.messages[i];
      uint8_t bytes[SBP_FRAME_MAX];
      random = random * 1664525 + 1013904223;
      const uint8_t length = (uint8_t)(random >> 24);
      random = random * 1664525 + 1013904223;
      const unsigned kind = random >> 30;
      for (int at = 0; at < length; at++) {
        random = random * 1664525 + 1013904223;
        bytes[6 + at] = kind == 0 ? 1 : kind == 1 && random >> 28 == 0 ? 0 : (uint8_t)(random >> 24);
      }
      const struct sbp_frame frame = {bytes, bytes + 6, message->id, 1, 2, length};
      size_t sizes[2];
      fast.float_compat = round & 1;
      for (int walk = 0; walk < 2; walk++) {
        struct sbp_line_options options = fast;
        options.walk = walk;
        /* On the heap and of its very size, for tools that watch memory. */
        uint8_t *const payload = malloc(length + 1u);
        memcpy(payload, bytes + 6, length);
        struct sbp_frame one = frame;
        one.payload = payload;
        sizes[walk] = (size_t)(sbp_line_write(&options, message, &one, lines[walk]) - lines[walk]);
        free(payload);
      }
      const char *const fields = strstr(lines[0], "\"sender\":1") + strlen("\"sender\":1");
      const size_t size = (size_t)(lines[0] + sizes[0] - 2 - fields);
      if (sizes[0] != sizes[1] || memcmp(lines[0], lines[1], sizes[0]) != 0 || size > message->fields_max) {
        printf("%s, %d bytes:\n%.*s%.*s", message->body.name, length, (int)sizes[0], lines[0], (int)sizes[1], lines[1]);
        return 1;
      }
    }
  free(lines[0]);
  free(lines[1]);
  return 0;
}
"""


def test_a_writer_and_a_reader_read_as_if_written_by_hand(tmp_path):
    header = struct("ObsHeader", field("tow", "u32"), field("n", "u8"))
    signal = struct("GPSSignal", field("sat", "u8"), field("cn0", "float"))
    schema = write_schema(
        tmp_path / "schema",
        package(
            [
                message(74, "MSG_OBS", field("header", "ObsHeader"), field("obs", "GPSSignal[]"), description="What is seen."),
                message(5, "MSG_ARRAYS", field("few", "s16[2]"), field("many", "u8[20]"), field("last", "u8")),
                message(6, "MSG_WRITE", field("at", "u32"), field("name", "string", encoding="null_terminated"), field("data", "u8[]")),
            ],
            [header, signal],
        ),
    )
    both = generate(schema, tmp_path / "gen")
    made = both["messages_write.c"]
    assert writer_of(made, "MSG_OBS") == r'''/* MSG_OBS, id 74
 * What is seen.
 */
char *sbpi_write_msg_obs(char *o, const uint8_t *p, const uint8_t *end, bool compat) {
  o = EMIT_TEXT(o, ",\"header\":{\"tow\":");
  o = emit_u32(o, p);
  o = EMIT_TEXT(o, ",\"n\":");
  o = emit_u8(o, p + 4);
  o = EMIT_TEXT(o, "},\"obs\":[");
  for (const uint8_t *q = p + 5; end - q >= 5; q += 5) {
    o = EMIT_TEXT(o, "{\"sat\":");
    o = emit_u8(o, q);
    o = EMIT_TEXT(o, ",\"cn0\":");
    o = emit_float(o, q + 1, compat);
    o = EMIT_TEXT(o, "},");
  }
  o = emit_array_end(o);
  return o;
}
'''
    assert writer_of(made, "MSG_ARRAYS") == r'''/* MSG_ARRAYS, id 5 */
char *sbpi_write_msg_arrays(char *o, const uint8_t *p, const uint8_t *end, bool compat) {
  (void)end;
  (void)compat;
  o = EMIT_TEXT(o, ",\"few\":[");
  o = emit_s16(o, p);
  *o++ = ',';
  o = emit_s16(o, p + 2);
  o = EMIT_TEXT(o, "],\"many\":[");
  for (const uint8_t *q = p + 4; q < p + 24; q++) {
    o = emit_u8(o, q);
    *o++ = ',';
  }
  o = EMIT_TEXT(o - 1, "],\"last\":");
  o = emit_u8(o, p + 24);
  return o;
}
'''
    assert writer_of(made, "MSG_WRITE") == r'''/* MSG_WRITE, id 6 */
char *sbpi_write_msg_write(char *o, const uint8_t *p, const uint8_t *end, bool compat) {
  (void)compat;
  o = EMIT_TEXT(o, ",\"at\":");
  o = emit_u32(o, p);
  o = EMIT_TEXT(o, ",\"name\":");
  const uint8_t *const name_end = sbpi_string_end(p + 4, end);
  o = sbpi_write_string(o, p + 4, (size_t)(name_end - (p + 4)));
  p = name_end;
  o = EMIT_TEXT(o, ",\"data\":[");
  for (const uint8_t *q = p; q < end; q++) {
    o = emit_u8(o, q);
    *o++ = ',';
  }
  o = emit_array_end(o);
  return o;
}
'''
    made = both["messages_skip.c"]
    assert writer_of(made, "MSG_OBS") == r'''/* MSG_OBS, id 74
 * What is seen.
 */
const char *sbpi_skip_msg_obs(const char *t, const char *stop, const uint8_t *p, const uint8_t *end) {
  (void)stop;
  (void)p;
  (void)end;
  if ((t = SBPI_PAST(t, ",\"header\":{\"tow\":")) == NULL)
    return NULL;
  if ((t = sbpi_skip_u32(t, p)) == NULL)
    return NULL;
  if ((t = SBPI_PAST(t, ",\"n\":")) == NULL)
    return NULL;
  if ((t = sbpi_skip_u8(t, p + 4)) == NULL)
    return NULL;
  if ((t = SBPI_PAST(t, "},\"obs\":[")) == NULL)
    return NULL;
  for (const uint8_t *q = p + 5; end - q >= 5; q += 5) {
    if ((t = SBPI_PAST(t, "{\"sat\":")) == NULL)
      return NULL;
    if ((t = sbpi_skip_u8(t, q)) == NULL)
      return NULL;
    if ((t = SBPI_PAST(t, ",\"cn0\":")) == NULL)
      return NULL;
    if ((t = sbpi_skip_float(t, q + 1)) == NULL)
      return NULL;
    if ((t = SBPI_PAST(t, "}")) == NULL)
      return NULL;
    if (end - q >= 10 && *t++ != ',')
      return NULL;
  }
  if ((t = SBPI_PAST(t, "]")) == NULL)
    return NULL;
  return t;
}
'''
    assert writer_of(made, "MSG_WRITE") == r'''/* MSG_WRITE, id 6 */
const char *sbpi_skip_msg_write(const char *t, const char *stop, const uint8_t *p, const uint8_t *end) {
  (void)stop;
  (void)p;
  (void)end;
  if ((t = SBPI_PAST(t, ",\"at\":")) == NULL)
    return NULL;
  if ((t = sbpi_skip_u32(t, p)) == NULL)
    return NULL;
  const uint8_t *const name_end = sbpi_string_end(p + 4, end);
  if ((t = SBPI_PAST(t, ",\"name\":\"")) == NULL)
    return NULL;
  if ((t = sbpi_skip_string(t, stop)) == NULL)
    return NULL;
  p = name_end;
  if ((t = SBPI_PAST(t, "\",\"data\":[")) == NULL)
    return NULL;
  for (const uint8_t *q = p; q < end; q++) {
    if ((t = sbpi_skip_u8(t, q)) == NULL)
      return NULL;
    if (end - q >= 2 && *t++ != ',')
      return NULL;
  }
  if ((t = SBPI_PAST(t, "]")) == NULL)
    return NULL;
  return t;
}
'''


def test_a_header_reads_as_if_written_by_hand(tmp_path):
    flags = field("flags", "u8", bits=[
        {"bits": "0-2", "name": "Fix mode", "values": {"0": "Invalid", "1": "Reserved", "2": "Float (RTK)", "3": "float rtk"}},
        {"bits": "3-7", "name": "Reserved"},
    ])
    point = struct("GPSPoint", field("x", "s32", units="mm"), field("y", "float[2]"), description="Where.")
    schema = write_schema(
        tmp_path / "schema",
        package(
            [
                message(7, "MSG_POINTS", field("n", "u16"), field("points", "GPSPoint[]"), description="All points."),
                message(8, "MSG_TEXTS", field("class", "string[5]"), field("name", "string", encoding="null_terminated"), flags,
                        field("rest", "string", encoding="unterminated"), replaced_by=["MSG_POINTS"]),
                message(9, "MSG_NOTHING"),
            ],
            [point],
        ),
    )
    made = generate(schema, tmp_path / "gen")
    assert made["sbpkit/test.h"].split('extern "C" {\n#endif\n')[1] == r'''
/* GPSPoint: Where. */
struct sbp_gps_point {
  /* [mm] */
  int32_t x;
  float y[2];
};

enum {
  SBP_GPS_POINT_X = 0x06010400, /* s32 */
  SBP_GPS_POINT_Y = 0x08020404, /* float[2] */
};

/* MSG_POINTS, id 7: All points. */
struct sbp_msg_points {
  uint16_t n;
  uint8_t points_count; /* elements that are there */
  struct sbp_gps_point points[21];
};

enum {
  SBP_MSG_POINTS = 7,
  SBP_MSG_POINTS_SIZE_MIN = 2,
  SBP_MSG_POINTS_N = 0x01010200, /* u16 */
  SBP_MSG_POINTS_POINTS = 0x0b000c02, /* GPSPoint[] */
};

SBP_API bool sbp_decode_msg_points(struct sbp_msg_points *message, const uint8_t *payload, uint8_t size);
SBP_API bool sbp_encode_msg_points(const struct sbp_msg_points *message, uint8_t *payload, uint8_t *size);

/* MSG_TEXTS, id 8. Replaced by MSG_POINTS */
struct sbp_msg_texts {
  char class_[5 + 1];
  struct sbp_string name;
  uint8_t flags;
  struct sbp_string rest;
};

enum {
  SBP_MSG_TEXTS = 8,
  SBP_MSG_TEXTS_SIZE_MIN = 7,
  SBP_MSG_TEXTS_CLASS = 0x0a010500, /* string of fixed size */
  SBP_MSG_TEXTS_NAME = 0x2a020105, /* null-terminated string */
  SBP_MSG_TEXTS_FLAGS = 0x00010106, /* u8 */
  SBP_MSG_TEXTS_FLAGS_FIX_MODE = 0x0200, /* bits 0 to 2 */
  SBP_MSG_TEXTS_FLAGS_FIX_MODE_INVALID = 0,
  SBP_MSG_TEXTS_FLAGS_FIX_MODE_FLOAT_RTK = 2,
  SBP_MSG_TEXTS_FLAGS_FIX_MODE_FLOAT_RTK_3 = 3,
  SBP_MSG_TEXTS_REST = 0x1a000007, /* unterminated string */
};

SBP_API bool sbp_decode_msg_texts(struct sbp_msg_texts *message, const uint8_t *payload, uint8_t size);
SBP_API bool sbp_encode_msg_texts(const struct sbp_msg_texts *message, uint8_t *payload, uint8_t *size);

/* MSG_NOTHING, id 9 */
struct sbp_msg_nothing {
  uint8_t none; /* It has no fields, and C no structs without members. */
};

enum {
  SBP_MSG_NOTHING = 9,
  SBP_MSG_NOTHING_SIZE_MIN = 0,
};

SBP_API bool sbp_decode_msg_nothing(struct sbp_msg_nothing *message, const uint8_t *payload, uint8_t size);
SBP_API bool sbp_encode_msg_nothing(const struct sbp_msg_nothing *message, uint8_t *payload, uint8_t *size);

#ifdef __cplusplus
}
#endif

#endif
'''


def test_a_header_includes_those_of_the_structs_it_holds(tmp_path):
    one = package([message(1, "MSG_A", field("x", "Two"), field("y", "One"))], [struct("One", field("x", "u8"))], name="one")
    two = package([], [struct("Two", field("x", "u8"))], name="two")
    made = generate(write_schema(tmp_path / "schema", one, two), tmp_path / "gen")
    assert re.findall('#include "(.*)"', made["sbpkit/one.h"]) == ["sbpkit/protocol.h", "sbpkit/two.h"]
    assert re.findall('#include "(.*)"', made["sbpkit/two.h"]) == ["sbpkit/protocol.h"]
    assert re.findall('#include "(.*)"', made["sbpkit/messages.h"]) == ["sbpkit/protocol.h", "sbpkit/one.h", "sbpkit/two.h"]


def test_names_that_a_header_could_not_tell_apart_are_faults(tmp_path):
    counted = package([message(1, "MSG_A", field("x_count", "u8"), field("x", "u8[]"))])
    schema = write_schema(tmp_path / "schema", counted)
    check_fault("MSG_A: field x_count: the struct counts the elements of x under this name", schema, tmp_path)
    write_schema(schema, package([message(1, "MSG_A", field("b_c", "u8")), message(2, "MSG_A_B", field("c", "u8"))]))
    check_fault("two constants of the headers have the name SBP_MSG_A_B_C", schema, tmp_path)
    shutil.rmtree(schema)
    write_schema(schema, package([message(1, "MSG_A")], name="view"))
    check_fault("package view: sbpkit/view.h is another header", schema, tmp_path)


def test_two_packages_cannot_hold_structs_of_each_other(tmp_path):
    one = package([message(1, "MSG_A", field("x", "Two"))], [struct("One", field("x", "u8"))], name="one")
    two = package([message(2, "MSG_B", field("x", "One"))], [struct("Two", field("x", "u8"))], name="two")
    schema = write_schema(tmp_path / "schema", one, two)
    check_fault("package one: its header and that of two would include each other", schema, tmp_path)


def test_every_message_of_the_protocol_has_a_writer_made_in_under_a_second(tmp_path):
    begin = time.monotonic()
    made = generate(tool.ROOT / "schema", tmp_path / "gen")
    assert time.monotonic() - begin < 1
    names = [
        each["name"]
        for path in (tool.ROOT / "schema").glob("*.json")
        for each in json.loads(path.read_text(encoding="utf-8")).get("messages", [])
    ]
    assert len(names) == 242
    for name in names:
        assert "sbpi_write_%s(" % name.lower() in made["messages_lines.h"], name
        assert "sbpi_skip_%s(" % name.lower() in made["messages_lines.h"], name
        assert "\n/* %s, id " % name in made["messages_write.c"], name
        assert "\n/* %s, id " % name in made["messages_skip.c"], name


def test_the_same_schema_gives_the_same_bytes(tmp_path):
    # Files that are written in another order come in another order from the folder.
    one, two = package([message(1, "MSG_A")], name="one"), package([message(2, "MSG_B")], name="two")
    first = generate(write_schema(tmp_path / "first", one, two), tmp_path / "gen1")
    second = generate(write_schema(tmp_path / "second", two, one), tmp_path / "gen2")
    assert first == second


def test_a_file_that_does_not_change_is_not_written(tmp_path):
    schema, gen = write_schema(tmp_path / "schema", package([message(1, "MSG_A", field("x", "u8"))])), tmp_path / "gen"
    generate(schema, gen)
    for name in OUTPUTS:
        os.utime(gen / name, (1, 1))
    generate(schema, gen)
    assert {(gen / name).stat().st_mtime for name in OUTPUTS} == {1}
    # Units are in the table and in the package's header alone.
    write_schema(schema, package([message(1, "MSG_A", field("x", "u8", units="m"))]))
    made = generate(schema, gen)
    assert [name for name in OUTPUTS if (gen / name).stat().st_mtime != 1] == ["messages_table.c", "sbpkit/test.h"]
    assert '.units = "m"' in made["messages_table.c"]
    assert files_in(gen) == OUTPUTS


@pytest.mark.full
@needs_compiler
def test_writers_of_odd_shapes_compile_and_agree_with_the_table(tmp_path):
    gen = tmp_path / "gen"
    generate(write_schema(tmp_path / "schema", ODD), gen)
    core = [path for path in (tool.ROOT / "libsbp").glob("*.c") if not path.name.startswith("schema")]
    (tmp_path / "compare.c").write_text(COMPARE_WITH_THE_TABLE)
    generated = [gen / name for name in OUTPUTS if name.endswith(".c")]
    compile_c(gen, "-O1", "-g", "-o", tmp_path / "compare", tmp_path / "compare.c", *generated, *core)
    done = subprocess.run([tmp_path / "compare"], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")


CHECK_ACCESSORS = r"""
#include <stdio.h>
#include "accessors.h"
int main(void) {
  uint32_t random = 1;
  for (unsigned round = 0; round < 20 * 256; round++)
    for (size_t i = 0; i < accessor_count; i++) {
      uint8_t payload[255];
      const uint8_t length = (uint8_t)round;
      random = random * 1664525 + 1013904223;
      const unsigned kind = random >> 30;
      for (int at = 0; at < length; at++) {
        random = random * 1664525 + 1013904223;
        payload[at] = kind == 0 ? 1 : kind == 1 && random >> 28 == 0 ? 0 : (uint8_t)(random >> 24);
      }
      const char *const wrong = check_accessor(&accessors[i], payload, length, random >> 28);
      if (wrong != NULL) {
        printf("type %d, %d bytes: %s", accessors[i].id, length, wrong);
        return 1;
      }
    }
  return 0;
}
"""


@pytest.mark.full
@needs_compiler
def test_views_and_structs_of_odd_shapes_agree_with_the_table(tmp_path):
    gen = tmp_path / "gen"
    schema = write_schema(tmp_path / "schema", ODD)
    generate(schema, gen)
    (tmp_path / "accessors_made.c").write_text(make_accessors.make(model.Schema(schema)))
    (tmp_path / "check.c").write_text(CHECK_ACCESSORS)
    core = [path for path in (tool.ROOT / "libsbp").glob("*.c") if not path.name.startswith("schema")]
    sources = [tmp_path / "check.c", tmp_path / "accessors_made.c", tool.ROOT / "tests" / "accessors.c"]
    generated = [gen / name for name in OUTPUTS if name.endswith(".c")]
    compile_c(gen, "-I", tool.ROOT / "tests", "-O1", "-g", "-o", tmp_path / "check", *sources, *generated, *core)
    done = subprocess.run([tmp_path / "check"], capture_output=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, b""), done


@needs_compiler
@pytest.mark.parametrize("text", ["*/", "/*", "/*/", "**//", "??/", "???/", '"', "\\", "\\0", "%s%n", "µ°", "'", "//"])
def test_no_description_breaks_the_c(tmp_path, text):
    bits = [{"bits": "0", "name": text, "values": {"0": text}}]
    each = message(1, "MSG_A", field("x", "u8", units=text, description=text, bits=bits), description=text)
    gen = tmp_path / "gen"
    made = generate(write_schema(tmp_path / "schema", package([each])), gen)
    for name in OUTPUTS:
        assert made[name].isascii() or name in ["messages_skip.c", "messages_write.c", "sbpkit/test.h"]
    (tmp_path / "print.c").write_text(
        '#include "sbpkit/sbp.h"\n#include <stdio.h>\n'
        "int main(void) {\n"
        "  const struct sbp_field *const field = sbp_schema_builtin.messages[0]->body.fields;\n"
        "  return fputs(field->description, stdout) < 0;\n}\n"
        "char *sbpi_write_msg_a(char *o, const uint8_t *p, const uint8_t *end, bool compat);\n"
        "char *sbpi_write_msg_a(char *o, const uint8_t *p, const uint8_t *end, bool compat) {\n"
        "  (void)p;\n  (void)end;\n  (void)compat;\n  return o;\n}\n"
        "const char *sbpi_skip_msg_a(const char *t, const char *stop, const uint8_t *p, const uint8_t *end);\n"
        "const char *sbpi_skip_msg_a(const char *t, const char *stop, const uint8_t *p, const uint8_t *end) {\n"
        "  (void)stop;\n  (void)p;\n  (void)end;\n  return t;\n}\n"
    )
    compile_c(gen, "-o", tmp_path / "print", tmp_path / "print.c", gen / "messages_table.c")
    for name in ("messages_write.c", "messages_skip.c", "messages_codec.c"):
        compile_c(gen, "-c", "-o", os.devnull, gen / name)
    assert subprocess.run([tmp_path / "print"], capture_output=True).stdout.decode() == text


def test_a_fault_of_the_schema_is_one_line_and_nothing_is_written(tmp_path):
    schema, gen = write_schema(tmp_path / "schema"), tmp_path / "gen"
    gen.mkdir()
    (schema / "navigation.json").write_text(
        '{"package": "navigation", "messages": [\n  {"id": 522, "name": "MSG_POS_LLH", "fields": [\n'
        '    {"name": "lat", "type": "duble"}]}]}'
    )
    check_fault(
        '%s/navigation.json:3:14: MSG_POS_LLH: field lat: unknown type "duble", did you mean "double"?' % schema, schema, gen
    )
    assert list(gen.iterdir()) == []


def test_the_same_id_in_two_files_is_a_fault(tmp_path):
    schema = write_schema(
        tmp_path / "schema", package([message(7, "MSG_A")], name="a"), package([message(7, "MSG_B")], name="b")
    )
    done = sbpgen(schema, tmp_path)
    assert done.returncode == 2
    assert done.stderr == "sbpgen: %s/b.json:7:12: MSG_B: id 7 is that of MSG_A already, at %s/a.json:7\n" % (schema, schema)


def test_two_names_with_one_c_name_are_a_fault(tmp_path):
    one, two = struct("GPSTime", field("x", "u8")), struct("GpsTime", field("x", "u8"))
    schema = write_schema(
        tmp_path / "schema", package([message(1, "MSG_A", field("x", "GPSTime"), field("y", "GpsTime"))], [one, two])
    )
    check_fault("GpsTime: another name gives the C name gps_time too", schema, tmp_path)


def test_files_beside_the_schema_are_left_alone(tmp_path):
    schema = write_schema(tmp_path / "schema", package([message(1, "MSG_A")]))
    (schema / "meta.schema.json").write_text("[]")
    (schema / "README.md").write_text("{")
    generate(schema, tmp_path / "gen")


def test_bad_usage_and_files_that_cannot_be_used_are_one_line(tmp_path):
    schema = write_schema(tmp_path / "schema", package([message(1, "MSG_A")]))
    empty = tmp_path / "empty"
    empty.mkdir()
    check_fault("usage: sbpgen SCHEMA_DIR OUTPUT_DIR")
    check_fault("usage: sbpgen SCHEMA_DIR OUTPUT_DIR", "--help")
    check_fault("%s/none: No such file or directory" % tmp_path, tmp_path / "none", tmp_path)
    check_fault("%s: no schema file (*.json) is in it" % empty, empty, tmp_path)
    check_fault("%s/none/sbpkit: No such file or directory" % tmp_path, schema, tmp_path / "none")
    (schema / "folder.json").mkdir()
    check_fault("%s/folder.json: Is a directory" % schema, schema, tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk_is_said(tmp_path):
    schema = write_schema(tmp_path / "schema", package([message(1, "MSG_A")]))
    (tmp_path / "messages_table.c.new").symlink_to("/dev/full")
    check_fault("%s/messages_table.c.new: No space left on device" % tmp_path, schema, tmp_path)
