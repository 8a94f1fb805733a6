"""A causal language model through transformers: batched, on a GPU where there is one.

What an answer may depend on besides the request: the batch it is computed in. Batches are cut
from a slice's requests in one fixed order, so a slice that is computed again gives the same
text, whoever computes it. In bfloat16 another batch size may give another text; with
``deterministic: true`` every request is a batch of its own in float32. Sampled answers are
computed one by one, each with a seed of its own. Replies are not held to a schema: a request's
``schema`` is not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from toolkit.errors import SourceError, UserError
from toolkit.models.base import Answer, ModelKind, ModelRequest, Need, cap_text
from toolkit.models.causal_lm import CausalLM, Decoding, Written
from toolkit.models.loaded import loaded
from toolkit.models.torch_runtime import Device, Dtype, batches, computing, device_kind, runtime
from toolkit.models.weights.folder import ModelFolder
from toolkit.models.weights.gguf import GgufFile
from toolkit.models.weights.hub import is_commit
from toolkit.models.weights.packaged import FILES
from toolkit.store.canonical import canonical_json, text_digest

__all__ = ["Transformers", "TransformersParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformersParams:
    """A causal model through transformers, on the GPU when there is one."""

    model: str | None = field(
        default=None,
        metadata={
            "about": "owner/repository on the Hub, owner/repository:file.gguf, or the name of "
            "packaged weights"
        },
    )
    folder: str | None = field(
        default=None,
        metadata={"about": "a folder with a model of your own, instead of model", "path": True},
    )
    file: str | None = field(
        default=None, metadata={"about": "a .gguf file of your own, instead of model", "path": True}
    )
    revision: str | None = field(
        default=None,
        metadata={"about": "commit on the Hub, 40 hex digits", "pattern": "^[0-9a-f]{40}$"},
    )
    chat_template: str | None = field(
        default=None, metadata={"about": "a chat template instead of the model's own", "path": True}
    )
    max_tokens: int = field(default=1024, metadata={"about": "most new tokens", "minimum": 1})
    temperature: float = field(
        default=0.0,
        metadata={"about": "0 is greedy; above 0 answers are sampled one by one", "minimum": 0},
    )
    top_p: float = field(
        default=1.0, metadata={"about": "nucleus sampling; 1 is off", "minimum": 0, "maximum": 1}
    )
    seed: int = field(
        default=0,
        metadata={"about": "seed of sampling; the repeat is added", "minimum": 0, "maximum": 2**31},
    )
    stop: tuple[str, ...] = field(default=(), metadata={"about": "texts that end an answer"})
    thinking: Literal["default", "off"] = field(
        default="default",
        metadata={"about": "off sets enable_thinking to false in the chat template"},
    )
    batch_size: int = field(
        default=8, metadata={"about": "requests in a batch; part of the fingerprint", "minimum": 1}
    )
    dtype: Dtype = field(default="bfloat16", metadata={"about": "number format of the weights"})
    device: Device = field(
        default="auto", metadata={"about": "where it computes; a GPU when there is one"}
    )
    threads: int = field(
        default=1, metadata={"about": "CPU threads; part of the fingerprint", "minimum": 1}
    )
    deterministic: bool = field(default=False, metadata={"about": "batch 1 in float32"})
    trust_remote_code: bool = field(
        default=False, metadata={"about": "run the repository's code; needs a revision"}
    )


class Transformers:
    """Loads one model a process and answers in batches."""

    name: ClassVar[str] = "transformers"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = TransformersParams
    where: ClassVar[Literal["worker", "server"]] = "worker"

    def __init__(self, params: TransformersParams, base: Path) -> None:
        """Keep the parameters; the model is loaded by the first answer in a process.

        Raises:
            UserError: not exactly one model is named, a Hub model without its commit, or code
                is to run that nothing pins.
        """
        self.params = params
        self._template = None if params.chat_template is None else base / params.chat_template
        self._weights = _weights(params, base)

    @property
    def kind(self) -> ModelKind:
        """It competes."""
        return "model"

    @property
    def needs(self) -> frozenset[Need]:
        """The rendered prompt."""
        return frozenset({"messages"})

    @property
    def batch_size(self) -> int:
        """Requests in a batch."""
        return 1 if self.params.deterministic else self.params.batch_size

    @property
    def reusable(self) -> bool:
        """Whether batches hold one request: what stands beside one changes its last digits."""
        return self.batch_size == 1

    @property
    def dtype(self) -> Dtype:
        """Number format of the weights."""
        return "float32" if self.params.deterministic else self.params.dtype

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, runtime and every parameter that can change a token.

        The device is the one of the machine that asks: where workers have others, write
        ``device`` out.

        Raises:
            MissingError: the runtime is not installed, or the weights are not known.
            SourceError: weights or chat template cannot be read.
        """
        p = self.params
        template = self._own_template()
        return {
            "provider": self.name,
            "version": self.version,
            "weights": self._weights.identify(),
            "runtime": runtime(),
            "template": "of the weights" if template is None else text_digest(template),
            "max_tokens": p.max_tokens,
            "temperature": p.temperature,
            "top_p": p.top_p,
            "seed": p.seed,
            "stop": list(p.stop),
            "thinking": p.thinking,
            "batch_size": self.batch_size,
            "dtype": self.dtype,
            "device": device_kind(p.device),
            "threads": p.threads,
            "trust_remote_code": p.trust_remote_code,
        }

    def answer(self, requests: Sequence[ModelRequest]) -> list[Answer]:
        """Answer requests in batches of one fixed order: by tokens, then by item and repeat.

        Raises:
            MissingError: runtime, weights or device cannot be had.
            SourceError: no language model can be made of the weights.
            UserError: the chat template is missing or refuses the messages.
            RunError: torch failed.
        """
        runtime()
        path = self._weights.locate()
        identity = self._weights.identify()
        template = self._own_template()
        p = self.params
        with computing(p.device, p.threads) as device:
            model = loaded(
                ("causal", canonical_json(identity), self.dtype, device, template, self._trust),
                lambda: CausalLM(path, self.dtype, device, template=template, trust=self._trust),
            )
            return self._answer(model, requests, _served(p, identity))

    @property
    def _trust(self) -> bool:
        return self.params.trust_remote_code

    def _own_template(self) -> str | None:
        if self._template is None:
            return None
        try:
            return self._template.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(
                f"the chat template {self._template} cannot be read: {error}",
                hint="name a UTF-8 file with a Jinja template",
            ) from error

    def _answer(
        self, model: CausalLM, requests: Sequence[ModelRequest], served: str
    ) -> list[Answer]:
        p = self.params
        found: dict[int, Answer] = {}
        fitting: list[int] = []
        prompts: dict[int, list[int]] = {}
        for row, request in enumerate(requests):
            prompt = self._prompt(model, request)
            if isinstance(prompt, str):
                found[row] = Answer("error", reason=prompt, served_model=served)
            else:
                prompts[row] = prompt
                fitting.append(row)
        keys = [
            (len(prompts[row]), requests[row].item_id, requests[row].repeat, prompts[row])
            for row in fitting
        ]
        decoding = Decoding(p.temperature, p.top_p, p.stop)
        for cut in batches(keys, self.batch_size):
            rows = [fitting[place] for place in cut]
            asked = [requests[row].max_tokens or p.max_tokens for row in rows]
            written = model.write(
                [prompts[row] for row in rows],
                [
                    min(most, model.context - len(prompts[row]))
                    for row, most in zip(rows, asked, strict=True)
                ],
                [p.seed + requests[row].repeat for row in rows],
                decoding,
            )
            for row, most, text in zip(rows, asked, written, strict=True):
                found[row] = _read(text, len(prompts[row]), most, model.context, served)
        return [found[row] for row in range(len(requests))]

    def _prompt(self, model: CausalLM, request: ModelRequest) -> list[int] | str:
        """Return the tokens of a prompt, or why it cannot be asked."""
        try:
            for message in request.messages:
                message.content.encode("utf-8")
        except UnicodeEncodeError:
            return "the prompt holds half a surrogate pair"
        tokens = model.tokens(request.messages, thinking=self.params.thinking != "off")
        if len(tokens) >= model.context:
            return f"the prompt has {len(tokens)} tokens, the context only {model.context}"
        return tokens


def _weights(p: TransformersParams, base: Path) -> ModelFolder | GgufFile:
    if sum(name is not None for name in (p.model, p.folder, p.file)) != 1:
        raise UserError(
            "a transformers model needs exactly one of 'model', 'folder' and 'file'",
            hint="write model: owner/repository with revision: COMMIT, folder: path/to/model, "
            "or file: path/to/model.gguf",
        )
    own = p.folder is not None or p.file is not None
    if own and p.revision is not None:
        raise UserError(
            "'revision' is the commit of a model on the Hub, not of a folder or file",
            hint="leave it out: files of your own count by their content",
        )
    gguf = p.file is not None or p.model in FILES or ":" in (p.model or "")
    if p.trust_remote_code and (gguf or (p.folder is None and p.revision is None)):
        raise UserError(
            "trust_remote_code runs whatever the repository holds at the time",
            hint="pin it: write revision: COMMIT, the 40 hex digits of a commit you have read; "
            "a GGUF file carries no code",
        )
    if gguf:
        return GgufFile(p.model, None if p.file is None else base / p.file, p.revision)
    if p.folder is None and not is_commit(p.revision):
        raise UserError(
            f"the model '{p.model}' needs a revision: the 40 hex digits of a commit",
            hint="open the repository's history on the Hub, copy the commit, write revision: ...; "
            "a model on this machine is named with folder: or file:, packaged weights are "
            + ", ".join(sorted(FILES)),
        )
    return ModelFolder(
        p.model,
        None if p.folder is None else base / p.folder,
        p.revision,
        what="language model",
        code=p.trust_remote_code,
    )


def _served(p: TransformersParams, identity: dict[str, Any]) -> str:
    # Not the path: the same weights elsewhere are the same model.
    return p.model or f"sha256:{identity['sha256'][:12]}"


def _read(written: Written, prompt: int, most: int, context: int, served: str) -> Answer:
    cut = written.finish == "length"
    full = written.tokens < most
    reason = f"the context of {context} tokens was full" if full else "length"
    return Answer(
        "truncated" if cut else "ok",
        reason=reason if cut else "",
        answer=written.text,
        raw=cap_text(written.text),
        finish_reason=written.finish,
        prompt_tokens=prompt,
        completion_tokens=written.tokens,
        served_model=served,
    )
