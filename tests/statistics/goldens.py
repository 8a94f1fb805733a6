"""Worked numbers that came with the specification; tests of them skip where they are absent."""

import json
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2].parent / "shared" / "goldens" / "statistics.json"

needed = pytest.mark.skipif(not FILE.exists(), reason=f"no {FILE.name} in ../shared/goldens")


def block(name):
    """The entries of one block; none where the file is absent."""
    return json.loads(FILE.read_text())[name] if FILE.exists() else []
