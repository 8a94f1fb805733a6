"""From raw data to a public leaderboard with one YAML recipe.

The Python surface is five functions; each does what a command does::

    recipe = toolkit.load_recipe("recipe.yaml")
    plan = toolkit.make_plan(recipe)
    run = toolkit.run_recipe(recipe)
    toolkit.publish_release(run, "release/")
    table = toolkit.score(frame, metrics=["rouge", my_function])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolkit.execute import run_recipe
    from toolkit.plan.make import make_plan
    from toolkit.recipe.load import load_recipe
    from toolkit.release.folder import publish_release
    from toolkit.stages.score_frame import score

__all__ = ["load_recipe", "make_plan", "publish_release", "run_recipe", "score"]

# Imported on first use: `import toolkit` must stay as cheap as the command line's help.
_HOMES = {
    "load_recipe": "toolkit.recipe.load",
    "make_plan": "toolkit.plan.make",
    "publish_release": "toolkit.release.folder",
    "run_recipe": "toolkit.execute",
    "score": "toolkit.stages.score_frame",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'toolkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
