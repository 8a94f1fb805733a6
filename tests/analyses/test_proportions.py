"""How often a score reaches a value."""

import pytest
from statsmodels.stats.proportion import proportion_confint

from tests.analyses.run_analysis import definition, run, values
from toolkit.errors import UserError


def rows(params=None, scores=None, **more):
    scores = scores or {"right": values({"a": [1] * 253 + [0] * 647, "b": [0] * 900})}
    return run("proportions", params or {}, scores, **more)["proportions"].rows


def test_wilson_of_each_model_and_prompt() -> None:
    first, second = rows()
    assert (first["share_low"], first["share_high"]) == pytest.approx(
        (0.252720, 0.311363), abs=1e-6
    )
    want = proportion_confint(253, 900, method="wilson")
    assert (first["share_low"], first["share_high"]) == pytest.approx(want)
    assert (first["n"], first["reached"], second["share"], second["share_low"]) == (900, 253, 0, 0)
    assert second["share_high"] > 0


def test_none_of_sixty_six() -> None:
    (row,) = rows(scores={"right": values({"a": [0] * 66})})
    assert (row["share_low"], row["share_high"]) == (0, pytest.approx(0.055003, abs=5e-7))


def test_values_from_a_bound_on_count_and_missing_ones_do_not() -> None:
    scores = {"f1": values({"a": [0.2, 0.5, 0.9, None]})}
    (row,) = rows({"at_least": 0.5}, scores)
    assert (row["n"], row["reached"], row["at_least"]) == (3, 2, 0.5)


def test_cells_by_columns_of_the_items() -> None:
    items = [{"item_id": f"i{at:04d}", "level": "L1" if at < 300 else "L2"} for at in range(900)]
    found = rows({"by": ("model", "level")}, items=items)
    assert [(row["model"], row["level"], row["reached"]) for row in found] == [
        ("a", "L1", 253), ("a", "L2", 0), ("b", "L1", 0), ("b", "L2", 0),
    ]  # fmt: skip


def test_answers_of_one_item_are_a_cluster() -> None:
    first = [1, 0] * 20
    both = values({"a": first, "b": first})
    (pooled,) = rows({"by": ("prompt",)}, {"right": both})
    (alone,) = rows({"by": ("prompt",)}, {"right": values({"a": first})})
    assert (pooled["n"], pooled["clusters"]) == (80, 40)
    # The second model repeats the first: nothing is gained.
    assert pooled["share_high"] - pooled["share_low"] >= alone["share_high"] - alone["share_low"]


def test_a_score_without_a_highest_value_needs_a_bound() -> None:
    open_ = definition("ratio", high=None)
    scores = {"ratio": values({"a": [0.5, 1.5]})}
    assert rows({}, scores, definitions=[open_]) == []
    with pytest.raises(UserError, match="no highest value") as caught:
        rows({"scores": ("ratio",)}, scores, definitions=[open_])
    assert "at_least" in caught.value.hint
    assert rows({"at_least": 1.0}, scores, definitions=[open_])[0]["reached"] == 1


def test_references_do_not_compete_and_order_does_not_matter() -> None:
    assert [row["model"] for row in rows(kinds={"a": "reference"})] == ["b"]
    assert rows(order=-1) == rows()
