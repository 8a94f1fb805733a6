"""Headline numbers: what they name must exist, be released, and be better higher."""

import pytest
import small_recipe

PUBLISH = {"license": "cc-by-4.0", "redistribution": "full_text"}
TASK = {"id": "words", "score": "rougeL", "prompt": "A"}
JUDGE = {
    "type": "llm",
    "model": "small",
    "prompt": {"file": "ask.j2", "slots": {"question": "judged:output"}},
    "scores": {
        "quality": {"range": [0, 10]},
        "harm": {"range": [0, 10], "direction": "lower"},
    },
}


def faults(folder, *tasks, **sections):
    """Return the faults of the tasks by path: reason and suggestion."""
    recipe = {
        "metrics": ["rouge", "word_ratio"],
        "judges": {"j": JUDGE, "jury": {"type": "panel", "judges": ["j"], "reduce": "mean"}},
        "publish": {**PUBLISH, "tasks": list(tasks)},
        **sections,
    }
    found = small_recipe.faults(small_recipe.write(folder, **recipe))
    return {one.path: (one.reason, one.suggestion) for one in found if "tasks" in one.path}


def test_tasks_that_can_be_ranked_and_loaded_are_good(tmp_path):
    tasks = [
        TASK,
        TASK | {"id": "q", "score": "quality"},
        TASK | {"id": "j", "score": "jury.quality"},
    ]
    assert faults(tmp_path, *tasks, TASK | {"id": "t", "split": "train"}) == {}


@pytest.mark.parametrize(
    ("task", "path", "said"),
    [
        (TASK | {"score": "rougeX"}, "score", "no score called"),
        (TASK | {"prompt": "B"}, "prompt", "no prompt of generate called"),
        (TASK | {"split": "dev"}, "split", "no released split called"),
        (TASK | {"score": "word_ratio"}, "score", "is best at a target"),
        (TASK | {"score": "harm"}, "score", "is better lower"),
        (TASK | {"score": "jury.harm"}, "score", "is better lower"),
    ],
)
def test_a_task_is_refused_at_its_place_with_what_to_write(tmp_path, task, path, said):
    ((where, (reason, suggestion)),) = faults(tmp_path, task).items()
    assert where == f"publish.tasks[0].{path}"
    assert said in reason
    assert suggestion
    if path == "score" and "called" not in said:
        assert "rougeL" in suggestion
        assert "word_ratio" not in suggestion


def test_two_tasks_of_one_id_are_refused(tmp_path):
    assert "two tasks are called 'words'" in faults(tmp_path, TASK, TASK)["publish.tasks[1].id"][0]


def test_a_view_is_no_released_split(tmp_path):
    splits = {"sizes": {"train": 4, "test": 2}, "views": {"few": {"of": "test", "sample": 1}}}
    generate = small_recipe.DATA["generate"] | {"split": "few"}
    found = faults(tmp_path, TASK, splits=splits, generate=generate)
    assert "which is no released split" in found["publish.tasks[0]"][0]
    named = TASK | {"split": "test"}
    assert faults(tmp_path, named, splits=splits, generate=generate) == {}
