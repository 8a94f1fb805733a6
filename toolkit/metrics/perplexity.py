"""How predictable a causal language model finds a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from toolkit.errors import UserError
from toolkit.metrics.base import ScoreDefinition, Text, Value, check_pairs, write_signature
from toolkit.metrics.measured import measure_here
from toolkit.models.likelihood import Likelihood, Likelihoods
from toolkit.models.torch_runtime import Device, Dtype

__all__ = ["Perplexity", "PerplexityParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerplexityParams:
    """Parameters of the perplexity.

    Attributes:
        profile: ``paper`` means GPT-2 without a start token and truncation unless they are named.
        model: name on the Hub, name of packaged weights, ``owner/repository:file.gguf``, or the
            path of a folder or GGUF file; None for the profile's: smollm2-135m-instruct, or
            gpt2 in ``paper``.
        revision: Hub commit of ``model``, 40 hex digits.
        on: which texts get a score of their own.
        bos: whether the model's start token comes first; without one the first token of a text
            is not predicted. None is true, and false in ``paper``.
        long_texts: what to do with texts beyond ``context``: overlapping windows (``stride``) or
            one (``truncate``); ``auto`` strides, and truncates in ``paper``.
        stride: tokens from the start of a window to the start of the next.
        context: most tokens of a window, at most the model's own context.
        batch_size: texts that go through the model together. At 1, a score depends on its own
            text alone; larger batches change its last bits.
        dtype: number format of the weights.
        device: where torch computes.
        threads: CPU threads of torch; changes the last bits as well.
    """

    profile: Literal["default", "paper"] = field(
        default="default", metadata={"about": "paper means gpt2, no start token, truncation"}
    )
    model: str | None = field(
        default=None, metadata={"about": "path or name of the scoring model; the profile's if none"}
    )
    revision: str | None = field(default=None, metadata={"about": "commit of the model"})
    on: tuple[Text, ...] = field(default=("output",), metadata={"about": "texts", "scalar": True})
    bos: bool | None = field(
        default=None, metadata={"about": "put the start token first; true, but false in paper"}
    )
    long_texts: Literal["auto", "stride", "truncate"] = field(
        default="auto",
        metadata={"about": "texts beyond the context; cuts are counted; paper truncates"},
    )
    stride: int = field(default=512, metadata={"about": "step of long texts", "minimum": 1})
    context: int = field(default=1024, metadata={"about": "most tokens read at once", "minimum": 2})
    batch_size: int = field(
        default=1, metadata={"about": "texts in a batch", "minimum": 1, "maximum": 1024}
    )
    dtype: Dtype = field(default="float32", metadata={"about": "number format of the weights"})
    device: Device = field(
        default="auto", metadata={"about": "where it computes; a GPU when there is one"}
    )
    threads: int = field(
        default=1, metadata={"about": "CPU threads of torch", "minimum": 1, "maximum": 256}
    )


class Perplexity:
    """exp of the mean negative log-likelihood of a text's tokens, 1 or more.

    The score of each row is its text's own. A table beside the leaderboard also has the
    perplexity of all texts of a model together, exp of total negative log-likelihood over total
    tokens (Jelinek et al. 1977, doi:10.1121/1.2016299). It weighs each token alike, the mean
    over rows each text.

    Lower means more predictable, which is no virtue in itself: a text that repeats itself
    scores low. The perplexity of the reference shows what people wrote and ranks nobody.
    A blank text has no score.
    """

    name: ClassVar[str] = "perplexity"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = PerplexityParams

    def __init__(self, params: PerplexityParams) -> None:
        if not params.on or len(set(params.on)) != len(params.on):
            raise UserError(
                f"perplexity: on is {list(params.on)}", hint="name each text once: output, ..."
            )
        if self._strides(params) and params.stride >= params.context:
            raise UserError(
                f"perplexity: the stride is {params.stride}, the context {params.context}",
                hint="write a stride below the context, so that each token has one before it",
            )
        self.params = params

    @property
    def reads(self) -> tuple[Text, ...]:
        """The texts of ``on``."""
        return self.params.on

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return a score for each text of ``on``."""
        return tuple(
            ScoreDefinition(
                name=_NAMES[name],
                title=_TITLES[name],
                low=1.0,
                high=None,
                direction="lower" if name == "output" else "none",
                digits=1,
            )
            for name in self.params.on
        )

    def signature(self) -> str:
        """Return what the numbers depend on; asks no network.

        Raises:
            MissingError: the weights or transformers are not on this machine.
        """
        found = self.measurer().fingerprint()
        weights = found["weights"]
        parts = {
            "model": self._label(),
            "weights": (weights.get("sha256") or weights["revision"])[:12],
            "bos": "yes" if found["bos"] else "no",
            "long": found["long_texts"],
            "context": found["context"],
            **({"stride": found["stride"]} if found["stride"] else {}),
            "batch": found["batch_size"],
            "dtype": found["dtype"],
            "device": found["device"],
            "threads": found["threads"],
            "runtime": found["runtime"].replace(", ", "+").replace(" ", "-"),
            "profile": self.params.profile,
            "version": self.version,
        }
        return write_signature(self.name, parts)

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, settings, texts and library versions; asks no network.

        Raises:
            MissingError: the weights or transformers are not on this machine.
        """
        return {
            "metric": self.name,
            "version": self.version,
            "on": list(self.params.on),
            "profile": self.params.profile,
            **self.measurer().fingerprint(),
        }

    def score(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        inputs: Sequence[str] | None = None,
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :class:`toolkit.metrics.base.InputMetric`.

        Raises:
            MissingError: the weights cannot be had, or transformers is missing.
            RunError: torch failed.
            TypeError: a row is not a string.
            UserError: the settings do not fit the model.
            ValueError: the lengths differ.
        """
        check_pairs(predictions, references)
        texts: dict[Text, Sequence[str]] = {
            "output": predictions,
            "reference": references,
            "input": [""] * len(predictions) if inputs is None else inputs,
        }
        check_pairs(predictions, texts["input"])
        return self.compare(texts, measure_here(self, texts))

    def measurer(self) -> Likelihoods:
        """Return what finds the likelihoods of its texts."""
        p = self.params
        return Likelihoods(
            model=p.model or _MODELS[p.profile],
            revision=p.revision,
            bos=p.profile == "default" if p.bos is None else p.bos,
            long_texts="stride" if self._strides(p) else "truncate",
            context=p.context,
            stride=p.stride,
            batch_size=p.batch_size,
            dtype=p.dtype,
            device=p.device,
            threads=p.threads,
        )

    def measures(self, row: Mapping[Text, str]) -> tuple[Text, ...]:
        """Return the texts of ``on`` that are not blank."""
        return tuple(name for name in self.params.on if row[name].strip())

    def compare(
        self, texts: Mapping[Text, Sequence[str]], found: Mapping[str, Likelihood]
    ) -> dict[str, list[Value]]:
        """Return the perplexities of rows whose texts were measured before."""
        return {
            _NAMES[name]: [
                _value(found[text]) if text.strip() else Value(None, reason=_BLANK[name])
                for text in texts[name]
            ]
            for name in self.params.on
        }

    def likelihoods(
        self, texts: Mapping[Text, Sequence[str]], found: Mapping[str, Likelihood]
    ) -> dict[str, list[Likelihood | None]]:
        """Return the likelihood behind each score; None where there is no score."""
        return {
            _NAMES[name]: [
                found[text] if text.strip() and found[text].perplexity is not None else None
                for text in texts[name]
            ]
            for name in self.params.on
        }

    @staticmethod
    def _strides(p: PerplexityParams) -> bool:
        if p.long_texts == "auto":
            return p.profile == "default"
        return p.long_texts == "stride"

    def _label(self) -> str:
        model = self.measurer().model
        if self.params.revision is None and Path(model).exists():
            return "file" if Path(model).is_file() else "folder"
        return model


_MODELS: Final = {"default": "smollm2-135m-instruct", "paper": "gpt2"}
_NAMES: Final[Mapping[Text, str]] = {
    "output": "perplexity",
    "reference": "perplexity_reference",
    "input": "perplexity_input",
}
_TITLES: Final[Mapping[Text, str]] = {
    "output": "Perplexity",
    "reference": "Perplexity of the reference",
    "input": "Perplexity of the input",
}
_BLANK: Final[Mapping[Text, str]] = {
    "output": "empty prediction",
    "reference": "empty reference",
    "input": "empty input",
}


def _value(likelihood: Likelihood) -> Value:
    if likelihood.perplexity is None:
        return Value(None, reason=likelihood.reason or "too unlikely for a number")
    notes = []
    if likelihood.cut:
        notes.append(f"tokens cut off: {likelihood.cut}")
    if likelihood.unknown:
        notes.append(f"tokens outside the vocabulary: {likelihood.unknown}")
    return Value(likelihood.perplexity, note="; ".join(notes))
