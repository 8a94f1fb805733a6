"""Digests of what a table says, whatever file, batch or library it comes from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ColumnDigests", "plain_value"]


class ColumnDigests:
    """A sha256 for each column over its values in order.

    The values are written as one JSON list, so that the size of the batches plays no part.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self._digests = {name: hashlib.sha256() for name in columns}
        self.rows = 0

    def update(self, batch: pa.RecordBatch | pa.Table) -> None:
        """Add the rows of a batch; it may have further columns."""
        if batch.num_rows == 0:
            return
        self.rows += batch.num_rows
        for name, checksum in self._digests.items():
            values = batch.column(name).to_pylist()
            text = json.dumps(
                values, ensure_ascii=False, separators=(",", ":"), default=plain_value
            )
            checksum.update(text[1:-1].encode("utf-8", "surrogatepass") + b",")

    def result(self) -> dict[str, str]:
        """Return the digests (64 hex digits) by column."""
        return {name: checksum.hexdigest() for name, checksum in self._digests.items()}


def plain_value(value: Any) -> str:
    """Return a value that JSON has no form for as text: bytes in hex, others as they print."""
    return value.hex() if isinstance(value, bytes) else str(value)
