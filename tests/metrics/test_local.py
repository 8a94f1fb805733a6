"""A user's own function as a metric: what counts of its code, and how its failures are told."""

import math
import pickle
import sys
from pathlib import Path

import pytest

from toolkit.errors import UserError
from toolkit.metrics.local import LocalMetric, LocalMetricError
from toolkit.recipe.local_code import code_digest, code_files, defined_names


def write(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder / "mine.py"


def value(metric):
    (column,) = metric.score(["a b"], ["a"]).values()
    return column[0].value


CHAIN = {
    "mine": "import json\nfrom first import weight\ndef f(p, r):\n    import late\n"
    "    return weight() + late.MORE\n",
    "first": "import second as s\ndef weight():\n    return s.W\n",
    "second": "import first\nW = 1.0\n",
    "late": "MORE = 10\n",
    "apart": "W = 7\n",
    "json": "raise RuntimeError\n",
}


def test_files_are_followed_from_import_to_import_within_the_folder(tmp_path):
    file = write(tmp_path, **CHAIN)
    assert [path.name for path in code_files(file)] == [
        "mine.py",
        "first.py",
        "late.py",
        "second.py",
    ]


def test_relative_imports_and_packages_are_not_followed(tmp_path):
    file = write(tmp_path, mine="from . import near\nimport pack.inner\n", near="", inner="")
    (tmp_path / "pack").mkdir()
    write(tmp_path / "pack", inner="")
    assert code_files(file) == (file,)


@pytest.mark.parametrize("name", ["mine", "first", "second", "late"])
def test_every_file_that_is_imported_makes_another_metric(tmp_path, name):
    file = write(tmp_path, **CHAIN)
    before = LocalMetric.load(file, "f")
    write(tmp_path, **{name: CHAIN[name] + "# changed\n"})
    after = LocalMetric.load(file, "f")
    assert after.source != before.source
    assert after.signature() != before.signature()
    assert after.source == code_digest(file) == after.fingerprint()["source_sha256"]


def test_other_files_and_the_folder_make_no_difference(tmp_path):
    file = write(tmp_path / "here", **CHAIN)
    before = code_digest(file)
    write(tmp_path / "here", apart="W = 8\n", json="")
    assert code_digest(file) == before
    assert code_digest(write(tmp_path / "there", **CHAIN)) == before


def test_siblings_are_imported_anew_each_time(tmp_path):
    file = write(tmp_path, **CHAIN)
    before = dict(sys.modules)
    assert value(LocalMetric.load(file, "f")) == 11.0
    # The same size in the same second: a cached file would not be told from it.
    write(tmp_path, second="import first\nW = 2.0\n")
    write(tmp_path, late="MORE = 20\n")
    assert value(LocalMetric.load(file, "f")) == 22.0
    assert not {"first", "second", "late", "toolkit_local_mine"} & sys.modules.keys()
    assert sys.modules["json"] is before["json"]
    assert not (tmp_path / "__pycache__").exists()


def test_files_of_one_name_in_two_folders_do_not_meet(tmp_path):
    code = "from helper import W\ndef f(p, r):\n    return W\n"
    metrics = [
        LocalMetric.load(write(tmp_path / name, mine=code, helper=f"W = {name}\n"), "f")
        for name in ("1", "2")
    ]
    assert [value(metric) for metric in metrics] == [1.0, 2.0]
    assert [value(pickle.loads(pickle.dumps(metric))) for metric in metrics] == [1.0, 2.0]


def test_a_module_of_the_callers_comes_back(tmp_path, monkeypatch):
    mine = type(sys)("helper")
    monkeypatch.setitem(sys.modules, "helper", mine)
    file = write(
        tmp_path, mine="from helper import W\ndef f(p, r):\n    return W\n", helper="W = 3"
    )
    assert value(LocalMetric.load(file, "f")) == 3.0
    assert sys.modules["helper"] is mine


def test_a_file_knows_where_it_is_and_may_define_dataclasses(tmp_path):
    code = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "from pathlib import Path\nWORDS = Path(__file__).with_name('words.txt').read_text()\n"
        "@dataclass\nclass C:\n    n: int\n"
        "def f(p, r):\n    return C(len(WORDS)).n\n"
    )
    (tmp_path / "words.txt").write_text("abcd")
    assert value(LocalMetric.load(write(tmp_path, mine=code), "f")) == 4.0


FAILURES = {
    "raises": ("def f(p, r):\n    return int(p)\n", "raised ValueError: invalid literal"),
    "leaves": ("import sys\ndef f(p, r):\n    sys.exit(3)\n", "raised SystemExit: 3 (mine.py:3)"),
    "wants more": ("def f(p):\n    return 1\n", "raised TypeError"),
    "a long text": ("def f(p, r):\n    raise KeyError('x' * 9999)\n", "... (mine.py:2), on row 0"),
    "a text": ("def f(p, r):\n    return p\n", "returned str, on row 0"),
    "a truth": ("def f(p, r):\n    return True\n", "returned bool, on row 0"),
}


@pytest.mark.parametrize(("code", "reason"), FAILURES.values(), ids=list(FAILURES))
def test_a_function_that_fails_is_a_users_error_with_the_row(tmp_path, code, reason):
    metric = LocalMetric.load(write(tmp_path, mine=code), "f")
    with pytest.raises(LocalMetricError) as caught:
        metric.score(["a"], ["b"])
    assert isinstance(caught.value, UserError)
    assert "metric 'f'" in caught.value.message
    assert reason in caught.value.message
    assert len(caught.value.message) < 500
    # It travels home from a worker.
    home = pickle.loads(pickle.dumps(caught.value))
    assert (home.message, home.row, home.hint) == (caught.value.message, 0, caught.value.hint)
    assert home.on("item 7").message.endswith(", on item 7")


def test_the_row_is_the_one_that_failed(tmp_path):
    file = write(tmp_path, mine="def f(p, r):\n    return 1 / len(p)\n")
    with pytest.raises(LocalMetricError, match=r"division by zero \(mine.py:2\), on row 2"):
        LocalMetric.load(file, "f").score(["a", "b", ""], ["x"] * 3)


def test_numbers_of_all_kinds_and_none(tmp_path):
    numpy = pytest.importorskip("numpy")
    given = iter([1, 0.5, numpy.float32(0.25), None, math.nan, math.inf])
    (column,) = LocalMetric.wrap(lambda p, r: next(given)).score(["a"] * 6, ["b"] * 6).values()
    assert [one.value for one in column] == [1.0, 0.5, 0.25, None, None, None]
    assert [one.reason for one in column[3:]] == [
        "no value",
        "nan is no number",
        "inf is no number",
    ]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import nowhere_to_be_found\n", "cannot be imported: No module named"),
        ("raise SystemExit(2)\n", "cannot be imported: 2"),
        ("def f(:\n", "cannot be imported: invalid syntax"),
        ("f = 1\n", "has no function 'f'"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_users_error(tmp_path, code, reason):
    with pytest.raises(UserError, match=reason):
        LocalMetric.load(write(tmp_path, mine=code), "f")
    with pytest.raises(UserError, match="not a Python file"):
        LocalMetric.load(tmp_path / "absent.py", "f")


def test_code_that_python_warns_of_is_read_in_silence(tmp_path):
    file = write(tmp_path, mine='import other\nX = "\\d"\n', other="")
    assert defined_names(file) == {"other", "X"}
    assert code_files(file) == (file, Path(tmp_path / "other.py"))
