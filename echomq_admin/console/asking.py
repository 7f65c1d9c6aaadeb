"""The confirmation of a requeue: what is asked, and whether it was confirmed."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, QueryDict

from echomq_admin.console import words
from echomq_admin.console.forms import Selection, new_op_id
from echomq_admin.console.places import Place
from echomq_admin.fleet.names import brief, shown, to_url
from echomq_admin.operations.actions import ACTIONS, Consent

LISTED = 100


@dataclass(frozen=True, slots=True)
class AskedJob:
    """A job of the confirmation: how it is named, and its counts as the person saw them."""

    name: str
    attempts: str
    stalls: str
    next_attempt: str


def is_confirmed(post: QueryDict, queue: str, chosen: Selection) -> bool:
    """Whether the form carries the consent that so many jobs need.

    One job by its own button needs none. Ticked jobs need the number that the person saw; from
    a thousand on, the name of the queue as well.
    """
    if chosen.only and len(chosen.job_ids) == 1:
        return True
    if post.get("confirm") != str(len(chosen.job_ids)):
        return False
    if consent(chosen) is Consent.TYPE_NAME:
        return post.get("typed", "").strip() == shown(queue)
    return True


def consent(chosen: Selection) -> Consent:
    return ACTIONS["requeue"].consent_for(len(chosen.job_ids))


def context(request: HttpRequest, place: Place, chosen: Selection) -> dict:
    """What the confirmation page (or dialog) shows and carries on."""
    attempts = [chosen.tokens.get(job_id) for job_id in chosen.job_ids]
    stalls = [chosen.stalls.get(job_id) for job_id in chosen.job_ids]
    max_stalled = place.settings.max_stalled
    return {
        "place": place,
        "count": len(chosen.job_ids),
        "jobs": [_asked(chosen, job_id) for job_id in chosen.job_ids[:LISTED]],
        "unlisted": max(0, len(chosen.job_ids) - LISTED),
        "keys": [_key(chosen, job_id) for job_id in chosen.job_ids],
        "attempts_sentence": words.attempts_kept(attempts),
        "kept_sentence": words.stalls_kept(stalls, max_stalled),
        "reset_sentence": words.stalls_reset(stalls, max_stalled),
        "types_name": consent(chosen) is Consent.TYPE_NAME,
        "op_id": request.POST.get("op_id") or new_op_id(),
        "look": request.POST.get("look", ""),
    }


def _asked(chosen: Selection, job_id: str) -> AskedJob:
    attempts, stalled = chosen.tokens.get(job_id), chosen.stalls.get(job_id)
    return AskedJob(
        brief(job_id),
        "?" if attempts is None else f"{attempts:,}",
        "?" if stalled is None else f"{stalled:,}",
        "?" if attempts is None else f"{attempts + 1:,}",
    )


def _key(chosen: Selection, job_id: str) -> str:
    attempts = chosen.tokens.get(job_id, "")
    stalled = chosen.stalls.get(job_id, "")
    return f"{attempts}:{stalled}:{to_url(job_id)}"
