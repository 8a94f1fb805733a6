"""From the bytes of one PubMed record to its typed fields."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from toolkit.corpus.article import Article, Correction, OtherAbstract, Section, clean_keywords
from toolkit.corpus.dates import PublicationDate, iso_date, publication_date
from toolkit.corpus.markup import Rendering, render_text
from toolkit.corpus.rights import split_copyright
from toolkit.corpus.tags import ATTRIBUTES, LEAF, Element, attributes, clean, leaves

__all__ = ["identify", "parse_article"]

_JournalNames: TypeAlias = tuple[str | None, str | None, str | None, str | None]
_Issue: TypeAlias = tuple[str | None, str | None, PublicationDate]

_CITATION = re.compile(rb"<MedlineCitation(?=[\s>])" + ATTRIBUTES + rb">")
_PMID = re.compile(rb"<PMID(?=[\s>])" + ATTRIBUTES + rb">([^<]*)<")
_ARTICLE = re.compile(rb"<Article(?=[\s>])" + ATTRIBUTES + rb">")
_ARTICLE_ID = re.compile(
    rb"""<ArticleId\s+IdType\s*=\s*["'](doi|pii|pmc)["']""" + ATTRIBUTES + rb">([^<]*)<"
)
_REFERENCES = re.compile(rb"<ReferenceList[\s/>]")
_ISSN = re.compile(rb"<ISSN(?=[\s>])" + ATTRIBUTES + rb">([^<]*)<")
_LISTED = re.compile(
    rb"<(Language|ELocationID|MedlinePgn|StartPage|EndPage)(?=[\s>])" + ATTRIBUTES + rb">([^<]*)<"
)
_DESCRIPTOR = re.compile(rb"<DescriptorName(?=[\s>])" + ATTRIBUTES + rb">([^<]*)<")

_KEYWORD = re.compile(
    rf"<Keyword(?=[\s>]){ATTRIBUTES.decode().replace('(', '(?:', 1)}>"
    r"((?:[^<]++|<(?!/Keyword[\s>]))*+)<"
)

_ABSTRACT = Element("Abstract")
_ABSTRACT_TEXT = Element("AbstractText")
_ARTICLE_DATE = Element("ArticleDate")
_ARTICLE_IDS = Element("ArticleIdList")
_ARTICLE_TITLE = Element("ArticleTitle")
_COPYRIGHT = Element("CopyrightInformation")
_CORRECTION = Element("CommentsCorrections")
_CORRECTIONS = Element("CommentsCorrectionsList")
_JOURNAL = Element("Journal")
_JOURNAL_ISSUE = Element("JournalIssue")
_JOURNAL_INFO = Element("MedlineJournalInfo")
_MESH = Element("MeshHeadingList")
_OTHER_ABSTRACT = Element("OtherAbstract")
_PUB_DATE = Element("PubDate")
_REVISED = Element("DateRevised")
_TYPES = Element("PublicationTypeList")
_VERNACULAR = Element("VernacularTitle")

_RETRACTIONS: Final = {"RetractionIn", "RetractedandRepublishedIn"}


def identify(record: bytes) -> tuple[str, int, int | None] | None:
    """Return PMID, version and publication year of a record, without reading the rest.

    Returns:
        None when the record has no PMID of its own. A PMID without a version is version 1.
    """
    head_end, start, end = _bounds(record)
    pmid = _pmid(record, head_end)
    if pmid is None:
        return None
    first, last = _PUB_DATE.span(record, start, end)
    published = publication_date(leaves(record[first:last])) if first >= 0 else None
    return *pmid, published.year if published else None


def parse_article(
    record: bytes, source_file: str, rendering: Rendering = "default"
) -> Article | None:
    """Read one ``PubmedArticle``.

    Args:
        record: the element as well-formed UTF-8 without comments, processing instructions
            and CDATA sections.
        source_file: name of the file it came from.
        rendering: how superscripts after numbers are written, see :mod:`toolkit.corpus.markup`.

    Returns:
        None when the record has no PMID of its own.

    Raises:
        SourceError: a formula is not well-formed.
    """
    head_end, start, end = _bounds(record)
    pmid = _pmid(record, head_end)
    if pmid is None:
        return None
    status, revised = _head(record, head_end)
    return _article(record, (start, end), (*pmid, status), revised, source_file, rendering)


def _article(
    record: bytes,
    bounds: tuple[int, int],
    head: tuple[str, int, str | None],
    revised: str | None,
    source_file: str,
    rendering: Rendering,
) -> Article:
    """Read what stands in ``Article``, whose content ``bounds`` enclose, and behind it."""
    start, end = bounds
    closed, printed_in, in_issue = _appeared(record, start, end)
    journal, abbreviation, issn_print, issn_electronic = printed_in
    volume, issue, published = in_issue
    body = max(closed, start)
    abstract = _ABSTRACT.span(record, body, end)
    sections, rights = _abstract(record[abstract[0] : abstract[1]], rendering)
    outline = _outline(record, body, end, abstract)
    listed = _listed(outline)
    types = list(_types(_TYPES.content(outline)))
    citation_end = max(record.find(b"</MedlineCitation>", end), end)
    tail = record[end:citation_end]
    medline_ta, nlm_unique_id, issn_linking = _journal_info(_JOURNAL_INFO.content(tail))
    ids = _article_ids(record, citation_end)
    corrections = _corrections(tail)
    return Article(
        *head,
        _mixed(_ARTICLE_TITLE.content(outline), rendering),
        _mixed(_VERNACULAR.content(outline), rendering),
        journal,
        abbreviation,
        medline_ta,
        nlm_unique_id,
        issn_print,
        issn_electronic,
        issn_linking,
        volume,
        issue,
        listed.pages,
        ids.get("doi") or listed.doi,
        ids.get("pii") or listed.pii,
        ids.get("pmc"),
        listed.languages,
        published.year,
        published.month,
        published.day,
        published.season,
        published.text,
        _date(_ARTICLE_DATE.content(outline)),
        revised,
        types,
        _keywords(tail, rendering),
        _mesh(tail),
        sections,
        _other_abstracts(tail, rendering),
        rights,
        corrections,
        _retracted(types, corrections),
        source_file,
    )


class _Listed(NamedTuple):
    """What an ``Article`` lists after its journal, title, abstract and authors."""

    pages: str | None
    doi: str | None
    pii: str | None
    languages: list[str]


def _bounds(record: bytes) -> tuple[int, int, int]:
    """Return where ``Article`` starts, and where its content starts and ends."""
    opened = _ARTICLE.search(record, max(record.find(b"<Article"), 0))
    if opened is None:
        return len(record), len(record), len(record)
    closed = record.find(b"</Article>", opened.end())
    return opened.start(), opened.end(), closed if closed >= 0 else len(record)


def _pmid(record: bytes, head_end: int) -> tuple[str, int] | None:
    # Further PMIDs, of corrections and references, stand behind the article.
    found = _PMID.search(record, 0, head_end)
    item_id = clean(found[2]) if found else None
    if found is None or item_id is None:
        return None
    version = attributes(found[1]).get("Version", "1")
    return item_id, int(version) if version.isdecimal() else 1


def _head(record: bytes, head_end: int) -> tuple[str | None, str | None]:
    """Return the status of the citation and the date of its last revision."""
    citation = _CITATION.search(record, 0, head_end)
    first, last = _REVISED.span(record, 0, head_end)
    revised = _date(record[first:last]) if first >= 0 else None
    return attributes(citation[1]).get("Status") if citation else None, revised


def _mixed(content: bytes, rendering: Rendering) -> str | None:
    return (render_text(content.decode(), rendering) or None) if content else None


# Neighbouring records share their journal, its issue and their dates, so these are cached.


def _appeared(record: bytes, start: int, end: int) -> tuple[int, _JournalNames, _Issue]:
    """Return where ``Journal`` ends (-1 without one), its names and ISSNs, and its issue."""
    opened, closed = _JOURNAL.span(record, start, end)
    inside, outside = _JOURNAL_ISSUE.span(record, opened, closed)
    if inside < 0:
        inside = outside = closed
    names = _journal(record[opened:inside] + record[outside:closed])
    return closed, names, _issue(record[inside:outside])


@lru_cache(maxsize=4096)
def _journal(content: bytes) -> _JournalNames:
    """Return title, abbreviation, print and electronic ISSN, from what stands around the issue."""
    fields = leaves(content)
    print_issn = electronic_issn = None
    for raw, value in _ISSN.findall(content):
        if attributes(raw).get("IssnType") == "Electronic":
            electronic_issn = electronic_issn or clean(value)
        else:
            print_issn = print_issn or clean(value)
    return fields.get("Title"), fields.get("ISOAbbreviation"), print_issn, electronic_issn


@lru_cache(maxsize=4096)
def _issue(content: bytes) -> _Issue:
    fields = leaves(content)
    return fields.get("Volume"), fields.get("Issue"), publication_date(fields)


@lru_cache(maxsize=4096)
def _journal_info(content: bytes) -> tuple[str | None, str | None, str | None]:
    found = leaves(content)
    return found.get("MedlineTA"), found.get("NlmUniqueID"), found.get("ISSNLinking")


@lru_cache(maxsize=4096)
def _types(content: bytes) -> tuple[str, ...]:
    values = (clean(raw) for name, _, raw in LEAF.findall(content) if name == b"PublicationType")
    return tuple(value for value in values if value is not None)


@lru_cache(maxsize=4096)
def _date(content: bytes) -> str | None:
    return iso_date(leaves(content))


def _sections(content: bytes, rendering: Rendering) -> list[Section]:
    sections = []
    for raw, text in _ABSTRACT_TEXT.pattern.findall(content):
        given = attributes(raw)
        sections.append(
            Section(
                given.get("Label") or None,
                given.get("NlmCategory") or None,
                render_text(text.decode(), rendering),
            )
        )
    return sections


def _abstract(content: bytes, rendering: Rendering) -> tuple[list[Section], str | None]:
    sections = _sections(content, rendering)
    rights = _mixed(_COPYRIGHT.content(content), rendering)
    filled = [index for index, section in enumerate(sections) if section.text]
    if filled:
        last = filled[-1]
        whole = sections[last].text
        text, rights = split_copyright(whole, rights)
        if text != whole:
            sections[last] = sections[last]._replace(text=text)
    return sections, rights


def _outline(record: bytes, start: int, end: int, abstract: tuple[int, int]) -> bytes:
    """Return an ``Article`` without the content of its abstract and its authors."""
    if abstract[0] >= 0:
        before, start = record[start : abstract[0]], abstract[1]
    else:
        before = b""
    # There is one list, and it is long: its end is found sooner from behind.
    first = record.find(b"<AuthorList", start, end)
    last = record.rfind(b"</AuthorList", first, end) if first >= 0 else -1
    if last < 0:
        return before + record[start:end]
    return before + record[start:first] + record[last:end]


def _listed(outline: bytes) -> _Listed:
    found: dict[str, str] = {}
    languages: list[str] = []
    for name, raw, content in _LISTED.findall(outline):
        value = clean(content)
        if value is None:
            continue
        if name == b"Language":
            languages.append(value)
        elif name != b"ELocationID":
            found.setdefault(name.decode(), value)
        elif (given := attributes(raw)).get("ValidYN", "Y") == "Y":
            found.setdefault(given.get("EIdType", ""), value)
    pages = found.get("MedlinePgn")
    if pages is None:
        pages = "-".join(filter(None, (found.get("StartPage"), found.get("EndPage")))) or None
    return _Listed(pages, found.get("doi"), found.get("pii"), languages)


def _article_ids(record: bytes, start: int) -> dict[str, str]:
    """Return the identifiers of the article itself by type; references have such lists too."""
    first, last = _ARTICLE_IDS.span(record, start, len(record))
    references = _REFERENCES.search(record, start, max(first, start))
    if references is not None:
        start = record.rfind(b"</ReferenceList>", start)
        first, last = _ARTICLE_IDS.span(record, start, len(record))
    found: dict[str, str] = {}
    for kind, _, content in _ARTICLE_ID.findall(record, max(first, 0), max(last, 0)):
        value = clean(content)
        if value is not None:
            found.setdefault(kind.decode(), value)
    return found


def _keywords(tail: bytes, rendering: Rendering) -> list[str]:
    first = tail.find(b"<KeywordList")
    if first < 0:
        return []
    listed = tail[first : tail.rfind(b"</KeywordList")].decode()
    return clean_keywords(
        # Most keywords are bare words, and there are many.
        render_text(content, rendering)
        if "<" in content or "&" in content
        else " ".join(content.split())
        for content in _KEYWORD.findall(listed)
    )


def _mesh(tail: bytes) -> list[str]:
    names = (clean(raw) for _, raw in _DESCRIPTOR.findall(_MESH.content(tail)))
    return [name for name in names if name is not None]


def _other_abstracts(tail: bytes, rendering: Rendering) -> list[OtherAbstract]:
    if b"<OtherAbstract" not in tail:
        return []
    found = []
    for raw, content in _OTHER_ABSTRACT.pattern.findall(tail):
        given = attributes(raw)
        found.append(
            OtherAbstract(
                given.get("Type", ""), given.get("Language", "eng"), _sections(content, rendering)
            )
        )
    return found


def _corrections(tail: bytes) -> list[Correction]:
    found = []
    for raw, content in _CORRECTION.pattern.findall(_CORRECTIONS.content(tail)):
        pmid = _PMID.search(content)
        found.append(
            Correction(attributes(raw).get("RefType", ""), clean(pmid[2]) if pmid else None)
        )
    return found


def _retracted(types: list[str], corrections: list[Correction]) -> bool:
    return "Retracted Publication" in types or any(
        correction.type in _RETRACTIONS for correction in corrections
    )
