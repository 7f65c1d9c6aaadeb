"""The confirmation of an action: what would be done to what, and the fields that it needs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.http import HttpRequest

from echomq_admin.console import words
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.fields import Field, fields
from echomq_admin.console.acting.previews import preview
from echomq_admin.console.forms import Selection, new_op_id
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.operations import consent
from echomq_admin.operations.action import Consent
from echomq_admin.operations.calls import Call

LISTED = 100


@dataclass(frozen=True, slots=True)
class AskedJob:
    """A job of the confirmation: how it is named, and its counts as the person saw them."""

    name: str
    attempts: str
    stalls: str
    next_attempt: str


def context(request: HttpRequest, asked: Asked, call: Call, problem: str = "") -> dict:
    """What the confirmation page (or dialog) shows and carries on."""
    chosen, place, action = asked.chosen, asked.place, asked.action
    found, who = preview(asked, call), request.user.get_username()
    count = len(chosen.job_ids)
    what = f"{words.jobs(count)} of {place.name}" if count else place.name
    return {
        "title": f"{action.label}: {what}?",
        "about": _about(asked),
        "press": f"{action.label} {words.jobs(count)}" if count else action.label,
        "leave": "Leave it as it is" if count < 2 else "Leave them as they are",
        "busy": "Working…",
        "fields": _fields(asked),
        "carried": [],
        "preview": found,
        "place": place,
        "action": action,
        "url": place.url_of(action.verb),
        "count": count,
        "jobs": [_asked(chosen, job_id) for job_id in chosen.job_ids[:LISTED]],
        "unlisted": max(0, len(chosen.job_ids) - LISTED),
        "keys": [key(chosen, job_id) for job_id in chosen.job_ids],
        "types_name": asked.consent is Consent.TYPE_NAME,
        "op_id": asked.op_id or new_op_id(),
        "shown": consent.sign(who, call, found.numbers, found.args)
        if found
        else consent.sign(who, call),
        "problem": problem,
        "back": asked.back,
        "back_url": asked.back_url,
        "look": asked.look,
        "reason": asked.reason,
    }


def _about(asked: Asked) -> str:
    if asked.action.verb != "requeue":
        return asked.action.help
    job_ids = asked.chosen.job_ids
    attempts = [asked.chosen.tokens.get(job_id) for job_id in job_ids]
    each = "It goes" if len(job_ids) == 1 else "Each goes"
    return f"{each} back into its own lane, or into pending. {words.attempts_kept(attempts)}"


def _fields(asked: Asked) -> list[Field]:
    most = asked.place.settings.max_stalled
    starts = {"max_stalled": most, "reason": asked.reason}
    return [_told(asked, field, most) for field in fields(asked, starts, frozenset())]


def _told(asked: Asked, field: Field, most: int) -> Field:
    """What a reset of stall counts does to exactly these jobs."""
    if field.name != "reset_stalls":
        return field
    stalls = [asked.chosen.stalls.get(job_id) for job_id in asked.chosen.job_ids]
    return replace(
        field,
        when_off=words.stalls_kept(stalls, most),
        when_on=words.stalls_reset(stalls, most),
    )


def _asked(chosen: Selection, job_id: str) -> AskedJob:
    attempts, stalled = chosen.tokens.get(job_id), chosen.stalls.get(job_id)
    return AskedJob(
        brief(job_id),
        "?" if attempts is None else f"{attempts:,}",
        "?" if stalled is None else f"{stalled:,}",
        "?" if attempts is None else f"{attempts + 1:,}",
    )


def key(chosen: Selection, job_id: str) -> str:
    """The form value of a job, as the person saw it."""
    attempts = chosen.tokens.get(job_id, "")
    stalled = chosen.stalls.get(job_id, "")
    return f"{attempts}:{stalled}:{to_url(job_id)}"
