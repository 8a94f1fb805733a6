"""How each model was asked."""

from toolkit.analyses.base import AnalysisInputs, ModelFacts
from toolkit.analyses.model_table import ModelTable, ModelTableParams
from toolkit.records import to_arrow

_MODELS = {
    "gpt": ModelFacts(
        name="gpt", title="GPT", provider="openai_compatible", model="gpt-5.4", group="general",
        access="API", cutoff="2025-01", max_tokens=1024, temperature=0.0,
    ),
    "first": ModelFacts(name="first", title="First sentence", kind="baseline", provider="baseline"),
}  # fmt: skip


def run(answers, **params):
    tables = [
        to_arrow("generations", [{"model": m, "prompt": p, "status": "ok", "asked": 1}])
        for m, p in answers
    ]
    inputs = AnalysisInputs(
        scores=(), definitions=(), seed=1, models=_MODELS, answers=tables,
        served={"gpt": "gpt-5.4-0101"},
    )  # fmt: skip
    return ModelTable(ModelTableParams(**params)).run(inputs)[0]


def test_facts_prompts_and_answers_of_each_model():
    found = run(
        [("gpt", "B"), ("gpt", "A"), ("gpt", "A"), ("first", "")],
        columns=("group", "cutoff", "served", "max_tokens", "temperature"),
    )
    assert found.rows == [
        {
            "model": "GPT", "kind": "model", "provider": "openai_compatible",
            "asked_as": "gpt-5.4", "group": "general", "cutoff": "2025-01",
            "served": "gpt-5.4-0101", "max_tokens": 1024, "temperature": 0.0,
            "prompts": "A, B", "n": 3,
        },
        {
            "model": "First sentence", "kind": "baseline", "provider": "baseline",
            "asked_as": None, "group": None, "cutoff": None, "served": None, "max_tokens": None,
            "temperature": None, "prompts": None, "n": 1,
        },
    ]  # fmt: skip
    assert {column.name for column in found.columns} == set(found.rows[0])


def test_a_temperature_of_zero_is_not_one_that_is_unknown():
    rows = run([]).rows
    assert rows[0]["temperature"] == 0.0
    assert rows[1]["temperature"] is None
    assert [row["n"] for row in rows] == [0, 0]
