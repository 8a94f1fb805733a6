"""What two splits share: equal texts, near-duplicates, members of one group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.errors import ValidationFailed
from toolkit.recipe.splits_section import Splits
from toolkit.splits.groups import Duplicates, Links, is_missing

__all__ = ["Leak", "LeakageReport", "find_leakage"]

_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Leak:
    """One kind of leakage between splits.

    Attributes:
        kind: ``exact_duplicates``, ``near_duplicates`` or ``group:COLUMN``.
        clusters: sets of linked items that stand in more than one split.
        released: those of them in which only released items are linked across splits: an
            earlier release already had that leak.
        items: items in these clusters.
        between: clusters by the splits they stand in, e.g. ``test+train``.
        examples: up to 20 (item id, split), whole clusters first.
    """

    kind: str
    clusters: int
    released: int
    items: int
    between: dict[str, int]
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LeakageReport:
    """All kinds of leakage that were looked for.

    Attributes:
        leaks: one entry a kind, also for kinds that found nothing.
        promised: kinds that ``keep_together`` and ``group_by`` rule out.
    """

    leaks: tuple[Leak, ...]
    promised: tuple[str, ...]

    @property
    def violations(self) -> tuple[Leak, ...]:
        """The leaks that break a promise; what a release already had cannot be mended."""
        return tuple(
            leak
            for leak in self.leaks
            if leak.kind in self.promised and leak.clusters > leak.released
        )

    def check(self) -> None:
        """Stop when a promise is broken.

        Raises:
            ValidationFailed: a promised kind has leaks; the message names items.
        """
        if not self.violations:
            return
        lines = [
            f"{leak.kind}: {leak.clusters} across {', '.join(sorted(leak.between))}, e.g. "
            + ", ".join(f"{item} ({split})" for item, split in leak.examples[:4])
            for leak in self.violations
        ]
        raise ValidationFailed(
            "the splits share what they must not: " + "; ".join(lines),
            hint="run the split step again; if it persists, report it with these ids",
        )

    def to_dict(self) -> dict[str, object]:
        """Return the report for JSON."""
        return {
            "promised": list(self.promised),
            "leaks": {
                leak.kind: {
                    "clusters": leak.clusters,
                    "released": leak.released,
                    "items": leak.items,
                    "between": leak.between,
                    "examples": [list(example) for example in leak.examples],
                }
                for leak in self.leaks
            },
        }


def find_leakage(
    item_ids: Sequence[str],
    splits: Mapping[int, str],
    params: Splits,
    *,
    duplicates: Duplicates | None = None,
    digests: Sequence[bytes] | None = None,
    columns: Mapping[str, Sequence[object]] | None = None,
    pinned: Collection[int] = (),
) -> LeakageReport:
    """Look for items that two splits share.

    Args:
        item_ids: ids of the corpus.
        splits: split of each assigned item, by position.
        params: the recipe's section; tells what was promised.
        duplicates: near-duplicates among all items; not looked for when None.
        digests: digest of each item's text, equal for equal texts, empty for no text; not
            looked for when None.
        columns: columns whose equal values make a group.
        pinned: positions of released items.
    """
    kept = sorted(splits, key=item_ids.__getitem__)
    found: list[tuple[str, list[list[int]]]] = []
    if digests is not None:
        found.append(("exact_duplicates", _equal(kept, digests)))
    if duplicates is not None:
        links = Links(len(item_ids))
        duplicates.link(links, kept)
        found.append(("near_duplicates", links.sets(kept)))
    for name, values in sorted((columns or {}).items()):
        found.append((f"group:{name}", _equal(kept, values)))
    released = frozenset(pinned)
    leaks = tuple(
        _leak(kind, sets, item_ids, splits, _new_links(kind, sets, splits, released, duplicates))
        for kind, sets in found
    )
    promised = [f"group:{name}" for name in params.group_columns]
    if params.keep_together == "near_duplicates":
        promised += ["exact_duplicates", "near_duplicates"]
    return LeakageReport(leaks, tuple(sorted(promised)))


def _equal(kept: Sequence[int], values: Sequence[object]) -> list[list[int]]:
    sets: dict[object, list[int]] = {}
    for at in kept:
        if not is_missing(values[at]):
            sets.setdefault(values[at], []).append(at)
    return list(sets.values())


def _crossing(sets: list[list[int]], splits: Mapping[int, str]) -> list[list[int]]:
    return [members for members in sets if len({splits[at] for at in members}) > 1]


def _new_links(
    kind: str,
    sets: list[list[int]],
    splits: Mapping[int, str],
    pinned: frozenset[int],
    duplicates: Duplicates | None,
) -> frozenset[int]:
    """Return the new items that are linked to an item of another split."""
    crossing = [at for members in _crossing(sets, splits) for at in members]
    new = [at for at in crossing if at not in pinned]
    if kind != "near_duplicates" or duplicates is None:
        return frozenset(new)
    # Only direct neighbours count: a chain through a leak of the release is that leak's.
    near = duplicates.neighbours(crossing)
    return frozenset(
        at
        for at in new
        if any(splits[other] != splits[at] for other in near[duplicates.classes.find(at)])
    )


def _leak(
    kind: str,
    sets: list[list[int]],
    item_ids: Sequence[str],
    splits: Mapping[int, str],
    linking: frozenset[int],
) -> Leak:
    crossing = _crossing(sets, splits)
    between = Counter("+".join(sorted({splits[at] for at in members})) for members in crossing)
    shown = [(item_ids[at], splits[at]) for members in crossing for at in members]
    return Leak(
        kind=kind,
        clusters=len(crossing),
        released=sum(linking.isdisjoint(members) for members in crossing),
        items=len(shown),
        between=dict(sorted(between.items())),
        examples=tuple(shown[:_SHOWN]),
    )
