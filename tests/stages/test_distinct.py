import hashlib
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from toolkit.stages import distinct
from toolkit.stages.distinct import DistinctTexts


def some_id(number):
    # Ids that end in zero bytes too: they must stay apart from shorter ones.
    return (
        number.to_bytes(2, "big") + bytes(14)
        if number % 3
        else hashlib.md5(bytes([number]), usedforsecurity=False).digest()
    )


TEXTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 10**12)), max_size=60)


@given(texts=TEXTS, cuts=st.lists(st.integers(0, 60), max_size=4), pending=st.integers(1, 30))
def test_the_lowest_place_of_each_text_stays_whatever_the_order(texts, cuts, pending):
    expected = {}
    for number, place in texts:
        one = some_id(number)
        expected[one] = min(place, expected.get(one, place))
    lengths = {some_id(number): number for number, _ in texts}
    kept, distinct._PENDING = distinct._PENDING, pending
    try:
        for rows in (texts, texts[::-1]):
            found = DistinctTexts()
            borders = [0, *sorted(cuts), len(rows)]
            for start, end in pairwise(borders):
                part = rows[start:end]
                found.add(
                    [some_id(number) for number, _ in part],
                    [place for _, place in part],
                    [number for number, _ in part],
                )
            ids = [found.ids.tobytes()[at : at + 16] for at in range(0, 16 * len(found.ids), 16)]
            assert ids == sorted(expected)
            assert found.places.tolist() == [expected[one] for one in ids]
            by_place = [ids[at] for at in found.by_place()]
            assert [expected[one] for one in by_place] == sorted(expected.values())
            by_length = [ids[at] for at in found.by_length()]
            assert by_length == sorted(ids, key=lambda one: (lengths[one], one))
    finally:
        distinct._PENDING = kept
