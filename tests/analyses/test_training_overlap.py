import json

import numpy as np
import pytest
from scipy import stats

from tests.analyses.scored_items import made, tables
from toolkit.analyses.training_overlap import TrainingOverlap, TrainingOverlapParams
from toolkit.errors import UserError
from toolkit.statistics.intervals import wilson

N = 60
SEEN = 20


def words(rng, count=40):
    return " ".join(f"w{at}" for at in rng.integers(0, 3000, count))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Items, of which the first twenty stand in a training file, and scores that know it."""
    rng = np.random.default_rng(1)
    inputs = [words(rng) for _ in range(N)]
    references = [words(rng, 25) for _ in range(N)]
    folder = tmp_path_factory.mktemp("training")
    lines = [words(rng, 60) for _ in range(50)]
    lines += [f"{words(rng, 10)} {references[at]} {words(rng, 10)}" for at in range(10)]
    lines += [references[at].upper() + "!" for at in range(10, 15)]
    lines += [" ".join(inputs[at].split()[:-2]) for at in range(15, SEEN)]
    with (folder / "train.jsonl").open("w") as file:
        file.writelines(json.dumps({"body": line}) + "\n" for line in lines)
    seen = np.arange(N) < SEEN
    values = {
        ("leaky", "A"): rng.normal(0.5, 0.1, N) + 0.2 * seen,
        ("fair", "A"): rng.normal(0.5, 0.1, N),
    }
    columns = {
        "input": inputs,
        "conclusion": references,
        "journal": [f"j{n % 6}" for n in range(N)],
    }
    return folder, values, columns


def run(corpus, order=None, **params):
    folder, values, columns = corpus
    analysis = TrainingOverlap(
        TrainingOverlapParams(
            **{
                "files": (str(folder / "*.jsonl"),),
                "columns": ("input", "conclusion"),
                "column": "body",
                **params,
            }
        )
    )
    return tables(analysis, made({"s": values}, columns, order=order))


def test_what_was_planted_is_found(corpus):
    found = run(corpus)
    by_column = {row["column"]: row for row in found["training_overlap"].rows}
    reference, shown = by_column["conclusion"], by_column["input"]
    assert (reference["n"], reference["n_exact"], reference["n_near"]) == (N, 5, 0)
    assert (reference["n_flagged"], shown["n_flagged"]) == (15, 5)
    assert (shown["n_exact"], shown["n_near"]) == (0, 5)
    assert reference["longest"] == 25
    assert (reference["flagged_low"], reference["flagged_high"]) == wilson(15, N)
    items = found["training_overlap_items"].rows
    assert {row["item_id"] for row in items} == {f"i{at:04d}" for at in range(SEEN)}
    whole = next(row for row in items if row["item_id"] == "i0003")
    assert (whole["column"], whole["exact"], whole["jaccard"]) == ("conclusion", False, None)
    assert (whole["ngrams"], whole["share"], whole["longest"]) == (13, 1.0, 25)
    copy = next(row for row in items if row["item_id"] == "i0012")
    assert (copy["exact"], copy["jaccard"], copy["where"]) == (True, 1.0, "train.jsonl:63")
    near = next(row for row in items if row["item_id"] == "i0017")
    # 36 five-word shingles, 34 of them in the shortened copy.
    assert (near["exact"], near["jaccard"]) == (False, pytest.approx(34 / 36))


def test_scores_of_flagged_items_against_the_others(corpus):
    rows = {row["model"]: row for row in run(corpus)["training_overlap_scores"].rows}
    scored = corpus[1]["leaky", "A"]
    row = rows["leaky"]
    assert (row["n"], row["n_flagged"], row["n_clean"]) == (N, SEEN, N - SEEN)
    assert (row["mean"], row["flagged"]) == pytest.approx((scored.mean(), scored[:SEEN].mean()))
    assert row["difference"] == pytest.approx(scored[:SEEN].mean() - scored[SEEN:].mean())
    ends = stats.ttest_ind(scored[:SEEN], scored[SEEN:], equal_var=False).confidence_interval()
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(tuple(ends))
    assert row["p_adjusted"] < 0.01 < rows["fair"]["p_adjusted"]


def test_a_smaller_share_flags_more_and_near_duplicates_may_be_left_out(corpus):
    found = run(corpus, share=1.0, jaccard=None)
    by_column = {row["column"]: row for row in found["training_overlap"].rows}
    assert by_column["input"]["n_flagged"] == 0
    assert by_column["input"]["n_any"] == 5
    assert by_column["conclusion"]["n_flagged"] == 15
    found = run(corpus, share=0.5, jaccard=None)
    assert {r["column"]: r["n_flagged"] for r in found["training_overlap"].rows}["input"] == 5


def test_texts_shorter_than_an_n_gram_are_counted_and_found_as_copies(tmp_path):
    (tmp_path / "t.txt").write_text("five words stand right here\n")
    texts = ["Five words stand right here.", "others", None]
    analysis = TrainingOverlap(
        TrainingOverlapParams(files=(str(tmp_path / "t.txt"),), columns=("input",))
    )
    found = tables(analysis, made({"s": {("m", "A"): [0.1, 0.2, 0.3]}}, {"input": texts}))
    (row,) = found["training_overlap"].rows
    assert (row["n"], row["n_short"], row["n_exact"], row["mean_share"]) == (2, 2, 1, None)
    (item,) = found["training_overlap_items"].rows
    assert (item["item_id"], item["share"]) == ("i0000", None)


def test_nothing_found_leaves_scores_without_a_comparison(corpus, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"body": "nothing of the kind"}\n')
    found = run(corpus, files=(str(tmp_path / "t.jsonl"),))
    assert found["training_overlap_items"].rows == []
    for row in found["training_overlap_scores"].rows:
        assert (row["n_flagged"], row["difference"], row["p"]) == (0, None, None)
        assert row["reason"] == "one side has no value"


def test_signature_and_notes_tell_the_corpus(corpus, tmp_path):
    table = run(corpus)["training_overlap"]
    assert "|texts:70|" in table.signature
    assert "Searched: 70 training texts" in table.notes[0]
    (tmp_path / "t.jsonl").write_text('{"body": "another corpus"}\n')
    other = run(corpus, files=(str(tmp_path / "t.jsonl"),))["training_overlap"]
    assert other.signature.split("|")[2] != table.signature.split("|")[2]


def test_the_order_of_rows_and_shards_changes_nothing(corpus):
    assert run(corpus, order=1, cluster="journal") == run(corpus, order=2, cluster="journal")


def test_figures(corpus):
    shares, scores = run(corpus)["training_overlap"].figures
    assert [panel.title for panel in shares.panels] == ["input (n = 60)", "conclusion (n = 60)"]
    assert sum(shares.panels[1].counts) == N
    assert shares.panels[1].counts[-1] == 15
    assert scores.panels[0].labels == ("fair A", "leaky A")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"files": (), "columns": ("input",)}, "files is empty"),
        ({"files": ("x",), "columns": ()}, "training_overlap.columns"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params, message):
    with pytest.raises(UserError, match=message):
        TrainingOverlap(TrainingOverlapParams(**params))


def test_a_column_that_holds_no_text_is_refused(corpus):
    folder, values, columns = corpus
    numbers = {**columns, "input": list(range(N))}
    with pytest.raises(UserError, match="no text"):
        run((folder, values, numbers))
