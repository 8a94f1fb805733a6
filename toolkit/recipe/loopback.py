"""Whether an address leads to this very machine."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

__all__ = ["is_loopback"]


def is_loopback(url: str) -> bool:
    """Say whether ``url`` leads to this very machine.

    Only ``localhost`` and loopback addresses count: a name that happens to resolve to
    127.0.0.1 today may resolve to another machine tomorrow.
    """
    try:
        host = urlsplit(url).hostname or ""
        if host == "localhost":
            return True
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback
