"""Look for records in PubMed, or in files of PubMed that lie here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from toolkit.corpus.eutils import fetch_file
from toolkit.corpus.eutils_client import Client
from toolkit.corpus.medline import file_order, read_file
from toolkit.corpus.rules import RecordRules, Where, apply_rules
from toolkit.corpus.sections import Vocabulary, fold_label, load_vocabulary
from toolkit.corpus.source import find_files
from toolkit.rebuild.records import Records
from toolkit.release.rebuild_rules import SectionRules

__all__ = ["from_eutils", "from_files", "record_rules"]

Say = Callable[[str], None]

_ANY: Final = Where(min_sections=1, all_labelled=False)
"""Which records become items was decided at the release."""


def record_rules(rules: SectionRules) -> RecordRules:
    """Return the rules of a release, for records whose choice is made already."""
    labels = frozenset(fold_label(label) for label in rules.conclusion_labels)
    # A record is not rejected here; what it may restate stays or goes as it did.
    leak_risk = "drop" if rules.leak_risk == "drop" else "keep"
    return RecordRules(
        where=_ANY,
        vocabulary=Vocabulary(labels, load_vocabulary().categories),
        conclusions=cast(Any, rules.conclusions),
        leak_risk=cast(Any, leak_risk),
    )


def from_files(records: Records, patterns: Sequence[str], rules: SectionRules, say: Say) -> None:
    """Look for records in files, in the order in which NLM issued them.

    A record may stand in several: the one with the released texts is taken, else the last. What
    a later file deletes is gone.

    Raises:
        SourceError: a pattern matches no file, or a file is damaged.
    """
    files = sorted(find_files(patterns, Path.cwd()), key=lambda path: file_order(path.name))
    for path in files:
        say(f"reading {path.name}")
        _read(records, path, rules)


def from_eutils(
    records: Records,
    rules: SectionRules,
    scratch: Path,
    say: Say,
    *,
    base_url: str,
    identity: Mapping[str, str],
    batch: int,
) -> None:
    """Fetch the records that are still missing from PubMed, and keep what came after each batch.

    Raises:
        RunError: NCBI cannot be reached.
        SourceError: NCBI refuses the request.
    """
    wanted = records.missing()
    path = scratch / "efetch.xml"
    with Client(base_url, identity) as client:
        for start in range(0, len(wanted), batch):
            ids = wanted[start : start + batch]
            say(f"fetching {start + 1:,} to {start + len(ids):,} of {len(wanted):,}")
            fetch_file(client, ids, path)
            _read(records, path, rules)
    path.unlink(missing_ok=True)


def _read(records: Records, path: Path, rules: SectionRules) -> None:
    asked = record_rules(rules)
    file = read_file(path, structured_only=True, rendering=cast(Any, rules.rendering))
    for batch in file:
        for article in batch.articles:
            records.offer(article, apply_rules(article, asked).division)
        for skipped in batch.skipped:
            records.unstructured(skipped.item_id)
    records.delete(file.summary.deletions)
    records.save()
