"""One release for all tests of rebuilding."""

import pytest
from rebuild_world import released


@pytest.fixture(scope="session")
def ids_only(tmp_path_factory):
    """Return the folder of an ids_only release."""
    return released(
        tmp_path_factory.mktemp("ids") / "r",
        dataset="org/counting",
        license="other",
        redistribution="ids_only",
    )
