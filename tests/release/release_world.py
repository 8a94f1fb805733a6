"""Small artifacts as the corpus and the split step leave them, and a context to release them."""

import hashlib
import threading
from pathlib import Path

import pyarrow as pa

from toolkit.plan.step import Plan, Step
from toolkit.recipe import sections
from toolkit.recipe.publish_section import Publish
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.splits_section import Splits
from toolkit.records import arrow_schema
from toolkit.stages.context import Context
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest, write_manifest
from toolkit.store.pieces import all_shards, ensure_piece
from toolkit.store.workspace import Workspace

HOSTILE = [
    "<script>alert(1)</script>",
    "a | b | c",
    "![x](https://evil.example/x.png)",
    "[link](javascript:alert(1))",
    "`code` *bold* __strong__ ~~gone~~",
    "---\nlicense: mit\n---",
    "{{ 7 * 7 }} {% raw %}",
    "# heading\n\n- list",
    "\u202eevil\u202c \x00 nul",
    "www.evil.example and http://evil.example and me@evil.example",
    "$x^2$ &amp; <b>",
]


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_artifact(
    workspace: Workspace, stage: str, tables: dict, facts: dict, access: str, name: str = ""
) -> Artifact:
    """Write an artifact: each table is one Arrow table, or a list of them, one a shard."""
    folder = workspace.artifact(stage, fingerprint(name or stage))
    folder.mkdir(parents=True, exist_ok=True)
    pieces = []
    for table, parts in tables.items():
        for index, rows in enumerate(parts if isinstance(parts, list) else [parts]):

            def make(writer, table=table, rows=rows):
                writer.table(table, rows)
                return {}

            pieces.append(ensure_piece(folder, f"{table}-{index:05d}", make))
    manifest = Manifest(
        step=stage,
        stage=stage,
        fingerprint=fingerprint(name or stage),
        inputs=(),
        access=access,
        shards=all_shards(pieces),
        facts=facts,
    )
    write_manifest(folder, manifest)
    return Artifact(folder, manifest)


def article_rows(count: int, start: int = 0) -> list[dict]:
    rows = []
    for number in range(start, start + count):
        title = HOSTILE[number % len(HOSTILE)]
        rows.append(
            {
                "item_id": str(33000000 + number),
                "version": 1,
                "title": title,
                "journal": f"Journal <i>{number % 3}</i>",
                "issn_linking": "1234-5678",
                "languages": ["eng"] if number % 4 else [],
                "year": 2000 + number % 20,
                "keywords": None if number % 5 == 0 else ["α-synuclein", "x|y"],
                "sections": [
                    {"label": "METHODS", "category": None, "text": f"We did {number}."},
                    {"label": "CONCLUSION", "category": "CONCLUSIONS", "text": "It works."},
                ],
                "other_abstracts": [
                    {"type": "plain", "language": "fre", "sections": [{"text": "Bonjour."}]}
                ]
                if number % 2
                else None,
                "copyright": "© 2020 The Authors" if number % 3 == 0 else None,
                "corrections": [{"type": "ErratumIn", "item_id": "1"}] if number % 7 == 0 else [],
                "retracted": number % 6 == 0,
                "source_file": "pubmed24n0001.xml.gz",
                "input": f"METHODS: We did {number}. {title}",
                "conclusion": f"It works {number}.",
                "conclusion_labels": ["CONCLUSION"],
                "leak_risk": bool(number % 2),
                "sjr": 1.5 if number % 2 else None,
                "sjr_year": 2019,
                "sjr_match": "issn",
                "categories": ["Oncology"],
            }
        )
    return rows


def articles(count: int, start: int = 0, *, group: bool = False) -> pa.Table:
    table = pa.Table.from_pylist(article_rows(count, start), schema=arrow_schema("items"))
    if group:
        table = table.append_column("group", table["item_id"])
    return table


def funnel(kept: int, *, rule: str = "no_abstract", skipped: dict | None = None) -> dict:
    return {
        "outcomes": [
            ["pubmed24n0001.xml.gz", 2020, "kept", kept],
            ["pubmed24n0001.xml.gz", 2020, rule, 3],
        ],
        "counts": {},
        "skipped": skipped or {},
    }


def make_context(
    root: Path,
    *,
    splits: dict | None = None,
    items: pa.Table | list | None = None,
    source: str = "pubmed_xml",
    access: str = "open",
    journals: bool = True,
    corpus_facts: dict | None = None,
    title: str = "Conclusions <b>from</b> abstracts",
    description: str = "",
    **publish,
) -> Context:
    """Return the context of a release step over artifacts written below ``root``."""
    workspace = Workspace(root / "workspace")
    facts = corpus_facts or {"funnel": funnel(10)}
    own = items if items is not None else articles(4)
    artifacts = {"corpus": write_artifact(workspace, "corpus", {"items": own}, facts, access)}
    inputs = ["corpus"]
    if splits is not None:
        sizes = {
            name: sum(t.num_rows for t in (parts if isinstance(parts, list) else [parts]))
            for name, parts in splits.items()
        }
        report = {
            "sizes": sizes,
            "rejected": {"not_sampled": 2} if splits else {},
            "leakage": {"promised": [], "leaks": {"near_duplicates": {"clusters": 0}}},
        }
        tables = {f"items_{name}": parts for name, parts in splits.items()}
        artifacts["splits"] = write_artifact(
            workspace, "splits", tables, {"splits": report, "views": {}}, access
        )
        inputs.append("splits")
    corpus = sections.Corpus(
        source=source,
        access=access,
        journals=sections.Journals(sjr=("sjr.csv",)) if journals else None,
    )
    defaults = {"license": "cc-by-4.0", "redistribution": "full_text"}
    recipe = Recipe(
        name="demo",
        file=root / "demo.yaml",
        title=title,
        description=description,
        version="1.0",
        corpus=corpus,
        splits=Splits(sizes={n: 1 for n in splits} or None, views={})
        if splits is not None
        else None,
        publish=Publish(**{**defaults, **publish}),
    )
    steps = [Step(name=n, stage=n, fingerprint=artifacts[n].fingerprint) for n in inputs]
    step = Step(
        name="release", stage="release", inputs=tuple(inputs), fingerprint=fingerprint("release")
    )
    folder = workspace.artifact("release", step.fingerprint)
    folder.mkdir(parents=True, exist_ok=True)
    return Context(
        plan=Plan(recipe=recipe, workspace=workspace, steps=(*steps, step)),
        step=step,
        folder=folder,
        inputs={name: artifacts[name] for name in inputs},
        artifacts=artifacts,
        map=lambda function, tasks: map(function, tasks),
        ledger=lambda: None,
        validator=lambda: None,
        secrets={},
        progress=lambda done, total, note: None,
        stop=threading.Event(),
        calls=lambda counts: None,
    )


def released(manifest: Manifest, context: Context) -> dict[str, bytes]:
    return {shard.name: (context.folder / shard.name).read_bytes() for shard in manifest.shards}
