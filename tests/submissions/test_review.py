"""Reviews as a whole: real runs of a real recipe, a judge on a real server."""

import json
import shutil

import pytest
from bundles import bundle as made_up
from reviewing import Office, benchmark, evasive, result_sentence

from tests.doubles.chat_server import ChatServer
from toolkit.release.history import SplitVersion, Version, history_text
from toolkit.results.board import build_board
from toolkit.store.workspace import Workspace
from toolkit.submissions.bundle import write_bundle
from toolkit.submissions.predictions import Prediction

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    script = [
        {"match": "More research", "times": 0, "message": {"content": '{"similarity": 10}'}},
        {"match": "", "times": 0, "message": {"content": '{"similarity": 80}'}},
    ]
    with ChatServer(tmp_path_factory.mktemp("server"), script) as running:
        yield running


@pytest.fixture(scope="module")
def office(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("office")
    made = Office(folder / "desk", benchmark(folder / "bench", server.url))
    with pytest.MonkeyPatch.context() as patch:
        # Only here: a review asks for no key of a model that it does not ask.
        patch.setenv("NOBODY_HAS_THIS_KEY", "k")
        made.toolkit("run", made.recipe, "--until", "splits")
    return made


@pytest.fixture(scope="module")
def accepted(office):
    """Two good models in the table: what was printed, by name."""
    good = office.bundle("Good 7B", result_sentence, more=("--revision", "abc", "--hub-id", "o/g"))
    weak = office.bundle("Weak", evasive, prompts="AB", submitter="bob")
    return {"Good 7B": (good, office.review(good)), "Weak": (weak, office.review(weak))}


def test_two_models_are_scored_judged_and_ranked(office, accepted, server):
    told = accepted["Good 7B"][1]
    assert told.startswith("accepted: Good 7B\n")
    results = {(one.model.name, one.prompt): one for one in office.store.results.values()}
    assert set(results) == {("Good 7B", "A"), ("Weak", "A"), ("Weak", "B")}
    good = results["Good 7B", "A"]
    assert (good.tier, good.submitter, good.split, good.date) == (
        "re-scored", "ann", "test", "2026-05-01",
    )  # fmt: skip
    assert (good.model.revision, good.model.hub_id) == ("abc", "o/g")
    assert good.score("word_ratio").n == 12
    judged = good.score("similarity")
    assert (judged.n, judged.missing, judged.value) == (10, 0, 80.0)
    assert results["Weak", "A"].score("similarity").value == 10.0
    assert judged.judges == ("grader",)
    # Ten answers of each model, and no planted instruction; equal answers are asked about once.
    assert len(server.calls) == 20
    (table,) = build_board(office.store).tables
    ranks = {
        entry.result.model.name: entry.rank
        for entry in table.of("test", "A")
        if entry.number.score == "similarity"
    }
    assert ranks == {"Good 7B": 1, "Weak": 2}
    shown = office.toolkit("leaderboard", "show", "--board", office.board)
    assert "Good 7B" in shown and "re-scored" in shown


def test_a_repeated_review_pays_nothing_and_changes_nothing(office, accepted, server):
    before, calls = tree(office.board), len(server.calls)
    again = office.review(accepted["Good 7B"][0], day="2026-06-30")
    assert again == accepted["Good 7B"][1]
    assert tree(office.board) == before
    # As a review leaves it that was killed before its records were written.
    shutil.rmtree(office.board / "results" / "1.0" / record_folder(office, "Good 7B"))
    office.review(accepted["Good 7B"][0], day="2026-06-30")
    assert tree(office.board) == before
    assert len(server.calls) == calls


def record_folder(office, name):
    (path,) = {
        path.parent.name
        for path in office.board.glob("results/*/*/*.json")
        if json.loads(path.read_text())["model_info"]["name"] == name
    }
    return path


def tree(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_report_says_what_was_declared_and_not_how_to_reach_anybody(office, accepted):
    report = office.report(accepted["Weak"][0])
    assert report["verdict"] == "accepted"
    assert report["judged"] == {"grader": 10}
    assert "contact" not in json.dumps(report)


def test_a_bundle_is_refused_with_all_reasons_at_once(office, accepted, server, tmp_path):
    before, calls = len(office.store.results), len(server.calls)
    references = {item["item_id"]: item["conclusion"] for item in office.items()}
    copier = office.bundle(
        "Weak", lambda item: {"output": references[item["item_id"]].upper()}, submitter="carl"
    )
    claims = tmp_path / "claims.json"
    claims.write_text('{"word_ratio": 0.5, "bleu": 0.9}')
    prompt = tmp_path / "a.j2"
    told = office.review(copier, "--claims", claims, code=2)
    for text in (
        "refused: Weak, 4 reasons",
        "stands in the table of version 1.0 already",
        "'Weak' is the name of a model that bob handed in",
        "12 of 12 answers (100.0%) are nearly their references",
        "prompt A, word_ratio: 0.5 is stated, 1.000000 was computed from 12 answers",
        "stated score 'bleu' of prompt 'A' was not compared",
    ):
        assert text in told
    assert not prompt.exists()
    assert len(office.store.results) == before
    assert len(server.calls) == calls
    assert office.report(copier)["verdict"] == "refused"
    text = next(office.board.glob(f"reviews/*/{office.report(copier)['bundle'][:16]}/review.md"))
    assert text.read_text(encoding="utf-8").startswith("# Refused\n")


def test_the_same_answers_under_another_name_are_refused(office, accepted):
    told = office.review(office.bundle("Better", evasive, submitter="dora"), code=2)
    assert "are those that bob handed in for 'Weak', word by word" in told


def test_a_model_is_known_by_its_repository_and_revision(office, accepted):
    same = ("--hub-id", "o/g", "--revision", "abc")
    told = office.review(
        office.bundle("Renamed", lambda item: {"output": "Other words."}, more=same), code=2
    )
    assert "'Good 7B' (abc) with prompt 'A' stands in the table of version 1.0 already" in told
    told = office.review(
        office.bundle("Good 7B", lambda item: {"output": "Other words."}, submitter="mallory"),
        *("--handed-in-by", "ann"),
        code=2,
    )
    assert "it names 'mallory' as its submitter, and 'ann' handed it in" in told
    assert "'Good 7B' is the name of a model that ann handed in" in told


def test_answers_of_another_submission_are_told(office, accepted):
    def mixed(item, seen=[]):  # noqa: B006 - counts its calls
        seen.append(item)
        return evasive(item) if len(seen) % 4 == 0 else result_sentence(item)

    # Refused for its sender, so that nothing is scored; what is to look at is told all the same.
    told = office.review(
        office.bundle("Mixed", mixed, submitter="eve"), "--handed-in-by", "adam", code=2
    )
    assert "75% of its answers stand word by word in 'Good 7B' of ann" in told


def test_ids_and_prompts_that_are_not_the_benchmarks_are_refused(office, server, tmp_path):
    ids = [item["item_id"] for item in office.items()]
    rows = [Prediction("A", item, "An answer.") for item in [*ids[1:], "stranger"]]
    write_bundle(made_up(rows, name="tiny"), tmp_path / "ids.zip")
    told = office.review(tmp_path / "ids.zip", code=2)
    assert f"missing ids (1): '{ids[0]}'" in told
    assert "ids that the split does not have (1): 'stranger'" in told
    rows = [Prediction("Z", item, "An answer.") for item in ids]
    write_bundle(made_up(rows, name="other", split="train"), tmp_path / "prompt.zip")
    told = office.review(tmp_path / "prompt.zip", code=2)
    assert "it answers the benchmark 'other', and this is 'tiny'" in told
    assert "the benchmark has no prompt 'Z'; it has A, B" in told
    (tmp_path / "no.zip").write_bytes(b"hello")
    assert "refused: the bundle, 1 reason" in office.review(tmp_path / "no.zip", code=2)


def test_failed_answers_count_as_missing_and_a_hidden_split_is_scored(server, tmp_path, office):
    hidden = Office(
        tmp_path / "desk",
        benchmark(tmp_path / "bench", server.url, rules={"hidden_split": "fresh"}),
        office.workspace.root,
    )

    def half(item, seen=[]):  # noqa: B006 - counts its calls
        seen.append(item)
        refused = {"output": None, "reason": "the model refused"}
        return result_sentence(item) if len(seen) % 2 else refused

    told = hidden.review(hidden.bundle("Half", half, split="fresh"))
    assert "accepted: Half" in told
    assert "look at: 3 of 6 answers to prompt 'A' failed (50.0%), and up to 5% are ranked" in told
    assert not any(entry.rank for entry in build_board(hidden.store).tables[0].entries)
    (result,) = hidden.store.results.values()
    assert result.split == "fresh"
    assert (result.score("word_ratio").n, result.score("word_ratio").missing) == (3, 3)
    assert result.score("similarity").n == 3
    assert result.statuses == {"error": 3, "ok": 3}


def test_a_closed_table_is_opened_by_name_only(office, accepted, server, tmp_path):
    splits = {"test": SplitVersion(rows=12, ids_digest="0" * 64)}
    versions = [
        Version(version=one, data_digest=one[-1] * 64, splits=splits) for one in ("1.0", "1.1")
    ]
    (office.board / "releases.json").write_text(history_text(versions))
    late = office.bundle("Late", result_sentence, submitter="fay", more=("--notes", "late"))
    told = office.review(late, "--dry-run", "--without-judges", code=2)
    assert "the table of version 1.0 is closed, the current version is 1.1" in told
    told = office.review(late, "--version", "v1.0", "--dry-run", "--without-judges", code=2)
    assert "closed" not in told and "word by word" in told
    newer = benchmark(tmp_path / "bench", server.url, version="1.1")
    desk = Office(tmp_path / "desk", newer, office.workspace.root)
    told = desk.review(late, code=2)
    assert "it answers version 1.0, and the recipe makes version 1.1" in told
    (office.board / "releases.json").unlink()


def test_what_was_taken_back_has_no_rank_and_does_not_come_back(server, tmp_path, office):
    desk = Office(
        tmp_path / "desk",
        benchmark(tmp_path / "bench", server.url, judges=None),
        office.workspace.root,
    )
    bundle = desk.bundle("Sorry", result_sentence)
    assert "accepted: Sorry (dry run: nothing was written)" in desk.review(bundle, "--dry-run")
    assert not desk.board.exists()
    desk.review(bundle)
    (record,) = desk.store.results
    told = desk.toolkit(
        *("leaderboard", "withdraw", record, "--board", desk.board, "--on", "2026-05-03"),
        *("--reason", "trained on the test split \x1b[2J", "--by", "maintainer"),
    )
    assert "\x1b" not in told
    assert list(desk.store.results) == [record]
    shown = desk.toolkit("leaderboard", "show", "--board", desk.board)
    assert f"  {record} Sorry, prompt A, 2026-05-03 by maintainer: trained on" in shown
    assert "rank " not in shown
    told = desk.review(bundle, day="2026-05-04", code=2)
    assert f"its record {record} was taken back on 2026-05-03 by maintainer" in told


def test_the_maintainers_own_answers_make_a_record_of_a_higher_tier(server, tmp_path, office):
    desk = Office(
        tmp_path / "desk",
        benchmark(
            tmp_path / "bench",
            server.url,
            judges=None,
            models={
                "first": {"provider": "baseline", "variant": "first_sentence"},
                "mine": {"provider": "replay", "file": "mine.jsonl"},
            },
            generate={"split": "test", "models": ["first", "mine"], "prompts": ["A"]},
        ),
        office.workspace.root,
    )
    rows = [
        {"item_id": one["item_id"], "text": "My own words, said again."} for one in desk.items()
    ]
    (tmp_path / "bench" / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = desk.review(desk.bundle("Open", evasive), "--regenerate", "mine")
    assert "re-generated" in told
    (result,) = desk.store.results.values()
    assert (result.model.name, result.model.provider, result.tier) == (
        "Open", "replay", "re-generated",
    )  # fmt: skip
    assert result.score("word_ratio").value < 0.5


def test_a_spent_budget_stops_the_review_and_nothing_is_accepted(server, tmp_path, office):
    recipe = benchmark(
        tmp_path / "bench", server.url, execution={"workers": 1, "budget_usd": 0.0000001}
    )
    poor = Office(tmp_path / "desk", recipe, Workspace(office.workspace.root).root)
    bundle = poor.bundle("Poor", lambda item: {"output": f"Unseen words on {item['item_id']}."})
    told = poor.review(bundle, code=3)
    assert "budget" in told
    assert not poor.store.results
    assert not list(poor.board.glob("reviews/*/*"))
