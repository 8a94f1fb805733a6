"""The audit of judges as a whole: real runs against a server whose reactions are planted."""

import json

import pytest

from tests.doubles.edit_judge import EditJudgeServer, falls
from tests.stages.audited import NAMES, chances, kinds_of, recipe, table, write
from toolkit.analyses.judge_audit import TARGETS
from toolkit.errors import RunError
from toolkit.execute import run_recipe
from toolkit.perturb.base import Edit, Edited, undone
from toolkit.perturb.kinds import EDITS, REWRITES, edit
from toolkit.plan.forecast import forecast
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe
from toolkit.store.ledger import Ledger

SENSITIVITY = {
    "semantic_similarity": {"direction": 0.8, "negation": 0.8, "hedge": 0.8, "entity": 0.8,
                            "removal": 0.8, "number": 0.3, "unit": 0.3,
                            "case": 0.1, "clause_order": 0.1, "unit_spelling": 0.1},
    "non_contradiction": {"direction": 0.9, "negation": 0.9},
    "numeric_consistency": dict.fromkeys([*EDITS, *REWRITES], 0.5),
    "formality_similarity": {"case": 0.2},
}  # fmt: skip


def by_score(result):
    facts = result.artifacts["audit/primary"].manifest.facts
    return {entry["score"]: entry for entry in facts["audit"]}


def share(rows, plan, name, score):
    """The share of texts at which the server's score really fell, from the plan alone."""
    kinds = [*REWRITES] if name == "rewrite" else TARGETS[score]
    texts = [
        found.text
        for row in rows
        for kind in kinds
        if isinstance(found := edit(row["conclusion"], kind, seed=7, name=row["key"]), Edited)
    ]
    return pytest.approx(sum(falls(plan, score, text) for text in texts) / len(texts))


def test_planted_reactions_are_recovered_and_everything_is_on_disk(tmp_path):
    rows = table(40)
    plan = {
        "kinds": kinds_of(rows), "chances": chances(**SENSITIVITY), "fall": 40, "waver": 1,
        "shifts": {"padded": 5, "swapped": -3}, "seed": 1,
    }  # fmt: skip
    with EditJudgeServer(tmp_path / "s", plan) as server:
        file = write(tmp_path / "r", recipe(server.url), rows)
        loaded = load_recipe(file)
        run_recipe(loaded, workspace=tmp_path / "w", until="splits")
        ahead = forecast(make_plan(loaded, workspace=tmp_path / "w")).steps["audit/primary"]
        result = run_recipe(loaded, workspace=tmp_path / "w")
        asked = len(server.calls)
        again = run_recipe(loaded, workspace=tmp_path / "w")
        assert len(server.calls) == asked
    assert again.made == ()
    judged = 40
    assert ahead.calls == asked - judged
    assert ahead.usd_high > ahead.usd_low > 0

    found = by_score(result)
    semantic, numeric = found["semantic_similarity"], found["numeric_consistency"]
    assert semantic["n_edits"] == 40 * 5
    assert semantic["reacts"] == share(rows, plan, "edit", "semantic_similarity")
    assert semantic["false_alarms"] == share(rows, plan, "rewrite", "semantic_similarity")
    assert semantic["reacts_low"] < 0.8 < semantic["reacts_high"]
    assert semantic["false_alarms_low"] < 0.1 < semantic["false_alarms_high"]
    assert semantic["strength_low"] < 0.8 * 40 < semantic["strength_high"]
    # Wavering is uniform in -1..1: its standard deviation is 1 / sqrt(3).
    assert semantic["retest_sd_low"] < 1 / 3**0.5 < semantic["retest_sd_high"]
    assert semantic["n_retest"] == 80
    assert semantic["verbosity_low"] < 5 < semantic["verbosity_high"]
    assert semantic["position_low"] < -3 < semantic["position_high"]
    assert (semantic["blind"], semantic["verdict"]) == (False, "tells edits from rewrites")
    assert semantic["discrimination_low"] > 0.7
    # It reacts to anything, whatever it means.
    assert numeric["blind"]
    assert numeric["discrimination_low"] < 0.5 < numeric["discrimination_high"]
    assert not found["non_contradiction"]["blind"]
    assert found["formality_similarity"]["reacts"] is None
    assert found["formality_similarity"]["verdict"].startswith("not tested")

    artifact = result.artifacts["audit/primary"]
    texts = {row["key"]: row["conclusion"] for row in rows}
    logged: dict = {}
    for row in artifact.rows("audit_edits"):
        logged.setdefault((row["item_id"], row["probe"], row["kind"]), []).append(row)
    assert len(logged) == 40 * (len(EDITS) + len(REWRITES) + 2)
    for (item, _, kind), ones in logged.items():
        if ones[0]["reason"]:
            assert ones[0]["text"] is None
            continue
        edits = [Edit(kind, r["start"], r["end"], r["old"], r["new"]) for r in ones]
        assert undone(ones[0]["text"], edits) == texts[item]
    audits = list(artifact.rows("audits"))
    assert len(audits) % len(NAMES) == 0
    assert all((row["value"] is None) == bool(row["reason"]) for row in audits)
    tables = {t["name"]: t for t in artifact.manifest.facts["tables"]}
    assert set(tables) == {"audit_primary", "audit_primary_stability", "audit_primary_kinds"}
    assert tables["audit_primary"]["signature"].startswith("judge_audit:2|")
    names = {shard.name for shard in artifact.manifest.shards}
    for name in (
        "audit_primary-shown.svg",
        "audit_primary-shown.png",
        "audit_primary-shown.csv",
        "audit_primary_kinds-shown.parquet",
        "audit_primary_stability-shown.tex",
    ):
        assert name in names
    with Ledger(tmp_path / "w" / "ledger.sqlite") as ledger:
        counts = ledger.counts()
    # The copy of a reference is no answer of a model: each judgement was paid once.
    assert counts.calls == {"done": asked}


def test_a_constant_judge_is_blind_whatever_its_scores_claim(tmp_path):
    rows = table(8)
    plan = {"kinds": {}, "chances": chances(), "constant": 80, "fall": 0}
    with EditJudgeServer(tmp_path / "s", plan) as server:
        file = write(tmp_path / "r", recipe(server.url), rows)
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w")
    found = by_score(result)
    assert [entry["blind"] for entry in found.values()] == [True] * 5
    assert found["semantic_similarity"]["reacts"] == 0
    assert found["semantic_similarity"]["discrimination"] == 0.5
    assert found["semantic_similarity"]["retest_sd"] == 0
    assert all("same value" in entry["verdict"] for entry in found.values())
    text = (result.folder / "leaderboard.md").read_text(encoding="utf-8")
    assert "blind" in text


def test_an_audit_that_was_stopped_pays_for_nothing_twice(tmp_path):
    rows = table(8)
    plan = {"kinds": kinds_of(rows), "chances": chances(**SENSITIVITY), "fall": 40}
    data = recipe("")
    with EditJudgeServer(tmp_path / "s", plan) as server:
        data["models"]["grader"]["base_url"] = server.url
        # The answers and about two thirds of the audit fit in the budget of the first start.
        data["execution"]["budget_usd"] = 0.008
        file = write(tmp_path / "r", data, rows)
        with pytest.raises(RunError, match="budget"):
            run_recipe(load_recipe(file), workspace=tmp_path / "w")
        first = len(server.calls)
        assert first > 20
        data["execution"].pop("budget_usd")
        file = write(tmp_path / "r", data, rows)
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w")
        calls = server.calls
    assert len(calls) > first
    keys = [call["key"] for call in calls]
    assert len(set(keys)) == len(keys)
    assert by_score(result)["semantic_similarity"]["n_edits"] == 40


def test_replies_that_fail_are_counted_and_no_zeros(tmp_path):
    rows = table(8)
    plan = {"kinds": kinds_of(rows), "chances": chances(), "constant": 500, "fall": 0}
    with EditJudgeServer(tmp_path / "s", plan) as server:
        file = write(tmp_path / "r", recipe(server.url, rewrites=["case"]), rows)
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w")
    entry = by_score(result)["semantic_similarity"]
    assert (entry["n_edits"], entry["reacts"], entry["strength"]) == (0, None, None)
    assert not entry["blind"]
    rows = [row for row in result.artifacts["audit/primary"].rows("audits")]
    assert {row["value"] for row in rows} == {None}
    assert entry["n_missing"] == sum(
        row["score"] == "semantic_similarity" and "not asked" not in row["reason"] for row in rows
    )
    assert json.dumps(result.artifacts["audit/primary"].manifest.facts["audit"], allow_nan=False)
