"""The verbs of producers and workers."""

from __future__ import annotations

from typing import Any

from .calls import Caller, Field, at_least, numbers, outcome, step_id, yes
from .keyspace import from_wire, is_enqueueable, to_wire
from .records import Claim, Outcome

# How many scheduled members one call of promote looks at.
LOOKS = 100


class WorkerVerbs(Caller):
    """What producers and workers do. Every verb is one script, judged by the server's clock."""

    def enqueue(
        self, queue: str, job_id: str, payload: Field, group: str | None = None,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> bool:  # fmt: skip
        """Create a waiting job, in the lane of `group` if given; `False` when its row exists.

        Raises `ValueError` for a queue name that producers may not use, `EmqKind` for an id
        that is not `JOB…`.
        """
        _check_name(queue)
        args: list[Field] = [to_wire(job_id), payload, int(group is not None), to_wire(group or "")]
        return self.call("enqueue", queue, args, actor, op_id, yes)

    def schedule(
        self, queue: str, job_id: str, payload: Field,
        *, at_ms: int | None = None, in_ms: int | None = None,
        actor: str | None = None, op_id: str | None = None,
    ) -> bool:  # fmt: skip
        """Create a job that waits until `at_ms` (unix ms) or for `in_ms`; `False` as `enqueue`.

        Raises `ValueError` unless exactly one of the two is given, and as `enqueue`.
        """
        _check_name(queue)
        if (at_ms is None) == (in_ms is None):
            raise ValueError("give either at_ms or in_ms")
        when: list[Field] = ["in", at_least("in_ms", in_ms)] if in_ms is not None else []
        if at_ms is not None:
            when = ["at", at_least("at_ms", at_ms)]
        args = [to_wire(job_id), payload, *when]
        return self.call("schedule", queue, args, actor, op_id, yes)

    def claim(
        self, queue: str, lease_ms: int, *, actor: str | None = None, op_id: str | None = None
    ) -> Claim | None:
        """Take the first waiting ungrouped job; `None`: nothing waits, or the queue is paused."""
        return self._claim("claim", queue, lease_ms, actor, op_id)

    def claim_lane(
        self, queue: str, lease_ms: int, *, actor: str | None = None, op_id: str | None = None
    ) -> Claim | None:
        """Turn the ring one step and take that lane's first job; `None` as `claim`."""
        return self._claim("claim_lane", queue, lease_ms, actor, op_id)

    def _claim(
        self, verb: str, queue: str, lease_ms: int, actor: str | None, op_id: str | None
    ) -> Claim | None:
        at_least("lease_ms", lease_ms)
        step, more = 0, True
        while more:
            name = step_id(op_id, step)
            claim, more = self.call(verb, queue, [lease_ms], actor, name, _claimed)
            step += 1
        return claim

    def complete(
        self, queue: str, job_id: str, token: int,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> None:  # fmt: skip
        """End a finished job and delete its row, wherever a sweep has put it meanwhile.

        Raises `Gone`, `EmqStale`, `EmqState` (unreadable row).
        """
        self.call("complete", queue, [to_wire(job_id), token], actor, op_id, yes)

    def retry(
        self, queue: str, job_id: str, token: int, delay_ms: int, max_attempts: int, error: Field,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> Outcome:  # fmt: skip
        """End a failed attempt: `SCHEDULED` after `delay_ms`, or `DEAD` at `max_attempts`.

        Raises `EmqStale` (also without a row), `EmqState` when the lease has ended.
        """
        numbers = [at_least("delay_ms", delay_ms), at_least("max_attempts", max_attempts)]
        args: list[Field] = [to_wire(job_id), token, *numbers, error]
        return self.call("retry", queue, args, actor, op_id, outcome)

    def extend(
        self, queue: str, job_id: str, token: int, lease_ms: int,
        *, actor: str | None = None, op_id: str | None = None,
    ) -> None:  # fmt: skip
        """Renew a lease: its deadline becomes the server's now + `lease_ms`.

        Raises `Gone`, `EmqStale`, `EmqState` when the lease has ended.
        """
        at_least("lease_ms", lease_ms)
        self.call("extend", queue, [to_wire(job_id), token, lease_ms], actor, op_id, yes)

    def promote(
        self, queue: str, limit: int = 100, *, actor: str | None = None, op_id: str | None = None
    ) -> int:
        """Move due scheduled jobs back; looks at `limit` of them, answers how many moved."""
        at_least("limit", limit, 1)
        moved = looked = step = 0
        while looked < limit:
            asked = min(LOOKS, limit - looked)
            name = step_id(op_id, step)
            promoted, seen = self.call("promote", queue, [asked], actor, name, numbers)
            moved, looked, step = moved + promoted, looked + seen, step + 1
            if seen < asked:
                break
        return moved


def _claimed(reply: Any) -> tuple[Claim | None, bool]:
    """The claim, and whether only ids were met that nobody can work on."""
    if not isinstance(reply, list):
        return None, yes(reply)
    if not reply:
        return None, False
    group = from_wire(reply[3]) if len(reply) > 3 else None
    return Claim(from_wire(reply[0]), bytes(reply[1]), int(reply[2]), group), False


def _check_name(queue: str) -> None:
    if not is_enqueueable(queue):
        raise ValueError(
            f"{queue!r} is no name for a new queue: 1 to 128 of A-Z a-z 0-9 . _ -, and never 'emq'"
        )
