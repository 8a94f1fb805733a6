from __future__ import annotations

import pytest

from toolkit.metrics.base import (
    Value,
    check_pairs,
    shortcut,
    write_signature,
)


def test_nested_references_and_lone_strings_are_refused() -> None:
    with pytest.raises(TypeError, match=r"references\[0\] is list"):
        check_pairs(["a"], [["a"]])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="predictions is one string"):
        check_pairs("ab", ["a", "b"])
    with pytest.raises(TypeError, match=r"predictions\[1\] is NoneType"):
        check_pairs(["a", None], ["a", "b"])  # type: ignore[list-item]


def test_shortcut_decides_only_blank_texts() -> None:
    assert shortcut("a", "b") is None
    assert shortcut(".", "-") is None
    assert shortcut("", "b") == Value(0.0, note="empty prediction")
    assert shortcut("a", "\t") == Value(None, reason="empty reference")


def test_signature_keeps_the_order_given() -> None:
    assert write_signature("m", {"z": 1, "a": "x"}) == "m|z:1|a:x"
