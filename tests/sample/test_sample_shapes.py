"""The quickstart's corpus holds the shapes that real records come in."""

from __future__ import annotations

import re
from collections import Counter

from lxml import etree
from sample_reading import (
    CONCLUSION,
    FILES,
    SAMPLE,
    articles,
    by_pmid,
    conclusions,
    fold,
    kept,
    sections,
    trees,
)


def test_conclusions_stand_under_many_labels() -> None:
    labels = {
        label
        for a in kept().values()
        for label, _, _ in sections(a)
        if CONCLUSION.fullmatch(fold(label))
    }
    assert len({fold(label) for label in labels}) >= 16
    assert {"Authors’ Conclusion", "AUTHORS' CONCLUSIONS", "CONCLUSION(S)", "Conclusion"} <= labels
    assert {"CONCLUSIONS AND RELEVANCE", "MAIN CONCLUSIONS"} <= labels


def test_opening_labels_and_categories_vary() -> None:
    opening = {fold(sections(a)[0][0]) for a in kept().values()}
    assert {"BACKGROUND", "AIM", "AIMS", "IMPORTANCE", "OBJECTIVE", "PURPOSE"} <= opening
    categories = Counter(category for a in kept().values() for _, category, _ in sections(a))
    assert categories[None] >= 3
    assert categories["UNASSIGNED"] >= 3
    bare = [
        category
        for a in kept().values()
        for label, category, _ in sections(a)
        if CONCLUSION.fullmatch(fold(label)) and category != "CONCLUSIONS"
    ]
    assert sorted(bare, key=str) == [None, "UNASSIGNED"]


def test_conclusions_that_are_several_or_not_last() -> None:
    several = [key for key, a in kept().items() if len(conclusions(a)) > 1]
    assert several == ["990000048"]
    last = {key: fold(sections(a)[-1][0]) for key, a in kept().items()}
    assert last["990000002"] == "TRIAL REGISTRATION"
    assert {k for k, label in last.items() if not CONCLUSION.fullmatch(label)} == {
        "990000002",
        "990000008",
        "990000036",
    }


def test_dates_have_many_shapes() -> None:
    shapes = Counter(_date_shape(a) for a in articles())
    assert shapes["Year"] >= 1
    assert shapes["Year Month"] >= 10
    assert shapes["Year Month Day"] >= 10
    assert shapes["Year Season"] >= 8
    assert shapes["MedlineDate"] >= 4
    seasons = {e.text for tree in trees() for e in tree.iter("Season")}
    assert seasons == {"Spring", "Summer", "Autumn", "Fall", "Winter"}
    months = {e.text for a in articles() for e in a.iterfind(".//PubDate/Month")}
    assert {"01", "Mar"} <= months
    free = {e.text for tree in trees() for e in tree.iter("MedlineDate")}
    assert {"2016 Nov-Dec", "2014-2015", "2018 Dec 28-2019 Jan 10", "2021 3rd Quarter"} == free


def _date_shape(article: etree._Element) -> str:
    date = article.find("MedlineCitation/Article/Journal/JournalIssue/PubDate")
    return " ".join(e.tag for e in date)


def test_one_article_appeared_online_in_the_year_before() -> None:
    article = by_pmid()["990000037"]
    assert article.findtext(".//PubDate/Year") == "2022"
    assert article.findtext(".//ArticleDate/Year") == "2021"


def test_inline_markup() -> None:
    raw = "".join((SAMPLE / name).read_text(encoding="utf-8") for name in FILES)
    assert "10<sup>6</sup>" in raw
    assert "10<sup>&#8722;11</sup>" in raw
    assert "CO<sub>2</sub>" in raw
    assert "<i>vlm<sup>R118H</sup></i>" in raw
    assert "<b><i>qzrA<sup>G42D</sup></i></b>" in raw
    assert "&lt; .001" in raw
    texts = [e for a in kept().values() for e in a.iter("AbstractText")]
    math = "{http://www.w3.org/1998/Math/MathML}math"
    assert len({t.getparent() for t in texts if t.find(f".//{math}") is not None}) == 1
    assert sum("\N{NO-BREAK SPACE}" in "".join(t.itertext()) for t in texts) >= 20
    assert sum(a.find(".//ArticleTitle/i") is not None for a in kept().values()) >= 3


def test_dois_stand_in_one_place_or_two() -> None:
    places = Counter(
        (
            a.find("PubmedData/ArticleIdList/ArticleId[@IdType='doi']") is not None,
            a.find("MedlineCitation/Article/ELocationID[@EIdType='doi']") is not None,
        )
        for a in articles()
    )
    assert set(places) == {(True, False), (False, True), (True, True)}
    cited = [e.text for tree in trees() for e in tree.iterfind(".//ReferenceList//ArticleId")]
    assert cited == ["10.5555/invented.reference.1"]


def test_readme_names_only_records_that_exist() -> None:
    text = (SAMPLE / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"9900000\d\d", text))
    known = {e.text for tree in trees() for e in tree.iter("PMID")}
    assert len(named) >= 18
    assert named <= known
    lengths = [
        len(" ".join(t for _, _, t in sections(a)).split()) for a in articles() if sections(a)
    ]
    assert f"{min(lengths)} to {max(lengths)} words" in text
    assert f"{len(articles())} article records" in text
    assert f"{len(kept())} articles come out" in text
