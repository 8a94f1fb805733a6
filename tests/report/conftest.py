"""A leaderboard as a run leaves it, with real statistics over invented scores."""

import numpy as np
import pytest

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.means import Means, MeansParams
from toolkit.metrics.base import ScoreDefinition
from toolkit.records import to_arrow
from toolkit.report.inputs import (
    AnswerCounts,
    Evidence,
    EvidenceRow,
    Expectation,
    FunnelStep,
    ReportInputs,
    SuiteResult,
)

SCORES = (
    ScoreDefinition(
        name="word_ratio", title="Word ratio", high=None, direction="target", target=1.0, digits=2
    ),
    ScoreDefinition(
        name="sentence_ratio",
        title="Sentence ratio",
        high=None,
        direction="target",
        target=1.0,
        digits=2,
    ),
    ScoreDefinition(name="rouge1", title="ROUGE-1 F"),
    ScoreDefinition(name="rouge2", title="ROUGE-2 F"),
    ScoreDefinition(name="rougeL", title="ROUGE-L F"),
    ScoreDefinition(name="bleu", title="BLEU"),
    ScoreDefinition(name="embedding_similarity", title="Embedding cosine", low=-1.0),
)
COMPETITORS = (
    ("smollm2-135m", "A", "model", (1.9, 2.1, 0.27, 0.08, 0.21, 0.035, 0.66)),
    ("smollm2-135m", "B", "model", (2.4, 2.6, 0.25, 0.07, 0.19, 0.030, 0.64)),
    ("gpt-small", "A", "model", (1.2, 1.1, 0.36, 0.13, 0.28, 0.071, 0.78)),
    ("gpt-small", "B", "model", (1.5, 1.4, 0.33, 0.11, 0.25, 0.060, 0.75)),
    ("first_sentence", "", "baseline", (0.8, 0.6, 0.16, 0.03, 0.13, 0.008, 0.52)),
    ("last_results_sentence", "", "baseline", (1.0, 0.7, 0.24, 0.07, 0.18, 0.028, 0.60)),
    ("central_sentence", "", "baseline", (1.1, 0.7, 0.21, 0.05, 0.16, 0.019, 0.58)),
    ("random_conclusion", "", "baseline", (1.1, 1.0, 0.15, 0.01, 0.11, 0.003, 0.12)),
    ("reference", "", "reference", (1.0,) * 7),
)
SPREAD = (0.35, 0.4, 0.09, 0.05, 0.07, 0.025, 0.09)


def invented_rows(items: int) -> list[dict]:
    rng = np.random.default_rng(11)
    rows = []
    for model, prompt, kind, levels in COMPETITORS:
        for item in range(items):
            lost = model == "smollm2-135m" and prompt == "B" and item in (3, 9)
            for score, level, spread in zip(SCORES, levels, SPREAD, strict=True):
                drawn = level if kind == "reference" else rng.normal(level, spread)
                high = score.high if score.high is not None else 9.0
                rows.append(
                    {
                        "item_id": str(33000000 + item),
                        "model": model,
                        "prompt": prompt,
                        "repeat": 0,
                        "metric": score.name.rstrip("12L"),
                        "score": score.name,
                        "value": None if lost else float(np.clip(drawn, score.low, high)),
                        "reason": "truncated" if lost else "",
                    }
                )
    return rows


def invented_evidence(rows: list[dict]) -> list[Evidence]:
    evidence = []
    for model, prompt, _, _ in COMPETITORS:
        mine = [row for row in rows if (row["model"], row["prompt"]) == (model, prompt)]
        shown = []
        for item in sorted({row["item_id"] for row in mine}):
            scores = {row["score"]: row["value"] for row in mine if row["item_id"] == item}
            lost = scores["rouge1"] is None
            shown.append(
                EvidenceRow(
                    item_id=item,
                    title="Evening light and sleep onset in shift workers: a randomised trial",
                    input=(
                        "BACKGROUND: Shift work delays sleep onset.\nMETHODS: We randomised 84 "
                        "nurses to dim evening light (10^2 lux) or usual lighting for six weeks.\n"
                        "RESULTS: Sleep onset came 23 minutes earlier (95% CI 11 to 35; p<0.001)."
                    ),
                    reference=(
                        "Dim light in the evening brings sleep forward in shift workers and may "
                        "be offered as a simple measure on wards."
                    ),
                    answer=None
                    if lost
                    else "Dim evening light led to earlier sleep onset among nurses on shifts; "
                    "hospitals could consider it.",
                    status="error" if lost else "ok",
                    reason="the server closed the connection" if lost else "",
                    scores=scores,
                    missing={score: "no answer" for score in scores} if lost else {},
                )
            )
        evidence.append(Evidence(model=model, prompt=prompt, total=len(shown), rows=shown))
    return evidence


def make_inputs(items: int = 15) -> ReportInputs:
    rows = invented_rows(items)
    means = Means(MeansParams(resamples=500, cluster=None))
    table = means.run(
        AnalysisInputs(
            scores=[to_arrow("scores", rows)],
            definitions=SCORES,
            seed=42,
            kinds={model: kind for model, _, kind, _ in COMPETITORS},
            signatures={"rouge1": "rouge|version:1|tokenizer:rouge-score|stem:yes"},
        )
    )
    return ReportInputs(
        name="quickstart",
        title="Conclusions from structured abstracts: quickstart",
        leaderboard=table.to_pylist(),
        scores=SCORES,
        items=items,
        interval=means.describe(),
        answers=[
            AnswerCounts(
                model=model,
                prompt=prompt,
                counts={"ok": items - 2, "truncated": 1, "error": 1}
                if (model, prompt) == ("smollm2-135m", "B")
                else {"ok": items},
            )
            for model, prompt, _, _ in COMPETITORS
        ],
        funnel=[
            FunnelStep(rule="input", removed=0, remaining=62, by_file={"a.xml": 40, "b.xml": 22}),
            FunnelStep(
                rule="not_structured",
                about="no section of the abstract has a label",
                removed=9,
                remaining=53,
                by_file={"a.xml": 9},
            ),
            FunnelStep(
                rule="no_conclusion", removed=4, remaining=49, by_file={"a.xml": 1, "b.xml": 3}
            ),
            FunnelStep(rule="duplicate_doi", removed=1, remaining=48, by_file={"b.xml": 1}),
        ],
        splits={"train": 25, "validation": 8, "test": items},
        validation=[
            SuiteResult(
                suite="corpus",
                expectations=[
                    Expectation(
                        name="ids-unique",
                        about="An item stands once in the corpus.",
                        status="passed",
                        checked=48,
                        unexpected=0,
                    ),
                    Expectation(
                        name="conclusion-not-in-input",
                        about="A model must not read the conclusion it is asked to write.",
                        status="failed",
                        severity="warning",
                        checked=48,
                        unexpected=2,
                        failing_ids=["33000004", "33000011"],
                    ),
                ],
            ),
            SuiteResult(
                suite="splits",
                expectations=[Expectation(name="split-named", status="passed", checked=48)],
            ),
        ],
        evidence=invented_evidence(rows),
        notes=[
            "A model of 135 million parameters shows that the pipeline works end to end; its "
            "scores say nothing about what larger models can do.",
        ],
        limits=["Fifteen invented abstracts carry wide intervals; no claim should rest on them."],
        methods={
            "Seed": "42",
            "Recipe": "quickstart 1.0, plan 3f9c2a1b",
            "rouge": "rouge|version:1|tokenizer:rouge-score|stem:yes",
            "smollm2-135m": "llama_cpp, Q4_K_M, sha256 9b1f…, threads 1, temperature 0",
        },
    )


@pytest.fixture(scope="session")
def inputs() -> ReportInputs:
    return make_inputs()
