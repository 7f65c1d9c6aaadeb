"""A queue in plain Python: every transition of the protocol with its truth, by a clock of its own.

Others than the console follow the upstream scripts: a late extend revives, a late retry moves a job
that waits. `touches` is what the audit would say of operators.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from random import Random

from echomq_admin.emq.audit import Moved
from echomq_admin.emq.sights import NEWEST, Active, Rows, Sight, Wanted
from echomq_admin.emq.touches import Touch
from echomq_admin.ledger.endings.models import EndingKind

RECOVERED, DEAD, REAPED = EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.REAPED
FAILED, OPERATOR = EndingKind.FAILED, EndingKind.OPERATOR
OUTCOMES = {
    "requeue": "requeued",
    "bury": "buried",
    "remove": "removed",
    "recover_now": "recovered",
}


@dataclass
class Job:
    """A row and where its id is."""

    state: str = "pending"
    attempts: int = 0
    stalled: int = 0
    error: bytes | None = None
    deadline: int | None = None
    waits: bool = True
    run_at: int | None = None
    is_dead: bool = False
    life: int = 0
    born_at: int = 0


@dataclass(frozen=True)
class Truth:
    """How a lease really ended; `is_by_hand`: an operator ended it, of which the audit tells."""

    job: str
    life: int
    attempts: int
    kind: EndingKind
    at: int
    stalled: int
    is_by_hand: bool = False


class World:
    def __init__(self, random: Random, lease_ms: int, backoff_ms: int, jobs: str = "abc") -> None:
        self.random = random
        self.now = 1_000_000
        self.looked = 0
        self.lease_ms, self.backoff_ms = lease_ms, backoff_ms
        self.ids = jobs
        self.jobs: dict[str, Job] = {}
        self.lives: defaultdict[str, int] = defaultdict(int)
        # Workers that hold a token they have not used up.
        self.workers: list[tuple[str, int, int]] = []
        self.truths: list[Truth] = []
        self.touches: defaultdict[str, list[Touch]] = defaultdict(list)
        self.failed = 0
        self.blurred: set[tuple[str, int, int]] = set()
        self.is_in_gap = False

    def step(self) -> None:
        """Time goes on, and somebody does something."""
        self.now += self.random.choice((1, 5, 20, 60))
        act = self.random.choice(
            (self.enqueue, self.claim, self.claim, self.work, self.work, self.promote, self.reap,
             self.sweep, self.reprocess, self.operate)
        )  # fmt: skip
        act()

    def _any(self, *states: str) -> str | None:
        found = [name for name, job in self.jobs.items() if job.state in states]
        return self.random.choice(found) if found else None

    def _ended(self, name: str, kind: EndingKind, by_hand: bool = False) -> None:
        job = self.jobs[name]
        ended = Truth(name, job.life, job.attempts, kind, self.now, job.stalled, by_hand)
        self.truths.append(ended)

    def enqueue(self) -> None:
        name = self.random.choice(self.ids)
        if name not in self.jobs:
            self.jobs[name] = Job(life=self.lives[name], born_at=self.now)

    def claim(self) -> None:
        waiting = [name for name, job in self.jobs.items() if job.waits and self._may_start(job)]
        if not waiting:
            return
        name = self.random.choice(waiting)
        job = self.jobs[name]
        job.attempts += 1
        job.state, job.waits = "active", False
        job.deadline = self.now + self.lease_ms + self.random.choice((0, 0, 400))
        self.workers.append((name, job.life, job.attempts))

    def _may_start(self, job: Job) -> bool:
        """No job is enqueued, ends a lease and is claimed again, all in the moment between two
        looks: if it had been in flight before, it would look as if it had never ended."""
        return job.attempts == 0 or job.born_at < self.looked or self.is_in_gap

    def work(self) -> None:
        """A worker that holds a token completes, fails, renews or goes silent, in time or late."""
        if not self.workers:
            return
        worker = self.random.choice(self.workers)
        name, life, attempts = worker
        job = self.jobs.get(name)
        if job is None or (job.life, job.attempts) != (life, attempts):
            self.workers.remove(worker)
            return
        what = self.random.choice(("complete", "fail", "fail", "extend", "extend", "silent", "-"))
        if what == "extend":
            job.deadline = self.now + self.lease_ms
            return
        if what != "-":
            self.workers.remove(worker)
        if what == "complete":
            self._remove(name)
        elif what == "fail":
            self._fail(name, job)

    def _fail(self, name: str, job: Job) -> None:
        if job.deadline is None:
            # It had ended before; what is left tells no more of how.
            self.blurred.add((name, job.life, job.attempts))
        was_in_flight, job.deadline = job.deadline is not None, None
        job.error = self.random.choice((b"boom", b"bang"))
        if job.attempts >= self.random.choice((2, 3, 9)):
            job.state, job.is_dead = "dead", True
            self.failed += 1
            self._ended(name, FAILED)
            if not was_in_flight:
                self.blurred.add((name, job.life, job.attempts))
        else:
            job.state = "scheduled"
            job.run_at = self.now + self.backoff_ms + self.random.choice((0, 100, 900))

    def promote(self) -> None:
        for job in self.jobs.values():
            if job.run_at is not None and job.run_at <= self.now:
                job.run_at, job.state, job.waits = None, "pending", True

    def _lapsed(self) -> list[str]:
        jobs = self.jobs.items()
        return [n for n, job in jobs if job.deadline is not None and job.deadline <= self.now]

    def reap(self) -> None:
        for name in self._lapsed():
            job = self.jobs[name]
            job.deadline, job.state, job.waits = None, "pending", True
            self._ended(name, REAPED)

    def sweep(self) -> None:
        most = self.random.choice((1, 2, 3))
        for name in self._lapsed():
            self._stall(name, most)

    def _stall(self, name: str, most: int, by_hand: bool = False) -> None:
        job = self.jobs[name]
        job.deadline = None
        job.stalled += 1
        if job.stalled >= most:
            job.state, job.error, job.is_dead = "dead", b"stalled", True
            self.failed += 1
            self._ended(name, DEAD, by_hand)
        else:
            job.state, job.waits = "pending", True
            self._ended(name, RECOVERED, by_hand)

    def reprocess(self) -> None:
        """By a person whom no audit names."""
        name = self._any("dead")
        if name:
            self._requeue(self.jobs[name])

    @staticmethod
    def _requeue(job: Job) -> None:
        if job.is_dead:
            job.is_dead, job.error, job.state, job.waits = False, None, "pending", True

    def operate(self) -> None:
        """The console: it refuses what is stale, and the audit names it."""
        name = self.random.choice(self.ids)
        job = self.jobs.get(name)
        if job is None or self.random.random() < 0.6:
            return
        verb = self.random.choice(("requeue", "bury", "remove", "recover_now"))
        moved = Moved(
            name, OUTCOMES[verb], job.attempts, job.stalled, job.deadline, None, job.error
        )
        done = getattr(self, f"_{verb}_by_hand")(name, job)
        if done:
            self.touches[name].insert(0, Touch(self.now, self.now, verb, moved))

    def _requeue_by_hand(self, name: str, job: Job) -> bool:
        if not job.is_dead or job.deadline is not None:
            return False
        self._requeue(job)
        if self.random.random() < 0.5:
            job.stalled = 0
        return True

    def _bury_by_hand(self, name: str, job: Job) -> bool:
        if job.is_dead:
            return False
        if job.deadline is not None:
            self._ended(name, OPERATOR, True)
        job.deadline, job.waits, job.run_at = None, False, None
        job.state, job.is_dead, job.error = "dead", True, b"poison"
        return True

    def _remove_by_hand(self, name: str, job: Job) -> bool:
        if job.deadline is not None:
            self._ended(name, OPERATOR, True)
        self._remove(name)
        return True

    def _recover_now_by_hand(self, name: str, job: Job) -> bool:
        if job.deadline is None:
            return False
        self._stall(name, 2, by_hand=True)
        return True

    def _remove(self, name: str) -> None:
        del self.jobs[name]
        self.lives[name] += 1

    def active(self) -> Active:
        jobs = self.jobs.items()
        found = {n.encode(): float(j.deadline) for n, j in jobs if j.deadline is not None}
        return Active(found, failed=self.failed)

    def rows(self, wanted: Wanted) -> Rows:
        raws = (*wanted.fresh, *wanted.known, *wanted.gone)
        sights = {raw: self._sight(raw.decode(), wanted.known.get(raw)) for raw in raws}
        dead = [(name.encode(), 0.0) for name, job in sorted(self.jobs.items()) if job.is_dead]
        newest = dead[-NEWEST:] if wanted.with_dead or wanted.gone else None
        return Rows(sights, self.failed, self.failed, newest)

    def _sight(self, name: str, known: tuple[int, int] | None) -> Sight:
        job = self.jobs.get(name)
        if job is None:
            return Sight(False)
        if job.state == "active" and (job.attempts, job.stalled) == known:
            return Sight(True, is_unchanged=True)
        return Sight(
            True,
            state=job.state.encode(),
            attempts=job.attempts,
            stalled=job.stalled,
            error=job.error,
            error_size=None if job.error is None else len(job.error),
            deadline_ms=None if job.deadline is None else float(job.deadline),
            waits=job.waits,
            is_dead=job.is_dead,
            run_at_ms=None if job.run_at is None else float(job.run_at),
        )
