"""The folder of a run: what was asked, what happened, what it cost. Times live only here."""

from __future__ import annotations

import json
import platform
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import yaml

from toolkit.plan.step import Plan, Step
from toolkit.records import SCHEMA_VERSION
from toolkit.store.atomic import write_json, write_text

__all__ = ["Journal", "versions"]

_PACKAGES: Final = (
    "leaderboard-toolkit",
    "dask",
    "datasets",
    "great-expectations",
    "httpcore2",
    "httpx2",
    "huggingface-hub",
    "lxml",
    "numpy",
    "openai",
    "pandas",
    "pyarrow",
    "scipy",
    "sentence-transformers",
    "torch",
    "transformers",
    "xllamacpp",
)


class Journal:
    """Keeps ``run.json`` true at every moment; every write is atomic."""

    def __init__(self, folder: Path, plan: Plan, until: str | None = None) -> None:
        """Open the run's folder and write the resolved recipe.

        Args:
            folder: the run's folder; made when missing.
            plan: a plan whose fingerprints are all known.
            until: last stage of this run, None for all.
        """
        self.folder = folder
        self._lock = threading.Lock()
        self._data: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "name": plan.recipe.name,
            "recipe": str(plan.recipe.file),
            "fingerprint": plan.fingerprint,
            "state": "running",
            "until": until,
            "started": _now(),
            "versions": versions(),
            "machine": {"system": platform.platform(), "processor": platform.machine()},
            "steps": {step.name: _step(plan, step) for step in plan.steps},
            "earlier": self._earlier(),
        }
        recipe = dict(plan.recipe.data)
        if plan.recipe.limit is not None:
            recipe["limit"] = plan.recipe.limit
        text = yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True, width=100)
        write_text(folder / "recipe.yaml", text)
        self._write()

    def note(self, step: str, **facts: Any) -> None:
        """Add facts to a step's entry."""
        with self._lock:
            self._data["steps"][step].update(facts)
            self._write()

    def close(self, state: str, **facts: Any) -> None:
        """Say how the run ended."""
        with self._lock:
            self._data.update(state=state, ended=_now(), **facts)
            self._write()

    def _earlier(self) -> list[dict[str, Any]]:
        try:
            before = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        kept = {key: before.get(key) for key in ("started", "ended", "state", "calls", "failures")}
        return [*before.get("earlier", []), kept][-50:]

    def _write(self) -> None:
        write_json(self.folder / "run.json", self._data)


def versions() -> Mapping[str, str]:
    """Return the versions of Python and of the packages that can change a result."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _step(plan: Plan, step: Step) -> dict[str, Any]:
    return {
        "stage": step.stage,
        "fingerprint": step.fingerprint,
        "params": dict(step.params),
        "inputs": {name: plan.step(name).fingerprint for name in step.inputs},
        "state": step.state,
        "why": step.why,
        # What an earlier run made stays made, whether this one gets that far or not.
        **({"outcome": "reused"} if step.state == "reused" else {}),
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
