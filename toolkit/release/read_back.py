"""Load a release with ``datasets`` in a fresh process, and compare it with what it was made of."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from toolkit.errors import MissingError, RunError
from toolkit.store.atomic import write_json
from toolkit.store.redact import redact

__all__ = ["Block", "ExpectedSplit", "Published", "read_back", "read_back_published"]

_START: Final = (
    "import json, sys\n"
    "sys.path[:] = json.loads(sys.argv[1])\n"
    "from toolkit.release.read_back_child import main\n"
    "main(sys.argv[2], sys.argv[3])\n"
)
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
"""Variables that the process may need; every other, secrets among them, stays here."""

_HINT: Final = "the release is not done; run again, and if it persists report it with this message"
_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive rows of a split and the digest of each column over them."""

    rows: int
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedSplit:
    """What a split must turn out to be.

    Attributes:
        config: its configuration.
        split: its name.
        features: its columns, as the card spells them.
        blocks: its rows in order.
    """

    config: str
    split: str
    features: Sequence[Mapping[str, Any]]
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A data set on the Hub at a commit.

    Attributes:
        dataset: ``org/name``.
        revision: the commit.
        environment: variables that the reading process gets: the Hub's address and a token.
    """

    dataset: str
    revision: str
    environment: Mapping[str, str] = field(repr=False)


def read_back(
    files: Mapping[str, Path],
    expected: Sequence[ExpectedSplit],
    scratch: Path,
    *,
    stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Load every configuration and split, and compare names, rows, types and values.

    Nothing but ``files`` is in the repository that is loaded; nothing is fetched, and no cache
    of the user's is read or written.

    Args:
        files: the release: relative POSIX name to path.
        expected: every split, in the order of the card.
        scratch: a folder to be made and removed; ``datasets`` needs room there for a copy of
            the rows.
        stopped: asked now and then; the process is ended once it says so.

    Raises:
        RunError: what was loaded differs, naming split and column; or nothing could be loaded.
        MissingError: ``datasets`` cannot be imported.
    """
    with _folder(scratch):
        repository = scratch / "repository"
        for name, path in files.items():
            _place(path, repository / name)
        place = Published(dataset=str(repository), revision="", environment={"HF_HUB_OFFLINE": "1"})
        _check(expected, _ask(place, expected, scratch, stopped))


def read_back_published(
    place: Published,
    expected: Sequence[ExpectedSplit],
    scratch: Path,
    *,
    stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Load every configuration and split from the Hub, as anybody would, and compare them.

    Args:
        place: the data set and its commit.
        expected: every split, in the order of the card.
        scratch: a folder to be made and removed; what is fetched lies there, not in a cache.
        stopped: asked now and then; the process is ended once it says so.

    Raises:
        RunError: as :func:`read_back`.
        MissingError: ``datasets`` cannot be imported.
    """
    with _folder(scratch):
        _check(expected, _ask(place, expected, scratch, stopped))


def _check(expected: Sequence[ExpectedSplit], answer: Sequence[Mapping[str, Any]]) -> None:
    found = {(split["config"], split["split"]): split for split in answer}
    wanted = [[split.config, split.split] for split in expected]
    if [[split["config"], split["split"]] for split in answer] != wanted:
        raise RunError(
            f"read back, the release has the splits {_listed(found)}, and not "
            f"{_listed([(split.config, split.split) for split in expected])}",
            hint=_HINT,
        )
    for split in expected:
        _compare(split, found[(split.config, split.split)])


@contextmanager
def _folder(scratch: Path) -> Iterator[None]:
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        yield
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _place(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, target)
    except OSError:
        # No hard links on this file system.
        shutil.copyfile(path, target)


def _ask(
    place: Published,
    expected: Sequence[ExpectedSplit],
    scratch: Path,
    stopped: Callable[[], bool],
) -> list[dict[str, Any]]:
    request, reply, log = scratch / "request.json", scratch / "reply.json", scratch / "log.txt"
    asked = {"repository": place.dataset, "revision": place.revision or None}
    write_json(request, {**asked, "splits": [asdict(split) for split in expected]})
    imports = json.dumps([str(Path(entry or ".").resolve()) for entry in sys.path])
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            [sys.executable, "-I", "-c", _START, imports, str(request), str(reply)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(scratch) | dict(place.environment),
            cwd=scratch,
            # Ctrl-C is the parent's to handle: it ends this process in its own order.
            process_group=0,
        )
        try:
            _wait(process, stopped)
        finally:
            with suppress(OSError):
                process.kill()
            process.wait()
    answer = _answer(reply, log, process.returncode)
    if "missing" in answer:
        raise MissingError(
            f"datasets cannot be imported: {answer['missing']}", hint="pip install 'datasets>=5,<6'"
        )
    if "error" in answer:
        raise RunError(
            f"datasets cannot load the release: {_one_line(answer['error'])}", hint=_HINT
        )
    splits: list[dict[str, Any]] = answer["splits"]
    return splits


def _wait(process: subprocess.Popen[bytes], stopped: Callable[[], bool]) -> None:
    while True:
        try:
            process.wait(timeout=_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if stopped():
                raise RunError(
                    "stopped while the release was read back",
                    hint="run the same command to go on from there",
                ) from None
        else:
            return


def _environment(scratch: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "HF_HOME": str(scratch / "home"),
        "HF_DATASETS_CACHE": str(scratch / "cache"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "PYTHONUTF8": "1",
    }


def _answer(reply: Path, log: Path, code: int) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(reply.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        ending = f"signal {-code}" if code < 0 else f"exit code {code}"
        words = log.read_text(encoding="utf-8", errors="replace").strip().rsplit("\n", 1)[-1]
        raise RunError(
            f"the process that reads the release back ended with {ending}: {_one_line(words)}",
            hint=_HINT,
        ) from None
    return answer


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in redact(text))[:500]


def _compare(expected: ExpectedSplit, found: Mapping[str, Any]) -> None:
    where = f"read back, the split '{expected.split}' of '{expected.config}'"
    rows = sum(block.rows for block in expected.blocks)
    if found["rows"] != rows:
        raise RunError(f"{where} has {found['rows']} rows, and not {rows}", hint=_HINT)
    mine = {feature["name"]: dict(feature) for feature in expected.features}
    theirs = {feature["name"]: feature for feature in found["features"]}
    for column in sorted(mine.keys() | theirs.keys()):
        if mine.get(column) != theirs.get(column):
            raise RunError(
                f"{where} has the column '{column}' as {theirs.get(column, 'nothing')}, and not "
                f"as {mine.get(column, 'nothing')}",
                hint=_HINT,
            )
    for number, (block, digests) in enumerate(zip(expected.blocks, found["blocks"], strict=True)):
        for column, digest in block.digests.items():
            if digests[column] != digest:
                raise RunError(
                    f"{where} has other values in the column '{column}', in shard {number}",
                    hint=_HINT,
                )


def _listed(splits: Any) -> str:
    return ", ".join(f"{config}/{split}" for config, split in splits) or "(none)"
