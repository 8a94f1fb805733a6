"""Try a judge on planted edits of references, and say what its scores react to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.analyses.audit_values import NOT_ASKED
from toolkit.analyses.base import AnalysisInputs, AnalysisTable, JudgeFacts
from toolkit.analyses.judge_audit import JudgeAudit
from toolkit.ask.dialogue import Dialogue
from toolkit.ask.usage import add_usage, usage_of
from toolkit.judges.base import AskingJudge, Target
from toolkit.perturb.probes import Probe, questions
from toolkit.plan.audits import probed, references
from toolkit.prompts.render import columns_of
from toolkit.recipe.sections import Model
from toolkit.records import to_arrow
from toolkit.registry import member
from toolkit.stages.analyse import write_figures, write_tables
from toolkit.stages.asking import ask_rows
from toolkit.stages.context import Context, finish
from toolkit.stages.judge import judge_facts, make_judge
from toolkit.stages.slices import RowReader, Slice
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest
from toolkit.store.parquet import read_parquet
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Auditing", "Subject", "run"]

_NO_SCORE = "no copy of the reference has a score"


def run(context: Context) -> Manifest:
    """Ask the judge about each reference beside its edited copies.

    Returns:
        Tables ``audits`` (every score) and ``audit_edits`` (every edit, or why there is none),
        and the tables and the figure of the analysis; the fact ``audit`` holds one entry a score.
    """
    step, recipe = context.step, context.recipe
    use = recipe.analyses[step.options["index"]]
    judge = make_judge(recipe, step.params["judge"])
    work = Auditing(
        step=step.name,
        judge=step.params["judge"],
        made=judge,
        scores=tuple(step.params["columns"]),
        model=recipe.models[judge.params.model],
        base=recipe.folder,
        plain=False,
        subjects=tuple(_subjects(context, judge, use.params)),
    )
    pieces = ask_rows(context, work)
    facts: dict[str, Any] = {
        **judge_facts(context, judge, [piece.facts for piece in pieces]),
        "references": len(work.subjects),
        "usage": add_usage(piece.facts["usage"] for piece in pieces),
        "audit": [],
        "tables": [],
        "figures": [],
    }
    if work.subjects:
        analysis: JudgeAudit = member("analyses", use.name)(use.params)
        shown = _shown(context, judge, analysis, pieces, str(facts["signature"]))
        pieces = [*pieces, shown.piece]
        facts |= shown.facts
    return finish(context, pieces, facts)


@dataclass(frozen=True, slots=True)
class Subject:
    """A reference that was drawn.

    Attributes:
        item: the columns of its item that the judge's prompt reads.
        reference: the text.
        probes: what the judge is shown beside it.
    """

    item: Mapping[str, Any]
    reference: str
    probes: tuple[Probe, ...]


@dataclass(frozen=True, slots=True)
class Auditing:
    """One judge about the probes of references: a :class:`toolkit.stages.asking.Work`.

    Attributes:
        step: name of the step.
        judge: name of the judge in the recipe.
        made: the judge.
        scores: its own names of its scores.
        model: the section of the judge's model.
        base: folder of the recipe.
        plain: never; a judge's model is a language model.
        subjects: the references.
    """

    step: str
    judge: str
    made: AskingJudge
    scores: tuple[str, ...]
    model: Model
    base: Path
    plain: bool
    subjects: tuple[Subject, ...]

    def parts(self, dialogues: int) -> list[Slice]:
        """Cut the references into slices of about so many dialogues each."""
        each = max((questions(subject.probes) for subject in self.subjects), default=1)
        rows = max(1, dialogues // max(1, each))
        starts = range(0, len(self.subjects), rows)
        return [
            Slice(f"{index:06d}", first, min(first + rows, len(self.subjects)))
            for index, first in enumerate(starts)
        ]

    def dialogues(self, part: Slice) -> list[Dialogue]:
        """Return the dialogues of a slice: every probe of every reference, as often as asked."""
        return [
            self.made.dialogue(_target(subject, probe), repeat)
            for subject in self.subjects[part.first : part.last]
            for probe in subject.probes
            if probe.text is not None
            for repeat in range(probe.repeats)
        ]

    def write(
        self, writer: PieceWriter, part: Slice, dialogues: Sequence[Dialogue]
    ) -> Mapping[str, Any]:
        """Write every score and every edit of a slice."""
        asked = iter(dialogues)
        scores: list[dict[str, Any]] = []
        edits: list[dict[str, Any]] = []
        for subject in self.subjects[part.first : part.last]:
            rows = [row for probe in subject.probes for row in self._rows(subject, probe, asked)]
            scores += _anchored(rows)
            edits += [row for probe in subject.probes for row in _edit_rows(subject, probe)]
        writer.table("audits", to_arrow("audits", scores))
        writer.table("audit_edits", to_arrow("audit_edits", edits))
        replies = [answer for dialogue in dialogues for answer in dialogue.answers.values()]
        served = Counter(reply.served_model for reply in replies if reply.served_model)
        return {
            "usage": usage_of(replies),
            "status": dict(sorted(Counter(reply.status for reply in replies).items())),
            "served": dict(sorted(served.items())),
        }

    def _rows(
        self, subject: Subject, probe: Probe, asked: Iterator[Dialogue]
    ) -> Iterator[dict[str, Any]]:
        about = {
            "item_id": subject.item["item_id"],
            "judge": self.judge,
            "probe": probe.name,
            "kind": probe.kind,
        }
        if probe.text is None:
            for name in self.scores:
                yield {**about, "repeat": 0, "score": name, "reason": NOT_ASKED + probe.reason}
            return
        for repeat in range(probe.repeats):
            values = self.made.values(next(asked).answers)
            for name in self.scores:
                yield {
                    **about,
                    "repeat": repeat,
                    "score": name,
                    "value": values[name].value,
                    "reason": values[name].reason,
                }


def _target(subject: Subject, probe: Probe) -> Target:
    """Return what the judge is asked about: the reference and a text, or the two swapped."""
    swapped = probe.name == "swapped"
    answer = {
        "item_id": subject.item["item_id"],
        "model": "",
        "prompt": "",
        "repeat": 0,
        "status": "ok",
        "answer": subject.reference if swapped else probe.text,
    }
    return Target(subject.item, answer, probe.text if swapped else subject.reference)


def _anchored(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of one reference with the mean of its copies."""
    known: dict[str, list[float]] = {}
    for row in rows:
        if row["probe"] == "copy" and row.get("value") is not None:
            known.setdefault(row["score"], []).append(row["value"])
    anchors = {name: sum(values) / len(values) for name, values in known.items()}
    return [
        {
            **row,
            "anchor": anchors.get(row["score"]),
            "reason": row["reason"] or ("" if row["score"] in anchors else _NO_SCORE),
        }
        for row in rows
    ]


def _edit_rows(subject: Subject, probe: Probe) -> Iterator[dict[str, Any]]:
    if probe.name == "copy":
        return
    about = {
        "item_id": subject.item["item_id"],
        "probe": probe.name,
        "kind": probe.kind,
        "text": probe.text,
        "reason": probe.reason,
    }
    if not probe.edits:
        yield about
    for one in probe.edits:
        yield {**about, "start": one.start, "end": one.end, "old": one.old, "new": one.new}


def _subjects(context: Context, judge: Any, audit: Any) -> Iterator[Subject]:
    """Yield the drawn references with what the judge's prompt reads of their items."""
    step, recipe = context.step, context.recipe
    artifact: Artifact = context.inputs[step.inputs[0]]
    table = step.params["table"]
    found = references(
        artifact,
        table,
        recipe.reference,
        limit=recipe.limit,
        sample=audit.sample,
        seed=recipe.seed,
    )
    prompts = [p for p in (judge.params.prompt, *judge.params.stages.values()) if p is not None]
    columns = sorted({"item_id", *(name for prompt in prompts for name in columns_of(prompt))})
    items = RowReader(artifact, table).picked([number for number, _, _ in found], columns)
    for (_, item_id, reference), item in zip(found, items, strict=True):
        yield Subject(item, reference, probed(judge.params, audit, recipe.seed, item_id, reference))


@dataclass(frozen=True, slots=True)
class _Shown:
    piece: Piece
    facts: Mapping[str, Any]


def _shown(
    context: Context, judge: Any, analysis: JudgeAudit, pieces: Sequence[Piece], signature: str
) -> _Shown:
    """Write what the analysis shows of the scores; return the piece and the facts of it."""
    step = context.step
    name, columns = step.params["judge"], step.params["columns"]
    inputs = AnalysisInputs(
        scores=(),
        definitions=judge.definitions(columns),
        seed=context.recipe.seed,
        judges={name: JudgeFacts(name, step.params["type"], judge.params.model, columns)},
        audits=list(_written(context.folder, pieces)),
    )
    findings = analysis.findings(inputs)
    tables = [
        replace(table, signature=f"{table.signature}|{signature}")
        for table in analysis.tables(findings, inputs)
    ]

    def write(writer: PieceWriter) -> Mapping[str, Any]:
        write_tables(writer, tables)
        for table in tables:
            write_figures(writer, table.figures)
        return {}

    facts = {
        "audit": [finding.to_dict() for finding in findings],
        "tables": [asdict(replace(table, figures=())) for table in tables],
        "figures": [about for table in tables for about in _figures(table)],
        "method": analysis.describe(),
    }
    return _Shown(ensure_piece(context.folder, "shown", write), facts)


def _figures(table: AnalysisTable) -> list[dict[str, str]]:
    return [
        {"table": table.name, "name": figure.name, "title": figure.title, "alt": figure.alt}
        for figure in table.figures
    ]


def _written(folder: Path, pieces: Sequence[Piece]) -> Iterator[pa.Table]:

    for piece in pieces:
        for shard in piece.shards:
            if shard.table == "audits":
                yield read_parquet(folder / shard.name)
