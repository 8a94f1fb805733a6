"""Read a file once, plain or gzip, and know at the end that it was whole.

Blocks are handed out before the checksum at the end of a gzip stream can be compared, so
nothing that was made from them may be used until the iterator ended.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from toolkit.errors import SourceError

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["Reading", "read_blocks"]

BLOCK: Final = 1 << 20
"""Most bytes in a block."""
_COMPRESSED_BLOCK: Final = 1 << 18
_MAGIC: Final = b"\x1f\x8b"
_AGAIN = "download it again; nothing of it was used"
_MD5 = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{32}(?![0-9a-fA-F])")


class Reading:
    """What is known about a file while and after it is read.

    Attributes:
        path: the file.
        stored: bytes read from disk so far.
        size: bytes after decompression so far.
        sha256: digest of the file as stored, null until it was read to its end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stored = 0
        self.size = 0
        self.sha256: str | None = None


def read_blocks(reading: Reading) -> Iterator[bytes]:
    """Yield the content of a file in blocks of at most 1 MiB; gzip is told by its first bytes.

    Several gzip members in a row are one stream. A file ``NAME.md5`` beside it is compared.

    Raises:
        SourceError: the file cannot be read, is truncated, has a wrong checksum, or goes on
            behind its gzip stream.
    """
    expected = _published_md5(reading.path)
    digests = [hashlib.sha256()]
    if expected is not None:
        digests.append(hashlib.md5(usedforsecurity=False))
    try:
        with reading.path.open("rb") as file:
            pieces = _stored(file, reading, digests)
            first = next(pieces, b"")
            if not first:
                raise SourceError(f"{reading.path}: the file is empty", hint=_AGAIN)
            blocks = _gunzip if first.startswith(_MAGIC) else _plain
            for block in blocks(first, pieces, reading):
                reading.size += len(block)
                yield block
    except OSError as error:
        raise SourceError(
            f"{reading.path}: cannot be read: {error.strerror or error}",
            hint="check the path and its permissions",
        ) from error
    if expected is not None and digests[1].hexdigest() != expected:
        raise SourceError(
            f"{reading.path}: its MD5 is {digests[1].hexdigest()}, "
            f"{reading.path.name}.md5 says {expected}",
            hint=_AGAIN,
        )
    reading.sha256 = digests[0].hexdigest()


def _published_md5(path: Path) -> str | None:
    beside = path.with_name(path.name + ".md5")
    if not beside.is_file():
        return None
    found = _MD5.search(beside.read_text(encoding="utf-8", errors="replace"))
    if found is None:
        raise SourceError(
            f"{beside}: holds no MD5",
            hint="it should read 'MD5(NAME)= HEX' or 'HEX  NAME'; download it again or delete it",
        )
    return found[0].lower()


def _stored(file: BinaryIO, reading: Reading, digests: list[hashlib._Hash]) -> Iterator[bytes]:
    while piece := file.read(_COMPRESSED_BLOCK):
        reading.stored += len(piece)
        for digest in digests:
            digest.update(piece)
        yield piece


def _plain(first: bytes, pieces: Iterator[bytes], reading: Reading) -> Iterator[bytes]:
    yield first
    yield from pieces


def _gunzip(first: bytes, pieces: Iterator[bytes], reading: Reading) -> Iterator[bytes]:
    from isal import igzip_lib

    # Its type is declared as an instance.
    damage = cast("type[Exception]", igzip_lib.IsalError)
    member = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
    data = first
    try:
        while True:
            block = member.decompress(data, BLOCK)
            if block:
                yield block
            data = b""
            if not member.eof and not member.needs_input:
                continue
            data = (member.unused_data if member.eof else b"") or next(pieces, b"")
            if not data:
                break
            if member.eof:
                data = _next_member(data, pieces, reading)
                member = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
    except damage as error:
        raise SourceError(
            f"{reading.path}: damaged gzip data near byte {reading.stored}: {error}", hint=_AGAIN
        ) from error
    if not member.eof:
        raise SourceError(
            f"{reading.path}: the gzip data end too early, at byte {reading.stored}", hint=_AGAIN
        )


def _next_member(data: bytes, pieces: Iterator[bytes], reading: Reading) -> bytes:
    if len(data) < len(_MAGIC):
        data += next(pieces, b"")
    if not data.startswith(_MAGIC):
        raise SourceError(
            f"{reading.path}: something that is not gzip follows the gzip data, "
            f"near byte {reading.stored}",
            hint=_AGAIN,
        )
    return data
