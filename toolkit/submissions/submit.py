"""Make a bundle: check the answers against the benchmark, then write them with their manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from toolkit.errors import UserError
from toolkit.store.canonical import text_digest
from toolkit.submissions.archive import PREDICTIONS
from toolkit.submissions.benchmark import Benchmark
from toolkit.submissions.bundle import Bundle, file_ref, write_bundle
from toolkit.submissions.fault_list import FaultList
from toolkit.submissions.manifest import (
    FORMAT,
    Manifest,
    ModelRef,
    PromptRef,
    Submitter,
    manifest_faults,
)
from toolkit.submissions.predictions import (
    Prediction,
    by_prompt,
    id_faults,
    predictions_text,
    read_predictions,
)

__all__ = ["Declared", "prompt_digest", "submit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a submitter says of the answers.

    Attributes:
        model: who answered.
        submitter: who hands them in.
        prompts: prompt modes that were answered.
        prompt_texts: sha256 of each prompt's text (:func:`prompt_digest`), where it is declared.
        generation: settings of the answers.
        notes: a remark.
    """

    model: ModelRef
    submitter: Submitter
    prompts: tuple[str, ...]
    prompt_texts: Mapping[str, str] = field(default_factory=dict)
    generation: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    notes: str = ""


def prompt_digest(files: Sequence[Path]) -> str:
    """Return the sha256 of a prompt's text: of its template, or of system and user template.

    Line ends count as LF, whatever the checkout made of them.

    Raises:
        UserError: a file cannot be read as UTF-8.
    """
    try:
        return text_digest([file.read_text(encoding="utf-8") for file in files])
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"a prompt cannot be read: {error}", hint="name its file") from None


def submit(predictions: Path, benchmark: Benchmark, declared: Declared, out: Path) -> Bundle:
    """Check answers and write them as a bundle; it holds no score.

    Args:
        predictions: JSON Lines, see :func:`toolkit.submissions.predictions.read_predictions`.
        benchmark: the items that must be answered.
        declared: what the submitter says of the answers.
        out: a zip file or a folder.

    Returns:
        What was written.

    Raises:
        UserError: something is wrong with the answers or with what is declared; all of it is
            said at once, and nothing is written.
    """
    faults = FaultList()
    found: list[Prediction] = []
    try:
        with predictions.open("rb") as file:
            found = read_predictions(file, declared.prompts, faults)
    except OSError as error:
        raise UserError(f"{predictions}: {error.strerror}", hint="name a JSONL file") from None
    if not _unreadable(faults):
        id_faults(found, declared.prompts, benchmark.item_ids, faults)
    bundle = Bundle(_manifest(found, benchmark, declared), tuple(found))
    wrong = [*faults.lines(), *_declared_faults(bundle.manifest, declared)]
    if wrong:
        raise UserError(
            "\n".join([f"{predictions} cannot be submitted:", *(f"  {line}" for line in wrong)]),
            hint="mend this and run the command again; nothing was written",
        )
    write_bundle(bundle, out)
    return bundle


def _unreadable(faults: FaultList) -> bool:
    # Of a file in another encoding every id is missing, which helps nobody.
    return any(line.startswith("the file is no text") for line in faults.lines())


def _manifest(found: list[Prediction], benchmark: Benchmark, declared: Declared) -> Manifest:
    mine = by_prompt(found)
    return Manifest(
        format=FORMAT,
        toolkit=version("leaderboard-toolkit"),
        benchmark=benchmark.ref(),
        model=declared.model,
        prompts={
            name: PromptRef(
                # A prompt nobody answered is a fault that is told with the missing ids.
                answers=max(1, len(mine.get(name, []))),
                failed=sum(one.output is None for one in mine.get(name, [])),
                text_sha256=declared.prompt_texts.get(name),
            )
            for name in declared.prompts
        },
        generation=declared.generation,
        submitter=declared.submitter,
        notes=declared.notes,
        files={PREDICTIONS: file_ref(predictions_text(found) or "\n")},
    )


def _declared_faults(manifest: Manifest, declared: Declared) -> list[str]:
    found = manifest_faults(manifest)
    unknown = sorted(set(declared.prompt_texts) - set(declared.prompts))
    return [*found, *(f"a text is given for prompt '{name}', which is not" for name in unknown)]
