"""Room for as many connections as may be open at once: each takes a file descriptor."""

from __future__ import annotations

import resource
from typing import Final

from toolkit.errors import UserError

__all__ = ["make_room"]

_OTHERS: Final = 256
"""Descriptors left for files, pipes and workers."""


def make_room(connections: int) -> None:
    """Raise this process's limit of open files where so many connections do not fit.

    Args:
        connections: how many may be open at once, to all servers.

    Raises:
        UserError: the system does not allow that many.
    """
    needed = connections + _OTHERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise UserError(
            f"{connections} requests at once need {needed} open files, and this system allows "
            f"a process only {hard}",
            hint=f"raise the limit (`ulimit -Hn {needed}` as root, or LimitNOFILE of the "
            "service), or lower concurrency",
        )
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    except (ValueError, OSError) as error:
        raise UserError(
            f"the limit of open files could not be raised from {soft} to {needed}: {error}",
            hint=f"run `ulimit -n {needed}` first, or lower concurrency",
        ) from error
