"""Cosine of the TF-IDF vectors of prediction and reference.

Salton, G. and Buckley, C. (1988), "Term-weighting approaches in automatic text retrieval",
doi:10.1016/0306-4573(88)90021-0. The inverse document frequency is scikit-learn's smoothed one,
ln((1 + documents) / (1 + documents with the word)) + 1.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
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
from toolkit.metrics.document_frequencies import count_documents, look_up, n_documents, terms
from toolkit.store.canonical import file_digest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TfidfCosine", "TfidfCosineParams", "smooth_idf", "tfidf_cosine"]

Weights = Callable[[Iterable[str]], Mapping[str, float]]
"""Gives the idf of each word; a word that it leaves out counts for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TfidfCosineParams:
    """Parameters of the TF-IDF cosine.

    Attributes:
        idf: where document frequencies come from: ``corpus`` takes all references of the run,
            ``pair`` the two texts of a row, ``file`` a background corpus.
        file: the background corpus: a text file with one document a line, or a ``.csv`` with
            the columns ``word`` and ``idf``.
        unseen: a word in no document of the background gets the largest possible idf
            (``count``), or is left out of both vectors (``drop``), as scikit-learn does.
    """

    idf: Literal["corpus", "pair", "file"] = field(
        default="corpus", metadata={"about": "where document frequencies come from"}
    )
    file: str | None = field(default=None, metadata={"about": "background corpus", "path": True})
    unseen: Literal["count", "drop"] = field(
        default="count", metadata={"about": "words that the background lacks"}
    )


class TfidfCosine:
    """Cosine in 0-1 of raw term counts times inverse document frequency.

    A blank reference, and one without words, gives no score; a blank prediction scores 0. With
    ``idf: corpus`` a run counts document frequencies over all references of the items that were
    selected; outside a run they come from the references of the call.
    """

    name: ClassVar[str] = "tfidf_cosine"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = TfidfCosineParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "reference")

    def __init__(self, params: TfidfCosineParams) -> None:
        if (params.idf == "file") != (params.file is not None):
            raise UserError(
                "tfidf_cosine: idf: file and file belong together",
                hint="name the background corpus with file, or choose idf: corpus or pair",
            )
        self.params = params
        self._table: pa.Table | None = None

    @property
    def fits(self) -> Text | None:
        """References, where document frequencies come from the corpus."""
        return "reference" if self.params.idf == "corpus" else None

    def fit(self, batches: Iterable[Sequence[str]]) -> pa.Table:
        """Count document frequencies; see :class:`toolkit.metrics.base.FittedMetric`."""
        return count_documents(batches)

    def fitted(self, table: pa.Table) -> Metric:
        """Return the metric that weighs words by a table of :meth:`fit`."""
        other = copy(self)
        other._table = table
        return other

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return tfidf_cosine."""
        return (ScoreDefinition(name="tfidf_cosine", title="TF-IDF cosine"),)

    def signature(self) -> str:
        """Return what the numbers depend on.

        Raises:
            UserError: the background corpus cannot be read.
        """
        parts = self._parts()
        if "file" in parts:
            parts["file"] = parts["file"][:12]
        return write_signature(self.name, parts)

    def fingerprint(self) -> dict[str, Any]:
        """Return the parameters, the checksum of the background corpus and the version.

        Raises:
            UserError: the background corpus cannot be read.
        """
        return {"metric": self.name, **self._parts()}

    def _parts(self) -> dict[str, Any]:
        parts: dict[str, Any] = {"idf": self.params.idf}
        if self.params.file is not None:
            parts["file"] = _file_digest(Path(self.params.file))
        return {
            **parts,
            "unseen": self.params.unseen,
            "tf": "raw",
            "smooth": "yes",
            "words": "unicode-joined",
            "case": "folded",
            "version": self.version,
        }

    def score(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :class:`toolkit.metrics.base.Metric`.

        Raises:
            TypeError: a row is not a string.
            UserError: the background corpus cannot be read.
            ValueError: the two lengths differ.
        """
        check_pairs(predictions, references)
        rows = list(zip(predictions, references, strict=True))
        if self.params.idf == "pair":
            return {"tfidf_cosine": [self._row(*row, _pair_weights(*row)) for row in rows]}
        if self.params.idf == "file":
            weights = _file_weights(Path(str(self.params.file)), self.params.unseen)
        else:
            table = self.fit([references]) if self._table is None else self._table
            weights = _table_weights(table, self.params.unseen)
        # One look-up for all rows: in a large table a look-up costs more than the words.
        idf = weights(word for row in rows for text in row for word in terms(text))
        return {"tfidf_cosine": [self._row(*row, lambda _: idf) for row in rows]}

    @staticmethod
    def _row(prediction: str, reference: str, weights: Weights) -> Value:
        decided = shortcut(prediction, reference)
        if decided is not None:
            return decided
        left, right = Counter(terms(prediction)), Counter(terms(reference))
        if not right:
            return Value(None, reason="no words in the reference")
        idf = weights(chain(left, right))
        if not any(word in idf for word in right):
            return Value(None, reason="no word of the reference in the background corpus")
        return Value(tfidf_cosine(left, right, idf))


def tfidf_cosine(
    left: Mapping[str, int], right: Mapping[str, int], idf: Mapping[str, float]
) -> float:
    """Return the cosine in 0-1 of two vectors of counts times idf; 0 where one is empty.

    Args:
        left: counts of the words of one text.
        right: counts of the words of the other.
        idf: weight of each word; words without one are left out.
    """
    a = {word: count * idf[word] for word, count in left.items() if word in idf}
    b = {word: count * idf[word] for word, count in right.items() if word in idf}
    norms = math.hypot(*a.values()) * math.hypot(*b.values())
    if not norms:
        return 0.0
    dot = math.fsum(weight * b[word] for word, weight in a.items() if word in b)
    # Rounding can lift the cosine of a text with itself a hair above 1.
    return min(dot / norms, 1.0)


def smooth_idf(documents: int, total: int) -> float:
    """Return ln((1 + total) / (1 + documents)) + 1.

    Args:
        documents: documents with the word.
        total: all documents.
    """
    return math.log((1 + total) / (1 + documents)) + 1


_LINES: Final = 1000


def _pair_weights(prediction: str, reference: str) -> Weights:
    texts = set(terms(prediction)), set(terms(reference))
    return lambda words: {
        word: smooth_idf((word in texts[0]) + (word in texts[1]), 2) for word in words
    }


def _table_weights(table: pa.Table, unseen: str) -> Weights:
    total = n_documents(table)

    def weights(words: Iterable[str]) -> Mapping[str, float]:
        found = look_up(table, words)
        kept = found.items() if unseen == "count" else ((w, n) for w, n in found.items() if n)
        return {word: smooth_idf(count, total) for word, count in kept}

    return weights


def _file_weights(path: Path, unseen: str) -> Weights:
    stat = path.stat() if path.is_file() else None
    stamp = (stat.st_mtime_ns, stat.st_size) if stat is not None else (0, 0)
    if path.suffix != ".csv":
        return _table_weights(_counted(path, stamp), unseen)
    known, top = _listed(path, stamp)

    def weights(words: Iterable[str]) -> Mapping[str, float]:
        if unseen == "drop":
            return {word: known[word] for word in words if word in known}
        # Rarer than every word of the list, so at least as telling as the most telling one.
        return {word: known.get(word, top) for word in words}

    return weights


# Keyed by the file's time and size as well, so that a changed file is read again.
@lru_cache(maxsize=2)
def _counted(path: Path, stamp: tuple[int, int]) -> pa.Table:
    try:
        with path.open(encoding="utf-8") as lines:
            documents = (line for line in lines if not line.isspace())
            return count_documents(_runs(documents))
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error


def _runs(documents: Iterable[str]) -> Iterator[Sequence[str]]:
    iterator = iter(documents)
    while run := list(islice(iterator, _LINES)):
        yield run


@lru_cache(maxsize=2)
def _listed(path: Path, stamp: tuple[int, int]) -> tuple[dict[str, float], float]:
    known: dict[str, float] = {}
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            for number, row in enumerate(csv.DictReader(lines), start=2):
                known[str(row["word"]).casefold()] = _weight(path, number, row["idf"])
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error
    except KeyError as error:
        raise UserError(
            f"{path}: has no column {error}", hint="the columns are word and idf"
        ) from error
    if not known:
        raise UserError(f"{path}: holds no words", hint="the columns are word and idf")
    return known, max(known.values())


def _weight(path: Path, line: int, text: str | None) -> float:
    try:
        weight = float(text or "")
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight > 0):
        raise UserError(
            f"{path}, line {line}: the idf '{text}' is not a positive number",
            hint="write one word and its idf a line",
        )
    return weight


def _file_digest(path: Path) -> str:
    try:
        return file_digest(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> UserError:
    return UserError(
        f"{path}: the background corpus of tfidf_cosine cannot be read: {error}",
        hint="name a UTF-8 text file with one document a line, or a .csv with word and idf",
    )
