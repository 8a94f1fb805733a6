"""How long does it take to edit a corpus of impressions, and does the result depend on workers?

    python bench/bench_perturb.py [--items N]

As many impressions as the radiology paper has (13,801) are made of the points of the invented ones
that ship, and go through the step ``perturb`` with the shipped dictionary at three levels of
substitution, with one worker and with two. The floor is to find the terms of the dictionary once in
every text, in one process, with one regular expression of all terms: what no way of editing can do
without.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from toolkit.data import data_dir
from toolkit.execute import run_recipe
from toolkit.perturb.dictionary import read_dictionary
from toolkit.perturb.points import find_points
from toolkit.recipe.load import load_recipe
from toolkit.store.canonical import file_digest

RADIOLOGY = data_dir("recipes") / "radiology"
KINDS = ("corpus", "variants")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--items", type=int, default=13_801, help="impressions (13801)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = made_up(options.items, seed=1)
        file = write(folder, rows)
        floor = find_once([row["impression"] for row in rows])
        words = sum(len(row["impression"].split()) for row in rows) / len(rows)
        print(f"{len(rows):,} impressions of {words:.0f} words, three levels of substitution")
        print(f"floor: every term found once, one process: {floor:.1f} s")
        found = set()
        for workers in (1, 2):
            seconds, digest = edit(file, folder / f"w{workers}", workers)
            found.add(digest)
            print(
                f"perturb with {workers} worker(s): {seconds:.1f} s, {seconds / floor:.1f}x floor"
            )
        print("the same variants" if len(found) == 1 else "DIFFERENT variants")


def made_up(count: int, seed: int) -> list[dict[str, Any]]:
    """Return impressions of one to five points of the invented ones, numbered again."""
    rng = random.Random(seed)
    lines = (RADIOLOGY / "impressions.jsonl").read_text(encoding="utf-8").splitlines()
    given = [json.loads(line) for line in lines]
    points = [
        row["impression"][point.body : point.end]
        for row in given
        for point in find_points(row["impression"])
    ]
    rows = []
    for number in range(count):
        mine = rng.sample(points, rng.randint(1, 5))
        text = "\n".join(f"{at}. {point}" for at, point in enumerate(mine, start=1))
        rows.append({"report_id": f"r{number:06d}", "impression": text})
    return rows


def write(folder: Path, rows: list[dict[str, Any]]) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "rows.jsonl").write_text(text, encoding="utf-8")
    shutil.copy(RADIOLOGY / "dictionary.csv", folder)
    recipe = {
        "name": "bench",
        "seed": 1,
        "corpus": {"source": "jsonl", "files": "rows.jsonl", "access": "open",
                   "id": "report_id", "reference": "impression"},
        "perturb": {
            "column": "impression",
            "dictionary": "dictionary.csv",
            "substitution": {"levels": {"L1": [1, 1], "L2": [2, 2], "L3": [4, 4]}},
            "measurements": {},
        },
        "models": {"copy": {"provider": "baseline", "variant": "reference"}},
        "generate": {"split": "all", "over": "variants", "models": ["copy"]},
        "validation": {kind: {"on_failure": "off"} for kind in KINDS},
    }  # fmt: skip
    file = folder / "recipe.yaml"
    file.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return file


def find_once(texts: list[str]) -> float:
    terms = sorted(
        (entry.term for entry in read_dictionary(RADIOLOGY / "dictionary.csv").usable()),
        key=len,
        reverse=True,
    )
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, terms))})(?!\w)", re.IGNORECASE)
    start = time.perf_counter()
    for text in texts:
        for _ in pattern.finditer(text):
            pass
    return time.perf_counter() - start


def edit(file: Path, workspace: Path, workers: int) -> tuple[float, str]:
    """Return the seconds of the step alone, and a digest of its tables."""
    recipe = load_recipe(file, overrides=[f"execution.workers={workers}"])
    run_recipe(recipe, workspace=workspace, until="corpus")
    start = time.perf_counter()
    result = run_recipe(recipe, workspace=workspace, until="perturb")
    seconds = time.perf_counter() - start
    made = result.artifacts["perturb"]
    files = [path for name in ("variants", "edits", "usage") for path in made.files(name)]
    return seconds, "".join(file_digest(path) for path in files)


if __name__ == "__main__":
    main()
