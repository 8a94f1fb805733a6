"""Sentence embeddings as something that is measured of each distinct text once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.errors import MissingError
from toolkit.models.weights.folder import ModelFolder

if TYPE_CHECKING:
    import pyarrow as pa

    from toolkit.metrics.embedder import Embedding, LongTexts

__all__ = ["Embeddings"]

_LIBRARIES: Final = ("sentence-transformers", "transformers", "torch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Embeddings:
    """Embeds texts; a :class:`toolkit.metrics.measured.Measurer`.

    Attributes:
        model: a sentence-transformers name or ``owner/repository``.
        folder: a folder with a model of one's own instead of ``model``.
        revision: Hub commit of ``model``, 40 hex digits.
        long_texts: ``chunk`` and average, or ``truncate``.
        batch_size: texts that go through the model together.
        threads: CPU threads of torch.
        device: where torch computes.
    """

    what: ClassVar[str] = "embeddings"

    model: str
    folder: str | None = None
    revision: str | None = None
    long_texts: LongTexts = "chunk"
    batch_size: int = 1
    threads: int = 1
    device: str = "cpu"

    def settings(self) -> dict[str, Any]:
        """Return its attributes."""
        return {
            "model": self.model if self.folder is None else None,
            "folder": self.folder,
            "revision": self.revision,
            "long_texts": self.long_texts,
            "batch_size": self.batch_size,
            "threads": self.threads,
            "device": self.device,
        }

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, settings and library versions; asks no network.

        Raises:
            MissingError: the weights or sentence-transformers are not on this machine.
        """
        return {
            "weights": self.weights().identify(),
            "long": self.long_texts,
            "batch": self.batch_size,
            "threads": self.threads,
            "device": self.device,
            "dtype": "float32",
            **{package: _version(package) for package in _LIBRARIES},
        }

    def weights(self) -> ModelFolder:
        """Return where the weights come from."""
        return ModelFolder(
            model=self.model,
            folder=None if self.folder is None else Path(self.folder),
            revision=self.revision,
            what="embedding model",
            owner="sentence-transformers",
        )

    def measure(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the embedding of each text, in the order given.

        Raises:
            MissingError: the weights cannot be had, or sentence-transformers is missing.
        """
        from toolkit.metrics.embedder import load_embedder

        embedder = load_embedder(self.weights().locate(), self.device)
        found = embedder.embed(
            texts,
            batch_size=self.batch_size,
            threads=self.threads,
            long_texts=self.long_texts,
        )
        return [found[text] for text in texts]

    def pack(self, found: Sequence[Embedding]) -> pa.Table:
        """Return the chunks' vectors one after the other, and how many tokens each stands for."""
        import pyarrow as pa

        vectors = [one.parts.ravel() for one in found]
        return pa.table(
            {
                "vectors": pa.array(vectors, pa.list_(pa.float32())),
                "tokens": pa.array([one.tokens for one in found], pa.list_(pa.int32())),
                "tokens_cut": pa.array([one.cut for one in found], pa.int32()),
            }
        )

    def unpack(self, table: pa.Table) -> list[Embedding]:
        """Return the embeddings that a table of :meth:`pack` holds."""
        from toolkit.metrics.embedder import Embedding

        found: list[Embedding] = []
        # Lists as arrays: 384 numbers a row would be as many Python objects.
        for vectors, tokens, cut in zip(
            table["vectors"],
            table["tokens"].to_pylist(),
            table["tokens_cut"].to_pylist(),
            strict=True,
        ):
            parts = vectors.values.to_numpy(zero_copy_only=False).reshape(len(tokens), -1)
            found.append(Embedding(parts=parts, tokens=tuple(tokens), cut=cut))
        return found

    def counts(self, found: Sequence[Embedding]) -> dict[str, int]:
        """Return tokens read, tokens cut off, and texts that lost some."""
        return {
            "tokens": sum(sum(one.tokens) for one in found),
            "tokens_cut": sum(one.cut for one in found),
            "texts_cut": sum(one.cut > 0 for one in found),
        }


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError as error:
        raise MissingError(
            f"embeddings need {package}, which is not installed",
            hint="pip install 'leaderboard-toolkit[local]'",
        ) from error
