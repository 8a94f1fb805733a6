"""The radiology protocol as it ships, with summarizers and a judge played by a server here."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
import tiny_recipe
import yaml
from click.testing import CliRunner

from tests.doubles.radiology_models import RadiologyModels
from toolkit.cli.init import copy_recipe
from toolkit.cli.main import cli
from toolkit.execute import run_recipe
from toolkit.recipe.load import load_recipe

# Each process of xdist that runs one of these tests makes the run anew, beside the others.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

REPORTS = 12
"""Reports a dataset: more of them than the models of odds have coefficients."""

COUNTS = {
    "n",
    "clusters",
    "df",
    "left_out",
    "missing",
    "tests",
    "at_least",
    "threshold",
    "observed",
}

# What a table of the paper is called here.
PAPER = {
    "tables 1 and 2": ["proportions", "permutation"],
    "table 3": ["agreement", "agreement_overall"],
    "table S1": ["model_table"],
    "tables S2 and S3": ["text_statistics_impression", "edits_made"],
    "table S4": ["gee", "ordinal"],
    "table S5": ["gee_contrasts", "gee_within", "ordinal_contrasts", "ordinal_thresholds"],
    "table S6": ["ordinal_thresholds", "ordinal_margins"],
    "further models": ["gee_random_intercept"],
    "observed differences": ["gee_differences", "ordinal_differences"],
    "figure 2": ["edits_by_category"],
    "figure 4": ["edit_misses", "edit_misses_by_term"],
    "cases": ["conflicting_scores", "hallucinations"],
    "control": ["edit_effect", "edit_effect_pooled"],
    "judges": ["judge_agreement", "icc"],
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("radiology")
    copy_recipe("radiology", folder)
    with RadiologyModels(folder) as server:
        model = {
            "provider": "openai_compatible", "base_url": server.url,
            "temperature": 0, "max_tokens": 400, "access": "API", "scale": None, "note": None,
        }  # fmt: skip
        bounds = {"maxItems": None, "items": {"maxLength": None}}
        condition = {"items": {"properties": {"condition": {"maxLength": None}}}, "maxItems": None}
        facts = {"json": {"schema": {"properties": {"findings": condition}}}}
        schema = {"json": {"schema": {"properties": {"alterations": bounds}}}}
        data = {
            "extends": "radiology.yaml",
            "splits": {"views": {"eval": {"sample": REPORTS, "per": "dataset"},
                                 "readers": {"sample": 3, "per": "dataset"}}},
            "models": {
                "smollm2": {**model, "model": "careless", "title": "Careless"},
                "impression_itself": {
                    **model, "model": "careful", "title": "Careful", "variant": None,
                    "reference": None,
                },
                "judge_smollm2": {**model, "model": "judge", "title": "Judge"},
                "judge_smollm2_warm": {**model, "model": "second", "title": "Second judge"},
            },
            "judges": {
                "main": {
                    "stages": {
                        "facts_original": {"parser": facts},
                        "facts_edited": {"parser": facts},
                        "score": {"parser": schema},
                    },
                    "reveal_edits": True,
                },
                "secondary": {"levels": None},
            },
            "validation": tiny_recipe.UNCHECKED | {"variants": {"on_failure": "stop"}},
        }  # fmt: skip
        file = folder / "recipe.yaml"
        file.write_text(yaml.safe_dump(data), encoding="utf-8")
        result = run_recipe(load_recipe(file), workspace=folder / "w")
        yield result, server.prompts


def tables(result):
    """The rows of each table of the run's report, by its name without the place in the recipe."""
    found = {}
    for path in sorted(Path(result.folder, "tables").glob("*.csv")):
        name = path.stem.partition("-")[2]
        with path.open(encoding="utf-8", newline="") as handle:
            found[name] = list(csv.DictReader(handle))
    return found


def test_every_table_of_the_paper_has_numbers(world):
    result, _ = world
    found = tables(result)
    # Counts stand in every row; what was estimated only where it could be.
    empty = [
        (part, name)
        for part, names in PAPER.items()
        for name in names
        if not any(
            _is_number(row[key]) for row in found.get(name, []) for key in row if key not in COUNTS
        )
    ]
    assert empty == []


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_terms_of_the_models_have_the_degrees_of_freedom_that_their_factors_give(world):
    result, _ = world
    rows = [row for row in tables(result)["gee"] if row["outcome"] == "hallucination"]
    found = {row["term"]: int(row["df"]) for row in rows}
    # Two models, two prompts, five conditions without the control, three datasets.
    assert [found[name] for name in ("model", "prompt", "level", "dataset")] == [1, 1, 4, 2]
    assert sum(df for term, df in found.items() if " x " in term) == 1 + 4 + 2 + 4 + 2 + 8
    assert all(row["clusters"] == str(3 * REPORTS) and row["p"] for row in rows)


def test_each_distinct_question_is_asked_once(world):
    result, prompts = world
    assert max(Counter(prompts).values()) == 1
    variants = list(result.artifacts["perturb"].rows("items_and_variants"))
    about = Counter(
        (
            model,
            "facts" if "List every finding" in text else "score" if "<summary_b>" in text else "",
        )
        for model, text in prompts
    )
    texts = {row["impression"] for row in variants}
    assert about["judge", "facts"] == len(texts)
    assert about["careless", ""] == about["careful", ""] == 2 * len(texts)


def test_the_judge_sees_both_texts_and_the_edits(world):
    result, prompts = world
    texts = {row["item_id"]: row for row in result.artifacts["perturb"].rows("items_and_variants")}
    shown = [text for model, text in prompts if model == "judge" and "<summary_b>" in text]
    for row in list(texts.values())[:60]:
        edits = json.loads(row["edits"])
        if not edits or edits[0]["replacement"] is None:
            continue
        line = f'"{edits[0]["original"]}" -> "{edits[0]["replacement"]}"'
        mine = [text for text in shown if line in text]
        assert mine
    control = [text for text in shown if "<edits>" not in text]
    # Without edits, summary A is summary B.
    for text in control:
        first = text.split("<summary_a>\n")[1].split("\n</summary_a>")[0]
        assert first == text.split("<summary_b>\n")[1].split("\n</summary_b>")[0]
    assert control


def test_hallucination_is_reported_the_other_way_round(world):
    result, _ = world
    artifact = result.artifacts["judge/main/smollm2/concise"]
    raw = {
        row["item_id"]: json.loads(row["parsed"])["hallucination"]
        for row in artifact.rows("judgements")
        if row["stage"] == "score"
    }
    scores = {
        row["item_id"]: row["value"]
        for row in artifact.rows("scores")
        if row["score"] == "hallucination"
    }
    assert set(raw.values()) == {0, 1}
    assert scores == {item: 1 - value for item, value in raw.items()}


def shown(result, item):
    root = result.plan.workspace.root
    found = CliRunner().invoke(
        cli, ["--workspace", str(root), "show", result.folder.name, item, "--json"]
    )
    assert found.exit_code == 0, found.output
    return [json.loads(line) for line in found.output.splitlines()]


def test_an_edited_item_is_shown_with_its_edits_and_what_was_asked(world):
    result, _ = world
    variant = next(iter(result.artifacts["perturb"].rows("variants")))
    lines = shown(result, variant["item_id"])
    edits = [line for line in lines if line["table"] == "edits"]
    assert len(edits) == variant["edits_made"] > 0
    asked = [line for line in lines if line["step"] == "generate/smollm2/concise"]
    assert asked[0]["table"] == "prompt"
    assert variant["impression"] in str(asked[0]["user"])


def test_an_item_is_shown_with_the_variants_that_were_made_of_it(world):
    result, _ = world
    first = next(iter(result.artifacts["perturb"].rows("variants")))
    lines = shown(result, first["original_id"])
    made = {line["item_id"] for line in lines if line["table"] == "variants"}
    assert made == {
        row["item_id"]
        for row in result.artifacts["perturb"].rows("variants")
        if row["original_id"] == first["original_id"]
    }
