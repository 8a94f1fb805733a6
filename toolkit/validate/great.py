"""Great Expectations, behind three calls; only this file and own_expectations.py import it.

It lives in the validation process alone: importing it costs seconds, and it keeps global
state. Its traps are closed here: expectations it drops, exceptions it reports as a failure
with nothing in it, results it returns in another order, numpy values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Engine", "Finding", "plain"]

_LISTED: Final = 1000
_FORMAT: Final = {
    "result_format": "COMPLETE",
    "partial_unexpected_count": _LISTED,
    "include_unexpected_rows": False,
}
_UNEXPECTED: Final = "partial_unexpected_list"
_MISSING: Final = "partial_missing_list"


@dataclass(frozen=True, slots=True)
class Finding:
    """What Great Expectations says about one expectation and one frame.

    Attributes:
        error: why it could not be evaluated; empty otherwise.
        indices: row numbers inside the frame that broke it, ascending.
        observed: its observed value as plain JSON.
    """

    error: str = ""
    success: bool = False
    element_count: int = 0
    missing_count: int = 0
    unexpected_count: int = 0
    indices: list[int] = field(default_factory=list)
    observed: Any = None


class Engine:
    """One Great Expectations context, used for every suite of the process."""

    def __init__(self) -> None:
        """Import Great Expectations and register our own expectations.

        Raises:
            ImportError: it is not installed.
        """
        import great_expectations as gx
        import pandas as pd
        from great_expectations.data_context.types.base import ProgressBarsConfig

        from toolkit.validate import own_expectations

        # Regular expressions then mean what Python says they mean; the other storage gives
        # them to RE2, where \w is ASCII and look-around does not exist.
        pd.set_option("mode.string_storage", "python")
        self._gx = gx
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(
            globally=False, metric_calculations=False
        )
        source = context.data_sources.add_pandas("shards")
        self._frames = source.add_dataframe_asset("frame").add_batch_definition_whole_dataframe(
            "whole"
        )
        own_expectations.register()

    @property
    def version(self) -> str:
        """The version of Great Expectations."""
        return str(self._gx.__version__)

    def refuses(self, item: Mapping[str, Any]) -> str:
        """Say why Great Expectations does not take an expectation; empty when it does.

        A type it does not know is dropped from a suite with a line in a log, so the suite is
        counted after it is built.
        """
        try:
            suite = self._suite([item])
        except Exception as error:  # noqa: BLE001 - pydantic, TypeError and its own kinds
            return f"Great Expectations {self.version} refuses it: {_short(error)}"
        types = [built.expectation_type for built in suite.expectations]
        if types != [item["type"]]:
            return f"Great Expectations {self.version} has no type '{item['type']}'"
        return ""

    def evaluate(self, frame: pd.DataFrame, items: Sequence[Mapping[str, Any]]) -> list[Finding]:
        """Evaluate expectations over one frame.

        Args:
            frame: the rows, indexed 0..n-1.
            items: expectations as a suite holds them, all accepted by :meth:`refuses`.

        Returns:
            One finding for each item, in their order.
        """
        findings = self._run(frame, items)
        if len(items) > 1 and any(finding.error for finding in findings):
            # One that raises can take down others that share a metric with it.
            return [self._run(frame, [item])[0] for item in items]
        return findings

    def _run(self, frame: pd.DataFrame, items: Sequence[Mapping[str, Any]]) -> list[Finding]:
        try:
            suite = self._suite(items)
            batch = self._frames.get_batch({"dataframe": frame})
            outcome = batch.validate(suite, result_format=_FORMAT)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no pass
            return [Finding(error=_short(error))] * len(items)
        found = {
            result.expectation_config.meta["position"]: _finding(result)
            for result in outcome.results
        }
        absent = Finding(error="Great Expectations returned no result for it")
        return [found.get(position, absent) for position in range(len(items))]

    def _suite(self, items: Sequence[Mapping[str, Any]]) -> Any:
        return self._gx.ExpectationSuite(
            name="suite",
            expectations=[
                {
                    "type": item["type"],
                    "kwargs": dict(item["kwargs"]),
                    "severity": item["severity"],
                    # Results come back grouped by column; this leads each to its place.
                    "meta": {"position": position},
                }
                for position, item in enumerate(items)
            ],
        )


def plain(value: Any) -> Any:
    """Turn numpy scalars, sets, dates and the like into plain JSON values.

    NaN and infinities become the strings ``nan``, ``inf`` and ``-inf``.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value)


def _finding(result: Any) -> Finding:
    error = _raised(result.exception_info)
    if error:
        return Finding(error=error)
    details = result.result or {}
    if "element_count" not in details:
        # About values or columns, not rows: what it counts as unexpected are values.
        return Finding(success=bool(result.success), observed=_observed(details))
    unexpected = int(details.get("unexpected_count") or 0)
    indices = sorted(int(index) for index in details.get("unexpected_index_list") or [])
    if unexpected != len(indices):
        return Finding(error=f"{unexpected} rows break it but {len(indices)} are named")
    return Finding(
        success=bool(result.success),
        element_count=int(details["element_count"]),
        missing_count=int(details.get("missing_count") or 0),
        unexpected_count=unexpected,
        indices=indices,
    )


def _observed(details: Mapping[str, Any]) -> Any:
    if details.get("observed_value") is not None:
        return plain(details["observed_value"])
    lists = {}
    for name, key in (("unexpected", _UNEXPECTED), ("missing", _MISSING)):
        values = sorted((plain(value) for value in details.get(key) or []), key=str)
        # The values come from a set: a list that was cut is another one in each process.
        if values and len(values) < _LISTED:
            lists[name] = values[:20]
    return lists or None


def _raised(info: Any) -> str:
    """Find an exception in the two shapes that Great Expectations reports one in."""
    if not isinstance(info, Mapping):
        return ""
    nested = [value for _, value in sorted(info.items(), key=str) if isinstance(value, Mapping)]
    for entry in (info, *nested):
        if entry.get("raised_exception"):
            return _short(entry.get("exception_message") or "an exception without a message")
    return ""


def _short(error: object) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:300]
