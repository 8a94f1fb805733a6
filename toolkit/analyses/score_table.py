"""Means of several scores side by side, as papers print them: models by group, best in bold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.identity import identity
from toolkit.analyses.means import Means, MeansParams
from toolkit.analyses.names import file_name
from toolkit.analyses.score_table_figure import score_table_figure, with_arrow
from toolkit.analyses.units import with_prompts
from toolkit.errors import UserError
from toolkit.metrics.base import ScoreDefinition
from toolkit.statistics.bootstrap import Method

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ScoreTable", "ScoreTableParams"]

_POOLED: Final = "all models"
_OTHERS: Final = {"baseline": "baselines", "reference": "reference", "model": ""}

_Key = tuple[str, str]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTableParams:
    """Means of several scores side by side: rows are models, prompts or both."""

    scores: tuple[str, ...] = field(
        default=(), metadata=_about("names of scores, the columns; all by default", scalar=True)
    )
    title: str = field(default="", metadata=_about("title of the table"))
    rows: Literal["model", "prompt", "both"] = field(
        default="model",
        metadata=_about("model: prompts averaged; prompt: models averaged; both: each pair"),
    )
    prompts: tuple[str, ...] = field(
        default=(), metadata=_about("prompts or strategies; all by default")
    )
    models: tuple[str, ...] = field(
        default=(), metadata=_about("models; all by default, without baselines for rows: prompt")
    )
    ci: Literal["bootstrap", "none"] = field(
        default="bootstrap", metadata=_about("how the interval of a mean is found")
    )
    method: Method = field(
        default="expanded",
        metadata=_about("how resampled means become an interval (docs/design/intervals.md)"),
    )
    resamples: int = field(
        default=2000, metadata=_about("resamples for each mean", minimum=100, maximum=1_000_000)
    )
    confidence: float = field(
        default=0.95, metadata=_about("coverage of the intervals", minimum=0.5, maximum=0.999)
    )
    cluster: str | None = field(
        default=None, metadata=_about("item column whose equal values are resampled together")
    )


class ScoreTable:
    """One table, its numbers found as the leaderboard's are; one figure."""

    name: ClassVar[str] = "score_table"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = ScoreTableParams

    def __init__(self, params: ScoreTableParams) -> None:
        """Take the parameters.

        Raises:
            UserError: a number is out of range.
        """
        self.params = params
        # Under one prompt a model's mean is a number of the leaderboard, whose resamples are drawn
        # by the prompt's name: the two would else show two intervals of one mean.
        pooled = params.rows == "model" and len(params.prompts) != 1
        self._means = Means(
            MeansParams(
                by=("model",) if pooled else ("model", "prompt"),
                ci=params.ci,
                method=params.method,
                resamples=params.resamples,
                confidence=params.confidence,
                cluster=params.cluster,
            )
        )

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that clusters are made of, if any."""
        return self._means.item_columns()

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "prompts", "models") | {"means": self._means.fingerprint()}

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return self._means.describe()

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table.

        Held in memory: as for the leaderboard.

        Raises:
            UserError: nothing is left of the scores, or as for the leaderboard.
        """
        found = self._means.run(self._narrowed(inputs)).to_pylist()
        definitions = [
            definition
            for definition in self._asked(inputs.definitions)
            if any(row["score"] == definition.name for row in found)
        ]
        if not definitions:
            raise UserError(
                "score_table: no answer has any of these scores",
                hint="name scores, models and prompts of this recipe that go together",
            )
        rows = self._rows(found, definitions, inputs)
        return [self._table(rows, found, definitions)]

    def _asked(self, definitions: Sequence[ScoreDefinition]) -> list[ScoreDefinition]:
        known = {definition.name: definition for definition in definitions}
        asked = self.params.scores or tuple(known)
        return [known[name] for name in asked if name in known]

    def _narrowed(self, inputs: AnalysisInputs) -> AnalysisInputs:
        """Return the inputs with the rows that are asked for, models pooled where prompts are."""
        asked = self._asked(inputs.definitions)
        names = [definition.name for definition in asked]
        pooled = self.params.rows == "prompt"
        kinds = dict(inputs.kinds)
        if pooled:
            # Competitors that no recipe lists count as models, as they do on the leaderboard.
            kinds[_POOLED] = "model"
        return replace(
            inputs,
            scores=_filtered(inputs.scores, names, _Keep(self.params, inputs), pooled=pooled),
            definitions=asked,
            kinds=kinds,
        )

    def _rows(
        self,
        found: Sequence[dict[str, Any]],
        definitions: Sequence[ScoreDefinition],
        inputs: AnalysisInputs,
    ) -> list[dict[str, Any]]:
        cells = {(row["model"], row["prompt"], row["score"]): row for row in found}
        keys = list(dict.fromkeys((row["model"], row["prompt"]) for row in found))
        rows = []
        for model, prompt in sorted(keys, key=lambda key: _order(key, keys, inputs)):
            own = [cells.get((model, prompt, definition.name)) for definition in definitions]
            counts = [cell["n"] for cell in own if cell is not None]
            row: dict[str, Any] = {
                "group": _group(model, inputs),
                "model": inputs.title(model),
                "prompt": prompt,
                "kind": inputs.kinds.get(model, "model"),
                "n": min(counts),
                "n_most": max(counts),
            }
            for definition, cell in zip(definitions, own, strict=True):
                for suffix, key in _CELLS:
                    row[f"{definition.name}{suffix}"] = cell[key] if cell is not None else None
            rows.append(row)
        return rows

    def _table(
        self,
        rows: list[dict[str, Any]],
        found: Sequence[dict[str, Any]],
        definitions: Sequence[ScoreDefinition],
    ) -> AnalysisTable:
        p = self.params
        title = (
            p.title
            or {
                "model": "Scores by model",
                "prompt": "Scores by prompt",
                "both": "Scores by model and prompt",
            }[p.rows]
        )
        spread = any(row["n"] != row["n_most"] for row in rows)
        heads = (
            *([AnalysisColumn("group", "string", "group", 0)] if p.rows != "prompt" else []),
            *([AnalysisColumn("model", "string", "model", 0)] if p.rows != "prompt" else []),
            *([AnalysisColumn("prompt", "string", "prompt", 0)] if p.rows != "model" else []),
            AnalysisColumn("n", "int64", "n, fewest of its scores" if spread else "n", 0),
            *([AnalysisColumn("n_most", "int64", "n, most of its scores", 0)] if spread else []),
        )
        missing = sum(row["n_missing"] for row in found)
        notes = [
            f"Intervals: {self.describe()}." if p.ci != "none" else "No intervals were asked for.",
            "Best in bold, second underlined, by each score's own direction; equal means share a "
            "place, and the reference has none.",
            *_averaged(p, found),
        ]
        if missing:
            notes.append(
                f"{missing:,} values are missing and in no mean; the leaderboard says why."
            )
        parts = self._means.fingerprint()
        return AnalysisTable(
            name=file_name(self.name, p.title) if p.title else self.name,
            title=title,
            columns=(*heads, *(c for definition in definitions for c in _columns(definition))),
            rows=rows,
            notes=tuple(notes),
            signature=(
                f"{self.name}|version:{self.version}|means:{parts['version']}|rows:{p.rows}"
                f"|ci:{p.ci}-{p.method}|level:{p.confidence:g}|resamples:{p.resamples}"
                f"|cluster:{p.cluster or 'item'}"
            ),
            figures=(
                score_table_figure(
                    rows,
                    definitions,
                    rows_are=p.rows,
                    name=file_name(self.name, p.title),
                    title=title,
                ),
            ),
        )


_CELLS: Final = (("", "mean"), ("_low", "ci_low"), ("_high", "ci_high"), ("_rank", "rank"))


class _Keep:
    """Which competitors take part."""

    def __init__(self, params: ScoreTableParams, inputs: AnalysisInputs) -> None:
        self._params, self._kinds = params, inputs.kinds

    def __call__(self, systems: Sequence[_Key]) -> list[_Key]:
        p = self._params
        kept = with_prompts(systems, p.prompts)
        if p.models:
            return [system for system in kept if system[0] in p.models]
        if p.rows == "prompt":
            # Baselines answer no prompt.
            return [system for system in kept if self._kinds.get(system[0], "model") == "model"]
        return kept


def _filtered(
    tables: Iterable[pa.Table], scores: Sequence[str], keep: _Keep, *, pooled: bool
) -> Iterator[pa.Table]:
    import pyarrow as pa
    import pyarrow.compute as pc

    for table in tables:
        part = table.filter(pc.is_in(table["score"], pa.array(scores, pa.string())))
        pairs = part.select(["model", "prompt"]).group_by(["model", "prompt"]).aggregate([])
        systems = [(row["model"], row["prompt"]) for row in pairs.to_pylist()]
        kept = keep(systems)
        if len(kept) < len(systems):
            mask = None
            for model, prompt in kept:
                one = pc.and_(pc.equal(part["model"], model), pc.equal(part["prompt"], prompt))
                mask = one if mask is None else pc.or_(mask, one)
            part = part.slice(0, 0) if mask is None else part.filter(mask)
        if pooled:
            at = part.column_names.index("model")
            part = part.set_column(at, "model", pa.array([_POOLED] * len(part), pa.string()))
        yield part


def _group(model: str, inputs: AnalysisInputs) -> str:
    facts = inputs.models.get(model)
    if facts is not None and facts.group:
        return facts.group
    return _OTHERS[inputs.kinds.get(model, "model")]


def _order(key: _Key, keys: Sequence[_Key], inputs: AnalysisInputs) -> tuple[Any, ...]:
    """Return where a row stands: groups and models in the order of the recipe, prompts by name."""
    names = list(inputs.models)
    place = {name: at for at, name in enumerate(names)}
    groups = list(
        dict.fromkeys(
            _group(model, inputs)
            for model, _ in sorted(keys, key=lambda one: (place.get(one[0], len(names)), one[0]))
        )
    )
    kind = inputs.kinds.get(key[0], "model")
    last = {"model": 0, "baseline": 1, "reference": 2}[kind]
    return (
        last if not _own_group(key[0], inputs) else 0,
        groups.index(_group(key[0], inputs)),
        place.get(key[0], len(names)),
        key,
    )


def _own_group(model: str, inputs: AnalysisInputs) -> bool:
    facts = inputs.models.get(model)
    return facts is not None and bool(facts.group)


def _columns(definition: ScoreDefinition) -> tuple[AnalysisColumn, ...]:
    name, digits = definition.name, definition.digits
    return (
        AnalysisColumn(name, "double", with_arrow(definition), digits),
        AnalysisColumn(f"{name}_low", "double", "low end of the interval", digits),
        AnalysisColumn(f"{name}_high", "double", "high end of the interval", digits),
        AnalysisColumn(f"{name}_rank", "int64", "place among the rows", 0),
    )


def _averaged(p: ScoreTableParams, found: Sequence[dict[str, Any]]) -> list[str]:
    prompts = f"prompts {', '.join(p.prompts)}" if p.prompts else "all prompts"
    if p.rows == "model":
        return [f"A model's mean is over its answers to {prompts}."]
    if p.rows == "prompt":
        whose = f"the models {', '.join(p.models)}" if p.models else "all models but baselines"
        return [f"A prompt's mean is over the answers of {whose}."]
    return []
