"""The page of items at full size: 30,000 items, eight competitors, twenty scores.

Run by hand: ``python bench/bench_items.py``. It prints how long and how much memory building
takes, the size of each kind of part, and, where chromium is installed, when the page is ready, the
memory it then uses, and how long searches take.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.report.browsing import browser
from tests.report.conftest import make_inputs
from tests.report.items_world import write_page
from tests.report.wide_world import wide_inputs

ITEMS, COMPETITORS = 30_000, 8
SEARCHES = ("uniqueword12345", "33000017", "word12 word77", "word12*")


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    inputs = wide_inputs(make_inputs())
    with tempfile.TemporaryDirectory() as name:
        folder, before, start = Path(name), megabytes(), time.monotonic()
        page = write_page(folder, inputs, items=ITEMS, competitors=COMPETITORS)
        seconds, grown = time.monotonic() - start, megabytes() - before
        print(f"built in {seconds:.0f} s (texts are made too), memory grew by {grown:.0f} MB")
        sizes: Counter[str] = Counter()
        for path in (folder / "report" / "data").iterdir():
            sizes[path.stem.partition("-")[0]] += path.stat().st_size
        for kind, size in sizes.most_common():
            print(f"{kind:>8} {size / 1e6:8.2f} MB")
        with browser(folder / "profile") as window:
            start = time.monotonic()
            window.open(f"file://{page}")
            window.until('document.documentElement.dataset.ready === "yes"')
            heap = window.run("return performance.memory.usedJSHeapSize / 1e6")
            print(f"ready after {time.monotonic() - start:.2f} s with {heap:.0f} MB")
            for words in SEARCHES:
                start = time.monotonic()
                window.run(
                    "const s = document.getElementById('search'); s.value = arguments[0];"
                    "document.getElementById('told').textContent = '';"
                    "s.dispatchEvent(new Event('input'))",
                    words,
                )
                told = "document.getElementById('told').textContent"
                window.until(f"{told}.includes(' of ') && {told}")
                print(f"{words:>16}: {window.text('told')}, {time.monotonic() - start:.2f} s")


if __name__ == "__main__":
    main()
