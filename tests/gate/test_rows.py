"""What must not stand in the rows: secrets, people, patients, withdrawn or unflagged records."""

import json

import pyarrow as pa
import pytest
from gate_world import BODY, OPEN, PUBMED, RIGHTS, both, card, gate, rows, said, sound, write

from toolkit.report.chunks import chunk_text

KEY = "hf_" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7"
TRAIN = "default/train-00000-of-00001.parquet"


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        "sk-" + "proj-Ab1Cd2Ef3Gh4Ij5Kl6Mn7",
        "curl -H 'Authorization: Bearer " + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8'",
        "https://me:" + "hunter22@hub.example/x",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "ghp_" + "0123456789abcdefghijABCDEFGHIJ",
    ],
)
def test_a_secret_is_found_wherever_it_stands_and_never_shown(tmp_path, text):
    def deep(value):
        kind = pa.list_(pa.struct([("a", pa.list_(pa.string()))]))
        return pa.array([[{"a": ["x", value]}], None, []], kind)

    sound(tmp_path, train=rows(0, 3, deep=deep(text)), test=rows(3, 6, deep=deep("x")))
    assert f"{TRAIN}: a secret in row 0 of 'deep.a'" in said(tmp_path)
    assert text not in gate(tmp_path).text()
    for name in ("README.md", "croissant.json", "eval.yaml", "results/1.0/m/r.json"):
        folder = sound(tmp_path / "other" / name.replace("/", "-"))
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("a") as handle:
            handle.write(f"\none\n{text}\n")
        assert f"{name}: a secret in line" in said(folder)
        assert text not in said(folder)


def test_secrets_that_the_recipe_names_are_looked_for_by_value(tmp_path):
    sound(tmp_path, train=rows(0, 3, x=["a", "b pa55-word c", None]), test=rows(3, 4, x=["a"]))
    assert said(tmp_path) == ""
    text = said(tmp_path, secrets=("pa55-word", ""))
    assert f"{TRAIN}: a secret in row 1 of 'x'" in text and "pa55" not in text
    # Shorter ones would be ordinary words.
    assert said(tmp_path, secrets=("a",)) == ""


def test_secrets_in_bytes_and_in_footers(tmp_path):
    table = rows(0, 1, b=pa.array([b"\xff " + KEY.encode()]))
    sound(tmp_path, train=table, test=rows(1, 2, b=pa.array([b""])))
    assert "a secret in row 0 of 'b'" in said(tmp_path)
    noted = rows(0, 5).replace_schema_metadata({"made by": KEY})
    sound(tmp_path, train=noted)
    assert "a secret in the notes of its footer" in said(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "sk-br-3-cells and sk-hep-1-luciferase-cells grew",
        "risk-adjusted, task-specific; basic information; the bearer of this",
        "https://www.example.org/a:b@c, p < 0.05, pmid:12345678",
        "NCT01234567, ISRCTN12345678, 10.1000/j.x.2020.01.001",
        "levels of 123-456 and 12-345-678 and 1 234 567",
        "the Department of Health, in which 100 people",
        "fill in the ___ here",
        "FINDINGS: none were made",
        "s512345678 p112345678 s51234567x",
    ],
)
def test_words_of_biomedicine_are_no_secrets_and_no_people(tmp_path, text):
    sound(tmp_path, **both(x=[text] * 3))
    assert said(tmp_path) == ""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("write to jane.doe@hospital.example please", "e-mail addresses"),
        ("call +1 (555) 123-4567 now", "telephone numbers"),
        ("Department of Surgery, North Hill Hospital", "affiliations"),
    ],
)
def test_a_few_signs_of_people_pass_and_are_counted_and_many_do_not(tmp_path, text, kind):
    few = [text] * 2 + ["x"] * 8
    sound(tmp_path, train=rows(0, 10, note=few), test=rows(10, 20, note=["x"] * 10))
    assert gate(tmp_path).counts[kind] == 2
    many = [text] * 10
    sound(tmp_path, train=rows(0, 10, note=many), test=rows(10, 20, note=["x"] * 10))
    found = said(tmp_path)
    assert f"{TRAIN}: {kind} in 10 rows of the column 'note', first in the item 'i0'" in found
    assert "publish.rights" in found
    assert gate(tmp_path, rights=RIGHTS).counts[kind] == 10


@pytest.mark.parametrize(
    "text",
    [
        "Patient [**Name**] was seen",
        "Dr. ___ saw the patient",
        "Name: ___ Unit No: ___",
        "files/p10/p10000032/s50414267/x.jpg",
    ],
)
def test_one_mark_of_a_protected_record_is_enough_and_nobody_can_answer_for_it(tmp_path, text):
    sound(tmp_path, train=rows(0, 3, note=["x", "y", text]), test=rows(3, 4, note=["x"]))
    found = said(tmp_path, rights=RIGHTS)
    assert "[clinical records]" in found and "in the item 'i2'" in found
    assert "credentialed" in found


def test_a_mark_of_a_protected_record_in_a_page_or_a_name(tmp_path):
    (tmp_path / "index.html").write_text("<p>seen by [**Doctor**]</p>")
    (tmp_path / "p10000032.html").write_text("x")
    text = said(tmp_path, configs={})
    assert "index.html: a mask of de-identification" in text
    assert "p10000032.html: a name as MIMIC's images have" in text


def test_radiology_reports_need_somebody_who_answers_for_them(tmp_path):
    report = "FINDINGS: The heart is normal.\nIMPRESSION: No disease."
    sound(tmp_path, **{n: rows(0, 9, text=[report] * 9) for n in ("train", "test")})
    assert "radiology reports" in said(tmp_path)
    assert said(tmp_path, rights=RIGHTS) == ""


def test_columns_of_people_and_patients(tmp_path):
    sound(tmp_path, **both(subject_id=[1, 2, 3]))
    assert "identifiers of patients or stays: subject_id" in said(tmp_path)
    assert said(tmp_path, rights=RIGHTS) == ""
    sound(tmp_path, **both(subject_id=[1, 2, 3], hadm_id=[1, 2, 3]))
    assert "subject_id, hadm_id" in said(tmp_path, rights=RIGHTS)
    sound(tmp_path, **both(authors=["A", "B", "C"]))
    assert "the column 'authors' would hold names" in said(tmp_path)
    assert said(tmp_path, rights=RIGHTS) == ""
    sound(tmp_path, **both(authors=[1, 2, 3]))
    assert said(tmp_path) == ""


def articles(first, last, **columns):
    return rows(first, last, retracted=pa.array([False] * (last - first)), **columns)


def pubmed(folder, **columns):
    made = {name: pa.array(values) for name, values in columns.items()}
    sound(folder, PUBMED, train=articles(0, 3, **made), test=articles(3, 6, **made))
    return folder


@pytest.mark.parametrize(
    ("statement", "licence", "held"),
    [
        ("© 2020 Elsevier B.V. All rights reserved.", None, True),
        ("Copyright 2020, The Authors", None, True),
        ("Published by Oxford University Press", None, True),
        (
            "© 2020 The Authors. This is an open access article under the CC BY license.",
            None,
            False,
        ),
        ("This is a work of the US Government and is not subject to copyright.", None, False),
        ("© 2020 The Authors. An open access article.", None, True),
        ("© 2020 The Authors.", "CC BY-NC 4.0", False),
        ("A message for information.", None, False),
        ("No claim to original US Government works. © 2020 X", None, False),
        ("© 2020 The Authors.", "none", True),
        (None, None, False),
        ("", None, False),
    ],
)
def test_texts_under_copyright_need_rights_or_a_licence(tmp_path, statement, licence, held):
    pubmed(
        tmp_path,
        copyright=pa.array([None, statement, None], pa.string()),
        license=pa.array([None, licence, None], pa.string()),
    )
    text = said(tmp_path, PUBMED)
    assert ("[copyright]" in text) == held
    if held:
        assert "the item i1 has the column 'input'" in text and "publish.rights" in text
    assert said(tmp_path, PUBMED, rights=RIGHTS) == ""


def test_withdrawn_items_and_retractions(tmp_path):
    pubmed(tmp_path)
    (tmp_path / "withdrawn.json").write_text(
        json.dumps({"schema": 1, "items": [{"item_id": "i1"}, {"item_id": "gone"}]})
    )
    text = said(tmp_path, PUBMED)
    assert f"{TRAIN}: withdrawn items are in it: i1;" in text
    kinds = pa.array([["Journal Article"], ["Retracted Publication"], None], pa.list_(pa.string()))
    folder = pubmed(tmp_path / "flags", publication_types=kinds)
    assert "retracted articles are not flagged: i1" in said(folder, PUBMED)
    sound(tmp_path / "bare", PUBMED)
    assert "the column 'retracted' is missing" in said(tmp_path / "bare", PUBMED)
    flagged = articles(0, 3).set_column(3, "retracted", pa.array([True, False, True]))
    folder = sound(tmp_path / "counted", PUBMED, train=flagged, test=articles(3, 4))
    assert gate(folder, PUBMED).counts == {"retracted": 2}


def test_nlms_terms_stand_on_the_card_of_pubmed_data(tmp_path):
    pubmed(tmp_path)
    for part in ("courtesy of the U.S. National Library of Medicine", "may not hold the most"):
        card(tmp_path, PUBMED, body=BODY.replace(part, ""))
        assert "[nlm terms]" in said(tmp_path, PUBMED)
        assert said(tmp_path) == ""


@pytest.mark.parametrize(
    ("level", "pubmed_data", "column", "passes"),
    [
        ("ids_only", True, "title", False),
        ("metadata", True, "title", True),
        ("metadata", True, "conclusion", False),
        ("metadata", True, "own_text", False),
        ("metadata", False, "own_text", False),
        ("ids_only", False, "own_text", False),
        ("metadata", True, "group", False),
        ("ids_only", True, "input_sha256", True),
        ("full_text", True, "sjr_title", False),
        ("full_text", False, "sjr_title", True),
        ("full_text", True, "own_text", True),
    ],
)
def test_columns_stay_behind_by_level(tmp_path, level, pubmed_data, column, passes):
    policy = PUBMED if pubmed_data else OPEN
    tables = {
        name: articles(0, 3, **{column: ["a", "b", "c"]}).drop_columns(["input", "n"])
        for name in ("train", "test")
    }
    sound(tmp_path, policy, **tables)
    text = said(tmp_path, policy, redistribution=level)
    assert (f"the column '{column}'" not in text) == passes
    if column == "sjr_title":
        assert said(tmp_path, policy, sjr_rights=True) == ""


def test_a_hidden_split_shows_ids_and_inputs_only(tmp_path):
    sound(tmp_path, **both(gold=["a", "b", "c"]))
    text = said(tmp_path, hidden="test")
    assert "default/test-00000-of-00001.parquet: the hidden split has values in gold, n" in text
    bare = {"gold": pa.nulls(3, pa.string()), "n": pa.nulls(3, pa.int64())}
    test = rows(3, 6).drop_columns(["n"]).append_column("n", bare["n"])
    sound(
        tmp_path,
        train=rows(0, 3, gold=["a", "b", "c"]),
        test=test.append_column("gold", bare["gold"]),
    )
    assert said(tmp_path, hidden="test") == ""


@pytest.mark.parametrize("level", ["ids_only", "metadata", "full_text"])
def test_nothing_of_a_credentialed_source_goes_out_whoever_answers(tmp_path, level):
    sound(tmp_path)
    terms = {"access": "credentialed", "redistribution": level, "rights": RIGHTS}
    assert "nothing made from its rows may be released" in said(tmp_path, **terms)
    assert "nothing made from its rows" in said(tmp_path, configs={}, **terms)


def test_texts_need_an_open_source(tmp_path):
    sound(tmp_path)
    assert "full_text needs corpus.access: open" in said(tmp_path, access="restricted")
    assert "none this program knows" in said(tmp_path, access="public")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tasks:\n- {id: a, config: default, split: test}\n", ""),
        ("tasks:\n- {id: a}\n", ""),
        ("tasks:\n- {id: a, config: other}\n", "on the split 'test' of 'other', which is none"),
        ("tasks:\n- {id: a, split: dev}\n", "on the split 'dev' of 'default', which is none"),
        ("tasks:\n- {id: a}\n- {id: a}\n", "two tasks have one id"),
        ("tasks:\n- {}\n", "a task without an id"),
        ("tasks: []\n", "no list of tasks"),
        ("a: !!python/object/apply:os.getcwd []\n", "not YAML"),
    ],
)
def test_eval_yaml_is_about_splits_that_there_are(tmp_path, text, message):
    sound(tmp_path)
    (tmp_path / "eval.yaml").write_text(text)
    assert message in said(tmp_path)
    assert bool(said(tmp_path)) == bool(message)


def test_results_are_no_items(tmp_path):
    policy = OPEN
    sound(tmp_path)
    table = pa.table({"model": ["a"], "authors": ["x"], "mean": [0.5]})
    write(tmp_path, "leaderboard/v1_0-00000-of-00001.parquet", table)
    terms = {"configs": {**policy.configs, "leaderboard": ("v1_0",)}}
    card(tmp_path, OPEN.__class__(**{**_fields(OPEN), **terms}))
    assert said(tmp_path, **terms) == ""
    write(tmp_path, "leaderboard/v1_0-00000-of-00001.parquet", table.append_column("k", [[KEY]]))
    assert "a secret in row 0 of 'k'" in said(tmp_path, **terms)


def _fields(policy):
    return {name: getattr(policy, name) for name in policy.__slots__}


def test_a_page_shows_no_text_of_a_withdrawn_item(tmp_path):
    (tmp_path / "data").mkdir()
    part = tmp_path / "data" / "record-1.js"
    items = {"ids": ["i1", "i2", "i3"], "texts": [["", "in", "out", "said"], None]}
    part.write_text(chunk_text("record-1", {"items": items}))
    gone = {"configs": {}, "withdrawn": frozenset({"i2", "i3"})}
    assert said(tmp_path, **gone) == ""
    shown = said(tmp_path, configs={}, withdrawn=frozenset({"i1"}))
    assert "data/record-1.js: it shows texts of withdrawn items: i1" in shown
    part.write_text("items = 1")
    assert "no part of a page" in said(tmp_path, **gone)
