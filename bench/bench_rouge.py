"""How many times faster than rouge-score is our ROUGE, on the same pairs, in the same run?

    python bench/bench_rouge.py [PAIRS.jsonl] [--pairs N] [--rounds N]

Each line of PAIRS.jsonl holds ``reference`` and ``prediction`` (or ``generated``). Without a
file, pairs are made from the shipped sample of abstracts: the reference is a section, the
prediction the same section with a fixed share of words dropped, moved or replaced.

Times are CPU seconds of this process, and the two take turns on small groups of pairs, so
that load from elsewhere falls on both. Cold is the first pass over all pairs, with nothing
imported and no stem known; warm is every later one.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import TypeVar

from toolkit.data import data_dir
from toolkit.metrics.base import Value
from toolkit.metrics.rouge import Rouge, RougeParams
from toolkit.metrics.tokens import rouge_score_tokens

Pair = tuple[str, str]
T = TypeVar("T")
GROUP = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--pairs", type=int, default=1000, help="pairs to score (1000)")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds (3)")
    options = parser.parse_args()
    pairs = read(options.file) if options.file else made_up(options.pairs, seed=1)
    pairs = pairs[: options.pairs]
    groups = [pairs[start : start + GROUP] for start in range(0, len(pairs), GROUP)]

    metric = Rouge(RougeParams())
    start = time.process_time()
    columns = [ours(metric, group) for group in groups]
    cold = time.process_time() - start

    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    fast, slow, worst = [], [], 0.0
    for _ in range(options.rounds):
        spent_fast = spent_slow = 0.0
        for group, got in zip(groups, columns, strict=True):
            seconds, expected = timed(lambda group=group: theirs(scorer, group))
            spent_slow += seconds
            spent_fast += timed(lambda group=group: ours(metric, group))[0]
            rows = zip(*got.values(), strict=True)
            worst = max(worst, *map(distance, rows, expected))
        fast.append(spent_fast)
        slow.append(spent_slow)

    tokens = [len(rouge_score_tokens(text)) for pair in pairs for text in pair]
    types = {token for pair in pairs for text in pair for token in rouge_score_tokens(text)}
    per = 1e6 / len(pairs)
    ratios = sorted(s / f for s, f in zip(slow, fast, strict=True))
    print(f"pairs                {len(pairs)}")
    print(f"tokens per text      {sum(tokens) / len(tokens):.1f}")
    print(f"word types           {len(types)}")
    print(f"largest difference   {worst:.1e}")
    print(f"rouge-score          {min(slow) * per:.1f} us per pair")
    print(f"ours, warm           {min(fast) * per:.1f} us per pair")
    print(f"ours, cold           {cold * per:.1f} us per pair (imports and stems included)")
    print(f"ratio, warm          {ratios[0]:.1f} - {ratios[-1]:.1f}")
    print(f"ratio, cold          {min(slow) / cold:.1f}")


def ours(metric: Rouge, group: list[Pair]) -> dict[str, list[Value]]:
    return metric.score([pair[0] for pair in group], [pair[1] for pair in group])


def theirs(scorer: object, group: list[Pair]) -> list[tuple[float, ...]]:
    score = scorer.score  # type: ignore[attr-defined]
    return [
        tuple(one.fmeasure for one in score(reference, prediction).values())
        for prediction, reference in group
    ]


def distance(ours: tuple[Value, ...], theirs: tuple[float, ...]) -> float:
    # A blank reference has no score here and 0 there; such rows say nothing about equality.
    rows = zip(ours, theirs, strict=True)
    return max(abs(a.value - b) if a.value is not None else 0.0 for a, b in rows)


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def read(path: Path) -> list[Pair]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [(row.get("prediction", row.get("generated")), row["reference"]) for row in rows]


def made_up(n: int, seed: int) -> list[Pair]:
    """Edit the sections of the shipped sample until there are n pairs."""
    sections = []
    for path in sorted((data_dir("recipes") / "sample").glob("*.xml")):
        xml = path.read_text(encoding="utf-8")
        found = re.findall(r"<AbstractText[^>]*>(.*?)</AbstractText>", xml, re.DOTALL)
        sections += [unescape(re.sub(r"<[^>]+>", "", text)).split() for text in found]
    sections = [section for section in sections if len(section) >= 15]
    draw = random.Random(seed)
    pairs = []
    for _ in range(n):
        # Two sections make a text about as long as a conclusion in print.
        reference = draw.choice(sections) + draw.choice(sections)
        other = draw.choice(sections)
        prediction = []
        for word in reference:
            fate = draw.random()
            if fate < 0.5:
                prediction.append(word)
            elif fate < 0.65:
                prediction.append(draw.choice(other))
            elif fate < 0.8:
                prediction.append(draw.choice(reference))
        pairs.append((" ".join(prediction), " ".join(reference)))
    return pairs


if __name__ == "__main__":
    main()
