"""Asks a server as a process of its own, to be killed; prints ``ready`` and writes answers."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import httpx2  # noqa: F401 - imported before "ready", so that kills hit the asking

from toolkit.ask.dialogue import Dialogue, Stage
from toolkit.ask.engine import AskSettings, ask_all
from toolkit.ask.parsers.text import TextParser
from toolkit.models.base import ModelRequest
from toolkit.models.openai_compatible import OpenAICompatible, OpenAICompatibleParams, Prices
from toolkit.store.ledger import Ledger


def main(url: str, folder: Path, count: int, output: Path) -> None:
    model = OpenAICompatible(
        OpenAICompatibleParams(
            model="m",
            max_tokens=50,
            base_url=url,
            concurrency=8,
            prices=Prices(input_per_million=1.0, output_per_million=1.0),
        ),
        folder,
    )
    dialogues = [_question(n) for n in range(count)]
    # A shell starts jobs in the background with it ignored, and so their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with Ledger(folder / "ledger.sqlite") as ledger:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        found = {
            asked.dialogue.row.item_id: asked.dialogue.answers["answer"].answer
            for asked in ask_all(model, dialogues, ledger, settings=AskSettings(run="r"))
        }
    output.write_text(json.dumps(found, sort_keys=True))


def _question(number: int) -> Dialogue:
    stage = Stage("answer", lambda answers: [("user", f"text {number}")], TextParser())
    return Dialogue(ModelRequest(str(number), 0), [stage])


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
