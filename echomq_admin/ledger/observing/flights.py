"""The leases in flight of a queue as the observer knows them, and how they lie in the database."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import msgpack

from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.observing.models import Watched

# What a blob of this program can unpack to at most, bytes; a larger one is none.
_MOST_BYTES = 64_000_000
_FLAGS = ("is_new_life", "is_revived", "is_elsewhere", "is_whole")
_DAMAGED = (ValueError, TypeError, AttributeError, zlib.error, msgpack.UnpackException)


@dataclass(slots=True)
class Lease:
    """A lease in flight. Times are the server's clock, unix ms.

    `attempts` is `None` when it is no number, or when there is no row. `mark` tells the error that
    the job has from others, `None` for none. It was first seen at `first_ms`, seen to be renewed
    `renewals` times, last at `renewed_ms`, and was in flight for sure at `seen_ms`, 0 for the
    instant of the last look at its queue. `is_new_life` and `is_revived` as in a finding. When it
    was first seen, the job may have stood in another set as well (`is_elsewhere`): from there it
    can be claimed or requeued though nobody ended the lease. `is_whole`: it was watched from its
    first look on, without a gap, so that nothing is missing in `renewals`.
    """

    attempts: int | None
    stalled: int
    deadline_ms: float
    lane: str | None
    mark: bytes | None
    first_ms: int
    renewals: int = 0
    renewed_ms: int | None = None
    seen_ms: int = 0
    is_new_life: bool = False
    is_revived: bool = False
    is_elsewhere: bool = False
    is_whole: bool = False


def pack(leases: Mapping[bytes, Lease], failed: int | None = None) -> bytes:
    """Leases by wire id, each packed for itself, and how many deaths their queue had counted;
    no leases pack to nothing."""
    if not leases:
        return b""
    rows = {raw: msgpack.packb(_row(lease)) for raw, lease in leases.items()}
    return zlib.compress(msgpack.packb([failed, rows]), 1)


def unpack(
    packed: bytes, wanted: Collection[bytes] | None = None
) -> tuple[dict[bytes, Lease], int | None]:
    """The leases, or those of the `wanted` ids alone, and the count of deaths; nothing where the
    blob is damaged."""
    if not packed:
        return {}, None
    try:
        inflating = zlib.decompressobj()
        failed, rows = msgpack.unpackb(inflating.decompress(bytes(packed), _MOST_BYTES))
        if not inflating.eof:
            return {}, None
        found = rows if wanted is None else rows.keys() & set(wanted)
        return {raw: _lease(msgpack.unpackb(rows[raw])) for raw in found}, failed
    except _DAMAGED:
        return {}, None


def of(place: Place | None, job_ids: Iterable[str]) -> tuple[int | None, dict[str, Lease]]:
    """When the queue was seen last, `None` for never, and what was known then of the leases of
    these jobs."""
    row = Watched.objects.filter(place=place).values_list("seen_ms", "flights").first()
    if place is None or row is None:
        return None, {}
    leases, _ = unpack(row[1], set(map(to_wire, job_ids)))
    return row[0], {from_wire(raw): lease for raw, lease in leases.items()}


def _row(lease: Lease) -> list[object]:
    return [
        lease.attempts,
        lease.stalled,
        lease.deadline_ms,
        None if lease.lane is None else to_wire(lease.lane),
        lease.mark,
        lease.first_ms,
        lease.renewals,
        lease.renewed_ms,
        lease.seen_ms,
        sum(1 << at for at, name in enumerate(_FLAGS) if getattr(lease, name)),
    ]


def _lease(row: list[object]) -> Lease:
    attempts, stalled, deadline, lane, mark, first, renewals, renewed, seen, flags = row
    return Lease(
        attempts=attempts,
        stalled=stalled,
        deadline_ms=float(deadline),
        lane=None if lane is None else from_wire(lane),
        mark=mark,
        first_ms=first,
        renewals=renewals,
        renewed_ms=renewed,
        seen_ms=seen,
        **{name: bool(flags & 1 << at) for at, name in enumerate(_FLAGS)},
    )
