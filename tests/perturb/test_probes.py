from toolkit.perturb.base import undone
from toolkit.perturb.kinds import EDITS, REWRITES
from toolkit.perturb.probes import FILLERS, drawn, most_questions, probes, questions
from toolkit.sentences import n_words

TEXT = (
    "Conclusion: In patients with asthma, metformin at 5 mg reduced mortality. It may help 12% of "
    "people and was safe and effective. More trials are needed."
)
KINDS = (*EDITS, *REWRITES)


def made(text=TEXT, item="i1", **more):
    return probes(text, item, **{"kinds": KINDS, "repeats": 3, "swap": True, "seed": 4, **more})


def test_a_reference_is_shown_as_it_is_edited_longer_and_swapped():
    found = made()
    by_name = {}
    for probe in found:
        by_name.setdefault(probe.name, []).append(probe)
    assert [p.kind for p in by_name["edit"]] == list(EDITS)
    assert [p.kind for p in by_name["rewrite"]] == list(REWRITES)
    (copy,), (swapped,), (longer,) = by_name["copy"], by_name["swapped"], by_name["padded"]
    assert (copy.text, copy.repeats) == (TEXT, 3)
    again = [p for p in by_name["edit"] if p.repeats == 3]
    assert [p.text for p in again] == [swapped.text]
    assert swapped.kind not in ("removal", "")
    assert longer.text.startswith(TEXT)
    added = longer.text.removeprefix(TEXT).strip()
    assert all(f"{said}." in FILLERS for said in added.rstrip(".").split(". "))
    assert n_words(longer.text) >= 1.5 * n_words(TEXT)
    for probe in found:
        assert undone(probe.text, probe.edits) == TEXT
    assert questions(found) == most_questions(KINDS, 3, swap=True) == 3 + 10 + 2 + 1 + 1


def test_kinds_that_do_not_apply_say_why_and_are_not_asked():
    found = {(p.name, p.kind): p for p in made("Good.")}
    assert found["edit", "number"].text is None
    assert found["edit", "removal"].reason == "the text has a single sentence"
    assert found["swapped", ""].reason
    assert questions(found.values()) == 3 + 1


def test_a_judge_that_sees_one_text_is_not_swapped():
    assert "swapped" not in {probe.name for probe in made(swap=False)}


def test_a_sample_hangs_on_seed_and_ids_alone():
    ids = [(n, f"id-{n}") for n in range(50)]
    first = drawn(ids, 10, 1)
    assert drawn(reversed(ids), 10, 1) == first == sorted(first)
    assert drawn(ids, 10, 2) != first
    # More items change the sample only by those that are drawn instead.
    more = drawn([*ids, *((n, f"id-{n}") for n in range(50, 60))], 10, 1)
    assert set(first) - set(more) <= set(first)
    assert len(set(more) & set(range(50)) - set(first)) == 0
    assert drawn(ids, 99, 1) == list(range(50))
