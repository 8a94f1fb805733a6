"""The journal table: SCImago rows of all years, indexed by ISSN and title.

A journal is found by any of its ISSNs, else by its title where that is unmistakable. The SJR
is that of the publication year or of the nearest earlier one: an article is never described
by a number that its journal earned later.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from toolkit.corpus.issn import normalise_issn
from toolkit.corpus.journal_titles import title_forms
from toolkit.corpus.sjr_table import SjrFile, SjrRow, read_sjr
from toolkit.errors import SourceError
from toolkit.records import JOURNAL

__all__ = ["JournalMatch", "JournalTable", "load_sjr"]

_QUARTILES: Final = (None, "Q1", "Q2", "Q3", "Q4")
_NO_FORMS: Final[frozenset[str]] = frozenset()
_NO_SJR: Final = -1.0


def load_sjr(paths: Sequence[Path]) -> JournalTable:
    """Read SCImago exports, one or many years, into one table.

    The order of ``paths`` does not matter. A row that several files give alike counts once.

    Args:
        paths: files as :func:`toolkit.corpus.sjr_table.read_sjr` reads them.

    Raises:
        SourceError: there is no file, one cannot be read, or two files contradict each other
            about the SJR of a journal in a year.
    """
    if not paths:
        raise SourceError(
            "no journal table was found", hint="check the files under journals.sjr in the recipe"
        )
    files = [read_sjr(path) for path in sorted(paths, key=lambda path: (path.name, str(path)))]
    _refuse_contradictions(files)
    rows = sorted({row for file in files for row in file.rows}, key=_row_order)
    counts: Counter[str] = Counter()
    for file in files:
        counts.update(file.issn_counts)
    return _build(rows, tuple(file.name for file in files), dict(sorted(counts.items())))


def _row_order(row: SjrRow) -> tuple[object, ...]:
    sjr = _NO_SJR if row.sjr is None else row.sjr
    known = (row.quartile or "", row.categories or (), row.areas or ())
    return (row.year, -sjr, row.title, row.sourceid, row.issns, *known)


def _refuse_contradictions(files: list[SjrFile]) -> None:
    told: dict[tuple[object, ...], tuple[float, str]] = {}
    for file in files:
        for row in file.rows:
            if row.sjr is None or not (row.sourceid or row.issns):
                continue
            key = (row.year, row.sourceid or (row.issns, row.title))
            sjr, name = told.setdefault(key, (row.sjr, file.name))
            if sjr != row.sjr and name != file.name:
                raise SourceError(
                    f"{name} and {file.name} disagree about '{row.title or row.issns[0]}' in "
                    f"{row.year}: SJR {sjr} and {row.sjr}",
                    hint="keep one of the two files: SCImago revises its numbers",
                )


@dataclass(frozen=True, slots=True)
class _Index:
    """Sorted keys, and for each the numbers of its rows: a dictionary that pickles small."""

    keys: Sequence[Any]
    starts: array[int]
    rows: array[int]

    @classmethod
    def of(cls, pairs: Iterable[tuple[Any, int]], *, numeric: bool = False) -> _Index:
        ordered = sorted(set(pairs))
        keys: list[Any] = []
        starts = array("I")
        for at, (key, _) in enumerate(ordered):
            if not keys or keys[-1] != key:
                keys.append(key)
                starts.append(at)
        starts.append(len(ordered))
        rows = array("I", [row for _, row in ordered])
        return cls(array("I", keys) if numeric else tuple(keys), starts, rows)

    def find(self, key: Any) -> array[int]:
        at = bisect_left(self.keys, key)
        if at == len(self.keys) or self.keys[at] != key:
            return array("I")
        return self.rows[self.starts[at] : self.starts[at + 1]]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows as columns; repeated strings and lists are stored once and numbered."""

    year: array[int]
    sjr: array[float]
    quartile: array[int]
    title: array[int]
    categories: array[int]
    areas: array[int]
    titles: tuple[str, ...]
    lists: tuple[tuple[str, ...] | None, ...]

    @classmethod
    def of(cls, rows: list[SjrRow]) -> _Rows:
        titles: dict[str, int] = {}
        lists: dict[tuple[str, ...] | None, int] = {}
        return cls(
            year=array("H", [row.year for row in rows]),
            sjr=array("d", [_NO_SJR if row.sjr is None else row.sjr for row in rows]),
            quartile=array("B", [_QUARTILES.index(row.quartile) for row in rows]),
            title=array("I", [titles.setdefault(row.title, len(titles)) for row in rows]),
            categories=array("I", [lists.setdefault(row.categories, len(lists)) for row in rows]),
            areas=array("I", [lists.setdefault(row.areas, len(lists)) for row in rows]),
            titles=tuple(titles),
            lists=tuple(lists),
        )


def _build(rows: list[SjrRow], names: tuple[str, ...], counts: dict[str, int]) -> JournalTable:
    known = {title: title_forms(title) for title in {row.title for row in rows}}
    forms = [known[row.title] for row in rows]
    whole = _Index.of((form, at) for at, (form, _) in enumerate(forms) if form)
    cut = _Index.of((form, at) for at, (_, form) in enumerate(forms) if form)
    issns = ((int(issn[:7]), at) for at, row in enumerate(rows) for issn in row.issns)
    return JournalTable(
        files=names,
        issn_counts=counts,
        rows=_Rows.of(rows),
        by_issn=_Index.of(issns, numeric=True),
        by_title=whole,
        by_cut_title=cut,
        ambiguous=_ambiguous(rows, whole),
        ambiguous_cut=_ambiguous(rows, cut),
    )


def _ambiguous(rows: list[SjrRow], index: _Index) -> frozenset[str]:
    """Return the forms that name two rows of one year, or two source ids."""
    found: set[str] = set()
    for form in index.keys:
        mine = [rows[at] for at in index.find(form)]
        years = [row.year for row in mine]
        sources = {row.sourceid for row in mine if row.sourceid}
        if len(set(years)) < len(years) or len(sources) > 1:
            found.add(form)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class JournalMatch:
    """What the table says about one article's journal: the columns ``JOURNAL``, and how.

    Attributes:
        sjr: SCImago Journal Rank of ``sjr_year``; None when no year up to the article's has one.
        sjr_year: year of ``sjr``, never later than the article's.
        sjr_year_gap: article year minus ``sjr_year``, at least 0.
        sjr_quartile: best quartile in ``sjr_year``.
        sjr_match: ``issn``, ``title``, or None when the journal was not found.
        sjr_title: title of the matched row.
        categories: its categories without quartiles; None when not found or not given.
        areas: its subject areas; None when not found or not given.
        categories_year: year of the matched row. Later than the article's when the table
            knows the journal only later: then there is no SJR, but what it is about stays.
        ambiguous: the title form that was refused because several journals share it.
        rows_of_year: matched rows of that year; more than 1 means that they share an ISSN.
    """

    sjr: float | None = None
    sjr_year: int | None = None
    sjr_year_gap: int | None = None
    sjr_quartile: str | None = None
    sjr_match: str | None = None
    sjr_title: str | None = None
    categories: tuple[str, ...] | None = None
    areas: tuple[str, ...] | None = None
    categories_year: int | None = None
    ambiguous: str | None = None
    rows_of_year: int = 0

    def as_row(self) -> dict[str, object]:
        """Return the columns of :data:`toolkit.records.JOURNAL`."""
        return {column.name: getattr(self, column.name) for column in JOURNAL}


@dataclass(frozen=True, slots=True)
class JournalTable:
    """The rows of all years, indexed; small enough to be sent to every worker process.

    Build it with :func:`load_sjr`. Tables of the same files are equal whatever their order.

    Attributes:
        files: file names, sorted.
        issn_counts: what the ISSN columns were like, see
            :class:`toolkit.corpus.sjr_table.SjrFile`.
        rows: all rows, ordered by year and falling SJR.
        by_issn: rows by the first seven digits of an ISSN.
        by_title: rows by whole title form.
        by_cut_title: rows by cut title form.
        ambiguous: whole title forms that several journals of the table share.
        ambiguous_cut: the same for cut forms.
        refused: whole title forms that several journals of the corpus share.
        refused_cut: the same for cut forms.
    """

    files: tuple[str, ...]
    issn_counts: dict[str, int]
    rows: _Rows
    by_issn: _Index
    by_title: _Index
    by_cut_title: _Index
    ambiguous: frozenset[str]
    ambiguous_cut: frozenset[str]
    refused: frozenset[str] = _NO_FORMS
    refused_cut: frozenset[str] = _NO_FORMS

    def __len__(self) -> int:
        return len(self.rows.year)

    @property
    def years(self) -> tuple[int, ...]:
        """The years of the table, ascending."""
        return tuple(sorted(set(self.rows.year)))

    def refusing(self, shared: tuple[frozenset[str], frozenset[str]]) -> JournalTable:
        """Return the table with further titles refused.

        Args:
            shared: whole and cut forms, as
                :func:`toolkit.corpus.journal_titles.shared_titles` finds them.
        """
        return replace(self, refused=shared[0], refused_cut=shared[1])

    def match(
        self, issns: Sequence[str | None], title: str | None, year: int | None
    ) -> JournalMatch:
        """Find the journal of an article.

        Any ISSN of the article against every ISSN of a row; where none is known, the title.
        Of the rows found the year decides first: the article's, else the nearest earlier one
        that has an SJR. Among several rows of that year the number of equal ISSNs decides,
        then an equal title, then the higher SJR.

        Args:
            issns: print, electronic and linking ISSN as given; None, repeats and invalid
                ones are passed over.
            title: journal title as given.
            year: publication year; without one there is no SJR, as it might be a later one.
        """
        hits: Counter[int] = Counter()
        for issn in sorted({valid for given in issns if (valid := normalise_issn(given))}):
            hits.update(self.by_issn.find(int(issn[:7])))
        if hits:
            return self._choose(hits, title, year, "issn")
        rows, ambiguous = self._titled(title or "")
        if not rows:
            return JournalMatch(ambiguous=ambiguous)
        return self._choose(Counter(rows), title, year, "title")

    def _titled(self, title: str) -> tuple[array[int], str | None]:
        whole, cut = title_forms(title)
        if whole in self.ambiguous or whole in self.refused:
            return array("I"), whole
        rows = self.by_title.find(whole)
        # One word left of a longer title names another journal more often than the same one.
        if rows or " " not in cut:
            return rows, None
        if cut in self.ambiguous_cut or cut in self.refused_cut:
            return array("I"), cut
        return self.by_cut_title.find(cut), None

    def _choose(
        self, hits: Counter[int], title: str | None, year: int | None, how: str
    ) -> JournalMatch:
        rows = self.rows

        def distance(at: int) -> tuple[int, int]:
            """0 with an SJR up to the year, 1 up to the year, 2 later; then years apart."""
            if year is None:
                return 2, -rows.year[at]
            if rows.year[at] > year:
                return 2, rows.year[at] - year
            return int(rows.sjr[at] == _NO_SJR), year - rows.year[at]

        nearest = min(map(distance, hits))
        tied = [at for at in hits if distance(at) == nearest]
        best = min(tied, key=lambda at: self._preference(at, hits, title)) if tied[1:] else tied[0]
        dated = nearest[0] == 0
        return JournalMatch(
            sjr=rows.sjr[best] if dated else None,
            sjr_year=rows.year[best] if dated else None,
            sjr_year_gap=nearest[1] if dated else None,
            sjr_quartile=_QUARTILES[rows.quartile[best]] if dated else None,
            sjr_match=how,
            sjr_title=rows.titles[rows.title[best]] or None,
            categories=rows.lists[rows.categories[best]],
            areas=rows.lists[rows.areas[best]],
            categories_year=rows.year[best],
            rows_of_year=len(tied),
        )

    def _preference(self, at: int, hits: Counter[int], title: str | None) -> tuple[int, bool, int]:
        row_title = self.rows.titles[self.rows.title[at]]
        other = title_forms(row_title)[0] != title_forms(title or "")[0]
        return -hits[at], other, at
