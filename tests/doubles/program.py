"""A server that runs as a program of its own, for the length of a block."""

from __future__ import annotations

import subprocess
import sys
from typing import Self


class ServerProgram:
    """The program prints its base URL first; leaving the block kills it."""

    def __init__(self, file: str, *arguments: str) -> None:
        self._command = [sys.executable, file, *arguments]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
