"""Building a dictionary for review, with a small encoder and, once, with a real model."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from lexicon_data import HEAD, Letters, write

from tests.conftest import ROOT
from toolkit.cli.main import cli
from toolkit.errors import UserError
from toolkit.lexicon.build import Options, build
from toolkit.lexicon.check import check_dictionary
from toolkit.lexicon.concepts import read_concepts
from toolkit.lexicon.review import review_text
from toolkit.lexicon.rules import Rules
from toolkit.lexicon.synonyms import Synonyms
from toolkit.lexicon.table import shipped_dictionary

CONCEPTS = HEAD + (
    "mild,descriptors,severe,hand,yes,yes,A. Reader,2026-01-02\n"
    "severe,descriptors,mild,hand,yes,yes,A. Reader,2026-01-02\n"
    "nodule,findings,cyst; cavity,hand,no,yes,A. Reader,2026-01-02\n"
    "effusion,findings,,,no,no,,\n"
    "grading,findings,staging; typing,hand,no,yes,A. Reader,2026-01-02\n"
    "CT,study types,MRI,hand,no,yes,A. Reader,2026-01-02\n"
    "MRI,study types,CT,hand,no,yes,A. Reader,2026-01-02\n"
)
TEXTS = [
    "Mild pleural effusion and one nodule (NO) on CT; grade 2 fusion.",
    "A mild effusion, a lesion, a fission and a nodule; CT of the fusion.",
    "One cyst, one lesion and one fission. SOB.",
]


@pytest.fixture
def built(tmp_path):
    concepts = read_concepts(write(tmp_path, CONCEPTS), Rules(Synonyms()))
    synonyms = Synonyms((), (("sob", "nodule"),))
    return build(TEXTS, concepts, synonyms, Letters(), Options(min_texts=2))


def entries(built):
    return {one.entry.term: one for one in built.proposed}


def test_concepts_keep_their_entries_and_opposites_come_along(built):
    found = entries(built)
    assert found["mild"].entry.approved
    assert found["mild"].texts == 2
    assert found["severe"].texts == 0
    assert found["nodule"].entry.alternatives == ("cyst", "cavity")
    assert found["MRI"].entry.alternatives == ("CT",)


def test_new_terms_wait_for_a_person(built):
    new = [one for one in built.proposed if not one.entry.approved]
    assert {"lesion", "fission", "fusion"} <= {one.entry.term for one in new}
    for one in new:
        assert not one.entry.approved_by
        assert one.cosine > 0.4 or one.entry.term == one.concept
    # `effusion` is a concept without alternatives: they are looked for.
    effusion = entries(built)["effusion"].entry
    assert effusion.source == "embedding"
    assert "fusion" not in effusion.alternatives


def test_grades_and_abbreviations(built):
    found = entries(built)
    assert found["grade 2"].entry.alternatives == ("grade 1", "grade 3", "grade 4")
    assert found["SOB"].entry.alternatives == ("cyst", "cavity")
    assert found["SOB"].entry.source == "as 'nodule'"
    assert not found["SOB"].entry.approved


def test_what_is_left_out_has_a_reason(tmp_path):
    concepts = read_concepts(write(tmp_path, CONCEPTS), Rules(Synonyms()))
    built = build(["Xylophone and cts.", "A xylophone; cts."], concepts, Synonyms(), Letters())
    left = {one.term: one.reason for one in built.left}
    assert left["xylophone"] == "no concept of its part of speech is nearer than 0.4"
    assert left["cts"] in ("near the closed set 'study types'", left["xylophone"])
    assert not {"xylophone", "cts"} & set(entries(built))


def test_the_review_file_keeps_the_rules_and_is_the_same_every_time(built, tmp_path):
    text = review_text(built.proposed)
    assert check_dictionary(write(tmp_path, text, "review.csv")).approved == 5
    concepts = read_concepts(write(tmp_path, CONCEPTS), Rules(Synonyms()))
    again = build(TEXTS[::-1], concepts, Synonyms((), (("sob", "nodule"),)), Letters())
    assert review_text(again.proposed) == text


def test_concepts_that_break_the_rules_are_refused(tmp_path):
    rows = (
        "left,location,right,,yes,no,,",
        "effusion,,,,no,no,,",
        "+1,f,,,no,no,,",
        "mass,f,,,,,,",
    )
    text = HEAD + "\n".join(rows)
    with pytest.raises(UserError) as caught:
        read_concepts(write(tmp_path, text), Rules(Synonyms()))
    said = caught.value.message.splitlines()[1:]
    assert [line.split(".csv:")[1] for line in said] == [
        "2: 'left' -> 'right': an opposite must be a term as well",
        "3: a row without term or category",
        "4: '+1' does not begin with a letter or a digit; a spreadsheet may run it",
    ]


@pytest.mark.slow
def test_the_command_with_a_real_model_and_the_invented_reports(tmp_path):
    pytest.importorskip("sentence_transformers", reason="the extra 'local' is not installed")
    reports = (ROOT / "recipes" / "radiology" / "impressions.jsonl").read_text().splitlines()
    texts = write(tmp_path, "\n".join(reports[:20]), "texts.jsonl")
    out = tmp_path / "review.csv"
    rows = shipped_dictionary().read_text(encoding="utf-8").splitlines()
    # Nodules, masses and what can be said of their size are enough to place a report's words.
    kept = [
        row
        for row in rows
        if re.search(r",(findings|study types),|^(small|tiny|large|bulky),", row)
    ]
    concepts = write(tmp_path, HEAD + "\n".join(kept), "concepts.csv")
    arguments = ["dictionary", "build", str(texts), "--column", "impression", "--out", str(out)]
    arguments += ["--concepts", str(concepts), "--min-texts", "3"]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "20 texts;" in result.output
    checked = check_dictionary(out)
    assert 0 < checked.approved < sum(checked.terms.values())
    assert checked.terms["study types"] == 7
    assert Path(tmp_path / "review.left_out.csv").read_text().startswith("term,texts,reason")
    again = CliRunner().invoke(cli, arguments)
    assert isinstance(again.exception, UserError)
    assert "may hold a review" in again.exception.message


@pytest.mark.parametrize(
    ("name", "text", "column", "fault"),
    [
        ("t.jsonl", json.dumps({"a": "x"}), [], "which column"),
        ("t.jsonl", json.dumps({"a": "x"}), ["--column", "b"], "no column is called 'b'"),
        ("t.txt", "\n \n", [], "no text"),
    ],
)
def test_texts_that_cannot_be_used(tmp_path, name, text, column, fault):
    file = write(tmp_path, text, name)
    out = str(tmp_path / "review.csv")
    result = CliRunner().invoke(cli, ["dictionary", "build", str(file), "--out", out, *column])
    assert isinstance(result.exception, UserError)
    assert fault in result.exception.message
