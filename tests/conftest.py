"""What all tests share: no network but this machine's, no environment of the developer's own.

Profiles of hypothesis: ``ci`` (the default) draws the same examples every time;
``HYPOTHESIS_PROFILE=deep`` draws 5,000 new ones, wherever a test does not say how many.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.schedulers import close_shared

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

# A developer's keys, proxies and workspace would change what is tested, or be spent by it.
FOREIGN = (
    "ALL_PROXY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_TOKEN",
    "HTTPS_PROXY", "HTTP_PROXY", "NCBI_API_KEY", "NCBI_EMAIL", "OPENAI_API_KEY", "OPENAI_BASE_URL",
    "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "TOOLKIT_WORKSPACE",
)  # fmt: skip

# Everything else is an error: a warning is either ours to mend or listed here with its owner.
FILTERS = (
    "error",
    # great-expectations imports it.
    "ignore:module .sre_constants. is deprecated:DeprecationWarning",
    # huggingface_hub's upload of a large file.
    "ignore:Use .content=<...>. to upload raw bytes/text content:DeprecationWarning",
)

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=100,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# Test modules of different folders share names (importlib mode allows it), while the modules
# that they share have names of their own and are found here.
sys.path += sorted({str(path.parent) for path in Path(__file__).parent.rglob("*.py")})

_home = pytest.StashKey[str]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # Tried first because pytest-socket reads its options in its own pytest_configure.
    config.option.allow_hosts = "127.0.0.1,localhost"
    config.option.allow_unix_socket = True
    config.option.importmode = "importlib"
    for line in FILTERS:
        config.addinivalue_line("filterwarnings", line)
    for name in FOREIGN:
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)
    config.stash[_home] = tempfile.mkdtemp(prefix="toolkit-tests-")
    os.environ["HF_HOME"] = config.stash[_home]
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    # A server of ours has no Xet storage; the library reads this when it is imported.
    os.environ["HF_HUB_DISABLE_XET"] = "1"


def pytest_unconfigure(config: pytest.Config) -> None:
    close_shared()
    shutil.rmtree(config.stash[_home], ignore_errors=True)


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Return a function that finds a file of ``../shared`` or skips the test, saying so."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"../shared/{name} is absent: real data that is not part of the project")
        return path

    return find


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    # Contents of files make names nobody can read, and gzip puts the time into them, which
    # gives each process of xdist another list of tests.
    if isinstance(val, str | bytes) and len(val) > 60:
        return f"{argname}-of-{len(val)}"
    return None
