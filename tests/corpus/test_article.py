import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

from toolkit.corpus.article import Article, clean_keywords
from toolkit.corpus.article_table import to_record_batch
from toolkit.corpus.medline import read_file
from toolkit.records import ARTICLE, arrow_schema, to_arrow

SHARED = Path(__file__).resolve().parents[3] / "shared"
CASES = SHARED / "goldens" / "pubmed_cases"
DATA = SHARED / "data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not here")

RECORD = """<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">
<PMID Version="2">7</PMID><DateRevised><Year>2021</Year><Month>01</Month><Day>02</Day></DateRevised>
<Article PubModel="Print"><Journal><ISSN IssnType="Electronic">1234-5678</ISSN><JournalIssue
 CitedMedium="Internet"><Volume>3</Volume><Issue>4</Issue><PubDate><Year>2020</Year><Month>Feb</Month>
</PubDate></JournalIssue><Title>Journal &amp; Co</Title><ISOAbbreviation>J Co</ISOAbbreviation>
</Journal><ArticleTitle>[A title].</ArticleTitle>{article}</Article>
<MedlineJournalInfo><Country>X</Country><MedlineTA>J Co</MedlineTA><NlmUniqueID>0001</NlmUniqueID>
<ISSNLinking>1234-0000</ISSNLinking></MedlineJournalInfo>{tail}</MedlineCitation>
<PubmedData>{data}</PubmedData></PubmedArticle>"""


def read(tmp_path, article="", tail="", data="", **options):
    path = tmp_path / "one.xml"
    record = RECORD.format(article=article, tail=tail, data=data)
    path.write_text(f"<PubmedArticleSet>{record}</PubmedArticleSet>", encoding="utf-8")
    (found,) = articles(path, **options)
    return found


def articles(path, **options):
    return [article for batch in read_file(path, **options) for article in batch.articles]


def test_fields_are_the_declared_columns():
    assert Article._fields == tuple(column.name for column in ARTICLE)


GOLDEN = {
    "F01": ("abstract", "Rates of E. coli fell (P < 0.05) with CO2 use."),
    "F02": ("abstract", "Gene TP53R175H variant."),
    "F03": ("title", "Effect of Aspergillus in H2O on mice."),
    "F04": ("sections", [("AIM", None, "To test."), ("Conclusion", "UNASSIGNED", "It works.")]),
    "F06": ("sections", [(None, None, "Intro words."), ("CONCLUSIONS", "CONCLUSIONS", "End.")]),
    "F07": ("doi", "10.1/x"),
    "F09": ("doi", None),
    "F10": ("date", (1998, 12, None, None, "1998 Dec-1999 Jan")),
    "F11": ("date", (2016, None, None, "Summer", "Summer 2016")),
    "F12": ("date", (2001, None, None, "Fall", None)),
    "F14": ("titles", (None, "Titre en français.")),
    "F15": ("other", ([], [("Publisher", "ger", [(None, None, "Deutscher Text.")])])),
    "F17": ("abstract", "Let x^2 be given."),
    "F18": ("rights", ("Body.", "Copyright 2020 Elsevier.")),
    "F19": ("languages", ["eng", "spa"]),
    "F21": ("sections", [("RESULTS", "RESULTS", ""), ("CONCLUSIONS", "CONCLUSIONS", "C.")]),
    "F22": ("issn", (None, None, "0028-4793")),
    "F23": ("counts", (0, 1, ())),
    "F24": ("counts", (1, 0, ("303", "304"))),
}


@needs_shared
def test_the_golden_table_covers_every_case():
    assert sorted(json.loads((CASES / "expected.json").read_text())) == sorted(GOLDEN)


@needs_shared
@pytest.mark.parametrize("case", sorted(GOLDEN))
def test_golden_cases(case):
    field, expected = GOLDEN[case]
    reading = read_file(CASES / f"{case}.xml")
    found = [article for batch in reading for article in batch.articles]
    if field == "counts":
        summary = reading.summary
        assert (summary.articles, summary.books, summary.deletions) == expected
        return
    (article,) = found
    abstract = " ".join(section.text for section in article.sections)
    values = {
        "abstract": abstract,
        "date": (article.year, article.month, article.day, article.season, article.medline_date),
        "issn": (article.issn_print, article.issn_electronic, article.issn_linking),
        "other": (article.sections, article.other_abstracts),
        "rights": (abstract, article.copyright),
        "titles": (article.title, article.vernacular_title),
    }
    assert values.get(field, getattr(article, field, None)) == expected


def test_the_plain_fields(tmp_path):
    found = read(
        tmp_path,
        article="<Pagination><StartPage>5</StartPage><EndPage>9</EndPage></Pagination>"
        '<ELocationID EIdType="doi" ValidYN="N">10.9/old</ELocationID>'
        '<ELocationID EIdType="doi" ValidYN="Y">10.1/own</ELocationID>'
        '<AuthorList CompleteYN="Y"><Author><LastName>Doe</LastName></Author></AuthorList>'
        "<Language>spa</Language><Language>eng</Language><PublicationTypeList>"
        '<PublicationType UI="D1">Journal Article</PublicationType></PublicationTypeList>'
        '<ArticleDate DateType="Electronic"><Year>2019</Year><Month>12</Month><Day>31</Day>'
        "</ArticleDate>",
        tail="<MeshHeadingList><MeshHeading><DescriptorName>Mice</DescriptorName>"
        "<QualifierName>blood</QualifierName></MeshHeading></MeshHeadingList>",
    )
    assert (found.item_id, found.version, found.status) == ("7", 2, "MEDLINE")
    assert (found.title, found.journal) == ("[A title].", "Journal & Co")
    assert (found.issn_print, found.issn_electronic) == (None, "1234-5678")
    assert (found.volume, found.issue, found.pages) == ("3", "4", "5-9")
    assert (found.doi, found.languages) == ("10.1/own", ["spa", "eng"])
    assert (found.article_date, found.date_revised) == ("2019-12-31", "2021-01-02")
    assert (found.publication_types, found.mesh) == (["Journal Article"], ["Mice"])
    assert not found.retracted
    assert found.source_file == "one.xml"
    assert "Doe" not in repr(found)


def test_the_ids_of_references_are_never_the_articles_own(tmp_path):
    own = '<ArticleIdList><ArticleId IdType="pmc">PMC1</ArticleId></ArticleIdList>'
    other = (
        '<ReferenceList><Reference><ArticleIdList><ArticleId IdType="doi">10.9/other</ArticleId>'
        "</ArticleIdList></Reference><ReferenceList><Reference><ArticleIdList>"
        '<ArticleId IdType="pii">P</ArticleId></ArticleIdList></Reference></ReferenceList>'
        "</ReferenceList>"
    )
    for data in (own + other, other + own):
        found = read(tmp_path, data=data)
        assert (found.doi, found.pii, found.pmcid) == (None, None, "PMC1")
    assert read(tmp_path, data=other).doi is None


def test_a_doi_of_the_id_list_comes_first(tmp_path):
    found = read(
        tmp_path,
        article='<ELocationID EIdType="doi" ValidYN="Y">10.1/location</ELocationID>',
        data='<ArticleIdList><ArticleId IdType="doi">10.1/list</ArticleId></ArticleIdList>',
    )
    assert found.doi == "10.1/list"


@pytest.mark.parametrize(
    ("types", "corrections", "retracted"),
    [
        (["Retracted Publication"], [], True),
        (["Journal Article"], ["RetractionIn"], True),
        (["Journal Article"], ["RetractedandRepublishedIn"], True),
        (["Retraction of Publication"], ["RetractionOf", "ErratumIn"], False),
    ],
)
def test_retractions(tmp_path, types, corrections, retracted):
    listed = "".join(f"<PublicationType>{name}</PublicationType>" for name in types)
    linked = "".join(
        f'<CommentsCorrections RefType="{name}"><RefSource>R</RefSource>'
        f'<PMID Version="1">{index}</PMID></CommentsCorrections>'
        for index, name in enumerate(corrections)
    )
    found = read(
        tmp_path,
        article=f"<PublicationTypeList>{listed}</PublicationTypeList>",
        tail=f"<CommentsCorrectionsList>{linked}</CommentsCorrectionsList>" if linked else "",
    )
    assert found.retracted is retracted
    assert found.corrections == [(name, str(index)) for index, name in enumerate(corrections)]


def test_odd_but_legal_tags_are_read(tmp_path):
    found = read(
        tmp_path,
        article="<Abstract >\n<AbstractText NlmCategory = 'RESULTS'  Label='p &gt; 0.05 > 0'\n>a<"
        "!-- <AbstractText Label='x'>no</AbstractText> -->b</AbstractText>"
        '<AbstractText Label="NONE"/><AbstractText Label="C"><![CDATA[x < y & <i>z</i>]]>'
        "</AbstractText></Abstract>",
    )
    assert found.sections == [
        ("p > 0.05 > 0", "RESULTS", "ab"),
        ("NONE", None, ""),
        ("C", None, "x < y & <i>z</i>"),
    ]


@pytest.mark.parametrize(
    "article",
    [
        "",
        "<Article/>",
        "<Article><Journal/></Article>",
        "<Article><Journal><Title>J</Title></Journal></Article>",
    ],
)
def test_a_record_of_almost_nothing_has_nulls(tmp_path, article):
    path = tmp_path / "bare.xml"
    path.write_text(
        f'<PubmedArticle><MedlineCitation><PMID Version="1">1</PMID>{article}</MedlineCitation>'
        "</PubmedArticle>"
    )
    (found,) = articles(path)
    assert found.journal == ("J" if "Title" in article else None)
    assert (found.item_id, found.year, found.title, found.doi) == ("1", None, None, None)
    assert (found.sections, found.languages, found.keywords) == ([], [], [])


def test_keywords_are_cleaned():
    raw = ["mice", "", "mice", "k" * 101, "β-catenin", "gene therapy", "k" * 100]
    assert clean_keywords(raw) == ["mice", "gene therapy", "k" * 100]


def test_keywords_of_all_owners(tmp_path):
    found = read(
        tmp_path,
        tail='<KeywordList Owner="NOTNLM"><Keyword MajorTopicYN="N"><i>E. coli</i></Keyword>'
        '<Keyword MajorTopicYN="N">R&amp;D</Keyword></KeywordList><KeywordList Owner="KIE">'
        '<Keyword MajorTopicYN="N">  bio\n ethics</Keyword><Keyword/></KeywordList>',
    )
    assert found.keywords == ["E. coli", "R&D", "bio ethics"]


def test_rows_and_batches_agree(tmp_path):
    path = tmp_path / "one.xml"
    record = RECORD.format(
        article='<Abstract><AbstractText Label="A">x</AbstractText></Abstract>',
        tail='<OtherAbstract Type="Publisher" Language="ger"><AbstractText>y</AbstractText>'
        "</OtherAbstract><CommentsCorrectionsList><CommentsCorrections RefType='Cites'/>"
        "</CommentsCorrectionsList>",
        data="",
    )
    path.write_text(f"<PubmedArticleSet>{record}{record}</PubmedArticleSet>")
    (batch,) = read_file(path)
    rows = [article.row() for article in batch.articles]
    batch.to_arrow().validate(full=True)
    assert batch.to_arrow().to_pylist() == rows == to_arrow("articles", rows).to_pylist()


def test_a_worker_that_writes_articles_never_imports_pandas(tmp_path):
    path = tmp_path / "one.xml"
    path.write_text(
        f"<PubmedArticleSet>{RECORD.format(article='', tail='', data='')}</PubmedArticleSet>"
    )
    code = (
        "import sys; from pathlib import Path; from toolkit.corpus.medline import read_file\n"
        "batches = [batch.to_arrow() for batch in read_file(Path(sys.argv[1]))]\n"
        "assert batches[0].num_rows == 1; print('pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"


def test_no_articles_make_an_empty_batch():
    assert to_record_batch([]).schema == arrow_schema("articles")
    assert to_record_batch([]).num_rows == 0


REAL = [
    pytest.param("pubmed21n1298.subset.xml.gz", 7, marks=pytest.mark.slow),
    pytest.param("pubmed20n0014.xml.gz", 23, marks=pytest.mark.slow),
    ("fatcat/pubmedsample_2019.xml.gz", 1),
    ("jcore/pubmedsample18n0001.xml.gz", 1),
    ("pmparser/pubmed26n1335.xml.gz", 1),
    ("netsynergy/pubmed21n1001.xml.gz", 1),
]
"""Files, and of how many records one is compared: a tree of each takes half a minute a file."""


@needs_shared
@pytest.mark.parametrize(("name", "every"), REAL)
def test_every_field_equals_what_a_tree_holds(name, every):
    """The reader builds no tree; here lxml does, field by field, over real files."""
    source = DATA / name
    ours = iter(articles(source, rendering="paper"))
    compared = 0
    with gzip.open(source) as file:
        for place, (_, record) in enumerate(etree.iterparse(file, tag="PubmedArticle")):
            article = next(ours)
            if place % every == 0:
                expected = tree_fields(record)
                assert {key: getattr(article, key) for key in expected} == expected, article.item_id
                compare_texts(article, record)
                compared += 1
            record.clear()
            while record.getprevious() is not None:
                del record.getparent()[0]
    assert next(ours, None) is None
    assert compared > 0


def squeeze(node):
    return " ".join("".join(node.itertext()).split()) or None if node is not None else None


def tree_fields(record):
    citation = record.find("MedlineCitation")
    article = citation.find("Article")
    journal = article.find("Journal")
    info = citation.find("MedlineJournalInfo")
    ids = {}
    for found in record.iterfind("PubmedData/ArticleIdList/ArticleId"):
        if squeeze(found):
            ids.setdefault(found.get("IdType", "pubmed"), squeeze(found))
    for found in article.iterfind("ELocationID"):
        if found.get("ValidYN", "Y") == "Y" and squeeze(found):
            ids.setdefault(found.get("EIdType"), squeeze(found))
    types = [squeeze(found) for found in article.iterfind("PublicationTypeList/*")]
    linked = [
        (found.get("RefType"), squeeze(found.find("PMID")))
        for found in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
    ]
    issns = {found.get("IssnType"): squeeze(found) for found in journal.iterfind("ISSN")}
    year = squeeze(journal.find("JournalIssue/PubDate/Year"))
    free = squeeze(journal.find("JournalIssue/PubDate/MedlineDate"))
    return {
        "item_id": squeeze(citation.find("PMID")),
        "version": int(citation.find("PMID").get("Version")),
        "status": citation.get("Status"),
        "journal": squeeze(journal.find("Title")),
        "journal_abbreviation": squeeze(journal.find("ISOAbbreviation")),
        "volume": squeeze(journal.find("JournalIssue/Volume")),
        "issue": squeeze(journal.find("JournalIssue/Issue")),
        "issn_print": issns.get("Print"),
        "issn_electronic": issns.get("Electronic"),
        "medline_ta": squeeze(info.find("MedlineTA")),
        "nlm_unique_id": squeeze(info.find("NlmUniqueID")),
        "issn_linking": squeeze(info.find("ISSNLinking")),
        "pages": squeeze(article.find("Pagination/MedlinePgn")),
        "doi": ids.get("doi"),
        "pii": ids.get("pii"),
        "pmcid": ids.get("pmc"),
        "languages": [squeeze(found) for found in article.iterfind("Language")],
        "publication_types": types,
        "mesh": [squeeze(found) for found in citation.iterfind("MeshHeadingList/*/DescriptorName")],
        "year": int(year or re.search(r"\d{4}", free)[0]),
        "medline_date": free,
        "article_date": tree_date(article.find("ArticleDate")),
        "date_revised": tree_date(citation.find("DateRevised")),
        "corrections": linked,
        "retracted": "Retracted Publication" in types
        or any(kind in ("RetractionIn", "RetractedandRepublishedIn") for kind, _ in linked),
    }


def tree_date(node):
    return "-".join(f"{int(part.text):02d}" for part in node) if node is not None else None


def compare_texts(article, record):
    citation = record.find("MedlineCitation")
    node = citation.find("Article")
    same_text(article.title, node.find("ArticleTitle"))
    same_text(article.vernacular_title, node.find("VernacularTitle"))
    same_sections(article, article.sections, node.findall("Abstract/AbstractText"))
    others = citation.findall("OtherAbstract")
    assert [(other.type, other.language) for other in article.other_abstracts] == [
        (other.get("Type"), other.get("Language", "eng")) for other in others
    ]
    for ours, theirs in zip(article.other_abstracts, others, strict=True):
        same_sections(None, ours.sections, theirs.findall("AbstractText"))
    nodes = citation.findall("KeywordList/Keyword")
    keywords = [squeeze(found) or "" for found in nodes]
    formulas = any("math" in str(child.tag) for found in nodes for child in found)
    if not formulas and not any("&" in keyword for keyword in keywords):
        assert article.keywords == clean_keywords(keywords)


def same_sections(article, ours, theirs):
    assert [(section.label, section.category) for section in ours] == [
        (" ".join(node.get("Label", "").split()) or None, node.get("NlmCategory"))
        for node in theirs
    ]
    for section, node in zip(ours, theirs, strict=True):
        text = squeeze(node) or ""
        if article is not None and section.text != text and text.startswith(section.text):
            # The rest was cut off as a copyright statement.
            assert text[len(section.text) :].strip() in article.copyright
        else:
            same_text(section.text or None, node)


def same_text(ours, node):
    theirs = squeeze(node)
    # Formulas and doubly escaped text are rendered, which tests of their own cover.
    if node is None or (len(node) and any("math" in str(child.tag) for child in node.iter())):
        return
    if theirs is None or "&" not in theirs:
        assert ours == theirs
