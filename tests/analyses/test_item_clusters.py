"""Variants of one item are resampled together wherever answers are."""

from dataclasses import replace

import pyarrow as pa
import pytest
from judged import grid, inputs, rows, two_judges

from toolkit.analyses.agreement import Agreement, AgreementParams
from toolkit.analyses.item_clusters import item_clusters
from toolkit.analyses.judge_agreement import JudgeAgreement, JudgeAgreementParams
from toolkit.errors import UserError

COPIES = ("L1", "L2", "L3", "L4")


def copied(values):
    """Every answer once more for each variant of its item."""
    return {
        (f"{item}:{level}", model, prompt, repeat): value
        for (item, model, prompt, repeat), value in values.items()
        for level in COPIES
    }


def tables(analysis, a, b, ids=()):
    items = [pa.table({"item_id": list(ids), "original_id": [one.split(":")[0] for one in ids]})]
    found = analysis.run(inputs([rows("q", a), rows("b.q", b)], two_judges(), items=items))
    return {table.name: table.rows for table in found}


@pytest.mark.parametrize(
    ("cls", "params", "name", "ends"),
    [
        (
            Agreement,
            AgreementParams(raters=("a", "b"), statistic=("mean_absolute_error",)),
            "agreement",
            ("low", "high"),
        ),
        (
            JudgeAgreement,
            JudgeAgreementParams(judges=("a", "b"), resamples=200),
            "judge_agreement",
            ("shift_low", "shift_high"),
        ),
    ],
)
def test_copies_of_an_item_make_no_interval_narrower(cls, params, name, ends):
    a = grid(lambda rng, n, m: float(rng.integers(0, 50) + n))
    b = grid(lambda rng, n, m: float(rng.integers(0, 50) + n), seed=2)
    ids = sorted({key[0] for key in copied(a)})
    (once,) = tables(cls(params), a, b)[name]
    together = cls(replace(params, cluster="original_id"))
    assert together.item_columns() == ("original_id",)
    (clustered,) = tables(together, copied(a), copied(b), ids)[name]
    (alone,) = tables(cls(params), copied(a), copied(b))[name]
    assert [clustered[end] for end in ends] == pytest.approx([once[end] for end in ends])
    low, high = ends
    assert alone[high] - alone[low] < 0.7 * (once[high] - once[low])


def test_an_item_without_a_cluster_stands_alone():
    table = pa.table({"item_id": ["a", "b"], "original_id": ["x", None]})
    assert item_clusters([table], "original_id", "means") == {"a": "in x"}
    assert item_clusters([table], None, "means") == {}


def test_a_column_that_the_items_lack_is_the_users_mistake():
    table = pa.table({"item_id": ["a"], "topic": ["x"]})
    with pytest.raises(UserError, match="no column 'nothing' to cluster by") as caught:
        item_clusters([table], "nothing", "agreement")
    assert caught.value.hint == "agreement.cluster is one of: item_id, topic"
