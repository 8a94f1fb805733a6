"""Keep secrets out of every text that is written: logs, reports, error messages, ledgers.

Two nets: the exact values of secrets that this process was given, and the shapes that
well-known secrets have, for those it never knew about (a server that repeats a key).
"""

from __future__ import annotations

import logging
import re
import threading
from typing import Final

__all__ = ["RedactingFilter", "looks_secret", "redact", "register_secret"]

_MASK: Final = "[redacted]"
_SHORTEST: Final = 6
"""A registered value shorter than this would blank out ordinary words."""

_TOKENS: Final = (
    r"hf_[A-Za-z0-9]{16,}",
    r"sk-[A-Za-z0-9_-]{8,}",
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"AIza[A-Za-z0-9_-]{20,}",
    r"AKIA[A-Z0-9]{16}",
    r"xox[abpr]-[A-Za-z0-9-]{10,}",
    r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
)
_TOKEN: Final = re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(_TOKENS) + ")")
_BEARER: Final = re.compile(r"(?i)\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{8,}")
_HEADER: Final = re.compile(r"(?i)\b((?:x-)?api-key)(['\"]?\s*[:=]\s*['\"]?)[^\s'\",;&]{6,}")
_QUERY: Final = re.compile(
    r"(?i)([?&](?:api[_-]?key|key|token|access[_-]?token|sig|signature|secret)=)[^&#\s'\"]+"
)
_USERINFO: Final = re.compile(r"(?i)\b([a-z][a-z0-9+.-]*://)[^/\s:@]+:[^/\s@]+@")

_known: set[str] = set()
_lock = threading.Lock()


def register_secret(value: str) -> None:
    """Have every later :func:`redact` mask ``value`` wherever it stands.

    Values under six characters are not registered: masking them would eat ordinary text.
    """
    if len(value.strip()) >= _SHORTEST:
        with _lock:
            _known.update((value, value.strip()))


def redact(text: str) -> str:
    """Return ``text`` with registered secrets and everything shaped like one masked.

    Redacting twice changes nothing more.
    """
    with _lock:
        known = sorted(_known, key=len, reverse=True)
    for value in known:
        text = text.replace(value, _MASK)
    text = _USERINFO.sub(rf"\1{_MASK}@", text)
    text = _QUERY.sub(rf"\1{_MASK}", text)
    text = _HEADER.sub(rf"\1\2{_MASK}", text)
    text = _BEARER.sub(rf"\1\2{_MASK}", text)
    return _TOKEN.sub(_MASK, text)


def looks_secret(text: str) -> bool:
    """Say whether ``text`` has the shape of a well-known secret, or is a registered one."""
    with _lock:
        return text in _known or _TOKEN.search(text) is not None


class RedactingFilter(logging.Filter):
    """A filter for log handlers: masks secrets in the message, its arguments and tracebacks."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record in place and let it pass."""
        record.msg = redact(record.getMessage())
        record.args = None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = redact(record.exc_text)
        if record.stack_info:
            record.stack_info = redact(record.stack_info)
        return True
