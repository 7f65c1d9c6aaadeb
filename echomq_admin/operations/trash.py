"""The trash: what was removed and can be put back, for `EMQ_TRASH_DAYS`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from echomq_admin.emq import replayed
from echomq_admin.emq.kept import rows_there
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.emq.whereabouts import Held
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger import copying
from echomq_admin.ledger.models import Gap, job_key
from echomq_admin.ledger.notes import host_ms
from echomq_admin.ledger.texts import sound
from echomq_admin.operations import packing
from echomq_admin.operations.models import Before, Trashed

DAY_MS = 86_400_000
# A call that is under way for so long will not be done any more.
OVER_MS = 600_000
_PIECES, _AT_ONCE = 200, 500
_LISTED = (
    "id", "op_id", "server", "queue", "job_id", "actor", "reason", "at_ms", "attempts", "size",
    "places",
)  # fmt: skip


@dataclass(frozen=True)
class InTrash:
    """A removed job. `sets` held it; `attempts` is `None` when they were no number; `size` is what
    it took in the server's memory, bytes; `at_ms` is the clock of the console's host."""

    row: int
    op_id: str
    server: str
    queue: str
    job_id: str
    actor: str
    reason: str
    at_ms: int
    attempts: int | None
    size: int
    sets: tuple[Held, ...]


@dataclass(frozen=True)
class Page:
    """The newest removals first. `previous` and `next` are cursors, `None` at an end."""

    rows: tuple[InTrash, ...]
    total: int
    previous: str | None
    next: str | None


def of(server_name: str, queue: str) -> QuerySet[Trashed]:
    """All rows of a queue, whatever became of their jobs."""
    return Trashed.objects.filter(server=server_name, queue=to_wire(queue))


def confirm(rows: QuerySet[Trashed], job_ids: Iterable[str], **became: object) -> None:
    """Write down that the call under way was done for these jobs."""
    for mine in _some(rows, job_ids):
        mine.update(under_way="", changed_ms=host_ms(), **became)


def drop(rows: QuerySet[Trashed], job_ids: Iterable[str]) -> None:
    """Delete what was kept of these jobs."""
    for mine in _some(rows, job_ids):
        mine.delete()


def _some(rows: QuerySet[Trashed], job_ids: Iterable[str]) -> Iterator[QuerySet[Trashed]]:
    keys = [job_key(job_id) for job_id in job_ids]
    for start in range(0, len(keys), _AT_ONCE):
        yield rows.filter(key__in=keys[start : start + _AT_ONCE])


def oldest_ms() -> int:
    """The time of what has been kept for `EMQ_TRASH_DAYS`; what is older is kept no more."""
    return host_ms() - int(settings.EMQ_TRASH_DAYS * DAY_MS)


def restorable(server: str = "", queue: str | None = None) -> QuerySet[Trashed]:
    """What is in the trash: of a server, of one of its queues, or all of it."""
    found = Trashed.objects.filter(is_removed=True, is_restored=False, at_ms__gte=oldest_ms())
    if server:
        found = found.filter(server=sound(server))
    return found if queue is None else found.filter(queue=to_wire(queue))


def count_of(server_name: str, queue: str, op_id: str) -> int:
    """How many jobs of one removal are in the trash."""
    return restorable(server_name, queue).filter(op_id=op_id).count()


def holds(server_name: str, queue: str, job_id: str) -> bool:
    """Whether a removed job can be restored."""
    return restorable(server_name, queue).filter(key=job_key(job_id)).exists()


def page(server: str = "", queue: str | None = None, cursor: str = "", rows: int = 25) -> Page:
    """So many rows behind the cursor, or before it when it begins with `-`; the newest for a cursor
    that is none, or that nothing is left at."""
    found, at = restorable(server, queue), _place(cursor.removeprefix("-"))
    is_back = at is not None and cursor.startswith("-")
    order = ("at_ms", "id") if is_back else ("-at_ms", "-id")
    cut = found.filter(_beyond(at, is_back)) if at else found
    some = list(cut.order_by(*order).values_list(*_LISTED, named=True)[: rows + 1])
    has_more, shown = len(some) > rows, some[:rows]
    if at and (not shown or (is_back and not has_more)):
        return page(server, queue, rows=rows)
    shown = shown[::-1] if is_back else shown
    return Page(
        rows=tuple(map(_listed, shown)),
        total=found.count(),
        previous=f"-{_cursor(shown[0])}" if at else None,
        next=_cursor(shown[-1]) if has_more or is_back else None,
    )


def _beyond(at: tuple[int, int], is_back: bool) -> Q:
    ms, row = at
    if is_back:
        return Q(at_ms__gt=ms) | Q(at_ms=ms, id__gt=row)
    return Q(at_ms__lt=ms) | Q(at_ms=ms, id__lt=row)


def _place(cursor: str) -> tuple[int, int] | None:
    ms, _, row = cursor.partition(".")
    is_sound = all(part.isdecimal() and part.isascii() and len(part) < 16 for part in (ms, row))
    return (int(ms), int(row)) if is_sound else None


def _cursor(row) -> str:
    return f"{row.at_ms}.{row.id}"


def _listed(row) -> InTrash:
    return InTrash(
        row=row.id,
        op_id=row.op_id,
        server=row.server,
        queue=from_wire(bytes(row.queue)),
        job_id=from_wire(bytes(row.job_id)),
        actor=row.actor,
        reason=row.reason,
        at_ms=row.at_ms,
        attempts=row.attempts,
        size=row.size,
        sets=packing.sets(row.places),
    )


def settle(server: Server) -> None:
    """Confirm or drop, by what the trail says, what calls left that broke off.

    What was done is confirmed at once; what was not is dropped when its call is long over. Raises
    redis-py's errors and `django.db.Error`.
    """
    under_way = Trashed.objects.filter(server=server.name, under_way__gt="")
    for queue, op_id in set(under_way.values_list("queue", "under_way")):
        settle_call(server, from_wire(bytes(queue)), op_id, OVER_MS)


def settle_call(server: Server, queue: str, op_id: str, over_ms: int | None = None) -> None:
    """The same for one call; what it has not done is dropped only `over_ms` after it, if at all,
    and not while the trail does not name all jobs that it moved, nor while a job has no row."""
    mine = of(server.name, queue).filter(under_way=op_id)
    if not mine.exists() or not _copied(server, queue):
        return
    _confirm(mine, copying.moved_by(server.name, queue, op_id))
    if over_ms is None:
        return
    old = mine.filter(changed_ms__lt=host_ms() - over_ms)
    if old.exists():
        # For a day the server knows what a call did whose entry was deleted before it was copied.
        _confirm(mine, replayed.words(server.client, queue, op_id))
    if copying.names_all(server.name, queue, op_id):
        _drop(server, queue, old)


def _confirm(rows: QuerySet[Trashed], moved: Mapping[str, str]) -> None:
    for word, kind, became in (
        ("removed", {"is_removed": False}, {"is_removed": True}),
        ("restored", {"is_removed": True}, {"is_restored": True}),
    ):
        done = [job_id for job_id, outcome in moved.items() if outcome == word]
        confirm(rows.filter(**kind), done, **became)


def _copied(server: Server, queue: str) -> bool:
    """Whether the trail has all that the queue's stream says by now."""
    for _ in range(_PIECES):
        step = copying.copy_piece(server, queue)
        if step.fault:
            return False
        if not step.more:
            return True
    return False


def _drop(server: Server, queue: str, rows: QuerySet[Trashed]) -> None:
    """Where entries of the stream are missing, nothing is dropped: what was done is not known. And
    of a job without a row nothing is dropped but by what is known: by the trail, or by a removal
    that took the job later, or while it was kept here, and so found it."""
    oldest = rows.order_by("changed_ms").values_list("changed_ms", flat=True).first()
    gaps = Gap.objects.filter(server=server.name, queue=to_wire(queue))
    if oldest is None or gaps.filter(found_at_ms__gte=oldest).exists():
        return
    unremoved = rows.filter(is_removed=False)
    job_ids = [from_wire(bytes(raw)) for raw in unremoved.values_list("job_id", flat=True)]
    drop(unremoved, rows_there(server.client, queue, job_ids))
    unremoved.filter(Exists(_LATER)).delete()
    rows.filter(is_removed=True).update(under_way="", restored_by="", changed_ms=host_ms())


# What is kept for a removal may be kept for another one before that is done.
_BESIDE_MS = 60_000
_LATER = Trashed.objects.filter(
    server=OuterRef("server"),
    queue=OuterRef("queue"),
    key=OuterRef("key"),
    at_ms__gte=OuterRef("at_ms") - _BESIDE_MS,
    is_removed=True,
)


def prune() -> int:
    """Delete what was kept for longer than `EMQ_TRASH_DAYS`, for trash and undo; how many rows."""
    oldest = oldest_ms()
    return _pruned(Trashed.objects.filter(at_ms__lt=oldest)) + _pruned(
        Before.objects.filter(at_ms__lt=oldest)
    )


def _pruned(rows: QuerySet) -> int:
    """A few at a time, so that nobody waits long for the database."""
    count = 0
    while ids := list(rows.order_by("at_ms").values_list("id", flat=True)[:_AT_ONCE]):
        count += len(ids)
        rows.model.objects.filter(id__in=ids).delete()
    return count
