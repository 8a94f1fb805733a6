"""Change the letter case of labels: CONCLUSION for Conclusion, and back."""

from __future__ import annotations

import random
import re
from typing import Final

from toolkit.perturb.base import Edited, Unedited, edited

__all__ = ["case"]

_LABEL: Final = re.compile(
    r"(?:^|(?<=\n)|(?<=[.!?] ))"
    r"([A-Z][A-Za-z'’]{2,}(?:[ /&]+(?:[A-Za-z'’]+)){0,4}(?:\(s\)|\(S\))?)(?=\s?:(?:\s|$))"
)
_OPENING: Final = re.compile(
    r"(?:^|(?<=[.!?] )|(?<=\n))(In (?:conclusion|summary|short|contrast|addition|general|brief)|To "
    r"(?:conclude|summari[sz]e|our knowledge)|Taken together|Overall|Collectively|However|Moreover|"
    r"Furthermore|Therefore|Thus|Additionally|Nevertheless|Finally|Consequently|Hence|Altogether)"
    r"(?=,)"
)
_FIRST: Final = re.compile(
    r"\s*(This|These|The|Our|We|In|Both|Although|While|Results|Findings|Patients|There|It|Based|"
    r"Here|Further|Future|Using|Despite|Compared|Among|Treatment|Data|Early|Most|Use)(?=\s)"
)


def case(text: str, rng: random.Random) -> Edited | Unedited:
    """Change the letter case of a label such as ``Conclusion:`` or a word such as ``Overall,``.

    A text without either begins with a word of capitals instead, as some journals print it.
    Labels of capitals become ordinary words and the others capitals. A label that holds an acronym
    among ordinary words keeps its case, because letter case is part of what an acronym says.
    """
    labels = [match for match in _LABEL.finditer(text) if _plain(match.group(1))]
    first = _FIRST.match(text)
    found = labels or list(_OPENING.finditer(text)) or ([first] if first is not None else [])
    if not found:
        return Unedited("no label, heading word or plain first word in the text")
    match = rng.choice(found)
    old = match.group(1)
    new = old.capitalize() if old.isupper() else old.upper()
    return edited("case", text, [(*match.span(1), new)])


def _plain(label: str) -> bool:
    if label.isupper():
        return len(label) >= 6
    words = [word for word in re.split(r"[ /&]+", label) if word]
    return all(word[1:].islower() or len(word) == 1 for word in words)
