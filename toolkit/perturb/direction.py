"""Turn a direction round: increased for decreased, higher for lower, improved for worsened."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Final

from toolkit.perturb.base import Edited, Unedited, cased_like, edited, with_article

__all__ = ["direction"]

_VERBS: Final = (
    ("increase", "decrease"), ("improve", "worsen"), ("reduce", "increase"),
    ("enhance", "diminish"), ("elevate", "lower"), ("upregulate", "downregulate"),
    ("up-regulate", "down-regulate"), ("accelerate", "slow"), ("alleviate", "aggravate"),
    ("attenuate", "amplify"), ("promote", "suppress"), ("inhibit", "stimulate"),
    ("ameliorate", "exacerbate"), ("strengthen", "weaken"), ("prevent", "cause"),
    ("impair", "improve"), ("deteriorate", "improve"), ("prolong", "shorten"),
    ("underestimate", "overestimate"), ("mitigate", "aggravate"), ("lower", "raise"),
)  # fmt: skip
"""Verbs by their base form; each is turned into the other in the same form."""

_BOTH_WAYS: Final = (
    ("higher", "lower"), ("greater", "smaller"), ("longer", "shorter"), ("better", "worse"),
    ("faster", "slower"), ("stronger", "weaker"), ("earlier", "later"), ("older", "younger"),
    ("highest", "lowest"), ("greatest", "smallest"), ("longest", "shortest"), ("best", "worst"),
    ("improvement", "worsening"), ("improvements", "deteriorations"),
    ("upregulation", "downregulation"),
    ("up-regulation", "down-regulation"), ("positively", "negatively"), ("beneficial", "harmful"),
    ("favorable", "unfavorable"), ("favourable", "unfavourable"), ("safe", "unsafe"),
    ("ineffective", "effective"), ("underestimation", "overestimation"),
    ("superiority", "inferiority"), ("feasible", "unfeasible"), ("reliable", "unreliable"),
    ("adequate", "inadequate"), ("sufficient", "insufficient"), ("satisfactory", "unsatisfactory"),
    ("frequently", "rarely"), ("overexpression", "underexpression"),
    ("hyperactivity", "hypoactivity"), ("activation", "inhibition"),
)  # fmt: skip

_ONE_WAY: Final = (
    ("reduction", "increase"), ("reductions", "increases"), ("decline", "rise"),
    ("declines", "rises"), ("declined", "rose"), ("rose", "fell"), ("prevention", "promotion"),
    ("deterioration", "improvement"), ("impairment", "improvement"), ("enhancement", "reduction"),
    ("elevation", "reduction"), ("protective", "harmful"), ("attenuation", "amplification"),
    ("exacerbation", "alleviation"), ("worsening", "improvement"),
)  # fmt: skip

_SIZES: Final = (
    r"risks?|rates?|prevalence|incidence|levels?|mortality|sensitivity|specificity|accuracy|"
    r"quality|efficacy|concentrations?|doses?|expression|frequency|proportion|probability|degree|"
    r"burden|costs?|scores?|number|percentage|likelihood|adherence|affinity|stability|survival"
)
_DEGREES: Final = (
    r"likely|effective|common|frequent|frequently|severe|accurate|often|sensitive|specific|"
    r"efficient|favou?rable|pronounced|commonly|prevalent|aggressive|important|rapidly|potent|"
    r"stable|susceptible|reliable|beneficial|invasive|prone|active"
)
_IN_CONTEXT: Final = (
    (r"(?<=\bto )lower(?=\s+\w)", "raise"),
    (rf"high(?=[ -](?:{_SIZES})\b)", "low"),
    (rf"low(?=[ -](?:{_SIZES})\b)", "high"),
    (rf"more(?=\s(?:{_DEGREES})\b)", "less"),
    (rf"less(?=\s(?:{_DEGREES})\b)", "more"),
    (r"positive(?=\s(?:correlat|associat|relation|effect|impact|influence|outcome))", "negative"),
    (r"negative(?=\s(?:correlat|associat|relation|effect|impact|influence|outcome))", "positive"),
    (r"(?<!non-)(?<!non)superior(?=\s+to\b)", "inferior"),
    (r"(?<!non-)(?<!non)inferior(?=\s+to\b)", "superior"),
    (
        r"(?<!in)(?<!cost-)(?<!cost )effective(?=\s(?:and|in|for|treatment|method|therapy|tool)\b)",
        "ineffective",
    ),
)  # fmt: skip
"""Words that show a direction in these places only."""

_NO_DIRECTION: Final = re.compile(
    # to better understand, the lower limb, a best practice, at best, sooner or later
    r"(?:to\s+(?:better|best|lower)\s+(?:understand|characteri|defin|identif|describ|elucidat|treat"
    r"|manag|guid|inform|predict|select|address|assess|evaluat|determin|clarif|support|design)"
    r"|better\s+understanding|lower\s+(?:limb|extremit|leg|back|urinary|respiratory|abdom|jaw|third"
    r"|gastro|genital|lip|eyelid|pole|lobe|esoph|oesoph|airway|face|body|molar|incisor|motor|tract)"
    r"|best\s+(?:practice|of\s+our|available|evidence|corrected)|at\s+best|(?:years?|and)\s+older"
    r"|older\s+(?:adults?|people|persons?|patients?|age|individuals?|women|men)"
    r"|older\s+than|younger\s+than|no\s+longer|longer\s+term|later\s+life|sooner\s+or\s+later"
    r"|greater\s+(?:trochanter|sac|omentum)|increasing(?:ly)?\s+(?:recogni|accept|aware)"
    r"|(?:increasing|improved?)\s+(?:awareness|understanding))",
    re.IGNORECASE,
)


def _forms() -> dict[str, str]:
    from toolkit.perturb.verbs import past, third_person

    found = {**dict(_ONE_WAY), **dict(_BOTH_WAYS), **{b: a for a, b in _BOTH_WAYS}}
    for one, other in _VERBS:
        for old, new in ((one, other), (other, one)):
            for form in (str, past, third_person, _gerund):
                found.setdefault(form(old), form(new))
    return found


def _gerund(base: str) -> str:
    return f"{base[:-1]}ing" if base.endswith("e") else f"{base}ing"


_FORMS: Final = _forms()
_WORDS: Final = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _FORMS), key=len, reverse=True))})(?![\w-])",
    re.IGNORECASE,
)
_CONTEXTS: Final = tuple(
    (re.compile(rf"(?<![\w])(?:{pattern})", re.IGNORECASE), new) for pattern, new in _IN_CONTEXT
)


def direction(text: str, rng: random.Random) -> Edited | Unedited:
    """Replace one word that shows a direction by its opposite, in the same form and case.

    An ``a`` or ``an`` before it follows. Words that look like directions and are none (the lower
    limb, to better understand) are left alone.
    """
    found = sorted(_places(text))
    if not found:
        return Unedited("no word of direction in the text")
    start, end, new = rng.choice(found)
    return edited("direction", text, [with_article(text, start, end, new)])


def _places(text: str) -> Iterator[tuple[int, int, str]]:
    taken = [match.span() for match in _NO_DIRECTION.finditer(text)]
    for pattern, new in _CONTEXTS:
        for match in pattern.finditer(text):
            yield from _change(taken, match, new)
            taken.append(match.span())
    for match in _WORDS.finditer(text):
        yield from _change(taken, match, _FORMS[match.group().lower()])


def _change(
    taken: list[tuple[int, int]], match: re.Match[str], new: str
) -> Iterator[tuple[int, int, str]]:
    start, end = match.span()
    if not any(first < end and last > start for first, last in taken):
        yield start, end, cased_like(match.group(), new)
