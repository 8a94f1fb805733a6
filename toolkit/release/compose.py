"""Make the texts beside the data from what the release step noted and from the files themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from toolkit.gate.column_types import features
from toolkit.gate.outgoing import CARD
from toolkit.gate.recipe import License
from toolkit.recipe.publish_section import Rights
from toolkit.release.card import CardInputs, FunnelLine, card_text
from toolkit.release.changes import count_changes
from toolkit.release.columns import ReleaseColumn
from toolkit.release.croissant import CROISSANT_FILE, croissant_text
from toolkit.release.examples import Example, examples
from toolkit.release.front_matter import ConfigInfo
from toolkit.release.history import (
    HISTORY_FILE,
    Version,
    history_text,
    next_history,
    read_history,
    version_key,
)
from toolkit.release.rebuild_rules import REBUILD_FILE, rules_text
from toolkit.release.shard_facts import ConfigFacts, read_config, shards_of
from toolkit.release.withdrawn import WITHDRAWN_FILE, read_withdrawn, withdrawn_text

__all__ = ["META_FILES", "ExtraConfig", "Head", "compose"]

META_FILES: Final = (CARD, CROISSANT_FILE, REBUILD_FILE, HISTORY_FILE, WITHDRAWN_FILE)
"""The texts that are made from the data, in the order in which people look for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraConfig:
    """A further configuration of the repository, e.g. the leaderboard.

    Attributes:
        name: its name; its shards lie in the folder of that name.
        splits: its splits in the order of the card.
    """

    name: str = "leaderboard"
    splits: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What stands at the head of the repository.

    Attributes:
        texts: the texts beside the data, by name; absent or empty for none.
        data: folder with its data shards; None when they are not at hand.
    """

    texts: Mapping[str, str]
    data: Path | None = None


def compose(
    facts: Mapping[str, Any],
    staged: Path,
    head: Head,
    *,
    extra: ExtraConfig | None = None,
    board: str = "",
    note: str = "",
) -> dict[str, str]:
    """Return the texts beside the data, by name.

    Args:
        facts: what the release step noted, see :func:`toolkit.stages.release.run`.
        staged: folder in which the shards of all configurations lie.
        head: the repository as it is.
        extra: a further configuration.
        board: the leaderboard in Markdown, already safe.
        note: what a person wrote about this version.

    Raises:
        UserError: the version exists with other data, a later one exists, a split has no shard,
            or a text of the head is damaged.
    """
    data = read_config(staged, facts["config"], facts["splits"])
    other = read_config(staged, extra.name, extra.splits) if extra else None
    history = _history(facts, staged, data, head, note)
    gone = read_withdrawn(head.texts.get(WITHDRAWN_FILE))
    shown = _examples(facts, staged)
    inputs = _inputs(
        facts,
        data,
        other,
        examples=shown,
        board=board,
        history=history,
        withdrawn=gone,
        previous=head.texts.get(CARD, ""),
    )
    texts = {CARD: card_text(inputs), CROISSANT_FILE: croissant_text(inputs, staged, data, other)}
    if inputs.incomplete:
        texts[REBUILD_FILE] = rules_text(facts)
    if history:
        texts[HISTORY_FILE] = history_text(history)
    if gone:
        texts[WITHDRAWN_FILE] = withdrawn_text(gone)
    return texts


def _history(
    facts: Mapping[str, Any], staged: Path, data: ConfigFacts, head: Head, note: str
) -> tuple[Version, ...]:
    previous = read_history(head.texts.get(HISTORY_FILE))
    if not facts["version"]:
        return previous
    current = Version(
        version=facts["version"], data_digest=data.data_digest, splits=data.versions, note=note
    )
    last = previous[-1] if previous else None
    if last is None or version_key(last.version) == version_key(current.version):
        return next_history(previous, current)
    if head.data is not None:
        changes = count_changes(head.data, tuple(last.splits), staged, facts["splits"], data.name)
        current = replace(
            current, added=changes.added, removed=changes.removed, changed=changes.changed
        )
    return next_history(previous, current)


def _examples(facts: Mapping[str, Any], staged: Path) -> list[Example]:
    if facts["level"] != "full_text" or facts["access"] != "open" or not facts["examples"]:
        return []
    splits = [split for split in facts["splits"] if split != facts["hidden"]]
    if not splits:
        return []
    path = shards_of(staged, facts["config"], splits[-1])[0]
    return examples(path, facts["examples"], (facts["input"], facts["reference"]))


def _inputs(
    facts: Mapping[str, Any], data: ConfigFacts, other: ConfigFacts | None, **given: Any
) -> CardInputs:
    about = facts["columns"]
    columns = [
        ReleaseColumn(name=field.name, type=field.type, about=about.get(field.name, ""))
        for field in data.schema
    ]
    plain = (
        "recipe",
        "title",
        "pretty_name",
        "description",
        "version",
        "dataset",
        "config",
        "languages",
        "level",
        "source",
        "pubmed",
        "sjr",
        "sjr_withheld",
        "files",
        "skipped",
        "pinned",
        "unsplit",
        "assignment",
        "hidden",
        "citation",
    )
    return CardInputs(
        **{name: facts[name] for name in plain},
        license=License(**facts["license"]),
        columns=columns,
        splits=data.splits,
        funnel=[FunnelLine(*line) for line in facts["funnel"]],
        leaks=[(kind, clusters) for kind, clusters in facts["leaks"]],
        rights=Rights(**facts["rights"]) if facts["rights"] else None,
        withheld=data.withheld,
        retracted=data.retracted,
        extra=[_extra(other)] if other else [],
        **given,
    )


def _extra(config: ConfigFacts) -> ConfigInfo:
    return ConfigInfo(name=config.name, features=features(config.schema), splits=config.splits)
