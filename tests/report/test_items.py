"""Parts of the page of items: decoded here by other code, they say what was put in."""

import base64
import json
import re
import struct
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.report.chunks import ChunkFolder, base64_of, varints
from toolkit.report.facets import MOST_VALUES, Facets
from toolkit.report.items import AnswerEntry, AnswersWriter, ItemEntry, ItemsWriter
from toolkit.report.word_index import WordIndex, words_of


def read_part(path):
    """Return the name and the content of a part."""
    hit = re.fullmatch(r'take\("([a-z0-9-]+)",(.*)\);\n', path.read_text(encoding="utf-8"))
    return hit[1], json.loads(hit[2])


def read_folder(folder):
    parts = dict(read_part(path) for path in folder.iterdir())
    assert {f"{name}.js" for name in parts} == {path.name for path in folder.iterdir()}
    return parts


def decode_varints(text):
    """Read LEB128 as its definition says, one byte after the other."""
    numbers, value, shift = [], 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value, shift = 0, 0
    return numbers


def decode_words(parts):
    """Return the items of each word."""
    found = {}
    for name, part in parts.items():
        if not name.startswith("words-"):
            continue
        deltas = iter(decode_varints(part["deltas"]))
        for word, count in zip(
            part["words"].split(" "), decode_varints(part["counts"]), strict=True
        ):
            place, places = 0, []
            for _ in range(count):
                place += next(deltas)
                places.append(place)
            found[word] = places
    return found


@given(st.lists(st.integers(0, 2**32 - 1), max_size=50))
def test_varints_read_back(numbers) -> None:
    assert decode_varints(varints(np.array(numbers, dtype=np.uint32))) == numbers


def test_floats_are_little_endian() -> None:
    text = base64_of(np.array([0.5, np.nan], dtype=np.float32))
    first, second = struct.unpack("<2f", base64.b64decode(text))
    assert (first, second != second) == (0.5, True)


TEXTS = st.lists(st.text(alphabet="ab1 é-", max_size=12), min_size=1, max_size=12)


@given(TEXTS)
def test_the_index_finds_exactly_the_items_that_hold_a_word(texts) -> None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        words = WordIndex()
        for place, text in enumerate(texts):
            words.add(place, text)
            words.add(place, text)
        told = words.write(ChunkFolder(Path(folder)), len(texts))
        found = decode_words(read_folder(Path(folder)))
    wanted = {word for text in texts for word in words_of(text)}
    assert found == {
        word: [place for place, text in enumerate(texts) if word in words_of(text)]
        for word in wanted
    }
    assert told["common"] == []


def test_words_of_most_items_are_left_out_of_a_large_index_and_named(tmp_path) -> None:
    words = WordIndex()
    for place in range(1200):
        words.add(place, f"the number{place}")
    told = words.write(ChunkFolder(tmp_path), 1200)
    assert told["common"] == ["the"]
    assert len(decode_words(read_folder(tmp_path))) == 1200


def test_a_full_index_takes_no_more_and_says_so(tmp_path) -> None:
    words = WordIndex(most=3)
    words.add(0, "one two three")
    words.add(1, "four")
    told = words.write(ChunkFolder(tmp_path), 2)
    assert told["full"]
    assert set(decode_words(read_folder(tmp_path))) == {"one", "two", "three"}


def test_first_words_of_the_parts_are_sorted_as_javascript_compares(tmp_path) -> None:
    words = WordIndex()
    # U+FF21 is above the surrogates of U+1F00 in UTF-16, and below U+10400 as a code point.
    for place, word in enumerate(["\U00010428", "\uff41", "a", "zebra"]):
        words.add(place, word)
    words.write(ChunkFolder(tmp_path), 4)
    (part,) = read_folder(tmp_path).values()
    assert part["words"].split(" ") == ["a", "zebra", "\U00010428", "\uff41"]


def make_items(folder, texts, facets=("split",)):
    out, words, values = ChunkFolder(folder), WordIndex(), Facets(facets)
    writer = ItemsWriter(out, words, values)
    for place, text in enumerate(texts):
        writer.add(
            ItemEntry(
                item_id=f"id-{place}",
                title="" if place == 1 else f"Title {place}",
                input=text,
                references=[f"Reference {place}"],
                facets={"split": "test"},
            )
        )
    writer.close()
    return writer, out, words, values


def test_blocks_are_cut_by_the_length_of_texts_and_hold_every_item_once(tmp_path) -> None:
    texts = ["x" * 15_000 if place < 60 else "y" for place in range(700)]
    writer, *_ = make_items(tmp_path, texts)
    parts = read_folder(tmp_path)
    starts = writer.starts
    assert starts[0] == 0
    assert starts[-1] == writer.count == 700
    for block, (first, last) in enumerate(pairwise(starts)):
        rows = parts[f"items-{block:06d}"]
        assert [row[1] for row in rows] == texts[first:last]
        assert last - first <= 250
        assert sum(len(row[1]) for row in rows) <= 400_000 + 20_000
    assert len(starts) > 4
    assert [entry[0] for entry in parts["list-0000"]] == [f"id-{place}" for place in range(700)]
    assert parts["list-0000"][1][1] == "Reference 1"


def test_answers_stand_in_the_blocks_of_their_items(tmp_path) -> None:
    items, out, words, _ = make_items(tmp_path, ["x"] * 600)
    writer = AnswersWriter(out, words, items.starts, 7, ["ok", "truncated", "error"])
    for place in range(600):
        for repeat in range(2):
            lost = place == 5 and repeat == 1
            writer.add(
                AnswerEntry(
                    place=place,
                    repeat=repeat,
                    status="error" if lost else "ok",
                    answer=None if lost else f"answer {place}",
                    reason="closed" if lost else "",
                    values=[None if lost else 0.123456789, 2.0],
                    missing={0: "no answer"} if lost else {},
                )
            )
        if place == 300:
            writer.done_before(300)
    writer.close(np.tile(np.array([0.5, np.nan], dtype=np.float32), (600, 1)))
    parts = read_folder(tmp_path)
    seen = []
    for block, first in enumerate(items.starts[:-1]):
        seen += [(first + row[0], row[1]) for row in parts[f"answers-07-{block:06d}"]]
    assert seen == [(place, repeat) for place in range(600) for repeat in range(2)]
    lost = parts["answers-07-000000"][11]
    assert lost == [5, 1, "error", None, [None, 2.0], "closed", {"0": "no answer"}]
    assert parts["answers-07-000000"][0][4] == [0.123457, 2.0]
    status = base64.b64decode(parts["scores-07"]["status"])
    # The worst of the repeats.
    assert (status[4], status[5], len(status)) == (0, 2, 600)
    values = struct.unpack("<600f", base64.b64decode(parts["scores-07"]["values"][0]))
    assert set(values) == {0.5}


def test_blocks_are_written_as_soon_as_they_are_complete(tmp_path) -> None:
    items, out, words, _ = make_items(tmp_path, ["x"] * 600)
    writer = AnswersWriter(out, words, items.starts, 0, ["ok"])
    entry = {"repeat": 0, "status": "ok", "answer": "a", "reason": "", "values": []}
    writer.add(AnswerEntry(place=10, **entry))
    writer.add(AnswerEntry(place=260, **entry))
    writer.done_before(249)
    assert not list(tmp_path.glob("answers-*"))
    writer.done_before(250)
    assert [path.name for path in tmp_path.glob("answers-*")] == ["answers-00-000000.js"]


def test_facets_keep_the_values_of_each_item(tmp_path) -> None:
    facets = Facets(["split", "flags", "retracted", "same"])
    rows = [
        {"split": "test", "flags": ["b", "a", "b"], "retracted": False, "same": "x"},
        {"split": "train", "flags": [], "retracted": True, "same": "x"},
        {"split": "test", "flags": None, "retracted": None, "same": "x"},
    ]
    for row in rows:
        facets.add(row)
    told = facets.write(ChunkFolder(tmp_path))
    assert [facet["name"] for facet in told] == ["split", "flags", "retracted"]
    parts = read_folder(tmp_path)
    decoded = []
    for facet in told:
        part = parts[f"facet-{facet['part']:02d}"]
        codes = iter(decode_varints(part["codes"]))
        decoded.append(
            [
                [facet["values"][next(codes)] for _ in range(n)]
                for n in decode_varints(part["counts"])
            ]
        )
    assert decoded[0] == [["test"], ["train"], ["test"]]
    assert decoded[1] == [["b", "a"], [], []]
    assert decoded[2] == [["no"], ["yes"], []]


def test_a_column_of_too_many_values_is_no_facet(tmp_path) -> None:
    facets = Facets(["journal", "long"])
    for place in range(MOST_VALUES + 1):
        facets.add({"journal": f"j{place}", "long": "x" * (200 if place == 3 else place % 2 + 1)})
    assert facets.write(ChunkFolder(tmp_path)) == []


@pytest.mark.parametrize("text", ["</script><script>", "\u2028", "<!--"])
def test_a_part_cannot_end_its_script(tmp_path, text) -> None:
    ChunkFolder(tmp_path).write("list-0000", [text])
    written = (tmp_path / "list-0000.js").read_text(encoding="utf-8")
    assert not set(written) & set("<>\u2028")
    assert read_part(tmp_path / "list-0000.js") == ("list-0000", [text])
