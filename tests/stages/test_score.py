"""Notes of scores, counted."""

import pytest

from toolkit.stages.score import _kind


@pytest.mark.parametrize(
    ("note", "kind"),
    [
        ("empty prediction", "empty prediction"),
        ("numbers unsupported 2 of 7: 12.9 %, 45 mg", "numbers unsupported"),
        ("tokens cut off: 12; tokens outside the vocabulary: 3",
         "tokens cut off; tokens outside the vocabulary"),
    ],
)  # fmt: skip
def test_notes_of_one_kind_are_counted_together(note, kind) -> None:
    assert _kind(note) == kind
