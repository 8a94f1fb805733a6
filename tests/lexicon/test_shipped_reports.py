"""The invented impressions: enough to edit in each, and nothing that points to a person."""

import csv
import json
import re
from collections import Counter

import pytest

from tests.conftest import ROOT
from toolkit.lexicon.table import key, shipped_dictionary
from toolkit.perturb.dictionary import read_dictionary
from toolkit.perturb.measurements import find_sizes
from toolkit.perturb.points import find_points
from toolkit.perturb.term_finder import TermFinder

FOLDER = ROOT / "recipes" / "radiology"
COLUMNS = ["report_id", "patient_id", "dataset", "modality", "body_region", "impression"]


@pytest.fixture(scope="module")
def reports():
    return [
        json.loads(line)
        for line in (FOLDER / "impressions.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def test_there_are_enough_of_three_sets(reports):
    assert all(list(report) == COLUMNS and all(report.values()) for report in reports)
    counts = Counter(report["dataset"] for report in reports)
    assert set(counts) == {"ct_abdomen", "ct_chest", "mri_brain"}
    assert min(counts.values()) >= 22
    for column in ("report_id", "patient_id", "impression"):
        assert len({report[column] for report in reports}) == len(reports)


def test_each_has_terms_to_edit_and_most_have_many(reports):
    dictionary = read_dictionary(shipped_dictionary())
    finder = TermFinder(entry.term for entry in dictionary.usable())
    many = 0
    for report in reports:
        terms = {found.term for found in finder.find(report["impression"])}
        assert len(terms) >= 4, report["report_id"]
        assert len({dictionary.entries[key(term)].category for term in terms}) >= 2
        many += len(terms) >= 10
    assert many > len(reports) / 2


def test_they_vary_as_impressions_do(reports):
    texts = [report["impression"] for report in reports]
    words = [len(text.split()) for text in texts]
    assert min(words) <= 10
    assert max(words) >= 150
    points = Counter(len(find_points(text)) for text in texts)
    assert set(points) >= {1, 3, 4, 5, 6, 7}
    for pattern in (r"^1\. ", r"^1\) ", r"L4-5", r"grade 2", r"w/o", r"\d x \d[\d.]* x "):
        assert any(re.search(pattern, text) for text in texts), pattern
    assert sum(bool(find_sizes(text)) for text in texts) > len(texts) / 2


def test_they_name_nobody_and_no_day(reports):
    text = "\n".join(report["impression"] for report in reports)
    assert not re.search(r"\b(?:19|20)\d\d\b|\b\d{1,2}/\d{1,2}\b|\bDr\b|\d{5}|[@_\[\]]", text)


def test_keywords_are_of_their_set_and_stand_in_its_texts(reports):
    with (FOLDER / "keywords.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for name in {report["dataset"] for report in reports}:
        words = [row["keyword"] for row in rows if row["dataset"] == name]
        assert len({key(word) for word in words}) == len(words) > 100
        texts = [report["impression"] for report in reports if report["dataset"] == name]
        finder = TermFinder(words)
        found = {hit.term for text in texts for hit in finder.find(text)}
        assert all(finder.find(text) for text in texts)
        assert len(found) > 0.9 * len(words)
