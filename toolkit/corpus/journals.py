"""Join articles to the journal table, and report how many journals were found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolkit.corpus.journal_table import JournalMatch, JournalTable, load_sjr
from toolkit.corpus.journal_titles import shared_titles
from toolkit.errors import UserError
from toolkit.records import JOURNAL, arrow_type

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "JournalMatch",
    "JournalReport",
    "JournalTable",
    "join_journals",
    "load_sjr",
    "shared_titles",
]

_ISSNS: Final = ("issn_print", "issn_electronic", "issn_linking")
_SHOWN: Final = 50


@dataclass(slots=True)
class JournalReport:
    """How the articles of one shard, or of all, were matched. Counts are articles.

    Attributes:
        matched: ``issn``, ``title`` and ``unmatched``; they add up to the articles.
        without_sjr: matched, but the table has no SJR up to the article's year.
        shared_issn: the year used has several rows with one of the article's ISSNs.
        year_gaps: articles by years between publication and the SJR used.
        ambiguous: refused titles, normalised.
        journals: for each journal as its articles write it, how it was matched.
        unmatched: articles of each journal that was not found.
    """

    matched: Counter[str] = field(default_factory=Counter)
    without_sjr: int = 0
    shared_issn: int = 0
    year_gaps: Counter[int] = field(default_factory=Counter)
    ambiguous: Counter[str] = field(default_factory=Counter)
    journals: dict[str, str] = field(default_factory=dict)
    unmatched: Counter[str] = field(default_factory=Counter)

    def add(self, match: JournalMatch, journal: str) -> None:
        """Count one article.

        Args:
            match: what the table said.
            journal: the journal's title or id as the article gives it.
        """
        how = match.sjr_match or "unmatched"
        self.matched[how] += 1
        # A journal counts as found once one of its articles was, however the others fared.
        self.journals[journal] = min(how, self.journals.get(journal, how))
        if match.sjr_match is None:
            self.unmatched[journal] += 1
        elif match.sjr is None:
            self.without_sjr += 1
        if match.sjr_match == "issn" and match.rows_of_year > 1:
            self.shared_issn += 1
        if match.sjr_year_gap is not None:
            self.year_gaps[match.sjr_year_gap] += 1
        if match.ambiguous is not None:
            self.ambiguous[match.ambiguous] += 1

    @classmethod
    def merge(cls, reports: Iterable[JournalReport]) -> JournalReport:
        """Return the sum of the reports of all shards, whatever their order."""
        total = cls()
        for report in reports:
            total.matched.update(report.matched)
            total.without_sjr += report.without_sjr
            total.shared_issn += report.shared_issn
            total.year_gaps.update(report.year_gaps)
            total.ambiguous.update(report.ambiguous)
            total.unmatched.update(report.unmatched)
            for journal, how in report.journals.items():
                total.journals[journal] = min(how, total.journals.get(journal, how))
        return total

    def to_dict(self) -> dict[str, Any]:
        """Return the report for JSON; titles by falling count, at most 50 of each kind."""
        by_journal = Counter(self.journals.values())
        keys = ("issn", "title", "unmatched")
        return {
            "articles": {key: self.matched[key] for key in keys},
            "journals": {key: by_journal[key] for key in keys},
            "without_sjr": self.without_sjr,
            "shared_issn": self.shared_issn,
            "year_gaps": {str(gap): self.year_gaps[gap] for gap in sorted(self.year_gaps)},
            "ambiguous_titles": _top(self.ambiguous),
            "unmatched_journals": _top(self.unmatched),
        }


def _top(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN])


def join_journals(articles: pa.Table, table: JournalTable) -> tuple[pa.Table, JournalReport]:
    """Add the columns ``JOURNAL`` to articles.

    Args:
        articles: any of ``issn_print``, ``issn_electronic``, ``issn_linking`` and ``journal``,
            and ``year`` (int). Columns of the name of a ``JOURNAL`` column are replaced.
        table: the journal table; with the titles that several journals of the whole corpus
            share refused, see :meth:`JournalTable.refusing`.

    Returns:
        The articles, in the same order, with the columns of
        :data:`toolkit.records.JOURNAL` (null where nothing is known), and the report.

    Raises:
        UserError: the articles have none of these columns, or no ``year``.
    """
    import pyarrow as pa

    names = articles.column_names
    if "year" not in names or not {*_ISSNS, "journal"} & set(names):
        raise UserError(
            f"journals cannot be joined: the items' columns are {', '.join(sorted(names))}",
            hint="they need 'year', and 'journal' or one of " + ", ".join(_ISSNS),
        )
    missing = [None] * articles.num_rows
    given = [
        articles[name].to_pylist() if name in names else missing
        for name in (*_ISSNS, "journal", "year")
    ]
    report = JournalReport()
    rows: list[dict[str, object]] = []
    known: dict[tuple[Any, ...], JournalMatch] = {}
    for key in zip(*given, strict=True):
        match = known.get(key)
        if match is None:
            match = known[key] = table.match(key[:3], key[3], key[4])
        report.add(match, key[3] or next((issn for issn in key[:3] if issn), ""))
        rows.append(match.as_row())
    schema = pa.schema([(column.name, arrow_type(column.type)) for column in JOURNAL])
    joined = pa.Table.from_pylist(rows, schema=schema)
    kept = articles.drop_columns([name for name in schema.names if name in names])
    for column in schema:
        kept = kept.append_column(column, joined[column.name])
    return kept, report
