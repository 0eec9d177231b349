# SPDX-License-Identifier: MIT
"""sbp2csv: tables with the values of the lines, and tracks of the fixes."""

import csv
import io
import json
import struct
import xml.etree.ElementTree

import pytest

import model
import model_time
from tool import HEARTBEAT, LOG_FRAME, TEST_DATA, clean, run

LOGS = sorted(path.name for path in TEST_DATA.glob("*.sbp") if path.name != "benchmark.sbp")
DATA = (TEST_DATA / "receiver_10hz.sbp").read_bytes()
GPX = "{http://www.topografix.com/GPX/1/1}"


def table_of(out):
    """Columns and rows; the reader is strict, and each line ends with CR LF."""
    text = out.decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert text.endswith("\r\n") and text.replace("\r\n", "").count("\r") == text.count("\r") - text.count("\r\n")
    assert all(len(row) == len(rows[0]) for row in rows)
    return rows[0], rows[1:]


def cell(value):
    """What a value of a line, its numbers still text, is in a cell."""
    if value is None:
        return ""
    if isinstance(value, list):
        return compact(value)
    if isinstance(value, Text):
        return value.rstrip("\0").replace("\0", "\\u0000")
    return value


class Text(str):
    """A string, apart from the text of a number."""


def compact(value):
    if value is None:
        return "null"
    if isinstance(value, Text):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join('"%s":%s' % (key, compact(item)) for key, item in value.items()) + "}"
    return value


def numbers_as_text(line):
    """The line with numbers as they are written."""

    def mark(value):
        if isinstance(value, dict):
            return {key: mark(item) for key, item in value.items()}
        if isinstance(value, list):
            return [mark(item) for item in value]
        return value.text if isinstance(value, Number) else Text(value) if isinstance(value, str) else value

    return mark(json.loads(line, parse_float=Number, parse_int=Number))


class Number:
    def __init__(self, text):
        self.text = text


def columns(body, array, prefix=""):
    for field in body.fields:
        name = prefix + field.name
        if isinstance(field.base, model.Struct) and (field.repeat is None or name == array):
            yield from columns(field.base, array, name + ".")
        else:
            yield name


def cells(value, body, array, element, prefix=""):
    for field in body.fields:
        name, item = prefix + field.name, value[field.name]
        if name == array:
            item = item[element]
        if isinstance(field.base, model.Struct) and (field.repeat is None or name == array):
            yield from cells(item, field.base, array, element, name + ".")
        else:
            yield cell(item)


def expected(data, name, array=None):
    """The table by the models."""
    message = model.schema().by_name[name]
    head = ["utc", "gps_week", "sender", *columns(message, array)]
    rows = []
    frames = model.find_frames(data).frames
    for frame, (ns, utc) in zip(frames, model_time.times(data)):
        if frame.type != message.id:
            continue
        ms = None if ns is None else (ns + model_time.MS // 2) // model_time.MS
        begin = ["" if ns is None else utc, "" if ns is None else str(ms // model_time.WEEK), str(frame.sender)]
        if frame.length < message.size:
            rows.append(begin + [""] * (len(head) - 3))
            continue
        value = numbers_as_text(model.line(frame))
        for element in range(1 if array is None else len(value[array])):
            rows.append(begin + list(cells(value, message, array, element)))
    return head, rows


def arrays(name):
    return [field.name for field in model.schema().by_name[name].fields if field.repeat is not None]


@pytest.mark.parametrize("name", LOGS)
def test_a_table_has_the_values_of_the_lines(name, tmp_path):
    data = (TEST_DATA / name).read_bytes()
    path = tmp_path / "log.sbp"
    path.write_bytes(data)
    known = model.schema().messages
    names = sorted({known[frame.type].name for frame in model.find_frames(data).frames if frame.type in known})
    for message in names:
        for array in [None, *arrays(message)]:
            asked = message if array is None else "%s.%s" % (message, array)
            assert table_of(run("sbp2csv", b"", path, asked).out) == expected(data, message, array), asked


def test_tables_of_logs_of_receivers_have_the_values_of_the_lines(reference):
    for path in sorted((reference / "logs").iterdir()):
        data = path.read_bytes()
        types = {frame.type for frame in model.find_frames(data).frames}
        for name, array in (("MSG_POS_LLH", None), ("MSG_OBS", "obs"), ("MSG_SSR_ORBIT_CLOCK", None)):
            if model.schema().by_name[name].id in types:
                asked = name if array is None else "%s.%s" % (name, array)
                assert table_of(run("sbp2csv", b"", path, asked).out) == expected(data, name, array)


def test_the_message_stands_behind_all_logs(tmp_path):
    log = tmp_path / "log.sbp"
    log.write_bytes(LOG_FRAME)
    want = b"utc,gps_week,sender,level,text\r\n" + b",,42,6,hi\r\n"
    assert clean("sbp2csv", b"", log, "MSG_LOG") == want
    assert clean("sbp2csv", LOG_FRAME, "MSG_LOG") == want
    assert clean("sbp2csv", LOG_FRAME, "-", "MSG_LOG") == want
    assert clean("sbp2csv", b"", log, log, "MSG_LOG") == want + b",,42,6,hi\r\n"
    assert clean("sbp2csv", b"", log, "MSG_LOG", "-o", tmp_path / "out.csv") == b""
    assert (tmp_path / "out.csv").read_bytes() == want


def test_a_table_without_rows_has_its_columns():
    assert clean("sbp2csv", HEARTBEAT, "MSG_LOG") == b"utc,gps_week,sender,level,text\r\n"
    assert clean("sbp2csv", b"", "MSG_LOG") == b"utc,gps_week,sender,level,text\r\n"


@pytest.mark.parametrize(
    "asked, hint",
    [
        ("MSG_POS_LHL", "MSG_POS_LLH"),
        ("MSG_NONE_AT_ALL_OF_THEM", "--describe"),
        ("MSG_OBS.header", "no such array"),
        ("MSG_OBS.", "no such array"),
        ("MSG_OBS.obs.P", "no such array"),
        ("", "no such message"),
    ],
)
def test_what_is_no_message_or_array_is_refused(asked, hint):
    result = run("sbp2csv", HEARTBEAT, asked)
    assert (result.code, result.out, len(result.errors)) == (2, b"", 1)
    assert hint in result.errors[0]


def test_a_message_must_be_named(tmp_path):
    log = tmp_path / "log.sbp"
    log.write_bytes(LOG_FRAME)
    for arguments in ([], [log], ["MSG_LOG", log]):
        result = run("sbp2csv", HEARTBEAT, *arguments)
        assert (result.code, len(result.errors)) == (2, 1) and "LOG MESSAGE" in result.errors[0]


@pytest.mark.parametrize(
    "text, want",
    [
        (b"plain", b"plain"),
        (b"a,b", b'"a,b"'),
        (b'say "hi"', b'"say ""hi"""'),
        (b"two\nlines", b'"two\nlines"'),
        (b"carriage\rreturn", b'"carriage\rreturn"'),
        (b"tab\tand space ", b"tab\tand space "),
        (b"a\0b\0\0", b"a\\u0000b"),
        (b"\0", b""),
        (b"back\\slash", b"back\\slash"),
        ("Größe".encode(), "Größe".encode()),
        (b"\xff", "\ufffd".encode()),
        (b"\xff" * 254, ("\ufffd" * 254).encode()),
        (b'"' * 254, b'"' + b'"' * 508 + b'"'),
        (b"\0" * 253 + b"x", b"\\u0000" * 253 + b"x"),
    ],
)
def test_a_string_is_a_cell(text, want):
    out = clean("sbp2csv", model.pack(1025, 1, b"\x06" + text), "MSG_LOG")
    assert out == b"utc,gps_week,sender,level,text\r\n,,1,6," + want + b"\r\n"


def test_damage_is_left_out_and_told():
    result = run("sbp2csv", LOG_FRAME + b"junk" + LOG_FRAME, "MSG_LOG")
    assert (result.code, len(result.lines)) == (1, 3)
    assert result.errors[0] == "sbp2csv: offset 11: 4 bytes outside frames"


def test_a_short_payload_has_no_values():
    result = run("sbp2csv", model.pack(522, 7, b"short"), "MSG_POS_LLH")
    assert (result.code, result.lines[1]) == (0, b",,7,,,,,,,,\r\n")
    assert result.errors == ["sbp2csv: note: 1 message of MSG_POS_LLH is shorter than the type and has no values"]


def test_messages_are_selected():
    frames = b"".join(model.pack(1025, sender, b"\x06%d" % sender) for sender in (1, 2, 1, 1, 2))
    assert len(table_of(clean("sbp2csv", frames, "MSG_LOG", "--sender", "1"))[1]) == 3
    assert len(table_of(clean("sbp2csv", frames, "MSG_LOG", "--first", "2"))[1]) == 2
    assert len(table_of(clean("sbp2csv", frames, "MSG_LOG", "--range", "0:20"))[1]) == 2


def test_a_table_opens_in_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "table.csv"
    for name, array in (("MSG_POS_LLH", None), ("MSG_OBS", "obs")):
        asked = name if array is None else "%s.%s" % (name, array)
        path.write_bytes(clean("sbp2csv", DATA, asked))
        frame = pandas.read_csv(path, parse_dates=["utc"], float_precision="round_trip")
        head, rows = expected(DATA, name, array)
        assert list(frame.columns) == head and len(frame) == len(rows)
        assert str(frame["utc"].dtype) == "datetime64[ns, UTC]"
        for column in head[1:]:
            values = [float(row[head.index(column)]) for row in rows]
            assert [float(value) for value in frame[column]] == values


# ---- Tracks


def fix(tow, mode=4, lat=1.5, lon=2.5, height=3.25, msg_type=522, sats=6):
    payload = struct.pack("<IdddHHBB", tow, lat, lon, height, 4, 5, sats, mode)
    if msg_type == 529:
        payload = struct.pack("<Iddd6fBB", tow, lat, lon, height, *range(6), sats, mode)
    return model.pack(msg_type, 1, payload)


TIME = model_time.gps_time(2200, 1000)


def points_of(out):
    """Segments of (lat, lon, height, time)."""
    root = xml.etree.ElementTree.fromstring(out)
    assert (root.tag, root.get("version")) == (GPX + "gpx", "1.1")
    segments = []
    for segment in root.findall("%strk/%strkseg" % (GPX, GPX)):
        points = []
        for point in segment:
            order = [child.tag[len(GPX) :] for child in point]
            assert order == [name for name in ("ele", "time", "fix", "sat") if name in order]
            points.append(
                (float(point.get("lat")), float(point.get("lon")), point.findtext(GPX + "ele"), point.findtext(GPX + "time"))
            )
        segments.append(points)
    return segments


def features_of(out):
    value = json.loads(out)
    assert value["type"] == "FeatureCollection"
    assert all(feature["type"] == "Feature" and feature["geometry"]["type"] == "Point" for feature in value["features"])
    return value["features"]


def both(data, *options):
    return (
        points_of(run("sbp2csv", data, "--track", "gpx", *options).out),
        features_of(run("sbp2csv", data, "--track", "geojson", *options).out),
    )


def model_fixes(data, msg_type=522):
    for frame, (_, utc) in zip(model.find_frames(data).frames, model_time.times(data)):
        if frame.type == msg_type and frame.payload[33] & 7:
            yield (*struct.unpack_from("<3d", frame.payload, 4), utc)


def test_a_track_has_the_fixes_of_the_log():
    segments, features = both(DATA)
    want = list(model_fixes(DATA))
    assert [(lat, lon, float(height), time) for lat, lon, height, time in segments[0]] == want
    assert [
        (*feature["geometry"]["coordinates"], feature["properties"]["time"]) for feature in features
    ] == [(lon, lat, height, utc) for lat, lon, height, utc in want]
    assert features[0]["properties"] == {
        "time": want[0][3], "msg_name": "MSG_POS_LLH", "sender": 34977, "mode": 4, "mode_name": "Fixed RTK", "n_sats": 14,
        "h_accuracy": 37, "v_accuracy": 61}  # fmt: skip


def test_tracks_of_logs_of_receivers_have_their_fixes(reference):
    for path in sorted((reference / "logs").iterdir()):
        want = list(model_fixes(path.read_bytes()))
        segments, features = both(path.read_bytes(), "--include", "MSG_POS_LLH")
        assert [point[:2] for segment in segments for point in segment] == [point[:2] for point in want]
        assert [point[3] for segment in segments for point in segment] == [point[3] for point in want]
        assert len(features) == len(want)


def test_what_is_no_fix_is_left_out_and_parts_the_track():
    nan, infinite = float("nan"), float("inf")
    bad = [fix(1100, 0), fix(1200, lat=nan), fix(1300, lon=infinite), fix(1400, lat=90.5), fix(1500, lon=180.5)]
    bad.append(model.pack(522, 1, b"short"))
    data = TIME + fix(1000) + b"".join(bad) + fix(1600, lat=-90.0) + fix(1700, height=nan)
    segments, features = both(data)
    assert [[point[0] for point in segment] for segment in segments] == [[1.5], [-90.0, 1.5]]
    assert [point[2] for segment in segments for point in segment] == ["3.25", "3.25", None]
    assert [len(feature["geometry"]["coordinates"]) for feature in features] == [3, 3, 2]


def test_numbers_of_a_track_have_no_exponent():
    segments, _ = both(TIME + fix(1000, lat=1e-7, lon=-1e-9, height=1e20))
    out = clean("sbp2csv", TIME + fix(1000, lat=1e-7, lon=-1e-9, height=1e20), "--track", "gpx")
    assert b'lat="0.000000100000" lon="-0.000000001000"' in out and b"<ele>100000000000000000000.000000000000</ele>" in out
    assert segments[0][0][:2] == (1e-7, -1e-9)


def test_one_type_of_message_makes_the_track():
    """The better one as soon as it comes; what the worse has told before is not told again."""
    worse, better = 529, 522
    data = TIME + b"".join(
        [fix(1000, msg_type=worse), fix(1100, msg_type=worse), fix(1100, msg_type=better), fix(1200, msg_type=worse),
         fix(1200, msg_type=better), fix(1300, msg_type=better)])  # fmt: skip
    segments, features = both(data)
    assert [feature["properties"]["msg_name"] for feature in features] == ["MSG_POS_LLH_COV"] * 2 + ["MSG_POS_LLH"] * 2
    times = [point[3] for point in segments[0]]
    assert len(times) == 4 and times == sorted(set(times))
    _, features = both(data, "--include", "529")
    assert {feature["properties"]["msg_name"] for feature in features} == {"MSG_POS_LLH_COV"} and len(features) == 3


def test_a_leap_second_is_the_ms_before_it():
    week, tow = 1930, 16000  # 2017-01-01 00:00:00 is 17 s behind the week's beginning, with the second 60 before it
    data = b"".join(model_time.gps_time(week, tow + step) + fix(tow + step) for step in (0, 1000, 1500, 2000))
    times = [point[3] for point in both(data)[0][0]]
    assert times == ["2016-12-31T23:59:59.000Z", "2016-12-31T23:59:59.999Z", "2016-12-31T23:59:59.999Z",
                     "2017-01-01T00:00:00.000Z"]  # fmt: skip


def test_a_track_without_fixes_is_one_all_the_same():
    for data in (b"", HEARTBEAT, fix(0, 0)):
        segments, features = both(data)
        assert (segments, features) == ([[]], [])
    result = run("sbp2csv", HEARTBEAT, "--track", "gpx")
    assert result.code == 0 and "no fix" in result.errors[0]


def test_a_track_takes_logs_alone(tmp_path):
    log = tmp_path / "log.sbp"
    log.write_bytes(TIME + fix(1000))
    assert len(points_of(clean("sbp2csv", b"", "--track", "gpx", log, log))[0]) == 2
    result = run("sbp2csv", b"", "--track", "kml", log)
    assert (result.code, result.out) == (2, b"")


def test_a_track_that_is_stopped_is_whole():
    data = TIME + fix(1000) + fix(1100) + b"junk" + fix(1200)
    assert len(points_of(run("sbp2csv", data, "--track", "gpx", "--first", "1").out)[0]) == 1
    assert len(points_of(run("sbp2csv", data, "--track", "gpx", "--error-handler", "return").out)[0]) == 2
