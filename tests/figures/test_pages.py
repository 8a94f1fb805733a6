"""Many panels become several figures, none lost."""

from hypothesis import given
from hypothesis import strategies as st

from toolkit.figures.base import Dots, Figure, Series
from toolkit.figures.pages import in_pages


def many(count, labels=1, columns=2):
    names = tuple(f"l{at}" for at in range(labels))
    panels = tuple(
        Dots(labels=names, series=(Series(values=(float(at),) * labels),), x="x")
        for at in range(count)
    )
    return Figure(name="f", title="T, n = 3", alt="Words.", panels=panels, columns=columns)


@given(st.integers(0, 40), st.integers(1, 9), st.integers(1, 80), st.integers(1, 3))
def test_every_panel_stands_once_in_order_and_rows_stay_whole(count, most, labels, columns):
    made = many(count, labels, columns)
    pages = in_pages(made, most)
    assert tuple(panel for page in pages for panel in page.panels) == made.panels
    assert all(len(page.panels) <= max(most, columns) for page in pages)
    assert all(len(page.panels) % columns == 0 for page in pages[:-1])
    assert len({page.name for page in pages}) == len(pages)


def test_few_panels_stay_as_they_are_and_parts_say_which_they_are():
    assert in_pages(many(8)) == (many(8),)
    first, second = in_pages(many(9))
    assert (first.name, second.name) == ("f", "f_2")
    assert first.title == "T, n = 3 (1 of 2)"
    assert second.alt == "Part 2 of 2. Words."


def test_panels_of_many_dots_fill_a_page_sooner():
    assert [len(page.panels) for page in in_pages(many(6, labels=24))] == [4, 2]
    assert [len(page.panels) for page in in_pages(many(3, labels=90))] == [2, 1]
