"""What changes a fingerprint, what does not, and what the plan says of it."""

import json
import random

import pytest
import tiny_recipe
import yaml

from toolkit.plan.fingerprints import pinned_file
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe
from toolkit.store.atomic import write_json
from toolkit.store.workspace import find_workspace


def prints(tmp_path, recipe, table=None, **options):
    file = tiny_recipe.write(tmp_path / "recipe", recipe, table)
    plan = make_plan(load_recipe(file, **options), workspace=tmp_path / "workspace")
    return {step.name: step.fingerprint for step in plan.steps}


def shuffled(value, rng):
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: shuffled(value[key], rng) for key in keys}
    return value


@pytest.mark.parametrize("seed", range(5))
def test_key_order_and_comments_change_nothing(tmp_path, seed):
    before = prints(tmp_path, tiny_recipe.data())
    file = tiny_recipe.write(tmp_path / "again", shuffled(tiny_recipe.data(), random.Random(seed)))
    file.write_text("# a remark\n" + file.read_text() + "\n# another\n")
    plan = make_plan(load_recipe(file), workspace=tmp_path / "workspace")
    assert {step.name: step.fingerprint for step in plan.steps} == before


@pytest.mark.parametrize(
    "section", [{"execution": {"workers": 7, "concurrency": 3}}, {"execution": None}]
)
def test_how_it_is_run_changes_nothing(tmp_path, section):
    assert prints(tmp_path, tiny_recipe.data(**section)) == prints(tmp_path, tiny_recipe.data())


CHANGES = [
    # (what is changed, a step that must change, a step that must not)
    ({"seed": 8}, "splits", "corpus"),
    ({"splits": {"sizes": {"train": 5, "test": 7}}}, "splits", "corpus"),
    (
        {
            "models": {
                **tiny_recipe.data()["models"],
                "first": {"provider": "baseline", "variant": "central_sentence"},
            }
        },
        "generate/first",
        "generate/other",
    ),
    (
        {"metrics": [{"rouge": {"profile": "paper"}}, "word_ratio"]},
        "score/rouge/first",
        "score/word_ratio/first",
    ),
    ({"analyses": [{"means": {"resamples": 300}}]}, "leaderboard", "score/rouge/first"),
    ({"title": "Another title"}, "report", "leaderboard"),
    # Pages and methods say it, whether a metric reads the column or not.
    ({"corpus": {**tiny_recipe.data()["corpus"], "input": "topic"}}, "report", "leaderboard"),
    ({"validation": {"corpus": {"on_failure": "quarantine"}}}, "splits", "corpus"),
    ({"validation": {"corpus": {"on_failure": "warn"}}}, "validate/corpus", "splits"),
    ({"corpus": {**tiny_recipe.data()["corpus"], "access": "restricted"}}, "corpus", "nothing"),
]


@pytest.mark.parametrize(("change", "moves", "stays"), CHANGES)
def test_a_change_reaches_what_depends_on_it_and_nothing_else(tmp_path, change, moves, stays):
    before = prints(tmp_path, tiny_recipe.data())
    after = prints(tmp_path, tiny_recipe.data(**change))
    assert after[moves] != before[moves]
    assert after.get(stays) == before.get(stays)


def test_the_order_of_models_counts_where_lines_stand_in_it_and_nowhere_else(tmp_path):
    made = tiny_recipe.data(analyses=["model_table"])
    turned = {**made, "models": dict(reversed(made["models"].items()))}
    before, after = prints(tmp_path, made), prints(tmp_path, turned)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"analyse/00-model_table", "report"}


def test_the_bytes_of_the_source_count_and_its_folder_does_not(tmp_path):
    before = prints(tmp_path, tiny_recipe.data())
    table = tiny_recipe.rows()
    table[3]["input"] += " More."
    assert prints(tmp_path, tiny_recipe.data(), table)["corpus"] != before["corpus"]
    file = tiny_recipe.write(tmp_path / "elsewhere")
    plan = make_plan(load_recipe(file), workspace=tmp_path / "workspace")
    assert plan.step("corpus").fingerprint == before["corpus"]


def test_limit_counts_for_answers_only(tmp_path):
    before = prints(tmp_path, tiny_recipe.data())
    after = prints(tmp_path, tiny_recipe.data(), limit=2)
    assert after["splits"] == before["splits"]
    assert after["generate/first"] != before["generate/first"]


def test_a_prompt_counts_by_its_text(tmp_path):
    recipe = tiny_recipe.data(
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        models={"small": {"provider": "replay", "file": "answers.jsonl"}},
        generate={"split": "test", "models": ["small"], "prompts": ["A"]},
    )
    folder = tmp_path / "recipe"
    folder.mkdir()
    (folder / "answers.jsonl").write_text(
        "\n".join(json.dumps({"item_id": row["key"], "text": "x"}) for row in tiny_recipe.rows())
    )
    (folder / "a.j2").write_text("Say it: {{ text }}")
    before = prints(tmp_path, recipe)
    generation = next(name for name in before if name.startswith("generate/"))
    (folder / "a.j2").write_text("Say it again: {{ text }}")
    assert prints(tmp_path, recipe)["splits"] == before["splits"]
    if generation.endswith("/A"):
        assert prints(tmp_path, recipe)[generation] != before[generation]


def test_a_plan_writes_nothing(tmp_path):
    file = tiny_recipe.write(tmp_path / "recipe")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    make_plan(load_recipe(file), workspace=tmp_path / "workspace")
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_nothing_is_said_to_be_made_before_anything_is(tmp_path):
    file = tiny_recipe.write(tmp_path / "recipe")
    plan = make_plan(load_recipe(file), workspace=tmp_path / "workspace")
    assert {(step.state, step.why) for step in plan.steps} == {("runs", "not made yet")}
    assert plan.run_name.startswith("tiny-")


def test_the_resolved_recipe_is_the_recipe(tmp_path):
    file = tiny_recipe.write(tmp_path / "recipe")
    assert yaml.safe_load(file.read_text()) == dict(load_recipe(file).data)


def joined(tmp_path, tables, joins):
    """Return the corpus's fingerprint with tables of two columns joined."""
    folder = tmp_path / "recipe"
    folder.mkdir(exist_ok=True)
    for name, column in tables.items():
        (folder / name).write_text(f"key,topic,{column}\nrow-01,a,x\n")
    corpus = {**tiny_recipe.data()["corpus"], "join": joins}
    return prints(tmp_path, tiny_recipe.data(corpus=corpus))["corpus"]


def test_each_joined_file_counts_with_its_key_and_its_turn(tmp_path):
    tables = {"a.csv": "one", "b.csv": "two"}
    by_key, by_topic = {"file": "a.csv", "on": "key"}, {"file": "b.csv", "on": "topic"}
    found = {
        joined(tmp_path, tables, [by_key, by_topic]),
        joined(tmp_path, tables, [by_topic, by_key]),
        joined(tmp_path, tables, [by_key | {"on": "topic"}, by_topic | {"on": "key"}]),
        joined(tmp_path, {"a.csv": "two", "b.csv": "one"}, [by_key, by_topic]),
        joined(tmp_path, tables, [by_key]),
    }
    assert len(found) == 5
    assert joined(tmp_path, tables, [by_key, by_topic]) in found


def test_files_of_items_and_of_journals_are_told_apart(tmp_path):
    def corpus(table, journals):
        file = tiny_recipe.write(tmp_path / "recipe")
        for name, text in (("rows.jsonl", table), ("sjr.csv", journals)):
            (file.parent / name).write_text(text)
        section = {**tiny_recipe.data()["corpus"], "journals": {"sjr": "sjr.csv"}}
        file.write_text(yaml.safe_dump(tiny_recipe.data(corpus=section)))
        plan = make_plan(load_recipe(file), workspace=tmp_path / "workspace")
        return plan.step("corpus")

    one, other = corpus("{}\n", "Rank\n"), corpus("Rank\n", "{}\n")
    assert one.fingerprint != other.fingerprint
    assert [name for name, _ in one.params["files"]] == ["rows.jsonl"]
    assert [name for name, _ in one.params["journal_files"]] == ["sjr.csv"]


EUTILS = {"source": "eutils", "query": "sleep[mesh]", "access": "restricted"}
HUB = {
    "source": "hub",
    "dataset": "org/name",
    "split": "test",
    "access": "open",
    "reference": "answer",
}
PINS = [
    # (corpus, a change to it, whether the source has to be asked again)
    (EUTILS, {"where": {"min_sections": 4}}, False),
    (EUTILS, {"dedup": ["pmid"]}, False),
    (EUTILS, {"leak_risk": "drop", "conclusions": "first", "retracted": "reject"}, False),
    (EUTILS, {"rendering": "paper", "access": "open"}, False),
    (EUTILS, {"timeout_s": 5, "email_env": "MAIL"}, False),
    (EUTILS, {"query": "sleep"}, True),
    (EUTILS, {"max_records": 10}, True),
    (EUTILS, {"batch": 10}, True),
    (HUB, {"id": "pmid"}, False),
    (HUB, {"fields": {"input": "abstract", "answer": "conclusion"}}, False),
    (HUB, {"on_bad_row": "reject"}, False),
    (HUB, {"token_env": "TOKEN"}, False),
    (HUB, {"split": ["test"]}, False),
    (HUB, {"dataset": "org/other"}, True),
    (HUB, {"config": "small"}, True),
    (HUB, {"split": ["test", "train"]}, True),
    (HUB, {"revision": "v2"}, True),
]


@pytest.mark.parametrize(("section", "change", "again"), PINS)
def test_a_source_is_asked_again_only_when_something_else_is_asked(
    tmp_path, section, change, again
):
    workspace = find_workspace(tmp_path / "workspace")

    def pin(corpus):
        file = tiny_recipe.write(tmp_path / "recipe", tiny_recipe.data(corpus=corpus))
        return pinned_file(workspace, load_recipe(file))

    assert (pin({**section, **change}) != pin(section)) is again


def test_a_pinned_source_is_part_of_the_fingerprint(tmp_path):
    file = tiny_recipe.write(tmp_path / "recipe", tiny_recipe.data(corpus=EUTILS))
    recipe = load_recipe(file)
    place = find_workspace(tmp_path / "workspace")
    assert make_plan(recipe, workspace=place).step("corpus").fingerprint is None
    found = set()
    for ids in ("first", "second"):
        write_json(pinned_file(place, recipe), {"query": "sleep[mesh]", "ids_sha256": ids})
        found.add(make_plan(recipe, workspace=place).step("corpus").fingerprint)
    assert len(found) == 2
    assert None not in found


def test_a_local_metric_counts_with_what_it_imports_beside_itself(tmp_path):
    recipe = tiny_recipe.data(metrics=["word_ratio", {"local": "mine.py:f"}])
    folder = tmp_path / "recipe"
    folder.mkdir()
    (folder / "mine.py").write_text("from near import W\ndef f(p, r):\n    return W\n")
    found = []
    for weight in ("1", "2"):
        (folder / "near.py").write_text(f"W = {weight}\n")
        found.append(prints(tmp_path, recipe, trust_local=True))
    assert found[0]["score/f/first"] != found[1]["score/f/first"]
    assert found[0]["score/word_ratio/first"] == found[1]["score/word_ratio/first"]
