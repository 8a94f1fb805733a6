"""A causal language model through transformers: batched, on a GPU where there is one.

What an answer may depend on besides the request: the batch it is computed in. Batches are cut
from a slice's requests in one fixed order, so a slice that is computed again gives the same
text, whoever computes it. In bfloat16 another batch size may give another text; with
``deterministic: true`` every request is a batch of its own in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from toolkit.errors import UserError
from toolkit.models.base import Answer, ModelKind, ModelRequest, Need, cap_text
from toolkit.models.torch_runtime import (
    LOCK,
    Device,
    Dtype,
    batches,
    device_of,
    loaded,
    runtime,
)
from toolkit.models.weights.folder import ModelFolder
from toolkit.store.canonical import file_digest

__all__ = ["Transformers", "TransformersParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformersParams:
    """A causal model through transformers, on the GPU when there is one."""

    model: str = field(
        metadata={"about": "owner/repository on the Hub, or what a folder is called"}
    )
    folder: str | None = field(
        default=None,
        metadata={"about": "a folder with the model, instead of the Hub", "path": True},
    )
    revision: str | None = field(
        default=None,
        metadata={"about": "commit on the Hub, 40 hex digits", "pattern": "^[0-9a-f]{40}$"},
    )
    chat_template: str | None = field(
        default=None, metadata={"about": "a chat template instead of the model's own", "path": True}
    )
    max_tokens: int = field(default=1024, metadata={"about": "most new tokens", "minimum": 1})
    temperature: float = field(default=0.0, metadata={"about": "0 is greedy", "minimum": 0})
    top_p: float = field(
        default=1.0, metadata={"about": "nucleus sampling; 1 is off", "minimum": 0, "maximum": 1}
    )
    seed: int = field(
        default=0, metadata={"about": "seed of sampling; the repeat is added", "minimum": 0}
    )
    thinking: Literal["default", "off"] = field(
        default="default",
        metadata={"about": "off tells the chat template not to let the model think"},
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
            UserError: code of a repository is to run that no commit pins.
        """
        if params.trust_remote_code and params.revision is None and params.folder is None:
            raise UserError(
                "trust_remote_code runs whatever the repository holds at the time",
                hint="pin it: write revision: COMMIT, the 40 hex digits of a commit you have read",
            )
        self.params = params
        self._template = None if params.chat_template is None else base / params.chat_template
        self._weights = ModelFolder(
            params.model,
            None if params.folder is None else base / params.folder,
            params.revision,
            what="language model",
        )

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
    def dtype(self) -> Dtype:
        """Number format of the weights."""
        return "float32" if self.params.deterministic else self.params.dtype

    def fingerprint(self) -> dict[str, Any]:
        """Return weights, runtime and every parameter that can change a token.

        Raises:
            MissingError: the runtime is not installed, or the weights are not known.
        """
        p = self.params
        return {
            "provider": self.name,
            "version": self.version,
            "weights": self._weights.identify(),
            "runtime": runtime(),
            "template": "of the weights" if self._template is None else file_digest(self._template),
            "max_tokens": p.max_tokens,
            "temperature": p.temperature,
            "top_p": p.top_p,
            "seed": p.seed,
            "thinking": p.thinking,
            "batch_size": self.batch_size,
            "dtype": self.dtype,
            "device": p.device,
            "threads": p.threads,
        }

    def answer(self, requests: Sequence[ModelRequest]) -> list[Answer]:
        """Answer requests in batches of one fixed order: by tokens, then by item and repeat.

        Raises:
            MissingError: runtime, weights or device cannot be had.
            UserError: the model has no chat template.
        """
        import torch

        runtime()
        folder = self._weights.locate()
        p = self.params
        with LOCK, torch.inference_mode():
            torch.set_num_threads(p.threads)
            device = device_of(p.device)
            key = ("causal", str(folder), self.dtype, device, p.trust_remote_code)
            causal: _Causal = loaded(
                key, lambda: _Causal(folder, self.dtype, device, trust=p.trust_remote_code)
            )
            prompts = [self._prompt(causal, request) for request in requests]
            ids = [f"{r.item_id}\n{r.repeat}\n{len(r.messages)}" for r in requests]
            found: dict[int, Answer] = {}
            fitting: list[int] = []
            for row, prompt in enumerate(prompts):
                if len(prompt) >= causal.context:
                    found[row] = Answer(
                        "error",
                        reason=f"the prompt has {len(prompt)} tokens, the context only "
                        f"{causal.context}",
                        served_model=p.model,
                    )
                else:
                    fitting.append(row)
            lengths = [len(prompts[row]) for row in fitting]
            for cut in batches(lengths, [ids[row] for row in fitting], self.batch_size):
                rows = [fitting[place] for place in cut]
                answers = causal.write(
                    [prompts[row] for row in rows], [requests[r] for r in rows], p
                )
                found.update(zip(rows, answers, strict=True))
        return [found[row] for row in range(len(requests))]

    def _prompt(self, causal: _Causal, request: ModelRequest) -> list[int]:
        template = None
        if self._template is not None:
            template = self._template.read_text(encoding="utf-8")
        return causal.tokens(request, template, thinking=self.params.thinking != "off")


class _Causal:
    """A loaded model and its tokenizer."""

    def __init__(self, folder: Path, dtype: Dtype, device: str, *, trust: bool) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=trust)
        # Answers begin where prompts end, so the filling goes before the prompts.
        self._tokenizer.padding_side = "left"
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        model: Any = AutoModelForCausalLM.from_pretrained(
            folder, dtype=getattr(torch, dtype), use_safetensors=True, trust_remote_code=trust
        )
        self._model = model.to(device).eval()
        self._device = device
        limit = getattr(model.config, "max_position_embeddings", None)
        self.context = int(limit or self._tokenizer.model_max_length)

    def tokens(self, request: ModelRequest, template: str | None, *, thinking: bool) -> list[int]:
        """Return the prompt as the chat template writes it."""
        if template is None and self._tokenizer.chat_template is None:
            raise UserError(
                "the model has no chat template",
                hint="name one of your own with chat_template: FILE",
            )
        more: dict[str, Any] = {} if thinking else {"enable_thinking": False}
        text = self._tokenizer.apply_chat_template(
            [{"role": m.role, "content": m.content} for m in request.messages],
            chat_template=template,
            add_generation_prompt=True,
            tokenize=False,
            **more,
        )
        ids = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return [int(number) for number in ids]

    def write(
        self, prompts: Sequence[list[int]], requests: Sequence[ModelRequest], p: TransformersParams
    ) -> list[Answer]:
        """Return the answers to one batch."""
        most = [
            min(r.max_tokens or p.max_tokens, self.context - len(t))
            for r, t in zip(requests, prompts, strict=True)
        ]
        if p.temperature > 0:
            # Sampled one by one, each with its own seed: a text must not depend on which other
            # rows drew numbers before it.
            written = [
                self._sample(prompt, p, p.seed + request.repeat, limit)
                for prompt, request, limit in zip(prompts, requests, most, strict=True)
            ]
        else:
            written = self._greedy(prompts, max(most))
        return [
            self._answer(prompt, tokens[:limit], request, p)
            for prompt, tokens, request, limit in zip(prompts, written, requests, most, strict=True)
        ]

    def _greedy(self, prompts: Sequence[list[int]], most: int) -> list[list[int]]:
        inputs = self._tokenizer.pad({"input_ids": list(prompts)}, return_tensors="pt")
        return self._generate(inputs.to(self._device), most, do_sample=False)

    def _sample(self, prompt: list[int], p: TransformersParams, seed: int, most: int) -> list[int]:
        import torch

        torch.manual_seed(seed)
        inputs = self._tokenizer.pad({"input_ids": [prompt]}, return_tensors="pt")
        settings = {"do_sample": True, "temperature": p.temperature, "top_p": p.top_p, "top_k": 0}
        return self._generate(inputs.to(self._device), most, **settings)[0]

    def _generate(self, inputs: Any, most: int, **settings: Any) -> list[list[int]]:
        if not settings["do_sample"]:
            # Said outright: a model's own generation settings would bring sampling back.
            settings |= {"temperature": None, "top_p": None, "top_k": None}
        found = self._model.generate(
            **inputs,
            max_new_tokens=most,
            pad_token_id=self._tokenizer.pad_token_id,
            num_beams=1,
            repetition_penalty=1.0,
            use_cache=True,
            **settings,
        )
        start = inputs["input_ids"].shape[1]
        rows: list[list[int]] = found[:, start:].tolist()
        return rows

    def _ends(self) -> set[int]:
        """Return the tokens that end an answer."""
        ends = self._model.generation_config.eos_token_id
        found = ends if isinstance(ends, list) else [ends]
        return {int(end) for end in [*found, self._tokenizer.eos_token_id] if end is not None}

    def _answer(
        self, prompt: list[int], tokens: list[int], request: ModelRequest, p: TransformersParams
    ) -> Answer:
        ends = self._ends()
        stop = next((place for place, token in enumerate(tokens) if token in ends), None)
        cut = stop is None
        kept = tokens if stop is None else tokens[:stop]
        text = str(self._tokenizer.decode(kept, skip_special_tokens=True))
        full = len(tokens) < (request.max_tokens or p.max_tokens)
        reason = f"the context of {self.context} tokens was full" if full else "length"
        return Answer(
            "truncated" if cut else "ok",
            reason=reason if cut else "",
            answer=text,
            raw=cap_text(text),
            finish_reason="length" if cut else "stop",
            prompt_tokens=len(prompt),
            completion_tokens=len(kept) + (0 if cut else 1),
            served_model=p.model,
        )
