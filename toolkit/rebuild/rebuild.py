"""Rebuild a release: find it, restore its texts, prove them, write them, list the rest."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.corpus.journal_table import JournalTable, load_sjr
from toolkit.corpus.journal_titles import shared_titles
from toolkit.corpus.sections import vocabulary_files
from toolkit.corpus.source import find_files
from toolkit.errors import MissingError, RunError, UserError
from toolkit.rebuild.output import REJECTS_FILE, write_card, write_rejects, write_split
from toolkit.rebuild.pubmed import from_eutils, from_files
from toolkit.rebuild.records import Records
from toolkit.rebuild.release import Released, find_release
from toolkit.rebuild.rows import Reject, Restorer, Revised, wanted_rows
from toolkit.store.canonical import file_digest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Options", "Rebuilt", "rebuild"]

EUTILS: Final = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"

_SCRATCH: Final = ".rebuild"
_RECORDS: Final = "records.sqlite"
_SHOWN: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to rebuild.

    Attributes:
        files: names or patterns of PubMed files that lie here; none to ask PubMed itself.
        sjr: names or patterns of the user's own SCImago files, to join.
        revised: records revised since are left out (``drop``), kept as they are now (``keep``),
            or stop the rebuild (``stop``).
        base_url: address of E-utilities.
        api_key_env: environment variable of an NCBI key: 10 requests a second, not 3.
        email_env: environment variable of an address NCBI can write to.
        batch: records of one request.
    """

    files: Sequence[str] = ()
    sjr: Sequence[str] = ()
    revised: Revised = "drop"
    base_url: str = EUTILS
    api_key_env: str | None = None
    email_env: str | None = None
    batch: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What came of a rebuild.

    Attributes:
        name: how the release was named.
        version: its version; empty when it has none.
        folder: where the splits lie.
        splits: rows written, by split.
        texts: rows by where their texts come from: verified, released, revised, input.
        rejects: items that are not as they were released.
        notes: what else to know.
    """

    name: str
    version: str
    folder: Path
    splits: Mapping[str, int]
    texts: Mapping[str, int]
    rejects: Sequence[Reject]
    notes: Sequence[str] = field(default_factory=tuple)


def rebuild(
    spec: str, out: Path, options: Options, *, say: Callable[[str], None] = lambda _: None
) -> Rebuilt:
    """Rebuild the texts of a release.

    Args:
        spec: a folder, or ``org/dataset`` with ``@`` and a tag.
        out: a folder to be made; it may be a rebuild that was broken off, which is gone on with.
        options: how to rebuild.
        say: told what is being done.

    Raises:
        UserError: there is no such release, it cannot be rebuilt, ``out`` holds something else,
            or a file is damaged.
        RunError: the Hub or PubMed cannot be reached, nothing could be restored, or records
            were revised and the options say to stop.
    """
    with _scratch(out) as scratch:
        release = find_release(spec, _folder(scratch / "release"))
        with Records(scratch / _RECORDS) as records:
            for batch in _batches(release):
                records.want(wanted_rows(batch, release.withdrawn))
            _search(records, release, scratch, options, say)
            journals = _journals(records, options)
            result = _write(release, records, journals, out, options)
    return result


def _search(
    records: Records, release: Released, scratch: Path, options: Options, say: Callable[[str], None]
) -> None:
    if options.files:
        from_files(records, options.files, release.rules, say)
        return
    from_eutils(
        records,
        release.rules,
        scratch,
        say,
        base_url=options.base_url,
        identity=_identity(options),
        batch=options.batch,
    )


def _identity(options: Options) -> dict[str, str]:
    identity = {"tool": "leaderboard-toolkit"}
    for name, variable in (("api_key", options.api_key_env), ("email", options.email_env)):
        if variable is not None:
            if not os.environ.get(variable):
                raise MissingError(
                    f"the environment variable {variable} is not set",
                    hint=f"set it, or leave --{name.replace('_', '-')}-env out",
                )
            identity[name] = os.environ[variable]
    return identity


def _journals(records: Records, options: Options) -> JournalTable | None:
    if not options.sjr:
        return None
    table = load_sjr(list(find_files(options.sjr, Path.cwd())))
    return table.refusing(shared_titles(sorted(records.journals())))


def _write(
    release: Released,
    records: Records,
    journals: JournalTable | None,
    out: Path,
    options: Options,
) -> Rebuilt:
    import pyarrow.parquet as pq

    schema = pq.read_schema(release.shards(release.splits[0])[0])
    restorer = Restorer(release, schema, records, options.revised)
    if options.revised == "stop":
        _refuse_revised(release, restorer)
    found = {
        split: write_split(release, split, restorer, journals, out) for split in release.splits
    }
    infos = [info for info in found.values() if info is not None]
    write_rejects(restorer.rejects, out)
    if not infos:
        raise RunError(
            f"no text of {release.name} could be restored: {_reasons(restorer.rejects)}",
            hint=f"{out / REJECTS_FILE} lists every item; other files may hold them (--files)",
        )
    write_card(release, restorer, infos, journals, out, options.revised)
    return Rebuilt(
        name=release.name,
        version=release.version,
        folder=out,
        splits={info.name: info.rows for info in infos},
        texts=dict(sorted(restorer.counts.items())),
        rejects=restorer.rejects,
        notes=tuple(_notes(release, found)),
    )


def _refuse_revised(release: Released, restorer: Restorer) -> None:
    """Stop before anything is written when a record was revised."""
    for split, batch in ((s, b) for s in release.splits for b in _split_batches(release, s)):
        restorer.restore(batch.to_pylist(), split)
    revised = [reject for reject in restorer.rejects if reject.reason == "revised"]
    if revised:
        shown = ", ".join(reject.item_id for reject in revised[:_SHOWN])
        more = f" and {len(revised) - _SHOWN} more" if len(revised) > _SHOWN else ""
        raise RunError(
            f"records were revised since the release: {shown}{more}",
            hint="--revised drop leaves them out, --revised keep takes them as they are now",
        )
    restorer.rejects.clear()
    restorer.counts.clear()


def _notes(release: Released, found: Mapping[str, Any]) -> Iterator[str]:
    for split, info in found.items():
        if info is None:
            yield f"the split '{split}' has no row left and was not written"
    if release.rules.sections_sha256 != file_digest(vocabulary_files(None)[1]):
        yield (
            "this version of the toolkit has another table of section labels than the release "
            "was made with; texts that differ for it are listed as revised"
        )


def _reasons(rejects: Sequence[Reject]) -> str:
    counts = Counter(reject.reason for reject in rejects if not reject.kept)
    return ", ".join(f"{reason} {count:,}" for reason, count in sorted(counts.items()))


def _batches(release: Released) -> Iterator[pa.RecordBatch]:
    for split in release.splits:
        yield from _split_batches(release, split)


def _split_batches(release: Released, split: str) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    for path in release.shards(split):
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(1000)


@contextmanager
def _scratch(out: Path) -> Iterator[Path]:
    """Give a folder inside ``out`` that goes when all is done, and stays for another try."""
    scratch = out / _SCRATCH
    if out.exists() and not scratch.is_dir() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(
            f"{out} is not empty",
            hint="name a folder to be made, or take what is in it away",
        )
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        yield scratch
    except BaseException:
        # Without any record found there is nothing that another try could go on with.
        if not (scratch / _RECORDS).exists():
            shutil.rmtree(scratch)
            with suppress(OSError):
                out.rmdir()
        raise
    shutil.rmtree(scratch)


def _folder(path: Path) -> Path:
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return path
