"""A sound dataset repository of few rows, to be broken by tests, and the terms it stands under."""

import dataclasses

import pyarrow as pa
import pyarrow.parquet as pq

from toolkit.gate.base import Policy
from toolkit.gate.column_types import features
from toolkit.gate.nlm import ACKNOWLEDGEMENT, CURRENCY
from toolkit.gate.recipe import License
from toolkit.gate.report import check_outgoing
from toolkit.recipe.publish_section import Rights
from toolkit.release.front_matter import ConfigInfo, build_front_matter, yaml_text
from toolkit.release.shard_facts import read_config

RIGHTS = Rights(acknowledged_by="A. Person", reason="a written agreement")
BODY = f"\n# Demo\n\nData {ACKNOWLEDGEMENT}; they {CURRENCY}.\n"

OPEN = Policy(
    access="open",
    redistribution="full_text",
    pubmed=False,
    configs={"default": ("train", "test")},
)
PUBMED = dataclasses.replace(OPEN, pubmed=True)


def rows(first, last, **columns):
    """Return a table of ids and texts, with further columns."""
    numbers = range(first, last)
    return pa.table(
        {
            "item_id": [f"i{n}" for n in numbers],
            "input": [f"We counted to {n}." for n in numbers],
            "n": pa.array(numbers, pa.int64()),
            **columns,
        }
    )


def write(folder, name, table, **options):
    """Write a Parquet file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **options)


def card(folder, policy, *, body=BODY, change=lambda front: front):
    """Write the card of what lies in the folder."""
    configs = []
    for config, splits in policy.configs.items():
        facts = read_config(folder, config, splits)
        configs.append(
            ConfigInfo(name=config, features=features(facts.schema), splits=facts.splits)
        )
    front = build_front_matter(
        pretty_name="Demo",
        license=License("mit"),
        languages=["en"],
        tags=["benchmark"],
        configs=configs,
    )
    (folder / "README.md").write_text(yaml_text(change(front)) + body, encoding="utf-8")


def sound(folder, policy=OPEN, *, train=None, test=None, with_card=True):
    """Write a repository of two splits; return its folder."""
    write(folder, "default/train-00000-of-00001.parquet", rows(0, 5) if train is None else train)
    write(folder, "default/test-00000-of-00001.parquet", rows(5, 8) if test is None else test)
    if with_card:
        card(folder, policy)
    return folder


def both(**columns):
    """Return the two splits with one further column each: values of three rows, twice."""
    made = {name: pa.array(values) for name, values in columns.items()}
    return {"train": rows(0, 3, **made), "test": rows(3, 6, **made)}


def names(folder):
    """Return the files of a folder, links too."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def gate(folder, policy=OPEN, **terms):
    """Return what the gate says of all that lies in a folder."""
    return check_outgoing(folder, names(folder), dataclasses.replace(policy, **terms))


def said(folder, policy=OPEN, **terms):
    """Return the findings as text, one a line."""
    report = gate(folder, policy, **terms)
    assert all(finding.hint for finding in report.findings)
    return "\n".join(str(finding) for finding in report.findings)
