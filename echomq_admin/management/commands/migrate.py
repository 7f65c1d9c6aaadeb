"""Django's `migrate`, fit for a database that several consoles share."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

# Of all processes that bring one database up to date, each waits here for the one before it.
_TURN = 0x6563_686F_6D71


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """On PostgreSQL one after the other, with no limit to how long a statement takes."""
        connection = connections[options["database"]]
        if connection.vendor != "postgresql" or connection.in_atomic_block:
            super().handle(*args, **options)
            return
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0; SET lock_timeout = 0")
            cursor.execute("SELECT pg_advisory_lock(%s)", [_TURN])
        try:
            super().handle(*args, **options)
        finally:
            # Closing it ends both; what comes next begins with the usual limits.
            connection.close()
