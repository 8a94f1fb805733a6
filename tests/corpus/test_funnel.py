from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from toolkit.corpus.funnel import KEPT, Funnel, Step, part_funnel
from toolkit.corpus.source import PartWriter

SCHEMA = pa.schema([("item_id", pa.string()), ("year", pa.int32()), ("source_file", pa.string())])


def test_the_lines_of_a_part_add_up(tmp_path: Path) -> None:
    with PartWriter("f", tmp_path, SCHEMA) as writer:
        rows = [{"item_id": str(n), "year": 2019 + n % 2, "source_file": "f"} for n in range(4)]
        writer.items(pa.RecordBatch.from_pylist(rows, schema=SCHEMA))
        writer.rejects(
            [
                {"item_id": "9", "reason": "year", "year": 1999, "source_file": "f"},
                {"item_id": None, "reason": "odd", "year": None, "source_file": "f"},
            ]
        )
        writer.keys({"key": range(4), "row": range(4), "position": [0, 2, 3, 5]})
    result = writer.result({"seen": 2})
    drops = pa.table({"row": [1, 3], "reason": ["deleted", "deleted"], "detail": ["", ""]})
    funnel = part_funnel(result, drops)
    assert funnel.steps(["language", "year", "deleted"]) == [
        Step("read", 0, 6),
        Step("year", 1, 5),
        Step("deleted", 2, 3),
        Step("odd", 1, 2),
        Step(KEPT, 0, 2),
    ]
    assert funnel.steps(["year", "deleted"], year=2020) == [
        Step("read", 0, 2),
        Step("year", 0, 2),
        Step("deleted", 2, 0),
        Step("odd", 0, 0),
        Step(KEPT, 0, 0),
    ]
    assert (funnel.read, funnel.kept) == (6, 2)
    assert (funnel.files(), funnel.years()) == (["f"], [1999, 2019, 2020])
    assert funnel.counts == {"seen": 2}


def test_a_skipped_file_is_named(tmp_path: Path) -> None:
    with PartWriter("f", tmp_path, SCHEMA) as writer:
        pass
    funnel = part_funnel(writer.result(problem="cut short"))
    assert funnel.skipped == {"f": "cut short"}
    assert funnel.steps([]) == [Step("read", 0, 0), Step(KEPT, 0, 0)]


OUTCOMES = st.dictionaries(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.one_of(st.none(), st.integers(1990, 1992)),
        st.sampled_from(["year", "deleted", KEPT]),
    ),
    st.integers(1, 9),
)


@given(OUTCOMES, OUTCOMES)
def test_funnels_add_and_survive_json(one: dict, two: dict) -> None:
    left, right = Funnel(one, {"n": 1}), Funnel(two, {"n": 2}, {"x": "bad"})
    both = left + right
    assert both.outcomes == (right + left).outcomes
    assert both.read == left.read + right.read
    assert Funnel.from_dict(json.loads(json.dumps(both.to_dict()))) == both
    for file in both.files():
        steps = both.steps(["year", "deleted"], file=file)
        assert steps[0].remaining == steps[-1].remaining + sum(step.removed for step in steps)
    years = [both.steps([], year=year)[0].remaining for year in both.years()]
    unknown = sum(n for (_, year, _), n in both.outcomes.items() if year is None)
    assert sum(years) + unknown == both.read
