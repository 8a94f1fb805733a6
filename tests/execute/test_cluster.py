"""A Dask scheduler that runs elsewhere."""

import pytest
import tiny_recipe

from tests.faults.runs import finish, start
from toolkit.errors import UserError
from toolkit.execute import run_recipe
from toolkit.execute.cluster import Cluster
from toolkit.recipe.load import load_recipe


@pytest.mark.slow
def test_a_run_uses_the_scheduler_the_recipe_names(tmp_path):
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
    ) as cluster:
        recipe = tiny_recipe.data(execution={"scheduler": cluster.scheduler_address})
        file = tiny_recipe.write(tmp_path / "recipe", recipe)
        result = run_recipe(load_recipe(file), workspace=tmp_path / "workspace")
        assert "leaderboard" in result.artifacts
        # Dask counts there what was done there.
        done = cluster.scheduler.cumulative_worker_metrics
        assert any("tiny" not in str(key) for key in done)


def test_an_address_where_nobody_answers_is_a_sentence(tmp_path):
    recipe = tiny_recipe.data(execution={"scheduler": "tcp://127.0.0.1:9"})
    file = tiny_recipe.write(tmp_path / "recipe", recipe)
    workspace = tmp_path / "workspace"
    finish(start(workspace, "run", file), workspace, 2)
    output = (workspace / "output.txt").read_text()
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in output
    assert "Traceback" not in output


def test_nothing_starts_for_no_task():
    cluster = Cluster("tcp://127.0.0.1:9", None, lambda: False)
    assert list(cluster.run(str, [])) == []
    with pytest.raises(UserError, match="no Dask scheduler"):
        list(cluster.run(str, [1]))
