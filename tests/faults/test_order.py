"""Fault catalogue 12, 18, 39: order, additions and the number of workers change nothing."""

import random

import pytest
import tiny_recipe

from tests.faults import pubmed_recipe
from tests.faults.pubmed_recipe import FIRST, SECOND, packed
from tests.faults.runs import ROOT, run_here, tree
from tests.tiny_recipe import UNCHECKED

FILES = {
    "pubmed26n9001.xml.gz": packed(FIRST),
    "pubmed26n9002.xml.gz": packed(SECOND),
    # By name it stands before them, by the number NLM gave it after them.
    "pubmed26n10000.xml": SECOND.replace(b"<Year>20", b"<Year>19"),
}


def test_12_the_order_of_arguments_and_of_the_glob_never_matters(tmp_path, scheduler):
    names = sorted(FILES)
    orders = [["raw/*"], names, names[::-1], [names[1], names[2], names[0]], ["raw/*n9*", "raw/*"]]
    trees = []
    for number, order in enumerate(orders):
        folder = tmp_path / str(number)
        given = [name if "*" in name else f"raw/{name}" for name in order]
        recipe = pubmed_recipe.data({"files": given}, validation=UNCHECKED)
        written = dict(FILES) if number % 2 else dict(reversed(FILES.items()))
        file = pubmed_recipe.write(folder, written, recipe)
        run_here(file, folder / "workspace", scheduler, until="splits")
        trees.append(tree(folder / "workspace"))
    assert trees[0]
    assert all(found == trees[0] for found in trees)


def splits_of(folder, scheduler, table, **changes):
    recipe = tiny_recipe.data(validation=UNCHECKED, **changes)
    file = tiny_recipe.write(folder, recipe, table)
    result = run_here(file, folder / "workspace", scheduler, until="splits")
    return {row["item_id"]: row["split"] for row in result.artifacts["splits"].rows("assignment")}


def test_18_items_keep_their_split_when_the_order_changes_or_one_comes_in(tmp_path, scheduler):
    fractions = {"fractions": {"train": 0.5, "test": 0.5}}
    table = tiny_recipe.rows(60)
    before = splits_of(tmp_path / "before", scheduler, table, splits=fractions)
    shuffled = table[:]
    random.Random(18).shuffle(shuffled)
    assert splits_of(tmp_path / "shuffled", scheduler, shuffled, splits=fractions) == before
    more = [tiny_recipe.rows(61)[-1], *shuffled]
    after = splits_of(tmp_path / "more", scheduler, more, splits=fractions)
    assert len(after) == len(before) + 1
    assert {key: after[key] for key in before} == before
    assert set(before.values()) == {"train", "test"}


def test_18_pinned_items_keep_their_split_under_exact_sizes(tmp_path, scheduler):
    sizes = {"sizes": {"train": 20, "test": 10}}
    table = tiny_recipe.rows(40)
    before = splits_of(tmp_path / "before", scheduler, table, splits=sizes)
    placed = {key: split for key, split in before.items() if split in ("train", "test")}
    assert len(placed) == 30
    folder = tmp_path / "after"
    folder.mkdir()
    lines = "".join(f"{key},{split}\n" for key, split in sorted(placed.items()))
    (folder / "released.csv").write_text("item_id,split\n" + lines)
    grown = {"sizes": {"train": 22, "test": 11}, "frozen": "released.csv"}
    # New rows at the front: neither position nor rank may move what was released.
    more = tiny_recipe.rows(60)[::-1]
    after = splits_of(folder, scheduler, more, splits=grown)
    assert {key: after[key] for key in placed} == placed
    assert sorted(after.values()).count("train") == 22
    assert sorted(after.values()).count("test") == 11


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_39_the_number_of_workers_changes_no_byte(tmp_path):
    overrides = [
        "generate.models=[first_sentence, last_result, other_conclusion]",
        "metrics=[rouge, bleu, word_ratio, sentence_ratio]",
        *(f"validation.{kind}.on_failure=off" for kind in UNCHECKED),
    ]
    trees = {}
    for workers in (1, 2, 4):
        workspace = tmp_path / str(workers)
        run_here(
            ROOT / "recipes" / "quickstart.yaml",
            workspace,
            # The release is read back in a process of its own, which no worker touches.
            until="report",
            overrides=[*overrides, f"execution.workers={workers}"],
        )
        trees[workers] = tree(workspace)
    assert any(path.startswith("report/") for path in trees[1])
    assert trees[1] == trees[2] == trees[4]
