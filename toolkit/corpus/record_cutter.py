"""Cut a stream of XML elements into PubMed records at their end tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from toolkit.corpus.wellformed import MAX_CONSTRUCT
from toolkit.errors import SourceError

__all__ = ["cut_records"]

_END: Final = b"</PubmedArticle"
_START: Final = b"<PubmedArticle>"


def cut_records(blocks: Iterable[bytes], name: str) -> Iterator[tuple[bytes, bytes, int]]:
    """Cut a stream of elements at the ends of records.

    Yields:
        What stood before a record, the record, and where the first of them starts; at the end
        the rest of the stream with an empty record.

    Raises:
        SourceError: tags do not pair up, or a record is larger than ``MAX_CONSTRUCT``.
    """
    buffer, base = b"", 0
    for block in blocks:
        buffer = buffer + block if buffer else block
        start = 0
        while (end := buffer.find(_END, start)) >= 0:
            end += len(_END)
            following = buffer[end : end + 1]
            if following != b">":
                if following in (b"", b"S"):
                    # Cut off by the end of the block, or the end tag of the set.
                    break
                raise _unpaired(name, base + end)
            end += 1
            opened = buffer.find(_START, start, end)
            if opened < 0:
                raise _unpaired(name, base + start)
            yield buffer[start:opened], buffer[opened:end], base + start
            start = end
        buffer = buffer[start:]
        base += start
        if len(buffer) > MAX_CONSTRUCT:
            raise SourceError(
                f"{name}: a record from byte {base} on is larger than {MAX_CONSTRUCT >> 20} MiB",
                hint="this is no PubMed file, or its end tags are lost; download it again",
            )
    yield buffer, b"", base


def _unpaired(name: str, offset: int) -> SourceError:
    return SourceError(
        f"{name}: the tags of PubmedArticle do not pair up near byte {offset}",
        hint="PubMed writes <PubmedArticle> and </PubmedArticle> without attributes or blanks",
    )
