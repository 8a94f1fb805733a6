import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.gate.column_types import features, holds_text, release_type, type_name
from toolkit.records import arrow_schema

SCALARS = [
    pa.string(),
    pa.bool_(),
    pa.int8(),
    pa.int32(),
    pa.int64(),
    pa.uint64(),
    pa.float16(),
    pa.float32(),
    pa.float64(),
    pa.binary(),
    pa.date32(),
    pa.date64(),
    pa.timestamp("us"),
    pa.timestamp("ns", tz="UTC"),
    pa.time64("us"),
    pa.duration("ms"),
    pa.decimal128(10, 2),
]
NAMES = st.text(st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=5)
TYPES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        inner.map(pa.list_),
        inner.map(lambda kind: pa.list_(kind, 3)),
        st.dictionaries(NAMES, inner, min_size=1, max_size=3).map(
            lambda fields: pa.struct(list(fields.items()))
        ),
    ),
    max_leaves=6,
)


@given(st.dictionaries(NAMES, TYPES, min_size=1, max_size=4))
def test_features_are_spelled_as_datasets_spells_them(columns):
    from datasets import Features

    schema = pa.schema([(name, release_type(kind, name)) for name, kind in columns.items()])
    assert features(schema) == Features.from_arrow_schema(schema)._to_yaml_list()


def test_the_items_of_a_pubmed_corpus_are_spelled_as_datasets_spells_them():
    from datasets import Features

    schema = arrow_schema("items")
    assert features(schema) == Features.from_arrow_schema(schema)._to_yaml_list()


@given(TYPES)
def test_a_released_type_is_released_as_it_is(kind):
    once = release_type(kind, "x")
    assert release_type(once, "x") == once


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (pa.large_string(), pa.string()),
        (pa.string_view(), pa.string()),
        (pa.null(), pa.string()),
        (pa.large_binary(), pa.binary()),
        (pa.binary(4), pa.binary()),
        (pa.dictionary(pa.int32(), pa.large_string()), pa.string()),
        (pa.large_list(pa.large_string()), pa.list_(pa.string())),
        (pa.list_(pa.null()), pa.list_(pa.string())),
        (pa.struct([("a", pa.null())]), pa.struct([("a", pa.string())])),
    ],
)
def test_types_that_datasets_keeps_apart_become_one(kind, wanted):
    assert release_type(kind, "x") == wanted


@pytest.mark.parametrize(
    "kind",
    [
        pa.map_(pa.string(), pa.int64()),
        pa.list_(pa.map_(pa.string(), pa.int64())),
        pa.struct([]),
        pa.month_day_nano_interval(),
        pa.decimal32(5, 2),
        pa.dense_union([pa.field("a", pa.int64())]),
    ],
)
def test_types_that_datasets_lacks_are_refused_with_the_column(kind):
    with pytest.raises(UserError, match="column 'x'") as caught:
        release_type(kind, "x")
    assert caught.value.hint


def test_text_is_found_at_any_depth():
    assert holds_text(pa.list_(pa.struct([("n", pa.int64()), ("t", pa.string())])))
    assert holds_text(pa.dictionary(pa.int32(), pa.string()))
    assert holds_text(pa.binary())
    assert holds_text(pa.map_(pa.int64(), pa.string()))
    assert not holds_text(pa.struct([("n", pa.list_(pa.float64())), ("d", pa.date32())]))


def test_types_are_named_for_people():
    kind = pa.list_(pa.struct([("label", pa.string()), ("n", pa.float64())]))
    assert type_name(kind) == "list<struct<label: string, n: float64>>"
