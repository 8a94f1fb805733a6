"""Variants that validation takes out are gone from everything after it, edits and report too."""

import json
from collections import Counter

import tiny_recipe

from tests.readers import study_world
from toolkit.execute import run_recipe
from toolkit.recipe.load import load_recipe

GONE = ["r00:TS_L1", "r01:TS_L1", "r02:IR_L1"]


def test_edits_of_variants_that_were_taken_out_are_gone_and_not_counted(tmp_path):
    rule = {
        "type": "expect_column_values_to_not_be_in_set",
        "kwargs": {"column": "item_id", "value_set": GONE},
        "severity": "critical",
        "meta": {"id": "gone", "why": "Three variants are wrong."},
    }
    suite = {"name": "variants", "meta": {"about": "Variants."}, "expectations": [rule]}
    (tmp_path / "variants.json").write_text(json.dumps(suite))
    data = study_world.data(
        splits=None,
        human=None,
        validation=tiny_recipe.UNCHECKED
        | {"variants": {"on_failure": "quarantine", "suite": "variants.json"}},
    )
    recipe = load_recipe(study_world.write(tmp_path, data))
    result = run_recipe(recipe, workspace=tmp_path / "w")
    made, left = result.artifacts["perturb"], result.artifacts["validate/variants"]
    for table in ("variants", "items_and_variants", "edits"):
        ids = {row["item_id"] for row in made.rows(table)}
        assert ids >= set(GONE)
        assert {row["item_id"] for row in left.rows(table)} == ids - set(GONE)
    levels = Counter(row["level"] for row in left.rows("variants"))
    told = (result.folder / "leaderboard.md").read_text(encoding="utf-8")
    assert f"IR\\_L1 {levels['IR_L1']}, TS\\_L1 {levels['TS_L1']}." in told
    assert levels == Counter(row["level"] for row in made.rows("variants")) - Counter(
        name.partition(":")[2] for name in GONE
    )
