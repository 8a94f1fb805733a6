from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_texts import real_pairs
from sklearn.feature_extraction.text import TfidfVectorizer

from toolkit.errors import UserError
from toolkit.metrics.base import FittedMetric, Value
from toolkit.metrics.document_frequencies import terms
from toolkit.metrics.tfidf_cosine import TfidfCosine, TfidfCosineParams, tfidf_cosine

BACKGROUND = ["the cat sat on the mat", "the dog ran", "statins lowered cholesterol"]
PAIR = ("the cat sat on the mat", "the cat lay on the mat today")
TEXTS = st.lists(st.sampled_from(["pain", "sleep", "dose", "β", "0.5", "the"]), min_size=1).map(
    " ".join
)


def one(metric: TfidfCosine, prediction: str, reference: str) -> Value:
    return metric.score([prediction], [reference])["tfidf_cosine"][0]


def sklearn(documents: list[str], prediction: str, reference: str) -> float:
    vectors = TfidfVectorizer(analyzer=terms).fit(documents).transform([prediction, reference])
    return float((vectors[0] @ vectors[1].T).toarray()[0, 0])


@pytest.fixture
def background(tmp_path: Path) -> str:
    file = tmp_path / "background.txt"
    file.write_text("\n\n".join(BACKGROUND), encoding="utf-8")
    return str(file)


def test_the_written_down_values(background: str, tmp_path: Path) -> None:
    for unseen, expected in (("drop", 0.917394), ("count", 0.693950)):
        params = TfidfCosineParams(idf="file", file=background, unseen=unseen)  # type: ignore[arg-type]
        assert one(TfidfCosine(params), *PAIR).value == pytest.approx(expected, abs=5e-7)
    pair = TfidfCosine(TfidfCosineParams(idf="pair"))
    assert one(pair, *PAIR).value == pytest.approx(0.706078, abs=5e-7)
    table = tmp_path / "idf.csv"
    table.write_text("word,idf\npeer,2\nreview,2\nLLM,3\nthe,.5\n", encoding="utf-8")
    listed = TfidfCosine(TfidfCosineParams(idf="file", file=str(table)))
    value = one(listed, "peer review llm", "peer review review the the")
    assert value.value == pytest.approx(0.635107, abs=5e-7)


def test_corpus_means_the_references() -> None:
    metric = TfidfCosine(TfidfCosineParams())
    assert isinstance(metric, FittedMetric)
    assert metric.fits == "reference"
    fitted = metric.fitted(metric.fit([BACKGROUND[:1], BACKGROUND[1:]]))
    assert one(fitted, *PAIR).value == pytest.approx(0.693950, abs=5e-7)
    # Without a fit, the references at hand are the corpus.
    called = metric.score(["the cat"] * 3, BACKGROUND)["tfidf_cosine"]
    assert called == fitted.score(["the cat"] * 3, BACKGROUND)["tfidf_cosine"]
    for idf in ("pair",):
        assert TfidfCosine(TfidfCosineParams(idf=idf)).fits is None


def test_real_texts_equal_sklearn() -> None:
    pairs = real_pairs(40, seed=11)
    references = [reference for _, reference in pairs]
    metric = TfidfCosine(TfidfCosineParams(unseen="drop"))
    values = metric.score([prediction for prediction, _ in pairs], references)["tfidf_cosine"]
    for value, pair in zip(values, pairs, strict=True):
        assert value.value == pytest.approx(sklearn(references, *pair), abs=1e-12)


@given(TEXTS, TEXTS)
def test_a_pair_fits_itself_as_sklearn_does(left: str, right: str) -> None:
    pair = TfidfCosine(TfidfCosineParams(idf="pair"))
    value = one(pair, left, right)
    assert value.value == pytest.approx(sklearn([left, right], left, right), abs=1e-12)
    assert one(pair, right, left).value == pytest.approx(value.value, abs=1e-12)
    assert one(pair, left, left).value == pytest.approx(1.0, abs=1e-12)


def test_vectors_without_a_common_weight_are_apart() -> None:
    assert tfidf_cosine(Counter(["a"]), Counter(["b"]), {"a": 1.0, "b": 1.0}) == 0.0
    assert tfidf_cosine(Counter(["a"]), Counter(["a"]), {}) == 0.0


def test_missing_words_have_reasons(background: str) -> None:
    metric = TfidfCosine(TfidfCosineParams(idf="file", file=background, unseen="drop"))
    assert one(metric, "the cat", "--") == Value(None, reason="no words in the reference")
    assert one(metric, "the cat", "kidney") == Value(
        None, reason="no word of the reference in the background corpus"
    )
    assert one(metric, "kidney", "the cat").value == 0.0


def test_a_changed_background_changes_numbers_and_fingerprint(background: str) -> None:
    metric = TfidfCosine(TfidfCosineParams(idf="file", file=background))
    before = one(metric, *PAIR), metric.fingerprint()
    Path(background).write_text("the\nlay today\nlay\n", encoding="utf-8")
    assert one(metric, *PAIR) != before[0]
    assert metric.fingerprint() != before[1]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("idf.csv", "word,weight\na,1\n", "no column 'idf'"),
        ("idf.csv", "word,idf\na,1\nb,-2\n", "line 3: the idf '-2' is not a positive number"),
        ("idf.csv", "word,idf\n", "holds no words"),
        ("idf.csv", None, "cannot be read"),
        ("texts.txt", None, "cannot be read"),
    ],
)
def test_a_background_that_is_none_is_refused(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    file = tmp_path / name
    if text is not None:
        file.write_text(text, encoding="utf-8")
    metric = TfidfCosine(TfidfCosineParams(idf="file", file=str(file)))
    with pytest.raises(UserError, match=message):
        one(metric, "a", "b")


@pytest.mark.parametrize("params", [{"idf": "file"}, {"file": "x.txt"}])
def test_file_and_idf_file_belong_together(params: dict[str, str]) -> None:
    with pytest.raises(UserError, match="belong together"):
        TfidfCosine(TfidfCosineParams(**params))  # type: ignore[arg-type]
