from __future__ import annotations

from typing import Any

import pytest

from toolkit.corpus.article import Article, Section
from toolkit.corpus.rules import RULES, RecordRules, Verdict, Where, apply_rules
from toolkit.corpus.sections import load_vocabulary

VOCABULARY = load_vocabulary()
AIM = Section("AIM", "OBJECTIVE", "To see whether it works.")
RESULTS = Section("RESULTS", "RESULTS", "It did in 10^6 cells.")
CONCLUSION = Section("Conclusion", "UNASSIGNED", "It works.")
GOOD = [AIM, RESULTS, CONCLUSION]


def article(sections: list[Section], **values: Any) -> Article:
    fields: dict[str, Any] = dict.fromkeys(Article._fields)
    fields |= {"item_id": "1", "version": 1, "languages": ["eng"], "year": 2020}
    fields |= {"title": "A title", "journal": "A journal", "retracted": False}
    return Article(**{**fields, "sections": sections, **values})


def judge(record: Article, *, where: dict[str, Any] | None = None, **rules: Any) -> Verdict:
    return apply_rules(record, RecordRules(Where(**(where or {})), VOCABULARY, **rules))


def test_a_good_record_is_kept() -> None:
    verdict = judge(article(GOOD))
    assert verdict.reason == ""
    assert verdict.notes == ()
    assert verdict.division is not None
    assert verdict.division.input == "AIM: To see whether it works.\nRESULTS: It did in 10^6 cells."
    assert verdict.division.conclusion == "It works."


EMPTY = Section("RESULTS", "RESULTS", "")
LOOSE = Section(None, None, "Loose words.")
MERGED = Section("Results and conclusions", "CONCLUSIONS", "It works, we found.")


@pytest.mark.parametrize(
    ("sections", "values", "settings", "reason", "detail"),
    [
        ([], {}, {}, "no_abstract", ""),
        ([EMPTY], {}, {}, "no_abstract", ""),
        ([LOOSE], {}, {}, "not_structured", ""),
        ([Section(" : ", None, "Words.")], {}, {}, "not_structured", ""),
        ([*GOOD, LOOSE], {}, {}, "unlabelled_section", "1 of 4 sections"),
        (GOOD, {"year": 1999}, {"where": {"years": (2000, 2025)}}, "year", "1999"),
        (GOOD, {"year": 2026}, {"where": {"years": (2000, 2025)}}, "year", "2026"),
        (GOOD, {"year": None}, {"where": {"years": (2000, 2025)}}, "year", "no year"),
        (GOOD, {"languages": ["ger"]}, {"where": {"language": "eng"}}, "language", "ger"),
        (GOOD, {"languages": []}, {"where": {"language": "eng"}}, "language", "no language"),
        (
            GOOD,
            {"languages": ["eng", "spa"]},
            {"where": {"language": "eng", "language_match": "only"}},
            "language",
            "eng, spa",
        ),
        ([AIM, EMPTY, CONCLUSION], {}, {}, "min_sections", "2 sections"),
        ([AIM, RESULTS, MERGED], {}, {}, "merged_conclusion_label", "Results and conclusions"),
        ([*GOOD, MERGED], {}, {}, "merged_conclusion_label", "Results and conclusions"),
        ([AIM, RESULTS, Section("DISCUSSION", None, "So.")], {}, {}, "no_conclusion", ""),
        (
            [AIM, RESULTS, Section("Conclusios", None, "So.")],
            {},
            {},
            "no_conclusion",
            "nearest label: Conclusios",
        ),
        (
            [AIM, RESULTS, LOOSE._replace(label="X"), CONCLUSION._replace(text=" ")],
            {},
            {},
            "empty_conclusion",
            "",
        ),
        ([CONCLUSION], {}, {"where": {"min_sections": 1}}, "empty_input", ""),
        (
            [CONCLUSION, Section("DISCUSSION", None, "So it is.")],
            {},
            {"where": {"min_sections": 1}, "leak_risk": "drop"},
            "empty_input",
            "DISCUSSION",
        ),
        (GOOD, {"title": None, "year": None}, {}, "missing_field", "title, year"),
        (GOOD, {"journal": ""}, {}, "missing_field", "journal"),
        (GOOD, {"retracted": True}, {"retracted": "reject"}, "retracted", ""),
        (
            [*GOOD, Section("IMPACT", None, "So.")],
            {},
            {"leak_risk": "reject"},
            "leak_risk",
            "IMPACT",
        ),
        (GOOD + GOOD[:2], {}, {"where": {"min_sections": 6}}, "min_sections", "5 sections"),
        (GOOD + GOOD, {}, {"where": {"min_sections": 4}}, "min_sections", "3 sections"),
    ],
)
def test_each_rule_names_itself(
    sections: list[Section],
    values: dict[str, Any],
    settings: dict[str, Any],
    reason: str,
    detail: str,
) -> None:
    verdict = judge(article(sections, **values), **settings)
    assert (verdict.reason, verdict.detail) == (reason, detail)
    assert reason in RULES


def test_rules_that_are_not_asked_reject_nothing() -> None:
    loose = article([*GOOD, LOOSE], languages=["spa"], year=1950, retracted=True)
    verdict = judge(loose, where={"all_labelled": False})
    assert verdict.reason == ""
    assert verdict.division is not None
    assert verdict.division.input.endswith("\nLoose words.")
    assert judge(article(GOOD, languages=["spa", "eng"]), where={"language": "eng"}).reason == ""


def test_notes_are_counted_by_name() -> None:
    sections = [
        *GOOD,
        Section("CONCLUSIONS", None, "It really works."),
        Section("CONCLUSIOS", None, "Misspelt."),
        Section("TOMORROW", "CONCLUSIONS", "More of it."),
        Section("T" * 90, None, "Todo otra vez."),
    ]
    assert judge(article(sections, retracted=True)).notes == (
        "label:CONCLUSIOS",
        "leak_label",
        "leak_nlm_category",
        "leak_sections",
        "retracted_kept",
        "several_conclusions",
        "malformed_label_removed",
    )
    assert judge(article(GOOD + GOOD)).notes == ("doubled_abstract",)
    assert judge(article([AIM, RESULTS, MERGED])).notes == ("label:RESULTS AND CONCLUSIONS",)
