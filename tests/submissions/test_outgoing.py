"""The gate of a publish looks at what a submitter wrote before it is accepted."""

import pytest

from tests.results.results_world import record, with_model
from toolkit.gate.base import Policy
from toolkit.gate.report import check_outgoing
from toolkit.results.store import ResultStore
from toolkit.submissions.outgoing import record_reasons, stopped_texts

KEY = "gsk_" + "a1" * 12


def test_the_texts_that_the_gate_stops_are_named():
    texts = {
        "model.name": KEY,
        "notes": f"Two\nlines, {KEY}",
        "submitter.name": "ann",
        "x": "[**x**]",
    }
    stopped = dict(stopped_texts(texts))
    assert set(stopped) == {"model.name", "notes", "x"}
    assert "line 2" in stopped["notes"]
    assert KEY not in "".join(stopped.values())
    assert not list(stopped_texts({}))


@pytest.mark.parametrize(
    "changes",
    [
        {"generation": {"k": KEY}},
        {"submitter": "Mr. ___"},
        {"model": "hf_" + "a1" * 12},
        {"model": "p10000032"},
    ],
)
def test_a_record_that_a_publish_would_stop_is_refused(changes, tmp_path):
    pair = record(**changes)
    reasons = "\n".join(record_reasons([pair]))
    assert "its record could not be published: results/1.0/" in reasons
    assert "a1" * 12 not in reasons
    # As the gate of a publish sees it, the record would be stopped.
    store = ResultStore(tmp_path)
    store.add(*pair)
    terms = Policy(access="open", redistribution="ids_only", pubmed=False, configs={})
    assert not check_outgoing(tmp_path, store.paths(), terms).passed


def test_a_plain_record_passes():
    named = with_model(record("Good 7B (β_1) <x>"), hub_id="org/good", revision="a1" * 20)
    assert not list(record_reasons([named, record("Good 7B (β_1) <x>", prompt="B")]))
