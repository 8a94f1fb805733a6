"""The numbers of an audit, worked by hand and against other libraries."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from tests.analyses.audits import inputs, rows_of
from toolkit.analyses.base import Analysis
from toolkit.analyses.judge_audit import EDIT_KINDS, TARGETS, JudgeAudit, JudgeAuditParams
from toolkit.figures.base import Dots
from toolkit.perturb.kinds import EDITS, REWRITES
from toolkit.registry import member
from toolkit.report.audit import JudgeAudit as ReportAudit
from toolkit.report.audit import audit_line, audit_words
from toolkit.statistics.intervals import wilson


def audit(**more):
    return JudgeAudit(JudgeAuditParams(judges=("j",), split="audit", resamples=300, **more))


def one(rows, score="s", **more):
    """The finding of one score."""
    given = more.pop("given", None) or inputs(rows, (score,))
    (found,) = [f for f in audit(**more).findings(given) if f.score == score]
    return found


def reference(n, edits, rewrites, score="s", copies=(90.0, 90.0)):
    """The rows of one reference: scores of its copies, and by kind of its edits and rewrites."""
    anchor = sum(copies) / len(copies)
    about = {"anchor": anchor}
    return [
        *(rows_of(f"i{n}", score, "copy", v, repeat=r, **about) for r, v in enumerate(copies)),
        *(rows_of(f"i{n}", score, "edit", v, kind=k, **about) for k, v in edits.items()),
        *(rows_of(f"i{n}", score, "rewrite", v, kind=k, **about) for k, v in rewrites.items()),
    ]


def test_it_is_an_analysis_of_the_kinds_that_the_engine_has():
    assert isinstance(member("analyses", "judge_audit")(audit().params), Analysis)
    assert set(EDIT_KINDS) == set(EDITS)
    assert set(audit().params.rewrites) == set(REWRITES)
    assert audit().targets("numeric_consistency") == ("number", "unit")
    assert audit().targets("formality_similarity") == ()
    assert audit().targets("anything else") == EDIT_KINDS
    assert audit(edits=("unit", "hedge")).targets("numeric_consistency") == ("unit",)
    changed = audit(expects={"numeric_consistency": ("hedge",)})
    assert changed.targets("numeric_consistency") == ("hedge",)
    assert set(TARGETS) >= {"semantic_similarity", "non_contradiction"}


def test_shares_strength_and_discrimination_of_a_table_made_by_hand():
    # Of 20 references every edit but each fourth falls by 30; of the rewrites each tenth.
    rows = []
    for n in range(20):
        value = 90.0 if n % 4 == 0 else 60.0
        rows += reference(n, {"negation": value}, {"case": 60.0 if n % 10 == 0 else 90.0})
    found = one(rows)
    assert (found.reacts.value, found.reacts.n) == (0.75, 20)
    assert found.false_alarms.value == pytest.approx(0.1)
    assert found.strength.mean == pytest.approx(0.75 * 30)
    falls = [0 if n % 4 == 0 else 30 for n in range(20)]
    others = [30 if n % 10 == 0 else 0 for n in range(20)]
    area = roc_auc_score([1] * 20 + [0] * 20, [*falls, *others])
    assert found.discrimination.value == pytest.approx(area)
    low, high = wilson(15, 20)
    # One row a reference: Wilson's interval, but for n - 1 and Student's quantile.
    assert found.reacts.low == pytest.approx(low, abs=0.03)
    assert found.reacts.high == pytest.approx(high, abs=0.03)
    assert (found.blind, found.verdict) == (False, "tells edits from rewrites")
    exact = stats.t.interval(0.95, 19, loc=np.mean(falls), scale=stats.sem(falls))
    assert found.strength.low == pytest.approx(exact[0], rel=0.15)
    assert found.strength.high == pytest.approx(exact[1], rel=0.15)


def test_a_fall_counts_only_beyond_what_the_judge_wavers_by():
    rng = np.random.default_rng(1)
    rows = []
    for n in range(40):
        copies = tuple(90 + 3 * rng.standard_normal(2))
        rows += reference(n, {"unit": 60.0, "hedge": np.mean(copies) - 4.0}, {}, copies=copies)
    found = one(rows)
    pairs = [r["value"] for r in rows if r["probe"] == "copy"]
    within = math.sqrt(np.mean([np.var(pairs[i : i + 2], ddof=1) for i in range(0, 80, 2)]))
    assert found.retest.sd == pytest.approx(within)
    assert found.retest.n == 40
    assert found.retest.low < within < found.retest.high
    assert found.threshold == pytest.approx(1.959964 * within * math.sqrt(1.5), rel=1e-5)
    by_kind = {kind.kind: kind.reacts.value for kind in found.kinds}
    assert by_kind == {"unit": 1.0, "hedge": 0.0}
    steady = one([row | {"value": 90.0, "anchor": 90.0} if row["probe"] == "copy" else row
                  for row in rows])  # fmt: skip
    assert (steady.retest.sd, steady.retest.low, steady.threshold) == (0.0, None, 2.0)


def test_a_fall_of_just_the_threshold_is_none_and_the_recipe_sets_it():
    rows = [row for n in range(12) for row in reference(n, {"unit": 88.0}, {"case": 90.0})]
    assert one(rows).reacts.value == 0.0
    assert one(rows, threshold=0.01).reacts.value == 1.0


def test_towards_worse_is_a_fall_whatever_the_direction():
    rows = [row for n in range(12) for row in reference(n, {"unit": 96.0}, {"case": 90.0})]
    assert one(rows).strength.mean == pytest.approx(-6.0)
    found = one(rows, given=inputs(rows, direction="lower"))
    assert (found.strength.mean, found.reacts.value) == (pytest.approx(6.0), 1.0)


def test_length_and_position_are_changes_towards_the_better_end():
    rows = []
    for n in range(15):
        rows += reference(n, {"negation": 70.0}, {"case": 90.0})
        rows.append(rows_of(f"i{n}", "s", "edit", 72.0, kind="negation", repeat=1))
        rows.append(rows_of(f"i{n}", "s", "padded", 86.0 + n % 2))
        rows.append(rows_of(f"i{n}", "s", "swapped", 75.0, kind="negation"))
    found = one(rows)
    assert (found.verbosity.mean, found.verbosity.n) == (pytest.approx(-4 + 7 / 15), 15)
    assert found.verbosity.low < found.verbosity.mean < found.verbosity.high
    # Against the mean of both judgements of the same pair.
    assert found.position.mean == pytest.approx(75 - 71)
    # The retest spread is that of copies (0) and of the edited text (a difference of 2).
    assert found.retest.sd == pytest.approx(math.sqrt(2 / 2))
    assert found.retest.n == 30


def test_what_has_no_score_is_counted_and_what_was_not_asked_is_apart():
    rows = [row for n in range(12) for row in reference(n, {"unit": 60.0}, {"case": 90.0})]
    rows.append(rows_of("i90", "s", "edit", None, kind="unit", reason="judge invalid"))
    rows.append(rows_of("i91", "s", "edit", None, kind="unit", reason="not asked: no unit"))
    rows.append(rows_of("i92", "s", "edit", 60.0, kind="unit", anchor=None, reason="no copy"))
    found = one(rows)
    (unit,) = [kind for kind in found.kinds if kind.kind == "unit"]
    assert (unit.reacts.n, unit.n_missing, unit.n_not_asked) == (12, 2, 1)
    assert (found.reacts.n, found.n_missing) == (12, 1)


@pytest.mark.parametrize("names", [("semantic_similarity", "formality_similarity")])
def test_a_constant_judge_is_blind_and_a_constant_score_among_others_is_judged_by_its_task(names):
    semantic, formality = names
    rows = [
        row
        for n in range(12)
        for score in names
        for row in reference(n, {"hedge": 90.0}, {"case": 90.0}, score=score)
    ]
    dead = audit().findings(inputs(rows, names))
    assert [found.blind for found in dead] == [True, True]
    assert all("same value" in found.verdict for found in dead)
    # Once the meaning moves, style that never does is right to stay.
    for row in rows:
        if row["score"] == semantic and row["probe"] == "edit":
            row["value"] = 50.0
    alive = {found.score: found for found in audit().findings(inputs(rows, names))}
    assert (alive[semantic].blind, alive[formality].blind) == (False, False)
    assert alive[formality].verdict.startswith("not tested")


def test_a_judge_that_falls_at_everything_is_blind_and_one_that_inverts_is_called_so():
    rng = np.random.default_rng(2)
    rows = []
    for n in range(60):
        rows += reference(n, {"unit": 90 - 30 * float(rng.random() < 0.5)},
                          {"case": 90 - 30 * float(rng.random() < 0.5)})  # fmt: skip
    found = one(rows)
    assert found.discrimination.low < 0.5 < found.discrimination.high
    assert (found.blind, "not shown" in found.verdict) == (True, True)
    turned = [row for n in range(12) for row in reference(n, {"unit": 85.0}, {"case": 50.0})]
    assert one(turned).verdict == "falls further at rewrites than at edits"


def test_few_references_or_no_rewrites_give_no_verdict():
    few = [row for n in range(4) for row in reference(n, {"unit": 50.0}, {"case": 80.0 + n})]
    assert (one(few).blind, one(few).verdict[:10]) == (False, "no verdict")
    none = [row for n in range(12) for row in reference(n, {"unit": 50.0}, {})]
    assert "no rewrite" in one(none).verdict


def test_a_score_that_no_edit_ever_moved_is_blind_without_rewrites_and_though_texts_differ():
    # Some texts are scored 90 and some 40, and every edit of a text what the text is.
    rows = []
    for n in range(10):
        value = 90.0 if n % 3 else 40.0
        rows += reference(n, {"unit": value}, {}, copies=(value,))
    found = one(rows)
    assert (found.constant, found.blind) == (False, True)
    assert found.verdict == "blind: every edit got the score of its copy"
    assert one(rows[:-4]).verdict.startswith("no verdict")


def test_style_that_moves_with_meaning_is_said_to():
    name = "formality_similarity"
    rows = [
        row
        for n in range(20)
        for row in reference(n, {"unit": 60.0, "hedge": 60.0 + n}, {"case": 90.0}, score=name)
    ]
    found = one(rows, name)
    assert (found.reacts.n, found.others.value, found.blind) == (0, 1.0, False)
    assert "100 % of the edits it should ignore" in found.verdict


def test_nothing_depends_on_the_order_of_rows_or_shards():
    rng = np.random.default_rng(3)
    rows = []
    for n in range(15):
        copies = tuple(90 + rng.standard_normal(3))
        rows += reference(n, {k: 90 - 30 * rng.random() for k in EDIT_KINDS[: n % 7 + 1]},
                          {"case": 90 - rng.random()}, copies=copies)  # fmt: skip
    first = audit().tables(audit().findings(inputs(rows)), inputs(rows))
    for seed in (1, 2):
        given = inputs(rows, shuffle=seed)
        assert audit().run(given) == first


def test_tables_hold_intervals_notes_and_a_figure_of_every_score():
    names = ("semantic_similarity", "numeric_consistency")
    rows = [
        row
        for n in range(12)
        for score in names
        for row in reference(n, {"number": 50.0, "hedge": 80.0}, {"case": 90.0}, score=score)
    ]
    scores, stability, kinds = audit().run(inputs(rows, names))
    assert [row["score"] for row in scores.rows] == list(names)
    assert scores.rows[1]["reacts"] == 1.0
    roles = {(row["score"], row["kind"]): row["role"] for row in kinds.rows}
    assert roles["numeric_consistency", "number"] == "target"
    assert roles["numeric_consistency", "hedge"] == "other"
    assert roles["semantic_similarity", "case"] == "rewrite"
    assert stability.rows[0]["threshold"] == 2.0
    for table in (scores, stability, kinds):
        names_of = {column.name for column in table.columns}
        assert all(set(row) == names_of for row in table.rows)
        assert "seed:3" in table.signature
    (figure,) = scores.figures
    assert [panel.title for panel in figure.panels] == [
        "semantic similarity",
        "numeric consistency",
    ]
    panel = figure.panels[1]
    assert isinstance(panel, Dots)
    assert panel.labels == ("number (12)", "hedge (12)", "case (12)")
    assert [series.values for series in panel.series] == [
        (1.0, None, None), (None, 1.0, None), (None, None, 0.0)
    ]  # fmt: skip
    assert "100 % of 12 edits" in figure.alt
    facts = audit().findings(inputs(rows, names))[0].to_dict()
    wanted = {
        "judge", "score", "column", "n_edits", "reacts", "reacts_low", "reacts_high", "n_rewrites",
        "false_alarms", "false_alarms_low", "false_alarms_high", "strength", "strength_low",
        "strength_high", "retest_sd", "n_retest", "verbosity", "verbosity_low", "verbosity_high",
        "position", "position_low", "position_high", "discrimination", "discrimination_low",
        "discrimination_high", "blind", "verdict",
    }  # fmt: skip
    assert wanted <= set(facts)


def test_a_judge_whose_replies_have_no_score_is_not_called_blind_and_has_no_figure():
    # Two copies agree by chance; no edited text has a score.
    rows = [row for n in range(12) for row in reference(n, {"hedge": None}, {"case": None})]
    found = one(rows)
    assert (found.constant, found.seen, found.n_missing) == (True, 0, 24)
    assert (found.blind, found.verdict[:12]) == (False, "not measured")
    scores, _, _ = audit().run(inputs(rows))
    assert scores.figures == ()
    assert "nothing to draw" in scores.notes[-1]
    facts = ReportAudit.from_facts(found.to_dict())
    assert audit_line(replace(facts, retest_sd=None)) == "audited without a score"
    assert dict(audit_words(facts))["Finding"] == "not shown"
