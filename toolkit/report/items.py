"""The items behind a report, with all answers and scores, as parts that a page loads lazily.

Items and answers are taken one after the other and written block by block: memory holds the
block in hand, a few bytes for each score, and the index of words, never the texts of a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolkit.report.chunks import ChunkFolder, base64_of
from toolkit.report.facets import Facets
from toolkit.report.text import printable, shorten
from toolkit.report.word_index import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LIST_ROWS", "TEXT_LIMIT", "AnswerEntry", "AnswersWriter", "ItemEntry", "ItemsWriter"]

LIST_ROWS: Final = 1000
"""Items in one part of the list of titles."""

TEXT_LIMIT: Final = 20_000
"""Characters of a text that the page holds."""

_BLOCK_ITEMS: Final = 250
_BLOCK_CHARACTERS: Final = 400_000
_TITLE_LIMIT: Final = 140
_REASON_LIMIT: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEntry:
    """One item that was asked about.

    Attributes:
        item_id: id of the item.
        title: its title; may be empty.
        input: what models were shown of it.
        references: what answers are compared with, one for each reference column.
        facets: values by which items are filtered, by facet.
    """

    item_id: str
    title: str
    input: str
    references: Sequence[str]
    facets: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEntry:
    """One answer.

    Attributes:
        place: 0-based place of its item.
        repeat: 0-based repeat.
        status: a status of the generations table.
        answer: the text; None when there is none.
        reason: why the status is not ok.
        values: one for each score of the leaderboard; None where there is none.
        missing: why, by number of the score.
    """

    place: int
    repeat: int
    status: str
    answer: str | None
    reason: str
    values: Sequence[float | None]
    missing: Mapping[int, str] = field(default_factory=dict)


class ItemsWriter:
    """Writes ``items-NNNNNN`` (texts) and ``list-NNNN`` (ids and titles)."""

    def __init__(self, out: ChunkFolder, words: WordIndex, facets: Facets) -> None:
        self._out = out
        self._words = words
        self._facets = facets
        self._block: list[Any] = []
        self._characters = 0
        self._list: list[list[str]] = []
        self.starts: list[int] = [0]
        self.count = 0

    def add(self, entry: ItemEntry) -> None:
        """Take the next item."""
        references = [_text(text) for text in entry.references]
        title = entry.title or next((text for text in references if text), "") or entry.input
        shown = _text(entry.input)
        self._block.append([printable(entry.title), shown, references])
        self._characters += len(shown) + sum(map(len, references))
        self._list.append(
            [printable(entry.item_id), " ".join(printable(title[: 2 * _TITLE_LIMIT]).split())]
        )
        self._list[-1][1] = shorten(self._list[-1][1], _TITLE_LIMIT)
        self._words.add(self.count, " ".join([entry.item_id, entry.title, *entry.references]))
        self._facets.add(entry.facets)
        self.count += 1
        if len(self._block) >= _BLOCK_ITEMS or self._characters >= _BLOCK_CHARACTERS:
            self._flush_block()
        if len(self._list) >= LIST_ROWS:
            self._flush_list()

    def close(self) -> None:
        """Write what is left."""
        self._flush_block()
        self._flush_list()

    def _flush_block(self) -> None:
        if self._block:
            self._out.write(f"items-{len(self.starts) - 1:06d}", self._block)
            self.starts.append(self.count)
        self._block, self._characters = [], 0

    def _flush_list(self) -> None:
        if self._list:
            number = (self.count - 1) // LIST_ROWS
            self._out.write(f"list-{number:04d}", self._list)
        self._list = []


class AnswersWriter:
    """Writes ``answers-CC-NNNNNN``, block by block as the items, and ``scores-CC``."""

    def __init__(
        self,
        out: ChunkFolder,
        words: WordIndex,
        starts: Sequence[int],
        number: int,
        statuses: Sequence[str],
    ) -> None:
        import numpy as np

        self._out = out
        self._words = words
        self._number = number
        self._statuses = {name: code for code, name in enumerate(statuses)}
        self._pending: dict[int, list[Any]] = {}
        # The block of each item: two to four bytes an item beat a search for each answer.
        self._block_of = np.repeat(
            np.arange(len(starts) - 1, dtype=np.int32), np.diff(np.asarray(starts))
        )
        self._status = np.full(starts[-1], 255, dtype=np.uint8)
        self._starts = starts

    @property
    def items(self) -> int:
        """How many items the page holds."""
        return len(self._status)

    def add(self, entry: AnswerEntry) -> None:
        """Take an answer; answers come in the order of the blocks of their items."""
        row: list[Any] = [
            entry.place - self._starts[self._block_of[entry.place]],
            entry.repeat,
            printable(entry.status),
            None if entry.answer is None else _text(entry.answer),
            [None if value is None else float(f"{value:.6g}") for value in entry.values],
        ]
        if entry.reason or entry.missing:
            missing = {str(at): _reason(why) for at, why in entry.missing.items() if why}
            row += [_reason(entry.reason), missing]
        self._pending.setdefault(int(self._block_of[entry.place]), []).append(row)
        code = self._statuses.get(entry.status, 254)
        known = int(self._status[entry.place])
        # Of several repeats, the worst counts: it is what a reader looks for.
        self._status[entry.place] = code if known == 255 else max(known, code)
        if entry.answer:
            self._words.add(entry.place, entry.answer)

    def done_before(self, place: int) -> None:
        """Write the blocks whose items all lie before ``place``."""
        for block in sorted(self._pending):
            if self._starts[block + 1] <= place:
                self._flush(block)

    def close(self, means: NDArray[np.float32]) -> None:
        """Write what is left, and the scores.

        Args:
            means: items x scores, over repeats; NaN where there is no value.
        """
        self.done_before(self._starts[-1])
        self._out.write(
            f"scores-{self._number:02d}",
            {
                "status": base64_of(self._status),
                "values": [base64_of(means[:, score]) for score in range(means.shape[1])],
            },
        )

    def _flush(self, block: int) -> None:
        self._out.write(f"answers-{self._number:02d}-{block:06d}", self._pending.pop(block))


def _text(text: str) -> str:
    return shorten(printable(text), TEXT_LIMIT)


def _reason(text: str) -> str:
    return shorten(printable(text), _REASON_LIMIT)
