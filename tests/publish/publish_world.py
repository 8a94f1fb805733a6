"""A small benchmark in two versions, run for real, and a Hub of our own to publish it to."""

import json
import os
import subprocess
import sys
from pathlib import Path

import tiny_recipe

from tests.doubles.hub_server import TOKEN
from tests.faults.runs import ROOT, run_here
from tests.schedulers import local_scheduler
from tests.tiny_recipe import UNCHECKED
from toolkit.hub.client import Client, Patience
from toolkit.publish.source import Source, open_source
from toolkit.store.workspace import Workspace

DATASET, SPACE, MODEL = "org/tiny", "org/tiny-board", "vendor/model"
PUBLISH = {
    "dataset": DATASET,
    "leaderboard": SPACE,
    "license": "cc-by-4.0",
    "redistribution": "full_text",
    "tasks": [{"id": "length", "score": "rougeL", "prompt": "A"}],
}


def recipe(version="1.0", **publish):
    """Return a recipe with a model that has a page on the Hub, and a baseline."""
    return tiny_recipe.data(
        version=version,
        validation=UNCHECKED,
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        models={
            "first": {"provider": "baseline", "variant": "first_sentence"},
            "vendor": {"provider": "replay", "file": "answers.jsonl", "hub_id": MODEL},
        },
        generate={"split": "test", "models": ["first", "vendor"], "prompts": ["A"]},
        publish={**PUBLISH, **publish},
    )


def make_run(folder, workspace, data, rows, scheduler="local"):
    """Run a recipe over rows; return the run, ready to be published."""
    file = tiny_recipe.write(folder, data, rows)
    (folder / "a.j2").write_text("Conclude:\n{{ text }}\n")
    answers = [{"item_id": row["key"], "text": row["conclusion"][:40]} for row in rows]
    (folder / "answers.jsonl").write_text("".join(json.dumps(a) + "\n" for a in answers))
    run = run_here(file, workspace, scheduler)
    return open_source(Workspace(workspace), run.folder.name)


def two_versions(root):
    """Run version 1.0, and version 1.1 of a corpus with a changed row and a new one."""
    rows, more = tiny_recipe.rows(), tiny_recipe.rows()
    more[3]["conclusion"] += " More or less."
    more.append({**rows[0], "key": "row-12", "input": "AIM: One more."})
    data = recipe("1.1")
    data["splits"] = {"sizes": {"train": 6, "test": 7}, "frozen": "frozen.csv"}
    with local_scheduler() as scheduler:
        first = make_run(root / "one", root / "workspace", recipe(), rows, scheduler)
        lines = ["item_id,split", *(f"{item},{split}" for item, split in splits(first).items())]
        (root / "two").mkdir()
        (root / "two" / "frozen.csv").write_text("\n".join(lines) + "\n")
        return first, make_run(root / "two", root / "workspace", data, more, scheduler)


def splits(source: Source):
    """Return the split of each released item of a run."""
    from toolkit.publish.items import split_of_items

    release = source.folder / "release"
    names = [p.relative_to(release).as_posix() for p in release.rglob("*.parquet")]
    return split_of_items(release, names)


def client_of(hub, token=TOKEN, **patience):
    """Return a client that waits for nothing."""
    return Client(hub.url, token, Patience(tries=3, pause=lambda seconds: None, **patience))


def start(hub, workspace, home, *arguments, token=TOKEN):
    """Start the command itself."""
    return subprocess.Popen(
        [sys.executable, "-m", "toolkit", "--workspace", str(workspace), *arguments],
        cwd=ROOT,
        env={**os.environ, **hub.environment(home, token)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def toolkit(hub, workspace, home, *arguments, code=0, token=TOKEN):
    """Run the command itself; return what it printed."""
    process = start(hub, workspace, home, *arguments, token=token)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == code, output
    return output


def load(hub, home, script, *, token=None):
    """Load with ``datasets`` in a fresh process; return the JSON that the script prints."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    found = subprocess.run(
        [sys.executable, "-c", f"import json, datasets\n{script}"],
        env={**environment, **hub.environment(home, token)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-2000:]
    return json.loads(found.stdout.strip().splitlines()[-1])


LOAD = """
found = {}
for revision in %r:
    for config in datasets.get_dataset_config_names("org/tiny", revision=revision):
        for split in datasets.get_dataset_split_names("org/tiny", config, revision=revision):
            data = datasets.load_dataset("org/tiny", config, split=split, revision=revision)
            found[f"{revision} {config} {split}"] = data.to_list()
print(json.dumps(found))
"""


def texts(hub, revision="main", name=DATASET, kind="dataset"):
    """Return the bytes of every file of a revision."""
    repo = hub.repo(name, kind)
    return {path: repo.read(entry) for path, entry in repo.find(revision).tree.items()}


def everything(folder):
    """Return the bytes of every file below a folder."""
    return b"\n".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())
