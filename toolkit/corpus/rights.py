"""Copyright statements that stand in the text of an abstract.

Records have an element for the statement, and some repeat it at the end of the abstract all
the same. It is no science: models must not see it and metrics must not score it. It is cut
only at the very end, and only when it is the element's own text or one of a few set phrases.
"""

from __future__ import annotations

import re

__all__ = ["split_copyright"]

_HOLDER = r"(?:[^.]|\.(?! [A-Z]))"
_STATEMENT = re.compile(
    r"(?:^|\s+)(?P<statement>"
    r"This article is protected by copyright\. All rights reserved\.?"
    r"|\(PsycI[Nn][Ff][Oo] Database Record \([cC]\) [12]\d{3} APA, all rights reserved\)\.?"
    rf"|(?:Copyright )?(?:©|\([cC]\)) ?[12]\d{{3}},? {_HOLDER}{{2,160}}\."
    rf"(?: (?:All rights reserved|Published by|(?:{_HOLDER}{{2,80}} )?published by)"
    rf"{_HOLDER}{{0,160}}\.)*"
    r")\Z"
)
_REACH = 480
"""Characters at the end of a text that are looked at."""


def split_copyright(text: str, element: str | None) -> tuple[str, str | None]:
    """Cut a copyright statement off the end of the last section of an abstract.

    Args:
        text: text of the section, white space collapsed.
        element: text of ``CopyrightInformation``, if the record has it.

    Returns:
        The text without the statement (``""`` when it was nothing else), and the statement
        of the record: the element, joined by what was cut where the two differ.
    """
    if element and text.endswith(element):
        return text[: -len(element)].rstrip(), element
    tail = text[-_REACH:]
    if "©" not in tail and "opyright" not in tail and "(c)" not in tail and "(C)" not in tail:
        return text, element
    found = _STATEMENT.search(tail)
    if found is None:
        return text, element
    statement = found["statement"]
    kept = text[: len(text) - len(tail) + found.start()].rstrip()
    if element is None or statement in element:
        return kept, element or statement
    return kept, f"{element} {statement}"
