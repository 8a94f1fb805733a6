from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.corpus.eutils_double import EutilsDouble, Fault
from toolkit.corpus.eutils import Eutils
from toolkit.corpus.eutils_client import MAX_RECORDS, Client
from toolkit.corpus.source import RemoteSource
from toolkit.errors import MissingError, RunError, SourceError

IDS = [str(900 + n) for n in range(8)]


def build(
    server: EutilsDouble, cache: Path, secrets: dict[str, str] | None = None, **params: Any
) -> tuple[list[str], list[tuple[str, str]], Eutils]:
    # A named key raises the rate, so that tests wait less.
    params = {"query": "counting", "api_key_env": "KEY", "base_url": server.url, **params}
    source = Eutils(Eutils.Params(**params), cache).resolve(cache, secrets or {"KEY": "k-123"})
    schema = source.schema()
    items: list[str] = []
    rejects: list[tuple[str, str]] = []
    for part in source.parts():
        result = source.read(part, cache / "out" / part.name, schema)
        items += pq.read_table(result.items)["item_id"].to_pylist()
        table = pq.read_table(result.rejects)
        rejects += zip(table["item_id"].to_pylist(), table["reason"].to_pylist(), strict=True)
    return items, rejects, source


def test_a_query_becomes_items_and_a_second_run_asks_nothing(tmp_path: Path) -> None:
    with EutilsDouble(list(reversed(IDS))).running() as server:
        items, rejects, source = build(server, tmp_path, batch=3)
        assert items == IDS
        assert rejects == []
        assert isinstance(source, RemoteSource)
        facts = source.facts()
        assert facts["records"] == 8
        assert facts["translation"] == '"counting"[All Fields]'
        assert facts["not_found"] == ["xyzzy"]
        tools = [tool for tool, _ in server.forms]
        assert tools == ["esearch.fcgi"] + ["efetch.fcgi"] * 3
        assert all(form["tool"] and form["api_key"] == "k-123" for _, form in server.forms)
        assert server.forms[0][1]["term"] == "counting"
        asked = len(server.forms)
        again, _, same = build(server, tmp_path, batch=3)
        assert (again, same.facts()) == (items, facts)
        assert len(server.forms) == asked
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"k-123" in path.read_bytes() for path in kept)


def unhurried(server: EutilsDouble) -> Client:
    return Client(server.url, {"tool": "t"}, sleep=lambda _: None)


def spoil(pmid: str, answer: bytes | None) -> Fault:
    """Spoil every answer that one record is part of: by these bytes, or by leaving it out."""

    def fault(ids: list[str], whole: bytes) -> tuple[int, bytes] | None:
        if pmid not in ids:
            return None
        if answer is None:
            from tests.corpus.eutils_double import _Handler

            return 200, _Handler.articles([other for other in ids if other != pmid])
        return 200, answer or whole[: len(whole) // 2]

    return fault


def test_a_record_left_out_becomes_a_reject(tmp_path: Path) -> None:
    with EutilsDouble(IDS, fault=spoil("905", None)).running() as server:
        items, rejects, _ = build(server, tmp_path)
    assert items == [pmid for pmid in IDS if pmid != "905"]
    assert rejects == [("905", "not_returned")]


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b" \n",
        b"<PubmedArticleSet><ERROR>cannot get document summary</ERROR></PubmedArticleSet>",
        b"<ERROR>Empty result</ERROR>",
        b"<html><body>Sorry</body></html>",
        b'{"error": "no"}',
    ],
    ids=["cut", "blank", "error inside", "error root", "html", "json"],
)
def test_one_bad_record_costs_only_itself(answer: bytes) -> None:
    with (
        EutilsDouble(IDS, fault=spoil("905", answer)).running() as server,
        unhurried(server) as client,
    ):
        records, missing = client.fetch(IDS)
    assert sorted(records) == [pmid for pmid in IDS if pmid != "905"]
    assert missing == ("905",)


def test_a_passing_fault_leaves_no_trace(tmp_path: Path) -> None:
    answers = [b"", b"<PubmedArticleSet>"]

    def fault(ids: list[str], whole: bytes) -> tuple[int, bytes] | None:
        return (200, answers.pop()) if answers else None

    with EutilsDouble(IDS).running() as server:
        calm = build(server, tmp_path / "calm")[:2]
    with EutilsDouble(IDS, fault=fault).running() as server:
        server.search_failures = 1
        assert build(server, tmp_path / "shaky")[:2] == calm
    files = [sorted((tmp_path / name).glob("query-*/*.xml")) for name in ("calm", "shaky")]
    assert [f.read_bytes() for f in files[0]] == [f.read_bytes() for f in files[1]]


def test_a_record_nobody_asked_for_is_not_believed(tmp_path: Path) -> None:
    def fault(ids: list[str], whole: bytes) -> tuple[int, bytes]:
        return 200, whole.replace(ids[0].encode(), b"1")

    with (
        EutilsDouble(IDS[:2], fault=fault).running() as server,
        pytest.raises(RunError, match="none of the records"),
    ):
        build(server, tmp_path)


@pytest.mark.parametrize("code", [500, 503])
def test_an_outage_stops_the_run_and_what_was_fetched_is_kept(tmp_path: Path, code: int) -> None:
    down = True

    def fault(ids: list[str], whole: bytes) -> tuple[int, bytes] | None:
        return (code, b"down") if down and "902" in ids else None

    with EutilsDouble(IDS[:3], fault=fault).running() as server, pytest.raises(RunError) as caught:
        build(server, tmp_path, batch=2)
        assert "kept" in caught.value.hint
        assert [path.name for path in tmp_path.rglob("efetch-*")] == ["efetch-00000.xml"]
        down = False
        asked = len(server.forms)
        assert build(server, tmp_path, batch=2)[0] == IDS[:3]
        assert [form["id"] for _, form in server.forms[asked:]] == ["902"]


def test_nobody_there_is_said(tmp_path: Path) -> None:
    with EutilsDouble(IDS).running() as server:
        pass
    with pytest.raises(RunError, match="cannot be reached"):
        build(server, tmp_path)


def test_too_many_hits_are_counted_and_refused(tmp_path: Path) -> None:
    with (
        EutilsDouble(IDS, count=123_456).running() as server,
        pytest.raises(SourceError, match="123,456 records") as caught,
    ):
        build(server, tmp_path)
    assert "narrow" in caught.value.hint
    assert not list(tmp_path.rglob("*.json"))
    with (
        EutilsDouble(IDS).running() as server,
        pytest.raises(SourceError, match="8 records, more than 7"),
    ):
        build(server, tmp_path, max_records=7)
    assert MAX_RECORDS == 9_999


def test_a_query_that_finds_nothing_names_the_phrases(tmp_path: Path) -> None:
    with EutilsDouble([]).running() as server, pytest.raises(SourceError, match="xyzzy"):
        build(server, tmp_path)


@pytest.mark.parametrize(
    "answer",
    [
        b"<eSearchResult><ERROR>Search Backend failed</ERROR></eSearchResult>",
        b"<eSearchResult><Count>2</Count><IdList><Id>1</Id></IdList></eSearchResult>",
        b"<eSearchResult><Count>1</Count><IdList><Id>../1</Id></IdList></eSearchResult>",
        b"",
    ],
)
def test_an_unsound_search_is_never_a_smaller_corpus(answer: bytes) -> None:
    with EutilsDouble(IDS).running() as server:
        server.search_answer = answer
        with unhurried(server) as client, pytest.raises(RunError, match="no usable answer"):
            client.search("counting", 10)


@pytest.mark.parametrize(
    ("identity", "interval"), [({"tool": "t"}, 1 / 3), ({"tool": "t", "api_key": "k"}, 0.1)]
)
def test_requests_are_spaced_as_ncbi_asks(identity: dict[str, str], interval: float) -> None:
    waits: list[float] = []
    with (
        EutilsDouble(IDS[:1]).running() as server,
        Client(server.url, identity, sleep=waits.append, clock=lambda: 0.0) as client,
    ):
        for _ in range(4):
            client.fetch(IDS[:1])
    # The clock stands still, so each request has to wait for one interval more.
    assert waits == pytest.approx([interval, 2 * interval, 3 * interval])


def test_an_unset_variable_is_named(tmp_path: Path) -> None:
    params = Eutils.Params(query="q", api_key_env="KEY", email_env="MAIL")
    with pytest.raises(MissingError, match="KEY"):
        Eutils(params, tmp_path).resolve(tmp_path, {})
    with pytest.raises(MissingError, match="MAIL"):
        Eutils(params, tmp_path).resolve(tmp_path, {"KEY": "k"})
    with pytest.raises(SourceError, match="not run yet"):
        Eutils(params, tmp_path).parts()
