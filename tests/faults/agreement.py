"""Whether jobs, audit stream and trail tell the same story."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgpack
import redis

from tests.emq.keys import Keyspace
from tests.emq.promises import places

AUDIT = b"emqadmin:{orders}:audit"
Stream = list[tuple[bytes, dict[bytes, bytes]]]
# Where a job must have been for a verb to move it, and where it is then.
_FROM = {
    b"requeued": {"dead"},
    b"returned": {"waiting"},
    b"promoted": {"schedule"},
    b"buried": {"waiting", "schedule"},
    b"removed": {"waiting", "schedule", "dead"},
    b"restored": {"gone"},
}
_TO = {
    b"requeued": "waiting",
    b"returned": "dead",
    b"promoted": "waiting",
    b"buried": "dead",
}


def where(keys: Keyspace) -> dict[bytes, str]:
    """In which kind of place each job is."""
    return {job: _kind(names) for job, names in places(keys).items()}


def _kind(names: list[tuple[bytes, float]]) -> str:
    ((name, _),) = names
    return "waiting" if name == b"pending" or name.startswith(b"g:") else name.decode()


def stream(store: redis.Redis) -> Stream:
    return store.xrange(AUDIT)


class Story:
    """Where each job must be if nothing happened but what a stream tells, in its order. A job that
    is restored is where it was when it was removed."""

    def __init__(self, start: Mapping[bytes, str], told: Stream) -> None:
        self.there = dict(start)
        # Of each job that is removed, where it was.
        self.gone: dict[bytes, str] = {}
        for _, entry in told:
            for job, outcome, *_ in msgpack.unpackb(entry[b"jobs"], raw=True):
                self._move(job, outcome, told)

    def _move(self, job: bytes, outcome: bytes, told: Stream) -> None:
        here = self.there.get(job, "gone")
        assert here in _FROM[outcome], (job, here, history(told, job))
        if outcome == b"removed":
            self.gone[job] = self.there.pop(job)
        elif outcome == b"restored":
            self.there[job] = self.gone.pop(job)
        else:
            self.there[job] = _TO[outcome]


def history(told: Stream, job: bytes) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """What a stream tells of one job: when, by whom, under which op_id, what."""
    return [
        (entry_id, entry[b"actor"], entry[b"op_id"], one[1])
        for entry_id, entry in told
        for one in msgpack.unpackb(entry[b"jobs"], raw=True)
        if one[0] == job
    ]


def trail(database: Path) -> dict[str, tuple[object, ...]]:
    """The copies in the database by their id in the stream."""
    rows = _rows(
        database,
        "SELECT stream_id, op, op_id, actor, at_ms, n, jobs, reason FROM ledger_trailentry "
        "WHERE kind = 'moved'",
    )
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: row[1:] for row in rows}


def as_trail(told: Stream, reasons: Mapping[str, str]) -> dict[str, tuple[object, ...]]:
    """What the trail must hold of a stream; `reasons` are those of the actors."""
    return {
        entry_id.decode(): (
            entry[b"op"].decode(),
            entry[b"op_id"].decode(),
            entry[b"actor"].decode(),
            int(entry[b"t"]),
            int(entry[b"n"]),
            entry[b"jobs"],
            reasons[entry[b"actor"].decode()],
        )
        for entry_id, entry in told
    }


def twice(told: Stream) -> list[bytes]:
    """The calls that moved something more than once."""
    return [name for name, n in Counter(entry[b"op_id"] for _, entry in told).items() if n > 1]


def trash(database: Path) -> Counter[bytes]:
    """How often each job lies in the trash."""
    rows = "SELECT job_id FROM operations_trashed WHERE is_removed AND NOT is_restored"
    return Counter(job for (job,) in _rows(database, rows))


def under_way(database: Path) -> int:
    """Of how many jobs that were kept it is not settled what became of them."""
    ((count,),) = _rows(database, "SELECT count(*) FROM operations_trashed WHERE under_way > ''")
    return count


def grow_old(database: Path) -> None:
    """As if what broke off had been started long ago, so that nobody can be at it any more."""
    with contextlib.closing(sqlite3.connect(database, timeout=30)) as connection, connection:
        connection.execute("UPDATE operations_trashed SET changed_ms = 0")


def is_sound(database: Path) -> bool:
    return _rows(database, "PRAGMA integrity_check") == [("ok",)]


def _rows(database: Path, query: str) -> list[tuple]:
    address = f"file:{database}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True, timeout=30)) as connection:
        return connection.execute(query).fetchall()
