"""What of a call is sent, once all that must be kept of its jobs is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from echomq_admin.operations.calls import Call


@dataclass(frozen=True)
class Held:
    """`call` names every job; those in `left` are not sent, because of the word there."""

    call: Call
    left: Mapping[str, str] = field(default_factory=dict)

    @property
    def sent(self) -> Call:
        """The call of the jobs that are sent."""
        if not self.left:
            return self.call
        job_ids = tuple(job_id for job_id in self.call.job_ids if job_id not in self.left)
        return replace(self.call, job_ids=job_ids)

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the call is sent."""
        return bool(self.left) and not self.sent.job_ids

    def whole(self, result: object) -> object:
        """The verb's answer with the words of what was not sent, in the order of the call."""
        if not self.left or not isinstance(result, Mapping):
            return result
        words = {**result, **self.left}
        return {job_id: words[job_id] for job_id in self.call.job_ids if job_id in words}
