# SPDX-License-Identifier: MIT
"""The schema files, the meta schema that they are checked against, and scripts/import-spec that keeps them up to date.

Where SBPKIT_REFERENCE names the folder with the published definition, the files are compared with it as well.
"""

import copy
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "schema"
IMPORT_SPEC = ROOT / "scripts" / "import-spec"
REFERENCE = os.environ.get("SBPKIT_REFERENCE")
needs_reference = pytest.mark.skipif(not REFERENCE, reason="SBPKIT_REFERENCE is not set")

META = json.loads((SCHEMA / "meta.schema.json").read_text(encoding="utf-8"))
PACKAGES = {
    path.name: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(SCHEMA.glob("*.json"))
    if path.name not in ("meta.schema.json", "protocol.json")
}
STRUCTS = {body["name"]: body for package in PACKAGES.values() for body in package["structs"]}
MESSAGES = {body["name"]: body for package in PACKAGES.values() for body in package["messages"]}
BODIES = {**STRUCTS, **MESSAGES}
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "s8": 1, "s16": 2, "s32": 4, "s64": 8, "float": 4, "double": 8}


def load_import_spec():
    sys.dont_write_bytecode = True  # No cache beside the script.
    loader = importlib.machinery.SourceFileLoader("import_spec", str(IMPORT_SPEC))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("import_spec", loader))
    loader.exec_module(module)
    return module


def is_valid(document):
    return jsonschema.Draft7Validator(META).is_valid(document)


def split_type(text):
    """Name of a type, and its number of elements: 1 without brackets, None where it is open."""
    name, _, count = text.rstrip("]").partition("[")
    return name, int(count) if count else None if "[" in text else 1


def span(bits):
    first, _, last = bits.partition("-")
    return int(first), int(last or first)


def all_fields():
    return [(body, field) for body in BODIES.values() for field in body["fields"]]


# ---- The schema files


def test_every_file_holds_to_the_meta_schema():
    jsonschema.Draft7Validator.check_schema(META)
    for path in sorted(SCHEMA.glob("*.json")):
        if path.name != "meta.schema.json":
            jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), META, jsonschema.Draft7Validator)


def test_each_file_is_named_for_its_package():
    assert [package["package"] + ".json" for package in PACKAGES.values()] == list(PACKAGES)


def test_ids_and_names_are_unique():
    bodies = [body for package in PACKAGES.values() for body in package["structs"] + package["messages"]]
    assert len({body["name"] for body in bodies}) == len(bodies)
    assert len({body["id"] for body in MESSAGES.values()}) == len(MESSAGES)
    for body in bodies:
        assert len({field["name"] for field in body["fields"]}) == len(body["fields"]), body["name"]


def test_types_and_count_fields_refer_to_what_there_is():
    for body, field in all_fields():
        name, _ = split_type(field["type"])
        assert name in SIZES or name in STRUCTS or name == "string", (body["name"], field)
        if "count_field" in field:
            before = [other["name"] for other in body["fields"][: body["fields"].index(field)]]
            assert field["count_field"] in before, (body["name"], field)


def test_structs_stand_before_those_that_hold_them():
    for package in PACKAGES.values():
        seen, own = set(), {body["name"] for body in package["structs"]}
        for body in package["structs"]:
            inner = {split_type(field["type"])[0] for field in body["fields"]} & own
            assert inner <= seen, body["name"]
            seen.add(body["name"])


def test_bit_fields_ascend_without_overlap_and_hold_their_values():
    for body, field in all_fields():
        end = 0
        for bits in field.get("bits", []):
            first, last = span(bits["bits"])
            assert end <= first <= last < 8 * SIZES[field["type"]], (body["name"], field["name"], bits)
            end = last + 1
            values = [int(value) for value in bits.get("values", {})]
            assert values == sorted(values), (body["name"], field["name"], bits)
            assert not values or values[-1] < 1 << (last - first + 1), (body["name"], field["name"], bits)


def test_descriptions_are_there_and_short():
    texts = [(name, package.get("description")) for name, package in PACKAGES.items()]
    texts += [(name, body.get("description")) for name, body in BODIES.items()]
    texts += [((body["name"], field["name"]), field.get("description", "by its name")) for body, field in all_fields()]
    for where, text in texts:
        assert text and len(text) <= 110 and not text.endswith("."), where


# ---- The meta schema

GOOD = {
    "package": "acme",
    "structs": [{"name": "Lid", "fields": [{"name": "open", "type": "u8", "bits": [{"bits": "0", "name": "Open"}]}]}],
    "messages": [
        {
            "id": 28673,
            "name": "MSG_ACME_KETTLE",
            "description": "State of a kettle",
            "replaced_by": ["MSG_ACME_POT"],
            "fields": [
                {"name": "n_lids", "type": "u8"},
                {"name": "label", "type": "string[20]"},
                {"name": "state", "type": "u16", "bits": [{"bits": "12-15", "name": "Heat", "values": {"0": "Off"}}]},
                {"name": "lids", "type": "Lid[]", "count_field": "n_lids", "units": "pieces"},
            ],
        }
    ],
}


def test_a_private_schema_file_is_accepted():
    assert is_valid(GOOD)
    assert is_valid({"package": "acme"})


@pytest.mark.parametrize(
    "name",
    ["crc", "length", "msg_type", "msg_name", "payload", "preamble", "sender", "meaning", "utc", "gps_week"],
)
def test_a_field_cannot_have_the_name_of_a_key_of_the_lines(name):
    document = copy.deepcopy(GOOD)
    document["messages"][0]["fields"][0]["name"] = name
    assert not is_valid(document)
    assert not any(field["name"] == name for _, field in all_fields())


def field_of(**members):
    message = {"id": 28673, "name": "MSG_ACME", "fields": [dict(members, name="f")]}
    return {"package": "acme", "messages": [message]}


@pytest.mark.parametrize(
    "document",
    [
        {"structs": []},
        {"package": "acme", "message": []},
        {"package": "acme", "description": "two\nlines"},
        {"package": "acme", "messages": [{"id": 0, "name": "MSG_ACME", "fields": []}]},
        {"package": "acme", "messages": [{"id": 65536, "name": "MSG_ACME", "fields": []}]},
        {"package": "acme", "messages": [{"id": "1", "name": "MSG_ACME", "fields": []}]},
        {"package": "acme", "messages": [{"id": 1, "name": "ACME", "fields": []}]},
        {"package": "acme", "messages": [{"id": 1, "name": "MSG_ACME"}]},
        {"package": "acme", "structs": [{"name": "Empty", "fields": []}]},
        {"package": "acme", "structs": [{"name": "u8", "fields": [{"name": "f", "type": "u8"}]}]},
        {"protocol": "SBP"},
        {"protocol": "NMEA", "version": "1.0.0"},
        field_of(),
        field_of(type="u8", unit="m"),
        field_of(type="u8[0]"),
        field_of(type="u8[4"),
        field_of(type="string"),
        field_of(type="string[]", encoding="unterminated"),
        field_of(type="string[4]", encoding="unterminated"),
        field_of(type="string", encoding="utf8"),
        field_of(type="u8", encoding="unterminated"),
        field_of(type="u8", count_field="n"),
        field_of(type="float", bits=[{"bits": "0", "name": "b"}]),
        field_of(type="u8[2]", bits=[{"bits": "0", "name": "b"}]),
        field_of(type="u8", bits=[{"bits": "8", "name": "b"}]),
        field_of(type="u16", bits=[{"bits": "0-16", "name": "b"}]),
        field_of(type="s32", bits=[{"bits": "32", "name": "b"}]),
        field_of(type="u64", bits=[{"bits": "64", "name": "b"}]),
        field_of(type="u8", bits=[{"bits": 0, "name": "b"}]),
        field_of(type="u8", bits=[{"bits": "0"}]),
        field_of(type="u8", bits=[{"bits": "0", "name": "b", "values": {"0x1": "one"}}]),
        field_of(type="u8", bits=[{"bits": "0", "name": "b", "values": {"1": 1}}]),
    ],
    ids=json.dumps,
)
def test_the_meta_schema_refuses(document):
    assert not is_valid(document)


# ---- scripts/import-spec

SPEC = """
package: swiftnav.sbp.acme
description: A published text that must not be taken over.
definitions:
  - Kettle:
      desc: A published text that must not be taken over.
      fields:
        - lid:
            type: Lid
        - level:
            type: u8
            units: 0.5
  - Lid:
      fields:
        - angle:
            type: s16
            units: deg (measured from the closed position upwards)
        - label:
            type: string
            size: 6
            encoding: null_terminated
        - flags:
            type: u8
            desc: A published text that must not be taken over.
            fields:
              - 2-6:
                  desc: Reserved, set to zero
              - 7:
                  desc: Stuck.
              - 0-1:
                  desc: Lid
                  values:
                    - 4: Ajar
                    - 0: "  Shut
                        tight "
  - MSG_ACME_KETTLES:
      id: 0x7001
      replaced_by: [MSG_ACME_POTS]
      desc: A published text that must not be taken over.
      fields:
        - n_kettles:
            type: u8
            units: N/A
        - kettles:
            type: array
            fill: Kettle
            size_fn: n_kettles
            map_by: lid
  - MSG_ACME_NOTE:
      id: 0x7002
      fields:
        - mode:
            type: u16
            fields:
              - 0-7:
                  values:
                    - 1: Loud
              - 8-15:
                  desc: Number of times that the note has been sung since the start
        - tune:
            type: array
            fill: float
            size: 3
        - text:
            type: string
            encoding: unterminated
  - MSG_ACME_OFF:
      id: 0x7003
"""

TYPES = """
package: swiftnav.sbp.types
render_source: false
definitions:
  - u8:
      type: primitive
      size: 1
"""

IMPORTED = """{
  "package": "acme",
  "structs": [
    {
      "name": "Lid",
      "fields": [
        {"name": "angle", "type": "s16", "units": "deg"},
        {"name": "label", "type": "string[6]"},
        {"name": "flags", "type": "u8", "bits": [
          {"bits": "0-2", "name": "Lid", "values": {"0": "Shut tight", "4": "Ajar"}},
          {"bits": "3-6", "name": "Reserved"},
          {"bits": "7", "name": "Stuck"}
        ]}
      ]
    },
    {
      "name": "Kettle",
      "fields": [
        {"name": "lid", "type": "Lid"},
        {"name": "level", "type": "u8", "units": "0.5"}
      ]
    }
  ],
  "messages": [
    {
      "id": 28673,
      "name": "MSG_ACME_KETTLES",
      "replaced_by": ["MSG_ACME_POTS"],
      "fields": [
        {"name": "n_kettles", "type": "u8"},
        {"name": "kettles", "type": "Kettle[]", "count_field": "n_kettles"}
      ]
    },
    {
      "id": 28674,
      "name": "MSG_ACME_NOTE",
      "fields": [
        {"name": "mode", "type": "u16", "bits": [{"bits": "0-7", "name": "mode", "values": {"1": "Loud"}}, {"bits": "8-15", "name": "mode"}]},
        {"name": "tune", "type": "float[3]"},
        {"name": "text", "type": "string", "encoding": "unterminated"}
      ]
    },
    {
      "id": 28675,
      "name": "MSG_ACME_OFF",
      "fields": []
    }
  ]
}
"""


class Workplace:
    """A definition and a schema folder of their own, and the script run on them."""

    def __init__(self, path):
        self.spec = path / "spec"
        self.schema = path / "schema"
        self.spec.mkdir()
        self.schema.mkdir()
        self.publish(SPEC)
        (self.spec / "types.yaml").write_text(TYPES, encoding="utf-8")

    def publish(self, text):
        (self.spec / "acme.yaml").write_text(text, encoding="utf-8")

    def files(self):
        return {path.name: path.read_bytes() for path in self.schema.iterdir()}

    def package(self):
        return (self.schema / "acme.json").read_text(encoding="utf-8")

    def run(self, *options):
        command = [sys.executable, str(IMPORT_SPEC), "--schema", str(self.schema), *options, str(self.spec)]
        return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def workplace(tmp_path):
    return Workplace(tmp_path)


def changes(result):
    return result.stdout.split("\n\n")[0].rstrip("\n").splitlines()


def lacks(result):
    return [line.strip() for line in result.stdout.split("\n\n")[1].splitlines()[1:]]


def test_import_takes_the_facts_and_none_of_the_prose(workplace):
    result = workplace.run("--version", "7.0.0")
    assert result.returncode == 0
    assert workplace.package() == IMPORTED
    assert json.loads((workplace.schema / "protocol.json").read_text()) == {"protocol": "SBP", "version": "7.0.0"}
    assert sorted(workplace.files()) == ["acme.json", "protocol.json"]
    assert is_valid(json.loads(workplace.package()))
    assert changes(result) == [
        "protocol: version none -> 7.0.0",
        "acme: package added",
        "acme: Lid added",
        "acme: Kettle added",
        "acme: MSG_ACME_KETTLES added, id 28673",
        "acme: MSG_ACME_NOTE added, id 28674",
        "acme: MSG_ACME_OFF added, id 28675",
    ]


def test_import_says_where_it_mends_the_definition(workplace):
    assert workplace.run().stderr == (
        "import-spec: Lid.flags: bits 0-1 cannot hold the value 4, read as 0-2\n"
        "import-spec: Lid.flags: reserved bits 2-6 overlap others, read as 3-6\n"
    )


def test_import_lists_what_lacks_words(workplace):
    assert lacks(workplace.run()) == [
        "acme",
        "acme: Lid",
        "acme: Lid.angle",
        "acme: Lid.label",
        "acme: Kettle",
        "acme: Kettle.lid",
        "acme: Kettle.level",
        "acme: MSG_ACME_KETTLES",
        "acme: MSG_ACME_KETTLES.n_kettles",
        "acme: MSG_ACME_KETTLES.kettles",
        "acme: MSG_ACME_NOTE",
        "acme: MSG_ACME_NOTE.mode",
        "acme: MSG_ACME_NOTE.mode: name of bits 0-7",
        "acme: MSG_ACME_NOTE.mode: name of bits 8-15",
        "acme: MSG_ACME_NOTE.tune",
        "acme: MSG_ACME_NOTE.text",
        "acme: MSG_ACME_OFF",
    ]


def test_a_second_import_changes_nothing(workplace):
    workplace.run("--version", "7.0.0")
    before = workplace.files()
    for options in ([], ["--check"], ["--version", "7.0.0"]):
        result = workplace.run(*options)
        assert (result.returncode, changes(result)) == (0, ["no changes"])
        assert workplace.files() == before


def test_import_keeps_our_words_over_a_new_definition(workplace):
    workplace.run()
    package = json.loads(workplace.package())
    package["description"] = "Kitchen"
    package["messages"][1]["description"] = "A song"
    mode = package["messages"][1]["fields"][0]
    mode["description"] = "How to sing"
    mode["bits"][0]["name"] = "Loudness"
    package["structs"][0]["fields"][0]["description"] = "How far it is open"
    (workplace.schema / "acme.json").write_text(json.dumps(package), encoding="utf-8")
    workplace.publish(SPEC.replace("- angle:\n            type: s16", "- angle:\n            type: s32"))

    assert changes(workplace.run()) == ["acme: Lid.angle: type s16 -> s32"]
    package = json.loads(workplace.package())
    assert package["description"] == "Kitchen"
    assert package["messages"][1]["description"] == "A song"
    mode = package["messages"][1]["fields"][0]
    assert (mode["description"], mode["bits"][0]["name"]) == ("How to sing", "Loudness")
    angle = package["structs"][0]["fields"][0]
    assert (angle["type"], angle["description"]) == ("s32", "How far it is open")


def test_import_lists_every_kind_of_change(workplace):
    workplace.run("--version", "7.0.0")
    spec = yaml.safe_load(SPEC)
    kettle, lid, kettles, note, off = [next(iter(item.values())) for item in spec["definitions"]]
    kettles.update(id=0x7009, replaced_by=["MSG_ACME_PANS", "MSG_ACME_POTS"])
    kettles["fields"][1]["kettles"].pop("size_fn")
    kettle["fields"][1]["level"]["units"] = "cm"
    note["fields"][2]["text"]["encoding"] = "multipart"
    note["fields"][1:1] = [{"verse": {"type": "u8"}}]
    flags = lid["fields"][2]["flags"]["fields"]
    flags[0] = {"3": {"desc": "Hinge", "values": [{0: "Steel"}]}}
    flags[1]["7"] = flags[1].pop(7)
    flags[1]["7"]["desc"] = "Jammed"
    flags[2]["0-1"]["values"] = [{0: "Shut"}, {1: "Ajar"}]
    flags[2]["0-2"] = flags[2].pop("0-1")
    lid["fields"][:2] = [lid["fields"][1], lid["fields"][0]]
    kettle["fields"].pop(0)
    spec["definitions"][4] = {"MSG_ACME_ON": off}
    workplace.publish(yaml.safe_dump(spec, sort_keys=False))

    before = workplace.files()
    result = workplace.run("--check", "--version", "7.1.0")
    assert result.returncode == 1
    assert workplace.files() == before
    expected = [
        "protocol: version 7.0.0 -> 7.1.0",
        "acme: MSG_ACME_OFF removed",
        "acme: Kettle.lid: field removed",
        "acme: Kettle.level: units 0.5 -> cm",
        "acme: Lid.flags: bits 3-6 removed (Reserved)",
        "acme: Lid.flags: bits 0-2: value 4 removed (Ajar)",
        "acme: Lid.flags: bits 0-2: value 0 Shut tight -> Shut",
        "acme: Lid.flags: bits 0-2: value 1 added (Ajar)",
        "acme: Lid.flags: bits 3 added (Hinge)",
        "acme: Lid.flags: bits 7: name Stuck -> Jammed",
        "acme: Lid: order of fields changed: label, angle, flags",
        "acme: MSG_ACME_KETTLES: id 28673 -> 28681",
        "acme: MSG_ACME_KETTLES: replaced_by MSG_ACME_POTS -> MSG_ACME_PANS, MSG_ACME_POTS",
        "acme: MSG_ACME_KETTLES.kettles: count_field n_kettles -> none",
        "acme: MSG_ACME_NOTE.verse: field added, type u8",
        "acme: MSG_ACME_NOTE.text: encoding unterminated -> multipart",
        "acme: MSG_ACME_ON added, id 28675",
    ]
    assert changes(result) == expected
    assert changes(workplace.run("--version", "7.1.0")) == expected
    assert changes(workplace.run()) == ["no changes"]


def test_a_package_that_is_no_longer_published_goes_and_words_move_with_a_message(workplace):
    workplace.run()
    package = json.loads(workplace.package())
    package["messages"][2]["description"] = "Time to stop"
    (workplace.schema / "acme.json").write_text(json.dumps(package), encoding="utf-8")
    (workplace.spec / "acme.yaml").unlink()
    (workplace.spec / "kitchen.yaml").write_text(
        "package: swiftnav.sbp.kitchen\ndefinitions:\n  - MSG_ACME_OFF:\n      id: 0x7003\n", encoding="utf-8"
    )
    assert changes(workplace.run()) == [
        "acme: package removed",
        "kitchen: package added",
        "acme: Lid removed",
        "acme: Kettle removed",
        "acme: MSG_ACME_KETTLES removed",
        "acme: MSG_ACME_NOTE removed",
        "kitchen: MSG_ACME_OFF moved here from acme",
    ]
    assert list(workplace.files()) == ["kitchen.json"]
    (message,) = json.loads((workplace.schema / "kitchen.json").read_text())["messages"]
    assert message["description"] == "Time to stop"


@pytest.mark.parametrize(
    "text, fault",
    [
        (None, "no definition of messages"),
        ("- just a list\n", "acme.yaml: not the definition of a package"),
        ("package: [\n", "while parsing"),
        (SPEC.replace("fill: Kettle\n", "\n"), "MSG_ACME_KETTLES.kettles: a type is missing"),
        (SPEC.replace("- 0-7:", "- low:"), "MSG_ACME_NOTE.mode: bits 'low'"),
        (SPEC.replace("- 1: Loud", "- one: Loud"), "MSG_ACME_NOTE.mode: bits 0-7: a value is no number"),
        (SPEC.replace("- 8-15:", "- 7-15:"), "MSG_ACME_NOTE.mode: bits 7 to 15 overlap others"),
    ],
)
def test_a_definition_that_is_not_understood_changes_nothing(workplace, text, fault):
    workplace.run()
    before = workplace.files()
    if text is None:
        (workplace.spec / "acme.yaml").unlink()
    else:
        workplace.publish(text)
    result = workplace.run()
    assert result.returncode == 1
    assert fault in result.stderr and "Traceback" not in result.stderr
    assert workplace.files() == before


def test_the_schema_files_are_laid_out_as_import_writes_them():
    text_of_package = load_import_spec().text_of_package
    for name, package in PACKAGES.items():
        assert text_of_package(package) == (SCHEMA / name).read_text(encoding="utf-8"), name


# ---- The published definition


def minimum_size(body):
    """The least payload, by the rule of the contract."""
    return sum(field_size(field) for field in body["fields"])


def field_size(field):
    name, count = split_type(field["type"])
    if name == "string":
        ends = {"null_terminated": 1, "double_null_terminated": 2}
        return ends.get(field["encoding"], 0) if "encoding" in field else count
    if count is None:
        return 0
    return count * (SIZES[name] if name in SIZES else minimum_size(STRUCTS[name]))


def listed_type(field):
    if field["type"] == "string":
        ends = {"unterminated": "", "null_terminated": "z", "multipart": "m", "double_null_terminated": "zz"}
        return "str" + ends[field["encoding"]]
    return re.sub(r"^string\[(\d+)\]$", r"str(\1)", field["type"])


@needs_reference
def test_ids_names_sizes_and_types_are_the_published_ones():
    lines = (Path(REFERENCE) / "reference" / "messages.txt").read_text(encoding="utf-8").splitlines()
    ours = set()
    for body in BODIES.values():
        head = ["M", str(body["id"])] if "id" in body else ["S"]
        fields = [f"{field['name']}:{listed_type(field)}" for field in body["fields"]]
        ours.add(" ".join([*head, body["name"], str(minimum_size(body)), *fields]))
    assert ours == {line.strip() for line in lines if line[0] in "SM"}


def published_bodies():
    for path in sorted((Path(REFERENCE) / "reference" / "spec").glob("*.yaml")):
        for item in yaml.safe_load(path.read_text(encoding="utf-8"))["definitions"]:
            ((name, body),) = item.items()
            if name in BODIES:
                yield name, body


@needs_reference
def test_units_and_named_values_and_replacements_are_the_published_ones():
    for name, body in published_bodies():
        if "id" in body:
            assert MESSAGES[name].get("replaced_by") == body.get("replaced_by"), name
        for item, ours in zip(body.get("fields") or [], BODIES[name]["fields"]):
            ((field_name, field),) = item.items()
            where = f"{name}.{field_name}"
            assert ours["name"] == field_name, where
            units = " ".join(str(field.get("units", "")).split())
            if units in ("N/A", "(XX)InputType"):
                units = ""
            assert units.split(" (add ")[0] == ours.get("units", ""), where
            assert field.get("size_fn") == ours.get("count_field"), where
            published = {}
            for bits in field.get("fields") or []:
                ((position, entry),) = bits.items()
                values = {str(k): " ".join(v.split()) for value in entry.get("values") or [] for k, v in value.items()}
                published[span(str(position))[0]] = values
            if where == "MSG_ANGULAR_RATE.flags":
                published[3] = published.pop(2)  # Reserved bits that overlap others.
            assert published == {span(bits["bits"])[0]: bits.get("values", {}) for bits in ours.get("bits", [])}, where


@needs_reference
def test_import_of_the_published_definition_changes_nothing():
    command = [sys.executable, str(IMPORT_SPEC), "--check", str(Path(REFERENCE) / "reference" / "spec")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "no changes\n")


@needs_reference
def test_descriptions_share_no_six_words_in_a_row_with_the_published_ones():
    def runs(text):
        words = re.findall(r"[a-z0-9_']+", text.lower())
        return {tuple(words[i : i + 6]) for i in range(len(words) - 5)}

    published = set()
    for path in (Path(REFERENCE) / "reference" / "spec").glob("*.yaml"):
        published |= runs(re.sub(r"[\s#]+", " ", path.read_text(encoding="utf-8")))
    texts = [package["description"] for package in PACKAGES.values()]
    texts += [body["description"] for body in BODIES.values()]
    texts += [field["description"] for _, field in all_fields() if "description" in field]
    assert not [text for text in texts if runs(text) & published]
