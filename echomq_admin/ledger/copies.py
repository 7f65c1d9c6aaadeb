"""Entries of an audit stream as entries of the trail."""

from __future__ import annotations

from collections.abc import Sequence

import msgpack

from echomq_admin.emq.audit import Entry, Moved, place
from echomq_admin.emq.audit_news import Raw
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger import presses
from echomq_admin.ledger.models import Kind, TrailEntry
from echomq_admin.ledger.notes import MOST_NAMED
from echomq_admin.ledger.texts import fit

# An entry of ours is a tenth of it: a thousand jobs, and 64 KB of errors.
MOST_BYTES = 4_000_000
_MOST_N = 2**31 - 1
_MOST_MS = 2**53 - 1

Row = tuple[TrailEntry, Sequence[str]]


def rows(server: str, queue: str, raws: Sequence[Raw]) -> list[Row]:
    """What to write of entries that are not written yet, each with the jobs it names."""
    calls = [_call(raw.entry) for raw in raws]
    why = presses.reasons(server, queue, calls)
    return [_row(server, queue, raw, why[call]) for raw, call in zip(raws, calls, strict=True)]


def _call(entry: Entry) -> tuple[str, str]:
    return fit(entry.op_id, 120), fit(entry.actor, 300)


def _row(server: str, queue: str, raw: Raw, reason: str) -> Row:
    entry = raw.entry
    faults = [entry.fault] if entry.fault else []
    op_id, actor = _call(entry)
    written = TrailEntry(
        kind=Kind.MOVED,
        at_ms=_at_ms(entry),
        server=server,
        queue=to_wire(queue),
        op=fit(entry.op, 100),
        op_id=op_id,
        actor=actor,
        reason=reason,
        n=min(entry.n, _MOST_N),
        detail=_kept("detail", raw.detail, faults),
        jobs=_jobs(raw, faults),
        stream_id=entry.entry_id,
    )
    job_ids = [moved.job_id for moved in entry.jobs]
    if len(job_ids) > MOST_NAMED:
        faults.append(f"of {len(job_ids):,} jobs only {MOST_NAMED:,} are found by their id")
    written.fault = fit("; ".join(faults), 1_000)
    return written, job_ids


def _at_ms(entry: Entry) -> int:
    """The time it says, or else that of its id."""
    return entry.at_ms or min(place(entry.entry_id)[0], _MOST_MS)


def _jobs(raw: Raw, faults: list[str]) -> bytes:
    """The jobs as they are, or without what may be large: their lanes and errors."""
    if len(raw.jobs) <= MOST_BYTES:
        return raw.jobs
    lean = msgpack.packb([_lean(moved) for moved in raw.entry.jobs])
    if len(lean) <= MOST_BYTES:
        faults.append(f"of {len(raw.jobs):,} bytes of jobs, lanes and errors are not kept")
    return _kept("jobs", lean, faults)


def _lean(moved: Moved) -> list[object]:
    """A job as a script packs it: what is absent is false."""
    numbers = (moved.attempts, moved.stalled, moved.deadline_ms)
    known = (False if number is None else number for number in numbers)
    is_cut = moved.error is not None
    return [to_wire(moved.job_id), to_wire(moved.outcome), *known, False, False, is_cut]


def _kept(name: str, packed: bytes, faults: list[str]) -> bytes:
    if len(packed) <= MOST_BYTES:
        return packed
    faults.append(f"{name} takes {len(packed):,} bytes, which is too much to keep")
    return b""
