"""What a submitter wrote, shown to the gate before it could stop a later publish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from toolkit.gate.base import Policy
from toolkit.gate.report import check_outgoing
from toolkit.results.items import ItemScores
from toolkit.results.record import Result
from toolkit.results.store import ResultStore

__all__ = ["record_reasons", "stopped_texts"]

_TERMS: Final = Policy(access="open", redistribution="ids_only", pubmed=False, configs={})
"""Terms that ask nothing of data: only the words of the files are looked at."""


def stopped_texts(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the texts that the gate would stop: what each is called, and why.

    Args:
        texts: by what they are called in a message.
    """
    called = {f"{number:04d}.txt": name for number, name in enumerate(texts)}
    with TemporaryDirectory() as folder:
        for file, name in called.items():
            (Path(folder) / file).write_text(texts[name], encoding="utf-8", errors="replace")
        for file, message in _findings(Path(folder), list(called)):
            yield called[file], message


def record_reasons(records: Iterable[tuple[Result, ItemScores | None]]) -> Iterator[str]:
    """Yield why the gate would stop records: one that came in would stop every later publish."""
    with TemporaryDirectory() as folder:
        store = ResultStore(Path(folder))
        for result, items in records:
            store.add(result, items)
        for file, message in _findings(Path(folder), store.paths()):
            where = f"{file}: " if file else ""
            yield f"its record could not be published: {where}{message}"


def _findings(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for finding in check_outgoing(folder, names, _TERMS).findings:
        yield finding.path, finding.message
