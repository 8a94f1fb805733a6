"""Looks of series: no two alike."""

from toolkit.figures.styles import style


def test_fourteen_series_differ_without_colour():
    looks = {(style(n).marker, style(n).filled) for n in range(14)}
    assert len(looks) == 14


def test_hatches_and_lines_differ_within_a_round():
    assert len({style(n).hatch for n in range(7)}) == 7
    assert len({style(n).line for n in range(7)}) == 7


def test_many_series_differ():
    looks = [style(n) for n in range(28)]
    assert len(set(looks)) == 28
