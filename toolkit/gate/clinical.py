"""Signs of protected health records, whatever the recipe says of its source.

They are those of the MIMIC family, which has leaked onto hubs before: masks of
de-identification, identifiers of patients and stays, paths of its images, radiology reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolkit.gate.base import Finding, Policy
from toolkit.gate.outgoing import Outgoing, parquet_place
from toolkit.gate.signs import Sign, SignScan

__all__ = ["Masks", "Reports", "columns", "paths"]

_COLUMNS: Final = ("subject_id", "hadm_id", "study_id", "note_id", "stay_id", "dicom_id")
_FIRM_COLUMNS: Final = 2
_MASK: Final = r"\[\*\*[^\]]{0,80}\*\*\]"
_BLANK: Final = (
    r"(?:Dr|Mr|Mrs|Ms)\. ___"
    r"|\b(?:Name|Unit No|Admission Date|Date of Birth|Discharge Date|Attending): +___"
)
_PATH: Final = (
    r"(?:^|[^A-Za-z0-9])(?:p1[0-9]{7}|s5[0-9]{7}|p1[0-9]{7}[_-]?s5[0-9]{7})(?:[^A-Za-z0-9]|$)"
)
_HEADING: Final = r"(?:FINDINGS|IMPRESSION):"


class Masks(SignScan):
    """What de-identification left behind: a single one is enough."""

    check = "clinical records"
    signs = (
        Sign(name="masks [**...**]", quick=_MASK, sure=re.compile(_MASK), firm=True),
        Sign(name="masks ___", quick=_BLANK, sure=re.compile(_BLANK), firm=True),
        Sign(
            name="runs of ___ in one text",
            quick="___",
            sure=re.compile(r"(?<![_\w])___(?![_\w])"),
            times=3,
            share=0.01,
            rows=1,
        ),
        Sign(name="paths of MIMIC images", quick=_PATH, sure=re.compile(_PATH), firm=True),
    )


class Reports(SignScan):
    """Radiology reports: open collections exist, so somebody may answer for them."""

    check = "clinical records"
    signs = (
        Sign(
            name="radiology reports (FINDINGS: and IMPRESSION:)",
            quick=_HEADING,
            sure=re.compile(r"(?s)FINDINGS:.*IMPRESSION:|IMPRESSION:.*FINDINGS:"),
            share=0.01,
            rows=5,
        ),
    )


def columns(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse columns called as MIMIC calls its identifiers.

    One alone may be another data set's; two of them are not, and nobody can answer for them.
    """
    for name, schema in sorted(outgoing.schemas.items()):
        if parquet_place(name)[0] not in policy.data:
            continue
        found = [column for column in schema.names if column.casefold() in _COLUMNS]
        if found and (len(found) >= _FIRM_COLUMNS or policy.rights is None):
            message = f"identifiers of patients or stays: {', '.join(found)}"
            hint = "leave the columns out with corpus.fields"
            if len(found) < _FIRM_COLUMNS:
                hint += ", rename them, or state who answers for them with publish.rights"
            yield Finding("clinical columns", name, message, hint)


def paths(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse masks and paths of protected records in names and in whole texts."""
    mask, path = re.compile(f"{_MASK}|{_BLANK}"), re.compile(_PATH)
    hint = "these are records of patients under a data use agreement: do not publish them"
    for name in outgoing.names:
        if path.search(name):
            yield Finding("clinical paths", name, "a name as MIMIC's images have", hint)
    for name, text in outgoing.texts():
        if mask.search(text) or path.search(text):
            message = "a mask of de-identification, or a path of a protected image"
            yield Finding("clinical paths", name, message, hint)
