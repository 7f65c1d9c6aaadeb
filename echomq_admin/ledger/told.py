"""An entry of the trail as an entry of a queue's audit stream, which is how it is drawn."""

from __future__ import annotations

from dataclasses import replace

from echomq_admin.emq import audit
from echomq_admin.emq.audit import Entry
from echomq_admin.ledger.models import TrailEntry

_NO_JOBS = b"\x90"


def told(entry: TrailEntry) -> Entry:
    """What an entry says of each job and of the arguments of its verb; it is named by its row."""
    fields = {b"t": b"0", b"n": b"0", b"jobs": bytes(entry.jobs) or _NO_JOBS}
    if entry.detail:
        fields[b"detail"] = bytes(entry.detail)
    read = audit.told(str(entry.pk), fields)
    # What was copied with a fault has it noted already.
    fault = entry.fault or read.fault
    return replace(
        read,
        op=entry.op,
        op_id=entry.op_id,
        actor=entry.actor,
        at_ms=entry.at_ms,
        n=entry.n,
        fault=fault or None,
    )
