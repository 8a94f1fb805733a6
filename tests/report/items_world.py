"""A page of items of any size, made without a run."""

from dataclasses import replace

import numpy as np

from toolkit.report.board import make_board
from toolkit.report.browser import BrowserFacts, Competitor, browser_html, browser_index
from toolkit.report.chunks import ChunkFolder
from toolkit.report.facets import Facets
from toolkit.report.inputs import STATUSES
from toolkit.report.items import AnswerEntry, AnswersWriter, ItemEntry, ItemsWriter
from toolkit.report.word_index import WordIndex


def sentence(rng, vocabulary, length):
    return " ".join(vocabulary[at] for at in rng.integers(0, len(vocabulary), length)) + "."


def write_page(
    folder, inputs, items=120, competitors=3, length=60, hostile="", other="", splits=()
):
    """Write ``report/`` below a folder; item k has k mod 7 as its year and a number in its text.

    ``hostile`` stands in titles and answers, ``other`` in references. Of competitor 1, the answer
    to item 4 failed; the score of item k of competitor c is ``(k + c) mod 10 / 10``. ``splits``
    says which split each competitor was asked about.
    """
    rng = np.random.default_rng(5)
    vocabulary = [f"word{at}" for at in range(3000)]
    out, words, facets = (
        ChunkFolder(folder / "report" / "data"),
        WordIndex(),
        Facets(["split", "year"]),
    )
    board = make_board(replace(inputs, evidence=()))
    scores = len(board.scores)
    writer = ItemsWriter(out, words, facets)
    for place in range(items):
        writer.add(
            ItemEntry(
                item_id=f"{33000000 + place}",
                title=f"Title of item {place} {hostile}",
                input=f"RESULTS: {place} of 400 people. " + sentence(rng, vocabulary, length * 3),
                references=[
                    f"The dose of {place} mg lowered pressure. Uniqueword{place} was seen. {other}"
                ],
                facets={"split": "test", "year": 2015 + place % 7},
            )
        )
    writer.close()
    for number in range(competitors):
        answers = AnswersWriter(out, words, writer.starts, number, STATUSES)
        means = np.full((items, scores), np.nan, dtype=np.float32)
        for place in range(items):
            lost = number == 1 and place == 4
            value = (place + number) % 10 / 10
            if not lost:
                means[place] = value
            answers.add(
                AnswerEntry(
                    place=place,
                    repeat=0,
                    status="error" if lost else "ok",
                    answer=None
                    if lost
                    else f"The dose of {place} mg raised pressure in 400 and 999 people. {hostile}"
                    + sentence(rng, vocabulary, length if items > 1000 else 3),
                    reason="the server closed the connection" if lost else "",
                    values=[None if lost else value] * scores,
                    missing=dict.fromkeys(range(scores), "no answer") if lost else {},
                )
            )
            if place % 500 == 0:
                answers.done_before(place)
        answers.close(means)
    facts = BrowserFacts(
        name=inputs.name,
        title=inputs.title,
        access=inputs.access,
        competitors=[
            Competitor(
                title=f"Competitor {number} {hostile}",
                kind="model",
                model=f"m{number}",
                prompt="A",
                split=splits[number] if splits else "test",
                reference=0,
                answers=items,
            )
            for number in range(competitors)
        ],
        references=["conclusion"],
        items=items,
        of=items,
        starts=writer.starts,
        facets=facets.write(out),
        words=words.write(out, items),
    )
    out.write("index", browser_index(facts, board))
    page = folder / "report" / "index.html"
    page.write_text(browser_html(facts), encoding="utf-8")
    return page
