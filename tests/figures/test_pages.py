"""Many panels become several figures, none lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.figures.base import Dots, Figure, Series
from toolkit.figures.pages import in_pages


def many(count):
    panels = tuple(
        Dots(labels=("a",), series=(Series(values=(float(at),)),), x="x") for at in range(count)
    )
    return Figure(name="f", title="T, n = 3", alt="Words.", panels=panels, columns=2)


@given(st.integers(0, 40), st.integers(1, 9))
def test_every_panel_stands_once_and_in_order(count, most):
    pages = in_pages(many(count), most)
    assert tuple(panel for page in pages for panel in page.panels) == many(count).panels
    assert all(len(page.panels) <= most for page in pages)
    assert len({page.name for page in pages}) == len(pages)
    assert {page.columns for page in pages} == {2}


def test_few_panels_stay_as_they_are_and_parts_say_which_they_are():
    assert in_pages(many(8)) == (many(8),)
    first, second = in_pages(many(9))
    assert (first.name, second.name) == ("f", "f_2")
    assert first.title == "T, n = 3 (1 of 2)"
    assert second.alt == "Part 2 of 2. Words."
    with pytest.raises(ValueError, match="one panel or more"):
        in_pages(many(1), 0)
