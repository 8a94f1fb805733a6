"""``toolkit dictionary``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli.console import Console, pass_console
from toolkit.errors import UserError

if TYPE_CHECKING:
    from toolkit.lexicon.build import Built
    from toolkit.lexicon.check import Checked

__all__ = ["command"]

_SYNONYMS = click.option(
    "--synonyms", metavar="FILE", help="Synonyms and abbreviations; the shipped table by default."
)
_CLOSED = click.option(
    "--closed",
    multiple=True,
    metavar="CATEGORY",
    help="Category in which every term replaces every other; 'study types' by default.",
)


@click.group("dictionary")
def command() -> None:
    """Build, check and import dictionaries of terms for `perturb`."""


@command.command("build")
@click.argument("texts", nargs=-1, required=True, metavar="TEXTS...")
@click.option("--out", required=True, metavar="FILE", help="CSV file for review, to be written.")
@click.option("--column", metavar="NAME", help="Column of the texts; not for .txt files.")
@click.option(
    "--concepts",
    metavar="FILE",
    help="Curated terms with categories, and alternatives if known; the shipped dictionary by "
    "default.",
)
@_SYNONYMS
@_CLOSED
@click.option("--min-texts", type=click.IntRange(min=1), default=2, show_default=True)
@click.option(
    "--alternatives",
    type=click.IntRange(2, 6),
    default=4,
    show_default=True,
    help="Alternatives looked for.",
)
@click.option("--model", default="all-MiniLM-L6-v2", show_default=True, help="Embedding model.")
@click.option("--folder", metavar="DIR", help="Folder with an embedding model, instead of --model.")
@click.option("--revision", metavar="COMMIT", help="Hub commit of --model.")
@click.option("--ner", metavar="MODEL", help="spaCy or scispaCy model that names terms, too.")
@pass_console
def _build(
    console: Console,
    texts: tuple[str, ...],
    out: str,
    column: str | None,
    concepts: str | None,
    synonyms: str | None,
    closed: tuple[str, ...],
    min_texts: int,
    alternatives: int,
    model: str,
    folder: str | None,
    revision: str | None,
    ner: str | None,
) -> None:
    """Propose terms and alternatives from texts, in a file for review.

    TEXTS are .jsonl, .csv, .tsv or .parquet files, or .txt files with a text a line. Nothing
    leaves this machine. Terms that find no place are written beside --out, with the reason.
    """
    from toolkit.lexicon.build import Options, build
    from toolkit.lexicon.concepts import read_concepts
    from toolkit.lexicon.entities import spacy_recognizer
    from toolkit.lexicon.review import left_text, review_text
    from toolkit.lexicon.rules import CLOSED_SETS, Rules
    from toolkit.lexicon.synonyms import read_synonyms, shipped_synonyms
    from toolkit.lexicon.table import shipped_dictionary
    from toolkit.lexicon.texts import read_texts
    from toolkit.metrics.embeddings import Embeddings
    from toolkit.store.atomic import write_text

    review, beside = _fresh_files(out)
    rules = Rules(
        read_synonyms(Path(synonyms) if synonyms else shipped_synonyms()), closed or CLOSED_SETS
    )
    curated = read_concepts(Path(concepts) if concepts else shipped_dictionary(), rules)
    read = read_texts([Path(name) for name in texts], column)
    built = build(
        read,
        curated,
        rules.synonyms,
        Embeddings(model=model, folder=folder, revision=revision, batch_size=64),
        Options(
            min_texts=min_texts,
            alternatives=alternatives,
            closed=rules.closed,
            recognizer=spacy_recognizer(ner) if ner else None,
        ),
    )
    write_text(review, review_text(built.proposed))
    write_text(beside, left_text(built.left))
    for line in _built_lines(built, len(read)):
        console.say(line)
    console.say(f"{review}: for review; {beside}: what was left out, and why")


def _fresh_files(out: str) -> tuple[Path, Path]:
    """Return where proposals and what was left out go; neither is there yet."""
    review = Path(out)
    beside = review.with_name(f"{review.stem}.left_out.csv")
    for path in (review, beside):
        if path.exists():
            raise UserError(
                f"{path} is there already and may hold a review",
                hint="move it away, or name another file with --out",
            )
    return review, beside


def _built_lines(built: Built, texts: int) -> list[str]:
    from collections import Counter

    from toolkit.report.text import printable

    categories = Counter(one.entry.category for one in built.proposed)
    reasons = Counter(one.reason for one in built.left)
    new = sum(not one.entry.approved for one in built.proposed)
    return [
        f"{texts:,} texts; {len(built.proposed):,} terms, {new:,} of them not approved yet",
        *(f"{count:>8,}  {printable(category)}" for category, count in categories.items()),
        *(
            f"{count:>8,}  left out: {printable(reason)}"
            for reason, count in sorted(reasons.items())
        ),
    ]


@command.command("check")
@click.argument("file")
@_SYNONYMS
@_CLOSED
@pass_console
def _check(console: Console, file: str, synonyms: str | None, closed: tuple[str, ...]) -> None:
    """Check a dictionary; report every entry that breaks a rule, with its line."""
    from toolkit.lexicon.check import check_dictionary
    from toolkit.lexicon.rules import CLOSED_SETS

    checked = check_dictionary(
        Path(file),
        synonyms=Path(synonyms) if synonyms else None,
        closed=closed or CLOSED_SETS,
    )
    for line in _checked_lines(file, checked):
        console.say(line)


def _checked_lines(file: str, checked: Checked) -> list[str]:
    from toolkit.report.text import printable

    terms = sum(checked.terms.values())
    mean = checked.alternatives / terms
    return [
        f"{file}: no faults",
        *(f"{count:>8,}  {printable(category)}" for category, count in checked.terms.items()),
        f"{terms:>8,}  terms, {checked.approved:,} approved; "
        f"{checked.alternatives:,} alternatives, {mean:.2f} a term",
    ]


@command.command("import")
@click.argument("file")
@click.option("--out", required=True, metavar="FILE", help="CSV file to be written.")
@click.option("--term", required=True, metavar="COL", help="Column of the term.")
@click.option("--category", required=True, metavar="COL", help="Column of the category.")
@click.option(
    "--alternatives",
    required=True,
    metavar="COL[,COL...]",
    help="Columns of the alternatives; each may hold one, several, or a list.",
)
@click.option("--separator", default=";", show_default=True, help="Divides several in a cell.")
@click.option("--mutual-opposite", metavar="COL", help="Column that says yes for opposites.")
@click.option(
    "--rename",
    multiple=True,
    metavar="OLD=NEW",
    help="Another name for a category, e.g. 'Study Types=study types'.",
)
@click.option("--source", metavar="TEXT", help="Source of the entries; the file's name by default.")
@click.option("--approved-by", default="", metavar="TEXT", help="Who approved the whole table.")
@click.option("--approved-on", default="", metavar="YYYY-MM-DD", help="On which day.")
@pass_console
def _import(
    console: Console,
    file: str,
    out: str,
    term: str,
    category: str,
    alternatives: str,
    separator: str,
    mutual_opposite: str | None,
    rename: tuple[str, ...],
    source: str | None,
    approved_by: str,
    approved_on: str,
) -> None:
    """Bring a table in another layout into the columns of a dictionary.

    One row a term, its alternatives in one or several columns, or one row a term and alternative.
    """
    from toolkit.lexicon.foreign import Layout, import_table
    from toolkit.perturb.dictionary import dictionary_text
    from toolkit.store.atomic import write_text

    _check_approval(approved_by, approved_on)
    path = Path(out)
    if path.exists():
        raise UserError(f"{path} is there already", hint="name another file with --out")
    layout = Layout(
        term=term,
        category=category,
        alternatives=[name.strip() for name in alternatives.split(",") if name.strip()],
        separator=separator,
        mutual_opposite=mutual_opposite,
        categories=dict(_renamed(rename)),
        source=Path(file).name if source is None else source,
        approved_by=approved_by,
        approved_on=approved_on,
    )
    found = import_table(Path(file), layout)
    write_text(path, dictionary_text(found))
    total = sum(len(entry.alternatives) for entry in found.entries.values())
    console.say(f"{path}: {len(found.entries):,} terms, {total:,} alternatives")
    console.say(f"next: toolkit dictionary check {path}")


def _renamed(pairs: tuple[str, ...]) -> list[tuple[str, str]]:
    wrong = [pair for pair in pairs if not all(part.strip() for part in pair.partition("=")[::2])]
    if wrong:
        raise UserError(f"--rename {wrong[0]}: not OLD=NEW", hint="--rename 'Findings=findings'")
    return [(old.strip(), new.strip()) for old, _, new in (pair.partition("=") for pair in pairs)]


def _check_approval(by: str, on: str) -> None:
    from datetime import date

    if bool(by) != bool(on):
        raise UserError(
            "--approved-by and --approved-on go together",
            hint="name both, or leave the entries for review",
        )
    try:
        date.fromisoformat(on or "2000-01-01")
    except ValueError:
        raise UserError(f"--approved-on '{on}' is no day", hint="write YYYY-MM-DD") from None
