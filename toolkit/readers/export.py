"""Write a form of a recipe as files: one for each reader, and the key that readers do not get."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolkit.errors import UserError, suggest
from toolkit.readers.answers import RUN, answer_sources, offered, shown_texts
from toolkit.readers.cases import Candidate, draw_cases
from toolkit.readers.private_files import write_files
from toolkit.readers.sheets import CASE, instructions_text, key_text, sheet_text, unsafe
from toolkit.recipe.human_section import Form, Human
from toolkit.recipe.recipe import Recipe
from toolkit.report.text import plural
from toolkit.store.canonical import text_digest
from toolkit.store.workspace import Workspace
from toolkit.submissions.recipe_items import split_items

__all__ = ["FORM_FILE", "KEY_FILE", "Exported", "export_form"]

FORM_FILE: Final = "form.json"
"""What the import must know of the form."""

KEY_FILE: Final = "key.csv"

_ANSWER: Final = "answer"
_EDITED: Final = "{} (edited)"
_WHO: Final = ("model", "prompt", "level")
"""Columns of a form that is not blind."""

_LONGEST_CELL: Final = 32_767
"""Characters that a cell of common spreadsheets holds; they cut off the rest."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        form: name of the form.
        files: names of the files.
        cases: how many cases there are.
        counts: cases by level, model and prompt, as sentences.
        notes: what a user must know.
    """

    form: str
    files: Sequence[str]
    cases: int
    counts: Sequence[str]
    notes: Sequence[str] = field(default=())


def export_form(recipe: Recipe, name: str | None, workspace: Workspace, out: Path) -> Exported:
    """Write the cases of a form into a folder.

    Args:
        recipe: a recipe that was run to its answers.
        name: name of the form; may be None where there is only one.
        workspace: where the artifacts lie.
        out: the folder; see :func:`toolkit.readers.private_files.write_files`.

    Raises:
        UserError: there is no such form, the run lacks what it shows, or files are in the way.
    """
    human, form_name, form = _form(recipe, name)
    sources = answer_sources(recipe, form_name, form, workspace)
    ids = {row["item_id"] for row in split_items(recipe, form.split, workspace, ["item_id"])}
    offer = offered(sources, ids, form.levels)
    failed = sum(offer.failed.values())
    if len(offer.candidates) < form.items:
        raise UserError(
            f"{recipe.file}: the form '{form_name}' asks for {form.items:,} cases, and "
            f"{plural(len(offer.candidates), 'answer')} can be shown ({failed:,} failed)",
            hint=f"lower human.forms.{form_name}.items, or widen its split, models or levels",
        )
    drawn = draw_cases(offer.candidates, form.items, seed=recipe.seed)
    _check_ids(drawn)
    variants = any(source.variants for source in sources)
    edited = recipe.perturb.column if recipe.perturb is not None and variants else None
    columns, rows = _shown(form, drawn, shown_texts(sources, drawn, _read(form, edited)), edited)
    if not human.blind:
        columns = [*_WHO, *columns]
    _check_columns(form_name, columns, form)
    cases = sheet_text(columns, rows, form.questions)
    key = key_text(drawn)
    files = {
        "cases.csv": cases,
        **{f"rater_{number}.csv": cases for number in range(1, human.raters + 1)},
        "instructions.txt": instructions_text(
            form, form.title or form_name, len(drawn), _own_text(human)
        ),
        KEY_FILE: key,
        FORM_FILE: _form_json(recipe, form_name, form, key),
    }
    private = recipe.corpus.access == "credentialed"
    write_files(out, files, private=private)
    notes = [*_failed_notes(offer.failed), *_unused(human, form), *_long(rows), *_access(recipe)]
    return Exported(form_name, list(files), len(drawn), list(_counts(drawn)), notes)


def _form(recipe: Recipe, name: str | None) -> tuple[Human, str, Form]:
    human = recipe.human
    if human is None or not human.forms:
        raise UserError(f"{recipe.file}: the recipe has no form", hint="add human: with forms:")
    names = sorted(human.forms)
    chosen = names[0] if name is None and len(names) == 1 else name
    if chosen is None:
        raise UserError(
            f"{recipe.file}: the recipe has {len(names)} forms",
            hint=f"name one with --form: {', '.join(names)}",
        )
    if chosen not in human.forms:
        raise UserError(f"{recipe.file}: no form '{chosen}'", hint=suggest(chosen, names))
    return human, chosen, human.forms[chosen]


def _read(form: Form, edited: str | None) -> list[str]:
    """Return the columns of the items that are read."""
    columns = [shown for shown in form.on if not shown.startswith(RUN)]
    return [*columns, "original_text"] if edited in columns else columns


def _shown(
    form: Form,
    drawn: Sequence[Candidate],
    texts: Sequence[tuple[Mapping[str, str], str]],
    edited: str | None,
) -> tuple[list[str], list[dict[str, str]]]:
    """Return the columns that readers see, and the texts of each case.

    The column that was edited stands twice: as it was, and as the model saw it. An unedited item
    has the same text in both, so that it looks like any other case.
    """
    titles: dict[str, str] = {}
    for shown in form.on:
        if shown.startswith(RUN):
            titles[_ANSWER] = _ANSWER
        elif shown == edited:
            titles |= {shown: "original_text", _EDITED.format(shown): shown}
        else:
            titles[shown] = shown
    rows = []
    for one, (item, answer) in zip(drawn, texts, strict=True):
        read = {**item, _ANSWER: answer}
        who = dict(zip(_WHO, (one.model, one.prompt, one.level), strict=True))
        rows.append({**who, **{title: read[name] for title, name in titles.items()}})
    return list(titles), rows


def _check_ids(drawn: Sequence[Candidate]) -> None:
    bad = sorted({one.item_id for one in drawn if unsafe(one.item_id) or unsafe(one.original)})
    if bad:
        raise UserError(
            f"{plural(len(bad), 'item id')} cannot stand in a table that a spreadsheet opens, "
            f"such as {bad[0]!r}",
            hint="give the items ids that begin with a letter or a digit",
        )


def _check_columns(name: str, columns: Sequence[str], form: Form) -> None:
    all_columns = [CASE, *columns, *form.questions]
    twice = sorted({column for column in all_columns if all_columns.count(column) > 1})
    if twice:
        raise UserError(
            f"human.forms.{name}: two columns of its files would be called '{twice[0]}'",
            hint="rename the question, or the column of the corpus",
        )
    bad = [question for question in form.questions if unsafe(question)]
    if bad:
        raise UserError(
            f"human.forms.{name}: the question {bad[0]!r} cannot head a column",
            hint="begin its name with a letter",
        )


def _own_text(human: Human) -> str:
    if human.instructions is None:
        return ""
    try:
        return Path(human.instructions).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"the instructions {human.instructions} cannot be read: {error}",
            hint="mend human.instructions",
        ) from error


def _form_json(recipe: Recipe, name: str, form: Form, key: str) -> str:
    about: dict[str, Any] = {
        "recipe": recipe.name,
        "form": name,
        "access": recipe.corpus.access,
        "questions": {question: list(bounds) for question, bounds in form.questions.items()},
        "key_sha256": text_digest(key),
    }
    return json.dumps(about, ensure_ascii=False, indent=1) + "\n"


def _counts(drawn: Sequence[Candidate]) -> Iterator[str]:
    yield f"{plural(len(drawn), 'case')} of {plural(len({one.original for one in drawn}), 'item')}"
    for title, names in (
        ("levels", [one.level for one in drawn]),
        ("models", [one.model for one in drawn]),
        ("prompts", [one.prompt for one in drawn]),
    ):
        counted = {name: names.count(name) for name in sorted(set(names)) if name}
        if counted:
            yield f"{title}: " + ", ".join(f"{name} {n:,}" for name, n in counted.items())


def _failed_notes(failed: Mapping[str, int]) -> Iterator[str]:
    if failed:
        named = ", ".join(f"{status} {n:,}" for status, n in sorted(failed.items()))
        yield f"{plural(sum(failed.values()), 'answer')} failed and could not be drawn: {named}"


def _unused(human: Human, form: Form) -> Iterator[str]:
    """Name what the recipe asks for and only a rating page could do."""
    keys = ["profile"] if human.profile else []
    keys += [key for key in ("pause_seconds", "profile_seconds") if getattr(human, key)]
    keys += [key for key in ("seconds", "minimum_seconds", "break_after") if getattr(form, key)]
    if keys:
        yield f"files keep no time and ask nothing about the reader: {', '.join(keys)} not applied"


def _long(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    cells = sum(len(text) > _LONGEST_CELL for row in rows for text in row.values())
    if cells:
        yield (
            f"{plural(cells, 'text')} longer than {_LONGEST_CELL:,} characters: spreadsheets cut "
            "them off"
        )


def _access(recipe: Recipe) -> Iterator[str]:
    if recipe.corpus.access == "credentialed":
        yield (
            "the files hold texts of credentialed data (mode 0600): they must not leave this "
            "machine, and everyone who reads them needs the access that you have"
        )
