"""The contextual vectors that an encoder gives the tokens of a text."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import RunError, SourceError, UserError
from toolkit.models.loaded import loaded
from toolkit.models.torch_runtime import (
    computing,
    load_pretrained,
    load_tokenizer,
    positions,
    runtime,
)
from toolkit.models.weights.folder import ModelFolder
from toolkit.store.canonical import canonical_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EncodedText", "TokenEncoder", "encoding"]

_KEPT: Final = 256
"""Texts whose vectors are kept: about 40 MB at 100 tokens of 384 numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class EncodedText:
    """The tokens of one text.

    Attributes:
        tokens: their numbers in the vocabulary, special tokens included.
        special: which of them the tokenizer put there.
        vectors: float32, one row of length 1 for each token.
        cut: tokens beyond the longest text that the model reads.
    """

    tokens: tuple[int, ...]
    special: NDArray[np.bool_]
    vectors: NDArray[np.float32]
    cut: int


@contextmanager
def encoding(weights: ModelFolder, device: Any, threads: int) -> Iterator[TokenEncoder]:
    """Hold an encoder, loaded unless it is the model of this process already.

    Raises:
        MissingError: runtime, weights or device cannot be had.
        SourceError: no encoder can be made of the weights.
    """
    runtime()
    path = weights.locate()
    with computing(device, threads) as kind:
        key = ("token encoder", canonical_json(weights.identify()), kind, threads)
        yield loaded(key, lambda: TokenEncoder(path, kind))


class TokenEncoder:
    """A model and its tokenizer in this process.

    Each text goes through the model alone, so its vectors depend on it and nothing else.
    """

    def __init__(self, path: Path, device: str) -> None:
        self._tokenizer = load_tokenizer(path)
        # What pools a text into one vector plays no part here, and is often not there.
        self._model = load_pretrained("AutoModel", path, "float32", device, unused="pooler")
        self._device = device
        known = (positions(self._model), int(self._tokenizer.model_max_length))
        self._longest = min(number for number in known if number is not None)
        self._kept: OrderedDict[tuple[int | None, str], EncodedText] = OrderedDict()
        if not self._tokenizer.is_fast:
            raise SourceError(
                f"the tokenizer of {path} does not say which of its tokens are special",
                hint="name a model with a tokenizer.json",
            )

    def numbers(self, texts: Iterable[str]) -> Iterator[tuple[int, ...]]:
        """Yield the tokens of each text as the model reads them, without special ones."""
        for text in texts:
            read = self._read(text)
            marks = zip(read["input_ids"], read["special_tokens_mask"], strict=True)
            yield tuple(number for number, special in marks if not special)

    def encode(self, text: str, layer: int | None) -> EncodedText:
        """Return the tokens of a text and the vectors that a layer gives them.

        Args:
            text: any text.
            layer: 0 for what goes into the first layer, n for what comes out of the nth; None
                for the last.

        Raises:
            UserError: the model has no such layer.
            RunError: torch failed.
        """
        key = (layer, text)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        while len(self._kept) >= _KEPT:
            self._kept.popitem(last=False)
        read = self._read(text)
        cut = len(self._read(text, cut=False)["input_ids"]) - len(read["input_ids"])
        self._kept[key] = self._encode(read["input_ids"], read["special_tokens_mask"], layer, cut)
        return self._kept[key]

    def _encode(
        self, tokens: Sequence[int], special: Sequence[int], layer: int | None, cut: int
    ) -> EncodedText:
        import numpy as np
        import torch

        try:
            states = self._model(
                input_ids=torch.tensor([tokens], device=self._device), output_hidden_states=True
            ).hidden_states
        except RuntimeError as error:
            raise RunError(
                f"the encoder failed on a text of {len(tokens)} tokens: "
                + str(error).partition("\n")[0],
                hint="is there memory for the model?",
            ) from error
        if layer is not None and layer >= len(states):
            raise UserError(
                f"the encoder has {len(states) - 1} layers, not {layer}",
                hint=f"write layer: {len(states) - 1} or less",
            )
        vectors = states[-1 if layer is None else layer][0].float()
        norms = vectors.norm(dim=-1, keepdim=True)
        return EncodedText(
            tokens=tuple(tokens),
            special=np.array(special, dtype=np.bool_),
            vectors=(vectors / norms).cpu().numpy(),
            cut=cut,
        )

    def _read(self, text: str, *, cut: bool = True) -> Any:
        # A lone surrogate is no text, and no tokenizer takes it.
        text = text.encode("utf-8", "replace").decode("utf-8").strip()
        if getattr(self._tokenizer, "add_prefix_space", None) is False:
            # Else the first word would be another token than the same word further on.
            text = f" {text}"
        return self._tokenizer(
            text,
            truncation=cut,
            max_length=self._longest if cut else None,
            return_special_tokens_mask=True,
            verbose=False,
        )
