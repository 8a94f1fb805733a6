"""Run plans: the only package that imports Dask."""

from toolkit.execute.run import RunResult, StepFailure, run_recipe

__all__ = ["RunResult", "StepFailure", "run_recipe"]
