"""Change the order of clauses, or of two words that stand side by side: the meaning stays."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Final

from toolkit.perturb.base import Edited, Unedited, edited
from toolkit.perturb.removal import sentence_spans

__all__ = ["clause_order"]

_Change = tuple[int, int, str]

_SUBORDINATE: Final = re.compile(
    r"(?P<lead>(?:Although|Though|Because|While|Whereas|Since|If|Unless|Even though)\s"
    r"[^,;:()]{8,160})"
    r",\s(?P<main>[^;:]{12,260}?)(?P<stop>[.!]?)"
)
_PREPOSITIONAL: Final = re.compile(
    r"(?P<lead>(?:In|Among|For|After|During|Before|Within|At|Following|Compared with|Compared to|"
    r"Through|Under|Throughout)\s(?!conclusion|summary|short|contrast|addition|general|particular|"
    r"fact|brief|this\b|these\b|that\b|those\b|example|instance|all\b|our\b|such\b|turn\b|order\b)"
    r"[^,;:()]{6,120}),\s(?P<main>[^,;:()]{12,220}?)(?P<stop>[.!]?)"
)
_JOINED_MAIN: Final = re.compile(
    r"\b(?:and|or|but|which|who|that|than|while|whereas|although|because|if|after|during|before)\b",
    re.IGNORECASE,
)
_TWO_CLAUSES: Final = re.compile(
    r"(?P<one>The\s[^,;:()]{8,120}?\s(?:was|were|is|are|had|has|have)\s[^,;:()]{3,120}), and "
    r"(?P<two>the\s[^,;:()]{8,120}?\s(?:was|were|is|are|had|has|have)\s[^,;:()]{3,120}?)(?P<stop>\.)"
)
_POINTS_BACK: Final = re.compile(
    r"\b(?:it|its|they|their|them|this|these|those|that|he|his|she|her|such|also|therefore|thus|"
    r"respectively|former|latter|both|then|same|other|others|however|hence|so|one|not)\b",
    re.IGNORECASE,
)

_ALIKE: Final = (
    "safe", "effective", "feasible", "simple", "reliable", "accurate", "practical", "useful",
    "valid", "efficient", "rapid", "easy", "inexpensive", "noninvasive", "non-invasive",
    "reproducible", "robust", "sensitive", "specific", "convenient", "acceptable", "sensitivity",
    "specificity", "morbidity", "mortality", "efficacy", "safety", "effectiveness", "diagnosis",
    "treatment", "prevention", "anxiety", "depression", "incidence", "prevalence", "reliability",
    "validity", "feasibility", "acceptability", "patients", "clinicians", "physicians", "nurses",
    "researchers", "children", "adolescents", "women", "men", "males", "females", "boys", "girls",
    "mothers", "fathers", "severity", "frequency", "quality", "quantity", "strengths",
    "limitations", "benefits", "risks", "barriers", "facilitators", "knowledge", "attitudes",
    "obesity", "diabetes", "hypertension", "oncologists", "surgeons", "families", "caregivers",
    "accuracy", "precision", "duration", "intensity", "age", "sex", "height", "weight",
)  # fmt: skip
_PAIR: Final = re.compile(
    rf"(?<![\w-])(?<!\band )(?<!\bor )(?<!, )(?P<one>{'|'.join(_ALIKE)}) (?P<and>and|or) "
    rf"(?P<two>{'|'.join(_ALIKE)})(?=\s+(?:of|in|for|were|was|are|is|to|with|among|from|on|by|can|may|"
    r"should|at|after|during|when|as)\b|[.,;)])",
)
_BEFORE_PAIR: Final = re.compile(
    r"\b(?:of|in|for|both|between|among|the|on|to|with|by|improve|reduce|is|are|was|were|their|its|"
    r"that|and|be|against)\s$"
)


def clause_order(text: str, rng: random.Random) -> Edited | Unedited:
    """Put one sentence's clauses, or a pair of words joined by *and* or *or*, in the other order.

    A leading clause goes to the end of its sentence, two clauses or two words of a kind change
    places. A sentence is left alone where the order may carry meaning: where something points back
    (it, these, respectively), or where the clause could be read with another part of its sentence.
    """
    found: list[list[_Change]] = []
    if not re.search(r"\brespectively\b", text):
        for start, end in sentence_spans(text):
            found += _clauses(text[start:end], start)
        found += _pairs(text)
    if not found:
        return Unedited("no clauses or words whose order is free")
    return edited("clause_order", text, rng.choice(found))


def _clauses(sentence: str, at: int) -> Iterator[list[_Change]]:
    match = _SUBORDINATE.fullmatch(sentence)
    if match and not _points(match, "main") and ", " not in match["main"]:
        yield [(at, at + len(sentence), _moved(match, ", "))]
    match = _PREPOSITIONAL.fullmatch(sentence)
    if match and not _points(match, "main") and not _JOINED_MAIN.search(match["main"]):
        yield [(at, at + len(sentence), _moved(match, " "))]
    match = _TWO_CLAUSES.fullmatch(sentence)
    if match and not _points(match, "one") and not _points(match, "two"):
        new = f"{_upper(match['two'])}, and {_lower(match['one'])}{match['stop']}"
        yield [(at, at + len(sentence), new)]


def _pairs(text: str) -> Iterator[list[_Change]]:
    for match in _PAIR.finditer(text):
        if match["one"] == match["two"] or not _BEFORE_PAIR.search(text[: match.start()][-12:]):
            continue
        yield [
            (*match.span("one"), match["two"]),
            (*match.span("two"), match["one"]),
        ]


def _points(match: re.Match[str], part: str) -> bool:
    return _POINTS_BACK.search(match[part]) is not None


def _moved(match: re.Match[str], joint: str) -> str:
    return f"{_upper(match['main'])}{joint}{_lower(match['lead'])}{match['stop']}"


def _upper(clause: str) -> str:
    # A name such as miR-21 or p53 keeps its small letter.
    first = clause.split(maxsplit=1)[0]
    return clause if re.search(r"[A-Z\d]", first) else clause[:1].upper() + clause[1:]


def _lower(clause: str) -> str:
    return clause[:1].lower() + clause[1:]
