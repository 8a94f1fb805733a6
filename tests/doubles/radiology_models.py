"""Summarizers and a judge on 127.0.0.1 that play the radiology protocol: a chat server of its own.

A summary is the impression, with one of its words left out by chance where the model is careless.
Facts are its sentences. The judge compares the texts it is shown, so that its scores and its list
of alterations follow from them; a share of its scores is turned over by the hash of the texts, so
that models differ and tables are not constant. As a program:
``python tests/doubles/radiology_models.py --port 0 --log FILE``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.doubles import chat_server
from tests.doubles.program import ServerProgram

CARELESS = {"careless": 0.5, "careful": 0.1}
"""Chance that a model's summary leaves an edit out, and that the judge turns one of its scores."""


def chance(*parts: str) -> float:
    return int(hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12], 16) / 16**12


def between(text: str, tag: str) -> str:
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", text, re.DOTALL)
    return found.group(1) if found else ""


def summary(model: str, prompt: str) -> str:
    words = between(prompt, "impression").split()
    careless = CARELESS.get(model, 0.0)
    style = "For patients: " if "medical communicator" in prompt else "Your scan shows: "
    kept = [
        word for at, word in enumerate(words) if chance(model, style, word, str(at)) >= careless / 5
    ]
    return style + " ".join(kept)


def facts(prompt: str) -> str:
    sentences = re.split(r"(?<=[.])\s+", between(prompt, "impression"))
    findings = [{"condition": one, "certainty": "likely"} for one in sentences]
    return json.dumps({"findings": findings})


def judgement(prompt: str) -> str:
    first, second = between(prompt, "summary_a"), between(prompt, "summary_b")
    edits = re.findall(r'^"(.*?)" -> "(.*?)"$', between(prompt, "edits"), re.MULTILINE)
    seen = [f"{old} -> {new}" for old, new in edits if new.lower() in second.lower()]
    removed = re.findall(r'^removed: "(.*?)"$', between(prompt, "edits"), re.MULTILINE | re.DOTALL)
    # What was removed is in no summary of what is left; the judge overlooks some of it.
    seen += [f"removed -> {text}" for text in removed if chance(text, first) < 0.7]
    count = len(edits) + len(removed)
    share = len(seen) / count if count else float(first == second)
    turned = 0.2 + 0.3 * (len(second) % 2)
    lucky = [chance(name, first, second) < turned for name in ("f", "c", "h")]
    return json.dumps(
        {
            "factual_faithfulness": int(not lucky[0]),
            "sensitivity": 2 if share == 1 else 1 if share else 0,
            "certainty_fidelity": int(not lucky[1]),
            "hallucination": int(not lucky[2]),
            "alterations": seen,
        }
    )


class _Handler(chat_server._Handler):
    def _data(self, rule: dict[str, Any], body: dict[str, Any]) -> bytes:
        reply = chat_server.good_reply(body)
        # A faulty reply is asked again in a further turn.
        prompt = body["messages"][0]["content"]
        if "<summary_b>" in prompt:
            text = judgement(prompt)
        elif "List every finding" in prompt:
            text = facts(prompt)
        else:
            text = summary(body["model"], prompt)
        reply["choices"][0]["message"]["content"] = text
        return json.dumps(reply).encode()


class RadiologyModels(ServerProgram):
    """The server as a process of its own, for the length of a block."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "models.jsonl"
        super().__init__(__file__, "--log", str(self.log))

    @property
    def prompts(self) -> list[tuple[str, str]]:
        """The model and the last message of each call received so far, in order."""
        calls = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [(call["body"]["model"], call["body"]["messages"][-1]["content"]) for call in calls]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    _Handler.state = chat_server._State(options.log, [], 0.0)
    server = chat_server._Server(("127.0.0.1", options.port), _Handler)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
