"""One validation process for all tests of this folder, and small tables to validate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from toolkit.validate import Expectation, Suite, Validator

Expect = Callable[..., Expectation]
WriteShards = Callable[..., list[Path]]


@pytest.fixture(scope="session")
def validator() -> Iterator[Validator]:
    with Validator(timeout=120) as shared:
        yield shared


@pytest.fixture
def shards(tmp_path: Path) -> WriteShards:
    """Write a table as ``count`` shards of about equal size."""

    def write(table: pa.Table | dict[str, Any], count: int = 1, folder: str = "t") -> list[Path]:
        columns = table if isinstance(table, pa.Table) else pa.table(table)
        (tmp_path / folder).mkdir(exist_ok=True)
        size = max(1, -(-columns.num_rows // count))
        paths = []
        for index in range(count):
            path = tmp_path / folder / f"part-{index:05d}.parquet"
            pq.write_table(columns.slice(index * size, size), path)
            paths.append(path)
        return paths

    return write


@pytest.fixture
def expect() -> Expect:
    def build(type_: str, id_: str = "e", severity: str = "critical", **kwargs: Any) -> Expectation:
        return Expectation(id_, type_, kwargs, severity, "Because.")  # type: ignore[arg-type]

    return build


@pytest.fixture
def suite() -> Callable[..., Suite]:
    def build(*expectations: Expectation) -> Suite:
        return Suite("tested", "A suite of a test.", expectations)

    return build
