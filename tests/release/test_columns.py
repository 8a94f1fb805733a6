import pyarrow as pa
import pytest

from toolkit.errors import UserError
from toolkit.records import DERIVED, JOURNAL, arrow_schema
from toolkit.release.columns import Table, choose_columns, release_schema
from toolkit.release.tables import ordered

PUBMED = Table(pubmed=True, journals=True, grouped=True)
ITEMS = arrow_schema("items").append(pa.field("group", pa.string()))
JOINED = ITEMS.append(pa.field("remark", pa.string())).append(pa.field("cited", pa.int64()))
SJR = {column.name for column in JOURNAL} - {"sjr_match"}
WORDS = {"sections", "other_abstracts", "input", "conclusion", "conclusion_labels", "leak_labels"}


def names(schema, level, table=PUBMED, *, sjr_rights=False):
    return [c.name for c in choose_columns(schema, level, table, sjr_rights=sjr_rights)]


def test_full_text_is_everything_but_scimago():
    assert set(names(JOINED, "full_text")) == set(JOINED.names) - SJR
    assert names(JOINED, "full_text", sjr_rights=True) == JOINED.names


def test_metadata_leaves_out_every_word_of_the_abstract():
    found = set(names(JOINED, "metadata"))
    assert {column.name for column in DERIVED} | {"sections", "other_abstracts"} >= WORDS
    assert found & (WORDS | {"group", "remark"}) == set()
    assert {"title", "journal", "mesh", "leak_risk", "copyright", "cited", "sjr_match"} <= found
    assert {"input_sha256", "conclusion_sha256", "group_sha256"} <= found


@pytest.mark.parametrize("level", ["ids_only", "metadata", "full_text"])
@pytest.mark.parametrize("sjr_rights", [True, False])
def test_scimago_values_need_the_right_to_them(level, sjr_rights):
    found = set(names(ITEMS, level, sjr_rights=sjr_rights))
    assert bool(found & SJR) == (sjr_rights and level != "ids_only")
    assert {"issn_print", "issn_electronic", "issn_linking", "year"} <= found


def test_empty_journal_columns_are_left_out_where_no_journals_were_joined():
    table = Table(pubmed=True, journals=False, grouped=True)
    found = set(names(ITEMS, "full_text", table, sjr_rights=True))
    assert not found & {column.name for column in JOURNAL}


def test_a_users_own_columns_are_not_taken_for_declared_ones():
    own = Table(pubmed=False, journals=False, grouped=False)
    schema = pa.schema([("item_id", pa.string()), ("sjr", pa.float64()), ("group", pa.string())])
    assert names(schema, "full_text", own) == ["item_id", "sjr", "group"]
    assert names(schema, "metadata", own) == ["item_id", "sjr", "content_sha256"]
    assert names(schema, "ids_only", own) == ["item_id", "content_sha256"]


def test_a_name_that_a_checksum_needs_is_refused():
    own = Table(pubmed=False, journals=False, grouped=False)
    schema = pa.schema([("item_id", pa.string()), ("content_sha256", pa.int64())])
    with pytest.raises(UserError, match="two columns called 'content_sha256'"):
        names(schema, "metadata", own)


def test_every_column_says_what_it_holds():
    columns = choose_columns(JOINED, "metadata", PUBMED, sjr_rights=True)
    assert all(column.about for column in columns)
    assert release_schema(columns).names == [column.name for column in columns]


def test_splits_stand_in_the_order_people_expect():
    assert ordered(["zeta", "test", "alpha", "validation", "train"]) == [
        "train",
        "validation",
        "test",
        "alpha",
        "zeta",
    ]
