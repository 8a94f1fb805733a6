"""Read ISSNs as journal tables and bibliographic records write them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

__all__ = ["find_issns", "normalise_issn"]

_HYPHENS: Final = r"\u2010\u2011\u2013\-"
_ISSN: Final = re.compile(
    rf"(?<![0-9A-Za-z])[0-9]{{4}}[{_HYPHENS}]?[0-9]{{3}}[0-9Xx](?![0-9A-Za-z])"
)
_TOKEN: Final = re.compile(rf"[0-9][0-9Xx{_HYPHENS}]*")


def normalise_issn(text: str | None) -> str | None:
    """Return an ISSN as eight characters without a hyphen, or None when it is not valid.

    Accepts a prefix such as ``ISSN`` or ``eISSN:``, quotes, any hyphen and a lower-case x.
    The check digit is that of ISO 3297: the weighted sum (8 down to 1) is a multiple of 11.
    """
    if not text:
        return None
    found = _ISSN.search(text)
    if found is None:
        return None
    issn = re.sub(r"[^0-9X]", "", found.group().upper())
    return issn if _check_digit(issn[:7]) == issn[7] else None


def find_issns(cell: str) -> tuple[tuple[str, ...], Counter[str]]:
    """Return the valid ISSNs of a cell that may list several, sorted, and what was found.

    Leading zeros that a spreadsheet cut off are put back when the check digit then holds.

    Returns:
        The ISSNs and counts: ``none`` (no ISSN in the cell), ``valid``, ``padded``,
        ``bad_check_digit``, ``malformed``.
    """
    counts: Counter[str] = Counter()
    issns: set[str] = set()
    tokens = _TOKEN.findall(cell)
    for token in tokens:
        compact = re.sub(r"[^0-9X]", "", token.upper())
        padded = compact.zfill(8)
        if not re.fullmatch(r"\d{7}[0-9X]", padded) or len(compact) < 4:
            counts["malformed"] += 1
        elif _check_digit(padded[:7]) != padded[7]:
            counts["bad_check_digit" if len(compact) == 8 else "malformed"] += 1
        else:
            counts["valid" if len(compact) == 8 else "padded"] += 1
            issns.add(padded)
    if not tokens:
        counts["none"] += 1
    return tuple(sorted(issns)), counts


def _check_digit(seven: str) -> str:
    value = -sum(int(digit) * weight for digit, weight in zip(seven, range(8, 1, -1), strict=True))
    return "0123456789X"[value % 11]
