"""The page: whole without a script, deaf to hostile text, working in a browser."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.report.wide_world import SVG, long_table, wide_inputs
from toolkit.report.board import make_board
from toolkit.report.html import html_text
from toolkit.report.inputs import (
    COSTS_PLACE,
    Evidence,
    EvidenceRow,
    Expectation,
    FunnelStep,
    SuiteResult,
)

HOSTILE = (
    "</script><script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "javascript:document.title='run'",
    '" onmouseover="document.title=\'run\'" x="',
    "' autofocus onfocus='document.title=1",
    "</style><svg onload=document.title='run'>",
    "</title><script>document.title='run'</script>",
    "{{ 7*7 }}{% for x in y %}",
    "abc\u202etxt.exe",
    "nul\x00 and \u2028 line",
    "<!--<script>",
    "]]>&lt;b&gt;",
    "x" * 3000,
)


class Page(HTMLParser):
    """What a browser would make of the page: elements, attributes, texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.contents: dict[int, str] = {}
        self.open: list[int] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "line", "circle", "rect", "br", "input"):
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        while self.open and self.elements[self.open.pop()][0] != tag:
            pass

    def handle_data(self, data) -> None:
        for index in self.open:
            self.contents[index] = self.contents.get(index, "") + data

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [
            (attributes, self.contents.get(index, ""))
            for index, (name, attributes) in enumerate(self.elements)
            if name == tag
        ]


def page_of(inputs) -> Page:
    return Page(html_text(inputs, make_board(inputs)))


def hostile_inputs(inputs):
    everything = " ".join(HOSTILE)
    names = {
        model: f"{model} {text}"
        for model, text in zip(
            sorted({row["model"] for row in inputs.leaderboard}), HOSTILE, strict=False
        )
    }
    rows = [
        row | {"model": names[row["model"]], "prompt": row["prompt"] and everything, "reason": text}
        for row, text in zip(inputs.leaderboard, HOSTILE * 9, strict=False)
    ]
    evidence = [
        Evidence(
            model=names[part.model],
            prompt=part.prompt and everything,
            total=len(HOSTILE),
            rows=[
                EvidenceRow(
                    item_id=text,
                    title=text,
                    input=text,
                    reference=text,
                    answer=text,
                    status=text,
                    reason=text,
                    scores={"rouge1": 0.5, "bleu": None},
                    missing={"bleu": text},
                )
                for text in HOSTILE
            ],
        )
        for part in inputs.evidence
    ]
    suite = SuiteResult(
        suite=everything,
        expectations=[
            Expectation(
                name=everything,
                about=everything,
                status=everything,
                severity=everything,
                observed=everything,
                failing_ids=HOSTILE,
            )
        ],
    )
    return replace(
        inputs,
        name=everything,
        title=everything,
        leaderboard=rows,
        evidence=evidence,
        split=everything,
        interval=everything,
        notes=HOSTILE,
        limits=HOSTILE,
        methods={text: text for text in HOSTILE},
        splits={text: 1 for text in HOSTILE},
        validation=[suite],
        funnel=[FunnelStep(rule=t, removed=0, remaining=1, by_file={t: 0}) for t in HOSTILE],
        scores=[replace(score, title=score.title + everything) for score in inputs.scores],
    )


def test_the_table_is_complete_without_a_script(inputs) -> None:
    page = page_of(inputs)
    board = page.contents[
        next(i for i, (tag, at) in enumerate(page.elements) if at.get("id") == "board")
    ]
    for row in inputs.leaderboard:
        assert f"{row['mean']:.{2 if 'ratio' in row['score'] else 3}f}" in board
    assert len([1 for at, _ in page.all("tr") if "data-line" in at]) == 9
    assert board.count("2 missing") == 7
    tools = next(at for at, _ in page.all("form") if at.get("id") == "tools")
    assert "hidden" in tools


def test_what_is_said_first(inputs) -> None:
    text = html_text(inputs, make_board(inputs))
    head = text[text.index("<header>") : text.index("</header>")]
    assert "2 models under 2 prompts" in head
    assert "on 15 items" in head
    assert "58 ok, 1 truncated, 1 error" in head


def test_the_best_of_a_column_is_marked_among_the_ranked(inputs) -> None:
    page = page_of(inputs)
    cells = [at for at, _ in page.all("td") if "best" in (at.get("class") or "").split()]
    assert len(cells) == 7
    reference = page.contents[
        next(i for i, (t, at) in enumerate(page.elements) if at.get("class") == "reference")
    ]
    assert "1.000" in reference


def test_each_number_links_to_its_rows(inputs) -> None:
    page = page_of(inputs)
    links = [at["href"] for at, _ in page.all("a") if at["href"].startswith("#rows")]
    assert sorted(links) == sorted(
        f"#rows={line}:{score}" for line in range(9) for score in range(7)
    )


def test_without_rows_there_are_no_links(inputs) -> None:
    bare = replace(inputs, evidence=[])
    assert not [at for at, _ in page_of(bare).all("a") if at["href"].startswith("#rows")]


def test_funnel_validation_splits_and_methods_are_told(inputs) -> None:
    text = " ".join(page_of(inputs).contents[0].split())
    for part in (
        "not_structured",
        "no section of the abstract has a label",
        "77.4 %",
        "conclusion-not-in-input",
        "33000011",
        "Q4_K_M",
    ):
        assert part in text
    assert "1 of 2 expectations met" in text


BESIDE = re.compile(
    r"#|(report/index\.html|leaderboard\.\w+|numbers\.\w+|(tables|figures)/[\w.-]+)$"
)


def test_columns_stand_in_groups_and_judges_carry_their_error_bars(inputs) -> None:
    wide = wide_inputs(inputs)
    page = Page(html_text(wide, make_board(wide)))
    spans = [int(at["colspan"]) for at, _ in page.all("th") if at.get("scope") == "colgroup"]
    assert sum(spans) == 20
    assert spans[:3] == [5, 5, 3]
    row = next(i for i, (_, at) in enumerate(page.elements) if at.get("class") == "audits")
    told = page.contents[row]
    assert told.count("reacts to 62 % [55, 69] of edits, false alarms 8 %, retest sd 3.1") == 9
    assert told.count("blind, reacts to 4 % [1, 9] of edits") == 1


def test_a_judge_that_was_not_audited_says_so(inputs) -> None:
    wide = replace(wide_inputs(inputs), audits=[])
    text = html_text(wide, make_board(wide))
    assert text.count("not audited") >= 10
    assert "how far its scores can be trusted is not known" in text


def test_ranks_are_ranges_and_powered_means_stand_beside_raw_ones(inputs) -> None:
    wide = wide_inputs(inputs)
    text = Page(html_text(wide, make_board(wide))).contents[0]
    assert "rank 2 (1-4)" in text
    assert "with human ratings 71.2 [68.0, 74.4], 50 rated" in text


def test_figures_stand_inside_with_words_and_link_to_their_files(inputs) -> None:
    wide = wide_inputs(inputs)
    page = Page(html_text(wide, make_board(wide)))
    (image,) = (at for tag, at in page.elements if tag == "img")
    assert image["alt"] == "A rising line."
    assert base64.b64decode(image["src"].partition(",")[2]) == SVG
    links = {at["href"] for at, _ in page.all("a")}
    assert {
        "figures/00-by_category.svg",
        "figures/00-by_category.png",
        "tables/00-by_category.csv",
        "tables/00-by_category.tex",
    } <= links


def test_a_long_table_is_folded_and_a_very_long_one_cut(inputs) -> None:
    wide = wide_inputs(inputs)
    long = replace(wide, tables=[replace(wide.tables[0], table=long_table(600))])
    page = Page(html_text(long, make_board(long)))
    assert "The table: 600 rows" in page.contents[0]
    assert "100 more rows stand in the files" in page.contents[0]
    assert "category 499" in page.contents[0]
    assert "category 500" not in page.contents[0]


def test_contents_lead_to_places_of_the_page(inputs) -> None:
    page = page_of(wide_inputs(inputs))
    ids = [at["id"] for _, at in page.elements if at.get("id")]
    assert len(ids) == len(set(ids))
    anchors = {
        at["href"][1:]
        for at, _ in page.all("a")
        if at["href"].startswith("#") and not at["href"].startswith("#rows")
    }
    assert anchors <= set(ids)
    assert {"judges-title", "table-by_category", "table-by_category-2"} <= anchors


@pytest.mark.parametrize(
    ("access", "words"),
    [("open", ""), ("restricted", "Restricted data"), ("credentialed", "do not share")],
)
def test_data_that_must_not_travel_is_marked(inputs, access, words) -> None:
    text = html_text(replace(inputs, access=access), make_board(inputs))
    assert ("warning" in text.partition("<main>")[0].partition("<body>")[2]) == bool(words)
    assert words in text


def test_the_place_of_the_costs_is_empty_and_there_once(inputs) -> None:
    assert html_text(inputs, make_board(inputs)).count(COSTS_PLACE) == 1


@pytest.mark.parametrize("wide", [False, True])
def test_nothing_is_fetched_and_the_policy_forbids_it(inputs, wide) -> None:
    inputs = wide_inputs(inputs) if wide else inputs
    text = html_text(inputs, make_board(inputs))
    page = Page(text)
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base")
        assert "style" not in attributes
        if tag == "img":
            assert attributes["src"].startswith("data:image/svg+xml;base64,")
        else:
            assert "src" not in attributes
        assert BESIDE.match(attributes.get("href") or "#")
        assert not [name for name in attributes if name.startswith("on")]
    policy = next(
        at["content"]
        for at, _ in page.all("meta")
        if at.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "img-src data:;" in policy
    for tag, start in (("style", "<style>"), ("script", "<script>")):
        content = text[text.rindex(start) + len(start) : text.rindex(f"</{tag}>")]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_hostile_text_adds_no_element_and_no_attribute(inputs) -> None:
    changed = hostile_inputs(inputs)
    text = html_text(changed, make_board(changed))
    page = Page(text)
    tags = {tag for tag, _ in page_of(inputs).elements}
    assert {tag for tag, _ in page.elements} <= tags | {"li", "ul"}
    known = {name for _, at in page_of(inputs).elements for name in at}
    assert {name for _, at in page.elements for name in at} <= known
    assert len(page.all("script")) == 2
    assert "\x00" not in text
    assert "\u202e" not in text
    assert "7*7" in text
    assert all(BESIDE.match(at.get("href") or "#") for _, at in page.elements)
    data = json.loads(next(c for at, c in page.all("script") if at.get("type")))
    assert data["items"][0][0] == HOSTILE[0]


def test_the_same_inputs_make_the_same_bytes(inputs) -> None:
    turned = replace(
        inputs,
        leaderboard=inputs.leaderboard[::-1],
        evidence=inputs.evidence[::-1],
        answers=inputs.answers[::-1],
    )
    assert html_text(inputs, make_board(inputs)) == html_text(turned, make_board(turned))


def in_browser(text: str, tmp_path, address: str) -> str:
    """Return the document as the browser has it after the page's script ran."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("no chromium: the page was not opened in a browser")
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    command = [
        browser,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=2000",
        "--dump-dom",
        f"file://{tmp_path / 'page.html'}{address}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def order_of(dom: str) -> list[str]:
    return [at["data-line"] for at, _ in Page(dom).all("tr") if "data-line" in at]


@pytest.mark.slow
def test_a_browser_sorts_by_any_column(inputs, tmp_path) -> None:
    text = html_text(inputs, make_board(inputs))
    dom = in_browser(text, tmp_path, "#sort=8:reverse")
    board = make_board(inputs)
    bleu = [(line.cells[5].value, str(index)) for index, line in enumerate(board.lines[:-1])]
    assert order_of(dom) == [index for _, index in sorted(bleu)] + ["8"]
    sorted_heads = [at for at, _ in Page(dom).all("th") if "aria-sort" in at]
    assert [at["aria-sort"] for at in sorted_heads] == ["ascending"]
    assert "9 of 9 lines, by BLEU, worst first" in dom
    # Ten columns that sort, all or none of them, and the way out of the drawer.
    assert len(Page(dom).all("button")) == 10 + 2 + 1


@pytest.mark.slow
def test_a_browser_shows_hostile_rows_as_text(inputs, tmp_path) -> None:
    changed = hostile_inputs(inputs)
    dom = in_browser(html_text(changed, make_board(changed)), tmp_path, "#rows=0:2")
    page = Page(dom)
    assert next(text for _, text in page.all("title")) != "run"
    assert len(page.all("article")) == len(HOSTILE)
    shown = [text for at, text in page.all("p") if at.get("class") == "text"]
    assert HOSTILE[0] in shown
    assert "abc[U+202E]txt.exe" in shown
    assert {tag for tag, _ in page.elements}.isdisjoint({"img", "iframe"})
    assert len(page.all("svg")) == len(Page(html_text(changed, make_board(changed))).all("svg"))
    assert not [name for _, at in page.elements for name in at if name.startswith("on")]
    assert "open" in page.all("dialog")[0][0]


@pytest.mark.slow
def test_a_browser_folds_groups_and_chooses_columns(inputs, tmp_path) -> None:
    wide = wide_inputs(inputs)
    text = html_text(wide, make_board(wide))
    act = """
    <script>
    const shown = (cells) => [...cells].filter((cell) => !cell.hidden).length;
    const heads = () => shown(document.querySelectorAll("tr.heads th.number"));
    const row = document.querySelector("#board tbody tr");
    const cells = () => shown(row.querySelectorAll("td.number"));
    const told = [];
    const note = () => told.push(`${heads()}:${cells()}`);
    note();
    document.querySelector("tr.groups button").click();
    note();
    document.querySelector("#chooser-columns input").click();
    note();
    document.querySelector("tr.groups button").click();
    note();
    document.title = told.join(" ");
    </script></body>"""
    # The page's policy forbids scripts of others: this test's own needs it gone.
    open_text = re.sub(r"<meta http-equiv[^>]*>", "", text).replace("</body>", act)
    dom = in_browser(open_text, tmp_path, "")
    assert next(text for _, text in Page(dom).all("title")) == "20:20 16:16 16:16 19:19"
