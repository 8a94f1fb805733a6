"""Reviewed results beside the published ones: whose name it is, and what was published before."""

import pytest

from tests.results.results_world import record
from toolkit.errors import UserError
from toolkit.publish.results import collect
from toolkit.results.board import build_board
from toolkit.results.store import ResultStore


@pytest.fixture
def folders(tmp_path):
    """The staged folder with the maintainer's own record, and an empty one of reviewed records."""
    staged, reviewed = tmp_path / "staged", tmp_path / "reviewed"
    ResultStore(staged).add(*record("ours", tier="re-generated", submitter="org"))
    return staged, ResultStore(reviewed)


def collected(staged, reviewed):
    # Nothing of the run is read where its own results stay out.
    return collect(None, staged, reviewed.folder, own=False)


@pytest.mark.parametrize(
    ("name", "tier"), [("ours", "re-scored"), ("Ours", "re-scored"), ("ours", "re-generated")]
)
def test_a_record_under_the_maintainers_name_is_refused(folders, name, tier):
    staged, reviewed = folders
    values = {"rouge1": [1.0, 1.0, 1.0]}
    taken = reviewed.add(*record(name, values, tier=tier, submitter="eve", date="2026-06-01"))
    reviewed.add(*record("theirs", submitter="eve"))
    with pytest.raises(UserError, match=r"'ours' .* was handed in by org") as caught:
        collected(staged, reviewed)
    assert taken.record_id in caught.value.message
    assert "theirs" not in caught.value.message
    assert len(ResultStore(staged).results) == 1
    reviewed.withdraw(taken.record_id, reason="not theirs", by="org", date="2026-06-02")
    entries = build_board(collected(staged, reviewed)).tables[0].entries
    assert {(e.result.model.name, e.result.submitter) for e in entries} == {
        ("ours", "org"), ("theirs", "eve"),
    }  # fmt: skip


def test_what_was_published_before_the_name_was_taken_stays(folders):
    staged, reviewed = folders
    before = reviewed.add(*record("early", submitter="eve"))
    collected(staged, reviewed)
    own = ResultStore(staged).add(*record("early", tier="re-generated", submitter="org"))
    assert own.supersedes == before.record_id
    store = collected(staged, reviewed)
    counted = {e.result.record_id for e in build_board(store).tables[0].entries}
    assert own.record_id in counted
    assert before.record_id not in counted
