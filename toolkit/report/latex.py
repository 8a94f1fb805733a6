"""Tables of analyses as LaTeX, to be put into a paper as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.analyses.base import AnalysisTable
from toolkit.report.tables import TableView, view_table
from toolkit.report.text import printable

__all__ = ["escape_latex", "latex_text"]

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    # Old font encodings print other signs in their place.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "−": "$-$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\rightarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "Δ": r"$\Delta$",
}


def latex_text(table: AnalysisTable) -> str:
    """Return a table as LaTeX: ``booktabs`` rules, best in bold, second underlined.

    It needs the package booktabs and a UTF-8 engine; caption and label are the table's
    title and name, notes stand below as a paragraph.
    """
    view = view_table(table)
    columns = "".join("r" if numeric else "l" for _, numeric in view.heads)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(view.title)}}}",
        rf"\label{{tab:{view.name.replace('_', '-')}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _line([escape_latex(head) for head, _ in view.heads]),
        r"\midrule",
        *(_row(view, number) for number in range(len(view.rows))),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {escape_latex(note)}" for note in view.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(view: TableView, number: int) -> str:
    cells = []
    for column, text in enumerate(view.rows[number]):
        cell = escape_latex(text)
        place = view.places.get((number, column))
        if place == 1:
            cell = rf"\textbf{{{cell}}}"
        elif place == 2:
            cell = rf"\underline{{{cell}}}"
        cells.append(cell)
    return _line(cells)


def _line(cells: Sequence[str]) -> str:
    line = " & ".join(cells) + r" \\"
    # After the line before, a bracket or a star would be read as its option.
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as it stands, on one line; controls are named."""
    line = " ".join(printable(text).split())
    return "".join(_SPECIAL.get(character, character) for character in line)
