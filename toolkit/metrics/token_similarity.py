"""Greedy matching of the tokens of two texts by their contextual vectors.

Zhang, T., Kishore, V., Wu, F., Weinberger, K. Q. and Artzi, Y. (2020), "BERTScore: Evaluating
Text Generation with BERT", arXiv 1904.09675.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.errors import UserError
from toolkit.metrics.base import (
    Metric,
    ScoreDefinition,
    Text,
    Value,
    check_pairs,
    shortcut,
    write_signature,
)
from toolkit.models.token_encoder import EncodedText, encoding
from toolkit.models.torch_runtime import device_kind, runtime
from toolkit.models.weights.folder import ModelFolder

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["TokenSimilarity", "TokenSimilarityParams", "greedy_match"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSimilarityParams:
    """Parameters of the token similarity.

    Attributes:
        model: encoder, ``owner/repository`` or a sentence-transformers name.
        folder: a folder with a model of one's own instead of ``model``.
        revision: Hub commit of ``model``, 40 hex digits.
        layer: whose vectors are compared: 0 is the input of the first layer; None is the last.
        idf: weigh tokens by their rarity in the references of the run (``references``), or all
            alike.
        baseline: precision, recall and F1 of unrelated texts under this model and layer: each
            score is then (score - baseline) / (1 - baseline).
        threads: CPU threads of torch; changes the last bits.
        device: where torch computes.
    """

    model: str = field(
        default="all-MiniLM-L6-v2", metadata={"about": "encoder, a name or owner/repository"}
    )
    folder: str | None = field(
        default=None, metadata={"about": "folder with a model of your own, instead of model"}
    )
    revision: str | None = field(
        default=None, metadata={"about": "Hub commit of the model, 40 hex digits"}
    )
    layer: int | None = field(
        default=None, metadata={"about": "layer whose vectors are compared; the last", "minimum": 0}
    )
    idf: Literal["none", "references"] = field(
        default="none", metadata={"about": "weigh tokens by their rarity in the references"}
    )
    baseline: tuple[float, float, float] | None = field(
        default=None,
        metadata={"about": "precision, recall and F1 of unrelated texts, to rescale by"},
    )
    threads: int = field(
        default=1, metadata={"about": "CPU threads of torch", "minimum": 1, "maximum": 256}
    )
    device: Literal["auto", "cpu", "cuda", "mps"] = field(
        default="cpu", metadata={"about": "where torch computes"}
    )


class TokenSimilarity:
    """Precision, recall and F1 of tokens, each matched with the most similar one opposite.

    The tokens that a tokenizer puts around a text carry no weight, though others may match
    them, as in the authors' code. Numbers compare with published BERTScore only where model,
    layer, weights and baseline are the same. Each text goes through the model alone; token
    vectors are about 150 KB a text, too many to keep, so that a text is read again in each
    step of scores.

    A blank reference gives no score; a blank prediction scores 0. Where a text is longer than
    the model reads, the value's note says how many tokens were cut off.
    """

    name: ClassVar[str] = "token_similarity"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = TokenSimilarityParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "reference")

    def __init__(self, params: TokenSimilarityParams) -> None:
        if params.folder is not None and params.revision is not None:
            raise UserError(
                "token_similarity: folder stands beside revision",
                hint="a revision is the commit of a model on the Hub, not of a folder",
            )
        if any(not value < 1 for value in params.baseline or ()):
            raise UserError(
                f"token_similarity: the baseline is {list(params.baseline or ())}",
                hint="write three numbers below 1: precision, recall, F1",
            )
        self.params = params
        self._table: pa.Table | None = None

    @property
    def fits(self) -> Text | None:
        """References, where tokens are weighed by their rarity in them."""
        return "reference" if self.params.idf == "references" else None

    def fit(self, batches: Iterable[Sequence[str]]) -> pa.Table:
        """Count the references that hold each token; see toolkit.metrics.base.FittedMetric."""
        import pyarrow as pa

        found: Counter[int] = Counter()
        total = 0
        with encoding(self._weights(), self.params.device, self.params.threads) as encoder:
            for texts in batches:
                for tokens in encoder.numbers(texts):
                    found.update(set(tokens))
                    total += 1
        # A token has no negative number: there the references are counted.
        rows = [(_ALL, total), *sorted(found.items())]
        return pa.table(
            {
                "token": pa.array([token for token, _ in rows], pa.int32()),
                "documents": pa.array([count for _, count in rows], pa.int64()),
            }
        )

    def fitted(self, table: pa.Table) -> Metric:
        """Return the metric that weighs tokens by a table of :meth:`fit`."""
        other = copy(self)
        other._table = table
        return other

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return F1, precision and recall."""
        low = -1.0 if self.params.baseline is None else None
        return tuple(
            ScoreDefinition(name=name, title=title, low=low, high=1.0)
            for name, title in _TITLES.items()
        )

    def signature(self) -> str:
        """Return what the numbers depend on; asks no network.

        Raises:
            MissingError: the weights or transformers are not on this machine.
        """
        parts = self._parts()
        weights = parts.pop("weights")
        label = "folder" if self.params.folder is not None else self.params.model
        shown = (weights.get("sha256") or weights["revision"])[:12]
        return write_signature(self.name, {"model": label, "weights": shown, **parts})

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, settings and library versions; asks no network.

        Raises:
            MissingError: the weights or transformers are not on this machine.
        """
        return {"metric": self.name, **self._parts()}

    def score(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :class:`toolkit.metrics.base.Metric`.

        Raises:
            MissingError: the weights cannot be had, or transformers is missing.
            RunError: torch failed.
            TypeError: a row is not a string.
            UserError: the model has no such layer.
            ValueError: the two lengths differ.
        """
        check_pairs(predictions, references)
        rows = list(zip(predictions, references, strict=True))
        decided = [shortcut(*row) for row in rows]
        scored: list[tuple[Value, Value, Value]] = []
        if None not in decided:
            scored = [(value, value, value) for value in decided if value is not None]
        else:
            idf = self._idf(references)
            with encoding(self._weights(), self.params.device, self.params.threads) as encoder:
                for (prediction, reference), value in zip(rows, decided, strict=True):
                    if value is not None:
                        scored.append((value, value, value))
                        continue
                    left = encoder.encode(prediction, self.params.layer)
                    right = encoder.encode(reference, self.params.layer)
                    scored.append(self._row(left, right, idf))
        return {name: [row[at] for row in scored] for at, name in enumerate(_TITLES)}

    def _row(
        self, left: EncodedText, right: EncodedText, idf: Mapping[int, float] | None
    ) -> tuple[Value, Value, Value]:
        weights = [_weights_of(text, idf) for text in (left, right)]
        if not all(part.any() for part in weights):
            nothing = Value(None, reason="no token carries weight")
            return nothing, nothing, nothing
        precision, recall = greedy_match(left.vectors, right.vectors, *weights)
        note = ""
        if left.cut or right.cut:
            note = f"tokens cut off: prediction {left.cut}, reference {right.cut}"
        below = (0.0, 0.0, 0.0) if self.params.baseline is None else self.params.baseline
        values = [
            Value((value - base) / (1 - base), note=note)
            for value, base in zip((precision, recall), below, strict=False)
        ]
        if min(precision, recall) <= 0:
            f1 = Value(None, reason="precision or recall is not above 0")
        else:
            mean = 2 * precision * recall / (precision + recall)
            f1 = Value((mean - below[2]) / (1 - below[2]), note=note)
        return f1, values[0], values[1]

    def _idf(self, references: Sequence[str]) -> Mapping[int, float] | None:
        if self.params.idf == "none":
            return None
        table = self.fit([references]) if self._table is None else self._table
        counts = dict(zip(table["token"].to_pylist(), table["documents"].to_pylist(), strict=True))
        total = counts.pop(_ALL)
        return _Idf({token: math.log((total + 1) / (n + 1)) for token, n in counts.items()}, total)

    def _weights(self) -> ModelFolder:
        p = self.params
        return ModelFolder(
            model=p.model,
            folder=None if p.folder is None else Path(p.folder),
            revision=p.revision,
            what="encoder",
            owner="sentence-transformers",
        )

    def _parts(self) -> dict[str, Any]:
        p = self.params
        baseline = "none" if p.baseline is None else "/".join(f"{one:g}" for one in p.baseline)
        return {
            "weights": self._weights().identify(),
            "layer": "last" if p.layer is None else p.layer,
            "idf": p.idf,
            "baseline": baseline,
            "long": "truncate",
            "dtype": "float32",
            "device": device_kind(p.device),
            "threads": p.threads,
            "runtime": runtime().replace(", ", "+").replace(" ", "-"),
            "compares": "same-model-and-layer-only",
            "version": self.version,
        }


_ALL: Final = -1
_TITLES: Final[Mapping[str, str]] = {
    "token_similarity": "Token similarity F1",
    "token_similarity_precision": "Token similarity precision",
    "token_similarity_recall": "Token similarity recall",
}


class _Idf(dict[int, float]):
    """ln((references + 1) / (references with the token + 1)); one that none has counts most."""

    def __init__(self, weights: Mapping[int, float], total: int) -> None:
        super().__init__(weights)
        self._unseen = math.log(total + 1)

    def __missing__(self, token: int) -> float:
        return self._unseen


def _weights_of(text: EncodedText, idf: Mapping[int, float] | None) -> NDArray[np.float64]:
    import numpy as np

    if idf is None:
        return (~text.special).astype(np.float64)
    found = np.array([idf[token] for token in text.tokens], dtype=np.float64)
    return np.where(text.special, 0.0, found)


def greedy_match(
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    left_weights: NDArray[np.float64],
    right_weights: NDArray[np.float64],
) -> tuple[float, float]:
    """Return precision and recall: the weighted means of each token's best cosine.

    Args:
        left: vectors of length 1 of the prediction's tokens, one a row.
        right: of the reference's.
        left_weights: weight of each token of the prediction, 0 or more, not all 0.
        right_weights: of the reference.
    """
    import numpy as np

    cosines = (left @ right.T).astype(np.float64)
    precision = float(np.average(cosines.max(axis=1), weights=left_weights))
    recall = float(np.average(cosines.max(axis=0), weights=right_weights))
    # Rounding can carry the mean a hair beyond 1.
    return min(precision, 1.0), min(recall, 1.0)
