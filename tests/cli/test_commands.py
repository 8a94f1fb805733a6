"""The commands as a person types them, in processes of their own where that matters."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_recipe
from click.testing import CliRunner

from tests.conftest import ROOT
from toolkit.cli.main import COMMANDS, cli
from toolkit.store.ledger import Ledger
from toolkit.store.ledger_types import PICO, LedgerRequest, Settlement


def toolkit(*arguments, cwd=None, code=0):
    """Run ``toolkit`` in a process of its own and return what it printed."""
    run = subprocess.run(
        [sys.executable, "-m", "toolkit", *map(str, arguments)],
        cwd=cwd or ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == code, run.stdout + run.stderr
    assert "Traceback" not in run.stderr
    return run.stdout, run.stderr


def invoke(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_help_names_every_command_with_a_line():
    result = invoke("--help")
    for name, (_, about) in COMMANDS.items():
        assert name in result.output
        assert about in result.output


@pytest.mark.parametrize("name", list(COMMANDS))
def test_each_command_has_help(name):
    result = invoke(name, "--help")
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_an_unknown_command_gets_a_suggestion():
    _, error = toolkit("pln", "x.yaml", code=2)
    assert "did you mean 'plan'" in error


def test_check_lists_every_fault_with_its_place_and_no_traceback(tmp_path):
    recipe = tiny_recipe.data(metrics=["rogue"], splits={"sizes": {"test": "six"}})
    file = tiny_recipe.write(tmp_path, recipe)
    file.write_text(file.read_text() + "sead: 4\n")
    _, error = toolkit("check", file, code=2)
    assert "3 faults in the recipe" in error
    assert "did you mean 'rouge'" in error
    assert "did you mean 'seed'" in error
    assert "'six' is not a whole number" in error
    assert error.count(f"{file}:") == 3


def test_check_passes_a_good_recipe(tmp_path):
    out, _ = toolkit("check", tiny_recipe.write(tmp_path))
    assert "the recipe is good" in out


def test_a_missing_recipe_is_a_sentence():
    _, error = toolkit("run", "nowhere.yaml", code=2)
    assert "nowhere.yaml" in error
    assert "toolkit init" in error


def test_check_refuses_a_metric_of_the_input_where_no_column_holds_it(tmp_path):
    recipe = tiny_recipe.data(metrics=["word_ratio", "numeric_support"])
    assert toolkit("check", tiny_recipe.write(tmp_path, recipe))
    renamed = [{**row, "abstract": row["input"]} for row in tiny_recipe.rows()]
    table = [{key: row[key] for key in row if key != "input"} for row in renamed]
    _, said = toolkit("check", tiny_recipe.write(tmp_path, recipe, table), code=2)
    assert "numeric_support: what models are shown is read from the column 'input'" in said
    assert "corpus.input" in said
    recipe["corpus"] |= {"input": "abstract"}
    assert toolkit("check", tiny_recipe.write(tmp_path, recipe, table))


def test_init_copies_a_recipe_that_checks(tmp_path):
    out, _ = toolkit("init", "quickstart", cwd=tmp_path)
    assert "quickstart.yaml" in out
    assert (tmp_path / "sample" / "pubmed26n9001.xml").is_file()
    toolkit("check", "quickstart.yaml", cwd=tmp_path)
    toolkit("init", "quickstart", cwd=tmp_path)
    (tmp_path / "quickstart.yaml").write_text("mine")
    _, error = toolkit("init", "quickstart", cwd=tmp_path, code=2)
    assert "is there already" in error
    assert (tmp_path / "quickstart.yaml").read_text() == "mine"


def test_init_says_what_to_do_with_the_recipe(tmp_path):
    out, _ = toolkit("init", "quickstart", "--to", "deep/er", cwd=tmp_path)
    file = Path("deep", "er", "quickstart.yaml")
    assert out.splitlines()[-1] == f"next: toolkit plan {file}, then toolkit run {file}"
    out, _ = toolkit("init", "pcoa", cwd=tmp_path)
    *_, about, then = out.splitlines()
    assert "next: toolkit check pcoa.yaml" in then
    _, notes = toolkit("check", "pcoa.yaml", cwd=tmp_path)
    count = sum("not built yet" in line for line in notes.splitlines())
    assert f"cannot run {count} parts of it yet" in about


def test_init_without_a_name_lists_the_recipes():
    out, _ = toolkit("init")
    for name in ("quickstart", "medconclusion", "pcoa", "academic", "radiology", "pubmed-query"):
        assert name in out


def test_the_schema_is_json_schema():
    from jsonschema import Draft202012Validator

    out, _ = toolkit("schema")
    schema = json.loads(out)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert validator.is_valid(tiny_recipe.data())
    assert not validator.is_valid(tiny_recipe.data(sead=1))
    assert not validator.is_valid(tiny_recipe.data(metrics=["rogue"]))


def test_list_says_what_is_not_built():
    out, _ = toolkit("list", "metrics")
    assert any(line.startswith("rouge ") and "not built" not in line for line in out.splitlines())
    assert any("compliance" in line and "not built yet" in line for line in out.splitlines())


def test_a_run_from_plan_to_clean(tmp_path):
    file = tiny_recipe.write(tmp_path / "recipe")
    workspace = ("--workspace", tmp_path / "workspace")
    plan, _ = toolkit(*workspace, "plan", file)
    assert "not made yet" in plan
    out, error = toolkit(*workspace, "run", file)
    assert "First" in out or "first" in out
    assert "leaderboard.html" in out
    assert "started corpus (not made yet)" in error
    again, _ = toolkit(*workspace, "run", file)
    assert "0 steps made" in again
    for command in ("run", "score"):
        assert toolkit(*workspace, "-q", command, file) == ("", "")
    plan, _ = toolkit(*workspace, "plan", file, "--json")
    assert {step["state"] for step in json.loads(plan)["steps"]} == {"reused"}
    status, _ = toolkit(*workspace, "status")
    assert "complete" in status
    status, _ = toolkit(*workspace, "status", "latest")
    assert "generate/first" in status
    shown, _ = toolkit(*workspace, "show", "latest", "row-03")
    assert "corpus (items)" in shown
    assert "rouge1" in shown or "row-03" in shown
    _, error = toolkit(*workspace, "show", "latest", "row-99", code=2)
    assert "no item 'row-99'" in error
    changed, _ = toolkit(*workspace, "plan", file, "--set", "seed=8")
    assert "changed: seed 7 -> 8" in changed
    out, _ = toolkit(*workspace, "clean")
    assert "0 artifacts" in out
    _, error = toolkit(*workspace, "status", "tiny-0", code=2)
    assert "no run called" in error


def test_json_lines_are_json(tmp_path):
    file = tiny_recipe.write(tmp_path / "recipe", tiny_recipe.unchecked())
    _, error = toolkit(
        "--log-json", "--workspace", tmp_path / "workspace", "run", file, "--until", "corpus"
    )
    events = [json.loads(line) for line in error.splitlines()]
    assert {"started", "made"} <= {event["event"] for event in events}


ROWS = [
    {"generated": "the cat sat", "reference": "the cat sat down"},
    {"generated": "", "reference": "x y"},
    {"generated": "a b c", "reference": ""},
]


def test_score_writes_a_line_for_each_line(tmp_path):
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    target = tmp_path / "scores.jsonl"
    out, _ = toolkit(
        "score", file, "--metrics", "rouge,word_ratio", "--profile", "paper", "--output", target
    )
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert [line["word_ratio"] for line in lines] == [0.75, 0.0, None]
    assert lines[2]["reasons"]["rouge1"] == "empty reference"
    assert "n 2, 1 without" in out
    assert "profile:paper" in out


def test_score_reads_what_the_models_were_shown(tmp_path):
    file = tmp_path / "texts.jsonl"
    row = {"output": "Cured: 12% and 40%.", "abstract": "12.3% were cured."}
    file.write_text(json.dumps(row) + "\n")
    target = tmp_path / "scores.jsonl"
    toolkit(
        "score", file, "--metrics", "numeric_support", "--input", "abstract", "--output", target
    )
    assert json.loads(target.read_text())["numeric_support"] == 0.5
    _, error = toolkit("score", file, "--metrics", "numeric_support", "--input", "text", code=2)
    assert "no column 'text'" in error


def test_score_names_every_bad_line(tmp_path):
    file = tmp_path / "texts.jsonl"
    file.write_text('{"a": 1}\n{"a":\n[1]\n')
    _, error = toolkit("score", file, "--metrics", "rouge", code=2)
    assert f"{file}:2: not JSON" in error
    assert f"{file}:3: not a JSON object" in error


def test_score_refuses_an_unknown_metric(tmp_path):
    file = tmp_path / "texts.jsonl"
    file.write_text(json.dumps(ROWS[0]) + "\n")
    _, error = toolkit("score", file, "--metrics", "rogue", code=2)
    assert "did you mean 'rouge'" in error


def test_score_reads_lines_that_hold_line_separators(tmp_path):
    file = tmp_path / "texts.jsonl"
    row = {"generated": "the\u2028cat", "reference": "the\x85cat"}
    file.write_text(json.dumps(row, ensure_ascii=False) + "\r\n", encoding="utf-8")
    out, _ = toolkit("score", file, "--metrics", "word_ratio")
    assert "n 1" in out


def test_a_local_metric_that_raises_is_told_by_item_and_line(tmp_path):
    recipe = tiny_recipe.unchecked(metrics=["word_ratio", {"local": "mine.py:brittle"}])
    file = tiny_recipe.write(tmp_path / "recipe", recipe)
    code = "def brittle(prediction, reference):\n    return {}[len(reference)]\n"
    (tmp_path / "recipe" / "mine.py").write_text(code)
    workspace = ("--workspace", tmp_path / "workspace")
    _, error = toolkit(*workspace, "run", file, "--trust-local", code=2)
    assert "metric 'brittle' raised KeyError" in error
    assert "(mine.py:2), on item 'row-" in error


def test_the_ledger_is_counted(tmp_path):
    workspace = tmp_path / "workspace"
    with Ledger(workspace / "ledger.sqlite") as ledger:
        for repeat, (outcome, cost) in enumerate([("done", 12_500 * PICO // 10**6), ("failed", 0)]):
            body = {"model": "m", "messages": []}
            request = LedgerRequest("openai_compatible", "http://127.0.0.1:1", "", body, repeat)
            claim = ledger.claim(request, run="r", reserve_pico_usd=PICO).result()
            settled = Settlement(
                outcome=outcome, response=b"{}", prompt_tokens=1200, cost_pico_usd=cost
            )
            ledger.settle(claim.call, settled).result()
    out, _ = toolkit("--workspace", workspace, "ledger", "count")
    counts = dict(re.split(r"  +", line, maxsplit=1) for line in out.splitlines())
    assert counts["requests done"] == counts["calls failed"] == "1"
    assert counts["prompt tokens"] == "2,400"
    assert counts["at most spent"] == "$0.0125"


UNUSABLE = [
    # (arguments in which PLACE cannot be a folder, what is named)
    ("--workspace PLACE run RECIPE", "PLACE"),
    ("--workspace PLACE plan RECIPE", "PLACE"),
    ("--workspace PLACE status", "PLACE"),
    ("--workspace PLACE ledger count", "PLACE"),
    ("init quickstart --to PLACE", "PLACE"),
    ("ledger export PLACE", "a-file"),
    ("ledger import nofile", "nofile"),
    ("ledger import .", "'.'"),
    ("ledger import no.sqlite", "no.sqlite"),
]


@pytest.mark.parametrize(("arguments", "named"), UNUSABLE)
def test_a_place_that_cannot_be_used_is_a_sentence_that_names_it(tmp_path, arguments, named):
    (tmp_path / "a-file").touch()
    place = str(tmp_path / "a-file" / "inner")
    recipe = tiny_recipe.write(tmp_path / "recipe")
    words = [{"PLACE": place, "RECIPE": str(recipe)}.get(word, word) for word in arguments.split()]
    out, error = toolkit(*words, cwd=tmp_path, code=2)
    assert out == ""
    assert error.startswith("toolkit: ")
    assert {"PLACE": place}.get(named, named) in error
    assert "  -> " in error
    # Nothing was made on the way.
    assert not (tmp_path / ".toolkit").exists() or "export" in arguments


def test_a_release_goes_into_no_file(tmp_path):
    publish = {"license": "cc-by-4.0", "redistribution": "full_text"}
    file = tiny_recipe.write(tmp_path / "recipe", tiny_recipe.unchecked(publish=publish))
    toolkit("run", file, cwd=tmp_path)
    place = tmp_path / "recipe" / "rows.jsonl" / "inner"
    _, error = toolkit("publish", "--to", place, cwd=tmp_path, code=2)
    assert str(place.parent) in error


def test_very_verbose_shows_where_a_file_failed(tmp_path):
    (tmp_path / "a-file").touch()
    target = str(tmp_path / "a-file" / "inner")
    run = subprocess.run(
        [sys.executable, "-m", "toolkit", "-vv", "init", "quickstart", "--to", target],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "Traceback" in run.stderr
    assert "copy_recipe" in run.stderr


def test_a_bug_keeps_its_traceback(tmp_path):
    script = (
        "from toolkit.cli import main\n"
        "import click\n"
        "@click.command('check')\n"
        "def command():\n"
        "    raise ERROR\n"
        "import sys, types\n"
        "module = types.ModuleType('broken'); module.command = command\n"
        "sys.modules['broken'] = module\n"
        "main.COMMANDS['check'] = ('broken', 'fails')\n"
        "sys.argv = ['toolkit', 'check']\n"
        "main.main()\n"
    )
    for error in ("KeyError('x')", "OSError('no file, no number')"):
        run = subprocess.run(
            [sys.executable, "-c", script.replace("ERROR", error)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 1
        assert "Traceback" in run.stderr


def test_what_a_run_prints_of_somebody_elses_texts_can_be_pasted(tmp_path):
    table = [{**row, "key": f"{row['key']}; echo $(id)"} for row in tiny_recipe.rows(4)]
    models = {"first": {"provider": "baseline", "variant": "first_sentence", "title": "A & B"}}
    recipe = tiny_recipe.unchecked(
        splits=None, models=models, generate={"split": "all", "models": ["first"]}
    )
    file = tiny_recipe.write(tmp_path, recipe, table)
    out, _ = toolkit("--workspace", tmp_path / "w", "run", file)
    assert "'row-00; echo $(id)'" in next(line for line in out.splitlines() if "look at" in line)
    assert "| A & B |" in out
