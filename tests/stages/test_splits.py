"""Splits through runs of a recipe: pinned ids, views, dates, groups, and what a kill leaves."""

import csv
import random
import threading
from contextlib import contextmanager

import pytest
import tiny_recipe

from toolkit.errors import RunError, Stopped
from toolkit.execute import run_recipe
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe
from toolkit.splits.groups import hash_of
from toolkit.stages import splits as stage
from toolkit.stages.context import Context
from toolkit.store.canonical import file_digest

# The validation process takes seconds, and its suites have tests of their own.
UNCHECKED = {
    kind: {"on_failure": "off"}
    for kind in ("corpus", "generations", "leaderboard", "scores", "splits")
}

WORDS = [f"word{n}" for n in range(400)]


def text(seed, count=60):
    return " ".join(random.Random(seed).choices(WORDS, k=count))


def edited(words, at):
    parts = words.split()
    parts[at] = "edited"
    return " ".join(parts)


def item(key, seed=None, **more):
    words = text(key if seed is None else seed)
    return {"key": key, "input": words, "conclusion": "It works.", **more}


@pytest.fixture(scope="module")
def scheduler():
    """Return the address of a Dask scheduler with two workers, kept for all runs here."""
    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=":0",
        silence_logs=50,
    )
    yield cluster.scheduler_address
    cluster.close()


def recipe_of(folder, table, splits, scheduler="local"):
    data = tiny_recipe.data(
        splits=splits,
        generate={"split": "all", "models": ["first"]},
        execution={"workers": 1, "scheduler": scheduler},
        validation=UNCHECKED,
    )
    return load_recipe(tiny_recipe.write(folder, data, table))


def splits_of(folder, scheduler, table, splits):
    """Run to the splits on real workers; check that no item is lost."""
    recipe = recipe_of(folder, table, splits, scheduler)
    artifact = run_recipe(recipe, workspace=folder / "workspace", until="splits").artifacts[
        "splits"
    ]
    placed = [row["item_id"] for row in artifact.rows("assignment")]
    rejected = [row["item_id"] for row in artifact.rows("rejects")]
    assert sorted(placed + rejected) == sorted(row["key"] for row in table)
    return artifact


def assignment(artifact):
    return {row["item_id"]: row["split"] for row in artifact.rows("assignment")}


def reasons(artifact):
    return {row["item_id"]: row["reason"] for row in artifact.rows("rejects")}


def ids(artifact, table):
    return [row["item_id"] for row in artifact.rows(table)]


def release(path, placed):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("item_id", "split"), *sorted(placed.items())])


@pytest.mark.parametrize("new_duplicates", ["reject", "join"])
def test_released_items_stay_while_the_corpus_grows(tmp_path, scheduler, new_duplicates):
    table = [item(f"a{n:02d}") for n in range(30)]
    sizes = {"test": 6, "train": 14}
    first = assignment(splits_of(tmp_path / "one", scheduler, table, {"sizes": sizes}))
    assert len(first) == 20

    pinned_test = min(key for key, split in first.items() if split == "test")
    pinned_train = min(key for key, split in first.items() if split == "train")
    # Ids before and after the released ones; neither must push one out.
    grown = [item(f"{letter}{n:02d}") for letter in "0z" for n in range(20)]
    grown += [
        {**item("near-test"), "input": edited(text(pinned_test), 7)},
        {**item("copy-train"), "input": text(pinned_train).upper()},
    ]
    gone = max(first)
    corpus = [row for row in [*grown, *table] if row["key"] != gone]
    folder = tmp_path / "two"
    folder.mkdir()
    release(folder / "released.csv", first)
    second = splits_of(
        folder,
        scheduler,
        corpus,
        {
            "sizes": {"test": 10, "train": 30},
            "frozen": "released.csv",
            "new_duplicates": new_duplicates,
        },
    )
    placed = assignment(second)
    assert {key: placed[key] for key in first if key != gone} == {
        key: split for key, split in first.items() if key != gone
    }
    assert sorted(placed.values()) == ["test"] * 10 + ["train"] * 30
    frozen = second.manifest.facts["splits"]["frozen"]
    assert frozen["missing_examples"] == [gone]
    assert sum(frozen["pinned"].values()) == 19
    near = {key: reason for key, reason in reasons(second).items() if reason != "not_sampled"}
    if new_duplicates == "reject":
        assert near == {
            "near-test": "duplicate_of_released",
            "copy-train": "duplicate_of_released",
        }
    else:
        assert near == {}
        assert (placed["near-test"], placed["copy-train"]) == ("test", "train")
    assert set(ids(second, "items_test")) == {k for k, split in placed.items() if split == "test"}


def test_a_released_split_larger_than_asked_for_is_refused(tmp_path, scheduler):
    table = [item(f"a{n:02d}") for n in range(8)]
    release(tmp_path / "released.csv", {row["key"]: "test" for row in table[:4]})
    with pytest.raises(RunError, match=r"sizes\.test is 3, but 4 items of it are released"):
        splits_of(
            tmp_path,
            scheduler,
            table,
            {"sizes": {"test": 3, "train": 2}, "frozen": "released.csv"},
        )


def test_views_hold_whole_items_beside_the_splits(tmp_path, scheduler):
    table = [item(f"a{n:02d}") for n in range(40)]
    artifact = splits_of(
        tmp_path,
        scheduler,
        table,
        {
            "sizes": {"test": 10, "train": 20},
            "views": {
                "everything": {},
                "any_five": {"sample": 5},
                "all_test": {"of": "test"},
                "some_test": {"of": "test", "sample": 4},
            },
        },
    )
    placed = assignment(artifact)
    test = {key for key, split in placed.items() if split == "test"}

    def lowest(keys, count):
        return set(sorted(keys, key=lambda key: hash_of(7, key))[:count])

    keys = [row["key"] for row in table]
    assert ids(artifact, "items_everything") == keys
    assert set(ids(artifact, "items_any_five")) == lowest(keys, 5)
    assert set(ids(artifact, "items_all_test")) == test
    assert set(ids(artifact, "items_some_test")) == lowest(test, 4)
    assert artifact.manifest.facts["views"] == {
        "all_test": 10,
        "any_five": 5,
        "everything": 40,
        "some_test": 4,
    }
    sources = {row["key"]: row["input"] for row in table}
    for row in artifact.rows("items_everything"):
        assert row["input"] == sources[row["item_id"]]
        assert row["group"] == row["item_id"]
    rows = list(artifact.rows("items_train"))
    assert [row["item_id"] for row in rows] == [key for key in keys if placed.get(key) == "train"]


def test_a_view_draws_from_each_value_whatever_the_shards_and_the_order(tmp_path, scheduler):
    table = [item(f"a{n:02d}", place="abc"[n % 3]) for n in range(20)]
    table += [item("lone", place="d"), item("nowhere", place=None)]
    section = {
        "sizes": {"test": 12, "train": 6},
        "views": {
            "two": {"sample": 2, "per": "place"},
            "of_test": {"of": "test", "sample": 1, "per": "place"},
        },
    }
    artifact = splits_of(tmp_path / "one", scheduler, table, section)
    places = {row["key"]: row["place"] for row in table}
    drawn = ids(artifact, "items_two")
    assert sorted(places[key] for key in drawn) == ["a", "a", "b", "b", "c", "c", "d"]
    held = assignment(artifact)
    assert {held[key] for key in ids(artifact, "items_of_test")} == {"test"}
    assert artifact.manifest.facts["samples"]["two"] == {
        "per": "place",
        "sample": 2,
        "values": 4,
        "short": 1,
        "named": {"d": 1},
        "without": 1,
    }
    again = splits_of(tmp_path / "two", scheduler, table[::-1], section)
    assert sorted(ids(again, "items_two")) == sorted(drawn)
    assert again.manifest.facts["samples"] == artifact.manifest.facts["samples"]


def test_a_view_of_a_column_that_is_not_there_is_refused(tmp_path, scheduler):
    with pytest.raises(RunError, match="no column 'dataset'"):
        splits_of(
            tmp_path,
            scheduler,
            [item("a")],
            {"views": {"few": {"sample": 1, "per": "dataset"}}},
        )


def test_a_section_of_views_alone_makes_no_split(tmp_path, scheduler):
    table = [item(f"a{n:02d}") for n in range(9)]
    artifact = splits_of(tmp_path, scheduler, table, {"views": {"few": {"sample": 3}}})
    assert artifact.manifest.rows("assignment") == 0
    assert len(ids(artifact, "items_few")) == 3
    assert {shard.table for shard in artifact.manifest.shards} == {"items_few", "rejects"}


def test_splits_by_date_reject_what_has_none_and_a_later_copy(tmp_path, scheduler):
    table = [item(f"a{n:02d}", year=2010 + n) for n in range(12)]
    table += [
        item("undated", year=None),
        {**item("later", year=2021), "input": edited(text("a03"), 5)},
    ]
    artifact = splits_of(
        tmp_path,
        scheduler,
        table,
        {
            "by": "date",
            "date": {"train": [None, 2017], "test": [2019, None]},
            "keep_together": "near_duplicates",
        },
    )
    years = {row["key"]: row["year"] for row in table}
    assert assignment(artifact) == {
        f"a{n:02d}": "train" if 2010 + n <= 2017 else "test" for n in range(12) if n != 8
    }
    assert reasons(artifact) == {
        "a08": "outside_dates",
        "later": "linked_across_dates",
        "undated": "no_date",
    }
    assert all(years[key] >= 2019 for key in ids(artifact, "items_test"))


def test_splits_by_group_keep_a_group_and_its_near_duplicates_together(tmp_path, scheduler):
    table = [item(f"a{n:02d}", journal=f"J{n % 8}") for n in range(48)]
    # The twin of an item of J1 stands in J2, so both journals are one group.
    table.append({**item("twin", journal="J2"), "input": edited(text("a01"), 9)})
    artifact = splits_of(
        tmp_path,
        scheduler,
        table,
        {
            "by": "group",
            "group_by": "journal",
            "fractions": {"test": 0.5, "train": 0.5},
            "keep_together": "near_duplicates",
        },
    )
    placed = assignment(artifact)
    homes = {}
    for row in table:
        homes.setdefault(row["journal"], set()).add(placed[row["key"]])
    assert {len(found) for found in homes.values()} == {1}
    assert homes["J1"] == homes["J2"]
    assert set(placed.values()) == {"test", "train"}
    groups = {
        row["item_id"]: row["group"]
        for table in ("items_test", "items_train")
        for row in artifact.rows(table)
    }
    assert groups["twin"] == groups["a01"] == groups["a02"] == "journal=J1"
    assert groups["a03"] == "journal=J3"


# Kills: the stage itself, its tasks run here one after the other and stopped after some.


def never(*_):
    raise AssertionError("splits ask nobody and validate nothing")


@contextmanager
def stage_context(folder, corpus, recipe, workspace, after=None):
    """Yield a context whose tasks run here; a task beyond ``after`` raises Stopped."""
    left = [after]

    def run_here(function, tasks):
        for task in tasks:
            if left[0] is not None:
                if left[0] == 0:
                    raise Stopped("as if killed")
                left[0] -= 1
            yield function(task)

    plan = make_plan(recipe, workspace=workspace)
    yield Context(
        plan=plan,
        step=plan.step("splits"),
        folder=folder,
        inputs={"corpus": corpus},
        artifacts={"corpus": corpus},
        map=run_here,
        ledger=never,
        validator=never,
        secrets={},
        progress=lambda done, total, note: None,
        stop=threading.Event(),
        calls=lambda counts: None,
    )


def files(folder):
    return {
        path.relative_to(folder).as_posix(): file_digest(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def three_files(tmp_path_factory):
    """Return a recipe over three files with near-duplicates, its workspace and its corpus."""
    folder = tmp_path_factory.mktemp("three")
    table = [item(f"a{n:02d}") for n in range(24)]
    table += [{**item(f"b{n:02d}"), "input": edited(text(f"a{n:02d}"), n)} for n in range(12)]
    recipe = recipe_of(
        folder,
        table,
        {"fractions": {"test": 0.5, "train": 0.5}, "keep_together": "near_duplicates"},
    )
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for part in range(3):
        (folder / f"part{part}.jsonl").write_text("".join(lines[part::3]), encoding="utf-8")
    recipe = load_recipe(
        folder / "recipe.yaml", overrides=["corpus.files=" + str(folder / "part*")]
    )
    result = run_recipe(recipe, workspace=folder / "workspace", until="corpus")
    return recipe, folder / "workspace", result.artifacts["corpus"]


def test_a_killed_step_goes_on_and_ends_alike(three_files, tmp_path):
    recipe, workspace, corpus = three_files
    assert len(corpus.shards("items")) == 3
    with stage_context(tmp_path / "whole", corpus, recipe, workspace) as context:
        whole = stage.run(context)
    expected = files(tmp_path / "whole")
    assert not any("scratch" in name for name in expected)
    groups = whole.facts["splits"]["leakage"]["leaks"]["near_duplicates"]
    assert groups["clusters"] == 0
    stops = 0
    for after in range(0, 100, 2):
        folder = tmp_path / f"killed-{after}"
        with stage_context(folder, corpus, recipe, workspace, after) as context:
            try:
                stage.run(context)
                break
            except Stopped:
                stops += 1
        with stage_context(folder, corpus, recipe, workspace) as context:
            assert stage.run(context) == whole
        assert files(folder) == expected
    # Three shards signed, gathered and written, and at least one batch compared.
    assert stops >= 5


def test_what_was_signed_is_not_signed_again_unless_it_was_damaged(three_files, tmp_path):
    recipe, workspace, corpus = three_files
    with (
        stage_context(tmp_path, corpus, recipe, workspace, 3) as context,
        pytest.raises(Stopped),
    ):
        stage.run(context)
    signed = sorted((tmp_path / stage.SCRATCH).glob("signed-*.parquet"))
    assert len(signed) == 3
    # Another file under the same name has another number.
    before = {path: (path.stat().st_ino, file_digest(path)) for path in signed}
    signed[1].write_bytes(signed[1].read_bytes()[:-1])
    with (
        stage_context(tmp_path, corpus, recipe, workspace, 3) as context,
        pytest.raises(Stopped),
    ):
        stage.run(context)
    after = {path: (path.stat().st_ino, file_digest(path)) for path in signed}
    assert [after[path] == before[path] for path in signed] == [True, False, True]
    assert after[signed[1]][1] == before[signed[1]][1]
