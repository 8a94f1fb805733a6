"""Build a corpus from PubMed XML: baseline files, update files, what efetch returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from toolkit.corpus.article import Article
from toolkit.corpus.medline import Batch, file_order, read_file
from toolkit.corpus.merge import doi_key, merge_articles, title_key
from toolkit.corpus.rules import RecordRules, Where, apply_rules
from toolkit.corpus.sections import Division, load_vocabulary, vocabulary_files
from toolkit.corpus.source import Part, PartResult, PartWriter, find_files
from toolkit.errors import SourceError
from toolkit.records import ARTICLE, DERIVED, arrow_type

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArticleParams", "Articles", "PubmedXml"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleParams:
    """What a recipe may say about PubMed articles, wherever they come from."""

    where: Where = field(default_factory=Where, metadata={"about": "which records become items"})
    dedup: tuple[Literal["pmid", "doi", "title"], ...] = field(
        default=("pmid", "doi", "title"),
        metadata={"about": "what must not repeat; PMIDs never do", "scalar": True},
    )
    leak_risk: Literal["keep", "drop", "reject"] = field(
        default="keep",
        metadata={
            "about": "sections that restate conclusions: keep and flag them, drop them from the "
            "input, or reject the record"
        },
    )
    conclusions: Literal["join", "first"] = field(
        default="join", metadata={"about": "several conclusion sections: join them, or the first"}
    )
    retracted: Literal["keep", "reject"] = field(
        default="keep", metadata={"about": "retracted articles: keep and flag them, or reject"}
    )
    rendering: Literal["default", "paper"] = field(
        default="default",
        metadata={"about": "superscripts after numbers: 10^6, or 106 as the paper has it"},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Params(ArticleParams):
    files: tuple[str, ...] = field(
        metadata={"about": "XML files or globs, .xml or .xml.gz", "path": True, "scalar": True}
    )
    on_bad_file: Literal["stop", "skip"] = field(
        default="stop", metadata={"about": "a damaged file: stop, or skip it and say so"}
    )


class PubmedXml:
    """PubMed XML files in the order of the year and number in their names."""

    name: ClassVar[str] = "pubmed_xml"
    version: ClassVar[int] = 1
    remote: ClassVar[bool] = False
    Params: ClassVar[type] = _Params

    def __init__(self, params: _Params, base: Path) -> None:
        self._params = params
        self._base = base
        self._articles = Articles(params, base)

    def resolve(self, cache: Path, secrets: Mapping[str, str]) -> PubmedXml:
        """Return the source itself: nothing depends on a network."""
        return self

    def facts(self) -> dict[str, Any]:
        """Return nothing: the files say it all."""
        return {}

    def inputs(self) -> tuple[Path, ...]:
        """Return the lists of labels."""
        return self._articles.inputs()

    def parts(self) -> tuple[Part, ...]:
        """Return one part a file, in the order in which NLM issued them.

        Raises:
            SourceError: patterns that match nothing, all of them listed.
        """
        files = find_files(self._params.files, self._base)
        ordered = sorted(files, key=lambda path: file_order(path.name))
        return tuple(Part(path.name, path) for path in ordered)

    def schema(self) -> pa.Schema:
        """Return the columns of an article and what the section rules derive."""
        return self._articles.schema()

    def read(self, part: Part, out: Path, schema: pa.Schema) -> PartResult:
        """Stream one file through the rules.

        Raises:
            SourceError: the file is damaged and ``on_bad_file`` is ``stop``.
        """
        try:
            return self._articles.read(part, out, schema)
        except SourceError as error:
            if self._params.on_bad_file == "stop":
                raise
            with PartWriter(part.name, out, schema) as writer:
                pass
            # The file's name alone: where it lay may not stand in an artifact.
            problem = error.message.replace(str(part.path), part.name)
            return writer.result(problem=problem)

    def merge(self, results: Sequence[PartResult]) -> dict[str, pa.Table]:
        """Decide which articles go: revised, deleted, repeated ones."""
        return self._articles.merge(results)


class Articles:
    """Files of PubMed records to items: what the sources of articles share.

    Raises:
        SourceError: ``where.years`` ends before it begins.
    """

    def __init__(self, params: ArticleParams, base: Path) -> None:
        years = params.where.years
        if years and years[0] > years[1]:
            raise SourceError(
                f"corpus.where.years: {years[0]} is after {years[1]}",
                hint=f"write [{years[1]}, {years[0]}]",
            )
        self._params = params
        labels = params.where.conclusion_labels
        self._labels = base / labels if labels else None
        self._rules: RecordRules | None = None

    def inputs(self) -> tuple[Path, ...]:
        """Return the files that say what labels mean."""
        return vocabulary_files(self._labels)

    def schema(self) -> pa.Schema:
        """Return the columns of ``ARTICLE`` and ``DERIVED``."""
        import pyarrow as pa

        return pa.schema([(column.name, arrow_type(column.type)) for column in ARTICLE + DERIVED])

    def read(self, part: Part, out: Path, schema: pa.Schema) -> PartResult:
        """Stream one file through the rules.

        Args:
            part: a file; its option ``asked`` may list PMIDs that it ought to hold.
            out: folder of the part.
            schema: what :meth:`schema` returned.

        Raises:
            SourceError: the file is damaged; nothing of it is left under ``out``.
        """
        if part.path is None:
            raise ValueError(f"part {part.name} has no file")
        with PartWriter(part.name, out, schema) as writer:
            file = read_file(
                part.path,
                batch_rows=500,
                structured_only=self._params.where.structured_only,
                rendering=self._params.rendering,
            )
            sorting = _Sorting(part.name, writer, schema, self._record_rules())
            for batch in file:
                sorting.take(batch)
            sorting.delete(file.summary.deletions)
            sorting.miss(part.options.get("asked", ""))
        return writer.result(sorting.counts)

    def merge(self, results: Sequence[PartResult]) -> dict[str, pa.Table]:
        """Decide which articles go: revised, deleted, repeated ones."""
        return merge_articles(results, self._params.dedup)

    def _record_rules(self) -> RecordRules:
        if self._rules is None:
            self._rules = RecordRules(
                where=self._params.where,
                vocabulary=load_vocabulary(self._labels),
                conclusions=self._params.conclusions,
                leak_risk=self._params.leak_risk,
                retracted=self._params.retracted,
            )
        return self._rules


class _Reject(NamedTuple):
    item_id: str | None
    reason: str
    detail: str
    year: int | None
    position: int | None


class _Sorting:
    """Sorts the records of one file into items, rejects and keys."""

    def __init__(
        self, part: str, writer: PartWriter, schema: pa.Schema, rules: RecordRules
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._part = part
        self._writer = writer
        self._schema = schema
        self._rules = rules
        self._seen: set[str] = set()

    def take(self, batch: Batch) -> None:
        """Sort a batch; each of its records becomes an item or a reject."""
        rejects: list[_Reject] = []
        kept: list[tuple[Article, Division]] = []
        keys: list[tuple[int, ...]] = []
        for position, article in zip(batch.positions, batch.articles, strict=True):
            reason, detail, division = self._judge(article)
            row, doi, title = -1, 0, 0
            if reason or division is None:
                rejects.append(_Reject(article.item_id, reason, detail, article.year, position))
            else:
                row = self._writer.rows + len(kept)
                doi, title = doi_key(article.doi), title_key(article.title)
                kept.append((article, division))
            keys += _key(article.item_id, article.version, row, position, doi, title)
        for item_id, version, year, position in batch.skipped:
            reason = "not_structured" if _is_pmid(item_id) else "no_pmid"
            rejects.append(_Reject(item_id, reason, "", year, position))
            keys += _key(item_id, version, -1, position, 0, 0)
        rejects += [_Reject(p.item_id, p.reason, "", None, p.position) for p in batch.problems]
        self._seen.update(article.item_id for article, _ in kept)
        self._write(kept, keys, sorted(rejects, key=lambda reject: reject.position or 0))

    def delete(self, pmids: Sequence[str]) -> None:
        """Note the file's deletions; they stand after its records."""
        self.counts["deletions"] += len(pmids)
        numbers = [int(pmid) for pmid in pmids if _is_pmid(pmid)]
        none = [-1] * len(numbers)
        self._writer.keys({"key": numbers, "version": none, "row": none})

    def miss(self, asked: str) -> None:
        """Reject the PMIDs that were asked for and did not come back."""
        missing = [pmid for pmid in asked.split(",") if pmid and pmid not in self._seen]
        self._reject([_Reject(pmid, "not_returned", "", None, None) for pmid in missing])

    def _judge(self, article: Article) -> tuple[str, str, Division | None]:
        if not _is_pmid(article.item_id):
            return "no_pmid", f"not a number: {article.item_id[:40]}", None
        verdict = apply_rules(article, self._rules)
        self.counts.update(verdict.notes)
        return verdict.reason, verdict.detail, verdict.division

    def _write(
        self,
        kept: Sequence[tuple[Article, Division]],
        keys: Sequence[tuple[int, ...]],
        rejects: Sequence[_Reject],
    ) -> None:
        if kept:
            self._writer.items(self._items(kept))
        if keys:
            names = ("key", "version", "row", "position", "doi", "title")
            self._writer.keys(dict(zip(names, zip(*keys, strict=True), strict=True)))
        self._reject(rejects)

    def _items(self, kept: Sequence[tuple[Article, Division]]) -> pa.RecordBatch:
        import pyarrow as pa

        articles = Batch(articles=[article for article, _ in kept]).to_arrow()
        derived = [
            pa.array(
                [getattr(division, column.name) for _, division in kept], arrow_type(column.type)
            )
            for column in DERIVED
        ]
        return pa.RecordBatch.from_arrays([*articles.columns, *derived], schema=self._schema)

    def _reject(self, rejects: Sequence[_Reject]) -> None:
        self._seen.update(reject.item_id for reject in rejects if reject.item_id)
        self._writer.rejects(
            [{**reject._asdict(), "source_file": self._part} for reject in rejects]
        )


def _key(item_id: str, *columns: int) -> list[tuple[int, ...]]:
    return [(int(item_id), *columns)] if _is_pmid(item_id) else []


def _is_pmid(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19
