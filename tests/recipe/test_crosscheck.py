"""Names must exist, and keys that belong together must come together."""

from __future__ import annotations

from typing import Any

import pytest
import small_recipe

PROMPT = {"file": "ask.j2", "slots": {"question": "field:question"}}
SERVER = {"provider": "openai_compatible", "model": "x", "max_tokens": 8}
JUDGED = {"file": "ask.j2", "slots": {"question": "judged:output"}}
SCORES = {"quality": {"range": [0, 10]}}
JUDGE = {"type": "llm", "model": "small", "prompt": JUDGED, "scores": SCORES}
GENERATE = small_recipe.DATA["generate"]
PERTURB = {
    "column": "question",
    "dictionary": "d.csv",
    "substitution": {"levels": {"L1": [1, 1]}},
}


def reasons(folder, **sections: Any) -> dict[str, str]:
    """Return the reason of each fault by its path."""
    return {
        fault.path: fault.reason
        for fault in small_recipe.faults(small_recipe.write(folder, **sections))
    }


def test_the_small_recipe_is_good(tmp_path):
    assert reasons(tmp_path) == {}


NAMES: dict[str, tuple[dict[str, Any], str]] = {
    "a model": ({"generate": GENERATE | {"models": ["smal"]}}, "generate.models[0]"),
    "a prompt": ({"generate": GENERATE | {"prompts": ["A", "a"]}}, "generate.prompts[1]"),
    "a split": ({"generate": GENERATE | {"split": "tset"}}, "generate.split"),
    "a step": (
        {"generate": GENERATE | {"strategies": {"s": ["A", "B"]}}},
        "generate.strategies.s[1]",
    ),
    "a split of a view": (
        {"splits": {"sizes": {"test": 1}, "views": {"v": {"of": "tes"}}}, "generate": GENERATE},
        "splits.views.v.of",
    ),
    "a judge's model": ({"judges": {"j": JUDGE | {"model": "gpt"}}}, "judges.j.model"),
    "a judge's prompt": ({"judges": {"j": JUDGE | {"prompts": ["B"]}}}, "judges.j.prompts[0]"),
    "a judge's split": ({"judges": {"j": JUDGE | {"split": "dev"}}}, "judges.j.split"),
    "a judge's level": ({"judges": {"j": JUDGE | {"levels": ["L9"]}}}, "judges.j.levels[0]"),
    "a judge of a panel": (
        {"judges": {"j": JUDGE, "p": {"type": "panel", "judges": ["j", "k"]}}},
        "judges.p.judges[1]",
    ),
    "a judge's claims": (
        {"judges": {"n": {"type": "nli", "model": "x", "pairs": "claims"}}},
        "judges.n.pairs",
    ),
    "a judge's form": ({"judges": {"h": {"type": "human", "form": "f"}}}, "judges.h.form"),
    "a metric's judge": ({"metrics": [{"citations": {"nli": "nli"}}]}, "metrics[0].citations.nli"),
    "a metric's prompt": (
        {"metrics": [{"rouge": {"prompts": ["B"]}}]},
        "metrics[0].rouge.prompts[0]",
    ),
    "an analysis's judge": (
        {"judges": {"j": JUDGE}, "analyses": [{"judge_agreement": {"judges": ["j", "k"]}}]},
        "analyses[0].judge_agreement.judges[1]",
    ),
    "an analysis's prompt": (
        {"analyses": [{"mode_contrast": {"pairs": [["A", "B"]]}}]},
        "analyses[0].mode_contrast.pairs[0][1]",
    ),
    "an analysis's score": (
        {"analyses": [{"correlation": {"with": "year", "scores": ["rouge1", "rouge3"]}}]},
        "analyses[0].correlation.scores[1]",
    ),
    "a score that ranks": (
        {"analyses": [{"category_ranking": {"by": "rogue1"}}]},
        "analyses[0].category_ranking.by[0]",
    ),
    "an analysis's split": (
        {"judges": {"j": JUDGE}, "analyses": [{"judge_audit": {"judges": ["j"], "split": "x"}}]},
        "analyses[0].judge_audit.split",
    ),
    "a text": (
        {"analyses": [{"word_use": {"texts": ["question", "run:B"]}}]},
        "analyses[0].word_use.texts[1]",
    ),
    "a question to raters": (
        {
            "analyses": [{"regression": {"judge": "j", "covariates": ["age"]}}],
            "judges": {"j": JUDGE},
        },
        "analyses[0].regression.covariates[0]",
    ),
    "a perturbed split": ({"perturb": PERTURB | {"split": "dev"}}, "perturb.split"),
    "shots": (
        {"prompts": {"A": PROMPT | {"shots": {"n": 1, "from": "dev"}}}},
        "prompts.A.shots.from",
    ),
    "another run": (
        {"prompts": {"A": PROMPT | {"slots": {"question": "run:B"}}}},
        "prompts.A.slots.question",
    ),
}


@pytest.mark.parametrize("case", NAMES)
def test_a_name_that_nothing_has_is_refused_at_its_place(tmp_path, case):
    sections, path = NAMES[case]
    found = reasons(tmp_path, **sections)
    assert list(found) == [path]
    assert "there is no " in found[path]


TOGETHER: dict[str, tuple[dict[str, Any], str]] = {
    "judges agree with one another": (
        {"judges": {"j": JUDGE}, "analyses": [{"judge_agreement": {"judges": ["j"]}}]},
        "judge_agreement.judges is ['j']",
    ),
    "a rater does not agree with itself": (
        {"judges": {"j": JUDGE}, "analyses": [{"agreement": {"raters": ["j", "j"]}}]},
        "agreement.raters is ['j', 'j']",
    ),
    "metrics need answers": ({"generate": None}, "nothing is generated"),
    "a model needs a question": (
        {"generate": {"split": "test", "models": ["small"]}},
        "needs prompts",
    ),
    "one line of the leaderboard": (
        {
            "generate": [
                GENERATE | {"models": ["small"]},
                GENERATE | {"models": ["small"], "split": "train"},
            ]
        },
        "is asked on 'test' already",
    ),
    "a metric needs a reference": (
        {"corpus": {"source": "jsonl", "files": "a.jsonl", "access": "open"}},
        "compare with a reference",
    ),
    "a metric twice": ({"metrics": ["rouge", {"rouge": {"profile": "paper"}}]}, "listed twice"),
    "a metric's own refusal": (
        {"metrics": [{"embedding_similarity": {"folder": "x", "model": "y"}}]},
        "folder stands beside model",
    ),
    "no model": ({"generate": GENERATE | {"models": []}}, "models: names none"),
    "no prompt": (
        {"generate": GENERATE | {"models": ["floor"], "prompts": []}},
        "prompts: names none",
    ),
    "no model in a list": ({"generate": [GENERATE | {"models": []}]}, "models: names none"),
    "amounts of splits": (
        {"splits": {"sizes": {"test": 1}, "fractions": {"test": 1.0}}},
        "exactly one of fractions, sizes and date",
    ),
    "shares above one": (
        {"splits": {"fractions": {"train": 0.7, "test": 0.4}}},
        "add up to more than 1",
    ),
    "a view with a split's name": (
        {"splits": {"sizes": {"test": 1}, "views": {"test": {}}}},
        "is the name of a split already",
    ),
    "a sample per value": (
        {"splits": {"sizes": {"test": 1}, "views": {"v": {"per": "topic"}}}},
        "per: goes with sample:",
    ),
    "a judge's question": (
        {"judges": {"j": {"type": "llm", "model": "small", "scores": SCORES}}},
        "needs prompt: or stages:",
    ),
    "a judge's scores": (
        {"judges": {"j": {"type": "llm", "model": "small", "prompt": JUDGED}}},
        "needs scores:",
    ),
    "ratings": (
        {"judges": {"h": {"type": "human", "scores": SCORES}}},
        "from a file: or from a form:",
    ),
    "pairs": ({"generate": GENERATE | {"over": "pairs"}}, "'over: pairs' goes with a view"),
    "variants": ({"generate": GENERATE | {"over": ["items", "variants"]}}, "none are made"),
    "levels": (
        {"perturb": PERTURB | {"removal": {"levels": {"L1": 1}}}},
        "stands under substitution and removal",
    ),
    "edits": ({"perturb": {"column": "q", "dictionary": "d.csv"}}, "nothing is edited"),
    "missed edits": (
        {"judges": {"j": JUDGE}, "analyses": [{"edit_misses": {"judge": "j"}}]},
        "no edited items are asked about",
    ),
    "what edits change": (
        {
            "judges": {"j": JUDGE},
            "perturb": PERTURB,
            "analyses": [{"edit_effect": {"judge": "j"}}],
        },
        "no edited items are asked about",
    ),
    "carried edits": (
        {"metrics": ["edit_misses"]},
        "no edited items are asked about",
    ),
    "two templates": ({"prompts": {"A": PROMPT | {"user": "ask.j2"}}}, "write either file:"),
    "a system message alone": (
        {"prompts": {"A": PROMPT | {"system": "ask.j2"}}},
        "goes with user:",
    ),
    "an empty slot": ({"prompts": {"A": {"file": "ask.j2"}}}, "which nothing fills"),
    "a slot too many": (
        {"prompts": {"A": {"file": "ask.j2", "slots": {"question": "x", "other": "y"}}}},
        "no template of this prompt has the slot 'other'",
    ),
    "judged things in a prompt": ({"prompts": {"A": JUDGED}}, "belong to judges"),
    "an answer with no earlier step": (
        {"prompts": {"A": PROMPT | {"slots": {"question": "answer:A"}}}},
        "no earlier step",
    ),
    "its own answer": (
        {"prompts": {"A": PROMPT | {"slots": {"question": "run:A"}}}},
        "its own answer",
    ),
    "an unknown parser": (
        {"prompts": {"A": PROMPT | {"parser": "nmber"}}},
        "no parser called 'nmber'",
    ),
    "two parsers": (
        {"prompts": {"A": PROMPT | {"parser": {"text": {}, "list": {}}}}},
        "exactly one",
    ),
    "a parser's parameter": (
        {"prompts": {"A": PROMPT | {"parser": {"number": {"rnge": [1, 2]}}}}},
        "unknown key 'rnge'",
    ),
    "a parser that needs more": (
        {"prompts": {"A": PROMPT | {"parser": "sections"}}},
        "'parts' is missing",
    ),
    "a part that is the answer": (
        {"prompts": {"A": PROMPT | {"parser": {"sections": {"parts": {"x": {}}, "answer": "y"}}}}},
        "no part called 'y'",
    ),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_what_belongs_together_must_come_together(tmp_path, case):
    sections, words = TOGETHER[case]
    found = reasons(tmp_path, **sections)
    assert len(found) == 1, found
    assert words in next(iter(found.values()))


def chain(**slots: str) -> dict[str, Any]:
    parts = {"citations": {"as": "numbers"}, "note": {}}
    second = {"file": "two.j2", "slots": slots}
    return {
        "prompts": {"find": PROMPT | {"parser": {"sections": {"parts": parts}}}, "write": second},
        "generate": {
            "split": "test",
            "strategies": {"both": ["find", "write"]},
            "models": ["small"],
        },
    }


@pytest.mark.parametrize(
    ("slot", "words"),
    [
        ("answer:find.citations", ""),
        ("answer:find", ""),
        ("answer:find.citation", "has no part 'citation'"),
        ("answer:write", "no earlier step"),
        ("run:find.note", "'find' is never asked"),
    ],
)
def test_a_step_may_use_the_parts_of_earlier_answers(tmp_path, slot, words):
    (tmp_path / "two.j2").write_text("{{ x }}", encoding="utf-8")
    found = reasons(tmp_path, **chain(x=slot))
    assert (words in "".join(found.values())) if words else found == {}


def test_the_order_of_a_strategy_decides_what_it_may_use(tmp_path):
    (tmp_path / "two.j2").write_text("{{ x }}", encoding="utf-8")
    sections = chain(x="answer:find.note")
    sections["generate"]["strategies"]["both"] = ["write", "find"]
    assert "no earlier step" in reasons(tmp_path, **sections)["prompts.write.slots.x"]


def test_stages_of_a_judge_use_earlier_stages_alone(tmp_path):
    first, second = JUDGED, JUDGED | {"slots": {"question": "answer:facts"}}
    judge = {"type": "llm", "model": "small", "scores": SCORES}
    good = judge | {"stages": {"facts": first, "score": second}}
    assert reasons(tmp_path, judges={"j": good}) == {}
    turned = judge | {"stages": {"score": second, "facts": first}}
    found = reasons(tmp_path, judges={"j": turned})
    assert "no earlier stage" in found["judges.j.stages.score.slots.question"]


def test_a_metric_may_stand_twice_for_different_prompts(tmp_path):
    prompts = {"A": PROMPT, "B": PROMPT}
    metrics = [{"rouge": {"prompts": ["A"]}}, {"rouge": {"profile": "paper", "prompts": ["B"]}}]
    generate = GENERATE | {"prompts": ["A", "B"]}
    assert reasons(tmp_path, prompts=prompts, metrics=metrics, generate=generate) == {}


def test_a_judge_that_extends_another_reports_at_its_own_lines(tmp_path):
    judges = {"one": JUDGE, "two": {"extends": "one", "model": "gpt"}}
    assert reasons(tmp_path, judges=judges) == {
        "judges.two.model": "there is no model called 'gpt'"
    }
    assert "no judge called 'on'" in str(reasons(tmp_path, judges={"two": {"extends": "on"}}))
    circle = {"a": {"extends": "b"}, "b": {"extends": "a"}}
    assert "extends itself" in str(reasons(tmp_path, judges=circle))


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://127.8.9.1/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://[::ffff:127.0.0.1]/v1", True),
        ("http://localhost/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://localhost.example.org/v1", False),
        ("http://127.0.0.1@example.org/v1", False),
        ("http://10.0.0.1/v1", False),
        ("http://0.0.0.0/v1", False),
        ("http://[::1", False),
        ("", False),
    ],
)
def test_credentialed_texts_stay_on_this_machine(tmp_path, url, near):
    corpus = small_recipe.DATA["corpus"] | {"access": "credentialed"}
    models = {"small": SERVER | {"base_url": url}, "floor": small_recipe.DATA["models"]["floor"]}
    found = reasons(tmp_path, corpus=corpus, models=models)
    assert ("models.small" not in found) == near


def test_credentialed_texts_are_neither_published_nor_sent_to_a_cluster(tmp_path):
    corpus = small_recipe.DATA["corpus"] | {"access": "credentialed"}
    publish = {"license": "other", "redistribution": "metadata"}
    found = reasons(
        tmp_path, corpus=corpus, publish=publish, execution={"scheduler": "tcp://10.0.0.1:8786"}
    )
    assert set(found) == {"publish.redistribution", "execution.scheduler"}
    publish["redistribution"] = "ids_only"
    near = {"scheduler": "tcp://127.0.0.1:8786"}
    assert reasons(tmp_path, corpus=corpus, publish=publish, execution=near) == {}


def test_templates_that_do_not_compile_are_refused_with_their_line(tmp_path):
    file = small_recipe.write(tmp_path)
    (tmp_path / "ask.j2").write_text("one\n{{ question }\n", encoding="utf-8")
    (fault, *_) = small_recipe.faults(file)
    assert "ask.j2:2:" in fault.reason
    (tmp_path / "ask.j2").write_bytes(b"\xff{{ question }}")
    assert "ask.j2" in small_recipe.faults(file)[0].reason


MINE = """
import math
from statistics import mean as average

try:
    import numpy
except ImportError:
    numpy = None


def coverage(prediction, reference):
    helper = 1
    return 1.0


class Near:
    def inside(self, prediction, reference):
        return 1.0


near, (far, *others) = Near(), (coverage, coverage)
half = lambda prediction, reference: 0.5
"""


def local_faults(folder, text, code=MINE, **options):
    folder.mkdir(exist_ok=True)
    if code is not None:
        (folder / "mine.py").write_text(code, encoding="utf-8")
    file = small_recipe.write(folder, metrics=["rouge", {"local": text}])
    return small_recipe.faults(file, **{"trust_local": True, **options})


@pytest.mark.parametrize("name", ["coverage", "Near", "near", "far", "others", "half", "average"])
def test_a_function_of_ones_own_is_found_without_running_the_file(tmp_path, name):
    assert local_faults(tmp_path, f"mine.py:{name}", MINE + "raise SystemExit(7)\n") == []


def test_a_file_that_imports_everything_may_define_anything(tmp_path):
    assert local_faults(tmp_path, "mine.py:whatever", "from math import *\n") == []


@pytest.mark.parametrize(
    ("text", "code", "reason", "suggestion"),
    [
        ("mine.py:covrage", MINE, "defines no function 'covrage'", "did you mean 'coverage'?"),
        ("mine.py:inside", MINE, "defines no function 'inside'", ""),
        ("mine.py:helper", MINE, "defines no function 'helper'", ""),
        ("mime.py:coverage", MINE, "no file 'mime.py'", "did you mean 'mine.py'?"),
        ("mine.py:coverage", None, "no file 'mine.py'", "none are known"),
        ("mine.py:coverage", "x = 1\ndef f(:\n", "is not Python: line 2: invalid", "mend mine.py"),
    ],
)
def test_what_is_wrong_with_code_of_ones_own_is_said_at_its_line(
    tmp_path, text, code, reason, suggestion
):
    (fault,) = local_faults(tmp_path, text, code)
    assert reason in fault.reason
    assert suggestion in fault.suggestion
    assert fault.path == "metrics[1].local"
    written = (tmp_path / "small.yaml").read_text(encoding="utf-8").splitlines()
    assert text in written[fault.line - 1]


def test_code_of_ones_own_is_trusted_by_name_only(tmp_path):
    (fault,) = local_faults(tmp_path, "mine.py:coverage", trust_local=False)
    assert "runs code" in fault.reason
    assert len(local_faults(tmp_path, "mine.py:covrage", trust_local=False)) == 2


PUBMED = {"source": "pubmed_xml", "files": "*.xml", "access": "open"}
QUERY = {"source": "eutils", "query": "sleep", "access": "open"}
TABLE = {"source": "parquet", "files": "*.parquet", "access": "open", "reference": "answer"}


def column_faults(folder, corpus, slot, **sections):
    prompts = {"A": {"file": "ask.j2", "slots": {"question": slot}}}
    file = small_recipe.write(folder, corpus=corpus, prompts=prompts, **sections)
    return small_recipe.faults(file)


@pytest.mark.parametrize("corpus", [PUBMED, QUERY], ids=["pubmed_xml", "eutils"])
@pytest.mark.parametrize(
    ("slot", "suggestion"),
    [("field:abstract", "input"), ("derive:n_words(conclusions)", "did you mean 'conclusion'?")],
)
def test_a_slot_names_a_column_of_an_article(tmp_path, corpus, slot, suggestion):
    (fault,) = column_faults(tmp_path, corpus, slot)
    assert "no item has a column" in fault.reason
    assert suggestion in fault.suggestion
    assert fault.path == "prompts.A.slots.question"
    written = (tmp_path / "small.yaml").read_text(encoding="utf-8").splitlines()
    assert slot in written[fault.line - 1]


@pytest.mark.parametrize(
    "slot", ["field:input", "derive:n_sentences(conclusion)", "field:sjr", "field:group"]
)
def test_articles_have_their_own_columns_and_those_of_journals(tmp_path, slot):
    assert column_faults(tmp_path, PUBMED, slot) == []


def test_only_splits_give_a_group(tmp_path):
    whole = GENERATE | {"split": "all"}
    (fault,) = column_faults(tmp_path, PUBMED, "field:group", splits=None, generate=whole)
    assert "no item has a column 'group'" in fault.reason


def test_where_the_data_decide_any_column_may_be_named(tmp_path):
    joined = PUBMED | {"join": [{"file": "more.csv", "on": "item_id"}]}
    for corpus in (joined, TABLE):
        assert column_faults(tmp_path, corpus, "field:anything") == []


def test_columns_of_a_judges_prompt_are_checked_too(tmp_path):
    prompt = {"file": "ask.j2", "slots": {"question": "field:abstract"}}
    judges = {"j": JUDGE | {"prompt": prompt}}
    (fault,) = column_faults(tmp_path, PUBMED, "field:input", judges=judges)
    assert fault.path == "judges.j.prompt.slots.question"


def test_two_competitors_of_one_title_are_refused(tmp_path):
    models = small_recipe.DATA["models"]
    name = GENERATE["models"][0]
    twin = {**models, "twin": {**models[name], "title": models[name].get("title", name)}}
    both = GENERATE | {"models": [*GENERATE["models"], "twin"]}
    found = reasons(tmp_path, models=twin, generate=both)
    assert "is what tables call" in found["models.twin.title"]
    # A judge may be a competitor's twin.
    assert reasons(tmp_path, models=twin) == {}
