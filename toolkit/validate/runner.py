"""Evaluate one suite over the shards of one table. Runs in the validation process."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import suggest
from toolkit.validate.catalogue import LIST_TYPES, TYPES
from toolkit.validate.frames import to_frame
from toolkit.validate.great import Engine, Finding
from toolkit.validate.keys import KEY_CHECKS
from toolkit.validate.shards import CannotEvaluate, Rows, Shards, is_nested
from toolkit.validate.suite import kwargs_faults
from toolkit.validate.tally import Failures, Tally
from toolkit.validate.whole import CHECKS, Check, Context

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Job", "evaluate"]

_NULL_TYPES: Final = (
    "expect_column_values_to_be_null",
    "expect_column_values_to_not_be_null",
)
_COLUMN_ARGUMENTS: Final = (
    "column",
    "column_A",
    "column_B",
    "column_list",
    "columns",
    "by",
    "group_columns",
)


@dataclass(frozen=True, slots=True)
class Job:
    """One request: a suite and where the table lies.

    Attributes:
        suite: the suite as its file holds it, parameters filled in.
        paths: the shards.
        id_columns: the columns that name a row.
        rejects: where all failing rows go; None when only the first ids are wanted.
        others: shard files of other tables, by name.
        spool: an empty folder for intermediate files.
    """

    suite: Mapping[str, Any]
    paths: Sequence[Path]
    id_columns: Sequence[str]
    rejects: Path | None
    others: Mapping[str, Sequence[Path]]
    spool: Path


def evaluate(job: Job, engine: Engine, tick: Callable[[], None]) -> dict[str, Any]:
    """Evaluate a suite.

    Args:
        job: the request.
        engine: Great Expectations.
        tick: called after each batch.

    Returns:
        A :class:`~toolkit.validate.result.ValidationResult` as JSON.

    Raises:
        CannotEvaluate: the table cannot be read at all.
    """
    shards = Shards(job.paths)
    absent = [name for name in job.id_columns if name not in shards.schema.names]
    if absent:
        raise CannotEvaluate(f"the table has no id column {', '.join(absent)}")
    failures = Failures(shards, job.id_columns, job.spool if job.rejects else None)
    tallies = [Tally(item) for item in job.suite["expectations"]]
    for tally in tallies:
        tally.error = _problem(tally, shards.schema) or _refused(tally, engine)
    context = Context(shards, failures, job.others, tick)

    _of_table([tally for tally in tallies if _scope(tally) == "table"], shards, engine)
    for tally in tallies:
        if _scope(tally) == "row_count":
            _row_count(tally, shards.rows)
    _of_rows(
        [tally for tally in tallies if _scope(tally) == "rows"],
        _checks([tally for tally in tallies if _scope(tally) == "whole"], context),
        context,
        engine,
    )
    for tally in tallies:
        if _scope(tally) == "columns":
            _of_columns(tally, context, engine)

    if job.rejects:
        failing = [tally.id for tally in tallies if not tally.error and tally.broken()]
        failures.save(failing, job.rejects)
    return {
        "suite": job.suite["name"],
        "rows": shards.rows,
        "results": [tally.result() for tally in tallies],
    }


def _scope(tally: Tally) -> str:
    """Return the scope of an expectation that can be evaluated, else an empty text."""
    return "" if tally.error else TYPES[tally.item["type"]].scope


def _problem(tally: Tally, schema: pa.Schema) -> str:
    name, kwargs = tally.item["type"], tally.kwargs
    if name not in TYPES:
        return f"unknown expectation type '{name}'; {suggest(name, sorted(TYPES))}"
    for argument, value in kwargs.items():
        if isinstance(value, dict) and "$PARAMETER" in value:
            return f"{argument}: the caller gave no parameter '{value['$PARAMETER']}'"
    faults = kwargs_faults(name, kwargs)
    if faults:
        return "; ".join(faults)
    if TYPES[name].scope == "table":
        return ""
    for column in _columns(kwargs):
        if column not in schema.names:
            return f"the table has no column '{column}'; {suggest(column, schema.names)}"
    return _wrong_kind(name, kwargs, schema)


def _wrong_kind(name: str, kwargs: Mapping[str, Any], schema: pa.Schema) -> str:
    import pyarrow as pa

    if TYPES[name].scope == "whole" or name in _NULL_TYPES:
        return ""
    for column in _columns({**kwargs, "row_condition": None}):
        kind = schema.field(column).type
        if name in LIST_TYPES and not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
            return f"column '{column}' is {kind}, not a list"
        if name == "expect_column_list_values_to_match_regex" and is_nested(kind.value_type):
            return f"column '{column}' is {kind}, whose values are no text"
        if name not in LIST_TYPES and is_nested(kind):
            return (
                f"column '{column}' is {kind}, which '{name}' would judge by its printed form; "
                f"use one of {', '.join(LIST_TYPES)}"
            )
    return ""


def _refused(tally: Tally, engine: Engine) -> str:
    great = TYPES[tally.item["type"]].scope in ("rows", "columns", "table")
    return engine.refuses(tally.item) if great else ""


def _columns(kwargs: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for argument in _COLUMN_ARGUMENTS:
        value = kwargs.get(argument, [])
        found += [value] if isinstance(value, str) else value
    return list(dict.fromkeys(found + _condition_columns(kwargs.get("row_condition"))))


def _condition_columns(condition: Any) -> list[str]:
    if not isinstance(condition, Mapping):
        return []
    if "column" in condition:
        return [condition["column"]["name"]]
    return [name for part in condition["conditions"] for name in _condition_columns(part)]


def _of_table(tallies: Sequence[Tally], shards: Shards, engine: Engine) -> None:
    if not tallies:
        return
    empty = shards.schema.empty_table()
    findings = engine.evaluate(to_frame(empty, empty.schema.names), [t.item for t in tallies])
    for tally, finding in zip(tallies, findings, strict=True):
        tally.error = finding.error
        tally.observed = finding.observed
        tally.failed = not finding.success
        tally.reason = (
            "" if finding.success else f"the columns are {', '.join(shards.schema.names)}"
        )


def _row_count(tally: Tally, rows: int) -> None:
    kwargs = tally.kwargs
    low = kwargs.get("value", kwargs.get("min_value"))
    high = kwargs.get("value", kwargs.get("max_value"))
    under = low is not None and (rows <= low if kwargs.get("strict_min") else rows < low)
    over = high is not None and (rows >= high if kwargs.get("strict_max") else rows > high)
    tally.element_count = tally.observed = rows
    tally.failed = under or over
    tally.reason = f"the table has {rows} rows" if tally.failed else ""


def _checks(tallies: Sequence[Tally], context: Context) -> list[Check]:
    checks = []
    for tally in tallies:
        try:
            checks.append({**CHECKS, **KEY_CHECKS}[tally.item["type"]](tally, context))
        except CannotEvaluate as error:
            tally.error = str(error)
    return checks


def _of_rows(
    tallies: Sequence[Tally], checks: Sequence[Check], context: Context, engine: Engine
) -> None:
    """Pass once over the table: Great Expectations row by row, ours beside it."""
    columns = [name for tally in tallies for name in _columns(tally.kwargs)]
    columns += [name for check in checks for name in check.columns]
    seen = False
    for rows in context.shards.batches([*context.failures.columns, *columns]):
        _judge(tallies, rows, context.failures, engine)
        for check in checks:
            _guarded(check.tally, lambda check=check, rows=rows: check.see(rows))  # type: ignore[misc]
        seen = True
        context.tick()
    if not seen and tallies:
        # Great Expectations then says at least whether it can evaluate them.
        empty = context.shards.schema.empty_table().to_batches() or [_no_rows(context.shards)]
        _judge(tallies, Rows(0, 0, empty[0]), context.failures, engine)
    for check in checks:
        _guarded(check.tally, check.finish)


def _no_rows(shards: Shards) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_pylist([], schema=shards.schema)


def _judge(tallies: Sequence[Tally], rows: Rows, failures: Failures, engine: Engine) -> None:
    able = [tally for tally in tallies if not tally.error]
    if not able:
        return
    columns = list(dict.fromkeys(name for tally in able for name in _columns(tally.kwargs)))
    findings = engine.evaluate(to_frame(rows.batch, columns), [tally.item for tally in able])
    for tally, finding in zip(able, findings, strict=True):
        _count(tally, finding)
        failures.add(tally, rows, finding.indices, _columns(tally.kwargs))


def _count(tally: Tally, finding: Finding) -> None:
    tally.error = finding.error
    tally.element_count += finding.element_count
    tally.missing_count += finding.missing_count
    tally.unexpected_count += finding.unexpected_count


def _of_columns(tally: Tally, context: Context, engine: Engine) -> None:
    """Evaluate what depends on other rows over its columns, of all shards together."""
    import pyarrow as pa

    columns = _columns(tally.kwargs)
    held = []
    for rows in context.shards.batches([*context.failures.columns, *columns]):
        held.append(rows)
        context.tick()
    batches = [rows.batch.select(columns) for rows in held] or [_no_rows(context.shards)]
    frame = to_frame(pa.Table.from_batches(batches), columns)
    (finding,) = engine.evaluate(frame, [tally.item])
    _count(tally, finding)
    tally.observed = finding.observed
    tally.failed = None if finding.indices else not finding.success
    if tally.failed:
        tally.reason = f"observed {finding.observed}"
    offsets = [0]
    for rows in held:
        offsets.append(offsets[-1] + rows.batch.num_rows)
    for rows, offset, end in zip(held, offsets, offsets[1:], strict=False):
        low, high = (bisect.bisect_left(finding.indices, edge) for edge in (offset, end))
        inside = [index - offset for index in finding.indices[low:high]]
        context.failures.add(tally, rows, inside, columns)


def _guarded(tally: Tally, step: Callable[[], None]) -> None:
    if tally.error:
        return
    try:
        step()
    except CannotEvaluate as error:
        tally.error = str(error)
    except (ValueError, TypeError, ArithmeticError, LookupError) as error:
        tally.error = f"{type(error).__name__}: {error}"[:300]
