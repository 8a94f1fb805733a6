"""How likely a causal language model finds texts.

Each text stands alone: nothing before it but, if asked for, the model's start token. With
``batch_size: 1`` it goes through the model by itself, so its likelihood depends on that text
and nothing else, bit for bit. Larger batches are packed: the texts stand one behind the other
in a single row without filling, each with positions of its own, and none sees another. Packed
likelihoods differ by rounding alone, and the first pack of a process is held against the same
text computed by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.errors import RunError, UserError
from toolkit.models.loaded import loaded
from toolkit.models.torch_runtime import (
    Device,
    Dtype,
    batches,
    computing,
    device_kind,
    load_pretrained,
    load_tokenizer,
    runtime,
)
from toolkit.models.weights.folder import ModelFolder
from toolkit.models.weights.gguf import GgufFile
from toolkit.models.weights.packaged import FILES
from toolkit.models.windows import LongTexts, Window, cut_windows
from toolkit.store.canonical import canonical_json

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Likelihood", "Likelihoods"]

_SLICE: Final = 256
"""Tokens whose logits are normalised at once; what a vocabulary of 250,000 words lets pass."""

_PACKED_APART: Final = {"float32": 0.01, "bfloat16": 0.5, "float16": 0.1}
"""Nats a token by which a packed text may differ from the same text alone: rounding stays far
below, a text that sees its neighbour lies far above."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """What a model says of one text.

    Attributes:
        nll: negative log-likelihood of the predicted tokens in nats, 0 or more; None where
            there is none.
        tokens: predicted tokens.
        cut: tokens beyond the window, which count for nothing.
        unknown: predicted tokens that stand for a word outside the vocabulary.
        reason: why there is no likelihood; empty otherwise.
    """

    nll: float | None
    tokens: int
    cut: int = 0
    unknown: int = 0
    reason: str = ""

    @property
    def perplexity(self) -> float | None:
        """The exponential of the mean negative log-likelihood of a token; 1 or more.

        None where there is no likelihood, or where it is too small for the number to be
        written (above 709 nats a token).
        """
        if self.nll is None or self.nll / self.tokens > _LARGEST:
            return None
        return math.exp(self.nll / self.tokens)


_LARGEST: Final = 709.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihoods:
    """Measures texts with a causal model; a :class:`toolkit.metrics.measured.Measurer`.

    Attributes:
        model: name on the Hub, name of packaged weights, ``owner/repository:file.gguf``, or the
            path of a folder or GGUF file.
        revision: commit on the Hub, 40 hex digits; None for files, packaged weights, or the
            commit that the local Hub cache holds.
        bos: whether a start token comes first; without one the first token is not predicted.
        long_texts: see :func:`toolkit.models.windows.cut_windows`.
        context: most tokens of a window; no more than the model has positions for.
        stride: see :func:`toolkit.models.windows.cut_windows`.
        batch_size: windows that go through the model together.
        dtype: number format of the weights.
        device: where torch computes.
        threads: CPU threads of torch.
    """

    what: ClassVar[str] = "likelihoods"

    model: str
    revision: str | None = None
    bos: bool = True
    long_texts: LongTexts = "stride"
    context: int = 1024
    stride: int = 512
    batch_size: int = 1
    dtype: Dtype = "float32"
    device: Device = "auto"
    threads: int = 1

    def settings(self) -> dict[str, Any]:
        """Return its attributes."""
        return {
            "model": self.model,
            "revision": self.revision,
            "bos": self.bos,
            "long_texts": self.long_texts,
            "context": self.context,
            "stride": self.stride if self.long_texts == "stride" else None,
            "batch_size": self.batch_size,
            "dtype": self.dtype,
            "device": self.device,
            "threads": self.threads,
        }

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, runtime and every setting that can change a likelihood.

        Raises:
            MissingError: the runtime is not installed, or the weights are not known.
            SourceError: the file or folder holds no model.
            UserError: the name or the revision is malformed.
        """
        settings = self.settings()
        for key in ("model", "revision"):
            settings.pop(key)
        return {
            "weights": self.weights().identify(),
            "runtime": runtime(),
            **settings,
            "device": device_kind(self.device),
        }

    def weights(self) -> ModelFolder | GgufFile:
        """Return where the weights come from."""
        path = Path(self.model)
        if self.revision is None and path.is_file():
            return GgufFile(None, path)
        if self.model in FILES or self.model.endswith(".gguf"):
            return GgufFile(self.model, None, self.revision)
        own = self.revision is None and path.is_dir()
        return ModelFolder(
            None if own else self.model,
            path if own else None,
            self.revision,
            what="scoring model",
            by="model: path/to/folder",
        )

    def measure(self, texts: Sequence[str]) -> list[Likelihood]:
        """Return the likelihood of each text, in the order given; each distinct one once.

        Raises:
            MissingError: runtime, weights or device cannot be had.
            SourceError: no language model can be made of the weights.
            UserError: the model has no start token, or fewer positions than ``context``.
            RunError: torch failed, or the model cannot be packed.
        """
        runtime()
        weights = self.weights()
        path = weights.locate()
        key = ("likelihood", canonical_json(weights.identify()), self.dtype)
        with computing(self.device, self.threads) as device:
            model = loaded((*key, device), lambda: _Reader(path, self.dtype, device))
            model.check(self)
            distinct = sorted(set(texts))
            found = dict(zip(distinct, model.read(distinct, self), strict=True))
        return [found[text] for text in texts]

    def pack(self, found: Sequence[Likelihood]) -> pa.Table:
        """Return a table with a column for each attribute."""
        import pyarrow as pa

        return pa.table(
            {
                "nll": pa.array([one.nll for one in found], pa.float64()),
                "tokens": pa.array([one.tokens for one in found], pa.int32()),
                "tokens_cut": pa.array([one.cut for one in found], pa.int32()),
                "tokens_unknown": pa.array([one.unknown for one in found], pa.int32()),
                "reason": pa.array([one.reason for one in found], pa.string()),
            }
        )

    def unpack(self, table: pa.Table) -> list[Likelihood]:
        """Return the likelihoods that a table of :meth:`pack` holds."""
        names = ("nll", "tokens", "tokens_cut", "tokens_unknown", "reason")
        rows = zip(*(table[name].to_pylist() for name in names), strict=True)
        return [Likelihood(*row) for row in rows]

    def counts(self, found: Sequence[Likelihood]) -> dict[str, int]:
        """Return tokens predicted, tokens cut off, texts that lost some, tokens unknown."""
        return {
            "tokens": sum(one.tokens for one in found),
            "tokens_cut": sum(one.cut for one in found),
            "texts_cut": sum(one.cut > 0 for one in found),
            "tokens_unknown": sum(one.unknown for one in found),
        }


class _Reader:
    """A model and its tokenizer in this process."""

    def __init__(self, path: Path, dtype: Dtype, device: str) -> None:
        self._path = path
        self._tokenizer = load_tokenizer(path)
        self._model = load_pretrained("AutoModelForCausalLM", path, dtype, device)
        self._device = device
        self._apart = _PACKED_APART[dtype]
        self._packs: bool | None = None
        config = self._model.config.get_text_config()
        limit = getattr(config, "max_position_embeddings", None)
        self._positions = None if limit is None else int(limit)
        # As models are trained that have no start token of their own: a text follows an end.
        start = self._tokenizer.bos_token_id
        self._start: int | None = self._tokenizer.eos_token_id if start is None else start
        unknown = self._tokenizer.unk_token_id
        marks = (self._start, self._tokenizer.eos_token_id, self._tokenizer.pad_token_id)
        self._unknown = None if unknown in marks else unknown

    def check(self, s: Likelihoods) -> None:
        """Raise UserError when the settings do not fit the model."""
        if s.bos and self._start is None:
            raise UserError(
                "the scoring model has neither a start token nor an end token",
                hint="write bos: false; the first token of a text is then not predicted",
            )
        if self._positions is not None and s.context > self._positions:
            raise UserError(
                f"the scoring model reads {self._positions} tokens, the context is {s.context}",
                hint=f"write context: {self._positions}",
            )

    def read(self, texts: Sequence[str], s: Likelihoods) -> list[Likelihood]:
        """Return the likelihood of each of some distinct texts."""
        known: list[tuple[list[Window], Likelihood]] = [self._windows(text, s) for text in texts]
        windows = sorted(
            {window for cut, _ in known for window in cut},
            key=lambda window: (len(window.tokens), window.tokens, window.first),
        )
        nlls: dict[Window, float] = {}
        keys = [(len(window.tokens), number) for number, window in enumerate(windows)]
        for batch in batches(keys, s.batch_size):
            rows = [windows[number] for number in batch]
            nlls.update(zip(rows, self._nlls(rows), strict=True))
        return [_summed(windows, likelihood, nlls) for windows, likelihood in known]

    def _windows(self, text: str, s: Likelihoods) -> tuple[list[Window], Likelihood]:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return [], Likelihood(None, 0, reason="the text holds half a surrogate pair")
        # What looks like a special token is text like any other.
        read = self._tokenizer(
            text, add_special_tokens=False, split_special_tokens=True, verbose=False
        )
        tokens = [int(number) for number in read["input_ids"]]
        if s.bos and self._start is not None:
            tokens = [self._start, *tokens]
        windows, cut = cut_windows(tokens, s.context, s.stride, s.long_texts)
        counted = tokens[1 : len(tokens) - cut]
        if not counted:
            return [], Likelihood(None, 0, cut, reason="no token to predict")
        unknown = 0 if self._unknown is None else counted.count(self._unknown)
        return windows, Likelihood(None, len(counted), cut, unknown)

    def _nlls(self, windows: Sequence[Window]) -> list[float]:
        try:
            found = list(self._packed(windows))
            if len(windows) > 1 and self._packs is None:
                # The last has all others before it.
                alone = next(self._packed(windows[-1:]))
                tokens = len(windows[-1].tokens) - windows[-1].first
                self._packs = abs(alone - found[-1]) <= self._apart * tokens
        except RuntimeError as error:
            raise RunError(
                f"the scoring model failed on {len(windows)} texts of up to "
                f"{len(windows[-1].tokens)} tokens: " + str(error).partition("\n")[0],
                hint="if memory ran out, write a smaller batch_size or context",
            ) from error
        if self._packs is False:
            raise RunError(
                f"the model of {self._path} lets a text see the one before it in a batch",
                hint="write batch_size: 1",
            )
        return found

    def _packed(self, windows: Sequence[Window]) -> Iterator[float]:
        import torch

        tokens = [number for window in windows for number in window.tokens]
        settings: dict[str, Any] = {}
        if len(windows) > 1:
            # Positions that start anew tell transformers where a text of a pack begins.
            own = [place for window in windows for place in range(len(window.tokens))]
            settings["position_ids"] = torch.tensor([own], device=self._device)
        ids = torch.tensor([tokens], device=self._device)
        logits = self._model(input_ids=ids, use_cache=False, **settings).logits[0]
        start = 0
        for window in windows:
            end = start + len(window.tokens)
            yield _nll(
                logits[start + window.first - 1 : end - 1], ids[0, start + window.first : end]
            )
            start = end


def _nll(logits: Any, targets: Any) -> float:
    """Return the negative log-likelihood of n tokens under n rows of logits, in nats."""
    import torch

    terms: list[float] = []
    for start in range(0, len(targets), _SLICE):
        part = logits[start : start + _SLICE].float()
        terms += torch.nn.functional.cross_entropy(
            part, targets[start : start + _SLICE], reduction="none"
        ).tolist()
    # One term that is not a number would make fsum raise where there is an infinite one besides.
    return math.fsum(terms) if all(map(math.isfinite, terms)) else math.nan


def _summed(
    windows: Sequence[Window], likelihood: Likelihood, nlls: dict[Window, float]
) -> Likelihood:
    if not windows:
        return likelihood
    nll = math.fsum(nlls[window] for window in windows)
    if not math.isfinite(nll):
        return Likelihood(
            None,
            likelihood.tokens,
            likelihood.cut,
            likelihood.unknown,
            reason="the model gave no finite number",
        )
    # Rounding can carry a certain token a hair below nothing.
    return Likelihood(max(nll, 0.0), likelihood.tokens, likelihood.cut, likelihood.unknown)
