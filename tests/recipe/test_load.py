"""A recipe that loads is complete: defaults filled in, members built, nothing heavy imported."""

from __future__ import annotations

import subprocess
import sys

import pytest
import small_recipe

from toolkit.errors import RecipeError
from toolkit.recipe.load import load_recipe

HEAVY = (
    "torch",
    "datasets",
    "openai",
    "great_expectations",
    "pandas",
    "distributed",
    "dask",
    "nltk",
)


def test_members_are_built_with_their_own_parameters(tmp_path):
    recipe = load_recipe(small_recipe.write(tmp_path))
    assert recipe.title == "small"
    assert recipe.models["small"].params.max_tokens == 8
    assert recipe.models["floor"].params.variant == "first_sentence"
    assert [(metric.name, metric.prompts) for metric in recipe.metrics] == [
        ("rouge", ()),
        ("bleu", ()),
    ]
    assert recipe.metrics[1].params.profile == "paper"
    assert recipe.generate[0].prompts == ("A",)
    assert recipe.reference == "answer"
    assert recipe.folder == tmp_path


def test_one_generate_entry_or_a_list_of_them(tmp_path):
    one = small_recipe.DATA["generate"]
    entries = [{**one, "models": [name]} for name in one["models"]]
    assert len(entries) > 1
    assert len(load_recipe(small_recipe.write(tmp_path, generate=entries)).generate) == len(entries)


def test_metrics_of_some_prompts(tmp_path):
    file = small_recipe.write(tmp_path, metrics=[{"rouge": {"profile": "paper", "prompts": ["A"]}}])
    (metric,) = load_recipe(file).metrics
    assert (metric.prompts, metric.params.profile) == (("A",), "paper")


def test_a_judge_takes_over_what_it_extends(tmp_path):
    prompt = {"file": "ask.j2", "slots": {"question": "judged:output"}}
    first = {"type": "llm", "model": "small", "prompt": prompt, "scores": {"q": {"range": [0, 5]}}}
    judges = {
        "third": {"extends": "second", "repeats": 3},
        "second": {"extends": "first", "reask": 0},
        "first": first,
    }
    made = load_recipe(small_recipe.write(tmp_path, judges=judges)).judges
    assert (made["third"].type, made["third"].params.reask, made["third"].params.repeats) == (
        "llm",
        0,
        3,
    )
    assert made["third"].params.scores["q"].range == (0.0, 5.0)
    assert made["first"].params.repeats == 1


def test_the_limit_and_trust_are_carried_along(tmp_path):
    recipe = load_recipe(small_recipe.write(tmp_path), limit=3)
    assert (recipe.limit, recipe.trust_local) == (3, False)
    (tmp_path / "m.py").write_text("def f(prediction, reference): return 1.0\n", encoding="utf-8")
    local = small_recipe.write(tmp_path, metrics=[{"local": "m.py:f"}])
    (metric,) = load_recipe(local, trust_local=True).metrics
    assert (metric.name, metric.params) == ("local", "m.py:f")


def test_a_newer_language_is_refused_by_name_before_anything_else(tmp_path):
    file = small_recipe.write(tmp_path, schema_version=99, unknown="key")
    with pytest.raises(RecipeError) as caught:
        load_recipe(file)
    (fault,) = caught.value.faults
    assert "language version 99" in fault.reason
    assert fault.suggestion == "upgrade leaderboard-toolkit"
    assert small_recipe.faults(small_recipe.write(tmp_path, schema_version=1)) == []
    assert small_recipe.faults(small_recipe.write(tmp_path, schema_version=0))


def test_the_resolved_recipe_is_json_and_holds_no_paths_of_this_machine(tmp_path):
    import json

    text = json.dumps(load_recipe(small_recipe.write(tmp_path)).data, allow_nan=False)
    assert str(tmp_path) not in text


def test_checking_imports_nothing_heavy(tmp_path):
    good, bad = (
        small_recipe.write(tmp_path),
        small_recipe.write(tmp_path, name="bad.yaml", seed="x"),
    )
    code = (
        "import sys\n"
        "from toolkit.errors import RecipeError\n"
        "from toolkit.recipe.load import load_recipe\n"
        "load_recipe(sys.argv[1])\n"
        "try: load_recipe(sys.argv[2])\n"
        "except RecipeError: pass\n"
        "else: raise SystemExit('not refused')\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(good), str(bad)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
