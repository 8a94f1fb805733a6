"""The batch endpoints of a server, called once each: nothing is sent again behind our back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from toolkit.errors import RunError, ToolkitError
from toolkit.models.base import ServerModel
from toolkit.recipe.loopback import is_loopback
from toolkit.store.redact import redact

__all__ = ["BatchLine", "BatchState", "BatchesLost", "RemoteBatches"]

_TIMEOUT_S: Final = 300.0
_NOTE: Final = "toolkit_file"
"""Key of a batch's metadata that holds the name of our file."""


class BatchesLost(RunError):
    """The server could not be asked; what it did with the last request is not known."""


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is.

    Attributes:
        id: the server's id.
        status: as the server says it.
        output: id of the file of answers; empty without one.
        errors: id of the file of errors; empty without one.
        faults: (code, words) of why the whole batch was refused.
    """

    id: str
    status: str
    output: str = ""
    errors: str = ""
    faults: tuple[tuple[str, str], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class BatchLine:
    """What a server says of one request.

    Attributes:
        custom_id: ours.
        status: HTTP status of its reply; 0 without one.
        body: its reply; None without one.
        code: code of its error; empty without one.
        words: the error in words.
    """

    custom_id: str
    status: int = 0
    body: Any = None
    code: str = ""
    words: str = ""


class RemoteBatches:
    """The Files and Batches endpoints; a context manager."""

    def __init__(self, model: ServerModel, secret: str | None) -> None:
        """Keep whom to ask.

        Args:
            model: whose server it is.
            secret: the key, None for a server without one.
        """
        from openai import DefaultHttpxClient, OpenAI

        version = model.api_version
        self._client = OpenAI(
            api_key=secret or "none",
            base_url=model.endpoint,
            max_retries=0,
            timeout=_TIMEOUT_S,
            default_query={"api-version": version} if version else None,
            http_client=DefaultHttpxClient(
                follow_redirects=False, trust_env=not is_loopback(model.endpoint)
            ),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def upload(self, file: Path) -> str:
        """Upload a file of requests; return its id.

        Raises:
            BatchesLost: the server could not be asked.
            ToolkitError: it refused, in its words.
        """
        with _server_errors("upload a file of requests"):
            return self._client.files.create(file=file, purpose="batch").id

    def create(self, file_id: str, path: str, name: str) -> BatchState:
        """Create a batch of an uploaded file.

        Args:
            file_id: the file.
            path: endpoint of its requests.
            name: name of our file, kept in the batch's metadata.

        Raises:
            BatchesLost: the server could not be asked; the batch may exist.
            ToolkitError: it refused, in its words.
        """
        endpoint: Any = path
        with _server_errors("create a batch"):
            batch = self._client.batches.create(
                input_file_id=file_id,
                endpoint=endpoint,
                completion_window="24h",
                metadata={_NOTE: name[:64]},
            )
        return _state(batch)

    def find(self, name: str) -> BatchState | None:
        """Return the batch made of our file of that name, or None when there is none.

        Raises:
            BatchesLost: the server could not be asked.
            ToolkitError: it refused, in its words.
        """
        with _server_errors("list batches"):
            for batch in self._client.batches.list(limit=100):
                if (batch.metadata or {}).get(_NOTE) == name[:64]:
                    return _state(batch)
        return None

    def state(self, batch_id: str) -> BatchState:
        """Return how far a batch is.

        Raises:
            BatchesLost: the server could not be asked.
            ToolkitError: it refused, in its words.
        """
        with _server_errors("look at a batch"):
            return _state(self._client.batches.retrieve(batch_id))

    def lines(self, file_id: str) -> Iterator[BatchLine | str]:
        """Yield the lines of a file of answers or errors; a text where a line is none.

        Raises:
            BatchesLost: the server could not be asked.
            ToolkitError: it refused, in its words.
        """
        with _server_errors("read the answers of a batch"):
            data = self._client.files.content(file_id).read()
        for number, line in enumerate(data.split(b"\n"), start=1):
            if line.strip():
                yield _line(line, number)


class _server_errors:  # noqa: N801 - reads as a statement where it is used
    """Turn what the library raises into our errors."""

    def __init__(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        import openai

        if isinstance(error, openai.APIStatusError):
            words = redact(" ".join(str(error.message).split()))[:500]
            if error.status_code in (408, 409, 425, 429) or error.status_code >= 500:
                raise BatchesLost(f"the server could not {self._doing} ({words})", hint=_AGAIN)
            raise ToolkitError(
                f"the server refused to {self._doing} ({words})",
                hint="does it have batch endpoints? if not, write execution: interactive",
            ) from error
        if isinstance(error, openai.OpenAIError | OSError | ValueError):
            words = redact(str(error.__cause__ or error))[:300]
            raise BatchesLost(f"could not {self._doing}: {words}", hint=_AGAIN) from error


_AGAIN: Final = "run again: batches go on at the server and are picked up where they are"


def _state(batch: Any) -> BatchState:
    faults = getattr(getattr(batch, "errors", None), "data", None) or []
    return BatchState(
        id=str(batch.id),
        status=str(batch.status),
        output=batch.output_file_id or "",
        errors=batch.error_file_id or "",
        faults=tuple((str(f.code or ""), str(f.message or "")) for f in faults),
    )


def _line(line: bytes, number: int) -> BatchLine | str:
    try:
        data = json.loads(line)
        custom_id = data["custom_id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return f"line {number} is no line of a batch"
    if not isinstance(custom_id, str):
        return f"line {number} has no custom_id"
    response, error = _object(data.get("response")), _object(data.get("error"))
    status = response.get("status_code")
    return BatchLine(
        custom_id,
        status if isinstance(status, int) else 0,
        response.get("body"),
        str(error.get("code") or ""),
        redact(str(error.get("message") or ""))[:500],
    )


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
