"""Tables and figures by category, journal, distribution and length, in one real run."""

import pyarrow.parquet as pq
import pytest
import tiny_recipe

from toolkit.execute import run_recipe
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe

COUNT, ASKED = 48, 24
ANALYSES = [
    {"means": {"resamples": 200, "cluster": "journal"}},
    {"distribution": {"column": "year"}},
    {"distribution": {"column": "categories", "top": 2, "of": "asked"}},
    {"correlation": {"with": "sjr", "scores": ["rouge1", "rougeL"], "level": "journal"}},
    {"category_ranking": {"by": "rouge1", "minimum": 3, "top": 2, "bottom": 1}},
    {
        "category_radar": {
            "by": "rouge1", "axes": ["rouge1", "rouge2", "rougeL"], "minimum": 3, "top": 1,
            "bottom": 1,
        }
    },
    {"model_table": {"columns": ["group", "cutoff", "served"]}},
    {"text_statistics": {"columns": ["input", "conclusion"], "by": "topic"}},
    {"score_by_count": {"scores": ["rouge1"], "count": "sentences", "minimum": 3}},
    {"score_table": {"rows": "both", "resamples": 200, "cluster": "journal"}},
]  # fmt: skip


def items():
    found = tiny_recipe.rows(COUNT)
    for n, row in enumerate(found):
        row |= {
            "year": 2000 + n % 8,
            "journal": f"J{n % 9}",
            "sjr": None if n % 9 == 4 else 0.1 * (1 + n % 9),
            "categories": [["Surgery"], ["Surgery", "Oncology"], ["Ethics (miscellaneous)"]][n % 3],
        }
        row["conclusion"] += " More is needed." * (n % 2)
    return found


def recipe(**changes):
    return tiny_recipe.unchecked(
        splits={"sizes": {"train": COUNT - ASKED, "test": ASKED}},
        models={
            "first": {"provider": "baseline", "variant": "first_sentence", "group": "rules"},
            "other": {"provider": "baseline", "variant": "random_conclusion"},
            "reference": {"provider": "baseline", "variant": "reference"},
        },
        generate={"split": "test", "models": ["first", "other", "reference"]},
        metrics=["rouge"],
        analyses=ANALYSES,
        **changes,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    file = tiny_recipe.write(folder / "recipe", recipe(), items())
    run_recipe(load_recipe(file), workspace=folder / "workspace")
    return folder, file


def tables(run, number):
    """Tables of an analysis by name, and the names of its figures, from its artifact on disk."""
    folder, file = run
    plan = make_plan(load_recipe(file), workspace=folder / "workspace")
    (step,) = [step for step in plan.steps if step.name.startswith(f"analyse/{number:02d}-")]
    place = folder / "workspace" / "artifacts" / "analyse" / step.fingerprint[:32]
    found = {
        path.name.removesuffix("-00000.parquet"): pq.read_table(path).to_pylist()
        for path in sorted(place.glob("*.parquet"))
    }
    return found, sorted(path.name.removesuffix("-00000.svg") for path in place.glob("*.svg"))


def test_a_distribution_is_of_the_whole_corpus_unless_asked_otherwise(run):
    found, figures = tables(run, 1)
    assert found["distribution_year"][0]["n_items"] == COUNT
    assert sum(row["n"] for row in found["distribution_year_counts"]) == COUNT
    assert figures == ["distribution_year"]
    found, _ = tables(run, 2)
    rows = found["distribution_categories"]
    assert rows[0]["value"] == "Surgery"
    assert rows[0]["n"] <= ASKED
    assert rows[0]["share"] == rows[0]["n"] / ASKED


def test_scores_against_journals_and_categories(run):
    found, figures = tables(run, 3)
    assert {row["method"] for row in found["correlation_sjr"]} == {"pearson", "spearman"}
    # J4 has no rank; of the others each has an item among those asked about.
    assert {row["n"] for row in found["correlation_sjr"]} == {8}
    assert figures == ["correlation_sjr"]
    found, figures = tables(run, 4)
    ranked = found["category_ranking"]
    assert {row["category"] for row in ranked} == {"Surgery", "Oncology", "Ethics"}
    means = [row["mean"] for row in ranked]
    assert means == sorted(means, reverse=True)
    assert figures == ["category_ranking"]
    found, figures = tables(run, 5)
    own = [row["scaled"] for row in found["category_radar"] if row["score"] == "rouge1"]
    assert own == [1.0, 0.0]
    assert figures == ["category_radar_rouge1"]


def test_models_lengths_and_counts(run):
    found, figures = tables(run, 6)
    assert [(row["model"], row["group"], row["n"]) for row in found["model_table"]] == [
        ("first", "rules", ASKED),
        ("other", None, ASKED),
        ("reference", None, ASKED),
    ]
    assert figures == []
    found, _ = tables(run, 7)
    (rows,) = found.values()
    assert {row["n"] for row in rows if row["group"] == "all items"} == {ASKED}
    found, figures = tables(run, 8)
    assert {row["model"] for row in found["score_by_count_trend"]} == {
        "first",
        "other",
        "reference",
    }
    assert {(row["from"], row["to"]) for row in found["score_by_count"]} == {(2, 2), (3, 3)}
    assert figures == ["score_by_count"]


def test_the_score_table_prints_the_leaderboards_numbers(run):
    folder, _ = run
    found, figures = tables(run, 9)
    lines = pq.read_table(next((folder / "workspace" / "runs").glob("*/leaderboard.parquet")))
    lines = lines.to_pylist()
    rows = {row["model"]: row for row in found["score_table"]}
    assert figures == ["score_table"]
    assert len(lines) == 9
    for line in lines:
        row, score = rows[line["model"]], line["score"]
        assert row[score] == line["mean"]
        assert (row[f"{score}_low"], row[f"{score}_high"]) == (line["ci_low"], line["ci_high"])
        assert row[f"{score}_rank"] == line["rank"]


def test_only_readers_of_the_corpus_wait_for_it(tmp_path):
    changed = recipe() | {"validation": {"corpus": {"on_failure": "quarantine"}}}
    file = tiny_recipe.write(tmp_path / "recipe", changed, items())
    plan = make_plan(load_recipe(file), workspace=tmp_path / "w")
    whole, asked = plan.step("analyse/01-distribution"), plan.step("analyse/02-distribution")
    assert {"corpus", "validate/corpus"} <= set(whole.inputs)
    assert whole.options["tables"] == [("corpus", "items")]
    assert "corpus" not in asked.inputs
    assert asked.options["tables"] == [("splits", "items_test")]
    assert len(whole.inputs) == len(set(whole.inputs))
