"""``toolkit.score``: score a table in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolkit.errors import UserError
from toolkit.metrics.base import Metric
from toolkit.stages.score_texts import MetricLike, TextScores, resolve_metrics, score_texts

__all__ = ["INPUT_NAME", "PREDICTION_NAMES", "pick_column", "pick_input", "pick_reference", "score"]

PREDICTION_NAMES = ("prediction", "answer", "generated", "output")
"""Columns that are taken for predictions when none is named, in this order."""

INPUT_NAME = "input"
"""Column that is taken for what the models were shown when none is named."""


def score(
    table: Any,
    metrics: Sequence[MetricLike],
    *,
    prediction: str | None = None,
    reference: str = "reference",
    input: str | None = None,
    profile: str | None = None,
) -> Any:
    """Add scores to a table.

    Args:
        table: a pandas DataFrame, an Arrow table, or a list of dicts, one row a text.
        metrics: names of metrics, or functions of (prediction, reference) that return a number
            or None.
        prediction: column of the predictions; by default the first of ``prediction``,
            ``answer``, ``generated`` and ``output`` that is there.
        reference: column of the references; needed where a metric reads them.
        input: column of what the models were shown, for metrics that look at it; by default
            ``input`` where it is there.
        profile: ``default`` or ``paper``, for the metrics given by name.

    Returns:
        A new table of the same kind and order with a column for each score. A DataFrame
        carries the signatures in ``attrs["signatures"]``.

    Raises:
        UserError: a column, a metric or a profile is unknown; a score has the name of a column;
            or a function fails on a row.

    Example:
        >>> import toolkit
        >>> rows = [{"prediction": "the cat sat", "reference": "the cat sat down"}]
        >>> scored = toolkit.score(rows, metrics=["word_ratio"])
        >>> scored[0]["word_ratio"]
        0.75
    """
    texts = _Texts(prediction, reference, input)
    if isinstance(table, list):
        return _score_rows(table, metrics, texts, profile)
    if hasattr(table, "to_pylist"):
        return _score_arrow(table, metrics, texts, profile)
    return _score_frame(table, metrics, texts, profile)


def pick_column(columns: Sequence[str], given: str | None) -> str:
    """Return the column of the predictions.

    Raises:
        UserError: there is no such column.
    """
    if given is not None:
        if given not in columns:
            raise UserError(f"no column '{given}'", hint=f"columns: {', '.join(columns)}")
        return given
    for name in PREDICTION_NAMES:
        if name in columns:
            return name
    raise UserError(
        "no column of predictions",
        hint=f"name it; columns: {', '.join(columns)}",
    )


def pick_reference(columns: Sequence[str], given: str, metrics: Sequence[Metric]) -> str | None:
    """Return the column of the references, or None where it is missing and no metric reads it.

    Raises:
        UserError: there is no such column, and a metric reads it.
    """
    if given not in columns and not any("reference" in metric.reads for metric in metrics):
        return None
    return pick_column(columns, given)


def pick_input(columns: Sequence[str], given: str | None) -> str | None:
    """Return the column of what the models were shown, or None where there is none.

    Raises:
        UserError: a column is named and is not there.
    """
    if given is not None:
        return pick_column(columns, given)
    return INPUT_NAME if INPUT_NAME in columns else None


@dataclass(frozen=True, slots=True)
class _Texts:
    """Which columns hold the texts, as they were named."""

    prediction: str | None
    reference: str
    input: str | None

    def score(
        self,
        columns: Sequence[str],
        read: Callable[[str], Sequence[str | None]],
        metrics: Sequence[MetricLike],
        profile: str | None,
    ) -> TextScores:
        """Score the texts that ``read`` gives for a column."""
        predictions = read(pick_column(columns, self.prediction))
        checked = _checked(metrics, columns, profile)
        reference = pick_reference(columns, self.reference, checked)
        shown = pick_input(columns, self.input)
        return score_texts(
            predictions,
            [None] * len(predictions) if reference is None else read(reference),
            checked,
            inputs=None if shown is None else read(shown),
        )


def _score_rows(
    rows: list[Mapping[str, Any]], metrics: Sequence[MetricLike], texts: _Texts, profile: str | None
) -> list[dict[str, Any]]:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if not rows:
        return []
    scores = texts.score(columns, lambda name: [row.get(name) for row in rows], metrics, profile)
    return [
        {**row, **{name: column[index].value for name, column in scores.values.items()}}
        for index, row in enumerate(rows)
    ]


def _score_arrow(
    table: Any, metrics: Sequence[MetricLike], texts: _Texts, profile: str | None
) -> Any:
    import pyarrow as pa

    names = table.column_names
    scores = texts.score(names, lambda name: table[name].to_pylist(), metrics, profile)
    for name, column in scores.values.items():
        values = pa.array([value.value for value in column], pa.float64())
        table = table.append_column(name, values)
    return table


def _score_frame(
    frame: Any, metrics: Sequence[MetricLike], texts: _Texts, profile: str | None
) -> Any:
    columns = [str(name) for name in frame.columns]
    scores = texts.score(columns, lambda name: _texts(frame[name]), metrics, profile)
    result = frame.copy()
    for name, column in scores.values.items():
        result[name] = [float("nan") if v.value is None else v.value for v in column]
    result.attrs["signatures"] = scores.signatures
    return result


def _checked(
    metrics: Sequence[MetricLike], columns: Sequence[str], profile: str | None
) -> list[Metric]:
    """Return the metrics, none of which would write over a column."""
    found = resolve_metrics(metrics, profile)
    names = [definition.name for metric in found for definition in metric.definitions()]
    taken = [name for name in dict.fromkeys(names) if name in columns]
    if taken:
        shown = ", ".join(f"'{name}'" for name in taken)
        raise UserError(
            f"scores would take the place of columns of the table: {shown}",
            hint="rename or remove these columns",
        )
    return found


def _texts(column: Any) -> list[str | None]:
    # pandas 3 gives NaN for a missing text.
    return [value if isinstance(value, str) else None for value in column.tolist()]
