"""Whose record counts: a name has one owner a tier, and a record gives way to no lower tier."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolkit.report.text import printable
from toolkit.results.names import folded, same_name
from toolkit.results.record import TIERS, Result

__all__ = ["OWNER_HINT", "counting_first", "owner_fault"]

OWNER_HINT: Final = "give the model a name of its own, or have the first record withdrawn"


def owner_fault(result: Result, others: Iterable[Result]) -> str:
    """Return why a record may not stand beside others; empty where it may.

    Args:
        result: the record that is to come.
        others: records that are there and were not withdrawn, of whatever model.
    """
    for other in others:
        if _claim(other) != _claim(result) or other.record_id == result.record_id:
            continue
        mine = same_name(other.submitter, result.submitter)
        if mine and other.model.name != result.model.name:
            # Two names of one submitter harm nobody.
            continue
        above = TIERS.index(result.tier) - TIERS.index(other.tier)
        if above > 0 or (above == 0 and mine):
            continue
        return (
            f"'{printable(other.model.name)}' with prompt mode '{printable(other.prompt)}' was "
            f"handed in by {printable(other.submitter)} ({other.tier}, record "
            f"{other.record_id}); a record of {printable(result.submitter)} ({result.tier}) "
            "takes its place only on a higher tier"
        )
    return ""


def counting_first(results: Iterable[Result]) -> list[Result]:
    """Return records of one model and prompt mode, the one that counts first.

    A higher tier counts before a lower one; within a tier, records of whoever came first before
    those of anybody else, which no review lets in. Then a later day counts before an earlier
    one; on one day, a record counts before those whose place it took; what is still undecided
    is decided by the ids.
    """
    known = {result.record_id: result for result in results}
    owners: dict[str, str] = {}
    for result in sorted(known.values(), key=lambda one: (one.date, one.record_id)):
        owners.setdefault(result.tier, folded(result.submitter))

    def depth(result: Result) -> int:
        steps, seen = 0, {result.record_id}
        while result.supersedes in known and result.supersedes not in seen:
            result = known[result.supersedes]
            seen.add(result.record_id)
            steps += 1
        return steps

    def place(one: Result) -> tuple[int, bool, str, int, str]:
        own = folded(one.submitter) == owners[one.tier]
        return TIERS.index(one.tier), own, one.date, depth(one), one.record_id

    return sorted(known.values(), key=place, reverse=True)


def _claim(result: Result) -> tuple[str, str, str, str]:
    return result.version, result.split, folded(result.model.name), result.prompt
