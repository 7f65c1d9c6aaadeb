"""Before a lease is ended or extended: what is left of it, and what the end of it does."""

from __future__ import annotations

from math import ceil

from django.utils.text import capfirst

from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.fitness import claimed_since, lease, unsound
from echomq_admin.console.acting.preview import Shown
from echomq_admin.emq.standing import Standing, standings
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.spans import exact_span, span
from echomq_admin.operations.calls import Call

_TEMPLATE = "console/_ask_lease.html"
_TO_DEAD = "Recover now: sends it to dead"
_BACK = "Recover now: back to "
_LAPSED = "Takes the lapsed lease of one job away now, without a sweep of the others."
_SHORTEST = "30 s"


def recovery(asked: Asked, call: Call) -> Shown:
    """What ending the lease of a job does: the stall that it counts, and where the job goes."""
    job, refused = _job(asked, call)
    if refused:
        return refused
    is_live = (job.remaining_ms or 0) > 0
    most = asked.place.settings.max_stalled
    context = {"lease": _lease(job), "stall": _stall(job, most), "is_live": is_live}
    press = {"dies_at": _next_stall(job), "to_dead": _TO_DEAD, "to_back": f"{_BACK}{_back(job)}"}
    return Shown(
        _TEMPLATE, about=asked.action.help if is_live else _LAPSED, context=context | press
    )


def extension(asked: Asked, call: Call) -> Shown:
    """What is left of the lease, and the queue's usual length to begin with."""
    job, refused = _job(asked, call)
    if refused:
        return refused
    usual = asked.place.settings.lease_ms
    return Shown(
        _TEMPLATE,
        starts={"lease_ms": _begin(job) if usual is None else exact_span(usual)},
        context={
            "lease": _lease(job),
            "usual": "No usual lease is set for this queue; its settings can name one."
            if usual is None
            else f"The usual lease of this queue is {exact_span(usual)}.",
        },
    )


def _job(asked: Asked, call: Call) -> tuple[Standing, Shown | None]:
    """The job, and when the call would come to nothing, the preview that says why."""
    place = asked.place
    (job,) = standings(place.server.client, place.queue, call.job_ids)
    why = _why_not(job, call.tokens.get(job.job_id))
    return job, Shown(_TEMPLATE, is_nothing=True, context={"why_not": why}) if why else None


def _why_not(job: Standing, token: int | None) -> str:
    if why_not := unsound(job):
        return why_not
    if "active" not in job.held:
        return "It is not active any more: it ended, or its lease was taken back."
    if token is None:
        return "Its attempts were not known to the page. Open the job, and act on it from there."
    if since := claimed_since(job, token):
        return f"{since} Another worker may hold it now. Look again before you act on it."
    return ""


def _lease(job: Standing) -> str:
    left = job.remaining_ms or 0
    if left > 0:
        return f"A worker holds its lease for another {span(left)}."
    return f"{capfirst(lease(left))}, and no sweep has taken it yet."


def _begin(job: Standing) -> str:
    """A length that ends no sooner than the lease does now."""
    left = job.remaining_ms or 0
    return _SHORTEST if left <= 30_000 else exact_span(ceil(left / 60_000) * 60_000)


def _stall(job: Standing, most: int) -> str:
    """Where the job goes by the queue's limit, and by others: true whatever is typed."""
    stalls, back = _next_stall(job), _back(job)
    head = f"This counts as its stall {stalls:,}. At max stalled {most:,}, as this queue has it,"
    if stalls >= most:
        fate = f"{head} it goes to dead; at {stalls + 1:,} or more it goes to {back}."
    else:
        fate = f"{head} it goes to {back}; at {stalls:,} or less it goes to dead."
    return f"{fate} Once it is claimed again, what its old worker reports is refused."


def _next_stall(job: Standing) -> int:
    return (job.stalled or 0) + 1


def _back(job: Standing) -> str:
    return "pending" if job.group is None else f"lane {brief(job.group, 60)}"
