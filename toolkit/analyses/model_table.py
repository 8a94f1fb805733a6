"""How each model was asked: what a reader needs to ask it again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.identity import identity

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ModelTable", "ModelTableParams"]

_Column = Literal["group", "access", "scale", "cutoff", "max_tokens", "temperature", "served"]

_ABOUT: Final[dict[_Column, AnalysisColumn]] = {
    "group": AnalysisColumn("group", "string", "group", 0),
    "access": AnalysisColumn("access", "string", "access", 0),
    "scale": AnalysisColumn("scale", "string", "scale", 0),
    "cutoff": AnalysisColumn("cutoff", "string", "knowledge cutoff", 0),
    "max_tokens": AnalysisColumn("max_tokens", "int64", "most new tokens", 0),
    "temperature": AnalysisColumn("temperature", "double", "temperature", 2),
    "served": AnalysisColumn("served", "string", "served as", 0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTableParams:
    """How each model was asked: group, access, scale, sampling, versions."""

    columns: tuple[_Column, ...] = field(
        default=("group", "access", "scale", "max_tokens", "temperature"),
        metadata={"about": "columns of the table"},
    )


class ModelTable:
    """One line a competitor, in the order of the recipe."""

    name: ClassVar[str] = "model_table"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = ModelTableParams

    def __init__(self, params: ModelTableParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return none."""
        return ()

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return where the facts come from, for people."""
        return "as the recipe sets them; what served them is what servers said"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table."""
        prompts, answers = _asked(inputs.answers)
        rows = []
        for name, facts in inputs.models.items():
            known: dict[str, Any] = {
                column: getattr(facts, column, None) for column in self.params.columns
            }
            if "served" in known:
                known["served"] = inputs.served.get(name)
            rows.append(
                {
                    "model": facts.title,
                    "kind": facts.kind,
                    "provider": facts.provider,
                    "asked_as": facts.model or None,
                    **known,
                    "prompts": ", ".join(sorted(prompts.get(name, set()) - {""})) or None,
                    "n": answers.get(name, 0),
                }
            )
        return [
            AnalysisTable(
                name=self.name,
                title="How each model was asked",
                columns=(
                    AnalysisColumn("model", "string", "model", 0),
                    AnalysisColumn("kind", "string", "kind", 0),
                    AnalysisColumn("provider", "string", "provider", 0),
                    AnalysisColumn("asked_as", "string", "asked as", 0),
                    *(_ABOUT[column] for column in dict.fromkeys(self.params.columns)),
                    AnalysisColumn("prompts", "string", "prompts", 0),
                    AnalysisColumn("n", "int64", "n answers", 0),
                ),
                rows=rows,
                notes=(
                    "A temperature or limit that is not shown was left to the server, or the model "
                    "has none.",
                ),
                signature=f"{self.name}|version:{self.version}",
            )
        ]


def _asked(tables: Iterable[pa.Table]) -> tuple[dict[str, set[str]], dict[str, int]]:
    """Return the prompts and the number of answers of each model."""
    prompts: dict[str, set[str]] = {}
    answers: dict[str, int] = {}
    for table in tables:
        counts = table.group_by(["model", "prompt"], use_threads=False).aggregate(
            [([], "count_all")]
        )
        for row in counts.to_pylist():
            prompts.setdefault(row["model"], set()).add(row["prompt"] or "")
            answers[row["model"]] = answers.get(row["model"], 0) + row["count_all"]
    return prompts, answers
