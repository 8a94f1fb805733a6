from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_texts import ANY, ODD, abstracts
from nltk.tokenize import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
from punkt import load_model

from toolkit.metrics import nltk_words as module
from toolkit.metrics.nltk_words import nltk_words


def nltk_punkt() -> PunktSentenceTokenizer:
    model = load_model("english")
    parameters = PunktParameters()
    parameters.abbrev_types = model.abbrev_types
    parameters.collocations = model.collocations
    parameters.sent_starters = model.sent_starters
    parameters.ortho_context.update({word: int(f) for word, f in model.ortho_context.items()})
    return PunktSentenceTokenizer(parameters)


PUNKT, TREEBANK = nltk_punkt(), NLTKWordTokenizer()

# Pieces for which NLTK has rules, and pieces that look like words and are none.
PIECES = [
    *("the", "Patients", "fell", "I", "vs.", "et", "al.", "e.g.,", "Fig.", "U.S.", "J.", "n."),
    *(
        "0.05",
        "0.05.",
        "12.",
        "-5.",
        "5%.",
        "1,000",
        "a,b",
        "a:b",
        "a,,",
        "(n",
        "12)",
        "[1].",
        "x.)",
    ),
    *('"', "'", "''", "``", '"a"', '("a"', '"."', "?'", "'tis", "'twas", "can't", "dogs'", "it's"),
    *(
        ".",
        "..",
        "...",
        ". .",
        "?",
        "!",
        "!)",
        "?!",
        ")",
        ").",
        ".)",
        ".)next",
        "--",
        "a--b",
        "*",
        ";",
    ),
    *("cannot", "Cannot.", "gonna,", "wanna", "lemme-go", "more'n", "d'ye", "gİmme", "ſ", "ﬁ."),
    *("IL-1β).", "nct001.", "mg/kg.", "é.", "१२.", "²", "β-wan.", "“x”", "«y».", "–", "a–b", "$5"),
]
TEXTS = st.builds(
    lambda pieces, gaps: "".join(x for pair in zip(pieces, gaps, strict=False) for x in pair),
    st.lists(st.sampled_from(PIECES), max_size=9),
    st.lists(st.sampled_from([" "] * 12 + ["  ", "\n", " \n\n", "", "\t", "\xa0"]), min_size=9),
)


def word_tokenize(text: str) -> list[str]:
    """Tokenize as nltk.word_tokenize does, with the model that its download brings."""
    return [token for sentence in PUNKT.tokenize(text) for token in TREEBANK.tokenize(sentence)]


@settings(max_examples=1000)
@given(TEXTS)
def test_pieces_in_any_company_equal_nltk(text: str) -> None:
    assert nltk_words(text) == word_tokenize(text)


@settings(max_examples=300)
@given(ANY)
def test_words_equal_nltk(text: str) -> None:
    assert nltk_words(text) == word_tokenize(text)


@pytest.mark.parametrize("text", ODD)
def test_words_of_odd_texts_equal_nltk(text: str) -> None:
    assert nltk_words(text) == word_tokenize(text)


def test_real_texts_equal_nltk() -> None:
    for text in random.Random(4).sample(abstracts(), 150):
        for cased in (text, text.lower()):
            assert nltk_words(cased) == word_tokenize(cased)


def test_word_tokens_split_sentence_ends_and_keep_abbreviations() -> None:
    assert nltk_words("Dr. Smith left. It cost $3.88 (roughly).") == [
        *("Dr.", "Smith", "left", ".", "It", "cost", "$", "3.88", "(", "roughly", ")", "."),
    ]


@pytest.fixture
def small_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module._memory.cache_clear()
    monkeypatch.setattr(module, "_CHARACTERS", 20)
    yield
    module._memory.cache_clear()


@pytest.mark.usefixtures("small_memory")
def test_what_is_remembered_is_bounded_and_changes_nothing() -> None:
    for number in range(40):
        text = f"Arm {number} had word{number}, e.g. in e{number}.g. here. It fell {number}."
        assert nltk_words(text) == word_tokenize(text)
    memory = module._memory()
    assert sum(map(len, memory.inner)) < 120
    assert sum(map(len, memory.breaks)) < 120
