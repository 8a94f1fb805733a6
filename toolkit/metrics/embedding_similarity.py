"""Cosine of the sentence embeddings of prediction and reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.errors import UserError
from toolkit.metrics.base import (
    ScoreDefinition,
    Text,
    Value,
    check_pairs,
    shortcut,
    write_signature,
)
from toolkit.metrics.embeddings import Embeddings
from toolkit.metrics.measured import measure_here

if TYPE_CHECKING:
    from toolkit.metrics.embedder import Embedding, LongTexts

__all__ = ["EmbeddingSimilarity", "EmbeddingSimilarityParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSimilarityParams:
    """Parameters of the embedding similarity.

    Attributes:
        profile: ``paper`` means all-mpnet-base-v2 and truncation unless they are named.
        model: a sentence-transformers name or ``owner/repository``; None for the profile's:
            all-MiniLM-L6-v2, or all-mpnet-base-v2 in ``paper``.
        folder: a folder with a model of one's own instead of ``model``.
        revision: Hub commit of ``model``, 40 hex digits.
        long_texts: what to do with texts beyond the model's length: ``chunk`` and average, or
            ``truncate``; ``auto`` chunks, and truncates in ``paper``.
        batch_size: texts that go through the model together. At 1, a score depends on its own
            two texts alone; larger batches change its last bits (about 1e-7).
        threads: CPU threads of torch; changes the last bits as well.
        device: where torch computes.
    """

    profile: Literal["default", "paper"] = field(
        default="default", metadata={"about": "paper means all-mpnet-base-v2 and truncation"}
    )
    model: str | None = field(
        default=None, metadata={"about": "sentence-transformers name or owner/repository"}
    )
    folder: str | None = field(
        default=None, metadata={"about": "folder with a model of your own, instead of model"}
    )
    revision: str | None = field(
        default=None, metadata={"about": "Hub commit of the model, 40 hex digits"}
    )
    long_texts: Literal["auto", "chunk", "truncate"] = field(
        default="auto", metadata={"about": "texts beyond the model's length; paper truncates"}
    )
    batch_size: int = field(
        default=1,
        metadata={"about": "texts embedded together", "minimum": 1, "maximum": 1024},
    )
    threads: int = field(
        default=1, metadata={"about": "CPU threads of torch", "minimum": 1, "maximum": 256}
    )
    device: Literal["cpu", "cuda", "mps"] = field(
        default="cpu", metadata={"about": "where torch computes"}
    )


class EmbeddingSimilarity:
    """Cosine similarity in -1 to 1 of two sentence embeddings.

    A blank reference gives no score; a blank prediction scores 0 and is not embedded. Where
    a text was truncated, the value's note says how many tokens were cut off.
    """

    name: ClassVar[str] = "embedding_similarity"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = EmbeddingSimilarityParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "reference")

    def __init__(self, params: EmbeddingSimilarityParams) -> None:
        if params.folder is not None and (params.model, params.revision) != (None, None):
            raise UserError(
                "embedding_similarity: folder stands beside model or revision",
                hint="name either a folder or a model, not both",
            )
        self.params = params

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return embedding_similarity."""
        return (
            ScoreDefinition(
                name="embedding_similarity", title="Embedding cosine", low=-1.0, high=1.0
            ),
        )

    def signature(self) -> str:
        """Return what the numbers depend on; asks no network.

        Raises:
            MissingError: the weights or sentence-transformers are not on this machine.
        """
        parts = self._parts()
        weights = parts.pop("weights")
        shown = weights.get("sha256") or weights["revision"]
        return write_signature(self.name, {"model": self._label(), "weights": shown[:12], **parts})

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, settings and library versions; asks no network.

        Raises:
            MissingError: the weights or sentence-transformers are not on this machine.
        """
        return {"metric": self.name, **self._parts()}

    def score(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :class:`toolkit.metrics.base.Metric`.

        Raises:
            MissingError: the weights cannot be had, or sentence-transformers is missing.
            TypeError: a row is not a string.
            ValueError: the two lengths differ.
        """
        check_pairs(predictions, references)
        texts: dict[Text, Sequence[str]] = {"output": predictions, "reference": references}
        return self.compare(texts, measure_here(self, texts))

    def measurer(self) -> Embeddings:
        """Return what embeds its texts."""
        p = self.params
        return Embeddings(
            model=self._model(),
            folder=p.folder,
            revision=p.revision,
            long_texts=self._long_texts(),
            batch_size=p.batch_size,
            threads=p.threads,
            device=p.device,
        )

    def measures(self, row: Mapping[Text, str]) -> tuple[Text, ...]:
        """Return both texts, or none where a blank one decides."""
        return () if shortcut(row["output"], row["reference"]) else ("output", "reference")

    def compare(
        self, texts: Mapping[Text, Sequence[str]], found: Mapping[str, Embedding]
    ) -> dict[str, list[Value]]:
        """Return the cosines of rows whose texts were embedded before."""
        rows = zip(texts["output"], texts["reference"], strict=True)
        return {
            "embedding_similarity": [
                shortcut(prediction, reference) or _cosine(found[prediction], found[reference])
                for prediction, reference in rows
            ]
        }

    def _label(self) -> str:
        return "folder" if self.params.folder is not None else self._model()

    def _model(self) -> str:
        return self.params.model or _MODELS[self.params.profile]

    def _long_texts(self) -> LongTexts:
        if self.params.long_texts == "auto":
            return "truncate" if self.params.profile == "paper" else "chunk"
        return self.params.long_texts

    def _parts(self) -> dict[str, Any]:
        return {
            **self.measurer().fingerprint(),
            "profile": self.params.profile,
            "version": self.version,
        }


_MODELS: Final = {"default": "all-MiniLM-L6-v2", "paper": "all-mpnet-base-v2"}


def _cosine(prediction: Embedding, reference: Embedding) -> Value:
    import numpy as np

    u, v = prediction.vector, reference.vector
    scale = float(np.sqrt(u @ u) * np.sqrt(v @ v))
    if not np.isfinite(scale) or scale == 0.0:
        return Value(None, reason="the model gave an embedding without a direction")
    note = ""
    if prediction.cut or reference.cut:
        note = f"tokens cut off: prediction {prediction.cut}, reference {reference.cut}"
    # Rounding can carry the quotient a hair beyond the ends.
    return Value(min(max(float(u @ v) / scale, -1.0), 1.0), note=note)
