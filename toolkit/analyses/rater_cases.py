"""What the people inside a judge said, case by case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Case", "CasesByRater", "rater_cases"]

Case = tuple[str, str, str, int]
"""An answer: item, model, prompt, repeat."""

CasesByRater = Mapping[str, Mapping[Case, float]]
"""What each rater said, rater by rater."""


def rater_cases(
    judgements: Iterable[pa.Table], judges: Iterable[str]
) -> dict[tuple[str, str], dict[str, dict[Case, float]]]:
    """Return the ratings of the judges' raters, by (judge, score) and rater.

    Only rows of these judges are looked into; people rate few answers, so dictionaries hold them.

    Args:
        judgements: tables with the ``judgements`` columns, in any order.
        judges: names of judges.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    found: dict[tuple[str, str], dict[str, dict[Case, float]]] = {}
    wanted = pa.array(sorted(set(judges)), pa.string())
    if len(wanted) == 0:
        return found
    columns = ["item_id", "model", "prompt", "repeat", "judge", "rater", "parsed"]
    for table in judgements:
        chosen = pc.and_(pc.is_in(table["judge"], value_set=wanted), table["parsed"].is_valid())
        for row in table.select(columns).filter(chosen).to_pylist():
            case = (row["item_id"], row["model"], row["prompt"], row["repeat"])
            for score, value in json.loads(row["parsed"]).items():
                raters = found.setdefault((row["judge"], score), {})
                raters.setdefault(row["rater"], {})[case] = float(value)
    return found
