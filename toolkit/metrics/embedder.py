"""Sentence embeddings that come out the same, bit for bit, however the work was cut up.

The last bits of an embedding depend on which texts share its batch. Batches are therefore
formed from the set of texts alone (by token count, then by text), and what is cached is a
whole batch, found again only under exactly the same texts. At the default batch size of 1,
the vector of a text depends on that text and nothing else.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from toolkit.errors import MissingError, UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

__all__ = ["Embedder", "Embedding", "load_embedder"]

LongTexts = Literal["chunk", "truncate"]

# Vectors kept, counted over all batches: about 25 MB at 768 numbers of four bytes.
_CACHED_VECTORS: Final = 8192


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """The embedding of one text.

    Attributes:
        parts: float32, one row for each chunk of the text that the model was shown.
        tokens: tokens of each chunk, special tokens not counted.
        cut: tokens of the text that the vector knows nothing of.
    """

    parts: NDArray[np.float32]
    tokens: tuple[int, ...]
    cut: int

    @property
    def vector(self) -> NDArray[np.float64]:
        """The chunks' mean by their tokens, of the model's dimension; not normalised."""
        import numpy as np

        pooled: NDArray[np.float64] = self.parts[0].astype(np.float64)
        if len(self.tokens) == 1:
            return pooled
        total = sum(self.tokens)
        pooled = np.zeros(self.parts.shape[1], dtype=np.float64)
        for vector, tokens in zip(self.parts, self.tokens, strict=True):
            pooled += vector.astype(np.float64) * (tokens / total)
        return pooled


@dataclass(frozen=True, slots=True)
class _Chunk:
    tokens: int
    text: str


@lru_cache(maxsize=2)
def load_embedder(folder: Path, device: str) -> Embedder:
    """Load a model once for each process.

    Args:
        folder: a folder in sentence-transformers' format, with safetensors weights.
        device: where torch computes: ``cpu``, ``cuda`` or ``mps``.

    Raises:
        MissingError: sentence-transformers is not installed, or the device is not there.
        UserError: the model's tokenizer cannot say where its tokens stand in the text.
    """
    try:
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ImportError as error:
        raise MissingError(
            f"embeddings need sentence-transformers and torch: {error}",
            hint="pip install 'leaderboard-toolkit[local]'",
        ) from error
    if device != "cpu" and not getattr(torch, device).is_available():
        raise MissingError(f"torch finds no device '{device}' here", hint="write device: cpu")
    progress: Any = logging
    bars = progress.is_progress_bar_enabled()
    progress.disable_progress_bar()
    try:
        model = SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
    finally:
        if bars:
            progress.enable_progress_bar()
    if not getattr(model.tokenizer, "is_fast", False):
        raise UserError(
            "the embedding model has a tokenizer that does not say where its tokens stand",
            hint="use a model with a tokenizer.json",
        )
    return Embedder(model)


class Embedder:
    """One loaded model and the batches it has already seen."""

    def __init__(self, model: SentenceTransformer) -> None:
        self._model = model
        self._cache: OrderedDict[tuple[int, bytes], NDArray[np.float32]] = OrderedDict()
        self._cached = 0

    def embed(
        self, texts: Iterable[str], *, batch_size: int, threads: int, long_texts: LongTexts
    ) -> dict[str, Embedding]:
        """Embed a set of texts.

        Args:
            texts: any texts; duplicates and order make no difference.
            batch_size: texts (or chunks of long ones) that go through the model together.
            threads: CPU threads of torch; part of what the last bits depend on.
            long_texts: ``chunk`` cuts a text that is too long for the model between words and
                averages the chunks' vectors by their token counts; ``truncate`` drops the end.

        Returns:
            The embedding of each distinct text.
        """
        import numpy as np
        import torch

        torch.set_num_threads(threads)
        chunks = {text: self._chunks(text) for text in sorted(set(texts))}
        kept = {
            text: parts if long_texts == "chunk" else parts[:1] for text, parts in chunks.items()
        }
        order = sorted(
            {part for parts in kept.values() for part in parts},
            key=lambda chunk: (chunk.tokens, chunk.text),
        )
        vectors: dict[_Chunk, NDArray[np.float32]] = {}
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            vectors.update(zip(batch, self._batch(batch, threads), strict=True))
        return {
            text: Embedding(
                parts=np.stack([vectors[part] for part in parts]),
                tokens=tuple(part.tokens for part in parts),
                cut=sum(part.tokens for part in chunks[text][len(parts) :]),
            )
            for text, parts in kept.items()
        }

    def _chunks(self, text: str) -> list[_Chunk]:
        tokenizer: Any = self._model.tokenizer
        # A lone surrogate is no text, and no tokenizer takes it.
        text = text.encode("utf-8", "replace").decode("utf-8")
        encoding = tokenizer(
            text,
            add_special_tokens=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            truncation=False,
            verbose=False,
        )
        offsets, words = encoding["offset_mapping"], encoding.word_ids()
        room = int(self._model.max_seq_length or tokenizer.model_max_length)
        room -= tokenizer.num_special_tokens_to_add()
        if len(offsets) <= room:
            return [_Chunk(len(offsets), text)]
        chunks = []
        start = 0
        while start < len(offsets):
            end = _word_border(words, start, min(start + room, len(offsets)))
            chunks.append(_Chunk(end - start, text[offsets[start][0] : offsets[end - 1][1]]))
            start = end
        return chunks

    def _batch(self, batch: Sequence[_Chunk], threads: int) -> NDArray[np.float32]:
        digest = hashlib.sha256()
        for chunk in batch:
            data = chunk.text.encode("utf-8")
            digest.update(len(data).to_bytes(8, "big") + data)
        key = (threads, digest.digest())
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        vectors: NDArray[np.float32] = self._model.encode(
            [chunk.text for chunk in batch],
            batch_size=len(batch),
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        self._cache[key] = vectors
        self._cached += len(vectors)
        while self._cached > _CACHED_VECTORS and len(self._cache) > 1:
            self._cached -= len(self._cache.popitem(last=False)[1])
        return vectors


def _word_border(words: Sequence[int | None], start: int, end: int) -> int:
    """Move ``end`` back to where a word begins; a word longer than a chunk is cut inside."""
    border = end
    while border < len(words) and border > start and words[border] == words[border - 1]:
        border -= 1
    return border if border > start else end
