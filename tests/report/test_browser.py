"""The page of items: deaf to hostile text, used by keyboard in a real browser from disk."""

import base64
import hashlib
import re
from itertools import pairwise

import pytest

from tests.report.browsing import browser
from tests.report.items_world import write_page
from tests.report.test_html import HOSTILE, Page


@pytest.fixture(scope="module")
def page(inputs, tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("items"), inputs)


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


READY = 'document.documentElement.dataset.ready === "yes"'


def open_page(window, page, address=""):
    # By way of a blank page: another address of the same page would load nothing anew.
    window.open("about:blank")
    window.open(f"file://{page}{address}")
    window.until(READY)


def title_is(window, item):
    window.until("document.getElementById('item-title').textContent.includes(arguments[0])", item)


def told_is(window, words):
    window.until("document.getElementById('told').textContent.startsWith(arguments[0])", words)


def focus(window) -> str:
    return window.run("return document.activeElement.id || document.activeElement.textContent")


def test_the_policy_allows_one_script_and_what_that_script_loads(page) -> None:
    text = page.read_text(encoding="utf-8")
    parsed = Page(text)
    policy = next(
        at["content"]
        for at, _ in parsed.all("meta")
        if at.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "'self'" not in policy
    for tag, more in (("style", ";"), ("script", " 'strict-dynamic';")):
        start = f"<{tag}>"
        content = text[text.rindex(start) + len(start) : text.rindex(f"</{tag}>")]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'{more}" in policy
    assert "trusted-types parts" in policy
    for tag, attributes in parsed.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert not {"src", "style"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]


def test_texts_enter_the_page_as_text_only(page) -> None:
    script = page.read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", script)


@pytest.mark.slow
def test_every_control_has_a_label_and_headings_are_in_order(window, page) -> None:
    open_page(window, page)
    nameless = window.run("""
        return [...document.querySelectorAll("button, select, input")].filter((control) =>
            !(control.labels?.length || control.ariaLabel || control.textContent.trim())
        ).map((control) => control.outerHTML);
    """)
    assert nameless == []
    levels = window.run(
        "return [...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - before <= 1 for before, later in pairwise(levels))
    roles = window.run(
        "return ['header', 'main', 'nav', 'footer', '[role=search]', '[aria-live]']"
        ".map((name) => document.querySelectorAll(name).length > 0)"
    )
    assert all(roles)


@pytest.mark.slow
def test_the_keyboard_alone_walks_the_items(window, page) -> None:
    open_page(window, page)
    title_is(window, "33000000: Title of item 0")
    window.press("j", "j")
    title_is(window, "33000002")
    window.press("k")
    title_is(window, "33000001")
    assert "Item 2 of 120" in window.text("announce")
    window.press("ArrowRight")
    title_is(window, "33000002")
    window.press("/")
    assert focus(window) == "search"
    window.press("Escape")
    assert "33000002" in focus(window)
    window.press("ArrowDown")
    title_is(window, "33000003")
    assert "33000003" in focus(window)
    window.press("Enter")
    window.until("document.activeElement.id === 'item-title'")
    outline = window.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


@pytest.mark.slow
def test_the_next_page_of_the_list_comes_by_itself(window, page) -> None:
    open_page(window, page, "#item=33000049")
    title_is(window, "33000049")
    window.press("j")
    title_is(window, "33000050")
    window.until("document.getElementById('page-told').textContent === '51 to 100 of 120'")
    current = window.run("return document.querySelectorAll('#list [aria-current]').length")
    assert current == 1
    stops = window.run("return document.querySelectorAll('#list button[tabindex=\"0\"]').length")
    assert stops == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "count", "item"),
    [
        ("uniqueword77", 1, "33000077"),
        ("33000015", 1, "33000015"),
        ("UNIQUEWORD7*", 11, "33000007"),
        ("uniqueword7 uniqueword8", 0, None),
        ("title item uniqueword9", 1, "33000009"),
        ("nosuchword", 0, None),
    ],
)
def test_search_finds_ids_words_and_beginnings(window, page, words, count, item) -> None:
    open_page(window, page)
    window.press("/", *words)
    told_is(window, f"{count} of 120 items")
    if item:
        title_is(window, item)
        marked = window.run("return document.querySelectorAll('#texts mark').length")
        assert (marked > 0) == ("word" in words.lower())
    else:
        assert window.text("item-title") == "No item found"


def choose(window, id_, value):
    window.run(
        "const c = document.getElementById(arguments[0]); c.value = arguments[1];"
        "c.dispatchEvent(new Event('change', {bubbles: true}))",
        id_,
        value,
    )


@pytest.mark.slow
def test_filters_by_value_status_and_score(window, page) -> None:
    open_page(window, page)
    facet = window.run(
        "return [...document.querySelectorAll('#facets select option')]"
        ".find((o) => o.textContent === '2017').value"
    )
    choose(window, "facet-0", facet)
    told_is(window, f"{len([k for k in range(120) if k % 7 == 2])} of 120 items")
    choose(window, "facet-0", "")
    choose(window, "status-of", "1")
    choose(window, "status", "bad")
    told_is(window, "1 of 120 items")
    title_is(window, "33000004")
    choose(window, "status", "")
    choose(window, "range-of", "2")
    choose(window, "range-score", "2")
    # 0.7 is no number of 32 bits: the limit must not lose the items that have it.
    choose(window, "range-low", "0.7")
    choose(window, "range-high", "0.7")
    told_is(window, "12 of 120 items")
    choose(window, "range-high", "")
    choose(window, "order", "best")
    told_is(window, "36 of 120 items")
    first = window.run("return document.querySelector('#list .value').textContent")
    assert first == "0.900"
    choose(window, "range-of", "1")
    window.run("document.getElementById('range-missing').click()")
    told_is(window, "1 of 120 items")
    assert "(1 in use)" in window.text("filters-told")
    window.run("document.getElementById('clear').click()")
    told_is(window, "120 of 120 items")


@pytest.mark.slow
def test_numbers_and_differences_are_marked(window, page) -> None:
    open_page(window, page, "#item=33000012&c=0")
    title_is(window, "33000012")
    marks = window.run("""
        const answer = document.querySelector("#texts article:not(.reference) .text");
        return [...answer.querySelectorAll(".num")].map((n) => [n.firstChild.data, n.className]);
    """)
    assert marks == [["12", "num"], ["400", "num given"], ["999", "num new"]]
    added = window.run(
        "return [...document.querySelectorAll('#texts ins')].map((n) => n.textContent)"
    )
    assert added[0] == "raised"
    assert not any(word in " ".join(added) for word in ("dose", "pressure"))
    choose(window, "differences", "both")
    window.until("document.querySelectorAll('#texts del').length > 0")
    lost = window.run("return document.querySelector('#texts del').textContent")
    assert lost == "lowered"
    choose(window, "differences", "none")
    window.until("document.querySelectorAll('#texts ins').length === 0")
    texts = window.run(
        "return document.querySelector('#texts article:not(.reference) .text').textContent"
    )
    assert texts.startswith("The dose of 12 mg raised pressure in 400 and 999")


@pytest.mark.slow
def test_odd_numbers_equal_only_themselves(window, inputs, tmp_path) -> None:
    page = write_page(tmp_path, inputs, items=3, hostile="² and 1.2.3", other="³ and 4.5.6")
    open_page(window, page, "#c=0")
    title_is(window, "33000000")
    marks = window.run("""
        const answer = document.querySelector("#texts article:not(.reference) .text");
        return [...answer.querySelectorAll(".num")].map((n) => [n.firstChild.data, n.className]);
    """)
    assert ["1.2.3", "num new"] in marks
    assert ["²", "num new"] in marks


@pytest.mark.slow
def test_the_first_two_in_view_were_asked_about_the_same_split(window, inputs, tmp_path) -> None:
    open_page(window, write_page(tmp_path, inputs, items=3, splits=("test", "few", "test")))
    window.until("document.querySelectorAll('#texts article').length === 3")
    heads = window.run(
        "return [...document.querySelectorAll('#texts h3')].map((n) => n.textContent.trim())"
    )
    assert heads == ["Reference", "Competitor 0", "Competitor 2"]


@pytest.mark.slow
def test_chosen_competitors_stand_side_by_side_with_their_scores(window, page) -> None:
    open_page(window, page, "#item=33000004&c=1,2")
    title_is(window, "33000004")
    heads = window.run(
        "return [...document.querySelectorAll('#texts h3')].map((n) => n.textContent)"
    )
    assert heads == ["Reference", "Competitor 1 error", "Competitor 2 "]
    assert "the server closed the connection" in window.text("texts")
    table = window.text("scores")
    assert "none" in table
    assert "no answer" in table
    assert "0.600" in table
    window.press("c")
    assert window.run("return document.activeElement.type") == "checkbox"
    window.press(" ")
    window.until("document.querySelectorAll('#texts article').length === 4")
    window.press("j")
    title_is(window, "33000005")
    assert "c=0%2C1%2C2" in window.run("return location.hash")


@pytest.mark.slow
def test_hostile_texts_are_shown_and_never_run(window, inputs, tmp_path) -> None:
    everything = " ".join(HOSTILE)
    page = write_page(tmp_path, inputs, items=5, hostile=everything)
    open_page(window, page)
    title_is(window, "</script><script>document.title='run'</script>")
    assert window.run("return document.title") != "run"
    counts = window.run(
        "return ['img', 'svg', 'iframe'].map((t) => document.querySelectorAll(t).length)"
    )
    assert counts == [0, 0, 0]
    assert window.run("return document.scripts.length") == 1
    assert "[U+202E]" in window.text("texts")


@pytest.mark.slow
def test_a_script_that_is_no_part_is_refused(window, page) -> None:
    open_page(window, page)
    refused = window.run("""
        const script = document.createElement("script");
        try { script.src = "data/index.js"; } catch (error) { return error.name; }
        return "taken";
    """)
    assert refused == "TypeError"


@pytest.mark.slow
def test_a_missing_part_is_named(window, inputs, tmp_path) -> None:
    page = write_page(tmp_path, inputs, items=5)
    (page.parent / "data" / "items-000000.js").unlink()
    window.open("about:blank")
    window.open(f"file://{page}")
    told_is(window, "data/items-000000.js is missing or damaged")
    assert window.text("told").startswith("data/items-000000.js is missing or damaged")


LUMINANCE = """
    const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ground = (node) => {
        for (; node; node = node.parentElement) {
            const color = rgb(getComputedStyle(node).backgroundColor);
            if (color.length < 4 || color[3] === 1) return color;
        }
        return [255, 255, 255];
    };
    const poor = [];
    for (const node of document.querySelectorAll("body *")) {
        const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
        const box = node.getBoundingClientRect();
        if (!own || !box.width || node.closest(".hidden, :disabled, svg, script, .skip")) continue;
        const [a, b] = [light(rgb(getComputedStyle(node).color)), light(ground(node))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const what = `${node.tagName}.${node.className}: ${node.textContent.slice(0, 40)}`;
        if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${what}`);
    }
    return poor;
"""


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_contrast_is_at_least_that_of_wcag_aa(inputs, tmp_path, page, dark) -> None:
    from tests.report.wide_world import wide_inputs
    from toolkit.report.board import make_board
    from toolkit.report.html import html_text

    wide = wide_inputs(inputs)
    board = tmp_path / "leaderboard.html"
    board.write_text(html_text(wide, make_board(wide)), encoding="utf-8")
    with browser(tmp_path / "profile", dark=dark) as window:
        open_page(window, page, "#item=33000004&c=0,1")
        title_is(window, "33000004")
        scheme = window.run("return matchMedia('(prefers-color-scheme: dark)').matches")
        assert scheme == dark
        assert window.run(LUMINANCE) == []
        window.open(f"file://{board}")
        assert window.run(LUMINANCE) == []


@pytest.mark.slow
def test_nothing_is_wider_than_a_phone(window, page, inputs, tmp_path) -> None:
    from tests.report.wide_world import wide_inputs
    from toolkit.report.board import make_board
    from toolkit.report.html import html_text

    wide = wide_inputs(inputs)
    board = tmp_path / "leaderboard.html"
    board.write_text(html_text(wide, make_board(wide)), encoding="utf-8")
    try:
        window.resize(500, 800)
        for address in (page, board):
            window.open("about:blank")
            window.open(f"file://{address}")
            over = window.run(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert over <= 0, address
    finally:
        window.resize(1280, 900)
