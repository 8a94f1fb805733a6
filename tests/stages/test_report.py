"""The report of whole runs: traceable numbers, methods, limits, judges' error bars, every item."""

import base64
import csv
import json
import re
from collections import defaultdict

import numpy as np
import pyarrow.parquet as pq
import pytest

import tests.tiny_recipe as tiny_recipe
from tests.doubles.edit_judge import EditJudgeServer
from tests.report.test_items import decode_words, read_folder
from tests.stages.audited import chances, kinds_of, recipe, table, write
from toolkit.execute import run_recipe
from toolkit.perturb.kinds import EDITS, REWRITES
from toolkit.recipe.load import load_recipe
from toolkit.report.inputs import COSTS_PLACE
from toolkit.store.canonical import file_digest

ROWS = 30


def audited(url):
    data = recipe(url)
    data["models"]["other"] = {"provider": "baseline", "variant": "random_conclusion"}
    data["generate"]["models"] = ["first", "other"]
    data["metrics"] = ["rouge", "word_ratio"]
    data["analyses"].append("statuses")
    return data


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    rows = table(ROWS)
    plan = {
        "kinds": kinds_of(rows), "fall": 40, "waver": 1, "seed": 1,
        "chances": chances(
            semantic_similarity=dict.fromkeys(["negation", "direction"], 0.9),
            numeric_consistency=dict.fromkeys([*EDITS, *REWRITES], 0.5),
        ),
    }  # fmt: skip
    with EditJudgeServer(folder / "s", plan) as server:
        file = write(folder / "r", audited(server.url), rows)
        return run_recipe(load_recipe(file), workspace=folder / "w")


def page_of(run):
    return (run.folder / "leaderboard.html").read_text(encoding="utf-8")


def test_each_mean_is_the_mean_of_the_rows_that_numbers_csv_points_to(run) -> None:
    with (run.folder / "numbers.csv").open(newline="") as handle:
        numbers = [row for row in csv.DictReader(handle) if row["column"] == "mean"]
    scores = defaultdict(list)
    rows = pq.read_table(run.folder / "tables" / "leaderboard_rows.parquet").to_pylist()
    for row in rows:
        if row["value"] is not None:
            scores[row["model"], row["prompt"], row["score"]].append(row["value"])
    board = [row for row in numbers if row["file"] == "leaderboard.csv"]
    assert len(board) == 2 * (5 + 4)
    for row in board:
        key = json.loads(row["row"])
        values = scores[key["model"], key["prompt"], key["score"]]
        assert float(row["value"]) == pytest.approx(sum(values) / len(values))
        assert int(row["n"]) == len(values)
        assert (run.folder / row["rows_file"]).is_file()


def test_every_file_that_report_and_numbers_name_is_there(run) -> None:
    links = re.findall(r'href="([^"#]+)"', page_of(run))
    assert any(link.startswith("tables/audit-primary-") for link in links)
    assert any(link.startswith("figures/audit-primary-") for link in links)
    with (run.folder / "numbers.csv").open(newline="") as handle:
        named = {row["file"] for row in csv.DictReader(handle)}
    for path in {*links, *named}:
        assert (run.folder / path).is_file(), path


def test_numbers_of_tables_read_back_from_their_files(run) -> None:
    checked = 0
    with (run.folder / "numbers.csv").open(newline="") as handle:
        for number in csv.DictReader(handle):
            if number["file"] == "leaderboard.csv":
                continue
            key = json.loads(number["row"])
            key.pop("row", None)
            with (run.folder / number["file"]).open(newline="") as table_file:
                rows = [
                    row
                    for row in csv.DictReader(table_file)
                    if all(row[k] == ("" if v is None else str(v)) for k, v in key.items())
                ]
            values = [float(row[number["column"]]) for row in rows if row[number["column"]]]
            assert float(number["value"]) in values
            checked += 1
    assert checked > 50


def test_judges_carry_their_audit_on_the_leaderboard_and_in_their_section(run) -> None:
    audit = {
        entry["score"]: entry for entry in run.artifacts["audit/primary"].manifest.facts["audit"]
    }
    page = page_of(run)
    seen = audit["semantic_similarity"]
    share = f"reacts to {100 * seen['reacts']:.0f} %"
    assert page.count(share) >= 1
    assert audit["numeric_consistency"]["blind"]
    assert re.search(r'class="number blind">.*?blind, ', page, re.DOTALL)
    assert "What planted edits showed of the judges" in page
    assert "Blind to planted edits" in page


def test_methods_say_source_prompts_models_judges_seeds_and_versions(run) -> None:
    text = (run.folder / "leaderboard.md").read_text()
    methods = text[text.index("## Methods") : text.index("## Limits")]
    for part in (
        "### Corpus",
        f"Of {ROWS} records read, {ROWS} were kept",
        "sha256",
        "### Models",
        "Judge primary (llm)",
        "the model grader",
        "max tokens 60",
        "### Statistics",
        "seed 7",
        "### Software",
        "numpy",
        "fingerprint of corpus",
    ):
        assert part in methods, part
    prompt = run.artifacts["judge/primary/first"].manifest
    assert prompt.fingerprint in methods
    # No address of a server stands in a report.
    assert "127.0.0.1" not in text
    assert "127.0.0.1" not in page_of(run)


def test_limits_are_those_of_this_run(run) -> None:
    text = (run.folder / "leaderboard.md").read_text()
    limits = text[text.index("## Limits") :]
    assert "No person rated any answer" in limits
    assert f"{ROWS} items carry wide intervals" in limits
    assert "Not tried on planted edits" not in limits
    assert "cut at the token limit" not in limits


def test_the_page_of_items_holds_every_answer_with_its_scores(run) -> None:
    parts = read_folder(run.folder / "report" / "data")
    index = parts["index"]
    assert index["items"] == index["of"] == ROWS
    assert [one["kind"] for one in index["competitors"]] == ["baseline", "baseline"]
    ids = [entry[0] for entry in parts["list-0000"]]
    assert sorted(ids) == sorted(row["key"] for row in table(ROWS))
    references = {row["key"]: row["conclusion"] for row in table(ROWS)}
    assert [row[2] for row in parts["items-000000"]] == [[references[key]] for key in ids]
    scores = {
        (row["model"], row["item_id"], row["score"]): row["value"]
        for row in pq.read_table(run.folder / "tables" / "leaderboard_rows.parquet").to_pylist()
    }
    names = [score["title"] for score in index["scores"]]
    order = [row["score"] for row in _definitions(run)]
    assert len(names) == len(order) == 9
    for number, competitor in enumerate(index["competitors"]):
        model = "first" if competitor["title"] == "first" else "other"
        answers = {row["item_id"]: row["answer"] for row in _generations(run, model)}
        rows = parts[f"answers-{number:02d}-000000"]
        assert len(rows) == ROWS
        for offset, repeat, status, answer, values, *_ in rows:
            assert (repeat, status, answer) == (0, "ok", answers[ids[offset]])
            wanted = [scores[model, ids[offset], name] for name in order]
            assert values == pytest.approx(wanted, rel=1e-5)
    found = decode_words(parts)
    assert [ids[place] for place in found["metformin"]] == [
        key for key in ids if "Metformin" in references[key] or _answered(run, key, "Metformin")
    ]


def _definitions(run):
    facts = run.artifacts["leaderboard"].manifest.facts["definitions"]
    return [{"score": data["name"]} for data in facts]


def _generations(run, model):
    return run.artifacts[f"generate/{model}"].rows("generations")


def _answered(run, key, word):
    return any(
        word in row["answer"]
        for model in ("first", "other")
        for row in _generations(run, model)
        if row["item_id"] == key
    )


def test_money_tokens_and_hours_stand_in_the_run_and_never_in_the_artifact(run) -> None:
    artifact = run.artifacts["report"].folder
    for name in ("leaderboard.html", "leaderboard.md"):
        kept = (artifact / name).read_text(encoding="utf-8")
        given = (run.folder / name).read_text(encoding="utf-8")
        assert kept.count(COSTS_PLACE) == 1
        assert "Money, tokens and hours" not in kept
        assert COSTS_PLACE not in given
        assert "Money, tokens and hours" in given
        assert given.replace(given[slice(*_section(kept, given))], COSTS_PLACE) == kept
    section = page_of(run)
    assert re.search(r"grader.*?judge.*?\$0\.\d{4}", section, re.DOTALL)


def _section(kept, given):
    before, _, after = kept.partition(COSTS_PLACE)
    return len(before), len(given) - len(after)


def test_other_files_of_the_artifact_are_delivered_as_they_are(run) -> None:
    for shard in run.artifacts["report"].manifest.shards:
        if shard.name not in ("leaderboard.html", "leaderboard.md"):
            assert file_digest(run.folder / shard.name) == shard.sha256


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    data = tiny_recipe.unchecked(
        generate=[
            {"split": "test", "models": ["first"], "repeats": 2},
            {"split": "train", "models": ["other"]},
        ],
        analyses=[{"means": {"resamples": 100}}],
    )
    return (
        folder,
        data,
        run_recipe(load_recipe(tiny_recipe.write(folder, data)), workspace=folder / "w"),
    )


def test_items_of_several_splits_and_repeats(tiny) -> None:
    _, _, result = tiny
    parts = read_folder(result.folder / "report" / "data")
    index = parts["index"]
    assert index["items"] == 12
    assert {facet["name"] for facet in index["facets"]} >= {"split", "topic"}
    by_title = {one["title"]: number for number, one in enumerate(index["competitors"])}
    assert set(by_title) == {"first, test", "other, train"}
    first = parts[f"answers-{by_title['first, test']:02d}-000000"]
    assert [(row[0], row[1]) for row in first] == [(n, r) for n in range(6) for r in range(2)]
    other = parts[f"answers-{by_title['other, train']:02d}-000000"]
    assert [row[0] for row in other] == list(range(6, 12))


def test_a_view_of_a_split_is_no_second_copy_of_its_items(tmp_path) -> None:
    recipe = tiny_recipe.unchecked(
        splits={"sizes": {"train": 2, "test": 10}, "views": {"few": {"of": "test", "sample": 4}}},
        generate=[
            {"split": "few", "models": ["first"], "repeats": 2},
            {"split": "test", "models": ["other"]},
        ],
        analyses=[{"means": {"resamples": 100}}],
    )
    result = run_recipe(load_recipe(tiny_recipe.write(tmp_path, recipe)), workspace=tmp_path / "w")
    parts = read_folder(result.folder / "report" / "data")
    index = parts["index"]
    assert (index["items"], index["of"]) == (10, 10)
    number = {one["split"]: at for at, one in enumerate(index["competitors"])}
    few = parts[f"answers-{number['few']:02d}-000000"]
    assert [row[0] for row in parts[f"answers-{number['test']:02d}-000000"]] == list(range(10))
    # Each answer stands at the item that it is about: it is the first sentence of what was shown.
    assert len(few) == 8
    ids = [row[0] for row in parts["list-0000"]]
    answered = {row["item_id"]: row["answer"] for row in _generations(result, "few/first")}
    assert {ids[row[0]]: row[3] for row in few} == answered
    status = np.frombuffer(base64.b64decode(parts[f"scores-{number['few']:02d}"]["status"]), "u1")
    assert sorted(np.flatnonzero(status != 255)) == sorted({row[0] for row in few})


def test_the_same_recipe_gives_the_same_report(tiny, tmp_path) -> None:
    _, data, result = tiny
    again = run_recipe(
        load_recipe(tiny_recipe.write(tmp_path, data | {"execution": {"workers": 2}})),
        workspace=tmp_path / "w",
    )
    shards = result.artifacts["report"].manifest.shards
    assert again.artifacts["report"].manifest.shards == shards
    assert len(shards) > 15


def test_a_report_that_was_touched_is_put_right_and_strays_go(tiny) -> None:
    folder, data, result = tiny
    page = result.folder / "leaderboard.html"
    before = page.read_text(encoding="utf-8")
    page.write_text("gone")
    (result.folder / "report" / "data" / "items-000099.js").write_text("stray")
    run_recipe(load_recipe(tiny_recipe.write(folder, data)), workspace=folder / "w")
    clock = re.compile(r"The run took [\d.]+ hours on the clock, over [^.]+\.")
    assert clock.sub("", page.read_text(encoding="utf-8")) == clock.sub("", before)
    assert not (result.folder / "report" / "data" / "items-000099.js").exists()


def test_credentialed_texts_are_marked_and_stay(tmp_path) -> None:
    data = tiny_recipe.unchecked()
    data["corpus"] = data["corpus"] | {"access": "credentialed"}
    result = run_recipe(load_recipe(tiny_recipe.write(tmp_path, data)), workspace=tmp_path / "w")
    for name in ("leaderboard.html", "report/index.html"):
        text = (result.folder / name).read_text(encoding="utf-8")
        assert "Credentialed data: do not share" in text, name


def test_more_items_than_the_page_holds_are_counted_and_said(tmp_path, monkeypatch) -> None:
    from tests.stages.reporting import make_report

    monkeypatch.setattr("toolkit.stages.report_items.MOST_ITEMS", 4)
    monkeypatch.setattr("toolkit.stages.report.MOST_ITEMS", 4)
    folder = make_report(tmp_path, tiny_recipe.unchecked())
    parts = read_folder(folder / "report" / "data")
    assert (parts["index"]["items"], parts["index"]["of"]) == (4, 6)
    assert len(parts["answers-00-000000"]) == 4
    assert "holds the first 4 of 6 items" in (folder / "leaderboard.md").read_text()


def test_only_scores_of_wanted_items_are_held(tiny) -> None:
    import pyarrow as pa

    from tests.stages.reporting import context_of
    from toolkit.stages.report_scores import read_scores

    _, _, result = tiny
    context = context_of(result)
    step = result.plan.step(next(n for n in result.artifacts if n.startswith("generate/test")))
    rows = list(result.artifacts[step.name].rows("generations"))
    ids = pa.array([rows[4]["item_id"], "nobody"])
    grid = read_scores(context, step, ids, ["rouge1", "absent"])
    assert grid.values.shape == (2, 2, 2)
    values, missing = grid.of(0, 1)
    assert values[0] is not None
    assert (values[1], missing) == (None, {})
    assert grid.of(1, 0) == ([None, None], {})
    assert grid.of(0, 9) == ([None, None], {})
    means = grid.means()
    assert means[0, 0] == pytest.approx((grid.of(0, 0)[0][0] + values[0]) / 2)
    assert means[1, 0] != means[1, 0]
