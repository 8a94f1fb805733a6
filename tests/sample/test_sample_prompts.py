"""The four prompt modes say what the protocol requires."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import StrictUndefined, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolkit.data import data_dir

PROMPTS = data_dir("recipes") / "prompts"

MODES = {
    "A": "conclusion.j2",
    "B": "summary.j2",
    "C": "conclusion_styled.j2",
    "D": "summary_styled.j2",
}


def render(mode: str, **slots: object) -> str:
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    source = (PROMPTS / MODES[mode]).read_text(encoding="utf-8")
    return environment.from_string(source).render(**slots)


def prompt(mode: str, sentences: int = 2, words: int = 31) -> str:
    slots: dict[str, object] = {"abstract": "AIM: {{ braces }} & <b>."}
    if mode in "CD":
        slots |= {"sentences": sentences, "words": words}
    return render(mode, **slots)


@pytest.mark.parametrize("mode", MODES)
def test_prompts_state_what_the_protocol_requires(mode: str) -> None:
    text = prompt(mode).lower()
    kind = "conclusion" if mode in "AC" else "summar"
    assert "senior scientist" in text
    assert kind in text
    assert "structured abstract" in text
    assert "only what the abstract gives" in text
    assert all(word in text for word in ("experiments", "data", "numbers", "claims"))
    assert "alone" in text
    assert "without a heading or an explanation" in text


@pytest.mark.parametrize("mode", MODES)
def test_prompts_put_the_abstract_between_markers_untouched(mode: str) -> None:
    assert "<abstract>\nAIM: {{ braces }} & <b>.\n</abstract>" in prompt(mode)


@pytest.mark.parametrize("mode", MODES)
def test_prompts_are_short_enough_for_a_small_model(mode: str) -> None:
    assert len(prompt(mode).split()) <= 110
    assert prompt(mode) == prompt(mode).strip()


@pytest.mark.parametrize("mode", "AC")
def test_conclusion_prompts_say_that_the_conclusion_is_missing(mode: str) -> None:
    assert "conclusion is missing" in prompt(mode)
    assert "most plausible conclusion" in prompt(mode)


@pytest.mark.parametrize("mode", "BD")
def test_summary_prompts_ask_for_the_core(mode: str) -> None:
    assert "Summarise the core" in prompt(mode)
    assert "conclusion" not in prompt(mode)


def test_style_is_formal_in_free_modes_and_the_abstracts_own_in_the_others() -> None:
    for mode in "AB":
        assert "formal academic style" in prompt(mode)
        assert "paragraph" not in prompt(mode)
    for mode in "CD":
        assert "style of the abstract itself" in prompt(mode)
        assert "formal" not in prompt(mode)


@pytest.mark.parametrize("mode", "CD")
@pytest.mark.parametrize(("n", "said"), [(1, "1 sentence and"), (3, "3 sentences and")])
def test_styled_prompts_state_their_targets(mode: str, n: int, said: str) -> None:
    text = prompt(mode, sentences=n, words=27)
    assert f"one concise paragraph of {said} about 27 words" in text


@pytest.mark.parametrize("mode", MODES)
def test_a_missing_slot_is_an_error(mode: str) -> None:
    with pytest.raises(UndefinedError):
        render(mode)


def test_each_mode_has_its_file() -> None:
    shipped = {path.name for path in Path(PROMPTS).glob("*.j2")}
    assert set(MODES.values()) <= shipped
