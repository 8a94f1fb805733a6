"""Prove that bytes are well-formed XML, and leave out of them what is no element.

libxml2 reads with no handler at all, so it costs a fraction of building a tree and half of
what expat takes; expat reads the beginning, because it tells what the prolog says. Nothing is
recovered, no external entity is fetched, no document type is loaded: a file that declares
entities of its own, or uses one it did not declare, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolkit.errors import SourceError

__all__ = ["MAX_CONSTRUCT", "Checker", "ElementsOnly"]

MAX_CONSTRUCT: Final = 16 << 20
"""Most bytes of one record, comment or CDATA section; larger is refused, to bound memory."""

_AGAIN = "download it again; nothing of it was used"
_CONVERT = "PubMed publishes UTF-8; convert the file and its label to UTF-8"
_INTERNAL = "no PubMed file does; it was refused unread, because entities can expand without end"
_OTHER = "give files of the PubMed baseline, its updates, or efetch with retmode=xml"
_CITATION_PMID = re.compile(rb"<MedlineCitation[^<>]*>\s*<PMID[^<>]*>\s*(\d+)")
_UNDEFINED = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos);|#)([^\s;&<>#]{1,64});")
_LONGEST_NAME = 66
_ENOUGH = 1 << 18
_SPECIAL = re.compile(rb"<[!?]")
_WHOLE = re.compile(
    rb"""<!--.*?-->|<!\[CDATA\[(.*?)\]\]>|<\?.*?\?>"""
    rb"""|<!DOCTYPE(?:[^>"'\[]++|"[^"]*"|'[^']*')*+>""",
    re.DOTALL,
)
_ENCODINGS: Final = {"utf-8", "us-ascii", "ascii"}
_FOREIGN_STARTS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00", b"<\x00")


class Checker:
    """A strict parser that is fed piece by piece and keeps nothing.

    Pieces may be left out between two others where whole elements are left out.

    Attributes:
        root: name of the root element, null until it was seen.
        last_pmid: the record last read, for messages; whoever reads the records sets it.
    """

    def __init__(self, name: str, roots: frozenset[str]) -> None:
        """Prepare to check a file that messages call ``name``, whose root is one of ``roots``."""
        from lxml import etree

        self._name = name
        self._roots = roots
        self._data = b""
        self._held: list[bytes] = []
        self._pieces: list[tuple[int, int]] = []
        self._size = 0
        self._end = 0
        self._fed = 0
        self._lines = 0
        self._syntax_error = etree.XMLSyntaxError
        self.root: str | None = None
        self.last_pmid: str | None = None
        self._prolog: Any = self._prolog_parser()
        nothing: Any = _Nothing()
        self._parser = etree.XMLParser(
            target=nothing, resolve_entities=False, no_network=True, load_dtd=False
        )

    def feed(self, data: bytes, offset: int) -> None:
        """Read on; what is fed in small pieces is checked by the next :meth:`flush` at the latest.

        Args:
            data: the next bytes.
            offset: where they start in the decompressed file, for messages.

        Raises:
            SourceError: the XML is not well-formed, or not what PubMed publishes.
        """
        if self._size == 0 and self._fed == 0 and data.startswith(_FOREIGN_STARTS):
            self._pieces = [(0, offset)]
            raise self._fault("the file is not UTF-8 text", 0, hint=_CONVERT)
        self._pieces.append((self._size, offset))
        self._held.append(data)
        self._size += len(data)
        if self.root is None:
            self._read_prolog()
        if self._size >= _ENOUGH:
            self.flush()

    def flush(self) -> None:
        """Check what was fed and is not checked yet.

        Raises:
            SourceError: the XML is not well-formed.
        """
        self._data = b"".join(self._held)
        try:
            self._parser.feed(self._data)
        except self._syntax_error as error:
            raise self._malformed(error) from error
        start, offset = self._pieces[-1] if self._pieces else (self._size, self._end)
        self._end = offset + self._size - start
        self._fed += self._size
        self._lines += self._data.count(b"\n")
        self._held, self._size = [], 0
        self._pieces = []

    def close(self) -> None:
        """Say that no more comes.

        Raises:
            SourceError: the XML is not well-formed, or elements are still open.
        """
        self.flush()
        self._data = b""
        self._pieces = [(0, self._end)]
        try:
            self._parser.close()
        except self._syntax_error as error:
            raise self._malformed(error) from error

    def _malformed(self, error: Any) -> SourceError:
        line, column = error.position
        reason = str(error.msg).partition(", line")[0].strip()
        behind = line - 1 - self._lines
        start = 0
        for _ in range(behind):
            start = self._data.find(b"\n", start) + 1
        index = start + column - 1 if behind >= 0 else 0
        return self._fault(f"not well-formed XML: {reason}", min(index, len(self._data)), line=line)

    def _fault(
        self, what: str, index: int, *, line: int | None = None, hint: str = _AGAIN
    ) -> SourceError:
        """Describe a fault at ``index`` of the bytes that are being read."""
        index = max(index, 0)
        start, offset = max(piece for piece in self._pieces if piece[0] <= index)
        where = f"byte {offset + index - start}"
        if offset - start == self._fed:
            # Lines are counted over what was fed: the file, if nothing was left out.
            line = line or self._lines + 1 + self._data.count(b"\n", 0, index)
            where += f", line {line}"
        pmids = _CITATION_PMID.findall(self._data, 0, index)
        if pmids:
            self.last_pmid = pmids[-1].decode()
        if self.last_pmid is not None:
            where += f", after PMID {self.last_pmid}"
        return SourceError(f"{self._name}: {what} ({where})", hint=hint)

    def _prolog_parser(self) -> Any:
        from xml.parsers import expat

        parser = expat.ParserCreate()
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._document_type
        parser.StartElementHandler = self._started
        return parser

    def _read_prolog(self) -> None:
        from xml.parsers import expat

        self._data = b"".join(self._held)
        try:
            self._prolog.Parse(self._held[-1], False)
        except expat.ExpatError as error:
            if self.root is None:
                reason = str(error).partition(":")[0]
                raise self._fault(f"not well-formed XML: {reason}", self._at()) from error

    def _at(self) -> int:
        return int(self._prolog.ErrorByteIndex) - self._fed

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            raise self._fault(
                f"its encoding label is '{encoding}', not UTF-8", self._at(), hint=_CONVERT
            )

    def _document_type(
        self, name: str, system: str | None, public: str | None, has_internal_subset: int
    ) -> None:
        if has_internal_subset:
            raise self._fault(
                "it declares entities or elements of its own", self._at(), hint=_INTERNAL
            )

    def _started(self, name: str, attributes: dict[str, str]) -> None:
        if name not in self._roots:
            raise self._fault(
                f"its root element is <{name}>, not <PubmedArticleSet>", self._at(), hint=_OTHER
            )
        self.root = name
        self._prolog.StartElementHandler = None


class _Nothing:
    """A target that wants to hear of nothing, so that nothing is built."""

    def close(self) -> None:
        """Return nothing."""


class ElementsOnly:
    """Leave out declarations, comments and processing instructions; write CDATA as text.

    What remains holds only tags and character data, so that ``<`` always begins a tag.

    Entities are checked here, where comments are gone: with a document type that is not loaded,
    libxml2 takes any entity for one that is defined there.

    Attributes:
        removed: bytes left out of all blocks so far.
    """

    def __init__(self, blocks: Iterable[bytes], name: str) -> None:
        """Prepare to go over consecutive pieces of a file, cut anywhere."""
        self._blocks = blocks
        self._name = name
        self._passed = 0
        self._tail = b""
        self.removed = 0

    def __iter__(self) -> Iterator[bytes]:
        """Yield what remains, block by block.

        Raises:
            SourceError: a construct is larger than :data:`MAX_CONSTRUCT` or never ends.
        """
        held = b""
        for block in self._blocks:
            block = held + block if held else block
            held = b""
            if block.endswith(b"<"):
                block, held = block[:-1], b"<"
            if _is_special(block):
                size = len(block)
                block, rest = _strip(block)
                self.removed += size - len(block) - len(rest)
                held = rest + held
                if len(held) > MAX_CONSTRUCT:
                    raise SourceError(
                        f"{self._name}: a comment or CDATA section is too long", hint=_AGAIN
                    )
            if block:
                self._check_entities(block)
                yield block
        if held:
            raise SourceError(f"{self._name}: a comment or CDATA section never ends", hint=_AGAIN)

    def _check_entities(self, block: bytes) -> None:
        whole = self._tail + block if self._tail else block
        found = _UNDEFINED.search(whole)
        if found is not None:
            name = found[1].decode("utf-8", "replace")
            offset = self._passed + self.removed + found.start() - len(self._tail)
            raise SourceError(
                f"{self._name}: undefined entity '&{name};' (byte {offset})", hint=_AGAIN
            )
        self._passed += len(block)
        # The name of an entity may be cut by the end of a block.
        start = whole.rfind(b"&", max(len(whole) - _LONGEST_NAME, 0))
        self._tail = whole[start:] if start >= 0 else b""


def _is_special(block: bytes) -> bool:
    """Tell whether ``<!`` or ``<?`` stands in a block."""
    # By the rare byte: a search for both would stop at every tag.
    for mark in (b"!", b"?"):
        at = block.find(mark)
        while at >= 0:
            if block[at - 1 : at] == b"<":
                return True
            at = block.find(mark, at + 1)
    return False


def _strip(block: bytes) -> tuple[bytes, bytes]:
    """Return the block without its special constructs, and the start of one cut off at its end."""
    kept: list[bytes] = []
    position = 0
    # One after the other: what looks like a comment inside CDATA is text.
    while (special := _SPECIAL.search(block, position)) is not None:
        kept.append(block[position : special.start()])
        whole = _WHOLE.match(block, special.start())
        if whole is None:
            return b"".join(kept), block[special.start() :]
        if whole[1]:
            kept.append(whole[1].replace(b"&", b"&amp;").replace(b"<", b"&lt;"))
        position = whole.end()
    kept.append(block[position:])
    return b"".join(kept), b""
