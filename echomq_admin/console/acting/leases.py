"""Before a lease is ended or extended: what is left of it, and what the end of it does."""

from __future__ import annotations

from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.preview import Preview
from echomq_admin.emq.standing import Standing, standings
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.spans import span
from echomq_admin.operations.calls import Call

_TEMPLATE = "console/_ask_lease.html"


def recovery(asked: Asked, call: Call) -> Preview:
    """What ending the lease of a job does: the stall that it counts, and where the job goes."""
    job, refused = _job(asked, call)
    if refused:
        return refused
    context = {"lease": _lease(job), "stall": _stall(job), "is_live": (job.remaining_ms or 0) > 0}
    return Preview(_TEMPLATE, context=context)


def extension(asked: Asked, call: Call) -> Preview:
    """What is left of the lease, and the queue's usual length to begin with."""
    job, refused = _job(asked, call)
    if refused:
        return refused
    usual = asked.place.settings.lease_ms
    return Preview(
        _TEMPLATE,
        starts={} if usual is None else {"lease_ms": usual},
        context={
            "lease": _lease(job),
            "usual": "No usual lease is set for this queue; its settings can name one."
            if usual is None
            else f"The usual lease of this queue is {usual:,} ms, {span(usual)}.",
        },
    )


def _job(asked: Asked, call: Call) -> tuple[Standing, Preview | None]:
    """The job, and when the call would come to nothing, the preview that says why."""
    place = asked.place
    (job,) = standings(place.server.client, place.queue, call.job_ids)
    why = _why_not(job, call.tokens.get(job.job_id))
    return job, Preview(_TEMPLATE, is_nothing=True, context={"why_not": why}) if why else None


def _why_not(job: Standing, token: int | None) -> str:
    if not job.has_row:
        return "Its row is missing: the job finished, was removed or was evicted."
    if job.attempts is None:
        return "Its row cannot be read: it is no hash, or its attempts are no number."
    if "active" not in job.held:
        return "It is not active any more: it ended, or its lease was taken back."
    if token is None:
        return "Its attempts were not known to the page. Open the job, and act on it from there."
    if job.attempts != token:
        return (
            f"It was claimed since: its attempts are {job.attempts:,}, no longer {token:,}. "
            "Another worker may hold it now. Look again before you act on it."
        )
    return ""


def _lease(job: Standing) -> str:
    left = job.remaining_ms or 0
    if left > 0:
        return f"A worker holds its lease for another {span(left)}."
    return f"Its lease lapsed {span(left)} ago, and no sweep has taken it yet."


def _stall(job: Standing) -> str:
    """True whatever limit is typed: where the job goes by it."""
    next_stall = (job.stalled or 0) + 1
    back = "pending" if job.group is None else f"lane {brief(job.group, 60)}"
    return (
        f"This counts a stall: its stall count {job.stalled or 0:,} becomes {next_stall:,}. "
        f"At max stalled {next_stall:,} or less it goes to dead, above that back to {back}. "
        "Attempts stay; once it is claimed again, what its old worker reports is refused."
    )
