"""The data of the page of items: scripts that hand one JSON value to the page.

A page that is opened from disk may load scripts but read no file, so each part of the data is a
script of one call, ``take("items-000012", ...)``. The page loads the parts it needs, when it
needs them.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.report.rows import script_json
from toolkit.store.atomic import write_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ChunkFolder", "base64_of", "chunk_text", "read_chunk", "varints"]

_PART: Final = re.compile(r'take\("([A-Za-z0-9_-]+)",(.*)\);\n', re.DOTALL)


class ChunkFolder:
    """Writes the parts and remembers which there are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.paths: list[Path] = []

    def write(self, name: str, content: Any) -> None:
        """Write a part.

        Args:
            name: of letters, digits and hyphens.
            content: strict JSON; texts in it may be anything.

        Raises:
            ValueError: a number is NaN or infinite.
        """
        path = self._folder / f"{name}.js"
        write_text(path, chunk_text(name, content))
        self.paths.append(path)


def chunk_text(name: str, content: Any) -> str:
    """Return the script of a part.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    return f'take("{name}",{script_json(content)});\n'


def read_chunk(text: str) -> tuple[str, Any]:
    """Return name and content of a part's script.

    Raises:
        ValueError: the text is no such script.
    """
    found = _PART.fullmatch(text)
    if found is None:
        raise ValueError("no script of one call")
    return found[1], json.loads(found[2])


def base64_of(values: NDArray[np.generic]) -> str:
    """Return an array's bytes, little endian, as base64 text."""
    return base64.b64encode(values.astype(values.dtype.newbyteorder("<")).tobytes()).decode("ascii")


def varints(values: NDArray[np.uint32] | Sequence[int]) -> str:
    """Return numbers below 2^32 as base64 text, seven bits a byte, lowest first (LEB128)."""
    import numpy as np

    numbers = np.asarray(values, dtype=np.uint32)
    sizes = np.ones(len(numbers), dtype=np.int64)
    for bits in (7, 14, 21, 28):
        sizes += numbers >= np.uint32(1 << bits)
    ends = np.cumsum(sizes)
    out = np.zeros(int(ends[-1]) if len(numbers) else 0, dtype=np.uint8)
    starts = ends - sizes
    for place in range(5):
        has = sizes > place
        part = (numbers[has] >> np.uint32(7 * place)) & np.uint32(127)
        more = (sizes[has] > place + 1).astype(np.uint8) << 7
        out[starts[has] + place] = part.astype(np.uint8) | more
    return base64.b64encode(out.tobytes()).decode("ascii")
