"""Every metric of the registry, with the smallest model that it runs on."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from tests.models import tiny_models
from toolkit.metrics.base import Metric
from toolkit.registry import BUILT_IN, member

NAMES = sorted(BUILT_IN["metrics"])


def build(name: str) -> Metric:
    """Return a metric with its default parameters, but for the model."""
    kind = member("metrics", name)
    metric = kind(kind.Params(**_models(name)))
    assert isinstance(metric, Metric)
    return metric


def _models(name: str) -> dict[str, Any]:
    if name == "embedding_similarity":
        return {"folder": str(_embedder())}
    if name == "perplexity":
        return {"model": str(_causal()), "context": 256, "stride": 128}
    return {}


@cache
def _embedder() -> Path:
    pytest.importorskip("sentence_transformers", reason="the extra 'local' is not installed")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    folder = Path(mkdtemp())
    tiny_models.base_without_head(folder / "bert")
    words = modules.Transformer(str(folder / "bert"), max_seq_length=64)
    SentenceTransformer(
        modules=[words, modules.Pooling(words.get_embedding_dimension())], device="cpu"
    ).save(str(folder / "sentences"))
    return folder / "sentences"


@cache
def _causal() -> Path:
    pytest.importorskip("transformers", reason="the extra 'local' is not installed")
    folder = Path(mkdtemp()) / "causal"
    tiny_models.causal(folder)
    return folder
