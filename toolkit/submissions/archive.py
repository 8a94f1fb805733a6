"""The files of a bundle in a folder or a zip file, read as what a stranger sent."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast

from toolkit.errors import UserError
from toolkit.store.atomic import replacing, write_text
from toolkit.submissions.fault_list import FaultList, shown

__all__ = [
    "MANIFEST",
    "MAX_BYTES",
    "PREDICTIONS",
    "UNREADABLE",
    "open_member",
    "read_member",
    "write_members",
]

MANIFEST: Final = "manifest.json"
PREDICTIONS: Final = "predictions.jsonl"

MAX_BYTES: Final[Mapping[str, int]] = {MANIFEST: 1 << 18, PREDICTIONS: 1 << 30}
"""The files that a bundle has, no more and no fewer, and the most bytes of each, unpacked."""

MAX_PACKED: Final = 1 << 28
"""Most bytes of a zip file."""

MAX_RATIO: Final = 200
"""How many times larger a packed file may become; JSON Lines of real answers become 3 to 10 times
larger, a bomb a thousand times."""

_SMALL: Final = 1 << 20
"""Below this, the ratio is nobody's concern: the same short answer for each item packs well."""

_TIME: Final = (1980, 1, 1, 0, 0, 0)
UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What reading a damaged or foreign zip file raises."""

_END: Final = 22
_DIRECTORY: Final = 1 << 16
"""Most bytes of a zip file's directory: two entries need a hundred, five million need gigabytes
of memory."""


def write_members(out: Path, members: Mapping[str, str]) -> None:
    """Write the files of a bundle: a zip file where the name ends in ``.zip``, else a folder.

    The same files give the same bytes (a packed file by the same version of zlib).

    Raises:
        UserError: something that is no bundle is there already.
    """
    if out.is_symlink() or out.exists():
        _refuse_other(out)
    if out.suffix.lower() != ".zip":
        for name, text in sorted(members.items()):
            write_text(out / name, text)
        return
    with (
        replacing(out) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
    ):
        for name, text in sorted(members.items()):
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, text.encode("utf-8"))


def _refuse_other(out: Path) -> None:
    faults = FaultList()
    if out.suffix.lower() != ".zip" and out.is_dir():
        # An empty folder may be filled, a bundle may be written again.
        if any(out.iterdir()):
            _folder_faults(out, faults)
    else:
        with _opened(out, faults) as archive:
            if archive is not None:
                _zip_faults(archive, faults)
    if faults:
        raise UserError(
            f"{out} is there already and is no bundle: {'; '.join(faults.lines())}",
            hint="name another place with --out",
        )


@contextmanager
def open_member(bundle: Path, name: str, faults: FaultList) -> Iterator[IO[bytes] | None]:
    """Open a file of a bundle; everything about the bundle is checked first.

    Args:
        bundle: a folder or a zip file of a stranger's.
        name: the file, a key of :data:`MAX_BYTES`.
        faults: receives every fault.

    Yields:
        The file, which ends with an error after its most bytes; None where there are faults.
    """
    if bundle.is_symlink():
        faults.add("the bundle is a symbolic link")
        yield None
    elif bundle.is_dir():
        _folder_faults(bundle, faults)
        if faults:
            yield None
        else:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            descriptor = os.open(bundle / name, flags)
            with os.fdopen(descriptor, "rb") as file:
                yield cast(IO[bytes], _Bounded(file, MAX_BYTES[name]))
    else:
        with _opened(bundle, faults) as archive:
            if archive is not None:
                _zip_faults(archive, faults)
            if archive is None or faults:
                yield None
            else:
                with archive.open(name) as member:
                    yield cast(IO[bytes], _Bounded(member, MAX_BYTES[name]))


def read_member(bundle: Path, name: str, faults: FaultList) -> bytes | None:
    """Return a file of a bundle; None where the bundle has faults, which are added."""
    try:
        with open_member(bundle, name, faults) as file:
            return None if file is None else file.read(MAX_BYTES[name] + 1)
    except (*UNREADABLE, OSError) as error:
        faults.add(f"{name} cannot be read", str(error))
        return None


class _Bounded:
    """A file that ends with an error when it holds more than was looked at before."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file = file
        self._left = most

    def read(self, size: int = -1) -> bytes:
        """Read at most ``size`` bytes.

        Raises:
            BadZipFile: there are more bytes than a bundle may have.
        """
        return self._counted(self._file.read(self._most(size)))

    def readline(self, size: int = -1) -> bytes:
        """Read a line, or ``size`` bytes of it."""
        return self._counted(self._file.readline(self._most(size)))

    def _most(self, size: int) -> int:
        return self._left + 1 if size < 0 else min(size, self._left + 1)

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise zipfile.BadZipFile("it is larger than a bundle may be")
        return data


def _folder_faults(folder: Path, faults: FaultList) -> None:
    found = {entry.name: entry for entry in os.scandir(folder)}
    _name_faults(found, faults)
    for name in sorted(found.keys() & MAX_BYTES.keys()):
        # Not followed: a link may lead to anything on the reviewer's disk.
        state = found[name].stat(follow_symlinks=False)
        if not stat.S_ISREG(state.st_mode):
            faults.add("files that are no regular files", name)
        elif state.st_size > MAX_BYTES[name]:
            faults.add("files that are too large", f"{name}: {state.st_size:,} bytes")


def _name_faults(found: Mapping[str, object] | list[str], faults: FaultList) -> None:
    names = list(found)
    for name in sorted({name for name in names if names.count(name) > 1}):
        faults.add("files that stand twice", shown(name))
    for name in sorted(set(names) - MAX_BYTES.keys()):
        faults.add("files that no bundle has", shown(name))
    for name in sorted(MAX_BYTES.keys() - set(names)):
        faults.add("missing files", name)


@contextmanager
def _opened(bundle: Path, faults: FaultList) -> Iterator[zipfile.ZipFile | None]:
    try:
        if not stat.S_ISREG(bundle.stat().st_mode):
            faults.add("the bundle is neither a folder nor a zip file")
        elif bundle.stat().st_size > MAX_PACKED:
            faults.add("the bundle is too large", f"more than {MAX_PACKED >> 20} MiB")
        elif _has_large_directory(bundle):
            faults.add("the bundle is no zip file of two files")
        if faults:
            yield None
            return
        archive = zipfile.ZipFile(bundle)
    except OSError as error:
        faults.add("the bundle cannot be read", error.strerror or "no such file")
        yield None
        return
    except (*UNREADABLE, ValueError) as error:
        faults.add("the bundle is no zip file", str(error))
        yield None
        return
    with archive:
        yield archive


def _has_large_directory(bundle: Path) -> bool:
    """Look at the end of a zip file before its directory is read (APPNOTE 4.3.16 and 4.3.15)."""
    with bundle.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _END - (1 << 16) - 20))
        tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + _END:
        # Not a zip file, which opening it will say.
        return False
    long = tail[max(0, at - 20) : at].startswith(b"PK\x06\x07")
    return long or int.from_bytes(tail[at + 12 : at + 16], "little") > _DIRECTORY


def _zip_faults(archive: zipfile.ZipFile, faults: FaultList) -> None:
    entries = archive.infolist()
    # Nothing is ever unpacked to a path; a name that is not one of ours goes no further.
    _name_faults([entry.filename for entry in entries], faults)
    for entry in entries:
        if entry.filename not in MAX_BYTES:
            continue
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            faults.add("files that are no regular files", entry.filename)
        if entry.flag_bits & 0x1:
            faults.add("files that are encrypted", entry.filename)
        if entry.file_size > MAX_BYTES[entry.filename]:
            faults.add("files that are too large", f"{entry.filename}: {entry.file_size:,} bytes")
        if entry.file_size > max(_SMALL, MAX_RATIO * entry.compress_size):
            faults.add(
                f"files that unpack to more than {MAX_RATIO} times their size", entry.filename
            )
