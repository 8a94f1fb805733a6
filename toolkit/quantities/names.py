"""Digits that are no quantity: HER2, type 2, CA 19-9, [12], 3rd, (1), 5-FU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.quantities.lexer import Token
from toolkit.quantities.units import named_unit

__all__ = ["reference_end", "skip_name"]

_LABELS: Final = frozenset(
    (
        *("type", "types", "stage", "stages", "grade", "grades", "phase", "phases", "level"),
        *("class", "classes", "group", "cohort", "table", "tables", "figure", "figures", "fig"),
        *("figs", "chapter", "section", "step", "category", "chromosome", "exon", "exons"),
        *("intron", "codon", "position", "lane", "part", "version", "vol", "volume", "no", "ref"),
        *("refs", "case", "experiment", "trial", "serotype", "serotypes", "serogroup", "subtype"),
        *("subtypes", "genotype", "genotypes", "clade", "domain", "region", "zone", "question"),
        *("criterion", "aim", "tier", "appendix", "supplement", "panel", "model", "scenario"),
        *("schedule", "scheme", "protocol", "variant", "isoform", "factor", "receptor", "number"),
        *("score-level", "nct", "isrctn", "pmid", "arm", "degree-level", "lot", "batch", "strain"),
        *("clone", "line", "room", "rank"),
    )
)
_SERIES: Final = frozenset(
    (
        *(
            "id",
            "ca",
            "hpv",
            "hsv",
            "hhv",
            "hiv",
            "il",
            "interleukin",
            "caspase",
            "sf",
            "icd",
            "dsm",
        ),
        *("spss", "omega", "mir", "mirna", "glut", "cox", "mmp", "pde", "ki", "cyp", "cdk", "tlr"),
        *("ccr", "cxcr", "stat", "smad", "hla", "h3k", "gpt", "sars", "covid", "phq", "gad", "eq"),
        *("ccl", "cxcl", "fgf", "bmp", "akt", "vitamin", "coenzyme", "hepatitis", "influenza"),
        *("cluster", "rs", "stata", "sas", "vista", "apache", "sofa"),
    )
)
"""Names that number their members, also after a blank: CA 125, HPV 16."""

_JOINERS: Final = frozenset(("or", "and", "-", "to", ",", "/", "through", "&"))
_ORDINALS: Final = frozenset(("st", "nd", "rd", "th"))
# Nouns that make a plain number of what stands before their hyphen: a 5-point scale.
_HYPHENATED: Final = frozenset(
    (
        *("point", "points", "item", "items", "question", "fold", "bed", "port", "lead", "arm"),
        *("armed", "way", "stage", "step", "drug", "year", "patient", "site", "center", "centre"),
        *("person", "dose"),
    )
)
_NO_SPELLED: Final = frozenset(
    (*("way", "stage", "step", "arm", "armed", "drug", "site", "center", "centre", "sided"),)
)
_UNITS_UNLIKE: Final = frozenset(("D", "T", "G", "H", "M", "C", "F", "x", "V"))
_POWERED: Final = frozenset(
    f"{unit}{power}" for unit in ("nm", "µm", "um", "mm", "cm", "m", "km") for power in (2, 3)
)
_LIST_STOPS: Final = frozenset((".", ":", ";", ",", "and", "or"))


def skip_name(tokens: Sequence[Token], index: int, *, after: int) -> int | None:
    """Return the token behind a name whose digits start at a token, or None where it is none.

    Args:
        tokens: pieces of the text.
        index: the numeral.
        after: the first token behind the number that the numeral starts.
    """
    if _starts_attached(tokens, index) or _ends_attached(tokens, after):
        return _behind(tokens, after)
    if _enumerates(tokens, index, after):
        return after
    if _labelled(tokens, index):
        return _chain(tokens, after)
    return None


def reference_end(tokens: Sequence[Token], index: int) -> int | None:
    """Return the token behind a reference such as [12] or [3, 5-7] that opens at a token.

    Whole numbers in square brackets behind a number or a unit are an interval instead.
    """
    if tokens[index].text != "[":
        return None
    if index > 0 and _measures(tokens[index - 1]):
        return None
    at = index + 1
    while at < len(tokens) and at < index + 40:
        token = tokens[at]
        if token.text == "]":
            return at + 1 if at > index + 1 else None
        if not (token.text in (",", "-", ";") or _reference(token)):
            return None
        at += 1
    return None


def _reference(token: Token) -> bool:
    return token.kind == "numeral" and token.text.replace(",", "").isdigit() and len(token.text) < 8


def _measures(token: Token) -> bool:
    """Say whether a bracket behind this token gives its spread: *20 [12]*, *IQR [3, 5]*."""
    if token.kind in ("numeral", "power") or token.text == "%" or token.low in _SPREADS:
        return True
    return token.kind == "word" and len(token.text) < 5 and named_unit(token.text) is not None


_SPREADS: Final = frozenset(("ci", "interval", "iqr", "range", "median", "mean", "years", "months"))


def _touch(tokens: Sequence[Token], index: int) -> bool:
    return 0 <= index < len(tokens) - 1 and tokens[index].end == tokens[index + 1].start


def _starts_attached(tokens: Sequence[Token], index: int) -> bool:
    """Say whether letters, or letters and a hyphen, stand right before."""
    if not _touch(tokens, index - 1):
        return False
    before = tokens[index - 1]
    if before.kind == "word":
        return before.low not in ("p", "n")
    if before.text in ("'", "*", "_", "#", "@"):
        return before.text in ("_", "#", "@")
    if index < 2 or not _touch(tokens, index - 2):
        return False
    if before.text == "/":
        # CDK4/6, but not 12/34.
        name = tokens[index - 2]
        return name.kind == "word" and name.text[-1].isdigit() and named_unit(name.text) is None
    if before.text != "-":
        return False
    # HR-0.75 is no name; IL-6, and the second number of CA 19-9 behind its first, are.
    return tokens[index - 2].kind == "word" and "." not in tokens[index].text


def _ends_attached(tokens: Sequence[Token], after: int) -> bool:
    """Say whether letters that are no unit stand right behind, or behind a hyphen."""
    if after >= len(tokens) or not _touch(tokens, after - 1):
        return False
    here = tokens[after]
    spelled = tokens[after - 1].kind == "word"
    if here.kind == "word":
        return not spelled and not _unit_like(tokens, after)
    following = tokens[after + 1] if _touch(tokens, after) else None
    if following is None:
        return False
    if here.text in ("'", "(", "+") and following.kind == "word":
        return here.text != "(" or (after + 2 < len(tokens) and following.text.isupper())
    if here.text == "-" and following.kind == "word":
        return not _hyphenated(tokens, after + 1, spelled=spelled)
    return False


def _unit_like(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    if token.text == "D" and "." not in tokens[index - 1].text:
        # 2D and 3D are dimensions; -2.5D is a lens.
        return False
    year = token.low == "s" and len(tokens[index - 1].text) == 4
    chained = _touch(tokens, index) and tokens[index + 1].text == "-" and _touch(tokens, index + 1)
    if chained and tokens[index + 2].kind == "word":
        # 18F-FDG and 5d-old: only words of time go on with a hyphen.
        return named_unit(token.text) is not None and token.text not in _UNITS_UNLIKE
    powered = token.text[:-1] if token.text in _POWERED else token.text
    return year or token.low == "to" or named_unit(powered) is not None or token.text in ("C", "F")


def _hyphenated(tokens: Sequence[Token], index: int, *, spelled: bool) -> bool:
    """Say whether the word behind a number's hyphen leaves it a quantity."""
    token = tokens[index]
    if spelled and token.low in _NO_SPELLED:
        return False
    if token.low in _HYPHENATED or token.low in ("to", "and", "or"):
        return True
    powered = token.text[:-1] if token.text in _POWERED else token.text
    return named_unit(powered) is not None and token.text not in ("D", "M", "H")


def _behind(tokens: Sequence[Token], after: int) -> int:
    """Return the token behind all that hangs on a name without a blank."""
    at = after
    while at < len(tokens) and _touch(tokens, at - 1) and _sticks(tokens, at):
        at += 1
    return at


def _sticks(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.kind in ("word", "numeral"):
        return True
    return (
        token.text in ("-", "'", ",", "/", "+")
        and _touch(tokens, at)
        and (tokens[at + 1].kind in ("word", "numeral"))
    )


def _enumerates(tokens: Sequence[Token], index: int, after: int) -> bool:
    """Say whether the number counts the items of a list: ``(1)``, ``2.`` or ``3)`` in front."""
    token = tokens[index]
    if token.kind != "numeral" or len(token.text) > 2 or after >= len(tokens):
        return False
    close = tokens[after].text
    if token.opens and close in (".", ")"):
        return after + 1 < len(tokens) and tokens[after + 1].kind == "word"
    if close != ")" or index == 0:
        return False
    opened = index - 1 if tokens[index - 1].text == "(" else index
    return opened == 0 or tokens[opened - 1].low in _LIST_STOPS


def _labelled(tokens: Sequence[Token], index: int) -> bool:
    """Say whether a word such as *type* or *CA* numbers what follows."""
    at = index - 1
    if at >= 0 and (tokens[at].text == "©" or _copyright(tokens, at)):
        return True
    if at > 0 and tokens[at].text in ("-", "."):
        at -= 1
    if at > 0 and tokens[at].text == ":" and tokens[at - 1].low in ("evidence", "id"):
        return True
    if at < 0 or tokens[at].kind != "word":
        return False
    if "." in tokens[index].text or tokens[index].kind == "word":
        # A grade may be written three, but a class of 2.5 is a measurement.
        return tokens[index].kind == "word" and tokens[at].low in _LABELS and at == index - 1
    if tokens[at].text in ("No", "NO", "no") and tokens[index - 1].text != ".":
        return False
    return tokens[at].low in _LABELS or tokens[at].low in _SERIES


def _copyright(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at].text == ")" and at > 1 and tokens[at - 1].low == "c"


def _chain(tokens: Sequence[Token], after: int) -> int:
    """Return the token behind *3*, *3 or 4*, *1, 2 and 3*, *3-4*."""
    at = after
    while at + 1 < len(tokens) and tokens[at].low in _JOINERS and _small(tokens, at + 1):
        following = tokens[at + 2] if at + 2 < len(tokens) else None
        if following is not None and (
            following.text in ("%", "/", "±")
            or (following.kind == "word" and named_unit(following.text) is not None)
        ):
            break
        at += 2
    return at


def _small(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    return token.kind == "numeral" and token.text.isdigit() and len(token.text) <= 2
