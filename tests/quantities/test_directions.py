from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.quantities.direction_support import compare_directions
from toolkit.quantities.directions import find_directions


def stated(text: str) -> list[tuple[str, int, set[str]]]:
    return [
        (text[one.start : one.end], one.sign, set(one.outcome)) for one in find_directions(text)
    ]


@pytest.mark.parametrize(
    ("text", "cue", "sign", "outcome"),
    [
        ("Mortality decreased after the bundle.", "decreased", -1, {"mortality"}),
        ("The bundle lowered mortality.", "lowered", -1, {"mortality"}),
        ("Mortality was not significantly higher.", "not significantly higher", 0, {"mortality"}),
        ("The supplement did not increase strength.", "did not increase", 0, {"strength"}),
        ("It failed to reduce readmission.", "failed to reduce", 0, {"readmission"}),
        ("There was no reduction in pain.", "no reduction", 0, {"pain"}),
        ("There was no difference in pain between groups.", "no difference", 0, {"pain"}),
        ("miR-21 was up-regulated.", "up-regulated", 1, {"mir"}),
        (
            "Coffee was inversely associated with fibrosis.",
            "inversely associated",
            -1,
            {"fibrosis"},
        ),
        ("Lower intake was associated with higher mortality.", "higher", -1, {"mortality"}),
        ("Bleeding was more frequent with aspirin.", "more frequent", 1, {"bleeding"}),
        ("Sleep quality worsened.", "worsened", -1, {"sleep", "quality"}),
        ("Aspirin had increased 5-year survival.", "increased", 1, {"year", "survival"}),
    ],
)
def test_one_statement(text: str, cue: str, sign: int, outcome: set[str]) -> None:
    ((words, found, stems),) = stated(text)
    assert (words, found) == (cue, sign)
    assert stems <= outcome
    assert stems


@pytest.mark.parametrize(
    "text",
    [
        *(
            "We tested whether it reduces pain.",
            "More than 5 rats died.",
            "Surgery of the lower limb.",
        ),
        *("Efforts to reduce mortality are needed.", "Patients with higher values were men."),
        *("Dose reduction was allowed.", "Three or more adenomas were found.", "", "心不全 低下"),
        "Higher or similar values were found.",
    ],
)
def test_no_statement(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize(
    ("output", "input", "agreeing", "changed"),
    [
        ("Pain fell.", "Pain rose.", 0, 1),
        ("Pain fell.", "Pain decreased.", 1, 0),
        ("Pain fell.", "Sleep rose.", 0, 0),
        ("Pain did not fall; pain was reduced.", "Pain decreased.", 1, 0),
        ("Pain was unchanged.", "Pain decreased.", 0, 1),
        # The input says both: nothing can be told.
        ("Pain was unchanged.", "Pain decreased. Later, pain increased.", 0, 0),
        # What may be is no evidence.
        ("Pain fell.", "Pain may be increased.", 0, 0),
        # The same comparison the other way round.
        ("Pain was lower with placebo.", "Pain was higher with aspirin than with placebo.", 1, 0),
        ("Pain was higher with placebo.", "Pain was higher with aspirin than with placebo.", 0, 1),
        ("Ketamine was inferior to placebo.", "Ketamine was superior to placebo.", 0, 1),
        # Of other groups nothing is known.
        ("Pain was higher with steroids.", "Pain was lower with surgery.", 0, 0),
        # Better and less are not on one axis.
        ("Pain improved.", "Pain increased.", 0, 0),
    ],
)
def test_comparisons(output: str, input: str, agreeing: int, changed: int) -> None:
    result = compare_directions(output, input)
    assert (len(result.agreeing), len(result.changed)) == (agreeing, changed)


WORDS = st.lists(
    st.sampled_from(
        [
            "pain",
            "mortality",
            "fell",
            "rose",
            "was",
            "higher",
            "lower",
            "not",
            "no",
            "in",
            "than",
            "patients",
            "increase",
            "reduction",
            "associated",
            "with",
            "and",
            ",",
            ".",
            "(",
            ")",
            "more",
            "frequent",
            "or",
            "difference",
            "between",
            "5",
            "-",
            "year",
            "who",
            "the",
        ]
    ),
    max_size=40,
).map(" ".join)


@given(WORDS)
def test_spans_are_in_order_and_apart(text: str) -> None:
    last = 0
    for one in find_directions(text):
        assert last <= one.start < one.end <= len(text)
        assert one.sign in (-1, 0, 1)
        assert one.outcome
        last = one.end


@given(WORDS)
def test_a_text_never_contradicts_itself(text: str) -> None:
    changed = compare_directions(text, text).changed
    # What is only held possible is no evidence, even of itself; nothing here is.
    assert changed == ()


@pytest.mark.parametrize("unit", ["fell ", "pain ", "( ", "not ", "pain was not higher , "])
def test_long_clauses_cost_no_more_a_word(unit: str) -> None:
    from toolkit.quantities.directions import _MAX_CLAUSE, _clauses
    from toolkit.quantities.lexer import read

    clauses = list(_clauses(read(unit * 3_000)[1]))
    assert all(len(clause) <= _MAX_CLAUSE for clause in clauses)
