"""What is published of data whose texts may not be: ids, and no edited text either."""

import pyarrow.parquet as pq
import pytest
import study_world as study

from toolkit.errors import UserError
from toolkit.execute import run_recipe
from toolkit.gate.recipe import refuse_unpublishable
from toolkit.recipe.load import load_recipe

PUBLISH = {"license": "other", "license_name": "dua", "license_link": "https://example.org/dua"}


def recipe(access):
    return study.data(
        access,
        splits={"sizes": {"test": 6, "train": 4}},
        publish=PUBLISH | {"redistribution": "ids_only"},
        human=None,
    )


def test_ids_only_releases_neither_a_text_nor_an_edit(tmp_path):
    loaded, workspace = study.world(tmp_path, recipe("restricted"))
    done = run_recipe(loaded, workspace=workspace.root, until="release")
    folder = done.artifacts["release"].folder
    columns = {name for file in folder.rglob("*.parquet") for name in pq.read_schema(file).names}
    assert "item_id" in columns
    hidden = {"impression", "original_text", "edits", "original_id", "level", "dataset", "answer"}
    assert not columns & hidden
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    values = [str(pq.read_table(path).to_pydict()) for path in files if path.suffix == ".parquet"]
    texts = [path.read_text("utf-8") for path in files if path.suffix in (".md", ".json", ".yaml")]
    assert not [text for text in values + texts if "effusion" in text or "TS_L1" in text]


def test_credentialed_data_are_refused_before_a_run_even_as_ids(tmp_path):
    study.write(tmp_path, recipe("credentialed"))
    loaded = load_recipe(tmp_path / "recipe.yaml")
    with pytest.raises(UserError, match="nothing made from its rows may be released"):
        refuse_unpublishable(loaded)
