"""Edited items, and a judge's replies about answers to them."""

import json

from toolkit.records import to_arrow


def items(levels, originals=("a", "b")):
    """Rows of originals and their variants."""
    return [
        {"item_id": name if level == "unedited" else f"{name}:{level}", "original_id": name,
         "level": level}
        for name in originals
        for level in ("unedited", *levels)
    ]  # fmt: skip


def edits(by_item):
    """The table of edits: by variant, (category, original, replacement) or all four columns."""
    return to_arrow(
        "edits",
        [
            dict(
                zip(
                    ("kind", "category", "original", "replacement"),
                    edit if len(edit) == 4 else ("term", *edit),
                    strict=True,
                ),
                item_id=item,
                original_id=item.partition(":")[0],
                level=item.partition(":")[2],
                number=number,
                spans="[]",
            )
            for item, made in by_item.items()
            for number, edit in enumerate(made)
        ],
    )


def reply(item, alterations, model="m", prompt="A", judge="j", stage="score", **more):
    """One reply; ``alterations`` None for one that cannot be read."""
    read = alterations is not None
    return {
        "item_id": item, "model": model, "prompt": prompt, "repeat": 0, "judge": judge,
        "stage": stage, "judge_repeat": 0, "rater": "r", "status": "ok" if read else "invalid",
        "reason": "", "parsed": json.dumps({"alterations": alterations}) if read else None,
    } | more  # fmt: skip
