from __future__ import annotations

import gzip
import hashlib
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.corpus.eutils_double import record
from toolkit.corpus.funnel import Funnel, part_funnel
from toolkit.corpus.pubmed_xml import PubmedXml
from toolkit.corpus.rules import RULES
from toolkit.corpus.source import Source, dropped, surviving
from toolkit.errors import SourceError

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SUBSET = SHARED / "pubmed21n1298.subset.xml.gz"


def build(folder: Path, out: Path, **params: Any) -> tuple[list[dict[str, Any]], Funnel, list[Any]]:
    source = PubmedXml(PubmedXml.Params(**params), folder)
    schema = source.schema()
    results = [source.read(part, out / part.name, schema) for part in source.parts()]
    drops = source.merge(results)
    items, rejects, funnel = [], [], Funnel()
    for result in results:
        for batch in surviving(result, drops.get(result.part)):
            assert batch.schema == schema
            items += batch.to_pylist()
        for table in (pq.read_table(result.rejects), dropped(result, drops.get(result.part))):
            rejects += table.to_pylist()
        funnel += part_funnel(result, drops.get(result.part))
    assert funnel.read == len(items) + len(rejects) == sum(r.rows + r.rejected for r in results)
    return items, funnel, rejects


def xml(*records: str, deleted: Iterable[str] = ()) -> bytes:
    gone = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deleted)
    tail = f"<DeleteCitation>{gone}</DeleteCitation>" if gone else ""
    return f"<PubmedArticleSet>{''.join(records)}{tail}</PubmedArticleSet>".encode()


def files(folder: Path) -> None:
    """Three files whose order by name of the year and number differs from that of the alphabet."""
    (folder / "pubmed25n0002.xml.gz").write_bytes(
        gzip.compress(xml(record("1"), record("2"), record("3"), record("4", "Short title")))
    )
    (folder / "pubmed25n0010.xml").write_bytes(
        xml(record("1", "A revised title of the first record"), deleted=["2", "77"])
    )
    (folder / "pubmed26n0001.xml").write_bytes(
        xml(
            record("5", "An invented study of the number 3"), record("2").replace("CONCLUSION", "X")
        )
    )


def test_updates_deletions_and_duplicates(tmp_path: Path) -> None:
    files(tmp_path)
    items, funnel, rejects = build(tmp_path, tmp_path / "out", files=("pubmed*",))
    assert [(item["item_id"], item["source_file"]) for item in items] == [
        ("3", "pubmed25n0002.xml.gz"),
        ("4", "pubmed25n0002.xml.gz"),
        ("1", "pubmed25n0010.xml"),
    ]
    assert items[2]["title"] == "A revised title of the first record"
    assert items[0]["input"] == "BACKGROUND: We counted to 3.\nRESULTS: It took 10^6 steps."
    assert items[0]["conclusion"] == "Counting works."
    assert items[0]["conclusion_labels"] == ["CONCLUSION"]
    gone = [
        (r["item_id"], r["reason"], r["detail"], r["source_file"], r["position"]) for r in rejects
    ]
    assert gone == [
        ("1", "replaced_by_revision", "", "pubmed25n0002.xml.gz", 0),
        ("2", "deleted", "", "pubmed25n0002.xml.gz", 1),
        ("2", "no_conclusion", "", "pubmed26n0001.xml", 1),
        ("5", "duplicate_title", "of 3", "pubmed26n0001.xml", 0),
    ]
    assert funnel.counts["deletions"] == 2
    assert [step.remaining for step in funnel.steps(list(RULES))] == [7, 6, 5, 4, 3, 3]


def test_argument_order_changes_no_byte(tmp_path: Path) -> None:
    files(tmp_path)
    names = sorted(path.name for path in tmp_path.glob("pubmed*"))
    digests = set()
    for seed in range(3):
        random.Random(seed).shuffle(names)
        out = tmp_path / f"out{seed}"
        kept = build(tmp_path, out, files=tuple(names))
        tree = [
            (str(path.relative_to(out)), hashlib.sha256(path.read_bytes()).hexdigest())
            for path in sorted(out.rglob("*.parquet"))
        ]
        digests.add(repr((tree, kept)))
    assert len(digests) == 1


def test_paper_rendering_and_leak_policies(tmp_path: Path) -> None:
    leaky = record("1").replace(
        "</Abstract>", '<AbstractText Label="IMPACT">Big.</AbstractText></Abstract>'
    )
    (tmp_path / "a.xml").write_bytes(xml(leaky))
    kept = build(tmp_path, tmp_path / "1", files=("a.xml",), rendering="paper")[0][0]
    assert "106 steps" in kept["input"]
    assert (kept["leak_risk"], kept["leak_labels"]) == (True, ["IMPACT"])
    dropped_ = build(tmp_path, tmp_path / "2", files=("a.xml",), leak_risk="drop")[0][0]
    assert "IMPACT" not in dropped_["input"]
    assert (dropped_["leak_risk"], dropped_["leak_labels"]) == (False, ["IMPACT"])
    items, _, rejects = build(tmp_path, tmp_path / "3", files=("a.xml",), leak_risk="reject")
    assert (items, rejects[0]["reason"], rejects[0]["detail"]) == ([], "leak_risk", "IMPACT")


def test_own_labels_are_an_input_and_relative_to_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("RESULTS\n", encoding="utf-8")
    (tmp_path / "a.xml").write_bytes(xml(record("1")))
    params = PubmedXml.Params(files=("a.xml",), where=_where(conclusion_labels="labels.txt"))
    source = PubmedXml(params, tmp_path)
    assert isinstance(source, Source)
    assert source.inputs()[0] == tmp_path / "labels.txt"
    items, _, _ = build(tmp_path, tmp_path / "out", files=("a.xml",), where=params.where)
    assert items[0]["conclusion"] == "It took 10^6 steps."
    assert items[0]["leak_risk"]


def _where(**values: Any) -> Any:
    from toolkit.corpus.rules import Where

    return Where(**values)


def test_a_damaged_file_stops_or_is_skipped_as_a_whole(tmp_path: Path) -> None:
    files(tmp_path)
    whole = gzip.compress(xml(*(record(str(n)) for n in range(100, 160))))
    bad = tmp_path / "pubmed25n0003.xml.gz"
    for tenth in range(1, 10):
        bad.write_bytes(whole[: len(whole) * tenth // 10])
        with pytest.raises(SourceError, match=r"pubmed25n0003\.xml\.gz"):
            build(tmp_path, tmp_path / "stop", files=("pubmed*",))
        assert not list((tmp_path / "stop" / bad.name).glob("*"))
    items, funnel, _ = build(tmp_path, tmp_path / "skip", files=("pubmed*",), on_bad_file="skip")
    assert [item["item_id"] for item in items] == ["3", "4", "1"]
    assert list(funnel.skipped) == [bad.name]
    assert bad.name in funnel.skipped[bad.name]


def test_years_that_end_before_they_begin_are_refused(tmp_path: Path) -> None:
    params = PubmedXml.Params(files=("a.xml",), where=_where(years=(2025, 2000)))
    with pytest.raises(SourceError, match="2025 is after 2000"):
        PubmedXml(params, tmp_path)


def test_a_book_and_a_record_without_pmid_are_counted(tmp_path: Path) -> None:
    inside = "<BookDocument><PMID Version='1'>6</PMID></BookDocument>"
    book = f"<PubmedBookArticle>{inside}</PubmedBookArticle>"
    nameless = record("7").replace('<PMID Version="1">7</PMID>', "")
    (tmp_path / "a.xml").write_bytes(xml(record("1"), book, nameless, record("2")))
    items, _, rejects = build(tmp_path, tmp_path / "out", files=("a.xml",))
    assert [item["item_id"] for item in items] == ["1", "2"]
    assert sorted((r["reason"], r["item_id"], r["position"]) for r in rejects) == [
        ("book", "6", 1),
        ("no_pmid", None, 2),
    ]


def test_both_reading_paths_give_the_same_items(tmp_path: Path) -> None:
    plain = record("8").replace(' Label="', ' X="')
    (tmp_path / "a.xml").write_bytes(xml(record("1"), plain, record("3")))
    quick = build(tmp_path, tmp_path / "q", files=("a.xml",))
    slow = build(tmp_path, tmp_path / "s", files=("a.xml",), where=_where(structured_only=False))
    assert quick[0] == slow[0]
    assert [(r["item_id"], r["reason"], r["year"], r["position"]) for r in quick[2]] == [
        ("8", "not_structured", 2021, 1)
    ]
    assert quick[2] == slow[2]


needs_shared = pytest.mark.skipif(
    not SUBSET.is_file(), reason="the real update file in ../shared/data is absent"
)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Funnel, list[Any]]:
    return build(
        SHARED,
        tmp_path_factory.mktemp("real"),
        files=(SUBSET.name,),
        where=_where(language="eng", min_sections=3),
    )


@needs_shared
@pytest.mark.slow
def test_the_papers_rules_keep_what_was_counted_on_the_real_update_file(
    real: tuple[Any, Funnel, list[Any]],
) -> None:
    items, funnel, rejects = real
    assert funnel.read == 6858
    after = {step.rule: step.remaining for step in funnel.steps(list(RULES))}
    assert after["no_conclusion"] == 5710
    assert funnel.counts["leak_nlm_category"] == 265
    kept = [item["item_id"] for item in items]
    later = [
        r for r in rejects if list(RULES).index(r["reason"]) > list(RULES).index("no_conclusion")
    ]
    assert len(kept) + len(later) == 5710
    assert len(set(kept)) == len(kept)
    assert funnel.counts["label:DISCUSSION/CONCLUSION"] == 5
    assert funnel.counts["deletions"] == 20
    assert all(item["input"] and item["conclusion"] and item["title"] for item in items)


@needs_shared
@pytest.mark.slow
def test_english_as_the_only_language_on_the_real_update_file(tmp_path: Path) -> None:
    only = _where(language="eng", language_match="only")
    _, funnel, _ = build(SHARED, tmp_path, files=(SUBSET.name,), where=only)
    after = {step.rule: step.remaining for step in funnel.steps(list(RULES))}
    assert after["no_conclusion"] == 5636
