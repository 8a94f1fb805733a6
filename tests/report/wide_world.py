"""A wide leaderboard: two judges of five scores each, ten columns of metrics, audits, figures."""

from dataclasses import replace

import numpy as np

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.metrics.base import ScoreDefinition
from toolkit.report.audit import JudgeAudit
from toolkit.report.inputs import (
    MethodText,
    Powered,
    ReportFigure,
    ReportInputs,
    ReportTable,
    ScoreGroup,
)

JUDGED = ("semantic", "style", "non_contradiction", "numeric", "formality")
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 160" width="400" height="160">'
    b'<rect width="400" height="160" fill="#fff"/><path d="M20 140 L380 20" stroke="#000"/></svg>'
)


def judged_scores() -> dict[str, list[ScoreDefinition]]:
    found = {}
    for judge in ("primary", "second"):
        found[judge] = [
            ScoreDefinition(
                name=name if judge == "primary" else f"second.{name}",
                title=name.replace("_", " ").capitalize(),
                low=0.0,
                high=100.0,
                digits=1,
            )
            for name in JUDGED
        ]
    return found


def board_rows(inputs: ReportInputs, scores: list[ScoreDefinition]) -> list[dict]:
    rng = np.random.default_rng(3)
    competitors = {(row["model"], row["prompt"], row["kind"]) for row in inputs.leaderboard}
    rows = []
    for score in scores:
        for place, (model, prompt, kind) in enumerate(sorted(competitors), start=1):
            mean = float(rng.uniform(40, 90))
            ranked = kind != "reference"
            rows.append(
                {
                    "model": model,
                    "prompt": prompt,
                    "kind": kind,
                    "score": score.name,
                    "mean": mean,
                    "ci_low": mean - 4.0,
                    "ci_high": mean + 4.0,
                    "n": 200,
                    "n_missing": 3,
                    "n_clusters": 200,
                    "rank": place if ranked else None,
                    "rank_low": max(1, place - 1) if ranked else None,
                    "rank_high": place + 2 if ranked else None,
                    "reason": "",
                    "signature": f"{score.name}|version:1|seed:42",
                }
            )
    return rows


def long_table(rows: int) -> AnalysisTable:
    return AnalysisTable(
        name="by_category",
        title="Scores by category",
        columns=(
            AnalysisColumn("model", "string", "model"),
            AnalysisColumn("category", "string", "category"),
            AnalysisColumn("n", "int64", "items", 0),
            AnalysisColumn("value", "double", "mean", 2),
            AnalysisColumn("value_low", "double", "low", 2),
            AnalysisColumn("value_high", "double", "high", 2),
            AnalysisColumn("value_rank", "int64", "rank", 0),
        ),
        rows=[
            {
                "model": "gpt-small",
                "category": f"category {at}",
                "n": 30 + at,
                "value": 0.5 + at / 1000,
                "value_low": 0.4,
                "value_high": 0.7,
                "value_rank": at + 1,
            }
            for at in range(rows)
        ],
        notes=("Categories with fewer than 30 items are left out.",),
        signature="by_category|minimum:30|seed:42",
    )


def audits() -> list[JudgeAudit]:
    found = []
    for judge, scores in judged_scores().items():
        for at, score in enumerate(scores):
            blind = judge == "second" and at == 4
            found.append(
                JudgeAudit(
                    judge=judge,
                    score=JUDGED[at],
                    column=score.name,
                    n_edits=120,
                    reacts=0.04 if blind else 0.62,
                    reacts_low=0.01 if blind else 0.55,
                    reacts_high=0.09 if blind else 0.69,
                    n_rewrites=60,
                    false_alarms=0.05 if blind else 0.08,
                    retest_sd=0.0 if blind else 3.1,
                    n_retest=40,
                    strength=12.5,
                    blind=blind,
                    verdict="It gives nearly the same score to every text." if blind else "",
                )
            )
    return found


def wide_inputs(inputs: ReportInputs) -> ReportInputs:
    """Return the inputs with judges, audits, groups, figures and methods added."""
    judged = judged_scores()
    added = [score for scores in judged.values() for score in scores]
    added += [
        ScoreDefinition(name="ppl", title="Perplexity", high=None, direction="lower", digits=1),
        ScoreDefinition(name="unsupported", title="Unsupported numbers", direction="lower"),
        ScoreDefinition(name="jaccard", title="Jaccard"),
    ]
    rows = [*inputs.leaderboard, *board_rows(inputs, added)]
    names = [score.name for score in inputs.scores]
    return replace(
        inputs,
        leaderboard=rows,
        scores=[*added[:10], *inputs.scores, *added[10:]],
        groups=[
            *(
                ScoreGroup(name=judge, kind="judge", scores=tuple(s.name for s in scores))
                for judge, scores in judged.items()
            ),
            ScoreGroup(name="rouge", kind="metric", scores=("rouge1", "rouge2", "rougeL")),
            *(
                ScoreGroup(name=name, kind="metric", scores=(name,))
                for name in [*names, "ppl", "unsupported", "jaccard"]
                if not name.startswith("rouge")
            ),
        ],
        audits=audits(),
        powered={
            ("gpt-small", "A", "semantic"): Powered(value=71.2, low=68.0, high=74.4, n=50),
        },
        tables=[
            ReportTable(
                table=long_table(30),
                files=("tables/00-by_category.csv", "tables/00-by_category.tex"),
                figures=(
                    ReportFigure(
                        name="by_category",
                        title="Scores by category (n = 200)",
                        alt="A rising line.",
                        svg=SVG,
                        files=("figures/00-by_category.svg", "figures/00-by_category.png"),
                    ),
                ),
            ),
            ReportTable(table=replace(long_table(4), title="Again"), section="judges"),
        ],
        text=[MethodText(title="Corpus", paragraphs=["The corpus has 48 items."])],
        browser="report/index.html",
    )
