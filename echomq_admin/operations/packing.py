"""A job in the trash: how what was kept of it lies in the database."""

from __future__ import annotations

import msgpack

from echomq_admin.emq.kept import CHILDREN, Kept
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.emq.whereabouts import Held
from echomq_admin.operations.models import Trashed


def body(one: Kept) -> bytes:
    """The body of a row of the trash."""
    parts = {
        "fields": dict(one.fields),
        "logs": list(one.logs),
        "dependencies": one.dependencies,
        "dedup": None if one.dedup is None else [to_wire(one.dedup[0]), one.dedup[1]],
        **{name: dict(one.children[name]) for name in CHILDREN if name in one.children},
    }
    return msgpack.packb(parts, use_bin_type=True)


def places(one: Kept) -> bytes:
    """The sets that held the job, for a row of the trash."""
    return msgpack.packb(
        [
            [held.place, None if held.group is None else to_wire(held.group), held.score]
            for held in one.places
        ]
    )


def job(row: Trashed) -> Kept:
    """The job that a row of the trash holds."""
    parts = msgpack.unpackb(bytes(row.body), strict_map_key=False)
    dedup = parts["dedup"]
    return Kept(
        fields=parts["fields"],
        places=sets(row.places),
        logs=parts["logs"],
        dependencies=parts["dependencies"],
        children={name: parts[name] for name in CHILDREN if name in parts},
        dedup=None if dedup is None else (from_wire(dedup[0]), dedup[1]),
        size=row.size,
    )


def sets(raw: bytes) -> tuple[Held, ...]:
    """The sets of a row of the trash."""
    return tuple(
        Held(place, score, None if group is None else from_wire(group))
        for place, group, score in msgpack.unpackb(bytes(raw))
    )
