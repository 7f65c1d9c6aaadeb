"""The pass over the dead sets: enters the deaths of jobs that nobody saw die.

It goes round all dead sets of a server with a budget, again and again. What was dead before the
ledger began is found so, and what was claimed, failed and died between two looks of the observer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Event

from echomq_admin.emq.batched import batched
from echomq_admin.emq.dead_sets import (
    DeadIds,
    DeadRow,
    DeadSet,
    Stretch,
    dead_attempts,
    dead_ids,
    dead_rows,
    dead_sets,
)
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet.discovery import known
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.book import Finding, enter
from echomq_admin.ledger.endings.forgotten import Forgotten
from echomq_admin.ledger.endings.models import EndingKind, Place, Source, is_stall
from echomq_admin.ledger.observing.dead_lore import (
    VALUES,
    Job,
    came_back,
    is_audit_whole,
    told_attempts,
)
from echomq_admin.ledger.observing.lead import Term
from echomq_admin.ledger.observing.models import Watched
from echomq_admin.ledger.observing.turns import BUDGET, Known, choose

# So many deaths of a queue are entered in one transaction.
_AT_ONCE = 200


class Finder:
    """Goes round the dead sets of one server in one term of the lead."""

    def __init__(self, server: Server, term: Term, budget: int = BUDGET) -> None:
        self._server = server
        self._term = term
        self._budget = budget
        self._steps = 0
        self._sets: dict[str, Known] = {}
        self._places: dict[str, Place] = {}

    def step(self, stop: Event | None = None) -> int:
        """Look at the next ids; how many deaths were entered.

        Raises redis-py's errors, `django.db.Error` and `Lost`; the same ids are then looked at
        again.
        """
        stop = stop or Event()
        # Before the counters are read: a queue counts a failure before it has an entry.
        watched = self._watched()
        now_ms, sets = dead_sets(self._server.client, known(self._server.name))
        self._take_in(sets, watched)
        stretches = choose(self._sets, self._budget)
        read = dead_ids(self._server.client, stretches)
        ids = _by_queue((part.queue, job_id) for part in read for job_id in part.ids)
        attempts = dead_attempts(self._server.client, ids)
        entered = self._enter(self._unknown(attempts, now_ms), stop)
        if not stop.is_set():
            self._move_on(now_ms, zip(stretches, read, strict=True), attempts, watched)
        return entered

    def _watched(self) -> dict[str, Watched]:
        """What the database knows of the queues."""
        mine = Watched.objects.filter(place__server=self._server.name)
        rows = mine.select_related("place").defer("flights")
        watched = {from_wire(bytes(row.place.queue)): row for row in rows}
        self._places |= {queue: row.place for queue, row in watched.items()}
        return watched

    def _take_in(self, sets: Iterable[DeadSet], watched: Mapping[str, Watched]) -> None:
        """Go by the sets that are there."""
        before, self._sets = self._sets, {}
        for found in sets:
            one = before.get(found.queue) or _fresh(watched.get(found.queue))
            one.see(found)
            self._sets[found.queue] = one

    def _unknown(self, attempts: Mapping[Job, int], now_ms: int) -> dict[str, list[str]]:
        """The jobs of each queue that died with attempts of which there is no ending, and was none
        that is forgotten."""
        told = told_attempts(self._server.name, attempts)
        forgotten: dict[str, Forgotten] = {}

        def is_new(job: Job, number: int) -> bool:
            queue, job_id = job
            seen = self._sets[queue].seen
            if seen.is_complete:
                return not seen.has(job_id, number)
            if queue not in forgotten:
                forgotten[queue] = Forgotten(self._place(queue), now_ms)
            return not forgotten[queue].may_have(job_id)

        return _by_queue(
            job
            for job, number in attempts.items()
            if number > 0 and number not in told[job] and is_new(job, number)
        )

    def _enter(self, unknown: Mapping[str, Iterable[str]], stop: Event) -> int:
        entered = 0
        for queue, ids in unknown.items():
            for some in batched(ids, _AT_ONCE):
                if stop.is_set():
                    return entered
                entered += self._enter_some(queue, some)
        return entered

    def _enter_some(self, queue: str, ids: Sequence[str]) -> int:
        now_ms, rows = dead_rows(self._server.client, queue, ids)
        if not rows:
            return 0
        # Whoever was buried until the rows were read is in the audit now.
        is_whole = is_audit_whole(self._server, queue)
        back = came_back(self._server.name, queue, ids)
        whole_ms = self._sets[queue].whole_ms
        findings = [
            _finding(row, now_ms, None if row.job_id in back else whole_ms, is_whole)
            for row in rows
        ]
        place = self._place(queue)
        with self._term.held():
            return enter(place, findings)

    def _place(self, queue: str) -> Place:
        if queue not in self._places:
            self._places[queue] = names.place(self._server.name, queue)
        return self._places[queue]

    def _move_on(
        self,
        now_ms: int,
        read: Iterable[tuple[Stretch, DeadIds]],
        attempts: Mapping[Job, int],
        watched: Mapping[str, Watched],
    ) -> None:
        """Keep how far the pass has come. A set that is empty is passed by that."""
        self._steps += 1
        passed = [queue for queue, one in self._sets.items() if one.size == 0]
        for stretch, part in read:
            ids = (job_id for job_id in part.ids if (part.queue, job_id) in attempts)
            jobs = {job_id: attempts[part.queue, job_id] for job_id in ids}
            one = self._sets[part.queue]
            if one.pass_over(stretch, part.cursor, jobs, now_ms, self._steps):
                passed.append(part.queue)
        with self._term.held():
            for queue, row in watched.items():
                if queue in self._sets:
                    _keep(row, self._sets[queue])
            pks = (watched[queue].pk for queue in passed if queue in watched)
            for some in batched(pks, VALUES):
                Watched.objects.filter(pk__in=some).update(passed_ms=now_ms)


def _fresh(watched: Watched | None) -> Known:
    if watched is None:
        return Known()
    return Known(failed=watched.failed, cursor=bytes(watched.dead_cursor))


def _keep(row: Watched, one: Known) -> None:
    # A queue that counted less than has an entry began to count anew: that tells nothing.
    is_reset = one.failed is not None and one.failed < row.place.deaths
    failed = None if is_reset else one.failed
    if (row.failed, bytes(row.dead_cursor)) != (failed, one.cursor):
        Watched.objects.filter(pk=row.pk).update(failed=failed, dead_cursor=one.cursor)


def _finding(row: DeadRow, now_ms: int, since_ms: int | None, is_whole: bool) -> Finding:
    """`since_ms`: when it was not dead yet, `None` when that is not known."""
    is_swept = is_stall(row.error, row.stalled)
    kind = EndingKind.FAILED if is_whole else EndingKind.UNCERTAIN
    return Finding(
        row.job_id,
        row.attempts,
        EndingKind.DEAD if is_swept else kind,
        Source.FOUND,
        now_ms,
        within_ms=max(0, now_ms - (since_ms or 0)),
        stalled=row.stalled,
        lane=row.lane,
        error=None if is_swept else row.error,
        error_size=None if is_swept else row.error_size,
    )


def _by_queue(jobs: Iterable[Job]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for queue, job_id in dict.fromkeys(jobs):
        found.setdefault(queue, []).append(job_id)
    return found
