"""Tables as LaTeX."""

from hypothesis import given
from hypothesis import strategies as st

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.report.latex import escape_latex, latex_text


def table(rows):
    return AnalysisTable(
        name="some_table",
        title="Scores & models, 95 %",
        columns=(
            AnalysisColumn("model", "string", "model", 0),
            AnalysisColumn("mean", "double", "mean_score", 2),
            AnalysisColumn("mean_low", "double", "low end", 2),
            AnalysisColumn("mean_high", "double", "high end", 2),
            AnalysisColumn("mean_rank", "int64", "place", 0),
        ),
        rows=rows,
        notes=("n = 3 & more.",),
    )


def row(model, mean, rank):
    ends = {"mean_low": mean - 0.1, "mean_high": mean + 0.1}
    return {"model": model, "mean": mean, **ends, "mean_rank": rank}


def test_best_is_bold_second_underlined_and_ranks_take_no_column():
    text = latex_text(table([row("a_1", 0.5, 2), row("b", 0.75, 1), row("c", 0.25, 3)]))
    lines = text.splitlines()
    assert r"\begin{tabular}{lr}" in lines
    assert r"model & mean\_score \\" in lines
    assert r"a\_1 & \underline{0.50 [0.40, 0.60]} \\" in lines
    assert r"b & \textbf{0.75 [0.65, 0.85]} \\" in lines
    assert r"c & 0.25 [0.15, 0.35] \\" in lines
    assert r"\caption{Scores \& models, 95 \%}" in lines
    assert r"\label{tab:some-table}" in lines
    assert r"\par\footnotesize n = 3 \& more." in lines


@given(st.text())
def test_no_text_can_be_a_command(text):
    escaped = escape_latex(text)
    known = escaped
    for command in (
        r"\textbackslash{}",
        r"\textasciicircum{}",
        r"\textasciitilde{}",
        r"\textless{}",
        r"\textgreater{}",
        r"\textbar{}",
        r"\{",
        r"\}",
        r"\$",
        r"\&",
        r"\#",
        r"\%",
        r"\_",
        r"$\leq$",
        r"$\geq$",
        r"$\pm$",
        r"$\rightarrow$",
        r"$\uparrow$",
        r"$\downarrow$",
        r"$\rho$",
        r"$\tau$",
        r"$\alpha$",
        r"$\kappa$",
        r"$\Delta$",
        "$-$",
    ):
        known = known.replace(command, "")
    assert not set(known) & set("\\{}$&#%_^~\n")


def test_controls_are_named_and_no_cell_is_an_option_of_the_line_before() -> None:
    text = latex_text(table([row("[CLS]\x00", 0.5, 3), row("*x\u202e", 0.25, 3)]))
    assert "\x00" not in text
    assert "\u202e" not in text
    assert "\n{}[CLS][U+0000] & 0.50" in text
    assert "\n{}*x[U+202E] & 0.25" in text


def test_signs_that_old_fonts_lack_are_commands() -> None:
    assert escape_latex("p < 0.05 | q > 1") == (r"p \textless{} 0.05 \textbar{} q \textgreater{} 1")
