"""The leases in flight of a queue as the observer knows them, and how they lie in the database."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import msgpack

from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.observing.models import Watched

# What a blob of this program can unpack to at most, bytes; a larger one is none.
_MOST_BYTES = 64_000_000
_DAMAGED = (ValueError, TypeError, AttributeError, zlib.error, msgpack.UnpackException)


@dataclass(slots=True)
class Lease:
    """A lease in flight. Times are the server's clock, unix ms.

    `attempts` is `None` when it is no number, or when there is no row. `mark` tells the error that
    the job has from others, `None` for none. It was first seen at `first_ms`, seen to be renewed
    `renewals` times, last at `renewed_ms`, and was in flight for sure at `seen_ms`, 0 for the
    instant of the last look at its queue. `is_new_life` and `is_revived` as in a finding. When it
    was first seen, the job may have stood in another set as well (`is_elsewhere`): from there it
    can be claimed or requeued though nobody ended the lease.
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


def pack(leases: Mapping[bytes, Lease]) -> bytes:
    """Leases by wire id; nothing packs to nothing."""
    if not leases:
        return b""
    return zlib.compress(msgpack.packb([_row(raw, lease) for raw, lease in leases.items()]), 1)


def unpack(packed: bytes, wanted: Collection[bytes] | None = None) -> dict[bytes, Lease]:
    """The leases, or those of the `wanted` ids alone; none where the blob is damaged."""
    if not packed:
        return {}
    try:
        inflating = zlib.decompressobj()
        rows = msgpack.unpackb(inflating.decompress(bytes(packed), _MOST_BYTES))
        if not inflating.eof:
            return {}
        return {row[0]: _lease(row) for row in rows if wanted is None or row[0] in wanted}
    except _DAMAGED:
        return {}


def of(place: Place) -> dict[str, Lease]:
    """What was known of the leases of a queue a few seconds ago, by job id."""
    packed = Watched.objects.filter(place=place).values_list("flights", flat=True).first()
    return {from_wire(raw): lease for raw, lease in unpack(packed or b"").items()}


def _row(raw: bytes, lease: Lease) -> list[object]:
    return [
        raw,
        lease.attempts,
        lease.stalled,
        lease.deadline_ms,
        None if lease.lane is None else to_wire(lease.lane),
        lease.mark,
        lease.first_ms,
        lease.renewals,
        lease.renewed_ms,
        lease.seen_ms,
        lease.is_new_life + 2 * lease.is_revived + 4 * lease.is_elsewhere,
    ]


def _lease(row: list[object]) -> Lease:
    _, attempts, stalled, deadline, lane, mark, first, renewals, renewed, seen, flags = row
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
        is_new_life=bool(flags & 1),
        is_revived=bool(flags & 2),
        is_elsewhere=bool(flags & 4),
    )
