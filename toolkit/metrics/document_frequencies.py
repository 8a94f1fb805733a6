"""In how many documents each word occurs, counted in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from toolkit.sentences import split_words

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["count_documents", "look_up", "n_documents", "terms"]

# Partial counts are added up whenever they hold this many rows: some tens of megabytes.
_ROWS: Final = 500_000
# The row of the table that holds the number of documents; no word is empty.
_DOCUMENTS: Final = ""


def terms(text: str) -> list[str]:
    """Return the case-folded words of a text, of any script, see ``toolkit.sentences``."""
    return [word.casefold() for word in split_words(text)]


def count_documents(batches: Iterable[Sequence[str]]) -> pa.Table:
    """Count in how many texts each word occurs.

    Args:
        batches: texts in runs of any length.

    Returns:
        Columns ``word`` and ``documents``, sorted by word; the empty word stands for all texts.
    """
    parts: list[pa.Table] = [_table({_DOCUMENTS: 0})]
    held = 0
    for batch in batches:
        counts = Counter(word for text in batch for word in set(terms(text)))
        parts.append(_table({_DOCUMENTS: len(batch), **counts}))
        held += len(counts)
        if held > _ROWS:
            parts = [_added(parts)]
            held = 0
    return _added(parts).sort_by("word")


def n_documents(table: pa.Table) -> int:
    """Return the number of texts behind a table of :func:`count_documents`."""
    return look_up(table, [_DOCUMENTS])[_DOCUMENTS]


def look_up(table: pa.Table, words: Iterable[str]) -> dict[str, int]:
    """Return in how many documents each word occurs: 0 for one that is not in the table."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = list(dict.fromkeys(words))
    places = pc.index_in(pa.array(wanted, pa.string()), value_set=table["word"])
    found = pc.fill_null(pc.take(table["documents"], places), 0).to_pylist()
    return dict(zip(wanted, found, strict=True))


def _table(counts: Mapping[str, int]) -> pa.Table:
    import pyarrow as pa

    return pa.table(
        {
            "word": pa.array(counts.keys(), pa.string()),
            "documents": pa.array(counts.values(), pa.int64()),
        }
    )


def _added(parts: Sequence[pa.Table]) -> pa.Table:
    import pyarrow as pa

    grouped = pa.concat_tables(parts).group_by("word").aggregate([("documents", "sum")])
    return grouped.rename_columns({"documents_sum": "documents"}).select(["word", "documents"])
