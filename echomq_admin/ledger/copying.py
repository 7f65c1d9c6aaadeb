"""Audit streams are copied into the trail: each entry once, whoever copies and however often.

A piece and the mark of how far it reaches are written together, and only while the mark is still
the one that the piece was read behind: of two who copy at once, one writes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from django.db import transaction

from echomq_admin.emq import audit_news
from echomq_admin.emq.audit import PER_CALL, Moved, told
from echomq_admin.emq.audit_news import Raw, Stream
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet.discovery import known
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger import stuck
from echomq_admin.ledger.copies import rows
from echomq_admin.ledger.endings.exact import enter_entries
from echomq_admin.ledger.gaps import Account, Mark, Missing, account
from echomq_admin.ledger.models import Copied, Gap, Kind, TrailEntry
from echomq_admin.ledger.notes import host_ms, write
from echomq_admin.ledger.presses import look_after, whole_calls
from echomq_admin.ledger.sieve import row_by_row

# A request copies so much at most, and so long; the agent does the rest.
MOST = 200
MOST_S = 1.0
# So many light entries are read at a time, once some of a stream were; fewer of medium ones.
_MANY, _LIGHT = 400, 2_500
_SOME, _MEDIUM = 100, 10_000
# How often a copier begins again whose mark was moved by another.
_TRIES = 5


@dataclass(frozen=True)
class Step:
    """What one piece came to. `more`: there is more to copy, or another copier was faster.

    `stream` is `None` when the server does not say, `fault` why the stream cannot be read. `count`
    is how many entries to read next.
    """

    copied: int
    more: bool
    stream: Stream | None = None
    fault: str | None = None
    is_late: bool = False
    count: int = PER_CALL


def copy(server: Server, queue: str) -> int:
    """Copy what is new in the stream of a queue, so much as fits a request; how many entries.

    Raises redis-py's errors and `django.db.Error`. A stream that cannot be read is left alone, and
    known as such.
    """
    copied, late, give_up_s = 0, 0, time.monotonic() + MOST_S
    step = Step(0, True)
    while copied < MOST and late < _TRIES and time.monotonic() < give_up_s:
        step = copy_piece(server, queue, min(step.count, MOST - copied))
        copied += step.copied
        late += step.is_late
        if not step.more:
            break
    if step.fault:
        stuck.found(server, queue, step.fault)
    return copied


def copy_piece(server: Server, queue: str, count: int = PER_CALL) -> Step:
    """Copy the next `count` entries of the stream of a queue. Raises as `copy` does."""
    mark = _mark(server.name, queue)
    piece = audit_news.after(server.client, queue, mark.last_id, count)
    if piece.fault:
        return Step(0, False, None, piece.fault)
    became = account(mark, piece)
    if became.mark == mark and not became.missing:
        return Step(0, False, piece.stream)
    entries = () if became.is_anew else piece.entries
    copied = _keep(server.name, queue, mark, became, entries)
    if copied is None:
        return Step(0, True, piece.stream, is_late=True)
    more = became.is_anew or not piece.is_end
    return Step(copied, more, piece.stream, count=_next_count(piece.entries))


def _next_count(entries: Sequence[Raw]) -> int:
    weight = sum(len(raw.jobs) + len(raw.detail) for raw in entries)
    if weight <= _LIGHT * len(entries):
        return _MANY
    return _SOME if weight <= _MEDIUM * len(entries) else PER_CALL


def marks(server_name: str) -> dict[str, Mark]:
    """How far each stream of a server is copied: of its known queues and of those whose streams
    are looked after."""
    found = dict.fromkeys(known(server_name), Mark())
    kept = Copied.objects.filter(server=server_name)
    for queue, *mark in kept.values_list("queue", "last_id", "whole_id", "added"):
        found[from_wire(bytes(queue))] = Mark(*mark)
    return found


def moved_by(server_name: str, queue: str, op_id: str) -> dict[str, str]:
    """Job id to outcome, of what is copied of one call in all its steps. A job whose entry is not
    copied yet, whose entry keeps no jobs, or whose call left it alone, is missing."""
    outcomes: dict[str, str] = {}
    for _, jobs in _entries_of(server_name, queue, op_id):
        outcomes |= {job.job_id: job.outcome for job in jobs}
    return outcomes


def names_all(server_name: str, queue: str, op_id: str) -> bool:
    """Whether the copied entries of a call name every job that they count."""
    return all(n <= len(jobs) for n, jobs in _entries_of(server_name, queue, op_id))


def _entries_of(server_name: str, queue: str, op_id: str) -> Iterator[tuple[int, Sequence[Moved]]]:
    """How many jobs each entry of a call counts, and those that it names."""
    there = row_by_row(server=server_name, queue=to_wire(queue), kind=Kind.MOVED)
    mine = TrailEntry.objects.filter(there)
    # Steps stand between `op_id.` and the character behind the dot, which an index can use.
    steps = mine.filter(op_id__gt=f"{op_id}.", op_id__lt=f"{op_id}/")
    found = (mine.filter(op_id=op_id) | steps).order_by("pk")
    for step, n, jobs in found.values_list("op_id", "n", "jobs"):
        if op_id in whole_calls(step):
            yield n, told("0-0", {b"jobs": bytes(jobs)}).jobs


def _mark(server_name: str, queue: str) -> Mark:
    kept = Copied.objects.filter(server=server_name, queue=to_wire(queue))
    found = kept.values_list("last_id", "whole_id", "added").first()
    return Mark(*found) if found else Mark()


def _keep(
    server_name: str, queue: str, mark: Mark, became: Account, entries: Sequence[Raw]
) -> int | None:
    """Write it all, and the endings that it tells, or nothing; how many entries, `None` when
    another copier moved the mark."""
    with transaction.atomic():
        if not _move(server_name, queue, mark, became.mark):
            return None
        if became.missing:
            _note_gap(server_name, queue, became.missing)
        fresh = _unwritten(server_name, queue, entries)
        written = rows(server_name, queue, fresh)
        write(written)
        told = zip((raw.entry for raw in fresh), (row.pk for row, _ in written), strict=True)
        enter_entries(server_name, queue, told)
        return len(fresh)


def _move(server_name: str, queue: str, mark: Mark, to: Mark) -> bool:
    here = Copied.objects.filter(server=server_name, queue=to_wire(queue), **asdict(mark))
    if here.update(**asdict(to), fault="") == 1:
        return True
    if mark != Mark():
        return False
    look_after(server_name, queue)
    return here.update(**asdict(to)) == 1


def _unwritten(server_name: str, queue: str, entries: Sequence[Raw]) -> list[Raw]:
    """Without those that are in the trail: a stream that came back holds old entries again."""
    ids = [raw.entry.entry_id for raw in entries]
    mine = TrailEntry.objects.filter(server=server_name, queue=to_wire(queue), stream_id__in=ids)
    written = set(mine.values_list("stream_id", flat=True))
    return [raw for raw in entries if raw.entry.entry_id not in written]


def _note_gap(server_name: str, queue: str, missing: Missing) -> None:
    Gap.objects.create(
        server=server_name,
        queue=to_wire(queue),
        after_id=missing.after_id,
        before_id=missing.before_id,
        missing=missing.count,
        found_at_ms=host_ms(),
        sentence=missing.sentence,
    )
