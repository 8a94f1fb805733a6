"""One release of invented articles, made once and copied by the tests that change it."""

import pytest
from release_world import HOSTILE, articles, make_context

from toolkit.stages.release import run


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Return (context, manifest) of a full-text release with two splits."""
    context = make_context(
        tmp_path_factory.mktemp("release"),
        splits={
            "test": [articles(5, group=True), articles(3, 5, group=True)],
            "train": articles(12, 8, group=True),
        },
        description="\n".join(HOSTILE),
        dataset="org/demo",
    )
    return context, run(context)
