"""Names that may stand in a repository, and what is left alone."""

import pytest
from hub_files import write

from toolkit.errors import UserError
from toolkit.hub.plan import plan_changes
from toolkit.hub.tree import RemoteFile


@pytest.mark.parametrize(
    "name",
    [
        "../x.txt",
        "a/../b.txt",
        "/etc/passwd",
        ".env",
        "a//b.txt",
        "a\\b.txt",
        "a\u202eb.txt",
        "~/x",
    ],
)
def test_a_name_that_reaches_elsewhere_is_refused(tmp_path, name):
    with pytest.raises(UserError, match="cannot be sent") as error:
        plan_changes(tmp_path, [name], {}, None)
    assert str(error.value).isascii()


def test_a_link_and_a_folder_that_is_one_are_refused(tmp_path):
    outside = tmp_path / "outside"
    write(outside, key_txt="secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.txt").symlink_to(outside / "key.txt")
    (inside / "folder").symlink_to(outside)
    with pytest.raises(UserError) as error:
        plan_changes(inside, ["link.txt", "folder/key.txt", "gone.txt"], {}, None)
    assert "link.txt: a symbolic link" in str(error.value)
    assert "folder/key.txt: a symbolic link" in str(error.value)
    assert "gone.txt: no such file" in str(error.value)


def test_only_what_was_made_here_is_deleted(tmp_path):
    names = write(tmp_path, README_md="x")
    tree = {name: RemoteFile("0" * 40, None, 9) for name in ("LICENSE", "old.json", "README.md")}
    found = plan_changes(tmp_path, names, tree, "a" * 40, owned=["old.json", "gone.json"])
    assert [change.path for change in found.delete] == ["old.json"]
    assert [change.path for change in found.foreign] == ["LICENSE"]
    assert [(c.path, c.before, c.after) for c in found.update] == [("README.md", 9, 1)]


def test_names_that_differ_in_case_only_are_refused(tmp_path):
    names = write(tmp_path, README_md="x")
    with pytest.raises(UserError, match="case only"):
        plan_changes(tmp_path, names, {"readme.MD": RemoteFile("0" * 40, None, 9)}, "a" * 40)
