"""A judge on 127.0.0.1 whose reactions to edits are planted: a chat server of its own.

As a program: ``python tests/doubles/edit_judge.py --port 0 --log FILE --plan FILE``. It reads the
two texts between ``<reference>`` and ``<candidate>`` marks and replies with a JSON of scores. The
plan is JSON:

    kinds     digest of a text -> kind of edit or rewrite, or "padded"; others are copies
    chances   score -> kind -> chance that the score falls at such a text
    fall      points that it falls by
    waver     points that a judgement of the same text may lie higher or lower, by its key
    shifts    kind -> points added without any chance ("padded", "swapped")
    constant  a value given for every score, whatever the texts
    seed      makes another judge with the same chances

Whether a score falls is drawn from the hash of score and text alone, so that a text always gets the
same scores but for what wavers: :func:`falls`.
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

TEXTS = re.compile(r"<reference>\n(.*)\n</reference>.*<candidate>\n(.*)\n</candidate>", re.DOTALL)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def chance(*parts: str) -> float:
    return int(digest("\0".join(parts)), 16) / 16**16


def falls(plan: dict[str, Any], score: str, text: str) -> bool:
    """Whether the judge's score falls at an edited text."""
    planted = plan["chances"][score].get(plan["kinds"].get(digest(text), "copy"), 0.0)
    return chance(str(plan.get("seed", 0)), score, text) < planted


class EditJudge:
    """What the judge says of two texts."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan

    def scores(self, reference: str, candidate: str, key: str) -> dict[str, float]:
        plan = self.plan
        if plan.get("constant") is not None:
            return dict.fromkeys(plan["chances"], plan["constant"])
        swapped = digest(reference) in plan["kinds"]
        edited = reference if swapped else candidate
        kind = plan["kinds"].get(digest(edited), "copy")
        shifts = plan.get("shifts", {})
        shift = shifts.get(kind, 0) + (shifts.get("swapped", 0) if swapped else 0)
        found = {}
        for score in plan["chances"]:
            waver = plan.get("waver", 0) * (2 * chance(score, key) - 1)
            found[score] = 90 + shift - plan["fall"] * falls(plan, score, edited) + waver
        return found


class _Handler(chat_server._Handler):
    judge: EditJudge

    def _data(self, rule: dict[str, Any], body: dict[str, Any]) -> bytes:
        reply = chat_server.good_reply(body)
        # A faulty reply is asked again in a further turn.
        match = TEXTS.search(body["messages"][0]["content"])
        assert match is not None
        found = self.judge.scores(*match.groups(), str(self.headers.get("idempotency-key")))
        reply["choices"][0]["message"]["content"] = json.dumps(found)
        return json.dumps(reply).encode()


class EditJudgeServer(ServerProgram):
    """The server as a process of its own, for the length of a block."""

    def __init__(self, folder: Path, plan: dict[str, Any], *, latency: float = 0.0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "judge.jsonl"
        (folder / "plan.json").write_text(json.dumps(plan))
        super().__init__(
            *(__file__, "--log", str(self.log), "--plan", str(folder / "plan.json")),
            *("--latency", str(latency)),
        )

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Each call received so far, in order."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--latency", type=float, default=0.0)
    options = parser.parse_args()
    _Handler.state = chat_server._State(options.log, [], options.latency)
    _Handler.judge = EditJudge(json.loads(options.plan.read_text()))
    server = chat_server._Server(("127.0.0.1", options.port), _Handler)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
