"""From score rows to the leaderboard table."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.analyses.base import Analysis, AnalysisInputs
from toolkit.analyses.means import Means, MeansParams
from toolkit.errors import UserError
from toolkit.metrics.base import ScoreDefinition
from toolkit.records import arrow_schema, to_arrow
from toolkit.registry import member
from toolkit.statistics.bootstrap import generator, mean_interval

F1 = ScoreDefinition(name="f1", title="F1")
RATIO = ScoreDefinition(name="ratio", title="Ratio", high=None, direction="target", target=1.0)
LENGTH = ScoreDefinition(name="length", title="Length", high=None, direction="none")


def row(item, model, value, *, score="f1", prompt="A", repeat=0, metric="overlap", reason=""):
    return {
        "item_id": str(item),
        "model": model,
        "prompt": prompt,
        "repeat": repeat,
        "metric": metric,
        "score": score,
        "value": value,
        "reason": reason if value is None else "",
    }


def lines(values, model="m", **more):
    return [row(index, model, value, **more) for index, value in enumerate(values)]


def run(rows, *, params=None, definitions=(F1, RATIO, LENGTH), shards=None, **more):
    tables = shards if shards is not None else [to_arrow("scores", rows)]
    inputs = AnalysisInputs(scores=iter(tables), definitions=definitions, **({"seed": 42} | more))
    return Means(params or MeansParams()).run(inputs)


def one(rows, **more):
    (only,) = run(rows, **more).to_pylist()
    return only


def test_the_registry_names_it_and_it_is_an_analysis() -> None:
    assert isinstance(member("analyses", "means")(MeansParams()), Analysis)


def test_mean_n_and_missing_are_all_told() -> None:
    values = [1.0] * 8 + [None, None]
    got = one(lines(values, reason="error"), definitions=(F1,))
    assert (got["mean"], got["n"], got["n_missing"]) == (1.0, 8, 2)
    assert got["n_clusters"] == 8


def test_the_table_has_the_declared_columns() -> None:
    assert run(lines([0.1, 0.2])).schema == arrow_schema("leaderboard")


def test_the_interval_is_the_bootstraps_under_the_numbers_own_generator() -> None:
    values = np.random.default_rng(1).random(20)
    got = one(lines(values.tolist()), params=MeansParams(method="percentile", resamples=500))
    order = np.array(sorted(range(20), key=str))
    want = mean_interval(
        values[order],
        np.ones(20, dtype=np.int64),
        generator(42, "m", "A", "f1"),
        resamples=500,
        confidence=0.95,
        method="percentile",
    )
    assert (got["ci_low"], got["ci_high"]) == (want.low, want.high)
    assert got["reason"] == ""


def test_no_value_at_all_is_null_with_the_reasons_and_no_rank() -> None:
    rows = lines([None, None, None], reason="refused")
    rows += [row(9, "m", None, reason="error"), row(10, "n", 0.5), row(11, "n", 0.6)]
    nothing, other = run(rows).to_pylist()
    assert (nothing["mean"], nothing["ci_low"], nothing["ci_high"]) == (None, None, None)
    assert (nothing["n"], nothing["n_missing"], nothing["rank"]) == (0, 4, None)
    assert nothing["reason"] == "no row has a value: refused (3), error (1)"
    assert other["rank"] == 1


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_no_number_is_missing_not_averaged(value: float) -> None:
    got = one(lines([0.25, 0.75, value]))
    assert (got["mean"], got["n"], got["n_missing"]) == (0.5, 2, 1)


def test_one_item_has_a_mean_and_no_interval() -> None:
    got = one(lines([0.4]))
    assert (got["mean"], got["ci_low"], got["ci_high"]) == (0.4, None, None)
    assert got["reason"] == "one item: nothing to resample"


def test_repeats_of_an_item_are_resampled_together() -> None:
    rows = [row(item, "m", 1.0 - item, repeat=repeat) for item in (0, 1) for repeat in range(4)]
    got = one(rows, params=MeansParams(method="percentile"))
    assert (got["n"], got["n_clusters"], got["mean"]) == (8, 2, 0.5)
    assert (got["ci_low"], got["ci_high"]) == (0.0, 1.0)


def test_none_right_of_twenty_is_not_certainty() -> None:
    got = one(lines([0.0] * 20))
    assert got["ci_low"] == 0.0
    assert got["ci_high"] == pytest.approx(0.1611, abs=1e-4)
    assert "no variation" in got["reason"]


@pytest.mark.parametrize("score", ["ratio", "f1"])
def test_a_constant_reference_has_no_interval(score: str) -> None:
    got = one(lines([1.0] * 20, score=score), kinds={"m": "reference"})
    assert (got["mean"], got["ci_low"], got["rank"]) == (1.0, None, None)
    assert "no variation" in got["reason"]


def test_ranks_leave_the_reference_out_and_share_ties() -> None:
    rows = [
        *lines([1.0, 0.9], "reference"),
        *lines([0.5, 0.3], "a"),
        *lines([0.3, 0.5], "b"),
        *lines([0.1, 0.2], "c"),
    ]
    got = {r["model"]: r["rank"] for r in run(rows, kinds={"reference": "reference"}).to_pylist()}
    assert got == {"reference": None, "a": 1, "b": 1, "c": 3}


def test_a_score_is_ranked_by_its_own_direction() -> None:
    rows = [
        *lines([0.5, 0.6], "short", score="ratio"),
        *lines([1.2, 1.3], "near", score="ratio"),
        *lines([10, 20], "near", score="length"),
    ]
    got = {(r["model"], r["score"]): r["rank"] for r in run(rows).to_pylist()}
    assert got == {("near", "ratio"): 1, ("short", "ratio"): 2, ("near", "length"): None}


def test_another_model_changes_no_interval() -> None:
    first = run(lines([0.1, 0.4, 0.2, 0.9], "a")).to_pylist()[0]
    both = run(lines([0.1, 0.4, 0.2, 0.9], "a") + lines([0.3, 0.4], "b")).to_pylist()
    ranks = dict.fromkeys(("rank", "rank_low", "rank_high"))
    assert both[0] | ranks == first | ranks


def test_the_seed_changes_the_interval_and_not_the_mean() -> None:
    rows = lines(np.random.default_rng(1).random(30).tolist())
    one_, two = one(rows, seed=1), one(rows, seed=2)
    assert one_["mean"] == two["mean"]
    assert one_["ci_low"] != two["ci_low"]


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_order_and_shards_do_not_matter(random, parts: int) -> None:
    rows = [
        row(item, model, ((item * 7 + len(model)) % 10) / 7 if item != 3 else None, reason="error")
        for item in range(12)
        for model in ("a", "bb")
    ] + [row(item, "a", item / 3, repeat=1) for item in range(5)]
    want = run(rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    shards = [to_arrow("scores", shuffled[part::parts]) for part in range(parts)]
    assert run([], shards=shards).equals(want)


def clusters(**journals):
    names = list(journals.items())
    return pa.table(
        {"item_id": [i for i, _ in names], "journal": pa.array([j for _, j in names], pa.string())}
    )


def test_clusters_are_resampled_whole() -> None:
    rows = [row(item, "m", value) for item, value in zip("abcd", (1.0, 1.0, 0.0, 0.0), strict=True)]
    items = [clusters(a="X", b="X", c="Y"), clusters(d="Y")]
    params = MeansParams(cluster="journal", method="percentile")
    got = one(rows, params=params, items=items)
    assert (got["n"], got["n_clusters"]) == (4, 2)
    assert (got["ci_low"], got["ci_high"]) == (0.0, 1.0)


def test_an_item_without_a_cluster_is_its_own() -> None:
    rows = [row(item, "m", value) for item, value in zip("abc", (1.0, 0.5, 0.0), strict=True)]
    items = [clusters(a="b", b=None, c=None)]
    got = one(rows, params=MeansParams(cluster="journal"), items=items)
    assert got["n_clusters"] == 3


def test_one_cluster_has_no_interval() -> None:
    rows = [row(item, "m", value) for item, value in zip("ab", (1.0, 0.0), strict=True)]
    got = one(rows, params=MeansParams(cluster="journal"), items=[clusters(a="X", b="X")])
    assert (got["ci_low"], got["reason"]) == (None, "one journal: nothing to resample")


def test_prompts_are_pooled_when_asked_and_stay_clustered_by_item() -> None:
    rows = lines([0.0, 1.0], prompt="A") + lines([0.5, 0.5], prompt="B")
    got = one(rows, params=MeansParams(by=("model",)))
    assert (got["prompt"], got["n"], got["n_clusters"], got["mean"]) == ("", 4, 2, 0.5)


def test_intervals_can_be_left_out() -> None:
    got = one(lines([0.1, 0.9]), params=MeansParams(ci="none"))
    assert (got["mean"], got["ci_low"], got["reason"]) == (0.5, None, "no intervals asked for")


def test_the_signature_names_all_that_the_number_depends_on() -> None:
    got = one(lines([0.1, 0.9, 0.3]), signatures={"f1": "overlap|version:1"})
    assert got["signature"] == (
        "overlap|version:1|n:3|ci:bootstrap-expanded|level:0.95|resamples:2000|cluster:item|seed:42"
    )


def test_no_rows_make_an_empty_leaderboard() -> None:
    assert run([]).num_rows == 0


@pytest.mark.parametrize(
    ("rows", "more", "match"),
    [
        (lines([0.1], score="mystery"), {}, "no definition.*mystery"),
        (lines([0.1]) + lines([0.1], "n", metric="other"), {}, "'other' and 'overlap'"),
        (
            lines([0.1]),
            {"params": MeansParams(cluster="journal"), "items": [clusters(a="X")]},
            "not in the items table.*'0'",
        ),
        (
            lines([0.1]),
            {"params": MeansParams(cluster="year"), "items": [clusters(a="X")]},
            "no column 'year'",
        ),
        ([row(1, None, 0.1)], {}, "have no model"),
    ],
)
def test_faults_of_the_tables_are_named(rows, more, match) -> None:
    with pytest.raises(UserError, match=match) as caught:
        run(rows, **more)
    assert caught.value.hint


@pytest.mark.parametrize(
    "params",
    [{"by": ("prompt",)}, {"by": ("model", "model")}, {"confidence": 1.0}, {"resamples": 10}],
)
def test_parameters_out_of_range_are_refused(params) -> None:
    with pytest.raises(UserError, match="means"):
        MeansParams(**params)


def test_the_fingerprint_holds_every_parameter() -> None:
    base = Means(MeansParams()).fingerprint()
    changes = [
        {"by": ("model",)},
        {"ci": "none"},
        {"method": "bca"},
        {"resamples": 500},
        {"confidence": 0.9},
        {"cluster": "journal"},
    ]
    assert all(Means(MeansParams(**change)).fingerprint() != base for change in changes)
    assert Means(MeansParams(by=("prompt", "model"))).fingerprint() == base


def noisy(model, level, seed, n=40, **more):
    return lines(np.random.default_rng(seed).normal(level, 0.05, n).clip(0, 1), model, **more)


def ranges(rows, **more):
    got = run(rows, **more).to_pylist()
    return {r["model"]: (r["rank"], r["rank_low"], r["rank_high"]) for r in got}


def test_ranks_are_ranges_that_only_clear_differences_narrow() -> None:
    rows = noisy("far", 0.8, 1) + noisy("near", 0.3, 2) + noisy("nearer", 0.3, 3)
    got = ranges(rows)
    assert got["far"] == (1, 1, 1)
    assert {got["near"][1:], got["nearer"][1:]} == {(2, 3)}


def test_a_lower_is_better_score_turns_the_ranges_round() -> None:
    lower = ScoreDefinition(name="f1", title="F1", direction="lower")
    got = ranges(noisy("far", 0.8, 1) + noisy("near", 0.3, 2), definitions=(lower,))
    assert got == {"far": (2, 2, 2), "near": (1, 1, 1)}


def test_a_target_score_ranges_by_distance_from_the_target() -> None:
    rows = noisy("half", 0.5, 1, score="ratio") + noisy("almost", 0.9, 2, score="ratio")
    rows += lines([0.0] * 40, "silent", score="ratio")
    assert ranges(rows) == {"almost": (1, 1, 1), "half": (2, 2, 2), "silent": (3, 3, 3)}


def test_what_is_not_ranked_has_no_range() -> None:
    rows = noisy("a", 0.5, 1) + noisy("truth", 0.9, 2) + noisy("a", 0.5, 3, score="length")
    got = {
        (r["model"], r["score"]): (r["rank_low"], r["rank_high"])
        for r in run(rows, kinds={"truth": "reference"}).to_pylist()
    }
    assert got == {("a", "f1"): (1, 1), ("truth", "f1"): (None, None), ("a", "length"): (None,) * 2}


def test_a_model_with_one_item_has_no_range_and_widens_the_others() -> None:
    rows = noisy("far", 0.8, 1) + noisy("near", 0.3, 2) + lines([0.1], "one")
    assert ranges(rows) == {"far": (1, 1, 2), "near": (2, 2, 3), "one": (3, None, None)}


def test_without_intervals_there_are_no_ranges() -> None:
    rows = noisy("far", 0.8, 1) + noisy("near", 0.3, 2)
    assert ranges(rows, params=MeansParams(ci="none"))["far"] == (1, None, None)


def test_clusters_widen_the_ranges() -> None:
    # Within a journal all items agree: 2 journals show less than 40 items do.
    rows = [row(i, "a", 0.6 - 0.1 * (i % 2)) for i in range(40)]
    rows += [row(i, "b", 0.5 - 0.1 * (i % 2 == 0) - 0.01 * (i % 3)) for i in range(40)]
    items = [clusters(**{str(i): "XY"[i % 2] for i in range(40)})]
    assert ranges(rows)["a"] == (1, 1, 1)
    assert ranges(rows, params=MeansParams(cluster="journal"), items=items)["a"] == (1, 1, 2)
