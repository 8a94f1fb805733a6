from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from toolkit.readers.cases import Candidate, draw_cases

LEVELS, MODELS, PROMPTS = ("L1", "L2", "L3"), ("m", "n"), ("p", "q")


def full(items, levels=LEVELS, models=MODELS, prompts=PROMPTS, repeats=1):
    return [
        Candidate(f"i{n:03d}", f"i{n:03d}:{level}", level, model, prompt, repeat)
        for n in range(items)
        for level in levels
        for model in models
        for prompt in prompts
        for repeat in range(repeats)
    ]


def spread(names):
    counts = Counter(names).values()
    return max(counts) - min(counts)


def test_levels_are_alike_and_models_are_alike_within_each():
    drawn = draw_cases(full(105, levels=[f"L{n}" for n in range(5)]), 105, seed=3)
    assert len({one.original for one in drawn}) == 105
    assert Counter(one.level for one in drawn) == dict.fromkeys([f"L{n}" for n in range(5)], 21)
    for level in ("L0", "L4"):
        mine = [one for one in drawn if one.level == level]
        assert spread(one.model for one in mine) == 1
        assert max(Counter((one.model, one.prompt) for one in mine).values()) <= 6
    assert spread(one.model for one in drawn) == 1
    # Readers do not meet the levels one after the other.
    assert [one.level for one in drawn] != sorted(one.level for one in drawn)


def test_items_come_again_only_when_all_were_shown_and_no_answer_twice():
    drawn = draw_cases(full(4, models=("m",), prompts=("p",)), 10, seed=1)
    assert sorted(Counter(one.original for one in drawn).values()) == [2, 2, 3, 3]
    assert len(set(drawn)) == 10
    assert spread(one.level for one in drawn) <= 1
    everything = full(2, repeats=2)
    assert sorted(draw_cases(everything, 99, seed=1)) == sorted(everything)


@given(
    kept=st.sets(st.integers(0, 47), min_size=1),
    cases=st.integers(1, 6),
    seed=st.integers(0, 9),
    data=st.data(),
)
def test_a_draw_depends_on_the_candidates_alone(kept, cases, seed, data):
    offered = full(4)
    some = [offered[at] for at in sorted(kept)]
    drawn = draw_cases(some, cases, seed=seed)
    assert draw_cases(data.draw(st.permutations(some)), cases, seed=seed) == drawn
    assert set(drawn) <= set(some)
    assert len(drawn) == len(set(drawn)) == min(cases, len(some))
    uses = Counter(one.original for one in drawn)
    offers = Counter(one.original for one in some)
    # Whoever was used less often than another had nothing left.
    assert all(
        uses[item] >= max(uses.values()) - 1 or uses[item] == offers[item] for item in offers
    )
