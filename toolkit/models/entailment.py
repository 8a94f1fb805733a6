"""Entailment models: the probability that one text supports another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from toolkit.errors import SourceError, UserError
from toolkit.models.torch_runtime import LOCK, Dtype, batches, device_of, loaded, runtime
from toolkit.models.weights.folder import ModelFolder
from toolkit.store.canonical import text_digest

__all__ = ["Entailed", "Entailment", "EntailmentSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentSettings:
    """Which model, and how it computes.

    Attributes:
        model: name on the Hub, or a folder.
        revision: commit on the Hub.
        backend: a classifier of pairs, or a model that writes its verdict (TRUE, Honovich et
            al. 2022, arXiv 2204.04991).
        label: label of the classifier that means support.
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
    """Scores pairs of texts; the model is loaded by the first call in a process."""

    def __init__(self, settings: EntailmentSettings) -> None:
        self.settings = settings
        folder = Path(settings.model)
        self._weights = ModelFolder(
            settings.model if not folder.is_dir() else folder.name,
            folder if folder.is_dir() else None,
            settings.revision,
            what="entailment model",
        )

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, runtime and every parameter that can change a probability.

        Raises:
            MissingError: the runtime is not installed, or the weights are not known.
        """
        s = self.settings
        return {
            "weights": self._weights.identify(),
            "runtime": runtime(),
            "backend": s.backend,
            "label": s.label,
            "max_tokens": s.max_tokens,
            "batch_size": s.batch_size,
            "dtype": s.dtype,
            "threads": s.threads,
        }

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        """Return the probability of each pair (premise, hypothesis), in the order given.

        Raises:
            MissingError: runtime or weights cannot be had.
            UserError: the model has no such label.
        """
        import torch

        s = self.settings
        runtime()
        folder = self._weights.locate()
        with LOCK, torch.inference_mode():
            torch.set_num_threads(s.threads)
            device = device_of("auto")
            key = ("entailment", str(folder), s.backend, s.dtype, device)
            backend: Any = loaded(key, lambda: _BACKENDS[s.backend](folder, s, device))
            lengths = [backend.length(*pair) for pair in pairs]
            ids = [text_digest(list(pair)) for pair in pairs]
            found: dict[int, Entailed] = {}
            for batch in batches(lengths, ids, s.batch_size):
                results = backend.batch([pairs[row] for row in batch], s)
                found.update(zip(batch, results, strict=True))
        return [found[row] for row in range(len(pairs))]


class _Classifier:
    """A sequence classifier over pairs."""

    def __init__(self, folder: Path, settings: EntailmentSettings, device: str) -> None:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = _from_folder(AutoModelForSequenceClassification, folder, settings, device)
        self._device = device

    def length(self, premise: str, hypothesis: str) -> int:
        """Return the tokens of a whole pair."""
        return len(self._tokenizer(premise, hypothesis, verbose=False)["input_ids"])

    def batch(self, pairs: Sequence[tuple[str, str]], s: EntailmentSettings) -> list[Entailed]:
        """Return what the classifier says of the pairs."""
        import torch

        limit = _limit(self._tokenizer, self._model.config, s.max_tokens)
        label = self._label(s.label)
        cuts = [max(0, self.length(*pair) - limit) for pair in pairs]
        if too_long := [i for i, pair in enumerate(pairs) if self._alone(pair[1]) >= limit]:
            kept = [pair for i, pair in enumerate(pairs) if i not in too_long]
            rest = iter(self.batch(kept, s) if kept else [])
            return [_TOO_LONG if i in too_long else next(rest) for i in range(len(pairs))]
        inputs = self._tokenizer(
            [pair[0] for pair in pairs],
            [pair[1] for pair in pairs],
            truncation="only_first",
            max_length=limit,
            padding=True,
            return_tensors="pt",
        ).to(self._device)
        logits = self._model(**inputs).logits.float()
        chances = torch.softmax(logits, dim=-1)[:, label].tolist()
        return [Entailed(chance, cut) for chance, cut in zip(chances, cuts, strict=True)]

    def _alone(self, hypothesis: str) -> int:
        return len(self._tokenizer("", hypothesis, verbose=False)["input_ids"])

    def _label(self, wanted: str) -> int:
        labels = {str(name).casefold(): int(n) for n, name in self._model.config.id2label.items()}
        if wanted.casefold() not in labels:
            raise UserError(
                f"the entailment model has no label '{wanted}'",
                hint=f"write label: with one of {', '.join(sorted(labels))}",
            )
        return labels[wanted.casefold()]


class _Text2Text:
    """A model that writes 1 or 0 after ``premise: ... hypothesis: ...``."""

    def __init__(self, folder: Path, settings: EntailmentSettings, device: str) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = _from_folder(AutoModelForSeq2SeqLM, folder, settings, device)
        self._device = device
        yes, no = (
            self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("1", "0")
        )
        if not yes or not no or yes[-1] == no[-1]:
            raise SourceError(
                f"the tokenizer of {folder} cannot tell the verdicts 1 and 0 apart",
                hint="name a model trained to write 1 or 0, or use backend: classifier",
            )
        self._verdicts = [yes[-1], no[-1]]

    def length(self, premise: str, hypothesis: str) -> int:
        """Return the tokens of a whole pair."""
        return len(self._tokenizer(_question(premise, hypothesis), verbose=False)["input_ids"])

    def batch(self, pairs: Sequence[tuple[str, str]], s: EntailmentSettings) -> list[Entailed]:
        """Return P(1) / (P(1) + P(0)) of the first token the model would write."""
        import torch

        limit = _limit(self._tokenizer, self._model.config, s.max_tokens)
        texts: list[str] = []
        cuts: list[int] = []
        for premise, hypothesis in pairs:
            short, cut = self._fitted(premise, hypothesis, limit)
            texts.append(_question(short, hypothesis))
            cuts.append(cut)
        inputs = self._tokenizer(
            texts, truncation=True, max_length=limit, padding=True, return_tensors="pt"
        ).to(self._device)
        start = self._model.config.decoder_start_token_id
        decoder = torch.full((len(pairs), 1), start, device=self._device)
        logits = self._model(**inputs, decoder_input_ids=decoder).logits[:, 0].float()
        chances = torch.softmax(logits[:, self._verdicts], dim=-1)[:, 0].tolist()
        return [Entailed(chance, cut) for chance, cut in zip(chances, cuts, strict=True)]

    def _fitted(self, premise: str, hypothesis: str, limit: int) -> tuple[str, int]:
        """Return the premise cut so that the question fits, and the tokens cut off."""
        over = self.length(premise, hypothesis) - limit
        if over <= 0:
            return premise, 0
        ids = self._tokenizer(premise, add_special_tokens=False, verbose=False)["input_ids"]
        kept = ids[: max(0, len(ids) - over)]
        return str(self._tokenizer.decode(kept)), len(ids) - len(kept)


_BACKENDS: Final[Mapping[str, Any]] = {"classifier": _Classifier, "text2text": _Text2Text}

_TOO_LONG = Entailed(None, reason="the hypothesis alone is longer than the model's limit")


def _question(premise: str, hypothesis: str) -> str:
    return f"premise: {premise} hypothesis: {hypothesis}"


def _limit(tokenizer: Any, config: Any, most: int) -> int:
    """Return the tokens a pair may have: the smallest of what all three say."""
    known = [most, int(tokenizer.model_max_length)]
    positions = getattr(config, "max_position_embeddings", None)
    if positions:
        known.append(int(positions))
    return min(known)


def _from_folder(cls: Any, folder: Path, s: EntailmentSettings, device: str) -> Any:
    import torch

    model = cls.from_pretrained(folder, dtype=getattr(torch, s.dtype), use_safetensors=True)
    return model.to(device).eval()
