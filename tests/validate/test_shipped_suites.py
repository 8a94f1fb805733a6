"""The suites of validation/: they hold for good tables, and each expectation can fail."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from toolkit.data import data_dir
from toolkit.records import TABLES, to_arrow
from toolkit.validate import Validator, load_suite

SUITES = {path.stem: load_suite(path) for path in data_dir("validation").glob("*.json")}

ITEM: dict[str, Any] = {
    "item_id": "1",
    "title": "A title",
    "journal": "A journal",
    "issn_print": "1234-567X",
    "issn_electronic": None,
    "issn_linking": "1234-5679",
    "doi": "10.1000/abc",
    "languages": ["eng"],
    "year": 2020,
    "month": None,
    "day": 3,
    "sections": [
        {"label": "RESULTS", "category": "RESULTS", "text": "It worked."},
        {"label": "CONCLUSION", "category": None, "text": "It works."},
    ],
    "retracted": False,
    "input": "RESULTS: It worked in twelve of the thirteen trials that we ran.\nOTHER: Été, 10 µg.",
    "conclusion": "It works in most trials.",
    "conclusion_labels": ["CONCLUSION"],
    "leak_risk": False,
    "leak_labels": [],
    "sjr": 1.5,
    "sjr_year": 2020,
    "sjr_year_gap": 0,
    "sjr_quartile": "Q1",
    "sjr_match": "issn",
}
UNRANKED = {
    **ITEM,
    "sjr": None,
    "sjr_year": None,
    "sjr_year_gap": None,
    "sjr_quartile": None,
    "sjr_match": None,
}
SPLIT = {"item_id": "1", "split": "test", "group": "1"}
ANSWER: dict[str, Any] = {
    "item_id": "1",
    "model": "m",
    "prompt": "A",
    "repeat": 0,
    "status": "ok",
    "reason": "",
    "answer": "It works.",
    "raw": "It works.",
    "prompt_tokens": 10,
    "completion_tokens": 4,
}
FAILED = {**ANSWER, "status": "error", "reason": "timeout", "answer": None, "raw": None}
JUDGEMENT = {
    **ANSWER,
    "judge": "j",
    "stage": "",
    "judge_repeat": 0,
    "rater": "judge_model",
    "answer": '{"s":1}',
}
NO_VERDICT = {**JUDGEMENT, "status": "invalid", "reason": "it is no JSON", "answer": None}
SCORE: dict[str, Any] = {
    "item_id": "1",
    "model": "m",
    "prompt": "",
    "repeat": 0,
    "metric": "rouge",
    "score": "rouge1",
    "value": 0.5,
    "reason": "",
}
ROW: dict[str, Any] = {
    "model": "m",
    "prompt": "",
    "kind": "model",
    "score": "rouge1",
    "mean": 0.5,
    "ci_low": 0.4,
    "ci_high": 0.6,
    "n": 10,
    "n_missing": 1,
    "n_clusters": 4,
    "rank": 1,
    "rank_low": 1,
    "rank_high": 2,
    "reason": "",
    "signature": "rouge1|v:1",
}
NO_MEAN = {
    **ROW,
    **dict.fromkeys(("mean", "ci_low", "ci_high", "rank", "rank_low", "rank_high", "n_clusters")),
    "n": 0,
    "reason": "no row has a value",
}
REFERENCE = {**ROW, "kind": "reference", "rank": None, "rank_low": None, "rank_high": None}

VARIANT = {
    "item_id": "1:TS_L1",
    "original_id": "1",
    "level": "TS_L1",
    "edit_type": "substitution",
    "original_text": "Mild effusion.",
    "edits": '[{"category":"descriptors","kind":"term","original":"mild","replacement":"severe"}]',
    "edits_asked": 1,
    "edits_made": 1,
    "edits_short": "",
}

TABLE_OF = {"corpus": "items", **{name: name for name in TABLES}}
KEY_OF = {
    "generations": ["item_id", "model", "prompt", "repeat"],
    "judgements": [
        *("item_id", "model", "prompt", "repeat"),
        *("judge", "stage", "judge_repeat", "rater"),
    ],
    "scores": ["item_id", "model", "prompt", "repeat", "metric", "score"],
    "leaderboard": ["model", "prompt", "score"],
}


def many(rows: list[dict[str, Any]], name: str, count: int = 40) -> list[dict[str, Any]]:
    """Repeat rows under different ids."""
    first = "model" if name == "leaderboard" else "item_id"
    also = {"splits": "group", "variants": "original_id"}.get(name)
    return [
        {**row, first: str(number), **({also: str(number)} if also else {})}
        for number, row in enumerate(itertools.islice(itertools.cycle(rows), count), start=1)
    ]


GOOD = {
    "corpus": many([ITEM, UNRANKED, {**ITEM, "leak_risk": True, "leak_labels": ["KEY"]}], "corpus"),
    "splits": many([SPLIT, {**SPLIT, "split": "train"}], "splits"),
    "generations": many([ANSWER] * 19 + [FAILED], "generations"),
    "judgements": many([JUDGEMENT] * 19 + [NO_VERDICT], "judgements"),
    "scores": many([SCORE] * 19 + [{**SCORE, "value": None, "reason": "no answer"}], "scores"),
    "leaderboard": many([ROW, NO_MEAN, REFERENCE], "leaderboard"),
    "table": many([{"item_id": "x", "question": "Why?"}], "table"),
    "variants": many([VARIANT], "variants"),
}


def arrow(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    # Their other columns are those of the user's own items.
    own = name in ("table", "variants")
    return pa.Table.from_pylist(rows) if own else to_arrow(TABLE_OF[name], rows)


@pytest.fixture
def run(validator: Validator, shards: Any) -> Any:
    def evaluate(name: str, table: pa.Table, only: str = "") -> dict[str, str]:
        suite = SUITES[name]
        kept = tuple(item for item in suite.expectations if only in ("", item.id))
        result = validator.validate(
            shards(table, 2),
            replace(suite, expectations=kept),
            id_column=KEY_OF.get(name, "item_id"),
            parameters={"splits": ["train", "test"]},
            tables={"items": shards({"item_id": [str(n) for n in range(1, 41)]}, 2, "items")},
        )
        return {item.id: f"{item.status} {item.reason}".strip() for item in result.results}

    return evaluate


@pytest.mark.parametrize("name", sorted(GOOD))
def test_suite_holds_for_a_good_table(run: Any, name: str) -> None:
    assert run(name, arrow(name, GOOD[name])) == {
        item.id: "passed" for item in SUITES[name].expectations
    }


def test_there_is_a_good_table_for_every_suite() -> None:
    assert sorted(GOOD) == sorted(SUITES)


# One change of one row (all rows where a share is allowed) for every expectation.
# What breaks the tables of models' replies, answers and judgements alike.
REPLIES = {
    "repeat_from_zero": {"repeat": -1},
    "status_present": {"status": None},
    "status_known": {"status": "fine"},
    "answer_present": {"answer": None},
    "answer_absent_on_failure": {"status": "invalid", "reason": "no JSON"},
    "answer_not_blank": {"answer": " \n"},
    "answer_replacement_character": {"answer": "\ufffd"},
    "reason_present": {"reason": None},
    "reason_on_failure": {"status": "repaired"},
    "no_reason_when_ok": {"reason": "truncated"},
    "raw_present": {"raw": None},
    "raw_length": {"raw": "x" * 65_537},
    "prompt_tokens_not_negative": {"prompt_tokens": -1},
    "completion_tokens_not_negative": {"completion_tokens": -1},
    "reasoning_tokens_not_negative": {"reasoning_tokens": -1},
    "mostly_answered": {"status": "refused", "reason": "said no", "answer": None},
}
BREAKS: dict[str, dict[str, dict[str, Any]]] = {
    "corpus": {
        "item_id_present": {"item_id": None},
        "item_id_is_pmid": {"item_id": "PMC12"},
        "item_id_unique": {"item_id": "2"},
        "input_present": {"input": None},
        "input_length": {"input": "short"},
        "input_control_characters": {"input": ITEM["input"] + "\x00"},
        "input_replacement_character": {"input": ITEM["input"] + "\ufffd"},
        "input_markup": {"input": ITEM["input"] + " CO<sub>2</sub>"},
        "conclusion_present": {"conclusion": None},
        "conclusion_length": {"conclusion": "x" * 10_001},
        "conclusion_control_characters": {"conclusion": "It works in most\x1f trials."},
        "conclusion_replacement_character": {"conclusion": "It works in m\ufffdst trials."},
        "conclusion_not_in_input": {"input": ITEM["input"] + " " + ITEM["conclusion"]},
        "conclusion_labels_present": {"conclusion_labels": []},
        "leak_labels_named": {"leak_risk": True, "leak_labels": []},
        "sections_enough": {"sections": ITEM["sections"][:1]},
        "languages_present": {"languages": []},
        "languages_are_codes": {"languages": ["eng", "English"]},
        "title_present": {"title": None},
        "journal_present": {"journal": None},
        "year_present": {"year": None},
        "year_plausible": {"year": 20},
        "month_plausible": {"month": 13},
        "day_plausible": {"day": 0},
        "issn_print_shape": {"issn_print": "12345678"},
        "issn_electronic_shape": {"issn_electronic": "x"},
        "issn_linking_shape": {"issn_linking": ""},
        "doi_shape": {"doi": "doi:10.1000/abc"},
        "retracted_present": {"retracted": None},
        "sjr_not_negative": {"sjr": -0.1},
        "sjr_finite": {"sjr": float("nan")},
        "sjr_year_not_later": {"sjr_year_gap": -1},
        "sjr_quartile_known": {"sjr_quartile": "-"},
        "sjr_match_known": {"sjr_match": "guess"},
        "sjr_year_stated": {"sjr_year": None},
    },
    "variants": {
        "item_id_present": {"item_id": None},
        "item_id_unique": {"item_id": "2"},
        "one_a_level": {"original_id": "2"},
        "original_text_present": {"original_text": None},
        "edited": {"edits": "[]"},
        "edits_made": {"edits_made": 0},
    },
    "table": {
        "item_id_present": {"item_id": None},
        "item_id_not_blank": {"item_id": "  "},
        "item_id_control_characters": {"item_id": "a\x1b"},
        "item_id_unique": {"item_id": "2"},
    },
    "splits": {
        "item_id_present": {"item_id": None},
        "item_id_unique": {"item_id": "2"},
        "item_id_known": {"item_id": "99"},
        "split_present": {"split": None},
        "split_name": {"split": "test\n"},
        "splits_not_empty": {"split": "validation"},
        "group_present": {"group": None},
        "groups_whole": {"group": "2"},
    },
    "generations": {
        **{f"{key}_present": {key: None} for key in KEY_OF["generations"]},
        "answer_unique": {"item_id": "2"},
        **REPLIES,
    },
    "judgements": {
        **{f"{key}_present": {key: None} for key in KEY_OF["judgements"]},
        "judgement_unique": {"item_id": "2"},
        **REPLIES,
    },
    "scores": {
        **{f"{key}_present": {key: None} for key in KEY_OF["scores"]},
        "score_unique": {"item_id": "2"},
        "repeat_from_zero": {"repeat": -1},
        "value_finite": {"value": float("inf")},
        "reason_present": {"reason": None},
        "reason_without_value": {"value": None},
        "no_reason_with_value": {"reason": "a reason"},
        "mostly_scored": {"value": None, "reason": "no answer"},
    },
    "leaderboard": {
        **{f"{key}_present": {key: None} for key in KEY_OF["leaderboard"]},
        "row_unique": {"model": "4"},
        "kind_present": {"kind": None},
        "kind_known": {"kind": "human"},
        "numbers_finite": {"ci_low": float("nan")},
        "mean_in_interval": {"ci_high": 0.45},
        "n_present": {"n": None},
        "n_not_negative": {"n": -1},
        "n_behind_mean": {"n": 0},
        "n_missing_present": {"n_missing": None},
        "n_missing_not_negative": {"n_missing": -1},
        "clusters_not_over_n": {"n_clusters": 11},
        "rank_from_one": {"rank": 0},
        "no_rank_without_mean": {"mean": None, "reason": "none"},
        "rank_in_range": {"rank_low": 2},
        "rank_range_from_one": {"rank_low": 0},
        "no_range_without_rank": {"rank": None},
        "reason_present": {"reason": None},
        "reason_without_mean": {"mean": None},
        "signature_present": {"signature": None},
        "signature_not_blank": {"signature": " "},
    },
}


def test_every_expectation_has_a_break() -> None:
    for name, suite in SUITES.items():
        assert {"row_count", *BREAKS[name]} == {item.id for item in suite.expectations}


@pytest.mark.parametrize(
    ("name", "id_"), [(name, id_) for name in sorted(BREAKS) for id_ in BREAKS[name]]
)
def test_expectation_fails_for_a_table_that_breaks_it(run: Any, name: str, id_: str) -> None:
    suite = SUITES[name]
    shared = next(item.kwargs.get("mostly") for item in suite.expectations if item.id == id_)
    rows = [
        {**row, **BREAKS[name][id_]} if index == 0 or (shared and index < 10) else row
        for index, row in enumerate(GOOD[name])
    ]
    found = run(name, arrow(name, rows), only=id_)
    assert found[id_].startswith("failed"), found[id_]


@pytest.mark.parametrize("name", sorted(SUITES))
def test_empty_table_is_refused_by_name(run: Any, name: str) -> None:
    found = run(name, arrow(name, GOOD[name]).schema.empty_table())
    assert found["row_count"] == "failed the table has 0 rows"
    assert not [said for said in found.values() if said.startswith("error")]
