"""What a variant of an item is: its text, and what was altered, each alteration with an undo."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from toolkit.perturb.base import Edit, applied, undone

__all__ = ["Alteration", "AlterationKind", "Variant", "original_text", "variant"]

AlterationKind = Literal["term", "measurement", "point", "sentence", "keyword"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alteration:
    """One change of meaning.

    Attributes:
        kind: what was altered.
        category: category of the dictionary, or the kind where it has none.
        original: the term, size or text that was there; a term as the dictionary has it.
        replacement: what stands there now; None where it was taken out.
        edits: the replacements in the text, each occurrence its own, and the numbers of later
            points where they moved up.
    """

    kind: AlterationKind
    category: str
    original: str
    replacement: str | None
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """An edited text.

    Attributes:
        text: the text with all alterations in it.
        alterations: in the order in which they were chosen.
        target: alterations that the level asks for.
        reason: why fewer were made; empty otherwise.
    """

    text: str
    alterations: tuple[Alteration, ...]
    target: int
    reason: str = ""

    @property
    def done(self) -> int:
        """Number of alterations made."""
        return len(self.alterations)


def variant(
    text: str, alterations: Iterable[Alteration], *, target: int, reason: str = ""
) -> Variant:
    """Return the variant of a text.

    Args:
        text: the text that the edits count their characters in.
        alterations: none of whose edits touch another's.
        target: alterations that the level asks for.
        reason: why there are fewer.

    Raises:
        ValueError: two edits touch, or one does not fit the text.
    """
    made = tuple(alterations)
    edits = [edit for alteration in made for edit in alteration.edits]
    return Variant(text=applied(text, edits), alterations=made, target=target, reason=reason)


def original_text(found: Variant) -> str:
    """Return the text that a variant was made from, by undoing its edits."""
    return undone(found.text, [edit for made in found.alterations for edit in made.edits])
