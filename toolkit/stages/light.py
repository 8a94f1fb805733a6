"""Keep pandas out of corpus workers.

pyarrow imports pandas, where it is installed, at the first conversion of Python values. That
costs each worker some 40 MB and a fifth of a second for nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["keep_pandas_out"]


class _Refuse(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == "pandas":
            raise ImportError("pandas is of no use here")
        return None


def keep_pandas_out() -> None:
    """Let pyarrow conclude that there is no pandas, then let everybody else import it again.

    Does nothing where pandas or pyarrow's own check came first.
    """
    if "pandas" in sys.modules:
        return
    finder = _Refuse()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.array([None])
    finally:
        sys.meta_path.remove(finder)
