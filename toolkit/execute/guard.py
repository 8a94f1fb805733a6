"""Detect scripts that cannot start worker processes, before any is started.

A worker process imports the main script again. A script whose call stands at module level,
outside ``if __name__ == "__main__"``, would start the run once more in each worker.
"""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

from toolkit.errors import UserError

__all__ = ["check_main"]

_GUARD = 'if __name__ == "__main__":'


def check_main() -> None:
    """Refuse to go on when worker processes would run the main script again.

    Call it in the thread of the person who starts the run: the script's own line is looked for
    among the callers.

    Raises:
        UserError: the script has no ``__main__`` guard around the call, or came on standard
            input.
    """
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    # Python calls a script that came on standard input by a name that is no file.
    if file is None or (file == "<stdin>" and not Path(file).exists()):
        if _from_standard_input():
            raise UserError(
                "the script came on standard input (python < script), where worker processes "
                "cannot find it",
                hint="save it as a file and run that file, or use: toolkit run RECIPE",
            )
        return
    line = _module_line()
    if line is None or _is_guarded(Path(file), line):
        return
    raise UserError(
        f"{file}:{line}: the run is started at module level; each worker process would start it "
        "again",
        hint=f"put the call under a line '{_GUARD}'",
    )


def _from_standard_input() -> bool:
    interactive = hasattr(sys, "ps1") or bool(sys.flags.interactive) or "IPython" in sys.modules
    return not interactive and sys.argv[:1] in ([""], ["-"])


def _module_line() -> int | None:
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__":
            return frame.f_lineno
        frame = frame.f_back
    return None


def _is_guarded(file: Path, line: int) -> bool:
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError, ValueError):
        # A zipped application or a launcher in another format: nothing to tell from its text.
        return True
    for statement in tree.body:
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            return isinstance(statement, ast.If) and any(
                isinstance(node, ast.Name) and node.id == "__name__"
                for node in ast.walk(statement.test)
            )
    return True
