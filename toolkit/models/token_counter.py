"""Count tokens with a model's own tokenizer, where it is at hand, without loading the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from toolkit.errors import UserError

__all__ = ["counter_of"]


def counter_of(params: Any) -> Callable[[str], int] | None:
    """Return a function that counts the tokens of a text, or None where no tokenizer is at hand.

    At hand is the ``tokenizer.json`` that a model's parameters name, or the one in the folder
    of a local model. Nothing is downloaded, and neither torch nor transformers is imported.

    Args:
        params: the parameters of a model.

    Raises:
        UserError: the file is named and is no tokenizer.
    """
    named = getattr(params, "tokenizer", None)
    folder = getattr(params, "folder", None)
    file = Path(named) if named else Path(folder) / "tokenizer.json" if folder else None
    if file is None or (not named and not file.is_file()):
        return None
    tokenizer = _tokenizer(file)
    if tokenizer is None:
        return None
    return lambda text: len(tokenizer.encode(text).ids)


@lru_cache(maxsize=8)
def _tokenizer(file: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        return None
    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:
        # The library raises a bare Exception, whatever is wrong with the file.
        raise UserError(
            f"{file} is no tokenizer: {error}", hint="name the tokenizer.json of the model"
        ) from error
