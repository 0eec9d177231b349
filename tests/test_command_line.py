# SPDX-License-Identifier: MIT
"""Options, files and exit codes of all three tools."""

import itertools
import os
import pathlib
import stat
import tempfile

import pytest

import model
import tool
from tool import HEARTBEAT, HEARTBEAT_LINE, LOG_FRAME, SHORT_LINE, clean, run

TOOLS = ["sbp2json", "json2sbp", "json2json"]
GOOD = {
    "sbp2json": (HEARTBEAT, HEARTBEAT_LINE),
    "json2sbp": (HEARTBEAT_LINE, HEARTBEAT),
    "json2json": (SHORT_LINE, HEARTBEAT_LINE),
}
BAD = {"sbp2json": b"junk" + HEARTBEAT, "json2sbp": b"junk\n" + SHORT_LINE, "json2json": b"junk\n" + SHORT_LINE}

every_tool = pytest.mark.parametrize("name", TOOLS)


def refused(result, *words):
    """One line on stderr that holds these words, nothing on stdout, exit 2."""
    assert (result.code, result.out) == (2, b""), result
    assert len(result.errors) == 1, result
    for word in words:
        assert word in result.errors[0], result


# ---- Options


@every_tool
def test_version_is_one_line(name):
    want = ("%s 0.1.0 (SBP 6.5.2)\n" % name).encode()
    assert clean(name, b"", "--version") == want
    assert clean(name, b"", "-V") == want


@every_tool
def test_help_fits_on_a_screen_and_names_every_option_of_the_contract(name):
    text = clean(name, b"", "--help").decode()
    assert clean(name, b"", "-h").decode() == text
    lines = text.splitlines()
    assert len(lines) <= 50 and max(map(len, lines)) <= 100
    options = ["--debug", "--buffered", "--error-handler", "--help", "--version", "-o", "--report", "--fail-on", "-v"]
    options += {"json2sbp": ["--from-fields", "--check"], "json2json": ["--float-compat", "--check"]}.get(
        name, ["--float-compat", "--include", "--exclude", "--first", "--sender", "--no-payload", "--u64-strings"]
    )
    for option in options:
        assert option in text


@every_tool
def test_each_option_of_old_works(name):
    data, want = GOOD[name]
    sets = [["-d"], ["--debug"], ["-b"], ["--buffered"], ["-db"], ["-bd"], ["--error-handler", "skip"]]
    sets += [["--error-handler=skip"], ["--error-handler=return"], ["--error-handler=to-invalid"]]
    sets += [["--fail-on", "never"], ["--fail-on=never"]]
    if name != "json2sbp":
        sets += [["--float-compat"]]
    else:
        sets += [["--from-fields"]]
    for one, other in itertools.product(sets, repeat=2):
        result = run(name, data, *one, *other)
        assert (result.code, result.out) == (0, want), (one, other, result)


@every_tool
@pytest.mark.parametrize("value", ["skip", "SKIP", "Return", "TO-INVALID", "toinvalid", "To_Invalid", "toInvalid"])
def test_error_handler_is_read_in_any_case_and_spelling(name, value):
    data, want = GOOD[name]
    assert clean(name, data, "--error-handler", value) == want


@every_tool
@pytest.mark.parametrize("value", ["", "ski", "invalid", "to invalid"])
def test_error_handler_of_another_name_is_refused(name, value):
    refused(run(name, b"", "--error-handler", value), "--error-handler", "to-invalid")


@every_tool
@pytest.mark.parametrize(
    "wrong, near",
    [
        ("--debgu", "--debug"),
        ("--bufered", "--buffered"),
        ("--error-handlr=skip", "--error-handler"),
        ("--versoin", "--version"),
    ],
)
def test_an_unknown_option_is_refused_with_the_near_one(name, wrong, near):
    refused(run(name, b"", wrong), wrong.partition("=")[0], near)


@every_tool
@pytest.mark.parametrize("wrong", ["--deb", "--buff", "--error", "--verb", "-x", "-dx"])
def test_options_are_not_abbreviated(name, wrong):
    assert run(name, GOOD[name][0], wrong).code == 2


@every_tool
@pytest.mark.parametrize("option", ["--error-handler", "-o", "--report", "--fail-on"])
def test_a_missing_value_is_refused(name, option):
    refused(run(name, b"", option), option)


@every_tool
def test_a_flag_takes_no_value(name):
    refused(run(name, b"", "--debug=yes"), "--debug")


@every_tool
def test_options_may_stand_before_between_and_behind_paths(name, tmp_path):
    data, want = GOOD[name]
    (tmp_path / "in").write_bytes(data)
    for arguments in (
        ["-d", "in", "out"],
        ["in", "-d", "out"],
        ["in", "out", "-d"],
        ["--error-handler", "skip", "in", "--", "out"],
    ):
        (tmp_path / "out").unlink(missing_ok=True)
        result = run(name, b"", *arguments, cwd=tmp_path)
        assert (result.code, result.out, (tmp_path / "out").read_bytes()) == (0, b"", want), result


@every_tool
def test_two_dashes_end_the_options(name, tmp_path):
    data, want = GOOD[name]
    (tmp_path / "-d").write_bytes(data)
    assert run(name, b"", "--", "-d", cwd=tmp_path).out == want


@every_tool
def test_a_dash_is_standard_input_and_output(name, tmp_path):
    data, want = GOOD[name]
    assert clean(name, data, "-") == want
    assert clean(name, data, "-", "-") == want
    assert clean(name, data, "-o", "-", "-") == want
    (tmp_path / "in").write_bytes(data)
    assert clean(name, b"", tmp_path / "in", "-") == want


@every_tool
def test_fail_on_of_another_name_is_refused(name):
    refused(run(name, b"", "--fail-on", "sometimes"), "--fail-on")


# ---- Exit codes


@every_tool
def test_empty_input_is_no_fault(name):
    assert clean(name, b"") == b""


@every_tool
def test_something_left_out_is_exit_1_and_with_fail_on_never_0(name):
    assert run(name, BAD[name]).code == 1
    result = run(name, BAD[name], "--fail-on", "never")
    assert (result.code, result.out) == (0, GOOD[name][1]), result


@every_tool
def test_fail_on_never_does_not_hide_what_could_not_run(name):
    assert run(name, b"", "--fail-on", "never", "/nonexistent/file").code == 2


@every_tool
def test_a_missing_input_is_named_and_nothing_created(name, tmp_path):
    refused(run(name, b"", "missing", "out", cwd=tmp_path), "missing")
    assert list(tmp_path.iterdir()) == []
    refused(run(name, b"", "-o", "out", "missing", cwd=tmp_path), "missing")
    assert list(tmp_path.iterdir()) == []


@every_tool
def test_a_missing_second_input_is_refused_before_anything_is_written(name, tmp_path):
    (tmp_path / "in").write_bytes(GOOD[name][0])
    refused(run(name, b"", "-o", "out", "in", "missing", cwd=tmp_path), "missing")
    assert not (tmp_path / "out").exists()


@every_tool
def test_a_directory_as_input_or_output_is_refused(name, tmp_path):
    (tmp_path / "in").write_bytes(GOOD[name][0])
    (tmp_path / "folder").mkdir()
    refused(run(name, b"", "folder", "out", cwd=tmp_path), "folder")
    refused(run(name, b"", "in", "folder", cwd=tmp_path), "folder")
    refused(run(name, b"", "-o", "folder", "in", cwd=tmp_path), "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "in"]


@every_tool
def test_files_without_permission_are_refused(name):
    """Root reads and writes everything, so that another user has to try it in its place."""
    nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "in").write_bytes(GOOD[name][0])
        (path / "old").write_bytes(GOOD[name][1])
        if nobody:
            for each in (path, path / "in", path / "old"):
                os.chown(each, nobody["user"], nobody["group"])
        try:
            assert run(name, b"", "in", cwd=path, **nobody).code == 0
        except PermissionError:
            pytest.skip("the build folder is not open to user %d" % nobody["user"])
        (path / "in").chmod(0)
        refused(run(name, b"", "in", "out", cwd=path, **nobody), "in: Permission denied")
        (path / "in").chmod(stat.S_IRUSR)
        (path / "old").chmod(stat.S_IRUSR)
        refused(run(name, b"", "in", "old", cwd=path, **nobody), "old: Permission denied")
        path.chmod(0o500)
        refused(run(name, b"", "in", "out", cwd=path, **nobody), "out: Permission denied")
        refused(run(name, b"", "in", "-", "--report", "report", cwd=path, **nobody), "report: Permission denied")
        path.chmod(0o700)
        assert (path / "old").read_bytes() == GOOD[name][1]
        assert sorted(each.name for each in path.iterdir()) == ["in", "old"]


@every_tool
def test_an_output_in_a_missing_folder_is_refused(name, tmp_path):
    (tmp_path / "in").write_bytes(GOOD[name][0])
    refused(run(name, b"", "in", "no/out", cwd=tmp_path), "no/out")
    refused(run(name, b"", "in", "-o", "no/out", cwd=tmp_path), "no/out")


@every_tool
def test_a_full_disk_is_exit_2(name):
    result = run(name, GOOD[name][0], "-o", "/dev/full", "-")
    assert result.code == 2 and "/dev/full" in result.errors[0], result
    result = run(name, GOOD[name][0] * 100000, "-o", "/dev/full", "-")
    assert result.code == 2 and len(result.errors) <= 2, result
    with open("/dev/full", "wb") as full:
        import subprocess

        done = subprocess.run(tool.command(name), input=GOOD[name][0], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1, done


# ---- Files


@every_tool
def test_several_inputs_are_read_in_a_row_with_o(name, tmp_path):
    data, want = GOOD[name]
    for part in "abc":
        (tmp_path / part).write_bytes(data)
    assert run(name, b"", "-o", "out", "a", "b", "c", cwd=tmp_path).code == 0
    assert (tmp_path / "out").read_bytes() == want * 3
    assert run(name, data, "a", "--output=out", "-", "b", cwd=tmp_path).code == 0
    assert (tmp_path / "out").read_bytes() == want * 3


@every_tool
def test_three_paths_without_o_are_refused(name, tmp_path):
    for part in "abc":
        (tmp_path / part).write_bytes(GOOD[name][0])
    refused(run(name, b"", "a", "b", "c", cwd=tmp_path), "-o")
    assert all((tmp_path / part).read_bytes() == GOOD[name][0] for part in "abc")


@every_tool
def test_faults_name_the_file_when_there_are_several_inputs(name, tmp_path):
    (tmp_path / "good").write_bytes(GOOD[name][0])
    (tmp_path / "bad").write_bytes(BAD[name])
    result = run(name, b"", "-o", "out", "good", "bad", cwd=tmp_path)
    place = "offset 0" if name == "sbp2json" else "line 1 column 1"
    assert result.code == 1
    assert result.errors[0].startswith("%s: bad: %s: " % (name, place)), result
    assert "bad" not in run(name, b"", "bad", cwd=tmp_path).errors[0].replace('bad"', "")


@every_tool
def test_the_same_file_as_input_and_output_is_refused_and_untouched(name, tmp_path):
    data = GOOD[name][0]
    (tmp_path / "log").write_bytes(data)
    os.link(tmp_path / "log", tmp_path / "link")
    os.symlink("log", tmp_path / "soft")
    for arguments in (
        ["log", "log"],
        ["log", "./log"],
        ["log", "link"],
        ["log", "soft"],
        ["-o", "link", "log"],
        ["-o", "log", "-", "soft"],
    ):
        refused(run(name, data, *arguments, cwd=tmp_path), "input and output")
        assert (tmp_path / "log").read_bytes() == data, arguments
    with open(tmp_path / "log", "rb") as stdin, open(tmp_path / "log", "r+b") as stdout:
        import subprocess

        done = subprocess.run(tool.command(name), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert (tmp_path / "log").read_bytes() == data


@every_tool
def test_an_output_that_is_not_the_tools_own_is_kept(name, tmp_path):
    data, want = GOOD[name]
    other = b"{" if name == "json2sbp" else b"\x55"
    own = b"\x55" if name == "json2sbp" else b"{"
    (tmp_path / "in").write_bytes(data)
    for content in (other + b"precious", b"precious", b"\n{", b"\0"):
        (tmp_path / "out").write_bytes(content)
        refused(run(name, b"", "in", "out", cwd=tmp_path), "out", "-o")
        assert (tmp_path / "out").read_bytes() == content
    for content in (own, own + b"old" * 1000, b""):
        (tmp_path / "out").write_bytes(content)
        assert run(name, b"", "in", "out", cwd=tmp_path).code == 0
        assert (tmp_path / "out").read_bytes() == want
    (tmp_path / "out").write_bytes(b"precious")
    assert run(name, b"", "-o", "out", "in", cwd=tmp_path).code == 0
    assert (tmp_path / "out").read_bytes() == want


def test_a_second_log_is_not_destroyed_by_a_glob(tmp_path):
    for part in ("a.sbp", "b.sbp"):
        (tmp_path / part).write_bytes(HEARTBEAT * 2)
    refused(run("sbp2json", b"", "a.sbp", "b.sbp", cwd=tmp_path), "b.sbp")
    assert (tmp_path / "b.sbp").read_bytes() == HEARTBEAT * 2


@every_tool
def test_output_is_truncated_only_after_input_proved_readable(name, tmp_path):
    (tmp_path / "out").write_bytes(GOOD[name][1])
    assert run(name, b"", "missing", "out", cwd=tmp_path).code == 2
    assert run(name, b"", "-o", "out", ".", cwd=tmp_path).code == 2
    assert (tmp_path / "out").read_bytes() == GOOD[name][1]


@every_tool
def test_devices_are_written_without_asking(name):
    assert run(name, GOOD[name][0], "-", "/dev/null").code == 0


@every_tool
def test_the_locale_changes_no_digit(name):
    data, want = model.sbp2json(LOG_FRAME), None
    frame = model.pack(522, 1, b"\1\2\3\4" + bytes(range(60, 90)))
    data = {"sbp2json": frame}.get(name, model.line(model.Frame(frame)))
    want = clean(name, data)
    environment = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
    assert run(name, data, env=environment).out == want


@every_tool
def test_control_variables_do_not_change_output(name):
    data = pathlib.Path(tool.TEST_DATA / "receiver_10hz.sbp").read_bytes()
    data = data if name == "sbp2json" else model.sbp2json(data)
    want = clean(name, data)
    for change in (
        {"SBPKIT_CPU": "portable"},
        {"SBPKIT_TEMPLATES": "off"},
        {"SBPKIT_CPU": "portable", "SBPKIT_TEMPLATES": "off"},
    ):
        assert run(name, data, env=dict(os.environ, **change)).out == want
