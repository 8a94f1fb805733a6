"""Parts of the card that people write survive, wherever they put them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_card import inputs

from toolkit.errors import UserError
from toolkit.release.by_hand import hand_parts, marked
from toolkit.release.card import card_text


def test_what_people_wrote_survives_and_stands_where_it_stood():
    first = card_text(inputs())
    written = first.replace(
        marked("notes", ""), marked("notes", "# Mine\n\nSee *here* & <b>there</b>.")
    )
    own = written + "\n" + marked("our-lab", "We are\nthe lab.") + "\n"
    second = card_text(inputs(previous=own, pretty_name="Renamed"))
    assert "# Renamed" in second
    assert hand_parts(second) == {
        "introduction": "",
        "notes": "# Mine\n\nSee *here* & <b>there</b>.",
        "our-lab": "We are\nthe lab.",
    }
    assert card_text(inputs(previous=second, pretty_name="Renamed")) == second


def test_what_stands_outside_the_markers_is_made_anew():
    own = card_text(inputs()).replace("## Load it", "## Load it\n\nHacked by somebody")
    assert "Hacked" not in card_text(inputs(previous=own))


@settings(max_examples=25)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=80))
def test_any_text_by_hand_survives(text):
    if "by hand:" in text:
        return
    kept = text.strip("\n")
    card = card_text(inputs(previous=marked("notes", kept)))
    assert hand_parts(card)["notes"] == kept


@pytest.mark.parametrize(
    "text",
    [
        "<!-- by hand: begin a -->\n",
        "<!-- by hand: end a -->\n",
        "<!-- by hand: begin a -->\n<!-- by hand: begin b -->\n<!-- by hand: end b -->\n",
        f"{marked('a', '')}\n{marked('a', '')}",
    ],
)
def test_markers_that_do_not_pair_up_are_refused_and_nothing_is_lost(text):
    with pytest.raises(UserError, match="do not pair up") as caught:
        card_text(inputs(previous=text))
    assert "once, each on a line of its own" in caught.value.hint


def test_board_history_withdrawn_and_examples_stand_on_the_card():
    from toolkit.release.history import SplitVersion, Version
    from toolkit.release.withdrawn import Withdrawn

    splits = {"test": SplitVersion(1234, "0" * 64)}
    history = [
        Version(version="1.0", data_digest="a", splits=splits),
        Version(
            version="1.1", data_digest="b", splits=splits, added=5, removed=0, note="<b>|new|</b>"
        ),
    ]
    card = card_text(
        inputs(
            history=history,
            board="| model | mean |\n|---|---:|\n| a | 0.5 |\n",
            withdrawn=[Withdrawn("77", "<script>|", "2026-12-01", "1.0")],
            examples=[(("item_id", "7"), ("input", "a | b\n<img src=x> [l](javascript:1)"))],
            citation="@misc{x,\n  title={<b>}\n}",
        )
    )
    body = card.split("\n---\n", 1)[1]
    renderer = MarkdownIt("commonmark", {"html": True}).enable(["table"])
    tokens = renderer.parse(body)
    inline = [child for token in tokens for child in token.children or []]
    assert not [child for child in inline if child.type in ("html_inline", "image", "link_open")]
    assert [token.info for token in tokens if token.type == "fence"] == ["python", "bibtex"]
    newest, first = [line for line in body.split("\n") if line.startswith("| `1.")]
    assert newest == "| `1.1` | `test` 1,234 | 5 | 0 | not known | &lt;b&gt;\\|new\\|&lt;/b&gt; |"
    assert first == "| `1.0` | `test` 1,234 | – | – | – | first release |"
    assert "| a | 0.5 |" in body and "| `77` | &lt;script&gt;\\| | 2026-12-01 | 1.0 |" in body


def test_a_release_without_texts_says_first_how_they_come_back():
    body = card_text(inputs(level="ids_only", dataset="org/x", version="1.0")).split("\n---\n\n")[1]
    assert body.startswith("`toolkit rebuild org/x@v1.0`")
    body = card_text(inputs(dataset="org/x", version="1.0")).split("\n---\n\n")[1]
    assert body.startswith("# ")
