"""The life of a public benchmark: released, submitted to, reviewed, updated; no past moves."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.doubles.hub_server import TOKEN, HubServer

ROOT = Path(__file__).resolve().parents[2]
DATASET, SPACE = "org/quickstart", "org/quickstart-board"
LEAD = "Models of conclusions <script>alert(1)</script> | *lead*"

LOAD = f"""
import datasets, json
found = {{}}
for revision in %r:
    for config in datasets.get_dataset_config_names("{DATASET}", revision=revision):
        for split in datasets.get_dataset_split_names("{DATASET}", config, revision=revision):
            data = datasets.load_dataset("{DATASET}", config, split=split, revision=revision)
            found[f"{{revision}} {{config}} {{split}}"] = data.to_list()
print(json.dumps(found, default=str))
"""


class Maintainer:
    """A folder with the shipped recipe, a workspace, a board, and the command itself."""

    def __init__(self, folder, hub):
        self.folder, self.hub = folder, hub
        self.recipe = folder / "quickstart.yaml"
        self.toolkit("init", "quickstart")

    def toolkit(self, *arguments, code=0, token=TOKEN):
        done = subprocess.run(
            [sys.executable, "-m", "toolkit", *map(str, arguments)],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                **self.hub.environment(self.folder / "home", token),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def change(self, **sections):
        """Write sections of the recipe anew."""
        data = yaml.safe_load(self.recipe.read_text())
        for name, changes in sections.items():
            data[name] = {**data[name], **changes} if isinstance(changes, dict) else changes
        self.recipe.write_text(yaml.safe_dump(data, sort_keys=False))

    def run(self):
        self.toolkit("run", self.recipe.name)
        # Reviews are runs, too: the benchmark's own is named when it is published.
        (name,) = {path.name for path in self.runs()} - self.known
        self.known |= {name}
        return name

    known: set = set()  # noqa: RUF012 - one maintainer a test

    def runs(self):
        return [path for path in (self.folder / ".toolkit" / "runs").iterdir() if path.is_dir()]

    def load(self, *revisions):
        """Load every configuration and split in a fresh process, as a stranger would."""
        found = subprocess.run(
            [sys.executable, "-c", LOAD % (revisions,)],
            env={
                **{k: v for k, v in os.environ.items() if not k.startswith("HF_")},
                **self.hub.environment(self.folder / f"reader-{'-'.join(revisions)}", None),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, found.stderr[-2000:]
        return json.loads(found.stdout.splitlines()[-1])

    def submit(self, model, submitter, items, answer):
        """Hand in answers as a stranger does who has the published dataset only."""
        lines = [
            json.dumps({"item_id": item["item_id"], "output": answer(item["input"])})
            for item in items
        ]
        file = self.folder / f"{submitter}.jsonl"
        file.write_text("\n".join(lines) + "\n")
        bundle = self.folder / f"{submitter}.zip"
        self.toolkit(
            *("submit", file, "--benchmark", f"{DATASET}@v1.0", "--prompt", "A"),
            *("--split", "test", "--model", model, "--submitter", submitter, "--out", bundle),
            token=None,
        )
        return bundle


def lead(text):
    return text.split(". ")[0].partition(": ")[2] + "."


def longest(text):
    return "We found this: " + max(re.split(r"(?<=\.) ", text), key=len)


def one_more_article(folder):
    """Add a file with one article of the first file under another id and another text."""
    source = (folder / "sample" / "pubmed26n9001.xml").read_text(encoding="utf-8")
    head, first, *_ = re.split(r"(?=<PubmedArticle>)", source)
    article = first.partition("</PubmedArticle>")[0] + "</PubmedArticle>"
    pmid = re.search(r"<PMID[^>]*>(\d+)</PMID>", article).group(1)
    article = article.replace(pmid, "990009999").replace("<AbstractText", "<AbstractText", 1)
    article = re.sub(r"(<AbstractText[^>]*>)", r"\1Quite another question entirely. ", article)
    article = re.sub(r"(<ArticleTitle>)", r"\1A later study of something else: ", article)
    article = re.sub(r'<ArticleId IdType="doi">[^<]*</ArticleId>', "", article)
    article = re.sub(r'<ELocationID EIdType="doi"[^>]*>[^<]*</ELocationID>', "", article)
    root = re.search(r"<(PubmedArticleSet)", head).group(1)
    (folder / "sample" / "pubmed26n9003.xml").write_text(
        f"{head}{article}</{root}>", encoding="utf-8"
    )


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_released_submitted_to_reviewed_and_updated(tmp_path):
    with HubServer() as hub:
        office = Maintainer(tmp_path, hub)
        office.change(
            models={"smollm2": None},
            generate={"models": ["first_sentence", "other_conclusion"]},
            metrics=["rouge", "word_ratio"],
            publish={
                "dataset": DATASET,
                "leaderboard": SPACE,
                "tasks": [{"id": "conclusion", "score": "rougeL", "prompt": "A"}],
                "submissions": {"per_week": 2},
            },
        )
        data = yaml.safe_load(office.recipe.read_text())
        data["models"].pop("smollm2")
        office.recipe.write_text(yaml.safe_dump(data, sort_keys=False))

        first = office.run()
        office.toolkit("publish", first)
        repo = hub.repo(DATASET)
        one = repo.tags["v1.0"]
        loaded = office.load("v1.0", one)
        sizes = {key: len(rows) for key, rows in loaded.items() if "leaderboard" not in key}
        assert sizes == {
            f"{revision} conclusion {split}": rows
            for revision in ("v1.0", one)
            for split, rows in (("train", 30), ("validation", 7), ("test", 15))
        }

        items = loaded["v1.0 conclusion test"]
        for model, who, answer in ((LEAD, "ann", lead), ("Longest", "bob", longest)):
            bundle = office.submit(model, who, items, answer)
            said = office.toolkit(
                *("leaderboard", "review", bundle, "--recipe", office.recipe.name),
                *("--board", "board", "--submitted-on", "2026-05-01"),
            )
            assert "accepted" in said
        office.known |= {path.name for path in office.runs()}

        office.toolkit("publish", first, "--results", "board")
        assert repo.tags == {"v1.0": one}
        rows = office.load("main")["main leaderboard v1_0"]
        ranked = {row["model"]: row for row in rows if row["score"] == "rougeL"}
        assert {LEAD, "Longest"} <= set(ranked)
        assert all(ranked[name]["rank"] is not None for name in (LEAD, "Longest"))
        files = {path: repo.read(e) for path, e in repo.find("main").tree.items()}
        card = files["README.md"].decode()
        assert "<script>" not in card
        assert "*lead*" not in card
        assert yaml.safe_load(files["eval.yaml"])["tasks"][0]["id"] == "conclusion"
        space = hub.repo(SPACE, "space")
        page = {path: space.read(e) for path, e in space.find("main").tree.items()}
        assert not any(b"<script>alert" in page[name] for name in page if name.endswith(".html"))

        one_more_article(tmp_path)
        office.toolkit("publish", first, "--released-splits", "released.csv")
        office.change(
            version="1.1",
            splits={"sizes": {"train": 30, "validation": 7, "test": 16}, "frozen": "released.csv"},
        )
        second = office.run()
        office.toolkit("publish", second, "--results", "board", "--note", "One article more.")
        assert repo.tags["v1.0"] == one
        after = office.load("v1.0", "v1.1")
        for split in ("train", "validation", "test"):
            assert after[f"v1.0 conclusion {split}"] == loaded[f"v1.0 conclusion {split}"]
        ids = {row["item_id"] for row in items}
        new = {row["item_id"] for row in after["v1.1 conclusion test"]}
        assert ids < new
        assert {key for key in after if key.startswith("v1.1 leaderboard")} == {
            "v1.1 leaderboard v1_0",
            "v1.1 leaderboard v1_1",
        }
        assert {row["model"] for row in after["v1.1 leaderboard v1_0"]} >= {LEAD, "Longest"}
        assert not {LEAD, "Longest"} & {row["model"] for row in after["v1.1 leaderboard v1_1"]}
