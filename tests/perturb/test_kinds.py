"""What holds for every kind of edit, whatever the text."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.perturb.base import Edit, Edited, Unedited, applied, edited, undone
from toolkit.perturb.kinds import EDITS, REWRITES, edit

KINDS = [*EDITS, *REWRITES]
EXAMPLES = Path(__file__).parents[3] / "shared" / "goldens" / "medconclusion_examples.jsonl"

PIECES = [
    "CONCLUSION: ", "In conclusion, ", "In patients with asthma, ", "Although costs rose, ",
    "metformin ", "reduced ", "did not improve ", "may be ", "suggests that ", "12.5% ",
    "5 mg/dL ", "p < 0.001 ", "(95% CI 1.2-3.4) ", "was ", "an increase ", "no differences ",
    "were ", "HIGHER ", "for six months. ", "safe and effective ", "1,234 ", "0·05 ", "µg", "\n",
    "COVID-19 ", ", ", ". ", "A than B; ", "warfarin was better than heparin. ",
    "The rate was 3, and the cost was low. ",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=14).map("".join)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=120, deadline=None)
@given(text=TEXTS, seed=st.integers(0, 99))
def test_a_text_is_changed_and_its_edits_give_it_back_or_the_reason_is_said(kind, text, seed):
    found = edit(text, kind, seed=seed, name="x")
    if isinstance(found, Unedited):
        assert found.reason
        return
    assert found.text != text
    assert undone(found.text, found.edits) == text
    assert applied(text, found.edits) == found.text
    assert {one.kind for one in found.edits} == {kind}
    for one in found.edits:
        assert text[one.start : one.end] == one.old != one.new


@given(text=st.text(min_size=1, max_size=60), data=st.data())
def test_any_replacements_are_undone(text, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    new = [data.draw(st.text(max_size=5)) for _ in spans]
    made = edited("any", text, [(*span, word) for span, word in zip(spans, new, strict=True)])
    assert undone(made.text, reversed(made.edits)) == text
    parts, at = [], 0
    for (start, end), word in zip(spans, new, strict=True):
        parts += [text[at:start], word]
        at = end
    assert made.text == "".join(parts) + text[at:]


def test_edits_that_overlap_or_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="does not fit"):
        applied("abcd", [Edit("k", 0, 2, "ab", "x"), Edit("k", 1, 3, "bc", "y")])
    with pytest.raises(ValueError, match="does not fit"):
        undone("abcd", [Edit("k", 0, 1, "a", "z")])


def test_an_edit_depends_on_seed_kind_and_name_alone():
    text = "Risk fell by 10, 20, 30, 40, 50, 60 and 70 points in women with asthma or stroke."
    made = {name: edit(text, "number", seed=1, name=name) for name in "abcdefgh"}
    state = random.getstate()
    assert {name: edit(text, "number", seed=1, name=name) for name in reversed("abcdefgh")} == made
    assert random.getstate() == state
    assert len({found.text for found in made.values()}) > 3
    assert edit(text, "number", seed=2, name="a") != made["a"]


# Letters change places or case: what is written stays what it was, but for the spelling of units.
@given(text=TEXTS, seed=st.integers(0, 20))
def test_rewrites_of_order_and_case_keep_every_word(text, seed):
    for kind in ("case", "clause_order"):
        found = edit(text, kind, seed=seed, name="x")
        if isinstance(found, Edited):

            def words(given):
                return sorted(re.findall(r"[^\s.,!]+", given.upper()))

            assert words(found.text) == words(text)


def test_printed_conclusions_are_edited_grammatically():
    if not EXAMPLES.exists():
        pytest.skip("../shared is not here: the ten printed conclusions are not tried")
    texts = [json.loads(line)["reference"] for line in EXAMPLES.read_text().splitlines()]
    changed = {
        kind: [e for t in texts if isinstance(e := edit(t, kind, seed=1, name=t[:9]), Edited)]
        for kind in KINDS
    }
    assert len(changed["negation"]) >= 8
    assert len(changed["hedge"]) >= 8
    assert len(changed["removal"]) == 6
    for found in changed["negation"]:
        assert not re.search(r"\bnot not\b|\bdo(?:es)? not \w+(?:ed|es)\b", found.text)
    for found in [*changed["direction"], *changed["entity"]]:
        assert not re.search(r"\b[Aa] [aeio]\w|\b[Aa]n [bcdfgjklmpqrstvwxz]", found.text)
