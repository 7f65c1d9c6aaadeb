"""Another process holds the console's database, SQLite or PostgreSQL."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from django.db import connection

# What the database says then.
LOCKED = (
    "canceling statement due to lock timeout"
    if os.environ.get("TEST_DATABASE")
    else "database is locked"
)


@contextmanager
def locked() -> Iterator[None]:
    """Nothing is written until the block ends, and nobody waits long for it. Needs a test with
    `transaction=True`."""
    postgresql = connection.vendor == "postgresql"
    patience = _no_patience_of_postgresql if postgresql else _no_patience_of_sqlite
    with patience(), (_tables if postgresql else _file)():
        yield


@contextmanager
def _file() -> Iterator[None]:
    name = connection.settings_dict["NAME"]
    with closing(sqlite3.connect(name, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def _tables() -> Iterator[None]:
    """Reads go on, as they do of SQLite."""
    other = connection.copy()
    tables = ", ".join(f'"{name}"' for name in connection.introspection.table_names())
    try:
        with other.cursor() as cursor:
            # It has the patience that the others lack.
            cursor.execute("BEGIN; SET LOCAL lock_timeout = '30s'")
            cursor.execute(f"LOCK TABLE {tables} IN SHARE ROW EXCLUSIVE MODE")
            yield
            cursor.execute("ROLLBACK")
    finally:
        other.close()


@contextmanager
def _no_patience_of_sqlite() -> Iterator[None]:
    options = connection.settings_dict["OPTIONS"]
    before = options["timeout"]
    connection.close()
    options["timeout"] = 0.05
    try:
        yield
    finally:
        options["timeout"] = before
        connection.close()


@contextmanager
def _no_patience_of_postgresql() -> Iterator[None]:
    options = connection.settings_dict["OPTIONS"]
    before = options["options"]
    connection.close()
    options["options"] = f"{before} -c lock_timeout=50ms"
    try:
        yield
    finally:
        options["options"] = before
        connection.close()
