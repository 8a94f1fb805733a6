"""Read PubMed files: a stream of batches of records, in memory that does not grow.

A file is checked while it is read, and its checksum stands at its end. So **nothing of a file
may be used before the reading ended without an error**: write what comes to a temporary
place, and commit it after the loop.

::

    reading = read_file(path)
    for batch in reading:
        writer.write_batch(batch.to_arrow())
    summary = reading.summary
"""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.corpus.article import Article
from toolkit.corpus.article_parser import identify, parse_article
from toolkit.corpus.article_table import to_record_batch
from toolkit.corpus.compressed import Reading, read_blocks
from toolkit.corpus.markup import Rendering
from toolkit.corpus.record_cutter import cut_records
from toolkit.corpus.wellformed import Checker, ElementsOnly
from toolkit.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Batch",
    "FileSummary",
    "MedlineFile",
    "Problem",
    "Skipped",
    "file_order",
    "read_file",
]

_ROOTS: Final = frozenset(
    (
        "MedlineCitationSet",
        "PubmedArticle",
        "PubmedArticleSet",
        "PubmedBookArticle",
        "PubmedBookArticleSet",
    )
)
_NLM_NAME = re.compile(r"pubmed(\d\d)n(\d+)", re.IGNORECASE)
_PMID = re.compile(rb"<PMID(?:\s[^<>]*)?>\s*(\d+)\s*</PMID")
_PLAIN_HEAD = re.compile(
    rb'<PubmedArticle>\s*<MedlineCitation [^<>]*>\s*<PMID Version="(\d+)">(\d+)</PMID>'
)
_PLAIN_YEAR = re.compile(rb"<PubDate>\s*<Year>((?:1[5-9]|20)\d\d)</Year>")
_BOOK = re.compile(rb"<PubmedBookArticle[\s>].*?</PubmedBookArticle\s*>", re.DOTALL)
_DELETED = re.compile(
    rb"<Delete(?:Citation|Document)[\s>].*?</Delete(?:Citation|Document)\s*>", re.DOTALL
)
_ROOT_TAG = re.compile(rb"</?(?:Pubmed(?:Book)?Article|MedlineCitation)Set(?:\s[^<>]*)?/?>")


class Skipped(NamedTuple):
    """An unstructured record passed over: PMID, version, year, 0-based position in the file."""

    item_id: str
    version: int
    year: int | None
    position: int


class Problem(NamedTuple):
    """A record that is none of ours: why, its PMID if it has one, its 0-based position."""

    reason: str
    item_id: str | None
    position: int


@dataclass(slots=True)
class Batch:
    """Some consecutive records of a file; every record of it stands in exactly one list.

    Attributes:
        articles: the records read.
        positions: 0-based position in the file of each of them.
        skipped: unstructured records that were passed over; they still replace earlier
            revisions of themselves.
        problems: records without a PMID (``no_pmid``) and books (``book``).
    """

    articles: list[Article] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def to_arrow(self) -> pa.RecordBatch:
        """Return the articles in the declared schema."""
        return to_record_batch(self.articles)

    def __len__(self) -> int:
        return len(self.articles) + len(self.skipped) + len(self.problems)


@dataclass(frozen=True, slots=True)
class FileSummary:
    """What a file was, known once it was read to its end.

    Attributes:
        file: its name, without folders.
        records: records of every kind: articles, skipped, without PMID, books.
        articles: records handed out.
        skipped_unstructured: records passed over because no section has a label.
        books: PubmedBookArticle records, which are not articles.
        without_pmid: records without a PMID.
        deletions: PMIDs under DeleteCitation, to be applied after the file's own records.
        stored_bytes: size on disk.
        bytes: size after decompression.
        sha256: digest of the file as stored.
    """

    file: str
    records: int
    articles: int
    skipped_unstructured: int
    books: int
    without_pmid: int
    deletions: tuple[str, ...]
    stored_bytes: int
    bytes: int
    sha256: str


def file_order(name: str) -> tuple[int, int, int, str]:
    """Return the key that sorts files as the National Library of Medicine numbers them.

    ``pubmed26n0001.xml.gz`` sorts by year and number, whatever its folder; names of any other
    form come after all of these, by name. Two-digit years are 2000-2099.
    """
    found = _NLM_NAME.match(Path(name).name)
    if found is None:
        return 1, 0, 0, Path(name).name
    return 0, int(found[1]), int(found[2]), Path(name).name


def read_file(
    path: Path,
    *,
    structured_only: bool = False,
    rendering: Rendering = "default",
    batch_rows: int = 1000,
) -> MedlineFile:
    """Open a PubMed file, ``.xml`` or gzip, for one pass.

    Args:
        path: the file; an MD5 beside it (``NAME.md5``) is compared.
        structured_only: hand out only records whose abstract has a labelled section. The
            others are told by their bytes and never parsed, nor are authors and references of
            any, so that these are well-formed is not proven; gzip and MD5 checksums still
            cover them.
        rendering: how superscripts after numbers are written, see :mod:`toolkit.corpus.markup`.
        batch_rows: records of every kind in a batch.

    Returns:
        An iterator of batches that knows the :class:`FileSummary` at its end. Reading raises
        :class:`~toolkit.errors.SourceError` for whatever is wrong with the file.
    """
    return MedlineFile(
        path, structured_only=structured_only, rendering=rendering, batch_rows=batch_rows
    )


class MedlineFile(Iterator[Batch]):
    """One pass over a PubMed file; see :func:`read_file`."""

    def __init__(
        self, path: Path, *, structured_only: bool, rendering: Rendering, batch_rows: int
    ) -> None:
        """Prepare to read; nothing is opened before the first batch is asked for."""
        self.path = path
        self._structured_only = structured_only
        self._rendering: Rendering = rendering
        self._batch_rows = batch_rows
        self._reading = Reading(path)
        self._checker = Checker(str(path), _ROOTS)
        self._position = 0
        self._counts = Counter[str]()
        self._deletions: list[str] = []
        self._summary: FileSummary | None = None
        self._batches = self._read()

    def __next__(self) -> Batch:
        return next(self._batches)

    @property
    def summary(self) -> FileSummary:
        """What the file was.

        Raises:
            RuntimeError: the file was not read to its end, so its records may not be used.
        """
        if self._summary is None:
            raise RuntimeError(f"{self.path} was not read to its end; nothing of it may be used")
        return self._summary

    def _read(self) -> Iterator[Batch]:
        elements = ElementsOnly(self._watched(), str(self.path))
        records = cut_records(elements, str(self.path))
        ended = False
        while not ended:
            batch = Batch()
            with _collector_paused():
                ended = self._fill(batch, records, elements)
            # Nothing of a batch may be used before all of it was checked.
            self._checker.flush()
            if len(batch):
                self._count(batch)
                yield batch
        self._summary = self._summarise()

    def _fill(
        self, batch: Batch, records: Iterator[tuple[bytes, bytes, int]], elements: ElementsOnly
    ) -> bool:
        """Read one batch; return whether the file ended."""
        for gap, record, start in records:
            offset = start + elements.removed
            between = bool(gap) and not gap.isspace()
            if between:
                self._check(gap, offset)
            if not record:
                # The file ends here; that it is whole comes before what it says.
                self._checker.close()
            if between:
                self._between(gap, offset, batch)
            if record:
                self._record(record, offset + len(gap), batch)
            if len(batch) >= self._batch_rows:
                return False
        return True

    def _watched(self) -> Iterator[bytes]:
        """Yield the blocks of the file; check all of them, or all up to the root's start tag."""
        checker = Checker(str(self.path), _ROOTS) if self._structured_only else self._checker
        offset = 0
        for block in read_blocks(self._reading):
            if checker is self._checker or checker.root is None:
                checker.feed(block, offset)
            offset += len(block)
            yield block

    def _check(self, data: bytes, offset: int) -> None:
        """Check what is used; if all records are, the whole file is checked block by block."""
        if self._structured_only:
            self._checker.feed(data, offset)

    def _between(self, gap: bytes, offset: int, batch: Batch) -> None:
        """Read what stands between articles: the root's tags, books, deletions."""
        rest = _ROOT_TAG.sub(b"", gap)
        for book in _BOOK.findall(rest):
            pmid = _PMID.search(book)
            batch.problems.append(
                Problem("book", pmid[1].decode() if pmid else None, self._position)
            )
            self._position += 1
        for deleted in _DELETED.findall(rest):
            self._deletions += [pmid.decode() for pmid in _PMID.findall(deleted)]
        unknown = _DELETED.sub(b"", _BOOK.sub(b"", rest)).strip()
        if unknown:
            raise SourceError(
                f"{self.path}: unexpected content between records near byte {offset}: "
                f"{unknown[:60].decode(errors='replace')!r}",
                hint="give files of the PubMed baseline, its updates, or efetch with retmode=xml",
            )

    def _record(self, record: bytes, offset: int, batch: Batch) -> None:
        position = self._position
        self._position += 1
        if self._structured_only:
            labelled = _may_be_labelled(record)
            if not labelled and (found := _plain_identity(record)) is not None:
                batch.skipped.append(Skipped(*found, position))
                return
            self._checker.feed(_without_lists(record), offset)
            if not labelled:
                self._skip(record, position, batch)
                return
        article = self._parse(record, offset)
        if article is None:
            batch.problems.append(Problem("no_pmid", None, position))
        elif self._structured_only and not article.structured:
            batch.skipped.append(Skipped(article.item_id, article.version, article.year, position))
        else:
            batch.articles.append(article)
            batch.positions.append(position)

    def _skip(self, record: bytes, position: int, batch: Batch) -> None:
        identity = identify(record)
        if identity is None:
            batch.problems.append(Problem("no_pmid", None, position))
        else:
            batch.skipped.append(Skipped(*identity, position))

    def _parse(self, record: bytes, offset: int) -> Article | None:
        try:
            article = parse_article(record, self.path.name, self._rendering)
        except UnicodeDecodeError:
            # Bytes that are no UTF-8 are the checker's to describe.
            self._checker.flush()
            raise
        except SourceError as error:
            self._checker.flush()
            raise SourceError(
                f"{self.path}: {error.message} (record at byte {offset}, "
                f"after PMID {self._checker.last_pmid})",
                hint=error.hint,
            ) from error
        if article is not None:
            self._checker.last_pmid = article.item_id
        return article

    def _count(self, batch: Batch) -> None:
        self._counts["articles"] += len(batch.articles)
        self._counts["skipped"] += len(batch.skipped)
        self._counts.update(problem.reason for problem in batch.problems)

    def _summarise(self) -> FileSummary:
        return FileSummary(
            file=self.path.name,
            records=self._counts.total(),
            articles=self._counts["articles"],
            skipped_unstructured=self._counts["skipped"],
            books=self._counts["book"],
            without_pmid=self._counts["no_pmid"],
            deletions=tuple(self._deletions),
            stored_bytes=self._reading.stored,
            bytes=self._reading.size,
            sha256=self._reading.sha256 or "",
        )


@contextmanager
def _collector_paused() -> Iterator[None]:
    # Records make no cycles, but the many objects of a batch would set the cycle collector off
    # again and again, and it walks over all that lives. Reference counts free the batch.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _may_be_labelled(record: bytes) -> bool:
    """Tell whether a section may have a label: too often at most, never too seldom.

    The name of the attribute cannot be written in another way, and what looks like it may
    stand in a sentence. Only the article's own abstract is looked at; without one, all of the
    record from another abstract on.
    """
    first = record.find(b"<Abstract")
    if first < 0:
        return False
    last = record.find(b"</Abstract>", first)
    return record.find(b"Label", first, last if last >= 0 else len(record)) >= 0


def _without_lists(record: bytes) -> bytes:
    """Leave out authors and references, which are never read: half of most records."""
    first = record.find(b"<AuthorList")
    last = record.find(b"</AuthorList>", first) if first >= 0 else -1
    if last >= 0:
        record = record[:first] + record[last + len(b"</AuthorList>") :]
    first = record.find(b"<ReferenceList")
    last = record.rfind(b"</ReferenceList>", first) if first >= 0 else -1
    if last >= 0:
        record = record[:first] + record[last + len(b"</ReferenceList>") :]
    return record


def _plain_identity(record: bytes) -> tuple[str, int, int] | None:
    """Return PMID, version and year where they stand as PubMed nearly always writes them."""
    head = _PLAIN_HEAD.match(record)
    if head is None:
        return None
    year = _PLAIN_YEAR.search(record, head.end())
    return (head[2].decode(), int(head[1]), int(year[1])) if year else None
