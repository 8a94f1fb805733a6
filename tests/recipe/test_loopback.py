"""Which addresses are this machine: keys, proxies and credentialed texts depend on it."""

import pytest

from toolkit.recipe.loopback import is_loopback


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://127.8.9.1:80", True),
        ("http://[::1]:80/v1", True),
        ("http://[::ffff:127.0.0.1]/", True),
        ("http://127.0.0.1.example.org/v1", False),
        ("http://127.0.0.1@example.org/v1", False),
        ("http://localhost.example.org", False),
        ("http://10.0.0.1/v1", False),
        ("http://0.0.0.0/v1", False),
        ("https://api.openai.com/v1", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_loopback(url, here):
    assert is_loopback(url) is here
