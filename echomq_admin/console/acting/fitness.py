"""Whether a job is still the one that was seen, in the words of every confirmation."""

from __future__ import annotations

from echomq_admin.emq.standing import Standing
from echomq_admin.fleet.spans import span


def unsound(job: Standing) -> str:
    """Why no action on its row can work; empty when one can."""
    if not job.has_row:
        return "Its row is missing: the job finished, was removed or was evicted."
    if job.attempts is None:
        return "Its row cannot be read: it is no hash, or its attempts are no number."
    return ""


def claimed_since(job: Standing, token: int | None) -> str:
    """That its attempts are not those that were seen; empty when they are."""
    if job.attempts is None or token is None or job.attempts == token:
        return ""
    return f"It was claimed since: its attempts are {job.attempts:,}, no longer {token:,}."


def lease(remaining_ms: float) -> str:
    """What is left of a lease, as a clause."""
    if remaining_ms > 0:
        return f"its lease ends in {span(remaining_ms)}"
    return f"its lease lapsed {span(-remaining_ms)} ago"
