from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.corpus.article import Section
from toolkit.corpus.sections import (
    CATEGORIES,
    MAX_LABEL,
    divide,
    fold_label,
    load_vocabulary,
    normalise_text,
    undouble,
)
from toolkit.errors import SourceError

VOCABULARY = load_vocabulary()


def sections(*pairs: tuple[str | None, str] | tuple[str | None, str, str]) -> list[Section]:
    return [
        Section(pair[0], pair[2] if len(pair) > 2 else None, pair[1])  # type: ignore[misc]
        for pair in pairs
    ]


def test_shipped_list_holds_the_papers_21_labels() -> None:
    tails = ["RELEVANCE", "IMPLICATIONS", "IMPORTANCE", "SIGNIFICANCE", "INTERPRETATION"]
    tails += ["CLINICAL RELEVANCE", "CLINICAL IMPORTANCE"]
    expected = {"CONCLUSION", "CONCLUSIONS", "CONCLUSION(S)"}
    expected |= {f"{head} AND {tail}" for head in ("CONCLUSION", "CONCLUSIONS") for tail in tails}
    expected |= {"AUTHORS' CONCLUSION", "AUTHORS' CONCLUSIONS"}
    expected |= {"MAIN CONCLUSION", "MAIN CONCLUSIONS"}
    assert len(expected) == 21
    assert VOCABULARY.conclusions == expected


def test_every_conclusion_label_without_a_tail_is_in_the_table() -> None:
    assert set(VOCABULARY.categories.values()) == set(CATEGORIES)
    assert all(fold_label(label) == label for label in VOCABULARY.categories)


@pytest.mark.parametrize(
    "label",
    [
        "Conclusion",
        " conclusions ",
        "Authors’ conclusions",
        "AUTHORS`  CONCLUSION",
        "CONCLUSION\u2003",
    ],
)
def test_labels_are_compared_folded(label: str) -> None:
    assert VOCABULARY.is_conclusion(label)


@pytest.mark.parametrize("label", [None, "", "CONCLUDING REMARKS", "CONCLUSION:", "RESULTS"])
def test_labels_outside_the_list_are_no_conclusion(label: str | None) -> None:
    assert not VOCABULARY.is_conclusion(label)


@pytest.mark.parametrize(
    ("label", "merged"),
    [
        ("RESULTS AND CONCLUSION", True),
        ("Results and Conclusions", True),
        ("RESULTS/CONCLUSION", True),
        ("RESULTS & CONCLUSIONS", True),
        ("KEY FINDINGS AND CONCLUSIONS", True),
        ("METHODS, RESULTS AND CONCLUSION", True),
        ("CONCLUSION AND IMPLICATIONS OF KEY FINDINGS", False),
        ("DISCUSSION AND CONCLUSION", False),
        ("CONCLUSIONS AND RELEVANCE", False),
        ("CONCLUSION", False),
        ("RESULTS AND DISCUSSION", False),
        (None, False),
    ],
)
def test_merged_labels(label: str | None, merged: bool) -> None:
    assert VOCABULARY.is_merged(label) is merged


def test_a_listed_label_is_never_merged(tmp_path: Path) -> None:
    mine = tmp_path / "labels.txt"
    mine.write_text("# mine\nResults and conclusion\n", encoding="utf-8")
    vocabulary = load_vocabulary(mine)
    assert vocabulary.conclusions == {"RESULTS AND CONCLUSION"}
    assert not vocabulary.is_merged("RESULTS AND CONCLUSION")


@pytest.mark.parametrize("content", [b"", b"# only a comment\n\n", b"CONCLUSI\xd3N\n"])
def test_an_unusable_list_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    mine = tmp_path / "labels.txt"
    mine.write_bytes(content)
    with pytest.raises(SourceError, match=r"labels\.txt"):
        load_vocabulary(mine)
    with pytest.raises(SourceError, match=r"absent\.txt"):
        load_vocabulary(tmp_path / "absent.txt")


def test_label_table_comes_before_nlm_category() -> None:
    assert VOCABULARY.category("Methods", "UNASSIGNED") == "METHODS"
    assert VOCABULARY.category("RESULTS", "METHODS") == "RESULTS"
    assert VOCABULARY.category("EPILOGUE", "CONCLUSIONS") == "CONCLUSIONS"
    assert VOCABULARY.category("EPILOGUE", "UNASSIGNED") is None
    assert VOCABULARY.category(None, None) is None


def test_conclusions_are_taken_wherever_they_stand() -> None:
    division = divide(
        sections(("Aim", "To see."), ("Conclusion", "It works."), ("Funding", "None."))
        + sections(("CONCLUSIONS AND RELEVANCE", "It matters.")),
        VOCABULARY,
    )
    assert division.input == "AIM: To see.\nFUNDING: None."
    assert division.conclusion == "It works. It matters."
    assert division.conclusion_labels == ("CONCLUSION", "CONCLUSIONS AND RELEVANCE")
    assert division.conclusion_sections == 2
    assert not division.leak_risk


def test_first_conclusion_only_leaves_the_second_nowhere() -> None:
    text = sections(("CONCLUSION", "One."), ("RESULTS", "Two."), ("CONCLUSIONS", "Three."))
    division = divide(text, VOCABULARY, conclusions="first")
    assert (division.input, division.conclusion) == ("RESULTS: Two.", "One.")


def test_a_repeated_conclusion_is_joined_once() -> None:
    text = sections(("RESULTS", "Two."), ("CONCLUSIONS", "One."), ("CONCLUSIONS", "One."))
    assert divide(text, VOCABULARY).conclusion == "One."


@pytest.mark.parametrize(
    ("section", "cause"),
    [
        (Section("EPILOGUE", "CONCLUSIONS", "Some text."), "nlm_category"),
        (Section("Discussion", None, "Some text."), "label"),
        (Section("IMPLICATIONS", "UNASSIGNED", "Some text."), "label"),
        (Section("Lay summary", "UNASSIGNED", "Some text."), "label"),
        (Section("KEY POINTS", None, "Some text."), "label"),
        (Section("CONCLUSION FOR PRACTICE", None, "Some text."), "label"),
        (
            Section("EPILOGUE", None, "We say: the drug lowers  blood pressure in mice. Yes."),
            "verbatim",
        ),
        (Section("EPILOGUE", None, "the drug lowers blood pressure in mice."), "verbatim"),
    ],
)
def test_sections_that_restate_conclusions(section: Section, cause: str) -> None:
    text = [
        Section("METHODS", "METHODS", "We tried."),
        Section("CONCLUSION", "CONCLUSIONS", "the drug lowers blood pressure in mice."),
        section,
    ]
    kept = divide(text, VOCABULARY)
    assert kept.leak_risk
    assert kept.leak_labels == (fold_label(section.label or ""),)
    assert kept.leak_causes == (cause,)
    assert fold_label(section.label or "") in kept.input
    dropped = divide(text, VOCABULARY, leak_risk="drop")
    assert dropped.input == "METHODS: We tried."
    assert not dropped.leak_risk
    assert dropped.leak_labels == kept.leak_labels


def test_one_of_two_joined_conclusions_standing_elsewhere_is_a_leak() -> None:
    text = sections(
        ("RESULTS", "Dose and effect went together in every group."),
        ("CONCLUSION", "Dose and effect went together in every group."),
        ("CONCLUSIONS", "More is better."),
    )
    assert divide(text, VOCABULARY).leak_causes == ("verbatim",)


def test_short_repeats_are_no_leak() -> None:
    text = sections(("RESULTS", "See text."), ("CONCLUSION", "See text."))
    assert not divide(text, VOCABULARY).leak_risk


def test_a_label_as_long_as_a_title_leaves_the_input() -> None:
    long = "RESULTADOS " * 10
    text = sections(("RESULTS", "Two."), ("CONCLUSION", "One."), (long, "CONCLUSIONES: Uno."))
    division = divide(text, VOCABULARY)
    assert len(long) > MAX_LABEL
    assert division.input == "RESULTS: Two."
    assert division.malformed == 1


def test_colons_are_not_doubled_and_empty_sections_say_nothing() -> None:
    text = sections(("Aim:", "To see."), ("LEVEL OF EVIDENCE", " "), ("CONCLUSION", "One."))
    assert divide(text, VOCABULARY).input == "AIM: To see."


def test_doubled_abstract_keeps_one_half() -> None:
    half = sections(("AIM", "To  see."), ("CONCLUSION", "One."))
    again = sections(("Aim", "To see."), ("CONCLUSION", "One."))
    assert undouble(half + again) == tuple(half)
    other = sections(("AIM", "To see."), ("CONCLUSION", "Two."))
    assert undouble(half + other) == tuple(half + other)
    assert undouble([]) == ()
    assert undouble(half[:1]) == tuple(half[:1])


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("10^6 cells", "10^6 cells"),
        ("2½ hours", "2 1⁄2 hours"),
        ("Sjögren´s", "Sjögren's"),
        ("5\u00a0µg\u2009/\u2009l", "5 μg / l"),
        ("ﬁve", "five"),
        ("a \n b", "a b"),
    ],
)
def test_normal_form_fuses_and_splits_no_word(raw: str, text: str) -> None:
    assert normalise_text(raw) == text


@given(st.text())
def test_normal_form_is_nfkc_and_stable(text: str) -> None:
    once = normalise_text(text)
    assert unicodedata.is_normalized("NFKC", once)
    assert normalise_text(once) == once


LABELS = st.sampled_from(
    ["AIM", "RESULTS", "Conclusion", "CONCLUSIONS", "DISCUSSION", None, "IMPACT"]
)


@given(st.lists(st.tuples(LABELS, st.text("ab c.", max_size=50)), max_size=6))
def test_every_text_goes_to_one_side(pairs: list[tuple[str | None, str]]) -> None:
    division = divide([Section(label, None, text) for label, text in pairs], VOCABULARY)
    for label, text in pairs:
        if text.strip():
            side = division.conclusion if VOCABULARY.is_conclusion(label) else division.input
            assert normalise_text(text) in side
    assert "CONCLUSION:" not in division.input
