"""The quickstart's corpus is what its README and the recipe promise."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from lxml import etree
from sample_reading import (
    CONCLUSION,
    FILES,
    SAMPLE,
    articles,
    by_pmid,
    check_digit,
    conclusions,
    dois,
    fold,
    issns_of_articles,
    kept,
    languages,
    pmid,
    sections,
    trees,
)

FIRST_PMID, LAST_PMID = 990_000_001, 990_000_063
COPYRIGHT = "Invented for the toolkit's quickstart; Apache-2.0."


@pytest.mark.parametrize("name", FILES)
def test_a_leading_comment_says_that_the_file_is_invented(name: str) -> None:
    head = (SAMPLE / name).read_text(encoding="utf-8").split("<!DOCTYPE")[0]
    assert head.startswith('<?xml version="1.0" encoding="utf-8"?>\n<!--')
    assert "INVENTED DATA" in head
    assert "Apache-2.0" in head


def test_files_have_the_shape_of_pubmed() -> None:
    assert [tree.getroot().tag for tree in trees()] == ["PubmedArticleSet"] * 2
    assert [len(articles(0)), len(articles(1))] == [55, 8]
    assert [Counter(e.tag for e in t.getroot())["PubmedBookArticle"] for t in trees()] == [1, 0]
    assert trees()[0].find("DeleteCitation") is None
    assert trees()[1].getroot()[-1].tag == "DeleteCitation"


def test_identifiers_cannot_be_real() -> None:
    numbers = [int(e.text) for tree in trees() for e in tree.iter("PMID")]
    assert min(numbers) == FIRST_PMID
    assert max(numbers) == LAST_PMID
    assert all(doi.startswith("10.5555/invented.") for a in articles() for doi in dois(a))
    ids = {e.text for tree in trees() for e in tree.iter("NlmUniqueID")}
    assert all(re.fullmatch(r"INV\d{6}", e) for e in ids)
    assert len(ids) == 14


def test_journals_call_themselves_invented() -> None:
    titles = {e.text for tree in trees() for e in tree.iter("Title")}
    assert len(titles) == 14
    assert all(re.search(r"\b(Invented|Imaginary|fictional)\b", t, re.IGNORECASE) for t in titles)


def test_issns_are_right_and_far_from_those_in_use() -> None:
    issns = issns_of_articles()
    assert len(issns) >= 14
    for issn in issns:
        assert re.fullmatch(r"9990-\d{3}[\dX]", issn)
        assert issn[-1] == check_digit(issn)
    assert any(issn.endswith("X") for issn in issns)


def test_no_person_is_named() -> None:
    assert not [e for tree in trees() for e in tree.iter("Author", "Investigator")]


@pytest.mark.parametrize("article", articles(), ids=pmid)
def test_abstracts_are_short(article: etree._Element) -> None:
    texts = [text for _, _, text in sections(article)]
    if not texts:
        assert pmid(article) == "990000028"
        return
    assert 90 <= len(" ".join(texts).split()) <= 150


@pytest.mark.parametrize("article", kept().values(), ids=pmid)
def test_a_kept_conclusion_is_one_or_two_sentences(article: etree._Element) -> None:
    conclusion = " ".join(conclusions(article))
    assert 15 <= len(conclusion.split()) <= 45
    assert 1 <= len(re.findall(r"[.](?=\s|$)", conclusion)) <= 2


@pytest.mark.parametrize("article", kept().values(), ids=pmid)
def test_results_hold_numbers_unless_the_study_is_qualitative(article: etree._Element) -> None:
    text = " ".join(text for _, _, text in sections(article))
    assert len(re.findall(r"\d+(?:\.\d+)?", text)) >= (2 if pmid(article) == "990000007" else 6)


def test_studies_differ_from_one_another() -> None:
    shingles = {key: _shingles(article) for key, article in kept().items()}
    keys = sorted(shingles)
    close = {
        (a, b): len(shingles[a] & shingles[b]) / len(shingles[a] | shingles[b])
        for i, a in enumerate(keys)
        for b in keys[i + 1 :]
    }
    pair = ("990000052", "990000053")
    assert 0.85 < close.pop(pair) < 1
    assert max(close.values()) < 0.02


def _shingles(article: etree._Element) -> set[tuple[str, ...]]:
    words = " ".join(text for _, _, text in sections(article)).lower().split()
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


def test_titles_are_unique_among_kept_articles() -> None:
    titles = ["".join(a.find(".//ArticleTitle").itertext()).lower() for a in kept().values()]
    assert len(set(titles)) == len(titles)


def test_copyright_is_given_in_its_own_element() -> None:
    notices = [e.text for tree in trees() for e in tree.iter("CopyrightInformation")]
    assert len(notices) >= 10
    assert set(notices) == {COPYRIGHT}


def test_enough_articles_remain_for_exact_splits() -> None:
    assert len(kept()) == 54  # 30 + 7 + 15, and two to spare for groups


def test_kept_articles_cover_every_journal_and_the_years() -> None:
    found = kept().values()
    assert len({a.findtext(".//NlmUniqueID") for a in found}) == 14
    years = [int(re.search(r"\d{4}", "".join(a.find(".//PubDate").itertext()))[0]) for a in found]
    assert (min(years), max(years)) == (2012, 2025)
    assert len(set(years)) == 14


@pytest.mark.parametrize(
    ("key", "last_label"),
    [
        ("990000056", "RESULTS AND CONCLUSIONS"),
        ("990000057", None),
        ("990000059", "CONCLUSION"),
        ("990000061", "CONCLUSIONS FOR PRACTICE"),
    ],
)
def test_rejected_articles_fail_by_their_sections(key: str, last_label: str | None) -> None:
    assert key not in kept()
    assert sections(by_pmid()[key])[-1][0] == last_label
    assert languages(by_pmid()[key]) == ["eng"]


def test_languages() -> None:
    counts = Counter(tuple(languages(a)) for a in by_pmid().values())
    assert counts == {("eng",): 60, ("spa", "eng"): 1, ("ger",): 1}
    german = by_pmid()["990000058"]
    assert german.findtext(".//ArticleTitle").startswith("[")
    assert german.findtext(".//VernacularTitle")
    other = by_pmid()["990000040"].find("MedlineCitation/OtherAbstract")
    assert other.get("Language") == "spa"


def test_one_record_is_revised_by_the_second_file() -> None:
    both = {pmid(a) for a in articles(0)} & {pmid(a) for a in articles(1)}
    assert both == {"990000045"}
    old, new = ({pmid(a): a for a in articles(i)}["990000045"] for i in (0, 1))
    assert sections(old) != sections(new)
    assert _revised(old) < _revised(new)


def _revised(article: etree._Element) -> list[int]:
    return [int(e.text) for e in article.find("MedlineCitation/DateRevised")]


def test_one_record_is_deleted_by_the_second_file() -> None:
    deleted = [e.text for e in trees()[1].iterfind("DeleteCitation/PMID")]
    assert deleted == ["990000062"]
    assert deleted[0] in {pmid(a) for a in articles(0)}


def test_one_doi_stands_in_two_records() -> None:
    owners = Counter(doi for a in by_pmid().values() for doi in dois(a))
    assert [n for n in owners.values() if n > 1] == [2]
    assert dois(by_pmid()["990000037"]) == dois(by_pmid()["990000060"])


def test_retraction_and_erratum() -> None:
    types = {key: [e.text for e in a.iter("PublicationType")] for key, a in by_pmid().items()}
    assert [k for k, t in types.items() if "Retracted Publication" in t] == ["990000004"]
    assert [k for k, t in types.items() if "Published Erratum" in t] == ["990000028"]
    links = {
        (pmid(a), c.get("RefType"), c.findtext("PMID"))
        for a in articles()
        for c in a.iter("CommentsCorrections")
    }
    assert ("990000027", "ErratumIn", "990000028") in links
    assert ("990000028", "ErratumFor", "990000027") in links
    assert ("990000004", "RetractionIn", None) in links


def test_three_kept_articles_restate_their_conclusion() -> None:
    restating = {"IMPLICATIONS FOR PRACTICE", "DISCUSSION", "LAY SUMMARY"}
    found = {
        key: [fold(label) for label, _, _ in sections(a) if fold(label) in restating]
        for key, a in kept().items()
    }
    assert {key for key, labels in found.items() if labels} == {
        "990000008",
        "990000018",
        "990000036",
    }
    others = [
        key
        for key, a in kept().items()
        for label, category, _ in sections(a)
        if category == "CONCLUSIONS" and not CONCLUSION.fullmatch(fold(label))
    ]
    assert others == ["990000008"]
