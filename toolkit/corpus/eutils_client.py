"""Ask NCBI's E-utilities: one search, then the records in batches, strictly checked.

What comes back is untrusted: an ``<ERROR>`` inside HTTP 200, an empty body, XML cut short and
records left out all happen. A batch that does not come back whole is asked again, then halved
until the record that fails stands alone; that one is reported, never silently absent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import RunError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx2
    from lxml.etree import _Element

__all__ = ["MAX_RECORDS", "Client", "Search"]

MAX_RECORDS: Final = 9_999
"""Most records of one query: PubMed's search serves no more."""

_ATTEMPTS: Final = 3
_RETRY_STATUS: Final = frozenset({429, 500, 502, 503, 504})
_BACKOFF: Final = 0.5
_MAX_WAIT: Final = 60.0
# More unusable answers in a row than halving 500 ids down to a single bad one can bring.
_OUTAGE: Final = 30


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found.

    Attributes:
        ids: PMIDs, ascending by number.
        translation: the query as PubMed understood it.
        not_found: phrases of the query that PubMed does not know.
    """

    ids: tuple[str, ...]
    translation: str
    not_found: tuple[str, ...]


class _BadAnswer(Exception):
    """An answer that cannot be used; asking again may help."""


class Client:
    """A polite client: one request at a time, at the rate that NCBI allows.

    Use it as a context manager. Requests are POSTed, because many ids overflow a URL.
    """

    def __init__(
        self,
        base_url: str,
        identity: Mapping[str, str],
        *,
        timeout_s: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._identity = dict(identity)
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._clock = clock
        # 3 requests a second, 10 with a key (NCBI knowledge base, KA-05317).
        self._interval = 0.1 if "api_key" in identity else 1 / 3
        self._next = 0.0
        self._failures = 0
        self._http: httpx2.Client | None = None

    def __enter__(self) -> Client:
        import httpx2

        self._http = httpx2.Client(
            timeout=httpx2.Timeout(self._timeout_s, connect=10.0), follow_redirects=False
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self._http is not None:
            self._http.close()

    def search(self, query: str, most: int) -> Search:
        """Find the PMIDs of a query.

        Args:
            query: in PubMed's search language.
            most: refuse a query that finds more.

        Raises:
            SourceError: PubMed refuses the query, it finds nothing, or more than ``most``.
            RunError: no usable answer after several attempts.
        """
        form = {"db": "pubmed", "term": query, "retmode": "xml", "retmax": str(MAX_RECORDS)}
        for attempt in range(_ATTEMPTS):
            try:
                root = self._parsed_post("esearch.fcgi", form, "eSearchResult")
                return _found(root, query, most)
            except _BadAnswer as problem:
                self._give_up("the search", problem, attempt)
        raise AssertionError("the last attempt gives up")

    def fetch(self, ids: Sequence[str]) -> tuple[dict[str, _Element], tuple[str, ...]]:
        """Fetch records.

        Args:
            ids: PMIDs, at most a few hundred.

        Returns:
            Records by PMID, and the PMIDs that did not come back even when asked alone.

        Raises:
            RunError: NCBI cannot be reached, or answers nothing usable.
        """
        records: dict[str, _Element] = {}
        missing: list[str] = []
        unusable = 0
        for group, answer in self._groups(list(ids)):
            records.update(answer or {})
            missing += [pmid for pmid in group if pmid not in (answer or {})]
            unusable += answer is None
        if unusable and not records:
            raise _down("none of the records came back in a usable answer")
        return records, tuple(missing)

    def _groups(self, ids: list[str]) -> Iterator[tuple[list[str], dict[str, _Element] | None]]:
        answer = self._ask(ids)
        if len(ids) == 1:
            yield ids, answer
            return
        if answer:
            yield [pmid for pmid in ids if pmid in answer], answer
            ids = [pmid for pmid in ids if pmid not in answer]
        half = (len(ids) + 1) // 2
        for part in (ids[:half], ids[half:]):
            if part:
                yield from self._groups(part)

    def _ask(self, ids: Sequence[str]) -> dict[str, _Element] | None:
        """Return the records that one request brings, None when its answer is unusable."""
        form = {"db": "pubmed", "id": ",".join(ids), "retmode": "xml"}
        for attempt in range(_ATTEMPTS - 1):
            try:
                answer = _records(self._parsed_post("efetch.fcgi", form, "PubmedArticleSet"), ids)
            except _BadAnswer as problem:
                self._failures += 1
                if self._failures >= _OUTAGE:
                    raise _down(str(problem)) from problem
                if attempt == 0:
                    self._sleep(_BACKOFF)
            else:
                self._failures = 0
                return answer
        return None

    def _parsed_post(self, path: str, form: Mapping[str, str], root_name: str) -> _Element:
        return _parsed(self._post(path, form), root_name)

    def _give_up(self, what: str, problem: _BadAnswer, attempt: int) -> None:
        if attempt == _ATTEMPTS - 1:
            raise _down(f"no usable answer to {what}: {problem}") from problem
        self._sleep(_BACKOFF * 2.0**attempt)

    def _post(self, path: str, form: Mapping[str, str]) -> bytes:
        import httpx2

        if self._http is None:
            raise RuntimeError("the client is a context manager")
        for attempt in range(_ATTEMPTS):
            self._wait()
            try:
                answer = self._http.post(
                    f"{self._base_url}/{path}", data={**self._identity, **form}
                )
            except httpx2.ConnectError as error:
                raise _down(f"cannot be reached at {self._base_url}: {error}") from error
            except httpx2.HTTPError as error:
                raise _BadAnswer(f"{type(error).__name__}: {error}") from error
            if answer.status_code == 200:
                return answer.content
            if answer.status_code not in _RETRY_STATUS:
                raise SourceError(
                    f"E-utilities refused {path}: HTTP {answer.status_code}: {_short(answer.text)}",
                    hint="check the query, and the API key if one is named",
                )
            if attempt < _ATTEMPTS - 1:
                self._sleep(_retry_after(answer.headers.get("Retry-After"), attempt))
        raise _BadAnswer(f"HTTP {answer.status_code} after {_ATTEMPTS} attempts")

    def _wait(self) -> None:
        now = self._clock()
        if now < self._next:
            self._sleep(self._next - now)
        self._next = max(now, self._next) + self._interval


def _down(problem: str) -> RunError:
    return RunError(
        f"E-utilities: {problem}", hint="run again later; the batches fetched so far are kept"
    )


def _retry_after(header: str | None, attempt: int) -> float:
    try:
        wait = float(header or "")
    except ValueError:
        wait = _BACKOFF * 2.0**attempt
    return min(max(wait, 0.0), _MAX_WAIT)


def _parsed(body: bytes, root_name: str) -> _Element:
    from lxml import etree

    if not body.strip():
        raise _BadAnswer("an empty body")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise _BadAnswer(f"not XML: {error}; it begins {_short(body[:200])}") from error
    problem = root if root.tag == "ERROR" else root.find("ERROR")
    if problem is not None:
        raise _BadAnswer(f"an error inside HTTP 200: {_short(problem.text or '')}")
    if root.tag != root_name:
        raise _BadAnswer(f"<{root.tag}> where <{root_name}> was expected")
    return root


def _found(root: _Element, query: str, most: int) -> Search:
    count = root.findtext("Count") or ""
    ids = [node.text or "" for node in root.iterfind("IdList/Id")]
    unknown = tuple(
        node.text or ""
        for tag in ("PhraseNotFound", "FieldNotFound", "QuotedPhraseNotFound")
        for node in root.iter(tag)
    )
    if not count.isdigit() or not all(pmid.isdigit() for pmid in ids):
        raise _BadAnswer("no count, or ids that are no PMIDs")
    if int(count) > most:
        raise SourceError(
            f"the query finds {int(count):,} records, more than {most:,}: {query}",
            hint="narrow it, e.g. by date: AND 2024/01:2024/06[dp]; or read baseline files "
            "with `source: pubmed_xml`",
        )
    if int(count) == 0:
        detail = f"; PubMed does not know: {', '.join(unknown)}" if unknown else ""
        raise SourceError(f"the query finds nothing: {query}{detail}", hint="correct the query")
    if len(set(ids)) != int(count):
        raise _BadAnswer(f"{len(set(ids))} ids for a count of {count}")
    translation = root.findtext("QueryTranslation") or ""
    return Search(tuple(sorted(set(ids), key=int)), translation, unknown)


def _records(root: _Element, ids: Sequence[str]) -> dict[str, _Element]:
    asked = set(ids)
    records: dict[str, _Element] = {}
    for record in root.iterchildren("PubmedArticle", "PubmedBookArticle"):
        pmid = record.findtext("MedlineCitation/PMID") or record.findtext("BookDocument/PMID")
        if pmid not in asked:
            raise _BadAnswer(f"a record that was not asked for: PMID {pmid}")
        records[pmid] = record
    return records


def _short(text: Any) -> str:
    shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return " ".join(shown.split())[:200]
