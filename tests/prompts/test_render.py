import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.prompts.render import Renderer, columns_of
from toolkit.recipe.sections import Prompt


def renderer(tmp_path, text, slots, system=None):
    (tmp_path / "user.j2").write_text(text, encoding="utf-8")
    files = {"file": str(tmp_path / "user.j2")}
    if system is not None:
        (tmp_path / "system.j2").write_text(system, encoding="utf-8")
        files = {"system": str(tmp_path / "system.j2"), "user": str(tmp_path / "user.j2")}
    return Renderer("A", Prompt(**files, slots=slots))


def test_slots_are_filled_from_columns_numbers_and_literals(tmp_path):
    found = renderer(
        tmp_path,
        "{{ text }} in {{ n }} sentences, {{ words }} words, {{ style }}",
        {
            "text": "field:input",
            "n": "derive:n_sentences(conclusion)",
            "words": "derive:n_words(conclusion)",
            "style": "formal",
        },
    ).turns({"item_id": "1", "input": "x", "conclusion": "P was 0.05. It fell."})
    assert found == (("user", "x in 2 sentences, 5 words, formal"),)


@given(text=st.text(min_size=1).filter(lambda text: text.strip() == text))
def test_a_text_is_never_expanded_again(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("prompt")
    found = renderer(folder, "<<{{ text }}>>", {"text": "field:input"})
    for hostile in (text, "{{ 7 * 7 }}", "{% raw %}", "{abstract}", "{# x #}", "}}"):
        assert found.turns({"item_id": "1", "input": hostile}) == (("user", f"<<{hostile}>>"),)


def test_system_and_examples_come_as_turns(tmp_path):
    found = renderer(tmp_path, "Q: {{ text }}", {"text": "field:input"}, system="Be brief.")
    example = ({"item_id": "2", "input": "b"}, "answer b")
    turns = found.turns({"item_id": "1", "input": "a"}, [example])
    assert turns == (
        ("system", "Be brief."),
        ("user", "Q: b"),
        ("assistant", "answer b"),
        ("user", "Q: a"),
    )


def test_a_missing_column_names_the_prompt_the_item_and_what_there_is(tmp_path):
    found = renderer(tmp_path, "{{ text }}", {"text": "field:abstract"})
    with pytest.raises(UserError, match="'abstract', which item 9 lacks") as caught:
        found.turns({"item_id": "9", "input": "x"})
    assert "input" in caught.value.hint


def test_templates_are_sandboxed(tmp_path):
    found = renderer(tmp_path, "{{ text.__class__.__mro__ }}", {"text": "field:input"})
    with pytest.raises(UserError, match="cannot be rendered"):
        found.turns({"item_id": "1", "input": "x"})


def test_columns_are_those_the_slots_read():
    prompt = Prompt(
        file="x", slots={"a": "field:input", "n": "derive:n_words(conclusion)", "s": "x"}
    )
    assert columns_of(prompt) == ["conclusion", "input"]
