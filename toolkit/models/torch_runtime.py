"""What every model that runs on torch in a worker shares: versions, device, threads, loading."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from io import StringIO
from pathlib import Path
from typing import Any, Final, Literal

from toolkit.errors import MissingError, SourceError
from toolkit.models.loaded import LOCK

__all__ = [
    "Device",
    "Dtype",
    "batches",
    "computing",
    "device_kind",
    "load_pretrained",
    "load_tokenizer",
    "positions",
    "runtime",
]

Device = Literal["auto", "cpu", "cuda", "mps"]
Dtype = Literal["bfloat16", "float16", "float32"]

_GPU_NODES: Final = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
"""Where Linux shows a GPU of Nvidia, one lent to WSL, and one of AMD."""


def runtime() -> str:
    """Return the versions that can change a number.

    Raises:
        MissingError: torch or transformers is not installed.
    """
    try:
        return f"torch {version('torch')}, transformers {version('transformers')}"
    except PackageNotFoundError as error:
        raise MissingError(
            "torch and transformers are not installed",
            hint="pip install 'leaderboard-toolkit[local]'",
        ) from error


def device_kind(device: Device) -> str:
    """Return ``cpu``, ``cuda`` or ``mps``; for ``auto`` a GPU where this machine has one.

    Answers without importing torch, which takes seconds: whether torch is built for GPUs
    stands in a file of its own. :func:`computing` then checks that torch agrees.
    """
    if device != "auto":
        return device
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    seen = any(Path(node).exists() for node in _GPU_NODES)
    return "cuda" if seen and not hidden and _built_for_gpus() else "cpu"


@cache
def _built_for_gpus() -> bool:
    torch = find_spec("torch")
    for place in (torch.submodule_search_locations or []) if torch else []:
        spec = spec_from_file_location("_torch_version", Path(place) / "version.py")
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return bool(getattr(module, "cuda", None) or getattr(module, "hip", None))
    return False


@contextmanager
def computing(device: Device, threads: int) -> Iterator[str]:
    """Hold the one model of this process while it loads and computes.

    Args:
        device: where the recipe wants it.
        threads: CPU threads of torch; they change the last bits of a number.

    Yields:
        ``cpu``, ``cuda`` or ``mps``.

    Raises:
        MissingError: torch or transformers is not installed, or torch finds no such device.
    """
    runtime()
    import torch
    from transformers.utils import logging

    kind = device_kind(device)
    found = kind == "cpu" or bool(getattr(torch, kind).is_available())
    if not found:
        raise MissingError(f"torch finds no device '{kind}' here", hint="write device: cpu")
    talk: Any = logging
    with LOCK, torch.inference_mode():
        # A worker has no terminal; what is wrong is raised or stands in a row.
        bars, level = talk.is_progress_bar_enabled(), talk.get_verbosity()
        talk.disable_progress_bar()
        talk.set_verbosity_error()
        torch.set_num_threads(threads)
        try:
            yield kind
        finally:
            talk.set_verbosity(level)
            if bars:
                talk.enable_progress_bar()


def load_pretrained(
    kind: str,
    path: Path,
    dtype: Dtype,
    device: str,
    *,
    trust: bool = False,
    unused: str = "",
) -> Any:
    """Return a model ready to compute, with all of its weights from ``path``.

    Args:
        kind: name of an Auto class of transformers.
        path: folder with safetensors, or a GGUF file.
        dtype: number format of the weights.
        device: ``cpu``, ``cuda`` or ``mps``.
        trust: whether Python code in the folder may run.
        unused: part of the model whose weights may be missing, because nothing asks for it.

    Raises:
        SourceError: no such model can be made of the files, or some weights are not in them.
    """
    import torch
    import transformers
    from safetensors import SafetensorError

    try:
        with _without_bar(path):
            model, report = getattr(transformers, kind).from_pretrained(
                **_place(path),
                dtype=getattr(torch, dtype),
                trust_remote_code=trust,
                local_files_only=True,
                output_loading_info=True,
                **({} if path.is_file() else {"use_safetensors": True}),
            )
    except (
        *(ImportError, KeyError, OSError, RuntimeError, ValueError),
        SafetensorError,
    ) as error:
        first = str(error).strip().partition("\n")[0]
        raise SourceError(
            f"{path} cannot be loaded with {kind}: {first or type(error).__name__}",
            hint="is it a whole model of that kind, and is there memory for it?",
        ) from error
    # The library fills what is missing with random numbers, and only warns.
    missing = sorted(key for key in report["missing_keys"] if unused not in key.split("."))
    if missing:
        raise SourceError(
            f"{path} lacks {len(missing)} of the weights that {kind} needs, such as {missing[0]}",
            hint="name a model that was trained for this task, not the base it was made from",
        )
    return model.to(device).eval()


@contextmanager
def _without_bar(path: Path) -> Iterator[None]:
    # Reading a GGUF file draws a progress bar of its own that no setting of the library hides.
    with redirect_stderr(StringIO()) if path.is_file() else nullcontext():
        yield


def load_tokenizer(path: Path, *, trust: bool = False) -> Any:
    """Return the tokenizer that lies beside a model.

    Args:
        path: folder, or a GGUF file.
        trust: whether Python code in the folder may run.

    Raises:
        SourceError: there is none that can be read.
    """
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(
            **_place(path), trust_remote_code=trust, local_files_only=True
        )
    except (ImportError, KeyError, OSError, RuntimeError, ValueError) as error:
        first = str(error).strip().partition("\n")[0]
        raise SourceError(
            f"the tokenizer of {path} cannot be loaded: {first or type(error).__name__}",
            hint="a model needs its tokenizer beside it: tokenizer.json, tokenizer_config.json",
        ) from error


def _place(path: Path) -> dict[str, Any]:
    """Return how transformers is told of a folder, or of one GGUF file."""
    if path.is_file():
        return {"pretrained_model_name_or_path": path.parent, "gguf_file": path.name}
    return {"pretrained_model_name_or_path": path}


def batches(keys: Sequence[tuple[Any, ...]], size: int) -> list[list[int]]:
    """Cut rows into batches in the order of their keys.

    The cut depends on these rows alone, so a shard that is computed again gets the same
    batches, and with them the same numbers.

    Args:
        keys: of each row its length in tokens, then what tells it from rows as long as it.
        size: rows in a batch.

    Returns:
        Positions of the rows, batch by batch; all are full but the last.
    """
    order = sorted(range(len(keys)), key=lambda row: keys[row])
    return [order[start : start + size] for start in range(0, len(order), size)]


def positions(model: Any) -> int | None:
    """Return the tokens that a model has positions for; None where positions are relative."""
    table = getattr(getattr(model.base_model, "embeddings", None), "position_embeddings", None)
    if table is not None:
        # RoBERTa counts positions from behind its padding index.
        offset = 0 if table.padding_idx is None else int(table.padding_idx) + 1
        return int(table.num_embeddings) - offset
    known = getattr(model.config, "max_position_embeddings", None)
    return None if known is None else int(known)
