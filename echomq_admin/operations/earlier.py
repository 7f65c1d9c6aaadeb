"""What the trail tells of the jobs of a requeue since: whether it was undone, what moved them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from hashlib import blake2s

from django.db.models import QuerySet

from echomq_admin.emq.audit import place
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet.names import shown
from echomq_admin.ledger.models import Kind, TrailEntry, TrailJob, job_key
from echomq_admin.ledger.sieve import row_by_row
from echomq_admin.operations.checks import OF_UNDO
from echomq_admin.operations.recording import moment

# These leave a job where it is.
_MOVE_NOTHING = ("update_payload", "extend")
_AT_ONCE = 500


def undo_id(server_name: str, queue: str, op_id: str) -> str:
    """The op_id of the undo of a call: always the same, so that it moves nothing twice."""
    name = "\0".join((server_name, queue, op_id)).encode("utf-8", "surrogateescape")
    return f"{OF_UNDO}{blake2s(name, digest_size=16).hexdigest()}"


def undone(server_name: str, queue: str, op_id: str) -> tuple[int, int] | None:
    """How many jobs the undo of a requeue returned, and when by the server's clock; `None` where
    the trail has none."""
    name = undo_id(server_name, queue, op_id)
    found = _moved(server_name, queue).filter(op_id=name, op="return_to_dead")
    return found.order_by("pk").values_list("n", "at_ms").first()


def moved_since(
    server_name: str, queue: str, op_id: str, job_ids: Collection[str]
) -> dict[str, str]:
    """Those of the jobs that a later entry of the trail moved than the requeue of that op_id, each
    with the sentence that says by what."""
    ours = _moved(server_name, queue).filter(op_id=op_id, op="requeue")
    behind = max(map(place, ours.values_list("stream_id", flat=True)), default=None)
    if behind is None:
        return {}
    by_key = {job_key(job_id): job_id for job_id in job_ids}
    later = {}
    for key, entry in _named(list(by_key)):
        is_here = (entry.server, bytes(entry.queue)) == (server_name, to_wire(queue))
        if is_here and entry.kind == Kind.MOVED and place(entry.stream_id) > behind:
            later.setdefault(by_key[key], _said(entry))
    return later


def _said(entry: TrailEntry) -> str:
    return (
        f"was moved by {shown(entry.op)} {shown(entry.op_id)} of {shown(entry.actor)} at "
        f"{moment(entry.at_ms)}, so that this undo is not for it any more."
    )


def _named(keys: list[bytes]) -> Iterator[tuple[bytes, TrailEntry]]:
    """The entries that name one of the jobs, the newest first."""
    for start in range(0, len(keys), _AT_ONCE):
        found = TrailJob.objects.filter(job__in=keys[start : start + _AT_ONCE])
        found = found.exclude(entry__op__in=_MOVE_NOTHING).select_related("entry")
        for row in found.defer("entry__jobs", "entry__detail").order_by("-at_ms", "-entry"):
            yield bytes(row.job), row.entry


def _moved(server_name: str, queue: str) -> QuerySet[TrailEntry]:
    return TrailEntry.objects.filter(
        row_by_row(server=server_name, queue=to_wire(queue), kind=Kind.MOVED)
    )
