"""Read the quickstart's sample, and apply the recipe's rules to it, written anew.

Nothing of the toolkit's corpus modules is used, so that the sample checks them.
"""

from __future__ import annotations

import re
from functools import cache

from lxml import etree

from toolkit.data import data_dir

SAMPLE = data_dir("recipes") / "sample"
FILES = ("pubmed26n9001.xml", "pubmed26n9002.xml")

CONCLUSION = re.compile(
    r"(?:MAIN |AUTHORS' )?CONCLUSIONS?|CONCLUSION\(S\)"
    r"|CONCLUSIONS? AND (?:RELEVANCE|IMPLICATIONS|IMPORTANCE|SIGNIFICANCE|INTERPRETATION"
    r"|CLINICAL RELEVANCE|CLINICAL IMPORTANCE)"
)


@cache
def trees() -> tuple[etree._ElementTree, ...]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return tuple(etree.parse(str(SAMPLE / name), parser) for name in FILES)


def articles(file: int | None = None) -> list[etree._Element]:
    chosen = trees() if file is None else trees()[file : file + 1]
    return [article for tree in chosen for article in tree.getroot().iterfind("PubmedArticle")]


def pmid(article: etree._Element) -> str:
    return article.findtext("MedlineCitation/PMID")


def by_pmid() -> dict[str, etree._Element]:
    return {pmid(article): article for article in articles()}  # the second file wins


def sections(article: etree._Element) -> list[tuple[str | None, str | None, str]]:
    found = article.iterfind("MedlineCitation/Article/Abstract/AbstractText")
    return [(s.get("Label"), s.get("NlmCategory"), "".join(s.itertext())) for s in found]


def fold(label: str | None) -> str:
    return (label or "").replace("’", "'").upper().strip()


def conclusions(article: etree._Element) -> list[str]:
    return [text for label, _, text in sections(article) if CONCLUSION.fullmatch(fold(label))]


def languages(article: etree._Element) -> list[str]:
    return [e.text for e in article.iterfind("MedlineCitation/Article/Language")]


def dois(article: etree._Element) -> set[str]:
    paths = (
        "PubmedData/ArticleIdList/ArticleId[@IdType='doi']",
        "MedlineCitation/Article/ELocationID[@EIdType='doi']",
    )
    return {e.text for path in paths for e in article.iterfind(path)}


def kept() -> dict[str, etree._Element]:
    """Apply the rules of the recipe, written anew so that they check the corpus module too."""
    deleted = {e.text for e in trees()[1].iterfind("DeleteCitation/PMID")}
    seen: set[str] = set()
    result = {}
    for key, article in sorted(by_pmid().items()):
        labels = [label for label, _, _ in sections(article)]
        if key in deleted or "eng" not in languages(article) or dois(article) & seen:
            continue
        if len(labels) < 3 or not all(labels) or not conclusions(article):
            continue
        seen |= dois(article)
        result[key] = article
    return result


def check_digit(issn: str) -> str:
    rest = sum(int(c) * w for c, w in zip(issn.replace("-", "")[:7], range(8, 1, -1), strict=True))
    return "0123456789X"[(11 - rest % 11) % 11]


def issns_of_articles() -> set[str]:
    return {e.text for tree in trees() for tag in ("ISSN", "ISSNLinking") for e in tree.iter(tag)}
