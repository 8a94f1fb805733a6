"""What a run took: tokens of its answers, its own calls and their time, money at its prices."""

import pytest
import tiny_recipe
import yaml

from tests.doubles.chat_server import ChatServer
from toolkit.execute import run_recipe
from toolkit.execute.costs import run_costs
from toolkit.recipe.load import load_recipe

JUDGE = "Compare {{ reference }} and {{ output }}. Reply with JSON.\n"


def write(folder, url, **changes):
    server = {
        "provider": "openai_compatible", "base_url": url, "max_tokens": 40,
        "prices": {"input_per_million": 1.0, "output_per_million": 2.0},
    }  # fmt: skip
    judge = {
        "type": "llm", "model": "grader", "canaries": 2,
        "prompt": {
            "file": "judge.j2",
            "slots": {"reference": "judged:reference", "output": "judged:output"},
        },
        "scores": {"similarity": {"range": [0, 100]}},
    }  # fmt: skip
    recipe = tiny_recipe.unchecked(
        models={
            "first": {"provider": "baseline", "variant": "first_sentence"},
            "grader": {**server, "model": "g"},
            "writer": {**server, "model": "w"},
        },
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        generate={"split": "test", "models": ["first", "writer"], "prompts": ["A"]},
        judges={"one": judge},
        metrics=["word_ratio"],
        **changes,
    )
    file = tiny_recipe.write(folder, recipe)
    (folder / "a.j2").write_text("Write about {{ text }}\n")
    (folder / "judge.j2").write_text(JUDGE)
    return file


def shared(folder, url, **grader):
    """One name on the server stands for two candidates and the judge."""
    file = write(folder, url)
    data = yaml.safe_load(file.read_text())
    writer = data["models"]["writer"] | {"model": "g"}
    data["models"] |= {"writer": writer, "warm": {**writer, "temperature": 0.7}}
    data["models"]["grader"] |= grader
    data["generate"]["models"].append("warm")
    data["judges"]["one"]["canaries"] = 0
    file.write_text(yaml.safe_dump(data, sort_keys=False))
    return file


def costs(result):
    found = run_costs(result.plan, result.artifacts, result.folder)
    return found, {(row.role, row.name): row for row in found.rows}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("costs")
    script = [
        {"times": 0, "match": "Reply with JSON", "message": {"content": '{"similarity": 80}'}}
    ]
    with ChatServer(folder, script) as server:
        file = write(folder / "r", server.url)
        first = run_recipe(load_recipe(file), workspace=folder / "w")
        calls = [call["body"]["model"] for call in server.calls]
        # Another analysis makes another run of the same answers.
        write(folder / "r", server.url, analyses=[{"means": {"resamples": 300}}])
        second = run_recipe(load_recipe(file), workspace=folder / "w")
        assert len(server.calls) == len(calls)
    return first, second, calls


def test_calls_tokens_and_money_of_a_run(runs):
    first, _, calls = runs
    found, rows = costs(first)
    assert set(rows) == {("candidate", "writer"), ("judge", "grader")}
    writer, grader = rows["candidate", "writer"], rows["judge", "grader"]
    assert writer.made == calls.count("w") == 6
    # Twelve answers judged, and two of them again with each planted instruction.
    assert grader.made == calls.count("g") == 12 + 2 * 7
    assert (writer.reused, writer.failed) == (0, 0)
    rows_of = first.artifacts["generate/writer/A"].rows("generations")
    tokens = [(row["prompt_tokens"], row["completion_tokens"]) for row in rows_of]
    assert writer.tokens_in == sum(read for read, _ in tokens) > 0
    assert writer.tokens_out == sum(written for _, written in tokens) > 0
    assert writer.usd == pytest.approx((writer.tokens_in + 2 * writer.tokens_out) / 1e6)
    assert writer.hours > 0
    assert writer.first_day <= writer.last_day
    total = writer.usd + grader.usd
    assert found.usd == pytest.approx(total)
    # The same replies, counted call by call in the ledger.
    assert f"The ledger counts ${total:.4f} for the calls of this run itself." in found.notes
    assert any("hours on the clock, over one start" in note for note in found.notes)


def test_a_run_that_paid_nothing_still_says_what_its_answers_took(runs):
    first, second, _ = runs
    assert first.folder != second.folder
    before, after = costs(first)[1], costs(second)[1]
    for key, row in after.items():
        assert row.usd == before[key].usd
        assert (row.made, row.reused) == (0, before[key].made)
        assert row.hours is None
    assert not any("ledger" in note for note in costs(second)[0].notes)


def test_lines_that_a_server_cannot_tell_apart_count_their_hours_once(tmp_path):
    script = [
        {"times": 0, "match": "Reply with JSON", "message": {"content": '{"similarity": 80}'}}
    ]
    with ChatServer(tmp_path, script) as server:
        result = run_recipe(load_recipe(shared(tmp_path / "r", server.url)), workspace=tmp_path)
        calls = len(server.calls)
    found, rows = costs(result)
    assert set(rows) == {("candidate", "warm"), ("candidate", "writer"), ("judge", "grader")}
    assert {(row.made, row.reused) for row in rows.values()} == {(calls, 0)}
    assert calls == 6 + 6 + 18
    (hours,) = {row.hours for row in rows.values()}
    assert found.hours == hours > 0
    assert any("warm as candidate and writer as candidate and grader as judge" in note
               for note in found.notes)  # fmt: skip
    # Money is that of each line's own answers.
    assert found.usd == pytest.approx(sum(row.usd for row in found.rows))
    assert f"The ledger counts ${found.usd:.4f}" in " ".join(found.notes)
