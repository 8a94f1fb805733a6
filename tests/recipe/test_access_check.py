"""Where credentialed texts may go: this machine, and servers somebody answers for by name."""

import pytest
import small_recipe

from toolkit.recipe.access_check import attested_sentences
from toolkit.recipe.attestation import Attestation, attestation_of
from toolkit.recipe.load import load_recipe

ENTRY = {
    "endpoint": "https://Ours.example.org/openai",
    "by": "Ada Example",
    "on": "2026-03-01",
    "agreement": "Contract 7",
}
ATTESTED = [Attestation(**ENTRY)]


def served(url):
    return {
        "provider": "openai_compatible",
        "model": "m",
        "base_url": url,
        "max_tokens": 8,
        "api_key_env": "KEY",
    }


def written(folder, url, *entries, access="credentialed"):
    corpus = small_recipe.DATA["corpus"] | {"access": access, "attested": list(entries)}
    models = small_recipe.DATA["models"] | {"small": served(url)}
    return small_recipe.write(folder, corpus=corpus, models=models)


def paths(folder, url, *entries, **more):
    return sorted(
        fault.path for fault in small_recipe.faults(written(folder, url, *entries, **more))
    )


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://ours.example.org/v1", True),
        ("https://ours.example.org:443", True),
        ("http://ours.example.org/v1", False),
        ("https://ours.example.org:8443/v1", False),
        ("https://ours.example.org.evil.example/v1", False),
        ("https://evil.example/ours.example.org", False),
        ("https://ours.example.org@evil.example/v1", False),
        ("https://evil.example\\@ours.example.org/v1", False),
        ("https://sub.ours.example.org/v1", False),
        ("https://ours.example.org.:443", False),
        ("https://[", False),
        ("", False),
    ],
)
def test_only_the_very_server_that_was_attested_counts(url, allowed):
    assert (attestation_of(url, ATTESTED) is ATTESTED[0]) is allowed


def test_an_attested_server_may_be_asked_and_is_named_with_its_models(tmp_path):
    file = written(tmp_path, "https://ours.example.org/v1", ENTRY)
    assert list(attested_sentences(load_recipe(file))) == [
        "Texts of credentialed data go to https://Ours.example.org/openai (small): Ada Example "
        "attested on 2026-03-01 that this is allowed by Contract 7."
    ]
    assert paths(tmp_path, "https://other.example.org/v1", ENTRY) == ["models.small"]
    assert paths(tmp_path, "http://ours.example.org/v1", ENTRY) == ["models.small"]
    near = written(tmp_path, "http://127.0.0.1:8000/v1", ENTRY)
    assert list(attested_sentences(load_recipe(near))) == []


@pytest.mark.parametrize("key", list(ENTRY))
def test_every_part_of_an_attestation_is_needed(tmp_path, key):
    entry = {name: value for name, value in ENTRY.items() if name != key}
    assert any("attested" in path for path in paths(tmp_path, "http://127.0.0.1/v1", entry))
    blank = ENTRY | {key: " "}
    assert f"corpus.attested[0].{key}" in paths(tmp_path, "http://127.0.0.1/v1", blank)


@pytest.mark.parametrize(
    "changes",
    [
        {"endpoint": "http://ours.example.org"},
        {"endpoint": "https://127.0.0.1:8000"},
        {"endpoint": "ours.example.org"},
        {"on": "2026-02-30"},
    ],
)
def test_an_attestation_that_says_nothing_is_a_fault(tmp_path, changes):
    (key,) = changes
    found = paths(tmp_path, "http://127.0.0.1/v1", ENTRY | changes)
    assert found == [f"corpus.attested[0].{key}"]


def test_attestations_of_other_data_and_of_one_server_twice_are_faults(tmp_path):
    here = "http://127.0.0.1/v1"
    assert paths(tmp_path, here, ENTRY, access="restricted") == ["corpus.attested"]
    assert paths(tmp_path, here, ENTRY, ENTRY) == ["corpus.attested[1].endpoint"]
