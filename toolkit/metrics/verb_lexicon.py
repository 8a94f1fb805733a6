"""What an English word can be: which verb forms, and whether also a noun or an adjective.

Open classes come from the SPECIALIST Lexicon of the US National Library of Medicine, which
covers biomedical English, in the edition of the package lemminflect. Closed classes are listed
here: there are few of them, and they decide most cases.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

__all__ = [
    "CLOSED",
    "FINITE_FORMS",
    "Closed",
    "Form",
    "forms_of",
    "lexicon_name",
    "word_set",
]

Form = Literal["N", "J", "R", "VB", "VBZ", "VBD", "VBN", "VBG"]
"""Noun, adjective, adverb; base form, -s form, past, past participle, -ing form."""

Closed = Literal[
    "modal", "be", "have", "do", "participle_aux", "to", "det", "prep", "subject", "pronoun",
    "conj", "opener", "that", "not", "adverb", "number",
]  # fmt: skip
"""Classes of function words; ``opener`` begins a clause that has a finite verb of its own."""

FINITE_FORMS: Final[frozenset[Form]] = frozenset(("VB", "VBZ", "VBD"))


def lexicon_name() -> str:
    """Return the name and version of the lexicon behind :func:`forms_of`."""
    from importlib.metadata import version

    return f"specialist-lemminflect-{version('lemminflect')}"


def word_set(words: str) -> frozenset[str]:
    """Return the words of a list that is written as one string."""
    return frozenset(words.split())


@lru_cache(maxsize=65536)
def forms_of(word: str) -> frozenset[Form]:
    """Return what a word can be by the lexicon, or by its ending where the lexicon lacks it.

    Args:
        word: lower-case letters with inner apostrophes or hyphens.
    """
    head, hyphen, last = word.rpartition("-")
    if hyphen and not (known := _known(word)):
        # "re-analysed" is a form of a verb, "drug-related" and "follow-up" are none.
        verbal = {form for form in forms_of(last) if form.startswith("VB")}
        return frozenset(verbal) if head in _PREFIXES and verbal else frozenset(("N", "J"))
    return (known if hyphen else _known(word)) or _by_ending(word)


def _known(word: str) -> frozenset[Form]:
    from lemminflect import getAllInflections, getAllLemmas

    forms: set[Form] = set()
    lemmas = getAllLemmas(word)
    for tag, form in _PLAIN.items():
        if tag in lemmas:
            forms.add(form)
    for lemma in lemmas.get("VERB", ()):
        table = getAllInflections(lemma, "VERB")
        # Regular verbs have no participle of their own in the table.
        table.setdefault("VBN", table.get("VBD", ()))
        for name in _VERBAL:
            if word in table.get(name, ()):
                forms.add(name)
    forms |= _MORE_VERBS.get(word, set())
    if word in _NO_NOUNS:
        forms.discard("N")
    return frozenset(forms)


def _by_ending(word: str) -> frozenset[Form]:
    if word.endswith("ed") and len(word) > 4:
        return frozenset(("VBD", "VBN"))
    if word.endswith("ing") and len(word) > 5:
        return frozenset(("VBG", "N"))
    if word.endswith("ly"):
        return frozenset(("R",))
    return frozenset(("N",))


_PLAIN: Final[dict[str, Form]] = {"NOUN": "N", "PROPN": "N", "ADJ": "J", "ADV": "R"}
_VERBAL: Final[tuple[Form, ...]] = ("VB", "VBZ", "VBD", "VBN", "VBG")
_PREFIXES: Final = word_set("re de co pre over under mis un up down out cross self")
# Nouns in the lexicon that prose on studies uses as verbs alone.
_NO_NOUNS: Final = word_set(
    "seem seems show shows tell tells say says think thinks know knows get gets make makes let "
    "lets keep keeps give gives go goes come comes take takes see sees find finds found made "
    "remain"
)


def _regular(verbs: str) -> dict[str, set[Form]]:
    found: dict[str, set[Form]] = {}
    for verb in verbs.split():
        stem = verb.removesuffix("e")
        found[verb] = {"VB"}
        found[f"{verb}{'es' if verb.endswith('s') else 's'}"] = {"VBZ"}
        found[f"{stem}ed"] = {"VBD", "VBN"}
        found[f"{stem}ing"] = {"VBG", "N"}
    return found


# Verbs of the field that the lexicon lacks.
_MORE_VERBS: Final = _regular(
    "anaesthetise anesthetize catheterise catheterize colocalize correlate downregulate extubate "
    "intubate methylate overexpress phosphorylate potentiate resect synergize titrate upregulate"
)


def _closed() -> dict[str, Closed]:
    lists: dict[Closed, str] = {
        "modal": "may might can could will would shall should must cannot ought can't couldn't "
        "won't wouldn't shouldn't mustn't mightn't",
        "be": "is are was were am isn't aren't wasn't weren't",
        "have": "has have had hasn't haven't hadn't",
        "do": "does do did doesn't don't didn't",
        "participle_aux": "be been being having doing done getting",
        "to": "to",
        "det": "a an the this these those each every either neither no any some all both half "
        "several many few fewer most more less much such another other our their its his her my "
        "your whose enough various",
        "prep": "of in on at by for with from into onto over under between among amongst within "
        "without through throughout during about against across along around above below beyond "
        "near off out per via towards toward upon despite versus vs except including following "
        "regarding concerning like unlike plus up down due",
        "subject": "we i he she they you it there who",
        "pronoun": "us him them me itself themselves himself herself ourselves one ones none "
        "others nothing everyone anyone someone something anything",
        "conj": "and or but nor yet",
        "opener": "because although though if unless when whenever while whereas whether which "
        "where how why what since until once",
        "that": "that",
        "not": "not never n't",
        "adverb": "also then thus therefore however hence often always still even only just "
        "already rather quite very too almost nearly about so far well soon twice again further "
        "instead together moreover furthermore nevertheless respectively later earlier "
        "ever now here alone particularly early fast hard mostly back as than before "
        "after first",
        "number": "zero two three four five six seven eight nine ten twelve hundred thousand "
        "million",
    }
    return {word: name for name, words in lists.items() for word in words.split()}


CLOSED: Final = _closed()
