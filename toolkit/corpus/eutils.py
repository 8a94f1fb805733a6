"""Build a corpus from one PubMed query, through NCBI's E-utilities."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.corpus.eutils_client import MAX_RECORDS, Client, Search
from toolkit.corpus.pubmed_xml import ArticleParams, Articles
from toolkit.corpus.source import Part, PartResult
from toolkit.errors import MissingError, SourceError
from toolkit.store.atomic import replacing, write_json
from toolkit.store.canonical import digest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Eutils", "fetch_file"]

_TOOL: Final = "leaderboard-toolkit"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Params(ArticleParams):
    query: str = field(metadata={"about": "what to search, in PubMed's search language"})
    max_records: int = field(
        default=MAX_RECORDS,
        metadata={
            "about": "refuse a query that finds more",
            "minimum": 1,
            "maximum": MAX_RECORDS,
        },
    )
    api_key_env: str | None = field(
        default=None,
        metadata={
            "about": "variable of an NCBI key: 10 requests a second, not 3",
            "cosmetic": True,
        },
    )
    email_env: str | None = field(
        default=None,
        metadata={"about": "variable of an address NCBI can write to", "cosmetic": True},
    )
    batch: int = field(
        default=200, metadata={"about": "records of one request", "minimum": 1, "maximum": 500}
    )
    timeout_s: float = field(
        default=60.0,
        metadata={"about": "seconds without a byte before a request fails", "cosmetic": True},
    )
    base_url: str = field(
        default="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
        metadata={"about": "address of the service", "cosmetic": True},
    )


class Eutils:
    """The records that one PubMed query finds.

    ``resolve`` searches once and keeps the PMIDs in the cache, so a run that is resumed works
    on the same records; delete the folder to search again. Fetched batches are kept as XML.
    """

    name: ClassVar[str] = "eutils"
    version: ClassVar[int] = 1
    remote: ClassVar[bool] = True
    Params: ClassVar[type] = _Params

    def __init__(self, params: _Params, base: Path) -> None:
        self._params = params
        self._base = base
        self._articles = Articles(params, base)
        self._search: Search | None = None
        self._folder: Path | None = None

    def resolve(self, cache: Path, secrets: Mapping[str, str]) -> Eutils:
        """Search and fetch what the cache does not hold yet.

        Raises:
            MissingError: a named environment variable is unset.
            SourceError: the query finds nothing or too much, or is refused.
            RunError: NCBI cannot be reached; what was fetched is kept.
        """
        folder = cache / f"query-{digest(self.asks())[:16]}"
        identity = _identity(self._params, secrets)
        with Client(self._params.base_url, identity, timeout_s=self._params.timeout_s) as client:
            search = _searched(client, folder / "search.json", self._params)
            for name, ids in _batches(search, self._params.batch):
                if not (folder / name).is_file():
                    fetch_file(client, ids, folder / name)
        resolved = Eutils(self._params, self._base)
        resolved._search, resolved._folder = search, folder
        return resolved

    def asks(self) -> dict[str, Any]:
        """Return the query and how it is fetched; the rules look at what came back."""
        params = self._params
        return {"query": params.query, "max_records": params.max_records, "batch": params.batch}

    def facts(self) -> dict[str, Any]:
        """Return the query as PubMed understood it and which PMIDs it found."""
        search = self._searched()
        return {
            "query": self._params.query,
            "translation": search.translation,
            "not_found": list(search.not_found),
            "records": len(search.ids),
            "ids_sha256": digest(list(search.ids)),
        }

    def inputs(self) -> tuple[Path, ...]:
        """Return the lists of labels."""
        return self._articles.inputs()

    def parts(self) -> tuple[Part, ...]:
        """Return one part a batch; its options hold the PMIDs asked for.

        Raises:
            SourceError: the source was not resolved.
        """
        search, folder = self._searched(), self._folder
        return tuple(
            Part(name, folder / name if folder else None, {"asked": ",".join(ids)})
            for name, ids in _batches(search, self._params.batch)
        )

    def schema(self) -> pa.Schema:
        """Return the columns of an article and what the section rules derive."""
        return self._articles.schema()

    def read(self, part: Part, out: Path, schema: pa.Schema) -> PartResult:
        """Read one batch; a PMID that PubMed did not return is a reject ``not_returned``."""
        return self._articles.read(part, out, schema)

    def merge(self, results: Sequence[PartResult]) -> dict[str, pa.Table]:
        """Decide which articles go: lower versions, repeated DOIs and titles."""
        return self._articles.merge(results)

    def _searched(self) -> Search:
        if self._search is None:
            raise SourceError(
                f"the query was not run yet: {self._params.query}", hint="`toolkit run` runs it"
            )
        return self._search


def _identity(params: _Params, secrets: Mapping[str, str]) -> dict[str, str]:
    identity = {"tool": _TOOL}
    for name, variable in (("api_key", params.api_key_env), ("email", params.email_env)):
        if variable is None:
            continue
        if not secrets.get(variable):
            raise MissingError(
                f"the environment variable {variable} is not set",
                hint=f"set it, or leave `{name}_env` out of the recipe",
            )
        identity[name] = secrets[variable]
    return identity


def _searched(client: Client, path: Path, params: _Params) -> Search:
    if path.is_file():
        saved = json.loads(path.read_text(encoding="utf-8"))
        return Search(tuple(saved["ids"]), saved["translation"], tuple(saved["not_found"]))
    search = client.search(params.query, params.max_records)
    write_json(
        path,
        {
            "query": params.query,
            "ids": list(search.ids),
            "translation": search.translation,
            "not_found": list(search.not_found),
        },
    )
    return search


def _batches(search: Search, size: int) -> list[tuple[str, tuple[str, ...]]]:
    starts = range(0, len(search.ids), size)
    return [
        (f"efetch-{number:05d}.xml", search.ids[start : start + size])
        for number, start in enumerate(starts)
    ]


def fetch_file(client: Client, ids: Sequence[str], path: Path) -> None:
    """Fetch records into an XML file; PMIDs that PubMed does not return are left out of it.

    Raises:
        RunError: NCBI cannot be reached.
    """
    from lxml import etree

    records, _ = client.fetch(ids)
    # However many requests it took, the file holds the records in the order asked.
    root = etree.Element("PubmedArticleSet")
    for pmid in ids:
        if pmid in records:
            record = records[pmid]
            record.tail = "\n"
            root.append(record)
    with replacing(path) as temporary:
        temporary.write_bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8"))
