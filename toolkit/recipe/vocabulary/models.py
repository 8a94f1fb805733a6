"""Parameters of models that are not built yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Transformers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformers:
    """A causal model through transformers, on the GPU when there is one."""

    model: str = field(metadata={"about": "path or name on the Hub"})
    revision: str | None = field(default=None, metadata={"about": "commit of the model"})
    max_tokens: int = field(default=1024, metadata={"about": "most new tokens", "minimum": 1})
    temperature: float = field(default=0.0, metadata={"about": "0 is greedy", "minimum": 0})
    batch_size: int = field(default=8, metadata={"about": "requests in a batch", "minimum": 1})
    dtype: Literal["bfloat16", "float16", "float32"] = field(
        default="bfloat16", metadata={"about": "number format of the weights"}
    )
    deterministic: bool = field(default=False, metadata={"about": "batch 1 in float32"})
    trust_remote_code: bool = field(
        default=False, metadata={"about": "run the repository's code; needs a revision"}
    )
