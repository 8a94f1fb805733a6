"""An embedded LLM: llama.cpp in the worker's own process, answers that do not vary.

What makes an answer repeatable, measured: one slot, no prompt cache (a warm one evaluates the
prefix in another batch shape and changes the text), a fixed thread count (two threads change
some texts), fixed batch sizes, and one request at a time.
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from toolkit.errors import MissingError, RunError, UserError
from toolkit.models.base import Answer, ModelKind, ModelRequest, Need, cap_text
from toolkit.models.loaded import LOCK, loaded
from toolkit.models.weights.digests import file_stamp
from toolkit.models.weights.gguf import GgufFile

__all__ = ["LlamaCpp", "LlamaCppParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaCppParams:
    """Parameters of an embedded model."""

    model: str | None = field(
        default=None,
        metadata={"about": "name of packaged weights, or owner/repository:file.gguf on the Hub"},
    )
    file: str | None = field(
        default=None, metadata={"about": "a .gguf file of your own, instead of model", "path": True}
    )
    revision: str | None = field(
        default=None,
        metadata={"about": "commit on the Hub, 40 hex digits", "pattern": "^[0-9a-f]{40}$"},
    )
    max_tokens: int = field(
        default=512, metadata={"about": "most new tokens", "minimum": 1, "maximum": 131072}
    )
    temperature: float = field(
        default=0.0, metadata={"about": "0 takes the likeliest token", "minimum": 0, "maximum": 5}
    )
    top_p: float = field(
        default=1.0, metadata={"about": "nucleus sampling; 1 is off", "minimum": 0, "maximum": 1}
    )
    seed: int = field(
        default=0,
        metadata={"about": "seed; the repeat is added to it", "minimum": 0, "maximum": 2**31},
    )
    stop: tuple[str, ...] = field(default=(), metadata={"about": "texts that end an answer"})
    n_ctx: int = field(
        default=4096,
        metadata={"about": "context in tokens, prompt and answer", "minimum": 64},
    )
    n_batch: int = field(
        default=512, metadata={"about": "prompt tokens evaluated at once", "minimum": 1}
    )
    threads: int = field(
        default=1, metadata={"about": "CPU threads; part of the fingerprint", "minimum": 1}
    )
    gpu_layers: int = field(default=0, metadata={"about": "layers on the GPU", "minimum": 0})


class LlamaCpp:
    """A GGUF model through xllamacpp, with the chat template that its file carries."""

    name: ClassVar[str] = "llama_cpp"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = LlamaCppParams
    where: ClassVar[Literal["worker", "server"]] = "worker"

    def __init__(self, params: LlamaCppParams, base: Path) -> None:
        """Keep the parameters; the model is loaded by the first answer in a process.

        Raises:
            UserError: neither or both of ``model`` and ``file`` are given.
        """
        if (params.model is None) == (params.file is None):
            raise UserError(
                "a llama_cpp model needs either 'model' or 'file'",
                hint="write model: smollm2-135m-instruct, or file: path/to/model.gguf",
            )
        self.params = params
        file = None if params.file is None else base / params.file
        self.weights = GgufFile(params.model, file, params.revision)

    @property
    def kind(self) -> ModelKind:
        """It competes."""
        return "model"

    @property
    def needs(self) -> frozenset[Need]:
        """The rendered prompt."""
        return frozenset({"messages"})

    @property
    def reusable(self) -> bool:
        """Each request is computed alone."""
        return True

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, runtime and every parameter that can change a token.

        Raises:
            MissingError: runtime or weights are not installed.
            SourceError: the weights file cannot be read.
        """
        params = self.params
        return {
            "provider": self.name,
            "version": self.version,
            "weights": self.weights.identify(),
            "runtime": f"xllamacpp {_runtime_version()}",
            "template": "of the weights",
            "max_tokens": params.max_tokens,
            "temperature": params.temperature,
            "top_p": params.top_p,
            "seed": params.seed,
            "stop": list(params.stop),
            "n_ctx": params.n_ctx,
            "n_batch": params.n_batch,
            "threads": params.threads,
            "gpu_layers": params.gpu_layers,
        }

    def answer(self, requests: Sequence[ModelRequest]) -> list[Answer]:
        """Answer one request after the other; none depends on those before it.

        Raises:
            MissingError: runtime or weights are not installed.
            RunError: the model could not be loaded, or the runtime failed.
            UserError: a schema is one that the runtime cannot keep to.
        """
        _runtime_version()
        path = self.weights.locate()
        with LOCK:
            server = _loaded_server(path, self.params)
            return [self._answer(server, path, request) for request in requests]

    def _answer(self, server: Any, path: Path, request: ModelRequest) -> Answer:
        try:
            for message in request.messages:
                message.content.encode("utf-8")
        except UnicodeEncodeError:
            return Answer("error", reason="the prompt holds half a surrogate pair")
        try:
            body = self._body(request)
            reply = server.handle_chat_completions(body)
        except (RuntimeError, ValueError) as error:
            if request.schema is not None and "JSON schema" in str(error):
                raise UserError(
                    f"llama.cpp cannot keep to the schema of prompt '{request.prompt}': {error}",
                    hint="write the schema with types, properties, enum and $defs of its own",
                ) from error
            raise RunError(
                f"llama.cpp failed on item {request.item_id}: {error}",
                hint="run again; if it fails at the same item, report it with the recipe",
            ) from error
        most_new = request.max_tokens or self.params.max_tokens
        return _read_reply(reply, path.name, self.params, most_new)

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        params = self.params
        body: dict[str, Any] = {
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "max_tokens": request.max_tokens or params.max_tokens,
            "temperature": params.temperature,
            "top_p": params.top_p,
            # Off, not at the runtime's defaults, which change between its versions.
            "top_k": 0,
            "min_p": 0.0,
            "repeat_penalty": 1.0,
            "seed": params.seed + request.repeat,
            "stop": list(params.stop),
            "cache_prompt": False,
            "stream": False,
        }
        if request.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": request.schema},
            }
        return body


_ERRORS_ONLY: Final = 1
"""llama.cpp's verbosity that prints errors, and not what it does at each request."""


def _loaded_server(path: Path, params: LlamaCppParams) -> Any:
    return loaded(_server_key(path, params), lambda: _load(path, params))


def _server_key(path: Path, params: LlamaCppParams) -> tuple[Hashable, ...]:
    return (
        *("llama_cpp", path, file_stamp(path)),
        *(params.n_ctx, params.n_batch, params.threads, params.gpu_layers),
    )


def _load(path: Path, params: LlamaCppParams) -> Any:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.n_ctx = params.n_ctx
    settings.n_batch = settings.n_ubatch = params.n_batch
    settings.n_parallel = 1
    settings.cache_prompt = False
    settings.cache_ram_mib = 0
    settings.cache_idle_slots = False
    settings.ctx_shift = False
    settings.fit_params = False
    settings.n_gpu_layers = params.gpu_layers
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = params.threads
    settings.reasoning_format = xllamacpp.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
    settings.warmup = False
    settings.verbosity = _ERRORS_ONLY
    # The runtime also listens on a loopback port. Nobody needs it; a key nobody knows shuts it.
    settings.api_keys = [secrets.token_hex(16)]
    settings.ui = False
    settings.endpoint_slots = False
    settings.n_threads_http = 1
    try:
        return xllamacpp.Server(settings)
    except RuntimeError as error:
        raise RunError(
            f"llama.cpp cannot load {path}: {error}",
            hint="is it a whole .gguf file, and is there memory for it? llama.cpp's own words "
            "are on standard error",
        ) from error


def _runtime_version() -> str:
    try:
        return version("xllamacpp")
    except PackageNotFoundError as error:
        raise MissingError(
            "llama.cpp's runtime is not installed",
            hint="pip install 'leaderboard-toolkit[local]'",
        ) from error


def _read_reply(
    reply: Mapping[str, Any], served: str, params: LlamaCppParams, most_new: int
) -> Answer:
    if "error" in reply:
        return Answer("error", reason=_error_reason(reply["error"]), served_model=served)
    choice, usage = reply["choices"][0], reply["usage"]
    text = str(choice["message"].get("content") or "")
    written = int(usage["completion_tokens"])
    cut = choice["finish_reason"] == "length"
    reason = ""
    if cut:
        full = written < most_new
        reason = f"the context of {params.n_ctx} tokens was full" if full else "length"
    return Answer(
        "truncated" if cut else "ok",
        reason=reason,
        answer=text,
        raw=cap_text(text),
        finish_reason=str(choice["finish_reason"]),
        prompt_tokens=int(usage["prompt_tokens"]),
        completion_tokens=written,
        served_model=served,
    )


def _error_reason(error: Mapping[str, Any]) -> str:
    if error.get("type") == "exceed_context_size_error":
        return (
            f"the prompt has {error.get('n_prompt_tokens')} tokens, the context only "
            f"{error.get('n_ctx')}"
        )
    return f"llama.cpp: {error.get('message')}"
