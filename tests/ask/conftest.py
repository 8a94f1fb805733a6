import pytest

from tests.ask.asking import Asker


@pytest.fixture
def asker(tmp_path):
    return Asker(tmp_path)
