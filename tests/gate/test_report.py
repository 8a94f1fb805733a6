"""The report of the gate, and the check that what goes out is what it looked at."""

import json

import pytest
from gate_world import OPEN, gate, names, sound

from toolkit.errors import UserError
from toolkit.gate.checks import CHECKS, SCANS
from toolkit.gate.report import GATE_FILE, check_outgoing, require, verify
from toolkit.store.canonical import canonical_json, file_digest

TEST = "default/test-00000-of-00001.parquet"


def test_a_sound_release_passes_and_is_written_down(tmp_path):
    sound(tmp_path)
    report = gate(tmp_path)
    require(report)
    data = json.loads(report.text())
    assert report.text() == canonical_json(data) + "\n"
    assert data["verdict"] == "passed" and data["findings"] == []
    assert data["files"] == {name: file_digest(tmp_path / name) for name in names(tmp_path)}
    assert set(data["checks"]) == {*CHECKS, *SCANS}
    assert str(tmp_path) not in report.text()
    assert gate(tmp_path).text() == report.text()


def test_every_finding_is_listed_at_once(tmp_path):
    sound(tmp_path)
    (tmp_path / ".env").write_text("A=1")
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(UserError) as caught:
        require(gate(tmp_path, access="credentialed"))
    for part in (".env", "notes.txt", "credentialed"):
        assert part in caught.value.message
    assert caught.value.hint


def change(folder):
    (folder / "README.md").write_text((folder / "README.md").read_text() + "more\n")


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (change, "README.md: changed after the gate looked at it"),
        (lambda f: (f / "eval.yaml").write_text("a: 1"), "eval.yaml: not looked at by the gate"),
        (lambda f: (f / TEST).unlink(), f"{TEST}: looked at, and gone"),
        (
            lambda f: (
                (f / TEST).rename(f.parent / "elsewhere"),
                (f / TEST).symlink_to(f.parent / "elsewhere"),
            ),
            f"{TEST}: no plain file",
        ),
    ],
)
def test_what_changed_after_the_gate_does_not_go_out(tmp_path, tamper, message):
    folder = sound(tmp_path / "release")
    text = gate(folder).text()
    verify(folder, names(folder), text)
    tamper(folder)
    with pytest.raises(UserError, match="is not about these files") as caught:
        verify(folder, names(folder), text)
    assert message in caught.value.message


def test_a_refused_or_foreign_report_lets_nothing_pass(tmp_path):
    sound(tmp_path)
    refused = gate(tmp_path, access="credentialed").text()
    with pytest.raises(UserError, match="has not let these files pass"):
        verify(tmp_path, names(tmp_path), refused)
    for text in ("", "{}", "[1]", '{"files": 3}'):
        with pytest.raises(UserError, match="no report of the gate"):
            verify(tmp_path, names(tmp_path), text)
    newer = json.dumps(json.loads(gate(tmp_path).text()) | {"schema": 2})
    with pytest.raises(UserError, match="upgrade"):
        verify(tmp_path, names(tmp_path), newer)


def test_a_file_that_is_named_twice_or_not_there(tmp_path):
    sound(tmp_path)
    report = check_outgoing(tmp_path, [*names(tmp_path), TEST, "eval.yaml"], OPEN)
    text = "\n".join(map(str, report.findings))
    assert "twice" in text and "eval.yaml: the file is not there" in text


def test_a_file_that_changes_while_it_is_looked_at(tmp_path, monkeypatch):
    from toolkit.gate import checks

    sound(tmp_path)

    def disturb(outgoing, policy):
        change(tmp_path)
        yield from ()

    monkeypatch.setitem(checks.CHECKS, "disturb", (disturb, 1))
    assert "it changed while it was looked at" in "\n".join(map(str, gate(tmp_path).findings))
    assert GATE_FILE not in names(tmp_path)
