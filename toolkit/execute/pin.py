"""Fix what a run starts from: hash the source files, resolve what lies on a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from toolkit.plan.fingerprints import expand, parameter_files, pinned_facts, pinned_file
from toolkit.recipe.recipe import Recipe
from toolkit.registry import member
from toolkit.store.atomic import write_json
from toolkit.store.source_index import SourceIndex
from toolkit.store.workspace import Workspace

__all__ = ["pin_sources"]


def pin_sources(recipe: Recipe, workspace: Workspace, secrets: Mapping[str, str]) -> None:
    """Hash the recipe's source files and resolve a remote source once.

    What a remote source was resolved to is kept in the workspace, so that a resumed run reads
    the same data.

    Raises:
        SourceError: files are missing, or a remote source cannot be resolved.
    """
    corpus = recipe.corpus
    source = member("sources", corpus.source)(corpus.params, recipe.folder)
    files = [Path(join.file) for join in corpus.join]
    if source.remote:
        if pinned_facts(workspace, recipe) is None:
            file = pinned_file(workspace, recipe)
            resolved = source.resolve(file.with_suffix(""), secrets)
            write_json(file, resolved.facts())
    else:
        files += [part.path for part in source.parts() if part.path is not None]
    files += list(source.inputs())
    if corpus.journals is not None:
        files += [Path(path) for path in expand(corpus.journals.sjr)]
    for analysis in recipe.analyses:
        files += parameter_files(analysis.params)
    index = SourceIndex(workspace.source_index)
    index.hash(files)
    index.save()
