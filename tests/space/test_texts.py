"""Texts beside scores: of a full release of open data, what it holds, and nothing else."""

import json
from dataclasses import replace

import judged_run
import pytest
import tiny_recipe
from judged_run import run_here

from tests.schedulers import local_scheduler
from toolkit.errors import UserError
from toolkit.results.board import build_board
from toolkit.results.from_run import results_of_run
from toolkit.results.store import ResultStore
from toolkit.space.build import SpaceAbout, build_space

ABOUT = SpaceAbout(title="Tiny", redistribution="full_text", access="open")


@pytest.fixture(scope="module")
def scheduler():
    with local_scheduler() as address:
        yield address


@pytest.fixture(scope="module")
def run(scheduler, tmp_path_factory):
    data = judged_run.recipe("http://127.0.0.1:9/v1", judges={}, metrics=["rouge"])
    return judged_run.make(tmp_path_factory.mktemp("run"), data, scheduler)


@pytest.fixture(scope="module")
def reserved(scheduler, tmp_path_factory):
    """A run of which every third text is somebody's; some of these are a few words long."""
    folder = tmp_path_factory.mktemp("reserved")
    data = judged_run.recipe("http://127.0.0.1:9/v1", judges={}, metrics=["rouge"])
    data["models"]["other"] = {"provider": "baseline", "variant": "random_conclusion"}
    data["generate"]["models"] = ["vendor", "other"]
    file = judged_run.write(folder, data)
    rows = tiny_recipe.rows(24)
    for n, row in enumerate(rows):
        row["copyright"] = "© 2020 The Publisher" if n % 3 == 0 else None
        row["conclusion"] = f"Short {n}." if n % 2 == 0 else row["conclusion"]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    long = next(
        row["conclusion"] for row in rows if row["copyright"] and len(row["conclusion"]) > 40
    )
    answers = [{"item_id": row["key"], "text": f"As said {n}."} for n, row in enumerate(rows)]
    # A model that says what another article concludes, in the middle, and spaced otherwise.
    for answer in answers[1::3]:
        answer["text"] = "As they write: “" + long.replace(" ", "\n ", 3) + "” And so on."
    (folder / "answers.jsonl").write_text("".join(json.dumps(a) + "\n" for a in answers))
    return run_here(file, folder / "workspace", scheduler).folder, rows


def filled(run, folder):
    made = ResultStore(folder)
    for result, items in results_of_run(
        run, date="2026-05-01", tier="re-generated", submitter="org"
    ):
        made.add(result, items)
    return made


@pytest.fixture(scope="module")
def store(run, tmp_path_factory):
    return filled(run, tmp_path_factory.mktemp("store"))


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


def test_no_answer_holds_a_text_that_the_release_leaves_out(reserved, tmp_path):
    run, rows = reserved
    found = parts(tmp_path / "space", filled(run, tmp_path), replace(ABOUT, run=run))
    references = {row["conclusion"]: row["copyright"] for row in rows}
    by_id = {row["key"]: row for row in rows}
    handed = [row[3] for row in found["other"]["texts"] if row]
    assert handed, "answers of released items are shown"
    assert len(handed) < sum(not by_id[item]["copyright"] for item in found["other"]["ids"])
    assert all(references[answer] is None for answer in handed)
    shown = dict(zip(found["vendor"]["ids"], found["vendor"]["texts"], strict=True))
    for item, row in shown.items():
        quoted = int(item[-2:]) % 3 == 1
        assert (row is None) == (quoted or bool(by_id[item]["copyright"]))
    assert any(shown.values())
    whole = "".join(path.read_text() for path in tmp_path.rglob("space/data/*.js"))
    for row in rows:
        assert not row["copyright"] or json.dumps(row["conclusion"]) not in whole


def test_a_withdrawn_item_keeps_its_scores_and_loses_its_texts(reserved, tmp_path):
    run, rows = reserved
    made = filled(run, tmp_path)
    before = parts(tmp_path / "before", made, replace(ABOUT, run=run))["other"]
    held = {row["key"] for row in rows if row["copyright"]}
    item, (_, _, reference, _) = next(
        pair for pair in zip(before["ids"], before["texts"], strict=True) if pair[1]
    )
    assert item not in held
    gone = frozenset({item})
    after = parts(tmp_path / "after", made, replace(ABOUT, run=run, withdrawn=gone))["other"]
    assert (after["ids"], after["values"]) == (before["ids"], before["values"])
    assert after["texts"][after["ids"].index(item)] is None
    whole = "".join(path.read_text() for path in (tmp_path / "after").rglob("*.js"))
    assert json.dumps(reference) not in whole
    assert sum(map(bool, after["texts"])) < sum(map(bool, before["texts"]))


def test_what_a_record_says_of_itself_holds_no_such_text(reserved, tmp_path):
    run, rows = reserved
    made = filled(run, tmp_path)
    result = next(one for one in made.results.values() if one.model.name == "vendor")
    text = next(row["input"] for row in rows if row["copyright"])
    noted = replace(result, date="2026-05-02", model=replace(result.model, name="x", note=text))
    made.add(noted, made.items(result.record_id))
    with pytest.raises(UserError, match=r"what these say of themselves: record-"):
        build_space(build_board(made), made, replace(ABOUT, run=run), tmp_path / "space")


def _lines(run):
    return (run.parent.parent.parent / "answers.jsonl").read_text().splitlines()
