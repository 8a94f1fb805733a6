"""Count where every input row went: by file, by year, and over all.

A funnel is a plain sum, so funnels of parts add up to the corpus's, and for every file the
rows read equal the rows kept plus the rows each rule removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolkit.corpus.source import PartResult, dropped, surviving

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KEPT", "Funnel", "Step", "part_funnel"]

KEPT: Final = "kept"
"""The outcome of a row that no rule removed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a funnel: a rule, the rows it removed, and those that remained after it."""

    rule: str
    removed: int
    remaining: int


@dataclass(frozen=True, slots=True)
class Funnel:
    """Counts of outcomes.

    Attributes:
        outcomes: rows by (file, year, outcome); the outcome is a rule's name or
            :data:`KEPT`, the year is None when unknown.
        counts: what else was seen, by name.
        skipped: files that were skipped as a whole, and why.
    """

    outcomes: Mapping[tuple[str, int | None, str], int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)

    def __add__(self, other: Funnel) -> Funnel:
        return Funnel(
            dict(Counter(self.outcomes) + Counter(other.outcomes)),
            dict(Counter(self.counts) + Counter(other.counts)),
            {**self.skipped, **other.skipped},
        )

    @property
    def read(self) -> int:
        """Rows of the input."""
        return sum(self.outcomes.values())

    @property
    def kept(self) -> int:
        """Rows that no rule removed."""
        return sum(n for (_, _, outcome), n in self.outcomes.items() if outcome == KEPT)

    def steps(
        self,
        order: Sequence[str],
        *,
        file: str | None = None,
        year: int | None = None,
    ) -> list[Step]:
        """Return the funnel's lines.

        Args:
            order: rules in the order they are asked; rules that removed rows and are not
                named follow in the order of the alphabet.
            file: only this file's rows; None for all.
            year: only this year's rows; None for all.

        Returns:
            First ``read``, then one step for each rule that removed a row anywhere, last
            ``kept``.
        """
        removed: Counter[str] = Counter()
        for (its_file, its_year, outcome), count in self.outcomes.items():
            wanted = file in (None, its_file) and year in (None, its_year)
            removed[outcome] += count if wanted else 0
        remaining = removed.total()
        steps = [Step("read", 0, remaining)]
        known = [rule for rule in order if rule in removed]
        for rule in [*known, *sorted(set(removed) - {*known, KEPT})]:
            remaining -= removed[rule]
            steps.append(Step(rule, removed[rule], remaining))
        return [*steps, Step(KEPT, 0, removed[KEPT])]

    def files(self) -> list[str]:
        """Return the names of the files that rows came from, sorted."""
        return sorted({file for file, _, _ in self.outcomes})

    def years(self) -> list[int]:
        """Return the known years, ascending."""
        return sorted({year for _, year, _ in self.outcomes if year is not None})

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values; :meth:`from_dict` reads them back."""
        ordered = sorted(
            self.outcomes.items(), key=lambda item: (item[0][0], item[0][1] or 0, item[0][2])
        )
        return {
            "outcomes": [[*key, count] for key, count in ordered],
            "counts": dict(sorted(self.counts.items())),
            "skipped": dict(sorted(self.skipped.items())),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Funnel:
        """Read what :meth:`to_dict` returned."""
        outcomes = {(file, year, rule): n for file, year, rule, n in data["outcomes"]}
        return cls(outcomes, dict(data["counts"]), dict(data["skipped"]))


def part_funnel(result: PartResult, drops: pa.Table | None = None) -> Funnel:
    """Count where the rows of one part went.

    Args:
        result: the part.
        drops: what ``merge`` dropped of it, None for nothing.
    """
    import pyarrow.parquet as pq

    outcomes: Counter[tuple[str, int | None, str]] = Counter()
    present = set(pq.read_schema(result.items).names)
    # The id stands in every table; it says how many rows there are.
    wanted = ["item_id", *({"year", "source_file"} & present)]
    for batch in surviving(result, drops, wanted):
        years = batch["year"].to_pylist() if "year" in present else ()
        files = batch["source_file"].to_pylist() if "source_file" in present else ()
        outcomes.update(_kept(result.part, batch.num_rows, years, files))
    columns = ["source_file", "year", "reason"]
    with pq.ParquetFile(result.rejects) as rejects:
        for batch in rejects.iter_batches(columns=columns):
            outcomes.update(zip(*(batch[name].to_pylist() for name in columns), strict=True))
    gone = dropped(result, drops)
    outcomes.update(zip(*(gone[name].to_pylist() for name in columns), strict=True))
    skipped = {result.part: result.problem} if result.problem else {}
    return Funnel(dict(outcomes), dict(result.counts), skipped)


def _kept(
    part: str, count: int, years: Sequence[Any], files: Sequence[Any]
) -> Iterable[tuple[str, int | None, str]]:
    for row in range(count):
        year = years[row] if years else None
        yield (
            files[row] if files else part,
            # A user's own column called year may hold anything.
            year if isinstance(year, int) else None,
            KEPT,
        )
