"""What does it save to measure each distinct text once?

    python bench/bench_texts.py [--items N] [--models N] [--prompts N]

Answers of several models under several prompts to the same items are made from the shipped
sample: edited abstract sections, some of them alike, as short answers are. They are scored
twice in one run of this program, on one thread:

- one at a time, as the paper's code does: for each model and prompt each pair is embedded two
  texts at a time, and the perplexities of output and reference are computed text by text;
- each distinct text once, through the steps of a run, with their files and look-ups.

Both ways have the same weights: all-MiniLM-L6-v2, and a GPT-2 of four layers with random
weights, because what is compared is how often a text is read. The texts that go through a model
are counted where it is called.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any, TypeVar

import yaml

from toolkit.data import data_dir
from toolkit.execute import run, run_recipe
from toolkit.execute.cluster import Cluster
from toolkit.metrics.embedder import Embedder, load_embedder
from toolkit.models import likelihood
from toolkit.models.weights.folder import ModelFolder
from toolkit.recipe.load import load_recipe

T = TypeVar("T")
KINDS = ("corpus", "splits", "generations", "scores", "leaderboard")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--items", type=int, default=20, help="items (20)")
    parser.add_argument("--models", type=int, default=3, help="models (3)")
    parser.add_argument("--prompts", type=int, default=2, help="prompts (2)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        references, answers = made_up(options.items, options.models, options.prompts, seed=1)
        scorer = small_gpt2(folder / "gpt2")
        recipe = write(folder, scorer, references, answers)
        # Loaded before anything is timed, for both ways alike.
        embedder = load_embedder(weights().locate(), "cpu")
        embedder.embed(["warm"], batch_size=1, threads=1, long_texts="chunk")
        plain = Plain(scorer)
        plain.perplexity("warm up")

        keys = sorted(answers)
        pairs = [(answers[key], references[key[2]]) for key in keys]
        slow_cosine, cosines = timed(lambda: [cosine(embedder, pair) for pair in pairs])
        slow_perplexity, perplexities = timed(
            lambda: [plain.perplexity(text) for pair in pairs for text in pair]
        )
        seen, spent, found = steps(recipe, folder / "workspace")

    asked, distinct = 2 * len(pairs), len({text for pair in pairs for text in pair})
    print(f"pairs                  {len(pairs)}")
    print(f"texts, distinct        {asked}, {distinct}: {asked / distinct:.2f} times as many")
    for what, metric, slow in (
        ("embeddings", "embedding_similarity", slow_cosine),
        ("likelihoods", "perplexity", slow_perplexity),
    ):
        fast = sum(s for step, s in spent.items() if what in step or f"/{metric}/" in step)
        read = seen[what]
        print(f"{what}")
        print(f"  read by the model    {len(read)} texts, {len(set(read))} of them distinct")
        print(f"  one at a time        {slow:.2f} CPU s")
        print(f"  each once            {fast:.2f} CPU s, files and look-ups included")
        print(f"  ratio                {slow / fast:.2f}")
    ours = [found["embedding_similarity", *key] for key in keys]
    apart = max(abs(a - b) for a, b in zip(cosines, ours, strict=True))
    print(f"cosines differ by      {apart:.1e} at most")
    ours = [found[score, *key] for key in keys for score in SCORES]
    apart = max(abs(a - b) / a for a, b in zip(perplexities, ours, strict=True))
    print(f"perplexities differ by {apart:.1e} of themselves at most")


SCORES = ("perplexity", "perplexity_reference")


class Plain:
    """Perplexity as scripts compute it: one text, and the loss of the library."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        torch.set_num_threads(1)
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self._model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def perplexity(self, text: str) -> float:
        import torch

        ids = self._tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            return float(torch.exp(self._model(input_ids=ids, labels=ids).loss))


def cosine(embedder: Embedder, pair: tuple[str, str]) -> float:
    u, v = embedder._model.encode(list(pair), show_progress_bar=False)
    return float(u @ v / (float(u @ u) * float(v @ v)) ** 0.5)


def steps(
    recipe: Path, workspace: Path
) -> tuple[dict[str, list[Any]], dict[str, float], dict[tuple[str, ...], float]]:
    """Run the recipe in this process.

    Returns:
        The texts that went through each model, the CPU seconds of each step, and the scores by
        name, model, prompt and item.
    """
    seen: dict[str, list[Any]] = {"embeddings": [], "likelihoods": []}
    spent: dict[str, float] = {}
    batch, nlls, make = Embedder._batch, likelihood._Reader._nlls, run.make_step

    def embedding(self: Any, rows: Any, threads: int) -> Any:
        seen["embeddings"] += [chunk.text for chunk in rows]
        return batch(self, rows, threads)

    def reading(self: Any, windows: Any) -> Any:
        seen["likelihoods"] += [window.tokens for window in windows]
        return nlls(self, windows)

    def making(plan: Any, step: Any, *rest: Any) -> Any:
        seconds, made = timed(lambda: make(plan, step, *rest))
        spent[step.name] = seconds
        return made

    def here(self: Any, function: Callable[[Any], T], tasks: Sequence[Any]) -> Iterator[T]:
        return map(function, tasks)

    Embedder._batch = embedding  # type: ignore[method-assign]
    likelihood._Reader._nlls = reading  # type: ignore[method-assign]
    run.make_step = making
    Cluster.run = here  # type: ignore[method-assign]
    result = run_recipe(load_recipe(recipe), workspace=workspace)
    found = {
        (row["score"], row["model"], row["prompt"], row["item_id"]): row["value"]
        for name, artifact in result.artifacts.items()
        if name.startswith("score/")
        for row in artifact.rows("scores")
    }
    return seen, spent, found


def timed(work: Callable[[], T]) -> tuple[float, T]:
    # Of this thread: the steps of a run stand side by side in several.
    start = time.thread_time()
    result = work()
    return time.thread_time() - start, result


def weights() -> ModelFolder:
    return ModelFolder("sentence-transformers/all-MiniLM-L6-v2")


def small_gpt2(folder: Path) -> Path:
    import torch
    from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel

    torch.manual_seed(1)
    tokenizer: Any = AutoTokenizer.from_pretrained(weights().locate())
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=256,
        n_layer=4,
        n_head=4,
        bos_token_id=None,
        eos_token_id=None,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def made_up(
    items: int, models: int, prompts: int, seed: int
) -> tuple[dict[str, str], dict[tuple[str, str, str], str]]:
    """Return references by item, and answers by model, prompt and item."""
    sections = []
    for path in sorted((data_dir("recipes") / "sample").glob("*.xml")):
        xml = path.read_text(encoding="utf-8")
        found = re.findall(r"<AbstractText[^>]*>(.*?)</AbstractText>", xml, re.DOTALL)
        sections += [unescape(re.sub(r"<[^>]+>", "", text)).split() for text in found]
    sections = [section for section in sections if len(section) >= 15]
    draw = random.Random(seed)
    references: dict[str, str] = {}
    answers: dict[tuple[str, str, str], str] = {}
    for number in range(items):
        item = f"item-{number:03d}"
        words = draw.choice(sections) + draw.choice(sections)
        references[item] = f"Study {number}: " + " ".join(words)
        for model in range(models):
            for prompt in range(prompts):
                kept = [word for word in words if draw.random() < 0.8]
                answer = "No conclusion can be drawn." if draw.random() < 0.05 else " ".join(kept)
                answers[f"m{model}", f"p{prompt}", item] = answer
    return references, answers


def write(
    folder: Path,
    scorer: Path,
    references: dict[str, str],
    answers: dict[tuple[str, str, str], str],
) -> Path:
    models = sorted({model for model, _, _ in answers})
    prompts = sorted({prompt for _, prompt, _ in answers})
    rows = [{"key": item, "input": "?", "conclusion": text} for item, text in references.items()]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "ask.j2").write_text("Conclude: {{ text }}")
    for name in models:
        said = [
            {"item_id": item, "prompt": prompt, "text": text}
            for (model, prompt, item), text in answers.items()
            if model == name
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in said))
    prompt = {"file": "ask.j2", "slots": {"text": "field:input"}}
    recipe = {
        "name": "bench",
        "seed": 1,
        "corpus": {
            "source": "jsonl",
            "files": "rows.jsonl",
            "access": "open",
            "id": "key",
            "reference": "conclusion",
        },
        "splits": {"sizes": {"test": len(rows)}},
        "prompts": dict.fromkeys(prompts, prompt),
        "models": {name: {"provider": "replay", "file": f"{name}.jsonl"} for name in models},
        "generate": {"split": "test", "models": models, "prompts": prompts},
        "metrics": [
            {"embedding_similarity": {"threads": 1}},
            {
                "perplexity": {
                    "model": str(scorer),
                    "on": ["output", "reference"],
                    "bos": False,
                    "device": "cpu",
                }
            },
        ],
        "analyses": [{"means": {"ci": "none"}}],
        "validation": {kind: {"on_failure": "off"} for kind in KINDS},
        "execution": {"workers": 1},
    }
    file = folder / "recipe.yaml"
    # A prompt that stands under several names is written out each time.
    yaml.SafeDumper.ignore_aliases = lambda self, data: True  # type: ignore[method-assign]
    file.write_text(yaml.safe_dump(recipe, sort_keys=False))
    return file


if __name__ == "__main__":
    main()
