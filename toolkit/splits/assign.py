"""Put every item into a split, or say why not.

An item's place depends on the seed, its own id or group, and nothing else that order or
worker count could change. Every input id is in the splits or in the rejects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from toolkit.errors import UserError, suggest
from toolkit.recipe.splits_section import Splits
from toolkit.records import to_arrow
from toolkit.splits.frozen import Frozen, FrozenReport, settle
from toolkit.splits.groups import HASH_RANGE, Duplicates, Links, base_labels, hash_of
from toolkit.splits.leakage import LeakageReport, find_leakage
from toolkit.splits.packing import pack
from toolkit.splits.result import SplitResult

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["assign"]


@dataclass(slots=True)
class _Items:
    """The corpus by position, in the order of the ids, and what was decided so far."""

    ids: list[str]
    columns: dict[str, list[Any]]
    labels: list[tuple[str, ...]]
    duplicates: Duplicates
    params: Splits
    seed: int
    placed: dict[int, str]
    rejected: dict[int, tuple[str, str]]

    def links(self, among: Iterable[int]) -> Links:
        among = list(among)
        links = Links(len(self.ids))
        links.join_equal(self.labels, among)
        if self.params.keep_together == "near_duplicates":
            self.duplicates.link(links, among)
        return links

    def label(self, members: Sequence[int]) -> str:
        return min(label for at in members for label in self.labels[at])

    def ranked(self, among: Iterable[int]) -> list[list[int]]:
        """Return the groups of ``among``, ordered by the hash of their labels."""
        groups = [(self.label(group), group) for group in self.links(among).sets(among)]
        groups.sort(key=lambda one: (hash_of(self.seed, one[0]), one[0]))
        return [group for _, group in groups]


def assign(
    items: pa.Table,
    params: Splits,
    *,
    seed: int,
    near_duplicates: Sequence[tuple[str, str, float]] | None = None,
    digests: Sequence[bytes] | None = None,
    frozen: Frozen | None = None,
) -> SplitResult:
    """Divide items into splits.

    Args:
        items: ``item_id`` (unique) and the columns of ``params.columns``; ``year`` and
            ``source_file`` are copied to the rejects where present.
        params: the recipe's section.
        seed: the recipe's seed, used when the section has none of its own.
        near_duplicates: pairs of :func:`toolkit.splits.near_duplicates.find_pairs`; needed
            when ``params.needs_near_duplicates``.
        digests: digest of each row's text, for the report on exact duplicates.
        frozen: released ids; needed when ``params.frozen`` is set.

    Returns:
        Splits, rejects and reports; equal for the same items in any order.

    Raises:
        UserError: the section contradicts itself or the columns, sizes cannot be reached, a
            split would be empty, or released splits do not fit the section.
        ValueError: pairs or released ids were needed and not given, or name no item.
    """
    work = _prepare(items, params, seed, near_duplicates)
    if params.frozen is not None and frozen is None:
        raise ValueError("the released ids of params.frozen were not given")
    pins = _pin(work, frozen)
    new = [at for at in range(len(work.ids)) if at not in pins]
    joined: dict[int, str] = {}
    if frozen is not None:
        settled = settle(work.ids, work.labels, work.duplicates, pins, params)
        joined = settled.joined
        work.rejected.update(settled.rejected)
    free = [at for at in new if at not in joined and at not in work.rejected]
    near_rejects = Counter(reason for reason, _ in work.rejected.values())
    if params.date is not None:
        _by_date(work, free, joined)
    elif params.sizes is not None:
        _by_size(work, free, joined, Counter(pins.values()))
    else:
        _by_fraction(work, free, joined)
    sizes = _sizes(work)
    report = None
    if frozen is not None:
        report = _frozen_report(work, frozen, pins, near_rejects, joined)
    return SplitResult(
        splits=_split_table(work),
        rejects=_reject_table(work),
        sizes=sizes,
        leakage=_leakage(work, items, near_duplicates, digests, pins),
        frozen=report,
    )


def _frozen_report(
    work: _Items,
    frozen: Frozen,
    pins: Mapping[int, str],
    rejected: Mapping[str, int],
    joined: Mapping[int, str],
) -> FrozenReport:
    held = set(work.ids)
    return FrozenReport(
        file=frozen.file,
        pinned=dict(sorted(Counter(pins.values()).items())),
        missing=tuple(item for item in sorted(frozen.splits) if item not in held),
        rejected=dict(sorted(rejected.items())),
        joined=sum(at in work.placed for at in joined),
    )


def _prepare(
    items: pa.Table,
    params: Splits,
    seed: int,
    pairs: Sequence[tuple[str, str, float]] | None,
) -> _Items:
    faults = params.faults()
    names = items.column_names
    faults += [
        f"the items have no column '{name}'; {suggest(name, names)}"
        for name in params.columns
        if name not in names
    ]
    if faults:
        raise UserError("splits: " + "; ".join(faults), hint="correct the recipe's splits section")
    if params.needs_near_duplicates and pairs is None:
        raise ValueError("near-duplicate pairs are needed and were not given")
    given = items["item_id"].to_pylist()
    order = sorted(range(len(given)), key=given.__getitem__)
    ids = [given[at] for at in order]
    repeated = next((one for one, two in pairwise(ids) if one == two), None)
    if repeated is not None:
        raise UserError(
            f"the item id '{repeated}' stands more than once in the corpus",
            hint="deduplicate the corpus by id before it is split",
        )
    wanted = {*params.columns, "year", "source_file"} & set(names)
    columns = {name: items[name].to_pylist() for name in sorted(wanted)}
    columns = {name: [values[at] for at in order] for name, values in columns.items()}
    position = {item: at for at, item in enumerate(ids)}
    return _Items(
        ids=ids,
        columns=columns,
        labels=base_labels(ids, {name: columns[name] for name in params.group_columns}),
        duplicates=Duplicates(len(ids), _positions(pairs or (), position)),
        params=params,
        seed=seed if params.seed is None else params.seed,
        placed={},
        rejected={},
    )


def _positions(
    pairs: Sequence[tuple[str, str, float]], position: Mapping[str, int]
) -> list[tuple[int, int, float]]:
    try:
        return [(position[one], position[two], jaccard) for one, two, jaccard in pairs]
    except KeyError as error:
        raise ValueError(f"a near-duplicate pair names {error}, which is no item") from error


def _pin(work: _Items, frozen: Frozen | None) -> dict[int, str]:
    if frozen is None:
        return {}
    unknown = sorted(set(frozen.splits.values()) - set(work.params.names))
    if unknown:
        raise UserError(
            f"{frozen.file}: released items are in {', '.join(unknown)}, which the recipe's "
            f"splits do not name ({', '.join(work.params.names)})",
            hint="name every released split: released items never move",
        )
    pins = {at: frozen.splits[item] for at, item in enumerate(work.ids) if item in frozen.splits}
    work.placed.update(pins)
    return pins


def _by_fraction(work: _Items, free: list[int], joined: dict[int, str]) -> None:
    work.placed.update(joined)
    edges: list[tuple[Fraction, str]] = []
    edge = Fraction(0)
    for name, share in sorted((work.params.fractions or {}).items()):
        edge += Fraction(str(share))
        edges.append((edge * HASH_RANGE, name))
    for group in work.links(free).sets(free):
        value = hash_of(work.seed, work.label(group))
        split = next((name for edge, name in edges if value < edge), None)
        for at in group:
            if split is None:
                work.rejected[at] = ("not_sampled", "beyond the fractions")
            else:
                work.placed[at] = split


def _by_size(
    work: _Items, free: list[int], joined: dict[int, str], pinned: Mapping[str, int]
) -> None:
    sizes = work.params.sizes or {}
    room = {name: size - pinned.get(name, 0) for name, size in sizes.items()}
    over = next((name for name in sorted(room) if room[name] < 0), None)
    if over is not None:
        raise UserError(
            f"splits: sizes.{over} is {sizes[over]}, but {pinned[over]} items of it are released",
            hint=f"set sizes.{over} to at least {pinned[over]}: released items never move",
        )
    for at in sorted(joined, key=lambda at: (hash_of(work.seed, work.ids[at]), work.ids[at])):
        if room[joined[at]]:
            room[joined[at]] -= 1
            work.placed[at] = joined[at]
        else:
            work.rejected[at] = ("not_sampled", f"{joined[at]} is full")
    groups = work.ranked(free)
    # Small splits first: the largest, usually train, can then grow without moving the others.
    for name in sorted(sizes, key=lambda name: (sizes[name], name)):
        packing = pack([len(group) for group in groups], room[name])
        if packing.below < room[name]:
            raise _unreachable(name, sizes[name], room[name], groups, packing.above)
        taken = set(packing.taken)
        work.placed.update((at, name) for one in taken for at in groups[one])
        groups = [group for one, group in enumerate(groups) if one not in taken]
    work.rejected.update((at, ("not_sampled", "beyond the sizes")) for one in groups for at in one)


def _unreachable(
    name: str, size: int, room: int, groups: list[list[int]], above: int | None
) -> UserError:
    left = sum(map(len, groups))
    reached = size - room + pack([len(group) for group in groups], room).below
    if left <= room:
        return UserError(
            f"splits: sizes.{name} asks for {size} items; {reached} are left for it",
            hint=f"lower the sizes by {size - reached} in all, or enlarge the corpus",
        )
    larger = f" or {size - room + above}" if above is not None else ""
    return UserError(
        f"splits: sizes.{name} asks for {size} items, which the {len(groups)} groups left for "
        f"it cannot make up: the largest holds {max(map(len, groups))}",
        hint=f"set sizes.{name} to {reached}{larger}, or use fractions",
    )


def _by_date(work: _Items, free: list[int], joined: dict[int, str]) -> None:
    dated: dict[int, str] = {}
    for at in sorted([*free, *joined]):
        value = work.columns[work.params.date_column][at]
        split = _split_of_date(value, work.params)
        if split is None:
            missing = value is None
            detail = "" if missing else f"{work.params.date_column} {value}"
            work.rejected[at] = ("no_date" if missing else "outside_dates", detail)
        elif joined.get(at, split) != split:
            work.rejected[at] = ("linked_across_dates", f"its group is in {joined[at]}")
        else:
            dated[at] = split
    starts = {name: _start(bounds) for name, bounds in (work.params.date or {}).items()}
    for group in work.links(dated).sets(dated):
        # The earlier copy is the original; a later one in test would be known from training.
        home = min((dated[at] for at in group), key=starts.__getitem__)
        for at in group:
            if dated[at] == home:
                work.placed[at] = home
            else:
                other = next(work.ids[one] for one in group if dated[one] == home)
                work.rejected[at] = ("linked_across_dates", f"linked to {other}, {home}")


def _start(bounds: tuple[int | None, ...]) -> float:
    return float("-inf") if bounds[0] is None else bounds[0]


def _split_of_date(value: object, params: Splits) -> str | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise UserError(
            f"splits: the column '{params.date_column}' holds {str(value)[:40]!r}, no whole number",
            hint="name a column of years under splits.date_column",
        )
    for name, (first, last) in sorted((params.date or {}).items()):
        if (first is None or first <= value) and (last is None or value <= last):
            return name
    return None


def _sizes(work: _Items) -> dict[str, int]:
    counts = Counter(work.placed.values())
    empty = [name for name in work.params.names if not counts[name]]
    if empty:
        n = len(work.ids)
        raise UserError(
            f"splits: {', '.join(empty)} would be empty: {n} items came in, "
            f"{len(work.rejected)} of them were rejected",
            hint="use more items, a larger fraction or wider dates, or exact sizes; "
            "an empty split cannot be published",
        )
    return {name: counts[name] for name in work.params.names}


def _split_table(work: _Items) -> pa.Table:
    kept = sorted(work.placed)
    group = {at: work.label(members) for members in work.links(kept).sets(kept) for at in members}
    return to_arrow(
        "splits",
        [{"item_id": work.ids[at], "split": work.placed[at], "group": group[at]} for at in kept],
    )


def _reject_table(work: _Items) -> pa.Table:
    none = [None] * len(work.ids)
    years = work.columns.get("year", none)
    files = work.columns.get("source_file", none)
    return to_arrow(
        "rejects",
        [
            {
                "item_id": work.ids[at],
                "reason": work.rejected[at][0],
                "detail": work.rejected[at][1],
                "year": years[at],
                "source_file": files[at],
            }
            for at in sorted(work.rejected)
        ],
    )


def _leakage(
    work: _Items,
    items: pa.Table,
    pairs: Sequence[tuple[str, str, float]] | None,
    digests: Sequence[bytes] | None,
    pins: Mapping[int, str],
) -> LeakageReport:
    ordered = None
    if digests is not None:
        by_id = dict(zip(items["item_id"].to_pylist(), digests, strict=True))
        ordered = [by_id[item] for item in work.ids]
    return find_leakage(
        work.ids,
        work.placed,
        work.params,
        duplicates=None if pairs is None else work.duplicates,
        digests=ordered,
        columns={name: work.columns[name] for name in work.params.group_columns},
        pinned=pins,
    )
