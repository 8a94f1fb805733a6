"""Texts beside scores: of a full release of open data, what it holds, and nothing else."""

import json
from dataclasses import replace

import judged_run
import pytest

from toolkit.results.board import build_board
from toolkit.results.from_run import results_of_run
from toolkit.results.store import ResultStore
from toolkit.space.build import SpaceAbout, build_space

ABOUT = SpaceAbout(title="Tiny", redistribution="full_text", access="open")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    from distributed import LocalCluster

    data = judged_run.recipe("http://127.0.0.1:9/v1", judges={}, metrics=["rouge"])
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=":0",
        silence_logs=50,
    ) as cluster:
        return judged_run.make(tmp_path_factory.mktemp("run"), data, cluster.scheduler_address)


@pytest.fixture(scope="module")
def store(run, tmp_path_factory):
    made = ResultStore(tmp_path_factory.mktemp("store"))
    for result, items in results_of_run(
        run, date="2026-05-01", tier="re-generated", submitter="org"
    ):
        made.add(result, items)
    return made


def parts(folder, store, about):
    """Return what the page holds of each record, by model."""
    build_space(build_board(store), store, about, folder)
    found = {}
    for result in store.results.values():
        text = (folder / "data" / f"record-{result.record_id}.js").read_text(encoding="utf-8")
        found[result.model.name] = json.loads(text[text.index(",") + 1 : -3])["items"]
    return found


def test_released_texts_and_answers_stand_beside_their_scores(store, run, tmp_path):
    found = parts(tmp_path, store, replace(ABOUT, run=run))
    answers = {row["item_id"]: row["text"] for row in map(json.loads, _lines(run))}
    for model, items in found.items():
        assert len(items["texts"]) == len(items["ids"]) == judged_run.ITEMS
        for item, (title, shown, reference, answer) in zip(
            items["ids"], items["texts"], strict=True
        ):
            assert title == ""
            assert shown.startswith("AIM: To study question")
            assert reference.endswith("It should be tried elsewhere.")
            assert answer
            if model == "vendor":
                assert answer == answers[item].strip()


@pytest.mark.parametrize(
    "changes",
    [{"run": None}, {"access": "restricted"}, {"access": "credentialed"},
     {"redistribution": "ids_only"}, {"redistribution": "metadata"}],
)  # fmt: skip
def test_otherwise_ids_and_scores_alone(store, run, tmp_path, changes):
    found = parts(tmp_path, store, replace(ABOUT, **{"run": run, **changes}))
    for items in found.values():
        assert set(items) == {"of", "ids", "values"}
    whole = "".join(path.read_text() for path in tmp_path.rglob("*.js"))
    assert "It should be tried elsewhere" not in whole


def _lines(run):
    return (run.parent.parent.parent / "answers.jsonl").read_text().splitlines()
