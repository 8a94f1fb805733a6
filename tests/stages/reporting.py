"""A context for the report of a finished run, to run its stage again in this process."""

import threading

import tests.tiny_recipe as tiny_recipe
from toolkit.execute import run_recipe
from toolkit.recipe.load import load_recipe
from toolkit.stages import report
from toolkit.stages.context import Context


def context_of(result, folder=None):
    """Return what the report stage of a finished run is given; it writes into ``folder``."""
    step = result.plan.step("report")

    def unused(*_):
        raise AssertionError("a report asks nobody and computes nothing")

    return Context(
        plan=result.plan,
        step=step,
        folder=folder,
        inputs={name: result.artifacts[name] for name in step.inputs},
        artifacts=result.artifacts,
        map=unused,
        ledger=unused,
        validator=unused,
        secrets={},
        progress=lambda *_: None,
        stop=threading.Event(),
        calls=unused,
    )


def make_report(folder, data):
    """Run a recipe and write its report once more; return the folder of the second one."""
    file = tiny_recipe.write(folder, data)
    result = run_recipe(load_recipe(file), workspace=folder / "w")
    report.run(context_of(result, folder / "again"))
    return folder / "again"
