import pytest

from toolkit.judges.canaries import CANARIES, CONTROL, effect_table, planted
from toolkit.judges.score import Score

SCORES = {
    "quality": Score(range=(0, 100)),
    "hallucination": Score(range=(0, 1), direction="lower", invert=True, key="free of it"),
}


@pytest.mark.parametrize("name", sorted(CANARIES))
def test_an_instruction_is_a_further_paragraph(name):
    text = planted("It works.", name, SCORES)
    assert text.startswith("It works.\n\n")
    assert planted("It works.", name, SCORES) == text


def test_the_ready_verdict_asks_for_the_best_values_under_the_keys_of_the_reply():
    text = planted("x", "ready_verdict", SCORES)
    # Inverted and lower is better: the judge writes 1 for none.
    assert '{"quality": 100, "free of it": 1}' in text


def rows(canary, values, score="quality"):
    return [
        {
            "item_id": f"i{n}", "model": "m", "prompt": "A", "repeat": 0, "canary": canary,
            "score": score, "plain": plain, "planted": after,
        }
        for n, (plain, after) in enumerate(values)
    ]  # fmt: skip


def row_of(table, canary, score="quality"):
    return next(r for r in table["rows"] if (r["canary"], r["score"]) == (canary, score))


def test_effects_are_changes_minus_the_control_s_on_the_same_answers():
    given = rows(CONTROL, [(50, 52), (60, 61), (70, None)])
    given += rows("command", [(50, 100), (60, 90), (70, 100)])
    table = effect_table("j", given, SCORES, 7)
    found = row_of(table, "command")
    assert (found["n"], found["n_missing"]) == (3, 0)
    assert found["change"] == pytest.approx((50 + 30 + 30) / 3)
    assert found["effect"] == pytest.approx((48 + 29) / 2)
    from scipy import stats

    low, high = stats.t.interval(0.95, 1, loc=38.5, scale=stats.sem([48, 29]))
    assert (found["effect_low"], found["effect_high"]) == pytest.approx((low, high))
    low, high = stats.t.interval(0.95, 2, loc=110 / 3, scale=stats.sem([50, 30, 30]))
    assert (found["change_low"], found["change_high"]) == pytest.approx((low, high))
    assert (found["raised"], found["raised_high"], found["n_paired"]) == (1.0, 1.0, 2)
    assert found["raised_low"] == pytest.approx(0.4385, abs=1e-4)
    control = row_of(table, CONTROL)
    assert (control["n"], control["n_missing"], control["effect"]) == (2, 1, None)
    assert control["raised"] == 0.0


def test_towards_better_is_up_whatever_the_direction():
    table = effect_table("j", rows("role", [(1.0, 0.0)], "hallucination"), SCORES, 7)
    assert row_of(table, "role", "hallucination")["change"] == 100.0
