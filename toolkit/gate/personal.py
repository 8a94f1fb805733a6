"""Signs of people: e-mail addresses, telephone numbers, affiliations, columns of names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolkit.gate.base import Finding, Policy
from toolkit.gate.column_types import holds_text
from toolkit.gate.outgoing import Outgoing, parquet_place
from toolkit.gate.signs import Sign, SignScan

__all__ = ["Personal", "columns"]

_NAMED: Final = re.compile(
    r"(?:authors?|first_?authors?|affiliations?|investigators?|e_?mails?|telephones?|phones?"
    r"|patient_?names?|full_?names?|surnames?|last_?names?|date_of_birth|dob|ssn|mrn)",
    re.IGNORECASE,
)
_EMAIL: Final = r"[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}"
_PHONE: Final = (
    r"(?:\+\d{1,3}[ .-]?\(?\d{1,4}\)?(?:[ .-]?\d{2,4}){2,4}|\(\d{3}\) ?\d{3}[-.]\d{4}"
    r"|\b\d{3}-\d{3}-\d{4}\b)"
)
_UNIT: Final = (
    r"(?:Department|Division|Institute|School|Faculty|Laboratory|Dept\.?) (?:of|for) "
    r"[A-Z][^.;]{2,80}, "
    r"[^.;]{0,60}(?:University|Hospital|College|Institute|Universit)"
)


class Personal(SignScan):
    """Addresses, numbers and affiliations: a few stand in published abstracts, many are a leak.

    Up to 5 rows of a column, or 1 in 1,000 (affiliations: 1 in 100), are let through and
    counted.
    """

    check = "personal data"
    # Publishers name in it whom to ask for permissions.
    passed_over = frozenset({"copyright"})
    signs = (
        Sign(name="e-mail addresses", quick=_EMAIL, sure=re.compile(_EMAIL), share=0.001, rows=5),
        Sign(name="telephone numbers", quick=_PHONE, sure=re.compile(_PHONE), share=0.001, rows=5),
        Sign(name="affiliations", quick=_UNIT, sure=re.compile(_UNIT), share=0.01, rows=5),
    )


def columns(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse text columns called as columns of people's names are."""
    if policy.rights is not None:
        return
    for name, schema in sorted(outgoing.schemas.items()):
        for field in schema if parquet_place(name)[0] in policy.data else ():
            if _NAMED.fullmatch(field.name) and holds_text(field.type):
                message = f"the column '{field.name}' would hold names or addresses of people"
                hint = (
                    "leave it out with corpus.fields, or state who answers for it: "
                    "publish.rights: {acknowledged_by, reason}"
                )
                yield Finding("columns of names", name, message, hint)
