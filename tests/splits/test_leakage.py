"""What splits share is found, counted and named."""

import pyarrow as pa
import pytest

from toolkit.errors import ValidationFailed
from toolkit.recipe.splits_section import Splits
from toolkit.splits.assign import assign
from toolkit.splits.groups import Duplicates
from toolkit.splits.leakage import find_leakage
from toolkit.splits.near_duplicates import digests, near_duplicates, signatures

IDS = [f"{at:02d}" for at in range(6)]
SPLITS = {0: "train", 1: "test", 2: "train", 3: "train", 4: "test", 5: "validation"}


def leaks(report):
    return {leak.kind: leak for leak in report.leaks}


def test_every_kind_is_counted_with_examples():
    report = find_leakage(
        IDS,
        SPLITS,
        Splits(sizes={"train": 3, "test": 2, "validation": 1}),
        duplicates=Duplicates(6, [(0, 1, 0.9), (1, 5, 0.9), (2, 3, 0.9)]),
        digests=[b"x", b"", b"y", b"y", b"x", b""],
        columns={"journal": ["j", "j", "j", None, None, "k"]},
    )
    found = leaks(report)
    assert (found["exact_duplicates"].clusters, found["exact_duplicates"].items) == (1, 2)
    assert found["exact_duplicates"].examples == (("00", "train"), ("04", "test"))
    assert found["near_duplicates"].between == {"test+train+validation": 1}
    assert found["group:journal"].between == {"test+train": 1}
    assert found["group:journal"].items == 3
    assert report.promised == () and report.violations == ()
    report.check()
    assert report.to_dict()["leaks"]["near_duplicates"]["clusters"] == 1


def test_a_broken_promise_fails_and_names_items():
    report = find_leakage(
        IDS,
        SPLITS,
        Splits(sizes={"train": 3, "test": 3}, keep_together="journal"),
        columns={"journal": ["j", "j", None, None, None, None]},
    )
    with pytest.raises(ValidationFailed, match=r"group:journal: 1 across test\+train.*00 \(train"):
        report.check()


def test_a_leak_is_released_only_when_all_of_it_was():
    section = Splits(sizes={"train": 3, "test": 3}, keep_together="journal")
    columns = {"journal": ["j", "j", "j", None, None, None]}
    whole = find_leakage(IDS, SPLITS, section, columns=columns, pinned=[0, 1, 2])
    part = find_leakage(IDS, SPLITS, section, columns=columns, pinned=[0, 1])
    assert whole.violations == ()
    assert [leak.kind for leak in part.violations] == ["group:journal"]


def test_at_most_twenty_examples_are_kept():
    ids = [f"{at:03d}" for at in range(100)]
    splits = {at: "test" if at % 2 else "train" for at in range(100)}
    section = Splits(sizes={"train": 50, "test": 50})
    report = find_leakage(ids, splits, section, digests=[b"same"] * 100)
    assert len(leaks(report)["exact_duplicates"].examples) == 20
    assert leaks(report)["exact_duplicates"].items == 100


def test_copies_stay_linked_when_the_one_that_names_them_is_left_out():
    duplicates = Duplicates(3, [(0, 1, 1.0), (0, 2, 1.0)])
    splits = {1: "train", 2: "test"}
    report = find_leakage(["a", "b", "c"], splits, Splits(sizes={"train": 1, "test": 1}),
                          duplicates=duplicates)  # fmt: skip
    assert leaks(report)["near_duplicates"].clusters == 1


def test_planted_near_duplicates_leak_without_keep_together_and_not_with_it():
    texts = [f"text number {at} " + " ".join(f"w{at}x{n}" for n in range(60)) for at in range(80)]
    texts += [text.replace("x30", "x99") for text in texts[:40]]
    table = pa.table({"item_id": [f"{at:03d}" for at in range(120)]})
    ids = table["item_id"].to_pylist()
    section = Splits(fractions={"train": 0.5, "test": 0.5})
    pairs = near_duplicates(ids, texts, section.near_duplicates)
    assert len(pairs) == 40
    assert signatures(texts[:2], section.near_duplicates).shape == (2, 128)
    marks = digests(texts)
    loose = assign(table, section, seed=1, near_duplicates=pairs, digests=marks)
    assert leaks(loose.leakage)["near_duplicates"].clusters > 5
    together = Splits(fractions=section.fractions, keep_together="near_duplicates")
    tight = assign(table, together, seed=1, near_duplicates=pairs, digests=marks)
    assert {leak.clusters for leak in tight.leakage.leaks} == {0}
    assert tight.leakage.promised == ("exact_duplicates", "near_duplicates")
    tight.leakage.check()
