import sqlite3

import pytest

from toolkit.errors import StoreError
from toolkit.records import SCHEMA_VERSION
from toolkit.store.ledger import Ledger, LedgerRequest, Settlement
from toolkit.store.ledger_schema import connect, migrate

ASKED = LedgerRequest("p", "u", "", {"n": 1}, 0)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        claim = ledger.claim(ASKED, run="r").result()
        ledger.settle(claim.call, Settlement(outcome="done", response=b"kept")).result()
    return path


def add_column(connection):
    connection.execute("ALTER TABLE requests ADD COLUMN note TEXT")


def test_a_current_ledger_is_left_alone(path):
    connection = connect(path)
    assert migrate(connection, path) is None
    connection.close()


def test_an_older_ledger_is_migrated_after_a_backup(path):
    connection = connect(path)
    backup = migrate(
        connection, path, steps={SCHEMA_VERSION: add_column}, version=SCHEMA_VERSION + 1
    )
    assert connection.execute("SELECT response, note FROM requests").fetchone() == (b"kept", None)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION + 1,)
    connection.close()
    assert backup is not None
    old = sqlite3.connect(backup)
    assert old.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert old.execute("SELECT response FROM requests").fetchone() == (b"kept",)
    old.close()


def test_a_step_that_fails_leaves_the_ledger_as_it_was(path):
    def fail(connection):
        add_column(connection)
        raise RuntimeError("half way")

    connection = connect(path)
    with pytest.raises(RuntimeError, match="half way"):
        migrate(connection, path, steps={SCHEMA_VERSION: fail}, version=SCHEMA_VERSION + 1)
    connection.close()
    with Ledger(path) as ledger:
        assert ledger.lookup(ASKED).response == b"kept"


def test_a_ledger_with_no_way_to_the_present_is_refused(path):
    connection = connect(path)
    with pytest.raises(StoreError, match="no way from"):
        migrate(connection, path, steps={}, version=SCHEMA_VERSION + 1)
    connection.close()
