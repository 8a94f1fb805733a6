"""Near-duplicates found in pieces are those found with all texts in memory."""

import random
import threading
from itertools import combinations

import pyarrow as pa
import pytest
import tiny_recipe

from toolkit.errors import StoreError
from toolkit.execute import run_recipe
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe
from toolkit.recipe.splits_section import NearDuplicates
from toolkit.splits.near_duplicates import document, near_duplicates, shingles
from toolkit.stages import duplicates
from toolkit.stages.context import Context
from toolkit.stages.duplicates import find_duplicates
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import all_shards, ensure_piece

WORDS = [f"word{n}" for n in range(300)]
COLUMNS = ("input", "conclusion")
SCHEMA = pa.schema([(name, pa.string()) for name in ("item_id", *COLUMNS)])


def corpus(seed=1, families=40, size=5):
    """Return rows with families of near-duplicates, copies, texts without words and lone texts."""
    rng = random.Random(seed)
    rows = []
    for _ in range(families):
        words = rng.choices(WORDS, k=60)
        for _ in range(rng.randrange(1, size + 1)):
            words = list(words)
            for _ in range(rng.randrange(0, 3)):
                words[rng.randrange(60)] = "edited"
            rows.append({"input": " ".join(words[:50]), "conclusion": " ".join(words[50:])})
    rows += [{"input": "...", "conclusion": None}, {"input": None, "conclusion": None}]
    rows += [{"input": "Only this.", "conclusion": None}] * 3
    rng.shuffle(rows)
    return [{"item_id": f"i{rng.random():.9f}-{n}", **row} for n, row in enumerate(rows)]


def artifact(folder, rows, cuts):
    """Write items in shards that end before each of ``cuts``."""
    pieces = []
    for number, (first, last) in enumerate(zip([0, *cuts], [*cuts, len(rows)], strict=True)):
        table = pa.Table.from_pylist(rows[first:last], schema=SCHEMA)
        pieces.append(
            ensure_piece(folder, f"{number:05d}", lambda w, t=table: w.table("items", t) or {})
        )
    return Artifact(
        folder,
        Manifest(
            step="corpus",
            stage="corpus",
            fingerprint="0" * 64,
            inputs=(),
            access="open",
            shards=all_shards(pieces),
        ),
    )


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    return make_plan(load_recipe(tiny_recipe.write(folder)), workspace=folder / "workspace")


def never(*_):
    raise AssertionError("nobody is asked and nothing is validated")


def found(plan, items, params, folder, columns=COLUMNS, backwards=False):
    def run_here(function, tasks):
        if not backwards:
            yield from map(function, tasks)
            return
        # Workers finish in any order; results come in the order of the tasks all the same.
        results = {id(task): function(task) for task in reversed(tasks)}
        yield from (results[id(task)] for task in tasks)

    context = Context(
        plan=plan,
        step=plan.step("splits"),
        folder=folder,
        inputs={"corpus": items},
        artifacts={"corpus": items},
        map=run_here,
        ledger=never,
        validator=never,
        secrets={},
        progress=lambda done, total, note: None,
        stop=threading.Event(),
        calls=lambda counts: None,
    )
    ids = pa.chunked_array([batch["item_id"] for batch in items.batches("items", ["item_id"])])
    return find_duplicates(context, ids, columns, params, folder)


def in_memory(rows, params, columns=COLUMNS):
    texts = [document(row[name] for name in columns) for row in rows]
    return near_duplicates([row["item_id"] for row in rows], texts, params)


@pytest.mark.parametrize("cuts", [[], [1, 30, 31, 45]])
@pytest.mark.parametrize(("tile", "batch"), [(10**6, 10**5), (900, 10**5), (2000, 3), (1, 1)])
def test_shards_tiles_and_batches_change_nothing(plan, tmp_path, monkeypatch, cuts, tile, batch):
    monkeypatch.setattr(duplicates, "TILE", tile)
    monkeypatch.setattr(duplicates, "BATCH", batch)
    rows, params = corpus(families=16), NearDuplicates(threshold=0.6)
    expected = in_memory(rows, params)
    assert len(expected) > 30
    items = artifact(tmp_path / "items", rows, cuts)
    assert found(plan, items, params, tmp_path / "work", backwards=True)[0] == expected
    # Again, with every piece there already.
    assert found(plan, items, params, tmp_path / "work")[0] == expected


def test_the_order_of_the_items_changes_nothing(plan, tmp_path):
    rows, params = corpus(2), NearDuplicates()
    expected = in_memory(rows, params)
    for number in range(3):
        random.Random(number).shuffle(rows)
        items = artifact(tmp_path / f"items{number}", rows, [30, 60])
        pairs, digests = found(plan, items, params, tmp_path / f"work{number}")
        assert pairs == expected
        assert [bool(one) for one in digests] == [
            bool(shingles(document(row[name] for name in COLUMNS), 1)) for row in rows
        ]


def test_they_are_the_pairs_of_an_exhaustive_comparison(plan, tmp_path):
    rows, params = corpus(3, families=25), NearDuplicates(threshold=0.5)
    items = artifact(tmp_path / "items", rows, [20])
    pairs, _ = found(plan, items, params, tmp_path / "work")
    parts = {
        row["item_id"]: shingles(document(row[name] for name in COLUMNS), params.shingle)
        for row in rows
    }
    leaders = {}
    for key in sorted(parts):
        leaders.setdefault(parts[key], key)
    expected = {(leaders[part], key, 1.0) for key, part in parts.items() if part}
    expected -= {(key, key, 1.0) for key in parts}
    for one, two in combinations(sorted(key for part, key in leaders.items() if part), 2):
        common = len(parts[one] & parts[two])
        similarity = common / (len(parts[one]) + len(parts[two]) - common)
        if similarity >= params.threshold:
            expected.add((one, two, similarity))
    assert {tuple(pair) for pair in pairs} == expected
    assert len(expected) > 25


def test_nothing_alike_and_nothing_with_words(plan, tmp_path):
    lone = [{"item_id": "a", "input": "one two three", "conclusion": "four"}]
    empty = [{"item_id": name, "input": "?", "conclusion": None} for name in "bc"]
    for number, rows in enumerate([lone, empty, lone + empty]):
        items = artifact(tmp_path / f"items{number}", rows, [])
        assert found(plan, items, NearDuplicates(), tmp_path / f"work{number}")[0] == []


def test_only_the_named_columns_count(plan, tmp_path):
    rows = [
        {"item_id": "a", "input": "the same six words are here", "conclusion": "x"},
        {"item_id": "b", "input": "the same six words are here", "conclusion": "quite other end"},
    ]
    items = artifact(tmp_path / "items", rows, [1])
    params = NearDuplicates()
    assert found(plan, items, params, tmp_path / "both")[0] == []
    (pair,) = found(plan, items, params, tmp_path / "one", ("input",))[0]
    assert tuple(pair) == ("a", "b", 1.0)


def test_a_changed_byte_of_the_items_is_noticed(plan, tmp_path):
    items = artifact(tmp_path / "items", corpus(), [20])
    path = items.folder / items.shards("items")[1].name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(StoreError, match="was changed after it was written"):
        found(plan, items, NearDuplicates(), tmp_path / "work")


@pytest.mark.slow
def test_real_abstracts(shared, tmp_path):
    data = tiny_recipe.data(
        corpus={
            "source": "pubmed_xml",
            "files": str(shared("data/pubmed21n1298.subset.xml.gz")),
            "access": "restricted",
            "where": {"min_sections": 3},
            "dedup": ["pmid"],
        },
        generate={"split": "test", "models": ["first"]},
        validation={"corpus": {"on_failure": "off"}},
    )
    file = tiny_recipe.write(tmp_path, data)
    recipe = load_recipe(file, overrides=["corpus.files=" + data["corpus"]["files"]])
    result = run_recipe(recipe, workspace=tmp_path / "workspace", until="corpus")
    # Deduplicated data of one day hold few: reports of one trial, letters, corrections.
    items, params = result.artifacts["corpus"], NearDuplicates(threshold=0.4)
    pairs, _ = found(result.plan, items, params, tmp_path / "work")
    rows = list(items.rows("items", ["item_id", *COLUMNS]))
    assert len(rows) > 5000
    assert pairs == in_memory(rows, params)
    assert len(pairs) > 2
