"""Find the files that travel with the package: recipes, validation suites, cards.

In a wheel they lie in ``toolkit/_data``; in a checkout at its top level.
"""

from __future__ import annotations

from pathlib import Path

from toolkit.errors import MissingError

__all__ = ["data_dir"]

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """Return the folder of shipped files called ``name``.

    Args:
        name: ``recipes``, ``validation`` or ``cards``.

    Returns:
        An existing folder, to be read and never written.

    Raises:
        MissingError: the installation lacks the folder.
    """
    for folder in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise MissingError(
        f"the installed package lacks its '{name}' folder",
        hint="reinstall it: pip install --force-reinstall --no-deps leaderboard-toolkit",
    )
