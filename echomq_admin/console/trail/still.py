"""Whether a requeue has anything left to take back: jobs that still wait as it left them."""

from __future__ import annotations

from collections.abc import Iterable

from echomq_admin.emq.audit import Moved
from echomq_admin.emq.keyspace import Keyspace, from_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.servers import TROUBLE
from echomq_admin.ledger.models import TrailEntry
from echomq_admin.ledger.told import told

# A call that moved more is not looked through: it counts as one with something left.
MOST = 20


def over(entries: Iterable[TrailEntry]) -> set[int]:
    """Of requeues the keys of those whose jobs were all claimed, removed or moved since. One
    round trip a server; what a server does not tell is not over."""
    found: set[int] = set()
    by_server: dict[str, list[TrailEntry]] = {}
    for entry in entries:
        if entry.n <= MOST:
            by_server.setdefault(entry.server, []).append(entry)
    for name, some in by_server.items():
        try:
            found |= _over(servers.server(name), some)
        except (LookupError, ValueError, *TROUBLE):
            continue
    return found


def _over(server: servers.Server, entries: list[TrailEntry]) -> set[int]:
    asked = [(entry, moved) for entry in entries for moved in _moved(entry)]
    pipe = server.client.pipeline(transaction=False)
    for entry, moved in asked:
        row = Keyspace(from_wire(bytes(entry.queue))).job(moved.job_id)
        pipe.hmget(row, "state", "attempts")
    rows = zip(asked, pipe.execute(raise_on_error=False), strict=True)
    waiting = {entry.pk for (entry, moved), row in rows if _waits(moved, row)}
    return {entry.pk for entry, _ in asked} - waiting


def _moved(entry: TrailEntry) -> list[Moved]:
    return [moved for moved in told(entry).jobs if moved.outcome == "requeued"]


def _waits(moved: Moved, row: object) -> bool:
    """Whether a row stands as the requeue left it, or does not say."""
    if not isinstance(row, list):
        return True
    is_same = moved.attempts is None or row[1] == str(moved.attempts).encode()
    return row[0] == b"pending" and is_same
