"""Recipes that take no submissions, because submitters do not have what is asked about."""

import pytest
from bundles import write_lines
from click.testing import CliRunner

from tests.readers import study_world
from toolkit.cli.main import cli

PUBLISH = {"license": "cc-by-4.0", "redistribution": "full_text", "submissions": {}}


@pytest.mark.parametrize("over", ["variants", ["items", "variants"]])
@pytest.mark.parametrize("command", ["submit", "review"])
def test_answers_to_edited_texts_cannot_be_handed_in(tmp_path, command, over):
    generate = study_world.data()["generate"] | {"over": over}
    data = study_world.data("open", version="1.0", publish=PUBLISH, generate=generate)
    recipe = study_world.write(tmp_path / "bench", data)
    answers = write_lines(tmp_path / "answers.jsonl", [{"item_id": "r00", "output": "None."}])
    arguments = {
        "submit": [
            *("submit", answers, "--benchmark", recipe, "--split", "all", "--model", "Good"),
            *("--prompt", "concise", "--submitter", "ann", "--out", tmp_path / "out.zip"),
        ],
        "review": [
            *("leaderboard", "review", answers, "--recipe", recipe),
            *("--board", tmp_path / "board"),
        ],
    }
    place = ["--workspace", str(tmp_path / "w")]
    done = CliRunner().invoke(cli, [*place, *map(str, arguments[command])])
    assert getattr(done.exception, "exit_code", None) == 2
    told = str(done.exception)
    assert "generate.over: variants" in told
    assert "scored on other texts" in told
    assert not (tmp_path / "out.zip").exists()
