"""What was done in one asking, counted as it goes on."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AskCounts"]


@dataclass(slots=True)
class AskCounts:
    """What was done so far in one asking.

    Attributes:
        made: calls made here that are finished.
        reused: requests whose call was finished before.
        failed: of made and reused, those whose reply was no answer.
        turned_away: calls that were certainly not processed.
        unknown: calls whose outcome nobody knows.
        prompt_tokens: tokens read in calls made here, as reported.
        completion_tokens: tokens written in calls made here, as reported.
        cost_pico_usd: cost of calls made here, upper bounds where it is not known.
    """

    made: int = 0
    reused: int = 0
    failed: int = 0
    turned_away: int = 0
    unknown: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_pico_usd: int = 0
