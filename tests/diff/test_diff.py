"""Two runs side by side: what made them differ, and what the same items say of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
import tiny_recipe
from scipy import stats

from tests.readers import study_world
from toolkit.cli.diff import diff_json, diff_lines
from toolkit.diff.finished_run import open_run
from toolkit.diff.inputs import input_changes, recipe_changes, step_changes
from toolkit.diff.numbers import number_changes
from toolkit.errors import StoreError
from toolkit.execute import run_recipe
from toolkit.recipe.load import load_recipe
from toolkit.store.workspace import Workspace


def run(folder, workspace, **changes):
    file = tiny_recipe.write(folder, tiny_recipe.unchecked(**changes), changes.pop("table", None))
    result = run_recipe(load_recipe(file), workspace=workspace)
    return open_run(Workspace(workspace), result.folder.name)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The same recipe, then with another first model, then with another way to count words."""
    folder = tmp_path_factory.mktemp("diff")
    plain = tiny_recipe.data()
    models = plain["models"] | {"first": {"provider": "baseline", "variant": "central_sentence"}}
    return {
        "plain": run(folder, folder / "w"),
        "model": run(folder, folder / "w", models=models),
        "metric": run(
            folder, folder / "w", metrics=["rouge", {"word_ratio": {"profile": "paper"}}]
        ),
        "folder": folder,
    }


def test_a_run_does_not_differ_from_itself(runs):
    plain = runs["plain"]
    assert recipe_changes(plain, plain) == []
    assert input_changes(plain, plain) == []
    assert step_changes(plain, plain) == []
    changes = number_changes(plain, plain, 0)
    assert changes
    assert {change.reason for change in changes} == {"the same values"}
    assert "  8 numbers are the same on every item that both runs have" in list(
        diff_lines(plain, plain)
    )


def test_the_step_whose_own_parameters_differ_explains_the_others(runs):
    changes = step_changes(runs["plain"], runs["model"])
    own = [change for change in changes if change.kind == "own"]
    assert [change.step for change in own] == ["generate/first"]
    followers = {change.step for change in changes if change.kind == "inputs"}
    assert {"score/rouge/first", "leaderboard", "report"} <= followers
    assert "score/rouge/other" not in followers
    first = next(change for change in changes if change.step == "score/rouge/first")
    assert first.because == ("generate/first",)
    recipe = recipe_changes(runs["plain"], runs["model"])
    assert [(one.path, one.before, one.after) for one in recipe] == [
        ("models.first.variant", "first_sentence", "central_sentence")
    ]


def test_differences_are_those_of_the_same_items(runs):
    before, after = runs["plain"], runs["model"]
    changes = {(c.score, c.model): c for c in number_changes(before, after, 0)}
    assert all(
        change.reason == "the same values" for k, change in changes.items() if k[1] == "other"
    )
    values = []
    for one in (before, after):
        rows = [row for table in one.scores() for row in table.to_pylist()]
        values.append(
            {
                r["item_id"]: r["value"]
                for r in rows
                if (r["score"], r["model"]) == ("rouge1", "first")
            }
        )
    differences = np.array([values[1][item] - values[0][item] for item in sorted(values[0])])
    change = changes["rouge1", "first"]
    assert change.n == len(differences) == 6
    assert change.difference == pytest.approx(differences.mean())
    assert change.difference == pytest.approx(change.after - change.before)
    assert change.moved == int((differences != 0).sum()) > 0
    # Six items have 64 signs: scipy goes through all of them.
    exact = stats.permutation_test(
        (differences,), lambda x, axis: x.mean(axis=axis), permutation_type="samples",
        n_resamples=np.inf, vectorized=True,
    )  # fmt: skip
    assert change.p == pytest.approx(float(exact.pvalue))
    assert change.low <= change.difference <= change.high
    tested = sorted(c.p for c in changes.values() if c.p is not None)
    assert min(c.p_holm for c in changes.values() if c.p_holm is not None) == pytest.approx(
        min(1.0, tested[0] * len(tested))
    )


def test_items_of_a_table_without_the_cluster_stand_alone(tmp_path):
    data = study_world.data(splits=None, human=None)
    result = run_recipe(load_recipe(study_world.write(tmp_path, data)), workspace=tmp_path / "w")
    found = open_run(Workspace(tmp_path / "w"), result.folder.name)
    variants = found.clusters()
    assert variants["r01:TS_L1"] == variants["r01"] == "r01"
    # One entry over variants, in whose table the column stands, and one over the items.
    steps = {name: dict(step) for name, step in found.steps.items()}
    over = steps["generate/one/concise"]
    over["params"] = over["params"] | {"table": "variants"}
    steps["generate/two/concise"] |= {
        "params": over["params"] | {"table": "items"}, "inputs": {"corpus": ""},
    }  # fmt: skip
    mixed = replace(found, data={**found.data, "steps": steps}).clusters()
    assert mixed == {item: name for item, name in variants.items() if ":" in item}


def test_items_of_a_cluster_move_together(runs, tmp_path):
    table = tiny_recipe.rows(24)
    changed = {
        "models": tiny_recipe.data()["models"]
        | {"first": {"provider": "baseline", "variant": "central_sentence"}}
    }
    both = []
    for more in ({}, changed):
        data = tiny_recipe.unchecked(
            splits={"sizes": {"test": 24}},
            analyses=[{"means": {"resamples": 200, "cluster": "topic"}}],
            **more,
        )
        result = run_recipe(
            load_recipe(tiny_recipe.write(tmp_path, data, table)), workspace=tmp_path
        )
        both.append(open_run(Workspace(tmp_path), result.folder.name))
    (change,) = (c for c in number_changes(*both, 0) if (c.score, c.model) == ("rouge1", "first"))
    assert (change.n, change.clusters) == (24, 3)
    topics = {row["key"]: row["topic"] for row in table}
    sums = dict.fromkeys("abc", 0.0)
    for sign, one in zip((-1, 1), both, strict=True):
        for part in one.scores():
            for row in part.to_pylist():
                if (row["score"], row["model"]) == ("rouge1", "first"):
                    sums[topics[row["item_id"]]] += sign * row["value"]
    # Three clusters have eight arrangements of signs.
    exact = stats.permutation_test(
        (np.array(list(sums.values())),), lambda x, axis: x.mean(axis=axis),
        permutation_type="samples", n_resamples=np.inf, vectorized=True,
    )  # fmt: skip
    assert change.p == pytest.approx(float(exact.pvalue))
    assert change.p >= 0.25
    assert "on 24 items of both runs in 3 clusters" in "\n".join(diff_lines(*both))
    assert {c.clusters for c in number_changes(runs["plain"], runs["model"], 0)} == {6}


def test_another_scorer_is_named(runs):
    changes = number_changes(runs["plain"], runs["metric"], 0)
    changed = {change.score for change in changes if change.scorer}
    assert changed == {"word_ratio"}
    text = "\n".join(diff_lines(runs["plain"], runs["metric"]))
    assert "another scorer: word_ratio|" in text
    assert 'metrics[1]: "word_ratio" -> {"word_ratio": {"profile": "paper"}}' in text


def test_items_and_numbers_of_one_run_only(runs, tmp_path):
    table = tiny_recipe.rows(24)[12:]
    other = run(tmp_path, tmp_path / "w", metrics=["rouge", "bleu"])
    file = tiny_recipe.write(tmp_path, tiny_recipe.unchecked(name="else"), table)
    elsewhere = run_recipe(load_recipe(file), workspace=tmp_path / "w")
    third = open_run(Workspace(tmp_path / "w"), elsewhere.folder.name)
    by_score = {(c.score, c.model): c for c in number_changes(runs["plain"], other, 0)}
    assert by_score["bleu", "first"].reason == "only in the second run"
    assert by_score["word_ratio", "first"].reason == "only in the first run"
    apart = number_changes(runs["plain"], third, 0)
    assert {change.reason for change in apart} == {"no item has a value in both runs"}
    text = "\n".join(diff_lines(runs["plain"], third))
    assert "(n 6) -> " in text
    assert "corpus" in text


def test_as_json_and_by_path(runs):
    plain, model = runs["plain"], runs["model"]
    data = json.loads(diff_json(plain, model))
    assert data["recipe"][0]["path"] == "models.first.variant"
    assert {"score", "p", "p_holm", "low", "high", "n"} <= set(data["numbers"][0])
    path = runs["folder"] / "w" / "runs" / plain.name
    assert open_run(Workspace(runs["folder"] / "elsewhere"), str(path)).name == plain.name


def test_a_run_without_a_leaderboard_is_refused(tmp_path):
    file = tiny_recipe.write(tmp_path, tiny_recipe.unchecked())
    result = run_recipe(load_recipe(file), workspace=tmp_path / "w", until="generate")
    one = open_run(Workspace(tmp_path / "w"), result.folder.name)
    with pytest.raises(StoreError, match="no finished step 'leaderboard'"):
        number_changes(one, one, 0)
    with pytest.raises(StoreError, match="no run called 'nothing'"):
        open_run(Workspace(tmp_path / "w"), "nothing")
