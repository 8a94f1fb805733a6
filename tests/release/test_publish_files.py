"""The texts beside the data: made in the release step, and anew when a run is published."""

import dataclasses
import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_world import article_rows, articles, make_context, released

from toolkit.errors import UserError
from toolkit.gate.front_matter import parse_card
from toolkit.gate.report import check_outgoing
from toolkit.recipe.publish_section import Rights, Submissions
from toolkit.release.by_hand import marked
from toolkit.release.history import read_history
from toolkit.release.publish_files import ExtraConfig, meta_files, run_policy
from toolkit.stages.release import run
from toolkit.store.manifest import write_manifest


def finished(root, context, manifest):
    """Return the folder of a run whose release this is, in a workspace of its own."""
    artifact = root / "artifacts" / "release" / context.folder.name
    shutil.copytree(context.folder, artifact)
    write_manifest(artifact, manifest)
    folder = root / "runs" / "demo-12345678"
    folder.mkdir(parents=True)
    steps = {"release": {"fingerprint": manifest.fingerprint}}
    (folder / "run.json").write_text(json.dumps({"steps": steps}))
    return folder


@pytest.fixture
def published(made, tmp_path):
    """Return (run's folder, staged folder with the data shards)."""
    context, manifest = made
    staged = tmp_path / "staged"
    for name, content in released(manifest, context).items():
        if name.endswith(".parquet"):
            (staged / name).parent.mkdir(parents=True, exist_ok=True)
            (staged / name).write_bytes(content)
    return finished(tmp_path / "workspace", context, manifest), staged


def meta(published, previous=None, **more):
    folder, staged = published
    given = {"extra": None, "board": "", **more}
    return meta_files(folder, staged, previous=previous or {}, **given)


def test_a_first_publish_gives_the_texts_of_the_release(made, published):
    context, manifest = made
    texts = meta(published)
    assert set(texts) == {"README.md", "croissant.json", "rebuild.json", "releases.json"}
    for name, text in texts.items():
        assert text.encode() == released(manifest, context)[name]


def test_a_second_publish_changes_nothing(published):
    first = meta(published)
    assert meta(published, first) == first


def test_hand_written_parts_withdrawn_items_and_notes_are_carried_on(published):
    first = meta(published, note="the first one")
    assert read_history(first["releases.json"])[0].note == "the first one"
    first["README.md"] = first["README.md"].replace(marked("notes", ""), marked("notes", "Mine."))
    item = {"item_id": "9", "reason": "asked", "date": "2026-12-01", "version": "1.0"}
    first["withdrawn.json"] = json.dumps({"schema": 1, "items": [item]})
    second = meta(published, first)
    assert marked("notes", "Mine.") in second["README.md"]
    assert "| `9` | asked | 2026-12-01 | 1.0 |" in second["README.md"]
    assert json.loads(second["withdrawn.json"])["items"] == [item]


def test_a_later_version_says_what_changed(published, tmp_path):
    _, staged = published
    first = meta(published)
    old = shutil.copytree(staged, tmp_path / "old")
    history = json.loads(first["releases.json"])
    history["versions"][0] |= {"version": "0.9", "data_digest": "0" * 64}
    first["releases.json"] = json.dumps(history)
    # The head lacks two items and has another conclusion for one.
    path = old / "default" / "test-00000-of-00001.parquet"
    table = pq.read_table(path).slice(2)
    place = table.schema.names.index("conclusion_sha256")
    digests = ["0" * 64, *table["conclusion_sha256"].to_pylist()[1:]]
    pq.write_table(table.set_column(place, "conclusion_sha256", pa.array(digests)), path)
    second = read_history(meta(published, first, previous_data=old)["releases.json"])[-1]
    assert (second.version, second.added, second.removed, second.changed) == ("1.0", 2, 0, 1)
    unknown = read_history(meta(published, first)["releases.json"])[-1]
    assert (unknown.added, unknown.removed, unknown.changed) == (None, None, None)


def test_a_released_version_with_other_data_is_refused(published):
    first = meta(published)
    first["releases.json"] = first["releases.json"].replace('"data_digest": "', '"data_digest": "x')
    with pytest.raises(UserError, match=r"1\.0 is released already, with other data"):
        meta(published, first)


def test_the_leaderboard_is_a_configuration_of_its_own_and_passes_the_gate(published):
    folder, staged = published
    (staged / "leaderboard").mkdir()
    board = pa.table({"model": ["a"], "mean": [0.5]})
    pq.write_table(board, staged / "leaderboard" / "v1_0-00000-of-00001.parquet")
    extra = ExtraConfig(splits=["v1_0"])
    texts = meta(published, extra=extra, board="| model |\n|---|\n| a |\n")
    front = parse_card(texts["README.md"])
    assert [config["config_name"] for config in front["configs"]] == ["default", "leaderboard"]
    assert [config.get("default") for config in front["configs"]] == [True, None]
    assert front["configs"][1]["data_files"] == [
        {"split": "v1_0", "path": "leaderboard/v1_0-*.parquet"}
    ]
    assert "## Leaderboard\n\n| model |" in texts["README.md"]
    for name, text in texts.items():
        (staged / name).write_text(text, encoding="utf-8")
    names = sorted(p.relative_to(staged).as_posix() for p in staged.rglob("*") if p.is_file())
    report = check_outgoing(staged, names, run_policy(folder, extra=extra))
    assert report.findings == ()
    assert report.counts == {"retracted": 4, "withheld": 7}


def test_a_recipe_without_a_version_cannot_be_published(made, tmp_path, published):
    context, manifest = made
    card = {**manifest.facts["card"], "version": ""}
    nameless = dataclasses.replace(manifest, facts={**manifest.facts, "card": card})
    folder = finished(tmp_path / "other", context, nameless)
    with pytest.raises(UserError, match="has no version"):
        meta((folder, published[1]))


def test_texts_under_copyright_are_left_out_row_by_row(made):
    context, manifest = made
    table = pq.read_table(context.folder / "default" / "test-00000-of-00001.parquet")
    source = article_rows(8)
    for row, item in zip(table.to_pylist(), source, strict=True):
        held = item["copyright"] is not None
        assert (row["withheld"] == "copyright") == held
        for column in ("title", "input", "conclusion", "sections", "keywords"):
            assert row[column] is None if held else row[column] == item[column], column
        for column in ("item_id", "year", "issn_linking", "retracted", "copyright", "source_file"):
            assert row[column] == item[column], column
        assert row["input_sha256"] and row["conclusion_sha256"]
    assert manifest.facts["withheld"] == 7
    card = (context.folder / "README.md").read_text()
    assert "Texts of 7 records are left out" in card
    gate = json.loads((context.folder / "publish_gate.json").read_text())
    assert gate["counts"] == {"retracted": 4, "withheld": 7}
    assert "`input` | METHODS: We did 1." in card


@pytest.mark.slow
def test_somebody_answers_for_them_and_a_hidden_split_keeps_its_references(tmp_path):
    context = make_context(
        tmp_path,
        splits={"test": articles(4, group=True), "fresh": articles(3, 4, group=True)},
        rights=Rights(acknowledged_by="Jane <i>Roe</i>", reason="an agreement"),
        submissions=Submissions(hidden_split="fresh"),
        examples=2,
    )
    manifest = run(context)
    test, fresh = (
        pq.read_table(context.folder / "default" / f"{split}-00000-of-00001.parquet").to_pylist()
        for split in ("test", "fresh")
    )
    assert [row["conclusion"] for row in test] == [r["conclusion"] for r in article_rows(4)]
    assert [row["withheld"] for row in test] == [None] * 4
    shown = {name for row in fresh for name, value in row.items() if value is not None}
    assert shown == {
        "item_id", "version", "issn_linking", "year", "retracted", "source_file", "input",
        "input_sha256", "withheld",
    }  # fmt: skip
    assert manifest.facts["withheld"] == 3
    card = (context.folder / "README.md").read_text()
    assert "Stated by: Jane &lt;i&gt;Roe&lt;/i&gt;. Reason given:" in card
    assert "The references of the split fresh (3 items) are not released" in card
    assert "It works 4." not in card and "It works 1." in card


def test_a_secret_in_the_corpus_stops_the_release(tmp_path):
    key = "hf_" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7"
    table = pa.table({"item_id": ["a"], "text": [f"the key is {key}"]})
    context = make_context(tmp_path, items=table, source="jsonl", journals=False)
    with pytest.raises(UserError, match="nothing may leave this machine yet") as caught:
        run(context)
    assert "a secret in row 0 of 'text'" in caught.value.message
    assert key not in str(caught.value)
