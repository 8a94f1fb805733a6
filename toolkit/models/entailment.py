"""Entailment models: the probability that one text supports another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from toolkit.errors import RunError, SourceError, UserError
from toolkit.models.loaded import loaded
from toolkit.models.torch_runtime import (
    Dtype,
    batches,
    computing,
    device_kind,
    load_pretrained,
    load_tokenizer,
    positions,
    runtime,
)
from toolkit.models.weights.folder import ModelFolder
from toolkit.store.canonical import canonical_json, text_digest

__all__ = ["Entailed", "Entailment", "EntailmentSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentSettings:
    """Which model, and how it computes.

    Attributes:
        model: name on the Hub, or the path of a folder when there is no revision.
        revision: commit on the Hub, 40 hex digits; None for a folder, or for the commit that
            the local Hub cache holds.
        backend: a classifier of pairs, or a model that writes its verdict (TRUE, Honovich et
            al. 2022, arXiv 2204.04991).
        label: label of the classifier that means support, in any case.
        max_tokens: longest pair; a longer premise is cut and the cut is counted.
        batch_size: pairs in a batch; part of the fingerprint.
        dtype: number format of the weights.
        threads: CPU threads.
    """

    model: str
    revision: str | None = None
    backend: Literal["classifier", "text2text"] = "classifier"
    label: str = "entailment"
    max_tokens: int = 1024
    batch_size: int = 16
    dtype: Dtype = "float32"
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Entailed:
    """What the model said of one pair.

    Attributes:
        probability: from 0 to 1; None where there is none.
        truncated_tokens: tokens of the premise that it did not see.
        reason: why there is no probability; empty otherwise.
    """

    probability: float | None
    truncated_tokens: int = 0
    reason: str = ""


class Entailment:
    """Scores pairs of texts; the model is loaded by the first call in a process.

    In float32 a probability depends on its own pair up to rounding (about 1e-6); in bfloat16
    and float16 it also depends on the batch, visibly. Batches are cut in one fixed order.
    """

    def __init__(self, settings: EntailmentSettings) -> None:
        self.settings = settings
        folder = Path(settings.model)
        own = settings.revision is None and folder.is_dir()
        self._weights = ModelFolder(
            None if own else settings.model,
            folder if own else None,
            settings.revision,
            what="entailment model",
            by="model: path/to/folder",
        )

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, runtime and every parameter that can change a probability.

        Raises:
            MissingError: the runtime is not installed, or the weights are not known.
            SourceError: the folder holds no model.
            UserError: the name or the revision is malformed.
        """
        s = self.settings
        return {
            "weights": self._weights.identify(),
            "runtime": runtime(),
            "backend": s.backend,
            "label": s.label.casefold() if s.backend == "classifier" else "1",
            "max_tokens": s.max_tokens,
            "batch_size": s.batch_size,
            "dtype": s.dtype,
            "device": device_kind("auto"),
            "threads": s.threads,
        }

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        """Return the probability of each pair (premise, hypothesis), in the order given.

        A pair that occurs twice is computed once. A pair whose hypothesis leaves no room for a
        premise has no probability.

        Raises:
            MissingError: runtime or weights cannot be had.
            SourceError: no such model can be made of the weights.
            UserError: the model has no such label.
            RunError: torch failed.
        """
        s = self.settings
        runtime()
        path = self._weights.locate()
        identity = canonical_json(self._weights.identify())
        with computing("auto", s.threads) as device:
            key = ("entailment", identity, s.backend, s.dtype, device)
            model: _Backend = loaded(key, lambda: _BACKENDS[s.backend](path, s.dtype, device))
            model.check(s)
            found = _score(model, sorted(set(pairs)), s)
        return [found[pair] for pair in pairs]


@dataclass(frozen=True, slots=True)
class _Input:
    """A pair as the model reads it."""

    ids: tuple[int, ...]
    kinds: tuple[int, ...]
    cut: int


class _Backend(Protocol):
    def check(self, s: EntailmentSettings) -> None:
        """Raise UserError when the settings do not fit the model."""

    def encode(self, pair: tuple[str, str], s: EntailmentSettings) -> _Input | Entailed:
        """Return what the model reads, or why there is nothing."""

    def chances(self, inputs: Sequence[_Input], s: EntailmentSettings) -> list[float]:
        """Return the probability of support of each."""


def _score(
    model: _Backend, pairs: Sequence[tuple[str, str]], s: EntailmentSettings
) -> dict[tuple[str, str], Entailed]:
    found: dict[tuple[str, str], Entailed] = {}
    inputs: dict[tuple[str, str], _Input] = {}
    for pair in pairs:
        encoded = _encode(model, pair, s)
        if isinstance(encoded, Entailed):
            found[pair] = encoded
        else:
            inputs[pair] = encoded
    rows = list(inputs)
    keys = [(len(inputs[pair].ids), text_digest(pair)) for pair in rows]
    for batch in batches(keys, s.batch_size):
        read = [inputs[rows[row]] for row in batch]
        try:
            chances = model.chances(read, s)
        except RuntimeError as error:
            raise RunError(
                f"the entailment model failed on {len(read)} pairs of up to "
                f"{len(read[-1].ids)} tokens: " + str(error).partition("\n")[0],
                hint="if memory ran out, write a smaller batch_size or max_tokens",
            ) from error
        for row, chance in zip(batch, chances, strict=True):
            cut = inputs[rows[row]].cut
            found[rows[row]] = (
                Entailed(chance, cut) if math.isfinite(chance) else Entailed(None, cut, _NO_NUMBER)
            )
    return found


def _encode(model: _Backend, pair: tuple[str, str], s: EntailmentSettings) -> _Input | Entailed:
    try:
        for text in pair:
            text.encode("utf-8")
    except UnicodeEncodeError:
        return Entailed(None, reason="a text holds half a surrogate pair")
    return model.encode(pair, s)


class _Classifier:
    """A sequence classifier over pairs: softmax over all labels."""

    def __init__(self, path: Path, dtype: Dtype, device: str) -> None:
        self._tokenizer = load_tokenizer(path)
        self._model = load_pretrained("AutoModelForSequenceClassification", path, dtype, device)
        self._device = device
        known = [positions(self._model), int(self._tokenizer.model_max_length)]
        self._longest = min(number for number in known if number is not None)
        labels = self._model.config.id2label
        self._labels = {str(name).casefold(): int(number) for number, name in labels.items()}

    def check(self, s: EntailmentSettings) -> None:
        known = ", ".join(sorted(self._labels))
        if len(self._labels) < 2:
            raise UserError(
                "the entailment model has a single output, so nothing to weigh support against",
                hint="name a classifier with a label for support and at least one other",
            )
        if s.label.casefold() not in self._labels:
            raise UserError(
                f"the entailment model has no label '{s.label}'",
                hint=f"write label: with one of {known}",
            )

    def encode(self, pair: tuple[str, str], s: EntailmentSettings) -> _Input | Entailed:
        limit = min(s.max_tokens, self._longest)
        cut = max(0, len(self._tokenizer(*pair, verbose=False)["input_ids"]) - limit)
        if cut >= len(_plain(self._tokenizer, pair[0])) and cut:
            return _TOO_LONG
        read = self._tokenizer(
            *pair,
            truncation="only_first" if cut else False,
            max_length=limit if cut else None,
            return_token_type_ids=True,
            verbose=False,
        )
        return _Input(tuple(read["input_ids"]), tuple(read["token_type_ids"]), cut)

    def chances(self, inputs: Sequence[_Input], s: EntailmentSettings) -> list[float]:
        import torch

        tensors = _padded(self._tokenizer, inputs, self._device)
        if "token_type_ids" in self._tokenizer.model_input_names:
            width = tensors["input_ids"].shape[1]
            kinds = [[*i.kinds, *[0] * (width - len(i.kinds))] for i in inputs]
            tensors["token_type_ids"] = torch.tensor(kinds, device=self._device)
        logits = self._model(**tensors).logits.float()
        found: list[float] = torch.softmax(logits, dim=-1)[
            :, self._labels[s.label.casefold()]
        ].tolist()
        return found


class _Text2Text:
    """A model that writes 1 or 0 after ``premise: ... hypothesis: ...``.

    The probability is P(1) / (P(1) + P(0)) of the first token that it would write.
    """

    def __init__(self, path: Path, dtype: Dtype, device: str) -> None:
        self._tokenizer = load_tokenizer(path)
        self._model = load_pretrained("AutoModelForSeq2SeqLM", path, dtype, device)
        self._device = device
        self._longest = positions(self._model)
        if not self._tokenizer.is_fast:
            raise SourceError(
                f"the tokenizer of {path} does not say where its tokens stand in a text",
                hint="name a model with a tokenizer.json",
            )
        yes, no = (_plain(self._tokenizer, text) for text in ("1", "0"))
        if not yes or not no or yes[0] == no[0]:
            raise SourceError(
                f"the tokenizer of {path} cannot tell the verdicts 1 and 0 by their first token",
                hint="name a model trained to write 1 or 0, or use backend: classifier",
            )
        self._verdicts = [yes[0], no[0]]
        start = getattr(self._model.config, "decoder_start_token_id", None)
        self._start = (
            self._model.generation_config.decoder_start_token_id if start is None else start
        )

    def check(self, s: EntailmentSettings) -> None:
        if self._start is None:
            raise UserError(
                "the text2text model does not say which token its answers start with",
                hint="name a model whose configuration has decoder_start_token_id",
            )

    def encode(self, pair: tuple[str, str], s: EntailmentSettings) -> _Input | Entailed:
        # A relative position embedding has no length of its own; what a tokenizer calls its
        # longest is then a habit of training, and max_tokens decides.
        limit = min(s.max_tokens, self._longest or s.max_tokens)
        premise, hypothesis = pair
        head = "premise: "
        read = self._tokenizer(
            f"{head}{premise} hypothesis: {hypothesis}", return_offsets_mapping=True, verbose=False
        )
        ids, spans = read["input_ids"], read["offset_mapping"]
        cut = max(0, len(ids) - limit)
        start, end = len(head), len(head) + len(premise)
        # Tokens are taken out where they stand: reading a shortened text again could give
        # another number of them, and reach into the hypothesis.
        inside = [n for n, (a, b) in enumerate(spans) if a < b and a >= start and b <= end]
        if cut and cut >= len(inside):
            return _TOO_LONG
        gone = set(inside[len(inside) - cut :])
        kept = tuple(number for n, number in enumerate(ids) if n not in gone)
        return _Input(kept, (), cut)

    def chances(self, inputs: Sequence[_Input], s: EntailmentSettings) -> list[float]:
        import torch

        tensors = _padded(self._tokenizer, inputs, self._device)
        decoder = torch.full((len(inputs), 1), int(self._start), device=self._device)
        logits = self._model(**tensors, decoder_input_ids=decoder).logits[:, 0].float()
        found: list[float] = torch.softmax(logits[:, self._verdicts], dim=-1)[:, 0].tolist()
        return found


_BACKENDS: Final[Mapping[str, type[_Classifier] | type[_Text2Text]]] = {
    "classifier": _Classifier,
    "text2text": _Text2Text,
}

_TOO_LONG: Final = Entailed(
    None, reason="the hypothesis leaves no room for a premise within the model's limit"
)
_NO_NUMBER: Final = "the model gave no finite number"


def _plain(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    return ids


def _padded(tokenizer: Any, inputs: Sequence[_Input], device: str) -> dict[str, Any]:
    import torch

    width = max(len(each.ids) for each in inputs)
    filler = tokenizer.pad_token_id or 0
    ids = [[*each.ids, *[filler] * (width - len(each.ids))] for each in inputs]
    seen = [[1] * len(each.ids) + [0] * (width - len(each.ids)) for each in inputs]
    return {
        "input_ids": torch.tensor(ids, device=device),
        "attention_mask": torch.tensor(seen, device=device),
    }
