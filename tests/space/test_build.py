"""The static page: whole, deaf to hostile text, used in a real browser from disk."""

import base64
import hashlib
import json
import re

import pytest
import yaml
from results_world import HOSTILE, judged, number, record, shifted, with_model

from tests.report.browsing import browser
from tests.report.test_html import Page
from toolkit.recipe.publish_section import Task
from toolkit.results.board import build_board
from toolkit.results.record import ModelUse
from toolkit.results.store import ResultStore
from toolkit.space.build import SpaceAbout, build_space

BASE = [0.2 + 0.01 * at for at in range(60)]
ABOUT = SpaceAbout(
    title=f"Demo {HOSTILE}",
    description=HOSTILE,
    dataset="org/demo_data",
    license="cc-by-4.0",
    organization=HOSTILE,
    citation=HOSTILE,
)
READY = 'document.documentElement.dataset.ready === "yes"'


def filled(folder):
    """Return a store with two versions, two modes, every tier, and hostile names."""
    store = ResultStore(folder)
    good = ModelUse(name="vendor", title="Vendor 7B", hub_id="vendor/model", access="API")
    hostile = ModelUse(name=HOSTILE, title=HOSTILE, note=HOSTILE, group=HOSTILE)
    quality = {"rouge1": shifted(BASE, 0.3), "length": [3.0] * 60}
    numbers = [number("rouge1", quality["rouge1"]), number("length", quality["length"],
               direction="none", metric="word_ratio")]  # fmt: skip
    pairs = [
        record(good, quality, scores=numbers, tier="re-generated"),
        record(hostile, {"rouge1": shifted(BASE, 0.2)}, submitter=HOSTILE),
        record("claimed", {"rouge1": shifted(BASE, 0.4)}, tier="self-reported"),
        record("near", {"rouge1": shifted(BASE, 0.201)}),
        record("failed", {"rouge1": [None] * 60}),
        with_model(record("first", {"rouge1": BASE}, prompt=""), kind="baseline"),
        record(good, {"rouge1": BASE}, prompt=HOSTILE),
        record("old", {"rouge1": BASE}, version="0.9"),
        (
            record("closed", {"rouge1": BASE}, prompt="Z", withheld=f"credentialed {HOSTILE}")[0],
            None,
        ),
        judged(prompt="J"),
    ]
    for result, found in pairs:
        store.add(result, found)
    gone = store.add(*record("gone", {"rouge1": BASE}))
    store.withdraw(gone.record_id, reason=HOSTILE, by="ada", date="2026-03-01")
    return store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def folder(store, tmp_path_factory):
    made = tmp_path_factory.mktemp("space")
    board = build_board(store, tasks=[Task(id="words", score="rouge1", prompt="A")])
    names = build_space(board, store, ABOUT, made)
    assert names == sorted(p.relative_to(made).as_posix() for p in made.rglob("*") if p.is_file())
    return made


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(window, folder):
    window.open("about:blank")
    window.open(f"file://{folder / 'index.html'}")
    window.until(READY)
    return window


def choose(page, id_, value):
    page.run(
        "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
        "s.dispatchEvent(new Event(s.tagName === 'SELECT' ? 'change' : 'input', {bubbles: true}))",
        id_, value,
    )  # fmt: skip


def rows(page):
    """Return rank and name of each line."""
    return page.run(
        "const text = (row, what) => row.querySelector(what).textContent;"
        "return [...document.querySelectorAll('#board tbody tr')].map((row) =>"
        " [text(row, '.place, .none'), text(row, 'th bdi')])"
    )


def test_the_card_makes_a_static_space(folder):
    text = (folder / "README.md").read_text()
    _, front, body = text.split("---\n", 2)
    data = yaml.safe_load(front)
    assert (data["sdk"], data["app_file"]) == ("static", "index.html")
    assert data["datasets"] == ["org/demo_data"]
    assert len(data["short_description"]) <= 60
    assert 'load_dataset("org/demo_data", "leaderboard")' in body
    for fragment in ("<img", "\u202e", "`*["):
        assert fragment not in body


def test_the_policy_allows_one_script_and_what_that_script_loads(folder):
    text = (folder / "index.html").read_text(encoding="utf-8")
    parsed = Page(text)
    policy = next(
        at["content"]
        for at, _ in parsed.all("meta")
        if at.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        start = f"<{tag}>"
        content = text[text.rindex(start) + len(start) : text.rindex(f"</{tag}>")]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    for tag, attributes in parsed.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert not {"src", "style"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|fetch\(", text)


def test_the_parts_are_scripts_of_one_call(folder):
    for path in (folder / "data").iterdir():
        text = path.read_text(encoding="utf-8")
        content = re.fullmatch(r'take\("([A-Za-z0-9_-]+)",(.*)\);\n', text, re.DOTALL)
        assert content[1] == path.stem
        json.loads(content[2])
        assert not set("<>&\u2028") & set(text)


def test_the_same_board_gives_the_same_bytes_and_nothing_old_stays(folder, store, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "record-old.js").write_text("gone")
    board = build_board(store, tasks=[Task(id="words", score="rouge1", prompt="A")])
    names = build_space(board, store, ABOUT, tmp_path)
    assert "data/record-old.js" not in names
    assert not (tmp_path / "data" / "record-old.js").exists()
    for name in names:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_no_text_of_items_stands_on_a_page_of_ids(folder):
    for path in folder.rglob("*.js"):
        assert '"texts"' not in path.read_text(encoding="utf-8")


def test_the_board_shows_ranks_ties_and_who_is_not_ranked(page):
    shown = rows(page)
    assert shown[0] == ["1", "Vendor 7B"]
    assert [rank for rank, _ in shown] == ["1", "2", "2", "4", "–", "–"]
    assert [name for _, name in shown[-2:]] == ["claimed", "failed"]
    assert "no row has a value" in page.text("unranked")
    assert "claimed (self-reported" in page.text("unranked")
    apart = page.run("return document.querySelectorAll('#board tr.apart').length")
    assert apart == 3
    assert page.run("return document.querySelectorAll('#board .whisker').length") == 5
    assert "6 of 6 competitors" in page.text("told")


def test_hostile_texts_are_shown_and_do_nothing(page):
    choose(page, "version", "1.0")
    assert page.run("return window.hacked") is None
    body = page.run("return document.body.textContent")
    assert "<img src=x onerror=" in body
    assert "[U+202E]" in body
    assert "\u202e" not in body
    assert (
        page.run("return document.querySelectorAll('img, iframe, a[href^=javascript]').length") == 0
    )
    page.run("document.querySelectorAll('#board .mean').forEach((b) => b.click())")
    page.until("document.querySelector('#drawer-body dl') !== null")
    page.run("document.getElementById('drawer').close()")
    assert page.run("return window.hacked") is None
    isolated = page.run(
        "return [...document.querySelectorAll('bdi')]"
        ".every((b) => getComputedStyle(b).unicodeBidi === 'isolate')"
    )
    assert isolated


def test_columns_sort_both_ways_by_keyboard(page):
    page.run("document.querySelector('#board button[data-key=name]').focus()")
    page.press("Enter")
    names = [name.lower() for _, name in rows(page)]
    assert names == sorted(names)
    page.press("Enter")
    assert [name.lower() for _, name in rows(page)] == sorted(names, reverse=True)
    order = page.run(
        "return document.querySelector('#board th[aria-sort]').getAttribute('aria-sort')"
    )
    assert order == "descending"
    page.run("document.querySelector('#board button[data-key=\"score:0\"]').click()")
    assert rows(page)[0][1] == "Vendor 7B"
    assert rows(page)[-1][1] == "failed"


def test_filters_leave_what_they_say(page):
    choose(page, "tier", "=self-reported")
    assert [name for _, name in rows(page)] == ["claimed"]
    assert "1 of 6 competitors" in page.text("told")
    choose(page, "tier", "")
    choose(page, "find", "vendor/model")
    assert [name for _, name in rows(page)] == ["Vendor 7B"]
    page.run("document.getElementById('clear').click()")
    assert len(rows(page)) == 6
    choose(page, "metric", "=word_ratio")
    assert page.run("return document.querySelectorAll('#board th.number').length") == 1


def test_other_modes_and_versions_have_boards_of_their_own(page):
    options = page.run("return [...document.getElementById('group').options].map((o) => o.text)")
    assert len(options) == 4
    choose(page, "group", str(options.index("Z")))
    assert sorted(name for _, name in rows(page)) == ["closed", "first"]
    choose(page, "version", "0.9")
    page.until("document.querySelector('#board tbody th bdi').textContent === 'old'")
    assert page.run("return document.querySelectorAll('#history tbody tr').length") == 1


def test_a_number_opens_the_scores_of_its_items_and_gives_the_focus_back(page):
    page.run("const b = document.querySelector('#board .mean'); b.focus(); b.click()")
    page.until("document.querySelectorAll('#drawer .one').length === 50")
    assert page.text("drawer-title") == "Vendor 7B, prompt mode A: ROUGE1"
    assert "rouge1|version:1" in page.text("drawer-signature")
    first = page.run("return document.querySelector('#drawer .one summary').textContent")
    worst = min(shifted(BASE, 0.3))
    assert first.endswith(f"{worst:.3f}")
    page.run("document.querySelector('#drawer .one summary').click()")
    page.until("document.querySelector('#drawer .one dl') !== null")
    links = page.run("return [...document.querySelectorAll('#drawer a')].map((a) => a.href)")
    assert all(link.startswith("https://huggingface.co/datasets/org/demo_data/") for link in links)
    page.press("Escape")
    page.until("!document.getElementById('drawer').open")
    assert page.run("return document.activeElement.className") == "mean"


def test_items_that_may_not_be_shown_are_not_there(page):
    options = page.run("return [...document.getElementById('group').options].map((o) => o.text)")
    choose(page, "group", str(options.index("Z")))
    page.run(
        "[...document.querySelectorAll('#board tr')].find((r) => r.textContent.includes('closed'))"
        ".querySelector('.mean').click()"
    )
    page.until("document.querySelector('#drawer-body dl') !== null")
    assert "credentialed" in page.text("drawer-body")
    assert page.run("return document.querySelectorAll('#drawer .one').length") == 0


def test_history_and_judges_are_told(page):
    states = page.run(
        "return [...document.querySelectorAll('#history .state')].map((s) => s.textContent)"
    )
    assert sorted(set(states)) == ["counts", "withdrawn"]
    withdrawn = page.run("return document.querySelector('#history tr.withdrawn').textContent")
    assert "<img src=x" in withdrawn
    assert "2026-03-01, ada" in withdrawn
    told = page.text("judges")
    assert "audited on 1 score" in told
    assert "60 %" in told
    options = page.run("return [...document.getElementById('group').options].map((o) => o.text)")
    choose(page, "group", str(options.index("J")))
    heads = page.run("return document.querySelector('#board thead').textContent")
    assert "reacts to 60 % of edits, false alarms 10 %, retest sd 1.5" in heads


def test_every_control_has_a_name_and_nothing_is_wider_than_a_phone(page):
    nameless = page.run("""
        const named = (control) => control.textContent.trim() || control.labels?.length;
        return [...document.querySelectorAll("button, select, input")]
          .filter((control) => !named(control) && !control.getAttribute("aria-label"))
          .map((control) => control.outerHTML)
    """)
    assert nameless == []
    page.resize(420, 900)
    try:
        wide = page.run("""
            return [...document.querySelectorAll("body *")]
              .filter((part) => !part.closest(".scroll, dialog, .hidden, .skip"))
              .filter((part) => part.getBoundingClientRect().right > window.innerWidth)
              .map((part) => part.outerHTML.slice(0, 100))
        """)
        assert wide == []
    finally:
        page.resize(1280, 900)
