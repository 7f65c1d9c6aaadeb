"""What of a call is sent, once all that must be kept of its jobs is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from echomq_admin.operations.calls import Call

# No row has such attempts.
NO_ROW = -1


@dataclass(frozen=True)
class Dispatch:
    """`call` names every job, as the caller asked; those in `left` are not sent, because of the
    word there.

    `fences` are the attempts of jobs that the caller did not fence, `seen` the places where jobs
    were, both as they were kept. `barred` are jobs that the same call moved before: they are named
    again, as its replay needs it, but none with a row is touched, and the word there is told.
    `told` maps a job and its word to a sentence that is truer than that of the word.
    """

    call: Call
    left: Mapping[str, str] = field(default_factory=dict)
    fences: Mapping[str, int] = field(default_factory=dict)
    seen: Mapping[str, str] = field(default_factory=dict)
    barred: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def sent(self) -> Call:
        """The call of the jobs that are sent, with all its fences."""
        job_ids = tuple(job_id for job_id in self.call.job_ids if job_id not in self.left)
        barred = dict.fromkeys(self.barred, NO_ROW)
        tokens = {**self.fences, **self.call.tokens, **barred}
        args = {**self.call.args, "seen": self.seen} if self.seen else self.call.args
        return replace(self.call, job_ids=job_ids, tokens=tokens, args=args)

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the call is sent."""
        return bool(self.left) and not self.sent.job_ids

    def whole(self, result: object) -> object:
        """The verb's answer with the words of what was not sent or barred, in the order of the
        call."""
        if not (self.left or self.barred) or not isinstance(result, Mapping):
            return result
        words = {**result, **self.left, **self.barred}
        return {job_id: words[job_id] for job_id in self.call.job_ids if job_id in words}
