"""Replies that are kept for a while."""

import pytest

from toolkit.models.recent_replies import RecentReplies


def test_a_request_is_made_once_until_it_was_used_longest_ago():
    made = []

    def reply(name):
        return kept.of(name, lambda: made.append(name) or name.upper())

    kept = RecentReplies(2)
    assert [reply(name) for name in "aabab"] == list("AABAB")
    assert made == ["a", "b"]
    reply("c")
    assert [reply("b"), reply("a")] == ["B", "A"]
    assert made == ["a", "b", "c", "a"]


def test_what_fails_is_made_again():
    kept = RecentReplies()

    def fails():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        kept.of("a", fails)
    assert kept.of("a", lambda: 1) == 1


def test_a_reply_that_is_not_to_be_kept_is_given_and_made_again():
    kept = RecentReplies(keep=lambda reply: "error" not in reply)
    replies = iter([{"error": "busy"}, {"answer": 1}, {"answer": 2}])
    given = [kept.of("a", lambda: next(replies)) for _ in range(3)]
    assert given == [{"error": "busy"}, {"answer": 1}, {"answer": 1}]
