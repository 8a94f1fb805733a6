"""Fault catalogue 7-10: a damaged source file is refused or skipped as a whole, by name."""

import gzip
import os
import subprocess
import sys

import pytest

from tests.faults import pubmed_recipe
from tests.faults.pubmed_recipe import FIRST, SECOND, packed
from tests.faults.runs import (
    children_end,
    finish,
    output,
    run_here,
    start,
    tree,
    wrapped,
)
from tests.tiny_recipe import UNCHECKED
from toolkit.errors import RunError
from toolkit.gate.front_matter import parse_card

BAD, GOOD = "pubmed26n9001.xml.gz", "pubmed26n9002.xml.gz"
GZ = packed(FIRST)
CUT = FIRST.index(b"</PubmedArticle>") + len(b"</PubmedArticle>")

TRUNCATED = {f"cut at {tenth}/10": GZ[: len(GZ) * tenth // 10] for tenth in range(1, 10)}
DAMAGED = {
    "wrong checksum": GZ[:-8] + bytes([GZ[-8] ^ 1]) + GZ[-7:],
    "wrong length": GZ[:-1] + bytes([GZ[-1] ^ 1]),
    "without its end": GZ[:-8],
    "junk after the end": GZ + b"junk",
    "not gzip": b"This file is neither gzip nor XML.",
}
MALFORMED = {
    "a missing end tag": packed(FIRST.replace(b"</Abstract>", b"", 1)),
    "latin-1 bytes": packed(FIRST.replace(b"Background", b"B\xe9fore", 1)),
    "another encoding in its label": packed(FIRST.replace(b"utf-8", b"iso-8859-1", 1)),
    "utf-16": packed(FIRST.decode().encode("utf-16")),
    "a control character": packed(FIRST.replace(b"</ArticleTitle>", b"\x01</ArticleTitle>", 1)),
    "a NUL": packed(FIRST.replace(b"</ArticleTitle>", b"\0</ArticleTitle>", 1)),
    "no end": packed(FIRST[: len(FIRST) // 2]),
}
ENTITIES = "".join(
    f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' if level else '<!ENTITY e0 "boom">'
    for level in range(10)
)


def hostile(declarations, text):
    """Return a file whose one title uses an entity that the file declares."""
    head, tail = FIRST[:CUT].split(b"<PubmedArticleSet>", 1)
    root = head[: head.index(b"<!DOCTYPE")] if b"<!DOCTYPE" in head else head
    kind = f"<!DOCTYPE PubmedArticleSet [{declarations}]>".encode()
    record = tail.replace(b"</ArticleTitle>", text.encode() + b"</ArticleTitle>", 1)
    return packed(root + kind + b"<PubmedArticleSet>" + record + b"</PubmedArticleSet>")


@pytest.fixture
def refused(tmp_path, scheduler):
    """Return a function that runs one bad and one good file, and returns the refusal."""

    def run(name, content):
        folder = tmp_path / name.replace("/", "-")
        file = pubmed_recipe.write(folder, {BAD: content, GOOD: packed(SECOND)})
        with pytest.raises(RunError) as caught:
            run_here(file, folder / "workspace", scheduler, until="corpus")
        message = str(caught.value)
        assert caught.value.exit_code == 2, message
        assert f"{BAD}: " in message, name
        left = [path.name for path in (folder / "workspace" / "artifacts").rglob("*")]
        assert "manifest.json" not in left, name
        assert not [part for part in left if part.startswith("items-")], name
        return message

    return run


def test_07_a_truncated_gzip_file_is_refused_wherever_it_is_cut(refused):
    for name, content in TRUNCATED.items():
        assert "end too early" in refused(name, content), name


def test_08_wrong_checksum_junk_and_other_formats_are_refused(refused):
    for name, content in DAMAGED.items():
        assert refused(name, content), name


def test_08_two_gzip_members_are_one_file(tmp_path, scheduler):
    one = {BAD: GZ, GOOD: packed(SECOND)}
    two = {BAD: packed(FIRST[:CUT]) + packed(FIRST[CUT:]), GOOD: packed(SECOND)}
    recipe = pubmed_recipe.data(validation=UNCHECKED)
    items = []
    for name, files in (("one", one), ("two", two)):
        file = pubmed_recipe.write(tmp_path / name, files, recipe)
        result = run_here(file, tmp_path / name / "w", scheduler, until="corpus")
        items.append(result.artifacts["corpus"].read("items"))
    assert items[0].num_rows > 50
    assert items[0] == items[1]


def test_09_malformed_xml_and_foreign_encodings_are_refused(refused):
    for name, content in MALFORMED.items():
        # A few hundred bytes around the record, or the record before it, lead to the place.
        message = refused(name, content)
        assert "byte" in message, name
        assert "PMID" in message or "line" in message, name


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_07_08_09_skipped_files_are_named_in_facts_report_and_card(tmp_path, scheduler):
    bad = {**TRUNCATED, **DAMAGED, **MALFORMED}
    files = {f"pubmed26n{8000 + n}.xml.gz": content for n, content in enumerate(bad.values())}
    names = dict(zip(files, bad, strict=True))
    recipe = pubmed_recipe.data(
        {"on_bad_file": "skip"},
        publish={"license": "other", "pretty_name": "Invented", "redistribution": "full_text"},
        metrics=["word_ratio"],
        validation=UNCHECKED,
    )
    folder, workspace = tmp_path / "recipe", tmp_path / "workspace"
    file = pubmed_recipe.write(folder, {**files, BAD: GZ, GOOD: packed(SECOND)}, recipe)
    process = start(workspace, "run", file)
    finish(process, workspace)
    assert children_end(process)
    run = next((workspace / "runs").iterdir())
    card = (run / "release" / "README.md").read_text(encoding="utf-8")
    report = (run / "leaderboard.html").read_text(encoding="utf-8")
    for name, fault in names.items():
        assert name in card, fault
        assert name in report, fault
    assert parse_card(card)
    # What was skipped is told without the place where it lay.
    for path in (workspace / "artifacts").rglob("*"):
        if path.is_file() and path.suffix != ".parquet":
            assert str(tmp_path).encode() not in path.read_bytes(), path
    clean = pubmed_recipe.write(
        tmp_path / "clean",
        {BAD: GZ, GOOD: packed(SECOND)},
        {**recipe, "corpus": {**recipe["corpus"], "on_bad_file": "stop"}},
    )
    run_here(clean, tmp_path / "other", scheduler, until="corpus")

    def digests(place):
        found = tree(place).items()
        return {digest for path, digest in found if path.endswith(".parquet") and "items-" in path}

    assert digests(tmp_path / "other") <= digests(workspace)


LOOPBACK = """
import fcntl, os, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    # SIOCSIFFLAGS, IFF_UP | IFF_RUNNING: workers need 127.0.0.1 and nothing else.
    fcntl.ioctl(probe, 0x8914, struct.pack("16sh14x", b"lo", 0x41))
os.execv(sys.argv[1], sys.argv[1:])
"""


def offline():
    """Return the command that starts a program without any network but the loopback."""
    prefix = ["unshare", "-n", sys.executable, "-c", LOOPBACK]
    try:
        probe = subprocess.run([*prefix, "/bin/true"], capture_output=True, check=False)
    except OSError as error:
        pytest.skip(f"unshare cannot be started: {error}")
    if probe.returncode:
        pytest.skip(f"unshare -n is refused here: {probe.stderr.decode()[-200:]}")
    return prefix


@pytest.mark.timeout(120)
def test_10_entities_are_neither_expanded_nor_fetched(tmp_path):
    prefix = offline()
    folder, workspace = tmp_path / "recipe", tmp_path / "workspace"
    # Whoever opens a pipe that nobody writes to waits for ever.
    trap = tmp_path / "trap"
    os.mkfifo(trap)
    files = {
        "pubmed26n8001.xml.gz": hostile(ENTITIES, "&e9;"),
        "pubmed26n8002.xml.gz": hostile(f'<!ENTITY x SYSTEM "file://{trap}">', "&x;"),
        "pubmed26n8003.xml.gz": hostile(
            '<!ENTITY % d SYSTEM "http://192.0.2.1/x.dtd"> %d;', "nothing"
        ),
        "pubmed26n8004.xml": gzip.decompress(hostile('<!ENTITY x SYSTEM "/etc/hostname">', "&x;")),
        GOOD: packed(SECOND),
    }
    recipe = pubmed_recipe.data({"on_bad_file": "skip"}, validation=UNCHECKED)
    file = pubmed_recipe.write(folder, files, recipe)
    process = wrapped(workspace, prefix, "run", file, "--until", "corpus")
    finish(process, workspace)
    assert children_end(process)
    manifest = next((workspace / "artifacts" / "corpus").glob("*/manifest.json")).read_text()
    for name in files:
        skipped = f"{name}: it declares entities" in manifest
        assert skipped == (name != GOOD), name
    assert "boom" not in manifest


def test_07_the_command_says_so_in_one_message(tmp_path):
    file = pubmed_recipe.write(tmp_path / "recipe", {BAD: TRUNCATED["cut at 5/10"]})
    workspace = tmp_path / "workspace"
    process = start(workspace, "run", file)
    finish(process, workspace, code=2)
    said = output(workspace)
    assert f"{BAD}: the gzip data end too early" in said
    assert "Traceback" not in said
    assert not list(workspace.rglob("manifest.json"))
    assert children_end(process)
