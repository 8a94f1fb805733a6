"""What a stranger gets back from a release without texts, from PubMed and from files."""

import json
import shutil

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from eutils_double import EutilsDouble, record
from rebuild_world import TEST, TRAIN, items, xml

from toolkit.corpus.medline import read_file
from toolkit.corpus.rules import apply_rules
from toolkit.errors import RunError, UserError
from toolkit.gate.report import GATE_FILE
from toolkit.rebuild.pubmed import record_rules
from toolkit.rebuild.rebuild import Options, rebuild
from toolkit.rebuild.records import Records, Wanted
from toolkit.release.rebuild_rules import SectionRules
from toolkit.store.canonical import file_digest, text_digest

SHIPPED = SectionRules(
    conclusions="join",
    leak_risk="keep",
    rendering="default",
    conclusion_labels=("CONCLUSION",),
    sections_sha256="",
)


def read(path):
    return [article for batch in read_file(path) for article in batch.articles]


def table(out, split):
    return pq.read_table(out / "default" / f"{split}-00000-of-00001.parquet")


def rejects(out):
    return [json.loads(line) for line in (out / "rejects.jsonl").read_text().splitlines()]


def revised(pmid, text):
    """Return the record as a later file has it: 202 reworded, 203 retracted."""
    if pmid == "202":
        return text.replace("We counted to 202.", "We counted to 202, twice.")
    if pmid == "203":
        kind = "<PublicationType UI='D016441'>Retracted Publication</PublicationType>"
        return text.replace("<PublicationTypeList>", f"<PublicationTypeList>{kind}")
    return text


def test_pubmed_gives_every_text_back_and_each_is_proved(ids_only, tmp_path):
    out = tmp_path / "out"
    with EutilsDouble(TRAIN + TEST).running() as server:
        made = rebuild(str(ids_only), out, Options(base_url=server.url))
    assert made.splits == {"train": 3, "test": 4}
    assert made.texts == {"verified": 7}
    assert rejects(out) == [] == list(made.rejects)
    source = items(tmp_path, TEST).to_pylist()
    for row, item in zip(table(out, "test").to_pylist(), source, strict=True):
        assert {name: row[name] for name in item if name not in ("group", "source_file")} == {
            name: value for name, value in item.items() if name not in ("group", "source_file")
        }
        assert row["source_file"] == "pubmed26n0001.xml"
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "default", "rejects.jsonl"]


def test_datasets_loads_what_was_rebuilt(ids_only, tmp_path, monkeypatch):
    xml(tmp_path / "pubmed26n0001.xml", TRAIN + TEST)
    out = tmp_path / "out"
    rebuild(str(ids_only), out, Options(files=[str(tmp_path / "pubmed26n0001.xml")]))
    loaded = datasets.load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert {name: len(split) for name, split in loaded.items()} == {"train": 3, "test": 4}
    assert loaded["test"]["conclusion"][0] == "Counting works."
    assert set(loaded["test"]["rebuilt"]) == {"verified"}


@pytest.fixture
def later(tmp_path):
    """Return a baseline and an update file in which records were revised and deleted."""
    xml(tmp_path / "pubmed26n0001.xml", ["101", "102", "202", "203"], lambda p, t: t)
    xml(tmp_path / "pubmed26n0009.xml", ["202", "203", "204"], revised, deleted=["102"])
    return [str(tmp_path / "pubmed26n*.xml")]


def test_files_are_read_in_their_order_and_the_released_text_wins(ids_only, later, tmp_path):
    made = rebuild(str(ids_only), tmp_path / "out", Options(files=later))
    assert made.splits == {"train": 1, "test": 3}
    # 202 was reworded by the later file; the earlier one holds what was released.
    assert table(tmp_path / "out", "test")["item_id"].to_pylist() == ["202", "203", "204"]
    found = {(one["item_id"], one["reason"], one["kept"]) for one in rejects(tmp_path / "out")}
    assert found == {
        ("102", "deleted", False),
        ("103", "missing", False),
        ("201", "missing", False),
        ("203", "retracted_since", True),
    }


@pytest.mark.parametrize("policy", ["drop", "keep", "stop"])
def test_what_was_revised_is_treated_as_asked(ids_only, tmp_path, policy):
    xml(tmp_path / "pubmed26n0001.xml", TRAIN + TEST, revised)
    options = Options(files=[str(tmp_path / "pubmed26n0001.xml")], revised=policy)
    out = tmp_path / "out"
    if policy == "stop":
        with pytest.raises(RunError, match="revised since the release: 202"):
            rebuild(str(ids_only), out, options)
        assert not (out / "default").exists()
        return
    made = rebuild(str(ids_only), out, options)
    assert made.splits == {"train": 3, "test": 4 if policy == "keep" else 3}
    listed = {one["item_id"]: one for one in rejects(out)}
    assert listed["202"]["reason"] == "revised" and listed["202"]["kept"] == (policy == "keep")
    assert "another input" in listed["202"]["detail"]
    assert listed["203"] == {
        "item_id": "203",
        "split": "test",
        "reason": "retracted_since",
        "detail": "the article was retracted",
        "kept": True,
    }
    rows = {row["item_id"]: row for row in table(out, "test").to_pylist()}
    assert rows["203"]["rebuilt"] == "verified"
    if policy == "keep":
        assert rows["202"]["rebuilt"] == "revised"
        assert "twice" in rows["202"]["input"]


def test_ids_in_are_ids_out_and_rejects(ids_only, tmp_path):
    def fault(ids, whole):
        for pmid in ("103", "204"):
            whole = whole.replace(record(pmid).encode(), b"")
        return 200, whole

    out = tmp_path / "out"
    with EutilsDouble(TRAIN + TEST, fault=fault).running() as server:
        rebuild(str(ids_only), out, Options(base_url=server.url))
    ids = table(out, "train")["item_id"].to_pylist() + table(out, "test")["item_id"].to_pylist()
    assert [one["item_id"] for one in rejects(out)] == ["103", "204"]
    assert sorted([*ids, "103", "204"]) == sorted(TRAIN + TEST)


def test_what_was_fetched_before_an_outage_is_not_fetched_again(ids_only, tmp_path):
    out = tmp_path / "out"

    def fault(ids, whole):
        return (400, b"no") if "202" in ids else None

    with EutilsDouble(TRAIN + TEST, fault=fault).running() as server:
        options = Options(base_url=server.url, batch=2)
        with pytest.raises(UserError, match="refused"):
            rebuild(str(ids_only), out, options)
        assert [form["id"] for _, form in server.forms] == ["101,102", "103,201", "202,203"]
        server.fault, server.forms = None, []
        made = rebuild(str(ids_only), out, options)
        assert [form["id"] for _, form in server.forms] == ["202,203", "204"]
    assert made.splits == {"train": 3, "test": 4}
    assert not (out / ".rebuild").exists()


def test_what_was_found_for_another_release_does_not_count(tmp_path):
    (article,) = read(xml(tmp_path / "a.xml", ["101"]))
    rules = record_rules(SHIPPED)
    division = apply_rules(article, rules).division
    right = text_digest(division.input), text_digest(division.conclusion)
    with Records(tmp_path / "records.sqlite") as records:
        records.want([Wanted("101", *right, None)])
        records.offer(article, division)
        records.want([Wanted("101", *right, None)])
        assert records.found("101").state == "verified"
        records.want([Wanted("101", "0" * 64, right[1], None)])
        assert records.found("101").state == "missing"
        records.offer(article, division)
        assert records.found("101").state == "revised"


def test_a_split_without_a_row_is_left_out_and_said(ids_only, tmp_path):
    xml(tmp_path / "pubmed26n0001.xml", TRAIN)
    files = [str(tmp_path / "pubmed26n0001.xml")]
    made = rebuild(str(ids_only), tmp_path / "out", Options(files=files))
    assert made.splits == {"train": 3}
    assert made.notes == ("the split 'test' has no row left and was not written",)


def test_nothing_restored_is_no_success(ids_only, tmp_path):
    xml(tmp_path / "pubmed26n0001.xml", ["999"])
    with pytest.raises(RunError, match=r"no text of .* could be restored: missing 7"):
        rebuild(
            str(ids_only),
            tmp_path / "out",
            Options(files=[str(tmp_path / "pubmed26n0001.xml")]),
        )


def test_withdrawn_items_are_not_brought_back(ids_only, tmp_path):
    folder = shutil.copytree(ids_only, tmp_path / "release")
    item = {"item_id": "201", "reason": "asked by the authors", "date": "2026-12-01"}
    data = {"schema": 1, "items": [item | {"version": "1.0"}]}
    (folder / "withdrawn.json").write_text(json.dumps(data))
    gate = json.loads((folder / GATE_FILE).read_text())
    gate["files"]["withdrawn.json"] = file_digest(folder / "withdrawn.json")
    (folder / GATE_FILE).write_text(json.dumps(gate))
    with EutilsDouble(TRAIN + TEST).running() as server:
        made = rebuild(str(folder), tmp_path / "out", Options(base_url=server.url))
        asked = ",".join(form["id"] for _, form in server.forms)
    assert made.splits == {"train": 3, "test": 3}
    assert "201" not in asked.split(",")
    assert [(one.item_id, one.reason, one.detail) for one in made.rejects] == [
        ("201", "withdrawn", "asked by the authors")
    ]


def test_of_a_hidden_split_the_input_alone_comes_back(ids_only, tmp_path):
    folder = shutil.copytree(ids_only, tmp_path / "release")
    for split in ("train", "test"):
        path = folder / "default" / f"{split}-00000-of-00001.parquet"
        shard = pq.read_table(path)
        why = "hidden" if split == "test" else None
        shard = shard.append_column("withheld", pa.array([why] * len(shard), pa.string()))
        if why:
            place = shard.schema.names.index("conclusion_sha256")
            none = pa.nulls(len(shard), pa.string())
            shard = shard.set_column(place, "conclusion_sha256", none)
        pq.write_table(shard, path)
        gate = json.loads((folder / GATE_FILE).read_text())
        gate["files"][f"default/{path.name}"] = file_digest(path)
        (folder / GATE_FILE).write_text(json.dumps(gate))
    xml(tmp_path / "pubmed26n0001.xml", TRAIN + TEST)
    files = [str(tmp_path / "pubmed26n0001.xml")]
    made = rebuild(str(folder), tmp_path / "out", Options(files=files))
    assert made.texts == {"verified": 3, "input": 4}
    for row in table(tmp_path / "out", "test").to_pylist():
        assert row["input"].startswith("BACKGROUND: We counted to")
        assert row["rebuilt"] == "input"
        assert row["conclusion"] is row["sections"] is row["title"] is None


def test_the_users_own_sjr_file_is_joined(ids_only, tmp_path):
    (tmp_path / "scimagojr 2020.csv").write_text(
        "Rank;Sourceid;Title;Type;Issn;SJR;SJR Best Quartile;Country;Categories;Areas\n"
        '1;1;"Invented Journal";journal;"12345679";1,5;Q1;Utopia;"Oncology (Q1)";"Medicine"\n'
    )
    xml(tmp_path / "pubmed26n0001.xml", TRAIN + TEST)
    rebuild(
        str(ids_only),
        tmp_path / "out",
        Options(
            files=[str(tmp_path / "pubmed26n0001.xml")], sjr=[str(tmp_path / "scimagojr*.csv")]
        ),
    )
    rows = table(tmp_path / "out", "test").to_pylist()
    assert {(row["sjr"], row["sjr_year"], row["sjr_match"]) for row in rows} == {
        (1.5, 2020, "title")
    }


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "rebuild.json").unlink(), "leaves no text out"),
        (lambda f: (f / GATE_FILE).unlink(), "no release of this program"),
        (lambda f: (f / "rebuild.json").write_text("{}"), "cannot be read"),
        (
            lambda f: (f / "rebuild.json").write_text(
                (f / "rebuild.json").read_text().replace('"join"', '"first"')
            ),
            "not those that the release's gate let pass: rebuild.json",
        ),
        (
            lambda f: pq.write_table(
                pq.read_table(f / "default" / "test-00000-of-00001.parquet").slice(0, 2),
                f / "default" / "test-00000-of-00001.parquet",
            ),
            "not those that the release's gate let pass: default/test-00000-of-00001.parquet",
        ),
        (
            lambda f: (f / "rebuild.json").write_text(
                (f / "rebuild.json")
                .read_text()
                .replace('"default",\n "dataset"', '"../x",\n "dataset"')
            ),
            "cannot be read",
        ),
    ],
)
def test_a_release_that_is_none_is_refused(ids_only, tmp_path, damage, message):
    folder = shutil.copytree(ids_only, tmp_path / "release")
    damage(folder)
    with pytest.raises(UserError, match=message) as caught:
        rebuild(str(folder), tmp_path / "out", Options())
    assert caught.value.hint
    assert not (tmp_path / "out").exists()


def test_items_of_other_sources_say_what_to_do(ids_only, tmp_path):
    folder = shutil.copytree(ids_only, tmp_path / "release")
    data = json.loads((folder / "rebuild.json").read_text())
    (folder / "rebuild.json").write_text(json.dumps(data | {"rules": None, "source": "jsonl"}))
    with pytest.raises(UserError, match="no PubMed records") as caught:
        rebuild(str(folder), tmp_path / "out", Options())
    assert "content_sha256" in caught.value.hint


def test_a_folder_with_something_in_it_is_left_alone(ids_only, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("x")
    with pytest.raises(UserError, match="is not empty"):
        rebuild(str(ids_only), tmp_path / "out", Options())
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_the_same_records_give_the_same_bytes(ids_only, tmp_path):
    xml(tmp_path / "pubmed26n0001.xml", TRAIN + TEST)
    files = [str(tmp_path / "pubmed26n0001.xml")]
    for name in ("one", "two"):
        rebuild(str(ids_only), tmp_path / name, Options(files=files))
    for path in sorted((tmp_path / "one").rglob("*")):
        if path.is_file():
            other = tmp_path / "two" / path.relative_to(tmp_path / "one")
            assert other.read_bytes() == path.read_bytes(), path
