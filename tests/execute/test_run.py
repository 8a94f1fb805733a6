"""Whole runs of a tiny recipe on real worker processes."""

import json
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import tiny_recipe

from toolkit.errors import RunError, Stopped, StoreError
from toolkit.execute import run_recipe
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe
from toolkit.store.canonical import file_digest


def tree(workspace):
    """Return the digest of every file of every artifact."""
    root = Path(workspace) / "artifacts"
    return {
        path.relative_to(root).as_posix(): file_digest(path)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    recipe = load_recipe(tiny_recipe.write(folder))
    return folder, recipe, run_recipe(recipe, workspace=folder / "workspace")


def test_every_row_ends_in_the_output_or_in_the_rejects(finished):
    _, _, result = finished
    items = {row["item_id"] for row in result.artifacts["corpus"].rows("items")}
    splits = result.artifacts["splits"]
    placed = {row["item_id"] for row in splits.rows("assignment")}
    assert items == {row["key"] for row in tiny_recipe.rows()}
    assert placed | {row["item_id"] for row in splits.rows("rejects")} == items
    for step in ("generate/first", "generate/other"):
        answered = [row["item_id"] for row in result.artifacts[step].rows("generations")]
        assert answered == [row["item_id"] for row in splits.rows("items_test")]


def test_the_run_folder_holds_what_a_person_looks_for(finished):
    _, _, result = finished
    names = {path.name for path in result.folder.iterdir()}
    assert {"recipe.yaml", "run.json", "log.txt", "leaderboard.html", "leaderboard.csv"} <= names
    journal = json.loads((result.folder / "run.json").read_text())
    assert journal["state"] == "complete"
    assert set(journal["steps"]) == {step.name for step in result.plan.steps}
    board = pq.read_table(result.folder / "leaderboard.parquet").to_pylist()
    assert {(row["model"], row["score"]) for row in board} >= {("first", "rouge1")}
    assert all(row["n"] == 6 for row in board)


def test_scores_are_those_of_the_answers(finished):
    import toolkit

    _, _, result = finished
    references = {row["key"]: row["conclusion"] for row in tiny_recipe.rows()}
    rows = [
        {"answer": row["answer"], "reference": references[row["item_id"]]}
        for row in result.artifacts["generate/other"].rows("generations")
    ]
    again = toolkit.score(rows, metrics=["rouge"])
    stored = [
        row["value"]
        for row in result.artifacts["score/rouge/other"].rows("scores")
        if row["score"] == "rougeL"
    ]
    assert stored == [row["rougeL"] for row in again]


def test_another_conclusion_is_never_ones_own(finished):
    _, _, result = finished
    references = {row["key"]: row["conclusion"] for row in tiny_recipe.rows()}
    answers = list(result.artifacts["generate/other"].rows("generations"))
    assert all(row["answer"] != references[row["item_id"]] for row in answers)
    assert len({row["answer"] for row in answers}) == len(answers)


def test_a_second_run_makes_nothing(finished):
    folder, recipe, _ = finished
    before = tree(folder / "workspace")
    again = run_recipe(recipe, workspace=folder / "workspace")
    assert again.made == ()
    assert tree(folder / "workspace") == before
    plan = make_plan(recipe, workspace=folder / "workspace")
    assert {step.state for step in plan.steps} == {"reused"}


def test_workers_and_folders_change_no_byte(finished, tmp_path):
    folder, _, _ = finished
    recipe = load_recipe(tiny_recipe.write(tmp_path, tiny_recipe.data(execution={"workers": 2})))
    run_recipe(recipe, workspace=tmp_path / "other")
    assert tree(tmp_path / "other") == tree(folder / "workspace")


def test_a_changed_metric_runs_only_what_depends_on_it(finished):
    folder, _, _ = finished
    file = tiny_recipe.write(
        folder / "changed",
        tiny_recipe.data(metrics=[{"rouge": {"profile": "paper"}}, "word_ratio"]),
    )
    plan = make_plan(load_recipe(file), workspace=folder / "workspace")
    runs = {step.name: step.why for step in plan.steps if step.state != "reused"}
    assert set(runs) == {
        "score/rouge/first",
        "score/rouge/other",
        "validate/scores",
        "leaderboard",
        "validate/leaderboard",
        "report",
    }
    assert "profile" in runs["score/rouge/first"]
    assert "is made anew" in runs["leaderboard"] or "are made anew" in runs["leaderboard"]


def test_a_changed_byte_stops_the_next_stage(finished):
    folder, _, result = finished
    artifact = result.artifacts["generate/first"]
    file = artifact.folder / artifact.shards("generations")[0].name
    good = file.read_bytes()
    file.write_bytes(good[:100] + bytes([good[100] ^ 1]) + good[101:])
    recipe = load_recipe(
        tiny_recipe.write(folder / "more", tiny_recipe.data(metrics=["sentence_ratio"]))
    )
    try:
        with pytest.raises(RunError, match="was changed after it was written"):
            run_recipe(recipe, workspace=folder / "workspace")
    finally:
        file.write_bytes(good)


def test_branches_that_do_not_need_it_go_on_when_one_fails(tmp_path):
    recipe = tiny_recipe.data()
    recipe["models"]["absent"] = {"provider": "replay", "file": "answers.jsonl"}
    recipe["generate"] = [
        {"split": "test", "models": ["first"]},
        {"split": "train", "models": ["other"]},
    ]
    recipe["validation"] = {"generations": {"suite": "strict.json"}}
    (tmp_path / "strict.json").write_text(
        json.dumps(
            {
                "name": "strict",
                "meta": {"about": "Fails for one of the two branches."},
                "expectations": [
                    {
                        "type": "expect_column_values_to_be_in_set",
                        "kwargs": {"column": "model", "value_set": ["first"]},
                        "severity": "critical",
                        "meta": {"id": "only_first", "why": "The other branch must fail."},
                    }
                ],
            }
        )
    )
    file = tiny_recipe.write(tmp_path, recipe)
    with pytest.raises(RunError) as caught:
        run_recipe(load_recipe(file), workspace=tmp_path / "workspace")
    message = str(caught.value)
    assert "validate/generate/train/other" in message
    assert "only_first" in message
    assert "not started because of that: " in message
    journal = json.loads(next((tmp_path / "workspace" / "runs").glob("*/run.json")).read_text())
    outcomes = {name: step.get("outcome") for name, step in journal["steps"].items()}
    assert outcomes["score/rouge/test/first"] == "made"
    assert outcomes["score/rouge/train/other"] is None
    assert journal["state"] == "failed"


def test_a_run_that_was_asked_to_stop_goes_on_later(tmp_path):
    recipe = load_recipe(tiny_recipe.write(tmp_path))
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped, match="steps to go"):
        run_recipe(recipe, workspace=tmp_path / "workspace", stop=stop)
    result = run_recipe(recipe, workspace=tmp_path / "workspace", until="corpus")
    assert set(result.artifacts) == {"corpus", "validate/corpus"}


def test_two_processes_do_not_share_a_run(tmp_path):
    from toolkit.store.lock import locked

    recipe = load_recipe(tiny_recipe.write(tmp_path))
    plan = make_plan(recipe, workspace=tmp_path / "workspace")
    with (
        locked(plan.workspace.lock(f"run-{plan.run_name}"), "the run"),
        pytest.raises(StoreError, match=f"{plan.run_name} is in use by process"),
    ):
        run_recipe(recipe, workspace=tmp_path / "workspace")


def test_quarantine_takes_the_failing_rows_out_of_all_that_follows(tmp_path):
    table = tiny_recipe.rows()
    table[4]["input"] = "AIM: x."
    suite = {
        "name": "long",
        "meta": {"about": "Inputs need some length."},
        "expectations": [
            {
                "type": "expect_column_value_lengths_to_be_between",
                "kwargs": {"column": "input", "min_value": 20},
                "severity": "critical",
                "meta": {"id": "input_long", "why": "A short input says nothing."},
            }
        ],
    }
    recipe = tiny_recipe.data(
        validation={"corpus": {"suite": "long.json", "on_failure": "quarantine"}},
        splits={"sizes": {"train": 5, "test": 6}},
    )
    file = tiny_recipe.write(tmp_path, recipe, table)
    (tmp_path / "long.json").write_text(json.dumps(suite))
    result = run_recipe(load_recipe(file), workspace=tmp_path / "workspace")
    gone = {"row-04"}
    assert gone <= {row["item_id"] for row in result.artifacts["corpus"].rows("items")}
    placed = {row["item_id"] for row in result.artifacts["splits"].rows("assignment")}
    assert placed == {row["key"] for row in table} - gone
    rejects = list(result.artifacts["validate/corpus"].rows("rejects"))
    assert [(row["item_id"], row["reason"]) for row in rejects] == [("row-04", "input_long")]


class StopAt:
    """Asks the run to stop as soon as a step begins."""

    def __init__(self, step, stop):
        self.step, self.stop = step, stop

    def started(self, step, why):
        if step == self.step:
            self.stop.set()

    def advanced(self, step, done, total, note):
        pass

    def finished(self, step, outcome):
        pass

    def said(self, text):
        pass


@pytest.mark.parametrize("until", ["corpus", None])
def test_a_run_that_is_stopped_in_its_only_running_step_does_not_say_complete(tmp_path, until):
    recipe = load_recipe(
        tiny_recipe.write(tmp_path, tiny_recipe.data(validation={"corpus": {"on_failure": "off"}}))
    )
    stop = threading.Event()
    with pytest.raises(Stopped, match=r"steps? to go"):
        run_recipe(
            recipe,
            workspace=tmp_path / "workspace",
            until=until,
            stop=stop,
            progress=StopAt("corpus", stop),
        )
    journal = json.loads(next((tmp_path / "workspace" / "runs").glob("*/run.json")).read_text())
    assert journal["state"] == "stopped"


def test_a_source_that_changes_while_it_is_read_is_refused(tmp_path):
    file = tiny_recipe.write(tmp_path)
    recipe = load_recipe(file)

    class Change(StopAt):
        def started(self, step, why):
            if step == "corpus":
                rows = tmp_path / "rows.jsonl"
                rows.write_text(rows.read_text().replace("AIM", "GOAL"))

    before = (tmp_path / "rows.jsonl").read_text()
    with pytest.raises(RunError, match=r"rows\.jsonl: the file was changed"):
        run_recipe(recipe, workspace=tmp_path / "workspace", progress=Change("", None))
    (tmp_path / "rows.jsonl").write_text(before)
    result = run_recipe(recipe, workspace=tmp_path / "workspace", until="corpus")
    assert all(row["input"].startswith("AIM") for row in result.artifacts["corpus"].rows("items"))


def suite(name, expectation_type, **kwargs):
    return json.dumps(
        {
            "name": name,
            "meta": {"about": "For a test."},
            "expectations": [
                {
                    "type": expectation_type,
                    "kwargs": kwargs,
                    "severity": "critical",
                    "meta": {"id": f"{name}_rule", "why": "For a test."},
                }
            ],
        }
    )


def test_what_quarantine_takes_out_is_gone_from_the_report_and_said_there(tmp_path):
    recipe = tiny_recipe.data(
        validation={
            "leaderboard": {"suite": "board.json", "on_failure": "quarantine"},
            "generations": {"suite": "answers.json", "on_failure": "quarantine"},
        }
    )
    file = tiny_recipe.write(tmp_path, recipe)
    (tmp_path / "board.json").write_text(
        suite("board", "expect_column_values_to_not_match_regex", column="score", regex="rouge2")
    )
    (tmp_path / "answers.json").write_text(
        suite("answers", "expect_column_values_to_not_match_regex", column="answer", regex="Sleep")
    )
    result = run_recipe(load_recipe(file), workspace=tmp_path / "workspace")
    board = pq.read_table(result.folder / "leaderboard.parquet").to_pylist()
    assert {row["score"] for row in board} == {"rouge1", "rougeL", "word_ratio"}
    answers = [
        row["answer"]
        for name in ("first", "other")
        for row in result.artifacts[f"generate/{name}"].rows("generations")
    ]
    gone = sum("Sleep" in (answer or "") for answer in answers)
    assert gone > 0
    assert sum(row["n"] for row in board if row["score"] == "rouge1") == len(answers) - gone
    text = (result.folder / "leaderboard.md").read_text()
    assert "Validation took" in text
    assert "answers\\_rule" in text or "answers_rule" in text


def test_secrets_come_back_when_a_run_cannot_start(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "sk-test-value-0123456789")
    recipe = tiny_recipe.data(
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        models={
            "served": {
                "provider": "openai_compatible",
                "model": "small",
                "base_url": "http://127.0.0.1:9/v1",
                "api_key_env": "SOME_KEY",
                "max_tokens": 5,
            }
        },
        generate={"split": "test", "models": ["served"], "prompts": ["A"]},
    )
    file = tiny_recipe.write(tmp_path, recipe)
    (tmp_path / "a.j2").write_text("{{ text }}")
    loaded = load_recipe(file)
    (tmp_path / "rows.jsonl").unlink()
    for _ in range(2):
        with pytest.raises(Exception, match=r"rows\.jsonl"):
            run_recipe(loaded, workspace=tmp_path / "workspace")
        import os

        assert os.environ["SOME_KEY"] == "sk-test-value-0123456789"


def test_an_earlier_outcome_is_kept_when_a_later_run_stops_sooner(finished):
    folder, recipe, result = finished
    run_recipe(recipe, workspace=folder / "workspace", until="corpus")
    journal = json.loads((result.folder / "run.json").read_text())
    assert journal["until"] == "corpus"
    assert {step.get("outcome") for step in journal["steps"].values()} == {"reused"}


def test_waiting_for_another_run_can_be_interrupted(tmp_path):
    from toolkit.store.lock import locked

    recipe = load_recipe(tiny_recipe.write(tmp_path))
    plan = make_plan(recipe, workspace=tmp_path / "workspace")
    corpus = plan.step("corpus")
    stop = threading.Event()
    said = []

    class Hear(StopAt):
        def said(self, text):
            said.append(text)
            stop.set()

    with (
        locked(plan.workspace.lock(f"corpus-{corpus.fingerprint[:32]}"), "the artifact"),
        pytest.raises(Stopped),
    ):
        run_recipe(recipe, workspace=tmp_path / "workspace", stop=stop, progress=Hear("", stop))
    assert "waiting: the artifact of 'corpus' is in use by process" in said[0]
