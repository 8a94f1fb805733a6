"""Endpoints that credentialed texts may be sent to, because somebody answers for it by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

__all__ = ["Attestation", "attestation_of", "origin"]

_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attestation:
    """A statement that an agreement allows texts to be sent to an endpoint."""

    endpoint: str = field(
        metadata={"about": "https address of the server; its path does not count"}
    )
    by: str = field(metadata={"about": "who answers for it", "pattern": r"\S"})
    on: str = field(
        metadata={"about": "when it was looked at, YYYY-MM-DD", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
    )
    agreement: str = field(metadata={"about": "which agreement allows it", "pattern": r"\S"})


def origin(url: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of an address; None where it names none, or a user besides.

    Two addresses of one origin are one server; nothing else is compared, so that a host that
    begins or ends like another is another.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or parts.scheme not in _PORTS or "@" in parts.netloc or "\\" in parts.netloc:
        return None
    return parts.scheme, host, _PORTS[parts.scheme] if port is None else port


def attestation_of(url: str, attested: Iterable[Attestation]) -> Attestation | None:
    """Return the attestation of the server behind an address; None where it has none.

    Only https counts: what goes to another machine as http can be read on its way.
    """
    server = origin(url)
    if server is None or server[0] != "https":
        return None
    return next((one for one in attested if origin(one.endpoint) == server), None)
