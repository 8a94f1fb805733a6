"""A small release of PubMed records, and the records as PubMed has them later."""

import dataclasses
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "release"))
sys.path.insert(0, str(Path(__file__).parents[1] / "corpus"))

from eutils_double import record
from release_world import make_context

from toolkit.corpus.pubmed_xml import PubmedXml
from toolkit.stages.release import run

TRAIN = ["101", "102", "103"]
TEST = ["201", "202", "203", "204"]


def xml(path, ids, change=lambda pmid, text: text, deleted=()):
    """Write a PubMed file of the records of ``ids``; ``change`` may rewrite one."""
    gone = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deleted)
    tail = f"<DeleteCitation>{gone}</DeleteCitation>" if deleted else ""
    body = "".join(change(pmid, record(pmid)) for pmid in ids)
    path.write_text(f"<PubmedArticleSet>{body}{tail}</PubmedArticleSet>", encoding="utf-8")
    return path


def items(folder, ids) -> pa.Table:
    """Return the items that the corpus step would make of ``ids``."""
    file = xml(folder / "pubmed26n0001.xml", ids)
    source = PubmedXml(PubmedXml.Params(files=(str(file),)), folder)
    (part,) = source.parts()
    result = source.read(part, folder / "part", source.schema())
    table = pq.read_table(result.items)
    assert table.num_rows == len(ids)
    return table.append_column("group", table["item_id"])


def released(root, **publish):
    """Make a release of the two splits; return its folder."""
    root.mkdir(exist_ok=True)
    context = make_context(
        root,
        splits={"train": items(root, TRAIN), "test": items(root, TEST)},
        journals=False,
        title="Counting",
        **publish,
    )
    params = PubmedXml.Params(files=("pubmed26n0001.xml",))
    recipe = context.plan.recipe
    recipe = dataclasses.replace(recipe, corpus=dataclasses.replace(recipe.corpus, params=params))
    plan = dataclasses.replace(context.plan, recipe=recipe)
    context = dataclasses.replace(context, plan=plan)
    run(context)
    folder = root / "release"
    folder.mkdir()
    for path in sorted(context.folder.rglob("*")):
        name = path.relative_to(context.folder)
        if path.is_file() and name.parts[0] != "pieces":
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(path.read_bytes())
    return folder
