"""A recipe over the invented PubMed files of the sample: two baselines, cheap metrics."""

import gzip

import yaml

from tests.faults.runs import ROOT

SAMPLE = ROOT / "recipes" / "sample"
FIRST = (SAMPLE / "pubmed26n9001.xml").read_bytes()
SECOND = (SAMPLE / "pubmed26n9002.xml").read_bytes()
JOURNALS = (SAMPLE / "journals-2019.csv").read_bytes()


def packed(content):
    """Return gzip of some bytes, the same every time."""
    return gzip.compress(content, mtime=0)


def data(corpus=None, **changes):
    """Return the recipe as data, with sections replaced."""
    recipe = {
        "name": "faults",
        "seed": 7,
        "corpus": {
            "source": "pubmed_xml",
            "files": "raw/*",
            "access": "open",
            "where": {"min_sections": 3},
            **(corpus or {}),
        },
        "splits": {"fractions": {"train": 0.5, "test": 0.5}},
        "models": {
            "first": {"provider": "baseline", "variant": "first_sentence"},
            "other": {"provider": "baseline", "variant": "random_conclusion"},
        },
        "generate": {"split": "test", "models": ["first", "other"]},
        "metrics": ["rouge", "word_ratio"],
        "analyses": [{"means": {"resamples": 200}}],
        "execution": {"workers": 1},
    }
    recipe.update(changes)
    return {key: value for key, value in recipe.items() if value is not None}


def write(folder, files, recipe=None):
    """Write the recipe and its raw files into a folder; return the recipe's path."""
    raw = folder / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (raw / name).write_bytes(content)
    file = folder / "recipe.yaml"
    file.write_text(yaml.safe_dump(recipe or data(), sort_keys=False), encoding="utf-8")
    return file
