"""Faults 41 and 43, as far as they concern what is released: no verdict is no pass.

41: an expectation suite that is missing, empty or cannot be asked never counts as passed.
43: secrets, marks of patients and hostile texts do not get into a release, or do nothing in it.
"""

import json

import pytest
import tiny_recipe
from markdown_it import MarkdownIt

from tests.faults.runs import finish, output, start
from tests.tiny_recipe import UNCHECKED

CANARY = "hf_" + "Canary4f7d1c0b9a8e6d5c3b2a"
HOSTILE = "<script>alert(1)</script> ![x](https://evil.example/x.png) | =cmd|' /C calc'!A0"
PUBLISH = {"license": "mit", "redistribution": "full_text", "dataset": "org/tiny"}
FAILING = {
    "name": "never",
    "meta": {"about": "What no text passes."},
    "expectations": [
        {
            "type": "expect_column_value_lengths_to_be_between",
            "kwargs": {"column": "conclusion", "min_value": 100000},
            "severity": "critical",
            "meta": {"id": "far_too_long", "why": "Nothing is so long."},
        }
    ],
}


def recipe(**changes):
    """Return a recipe of data alone: what is released is all that is made."""
    plain = {"models": None, "generate": None, "metrics": None, "analyses": None}
    return tiny_recipe.data(**{**plain, "version": "1.0", "publish": PUBLISH, **changes})


def run(tmp_path, data, code, table=None, **environment):
    """Run a recipe; return what was said, after checking that a failure leaves no release."""
    file = tiny_recipe.write(tmp_path / "recipe", data, table)
    workspace = tmp_path / "workspace"
    finish(start(workspace, "run", file, **environment), workspace, code)
    said = output(workspace)
    assert "Traceback" not in said
    if code:
        assert not list(workspace.glob("runs/*/release/README.md"))
        finish(start(workspace, "publish", "latest", "--to", tmp_path / "out"), workspace, 2)
        assert not (tmp_path / "out").exists()
    return said


@pytest.mark.parametrize(
    ("suite", "code", "message"),
    [
        (None, 2, "suite.json"),
        (
            {"name": "none", "meta": {"about": "-"}, "expectations": []},
            2,
            "nothing would be checked",
        ),
        pytest.param(FAILING, 3, "far_too_long", marks=pytest.mark.slow),
    ],
    ids=["absent", "empty", "failing"],
)
def test_a_suite_that_does_not_pass_blocks_the_release(tmp_path, suite, code, message):
    (tmp_path / "recipe").mkdir()
    if suite is not None:
        (tmp_path / "recipe" / "suite.json").write_text(json.dumps(suite))
    data = recipe(validation={**UNCHECKED, "corpus": {"suite": "suite.json"}})
    assert message in run(tmp_path, data, code)


@pytest.mark.slow
def test_great_expectations_that_cannot_be_asked_never_passes(tmp_path):
    broken = tmp_path / "path" / "great_expectations"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('broken by a test')\n")
    data = recipe(validation={**UNCHECKED, "corpus": {"on_failure": "stop"}})
    said = run(tmp_path, data, 2, PYTHONPATH=str(tmp_path / "path"))
    assert "great-expectations" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"as {CANARY} shows", "a secret in row"),
        ("Dr. ___ saw [**First Name**] at home", "masks [**...**]"),
    ],
    ids=["secret", "patient"],
)
def test_a_canary_in_one_row_stops_the_release(tmp_path, text, found):
    rows = tiny_recipe.rows()
    rows[7]["input"] += f"\nNOTE: {text}."
    said = run(tmp_path, recipe(validation=UNCHECKED), 2, rows)
    assert found in said and CANARY not in said
    assert "nothing may leave this machine yet" in said


@pytest.mark.slow
def test_hostile_texts_show_as_text_on_the_card(tmp_path):
    rows = tiny_recipe.rows()
    for row in rows:
        row["input"] = HOSTILE
    publish = {**PUBLISH, "pretty_name": HOSTILE, "citation": HOSTILE, "examples": 2}
    data = recipe(validation=UNCHECKED, publish=publish, title=HOSTILE, description=HOSTILE)
    run(tmp_path, data, 0, rows)
    (card,) = (tmp_path / "workspace").glob("runs/*/release/README.md")
    body = card.read_text().split("\n---\n", 1)[1]
    assert body.count("alert(1)") >= 4
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(body)
    inline = [child for token in tokens for child in token.children or []]
    assert not [one for one in inline if one.type in ("html_inline", "image", "link_open")]
    blocks = [token.content for token in tokens if token.type == "html_block"]
    assert all(block.startswith("<!-- by hand:") for block in blocks)
