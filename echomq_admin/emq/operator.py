"""The verbs of reapers, sweepers and operators."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from .calls import (
    LEASES,
    Caller,
    Field,
    answered,
    at_least,
    chunks,
    drained,
    lists,
    outcome,
    outcomes,
    step_id,
    to_bytes,
    yes,
)
from .kept import Kept, blobs
from .keyspace import to_wire
from .records import Drained, Outcome, Reaped, Swept

Tokens = Mapping[str, int] | None


class OperatorVerbs(Caller):
    """What moves jobs that no worker holds. Every call is one script, whole or not at all."""

    def reap(
        self, queue: str, limit: int = 100, *, actor: str | None = None, op_id: str | None = None
    ) -> Reaped:
        """Give up to `limit` jobs whose lease lapsed back, without a count."""
        return Reaped(*self._lapsed("reap", queue, [], limit, actor, op_id, 3))

    def reap_group(
        self, queue: str, group: str, limit: int = 100,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> Reaped:  # fmt: skip
        """Of the first `limit` lapsed leases, give those of one lane back to it."""
        at_least("limit", limit, 1)
        args: list[Field] = [to_wire(group), limit]
        return self.call("reap_group", queue, args, actor, op_id, lambda r: Reaped(*lists(r, 3)))

    def sweep(
        self, queue: str, max_stalled: int = 1, limit: int = 100,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> Swept:  # fmt: skip
        """End up to `limit` lapsed leases and count each stall; at `max_stalled` the job dies.

        Raises `ValueError` for `max_stalled` below 1.
        """
        at_least("max_stalled", max_stalled, 1)
        return Swept(*self._lapsed("sweep", queue, [max_stalled], limit, actor, op_id, 4))

    def _lapsed(
        self, verb: str, queue: str, args: Sequence[Field], limit: int,
        actor: str | None, op_id: str | None, kinds: int,
    ) -> list[tuple[str, ...]]:  # fmt: skip
        at_least("limit", limit, 1)
        ended: list[tuple[str, ...]] = [()] * kinds
        for step, start in enumerate(range(0, limit, LEASES)):
            asked = min(LEASES, limit - start)
            name = step_id(op_id, step)
            new = self.call(verb, queue, [*args, asked], actor, name, partial(lists, count=kinds))
            ended = [before + more for before, more in zip(ended, new, strict=True)]
            if sum(map(len, new)) < asked:
                break
        return ended

    def recover_now(
        self, queue: str, job_id: str, token: int, max_stalled: int = 1,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> Outcome:  # fmt: skip
        """Sweep one active job before its lease ends: `RECOVERED` or `DEAD`.

        Raises `Gone`, `EmqState` when it is not active, `EmqStale`, `ValueError` as `sweep`.
        """
        at_least("max_stalled", max_stalled, 1)
        args: list[Field] = [to_wire(job_id), token, max_stalled]
        return self.call("recover_now", queue, args, actor, op_id, outcome)

    def requeue(
        self, queue: str, job_ids: Iterable[str], tokens: Tokens = None, reset_stalls: bool = False,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> dict[str, Outcome]:  # fmt: skip
        """Move dead jobs back to waiting, each to its own lane; attempts are never touched.

        Each id answers requeued, changed, not_dead, gone or unreadable. `reset_stalls` gives
        a job that its stall count killed a fresh budget.
        """
        return self._named("requeue", queue, [int(reset_stalls)], job_ids, tokens, actor, op_id)

    def return_to_dead(
        self, queue: str, jobs: Mapping[str, tuple[int, Field | None, int | None]],
        *, actor: str | None = None, op_id: str | None = None,
    ) -> dict[str, Outcome]:  # fmt: skip
        """Undo a requeue: {id: (attempts, error, stalled)} back to dead while they still wait.

        Each id answers returned, changed, not_waiting, gone or unreadable.
        """
        answer: dict[str, Outcome] = {}
        for step, chunk in enumerate(chunks(jobs)):
            args: list[Field] = []
            for job_id in chunk:
                attempts, error, stalled = jobs[job_id]
                kept = b"" if error is None else b"+" + to_bytes(error)
                args += [to_wire(job_id), attempts, kept, "" if stalled is None else stalled]
            name = step_id(op_id, step)
            answer |= self.call("return_to_dead", queue, args, actor, name, outcomes)
        return answer

    def promote_now(
        self, queue: str, job_ids: Iterable[str], tokens: Tokens = None,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> dict[str, Outcome]:  # fmt: skip
        """Move named scheduled jobs back before their time.

        Each id answers promoted, changed, not_scheduled, gone or unreadable.
        """
        return self._named("promote_now", queue, [], job_ids, tokens, actor, op_id)

    def bury(
        self, queue: str, job_ids: Iterable[str], reason: Field, tokens: Tokens = None,
        force: bool = False, *, actor: str | None = None, op_id: str | None = None,
    ) -> dict[str, Outcome]:  # fmt: skip
        """Move named jobs to dead with the operator's reason as their error.

        Each id answers buried, changed, active (no token given), child, already_dead, gone or
        unreadable. `force` overrides active and child, never changed.
        """
        return self._named("bury", queue, [reason, int(force)], job_ids, tokens, actor, op_id)

    def remove(
        self, queue: str, job_ids: Iterable[str], tokens: Tokens = None, force: bool = False,
        dedup_id: str | None = None, *, actor: str | None = None, op_id: str | None = None,
        seen: Mapping[str, str] | None = None,
    ) -> dict[str, Outcome]:  # fmt: skip
        """Delete named jobs with all their keys, and orphaned ids from the sets.

        Each id answers removed, changed, active, locked, child or gone. `dedup_id` names the
        idempotency key to delete with the one id given, else `ValueError`. `seen` is where the
        caller saw them, as `Kept.place`: a job that is elsewhere by now answers changed.
        """
        ids = list(dict.fromkeys(job_ids))
        if dedup_id is not None and len(ids) != 1:
            raise ValueError("dedup_id goes with exactly one id")
        head: list[Field] = [int(force), to_wire(dedup_id or "")]
        return self._named("remove", queue, head, ids, tokens, actor, op_id, seen or {})

    def restore(
        self, queue: str, jobs: Mapping[str, Kept],
        *, actor: str | None = None, op_id: str | None = None,
    ) -> dict[str, Outcome]:  # fmt: skip
        """Put removed jobs back as `kept.read` found them, each where it waited.

        Each id answers restored, exists (a row or a set has it again) or unreadable (its lane is no
        sorted set). A job that was active waits; attempts stay as they were.
        """
        answer: dict[str, Outcome] = {}
        for step, chunk in enumerate(blobs(jobs)):
            answer |= self.call("restore", queue, chunk, actor, step_id(op_id, step), outcomes)
        return answer

    def _named(
        self, verb: str, queue: str, head: Sequence[Field], job_ids: Iterable[str],
        tokens: Tokens, actor: str | None, op_id: str | None, *others: Mapping[str, Field],
    ) -> dict[str, Outcome]:  # fmt: skip
        told: list[Mapping[str, Field]] = [tokens or {}, *others]
        answer: dict[str, Outcome] = {}
        step = 0
        calls = deque(chunks(job_ids))
        while calls:
            ids = calls.popleft()
            args = [*head]
            for job_id in ids:
                args += [to_wire(job_id), *(to_bytes(one.get(job_id, "")) for one in told)]
            more, new = self.call(verb, queue, args, actor, step_id(op_id, step), answered)
            answer |= new
            if more:
                calls.appendleft([job_id for job_id in ids if job_id not in answer])
            step += 1
        return answer

    def update_payload(
        self, queue: str, job_id: str, payload: Field, token: int | None = None,
        seen: str | None = None, *, actor: str | None = None, op_id: str | None = None,
    ) -> None:  # fmt: skip
        """Replace the payload of one job; `seen` is the SHA-1, in hex, of the one it replaces.

        Raises `Gone`, `EmqStale`, `EmqState` (unreadable, or the payload is not the one seen).
        """
        fence = "" if token is None else token
        args: list[Field] = [to_wire(job_id), payload, fence, seen or ""]
        self.call("update_payload", queue, args, actor, op_id, yes)


class QueueVerbs(Caller):
    """What concerns a whole queue or one of its lanes."""

    def pause(self, queue: str, *, actor: str | None = None, op_id: str | None = None) -> bool:
        """Pause the queue: nothing is claimed any more. `True` when it was not paused."""
        return self.call("pause", queue, [], actor, op_id, yes)

    def resume(self, queue: str, *, actor: str | None = None, op_id: str | None = None) -> bool:
        """Resume the queue. `True` when it was paused."""
        return self.call("resume", queue, [], actor, op_id, yes)

    def pause_lane(
        self, queue: str, group: str, *, actor: str | None = None, op_id: str | None = None
    ) -> bool:
        """Pause one lane: it leaves the ring. `True` when that changed something."""
        return self.call("pause_lane", queue, [to_wire(group)], actor, op_id, yes)

    def resume_lane(
        self, queue: str, group: str, *, actor: str | None = None, op_id: str | None = None
    ) -> bool:
        """Resume one lane. `True` when that changed something."""
        return self.call("resume_lane", queue, [to_wire(group)], actor, op_id, yes)

    def limit_lane(
        self, queue: str, group: str, n: int | None,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> None:  # fmt: skip
        """Let at most `n` jobs of a lane be in flight; `None` takes the limit away.

        Raises `ValueError` for `n` below 1.
        """
        self.change_limit(queue, group, n, actor=actor, op_id=op_id)

    def change_limit(
        self, queue: str, group: str, n: int | None,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> bool:  # fmt: skip
        """The same; `True` when it changed something."""
        limit: Field = "" if n is None else at_least("n", n, 1)
        return self.call("limit_lane", queue, [to_wire(group), limit], actor, op_id, yes)

    def drain(
        self, queue: str, include_schedule: bool = False, budget: int = 1000,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> Drained:  # fmt: skip
        """Delete up to `budget` waiting ungrouped (and scheduled) jobs; says if there are more."""
        args = [int(include_schedule), at_least("budget", budget, 1)]
        return self.call("drain", queue, args, actor, op_id, drained)

    def obliterate(
        self, queue: str, force: bool = False, lanes: Iterable[str] = (), budget: int = 1000,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> bool:  # fmt: skip
        """Delete up to `budget` jobs and lanes of a paused queue; `True` while there is more.

        `lanes` are names known from discovery. Raises `EmqState` when the queue is not paused,
        or has active jobs and `force` is not given.
        """
        args: list[Field] = [int(force), at_least("budget", budget, 1), *map(to_wire, lanes)]
        return self.call("obliterate", queue, args, actor, op_id, yes)
