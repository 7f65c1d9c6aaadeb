"""The console's own database, SQLite or PostgreSQL: its trouble in words, and turns to write."""

from __future__ import annotations

import hashlib

from django.db import connection

from echomq_admin.fleet.names import shown

_MOST = 500
# What PostgreSQL says of a lock that was not to be had in time, of a deadlock, of transactions in
# each other's way, and of a statement that took too long.
_BUSY = {"55P03", "40P01", "40001", "57014"}
_UNREACHABLE = "it cannot be reached"


def said(error: Exception) -> str:
    """What went wrong, in one line that names no address of a server and no statement."""
    cause = error.__cause__
    diagnosis = getattr(cause, "diag", None)
    if diagnosis is None:
        return shown(str(error))[:_MOST]
    # What cannot be reached has told nothing, and how it was tried is for the log alone.
    return shown(diagnosis.message_primary or _UNREACHABLE)[:_MOST]


def is_busy(error: Exception) -> bool:
    """Whether another process is in the way, so that the same may work in a moment."""
    return "locked" in str(error) or getattr(error.__cause__, "sqlstate", None) in _BUSY


def is_postgresql() -> bool:
    return connection.vendor == "postgresql"


def take_turn(*what: object) -> None:
    """Have those who write the same wait for the end of this transaction, in which it is called.

    SQLite lets only one write anyway.
    """
    if not is_postgresql():
        return
    name = "\0".join(map(str, what)).encode("utf-8", "surrogateescape")
    key = hashlib.blake2s(name, digest_size=8).digest()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s)", [int.from_bytes(key, "big", signed=True)]
        )
