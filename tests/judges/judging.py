"""Drive a judge by hand: canned replies in, scores out."""

from toolkit.judges.base import Target
from toolkit.judges.llm import Llm, LlmParams
from toolkit.judges.score import Score
from toolkit.models.base import Answer
from toolkit.recipe.sections import Prompt

TEMPLATE = """Compare.
<reference>
{{ reference }}
</reference>
<candidate>
{{ output }}
</candidate>
Reply with JSON."""

SLOTS = {"reference": "judged:reference", "output": "judged:output"}


def prompt(folder, template=TEMPLATE, *, name="judge.j2", slots=None, **more):
    file = folder / name
    file.write_text(template, encoding="utf-8")
    return Prompt(file=str(file), slots=SLOTS if slots is None else slots, **more)


def rubric(folder, *, scores=None, template=TEMPLATE, parser="text", **params):
    return Llm(
        LlmParams(
            model="m",
            prompt=prompt(folder, template, parser=parser),
            scores={"score": Score(range=(1, 5))} if scores is None else scores,
            **params,
        )
    )


def target(output="It works.", reference="It works well.", status="ok", **item):
    answer = {
        "item_id": "i1",
        "model": "m1",
        "prompt": "A",
        "repeat": 0,
        "status": status,
        "answer": output,
    }
    return Target({"item_id": "i1", **item}, answer, reference)


def ask(dialogue, *replies):
    """Answer a dialogue with texts or Answers; return the requests it made."""
    requests = []
    waiting = list(replies)
    while (request := dialogue.request()) is not None:
        requests.append(request)
        reply = waiting.pop(0)
        dialogue.take(Answer("ok", answer=reply, raw=reply) if isinstance(reply, str) else reply)
    assert waiting == []
    return requests


def value_of(judge, *replies, **about):
    dialogue = judge.dialogue(target(**about), 0)
    ask(dialogue, *replies)
    return judge.values(dialogue.answers)["score"]
