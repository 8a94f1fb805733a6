import json

import pytest

from toolkit.errors import MissingError, SourceError
from toolkit.judges.human import Human, HumanParams
from toolkit.judges.ratings import Rating
from toolkit.judges.score import Score

SCORES = {"quality": Score(range=(1, 5), step=1), "made_up": Score(range=(0, 1), key="invented")}


def human(file, scores=None):
    return Human(HumanParams(file=str(file), scores=SCORES if scores is None else scores))


def read(folder, text, name="r.csv"):
    (folder / name).write_text(text, encoding="utf-8")
    return human(folder / name).read("experts")


def test_one_column_a_score(tmp_path):
    found = read(
        tmp_path,
        "item_id,model,prompt,rater,quality,invented\n"
        "i1,m,A,ann,4,0\ni1,m,A,bob,5,1\ni2,m,A,ann,3,\n",
    )
    assert found.rejects == []
    assert found.by_answer["i1", "m", "A", 0] == [
        Rating("ann", "quality", 4),
        Rating("ann", "made_up", 0),
        Rating("bob", "quality", 5),
        Rating("bob", "made_up", 1),
    ]
    values = human(tmp_path / "r.csv").values(found.by_answer["i1", "m", "A", 0])
    assert (values["quality"].value, values["made_up"].value) == (4.5, 0.5)
    alone = human(tmp_path / "r.csv").values(found.by_answer["i2", "m", "A", 0])
    assert alone["made_up"].reason == "not rated"


def test_the_long_form_of_the_rating_page(tmp_path):
    rows = [
        {"rater": "ann", "item_id": "i1", "model": "m", "score": "quality", "value": 4},
        {"rater": "ann", "item_id": "i1", "model": "m", "score": "invented", "value": 1},
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    found = read(tmp_path, text, "r.jsonl")
    assert [rating.score for rating in found.by_answer["i1", "m", "", 0]] == ["quality", "made_up"]


def test_every_other_row_is_listed_with_its_line(tmp_path):
    found = read(
        tmp_path,
        "item_id,model,quality\ni1,m,6\ni2,m,2.5\ni3,m,good\n,m,4\ni4,m,\ni5,m,4\ni5,m,3\n",
    )
    assert [(where, item) for where, item, _ in found.rejects] == [
        ("r.csv:2", "i1"),
        ("r.csv:3", "i2"),
        ("r.csv:4", "i3"),
        ("r.csv:5", None),
        ("r.csv:6", "i4"),
        ("r.csv:8", "i5"),
    ]
    reasons = [why for _, _, why in found.rejects]
    assert "must lie from 1 to 5" in reasons[0]
    assert "multiple of 1" in reasons[1]
    assert "must be a number" in reasons[2]
    assert "twice" in reasons[5]
    assert list(found.by_answer) == [("i5", "m", "", 0)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("item_id;model;quality\ni1;m;4\n", "semicolons"),
        ("id,model,quality\ni1,m,4\n", "no column item_id"),
        ('item_id,model,quality\ni1,m,"4\n', r"unexpected end|close"),
        ("item_id,model,quality\ni1,m\n", "2 values, but the header names 3"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(tmp_path, text, why):
    with pytest.raises(SourceError, match=why):
        read(tmp_path, text)


def test_encodings_and_line_ends(tmp_path):
    text = 'item_id,model,quality\r\n"i\n1",m,4\r\n'
    (tmp_path / "b.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert list(human(tmp_path / "b.csv").read("e").by_answer) == [("i\n1", "m", "", 0)]
    (tmp_path / "l.csv").write_bytes("item_id,model,quality\ni\xe9,m,4\n".encode("latin-1"))
    with pytest.raises(SourceError, match=r"UTF-8|utf-8"):
        human(tmp_path / "l.csv").read("e")


def test_the_file_is_part_of_the_fingerprint(tmp_path):
    with pytest.raises(MissingError, match="cannot be read"):
        human(tmp_path / "none.csv").fingerprint()
    read(tmp_path, "item_id,model,quality\ni1,m,4\n")
    before = human(tmp_path / "r.csv").fingerprint()
    read(tmp_path, "item_id,model,quality\ni1,m,5\n")
    assert human(tmp_path / "r.csv").fingerprint() != before
