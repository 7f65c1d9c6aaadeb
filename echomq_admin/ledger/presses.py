"""Calls that were on their way: why a person made them, found again by what the script wrote."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.models import Copied, Press
from echomq_admin.ledger.notes import host_ms
from echomq_admin.ledger.texts import fit, sound

KEEP_MS = 7 * 24 * 3_600_000
# What the steps and the parts of a call put behind its op_id.
_STEP = re.compile(r"(.+)\.(?:[0-9]+|again)\Z", re.DOTALL)
_AT_ONCE = 500


def press(server: str, queue: str, op_id: str, actor: str, op: str, reason: str) -> None:
    """Note a call before it is sent, and that the stream of its queue is to be copied.

    The steps of a call and its repetitions are one press; the last reason that was given stands.
    """
    row = Press(
        server=server,
        queue=to_wire(queue),
        op_id=fit(op_id, 120),
        actor=fit(actor, 300),
        op=fit(op, 100),
        reason=sound(reason),
        at_ms=host_ms(),
    )
    look_after(server, queue)
    Press.objects.bulk_create([row], **_on_conflict(row))


def look_after(server: str, queue: str) -> None:
    """Have the stream of a queue copied, unless it is already."""
    mark = {"server": server, "queue": to_wire(queue)}
    if not Copied.objects.filter(**mark).exists():
        Copied.objects.bulk_create([Copied(**mark)], ignore_conflicts=True)


def _on_conflict(row: Press) -> dict[str, object]:
    if not row.reason:
        return {"ignore_conflicts": True}
    return {
        "update_conflicts": True,
        "unique_fields": ["server", "queue", "op_id", "actor"],
        "update_fields": ["reason", "at_ms"],
    }


def whole_calls(op_id: str) -> Iterator[str]:
    """The op_ids of the calls that this may be a step of, itself first."""
    yield op_id
    while found := _STEP.match(op_id):
        op_id = found[1]
        yield op_id


def reasons(
    server: str, queue: str, calls: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], str]:
    """Why each of the (op_id, actor) was made, for those of which it is known. A stranger's entry
    under the op_id of a call gets no reason."""
    op_ids = {whole for op_id, _ in calls if op_id for whole in whole_calls(op_id)}
    rows = Press.objects.filter(server=server, queue=to_wire(queue), op_id__in=op_ids)
    known = {
        (op_id, actor): reason
        for op_id, actor, reason in rows.exclude(reason="").values_list("op_id", "actor", "reason")
    }
    return {(op_id, actor): _reason(known, op_id, actor) for op_id, actor in calls}


def _reason(known: dict[tuple[str, str], str], op_id: str, actor: str) -> str:
    found = (known.get((whole, actor)) for whole in whole_calls(op_id))
    return next(filter(None, found), "")


def prune(server: str, unread: Collection[str] = ()) -> int:
    """Forget the presses of a server that are older than `KEEP_MS`, but for those in queues whose
    stream is `unread`; how many. For who has just copied all others to their end."""
    rows = Press.objects.filter(server=server, at_ms__lt=host_ms() - KEEP_MS)
    left = {to_wire(queue) for queue in unread}
    old = [pk for pk, queue in rows.values_list("pk", "queue") if bytes(queue) not in left]
    for start in range(0, len(old), _AT_ONCE):
        Press.objects.filter(pk__in=old[start : start + _AT_ONCE]).delete()
    return len(old)
