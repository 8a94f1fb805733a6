from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.corpus.hub_double import TOKEN, HubDouble
from toolkit.corpus.hub import Hub
from toolkit.corpus.source import RemoteSource
from toolkit.errors import SourceError

pytestmark = pytest.mark.slow  # each client is a process that imports `datasets`

OLD, NEW = "a" * 40, "b" * 40
CARD = b"""---
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*.parquet
  - split: test
    path: data/test-*.parquet
---
"""


def table(*ids: str) -> bytes:
    rows = {"pmid": list(ids), "abstract": [f"text of {pmid}" for pmid in ids]}
    buffer = io.BytesIO()
    pq.write_table(pa.table(rows), buffer)
    return buffer.getvalue()


def double(**options: Any) -> HubDouble:
    files = {"README.md": CARD, "data/test-0.parquet": table("9")}
    old = {**files, "data/train-0.parquet": table("1", "2"), "data/train-1.parquet": table("3")}
    new = {**files, "data/train-0.parquet": table("4")}
    return HubDouble("org/set", {OLD: old, NEW: new}, {"main": NEW, "v1": OLD}, **options)


@pytest.fixture(scope="module")
def hub() -> Iterator[HubDouble]:
    with double().running() as server:
        yield server


CLIENT = """
import json, pathlib, sys
from toolkit.corpus.hub import Hub
from toolkit.errors import ToolkitError
params, cache, secrets = json.loads(sys.argv[1]), pathlib.Path(sys.argv[2]), json.loads(sys.argv[3])
params = {key: tuple(v) if isinstance(v, list) else v for key, v in params.items()}
try:
    source = Hub(Hub.Params(**params), cache).resolve(cache, secrets)
    schema = source.schema()
    rows = []
    for part in source.parts():
        result = source.read(part, cache / "out" / part.name, schema)
        import pyarrow.parquet as pq
        rows += pq.read_table(result.items).to_pylist()
    parts = [part.name for part in source.parts()]
    print(json.dumps({"facts": source.facts(), "rows": rows, "parts": parts}))
except ToolkitError as error:
    shown = {"message": error.message, "hint": error.hint}
    print(json.dumps({"error": type(error).__name__, **shown}))
"""


def run(url: str, home: Path, secrets: dict[str, str] | None = None, **params: Any) -> Any:
    """Constants of the client library are read at import, so it runs in a process of its own."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    env |= {
        "HF_ENDPOINT": url,
        "HF_HOME": str(home / "hf"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "NO_PROXY": "127.0.0.1",
    }
    env |= {key: str(params.pop(key)) for key in list(params) if key.isupper()}
    params = {"dataset": "org/set", "id": "pmid", **params}
    command = [
        sys.executable,
        "-c",
        CLIENT,
        json.dumps(params),
        str(home),
        json.dumps(secrets or {}),
    ]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_branch_becomes_a_commit_and_a_second_run_asks_for_no_data(
    hub: HubDouble, tmp_path: Path
) -> None:
    first = run(hub.url, tmp_path, revision="v1", fields={"input": "abstract"})
    assert first["facts"] == {"dataset": "org/set", "revision": OLD}
    assert first["rows"] == [{"item_id": n, "input": f"text of {n}"} for n in ("1", "2", "3")]
    hub.log.clear()
    again = run(hub.url, tmp_path, revision=OLD, fields={"input": "abstract"})
    assert again == first
    assert hub.log == []


def test_splits_and_main(hub: HubDouble, tmp_path: Path) -> None:
    both = run(hub.url, tmp_path, split=["train", "test"])
    assert both["facts"]["revision"] == NEW
    assert sorted(row["item_id"] for row in both["rows"]) == ["4", "9"]
    assert both["parts"] == ["test-00000.parquet", "train-00000.parquet"]


@pytest.mark.parametrize(
    ("params", "error", "word"),
    [
        ({"dataset": "org/absent"}, "SourceError", "org/absent"),
        ({"revision": "v9"}, "SourceError", "v9"),
        ({"revision": NEW, "split": ["validation"]}, "SourceError", "validation"),
        ({"revision": NEW, "id": "doi"}, "SourceError", "'doi'"),
        ({"HF_HUB_OFFLINE": 1}, "MissingError", "HF_HUB_OFFLINE"),
        ({"token_env": "MY_TOKEN"}, "MissingError", "MY_TOKEN"),
    ],
)
def test_what_cannot_be_had_is_said(
    hub: HubDouble, tmp_path: Path, params: dict[str, Any], error: str, word: str
) -> None:
    answer = run(hub.url, tmp_path, **params)
    assert answer["error"] == error
    assert word in answer["message"]
    assert answer["hint"]


def test_private_data_need_the_token_of_the_recipe(tmp_path: Path) -> None:
    with double(private=True).running() as server:
        refused = run(server.url, tmp_path)
        assert refused["error"] == "SourceError"
        assert "token_env" in refused["hint"]
        given = run(server.url, tmp_path, {"MY_TOKEN": TOKEN}, token_env="MY_TOKEN")
        assert [row["item_id"] for row in given["rows"]] == ["4"]
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept
    assert not any(TOKEN.encode() in path.read_bytes() for path in kept)


def test_it_is_a_source_that_has_to_be_resolved(tmp_path: Path) -> None:
    source = Hub(Hub.Params(dataset="org/set"), tmp_path)
    assert isinstance(source, RemoteSource)
    with pytest.raises(SourceError, match="not fetched"):
        source.parts()
