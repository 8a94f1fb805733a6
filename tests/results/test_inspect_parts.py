"""What inspect-ai needs to run a benchmark, tried with inspect-ai itself where it is installed."""

import base64
import json
import os
import shutil
import subprocess
from dataclasses import replace

import pytest
import yaml

from tests.doubles.chat_server import ChatServer
from tests.doubles.hub_server import HubServer
from toolkit.recipe.publish_section import Publish, Task
from toolkit.results.board import build_board
from toolkit.results.from_run import results_of_run
from toolkit.results.inspect_parts import inspect_parts
from toolkit.results.render import eval_notes, eval_yaml
from toolkit.results.store import ResultStore

TASK = Task(id="words", score="rouge1", prompt="A")


@pytest.fixture(scope="module")
def text(run, tmp_path_factory):
    store = ResultStore(tmp_path_factory.mktemp("store"))
    for result, items in results_of_run(
        run, date="2026-05-01", tier="re-generated", submitter="org"
    ):
        store.add(result, items)
    publish = Publish(license="cc-by-4.0", redistribution="full_text", tasks=(TASK,))
    return eval_yaml(build_board(store, tasks=[TASK]), publish, run=run)


def test_a_task_with_a_counterpart_has_fields_solvers_and_scorers(text):
    (task,) = yaml.safe_load(text)["tasks"]
    assert task["field_spec"] == {"input": "input", "target": "conclusion"}
    assert task["scorers"] == [{"name": "f1"}]
    template, generate = task["solvers"]
    assert generate == {"name": "generate"}
    assert template["args"]["template"] == 'Conclude, as {{"text": "..."}} or not:\n{prompt}'


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"score": "rougeL"}, "no counterpart"), ({"prompt": "B"}, "chain")],
)
def test_one_task_that_cannot_be_run_stands_in_the_way_of_all(run, changes, said):
    other = replace(TASK, id="other", **changes)
    found = inspect_parts(run, [TASK, other])
    assert found.parts == {}
    assert "task 'other'" in found.reasons[0]
    assert said in found.reasons[0]
    publish = Publish(license="cc-by-4.0", redistribution="full_text", tasks=(TASK, other))
    assert "task 'other'" in eval_notes(publish, run)[0]


@pytest.mark.slow
def test_inspect_runs_the_benchmark_from_the_hub(text, run, tmp_path):
    program = os.environ.get("TOOLKIT_INSPECT") or shutil.which("inspect")
    if program is None:
        pytest.skip("inspect-ai is not installed: put it on the path or name it, TOOLKIT_INSPECT")
    release = run / "release"
    files = {p.relative_to(release).as_posix(): p for p in release.rglob("*") if p.is_file()}
    contents = {"eval.yaml": text.encode()} | {n: p.read_bytes() for n, p in files.items()}
    lines = [
        {"key": "header", "value": {"summary": "Release"}},
        *(
            {
                "key": "file",
                "value": {
                    "path": name,
                    "content": base64.b64encode(data).decode(),
                    "encoding": "base64",
                },
            }
            for name, data in contents.items()
        ),
    ]
    with HubServer() as hub, ChatServer(tmp_path) as server:
        hub.make("org/tiny").commit("main", lines, pull=False)
        done = subprocess.run(
            [program, "eval", "hf/org/tiny", "--model", "openai-api/here/some-model",
             "--log-format", "json", "--log-dir", str(tmp_path / "logs"), "--display", "plain"],
            env={
                **{k: v for k, v in os.environ.items() if not k.startswith("HF_")},
                **hub.environment(tmp_path / "home", None),
                "HERE_API_KEY": "none",
                "HERE_BASE_URL": server.url,
            },
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )  # fmt: skip
        calls = server.calls
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (log,) = (tmp_path / "logs").glob("*.json")
    found = json.loads(log.read_text())
    assert found["status"] == "success"
    assert found["results"]["total_samples"] == 12
    assert found["results"]["scores"][0]["name"] == "f1"
    asked = [call["body"]["messages"][-1]["content"] for call in calls]
    assert len(asked) == 12
    for question in asked:
        assert question.startswith('Conclude, as {"text": "..."} or not:\nAIM: To study question')
