"""The edits of a variant in words, for judges and for people."""

from __future__ import annotations

import json

__all__ = ["edits_text"]


def edits_text(edits: str) -> str:
    """Return one line an edit: ``"mild" -> "severe"``, or ``removed: "..."``.

    Args:
        edits: the column ``edits`` of a variant, a JSON list of {kind, category, original,
            replacement}.

    Returns:
        The lines; empty for an item that was not edited.
    """
    return "\n".join(
        f'"{one["original"]}" -> "{one["replacement"]}"'
        if one["replacement"] is not None
        else f'removed: "{one["original"]}"'
        for one in json.loads(edits)
    )
