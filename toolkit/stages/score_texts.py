"""Score texts that are at hand, outside any run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from toolkit.errors import UserError
from toolkit.metrics.base import Metric, ScoreDefinition, Text, Value, call_metric
from toolkit.metrics.local import LocalMetric, LocalMetricError
from toolkit.recipe.params import type_hints
from toolkit.registry import is_built, member

__all__ = ["TextScores", "resolve_metrics", "score_texts"]

MetricLike = str | Callable[[str, str], float | None] | Metric


@dataclass(frozen=True, slots=True)
class TextScores:
    """The scores of rows of text.

    Attributes:
        values: n values for each score, in the order of the rows.
        definitions: what each score means, in order.
        signatures: the signature behind each score.
    """

    values: dict[str, list[Value]]
    definitions: tuple[ScoreDefinition, ...]
    signatures: dict[str, str]

    def mean(self, name: str) -> tuple[float | None, int]:
        """Return the mean of a score over the rows that have it, and how many these are."""
        found = [value.value for value in self.values[name] if value.value is not None]
        return (sum(found) / len(found) if found else None), len(found)


def score_texts(
    predictions: Sequence[str | None],
    references: Sequence[str | None],
    metrics: Sequence[MetricLike],
    *,
    inputs: Sequence[str | None] | None = None,
    profile: str | None = None,
) -> TextScores:
    """Score rows of text.

    Args:
        predictions: n texts; None where there is no answer, which gives no score.
        references: n texts in the same order; None where there is no reference.
        metrics: names of metrics, functions of (prediction, reference), or metrics.
        inputs: n texts that the models were shown, for metrics that look at them.
        profile: ``default`` or ``paper``, for metrics given by name.

    Raises:
        UserError: a metric or its profile is unknown, two give a score of the same name, or a
            function fails on a row, which is named by its 0-based position.
        ValueError: the two lengths differ.
    """
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions but {len(references)} references")
    shown: Sequence[str | None] = [None] * len(predictions) if inputs is None else inputs
    if len(shown) != len(predictions):
        raise ValueError(f"{len(predictions)} predictions but {len(shown)} inputs")
    columns: dict[Text, Sequence[str | None]] = {
        "output": predictions,
        "reference": references,
        "input": shown,
    }
    values: dict[str, list[Value]] = {}
    definitions: list[ScoreDefinition] = []
    signatures: dict[str, str] = {}
    for metric in resolve_metrics(metrics, profile):
        missing = [_missing(metric, columns, row) for row in range(len(predictions))]
        usable = [row for row, value in enumerate(missing) if value is None]
        texts: dict[Text, list[str]] = {
            name: [column[row] or "" for row in usable] for name, column in columns.items()
        }
        try:
            scored = call_metric(metric, texts)
        except LocalMetricError as error:
            raise error.on(f"row {usable[error.row]}") from error.__cause__
        for definition in metric.definitions():
            if definition.name in values:
                raise UserError(
                    f"two metrics give a score called '{definition.name}'",
                    hint="name each metric once",
                )
            found = iter(scored[definition.name])
            values[definition.name] = [value or next(found) for value in missing]
            definitions.append(definition)
            signatures[definition.name] = metric.signature()
    return TextScores(values, tuple(definitions), signatures)


def resolve_metrics(metrics: Sequence[MetricLike], profile: str | None = None) -> list[Metric]:
    """Return metrics for names, functions and metrics.

    Raises:
        UserError: a name is unknown or not built, or has no profiles while one is asked for.
    """
    return [_resolve(metric, profile) for metric in metrics]


def _resolve(metric: MetricLike, profile: str | None) -> Metric:
    if not isinstance(metric, str):
        if isinstance(metric, Metric):
            return metric
        return LocalMetric.wrap(metric)
    if not is_built("metrics", metric):
        from toolkit.errors import suggest
        from toolkit.registry import names

        known = [name for name in names("metrics") if is_built("metrics", name)]
        raise UserError(f"there is no metric called '{metric}'", hint=suggest(metric, known))
    cls: Any = member("metrics", metric)
    if profile is not None:
        _check_profile(metric, profile, cls.Params)
    found: Metric = cls(cls.Params(**({"profile": profile} if profile is not None else {})))
    return found


def _check_profile(metric: str, profile: str, params: type) -> None:
    known = [str(name) for name in get_args(type_hints(params).get("profile"))]
    if not known:
        raise UserError(f"the metric '{metric}' has no profiles", hint="leave out the profile")
    if profile not in known:
        raise UserError(
            f"the metric '{metric}' has no profile '{profile}'",
            hint=f"profiles: {', '.join(known)}",
        )


def _missing(
    metric: Metric, columns: Mapping[Text, Sequence[str | None]], row: int
) -> Value | None:
    """Return the value of a row that lacks a text the metric reads; None when it lacks none."""
    for name, reason in _REASONS.items():
        if name in metric.reads and columns[name][row] is None:
            return Value(None, reason=reason)
    return None


_REASONS: Final[Mapping[Text, str]] = {
    "output": "no prediction",
    "reference": "no reference",
    "input": "no input",
}
