"""Items that stand in a training corpus, and what scores are without them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from toolkit.analyses.base import AnalysisInputs, AnalysisTable
from toolkit.analyses.families import Correction, adjust, family_note
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.item_halves import Halves, halves_rows, halves_test
from toolkit.analyses.near_index import Match, NearIndex
from toolkit.analyses.ngram_index import Coverage, NgramIndex
from toolkit.analyses.overlap_tables import ITEMS, SCORES, SUMMARY, overlap_figures
from toolkit.analyses.score_matrix import ScoreMatrices
from toolkit.analyses.training_texts import Unit, training_texts
from toolkit.errors import UserError
from toolkit.recipe.splits_section import NearDuplicates
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.intervals import share_row
from toolkit.statistics.permutation import enough_permutations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TrainingOverlap", "TrainingOverlapParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOverlapParams:
    """Overlap of the items with a training corpus of yours, and scores without it."""

    files: tuple[str, ...] = field(
        metadata={
            "about": "training texts: JSONL, Parquet or text files, or globs",
            "path": True,
            "scalar": True,
        }
    )
    columns: tuple[str, ...] = field(
        metadata={"about": "text columns of the items, e.g. [input, conclusion]", "scalar": True}
    )
    column: str = field(
        default="text", metadata={"about": "column of the texts in JSONL and Parquet files"}
    )
    unit: Unit = field(
        default="line",
        metadata={"about": "what is one text of a text file: line, paragraph or file"},
    )
    ngram: int = field(
        default=13, metadata={"about": "words in an n-gram", "minimum": 2, "maximum": 100}
    )
    share: float = field(
        default=0.7,
        metadata={
            "about": "share of a text's n-grams found from which on it is flagged",
            "minimum": 0.0,
            "maximum": 1.0,
        },
    )
    jaccard: float | None = field(
        default=0.8,
        metadata={
            "about": "similarity of near-duplicates, which are flagged; null looks for none",
            "minimum": 0.1,
            "maximum": 1.0,
        },
    )
    shingle: int = field(
        default=5, metadata={"about": "words in a shingle", "minimum": 1, "maximum": 50}
    )
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values depend on one another"}
    )
    correction: Correction = field(
        default="holm", metadata={"about": "for tests of several competitors: holm, bh or none"}
    )
    n: int = field(default=2000, metadata={"about": "permutations", "minimum": 100})


@dataclass(frozen=True, slots=True)
class _Overlap:
    """What was found of one text column.

    Attributes:
        texts: (items,) the texts; None where an item has none.
        coverage: of each.
        matches: of each.
        flagged: (items,) of each.
    """

    texts: list[str | None]
    coverage: list[Coverage]
    matches: list[Match | None]
    flagged: NDArray[np.bool_]


class TrainingOverlap:
    """Copies, near-duplicates and shared n-grams; scores of flagged items against the others."""

    name: ClassVar[str] = "training_overlap"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = TrainingOverlapParams

    def __init__(self, params: TrainingOverlapParams) -> None:
        """Take the parameters.

        Raises:
            UserError: no file or no column is named, or a column twice.
        """
        if not params.files:
            raise UserError(
                "training_overlap.files is empty", hint="name the files of the training corpus"
            )
        if not params.columns or len(set(params.columns)) != len(params.columns):
            raise UserError(
                f"training_overlap.columns is {list(params.columns)}",
                hint="name text columns of the items, each once, e.g. [input, conclusion]",
            )
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the text columns, and that of the clusters."""
        p = self.params
        return tuple(dict.fromkeys((*p.columns, *([p.cluster] if p.cluster else []))))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values; the plan adds what files hold."""
        return identity(self)

    def describe(self) -> str:
        """Return how the numbers were found, for people."""
        p = self.params
        near = (
            f"near-duplicates of Jaccard similarity {p.jaccard:g} of {p.shingle}-word shingles, "
            if p.jaccard is not None
            else ""
        )
        return (
            f"copies, {near}and texts with {p.share:.0%} of their {p.ngram}-word n-grams in the "
            f"training texts are flagged; {halves_test(p.cluster is not None, p.cluster, p.n)}"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return a summary, the flagged items, and the scores with and without them.

        The training texts are read once and never held. In memory: the texts of the items, some
        13 bytes for each of their n-grams, 16 bytes for each text and band of MinHash, the scores.

        Raises:
            SourceError: a training file is missing or damaged.
            UserError: a column holds no text.
        """
        p = self.params
        matrices = ScoreMatrices(inputs.scores)
        items = ItemColumns(inputs.items, self.item_columns(), matrices.items)
        overlaps, corpus = self._overlaps(items)
        flagged = _any([overlap.flagged for overlap in overlaps.values()])
        rows: list[dict[str, Any]] = []
        halves = Halves(flagged, ~flagged, items.clusters(p.cluster), p.cluster is not None)
        for score in matrices.scores(p.scores):
            matrix = matrices.matrix(score)
            found = halves_rows(
                list(matrix.values.T),
                [inputs.definition(score).limits] * len(matrix.systems),
                halves,
                generator(inputs.seed, self.name, score),
                names=("flagged", "clean"),
                permutations=enough_permutations(len(matrix.systems), p.n),
            )
            for (model, prompt), values, row in zip(
                matrix.systems, matrix.values.T, found, strict=True
            ):
                rows.append(
                    {
                        "score": score,
                        "model": inputs.title(model),
                        "prompt": prompt,
                        **_all(values),
                        **row,
                    }
                )
        adjust(rows, ("score",), p.correction)
        return self._tables((matrices.items, overlaps, flagged), rows, corpus, inputs)

    def _overlaps(self, items: ItemColumns) -> tuple[dict[str, _Overlap], dict[str, Any]]:
        """Stream the training texts past the items' texts."""
        import numpy as np

        p = self.params
        texts = {column: _texts(items, column) for column in p.columns}
        count = len(next(iter(texts.values())))
        joined = [text for column in texts.values() for text in column]
        near = (
            NearDuplicates(threshold=p.jaccard, shingle=p.shingle)
            if p.jaccard is not None
            else None
        )
        ngrams, likes = NgramIndex(joined, p.ngram), NearIndex(joined, near)
        corpus = {"texts": 0, "characters": 0}
        digest = hashlib.blake2b(digest_size=8)
        for text in training_texts(p.files, p.column, p.unit):
            ngrams.pass_by(text.text)
            likes.pass_by(text)
            encoded = text.text.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "little") + encoded)
            corpus["texts"] += 1
            corpus["characters"] += len(text.text)
        coverage, matches = ngrams.coverage(), likes.matches()
        found = {}
        for at, column in enumerate(p.columns):
            part = slice(at * count, (at + 1) * count)
            flags = [
                match is not None or (met.found > 0 and met.found / met.ngrams >= p.share)
                for met, match in zip(coverage[part], matches[part], strict=True)
            ]
            found[column] = _Overlap(
                texts[column], coverage[part], matches[part], np.array(flags, bool)
            )
        return found, {**corpus, "digest": digest.hexdigest()}

    def _signature(self, corpus: dict[str, Any], seed: int) -> str:
        p = self.params
        return (
            f"{self.name}|version:{self.version}|corpus:{corpus['digest']}"
            f"|texts:{corpus['texts']}|ngram:{p.ngram}|share:{p.share:g}"
            f"|jaccard:{'none' if p.jaccard is None else f'{p.jaccard:g}'}|shingle:{p.shingle}"
            f"|permutations:{p.n}|cluster:{p.cluster or 'item'}|correction:{p.correction}"
            f"|seed:{seed}"
        )

    def _tables(
        self,
        about: tuple[Sequence[str], dict[str, _Overlap], NDArray[np.bool_]],
        scores: list[dict[str, Any]],
        corpus: dict[str, Any],
        inputs: AnalysisInputs,
    ) -> list[AnalysisTable]:
        ids, overlaps, flagged = about
        p = self.params
        summary = [_summary(column, overlap) for column, overlap in overlaps.items()]
        signature = self._signature(corpus, inputs.seed)
        searched = (
            f"Searched: {corpus['texts']:,} training texts of {corpus['characters']:,} "
            f"characters. Method: {self.describe()}."
        )
        words = (
            "Words are compared without case and punctuation. The longest run is of words whose "
            f"every {p.ngram}-gram stands somewhere in the training texts, not always in one."
        )
        return [
            AnalysisTable(
                name="training_overlap",
                title="Items found in the training corpus",
                columns=SUMMARY,
                rows=summary,
                notes=(searched, words, "Intervals of shares are Wilson's (1927)."),
                signature=signature,
                figures=overlap_figures(
                    {
                        column: [met.found / met.ngrams for met in overlap.coverage if met.ngrams]
                        for column, overlap in overlaps.items()
                    },
                    scores,
                    int(flagged.sum()),
                    inputs,
                ),
            ),
            AnalysisTable(
                name="training_overlap_items",
                title="Flagged items",
                columns=ITEMS,
                rows=_items(ids, overlaps),
                notes=(searched, words),
                signature=signature,
            ),
            AnalysisTable(
                name="training_overlap_scores",
                title="Scores with and without items found in the training corpus",
                columns=SCORES,
                rows=scores,
                notes=(
                    searched,
                    f"{int(flagged.sum())} of {len(ids)} items are flagged in one column or more.",
                    family_note(p.correction, "all competitors of one score"),
                    "A difference may have other causes than training: flagged items may be "
                    "easier. Baselines show how much.",
                ),
                signature=signature,
            ),
        ]


def _texts(items: ItemColumns, column: str) -> list[str | None]:
    values = items.values(column)
    wrong = next((value for value in values if not isinstance(value, str | None)), None)
    if wrong is not None:
        raise UserError(
            f"the column '{column}' holds '{str(wrong)[:80]}', which is no text",
            hint="name text columns in training_overlap.columns",
        )
    return values


def _any(flags: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    import numpy as np

    found: NDArray[np.bool_] = np.logical_or.reduce(list(flags))
    return found


def _all(values: NDArray[np.float64]) -> dict[str, Any]:
    import numpy as np

    known = values[np.isfinite(values)]
    return {"n": len(known), "mean": float(known.mean()) if len(known) else None}


def _summary(column: str, overlap: _Overlap) -> dict[str, Any]:
    shares = [met.found / met.ngrams for met in overlap.coverage if met.ngrams]
    known = [match for match in overlap.matches if match is not None]
    n = sum(text is not None for text in overlap.texts)
    exact = sum(match.exact for match in known)
    return {
        "column": column,
        "n": n,
        "n_short": n - len(shares),
        "n_exact": exact,
        "n_near": len(known) - exact,
        "n_any": sum(met.found > 0 for met in overlap.coverage),
        "n_flagged": int(overlap.flagged.sum()),
        **share_row("flagged", int(overlap.flagged.sum()), n),
        "mean_share": sum(shares) / len(shares) if shares else None,
        "longest": max((met.longest for met in overlap.coverage), default=0),
    }


def _items(ids: Sequence[str], overlaps: dict[str, _Overlap]) -> list[dict[str, Any]]:
    rows = []
    for at, item in enumerate(ids):
        for column, overlap in overlaps.items():
            if not overlap.flagged[at]:
                continue
            met, match = overlap.coverage[at], overlap.matches[at]
            rows.append(
                {
                    "item_id": item,
                    "column": column,
                    "exact": match is not None and match.exact,
                    "jaccard": match.jaccard if match else None,
                    "where": f"{match.file}:{match.position + 1}" if match else None,
                    "ngrams": met.ngrams,
                    "share": met.found / met.ngrams if met.ngrams else None,
                    "longest": met.longest,
                }
            )
    return rows
