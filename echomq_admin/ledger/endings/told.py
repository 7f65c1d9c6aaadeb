"""Endings as they are told: names instead of numbers, with what follows from their times."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.ledger.documents import exact
from echomq_admin.ledger.endings.models import (
    MOST_NAME,
    Ending,
    EndingKind,
    ErrorText,
    Lane,
    Source,
)
from echomq_admin.ledger.endings.names import ids_of, lane_key
from echomq_admin.ledger.models import TrailEntry

# The actor of a call in words, where its entry names none.
NOBODY = "nobody named"


@dataclass(frozen=True, slots=True)
class Told:
    """How one lease ended; the fields are those of `Ending`, times in ms of the server's clock.

    It ended after `ended_ms - within_ms` and at `ended_ms` at the latest. `attempts` is `None`
    where the row's were no number. `late_ms` is how long past its deadline it ended, at the latest;
    below 0 for one that ended before, `None` without a deadline. `lane_cut`: `lane` is the
    beginning of a longer name. `error` is at most the first `MOST_ERROR` bytes of `error_size`.
    `op`, `actor` and `op_id` are those of the trail's `entry`, empty where there is none.
    """

    pk: int
    server: str
    queue: str
    job_id: str
    life: int
    attempts: int | None
    n: int
    kind: EndingKind
    source: Source
    ended_ms: int
    within_ms: int
    deadline_ms: int | None
    late_ms: int | None
    stalled: int | None
    renewals: int | None
    lane: str | None
    lane_cut: bool
    error: bytes | None
    error_size: int | None
    entry: int | None
    op: str = ""
    actor: str = ""
    op_id: str = ""

    @property
    def who(self) -> str:
        """The actor in words."""
        return self.actor or NOBODY


def told(pks: Sequence[int]) -> tuple[Told, ...]:
    """The endings with these keys in their order; those that are gone are left out."""
    rows = Ending.objects.select_related("place", "lane", "error").in_bulk(pks)
    found = [rows[pk] for pk in pks if pk in rows]
    ids = ids_of({bytes(row.job) for row in found})
    calls = _calls({row.entry for row in found} - {None})
    return tuple(_told(row, ids[bytes(row.job)], calls.get(row.entry, {})) for row in found)


def _calls(entries: Collection[int | None]) -> dict[int | None, dict[str, str]]:
    """What was done by whom, by the keys of entries of the trail."""
    if not entries:
        return {}
    rows = TrailEntry.objects.filter(pk__in=entries).values("pk", "op", "actor", "op_id")
    return {row.pop("pk"): row for row in rows}


def _told(row: Ending, job_id: str, call: Mapping[str, str]) -> Told:
    # A name that was pruned meanwhile is none.
    lane, lane_cut = lane_name(row.lane) if row.lane else (None, False)
    deadline = row.deadline_ms
    return Told(
        pk=row.pk,
        server=row.place.server,
        queue=from_wire(bytes(row.place.queue)),
        job_id=job_id,
        life=row.life,
        attempts=None if row.attempts < 0 else row.attempts,
        n=row.n,
        kind=EndingKind(row.kind),
        source=Source(row.source),
        ended_ms=row.ended_ms,
        within_ms=row.within_ms,
        deadline_ms=deadline,
        late_ms=None if deadline is None else row.ended_ms - deadline,
        stalled=row.stalled,
        renewals=row.renewals,
        lane=lane,
        lane_cut=lane_cut,
        error=_error(row.error),
        error_size=row.error.size if row.error else None,
        entry=row.entry,
        **call,
    )


def lane_name(lane: Lane) -> tuple[str, bool]:
    """The name of a lane, and whether it is only the beginning of it."""
    name = bytes(lane.name)
    return from_wire(name), len(name) >= MOST_NAME and bytes(lane.key) != lane_key(name)


def _error(text: ErrorText | None) -> bytes | None:
    return None if text is None else bytes(text.text)


def document(one: Told) -> dict[str, object]:
    """An ending for a JSON document: every byte of it, what is not known is null."""
    return {
        "ended_ms": one.ended_ms,
        "within_ms": one.within_ms,
        "kind": one.kind.name.lower(),
        "source": one.source.name.lower(),
        "server": one.server,
        "queue": exact(to_wire(one.queue)),
        "job": exact(to_wire(one.job_id)),
        "life": one.life,
        "attempts": one.attempts,
        "n": one.n,
        "lane": None if one.lane is None else exact(to_wire(one.lane)),
        "lane_cut": one.lane_cut,
        "stalled": one.stalled,
        "deadline_ms": one.deadline_ms,
        "late_ms": one.late_ms,
        "renewals": one.renewals,
        "error": None if one.error is None else exact(one.error),
        "error_size": one.error_size,
        "op": one.op or None,
        "actor": one.actor or None,
        "op_id": one.op_id or None,
    }
