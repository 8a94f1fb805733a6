"""The rows of items and of their variants: edited text, what was edited, and what could not be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from toolkit.perturb.alteration import Alteration, Variant
from toolkit.perturb.plan_text import plans_of
from toolkit.perturb.rules import Rules
from toolkit.plan.variants import BOTH, VARIANTS
from toolkit.recipe.known_names import UNEDITED
from toolkit.records import TABLES, arrow_type, to_arrow
from toolkit.store.canonical import canonical_json
from toolkit.store.pieces import PieceWriter

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["VariantRows", "variant_id"]

_NO_EDITS: Final = "[]"


def variant_id(item_id: str, level: str) -> str:
    """Return the id of an item's variant."""
    return f"{item_id}:{level}"


class VariantRows:
    """Collects the rows of one slice of items; an item without a text is rejected, not lost."""

    def __init__(self, rules: Rules, schema: pa.Schema) -> None:
        """Take the rules.

        Args:
            rules: what is edited, and how.
            schema: of the items.
        """
        import pyarrow as pa

        self._rules = rules
        self._schema = schema
        for column in TABLES[VARIANTS]:
            self._schema = self._schema.append(pa.field(column.name, arrow_type(column.type)))
        self._rows: list[dict[str, Any]] = []
        self._edits: list[dict[str, Any]] = []
        self._rejects: list[dict[str, Any]] = []
        self._levels: dict[str, Counter[str]] = {}

    def add(self, item: Mapping[str, Any], plans: str) -> None:
        """Add an item and its variants.

        Args:
            item: its columns.
            plans: its plans, as :func:`toolkit.perturb.plan_text.plans_text` writes them.
        """
        column = self._rules.section.column
        text = item[column]
        if text is None or not text.strip():
            self._reject(item, item["item_id"], "no_text", f"'{column}' is empty")
            return
        self._rows.append(
            {
                **item,
                "original_id": item["item_id"],
                "level": UNEDITED,
                "edit_type": UNEDITED,
                "original_text": text,
                "edits": _NO_EDITS,
                "edits_asked": 0,
                "edits_made": 0,
                "edits_short": "",
            }
        )
        for level, made in self._variants(item, text, plans):
            self._add_variant(item, text, level, made)

    def write(self, writer: PieceWriter, *, with_items: bool) -> None:
        """Write the tables.

        Args:
            writer: of the slice's piece.
            with_items: write the items together with their variants, too.
        """
        import pyarrow as pa

        edited = [row for row in self._rows if row["level"] != UNEDITED]
        writer.table(VARIANTS, pa.Table.from_pylist(edited, schema=self._schema))
        if with_items:
            writer.table(BOTH, pa.Table.from_pylist(self._rows, schema=self._schema))
        for name, rows in (("edits", self._edits), ("rejects", self._rejects)):
            if rows:
                writer.table(name, to_arrow(name, rows))

    def facts(self) -> dict[str, Any]:
        """Return counts by level, and of rejects by reason."""
        return {
            "levels": {level: dict(counts) for level, counts in self._levels.items()},
            "rejected": dict(Counter(row["reason"] for row in self._rejects)),
        }

    def _type(self, level: str) -> str:
        removal = self._rules.section.removal
        return "removal" if removal is not None and level in removal.levels else "substitution"

    def _variants(
        self, item: Mapping[str, Any], text: str, plans: str
    ) -> list[tuple[str, Variant]]:
        section, name = self._rules.section, item["item_id"]
        chosen = plans_of(plans)
        found = {
            level: self._rules.substituted(text, name, level, plan)
            for level, plan in chosen.items()
        }
        removal = section.removal
        if removal is not None:
            group = self._rules.group(item)
            found |= {
                level: self._rules.removed(text, name, level, group) for level in removal.levels
            }
        return sorted(found.items())

    def _add_variant(self, item: Mapping[str, Any], text: str, level: str, made: Variant) -> None:
        name = variant_id(item["item_id"], level)
        counts = self._levels.setdefault(level, Counter())
        counts.update({"asked": made.target, "made": made.done, "short": made.done < made.target})
        if not made.alterations or made.text == text:
            counts["unedited"] += 1
            self._reject(item, name, "nothing_to_edit", f"{level}: {made.reason}")
            return
        counts["variants"] += 1
        self._rows.append(
            {
                **item,
                "item_id": name,
                self._rules.section.column: made.text,
                "original_id": item["item_id"],
                "level": level,
                "edit_type": self._type(level),
                "original_text": text,
                "edits": canonical_json([_short(one) for one in made.alterations]),
                "edits_asked": made.target,
                "edits_made": made.done,
                "edits_short": made.reason,
            }
        )
        for number, one in enumerate(made.alterations):
            self._edits.append(
                {
                    "item_id": name,
                    "original_id": item["item_id"],
                    "level": level,
                    "number": number,
                    **_short(one),
                    "spans": canonical_json([asdict(edit) for edit in one.edits]),
                }
            )

    def _reject(self, item: Mapping[str, Any], name: str, reason: str, detail: str) -> None:
        self._rejects.append(
            {
                "item_id": name,
                "reason": reason,
                "detail": detail,
                "source_file": item.get("source_file") or "",
            }
        )


def _short(one: Alteration) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "category": one.category,
        "original": one.original,
        "replacement": one.replacement,
    }
