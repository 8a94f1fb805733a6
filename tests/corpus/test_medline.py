import gzip
import hashlib
import random
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolkit.corpus.medline import Problem, Skipped, file_order, read_file
from toolkit.corpus.wellformed import ElementsOnly
from toolkit.errors import SourceError

SHARED = Path(__file__).resolve().parents[3] / "shared"
SUBSET = SHARED / "data" / "pubmed21n1298.subset.xml.gz"
needs_subset = pytest.mark.skipif(not SUBSET.is_file(), reason="../shared/data is not here")

HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet PUBLIC '
    '"-//NLM//DTD X//EN" "https://dtd.nlm.nih.gov/x.dtd">\n'
)


def record(pmid, abstract="", *, year="<Year>2020</Year>", tail=""):
    head = f'<PMID Version="1">{pmid}</PMID>' if pmid else ""
    inner = f"<Abstract>{abstract}</Abstract>" if abstract else ""
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">{head}<Article '
        f'PubModel="Print"><Journal><JournalIssue><PubDate>{year}</PubDate></JournalIssue>'
        f"<Title>J</Title></Journal><ArticleTitle>T é {pmid}.</ArticleTitle>{inner}"
        f"<Language>eng</Language></Article>{tail}</MedlineCitation></PubmedArticle>"
    )


LABELLED = '<AbstractText Label="RESULTS">r</AbstractText>'
PLAIN = "<AbstractText>Labels are discussed.</AbstractText>"
BOOK = (
    '<PubmedBookArticle><BookDocument><PMID Version="1">900</PMID><Abstract>'
    '<AbstractText Label="X">b</AbstractText></Abstract></BookDocument></PubmedBookArticle>'
)
OTHER = '<OtherAbstract Type="Publisher"><AbstractText Label="A">o</AbstractText></OtherAbstract>'
COMMENT = '<!-- <PubmedArticle><AbstractText Label="NO"></PubmedArticle> -->'
RECORDS = [
    record(1, LABELLED),
    record(2, PLAIN),
    BOOK,
    record(3),
    record(4, tail=OTHER),
    record(None, LABELLED),
    record(5, f"<AbstractText>a</AbstractText>{COMMENT}{LABELLED}"),
    record(6, "<AbstractText><![CDATA[</PubmedArticle><AbstractText Label='x'>]]></AbstractText>"),
    record(9, f"{LABELLED}<?pmcsd </PubmedArticle>?>", tail="<?pmcsd?>"),
    record(7, PLAIN, year="<MedlineDate>Summer 2016</MedlineDate>"),
    record(None),
    record(8, '<AbstractText Label="">e</AbstractText>'),
]
DELETED = (
    '<DeleteCitation><PMID Version="1">20</PMID>\n<PMID Version="1">21</PMID></DeleteCitation>'
)
BODY = "\n".join(RECORDS)
WHOLE = f"{HEAD}<PubmedArticleSet>\n{BODY}\n{DELETED}</PubmedArticleSet>\n".encode()


def write(tmp_path, content, name="pubmed21n0001.xml"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def exhaust(path, **options):
    reading = read_file(path, **options)
    batches = list(reading)
    return batches, reading.summary


def gathered(batches, name):
    return [row for batch in batches for row in getattr(batch, name)]


def test_every_record_ends_in_one_list(tmp_path):
    batches, summary = exhaust(write(tmp_path, WHOLE), batch_rows=2)
    found = gathered(batches, "articles")
    assert [article.item_id for article in found] == list("123456978")
    assert gathered(batches, "positions") == [0, 1, 3, 4, 6, 7, 8, 9, 11]
    assert gathered(batches, "problems") == [
        Problem("book", "900", 2),
        Problem("no_pmid", None, 5),
        Problem("no_pmid", None, 10),
    ]
    assert found[5].sections[0].text == "</PubmedArticle><AbstractText Label='x'>"
    assert (summary.records, summary.articles, summary.books, summary.without_pmid) == (12, 9, 1, 2)
    assert summary.deletions == ("20", "21")
    assert summary.bytes == summary.stored_bytes == len(WHOLE)
    assert summary.sha256 == hashlib.sha256(WHOLE).hexdigest()


def test_structured_only_passes_over_the_others_and_names_them(tmp_path):
    batches, summary = exhaust(write(tmp_path, WHOLE), structured_only=True)
    assert [article.item_id for article in gathered(batches, "articles")] == ["1", "5", "9"]
    assert gathered(batches, "skipped") == [
        Skipped("2", 1, 2020, 1),
        Skipped("3", 1, 2020, 3),
        Skipped("4", 1, 2020, 4),
        Skipped("6", 1, 2020, 7),
        Skipped("7", 1, 2016, 9),
        Skipped("8", 1, 2020, 11),
    ]
    assert (summary.records, summary.skipped_unstructured, summary.without_pmid) == (12, 6, 2)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, len(WHOLE) - 1), max_size=8), structured=st.booleans())
def test_where_blocks_are_cut_changes_nothing(tmp_path, cuts, structured):
    # Each gzip member is a block of its own.
    edges = [0, *sorted(cuts), len(WHOLE)]
    members = [gzip.compress(WHOLE[first:last]) for first, last in pairwise(edges)]
    cut = exhaust(write(tmp_path, b"".join(members), "cut.xml"), structured_only=structured)
    whole = exhaust(write(tmp_path, WHOLE, "cut.xml"), structured_only=structured)
    assert cut[0] == whole[0]
    assert cut[1].deletions == whole[1].deletions


@given(st.data())
def test_constructs_vanish_wherever_a_block_is_cut(data):
    source = b"<a>x<!-- <b> -->y<![CDATA[<&]]>z<?pi <c>?><![CDATA[<!-- in -->]]></a>"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(source)), max_size=6)))
    edges = [0, *cuts, len(source)]
    blocks = [source[first:last] for first, last in pairwise(edges)]
    assert b"".join(ElementsOnly(blocks, "f")) == b"<a>xy&lt;&amp;z&lt;!-- in --></a>"


@needs_subset
def test_both_paths_give_the_same_records_of_a_real_file():
    full, _ = exhaust(SUBSET)
    fast, summary = exhaust(SUBSET, structured_only=True)
    wanted = [article for article in gathered(full, "articles") if article.structured]
    assert gathered(fast, "articles") == wanted
    assert len(wanted) > 6000
    rest = {
        (article.item_id, article.version, article.year)
        for article in gathered(full, "articles")
        if not article.structured
    }
    assert {row[:3] for row in gathered(fast, "skipped")} == rest
    assert summary.skipped_unstructured == summary.records - len(wanted)


@needs_subset
def test_real_files_of_every_origin_are_read():
    for path in sorted((SHARED / "data").glob("*/*.xml*")):
        if path.parent.name in ("medic", "jcore", "fatcat", "pmparser", "biopython"):
            continue
        batches, summary = exhaust(path)
        assert summary.records == sum(len(batch) for batch in batches), path.name


@needs_subset
def test_the_sample_without_a_pmid_is_a_listed_problem():
    batches, summary = exhaust(SHARED / "data" / "fatcat" / "pubmedsample_no_pmid_2019.xml.gz")
    assert gathered(batches, "problems") == [Problem("no_pmid", None, 0)]
    assert summary.articles == 0


def test_one_article_is_a_file_too(tmp_path):
    (batch,), summary = exhaust(write(tmp_path, f"{HEAD}{COMMENT}{RECORDS[0]}".encode()))
    assert batch.articles[0].item_id == "1"
    assert summary.records == 1


def test_two_gzip_members_are_one_file(tmp_path):
    content = gzip.compress(WHOLE[:700]) + gzip.compress(WHOLE[700:])
    _, summary = exhaust(write(tmp_path, content, "no_gz_in_the_name.xml"))
    assert (summary.articles, summary.bytes) == (9, len(WHOLE))


ZIPPED = gzip.compress(WHOLE)


@pytest.mark.parametrize("structured", [False, True])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        *[(ZIPPED[: len(ZIPPED) * tenth // 10], "too early") for tenth in range(1, 10)],
        (ZIPPED[:-1], "too early"),
        (ZIPPED[:-8] + b"\x00\x00\x00\x00" + ZIPPED[-4:], "damaged gzip"),
        (ZIPPED[:-4] + b"\x00\x00\x00\x00", "damaged gzip"),
        (ZIPPED + b"junk", "follows the gzip data"),
        (ZIPPED + b"\x1f", "follows the gzip data"),
        (b"", "empty"),
        (b"PK\x03\x04 not xml", "not well-formed"),
        (b"<html><body>Not found</body></html>", "root element is <html>"),
        (WHOLE[:-20], "not well-formed"),
        (WHOLE[:900], "not well-formed"),
        (WHOLE + b"<x/>", "not well-formed"),
        (WHOLE.replace(b"</Journal>", b"", 1), "not well-formed.*byte"),
        (WHOLE.replace(b"</PubmedArticle>", b"", 1), "not well-formed|pair up"),
        (WHOLE.replace(b"</PubmedArticle>", b"</PubmedArticle >", 1), "pair up"),
        (WHOLE.replace("é".encode(), b"\xe9", 1), "not well-formed.*byte"),
        (WHOLE.replace(b">r<", b">\x00<", 1), "not well-formed"),
        (WHOLE.replace(b">r<", b">\x0b<", 1), "not well-formed"),
        (WHOLE.replace(b">r<", b">&nbsp;<", 1), "undefined entity"),
        (WHOLE.replace(b">r<", b">&#0;<", 1), "not well-formed"),
        (WHOLE.replace(b'"utf-8"', b'"latin-1"'), "encoding label"),
        (WHOLE.replace(b'"utf-8"', b'"iso-8859-1"'), "encoding label"),
        (WHOLE.decode().encode("utf-16"), "not UTF-8"),
        (WHOLE.replace(b"<PubmedArticleSet>\n", b"<PubmedArticleSet>\n<Odd/>"), "unexpected"),
        (
            b'<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><PubmedArticleSet>&b;'
            b"</PubmedArticleSet>",
            "entities",
        ),
        (
            b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><PubmedArticleSet>&x;'
            b"</PubmedArticleSet>",
            "entities",
        ),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path, content, message, structured):
    path = write(tmp_path, content, "bad.xml.gz")
    reading = read_file(path, structured_only=structured)
    with pytest.raises(SourceError, match=message) as caught:
        list(reading)
    assert str(path) in caught.value.message
    assert caught.value.hint
    with pytest.raises(RuntimeError):
        _ = reading.summary


def test_an_error_says_where(tmp_path):
    broken = WHOLE.replace(b"T \xc3\xa9 7.", b"T <i> 7.", 1)
    with pytest.raises(SourceError) as caught:
        exhaust(write(tmp_path, broken))
    at = broken.index(b"T <i> 7.")
    line = broken[:at].count(b"\n") + 1
    assert f"line {line}, after PMID 7" in caught.value.message


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(ZIPPED) - 1), st.integers(1, 255))
def test_a_changed_byte_is_never_read_as_other_records(tmp_path, position, change):
    damaged = bytearray(ZIPPED)
    damaged[position] ^= change
    path = write(tmp_path, bytes(damaged), "x.xml.gz")
    try:
        batches, _ = exhaust(path)
    except SourceError:
        return
    # Only a byte of the gzip header, which holds no data, may change without harm.
    assert position < 10
    assert len(gathered(batches, "articles")) == 9


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.booleans(), st.booleans())
def test_any_bytes_are_read_or_refused(tmp_path, junk, zipped, structured):
    content = gzip.compress(junk) if zipped else junk
    with pytest.raises(SourceError):
        exhaust(write(tmp_path, content, "junk.xml"), structured_only=structured)


@pytest.mark.parametrize("form", ["MD5(pubmed21n0001.xml.gz)= {}\n", "{}  pubmed21n0001.xml.gz\n"])
def test_a_published_md5_is_compared(tmp_path, form):
    path = write(tmp_path, ZIPPED, "pubmed21n0001.xml.gz")
    beside = tmp_path / "pubmed21n0001.xml.gz.md5"
    beside.write_text(form.format(hashlib.md5(ZIPPED).hexdigest()))
    exhaust(path)
    beside.write_text(form.format(hashlib.md5(b"other").hexdigest()))
    with pytest.raises(SourceError, match="MD5"):
        exhaust(path)
    beside.write_text("nothing")
    with pytest.raises(SourceError, match="no MD5"):
        exhaust(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        exhaust(tmp_path / "absent.xml")


def test_files_sort_by_year_and_number_whatever_the_order_given():
    names = [
        "zeta.xml",
        "pubmed26n1335.xml.gz",
        "pubmed25n1400.xml.gz",
        "pubmed26n0002.xml.gz",
        "alpha.xml",
        "a/pubmed26n10000.xml.gz",
    ]
    expected = [names[2], names[3], names[1], names[5], names[4], names[0]]
    for seed in range(5):
        random.Random(seed).shuffle(names)
        assert sorted(names, key=file_order) == expected


def test_a_gzip_bomb_is_refused_early(tmp_path):
    spaces = zlib.compressobj(1, wbits=31)
    bomb = b"".join(spaces.compress(b" " * (1 << 20)) for _ in range(200)) + spaces.flush()
    reading = read_file(write(tmp_path, bomb, "bomb.xml.gz"), structured_only=True)
    with pytest.raises(SourceError):
        list(reading)
    inside = gzip.compress(b"<PubmedArticleSet>" + b" " * (100 << 20), 1)
    reading = read_file(write(tmp_path, inside, "bomb.xml.gz"))
    with pytest.raises(SourceError, match="larger than 16 MiB"):
        list(reading)


@pytest.mark.parametrize("place", ["<!-- &foo; -->", "<![CDATA[&foo;]]>"])
def test_what_looks_like_an_entity_in_a_comment_or_cdata_is_text(tmp_path, place):
    sample = Path(__file__).resolve().parents[2] / "recipes" / "sample"
    source = (sample / "pubmed26n9002.xml").read_text(encoding="utf-8")
    file = tmp_path / "a.xml"
    file.write_text(source.replace("<ArticleTitle>", f"<ArticleTitle>{place}", 1), "utf-8")
    assert sum(len(batch) for batch in read_file(file)) > 0


@pytest.mark.parametrize("cut", range(1, 9))
def test_an_undefined_entity_is_found_across_blocks(cut):
    text = b"<a>fine &amp; &#181; &middot; x</a>"
    blocks = [text[k : k + cut] for k in range(0, len(text), cut)]
    with pytest.raises(SourceError, match=r"undefined entity '&middot;' \(byte 21\)"):
        b"".join(ElementsOnly(blocks, "a.xml"))
