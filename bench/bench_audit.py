"""Do the intervals of a judge's audit cover what was planted, 93 to 97 times in 100?

    python bench/bench_audit.py [--judges N] [--setting NAME]

Each setting plants the chance that a score falls at an edit and at a rewrite, how far it falls,
how a judgement of the same text wavers, what length and position do, and how much the reactions
at one reference hang together (the correlation of a beta-binomial). It then makes N judges and
asks for each number of the audit whether its interval holds the planted one. A kind applies to a
reference by chance, as it does in real texts.

The truth is worked out, not simulated: with fall F, standard deviation s, R copies and threshold
T = max(least, 1.96 s sqrt(1 + 1/R)), a text reacts with chance p P(F + e > T) + (1 - p) P(e > T),
where e is normal with variance s^2 (1 + 1/R); the area under the curve is that of two mixtures.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from toolkit.analyses.audit_effects import AuditEffects
from toolkit.analyses.audit_values import AuditValues

SPAN = 100.0
LEAST = 0.02


@dataclass(frozen=True)
class Setting:
    """What is planted; chances from 0 to 1, the rest in points of 0 to 100."""

    name: str
    references: int
    reacts: float
    false_alarms: float
    fall: float = 40.0
    waver: float = 0.0
    together: float = 0.0
    kinds: int = 5
    rewrites: int = 3
    applies: float = 0.6
    repeats: int = 2
    longer: float = 0.0
    swapped: float = 0.0


SETTINGS = (
    Setting("keen and steady", 200, 0.9, 0.02),
    Setting("keen, reactions together", 200, 0.8, 0.1, together=0.4, waver=1.5, longer=2.0),
    Setting("half blind, wavering", 200, 0.4, 0.1, waver=4.0, together=0.2, swapped=-3.0),
    Setting("dull, few references", 60, 0.2, 0.05, waver=2.0, together=0.3, longer=-1.0),
    Setting("reacts to anything", 100, 0.5, 0.5, waver=3.0, together=0.5, swapped=2.0),
    Setting("small falls in much noise", 200, 0.7, 0.1, fall=8.0, waver=5.0, together=0.2),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--judges", type=int, default=2000, help="judges of each setting (2000)")
    parser.add_argument("--setting", help="only this one, by its name")
    options = parser.parse_args()
    for setting in SETTINGS:
        if options.setting in (None, setting.name):
            report(setting, options.judges)


def report(setting: Setting, judges: int) -> None:
    started = time.process_time()
    true = truth(setting)
    hits = {name: [0, 0, 0, 0] for name in true}
    blind = 0
    for judge in range(judges):
        found = numbers(setting, judge)
        low = found["discrimination"][0]
        blind += low is None or low <= 0.5
        for name, (low, high) in found.items():
            if low is None or high is None:
                continue
            counts = hits[name]
            counts[0] += 1
            counts[1] += low <= true[name] <= high
            counts[2] += true[name] < low
            counts[3] += true[name] > high
    print(f"\n{setting.name}: {judges} judges, {time.process_time() - started:.0f} s")
    print(f"  {'':16} {'planted':>8} {'covered':>8} {'below':>7} {'above':>7} {'n':>6}")
    for name, (n, inside, below, above) in hits.items():
        if n:
            print(
                f"  {name:16} {true[name]:8.3f} {100 * inside / n:7.1f}% {100 * below / n:6.1f}% "
                f"{100 * above / n:6.1f}% {n:6}"
            )
    print(f"  called blind: {100 * blind / judges:.1f} %")


def numbers(setting: Setting, judge: int) -> dict[str, tuple[float | None, float | None]]:
    """Return the interval of each number of one simulated judge."""
    effects = AuditEffects(
        simulated(setting, judge), span=SPAN, lower_is_better=False, least=LEAST, resamples=1000,
        seed=judge, names=("judge", setting.name),
    )  # fmt: skip
    edits = effects.chosen("edit", [f"edit{n}" for n in range(setting.kinds)])
    rewrites = effects.chosen("rewrite", [f"rewrite{n}" for n in range(setting.rewrites)])
    shares = {
        "reacts": effects.reactions(edits),
        "false_alarms": effects.reactions(rewrites),
        "discrimination": effects.discrimination(edits, rewrites),
        "strength": effects.strength(edits, "strength"),
        "retest_sd": effects.retest,
        "verbosity": effects.verbosity(),
        "position": effects.position(),
    }
    return {name: (found.low, found.high) for name, found in shares.items()}


def simulated(setting: Setting, judge: int) -> AuditValues:
    """Return the scores of one judge as the audit's table would hold them."""
    rng = np.random.default_rng([judge, *setting.name.encode()])
    items = np.arange(setting.references)
    copies = 90.0 + setting.waver * rng.standard_normal((setting.references, setting.repeats))
    anchors = copies.mean(axis=1)
    parts = [
        (items, "copy", "", repeat, copies[:, repeat], True) for repeat in range(setting.repeats)
    ]
    first: dict[int, np.ndarray] = {}
    for probe, count, chance in (
        ("edit", setting.kinds, setting.reacts),
        ("rewrite", setting.rewrites, setting.false_alarms),
    ):
        moods = mood(rng, chance, setting)
        for kind in range(count):
            falls = setting.fall * (rng.random(setting.references) < moods)
            values = 90.0 - falls + setting.waver * rng.standard_normal(setting.references)
            asked = rng.random(setting.references) < setting.applies
            parts.append((items, probe, f"{probe}{kind}", 0, values, asked))
            if probe == "edit" and kind == 0:
                # The edited text that is judged again and swapped.
                first[0] = np.where(asked, 90.0 - falls, np.nan)
    for repeat in range(1, setting.repeats):
        noise = setting.waver * rng.standard_normal(setting.references)
        parts.append((items, "edit", "edit0", repeat, first[0] + noise, np.isfinite(first[0])))
    noise = setting.waver * rng.standard_normal(setting.references)
    swapped = first[0] + setting.swapped + noise
    parts.append((items, "swapped", "edit0", 0, swapped, np.isfinite(swapped)))
    noise = setting.waver * rng.standard_normal(setting.references)
    parts.append((items, "padded", "", 0, 90.0 + setting.longer + noise, True))
    return stacked(parts, anchors)


def stacked(parts: list, anchors: np.ndarray) -> AuditValues:
    size = len(anchors)
    asked = np.concatenate([np.broadcast_to(part[5], size) for part in parts])
    return AuditValues(
        items=np.concatenate([part[0] for part in parts]),
        probes=np.repeat([part[1] for part in parts], size),
        kinds=np.repeat([part[2] for part in parts], size),
        repeats=np.repeat([part[3] for part in parts], size),
        anchors=np.tile(anchors, len(parts)),
        values=np.where(asked, np.concatenate([part[4] for part in parts]), np.nan),
        asked=asked,
    )


def mood(rng: np.random.Generator, chance: float, setting: Setting) -> np.ndarray:
    """Return the chance of each reference: beta with this mean and intra-class correlation."""
    if not setting.together:
        return np.full(setting.references, chance)
    scale = 1 / setting.together - 1
    return rng.beta(chance * scale, (1 - chance) * scale, setting.references)


def truth(setting: Setting) -> dict[str, float]:
    spread = setting.waver * np.sqrt(1 + 1 / setting.repeats)
    threshold = max(LEAST * SPAN, 1.959963984540054 * spread)

    def over(mean: float) -> float:
        return float(ndtr((mean - threshold) / spread)) if spread else float(mean > threshold)

    def reacts(chance: float) -> float:
        return chance * over(setting.fall) + (1 - chance) * over(0.0)

    def wins(difference: float) -> float:
        if spread:
            return float(ndtr(difference / (spread * np.sqrt(2))))
        return 0.5 * (np.sign(difference) + 1)

    p, q, fall = setting.reacts, setting.false_alarms, setting.fall
    area = p * (1 - q) * wins(fall) + (1 - p) * q * wins(-fall) + (p * q + (1 - p) * (1 - q)) * 0.5
    return {
        "reacts": reacts(p),
        "false_alarms": reacts(q),
        "discrimination": float(area),
        "strength": 100 * p * fall / SPAN,
        "retest_sd": setting.waver,
        "verbosity": 100 * setting.longer / SPAN,
        "position": 100 * setting.swapped / SPAN,
    }


if __name__ == "__main__":
    main()
