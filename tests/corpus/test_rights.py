import pytest

from toolkit.corpus.rights import split_copyright

WILEY = "© 2021 The Authors. The Journal of Pathology published by John Wiley & Sons, Ltd."
PROTECTED = "This article is protected by copyright. All rights reserved."


@pytest.mark.parametrize(
    ("text", "element", "kept", "statement"),
    [
        (f"It works. {WILEY}", WILEY, "It works.", WILEY),
        (f"It works. {PROTECTED}", "© 2021 Wiley.", "It works.", f"© 2021 Wiley. {PROTECTED}"),
        (f"No stop {PROTECTED}", None, "No stop", PROTECTED),
        (PROTECTED, PROTECTED, "", PROTECTED),
        (
            "Done. (PsycInfo Database Record (c) 2021 APA, all rights reserved).",
            None,
            "Done.",
            "(PsycInfo Database Record (c) 2021 APA, all rights reserved).",
        ),
        (
            "Done. © 2021 Elsevier Inc. All rights reserved.",
            "Copyright © 2021 Elsevier Inc. All rights reserved.",
            "Done.",
            "Copyright © 2021 Elsevier Inc. All rights reserved.",
        ),
    ],
)
def test_a_statement_at_the_end_is_cut(text, element, kept, statement):
    assert split_copyright(text, element) == (kept, statement)


@pytest.mark.parametrize(
    "text",
    [
        "A PROM© score of 9 identifies people. The implications are considerable.",
        "By submitting, the copyright of their article is transferred to the publishers.",
        "© RSNA, 2021 Supplemental material is available for this article.",
        "All rights reserved for patients were respected.",
        "",
    ],
)
def test_prose_about_rights_stays(text):
    assert split_copyright(text, "Copyright 2020 Elsevier.") == (text, "Copyright 2020 Elsevier.")
