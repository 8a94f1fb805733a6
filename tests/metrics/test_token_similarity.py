"""Token matching against loops over tokens, with vectors asked of transformers directly."""

import math

import pytest

from tests.models.tiny_models import base_without_head, roberta
from toolkit.errors import UserError
from toolkit.metrics.base import FittedMetric, Value
from toolkit.metrics.token_similarity import TokenSimilarity, TokenSimilarityParams, greedy_match

pytest.importorskip("transformers", reason="the extra 'local' is not installed")

ROWS = [
    ("Sleep improved in 12 of 60 nurses.", "Sleep improved in nurses who changed shifts."),
    ("Walking lowered blood pressure.", "The budget of the museum rose."),
    ("a", "Sleep improved."),
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return str(base_without_head(tmp_path_factory.mktemp("bert")))


def metric(folder, **settings):
    return TokenSimilarity(TokenSimilarityParams(folder=folder, **settings))


def columns(folder, rows, **settings):
    return metric(folder, **settings).score([row[0] for row in rows], [row[1] for row in rows])


def vectors(folder, text, layer):
    """Return tokens, unit vectors as lists, and which tokens are the text's own."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    # The first word is to be the token that it is further on in a text.
    ids = tokenizer(f" {text}", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        states = model(input_ids=ids, output_hidden_states=True).hidden_states[layer][0]
    rows = [[x / math.hypot(*row) for x in row] for row in states.double().tolist()]
    # The tokenizer puts a token before a text and one behind it.
    return ids[0].tolist(), rows, [False, *[True] * (len(rows) - 2), False]


def by_hand(folder, prediction, reference, layer=-1, idf=None):
    def best(own, other):
        tokens, rows, counted = own
        total = weight = 0.0
        for token, row, counts in zip(tokens, rows, counted, strict=True):
            if counts:
                w = 1.0 if idf is None else idf(token)
                total += w * max(sum(map(float.__mul__, row, o)) for o in other[1])
                weight += w
        return total / weight

    left, right = vectors(folder, prediction, layer), vectors(folder, reference, layer)
    p, r = best(left, right), best(right, left)
    return 2 * p * r / (p + r), p, r


@pytest.mark.parametrize("layer", [None, 0, 1])
def test_scores_are_those_of_loops_over_tokens(bert, layer):
    found = columns(bert, ROWS, layer=layer)
    for at, row in enumerate(ROWS):
        expected = by_hand(bert, *row, layer=-1 if layer is None else layer)
        assert [values[at].value for values in found.values()] == pytest.approx(expected, abs=1e-6)


def test_rare_tokens_weigh_more(bert):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(bert)
    references = [reference for _, reference in ROWS]
    held = [set(tokenizer(f" {text}")["input_ids"]) for text in references]

    def idf(token):
        return math.log((len(held) + 1) / (sum(token in one for one in held) + 1))

    found = columns(bert, ROWS, idf="references")
    plain = columns(bert, ROWS)
    for at, row in enumerate(ROWS):
        expected = by_hand(bert, *row, idf=idf)
        assert [values[at].value for values in found.values()] == pytest.approx(expected, abs=1e-6)
    assert found["token_similarity"] != plain["token_similarity"]


def test_a_fit_is_the_same_however_the_references_are_cut(bert):
    made = metric(bert, idf="references")
    assert isinstance(made, FittedMetric)
    assert made.fits == "reference"
    assert metric(bert).fits is None
    texts = [text for row in ROWS for text in row]
    whole = made.fit([texts])
    assert made.fit([[text] for text in texts[::-1]]).equals(whole)
    fitted = made.fitted(whole)
    together = fitted.score([row[0] for row in ROWS], [row[1] for row in ROWS])
    for at, row in enumerate(ROWS):
        alone = fitted.score([row[0]], [row[1]])
        assert {name: values[at] for name, values in together.items()} == {
            name: values[0] for name, values in alone.items()
        }


def test_a_row_scores_the_same_in_any_company_and_a_text_against_itself_fully(bert):
    together = columns(bert, ROWS)
    for at, row in enumerate(ROWS):
        alone = columns(bert, [row])
        assert [values[at] for values in together.values()] == [v[0] for v in alone.values()]
    for values in columns(bert, [(row[0], row[0]) for row in ROWS]).values():
        assert [value.value for value in values] == pytest.approx([1.0] * 3, abs=1e-6)
        assert max(value.value for value in values) <= 1.0


def test_a_baseline_moves_scores_as_published_rescaling_does(bert):
    plain = columns(bert, ROWS)
    moved = columns(bert, ROWS, baseline=(0.5, 0.25, 0.375))
    bases = {"token_similarity": 0.375, "token_similarity_precision": 0.5}
    for name, base in bases.items():
        expected = [(value.value - base) / (1 - base) for value in plain[name]]
        assert [value.value for value in moved[name]] == pytest.approx(expected)
    assert metric(bert, baseline=(0.5, 0.25, 0.375)).definitions()[0].low is None
    with pytest.raises(UserError, match="the baseline is"):
        metric(bert, baseline=(0.5, 1.0, 0.5))


def test_a_long_text_is_cut_and_the_cut_is_counted(bert):
    long = " ".join(f"Group {n} changed." for n in range(60))
    (value,) = columns(bert, [(long, "Sleep improved.")])["token_similarity"]
    (again,) = columns(bert, [(long + " More.", "Sleep improved.")])["token_similarity"]
    assert value.value == again.value
    assert value.note.startswith("tokens cut off: prediction ")
    assert value.note.endswith(", reference 0")
    assert again.note != value.note


def test_blank_and_odd_texts(bert):
    found = columns(bert, [("said", ""), ("", "said"), ("\ud800", "said"), ("心不全", "🙂")])
    for values in found.values():
        assert values[0] == Value(None, reason="empty reference")
        assert values[1] == Value(0.0, note="empty prediction")
        assert all((value.value is None) == bool(value.reason) for value in values)


def test_an_encoder_whose_pooler_is_missing_and_whose_words_need_a_space(tmp_path):
    folder = str(roberta(tmp_path))
    (value,) = columns(folder, [("Sleep improved.", "Sleep improved.")])["token_similarity"]
    assert value.value == pytest.approx(1.0, abs=1e-6)


def test_a_layer_that_is_not_there_is_named(bert):
    with pytest.raises(UserError, match="has 2 layers, not 3"):
        columns(bert, ROWS, layer=3)


def test_the_signature_says_what_numbers_compare_with(bert):
    signature = metric(bert, layer=1).signature()
    assert signature.startswith("token_similarity|model:folder|weights:")
    assert "|layer:1|idf:none|baseline:none|" in signature
    assert "|compares:same-model-and-layer-only|" in signature
    variants = [{}, {"layer": 1}, {"idf": "references"}, {"baseline": (0.1, 0.1, 0.1)}]
    prints = [metric(bert, **variant).fingerprint() for variant in variants]
    assert all(prints[i] != prints[j] for i in range(4) for j in range(i))


def test_each_token_takes_its_best_match():
    import numpy as np

    left = np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    right = np.array([[0.0, 1.0], [1.0, 0.0], [0.8, 0.6]], dtype=np.float32)
    precision, recall = greedy_match(left, right, np.array([1.0, 3.0]), np.array([1.0, 0.0, 1.0]))
    assert precision == pytest.approx((1 * 1.0 + 3 * 0.96) / 4)
    assert recall == pytest.approx((0.8 + 0.96) / 2)
