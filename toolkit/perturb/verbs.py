"""Forms of English verbs, as far as edits of biomedical prose need them."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["IRREGULAR", "PARTICIPLES", "past", "third_person"]

IRREGULAR: Final = {
    "be": ("was", "been"), "become": ("became", "become"), "begin": ("began", "begun"),
    "bring": ("brought", "brought"), "come": ("came", "come"), "do": ("did", "done"),
    "fall": ("fell", "fallen"), "find": ("found", "found"), "get": ("got", "got"),
    "give": ("gave", "given"), "go": ("went", "gone"), "grow": ("grew", "grown"),
    "have": ("had", "had"), "hold": ("held", "held"), "keep": ("kept", "kept"),
    "know": ("knew", "known"), "lead": ("led", "led"), "leave": ("left", "left"),
    "lose": ("lost", "lost"), "make": ("made", "made"), "mean": ("meant", "meant"),
    "meet": ("met", "met"), "put": ("put", "put"), "rise": ("rose", "risen"),
    "see": ("saw", "seen"), "seek": ("sought", "sought"), "set": ("set", "set"),
    "show": ("showed", "shown"), "spread": ("spread", "spread"), "take": ("took", "taken"),
    "think": ("thought", "thought"), "undergo": ("underwent", "undergone"),
    "understand": ("understood", "understood"), "write": ("wrote", "written"),
}  # fmt: skip
"""Past and past participle by base form."""

PARTICIPLES: Final = frozenset(participle for _, participle in IRREGULAR.values())
"""Past participles that do not end in -ed."""

_DOUBLED: Final = re.compile(
    r"(?:(?<!li)(?<!vo)mit|[^aeiou]op|^[^aeiou]+[ai][np]|cur|(?:pre|re|con|in|trans|de)fer|control|compel|expel"
    r"|propel|deter)$"
)
"""Endings whose last consonant is doubled before -ed: permit, stop, plan, occur, refer, control."""


def past(base: str) -> str:
    """Return the past tense of a verb given in its base form: improved, led, occurred."""
    known = IRREGULAR.get(base)
    if known is not None:
        return known[0]
    if base.endswith("e"):
        return f"{base}d"
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ied"
    if base.endswith("c") and base != "sync":
        return f"{base}ked"
    if _DOUBLED.search(base) and base != "develop":
        return f"{base}{base[-1]}ed"
    return f"{base}ed"


def third_person(base: str) -> str:
    """Return the form after he, she or it: improves, carries, reaches, has, is."""
    if base in ("be", "have", "do", "go"):
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[base]
    if re.search(r"(?:s|x|z|ch|sh)$", base):
        return f"{base}es"
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ies"
    return f"{base}s"
