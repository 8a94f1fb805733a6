"""Who gave the scores of a run, and how the judges among them were configured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from toolkit.diff.finished_run import FinishedRun
from toolkit.report.audit import JudgeAudit
from toolkit.results.record import JudgeUse
from toolkit.results.run_sampling import revision, sampling
from toolkit.store.canonical import digest

__all__ = ["RunJudges"]


class RunJudges:
    """The metrics and judges of a finished run."""

    def __init__(self, run: FinishedRun) -> None:
        """Look at every step that scores.

        Raises:
            StoreError: an artifact of the run is gone or damaged.
        """
        self._recipe = run.recipe
        self._steps: dict[str, Mapping[str, Any]] = {}
        self._scorer: dict[str, tuple[str, bool]] = {}
        self._audits: dict[str, dict[str, Any]] = {}
        for name, step in run.steps.items():
            if step["stage"] == "judge":
                self._steps.setdefault(step["params"]["judge"], step)
            if step["stage"] in ("judge", "score"):
                judged = step["stage"] == "judge"
                scorer = step["params"]["judge" if judged else "metric"]
                for data in run.artifact(name).manifest.facts["definitions"]:
                    self._scorer.setdefault(data["name"], (scorer, judged))
            if step["stage"] == "audit":
                self._take_audit(run.artifact(name).manifest.facts["audit"])

    def behind(self, score: str) -> tuple[str, tuple[str, ...]]:
        """Return the metric or judge that gives a score, and all judges that it rests on."""
        scorer, judged = self._scorer[score]
        if judged:
            return scorer, tuple(dict.fromkeys(self._members(scorer)))
        return scorer, tuple(dict.fromkeys(self._asked(scorer)))

    def use(self, name: str) -> JudgeUse:
        """Return how a judge of the recipe was configured."""
        section = self._section(name)
        # A judge that only a metric asks has no step of its own.
        params = self._steps[name]["params"] if name in self._steps else {}
        model = section.get("model")
        about = (self._recipe.get("models") or {}).get(model) or {}
        identity = params.get("model_identity") or {}
        return JudgeUse(
            name=name,
            type=params.get("type") or section["type"],
            model=str(about.get("model") or revision(identity) or model or ""),
            hub_id=about.get("hub_id"),
            prompts=dict(sorted(_prompts(params.get("judge_identity") or {}))),
            sampling=sampling(identity),
            identity=digest([params.get("judge_identity"), identity]) if params else "",
            audit=self._audits.get(name, {}),
        )

    def _take_audit(self, audits: Sequence[Mapping[str, Any]]) -> None:
        for facts in audits:
            audit = JudgeAudit.from_facts(facts)
            content = {key: value for key, value in asdict(audit).items() if value is not None}
            self._audits.setdefault(audit.judge, {})[audit.column] = content

    def _members(self, judge: str) -> Iterator[str]:
        yield judge
        section = self._section(judge)
        if section.get("type") == "panel":
            for member in section.get("judges") or ():
                yield from self._members(member)

    def _section(self, judge: str) -> dict[str, Any]:
        # The recipe of a run stands as it was written, so a judge may extend another.
        written = (self._recipe.get("judges") or {}).get(judge) or {}
        base = self._section(written["extends"]) if "extends" in written else {}
        return {**base, **written}

    def _asked(self, metric: str) -> Iterator[str]:
        """Yield the judges that a metric asks."""
        for entry in self._recipe.get("metrics") or ():
            for name, params in entry.items() if isinstance(entry, Mapping) else ():
                if isinstance(params, Mapping) and metric.partition(".")[0] == name:
                    for key in ("nli", "decomposer"):
                        if isinstance(params.get(key), str):
                            yield from self._members(params[key])


def _prompts(identity: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (role, sha256) of every file that a judge's questions are made of."""
    questions = identity.get("questions") or [["question", identity.get("question") or {}]]
    for name, asked in questions:
        for role in ("file", "system", "user"):
            if asked.get(role):
                yield (role if len(questions) == 1 else f"{name}.{role}"), asked[role]
