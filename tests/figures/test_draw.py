"""Figures: the same bytes, well-formed, nothing outside, every word in its place."""

import hashlib
import io
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from PIL import Image

from tests.figures.panels import KINDS, figure, scatter
from toolkit.figures import draw as draw_module
from toolkit.figures.base import Bars, Dots, Grid, Histogram, Lines, Radar, Scatter, Series
from toolkit.figures.draw import draw
from toolkit.figures.lettering import drawable
from toolkit.figures.page import WIDTHS, compose
from toolkit.figures.words import all_words

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"

_DIGESTS = """
import hashlib
from tests.figures.panels import KINDS
from toolkit.figures.draw import draw
for name in ("dots", "scatter", "grid"):
    drawn = draw(KINDS[name])
    print(name, hashlib.sha256(drawn.svg + drawn.png).hexdigest())
"""


def _texts(made):
    """The texts of a figure that are really drawn, with their boxes in pixels."""
    with draw_module.settings(made.name):
        page = compose(made)
        canvas = FigureCanvasAgg(page)
        canvas.draw()
        renderer = canvas.get_renderer()
        found = [
            (artist, artist.get_window_extent(renderer))
            for artist in page.findobj(Text)
            if artist.get_text().strip() and artist.get_visible()
        ]
    return page, found


def _words(made):
    return " ".join(artist.get_text().replace("\n", " ") for artist, _ in _texts(made)[1])


@pytest.fixture(scope="module", params=sorted(KINDS))
def drawn(request):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return request.param, draw(KINDS[request.param])


@pytest.mark.parametrize("name", ["bars_lying", "histogram", "radar"])
def test_the_same_bytes_twice(name):
    assert draw(KINDS[name]) == draw(KINDS[name])


def test_the_same_bytes_in_another_process():
    done = subprocess.run(
        [sys.executable, "-c", _DIGESTS],
        env={**os.environ, "PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": "1"},
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
    )  # fmt: skip
    here = [
        f"{name} {hashlib.sha256(made.svg + made.png).hexdigest()}"
        for name in ("dots", "scatter", "grid")
        for made in [draw(KINDS[name])]
    ]
    assert done.stdout.splitlines() == here


def test_threads_draw_the_same_and_leave_the_settings():
    name, before = "lines", dict(matplotlib.rcParams)
    first = draw(KINDS[name])
    found = []
    threads = [threading.Thread(target=lambda: found.append(draw(KINDS[name]))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [first] * 3
    assert dict(matplotlib.rcParams) == before


def test_a_users_settings_change_nothing():
    first = draw(KINDS["bars_upright"])
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "none"}):
        assert draw(KINDS["bars_upright"]) == first


def test_svg_is_well_formed_and_alone(drawn):
    name, made = drawn
    root = ElementTree.fromstring(made.svg)
    assert root.tag == f"{_SVG}svg"
    assert root.attrib["role"] == "img"
    assert root.find(f"{_SVG}title").text == KINDS[name].title
    assert root.find(f"{_SVG}desc").text.startswith(KINDS[name].alt)
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    for element in root.iter():
        assert element.tag.removeprefix(_SVG) not in ("script", "foreignObject", "metadata", "a")
        target = element.attrib.get(_HREF, "#")
        assert target.startswith(("#", "data:image/png;base64,"))
        if target.startswith("#") and target != "#":
            assert target[1:] in ids
        assert not any(key.startswith("on") for key in element.attrib)
    text = made.svg.decode()
    assert "<!DOCTYPE" not in text
    assert "<!--" not in text
    assert matplotlib.__version__ not in text


def test_ids_of_two_figures_differ():
    def ids(name):
        root = ElementTree.fromstring(draw(figure(scatter(20), name=name)).svg)
        return {element.attrib["id"] for element in root.iter() if "id" in element.attrib}

    assert not ids("first") & ids("second")


def test_png_has_a_size_for_paper_a_white_ground_and_no_traces(drawn, tmp_path):
    name, made = drawn
    path = tmp_path / "figure.png"
    path.write_bytes(made.png)
    with Image.open(path) as image:
        assert image.size[0] == round(WIDTHS[KINDS[name].width] * 200)
        assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
        assert set(image.info) <= {"dpi"}


@pytest.fixture(scope="module", params=sorted(KINDS))
def placed(request):
    return KINDS[request.param], *_texts(KINDS[request.param])


def test_no_word_is_cut_off_and_none_lies_on_another(placed):
    _, page, texts = placed
    width, height = page.canvas.get_width_height()
    boxes = []
    for artist, box in texts:
        assert box.x0 >= -1, artist
        assert box.x1 <= width + 1, artist
        assert box.y0 >= -1, artist
        assert box.y1 <= height + 1, artist
        boxes.append((artist.get_text(), box))
    for at, (one, first) in enumerate(boxes):
        for other, second in boxes[at + 1 :]:
            across = min(first.x1, second.x1) - max(first.x0, second.x0)
            down = min(first.y1, second.y1) - max(first.y0, second.y0)
            # Boxes hold room for descenders that most words do not use.
            assert across <= 1 or down <= 2.5, (one, other)


def test_all_words_are_there(placed):
    made, _, texts = placed
    shown = "".join(artist.get_text() for artist, _ in texts)
    shown = shown.replace("\n", "").replace(" ", "")
    for text in all_words(made):
        assert drawable(text).replace(" ", "") in shown
    assert shown.count("nodata") == (7 if made is KINDS["empty"] else 0)


def test_a_figure_without_panels_says_so():
    assert "no data" in _words(figure())


@pytest.mark.parametrize(
    "panel",
    [
        Dots(labels=("a",), series=(Series(values=(1.0, 2.0)),), x="x"),
        Dots(labels=("a",), series=(Series(values=(1.0,), lows=(0.0, 1.0)),), x="x"),
        Scatter(xs=(1.0,), ys=(), x="x", y="y"),
        Histogram(edges=(1.0, 2.0), counts=(), x="x", y="y"),
        Grid(rows=("a",), columns=("b",), values=(), texts=(("1",),), legend="l"),
        Radar(axes=("a", "b"), series=()),
    ],
)
def test_shapes_that_do_not_match_are_refused(panel):
    with pytest.raises(ValueError, match=r"where there are|three axes"):
        draw(figure(panel))


def test_missing_and_impossible_values_are_told_apart():
    panel = Dots(
        labels=("gone", "huge", "fine"),
        series=(Series(values=(None, float("inf"), 3.0)),),
        x="x",
    )
    words = _words(figure(panel))
    assert words.count("none") == 1
    assert "1 value has no place on the axis" in words
    log = Scatter(xs=(0.0, -1.0, 2.0), ys=(1.0, 1.0, 1.0), x="x", y="y", x_scale="log")
    assert "2 of 3 points not shown" in _words(figure(log))


@pytest.mark.parametrize("size", [1e-270, 1e-12, 1e12, 1e250])
def test_values_of_any_size_are_drawn_with_ticks_that_differ(size):
    panel = Lines(
        xs=(1.0, 2.0, 3.0),
        series=(Series(values=(1 * size, 2 * size, 3.5 * size)),),
        x="x",
        y="y",
    )
    ticks = [artist.get_text() for artist, _ in _texts(figure(panel))[1]]
    ticks = [text for text in ticks if "×10" in text]
    assert len(ticks) >= 4
    assert len(ticks) == len(set(ticks))


_HOSTILE = [
    "$x$",
    r"\frac{1}{2}",
    "<b>&amp;</b>",
    "-->",
    "]]>",
    "a\x00\x07b",
    "\ud800",
    "$",
    "%s{}",
]


def test_hostile_words_are_drawn_as_they_stand():
    made = figure(
        Bars(labels=tuple(_HOSTILE), series=(Series(values=(1.0,) * len(_HOSTILE)),), y="$y$"),
        name='n"<>&',
    )
    root = ElementTree.fromstring(draw(made).svg)
    assert root is not None
    _, texts = _texts(made)
    shown = [artist.get_text() for artist, _ in texts]
    for label in (*_HOSTILE, "$y$"):
        assert drawable(label) in shown
    assert all(not artist.get_parse_math() for artist, _ in texts)
    assert r"a\x00\x07b" in shown
    assert r"\ud800" in shown


def test_letters_that_the_font_lacks_are_said_and_described_in_full():
    made = figure(
        Dots(
            labels=("中华医学杂志 2020", "Ελληνικά Журнал"),
            series=(Series(values=(1.0, 2.0)),),
            x="x",
        )
    )
    words = _words(made)
    assert "□ 2020" in words
    assert "Ελληνικά Журнал" in words
    assert "letters that the font of this figure lacks" in words
    desc = ElementTree.fromstring(draw(made).svg).find(f"{_SVG}desc").text
    assert "中华医学杂志 2020" in desc
    assert "Журнал" not in desc


_ANY = st.text(st.characters(codec=None, categories=None), min_size=0, max_size=60)


@given(_ANY, _ANY)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_words_give_a_well_formed_figure(label, title):
    made = figure(
        Bars(labels=(label, "b"), series=(Series(name=title, values=(1.0, 2.0)),), y=label,
             title=title, lying=True)
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        root = ElementTree.fromstring(draw(made).svg)
    assert {element.tag for element in root.iter()} & {f"{_SVG}script"} == set()
    shown = _words(made).replace(" ", "")
    assert drawable(label).replace(" ", "") in shown


def test_series_differ_in_a_grey_print():
    made = figure(
        Bars(labels=("a",), series=tuple(Series(name=n, values=(1.0,)) for n in "123456"), y="y")
    )
    grey = np.asarray(Image.open(io.BytesIO(draw(made).png)).convert("L"), float)
    # A row through the bars: each stretch between outlines has a mean and a spread of its own.
    row = grey[int(grey.shape[0] * 0.55) - 20 : int(grey.shape[0] * 0.55) + 20]
    columns = np.array_split(row[:, 180:-40], 6, axis=1)
    looks = [(part.mean(), part.std()) for part in columns]
    for at, one in enumerate(looks):
        for other in looks[at + 1 :]:
            assert abs(one[0] - other[0]) + abs(one[1] - other[1]) > 3


@pytest.mark.parametrize("letters", range(60, 140, 12))
def test_no_legend_of_a_grid_leaves_the_page(letters):
    names = ("First sentence", "Last sentence of the results")
    panel = Grid(
        rows=names, columns=names, values=((None, 0.0), (0.0, None)),
        texts=(("", "0.000"), ("0.000", "")), middle=0.0,
        legend=("difference line minus column " * 8)[:letters],
    )  # fmt: skip
    page, found = _texts(figure(panel))
    width, _ = page.canvas.get_width_height()
    assert all(box.x0 >= 0 and box.x1 <= width for _, box in found)
