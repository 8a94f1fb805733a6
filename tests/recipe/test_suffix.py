"""A metric used twice, and analyses that name its scores."""

import small_recipe

from toolkit.recipe.load import load_recipe
from toolkit.recipe.score_names import score_names

TWICE = ["sentence_ratio", {"sentence_ratio": {"profile": "paper", "suffix": "paper"}}]


def reasons(folder, **sections):
    return [str(fault) for fault in small_recipe.faults(small_recipe.write(folder, **sections))]


def test_both_uses_have_scores_that_analyses_may_name(tmp_path):
    shown = {"without_flagged": {"columns": "leak_risk", "scores": "sentence_ratio.paper"}}
    file = small_recipe.write(tmp_path, metrics=TWICE, analyses=[shown])
    recipe = load_recipe(file)
    assert score_names(recipe) == ["sentence_ratio", "sentence_ratio.paper"]
    assert [metric.suffix for metric in recipe.metrics] == ["", "paper"]
    assert recipe.metrics[1].params.profile == "paper"


def test_the_same_suffix_twice_is_refused(tmp_path):
    (fault,) = reasons(tmp_path, metrics=[*TWICE, TWICE[1]])
    assert "metric 'sentence_ratio.paper' is listed twice" in fault


def test_a_suffix_is_a_word(tmp_path):
    metrics = [{"rouge": {"suffix": "a.b"}}]
    assert any("metrics[0].rouge.suffix" in fault for fault in reasons(tmp_path, metrics=metrics))


def test_competitors_and_baselines_are_models_of_the_recipe(tmp_path):
    analyses = [
        {"mode_contrast": {"pairs": [["A", "A2"]], "competitors": "smal"}},
        {"before_after_cutoff": {"baselines": ["floor", "none"]}},
    ]
    found = "\n".join(reasons(tmp_path, analyses=analyses))
    assert "there is no model called 'smal'" in found
    assert "there is no model called 'none'" in found
    assert "called 'floor'" not in found


def test_training_files_may_be_absent_until_the_run_but_stay_beside_the_recipe(tmp_path):
    def overlap(files):
        return [{"training_overlap": {"files": files, "columns": "question"}}]

    assert reasons(tmp_path, analyses=overlap("training/*.jsonl")) == []
    (fault,) = reasons(tmp_path, analyses=overlap("../elsewhere.jsonl"))
    assert "leads out of the recipe's folder" in fault
