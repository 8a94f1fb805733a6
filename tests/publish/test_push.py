"""What a publish refuses, and what it does when the dataset is not as it was."""

import base64
import dataclasses
import json
import shutil

import pytest
from publish_world import DATASET, MODEL, SPACE, client_of, splits, texts

from tests.doubles.hub_server import READER, STRANGER
from toolkit.errors import RunError, UserError
from toolkit.hub.failures import HeadMoved, Passing
from toolkit.publish.dry_run import dry_run_lines
from toolkit.publish.push import publish_run
from toolkit.publish.released_splits import write_released_splits
from toolkit.publish.stage import Additions

COMMIT = r"POST /api/datasets/org/tiny/commit/main"


@pytest.fixture
def plain(runs):
    """Version 1.0 and version 1.1 without a Space."""
    return tuple(
        dataclasses.replace(run, publish=dataclasses.replace(run.publish, leaderboard=None))
        for run in runs
    )


def foreign(hub, path="LICENSE", data="eA=="):
    """Commit a file as somebody else."""
    lines = [
        {"key": "header", "value": {"summary": "Theirs"}},
        {"key": "file", "value": {"path": path, "content": data, "encoding": "base64"}},
    ]
    hub.repo(DATASET).commit("main", lines, pull=False)


def test_somebody_elses_files_and_words_on_the_card_stay(plain, hub, client, quick):
    hub.make(DATASET)
    card = (
        b"---\nlicense: mit\n---\n<!-- by hand: begin introduction -->\nRead this.\n"
        b"<!-- by hand: end introduction -->\n"
    )
    foreign(hub)
    foreign(hub, "README.md", base64.b64encode(card).decode())
    lines = list(dry_run_lines(client, plain[0], Additions()))
    assert any(line.strip().startswith("M README.md") for line in lines)
    assert "  left alone: .gitattributes, LICENSE" in lines
    publish_run(client, plain[0], Additions())
    found = texts(hub)
    assert found["LICENSE"] == b"x"
    assert b"\nRead this.\n" in found["README.md"]
    assert b"license: cc-by-4.0" in found["README.md"]


def test_a_commit_in_between_is_planned_around(plain, hub, client, quick):
    hub.make(DATASET)
    hub.fail(COMMIT, before=lambda: foreign(hub))
    publish_run(client, plain[0], Additions())
    assert "LICENSE" in texts(hub)
    assert len(hub.repo(DATASET).history("main")) == 3
    assert set(hub.repo(DATASET).tags) == {"v1.0"}


def test_a_branch_that_never_rests_is_given_up_with_a_word(plain, hub, client, quick):
    hub.make(DATASET)
    hub.fail(COMMIT, times=99, before=lambda: foreign(hub, f"f{len(hub.log)}.txt"))
    with pytest.raises(HeadMoved):
        publish_run(client, plain[0], Additions())
    assert "README.md" not in texts(hub)
    assert not hub.repo(DATASET).tags


def test_a_version_with_other_data_is_refused(plain, hub, client, quick):
    publish_run(client, plain[0], Additions())
    data = json.loads(texts(hub)["releases.json"])
    data["versions"][0]["data_digest"] = "0" * 64
    foreign(hub, "releases.json", base64.b64encode(json.dumps(data).encode()).decode())
    before = texts(hub)
    with pytest.raises(
        UserError, match=r"version 1\.0 is released already, with other data"
    ) as error:
        publish_run(client, plain[0], Additions())
    assert "raise `version`" in error.value.hint
    assert texts(hub) == before


def test_a_version_has_one_spelling(plain, hub, client, quick, tmp_path):
    from toolkit.recipe.load import load_recipe
    from toolkit.submissions.rules import read_released

    publish_run(client, plain[0], Additions())
    before = texts(hub)
    again = dataclasses.replace(plain[0], version="1.0.0")
    for attempt in (lambda: publish_run(client, again, Additions()), lambda: list(
        dry_run_lines(client, again, Additions())
    )):  # fmt: skip
        with pytest.raises(UserError, match=r"1\.0\.0 is the released version 1\.0,") as error:
            attempt()
        assert 'write version: "1.0"' in error.value.hint
    assert texts(hub) == before
    assert set(hub.repo(DATASET).tags) == {"v1.0"}
    # A reviewer compares the data too, however the recipe spells its version.
    (tmp_path / "releases.json").write_bytes(before["releases.json"])
    recipe = load_recipe(plain[0].run.data["recipe"], overrides=("version='1.0.0'",))
    digest = json.loads(before["releases.json"])["versions"][0]["data_digest"]
    released = read_released(tmp_path, recipe)
    assert (recipe.version, released.data_digest) == ("1.0.0", digest)


def test_an_item_that_changed_its_split_is_named(plain, hub, client, quick, tmp_path):
    publish_run(client, plain[0], Additions())
    from toolkit.publish.items import check_frozen

    before = splits(plain[0])
    moved = next(item for item, split in before.items() if split == "test")
    with pytest.raises(UserError, match=rf"1 item would.*{moved} \(test -> train\)") as error:
        check_frozen(before, {**splits(plain[1]), moved: "train"})
    assert "splits.frozen" in error.value.hint
    check_frozen(before, splits(plain[1]))


def test_an_older_version_does_not_come_back(plain, hub, client, quick):
    publish_run(client, plain[1], Additions())
    with pytest.raises(UserError, match=r"comes before 1\.1"):
        publish_run(client, plain[0], Additions())
    assert set(hub.repo(DATASET).tags) == {"v1.1"}


def test_a_tag_on_another_commit_is_not_moved(plain, hub, client, quick):
    repo = hub.make(DATASET)
    repo.tags["v1.0"] = repo.branches["main"]
    with pytest.raises(UserError, match=r"v1\.0"):
        publish_run(client, plain[0], Additions())
    assert "README.md" not in texts(hub)


@pytest.mark.parametrize("token", [STRANGER, READER])
def test_a_token_without_the_right_makes_nothing(plain, hub, token):
    with pytest.raises(UserError, match="token"):
        publish_run(client_of(hub, token), plain[0], Additions())
    assert not hub.repos


def test_the_gate_comes_before_anything_is_made(plain, hub, client, tmp_path):
    results = tmp_path / "reviewed"
    publish_run_folder = results / "results"
    publish_run_folder.mkdir(parents=True)
    (publish_run_folder / "notes.txt").write_text("mine")
    with pytest.raises(UserError):
        publish_run(client, plain[0], Additions(results=results))
    assert not hub.repos


def test_new_results_are_one_commit_and_no_tag(plain, hub, client, quick, tmp_path):
    publish_run(client, plain[0], Additions(own=False))
    tagged = hub.repo(DATASET).branches["main"]
    assert "eval.yaml" not in texts(hub)
    from toolkit.results.from_run import results_of_run
    from toolkit.results.store import ResultStore

    reviewed = ResultStore(tmp_path)
    for result, items in results_of_run(
        plain[0].folder, date="2026-03-04", tier="re-scored", submitter="A. Submitter"
    ):
        reviewed.add(result, items)
    outcome = publish_run(client, plain[0], Additions(results=tmp_path, own=False))
    assert outcome.new_commit
    assert not outcome.new_tag
    assert hub.repo(DATASET).tags == {"v1.0": tagged}
    assert len(hub.repo(DATASET).history("main")) == 3
    found = texts(hub)
    assert {path for path in found if path.startswith("results/")} == set(reviewed.paths())
    assert b"A. Submitter" in b"".join(d for p, d in found.items() if p.startswith("results/"))
    assert not publish_run(client, plain[0], Additions(results=tmp_path, own=False)).new_commit
    # Without the folder, what is published stays published.
    assert not publish_run(client, plain[0], Additions(own=False)).new_commit
    victim = tmp_path / next(p for p in reviewed.paths() if p.endswith(".items.jsonl"))
    victim.write_text("{}\n")
    with pytest.raises(UserError):
        publish_run(client, plain[0], Additions(results=tmp_path, own=False))


def test_models_are_asked_by_a_pull_request_of_their_own(plain, hub, client, quick):
    hub.make(MODEL, "model")
    outcome = publish_run(client, plain[0], Additions(propose=True))
    assert [state.reference for _, state in outcome.proposals] == ["refs/pr/1"]
    found = texts(hub, "refs/pr/1", MODEL, "model")
    (name,) = [path for path in found if path.startswith(".eval_results/")]
    assert outcome.tagged.encode() in found[name]
    assert name not in texts(hub, "main", MODEL, "model")
    again = publish_run(client, plain[0], Additions(propose=True))
    assert [state.reference for _, state in again.proposals] == ["refs/pr/1"]
    lines = list(dry_run_lines(client, plain[0], Additions(propose=True)))
    assert any("proposed in refs/pr/1" in line for line in lines)


def test_a_proposal_without_a_headline_number_is_refused_before_anything_goes(plain, hub, client):
    publish = dataclasses.replace(plain[0].publish, tasks=())
    with pytest.raises(UserError, match="headline numbers"):
        publish_run(client, dataclasses.replace(plain[0], publish=publish), Additions(propose=True))
    assert not hub.repos


def test_a_model_without_a_page_is_reported_and_nothing_stops(plain, hub, client, quick):
    outcome = publish_run(client, plain[0], Additions(propose=True))
    ((_, state),) = outcome.proposals
    assert isinstance(state, UserError)
    assert outcome.new_tag


def test_what_comes_back_wrong_gets_no_tag(plain, hub, client):
    """The server hands out another file than it was given."""
    repo = hub.make(DATASET)

    def swap():
        tree = repo.find("main").tree
        train, test = (tree[f"default/{n}-00000-of-00001.parquet"] for n in ("train", "test"))
        repo.objects[test.sha256] = repo.objects[train.sha256]

    rule = hub.fail(COMMIT, after=swap)
    with pytest.raises(RunError, match="is not what was sent") as error:
        publish_run(client, plain[0], Additions())
    assert rule.seen == 1
    assert "no tag was made" in error.value.hint
    assert not repo.tags


def test_a_file_changed_after_the_gate_does_not_go(plain, hub, client, quick, monkeypatch):
    from toolkit.publish import push

    def tamper(staged):
        (staged.folder / "README.md").write_text("---\nlicense: mit\n---\nhf_" + "x" * 30)
        return gate(staged)

    gate = push.gate
    monkeypatch.setattr(push, "gate", tamper)
    with pytest.raises(UserError, match=r"README\.md: changed after the gate"):
        publish_run(client, plain[0], Additions())
    assert not hub.hits(COMMIT)


def test_a_secret_of_the_recipe_does_not_go(plain, hub, client):
    known = dataclasses.replace(plain[0], secrets=("correct horse battery",))
    with pytest.raises(UserError, match=r"README\.md: a secret in line") as error:
        publish_run(client, known, Additions(note="Correct: correct horse battery."))
    assert "battery" not in str(error.value)
    assert not hub.repos


def test_the_released_splits_can_be_frozen(plain, hub, client, quick, tmp_path):
    with pytest.raises(UserError, match="no released split yet"):
        write_released_splits(client, plain[0], tmp_path / "released.csv")
    publish_run(client, plain[0], Additions())
    assert write_released_splits(client, plain[1], tmp_path / "released.csv") == 12
    from toolkit.splits.frozen import load_frozen

    assert load_frozen(tmp_path / "released.csv").splits == splits(plain[0])


def test_a_version_that_was_never_tagged_is_tagged_before_the_next(plain, hub, client):
    rule = hub.fail(r"POST .*/tag/", status=503, times=99)
    with pytest.raises(Passing):
        publish_run(client, plain[0], Additions(own=False))
    hub.rules.remove(rule)
    commit = hub.repo(DATASET).branches["main"]
    lines = list(dry_run_lines(client, plain[1], Additions(own=False)))
    assert f"the tag v1.0, which is missing, would be made on {commit[:8]}" in lines
    publish_run(client, plain[1], Additions(own=False))
    assert hub.repo(DATASET).tags["v1.0"] == commit
    assert set(hub.repo(DATASET).tags) == {"v1.0", "v1.1"}


def test_a_dataset_is_published_by_one_process_at_a_time(plain, hub, client):
    from toolkit.errors import StoreError
    from toolkit.publish.push import scratch_folder

    with scratch_folder(plain[0]), pytest.raises(StoreError, match="another process"):
        publish_run(client, plain[0], Additions())
    assert not hub.changes()


def test_a_recipe_must_say_where_and_as_which_version(plain, tmp_path):
    import yaml

    from toolkit.publish.source import open_source

    folder = tmp_path / "runs" / "x"
    folder.mkdir(parents=True)
    shutil.copy(plain[0].folder / "run.json", folder)
    recipe = yaml.safe_load((plain[0].folder / "recipe.yaml").read_text())
    del recipe["version"], recipe["publish"]["dataset"]
    (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    with pytest.raises(UserError, match=r"lacks publish\.dataset: org/name and version"):
        open_source(plain[0].run.workspace, str(folder))


def test_the_space_is_checked_before_the_dataset_is_touched(runs, hub, client, monkeypatch):
    from toolkit.space import build

    def leaky(board, store, about, folder):
        names = original(board, store, about, folder)
        (folder / "index.html").write_text("key: hf_" + "x" * 30)
        return names

    original = build.build_space
    monkeypatch.setattr(build, "build_space", leaky)
    with pytest.raises(UserError, match="secret"):
        publish_run(client, runs[0], Additions())
    assert not hub.repos
    assert SPACE not in str(hub.repos)
