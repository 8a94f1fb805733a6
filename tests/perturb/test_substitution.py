"""Substitution: the least used term first, no overlap, case kept, undone exactly."""

from hypothesis import given
from hypothesis import strategies as st

from toolkit.perturb.alteration import original_text
from toolkit.perturb.dictionary import Dictionary, Entry
from toolkit.perturb.plan_text import occurrences_of, occurrences_text
from toolkit.perturb.standing_terms import StandingTerms
from toolkit.perturb.substitution import (
    Planner,
    Sizes,
    find_occurrences,
    substitute,
    usage_rows,
)
from toolkit.perturb.term_finder import TermFinder

ENTRIES = {
    "mild": ("descriptors", ("severe", "marked")),
    "small": ("descriptors", ("large",)),
    "acute": ("descriptors", ("chronic",)),
    "left": ("location", ("right",)),
    "bilateral": ("location", ("unilateral",)),
    "effusion": ("findings", ("mass",)),
    "pulmonary nodule": ("findings", ("pulmonary cyst",)),
    "nodule": ("findings", ("cyst",)),
    "adenoma": ("pathology", ("adenocarcinoma", "infarct")),
}
DICTIONARY = Dictionary(
    {
        term: Entry(term=term, category=category, alternatives=others)
        for term, (category, others) in ENTRIES.items()
    }
)
TEXT = "Small left effusion with mild bilateral atelectatic change."


def offers(text, book=DICTIONARY, *, sizes=False):
    usable = book.usable()
    found = find_occurrences(
        text,
        TermFinder(entry.term for entry in usable),
        StandingTerms(other for entry in usable for other in entry.alternatives),
        sizes=sizes,
        occurrences="all",
    )
    # Plans are made from what was written down.
    assert occurrences_of(occurrences_text(found)) == found
    return found


def book_of(**terms):
    return Dictionary(
        {
            term: Entry(term=term.replace("_", " "), category=category, alternatives=others)
            for term, (category, *others) in terms.items()
        }
    )


def planned(text, categories, each, planner=None, name="r1", level="L", **how):
    planner = planner or Planner(DICTIONARY, seed=1, **how)
    found = offers(text, sizes=planner.sizes is not None)
    return planner.plan(name, level, found, categories, each)


def test_the_worked_order_of_least_used_terms():
    planner = Planner(DICTIONARY, seed=1)
    planner.used.update({"mild": 3, "small": 1, "bilateral": 2})
    taken = planned(TEXT, 5, 1, planner)
    # Three categories have a term each; the rest of the target is filled by use.
    assert {chosen.term for chosen in taken[:2]} == {"left", "effusion"}
    assert [chosen.term for chosen in taken[2:]] == ["small", "bilateral", "mild"]


def test_a_level_takes_terms_from_as_many_categories_as_it_says():
    text = "Mild small left bilateral acute effusion and adenoma, nodule."
    for categories, each in ((1, 1), (2, 2), (3, 2)):
        taken = planned(text, categories, each)
        assert len(taken) == categories * each
        counts = {}
        for chosen in taken:
            counts[chosen.category] = counts.get(chosen.category, 0) + 1
        assert sorted(counts.values()) == [each] * categories


def test_what_a_category_lacks_others_fill_and_what_all_lack_is_said():
    found = planned(TEXT, 4, 4)
    made = substitute(TEXT, found, target=16, seeds=(1, "L", "r1"))
    assert made.done == 5
    assert made.target == 16
    assert made.reason == "the text offers 5 of 16"
    assert made.text == "Large right mass with severe unilateral atelectatic change." or (
        made.text == "Large right mass with marked unilateral atelectatic change."
    )


def test_a_term_inside_a_longer_one_comes_last_and_never_both():
    planner = Planner(DICTIONARY, seed=1)
    assert [c.term for c in planned("A pulmonary nodule.", 2, 1, planner)] == ["pulmonary nodule"]


def test_all_occurrences_are_one_alteration_and_articles_follow():
    text = "An acute adenoma; ACUTE on acute."
    taken = planned(text, 1, 2, name="x")
    made = substitute(text, planned(text, 2, 1), target=2, seeds=(1, "L", "x"))
    assert len(taken) == 2
    assert made.done == 2
    assert made.text.startswith(("A chronic adenocarcinoma; CHRONIC on ch", "A chronic infarct; C"))
    assert original_text(made) == text


def test_sizes_are_a_category_of_their_own():
    text = "A 1.5 cm lesion and a 7 mm one."
    taken = planned(text, 1, 1, sizes=Sizes(probability=1.0))
    assert [chosen.category for chosen in taken] == ["measurements"]
    made = substitute(text, taken, target=1, seeds=(1, "L", "r1"), sizes=Sizes(probability=1.0))
    assert made.done == 1
    assert original_text(made) == text
    assert planned(text, 1, 1, sizes=Sizes(probability=0.0)) == ()


def test_use_stays_balanced():
    planner = Planner(DICTIONARY, seed=3)
    text = "Small mild acute left bilateral effusion adenoma nodule."
    for n in range(200):
        planned(text, 1, 1, planner, name=f"r{n}")
    used = [planner.used[t] for t in ENTRIES if t != "pulmonary nodule"]
    assert max(used) - min(used) <= 1
    others = [planner._alternatives["adenoma", o] for o in ENTRIES["adenoma"][1]]
    assert max(others) - min(others) <= 1


PIECES = st.sampled_from(
    [*ENTRIES, "a", "an", "the", "of 1.5 cm", "2 x 3 mm", "Mild", "NODULE", ",", ".", "no"]
)


@given(st.lists(PIECES, max_size=25), st.integers(1, 4), st.integers(1, 4), st.integers(0, 99))
def test_every_substitution_is_undone_exactly(pieces, categories, each, seed):
    text = " ".join(pieces)
    sizes = Sizes(probability=0.5)
    planner = Planner(DICTIONARY, seed=seed, sizes=sizes)
    taken = planned(text, categories, each, planner)
    made = substitute(text, taken, target=categories * each, seeds=(seed, "L", "r"), sizes=sizes)
    assert original_text(made) == text
    assert made.done <= categories * each
    assert bool(made.reason) == (made.done < made.target)


def test_random_balance_draws_by_the_seed():
    text = "Small mild acute left bilateral effusion adenoma nodule."
    one = [planned(text, 1, 1, balance="random", name=f"r{n}") for n in range(20)]
    again = [planned(text, 1, 1, balance="random", name=f"r{n}") for n in range(20)]
    assert one == again
    assert len({taken[0].term for taken in one}) > 2


def test_two_terms_never_change_places():
    both = book_of(cystic=("descriptors", "solid"), solid=("descriptors", "cystic"))
    found = offers("A cystic and solid mass.", both)
    assert Planner(both, seed=1).plan("r1", "L", found, 1, 2) == ()
    assert len(Planner(both, seed=1).plan("r1", "L", offers("A cystic mass.", both), 1, 1)) == 1


def test_an_alternative_that_stands_in_the_text_is_not_used():
    # None of these alternatives is a term, and each stands there in a way of its own.
    book = book_of(
        mild=("descriptors", "SEVERE", "marked"),
        hilar=("location", "lower  lobe", "apical"),
        lower_lobe_cyst=("findings", "lobe mass", "cyst of the lobe"),
    )
    text = "Mild, not severe. Hilar and right lower lobe mass; lower lobe cyst."
    taken = Planner(book, seed=1).plan("r1", "L", offers(text, book), 3, 1)
    assert {one.alternative for one in taken} == {"marked", "apical", "cyst of the lobe"}


def test_a_term_without_an_alternative_left_takes_no_place_of_another():
    book = book_of(mild=("descriptors", "severe"), left=("location", "right"))
    planner = Planner(book, seed=1)
    for name in "abcdefgh":
        (taken,) = planner.plan(name, "L", offers("Mild to severe, left.", book), 1, 1)
        assert taken.term == "left"
    assert [row[2:] for row in usage_rows(planner)] == [(0, 0), (8, 8)]


def test_hidden_terms_are_offered_where_they_could_be_taken():
    book = book_of(
        pulmonary_nodule=("findings", "pulmonary cyst"),
        nodule=("findings", "cyst"),
        lower_lobe=("location", "lobe"),
        lobe=("anatomy", "hilum"),
    )
    planner = Planner(book, seed=1)
    planner.plan("r1", "L", offers("A pulmonary nodule, lower lobe.", book), 1, 3)
    rows = {term: (used, offered) for term, _, used, offered in usage_rows(planner)}
    # The nodule went with the longer term; of the lobe nothing longer was taken.
    assert rows == {"pulmonary nodule": (1, 1), "nodule": (0, 0),
                    "lower lobe": (0, 0), "lobe": (1, 1)}  # fmt: skip
    planner.plan("r2", "L", offers("A pulmonary nodule, lower lobe.", book), 1, 1)
    rows = {term: (used, offered) for term, _, used, offered in usage_rows(planner)}
    assert rows["lobe"] == (1, 1)


def test_terms_are_offered_and_used_by_name():
    planner = Planner(DICTIONARY, seed=1)
    planned("Mild adenoma.", 1, 1, planner)
    planned("Small effusion.", 1, 1, planner, name="r2")
    rows = {
        term: (category, used, offered) for term, category, used, offered in usage_rows(planner)
    }
    assert set(rows) == set(ENTRIES)
    assert {t for t, row in rows.items() if row[2]} == {"mild", "adenoma", "small", "effusion"}
    assert sum(row[1] for row in rows.values()) == 2


def test_an_alternative_stands_as_written_where_the_term_does():
    modes = {"MRI": "radiography", "CT": "MRI"}
    book = Dictionary(
        {t.lower(): Entry(term=t, category="study", alternatives=(o,)) for t, o in modes.items()}
    )
    for text, wanted in (
        ("An MRI was done.", "A radiography was done."),
        ("A CT was done.", "An MRI was done."),
    ):
        plan = Planner(book, seed=1).plan("r1", "L", offers(text, book), 1, 1)
        assert substitute(text, plan, target=1, seeds=(1, "L", "r1")).text == wanted
