"""The model's verbs on named jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from echomq_admin.emq import EmqStale, EmqState, Gone, Outcome
from echomq_admin.emq.kept import Kept
from tests.emq.keys import text, wire
from tests.emq.model import verb
from tests.emq.model_worker import WorkerVerbs

Tokens = Mapping[str, int] | None
SIDE_KEYS = ("logs", "lock", "dependencies", "processed", "failed", "unsuccessful")


class OperatorVerbs(WorkerVerbs):
    """Named jobs are moved, ended and deleted."""

    def _each(
        self, job_ids: Iterable[str], judge: Callable[[bytes], Outcome]
    ) -> dict[str, Outcome]:
        return {job_id: judge(wire(job_id)) for job_id in job_ids}

    def _unworkable(self, job: bytes) -> Outcome | None:
        if self.row(job) is None:
            return Outcome.GONE
        return None if self.is_readable(job) else Outcome.UNREADABLE

    def _is_changed(self, job: bytes, tokens: Tokens) -> bool:
        seen = (tokens or {}).get(text(job))
        if seen is None:
            return False
        return not self.is_readable(job) or seen != self.attempts(job)

    @verb
    def requeue(
        self, job_ids: Iterable[str], tokens: Tokens = None, reset_stalls: bool = False
    ) -> dict[str, Outcome]:
        def judge(job: bytes) -> Outcome:
            refused = self._unworkable(job)
            if refused:
                return refused
            if job not in self.zset("dead"):
                return Outcome.NOT_DEAD
            if job in self.zset("active"):
                del self.zset("dead")[job]
                self.note(job, "not_dead", self.zset("active")[job])
                return Outcome.NOT_DEAD
            if self._is_changed(job, tokens):
                return Outcome.CHANGED
            self._requeue(job, reset_stalls)
            return Outcome.REQUEUED

        return self._each(job_ids, judge)

    def _requeue(self, job: bytes, reset_stalls: bool) -> None:
        row = self.row(job)
        self.note(job, "requeued")
        self.back(job)
        self.leave_beside(job)
        row.pop(b"last_error", None)
        if reset_stalls:
            row.pop(b"stalled", None)

    @verb
    def return_to_dead(
        self, jobs: Mapping[str, tuple[int, bytes | None, int | None]]
    ) -> dict[str, Outcome]:
        def judge(job: bytes) -> Outcome:
            refused = self._unworkable(job)
            if refused:
                return refused
            held = set(self.holders(job))
            if "active" in held or not held & {"pending", "lane"}:
                return Outcome.NOT_WAITING
            attempts, error, stalled = jobs[text(job)]
            if self.attempts(job) != attempts:
                return Outcome.CHANGED
            self._return(job, error, stalled)
            return Outcome.RETURNED

        return self._each(jobs, judge)

    def _return(self, job: bytes, error: bytes | None, stalled: int | None) -> None:
        row = self.row(job)
        self.note(job, "returned")
        self.bury_row(job, b"")
        self.leave_beside(job)
        given = {b"last_error": error, b"stalled": None if stalled is None else b"%d" % stalled}
        for name, value in given.items():
            if value is None:
                row.pop(name, None)
            else:
                row[name] = value

    @verb
    def promote_now(self, job_ids: Iterable[str], tokens: Tokens = None) -> dict[str, Outcome]:
        def judge(job: bytes) -> Outcome:
            refused = self._unworkable(job)
            if refused:
                return refused
            if job not in self.zset("schedule"):
                return Outcome.NOT_SCHEDULED
            if job in self.zset("active"):
                del self.zset("schedule")[job]
                self.note(job, "not_scheduled", self.zset("active")[job])
                return Outcome.NOT_SCHEDULED
            if self._is_changed(job, tokens):
                return Outcome.CHANGED
            self.back(job)
            self.leave_beside(job)
            self.note(job, "promoted")
            return Outcome.PROMOTED

        return self._each(job_ids, judge)

    @verb
    def bury(
        self, job_ids: Iterable[str], reason: bytes, tokens: Tokens = None, force: bool = False
    ) -> dict[str, Outcome]:
        def judge(job: bytes) -> Outcome:
            refused = self._unworkable(job)
            if refused:
                return refused
            if self.holders(job) == ["dead"] and not self.beside(job):
                return Outcome.ALREADY_DEAD
            if self._is_changed(job, tokens):
                return Outcome.CHANGED
            is_unfenced = text(job) not in (tokens or {})
            if job in self.zset("active") and is_unfenced and not force:
                return Outcome.ACTIVE
            if self._belongs_to_flow(job) and not force:
                return Outcome.CHILD
            had = self.row(job).get(b"last_error")
            deadline = self.leave_active(job)
            self.bury_row(job, reason)
            self.leave_beside(job)
            self.note(job, "buried", deadline, error=had)
            return Outcome.BURIED

        return self._each(job_ids, judge)

    def _belongs_to_flow(self, job: bytes) -> bool:
        return self.is_child(job) or self.row(job).get(b"state") == b"awaiting_children"

    @verb
    def remove(
        self,
        job_ids: Iterable[str],
        tokens: Tokens = None,
        force: bool = False,
        dedup_id: str | None = None,
        seen: Mapping[str, str] | None = None,
    ) -> dict[str, Outcome]:
        def judge(job: bytes) -> Outcome:
            if self.row(job) is None and not self.holders(job) and not self._lost_in(job):
                return Outcome.GONE
            if (seen or {}).get(text(job), self._place(job)) != self._place(job):
                return Outcome.CHANGED
            if isinstance(self.row(job), dict) and self._is_changed(job, tokens):
                return Outcome.CHANGED
            is_orphan = self.row(job) is None
            refused = None if force or is_orphan else self._protected(job)
            if refused:
                return refused
            self._remove(job)
            if dedup_id is not None:
                name = self.key("de:", wire(dedup_id))
                if self.keys.get(name) == job:
                    del self.keys[name]
            return Outcome.REMOVED

        return self._each(job_ids, judge)

    def _place(self, job: bytes) -> str:
        """Its sets, and of the lanes the one that its row names."""
        names = [name for name in ("pending", "active", "schedule", "dead")
                 if job in self.zset(name)]  # fmt: skip
        row = self.row(job)
        group = row.get(b"group") if isinstance(row, dict) else None
        if group is not None and job in self.lane(group):
            names.append(f"lane:{text(group)}")
        return ",".join(names) or "-"

    def _protected(self, job: bytes) -> Outcome | None:
        if job in self.zset("active"):
            return Outcome.ACTIVE
        if self.key("job:", job, ":lock") in self.keys:
            return Outcome.LOCKED
        return Outcome.CHILD if self.is_child(job) else None

    def _lost_in(self, job: bytes) -> list[bytes]:
        """The lanes that hold an id whose row cannot say so, of those that the queue names."""
        says_so = self.group(job) is not None or self.holders(job)
        if isinstance(self.row(job), dict) and says_so:
            return []
        first = [group for group in self.listing("ring") if group in self.beside(job)]
        return list(dict.fromkeys(first + self.beside(job)))

    def _remove(self, job: bytes) -> None:
        lost_in = self._lost_in(job)
        deadline = self.leave_active(job)
        self.leave_waiting(job)
        for group in lost_in[:1]:
            del self.lane(group)[job]
            self.touch(group)
        self.leave_beside(job)
        self.note(job, "removed", deadline, **({"group": lost_in[0]} if lost_in else {}))
        self.keys.pop(self.key("job:", job), None)
        for side in SIDE_KEYS:
            self.keys.pop(self.key("job:", job, ":", side), None)

    @verb
    def restore(self, jobs: Mapping[str, Kept]) -> dict[str, Outcome]:
        def judge(job: bytes) -> Outcome:
            kept = jobs[text(job)]
            group = kept.fields.get(b"group")
            held = self.holders(job) or (group is not None and job in self.lane(group))
            if self.row(job) is not None or held:
                return Outcome.EXISTS
            self._restore(job, kept)
            self.note(job, "restored")
            return Outcome.RESTORED

        return self._each(jobs, judge)

    def _restore(self, job: bytes, kept: Kept) -> None:
        self.hash("job:", job).update(kept.fields)
        logs = self.key("job:", job, ":logs")
        if kept.logs:
            self.keys[logs] = [*kept.logs, *self.keys.get(logs, [])]
        names = {held.place for held in kept.places}
        if names & {"pending", "lane", "active"}:
            self.back(job)
        elif "schedule" in names:
            (score,) = (held.score for held in kept.places if held.place == "schedule")
            self.zset("schedule")[job] = score
            self.row(job)[b"state"] = b"scheduled"
        elif "dead" in names:
            self.zset("dead")[job] = 0.0
            self.row(job)[b"state"] = b"dead"

    @verb
    def recover_now(self, job_id: str, token: int, max_stalled: int = 1) -> Outcome:
        job = wire(job_id)
        refused = self._unworkable(job)
        if refused == Outcome.GONE:
            raise Gone
        if refused or job not in self.zset("active"):
            raise EmqState
        if self.attempts(job) != token:
            raise EmqStale
        outcome = Outcome(self.stall(job, max_stalled))
        self.leave_beside(job)
        return outcome

    @verb
    def update_payload(self, job_id: str, payload: bytes, token: int | None = None) -> None:
        job = wire(job_id)
        refused = self._unworkable(job)
        if refused:
            raise Gone if refused == Outcome.GONE else EmqState
        if token is not None and token != self.attempts(job):
            raise EmqStale
        self.note(job, "updated")
        self.row(job)[b"payload"] = payload
