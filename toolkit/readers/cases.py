"""Draw the cases of a reader study: each item once, levels, models and prompts alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.readers.balance import balanced
from toolkit.splits.groups import hash_of

__all__ = ["Candidate", "draw_cases"]


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """An answer that readers may be shown.

    Attributes:
        original: the item, or the item that a variant was made from.
        item_id: the item or variant that was asked about.
        level: of a variant; ``unedited`` for an item beside variants, empty without any.
        model: whose answer it is.
        prompt: to which prompt.
        repeat: which of its answers, from 0.
    """

    original: str
    item_id: str
    level: str
    model: str
    prompt: str
    repeat: int

    @property
    def key(self) -> str:
        """What names the answer, as one text."""
        return "\x00".join((self.item_id, self.model, self.prompt, str(self.repeat)))


_Arm = Callable[[Candidate], str]
_Group = tuple[list[Sequence[Candidate]], list[Candidate]]
"""What each item offers, and what was drawn before, of one option of every arm so far."""

_ARMS: Final[tuple[_Arm, ...]] = (
    lambda one: one.level,
    lambda one: one.model,
    lambda one: one.prompt,
)
"""What is balanced: levels first, models within levels, prompts within both."""


def draw_cases(candidates: Iterable[Candidate], cases: int, *, seed: int) -> list[Candidate]:
    """Draw cases, in the order in which readers see them.

    An item is drawn again only after all others were, and no answer twice. The draw depends on
    the candidates and the seed alone, not on the order they come in.

    Args:
        candidates: answers that may be shown.
        cases: how many are wanted.
        seed: the recipe's seed.

    Returns:
        As many as were wanted, or all candidates where there are fewer.
    """
    left: dict[str, list[Candidate]] = {}
    for one in sorted(set(candidates)):
        left.setdefault(one.original, []).append(one)
    order = sorted(left, key=lambda item: (hash_of(seed, item), item))
    drawn: list[Candidate] = []
    while left and len(drawn) < cases:
        items = [item for item in order if item in left][: cases - len(drawn)]
        for one in _round([left[item] for item in items], drawn, seed):
            drawn.append(one)
            left[one.original].remove(one)
            if not left[one.original]:
                del left[one.original]
    return sorted(drawn, key=lambda one: (hash_of(seed, f"order\x00{one.key}"), one))


def _round(
    offered: Sequence[Sequence[Candidate]], before: Sequence[Candidate], seed: int
) -> list[Candidate]:
    """Return one candidate of each item."""
    groups: list[_Group] = [(list(offered), list(before))]
    for arm in _ARMS:
        totals = Counter(arm(one) for one in before)
        groups = [part for group in groups for part in _narrowed(arm, group, totals, seed)]
    return [
        min(slot, key=lambda one: (hash_of(seed, f"repeat\x00{one.key}"), one))
        for slots, _ in groups
        for slot in slots
    ]


def _narrowed(arm: _Arm, group: _Group, totals: Counter[str], seed: int) -> list[_Group]:
    """Give each item of a group one option of an arm; return a group for each option.

    Args:
        arm: what is balanced.
        group: the group.
        totals: how often each option was used over all groups; decides between equals, and is
            brought up to date.
        seed: the recipe's seed.
    """
    slots, drawn = group
    items = [slot[0].original for slot in slots]
    chosen = balanced(
        [sorted({arm(one) for one in slot}) for slot in slots],
        Counter(arm(one) for one in drawn),
        lambda at, option: (totals[option], hash_of(seed, f"{items[at]}\x00{option}")),
    )
    totals.update(chosen)
    return [
        (
            [
                [one for one in slot if arm(one) == option]
                for slot, own in zip(slots, chosen, strict=True)
                if own == option
            ],
            [one for one in drawn if arm(one) == option],
        )
        for option in sorted(set(chosen))
    ]
