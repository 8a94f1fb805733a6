"""Which columns leave the machine, by the recipe's level of redistribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from toolkit.errors import UserError
from toolkit.gate.base import Level
from toolkit.gate.column_types import holds_text, release_type
from toolkit.gate.levels import IDS, TEXT, WITHHELD
from toolkit.records import ARTICLE, DERIVED, JOURNAL, SPLIT, Column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Level", "ReleaseColumn", "Table", "choose_columns", "release_schema"]

_HASHED: Final = ("input", "conclusion")
_DECLARED: Final = {column.name: column for column in (*ARTICLE, *DERIVED, *JOURNAL)}
_JOURNAL: Final = frozenset(column.name for column in JOURNAL)
_GROUP: Final = "group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What kind of table is released.

    Attributes:
        pubmed: its columns are those that :mod:`toolkit.records` declares for articles; what
            else stands beside them was joined by the user.
        journals: SCImago values were joined.
        grouped: the last column, ``group``, was added by the split step.
        withholds: texts of single rows may be left out: of records whose copyright statement
            reserves them, of a hidden split.
    """

    pubmed: bool
    journals: bool
    grouped: bool
    withholds: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseColumn:
    """One released column.

    Attributes:
        name: its name.
        type: its type, one of those :func:`~toolkit.gate.column_types.release_type` returns.
        about: what it holds, one line.
        how: ``copy`` of the source column, its ``sha256``, the sha256 of the whole ``row``, or
            why the row is ``withheld``.
        source: the source column; for ``row`` the one that is left out of the digest: a rebuild
            cannot know what the split step added.
    """

    name: str
    type: pa.DataType
    about: str
    how: Literal["copy", "sha256", "row", "withheld"] = "copy"
    source: str = ""


def choose_columns(
    schema: pa.Schema, level: Level, table: Table, *, sjr_rights: bool
) -> tuple[ReleaseColumn, ...]:
    """Return the released columns in the order of the schema, digests last.

    A PubMed column is text when it holds words of an abstract. Of any other column nothing is
    known, so it counts as text when its type can hold text at all: ``metadata`` then keeps its
    numbers, truth values and dates only, and ``ids_only`` none of them.

    Args:
        schema: columns of the items.
        level: ``ids_only``, ``metadata`` or ``full_text``.
        table: what kind of table it is.
        sjr_rights: SCImago values may be published.

    Raises:
        UserError: a column has a type that cannot be released, or a name that a digest needs.
    """
    chosen = [
        ReleaseColumn(
            name=field.name,
            type=release_type(field.type, field.name),
            about=_about(field.name, table).about,
            source=field.name,
        )
        for field in schema
        if _kept(field, level, table, sjr_rights=sjr_rights)
    ]
    if level != "full_text" or table.withholds:
        chosen += _digests(table, group=level != "full_text")
    if table.withholds:
        chosen.append(_withheld())
    _refuse_twins([column.name for column in chosen])
    return tuple(chosen)


def release_schema(columns: Sequence[ReleaseColumn]) -> pa.Schema:
    """Return the schema of the released files."""
    import pyarrow as pa

    return pa.schema([(column.name, column.type) for column in columns])


def _kept(field: pa.Field, level: Level, table: Table, *, sjr_rights: bool) -> bool:
    name = field.name
    if table.grouped and name == _GROUP:
        # A group's label can be the value of a column: `patient=...`, the title of a journal.
        return level == "full_text"
    if not (table.pubmed and name in _DECLARED):
        return (
            name == "item_id"
            or level == "full_text"
            or (level == "metadata" and not holds_text(field.type))
        )
    if name in _JOURNAL:
        mine = name == "sjr_match"
        return table.journals and level != "ids_only" and (mine or sjr_rights)
    if level == "ids_only":
        return name in IDS
    return level == "full_text" or name not in TEXT


def _about(name: str, table: Table) -> Column:
    if table.grouped and name == _GROUP:
        return next(column for column in SPLIT if column.name == _GROUP)
    if table.pubmed and name in _DECLARED:
        return _DECLARED[name]
    about = "id of the item" if name == "item_id" else "as in the source"
    return Column(name, "", about)


def _withheld() -> ReleaseColumn:
    import pyarrow as pa

    about = "why the texts of this row are left out: copyright, or hidden; null where they are not"
    return ReleaseColumn(name=WITHHELD, type=pa.string(), about=about, how="withheld")


def _digests(table: Table, *, group: bool) -> list[ReleaseColumn]:
    import pyarrow as pa

    sources = [*(_HASHED if table.pubmed else ()), *((_GROUP,) if table.grouped and group else ())]
    found = [
        ReleaseColumn(
            name=f"{source}_sha256",
            type=pa.string(),
            about="sha256 of the item's group: equal for items that stay together"
            if source == _GROUP
            else f"sha256 of the UTF-8 bytes of {source}",
            how="sha256",
            source=source,
        )
        for source in sources
    ]
    if not table.pubmed:
        about = (
            "sha256 of the item: its columns as one JSON object in UTF-8, keys sorted, no blanks"
        )
        found.append(
            ReleaseColumn(
                name="content_sha256",
                type=pa.string(),
                about=about,
                how="row",
                source=_GROUP if table.grouped else "",
            )
        )
    return found


def _refuse_twins(names: Sequence[str]) -> None:
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise UserError(
            f"the release would have two columns called '{twins[0]}'",
            hint="rename the column in corpus.fields or in the joined file",
        )
