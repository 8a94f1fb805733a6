"""A loaded causal language model: prompts as its chat template writes them, and what it adds."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from toolkit.errors import RunError, SourceError, UserError
from toolkit.models.base import Message
from toolkit.models.torch_runtime import Dtype, load_pretrained, load_tokenizer

__all__ = ["CausalLM", "Decoding", "Written"]

_DAY: Final = {
    "%A": "Friday",
    "%B": "July",
    "%H": "00",
    "%M": "00",
    "%S": "00",
    "%Y": "2024",
    "%a": "Fri",
    "%b": "Jul",
    "%d": "26",
    "%m": "07",
    "%y": "24",
}
"""What day it is for chat templates that write today's date: 26 July 2024, the day that the
templates of Llama 3 fall back to. A prompt must not change overnight."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """How tokens are chosen and what ends an answer.

    Attributes:
        temperature: 0 takes the likeliest token.
        top_p: share of the probability that sampling keeps.
        stop: texts that end an answer and do not belong to it.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What a model added to one prompt.

    Attributes:
        text: without the end token or stop text.
        tokens: tokens written, the one that ended it included.
        finish: ``stop``, or ``length`` when nothing ended it.
    """

    text: str
    tokens: int
    finish: Literal["stop", "length"]


class CausalLM:
    """A model and its tokenizer in this process.

    Attributes:
        context: most tokens of a prompt and its answer together.
    """

    def __init__(
        self, path: Path, dtype: Dtype, device: str, *, template: str | None, trust: bool
    ) -> None:
        """Load a folder or a GGUF file.

        Args:
            path: folder with safetensors, or a GGUF file.
            dtype: number format of the weights.
            device: ``cpu``, ``cuda`` or ``mps``.
            template: a chat template instead of the model's own, or None.
            trust: whether Python code in the folder may run.

        Raises:
            SourceError: no language model can be made of the files, or its code lies elsewhere.
            UserError: there is no chat template.
        """
        import transformers

        if trust:
            _refuse_code_elsewhere(path)
        self._tokenizer = load_tokenizer(path, trust=trust)
        self._template = _undated(template or _own_template(self._tokenizer))
        self._model = load_pretrained("AutoModelForCausalLM", path, dtype, device, trust=trust)
        self._device = device
        own = self._model.generation_config
        self._ends = _numbers(own.eos_token_id) | _numbers(self._tokenizer.eos_token_id)
        known = _numbers(self._tokenizer.pad_token_id)
        self._filler = min(known or self._ends or {0})
        # Replaced as a whole: whatever a repository's settings say of penalties, sampling or
        # forbidden words would otherwise fill in what a call leaves open.
        library: Any = transformers
        self._model.generation_config = library.GenerationConfig(
            bos_token_id=own.bos_token_id,
            eos_token_id=sorted(self._ends) or None,
            pad_token_id=self._filler,
        )
        config = self._model.config.get_text_config()
        limit = getattr(config, "max_position_embeddings", None)
        self.context = int(limit or self._tokenizer.model_max_length)

    def tokens(self, messages: Sequence[Message], *, thinking: bool) -> list[int]:
        """Return the prompt as the chat template writes it.

        Raises:
            UserError: the template refuses the messages, or has no switch for thinking.
        """
        from jinja2.exceptions import TemplateError

        more: dict[str, Any] = {}
        if not thinking:
            if "enable_thinking" not in self._template:
                raise UserError(
                    "thinking: off, but the chat template has no switch enable_thinking",
                    hint="leave thinking out if the model does not think; else write a "
                    "chat_template of your own",
                )
            more["enable_thinking"] = False
        try:
            text = self._tokenizer.apply_chat_template(
                [{"role": m.role, "content": m.content} for m in messages],
                chat_template=self._template,
                add_generation_prompt=True,
                tokenize=False,
                **more,
            )
        except (TemplateError, TypeError) as error:
            roles = ", ".join(m.role for m in messages)
            raise UserError(
                f"the chat template does not take messages of {roles}: {error}",
                hint="change the prompt, or write a chat_template of your own",
            ) from error
        # The template writes the special tokens itself.
        ids = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return [int(number) for number in ids]

    def write(
        self,
        prompts: Sequence[list[int]],
        limits: Sequence[int],
        seeds: Sequence[int],
        decoding: Decoding,
    ) -> list[Written]:
        """Return the answers to one batch.

        Args:
            prompts: tokens of each prompt; each leaves room for its limit.
            limits: most new tokens of each.
            seeds: of each, for sampling.
            decoding: how tokens are chosen.

        Raises:
            RunError: torch failed, for example because memory ran out.
        """
        # Sampled one by one: a text must not depend on which other rows drew numbers before it.
        alone = decoding.temperature > 0
        # A short prompt's long answer would carry a long prompt's row beyond the context.
        alone = alone or max(map(len, prompts)) + max(limits) > self.context
        step = 1 if alone else len(prompts)
        found: list[list[int]] = []
        for start in range(0, len(prompts), step):
            rows = slice(start, start + step)
            found += self._generate(prompts[rows], max(limits[rows]), seeds[start], decoding)
        return [
            self._written(tokens[:limit], decoding.stop)
            for tokens, limit in zip(found, limits, strict=True)
        ]

    def _generate(
        self, prompts: Sequence[list[int]], most: int, seed: int, decoding: Decoding
    ) -> list[list[int]]:
        import torch

        # Answers begin where prompts end, so the filling goes before the prompts.
        width = max(map(len, prompts))
        filled = [[self._filler] * (width - len(prompt)) + prompt for prompt in prompts]
        seen = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        settings: dict[str, Any] = {"do_sample": decoding.temperature > 0}
        if settings["do_sample"]:
            settings |= {"temperature": decoding.temperature, "top_p": decoding.top_p, "top_k": 0}
        if decoding.stop:
            settings["stopping_criteria"] = [_StopTexts(self._text, decoding.stop, width)]
        devices = [torch.cuda.current_device()] if self._device == "cuda" else []
        try:
            with torch.random.fork_rng(devices=devices):
                torch.manual_seed(seed)
                rows = self._model.generate(
                    input_ids=torch.tensor(filled, device=self._device),
                    attention_mask=torch.tensor(seen, device=self._device),
                    max_new_tokens=most,
                    **settings,
                )
        except RuntimeError as error:
            raise RunError(
                f"the language model failed on {len(prompts)} prompts of up to {width} tokens: "
                + str(error).partition("\n")[0],
                hint="if memory ran out, write a smaller batch_size or max_tokens",
            ) from error
        written: list[list[int]] = rows[:, width:].tolist()
        return written

    def _written(self, tokens: list[int], stops: tuple[str, ...]) -> Written:
        end = next((n for n, token in enumerate(tokens) if token in self._ends), None)
        kept = tokens if end is None else tokens[:end]
        text = self._text(kept)
        found = [place for stop in stops if (place := text.find(stop)) >= 0]
        if not found:
            ended = end is not None
            return Written(text, len(kept) + ended, "stop" if ended else "length")

        # Counted up to the token that completed the text, however far the batch went on.
        def complete(count: int) -> bool:
            return _holds(self._text(kept[:count]), stops)

        used = bisect_left(range(len(kept)), True, key=complete)
        return Written(text[: min(found)], used, "stop")

    def _text(self, tokens: list[int]) -> str:
        return str(
            self._tokenizer.decode(
                tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )


class _StopTexts:
    """Tells which rows of a batch have written a stop text, so that they end early."""

    def __init__(self, text: Any, stops: tuple[str, ...], width: int) -> None:
        self._text = text
        self._stops = stops
        self._width = width
        # A token writes a byte at least; a few more, for characters cut at the edge.
        self._window = max(len(stop.encode("utf-8")) for stop in stops) + 8

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        import torch

        ended = [self._ended(row) for row in input_ids[:, self._width :].tolist()]
        return torch.tensor(ended, dtype=torch.bool, device=input_ids.device)

    def _ended(self, row: list[int]) -> bool:
        # The end first: decoding the whole row after every token would take quadratic time.
        return _holds(self._text(row[-self._window :]), self._stops) and _holds(
            self._text(row), self._stops
        )


def _holds(text: str, stops: tuple[str, ...]) -> bool:
    return any(stop in text for stop in stops)


def _numbers(value: Any) -> set[int]:
    if value is None:
        return set()
    return {int(number) for number in value} if isinstance(value, list) else {int(value)}


def _own_template(tokenizer: Any) -> str:
    try:
        return str(tokenizer.get_chat_template())
    except ValueError as error:
        raise UserError(
            "the model has no chat template",
            hint="name one of your own with chat_template: FILE",
        ) from error


def _undated(template: str) -> str:
    """Return a template for which it is always the same day."""
    if "strftime_now" not in template:
        return template
    day = "".join(f".replace('{code}', '{text}')" for code, text in _DAY.items())
    # Rendering drops the line break after a block, so the template itself stays as it is.
    return f"{{% macro strftime_now(format) %}}{{{{ format{day} }}}}{{% endmacro %}}\n{template}"


def _refuse_code_elsewhere(folder: Path) -> None:
    """Refuse code of another repository, which no commit of this one pins.

    Raises:
        SourceError: a setting names such code.
    """
    for name in ("config.json", "tokenizer_config.json"):
        file = folder / name
        settings = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        for target in settings.get("auto_map", {}).values():
            names = target if isinstance(target, list) else [target]
            if found := next((each for each in names if each and "--" in each), None):
                raise SourceError(
                    f"{name} of the model runs code of another repository: {found}",
                    hint="copy the model and that code into a folder of your own and name it "
                    "with folder:",
                )
