"""Records of a run say what the run's own leaderboard says, and how it came about."""

import json
import shutil

import judged_run
import numpy as np
import pytest
import tiny_recipe
import yaml

from tests.faults.runs import run_here
from tests.readers import study_world
from toolkit.diff.finished_run import open_run
from toolkit.errors import UserError
from toolkit.results.board import build_board
from toolkit.results.from_run import FEWEST, results_of_run
from toolkit.results.record_json import read_result, result_json
from toolkit.results.store import ResultStore
from toolkit.stages.release import LONE_SPLIT
from toolkit.store.workspace import Workspace

ABOUT = {"date": "2026-05-01", "tier": "re-generated", "submitter": "org"}


@pytest.fixture(scope="module")
def results(run):
    return results_of_run(run, **ABOUT)


@pytest.fixture(scope="module")
def vendor(results):
    return next(pair for pair in results if pair[0].model.name == "vendor")


def test_every_number_of_the_leaderboard_is_in_a_record(run, results):
    finished = open_run(Workspace(run.parent.parent), run.name)
    rows = list(finished.artifact("leaderboard").rows("leaderboard"))
    found = {
        (result.model.name, result.prompt, score.score): score
        for result, _ in results
        for score in result.scores
    }
    assert set(found) == {(row["model"], row["prompt"], row["score"]) for row in rows}
    for row in rows:
        score = found[row["model"], row["prompt"], row["score"]]
        assert (score.value, score.low, score.high) == (row["mean"], row["ci_low"], row["ci_high"])
        assert (score.n, score.missing) == (row["n"], row["n_missing"])
        assert (score.reason, score.signature) == (row["reason"], row["signature"])
        assert (score.interval.startswith("95 % bootstrap")) == (row["ci_low"] is not None)


def test_means_of_the_item_scores_are_the_means_of_the_record(results):
    for result, items in results:
        assert result.items == len(items.items) == judged_run.ITEMS
        for score in result.scores:
            values = items.column(score.score)
            known = values[np.isfinite(values)]
            assert len(known) == score.n
            assert known.mean() == pytest.approx(score.value, abs=1e-12)


def test_clusters_are_digests_that_items_of_a_topic_share(results, run):
    finished = open_run(Workspace(run.parent.parent), run.name)
    topics = finished.clusters()
    for _, items in results:
        shared = {}
        for item, cluster in zip(items.items, items.clusters, strict=True):
            shared.setdefault(cluster, set()).add(topics[item])
        assert sorted(map(sorted, shared.values())) == [["a"], ["b"], ["c"]]
        assert not set(shared) & set("abc")


def test_the_judge_and_the_panel_are_configured_as_in_the_recipe(vendor):
    result, _ = vendor
    assert set(result.judges) == {"primary", "second", "jury"}
    judge = result.judges["second"]
    assert (judge.type, judge.model) == ("llm", "grader-1")
    assert judge.sampling["temperature"] == 0.0
    assert [len(digest) for digest in judge.prompts.values()] == [64]
    assert result.score("similarity").judges == ("primary",)
    assert set(result.score("jury.similarity").judges) == {"jury", "primary", "second"}
    assert result.score("rouge1").judges == ()
    assert result.score("similarity").missing > 0


def test_who_answered_and_how_is_told_and_no_address(vendor):
    result, _ = vendor
    assert result.model.hub_id == judged_run.HUB_ID
    assert (result.model.title, result.model.access, result.model.scale) == (
        "Vendor 7B", "open weights", "7B",
    )  # fmt: skip
    assert result.model.revision.startswith("sha256:")
    assert list(result.prompts) == ["file"]
    assert (result.dataset, result.config, result.split) == ("org/tiny", "default", "test")
    assert result.statuses == {"ok": judged_run.ITEMS}
    text = result_json(result)
    for secret in ("127.0.0.1", "http", "/tmp", str(result.model.name) + ".jsonl"):
        assert secret not in text.replace("https://", "")
    assert read_result(text, "here") == result


def test_records_of_a_run_are_the_same_each_time_and_can_be_ranked(run, results, tmp_path):
    again = results_of_run(run, **ABOUT)
    assert [one.record_id for one, _ in again] == [one.record_id for one, _ in results]
    store = ResultStore(tmp_path)
    for result, items in results:
        assert store.add(result, items) == result
    table = build_board(store).tables[0]
    assert table.groups == (("test", "A"),)
    names = [e.result.model.name for e in table.entries if e.number.score == "rouge1"]
    assert sorted(names) == ["first", "vendor"]


def test_another_model_in_the_recipe_leaves_a_record_as_it_is(tmp_path, scheduler):
    data = judged_run.recipe(
        "http://127.0.0.1:9/v1", judges={}, splits=None, publish=None, version="1.0"
    )
    data["models"] = {"first": data["models"]["first"]}
    data["generate"] = {"split": "all", "models": ["first"]}
    one = results_of_run(judged_run.make(tmp_path, data, scheduler), **ABOUT)
    data["models"]["more"] = {"provider": "baseline", "variant": "random_conclusion"}
    data["generate"]["models"].append("more")
    two = results_of_run(judged_run.make(tmp_path, data, scheduler), **ABOUT)
    assert {result.split for result, _ in two} == {LONE_SPLIT}
    assert len(two) == len(one) + 1 == 2
    assert {result.record_id for result, _ in one} < {result.record_id for result, _ in two}


@pytest.fixture
def altered(run, tmp_path):
    """Return a function that gives the run with its recipe and its steps changed."""

    def change(recipe=None, step="", **params):
        folder = tmp_path / "w" / "runs" / run.name
        shutil.copytree(run, folder)
        (tmp_path / "w" / "artifacts").symlink_to(run.parent.parent / "artifacts")
        data = json.loads((folder / "run.json").read_text())
        if step:
            data["steps"][step]["params"] |= params
        (folder / "run.json").write_text(json.dumps(data))
        kept = yaml.safe_load((folder / "recipe.yaml").read_text())
        (folder / "recipe.yaml").write_text(yaml.safe_dump({**kept, **(recipe or {})}))
        return folder

    return change


def test_of_credentialed_data_no_mean_over_three_topics_leaves(altered, run):
    corpus = {**judged_run.recipe("")["corpus"], "access": "credentialed"}
    open_data = {(r.model.name, r.prompt): r for r, _ in results_of_run(run, **ABOUT)}
    for result, items in results_of_run(altered({"corpus": corpus}), **ABOUT):
        assert items is None
        assert "credentialed" in result.withheld
        assert result.items_sha256 == ""
        assert "row-" not in result_json(result)
        plain = open_data[result.model.name, result.prompt]
        assert any(score.n >= FEWEST for score in plain.scores)
        for score in result.scores:
            assert (score.value, score.low, score.high) == (None, None, None)
            if plain.score(score.score).value is not None:
                assert f"fewer than {FEWEST} independent items" in score.reason


@pytest.mark.parametrize(("originals", "leaves"), [(2, False), (FEWEST, True)])
def test_variants_of_one_original_are_one_of_those_a_mean_needs(
    tmp_path, scheduler, originals, leaves
):
    recipe = study_world.data(
        version="1.0",
        corpus=study_world.data()["corpus"] | {"input": "impression"},
        perturb={
            "column": "impression",
            "dictionary": "dictionary.csv",
            "substitution": {"levels": {name: [1, 1] for name in ("S1", "S2", "S3")}},
            "removal": {"levels": {"R1": 1, "R2": 1}},
        },
        splits=None,
        prompts=None,
        human=None,
        models={
            "copy": {"provider": "baseline", "variant": "reference", "reference": "impression"}
        },
        generate={"split": "all", "over": ["items", "variants"], "models": ["copy"]},
    )
    rows = study_world.items(originals)
    file = tiny_recipe.write(tmp_path, recipe, rows)
    (tmp_path / "dictionary.csv").write_text(study_world.DICTIONARY, encoding="utf-8")
    folder = run_here(file, tmp_path / "w", scheduler).folder
    ((result, items),) = results_of_run(folder, **ABOUT)
    score = result.score("word_ratio")
    assert items is None
    assert score.n == 6 * originals >= FEWEST
    assert score.value == (1.0 if leaves else None)
    assert (f"fewer than {FEWEST} independent items" in score.reason) != leaves


@pytest.mark.parametrize(
    ("recipe", "step", "params", "said"),
    [
        (None, "generate/vendor/A", {"limit": 3}, "some of the items"),
        (None, "leaderboard", {"means": {"by": ["model"]}}, "pools the prompts"),
        ({"version": ""}, "", {}, "no version"),
    ],
)
def test_a_run_that_is_not_about_the_whole_benchmark_gives_no_record(
    altered, recipe, step, params, said
):
    with pytest.raises(UserError, match=said):
        results_of_run(altered(recipe, step, **params), **ABOUT)


def test_what_is_said_of_a_run_is_checked(run):
    with pytest.raises(UserError, match="is no tier"):
        results_of_run(run, **{**ABOUT, "tier": "best"})
    with pytest.raises(UserError, match="is no day"):
        results_of_run(run, **{**ABOUT, "date": "2026-02-30"})
