"""Take the points with the most keywords out of an impression, and number the rest again."""

from __future__ import annotations

import random
from collections.abc import Sequence

from toolkit.perturb.alteration import Alteration, Variant, variant
from toolkit.perturb.base import Edit
from toolkit.perturb.points import Point, find_points, find_sentences
from toolkit.perturb.term_finder import TermFinder

__all__ = ["keyword_counts", "remove_points"]


def keyword_counts(text: str, points: Sequence[Point], keywords: TermFinder) -> list[int]:
    """Return how many keywords stand in each point, the longest taken first, none twice."""
    return [len(keywords.find(text[point.body : point.end])) for point in points]


def remove_points(
    text: str, keywords: TermFinder, *, most: int, keep: int, rng: random.Random
) -> Variant:
    """Remove up to ``most`` points, those with the most keywords first, earlier ones at a tie.

    Of a single point with several sentences, sentences are removed instead; of a single
    sentence, one keyword, drawn by chance.

    Args:
        text: the impression.
        keywords: the vocabulary.
        most: points removed at most, at least 1.
        keep: points always kept, at least 1.
        rng: the source of chance for the keyword of a single sentence.

    Returns:
        The variant; without alterations, and with the reason, where nothing can be removed.
    """
    points = find_points(text)
    if not points:
        return variant(text, [], target=most, reason="the text is empty")
    if len(points) > 1:
        return _removed(text, points, keywords, most, keep)
    sentences = find_sentences(text, points[0])
    if len(sentences) > 1:
        return _removed(text, sentences, keywords, most, keep)
    return _without_keyword(text, keywords, most, rng)


def _removed(
    text: str, points: Sequence[Point], keywords: TermFinder, most: int, keep: int
) -> Variant:
    counts = keyword_counts(text, points, keywords)
    order = sorted(range(len(points)), key=lambda at: (-counts[at], at))
    gone = order[: max(0, min(most, len(points) - keep))]
    kind = "point" if points[0].number is not None else "sentence"
    numbers = _numbers(text, points, set(gone))
    made: list[Alteration] = []
    for at in gone:
        start, end = _span(points, at, set(gone))
        edits = (Edit(kind, start, end, text[start:end], ""),)
        made.append(
            Alteration(
                kind="point" if kind == "point" else "sentence",
                category=kind,
                original=text[points[at].body : points[at].end],
                replacement=None,
                # The numbers moved because of all removals; they are undone with the first.
                edits=edits if made else (*edits, *numbers),
            )
        )
    short = f"{keep} of {len(points)} are kept" if len(gone) < most else ""
    return variant(text, made, target=most, reason=short)


def _span(points: Sequence[Point], at: int, gone: set[int]) -> tuple[int, int]:
    """Return what goes with a point: the white space after it, or before it at the end."""
    if all(later in gone for later in range(at + 1, len(points))):
        return points[at - 1].end, points[at].end
    return points[at].start, points[at + 1].start


def _numbers(text: str, points: Sequence[Point], gone: set[int]) -> list[Edit]:
    edits: list[Edit] = []
    number = 0
    for at, point in enumerate(points):
        if point.number is None or at in gone:
            continue
        number += 1
        old = str(point.number)
        if number != point.number:
            edits.append(Edit("number", point.start, point.start + len(old), old, str(number)))
    return edits


def _without_keyword(text: str, keywords: TermFinder, most: int, rng: random.Random) -> Variant:
    found = keywords.find(text)
    if not found:
        reason = "a single sentence without a keyword"
        return variant(text, [], target=most, reason=reason)
    chosen = rng.choice(found)
    start, end = chosen.start, chosen.end
    # One of the two spaces around it goes too.
    if text[end : end + 1] == " " and (start == 0 or text[start - 1] == " "):
        end += 1
    elif start and text[start - 1] == " ":
        start -= 1
    made = Alteration(
        kind="keyword",
        category="keyword",
        original=chosen.term,
        replacement=None,
        edits=(Edit("keyword", start, end, text[start:end], ""),),
    )
    reason = "a single sentence: one keyword was taken out" if most > 1 else ""
    return variant(text, [made], target=most, reason=reason)
