"""Read any data set of the Hugging Face Hub, at a commit, through ``datasets``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.corpus.parquet import Parquet
from toolkit.corpus.source import Part, PartResult
from toolkit.errors import MissingError, SourceError
from toolkit.store.atomic import replacing, write_json

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Hub", "resolve_revision"]

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_FILE_ROWS: Final = 50_000  # a part is read in seconds, and there are enough of them to share
_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Params:
    dataset: str = field(metadata={"about": "owner/name of the data set"})
    config: str | None = field(default=None, metadata={"about": "configuration; default its own"})
    split: tuple[str, ...] = field(
        default=("train",), metadata={"about": "splits to read", "scalar": True}
    )
    revision: str = field(
        default="main", metadata={"about": "commit; a branch or tag is resolved by the run"}
    )
    token_env: str | None = field(
        default=None,
        metadata={"about": "environment variable that holds the token", "cosmetic": True},
    )
    id: str = field(default="id", metadata={"about": "column that holds the id of the item"})
    fields: Mapping[str, str] | None = field(
        default=None, metadata={"about": "item column to column of the data set; default all"}
    )
    on_bad_row: Literal["stop", "reject"] = field(
        default="stop", metadata={"about": "a missing or repeated id, a NaN: stop, or reject it"}
    )


class Hub:
    """Splits of a Hub data set.

    ``resolve`` streams them into Parquet files of the cache, under the commit, so a commit is
    fetched once and workers need neither network nor token.
    """

    name: ClassVar[str] = "hub"
    version: ClassVar[int] = 1
    remote: ClassVar[bool] = True
    Params: ClassVar[type] = _Params

    def __init__(self, params: _Params, base: Path) -> None:
        self._params = params
        self._base = base
        self._inner: Parquet | None = None

    def resolve(self, cache: Path, secrets: Mapping[str, str]) -> Hub:
        """Resolve the revision to a commit and fetch the splits, unless the cache has them.

        Raises:
            MissingError: offline, or the token's variable is unset.
            SourceError: no such data set, configuration, split or revision, or no access.
        """
        token = _token(self._params, secrets)
        params = replace(self._params, revision=resolve_revision(self._params, token))
        folder = cache / _folder_name(params)
        files: list[str] = []
        for split in params.split:
            files += _fetch_split(params, split, folder, token)
        resolved = Hub(params, self._base)
        resolved._inner = Parquet(
            Parquet.Params(
                files=tuple(files), id=params.id, fields=params.fields, on_bad_row=params.on_bad_row
            ),
            folder,
        )
        return resolved

    def asks(self) -> dict[str, Any]:
        """Return which splits of which data set; columns are chosen after they were fetched."""
        params = self._params
        return {
            "dataset": params.dataset,
            "config": params.config,
            "split": list(params.split),
            "revision": params.revision,
        }

    def facts(self) -> dict[str, Any]:
        """Return the data set and the commit it was read at."""
        return {"dataset": self._params.dataset, "revision": self._params.revision}

    def inputs(self) -> tuple[Path, ...]:
        """Return nothing: the commit says it all."""
        return ()

    def parts(self) -> tuple[Part, ...]:
        """Return the fetched files in the order of their names.

        Raises:
            SourceError: the source was not resolved.
        """
        return self._fetched().parts()

    def schema(self) -> pa.Schema:
        """Return the schema of the chosen columns.

        Raises:
            SourceError: a named column does not exist, or splits disagree about one.
        """
        return self._fetched().schema()

    def read(self, part: Part, out: Path, schema: pa.Schema) -> PartResult:
        """Stream one fetched file into Parquet of the common schema.

        Raises:
            SourceError: a row is bad and ``on_bad_row`` is ``stop``.
        """
        return self._fetched().read(part, out, schema)

    def merge(self, results: Sequence[PartResult]) -> dict[str, pa.Table]:
        """Reject rows that repeat an id, the first one stays.

        Raises:
            SourceError: ids repeat and ``on_bad_row`` is ``stop``.
        """
        return self._fetched().merge(results)

    def _fetched(self) -> Parquet:
        if self._inner is None:
            raise SourceError(
                f"the data set '{self._params.dataset}' was not fetched yet",
                hint="`toolkit run` fetches it",
            )
        return self._inner


def resolve_revision(params: Any, token: str | None = None) -> str:
    """Return the commit that a data set's revision stands for.

    Args:
        params: parameters of :class:`Hub`; a revision of 40 hex digits is returned as it is.
        token: a Hub token, None for the one that the machine is logged in with.

    Raises:
        MissingError: offline.
        SourceError: no such data set or revision, or no access.
    """
    if _COMMIT.fullmatch(params.revision):
        return str(params.revision)
    from huggingface_hub import HfApi

    with _hub_errors(params):
        info = HfApi(token=token).dataset_info(params.dataset, revision=params.revision)
    if not info.sha:
        raise SourceError(
            f"the Hub names no commit for '{params.revision}' of '{params.dataset}'",
            hint="name a commit in `revision`",
        )
    return str(info.sha)


def _token(params: _Params, secrets: Mapping[str, str]) -> str | None:
    if params.token_env is None:
        return None
    token = secrets.get(params.token_env)
    if not token:
        raise MissingError(
            f"the environment variable {params.token_env} is not set",
            hint="set it to a Hub token that may read the data set",
        )
    return token


def _folder_name(params: _Params) -> str:
    config = re.sub(r"\W+", "-", params.config or "default")
    return f"{params.dataset.replace('/', '--')}--{config}--{params.revision}"


def _fetch_split(params: _Params, split: str, folder: Path, token: str | None) -> list[str]:
    if not re.fullmatch(r"\w+", split):
        raise SourceError(f"'{split}' is no name of a split", hint="name it as the card does")
    marker = folder / f"{split}.json"
    if marker.is_file():
        return list(json.loads(marker.read_text(encoding="utf-8"))["files"])
    files: list[str] = []
    tables = _stream(params, split, token)
    while (path := _write_file(tables, folder / f"{split}-{len(files):05d}.parquet")) is not None:
        files.append(path.name)
    if not files:
        raise SourceError(
            f"split '{split}' of '{params.dataset}' is empty", hint="name another split"
        )
    write_json(marker, {"files": files})
    return files


def _write_file(tables: Iterator[pa.Table], path: Path) -> Path | None:
    import pyarrow.parquet as pq

    first = next(tables, None)
    if first is None:
        return None
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, first.schema, compression="zstd") as writer,
    ):
        writer.write_table(first)
        rows = first.num_rows
        while rows < _FILE_ROWS and (table := next(tables, None)) is not None:
            writer.write_table(table.cast(first.schema))
            rows += table.num_rows
    return path


def _stream(params: _Params, split: str, token: str | None) -> Iterator[pa.Table]:
    from datasets import load_dataset

    with _hub_errors(params):
        data = load_dataset(
            params.dataset,
            name=params.config,
            split=split,
            revision=params.revision,
            token=token,
            streaming=True,
        )
    tables = data.with_format("arrow").iter(batch_size=_BATCH)
    while True:
        with _hub_errors(params):
            table = next(tables, None)
        if table is None:
            return
        yield table.replace_schema_metadata(None)


@contextmanager
def _hub_errors(params: Any) -> Iterator[None]:
    from datasets.exceptions import DatasetsError
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    what = f"the data set '{params.dataset}' at '{params.revision}'"
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise MissingError(
            f"{what} cannot be reached: HF_HUB_OFFLINE is set",
            hint="unset HF_HUB_OFFLINE, or download the files and use `source: parquet`",
        ) from error
    except RevisionNotFoundError as error:
        raise SourceError(f"{what} does not exist", hint="correct `revision`") from error
    except GatedRepoError as error:
        raise SourceError(
            f"{what} is gated and this account has no access",
            hint="accept its terms on the Hub and name a token's variable in `token_env`",
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise SourceError(
            f"{what} does not exist, or is private",
            hint="correct `dataset`, or name a token's variable in `token_env`",
        ) from error
    except (DatasetsError, ValueError) as error:
        raise SourceError(
            f"{what} cannot be read: {_brief(error)}", hint="correct `config` and `split`"
        ) from error
    except (HfHubHTTPError, ConnectionError, TimeoutError, OSError) as error:
        raise _unreachable(what, error) from error


def _unreachable(what: str, error: Exception) -> MissingError:
    offline = os.environ.get("HF_HUB_OFFLINE", "")
    reason = "HF_HUB_OFFLINE is set" if offline not in ("", "0") else _brief(error)
    return MissingError(
        f"{what} cannot be reached: {reason}",
        hint="check the network and run again, or download the files and use `source: parquet`",
    )


def _brief(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
