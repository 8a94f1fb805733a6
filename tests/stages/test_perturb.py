"""Editing items through runs of a recipe, with the shipped dictionary and invented impressions."""

import json
import shutil
from collections import Counter, defaultdict

import pytest
import tiny_recipe

from tests.schedulers import local_scheduler
from toolkit.data import data_dir
from toolkit.errors import ToolkitError
from toolkit.execute import run_recipe
from toolkit.perturb.base import Edit, undone
from toolkit.recipe.load import load_recipe
from toolkit.store.canonical import file_digest

RADIOLOGY = data_dir("recipes") / "radiology"
LEVELS = {"TS_L1": [1, 1], "TS_L2": [2, 2], "TS_L3": [4, 4]}
PERTURB = {
    "column": "impression",
    "dictionary": "radiology/dictionary.csv",
    "substitution": {"levels": LEVELS},
    "removal": {
        "levels": {"IR_L1": 1, "IR_L2": 3},
        "keywords": "radiology/keywords.csv",
        "keywords_by": "dataset",
    },
    "measurements": {},
}


@pytest.fixture(scope="module")
def scheduler():
    with local_scheduler(2) as address:
        yield address


@pytest.fixture(scope="module")
def reports():
    lines = (RADIOLOGY / "impressions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def write(folder, table, scheduler, **changes):
    recipe = tiny_recipe.unchecked(
        **{
            "corpus": {"source": "jsonl", "files": "rows.jsonl", "access": "open",
                       "id": "report_id", "reference": "impression", "input": "impression"},
            "splits": None,
            "perturb": PERTURB,
            "models": {"copy": {"provider": "baseline", "variant": "reference",
                                "reference": "impression"}},
            "generate": {"split": "all", "over": ["items", "variants"], "models": ["copy"]},
            "metrics": ["word_ratio"],
            "execution": {"scheduler": scheduler},
            **changes,
        }
    )  # fmt: skip
    shutil.copytree(RADIOLOGY, folder / "radiology")
    return tiny_recipe.write(folder, recipe, table)


def perturbed(folder, table, scheduler, *, limit=None, **changes):
    """Run until the items are edited; return the artifact."""
    file = write(folder, table, scheduler, **changes)
    result = run_recipe(load_recipe(file, limit=limit), workspace=folder / "w", until="perturb")
    return result.artifacts["perturb"]


@pytest.fixture(scope="module")
def edited(tmp_path_factory, reports, scheduler):
    return perturbed(tmp_path_factory.mktemp("edited"), reports, scheduler)


def test_every_item_and_level_is_a_variant_or_a_reject(edited, reports):
    both = list(edited.rows("items_and_variants"))
    rejected = {row["item_id"] for row in edited.rows("rejects")}
    ids = {row["item_id"] for row in both}
    assert len(ids) == len(both)
    for report in reports:
        name = report["report_id"]
        assert name in ids
        for level in (*LEVELS, "IR_L1", "IR_L2"):
            assert (f"{name}:{level}" in ids) != (f"{name}:{level}" in rejected)
    variants = list(edited.rows("variants"))
    assert variants == [row for row in both if row["level"] != "unedited"]
    counts = Counter(row["level"] for row in variants)
    facts = edited.manifest.facts["levels"]
    assert {level: held["variants"] for level, held in facts.items()} == counts
    # Each item stands before its own variants.
    seen = None
    for row in both:
        seen = row["item_id"] if row["level"] == "unedited" else seen
        assert row["original_id"] == seen


def test_edits_undone_give_the_original(edited, reports):
    texts = {report["report_id"]: report["impression"] for report in reports}
    spans = defaultdict(list)
    named = defaultdict(list)
    for row in edited.rows("edits"):
        spans[row["item_id"]] += [Edit(**span) for span in json.loads(row["spans"])]
        named[row["item_id"]].append(
            {key: row[key] for key in ("kind", "category", "original", "replacement")}
        )
    for row in edited.rows("items_and_variants"):
        text = texts[row["original_id"]]
        assert row["original_text"] == text
        assert (row["impression"] == text) == (row["level"] == "unedited")
        assert undone(row["impression"], spans[row["item_id"]]) == text
        assert json.loads(row["edits"]) == named[row["item_id"]]
        assert row["edits_made"] == len(named[row["item_id"]]) <= row["edits_asked"]


def test_terms_are_used_as_evenly_as_texts_offer_them(edited):
    usage = list(edited.rows("usage"))
    used = Counter()
    for row in edited.rows("edits"):
        used[row["original"]] += row["kind"] == "term"
    assert {row["term"]: row["used"] for row in usage if row["used"]} == {
        term: count for term, count in used.items() if count
    }


@pytest.mark.parametrize("balance", ["least_used", "random"])
def test_the_least_used_first_evens_out_what_chance_does_not(
    balance, edited, reports, scheduler, tmp_path
):
    # One term a text: at the third level a text has hardly more terms than are replaced.
    rules = {"levels": {"TS_L1": [1, 1]}, "balance": balance}
    made = perturbed(tmp_path, reports, scheduler, perturb=PERTURB | {"substitution": rules})
    usage = [row for row in made.rows("usage") if row["offered"] >= 5]
    assert len(usage) > 40
    most = max(row["used"] for row in usage)
    assert (most <= 2) == (balance == "least_used")


def test_neither_workers_nor_files_nor_the_order_of_rows_change_a_variant(
    edited, reports, scheduler, tmp_path
):
    again = perturbed(tmp_path, reports[::-1], scheduler)
    table = {row["item_id"]: row for row in again.rows("items_and_variants")}
    for row in edited.rows("items_and_variants"):
        assert table[row["item_id"]] == row
    alone = perturbed(tmp_path / "alone", reports, "local", execution={"workers": 1})
    assert alone.fingerprint == edited.fingerprint
    for name in ("items_and_variants", "edits", "usage", "rejects"):
        assert [file_digest(path) for path in alone.files(name)] == [
            file_digest(path) for path in edited.files(name)
        ]


def test_an_item_without_a_text_and_one_without_terms_are_rejected(reports, scheduler, tmp_path):
    table = [
        *reports[:3],
        reports[3] | {"report_id": "empty", "impression": " "},
        reports[3] | {"report_id": "plain", "impression": "Nothing here."},
    ]
    made = perturbed(tmp_path, table, scheduler)
    reasons = {row["item_id"]: row["reason"] for row in made.rows("rejects")}
    assert reasons.pop("empty") == "no_text"
    plain = {f"plain:{level}" for level in (*LEVELS, "IR_L1", "IR_L2")}
    assert {
        item: why for item, why in reasons.items() if item.startswith("plain")
    } == dict.fromkeys(plain, "nothing_to_edit")
    assert made.manifest.facts["rejected"]["no_text"] == 1


def test_a_limit_is_of_items_not_of_variants(reports, scheduler, tmp_path):
    made = perturbed(tmp_path, reports, scheduler, limit=2)
    assert len({row["original_id"] for row in made.rows("items_and_variants")}) == 2


@pytest.mark.parametrize(
    ("change", "row", "words"),
    [
        ({"column": "nothing"}, {}, "no column 'nothing'"),
        ({"removal": {"levels": {"IR": 1}, "keywords": PERTURB["removal"]["keywords"],
                      "keywords_by": "dataset"}}, {"dataset": None},
         "(?m)no keywords for these values of 'dataset': no value$"),
        ({}, {"dataset": " "}, "(?m)no keywords for these values of 'dataset': no value$"),
        ({}, {"dataset": "elsewhere"}, "(?m)no keywords for these values of .*: 'elsewhere'$"),
        ({}, {"level": "mine"}, "the column 'level', which variants get"),
        ({}, {"report_id": "r:TS_L1"}, "'r:TS_L1' would be the variant of 'r'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(reports, scheduler, tmp_path, change, row, words):
    table = [reports[0] | {"report_id": "r"}, reports[1] | row]
    with pytest.raises(ToolkitError, match=words):
        perturbed(tmp_path, table, scheduler, perturb=PERTURB | change)


def test_at_most_twenty_values_without_keywords_are_named(reports, scheduler, tmp_path):
    table = [reports[0] | {"report_id": f"r{n}", "dataset": f"d{n:02}"} for n in range(23)]
    with pytest.raises(ToolkitError) as caught:
        perturbed(tmp_path, table, scheduler)
    named = [f"'d{n:02}'" in str(caught.value) for n in range(23)]
    assert named == [True] * 20 + [False] * 3
    assert "and 3 more" in str(caught.value)


def test_a_value_is_the_same_with_white_space_around(reports, scheduler, tmp_path):
    table = [report | {"dataset": f" {report['dataset']} "} for report in reports[:3]]
    made = perturbed(tmp_path / "wide", table, scheduler)
    plain = perturbed(tmp_path / "plain", reports[:3], scheduler)
    assert list(made.rows("edits")) == list(plain.rows("edits"))


def test_texts_that_nothing_can_be_edited_in_stop_the_run(scheduler, tmp_path):
    table = [{"report_id": "a", "dataset": "ct_chest", "impression": "Nothing here."}]
    with pytest.raises(ToolkitError, match="no text of 'impression' can be edited"):
        perturbed(tmp_path, table, scheduler)


def test_variants_alone_are_asked_about(reports, scheduler, tmp_path):
    file = write(
        tmp_path, reports[:3], scheduler,
        generate={"split": "all", "over": "variants", "models": ["copy"]},
    )  # fmt: skip
    result = run_recipe(load_recipe(file), workspace=tmp_path / "w")
    asked = {row["item_id"] for row in result.artifacts["generate/copy"].rows("generations")}
    made = result.artifacts["perturb"]
    assert asked == {row["item_id"] for row in made.rows("variants")}
    assert not made.files("items_and_variants")
    # A line of the leaderboard counts reports, not variants, as what varies.
    (line,) = [
        row for row in result.artifacts["leaderboard"].rows("leaderboard")
        if row["score"] == "word_ratio"
    ]  # fmt: skip
    assert (line["n"], line["n_clusters"]) == (len(asked), 3)
