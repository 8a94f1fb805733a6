"""Every check of the gate, with its version: raised by hand when it finds other things."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from toolkit.gate import (
    access,
    card_files,
    clinical,
    eval_yaml,
    levels,
    names,
    nlm,
    paths,
    personal,
    records,
    schemas,
    secrets,
    shards,
)
from toolkit.gate.base import Policy
from toolkit.gate.copyright import Statements
from toolkit.gate.outgoing import Check, Outgoing, Scan

__all__ = ["CHECKS", "SCANS"]

CHECKS: Final[Mapping[str, tuple[Check, int]]] = {
    "access": (access.check, 1),
    "paths": (paths.check, 1),
    "names": (names.check, 1),
    "schemas": (schemas.check, 1),
    "shards": (shards.check, 1),
    "card": (card_files.check, 1),
    "eval.yaml": (eval_yaml.check, 1),
    "levels": (levels.check, 1),
    "nlm terms": (nlm.check, 1),
    "retracted": (records.retracted, 1),
    "withdrawn texts": (records.withdrawn_texts, 1),
    "columns of names": (personal.columns, 1),
    "clinical columns": (clinical.columns, 1),
    "clinical paths": (clinical.paths, 1),
    "secrets": (secrets.in_files, 1),
}
"""Checks of names, footers and whole texts."""

SCANS: Final[Mapping[str, tuple[Callable[[Outgoing, Policy], Scan], int]]] = {
    "row groups": (shards.GroupSize, 1),
    "copyright": (Statements, 1),
    "withdrawn": (records.Withdrawn, 1),
    "hidden split": (records.Hidden, 1),
    "personal data": (personal.Personal, 1),
    "clinical records": (clinical.Masks, 1),
    "clinical reports": (clinical.Reports, 1),
    "secrets in rows": (secrets.Secrets, 1),
}
"""Checks of rows, done together in one pass over the Parquet files."""
