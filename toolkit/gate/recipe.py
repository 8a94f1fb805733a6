"""A recipe whose release would be refused at its end is refused before anything is started."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.errors import UserError, suggest
from toolkit.gate.access import CREDENTIALED, CREDENTIALED_HINT
from toolkit.gate.base import BOARD_CONFIG
from toolkit.gate.vocabulary import LANGUAGES, LICENSES
from toolkit.recipe.publish_section import Publish
from toolkit.recipe.recipe import Recipe

__all__ = [
    "PUBMED_SOURCES",
    "License",
    "check_hidden",
    "check_names",
    "check_publish",
    "hidden_split",
    "license_of",
    "refuse_unpublishable",
]

PUBMED_SOURCES: Final = ("eutils", "pubmed_xml")
"""Sources whose records come from PubMed and stand under NLM's terms."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")
_PERMISSIVE: Final = frozenset(
    (
        *("apache-2.0", "bsd", "bsd-2-clause", "bsd-3-clause", "bsd-3-clause-clear", "bsl-1.0"),
        *("cc0-1.0", "isc", "mit", "pddl", "unlicense", "wtfpl", "zlib"),
    )
)
_NLM_LINK: Final = "https://www.nlm.nih.gov/databases/download/terms_and_conditions.html"


@dataclass(frozen=True, slots=True)
class License:
    """The licence of the card: an id of the Hub; name and link when the id is ``other``."""

    id: str
    name: str | None = None
    link: str | None = None


def refuse_unpublishable(recipe: Recipe) -> None:
    """Refuse a recipe whose release would be refused at its end, before anything is started.

    Raises:
        UserError: as :func:`check_publish`, :func:`license_of` and :func:`check_names`.
    """
    if recipe.publish is None:
        return
    check_publish(recipe.publish, recipe.corpus.access)
    license_of(recipe.publish, pubmed=recipe.corpus.source in PUBMED_SOURCES)
    names = recipe.splits.names if recipe.splits else ()
    check_names(recipe.publish.config, names)
    check_hidden(recipe.publish, names)


def check_publish(publish: Publish, access: str) -> None:
    """Refuse what must not leave the machine.

    Args:
        publish: the recipe's section.
        access: the strictest access of the sources.

    Raises:
        UserError: the access does not allow a release of this kind.
    """
    if access == "credentialed":
        raise UserError(CREDENTIALED, hint=CREDENTIALED_HINT)
    if publish.redistribution == "full_text" and access != "open":
        raise UserError(
            f"publish.redistribution: full_text needs corpus.access: open, and it is '{access}'",
            hint="write `redistribution: ids_only` or `metadata`; or `access: open`, if you hold "
            "the right to redistribute every text",
        )
    unknown = [code for code in publish.languages if code not in LANGUAGES]
    if unknown:
        raise UserError(
            f"publish.languages: '{unknown[0]}' is no two-letter code of ISO 639-1",
            hint="write en for English",
        )


def license_of(publish: Publish, *, pubmed: bool) -> License:
    """Return the licence of the card.

    ``other`` without a name means NLM's terms for data in the PubMed format: no licence id
    says what they say. Licences that give everything away are no publisher's of such data.

    Raises:
        UserError: the Hub does not know the id, ``other`` lacks its name or link, or abstracts
            of PubMed would be given away.
    """
    if publish.license not in LICENSES:
        raise UserError(
            f"publish.license: the Hub knows no licence '{publish.license}'",
            hint=suggest(publish.license, LICENSES),
        )
    if pubmed and publish.license in _PERMISSIVE and _gives_texts(publish):
        raise UserError(
            f"publish.license: '{publish.license}' cannot be given to abstracts of PubMed, which "
            "may be under their publishers' copyright",
            hint="write `license: other`: NLM's terms are filled in then; or state who holds the "
            "right to give it: publish.rights: {acknowledged_by, reason}",
        )
    name, link = publish.license_name, publish.license_link
    if publish.license != "other":
        if name or link:
            raise UserError(
                f"publish.license is '{publish.license}': license_name and license_link go with "
                "`other` only",
                hint="remove them, or write `license: other`",
            )
        return License(publish.license)
    if pubmed and not name and not link:
        return License("other", "nlm-terms-and-conditions", _NLM_LINK)
    if not name or not link or not link.startswith(("https://", "http://")):
        raise UserError(
            "publish.license is 'other' and does not say which",
            hint="give license_name, and license_link with an address",
        )
    return License("other", name, link)


def hidden_split(publish: Publish) -> str | None:
    """Return the split whose references are never released; None for none."""
    return publish.submissions.hidden_split if publish.submissions else None


def _gives_texts(publish: Publish) -> bool:
    return publish.redistribution == "full_text" and publish.rights is None


def check_hidden(publish: Publish, splits: Sequence[str]) -> None:
    """Refuse a hidden split that is no split of the recipe.

    Raises:
        UserError: there is no such split.
    """
    hidden = hidden_split(publish)
    if hidden is not None and hidden not in splits:
        raise UserError(
            f"publish.submissions.hidden_split: the recipe has no split '{hidden}'",
            hint=suggest(hidden, list(splits)),
        )


def check_names(config: str, splits: Sequence[str]) -> None:
    """Refuse names that the Hub or ``datasets`` cannot use.

    Raises:
        UserError: a name has other characters than ASCII letters, digits and ``_``, or means
            something else to ``datasets``.
    """
    if config == BOARD_CONFIG:
        raise UserError(
            f"publish.config: '{config}' is the configuration that holds the results",
            hint="give the data another name, e.g. default",
        )
    for split in splits:
        if split.lower() == "all":
            raise UserError(
                f"the split '{split}' cannot be published: to datasets the name means all splits",
                hint="rename it, e.g. test",
            )
    for kind, name in (("configuration", config), *(("split", split) for split in splits)):
        if not _NAME.fullmatch(name):
            raise UserError(
                f"the {kind} '{name}' cannot be published: a name holds A-Z, a-z, 0-9 and _ only",
                hint=f"rename it, e.g. {re.sub(r'[^0-9A-Za-z]+', '_', name).strip('_') or 'test'}",
            )
