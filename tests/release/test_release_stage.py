"""The whole step, read back by `datasets` in a process of its own each time."""

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import textwrap

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_world import HOSTILE, article_rows, articles, funnel, make_context, released

from toolkit.errors import RunError, UserError
from toolkit.gate.front_matter import parse_card
from toolkit.recipe.publish_section import Submissions
from toolkit.stages.release import run


def in_fresh_process(code: str, home, *arguments) -> dict:
    """Run code with nothing of ours imported, and return the JSON it prints last."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", textwrap.dedent(code), *map(str, arguments)],
        env={"PATH": os.environ["PATH"], "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_the_files_are_a_dataset_repository(made):
    context, manifest = made
    names = [shard.name for shard in manifest.shards]
    assert names == [
        "README.md",
        "croissant.json",
        "default/test-00000-of-00001.parquet",
        "default/train-00000-of-00001.parquet",
        "publish_gate.json",
        "rebuild.json",
        "releases.json",
    ]
    front = parse_card((context.folder / "README.md").read_text())
    (config,), (info,) = front["configs"], front["dataset_info"]
    assert config == {
        "config_name": "default",
        "default": True,
        "data_files": [
            {"split": "train", "path": "default/train-*.parquet"},
            {"split": "test", "path": "default/test-*.parquet"},
        ],
    }
    assert [(s["name"], s["num_examples"]) for s in info["splits"]] == [("train", 12), ("test", 8)]
    assert info["download_size"] == sum(s.bytes for s in manifest.shards if s.rows)
    assert front["size_categories"] == ["n<1K"]
    assert manifest.facts["splits"] == {"train": 12, "test": 8}
    assert not (context.folder / ".read_back").exists()


def test_a_stranger_loads_it_even_beside_files_with_split_words_in_their_names(made, tmp_path):
    context, manifest = made
    for name, content in released(manifest, context).items():
        (tmp_path / "repo" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "repo" / name).write_bytes(content)
    # Both names say "test split" to datasets where a card has no configs.
    (tmp_path / "repo" / "eval.yaml").write_text("name: demo\n")
    (tmp_path / "repo" / "docs").mkdir()
    (tmp_path / "repo" / "docs" / "test_notes.md").write_text("notes\n")
    found = in_fresh_process(
        """
        import json, sys, datasets
        loaded = datasets.load_dataset(sys.argv[1])
        streamed = datasets.load_dataset(sys.argv[1], "default", split="test", streaming=True)
        print(json.dumps({
            "rows": {name: len(split) for name, split in loaded.items()},
            "first": loaded["test"][1],
            "streamed": [row["item_id"] for row in streamed],
        }))
        """,
        tmp_path / "home",
        tmp_path / "repo",
    )
    assert found["rows"] == {"train": 12, "test": 8}
    assert found["streamed"] == [row["item_id"] for row in article_rows(8)]
    wanted = article_rows(2)[1]
    for column in ("title", "languages", "keywords", "sections", "corrections", "retracted"):
        assert found["first"][column] == wanted[column], column


def test_a_second_build_gives_the_same_bytes(made, tmp_path):
    context, manifest = made
    other = make_context(
        tmp_path / "elsewhere",
        # The same rows, cut otherwise, and the splits the other way round.
        splits={
            "train": articles(12, 8, group=True),
            "test": [articles(5, group=True), articles(3, 5, group=True)],
        },
        description="\n".join(HOSTILE),
        dataset="org/demo",
    )
    assert released(run(other), other) == released(manifest, context)


def test_what_is_written_once_is_not_written_again(made):
    context, manifest = made
    times = {s.name: (context.folder / s.name).stat().st_mtime_ns for s in manifest.shards}
    assert run(context) == manifest
    assert times == {s.name: (context.folder / s.name).stat().st_mtime_ns for s in manifest.shards}


def test_ids_only_holds_no_word_of_a_text(tmp_path):
    context = make_context(
        tmp_path,
        splits={"test": articles(6, group=True)},
        access="restricted",
        license="other",
        redistribution="ids_only",
        config="abstracts",
    )
    manifest = run(context)
    path = context.folder / "abstracts" / "test-00000-of-00001.parquet"
    rows = pq.read_table(path).to_pylist()
    source = article_rows(6)
    assert list(rows[0]) == [
        "item_id",
        "version",
        "issn_print",
        "issn_electronic",
        "issn_linking",
        "year",
        "date_revised",
        "retracted",
        "source_file",
        "input_sha256",
        "conclusion_sha256",
        "group_sha256",
    ]
    for row, item in zip(rows, source, strict=True):
        assert row["input_sha256"] == hashlib.sha256(item["input"].encode()).hexdigest()
        assert row["conclusion_sha256"] == hashlib.sha256(item["conclusion"].encode()).hexdigest()
    every_byte = b"".join(released(manifest, context).values())
    for text in ("We did", "It works", "Bonjour", "synuclein", "evil", "Authors"):
        assert text.encode() not in every_byte
    card = (context.folder / "README.md").read_text()
    assert parse_card(card)["license_name"] == "nlm-terms-and-conditions"
    assert "The texts are not in this dataset." in card


def test_a_table_of_ones_own_with_every_kind_of_column(tmp_path):
    table = pa.table(
        {
            "item_id": ["a", "b", "c"],
            "question": pa.array(["x", None, "z\u2028"], pa.large_string()),
            "label": pa.array(["yes", "no", "yes"]).dictionary_encode(),
            "gold": pa.array([True, None, False]),
            "count": pa.array([1, 2, None], pa.int64()),
            "score": pa.array([0.1, None, 1e-300]),
            "small": pa.array([0.1, 2.0, None], pa.float32()),
            "day": pa.array([0, 1, None], pa.date32()),
            "at": pa.array([0, None, 1], pa.timestamp("us", tz="UTC")),
            "blob": pa.array([b"\x00\xff", None, b""], pa.binary()),
            "options": pa.array([["p", None], [], None], pa.large_list(pa.large_string())),
            "vector": pa.array([[1.0, 2.0], None, [3.0, 4.0]], pa.list_(pa.float32(), 2)),
            "nested": pa.array(
                [{"k": 1, "deep": [{"v": ["q"]}]}, None, {"k": None, "deep": []}],
                pa.struct(
                    [
                        ("k", pa.int64()),
                        ("deep", pa.list_(pa.struct([("v", pa.list_(pa.string()))]))),
                    ]
                ),
            ),
            "nothing": pa.nulls(3),
            "<b>|x": ["1", "2", "3"],
        }
    )
    context = make_context(
        tmp_path, items=table, source="jsonl", journals=False, license="mit", config="own"
    )
    run(context)
    path = context.folder / "own" / "test-00000-of-00001.parquet"
    schema = pq.read_schema(path)
    assert schema.field("question").type == pa.string()
    assert schema.field("label").type == pa.string()
    assert schema.field("nothing").type == pa.string()
    assert pa.types.is_list(schema.field("options").type)
    card = (context.folder / "README.md").read_text()
    assert "National Library of Medicine" not in card
    assert "| &lt;b&gt;\\|x | `string` |" in card


@pytest.mark.parametrize(
    ("made_of", "message"),
    [
        ({"access": "credentialed", "redistribution": "ids_only"}, "credentialed"),
        ({"access": "restricted"}, "needs corpus.access: open"),
        ({"license": "cc-by-4"}, "no licence 'cc-by-4'"),
        ({"license": "other", "source": "jsonl"}, "does not say which"),
        ({"license": "cc0-1.0"}, "cannot be given to abstracts of PubMed"),
        ({"license": "mit", "license_name": "x", "source": "jsonl"}, "go with `other` only"),
        ({"config": "leaderboard"}, "is the configuration that holds the results"),
        ({"submissions": Submissions(hidden_split="fresh")}, "has no split 'fresh'"),
        ({"languages": ("eng",)}, "'eng' is no two-letter code"),
        ({"config": "pcoa-hard"}, "configuration 'pcoa-hard' cannot be published"),
        ({"splits": {"test-hard": articles(2)}}, "split 'test-hard' cannot be published"),
        ({"splits": {"all": articles(2)}}, "means all splits"),
        ({"splits": {"train": articles(2), "test": articles(0)}}, "'test' has no items"),
        (
            {
                "items": pa.table(
                    {
                        "item_id": ["a"],
                        "m": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
                    }
                ),
                "source": "jsonl",
            },
            "column 'm' has the type map<",
        ),
    ],
)
def test_what_cannot_be_released_is_refused_before_anything_is_written(tmp_path, made_of, message):
    context = make_context(tmp_path, **made_of)
    with pytest.raises(UserError, match="(?s)" + message.replace("<", "\\<")) as caught:
        run(context)
    assert caught.value.hint
    assert list(context.folder.iterdir()) == []


def own(**columns) -> pa.Table:
    return pa.table({"item_id": ["a"], **columns})


@pytest.mark.parametrize(
    ("train", "test", "column"),
    [
        (own(x=[1], y=[1]), own(x=[1], z=[1]), "y"),
        (own(x=[1]), own(x=["abc"]), "x"),
        (own(x=["abc"]), own(x=[1]), "x"),
        (own(x=[{"a": 1}]), own(x=[{"a": 1, "c": 2}]), "x"),
    ],
    ids=["other columns", "number and text", "text and number", "another key in a struct"],
)
def test_splits_of_different_columns_are_refused_by_name(tmp_path, train, test, column):
    context = make_context(
        tmp_path, splits={"train": train, "test": test}, source="jsonl", journals=False
    )
    with pytest.raises(RunError, match=f"split 'test' has the column '{column}'"):
        run(context)
    assert list(context.folder.iterdir()) == []


def test_columns_without_a_value_in_one_split_are_released_as_text_in_both(tmp_path):
    context = make_context(
        tmp_path,
        splits={
            "train": own(x=pa.nulls(1), y=pa.array([[]], pa.list_(pa.null()))),
            "test": own(x=["abc"], y=[["a"]]),
        },
        source="jsonl",
        journals=False,
    )
    run(context)
    for split in ("train", "test"):
        schema = pq.read_schema(context.folder / "default" / f"{split}-00000-of-00001.parquet")
        assert str(schema.field("x").type) == "string"
        assert schema.field("y").type.value_type == pa.string()


def test_the_card_tells_how_the_data_were_made_and_names_no_folder(tmp_path):
    facts = {
        "funnel": funnel(9, skipped={"broken.xml.gz": f"{tmp_path}/broken.xml.gz: truncated"}),
        "pinned": {"query": "a|b <i>", "not_found": ["1", "2"]},
    }
    context = make_context(tmp_path, items=articles(9), corpus_facts=facts, sjr_rights=True)
    run(with_validation(context, tmp_path, left=7))
    card = (context.folder / "README.md").read_text()
    assert "| `no_abstract` | 3 | 9 | there is no abstract" in card
    assert "| quarantined (corpus) | 2 | 7 | failed the expectations of the corpus |" in card
    assert "| `test` | 7 | 1 |" in card
    assert "- `pubmed24n0001.xml.gz`" in card
    assert "left out as a whole:\n- `broken.xml.gz`" in card
    assert "query: a\\|b &lt;i&gt;." in card
    assert "not found: 2." in card
    assert "U.S. National Library of Medicine" in card
    assert "may not hold the most current" in card
    assert "all items stand in one, which is for evaluation" in card
    assert str(tmp_path) not in card
    assert "sjr" in pq.read_schema(context.folder / "default/test-00000-of-00001.parquet").names


def with_validation(context, root, *, left):
    """Return the context after a validation that took rows out of the corpus."""
    mended = make_context(root / "mended", items=articles(left)).artifacts["corpus"]
    taken = context.artifacts["corpus"].manifest.rows("items") - left
    facts = {**mended.manifest.facts, "replaces": ["corpus"], "taken_out": taken}
    checked = dataclasses.replace(
        mended, manifest=dataclasses.replace(mended.manifest, facts=facts)
    )
    artifacts = {**context.artifacts, "validate/corpus": checked}
    return dataclasses.replace(context, artifacts=artifacts)


def test_a_stop_ends_the_process_that_reads_back(tmp_path):
    context = make_context(tmp_path)
    context.stop.set()
    with pytest.raises(RunError, match="stopped"):
        run(context)
    assert not (context.folder / ".read_back").exists()
