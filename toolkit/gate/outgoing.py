"""The files that are to go out, read once however many checks look at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from toolkit.errors import UserError
from toolkit.gate.base import Finding, Policy
from toolkit.gate.front_matter import parse_card

if TYPE_CHECKING:
    import pyarrow as pa

    from toolkit.gate.texts import Texts

__all__ = ["CARD", "Check", "Chunk", "Outgoing", "Scan", "parquet_place"]

CARD: Final = "README.md"

_TEXT_SUFFIXES: Final = (".md", ".json", ".jsonl", ".yaml", ".html", ".css", ".js", ".svg", ".txt")


@dataclass(kw_only=True)
class Outgoing:
    """Files of a folder, by their names in the repository.

    Attributes:
        folder: where they lie.
        names: relative POSIX names, sorted.
        counts: what checks want to be known of files that may go out.
    """

    folder: Path
    names: Sequence[str]
    counts: Counter[str] = field(default_factory=Counter)

    def path(self, name: str) -> Path:
        """Return where a file lies."""
        return self.folder / name

    @cached_property
    def regular(self) -> tuple[str, ...]:
        """Names of files that are there and are no symbolic links."""
        return tuple(
            name
            for name in self.names
            if self.path(name).is_file() and not self.path(name).is_symlink()
        )

    @cached_property
    def parquet(self) -> tuple[str, ...]:
        """Names of Parquet files that can be read at all."""
        return tuple(name for name in self.regular if name in self.schemas)

    @cached_property
    def schemas(self) -> dict[str, pa.Schema]:
        """Schema of each Parquet file whose footer can be read."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        found = {}
        for name in self.regular:
            if name.endswith(".parquet"):
                try:
                    found[name] = pq.read_schema(self.path(name))
                except (pa.ArrowException, OSError) as error:
                    self.unreadable[name] = str(error)
        return found

    @cached_property
    def unreadable(self) -> dict[str, str]:
        """What is wrong with Parquet files that cannot be read."""
        return {}

    @cached_property
    def card(self) -> str:
        """The text of the card; empty when there is none."""
        path = self.path(CARD)
        return path.read_text(encoding="utf-8", errors="replace") if CARD in self.regular else ""

    @cached_property
    def front(self) -> dict[str, Any] | None:
        """The card's front matter; None when there is none that can be read."""
        try:
            return parse_card(self.card)
        except UserError:
            return None

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield name and text of each file that is no Parquet file; bytes that are no UTF-8 too."""
        for name in self.regular:
            if name.endswith(_TEXT_SUFFIXES):
                yield name, self.path(name).read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """A row group.

    Attributes:
        name: the file.
        config: its configuration.
        split: its split.
        start: number of its first row in the file, from 0.
        table: its rows.
        texts: every text of it, by column, however deep.
    """

    name: str
    config: str
    split: str
    start: int
    table: pa.Table
    texts: Sequence[Texts]


Check = Callable[[Outgoing, Policy], Iterator[Finding]]
"""A check of names, footers and whole texts."""


class Scan(Protocol):
    """A check of rows: sees every row group once, then says what it found."""

    def look(self, chunk: Chunk) -> None:
        """Look at a row group."""

    def findings(self) -> Iterator[Finding]:
        """Yield what was found in all of them."""


def parquet_place(name: str) -> tuple[str, str]:
    """Return configuration and split of a shard's name; empty where it has none."""
    config, slash, file = name.partition("/")
    split = file.split("-", 1)[0] if slash else ""
    return (config, split) if slash else ("", "")
