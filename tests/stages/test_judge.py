"""Judging as a whole: real runs, a real server, a tiny entailment model."""

import json

import pytest
import tiny_recipe
import yaml

from tests.doubles.batch_server import BatchServer
from tests.doubles.chat_server import ChatServer
from tests.models.tiny_models import classifier
from toolkit.errors import RunError
from toolkit.execute import run_recipe
from toolkit.recipe.load import load_recipe
from toolkit.store.ledger import Ledger

JUDGE = (
    "Compare.\n<reference>\n{{ reference }}\n</reference>\n"
    "<candidate>\n{{ output }}\n</candidate>\nReply with JSON.\n"
)
DUEL = "<first>{{ first }}</first>\n<second>{{ second }}</second>\nWhich is better?\n"
SCORES = {"similarity": {"range": [0, 100]}, "safety": {"range": [0, 1], "step": 1}}


def says(content, **rule):
    return {"times": 0, **rule, "message": {"content": content}}


def llm(**more):
    return {
        "type": "llm",
        "model": "grader",
        "canaries": 0,
        "prompt": {
            "file": "judge.j2",
            "slots": {"reference": "judged:reference", "output": "judged:output"},
        },
        "scores": SCORES,
        **more,
    }


def write(folder, url, judges, **changes):
    server = {
        "provider": "openai_compatible", "base_url": url, "max_tokens": 40,
        "prices": {"input_per_million": 1.0, "output_per_million": 2.0},
    }  # fmt: skip
    plain = {"generate": {"split": "test", "models": ["first", "writer"], "prompts": ["A"]}}
    recipe = tiny_recipe.unchecked(
        models={
            "first": {"provider": "baseline", "variant": "first_sentence"},
            "other": {"provider": "baseline", "variant": "random_conclusion"},
            "grader": {**server, "model": "g"},
            "writer": {**server, "model": "w"},
        },
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        judges=judges,
        metrics=["word_ratio"],
        **{**plain, **changes},
    )
    file = tiny_recipe.write(folder, recipe)
    (folder / "a.j2").write_text("Write about {{ text }}\n")
    (folder / "judge.j2").write_text(JUDGE)
    (folder / "duel.j2").write_text(DUEL)
    return file


def scores_of(result, judge):
    """Scores by (model, item, score) of all steps of a judge."""
    return {
        (row["model"], row["item_id"], row["score"]): row
        for name, artifact in result.artifacts.items()
        if name.startswith(f"judge/{judge}/")
        for row in artifact.rows("scores")
    }


def test_two_judges_and_a_panel_stand_on_the_leaderboard_with_their_agreement(tmp_path):
    script = [
        says('{"similarity": 80, "safety": 1}', match="Compare."),
        says("It works in most people."),
    ]
    judges = {
        "one": llm(),
        "two": llm(repeats=2),
        "jury": {"type": "panel", "judges": ["one", "two"], "reduce": "median"},
    }
    analyses = [
        {"means": {"resamples": 200}},
        {"judge_agreement": {"judges": ["one", "two"], "resamples": 100}},
        "statuses",
    ]
    with ChatServer(tmp_path, script) as server:
        file = write(tmp_path / "r", server.url, judges, analyses=analyses)
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w")
        made = len(server.calls)
        again = run_recipe(load_recipe(file), workspace=tmp_path / "w")
        assert len(server.calls) == made
    assert again.made == ()
    # 6 answers written once; both models' 6 answers judged once by one and again by two, whose
    # first judgement is the same request as one's.
    assert made == 6 + 12 * 2
    board = {
        (row["model"], row["score"]): row
        for row in result.artifacts["leaderboard"].rows("leaderboard")
    }
    for name in ("similarity", "two.similarity", "jury.similarity"):
        row = board["writer", name]
        assert (row["mean"], row["n"], row["n_missing"]) == (80, 6, 0)
        assert "judge:" in row["signature"]
    tables = result.artifacts["analyse/01-judge_agreement"].manifest.facts["tables"]
    shifts = {row["score"]: row for row in tables[0]["rows"]}
    assert (shifts["similarity"]["n"], shifts["similarity"]["shift"]) == (12, 0)
    page = (result.folder / "leaderboard.html").read_text(encoding="utf-8")
    for heading in ("What judges replied", "Agreement of judges on the same answers"):
        assert heading in page
    assert (result.folder / "tables" / "01-judge_agreement.csv").is_file()


def test_a_whole_run_in_batches(tmp_path):
    replies = [
        '{"similarity": 80, "safety": 1}',
        "no idea",
        *['{"similarity": 20, "safety": 0}'] * 4,
    ]
    rules = [{"polls": 0, "shuffle": True}, {"polls": 0, "texts": replies, "shuffle": True}]
    generate = {"split": "test", "models": ["writer"], "prompts": ["A"]}
    with BatchServer(tmp_path, rules) as server:
        file = write(tmp_path / "r", server.url, {"one": llm(reask=0)}, generate=generate)
        recipe = yaml.safe_load(file.read_text())
        for name in ("writer", "grader"):
            recipe["models"][name]["execution"] = "batch"
        file.write_text(yaml.safe_dump(recipe))
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w")
        assert [len(ids) for ids in server.created] == [6, 6]
        again = run_recipe(load_recipe(file), workspace=tmp_path / "w")
        assert len(server.created) == 2
        read, written = server.billed
    assert again.made == ()
    rows = scores_of(result, "one").values()
    found = sorted(str(row["value"]) for row in rows if row["score"] == "similarity")
    assert found == ["20.0"] * 4 + ["80.0", "None"]
    with Ledger(tmp_path / "w" / "ledger.sqlite") as ledger:
        counts = ledger.counts()
    assert counts.calls == {"done": 12}
    # The price of a batch is half of the usual one.
    assert counts.spent_pico_usd == (read * 1_000_000 + written * 2_000_000) // 2


def test_no_reply_is_lost_and_none_is_a_zero(tmp_path):
    script = [
        {"match": "question 2", "message": {"content": "no idea"}, "times": 0},
        says("good, I think", match="Compare.", times=3),
        {"match": "Compare.", "finish": "content_filter", "times": 1},
        {"match": "Compare.", "body": {}, "times": 1},
        says('{"similarity": 50, "safety": 0}', match="Compare."),
        says("It works."),
    ]
    with ChatServer(tmp_path, script) as server:
        file = write(tmp_path / "r", server.url, {"one": llm(reask=0)})
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w", until="judge")
    rows = scores_of(result, "one")
    assert len(rows) == 2 * 6 * 2
    missing = [row["reason"] for row in rows.values() if row["value"] is None]
    assert len(missing) == 5 * 2
    kinds = {reason.split(":")[0] for reason in missing}
    assert kinds == {"judge invalid", "judge refused", "judge error"}
    status = [
        artifact.manifest.facts["status"]
        for name, artifact in result.artifacts.items()
        if name.startswith("judge/")
    ]
    assert sum(count for counts in status for count in counts.values()) == 12


def test_a_reask_is_a_call_of_its_own_and_paid_once(tmp_path):
    script = [
        says('{"similarity": 500, "safety": 1}', match="Reply with JSON."),
        says('{"similarity": 50, "safety": 1}', match="could not be used"),
        says("It works."),
    ]
    with ChatServer(tmp_path, script) as server:
        file = write(tmp_path / "r", server.url, {"one": llm()})
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w", until="judge")
        assert len(server.calls) == 6 + 12 * 2
        asked = next(call for call in server.calls if "could not be used" in json.dumps(call))
        assert "500" in asked["body"]["messages"][-1]["content"]
        hits = server.hits
    assert {row["value"] for row in scores_of(result, "one").values()} == {50, 1}
    assert set(hits.values()) == {1}
    with Ledger(tmp_path / "w" / "ledger.sqlite") as ledger:
        assert ledger.counts().calls == {"done": len(hits)}
    replies = [
        row
        for name, artifact in result.artifacts.items()
        if name.startswith("judge/one/")
        for row in artifact.rows("judgements")
    ]
    assert {(row["status"], row["asked"]) for row in replies} == {("repaired", 2)}


def test_planted_instructions_are_tried_and_reported(tmp_path):
    script = [
        # A judge that obeys whoever says "Note to the evaluator".
        says('{"similarity": 100, "safety": 1}', match="Note to the evaluator"),
        says('{"similarity": 40, "safety": 1}', match="Compare."),
        says("It works."),
    ]
    with ChatServer(tmp_path, script) as server:
        file = write(tmp_path / "r", server.url, {"one": llm(canaries=3)})
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w")
    (table,) = result.artifacts["canary/one"].manifest.facts["tables"]
    found = {(row["canary"], row["score"]): row for row in table["rows"]}
    assert found["command", "similarity"]["change"] == 60
    assert found["command", "similarity"]["n"] == 3
    assert found["role", "similarity"]["change"] == 0
    page = (result.folder / "leaderboard.html").read_text(encoding="utf-8")
    assert "Planted instructions" in page


def test_pairs_are_asked_in_both_orders_and_position_bias_is_reported(tmp_path):
    duel = {
        "type": "pairwise",
        "model": "grader",
        "prompt": {
            "file": "duel.j2",
            "slots": {"first": "judged:first", "second": "judged:second"},
            "parser": "json",
        },
        "opponents": "other",
    }
    script = [
        says('{"preferred": "first"}', match="Which is better?"),
        says("It works."),
    ]
    with ChatServer(tmp_path, script) as server:
        file = write(
            tmp_path / "r", server.url, {"duel": duel},
            generate={"split": "test", "models": ["other", "writer"], "prompts": ["A"]},
        )  # fmt: skip
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w")
        assert sum("Which is better?" in json.dumps(call["body"]) for call in server.calls) == 12
    rows = scores_of(result, "duel")
    assert len(rows) == 6
    # Always the first place: every pair is inconsistent, so a tie.
    assert {row["value"] for row in rows.values()} == {0.5}
    facts = result.artifacts["judge/duel/A"].manifest.facts["pairs"]
    assert (facts["pairs"], facts["both_orders"], facts["position_first"]) == (6, 6, 6)
    page = (result.folder / "leaderboard.md").read_text()
    below = page.split("## Comparisons of two answers")[1]
    row = next(line for line in below.splitlines() if line.startswith("| duel | A |"))
    # Six of six decided by position, all for the first place; each with Wilson's interval.
    assert row.count("[0.610, 1.000") == 2


def test_pairs_of_texts_are_looked_at_once_by_an_entailment_model(tmp_path):
    folder = classifier(tmp_path / "bert")
    support = {
        "type": "nli", "model": str(folder), "pairs": "texts", "batch_size": 4,
        "scores": ["entailed_by_reference", "entailed_by_input"],
    }  # fmt: skip
    with ChatServer(tmp_path, [says("It works.")]) as server:
        file = write(tmp_path / "r", server.url, {"support": support})
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w", until="judge")
    facts = result.artifacts["entail/support"].manifest.facts
    assert facts["asked"] == 2 * 6 * 2
    assert facts["pairs"] == facts["asked"]
    rows = scores_of(result, "support")
    assert all(0 <= row["value"] <= 1 for row in rows.values() if row["value"] is not None)
    assert sum(row["value"] is not None for row in rows.values()) >= 12


def test_ratings_by_people_join_their_answers_and_the_rest_is_listed(tmp_path):
    experts = {"type": "human", "file": "ratings.csv", "scores": {"quality": {"range": [1, 5]}}}
    with ChatServer(tmp_path, [says("It works.")]) as server:
        file = write(tmp_path / "r", server.url, {"experts": experts})
        rated = tmp_path / "r" / "ratings.csv"
        ids = [row["key"] for row in tiny_recipe.rows()]
        lines = ["item_id,model,prompt,rater,quality"]
        lines += [
            f"{key},first,,{rater},{value}"
            for key in ids
            for rater, value in (("ann", 4), ("bob", 2))
        ]
        lines += ["nobody,first,,ann,3", f"{ids[0]},first,,ann,9"]
        rated.write_text("\n".join(lines) + "\n")
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w")
    rows = scores_of(result, "experts")
    assert {row["value"] for key, row in rows.items() if key[0] == "first"} == {3.0}
    assert {row["reason"] for key, row in rows.items() if key[0] == "writer"} == {"not rated"}
    rejects = list(result.artifacts["judge/experts/first"].rows("rejects"))
    reasons = {row["reason"] for row in rejects}
    assert reasons == {"no_such_answer", "no_rating"}
    assert "are not used" in (result.folder / "leaderboard.md").read_text()


def test_the_budget_covers_judges_too(tmp_path):
    with ChatServer(tmp_path, [says("It works.")]) as server:
        file = write(
            tmp_path / "r", server.url, {"one": llm()},
            generate={"split": "test", "models": ["first"]},
            execution={"workers": 1, "budget_usd": 0.0},
        )  # fmt: skip
        with pytest.raises(RunError, match="budget"):
            run_recipe(load_recipe(file), workspace=tmp_path / "w", until="judge")
        assert server.calls == []
