"""Each kind of edit on sentences whose right change is known."""

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.perturb.base import Edited, Unedited
from toolkit.perturb.kinds import edit
from toolkit.perturb.verbs import past, third_person


def all_of(kind, text, tries=40):
    """Every text that the kind makes of one, over many seeds."""
    found = [edit(text, kind, seed=seed, name="t") for seed in range(tries)]
    return {one.text for one in found if isinstance(one, Edited)} or {
        one.reason for one in found if isinstance(one, Unedited)
    }


@settings(max_examples=200, deadline=None)
@given(
    value=st.one_of(
        st.decimals("0.001", "0.999", places=3), st.decimals("1", "99", places=1),
        st.integers(1, 5000).map(Decimal),
    ),
    share=st.booleans(),
    seed=st.integers(0, 50),
)  # fmt: skip
def test_a_changed_number_is_another_at_two_figures_and_written_alike(value, share, seed):
    written = f"{value:f}"
    found = edit(f"It was {written}{'%' if share else ''} overall.", "number", seed=seed, name="v")
    if isinstance(found, Unedited):
        # A year, or a number whose last decimal leaves no other value near.
        assert 1900 <= value <= 2099 or value == 0
        return
    (one,) = found.edits
    new = Decimal(one.new)
    assert len(one.new.partition(".")[2]) == len(written.partition(".")[2])
    assert f"{new:.1e}" != f"{value:.1e}"
    assert new > 0
    if share and value <= 100:
        assert new <= 100
    elif value < 1:
        assert new < 1


@pytest.mark.parametrize(
    "text",
    [
        "IL-6, CD4, p53, HbA1c, COVID-19 and 5-HT2A were studied in type 2 diabetes.",
        "Grade 3 tumours of 10^6 cells, 18F-FDG, in 2019; see doi 10.1289/EHP1295.",
        "A 95% CI and 95 % confidence intervals, stage 2, RUNX1-2.",
    ],
)
def test_digits_of_names_years_powers_and_levels_are_no_numbers(text):
    assert all_of("number", text) == {"no number in the text that can be changed"}


def test_a_number_of_more_digits_than_decimal_arithmetic_carries_is_left_alone():
    long = "123456789012345678901234567890"
    for text in (f"The record {long} was read.", "All 1,234,567,890,123,456,789,012,345,678,901."):
        assert all_of("number", text) == {"no number in the text that can be changed"}
    assert all(long in text for text in all_of("number", f"Of {long} cells 45 were lost."))


def test_ends_of_a_range_stay_in_order_and_p_values_below_one():
    for text in all_of("number", "The range was 10-20 points (p = 0.6).", 80):
        low, high, p = re.fullmatch(
            r"The range was (\d+)-(\d+) points \(p = (.*)\)\.", text
        ).groups()
        assert int(low) < int(high)
        assert 0 < float(p) < 1


def test_number_words_are_changed_where_there_are_no_digits():
    assert "It took 14 days for two drugs." in all_of(
        "number", "It took 10 days for two drugs.", 99
    )
    assert not any("three" in t for t in all_of("number", "It took 10 days for two drugs."))
    assert {t.split()[0] for t in all_of("number", "Three arms.")} <= {
        "Two", "Four", "Five", "Six", "Seven"
    }  # fmt: skip


def test_units_change_within_their_dimension():
    assert all_of("unit", "A dose of 5 mg was given.") <= {
        f"A dose of 5 {name} was given." for name in ("ng", "µg", "mcg", "g", "kg", "pg")
    }
    assert all_of("unit", "A 12-month trial") == {
        f"A 12-{name} trial" for name in ("day", "week", "year")
    }
    assert all_of("unit", "In grams, g and months.") == {
        "no unit after a number that can be changed"
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("There was an increase in risk.", "There was a decrease in risk."),
        ("DECREASED mortality.", "INCREASED mortality."),
        ("Improved sleep was seen.", "Worsened sleep was seen."),
        ("It is a safe method.", "It is an unsafe method."),
        ("It is superior to placebo.", "It is inferior to placebo."),
        ("A higher dose is needed.", "A lower dose is needed."),
        ("We want to lower the risk.", "We want to raise the risk."),
        ("It is more likely now.", "It is less likely now."),
        ("A reduction was verified.", "An increase was verified."),
    ],
)
def test_directions_turn_round_with_case_and_article(old, new):
    assert new in all_of("direction", old)


@pytest.mark.parametrize(
    "text",
    [
        "Pain of the lower limb in older adults helps to better understand it.",
        "It is non-inferior to placebo and costs no longer matter.",
        "High-density lipoprotein and low-density lipoprotein were measured.",
    ],
)
def test_words_that_only_look_like_directions_stay(text):
    assert all_of("direction", text) == {"no word of direction in the text"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Mortality was high.", "Mortality was not high."),
        ("Drug A did not improve sleep.", "Drug A improved sleep."),
        ("It does not reach it.", "It reaches it."),
        ("They do not appear to lead there.", "They appear to lead there."),
        ("It did not significantly reduce it.", "It significantly reduced it."),
        ("It cannot help.", "It can help."),
        ("We can help.", "We cannot help."),
        ("There was no significant difference.", "There was a significant difference."),
        ("There were no differences.", "There were differences."),
        ("It had no effect on it.", "It had an effect on it."),
        ("The results suggest that.", "The results do not suggest that."),
        ("The trial significantly reduced it.", "The trial did not significantly reduce it."),
        ("Walking improves sleep.", "Walking does not improve sleep."),
    ],
)  # fmt: skip
def test_negations_are_grammatical(old, new):
    assert all_of("negation", old) == {new}


def test_not_only_is_no_negation():
    assert all_of("negation", "It is not only cheap but fast.") == {
        "no verb or negation that the rules can turn"
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Metformin may improve sleep.", "Metformin improves sleep."),
        ("Statins may reduce risk.", "Statins reduce risk."),
        ("It might be useful.", "It is useful."),
        ("The use of statins may reduce risk.", "The use of statins will reduce risk."),
        ("This suggests that it works.", "This shows that it works."),
        ("It appears to be safe.", "It is safe."),
        ("They seem to work.", "They work."),
        ("It appeared to reduce pain.", "It reduced pain."),
        ("Statins reduced risk, which shows that they work.",
         "Statins reduced risk, which suggests that they work."),
        ("It improves sleep.", "It may improve sleep."),
        ("The drug is safe.", "The drug may be safe."),
    ],
)  # fmt: skip
def test_hedges_go_and_come(old, new):
    assert all_of("hedge", old) == {new}


def test_a_month_is_no_hedge():
    assert all_of("hedge", "From May to June.") == {"no hedge in the text and no place for one"}


def test_entities_are_swapped_where_compared_and_replaced_everywhere_else():
    assert all_of("entity", "Warfarin was better than heparin.") == {
        "Heparin was better than warfarin."
    }
    for text in all_of("entity", "Asthma and the control of asthma in asthma."):
        words = re.fullmatch(r"(.+) and the control of (.+) in (.+)\.", text).groups()
        assert len({word.lower() for word in words}) == 1
        assert "asthma" not in text.lower()
    assert all_of("entity", "Women were compared with men.") == {"Men were compared with women."}
    assert "type 1" not in " ".join(all_of("entity", "Care of diabetes.", 99))
    assert all_of("entity", "A pet is no scan.") == {
        "no drug, disease, organ or group of people that the list knows"
    }


def test_one_sentence_of_several_is_removed_without_a_trace():
    text = "Sleep improved in nurses. Nothing else was changed by it. More trials are needed."
    one, two, three = re.findall(r"[^.]+\.", text)
    assert all_of("removal", text) == {
        (two + three).strip(), one + three, one + two
    }  # fmt: skip
    assert all_of("removal", "One sentence only.") == {"the text has a single sentence"}


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("case", "CONCLUSIONS: It works.", "Conclusions: It works."),
        ("case", "Conclusion: It works.", "CONCLUSION: It works."),
        ("case", "It works. Overall, it helps.", "It works. OVERALL, it helps."),
        ("case", "This drug works.", "THIS drug works."),
        ("unit_spelling", "It was 5 mg, then 7.5mg.", "It was 5 milligrams, then 7.5 milligrams."),
        ("unit_spelling", "About 1 mg/dL.", "About 1 milligram per deciliter."),
        ("unit_spelling", "In 12% and 5 % of them.", "In 12 percent and 5 percent of them."),
        ("unit_spelling", "In 12 percent of them.", "In 12% of them."),
        ("clause_order", "In patients with asthma, sleep improved markedly.",
         "Sleep improved markedly in patients with asthma."),
        ("clause_order", "Although costs rose there, deaths fell in all.",
         "Deaths fell in all, although costs rose there."),
        ("clause_order", "It was safe and effective in asthma.",
         "It was effective and safe in asthma."),
        ("clause_order", "The rate of falls was low, and the cost of it all was high.",
         "no clauses or words whose order is free"),
        ("clause_order", "The rate of falls was low, and the mean cost was high.",
         "The mean cost was high, and the rate of falls was low."),
    ],
)  # fmt: skip
def test_rewrites(kind, old, new):
    assert new in all_of(kind, old)


@pytest.mark.parametrize(
    "text",
    [
        "In patients with asthma, it improved their sleep.",
        "Sensitivity and specificity were 80 and 90, respectively.",
        "In conclusion, walking is good for sleep.",
        "In patients with asthma, sleep improved and pain fell.",
    ],
)
def test_an_order_that_may_matter_is_kept(text):
    assert all_of("clause_order", text) == {"no clauses or words whose order is free"}


@pytest.mark.parametrize(
    ("base", "gone", "third"),
    [
        ("improve", "improved", "improves"), ("carry", "carried", "carries"),
        ("differ", "differed", "differs"), ("occur", "occurred", "occurs"),
        ("limit", "limited", "limits"), ("permit", "permitted", "permits"),
        ("show", "showed", "shows"), ("lead", "led", "leads"), ("reach", "reached", "reaches"),
        ("benefit", "benefited", "benefits"), ("stop", "stopped", "stops"),
        ("play", "played", "plays"), ("develop", "developed", "develops"),
    ],
)  # fmt: skip
def test_forms_of_verbs(base, gone, third):
    assert (past(base), third_person(base)) == (gone, third)
