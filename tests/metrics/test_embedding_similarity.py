from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolkit.errors import UserError
from toolkit.metrics.base import Value
from toolkit.metrics.embedder import load_embedder
from toolkit.metrics.embedding_similarity import EmbeddingSimilarity, EmbeddingSimilarityParams
from toolkit.models.weights.folder import ModelFolder

pytest.importorskip("sentence_transformers", reason="the extra 'local' is not installed")

ROWS = [
    ("Mortality fell.", "Fewer patients died."),
    ("The museum closed.", "Fewer patients died."),
    ("Pain was unchanged.", "Pain was unchanged."),
    ("Walnuts raise leptin in rats.", "Walnut intake may increase leptin."),
]


def scores(rows: list[tuple[str, str]], **settings: Any) -> list[Value]:
    metric = EmbeddingSimilarity(EmbeddingSimilarityParams(**settings))
    columns = metric.score([row[0] for row in rows], [row[1] for row in rows])
    return columns["embedding_similarity"]


def numbers(values: list[Value]) -> list[float]:
    return [value.value for value in values if value.value is not None]


def test_cosines_order_meanings() -> None:
    near, far, same, _ = numbers(scores(ROWS))
    assert far < near < same
    assert same == pytest.approx(1.0, abs=1e-12)
    assert same <= 1.0


def test_a_row_scores_the_same_alone_and_in_any_company() -> None:
    together = scores(ROWS)
    assert [scores([row])[0] for row in ROWS] == together
    assert scores(ROWS[::-1])[::-1] == together


def test_larger_batches_agree_to_six_decimals_and_ignore_the_order() -> None:
    batched = scores(ROWS, batch_size=3)
    assert numbers(batched) == pytest.approx(numbers(scores(ROWS)), abs=1e-6)
    assert scores(ROWS[::-1], batch_size=3)[::-1] == batched


def test_blank_texts_are_not_embedded() -> None:
    values = scores([("said", ""), ("", "said"), ("said", "said")])
    assert values[:2] == [
        Value(None, reason="empty reference"),
        Value(0.0, note="empty prediction"),
    ]
    assert values[2].value == pytest.approx(1.0)


def test_long_texts_that_differ_late_differ() -> None:
    shared = " ".join(f"cell{number}" for number in range(200))
    first = shared + " mortality fell in treated mice" * 50
    second = shared + " the budget of the museum rose" * 50
    (chunked,) = scores([(first, second)])
    assert chunked.value is not None
    assert chunked.value < 0.95
    assert chunked.note == ""
    (cut,) = scores([(first, second)], long_texts="truncate")
    assert cut.value == pytest.approx(1.0)
    assert cut.note.startswith("tokens cut off: prediction ")


def test_abstracts_of_600_tokens_that_are_equal_in_the_first_256_are_told_apart() -> None:
    shared = "the trial of walnut oil in mice " * 36 + "and its end . "
    other = shared + "the budget of the museum rose again . " * 43
    abstract = shared + "mortality fell in all treated mice . " * 43
    embedder = load_embedder(ModelFolder("sentence-transformers/all-MiniLM-L6-v2").locate(), "cpu")
    tokenizer: Any = embedder._model.tokenizer
    read = tokenizer(abstract, add_special_tokens=False, verbose=False)["input_ids"]
    again = tokenizer(other, add_special_tokens=False, verbose=False)["input_ids"]
    assert min(len(read), len(again)) >= 550
    assert read[:256] == again[:256]
    (cut,) = scores([(abstract, other)], long_texts="truncate")
    assert cut.value == pytest.approx(1.0, abs=1e-12)
    assert cut.note == f"tokens cut off: prediction {len(read) - 254}, reference {len(again) - 254}"
    (chunked,) = scores([(abstract, other)])
    assert chunked.value is not None
    assert chunked.value < 0.99
    assert chunked.note == ""


def test_the_signature_comes_without_loading_anything() -> None:
    code = (
        "import sys\n"
        "from toolkit.metrics.embedding_similarity import *\n"
        "metric = EmbeddingSimilarity(EmbeddingSimilarityParams())\n"
        "print(metric.signature()); metric.fingerprint()\n"
        "print([name for name in ('torch', 'transformers', 'numpy') if name in sys.modules])\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    signature, loaded = process.stdout.splitlines()
    assert signature.startswith(
        "embedding_similarity|model:all-MiniLM-L6-v2|weights:53aa51172d14|long:chunk|batch:1|"
    )
    assert loaded == "[]"


def test_everything_that_moves_bits_is_in_the_fingerprint() -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"batch_size": 2},
        {"threads": 2},
        {"device": "cuda"},
        {"long_texts": "truncate"},
        {"revision": "0" * 40},
    ]
    prints = [
        EmbeddingSimilarity(EmbeddingSimilarityParams(**variant)).fingerprint()
        for variant in variants
    ]
    assert all(prints[i] != prints[j] for i in range(6) for j in range(i))
    assert prints[0]["torch"]


def test_the_paper_profile_is_the_papers_model_and_truncates() -> None:
    metric = EmbeddingSimilarity(EmbeddingSimilarityParams(profile="paper", revision="1" * 40))
    signature = metric.signature()
    assert "|model:all-mpnet-base-v2|" in f"|{signature.partition('|')[2]}"
    assert "|long:truncate|" in signature


def test_folder_and_model_exclude_each_other() -> None:
    with pytest.raises(UserError, match="folder stands beside"):
        EmbeddingSimilarity(EmbeddingSimilarityParams(folder="m", model="all-mpnet-base-v2"))
