"""Redistribution: the columns that each level lets out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolkit.gate.base import Finding, Policy
from toolkit.gate.column_types import holds_text
from toolkit.gate.outgoing import Outgoing, parquet_place
from toolkit.records import ARTICLE, DERIVED, JOURNAL

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DIGESTS", "IDS", "SJR", "TEXT", "WITHHELD", "check"]

IDS: Final = (
    "item_id",
    "version",
    "issn_print",
    "issn_electronic",
    "issn_linking",
    "year",
    "date_revised",
    "retracted",
    "source_file",
)
"""Identifiers, and what a rebuild needs to fetch the right revision and join journals again."""

TEXT: Final = ("sections", "other_abstracts", *(c.name for c in DERIVED if c.name != "leak_risk"))
"""Columns with words of an abstract; the labels of its sections are words of it, too."""

WITHHELD: Final = "withheld"
"""The column that says why a row's texts were left out; null where they were not."""

DIGESTS: Final = ("input_sha256", "conclusion_sha256", "group_sha256", "content_sha256")

SJR: Final = tuple(column.name for column in JOURNAL if column.name != "sjr_match")
"""SCImago's own values; whether a journal was found is ours."""

_ARTICLE: Final = frozenset(column.name for column in (*ARTICLE, *DERIVED, *JOURNAL))


def check(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse columns that the level of redistribution keeps here."""
    for name, schema in sorted(outgoing.schemas.items()):
        if parquet_place(name)[0] not in policy.data:
            continue
        for field in schema:
            if policy.pubmed and field.name in SJR and not policy.sjr_rights:
                message = f"the column '{field.name}' holds SCImago's values"
                hint = "leave it out, or write publish.sjr_rights: true if you may publish them"
                yield Finding("levels", name, message, hint)
            elif not _allowed(field, policy):
                message = f"the column '{field.name}' may not go out at {policy.redistribution}"
                hint = "leave it out, or change publish.redistribution"
                yield Finding("levels", name, message, hint)


def _allowed(field: pa.Field, policy: Policy) -> bool:
    name = field.name
    if policy.redistribution == "full_text" or name in (WITHHELD, "item_id", *DIGESTS):
        return True
    if name == "group":
        return False
    if not policy.pubmed or name not in _ARTICLE:
        return policy.redistribution == "metadata" and not holds_text(field.type)
    if policy.redistribution == "metadata":
        return name not in TEXT
    return name in IDS
