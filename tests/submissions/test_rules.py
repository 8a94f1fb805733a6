"""Rules that need no score: versions, prompt texts, duplicates, the limit of a week."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from bundles import bundle
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from reviewing import benchmark

from tests.results.results_world import record
from toolkit.cli.main import cli
from toolkit.errors import UserError
from toolkit.recipe.load import load_recipe
from toolkit.results.store import ResultStore
from toolkit.submissions import rules
from toolkit.submissions.manifest import ModelRef, PromptRef, Submitter
from toolkit.submissions.predictions import Prediction
from toolkit.submissions.review_log import PastReview, ReviewLog
from toolkit.submissions.submit import prompt_digest
from toolkit.submissions.verdict import Verdict

URL = "http://127.0.0.1:9/v1"


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    return load_recipe(benchmark(tmp_path_factory.mktemp("bench"), URL))


def version_reasons(recipe, current="1.0", named=None, digest=None, **about):
    plain = bundle().manifest.benchmark
    manifest = bundle().manifest
    manifest = replace(manifest, benchmark=replace(plain, **about))
    released = rules.Released(current=current, data_digest=digest)
    return "\n".join(rules.version_reasons(manifest, recipe, released, named))


def test_a_bundle_for_the_open_table_has_nothing_against_it(recipe):
    assert not version_reasons(recipe)
    assert not version_reasons(recipe, digest="a" * 64)
    assert not version_reasons(recipe, digest="a" * 64, data_digest="a" * 64)


def test_other_benchmarks_versions_and_data_are_refused(recipe):
    assert "it answers the benchmark 'else'" in version_reasons(recipe, name="else")
    assert "only the recipe of version 0.9" in version_reasons(recipe, version="0.9")
    assert "other data" in version_reasons(recipe, digest="a" * 64, data_digest="b" * 64)
    assert "is closed" in version_reasons(recipe, current="2.0")
    assert not version_reasons(recipe, current="2.0", named="1.0")
    assert "--version 1.1 was named" in version_reasons(recipe, named="1.1")


def test_the_prompts_text_is_compared_where_it_is_declared(recipe, tmp_path):
    found = bundle().manifest
    other = tmp_path / "other.j2"
    other.write_text("Something else.")
    mine = prompt_digest([recipe.folder / "a.j2"])
    for text, told in ((mine, ""), (None, ""), (prompt_digest([other]), "not that of the bench")):
        prompts = {"A": PromptRef(answers=3, failed=0, text_sha256=text)}
        reasons = rules.prompt_reasons(
            replace(found, prompts=prompts), recipe, rules.rules_of(recipe)
        )
        assert told in "\n".join(reasons)
    (reason,) = rules.prompt_reasons(
        replace(found, benchmark=replace(found.benchmark, split="train")),
        recipe,
        rules.rules_of(recipe),
    )
    assert reason == "prompt 'A' is scored on test, not on 'train'"


def test_who_hands_in_is_who_the_platform_knows():
    found = bundle().manifest
    assert not list(rules.sender_reasons(found, None))
    assert not list(rules.sender_reasons(found, "Ann"))
    assert list(rules.sender_reasons(found, "mallory")) == [
        "it names 'ann' as its submitter, and 'mallory' handed it in"
    ]


def test_a_digest_of_ids_that_does_not_fit_is_refused():
    found = bundle()
    assert rules.id_reasons(found, ["i0", "i1", "i2"]) == []
    wrong = replace(
        found.manifest, benchmark=replace(found.manifest.benchmark, ids_digest="0" * 64)
    )
    assert rules.id_reasons(replace(found, manifest=wrong), ["i0", "i1", "i2"]) == [
        "the digest of its ids is not that of the split"
    ]


def test_a_recipe_that_takes_no_submissions_is_told_so(tmp_path):
    closed = load_recipe(benchmark(tmp_path, URL, publish=None))
    with pytest.raises(UserError, match="takes no submissions"):
        rules.rules_of(closed)


def hand_in(log, name, day, submitter="ann", **changes):
    """Review a bundle of these answers without running anything; return the bundle."""
    found = bundle(
        [Prediction("A", "a", f"Answer of {name}.")],
        model=ModelRef(name=name),
        submitter=Submitter(name=submitter),
    )
    about = {"bundle_id": found.bundle_id, "manifest": found.manifest, "tier": "re-scored"}
    log.add(Verdict(**{**about, "date": day, **changes}), {})
    return found


def test_the_limit_counts_what_was_reviewed_within_seven_days(tmp_path, recipe):
    log = ReviewLog(tmp_path)
    hand_in(log, "one", "2026-05-01")
    hand_in(log, "two", "2026-05-02", reasons=("no",))
    hand_in(log, "three", "2026-05-02", reasons=("too many",), limited=True)
    hand_in(log, "four", "2026-05-02", submitter="bob")
    log = ReviewLog(tmp_path)
    assert len(log.reviews) == 4
    mine = bundle(model=ModelRef(name="new"), submitter=Submitter(name="ANN"))
    two, three = (replace(rules.rules_of(recipe), per_week=n) for n in (2, 3))

    def told(day, rule, found=mine):
        return list(rules.limit_reasons(found, log, date.fromisoformat(day), rule, None))

    assert told("2026-05-07", two) == [
        "ANN handed in 2 other bundles within 7 days, and 2 are allowed; the first of them was on "
        "2026-05-01"
    ]
    assert not told("2026-05-07", three)
    assert not told("2026-05-08", two)
    # Reviewed in another order, the same days allow the same.
    assert told("2026-04-26", two)
    assert not told("2026-04-25", two)
    again = hand_in(ReviewLog(tmp_path / "other"), "one", "2026-05-01")
    assert not told("2026-05-03", two, again)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_no_seven_days_hold_more_than_allowed_whatever_the_order(days, random):
    first = date(2026, 5, 1)
    log = ReviewLog(Path("absent"))
    random.shuffle(days)
    for number, day in enumerate(days):
        on = first + timedelta(days=day)
        if len(log.fullest_week("ann", on)) < 2:
            log.reviews.append(past(str(number), on))
    taken = [(one.day - first).days for one in log.reviews]
    assert all(sum(start <= day < start + 7 for day in taken) <= 2 for start in range(-6, 21))


def past(bundle_id, day):
    about = {"folder": Path("absent"), "model": "m", "version": "1.0", "split": "test"}
    return PastReview(
        **about, bundle_id=bundle_id, submitter="ann", handed_in_by="", day=day, accepted=True,
        limited=False, records=(), outputs={},
    )  # fmt: skip


def test_a_bundle_counts_for_who_handed_it_in_and_not_for_whom_it_names(tmp_path, recipe):
    log = ReviewLog(tmp_path)
    for name in ("one", "two"):
        hand_in(log, name, "2026-05-01", handed_in_by="mallory", reasons=("it names 'ann'",))
    log = ReviewLog(tmp_path)
    assert [one.counts_for for one in log.reviews] == ["mallory", "mallory"]
    one_week = replace(rules.rules_of(recipe), per_week=1)

    def told(submitter, sender):
        mine = bundle(model=ModelRef(name="new"), submitter=Submitter(name=submitter))
        return list(rules.limit_reasons(mine, log, date(2026, 5, 2), one_week, sender))

    assert not told("ann", "ann")
    assert not told("ann", None)
    # Another name in each bundle is no way around the limit.
    for name in ("mallory", "somebody else"):
        (reason,) = told(name, "Mallory")
        assert reason.startswith("Mallory handed in 2 other bundles")


def test_a_log_that_was_damaged_is_refused_by_name(tmp_path):
    found = hand_in(ReviewLog(tmp_path), "one", "2026-05-01")
    path = tmp_path / "reviews" / "1.0" / found.bundle_id[:16] / "review.json"
    path.write_text("{}")
    with pytest.raises(UserError, match="no review"):
        ReviewLog(tmp_path)


@pytest.mark.parametrize("name", ["first", "FIRST", "fir\u200bst", " paid "])
def test_the_names_of_the_recipes_models_are_the_maintainers(recipe, name):
    found = replace(bundle().manifest, model=ModelRef(name=name))
    (told,) = rules.reserved_reasons(found, recipe, None)
    assert "the name of a model of the benchmark's own" in told
    assert list(rules.reserved_reasons(found, recipe, "grader")) == [told]
    assert not list(
        rules.reserved_reasons(found, recipe, name.strip().lower().replace("\u200b", ""))
    )
    assert not list(rules.reserved_reasons(bundle().manifest, recipe, None))


def test_the_repositories_of_the_recipes_models_are_the_maintainers(recipe):
    models = {**recipe.models, "paid": replace(recipe.models["paid"], hub_id="Vendor/Model")}
    mine = replace(recipe, models=models)
    found = replace(bundle().manifest, model=ModelRef(name="Other", hub_id="vendor/model"))
    (told,) = rules.reserved_reasons(found, mine, None)
    assert "vendor/model is the repository of a model of the benchmark's own: paid" in told
    assert not list(rules.reserved_reasons(found, mine, "paid"))
    other = replace(found, model=ModelRef(name="Other", hub_id="rival/model"))
    assert "is Vendor/Model" in "".join(rules.reserved_reasons(other, mine, "paid"))
    named = replace(bundle().manifest, model=ModelRef(name="vendor/model"))
    assert list(rules.reserved_reasons(named, mine, None))


def standing(tmp_path, **changes):
    about = {"model": "Good 7B", "benchmark": "tiny", "submitter": "ann", **changes}
    store = ResultStore(tmp_path)
    store.add(*record(**about))
    return store


def test_a_name_gives_way_to_its_owner_and_to_a_higher_tier_only(tmp_path):
    log, store = ReviewLog(tmp_path), standing(tmp_path)

    def told(name="Good 7B", submitter="ann", tier="re-scored", board=store):
        mine = bundle(model=ModelRef(name=name), submitter=Submitter(name=submitter))
        return "\n".join(rules.owner_reasons(mine, board, log, tier))

    assert not told()
    assert not told(submitter="eve", tier="re-generated")
    for name in ("Good 7B", "good  7b", "Go\u00adod 7B"):
        assert "a model that ann handed in" in told(name, submitter="eve")
    high = standing(tmp_path / "high", tier="re-generated")
    assert "re-generated" in told(board=high)


def test_bundles_of_which_too_much_failed_are_flagged(recipe):
    found = bundle().manifest
    mine = rules.rules_of(recipe)
    prompts = {"A": PromptRef(answers=20, failed=1), "B": PromptRef(answers=20, failed=2)}
    (told,) = rules.failed_flags(replace(found, prompts=prompts), mine)
    assert told.startswith("2 of 20 answers to prompt 'B' failed (10.0%), and up to 5% are ranked")
    loose = replace(mine, max_failed=0.1)
    assert not list(rules.failed_flags(replace(found, prompts=prompts), loose))


def test_a_sample_that_anybody_can_compute_is_told(recipe, tmp_path):
    assert "TOOLKIT_REVIEW_SEED" in "".join(rules.seed_warnings(recipe, ""))
    assert not list(rules.seed_warnings(recipe, "a secret word"))
    assert not list(rules.seed_warnings(replace(recipe, judges={}), ""))
    none = load_recipe(benchmark(tmp_path, URL, rules={"judge_sample": 0}))
    assert not list(rules.seed_warnings(none, ""))


def test_the_command_warns_of_it_and_the_report_does_not(recipe, tmp_path):
    (tmp_path / "no.zip").write_bytes(b"hello")
    report = tmp_path / "report.md"
    command = [
        *("leaderboard", "review", str(tmp_path / "no.zip"), "--recipe", str(recipe.file)),
        *("--board", str(tmp_path / "board"), "--report", str(report)),
    ]
    for seed, told in (("", True), ("a secret word", False)):
        done = CliRunner().invoke(cli, [*command, "--seed", seed], env={"TOOLKIT_REVIEW_SEED": ""})
        assert done.exit_code == 2
        assert ("warning: no secret word decides" in done.output) == told
        assert "secret word" not in report.read_text(encoding="utf-8")


def test_an_empty_board_has_no_duplicates(tmp_path):
    store, log = ResultStore(tmp_path), ReviewLog(tmp_path)
    assert not list(rules.duplicate_reasons(bundle(), store, log))
    assert not list(rules.owner_reasons(bundle(), store, log, "re-scored"))
