"""A small E-utilities on 127.0.0.1 that misbehaves as the real one has been seen to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

Fault = Callable[[list[str], bytes], tuple[int, bytes] | None]


def record(pmid: str, title: str = "") -> str:
    """Return one structured record."""
    title = title or f"An invented study of the number {pmid}"
    sections = "".join(
        f'<AbstractText Label="{label}">{text}</AbstractText>'
        for label, text in (
            ("BACKGROUND", f"We counted to {pmid}."),
            ("RESULTS", "It took 10<sup>6</sup> steps."),
            ("CONCLUSION", "Counting works."),
        )
    )
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">{pmid}'
        "</PMID><Article PubModel='Print'><Journal><JournalIssue CitedMedium='Print'><PubDate>"
        "<Year>2021</Year></PubDate></JournalIssue><Title>Invented Journal</Title></Journal>"
        f"<ArticleTitle>{escape(title)}</ArticleTitle><Abstract>{sections}</Abstract>"
        "<Language>eng</Language><PublicationTypeList><PublicationType UI='D016428'>Journal "
        "Article</PublicationType></PublicationTypeList></Article><MedlineJournalInfo><MedlineTA>"
        "Inv J</MedlineTA><NlmUniqueID>1</NlmUniqueID></MedlineJournalInfo></MedlineCitation>"
        "<PubmedData><ArticleIdList><ArticleId IdType='pubmed'>"
        f"{pmid}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>"
    )


class EutilsDouble(ThreadingHTTPServer):
    """Finds ``ids`` whatever the query; ``fault`` may replace an answer of efetch."""

    daemon_threads = True

    def __init__(
        self, ids: list[str], *, count: int | None = None, fault: Fault | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ids = ids
        self.count = len(ids) if count is None else count
        self.fault = fault
        self.search_answer: bytes | None = None
        self.search_failures = 0
        self.forms: list[tuple[str, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/entrez/eutils"

    @contextmanager
    def running(self) -> Iterator[EutilsDouble]:
        thread = threading.Thread(target=self.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.shutdown()
            thread.join()
            self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: EutilsDouble

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {key: values[0] for key, values in parse_qs(raw).items()}
        tool = self.path.rsplit("/", 1)[-1]
        self.server.forms.append((tool, form))
        code, body = self._search() if tool == "esearch.fcgi" else self._fetch(form)
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        if code != 200:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(body)

    def _search(self) -> tuple[int, bytes]:
        if self.server.search_failures:
            self.server.search_failures -= 1
            return 429, b'{"error":"API rate limit exceeded"}'
        if self.server.search_answer is not None:
            return 200, self.server.search_answer
        ids = "".join(f"<Id>{pmid}</Id>" for pmid in self.server.ids)
        return 200, (
            f"<eSearchResult><Count>{self.server.count}</Count><RetMax>{len(self.server.ids)}"
            f"</RetMax><RetStart>0</RetStart><IdList>{ids}</IdList><TranslationSet/>"
            '<QueryTranslation>"counting"[All Fields]</QueryTranslation><ErrorList>'
            "<PhraseNotFound>xyzzy</PhraseNotFound></ErrorList></eSearchResult>"
        ).encode()

    def _fetch(self, form: dict[str, str]) -> tuple[int, bytes]:
        ids = form["id"].split(",")
        whole = self.articles(ids)
        return (self.server.fault and self.server.fault(ids, whole)) or (200, whole)

    @staticmethod
    def articles(ids: list[str]) -> bytes:
        inside = "".join(record(pmid) for pmid in ids)
        return (
            '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle,'
            ' 1st January 2025//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
            f"<PubmedArticleSet>{inside}</PubmedArticleSet>"
        ).encode()
