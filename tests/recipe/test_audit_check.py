import pytest
import yaml

from tests.stages.audited import recipe, table, write
from toolkit.errors import RecipeError
from toolkit.recipe.load import load_recipe


def faults(folder, change):
    data = recipe("http://127.0.0.1:9/v1")
    change(data)
    file = write(folder, data, table(3))
    with pytest.raises(RecipeError) as caught:
        load_recipe(file)
    return [(fault.path, fault.reason) for fault in caught.value.faults]


def audit_of(data):
    return data["analyses"][1]["judge_audit"]


def test_judges_that_cannot_be_audited_are_refused_by_name(tmp_path):
    def change(data):
        data["judges"]["people"] = {
            "type": "human", "file": "ratings.csv", "scores": {"s": {"range": [0, 1]}},
        }  # fmt: skip
        data["judges"]["jury"] = {"type": "panel", "judges": ["primary"]}
        audit_of(data)["judges"] = ["people", "primary", "jury", "primary", "nobody"]

    found = dict(faults(tmp_path, change))
    where = "analyses[1].judge_audit.judges"
    assert "of type human" in found[f"{where}[0]"]
    assert "of type panel" in found[f"{where}[2]"]
    assert "audited already" in found[f"{where}[3]"]
    assert "no judge called 'nobody'" in found[f"{where}[4]"]
    assert f"{where}[1]" not in found


def test_what_scores_should_react_to_names_scores_and_edits_of_the_audit(tmp_path):
    def change(data):
        audit_of(data)["edits"] = ["number", "unit"]
        audit_of(data)["expects"] = {"numeric_consistency": ["hedge"], "numbers": ["unit"]}

    found = faults(tmp_path, change)
    assert any("'hedge' is none of the edits" in reason for _, reason in found)
    assert any("no audited judge gives a score called 'numbers'" in reason for _, reason in found)


def test_a_good_audit_is_good(tmp_path):
    data = recipe("http://127.0.0.1:9/v1", expects={"semantic_similarity": ["removal"]})
    file = write(tmp_path, data, table(3))
    assert yaml.safe_load(file.read_text())["analyses"]
    assert load_recipe(file).analyses[1].params.sample == 500
