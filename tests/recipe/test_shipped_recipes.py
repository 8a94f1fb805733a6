"""The recipes that ship: good, complete, refused by name where this version cannot run them."""

from __future__ import annotations

import copy
import csv
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import small_recipe
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import NAMES, OWN_DATA, PROTOCOLS, RECIPES, RUN, prompts, recipe, text

from toolkit.cli.init import copy_recipe
from toolkit.errors import RecipeError, UserError
from toolkit.plan.make import make_plan
from toolkit.plan.unbuilt import unbuilt_sentences
from toolkit.recipe.load import load_recipe
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.strict_yaml import load_yaml
from toolkit.registry import is_built


def test_the_four_protocols_and_two_to_begin_with_ship():
    assert sorted([*PROTOCOLS, *RUN, *OWN_DATA]) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_recipe_is_good(name):
    assert recipe(name).name == name
    assert recipe(name).seed == 42
    assert recipe(name).version == "1.0"
    assert text(name).splitlines()[1].startswith("# yaml-language-server: $schema=https://")


@pytest.mark.parametrize("name", RUN)
def test_what_this_version_runs_is_planned(name, tmp_path):
    plan = make_plan(recipe(name), workspace=tmp_path)
    steps = {step.name for step in plan.steps}
    assert {"corpus", "splits", "leaderboard", "report", "release"} <= steps
    for model in recipe(name).models:
        assert any(step.startswith(f"generate/{model}") for step in steps)
    assert not any(tmp_path.iterdir())


def unbuilt(loaded: Recipe) -> set[str]:
    """What a plan must name, found without the plan's own code."""
    parts = {
        f"judges.{name}"
        for name, judge in loaded.judges.items()
        if not is_built("judges", judge.type)
    }
    parts |= {
        f"models.{name}"
        for name, model in loaded.models.items()
        if not is_built("models", model.provider)
    }
    parts |= {
        f"'{metric.name}'" for metric in loaded.metrics if not is_built("metrics", metric.name)
    }
    parts |= {f"'{item.name}'" for item in loaded.analyses if not is_built("analyses", item.name)}
    return parts


def with_data(name, folder):
    """Copy a recipe, and put invented files where it looks for those that users bring."""
    copy_recipe(name, folder)
    for place, pattern in (("pubmed", "*.xml"), ("sjr", "journals-*.csv")):
        (folder / "data" / place).mkdir(parents=True)
        for file in (RECIPES / "sample").glob(pattern):
            data = file.read_bytes()
            if place == "pubmed":
                data = gzip.compress(data, mtime=0)
            name = f"{file.name}.gz" if place == "pubmed" else file.name
            (folder / "data" / place / name).write_bytes(data)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_what_this_version_cannot_run_is_refused_in_sentences(name, tmp_path):
    expected = unbuilt(recipe(name))
    if not expected:
        with_data(name, tmp_path)
        plan = make_plan(load_recipe(tmp_path / f"{name}.yaml"), workspace=tmp_path / "w")
        own = {"radiology": {"perturb"}, "medconclusion": {"audit", "measure"}}[name]
        assert {"generate", "judge", "score", "analyse", *own} <= {
            step.stage for step in plan.steps
        }
        return
    with pytest.raises(UserError) as caught:
        make_plan(recipe(name), workspace=tmp_path)
    head, *sentences = caught.value.message.splitlines()
    assert f"'{name}'" in head
    assert all(re.fullmatch(r"  \S.*\.", line) for line in sentences)
    assert len(sentences) == len(set(sentences))
    for part in expected:
        assert any(part in line for line in sentences), part
    built = [metric.name for metric in recipe(name).metrics if is_built("metrics", metric.name)]
    assert not [name for name in built if any(f"'{name}'" in line for line in sentences)]
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_copied_out_with_its_files_is_still_good(name, tmp_path):
    copied = copy_recipe(name, tmp_path)
    assert copied[0] == tmp_path / f"{name}.yaml"
    assert load_recipe(copied[0]).data == recipe(name).data


def test_every_file_that_ships_is_used_by_a_recipe():
    used = {Path(file).resolve() for name in NAMES for _, prompt in prompts(recipe(name))
            for file in (prompt.file, prompt.system, prompt.user) if file}  # fmt: skip
    named = "".join(text(name) for name in NAMES)
    for path in sorted(RECIPES.rglob("*")):
        if path.suffix in (".j2", ".md", ".csv") and "sample" not in path.parts:
            assert path.resolve() in used or path.relative_to(RECIPES).as_posix() in named, path


def test_medconclusion_has_what_the_paper_reports():
    loaded = recipe("medconclusion")
    assert loaded.generate[0].prompts == ("A", "B", "C", "D")
    assert dict(loaded.splits.sizes) == {"train": 100_000, "validation": 10_000, "test": 30_000}
    profiles = {
        metric.name: getattr(metric.params, "profile", "")
        for metric in loaded.metrics
        if not metric.suffix
    }
    for name in ("word_ratio", "sentence_ratio", "rouge", "bleu", "embedding_similarity"):
        assert profiles[name] == "paper"
    assert {"perplexity", "numeric_support"} <= set(profiles)
    named = {analysis.name for analysis in loaded.analyses}
    assert {
        "means", "mode_contrast", "judge_agreement", "correlation", "category_ranking",
        "category_radar", "distribution", "model_table", "judge_audit", "before_after_cutoff",
        "without_flagged",
    } <= named  # fmt: skip
    (radar,) = [item.params for item in loaded.analyses if item.name == "category_radar"]
    assert len(radar.axes) == 12
    (panels,) = [item.params for item in loaded.analyses if item.name == "correlation"]
    assert (len(panels.scores), panels.level, panels.with_) == (10, "journal", ("sjr",))


def uncommented(name: str, after: str) -> str:
    """Return the commented YAML that follows a sentence, without its comment signs."""
    lines = text(name).splitlines()
    start = next(index for index, line in enumerate(lines) if after in line)
    block: list[str] = []
    for line in lines[start:]:
        if not line.startswith("#"):
            break
        block.append(line.removeprefix("#").removeprefix(" "))
    return "\n".join(block[block.index("") + 1 :])


def test_the_published_data_can_stand_in_for_the_files(tmp_path):
    changed = load_yaml(
        uncommented("medconclusion", "The paper's data are on the Hub"), "block"
    ).data
    copy_recipe("medconclusion", tmp_path)
    whole = load_yaml(text("medconclusion"), "whole").data | changed
    file = tmp_path / "hub.yaml"
    file.write_text(small_recipe.dump(whole), encoding="utf-8")
    # OWNER/NAME is for the user to write; everything else is right as it stands.
    assert load_recipe(file).corpus.source == "hub"


def test_the_part_that_the_docs_run_now_has_nothing_unbuilt(tmp_path):
    page = (RECIPES.parent / "docs" / "recipes.md").read_text(encoding="utf-8")
    block = page.split("```yaml\n# mine.yaml", 1)[1].split("```")[0]
    copy_recipe("medconclusion", tmp_path)
    (tmp_path / "mine.yaml").write_text("#" + block, encoding="utf-8")
    assert list(unbuilt_sentences(load_recipe(tmp_path / "mine.yaml"))) == []


def test_the_radiology_recipe_on_a_server_of_ones_own_says_nothing_of_the_small_model(tmp_path):
    page = (RECIPES.parent / "docs" / "recipes.md").read_text(encoding="utf-8")
    block = page.split("```yaml\n# mine.yaml, beside radiology.yaml", 1)[1].split("```")[0]
    copy_recipe("radiology", tmp_path)
    (tmp_path / "mine.yaml").write_text("#" + block, encoding="utf-8")
    loaded = load_recipe(tmp_path / "mine.yaml")
    assert list(unbuilt_sentences(loaded)) == []
    for name in ("smollm2", "judge_smollm2", "judge_smollm2_warm"):
        model = loaded.models[name]
        assert (model.title, model.access, model.scale, model.note) == ("NAME", None, None, None)


def test_ratings_by_people_can_be_added(tmp_path):
    extra = load_yaml(
        uncommented("medconclusion", "With ratings by people on a sample"), "block"
    ).data
    copy_recipe("medconclusion", tmp_path)
    file = tmp_path / "rated.yaml"
    file.write_text(small_recipe.dump({"extends": "medconclusion.yaml", **extra}), encoding="utf-8")
    assert "experts" in load_recipe(file).judges


def test_the_sixteen_aspects_stand_in_their_order():
    with (RECIPES / "pcoa" / "aspects.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    order = "OB,P,I,C,O,F,M,TD,PE,SE,FD,AE,R,B,FU,RE"
    assert ",".join(row["aspect"] for row in rows) == order
    assert all(value.strip() for row in rows for value in row.values())
    (join,) = recipe("pcoa").corpus.join
    assert join.on == "aspect"
    slots = {value for prompt in recipe("pcoa").prompts.values() for value in prompt.slots.values()}
    assert {f"field:{name}" for name in rows[0] if name != "aspect"} <= slots


def test_strategies_chain_the_right_prompts():
    (entry,) = recipe("pcoa").generate
    assert dict(entry.strategies) == {
        "intrinsic": ("intrinsic_all",),
        "prior": ("find", "write"),
        "post_hoc": ("draft", "trace"),
    }
    assert len(entry.models) == 4


def test_every_variant_of_the_five_tasks_is_there_with_its_own_reference():
    loaded = recipe("academic")
    counts = {"E1": 6, "E2": 6, "E3": 4, "E4": 6, "E5": 1}
    assert set(loaded.prompts) == {
        f"{task}_{i}" for task, n in counts.items() for i in range(n)
    } | {"review"}
    references = {key: prompt.reference for key, prompt in loaded.prompts.items()}
    assert {references[key] for key in references if key.startswith("E1")} == {"keywords"}
    assert {references[key] for key in references if key.startswith("E2")} == {"abstract"}
    assert references["E5_0"] == "input"
    assert loaded.prompts["E2_4"].slots["keywords"] == "run:E1_0"
    asked = {key for entry in loaded.generate for key in entry.prompts}
    assert asked == set(loaded.prompts)
    for entry in loaded.generate:
        if entry.prompts != ("review",):
            assert entry.repeats == 5
        assert (entry.vote == "majority") == (entry.over == ("pairs",))


def test_the_human_evaluation_is_as_described():
    human = recipe("academic").human
    forms = human.forms
    assert (human.raters, human.pause_seconds, human.profile_seconds) == (87, 120, 60)
    both = [forms["abstracts"], forms["critiques"]]
    assert [(form.items, form.break_after) for form in both] == [(12, 4), (8, 2)]
    assert [(form.seconds, form.minimum_seconds) for form in both] == [(180, 15), (480, 60)]
    assert len(forms["reviews"].questions) == 4


def test_radiology_keeps_credentialed_texts_here():
    loaded = recipe("radiology_credentialed")
    assert loaded.corpus.access == "credentialed"
    assert loaded.publish is None
    assert {model.params.base_url.split(":")[1] for model in loaded.models.values()} == {
        "//127.0.0.1"
    }
    (entry,) = loaded.generate
    assert (len(entry.models), entry.over, entry.prompts) == (
        6,
        ("items", "variants"),
        ("detailed", "concise"),
    )
    assert loaded.perturb.levels == ("IR_L1", "IR_L2", "TS_L1", "TS_L2", "TS_L3")


def test_radiology_asks_as_much_as_its_protocol():
    loaded = recipe("radiology_credentialed")
    datasets = 3
    view, perturb, (entry,) = loaded.splits.views["eval"], loaded.perturb, loaded.generate
    assert (view.per, perturb.split, entry.split, entry.repeats) == ("dataset", "eval", "eval", 1)
    items = view.sample * datasets
    pairs = items * len(entry.models) * len(entry.prompts) * len(perturb.levels)
    assert pairs == 300 * 6 * 2 * 5 == 18_000
    # Each model answers the unedited text once a prompt, and all its variants are compared with it.
    assert pairs + items * len(entry.models) * len(entry.prompts) == 21_600
    each = sum(categories * terms for categories, terms in perturb.substitution.levels.values())
    assert items * each * len(entry.prompts) == 300 * 21 * 2 == 12_600


def test_the_first_query_explains_each_of_its_keys():
    lines = text("pubmed-query").splitlines()
    for index, line in enumerate(lines):
        if re.match(r"\w+:", line):
            near = lines[max(0, index - 3) : index + 3]
            assert any(other.strip().startswith("#") for other in near), line


# --- faults 1 and 4: a typing error in any key, any name taken away -----------------------------

TOP = [(name, key) for name in NAMES for key in load_yaml(text(name), name).data]


def broken(folder: Path, name: str, data: dict[str, Any]) -> RecipeError | None:
    file = folder / f"{name}-broken.yaml"
    file.write_text(small_recipe.dump(data), encoding="utf-8")
    try:
        load_recipe(file)
    except RecipeError as error:
        return error
    return None


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipes")
    for name in NAMES:
        copy_recipe(name, folder)
    return folder


@pytest.mark.parametrize(("name", "key"), TOP)
def test_a_misspelled_top_level_key_is_named_with_its_line_and_the_right_word(name, key, copies):
    data = load_yaml(text(name), name).data
    wrong = key[:-1] + ("q" if key[-1] != "q" else "z")
    data = {wrong if other == key else other: value for other, value in data.items()}
    error = broken(copies, name, data)
    assert error is not None
    written = (copies / f"{name}-broken.yaml").read_text(encoding="utf-8").splitlines()
    (fault,) = [fault for fault in error.faults if fault.path == wrong]
    assert written[fault.line - 1].startswith(f"{wrong}:")
    assert fault.suggestion == f"did you mean '{key}'?"


NAMED = ("prompts", "models", "judges")


def used_names() -> Iterator[tuple[str, str, str]]:
    for name in NAMES:
        data = load_yaml(text(name), name).data
        if "extends" in data:
            # What is taken away there is still in the recipe that it extends.
            continue
        for section in NAMED:
            for key in data.get(section, {}):
                yield name, section, key
        for key in data.get("splits", {}).get("views", {}):
            yield name, "views", key


@pytest.mark.parametrize(("name", "section", "key"), list(used_names()))
def test_a_name_that_is_taken_away_is_missed_wherever_it_is_used(name, section, key, copies):
    data = copy.deepcopy(load_yaml(text(name), name).data)
    holder = data["splits"]["views"] if section == "views" else data[section]
    del holder[key]
    error = broken(copies, name, data)
    # `all` is every item, with or without a view of that name.
    if section == "views" and key == "all":
        assert error is None
        return
    assert error is not None, f"nothing uses {section}.{key}"
    assert all(fault.line > 0 for fault in error.faults)
    assert any(f"'{key}'" in fault.reason for fault in error.faults)


WRONG = [
    None, True, -1, 2.5, 10**18, "", "x", "field:", "answer:x.y", "run:A", "judged:output", "../x",
    "/etc/passwd", "a" * 5000, "http://[::1", [], {}, [None], ["a", 1], {"a": None}, [["A", "B"]],
]  # fmt: skip


@settings(max_examples=30)
@given(data=st.data())
def test_whatever_is_changed_the_recipe_is_good_or_refused_with_its_lines(data, copies):
    name = data.draw(st.sampled_from(NAMES))
    changed = copy.deepcopy(load_yaml(text(name), name).data)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(small_recipe.paths(changed))))
        holder = small_recipe.at(changed, path[:-1])
        if data.draw(st.booleans()):
            holder[path[-1]] = copy.deepcopy(data.draw(st.sampled_from(WRONG)))
        else:
            del holder[path[-1]]
    error = broken(copies, name, changed)
    assert error is None or all(fault.line > 0 and fault.reason for fault in error.faults)
