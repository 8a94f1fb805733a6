"""A form of a finished run becomes files; what readers write into them becomes ratings."""

import copy
import json
import stat
from collections import Counter

import pytest
import study_world as study
from click.testing import CliRunner

from toolkit.cli.main import cli
from toolkit.errors import UserError
from toolkit.judges.ratings import read_ratings
from toolkit.judges.score import Score
from toolkit.readers.collect import collect_ratings
from toolkit.readers.export import export_form
from toolkit.recipe.load import load_recipe


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return study.world(tmp_path_factory.mktemp("study"), skip=("r00:TS_L1", "r03:IR_L1"))


def changed(run, folder, **changes):
    """Return the recipe of the run with another ``human`` section, and its workspace."""
    recipe, workspace = run
    human = copy.deepcopy(study.data()["human"])
    human["forms"]["study"] |= changes.pop("form", {})
    data = study.data(human=human | changes)
    file = recipe.folder / f"{folder.name}.yaml"
    file.write_text(json.dumps(data), encoding="utf-8")
    return load_recipe(file), workspace


def modes(folder):
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_a_form_becomes_a_file_for_each_reader_that_names_no_model(run, tmp_path):
    out = tmp_path / "out"
    made = export_form(*run[:1], "study", run[1], out)
    key, cases = study.table(out / "key.csv"), study.table(out / "cases.csv")
    assert sorted(path.name for path in out.iterdir()) == sorted(made.files)
    assert (out / "rater_2.csv").read_bytes() == (out / "cases.csv").read_bytes()
    assert list(cases[0]) == [
        *("case", "impression", "impression (edited)", "answer"),
        *study.QUESTIONS,
    ]
    originals = {row["key"]: row["impression"] for row in study.items()}
    for about, shown in zip(key, cases, strict=True):
        assert shown["case"] == about["case"]
        assert about["item_id"] == f"{about['original_id']}:{about['level']}"
        assert shown["impression"] == originals[about["original_id"]]
        assert shown["impression (edited)"] != shown["impression"]
        # A summary that a spreadsheet would run is held back from it.
        assert shown["answer"] == f"'=SUM(A1) summary of {about['item_id']}"
        assert shown["faithful"] == shown["sensitivity"] == ""
    assert len({about["original_id"] for about in key}) == 6
    assert set(Counter(about["level"] for about in key).values()) == {3}
    assert set(Counter(about["model"] for about in key).values()) == {3}
    assert any("failed and could not be drawn: error 4" in note for note in made.notes)
    told = (out / "instructions.txt").read_text()
    assert "sensitivity: a whole number from 0 to 2" in told
    assert "Does the summary follow?" in told


def test_credentialed_texts_are_for_their_owner_alone(run, tmp_path):
    out = tmp_path / "out"
    made = export_form(run[0], None, run[1], out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert modes(out) == {0o600}
    assert any("must not leave this machine" in note for note in made.notes)
    open_to_all = tmp_path / "open"
    open_to_all.mkdir(mode=0o755)
    with pytest.raises(UserError, match="open to other users"):
        export_form(run[0], None, run[1], open_to_all)
    assert not list(open_to_all.iterdir())


def test_what_is_there_is_not_overwritten(run, tmp_path):
    out = tmp_path / "out"
    export_form(run[0], None, run[1], out)
    before = (out / "rater_1.csv").stat().st_mtime_ns
    export_form(run[0], None, run[1], out)
    assert (out / "rater_1.csv").stat().st_mtime_ns == before
    (out / "rater_1.csv").chmod(0o644)
    export_form(run[0], None, run[1], out)
    assert modes(out) == {0o600}
    study.fill(out / "rater_1.csv", {"1": {"faithful": "1"}})
    with pytest.raises(UserError, match=r"rater_1\.csv there already"):
        export_form(run[0], None, run[1], out)


def test_ratings_come_back_as_they_were_given(run, tmp_path):
    out = tmp_path / "out"
    export_form(run[0], None, run[1], out)
    key = study.table(out / "key.csv")
    given = {
        row["case"]: {"faithful": str(n % 2), "sensitivity": str(n % 3)}
        for n, row in enumerate(key)
    }
    given["2"] = {"faithful": "1"}
    given.pop("5")
    study.fill(out / "rater_1.csv", given, divider=";")
    study.fill(out / "rater_2.csv", {row["case"]: {"faithful": "0"} for row in key})
    told = CliRunner().invoke(cli, ["readers", "import", str(out)], catch_exceptions=False)
    assert "rater_1: 4 cases rated; in part 2; not rated 5" in told.output
    assert "rater_2: 0 cases rated; in part 1, 2, 3, 4, 5, 6" in told.output
    scores = {
        "faithful": Score(range=(0, 1), step=1),
        "sensitivity": Score(range=(0, 2), step=1),
    }
    found = read_ratings(out / "ratings" / "rater_1.csv", scores, "nobody")
    assert found.rejects == []
    assert {
        answer: {rating.score: rating.value for rating in ratings}
        for answer, ratings in found.by_answer.items()
    } == {
        (row["item_id"], row["model"], row["prompt"], int(row["repeat"])): {
            name: float(value) for name, value in given[row["case"]].items()
        }
        for row in key
        if row["case"] in given
    }
    assert {rating.rater for ratings in found.by_answer.values() for rating in ratings} == {
        "rater_1"
    }
    assert modes(out / "ratings") == {0o600}


def test_a_judge_scores_with_the_ratings_that_came_back(run, tmp_path):
    from toolkit.execute import run_recipe

    recipe, workspace = run
    out = tmp_path / "out"
    export_form(recipe, None, workspace, out)
    key = study.table(out / "key.csv")
    study.fill(out / "rater_1.csv", {row["case"]: {"faithful": "1"} for row in key})
    (made,) = collect_ratings(out, [out / "rater_1.csv"])
    scores = {"faithful": {"range": [0, 1], "step": 1}}
    judge = {"type": "human", "file": str(made.file), "scores": scores}
    file = recipe.folder / "rated.yaml"
    data = study.data(judges={"anna": judge}, metrics=[], allow_paths=[str(tmp_path)])
    # A server that nobody asks in this run, but that a model of the recipe stands behind.
    data["corpus"]["attested"] = [
        {
            "endpoint": "https://ours.example.org",
            "by": "Ada <b>",
            "on": "2026-03-01",
            "agreement": "Contract 7",
        }
    ]
    data["models"]["far"] = {
        "provider": "openai_compatible",
        "model": "m",
        "base_url": "https://ours.example.org/v1",
        "max_tokens": 8,
    }
    file.write_text(json.dumps(data), encoding="utf-8")
    done = run_recipe(load_recipe(file), workspace=workspace.root, until="report")
    rated = {
        (row["item_id"], row["model"]): row["value"]
        for step, artifact in done.artifacts.items()
        if step.startswith("judge/")
        for row in artifact.rows("scores")
        if row["value"] is not None
    }
    assert rated == {(row["item_id"], row["model"]): 1.0 for row in key}
    text = next(workspace.runs.glob("*/leaderboard.md")).read_text(encoding="utf-8")
    assert (
        "Texts of credentialed data go to https&#58;//ours.example.org (far): Ada &lt;b&gt;" in text
    )
    assert "View readers: 1 item without a value of dataset could not be drawn." in text
    assert "View readers: 4 items of each of the 2 values of dataset" in text


def test_all_faults_of_all_files_at_once_and_nothing_is_written(run, tmp_path):
    out = tmp_path / "out"
    export_form(run[0], None, run[1], out)
    study.fill(out / "rater_1.csv", {"1": {"faithful": "2"}, "3": {"sensitivity": "no"}})
    (out / "rater_2.csv").write_text("case,faithful,sensitivity\n1,1,1\n", encoding="utf-8")
    with pytest.raises(UserError) as caught:
        collect_ratings(out)
    lines = caught.value.message.splitlines()
    assert len(lines) == 4
    # The data are credentialed, so what stands in a cell is not said.
    assert "rater_1.csv:2: case 1: faithful must be a whole" in lines[1]
    assert "rater_1.csv:4: case 3: sensitivity must be a whole" in lines[2]
    assert "rater_2.csv: no row for 5 cases: 2, 3, 4, 5, 6" in lines[3]
    assert not (out / "ratings").exists()


def test_a_file_that_nobody_filled_in_yet_gives_no_table(run, tmp_path):
    out = tmp_path / "out"
    export_form(run[0], None, run[1], out)
    study.fill(out / "rater_1.csv", {"4": {"faithful": "0", "sensitivity": "2"}})
    first, second = collect_ratings(out)
    assert (first.rated, list(first.unrated)) == (1, ["1", "2", "3", "5", "6"])
    assert (second.file, second.rated, len(second.unrated)) == (None, 0, 6)
    assert [path.name for path in (out / "ratings").iterdir()] == ["rater_1.csv"]


def test_a_key_that_was_changed_is_refused(run, tmp_path):
    out = tmp_path / "out"
    export_form(run[0], None, run[1], out)
    text = (out / "key.csv").read_text(encoding="utf-8")
    (out / "key.csv").write_text(text.replace(",one,", ",two,"), encoding="utf-8")
    with pytest.raises(UserError, match="was changed"):
        collect_ratings(out)
    with pytest.raises(UserError, match="no reader study"):
        collect_ratings(tmp_path)


def test_unedited_items_look_like_any_other_case(run, tmp_path):
    form = {"levels": ["unedited"], "items": 8, "models": ["one"]}
    recipe, workspace = changed(run, tmp_path, form=form, blind=False)
    export_form(recipe, None, workspace, tmp_path / "out")
    rows = study.table(tmp_path / "out" / "cases.csv")
    assert all(row["impression"] == row["impression (edited)"] for row in rows)
    assert {(row["model"], row["prompt"], row["level"]) for row in rows} == {
        ("one", "concise", "unedited")
    }


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"items": 99}, r"asks for 99 cases, and 28 answers can be shown \(4 failed\)"),
        ({"on": ["impression"]}, "shows no answer"),
        ({"on": ["report", "run:concise"]}, "no column 'report'"),
        ({"questions": {"impression": [0, 1]}}, "would be called 'impression'"),
        ({"questions": {"=A1": [0, 1]}}, "'=A1' cannot head a column"),
    ],
)
def test_a_form_that_cannot_be_shown_is_refused(run, tmp_path, form, why):
    recipe, workspace = changed(run, tmp_path, form=form)
    with pytest.raises(UserError, match=why):
        export_form(recipe, None, workspace, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_recipe_without_edits_and_one_that_was_not_run(tmp_path):
    human = {"forms": {"study": study.FORM | {"levels": [], "seconds": 30}}}
    generate = study.data()["generate"] | {"over": ["items"], "models": ["one"]}
    recipe = study.data("open", human=human, perturb=None, generate=generate)
    loaded, workspace = study.world(tmp_path, recipe)
    made = export_form(loaded, "study", workspace, tmp_path / "out")
    assert list(study.table(tmp_path / "out" / "cases.csv")[0])[:3] == [
        "case", "impression", "answer"
    ]  # fmt: skip
    assert "levels" not in " ".join(made.counts)
    assert any("seconds not applied" in note for note in made.notes)
    assert modes(tmp_path / "out") == {0o644}
    elsewhere = type(workspace)(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="was not run to its end"):
        export_form(loaded, "study", elsewhere, tmp_path / "other")
    with pytest.raises(UserError, match="no form 'stody'"):
        export_form(loaded, "stody", workspace, tmp_path / "other")
