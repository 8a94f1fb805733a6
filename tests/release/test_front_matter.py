import copy

import pytest

from toolkit.errors import UserError
from toolkit.gate.front_matter import faults, parse_card
from toolkit.gate.recipe import License
from toolkit.gate.vocabulary import SIZES, size_category
from toolkit.release.front_matter import ConfigInfo, SplitInfo, build_front_matter, yaml_text


def good() -> dict:
    return build_front_matter(
        pretty_name="Demo",
        license=License("other", "terms", "https://a.example"),
        languages=["en"],
        tags=["benchmark"],
        configs=[
            ConfigInfo(
                name="default",
                features=[{"name": "item_id", "dtype": "string"}],
                splits=[
                    SplitInfo(name="train", rows=3, num_bytes=30, file_bytes=9, files=1),
                    SplitInfo(name="test", rows=2, num_bytes=20, file_bytes=8, files=1),
                ],
            )
        ],
    )


def test_what_is_built_is_sound_and_survives_yaml():
    assert faults(good()) == []
    assert parse_card(yaml_text(good()) + "\n# Demo\n") == good()


def changed(**paths):
    def change(data):
        for path, value in paths.items():
            *parents, last = path.split("__")
            place = data
            for part in parents:
                place = place[int(part) if part.isdigit() else part]
            if value is None:
                del place[last]
            else:
                place[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed(license="cc-by-4"), "license: 'cc-by-4'"),
        (changed(license_link=None), "'license_link' is a required"),
        (changed(language=["english"]), "language.0: 'english'"),
        (changed(language="en"), "language: 'en' is not of type 'array'"),
        (changed(size_categories=["5K"]), "size_categories.0: '5K'"),
        (changed(configs=None), "'configs' is a required"),
        (changed(dataset_info=None), "'dataset_info' is a required"),
        (changed(configs__0__config_name=None), "'config_name' is a required"),
        (changed(configs__0__config_name="a-b"), "configs.0.config_name: 'a-b'"),
        (changed(configs__0__config_name="a\n"), "configs.0.config_name: 'a\\n'"),
        (changed(configs__0__default=None), "exactly one configuration is the default"),
        (changed(configs__0__data_files__0__split="dev"), "list other splits"),
        (changed(configs__0__data_files__0__path="../x.parquet"), "data_files.0.path"),
        (changed(configs__0__data_files__0__path="/etc/x"), "data_files.0.path"),
        (changed(dataset_info__0__splits__0__num_examples=0), "num_examples: 0 is less"),
        (changed(dataset_info__0__dataset_size=51), "not the sum of num_bytes"),
        (changed(dataset_info__0__config_name="other"), "not the configurations of configs"),
        (changed(dataset_info__0__features=[{"name": "a"}, {"name": "a"}]), "stands twice"),
        (changed(unknown_key=1), "'unknown_key' was unexpected"),
    ],
)
def test_every_fault_is_named(change, message):
    data = copy.deepcopy(good())
    change(data)
    assert message in "\n".join(faults(data))


def test_two_defaults_are_refused():
    data = good()
    data["configs"].append(copy.deepcopy(data["configs"][0]) | {"config_name": "second"})
    data["dataset_info"].append(copy.deepcopy(data["dataset_info"][0]) | {"config_name": "second"})
    assert faults(data) == ["configs: exactly one configuration is the default"]


@pytest.mark.parametrize("text", ["", "# Demo\n", "---\n- a\n---\n", "---\na: [\n---\n"])
def test_a_card_without_front_matter_is_refused(text):
    with pytest.raises(UserError, match="front matter"):
        parse_card(text)


def test_front_matter_runs_no_code():
    with pytest.raises(UserError, match="not YAML"):
        parse_card("---\na: !!python/object/apply:os.getcwd []\n---\n")


def test_size_categories_begin_at_their_lower_bound():
    assert size_category(0) == size_category(999) == "n<1K"
    assert size_category(1000) == "1K<n<10K"
    assert size_category(99_999) == "10K<n<100K"
    assert size_category(10**12 - 1) == "100B<n<1T"
    assert size_category(10**12) == "n>1T"
    assert len({size_category(10**power) for power in range(2, 13)}) == len(SIZES)
