from itertools import pairwise

import pyarrow as pa
import pytest
import yaml
from markdown_it import MarkdownIt
from release_world import HOSTILE

from toolkit.gate.front_matter import parse_card
from toolkit.gate.recipe import License
from toolkit.release.by_hand import PARTS, marked
from toolkit.release.card import CardInputs, FunnelLine, card_text
from toolkit.release.columns import ReleaseColumn
from toolkit.release.front_matter import SplitInfo

COLUMNS = (
    ReleaseColumn(name="item_id", type=pa.string(), about="id of the item", source="item_id"),
    ReleaseColumn(name="n", type=pa.list_(pa.int64()), about="as in the source", source="n"),
)


def inputs(**changes) -> CardInputs:
    data = {
        "recipe": "demo",
        "title": "A benchmark",
        "pretty_name": "A benchmark's data",
        "config": "default",
        "languages": ("en",),
        "license": License("mit"),
        "level": "full_text",
        "source": "jsonl",
        "pubmed": False,
        "columns": COLUMNS,
        "splits": (SplitInfo(name="test", rows=1234, num_bytes=99, file_bytes=50, files=2),),
    }
    return CardInputs(**{**data, **changes})


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_others_do_nothing_in_the_page(text):
    card = card_text(
        inputs(
            title=text,
            pretty_name=text,
            description=text,
            version=text,
            recipe=text,
            source=text,
            license=License("other", text, "https://a.example/(x) y<z>\n"),
            pubmed=True,
            columns=(
                *COLUMNS,
                ReleaseColumn(name=text, type=pa.struct([(text, pa.string())]), about=text),
            ),
            funnel=[FunnelLine(text, text, 1, 2)],
            files=[text],
            skipped=[text],
            pinned=[text],
            unsplit={text: 3},
            leaks=[(text, 0)],
            assignment=text,
        )
    )
    front = parse_card(card)
    assert front["pretty_name"] and "\n" not in front["pretty_name"]
    assert front["dataset_info"][0]["features"][2]["name"] == text
    body = card.split("\n---\n", 1)[1]
    renderer = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = renderer.parse(body)
    headings = [
        tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"
    ]
    assert headings[1:] == [
        "Load it",
        "How it was built",
        "Splits",
        "Fields",
        "Licence and terms",
        "Personal data",
        "Limits",
        "Citation",
    ]
    assert not [token for token in tokens if token.type in ("hr", "code_block")]
    blocks = [token.content for token in tokens if token.type == "html_block"]
    assert "".join(blocks) == "".join(marked(name, "") + "\n" for name in PARTS)
    inline = [child for token in tokens for child in token.children or []]
    assert not [child for child in inline if child.type in ("html_inline", "image", "em_open")]
    links = [child.attrs["href"] for child in inline if child.type == "link_open"]
    assert links == ["https://a.example/%28x%29%20y%3Cz%3E%0A"]


def test_front_matter_is_what_yaml_reads_back():
    card = card_text(inputs(languages=("no", "en"), pretty_name="---\nlicense: apache-2.0"))
    front = yaml.safe_load(card.split("---\n")[1])
    assert front["language"] == ["no", "en"]
    assert front["license"] == "mit"
    assert front["pretty_name"] == "--- license: apache-2.0"
    assert front["size_categories"] == ["1K<n<10K"]
    assert front["dataset_info"][0]["features"] == [
        {"name": "item_id", "dtype": "string"},
        {"name": "n", "list": "int64"},
    ]


def test_the_line_that_loads_it_is_python():
    card = card_text(inputs(dataset="org/demo", config="own"))
    code = card.split("```python\n")[1].split("\n```")[0]
    compile(code, "card", "exec")
    assert 'load_dataset("org/demo", "own", split="test")' in code


def test_many_source_files_are_counted_and_the_first_fifty_named():
    files = [f"pubmed26n{number:04d}.xml.gz" for number in range(60)]
    card = card_text(inputs(files=files[::-1]))
    assert "Source files (60):" in card
    assert files[49] in card and files[50] not in card
    assert "and 10 more" in card


def test_no_paragraph_is_glued_to_a_list_or_a_table():
    card = card_text(
        inputs(
            level="ids_only",
            skipped=["a"],
            files=["b"],
            pinned=["c."],
            unsplit={"no_date": 1},
            leaks=[("near_duplicates", 2)],
            funnel=[FunnelLine("read", "rows", 0, 5)],
        )
    )
    lines = card.splitlines()
    for before, line in pairwise(lines):
        if line.startswith("#"):
            assert before in ("", "---"), line
        if line.startswith("|") and not before.startswith("|"):
            assert before == "", line
        if before.startswith("|") and not line.startswith("|"):
            assert line == "", line
