"""Texts that the metric tests share."""

from __future__ import annotations

import gzip
import html
import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

SHARED = Path(__file__).resolve().parents[3] / "shared"

ODD = [
    "",
    " ",
    "\f",
    "a",
    "the",
    "İstanbul ŞİŞ",  # lower-casing makes two characters of one
    "Kelvin \u212a and ohm \u2126",  # the Kelvin sign is a k when lower-cased
    "٣ patients and ３ controls",  # digits that are not ASCII
    "ſhort ſ",
    "re\u0301sume\u0301 résumé",
    "IL-1β ≥ 0.05; p<0.05",
    "心不全の患者",
    "🙂 👩🏽‍⚕️ ok",
    "\ud800 lone surrogate",
    "\x00null\x1cseparators\x85",
    "skies dying news innings proceed",
    "yyyyyyyyyy syzygy enjoyment",
    "a a a a a a",
    ". . . e.g. dr. Smith i.v. no. 5",
    "I can't, won't; gonna \"quote\" ''x'' (y)",
]

WORDS = st.text(
    alphabet=st.sampled_from("aeiouybcdlnrstzwx019"), min_size=1, max_size=14
) | st.builds(
    "{}{}".format,
    st.text(alphabet="aeioubcdlnrstvyz", max_size=5),
    st.sampled_from(
        [
            *("ational", "alli", "logi", "fulli", "ization", "iveness", "icate", "ness", "ement"),
            *("ion", "ing", "ed", "eed", "ied", "ies", "sses", "s", "y", "e", "ll", "bli", "ous"),
        ]
    ),
)
PROSE = st.lists(
    st.one_of(
        st.sampled_from(["the", "of", "in", "patients", "increased", "mortality", "study", "and"]),
        WORDS,
        st.sampled_from([".", ",", "p < 0.05", "(n = 12)", "IL-1β", "e.g.", "HER2+", "5 mg."]),
    ),
    max_size=40,
).map(" ".join)
ANY = st.one_of(PROSE, st.text(max_size=60), st.sampled_from(ODD))


@cache
def goldens() -> list[dict[str, Any]]:
    """Return the paper's ten printed examples."""
    path = SHARED / "goldens" / "medconclusion_examples.jsonl"
    if not path.is_file():
        pytest.skip(f"the printed examples are not at {path}")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def abstracts() -> list[str]:
    """Return real abstract sections."""
    path = SHARED / "data" / "pubmed21n1298.subset.xml.gz"
    if not path.is_file():
        pytest.skip(f"the PubMed subset is not at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        xml = file.read()
    sections = re.findall(r"<AbstractText[^>]*>(.*?)</AbstractText>", xml, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]+>", "", section)) for section in sections]


def real_pairs(n: int, seed: int) -> list[tuple[str, str]]:
    """Return n pairs of an edited section and the section, or a section of another article."""
    texts = abstracts()
    draw = random.Random(seed)
    pairs = []
    for reference in draw.sample(texts, n):
        if draw.random() < 0.25:
            pairs.append((draw.choice(texts), reference))
            continue
        words = [word for word in reference.split() if draw.random() > 0.25]
        moved = words[: len(words) // 4]
        draw.shuffle(moved)
        words[: len(moved)] = moved
        pairs.append((" ".join(words), reference))
    return pairs
