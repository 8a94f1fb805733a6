"""Metrics that look at each text by itself first, and then compare what they found.

A run measures each distinct text once, whatever the number of models, prompts and metrics; the
stage of scores then only compares. Outside a run the texts at hand are measured in one go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from toolkit.metrics.base import Metric, Text, Value

if TYPE_CHECKING:
    import pyarrow as pa

    from toolkit.models.likelihood import Likelihood

__all__ = ["LikelihoodMetric", "MeasuredMetric", "Measurer", "measure_here", "wanted_texts"]


@runtime_checkable
class Measurer(Protocol):
    """Finds something out about single texts: an embedding, a likelihood.

    Instances are cheap and picklable; a model loads on the first :meth:`measure` in a process.
    """

    @property
    def what(self) -> str:
        """What it finds, as the name of a step: ``embeddings``, ``likelihoods``."""

    @property
    def batch_size(self) -> int:
        """Texts that it takes together; at 1 a result depends on its own text alone."""

    def settings(self) -> dict[str, Any]:
        """Return, as JSON and without looking at weights, what tells it from another."""

    def fingerprint(self) -> dict[str, Any]:
        """Return the JSON values that make two of its results interchangeable.

        Raises:
            MissingError: the weights or a library are not on this machine.
        """

    def measure(self, texts: Sequence[str]) -> list[Any]:
        """Return what is found of each text, in the order given.

        The last bits may depend on the set of texts where ``batch_size`` is above 1, never on
        their order or on repetitions.
        """

    def pack(self, found: Sequence[Any]) -> pa.Table:
        """Return results as a table, one row each."""

    def unpack(self, table: pa.Table) -> list[Any]:
        """Return the results that a table of :meth:`pack` holds, bit for bit."""

    def counts(self, found: Sequence[Any]) -> dict[str, int]:
        """Return numbers to be added up over all texts: tokens, tokens cut off, texts cut."""


@runtime_checkable
class MeasuredMetric(Metric, Protocol):
    """A metric whose scores follow from what a :class:`Measurer` finds of single texts."""

    def measurer(self) -> Measurer:
        """Return what measures its texts; two equal ones share their work."""

    def measures(self, row: Mapping[Text, str]) -> tuple[Text, ...]:
        """Return which texts of a row have to be measured; none where blanks decide alone."""

    def compare(
        self, texts: Mapping[Text, Sequence[str]], found: Mapping[str, Any]
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :meth:`toolkit.metrics.base.Metric.score`.

        Args:
            texts: n outputs, n references and n inputs.
            found: what was found, by text, of every text that :meth:`measures` names.
        """


@runtime_checkable
class LikelihoodMetric(MeasuredMetric, Protocol):
    """A metric whose rows also add up to one number over all of them."""

    def likelihoods(
        self, texts: Mapping[Text, Sequence[str]], found: Mapping[str, Any]
    ) -> dict[str, list[Likelihood | None]]:
        """Return what is behind each score of each row; None where there is no score."""


def wanted_texts(metric: MeasuredMetric, texts: Mapping[Text, Sequence[str]]) -> list[str]:
    """Return the texts that have to be measured to score rows, repetitions included."""
    names = list(texts)
    return [
        row[name]
        for values in zip(*texts.values(), strict=True)
        for row in [dict(zip(names, values, strict=True))]
        for name in metric.measures(row)
    ]


def measure_here(metric: MeasuredMetric, texts: Mapping[Text, Sequence[str]]) -> dict[str, Any]:
    """Measure what rows of text need, each distinct text once, in this process."""
    wanted = sorted(set(wanted_texts(metric, texts)))
    if not wanted:
        return {}
    return dict(zip(wanted, metric.measurer().measure(wanted), strict=True))
