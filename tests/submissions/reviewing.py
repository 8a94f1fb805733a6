"""A benchmark with one judge on a real server, and bundles that answer it."""

import json
from pathlib import Path

import tiny_recipe
from bundles import write_lines
from click.testing import CliRunner

from toolkit.cli.main import cli
from toolkit.recipe.load import load_recipe
from toolkit.results.store import ResultStore
from toolkit.store.workspace import Workspace

JUDGE = (
    "Compare.\n<reference>\n{{ reference }}\n</reference>\n"
    "<candidate>\n{{ output }}\n</candidate>\nReply with JSON.\n"
)
OFF = {"on_failure": "off"}


def benchmark(folder, url, *, version="1.0", rules=None, **changes):
    """Write the maintainer's recipe: 24 items, 12 of them to be answered, a judge, a metric."""
    server = {
        "provider": "openai_compatible", "base_url": url, "max_tokens": 40,
        "prices": {"input_per_million": 1.0, "output_per_million": 2.0},
    }  # fmt: skip
    given = {
        "version": version,
        "splits": {"sizes": {"train": 6, "test": 12, "fresh": 6}},
        "models": {
            "first": {"provider": "baseline", "variant": "first_sentence"},
            "grader": {**server, "model": "g"},
            "paid": {**server, "model": "w", "api_key_env": "NOBODY_HAS_THIS_KEY"},
        },
        "prompts": {
            "A": {"file": "a.j2", "slots": {"text": "field:input"}},
            "B": {"file": "b.j2", "slots": {"text": "field:input"}},
        },
        "generate": {"split": "test", "models": ["first", "paid"], "prompts": ["A", "B"]},
        "judges": {
            "grader": {
                "type": "llm",
                "model": "grader",
                "prompt": {
                    "file": "judge.j2",
                    "slots": {"reference": "judged:reference", "output": "judged:output"},
                },
                "scores": {"similarity": {"range": [0, 100]}},
            }
        },
        "metrics": ["word_ratio"],
        "validation": dict.fromkeys(
            ("corpus", "splits", "generations", "judgements", "scores", "leaderboard"), OFF
        ),
        "publish": {
            "license": "cc-by-4.0",
            "redistribution": "full_text",
            "submissions": {"judge_sample": 10, **(rules or {})},
        },
    }
    recipe = tiny_recipe.data(**{**given, **changes})
    file = tiny_recipe.write(folder, recipe, tiny_recipe.rows(24))
    (folder / "a.j2").write_text("Conclude.\n{{ text }}\n", encoding="utf-8")
    (folder / "b.j2").write_text("Sum up.\n{{ text }}\n", encoding="utf-8")
    (folder / "judge.j2").write_text(JUDGE, encoding="utf-8")
    return file


class Office:
    """A maintainer's desk: recipe, workspace, board; and what submitters hand in."""

    def __init__(self, folder: Path, recipe: Path, workspace: Path | None = None):
        self.folder = folder
        self.recipe = recipe
        self.workspace = Workspace(workspace or folder / "workspace")
        self.board = folder / "board"
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def store(self):
        return ResultStore(self.board)

    def toolkit(self, *arguments, code=0):
        """Run a command; return what it printed."""
        command = ["-q", "--workspace", str(self.workspace.root), *map(str, arguments)]
        done = CliRunner().invoke(cli, command)
        known = getattr(done.exception, "exit_code", None) or done.exit_code
        told = done.output + str(done.exception or "")
        assert known == code, told
        return told

    def items(self, split="test"):
        """Return id, input and reference of the items of a split."""
        from toolkit.submissions.recipe_items import split_items

        columns = ["item_id", "input", "conclusion"]
        return split_items(load_recipe(self.recipe), split, self.workspace, columns)

    def bundle(self, name, answer, *, prompts="A", split="test", submitter="ann", more=()):
        """Hand in what ``answer`` says of each item; return the zip file."""
        rows = [
            {"item_id": item["item_id"], "prompt": prompt, **said}
            for prompt in prompts
            for item in self.items(split)
            for said in [answer(item)]
        ]
        plain = name.replace("/", "-")
        file = write_lines(self.folder / f"{plain}.jsonl", rows)
        out = self.folder / f"{plain}-{submitter}.zip"
        self.toolkit(
            *("submit", file, "--benchmark", self.recipe, "--split", split, "--model", name),
            *(text for prompt in prompts for text in ("--prompt", prompt)),
            *("--submitter", submitter, "--out", out, *more),
        )
        return out

    def review(self, bundle, *more, code=0, day="2026-05-01"):
        """Review a bundle; return what was printed."""
        return self.toolkit(
            *("leaderboard", "review", bundle, "--recipe", self.recipe, "--board", self.board),
            *("--submitted-on", day, *more),
            code=code,
        )

    def report(self, bundle):
        """Return the report of a bundle's review."""
        from toolkit.submissions.bundle import read_bundle

        found, _ = read_bundle(bundle)
        (path,) = self.board.glob(f"reviews/*/{found.bundle_id[:16]}/review.json")
        return json.loads(path.read_text(encoding="utf-8"))


def result_sentence(item):
    """Answer with the sentence that holds the result, in other words."""
    found = item["input"].split("RESULTS: ")[1].split(". ")[0]
    return {"output": f"In short, we saw the following here: {found.lower()}"}


def evasive(item):
    """Answer with the same empty words each time."""
    return {"output": "More research is needed before anybody can say anything about it."}
