"""Every error a person can meet.

::

    ToolkitError            base: a message, and a hint that says what to do
    +-- UserError           exit 2: the recipe, a file or the command line is wrong
    |   +-- RecipeError     all faults of a recipe at once, each with file:line
    |   +-- SourceError     an input file is damaged or is not what it claims to be
    |   +-- MissingError    something has to be installed, downloaded or set first
    |   +-- StoreError      the workspace is damaged, locked or newer than this program
    +-- RunError            exit 3: the run stopped or is incomplete; it can be resumed
        +-- Stopped           the run was asked to stop
        +-- ValidationFailed  an artifact broke its expectation suite

Anything that is not a ToolkitError is a bug (exit 1) and keeps its traceback.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Fault",
    "MissingError",
    "RecipeError",
    "RunError",
    "SourceError",
    "Stopped",
    "StoreError",
    "ToolkitError",
    "UserError",
    "ValidationFailed",
    "suggest",
]


class ToolkitError(Exception):
    """Base of all errors that are shown without a traceback.

    Attributes:
        message: what is wrong and where.
        hint: what to do about it; may be empty.
    """

    exit_code = 3

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments would be lost when a Dask worker sends the error home.
        return (_rebuild, (type(self), self.message, self.hint, self.__dict__))

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


def _rebuild(
    kind: type[ToolkitError], message: str, hint: str, state: dict[str, object]
) -> ToolkitError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    error.message = message
    error.hint = hint
    error.__dict__.update(state)
    return error


class UserError(ToolkitError):
    """Something the user can put right; exit code 2."""

    exit_code = 2


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One fault of a recipe.

    Attributes:
        file: path of the YAML file as the user gave it.
        line: 1-based line, 0 when the fault belongs to no line (a ``--set`` override).
        column: 1-based column, 0 when unknown.
        path: dotted recipe path, e.g. ``models.gpt.temperature``.
        reason: what is wrong.
        suggestion: what to write instead; may be empty.
    """

    file: str
    line: int
    column: int
    path: str
    reason: str
    suggestion: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        path = f" [{self.path}]" if self.path else ""
        tail = f"; {self.suggestion}" if self.suggestion else ""
        return f"{where}:{path} {self.reason}{tail}"


class RecipeError(UserError):
    """A recipe has faults; all of them are listed.

    Attributes:
        faults: the faults, in the order of the file.
    """

    def __init__(self, faults: list[Fault], *, hint: str = "") -> None:
        self.faults = sorted(faults)
        count = len(faults)
        head = f"{count} fault{'s' if count != 1 else ''} in the recipe"
        super().__init__("\n".join([head, *(f"  {fault}" for fault in self.faults)]), hint=hint)


class SourceError(UserError):
    """An input file cannot be used: damaged, wrong format, wrong encoding, missing."""


class MissingError(UserError):
    """A package, model weights or an environment variable is missing; the hint brings it."""


class StoreError(UserError):
    """The workspace cannot be used as it is: damaged, locked, or written by a newer version."""


class RunError(ToolkitError):
    """The run is incomplete and can be resumed; exit code 3."""


class Stopped(RunError):
    """The run was asked to stop; what is finished stays."""


class ValidationFailed(RunError):
    """An artifact broke its expectation suite and the recipe says to stop."""


_SHOWN = 20


def suggest(name: str, known: list[str] | tuple[str, ...]) -> str:
    """Return a did-you-mean sentence for an unknown name.

    Args:
        name: the unknown name.
        known: the names that would have been right.

    Returns:
        ``did you mean 'x'?`` when one is close, else the list of known names.
    """
    import difflib

    close = difflib.get_close_matches(name, known, 1, 0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    if not known:
        return "none are known"
    shown = sorted(known)[:_SHOWN]
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return f"known: {', '.join(shown)}{more}"
