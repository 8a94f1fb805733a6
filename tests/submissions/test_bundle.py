"""Bundles: written the same each time, read as what a stranger sent."""

import json
import os
import stat
import zipfile
from dataclasses import replace

import pytest
from bundles import bundle
from hypothesis import given, settings
from hypothesis import strategies as st
from test_predictions import predictions

from toolkit.errors import UserError
from toolkit.submissions.archive import MANIFEST, PREDICTIONS
from toolkit.submissions.bundle import read_bundle, write_bundle
from toolkit.submissions.manifest import ModelRef, PromptRef, manifest_text
from toolkit.submissions.predictions import predictions_text


def members(one):
    return {
        MANIFEST: manifest_text(one.manifest).encode(),
        PREDICTIONS: predictions_text(one.predictions).encode(),
    }


def zipped(path, files, method=zipfile.ZIP_DEFLATED):
    """Write a zip file of (name or ZipInfo, bytes); return its path."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return path


def refused(path):
    found, faults = read_bundle(path)
    assert found is None
    assert faults
    return "\n".join(faults)


@given(
    rows=predictions.filter(bool),
    name=st.text("aé β-7B", min_size=1).filter(lambda text: text == text.strip()),
)
@settings(max_examples=40)
def test_a_bundle_comes_back_as_it_was(rows, name, tmp_path_factory):
    one = bundle(
        rows,
        model=ModelRef(name=name, hub_id="org/name", revision="abc", cutoff="2024-06"),
        generation={"temperature": 0.0, "top_p": 1, "seed": "none", "thinking": False},
        notes="Two\nlines.",
    )
    folder = tmp_path_factory.mktemp("bundles")
    for out in (folder / "one.zip", folder / "one"):
        write_bundle(one, out)
        assert read_bundle(out) == (one, [])


def test_the_same_answers_are_the_same_bytes_and_one_id(tmp_path):
    one = bundle()
    for name in ("a.zip", "b.zip"):
        write_bundle(one, tmp_path / name)
    write_bundle(one, tmp_path / "a.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    assert one.bundle_id == bundle().bundle_id
    assert one.bundle_id != bundle(notes="!").bundle_id


def test_nothing_but_a_bundle_is_written_over(tmp_path):
    (tmp_path / "thesis.zip").write_text("five years of work")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.tex").write_text("five years of work")
    for name in ("thesis.zip", "folder"):
        with pytest.raises(UserError, match="no bundle"):
            write_bundle(bundle(), tmp_path / name)
    assert (tmp_path / "thesis.zip").read_text() == "five years of work"
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["thesis.tex"]


def test_a_zip_file_has_two_plain_files_and_no_others(tmp_path):
    good = list(members(bundle()).items())
    link = zipfile.ZipInfo(PREDICTIONS)
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    for extra in ("../../evil.sh", "/etc/passwd", "a/manifest.json", "C:\\x", ".env", "\u202ex"):
        assert "files that no bundle has" in refused(
            zipped(tmp_path / "extra.zip", [*good, (extra, b"x")])
        )
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zipped(tmp_path / "twice.zip", [*good, good[1]])
    assert "files that stand twice" in refused(twice)
    assert "missing files (1): predictions.jsonl" in refused(
        zipped(tmp_path / "half.zip", good[:1])
    )
    assert "no regular files" in refused(
        zipped(tmp_path / "link.zip", [good[0], (link, b"/etc/passwd")])
    )


def test_bombs_and_damage_are_refused_before_they_are_unpacked(tmp_path):
    good = members(bundle())
    bomb = zipped(
        tmp_path / "bomb.zip", [(MANIFEST, good[MANIFEST]), (PREDICTIONS, b" " * (64 << 20))]
    )
    assert bomb.stat().st_size < 100_000
    assert "unpack to more than 200 times" in refused(bomb)
    assert "too large" in refused(
        zipped(tmp_path / "big.zip", [(MANIFEST, b"x" * (1 << 19)), (PREDICTIONS, b"x")])
    )
    many = zipped(tmp_path / "many.zip", [(f"{n:040}", b"") for n in range(2000)])
    assert "no zip file of two files" in refused(many)
    plain = zipped(tmp_path / "sound.zip", list(good.items()))
    data = bytearray(plain.read_bytes())
    at = data.index(b"predictions.jsonl") + len("predictions.jsonl") + 3
    data[at] ^= 0xFF
    (tmp_path / "torn.zip").write_bytes(data)
    assert "cannot be read" in refused(tmp_path / "torn.zip")
    for name, content in (("no.zip", b"hello"), ("empty.zip", b"")):
        (tmp_path / name).write_bytes(content)
        assert "no zip file" in refused(tmp_path / name)
    assert "cannot be read" in refused(tmp_path / "absent.zip")


def test_a_file_that_lies_about_its_size_is_refused(tmp_path):
    good = members(bundle())
    rows = b'{"item_id":"a","output":"' + b"x" * 5000 + b'"}\n'
    path = zipped(tmp_path / "lie.zip", [(MANIFEST, good[MANIFEST]), (PREDICTIONS, rows)])
    size = len(rows).to_bytes(4, "little")
    data = path.read_bytes()
    assert data.count(size) == 2
    path.write_bytes(data.replace(size, (30).to_bytes(4, "little")))
    refused(path)


def test_a_folder_holds_no_links_and_nothing_else(tmp_path):
    folder = tmp_path / "bundle"
    write_bundle(bundle(), folder)
    (folder / ".env").write_text("KEY=1")
    assert "files that no bundle has (1): '.env'" in refused(folder)
    (folder / ".env").unlink()
    secret = tmp_path / "secret"
    secret.write_bytes((folder / PREDICTIONS).read_bytes())
    (folder / PREDICTIONS).unlink()
    (folder / PREDICTIONS).symlink_to(secret)
    assert "no regular files" in refused(folder)
    (folder / PREDICTIONS).unlink()
    os.mkfifo(folder / PREDICTIONS)
    assert "no regular files" in refused(folder)
    (tmp_path / "link").symlink_to(folder)
    assert "symbolic link" in refused(tmp_path / "link")


def test_a_manifest_that_does_not_fit_its_answers_is_refused(tmp_path):
    one = bundle()
    wrong = replace(one.manifest, prompts={"A": PromptRef(answers=9, failed=0)})
    files = {**members(one), MANIFEST: manifest_text(wrong).encode()}
    assert "prompt A: 9 answers, 0 failed, and there are 3 and 0" in refused(
        zipped(tmp_path / "count.zip", list(files.items()))
    )
    other = members(bundle([*one.predictions[:2]]))
    files = {**members(one), PREDICTIONS: other[PREDICTIONS]}
    assert "its sha256 differs" in refused(zipped(tmp_path / "other.zip", list(files.items())))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data.update(scores={"rouge1": 1.0}), "scores"),
        (lambda data: data["benchmark"].update(version="../1"), "benchmark.version"),
        (lambda data: data["benchmark"].update(split="te/st"), "benchmark.split"),
        (lambda data: data["model"].update(name="a\nb"), "model.name"),
        (lambda data: data["model"].update(name="a\u202eb"), "model.name"),
        (lambda data: data["model"].update(name="\ud800"), "model.name"),
        (lambda data: data["model"].update(name="Good\u200b 7B"), "nobody can see (U+200B)"),
        (lambda data: data["submitter"].update(name="an\u00adn"), "submitter.name: signs that"),
        (lambda data: data["model"].update(revision="a\ue000"), "model.revision: signs that"),
        (lambda data: data["generation"].update(x="a\u2060"), "generation.x: signs that"),
        (lambda data: data["submitter"].update(name=""), "submitter.name"),
        (lambda data: data["generation"].update(x=[1]), "generation.x"),
        (lambda data: data["submitter"].update(name="ann@example.org"), "an e-mail address"),
        (lambda data: data["model"].update(revision="hf_" + "a1" * 12), "the form of a secret"),
        (lambda data: data["generation"].update(k="sk-" + "a1" * 12), "the form of a secret"),
        # What `redact` knows nothing of, and the gate of a publish stops.
        (lambda data: data["model"].update(name="gsk_" + "a1" * 12), "model.name: a secret"),
        (lambda data: data["submitter"].update(name="[**Name**]"), "submitter.name: a mask"),
        (lambda data: data["model"].update(name="p10000032"), "model.name: a mask"),
        (lambda data: data["generation"].update(k="gsk_" + "a1" * 12), "generation.k: a secret"),
        (lambda data: data["generation"].update({"gsk_" + "a1" * 12: 1}), "a secret in line 1"),
        (lambda data: data.update(notes="Key:\ngsk_" + "a1" * 12), "notes: a secret"),
        (lambda data: data.update(prompts={}), "prompts: none is named"),
        (lambda data: data.update(format=2), "format 2"),
        (lambda data: data["files"].update({"x": {"sha256": "0" * 64, "bytes": 1}}), "alone"),
    ],
)
def test_a_manifest_says_what_is_asked_for_and_no_more(change, told, tmp_path):
    files = members(bundle())
    data = json.loads(files[MANIFEST])
    change(data)
    text = json.dumps(data, sort_keys=True, indent=1, ensure_ascii=told == "model.name") + "\n"
    files[MANIFEST] = text.encode()
    assert told in refused(zipped(tmp_path / "x.zip", list(files.items())))


def test_a_manifest_is_of_one_layout_and_of_finite_numbers(tmp_path):
    files = members(bundle())
    for text, told in (
        (files[MANIFEST].decode().replace('"notes": ""', '"notes": "a",\n "notes": ""'), "by hand"),
        (files[MANIFEST].decode().replace('"generation": {}', '"generation": {"t": 1e999}'), "fin"),
        (files[MANIFEST].decode().replace('"generation": {}', '"generation": {"t": NaN}'), "NaN"),
        ("[" * 100_000, "not JSON"),
        ("[]", "manifest.json is none"),
    ):
        changed = {**files, MANIFEST: text.encode()}
        assert told in refused(zipped(tmp_path / "x.zip", list(changed.items())))
    changed = {**files, MANIFEST: b"\xff\xfe"}
    assert "UTF-8" in refused(zipped(tmp_path / "x.zip", list(changed.items())))
