#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write C that reads every field of every message by its constant and by its struct member: accessors_made.c, which
accessors.h describes. What there is to read, and the names it has, come from the schema files by the model.

    make_accessors.py OUTPUT
"""

import pathlib
import re
import sys

import model

UNSIGNED = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}


def c_name(name):
    """PackedObsContent -> packed_obs_content, GPSTimeSec -> gps_time_sec, MSG_OBS -> msg_obs"""
    name = re.sub("([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub("([A-Z])([A-Z][a-z])", r"\1_\2", name).lower()


# Words of C and C++ among the names of fields that tests use.
KEPT = ("class", "int")


def member_name(field):
    return "m->" + field.name + ("_" if field.name in KEPT else "")


def words_name(words):
    return re.sub("[^A-Za-z0-9]+", "_", words).strip("_").upper()


def constant(body, field, *more):
    return "_".join(["SBP", c_name(body.name).upper(), c_name(field.name).upper(), *more])


def bits_of(field):
    """Name, first and last bit of those that mean something."""
    for bits in field.bits:
        if bits["name"] != "Reserved":
            first, _, last = bits["bits"].partition("-")
            yield bits, int(first), int(last or first)


class Function:
    """The lines of view_NAME, which reads by constants, or members_NAME, which reads the struct."""

    def __init__(self, body, by_view):
        self.body, self.by_view = body, by_view
        self.lines = []

    def number(self, field, view, member):
        kind, name = field.base, constant(self.body, field)
        reading = "sbp_view_%s(%s)" % (kind, view) if self.by_view else member
        if kind in ("float", "double"):
            self.lines.append("  add_%s(leaves, %s);" % (kind, reading))
        else:
            self.lines.append("  add(leaves, %s%s);" % ("(uint64_t)(int64_t)" if kind[0] == "s" else "", reading))
        for bits, _, _ in bits_of(field):
            raw = "sbp_view_u%s(%s)" % (kind[1:], view) if self.by_view else "(%s)%s" % (UNSIGNED[field.element_size], member)
            self.lines.append("  add(leaves, sbp_bits_get(%s, %s_%s));" % (raw, name, words_name(bits["name"])))

    def string(self, field, last):
        name = constant(self.body, field)
        if self.by_view:
            self.lines.append("  add_view_string(leaves, view, %s);" % name)
            if not last and field.string_size is None:
                self.lines.append("  view = sbp_view_behind(view, %s);" % name)
        elif field.string_size is None:
            self.lines.append("  add_string(leaves, &%s, %s);" % (member_name(field), name))
        else:
            self.lines.append("  add_fixed_string(leaves, %(m)s, sizeof %(m)s, %(f)s);" % {"m": member_name(field), "f": name})

    def one(self, field, index):
        """A number or struct, or the element at this index."""
        name, member = constant(self.body, field), member_name(field) + ("[%s]" % index if index else "")
        element = "sbp_view_element(view, %s, %s)" % (name, index) if index else "sbp_view_struct(view, %s)" % name
        if isinstance(field.base, str):
            self.number(field, "%s, 0" % element if index else "view, %s" % name, member)
        elif self.by_view:
            self.lines.append("  view_%s(%s, leaves);" % (c_name(field.base.name), element))
        else:
            self.lines.append("  members_%s(&%s, leaves);" % (c_name(field.base.name), member))

    def array(self, field):
        name = constant(self.body, field)
        member = member_name(field)
        count = member + "_count" if field.repeat == "variable" else "sizeof %s / sizeof %s[0]" % (member, member)
        if self.by_view:
            count = "sbp_view_count(view, %s)" % name
            self.lines.append("  check_outside(view, %s);" % name)
        self.lines.append("  add(leaves, %s);" % count)
        self.lines.append("  for (size_t i = 0; i < %s; i++) {" % count)
        self.one(field, "i")
        self.lines.append("  }")

    def write(self):
        name = c_name(self.body.name)
        first = "struct sbp_view view" if self.by_view else "const struct sbp_%s *m" % name
        for field in self.body.fields:
            if field.base == "string":
                self.string(field, field is self.body.fields[-1])
            elif field.repeat is not None:
                self.array(field)
            else:
                self.one(field, None)
        if not self.lines:
            self.lines.append("  (void)%s, (void)leaves;" % first.split("*")[-1].split()[-1])
        head = "static void %s_%s(%s, struct leaves *leaves) {" % ("view" if self.by_view else "members", name, first)
        return "\n".join([head, *self.lines, "}", ""])


def assertions(body):
    """Constants that the compiler can compare: ids, least sizes, bits, and named values that are not reserved."""
    if body.id is not None:
        yield "SBP_%s == %d" % (body.name, body.id)
        yield "SBP_%s_SIZE_MIN == %d" % (body.name, body.size)
    for field in body.fields:
        for bits, first, last in bits_of(field):
            name = constant(body, field, words_name(bits["name"]))
            yield "SBP_BITS_FIRST(%s) == %d && SBP_BITS_LAST(%s) == %d" % (name, first, name, last)
            for value, words in bits.get("values", {}).items():
                # The header has the first words of a long one.
                if words != "Reserved" and len(words_name(words)) <= 40:
                    yield "%s_%s == %s" % (name, words_name(words), value)


def needed_structs(schema):
    """Those that messages hold, each behind those it holds."""
    found = {}

    def look(body):
        for field in body.fields:
            if isinstance(field.base, model.Struct) and field.base.name not in found:
                look(field.base)
                found[field.base.name] = field.base

    for message in schema.messages.values():
        look(message)
    return list(found.values())


def make(schema):
    parts = ['#include "accessors.h"\n']
    messages = [schema.messages[number] for number in sorted(schema.messages)]
    for body in needed_structs(schema) + messages:
        parts += ['_Static_assert(%s, "the header says what the schema does");' % text for text in assertions(body)]
        parts += [Function(body, True).write(), Function(body, False).write()]
    for message in messages:
        parts.append(
            "static bool decode_%(n)s(void *m, const uint8_t *payload, uint8_t size) {\n"
            "  return sbp_decode_%(n)s(m, payload, size);\n}\n"
            "static bool encode_%(n)s(const void *m, uint8_t *payload, uint8_t *size) {\n"
            "  return sbp_encode_%(n)s(m, payload, size);\n}\n"
            "static void members_of_%(n)s(const void *m, struct leaves *leaves) {\n"
            "  members_%(n)s(m, leaves);\n}\n"
            "static bool begin_%(n)s(struct sbp_view *view, const struct sbp_frame *frame) {\n"
            "  return SBP_VIEW(view, frame, SBP_%(N)s);\n}\n" % {"n": c_name(message.name), "N": message.name}
        )
    parts.append("const struct accessor accessors[] = {")
    for message in messages:
        parts.append(
            "  {%(id)d, sizeof(struct sbp_%(n)s), decode_%(n)s, encode_%(n)s, begin_%(n)s, view_%(n)s, members_of_%(n)s},"
            % {"id": message.id, "n": c_name(message.name)}
        )
    parts.append("};\n\nconst size_t accessor_count = sizeof accessors / sizeof accessors[0];\n")
    return "\n".join(parts)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(make(model.schema()))
