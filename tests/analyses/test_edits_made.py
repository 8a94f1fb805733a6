"""What was edited: how evenly terms were used, terms taken more often than offered too."""

from tests.analyses.run_analysis import run
from toolkit.records import to_arrow

ITEMS = [
    {"level": level, "edits_asked": asked, "edits_made": made}
    for level, asked, made in (("unedited", 0, 0), ("L1", 2, 2), ("L1", 2, 1))
]


def tables(*rows):
    names = ("term", "category", "used", "offered")
    usage = to_arrow("usage", [dict(zip(names, row, strict=True)) for row in rows])
    return run("edits_made", {}, {}, items=ITEMS, usage=[usage])


def test_the_spread_is_of_terms_that_could_be_used_as_often():
    found = tables(
        ("mild", "descriptors", 3, 9),
        ("small", "descriptors", 1, 3),
        ("acute", "descriptors", 0, 2),
        ("large", "descriptors", 0, 0),
    )
    (row,) = found["edits_by_category"].rows
    keys = ("terms", "offered", "replaced", "most", "could", "fewest", "spread")
    assert [row[key] for key in keys] == [4, 3, 2, 3, 2, 1, 2]
    (level,) = found["edits_made"].rows
    assert (level["level"], level["n"], level["made"], level["short"]) == ("L1", 2, 3, 1)


def test_a_term_used_more_often_than_offered_is_counted_and_shown():
    found = tables(("nodule", "findings", 2, 1), ("lobe", "anatomy", 1, 0))
    rows = {row["category"]: row for row in found["edits_by_category"].rows}
    for category, most in (("findings", 2), ("anatomy", 1)):
        assert rows[category]["most"] == rows[category]["fewest"] == most
        assert (rows[category]["could"], rows[category]["spread"]) == (1, 0)
    assert {row["term"]: row["used"] for row in found["term_usage"].rows} == {
        "nodule": 2,
        "lobe": 1,
    }
