"""The small tables of the ledger: queues, lanes, errors and long ids, each name kept once.

All of it is safe beside others who write the same names, on both databases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2s
from typing import Any

from django.db import models, transaction

from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet.own_database import take_turn
from echomq_admin.ledger.endings.models import (
    LONGEST_REF,
    MOST_ERROR,
    MOST_NAME,
    ErrorText,
    Lane,
    LongId,
    Place,
)

# Of a long id so many bytes stand before the digest.
_SHOWN = 25
# Ids that are longer are shown as pruned ones are.
MOST_ID = 1_000_000


def job_ref(job_id: str) -> bytes:
    """How an id stands in `Ending.job`: as it is, or its beginning and a digest, 41 bytes long."""
    raw = to_wire(job_id)
    return raw if len(raw) <= LONGEST_REF else raw[:_SHOWN] + _digest(raw)


def ids_of(refs: Iterable[bytes]) -> dict[bytes, str]:
    """The ids behind some `Ending.job`. Of a long one that is no longer kept, its beginning."""
    ids = {bytes(ref): from_wire(bytes(ref)) for ref in refs}
    cut = [ref for ref in ids if len(ref) > LONGEST_REF]
    ids |= {ref: from_wire(ref[:_SHOWN]) + "…" for ref in cut}
    for key, job_id in LongId.objects.filter(key__in=cut).values_list("key", "job_id"):
        ids[bytes(key)] = from_wire(bytes(job_id))
    return ids


def find_place(server: str, queue: str) -> Place | None:
    """The place of a queue, `None` for one of which the ledger knows nothing."""
    return Place.objects.filter(server=server, queue=to_wire(queue)).first()


def place(server: str, queue: str) -> Place:
    """The place of a queue, made when it is the first time."""
    found = find_place(server, queue)
    if found:
        return found
    with transaction.atomic():
        one_writer()
        return Place.objects.get_or_create(server=server, queue=to_wire(queue))[0]


def places(server: str | None = None) -> dict[int, Place]:
    """By their primary keys: those of a server, or all."""
    mine = Place.objects.all() if server is None else Place.objects.filter(server=server)
    return {each.pk: each for each in mine}


def one_writer() -> None:
    """From here to the end of the transaction nobody else writes to the ledger.

    Two who name the same lanes in another order would else wait for each other.
    """
    take_turn("ledger")


def lane_key(name: bytes) -> bytes:
    """The `key` of a lane of this whole name."""
    return _digest(name)


def keep_lanes(names: Iterable[str], last_ms: int) -> dict[str, int]:
    """The primary key of each lane. Needs a transaction that called `one_writer`."""
    raws = {name: to_wire(name) for name in names}
    keys = {name: lane_key(raw) for name, raw in raws.items()}
    kept = _keep(Lane, {keys[name]: {"name": raws[name][:MOST_NAME]} for name in raws}, last_ms)
    return {name: kept[key] for name, key in keys.items()}


def keep_errors(errors: Iterable[tuple[bytes, int]], last_ms: int) -> dict[tuple[bytes, int], int]:
    """The primary key of each error, given as what was read of it and the size of the whole."""
    keys = {(read, size): _digest(b"%d:" % size + read) for read, size in errors}
    fresh = {key: {"text": read[:MOST_ERROR], "size": size} for (read, size), key in keys.items()}
    kept = _keep(ErrorText, fresh, last_ms)
    return {error: kept[key] for error, key in keys.items()}


def keep_ids(job_ids: Iterable[str], last_ms: int) -> None:
    """Keep those that are too long for `Ending.job`."""
    raws = {job_ref(job_id): to_wire(job_id) for job_id in job_ids}
    _keep(
        LongId,
        {key: {"job_id": raw} for key, raw in raws.items() if LONGEST_REF < len(raw) <= MOST_ID},
        last_ms,
    )


def _keep(
    model: type[models.Model], rows: Mapping[bytes, Mapping[str, Any]], last_ms: int
) -> dict[bytes, int]:
    """The primary key of the row of each key, written when it is not there."""
    if not rows:
        return {}
    mine = model.objects.filter(key__in=list(rows))
    # Before it is read: a row that is young enough is not pruned in between.
    mine.filter(last_ms__lt=last_ms).update(last_ms=last_ms)
    known = _known(mine)
    missing = [key for key in rows if key not in known]
    if not missing:
        return known
    fresh = [model(key=key, last_ms=last_ms, **rows[key]) for key in missing]
    model.objects.bulk_create(fresh, ignore_conflicts=True)
    return _known(mine.all())


def _known(rows: models.QuerySet) -> dict[bytes, int]:
    return {bytes(key): pk for key, pk in rows.values_list("key", "pk")}


def _digest(raw: bytes) -> bytes:
    return blake2s(raw, digest_size=16).digest()
