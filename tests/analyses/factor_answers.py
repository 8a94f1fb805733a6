"""Answers of models under prompts to items of datasets, some models better than others."""

import numpy as np

ITEMS = [
    {"item_id": f"i{at:04d}", "dataset": ("inspect", "merlin")[at % 2], "patient": f"p{at // 2}"}
    for at in range(60)
]
MODELS = {"qwen": -0.8, "gpt": 0.0, "claude": 0.9}
PROMPTS = {"concise": 0.0, "detailed": 0.5}


def latent(seed=2, repeats=1):
    """A number for each answer, by (item, model, prompt, repeat)."""
    rng = np.random.default_rng(seed)
    found = {}
    for item in ITEMS:
        own = rng.normal(0, 1)
        for model, shift in MODELS.items():
            for prompt, more in PROMPTS.items():
                for repeat in range(repeats):
                    # Prompts help one model and harm the others: an interaction.
                    sign = 1 if model == "qwen" else -1
                    key = (item["item_id"], model, prompt, repeat)
                    found[key] = own + shift + 1.6 * sign * more + rng.logistic()
    return found


def binary(**more):
    return {key: float(value > 0) for key, value in latent(**more).items()}


def ordered(**more):
    return {key: float(value > -1) + float(value > 1) for key, value in latent(**more).items()}
