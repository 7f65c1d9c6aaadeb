"""The model's verbs of producers, workers and the beat."""

from __future__ import annotations

from typing import Any

from echomq_admin.emq import (
    Claim,
    EmqKind,
    EmqStale,
    EmqState,
    Gone,
    Outcome,
    Reaped,
    Swept,
)
from tests.emq.keys import text, wire
from tests.emq.model import Store, integer, verb
from tests.emq.vectors import InMs


class WorkerVerbs(Store):
    """Jobs come in, are claimed, and end by those who hold them; lapsed leases go back."""

    @verb
    def enqueue(self, job_id: str, payload: bytes, group: str | None = None) -> bool:
        job = wire(job_id)
        if not self._create(job, payload, b"pending", group):
            return False
        self.back(job)
        self.note(job, "enqueued")
        return True

    @verb
    def schedule(
        self, job_id: str, payload: bytes, *, at_ms: float | None = None, in_ms: float | None = None
    ) -> bool:
        job = wire(job_id)
        if not self._create(job, payload, b"scheduled", None):
            return False
        self.zset("schedule")[job] = InMs(in_ms) if at_ms is None else float(at_ms)
        self.note(job, "scheduled")
        return True

    def _create(self, job: bytes, payload: bytes, state: bytes, group: str | None) -> bool:
        if not job.startswith(b"JOB"):
            raise EmqKind
        if self.row(job) is not None:
            return False
        # An orphan of the same id ends here; nobody knows the lane it came from.
        self.leave_active(job)
        self.leave_waiting(job)
        row = {b"state": state, b"attempts": b"0", b"payload": payload}
        if group is not None:
            row[b"group"] = wire(group)
        self.keys[self.key("job:", job)] = row
        return True

    @verb
    def claim(self, lease_ms: int) -> Claim | None:
        if self._is_paused():
            return None
        for job in self.zset("pending").in_order():
            claim = self._take(job, lease_ms)
            if claim:
                return claim
        return None

    @verb
    def claim_lane(self, lease_ms: int) -> Claim | None:
        if self._is_paused():
            return None
        ring = self.listing("ring")
        for group in list(ring):
            ring.append(ring.pop(0))
            self.touch(group)
            for job in self.lane(group).in_order() if self.is_serviceable(group) else ():
                claim = self._take(job, lease_ms, group)
                if claim:
                    return claim
        return None

    def _is_paused(self) -> bool:
        return b"paused" in self.hash("meta")

    def _take(self, job: bytes, lease_ms: int, group: bytes | None = None) -> Claim | None:
        waiting = self.zset("pending") if group is None else self.lane(group)
        del waiting[job]
        if self.row(job) is None:
            self.note(job, "orphaned")
            return None
        if not self.is_readable(job):
            self.set_aside(job)
            return None
        self.leave_waiting(job)
        row, attempts = self.row(job), self.attempts(job) + 1
        row.update({b"state": b"active", b"attempts": b"%d" % attempts})
        is_new = job not in self.zset("active")
        self.zset("active")[job] = InMs(lease_ms)
        own = self.group(job)
        if own is not None and is_new:
            self.count_group(own, +1)
        self.note(job, "claimed", InMs(lease_ms))
        lane = group if own is None else own
        group_id = None if lane is None else text(lane)
        return Claim(text(job), row.get(b"payload", b""), attempts, group_id)

    # -- the end of a lease, by its holder ----------------------------------------------------

    def _fenced(self, job: bytes, token: int, missing: type[Exception]) -> None:
        if self.row(job) is None:
            raise missing
        if not self.is_readable(job):
            raise EmqState
        if self.attempts(job) != token:
            raise EmqStale

    def _leased(self, job: bytes, token: int, missing: type[Exception]) -> None:
        self._fenced(job, token, missing)
        if job not in self.zset("active"):
            raise EmqState

    @verb
    def complete(self, job_id: str, token: int) -> None:
        job = wire(job_id)
        self._fenced(job, token, Gone)
        deadline = self.leave_active(job)
        self.leave_waiting(job)
        self.note(job, "completed", deadline)
        del self.keys[self.key("job:", job)]
        self.bump("completed")

    @verb
    def retry(
        self, job_id: str, token: int, delay_ms: int, max_attempts: int, error: bytes
    ) -> Outcome:
        job = wire(job_id)
        self._leased(job, token, EmqStale)
        had = self.row(job).get(b"last_error")
        deadline = self.leave_active(job)
        if self.attempts(job) >= max_attempts:
            self.bury_row(job, error)
            self.bump("failed")
            outcome = Outcome.DEAD
        else:
            self.leave_waiting(job)
            self.zset("schedule")[job] = InMs(delay_ms)
            self.row(job).update({b"state": b"scheduled", b"last_error": error})
            outcome = Outcome.SCHEDULED
        self.note(job, outcome, deadline, error=had)
        return outcome

    @verb
    def extend(self, job_id: str, token: int, lease_ms: int) -> None:
        job = wire(job_id)
        self._leased(job, token, Gone)
        self.note(job, "extended", self.zset("active")[job])
        self.zset("active")[job] = InMs(lease_ms)

    # -- the beat -----------------------------------------------------------------------------

    def _due(self, name: str, limit: int) -> list[bytes]:
        scores = self.zset(name)
        return [job for job in scores.in_order() if scores[job] <= self.now_ms][:limit]

    @verb
    def promote(self, limit: int = 100) -> int:
        moved = 0
        for job in self._due("schedule", limit):
            if self.row(job) is None:
                del self.zset("schedule")[job]
                self.note(job, "orphaned")
            elif not self.is_readable(job):
                self.set_aside(job)
            elif job in self.zset("active"):
                del self.zset("schedule")[job]
                self.note(job, "not_scheduled", self.zset("active")[job])
            else:
                self.back(job)
                self.note(job, "promoted")
                moved += 1
        return moved

    @verb
    def reap(self, limit: int = 100) -> Reaped:
        return Reaped(**self._end_all(self._due("active", limit), self._recover))

    @verb
    def reap_group(self, group: str, limit: int = 100) -> Reaped:
        """Only jobs that say another group stay; an unreadable row's group is what it says."""
        ids = [
            job
            for job in self._due("active", limit)
            if self.row(job) is None
            or not isinstance(self.row(job), dict)
            or self.group(job) == wire(group)
        ]
        return Reaped(**self._end_all(ids, self._recover))

    @verb
    def sweep(self, max_stalled: int = 1, limit: int = 100) -> Swept:
        def stall(job: bytes) -> str:
            return self.stall(job, max_stalled)

        return Swept(**self._end_all(self._due("active", limit), stall))

    def _end_all(self, ids: list[bytes], end: Any) -> dict[str, tuple[str, ...]]:
        ended: dict[str, list[str]] = {}
        for job in ids:
            if self.row(job) is None:
                self.note(job, "orphaned", self.zset("active").pop(job))
                outcome = "orphaned"
            elif not self.is_readable(job):
                self.set_aside(job)
                outcome = "unreadable"
            else:
                outcome = end(job)
            ended.setdefault(outcome, []).append(text(job))
        return {outcome: tuple(jobs) for outcome, jobs in ended.items()}

    def _recover(self, job: bytes) -> str:
        deadline = self.leave_active(job)
        self.back(job)
        self.note(job, "recovered", deadline)
        return "recovered"

    def stall(self, job: bytes, max_stalled: int) -> str:
        """End the lease of an active job and count the stall."""
        had = self.row(job).get(b"last_error")
        deadline = self.leave_active(job)
        row = self.row(job)
        stalled = (integer(row.get(b"stalled")) or 0) + 1
        row[b"stalled"] = b"%d" % stalled
        if stalled >= max_stalled:
            self.bury_row(job, b"stalled")
            self.bump("failed")
            outcome = "dead"
        else:
            self.back(job)
            outcome = "recovered"
        self.note(job, outcome, deadline, error=had)
        return outcome
