"""The page of a job, its log, its trail, and its fields as they are."""

from __future__ import annotations

import re
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from echomq_admin.console import (
    job_fields,
    job_log,
    job_page,
    job_view,
    job_words,
    links,
    outcomes,
)
from echomq_admin.console.access import page
from echomq_admin.console.bodies.body import body
from echomq_admin.console.forms import new_op_id
from echomq_admin.console.history.page import version
from echomq_admin.console.htmx import is_fragment, show
from echomq_admin.console.job_log import LogLook
from echomq_admin.console.payloads import size
from echomq_admin.console.places import Place, find_of_job
from echomq_admin.console.trail import of_job
from echomq_admin.emq import audit, reads
from echomq_admin.emq.fields import read_field
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.reads import JobLook
from echomq_admin.fleet import discovery
from echomq_admin.fleet.names import brief, from_url
from echomq_admin.ledger import trail
from echomq_admin.ledger.endings import acts
from echomq_admin.ledger.endings.history import has_ending
from echomq_admin.operations import trash
from echomq_admin.operations.services import allowed

MOST_RAW = 64_000_000
_ENDINGS = {"JSON": ".json", "text": ".txt"}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@page
def job(request: HttpRequest, server: str, queue: str, job: str) -> HttpResponse:
    """Everything that is known of one job. One that is gone says so and is read no more."""
    place = find_of_job(server, queue)
    have = job_fields.read_have(request.GET) if is_fragment(request) else {}
    lanes = discovery.lanes_of(server, queue)
    look = reads.job_look(place.server.client, queue, job, lanes, have)
    context = _context(request, place, look)
    if look.is_gone:
        context |= _last_seen(request, place, look)
    # A fragment of any other status would not be shown.
    is_strange = look.is_gone and not context["is_known"] and not is_fragment(request)
    status = 404 if is_strange else 200
    return show(request, "console/job.html", context, status)


@page
def job_logs(request: HttpRequest, server: str, queue: str, job: str) -> HttpResponse:
    """Log lines from the end; as the section of the page of the job only the newest few."""
    place = find_of_job(server, queue)
    is_section = is_fragment(request) and request.htmx.target == "log"
    look = LogLook.read(request.GET, is_section)
    found = reads.log_page(place.server.client, queue, job, look.before, look.limit)
    context = {
        "place": place,
        "name": brief(job),
        "job_url": _url(place, job),
        "logs_url": f"{_url(place, job)}/logs",
        "log": found,
        "lines": job_log.lines(found),
        "older": look.older(found),
        "newer": look.newer(found),
        "is_newest": look.before is None,
        "is_section": is_section,
    }
    return show(request, "console/job_logs.html", context, part="log" if is_section else "live")


@page
def job_trail(request: HttpRequest, server: str, queue: str, job: str) -> HttpResponse:
    """What the trail says of this job, and the audit stream where the trail is behind it."""
    place = find_of_job(server, queue)
    is_section = is_fragment(request) and request.htmx.target == "trail"
    did = of_job.of_job(place, job, request.user, timezone.now().timestamp() * 1_000)
    context = {
        "place": place,
        "name": brief(job),
        "job_url": _url(place, job),
        "did": did,
        # An undo leads to the trail of the job.
        "query": did.url.partition("?")[2],
        "now_ms": place.now_ms,
    }
    return show(request, "console/job_trail.html", context, part="trail" if is_section else "live")


@page
def job_raw(request: HttpRequest, server: str, queue: str, job: str) -> HttpResponse:
    """One field of the row, byte by byte, as a file."""
    place = find_of_job(server, queue)
    try:
        name = from_url(request.GET.get("field") or "payload")
    except ValueError:
        raise Http404("No field is called so.") from None
    found = read_field(place.server.client, queue, job, to_wire(name), MOST_RAW)
    if found is None:
        raise Http404(f"The row of {brief(job)} has no field {brief(name)}, or is gone.")
    if found.fault:
        return _unreadable(request, place, job, found.fault)
    if found.value is None:
        return _too_long(request, place, job, found.size)
    answer = HttpResponse(found.value, content_type="application/octet-stream")
    file = f"{_safe(job)}-{_safe(name)}{_ENDINGS.get(body(found.value).kind, '.bin')}"
    answer["Content-Disposition"] = f'attachment; filename="{file}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


def _context(request: HttpRequest, place: Place, look: JobLook) -> dict:
    outcome = outcomes.kept(request)
    said = {
        "place": place,
        **outcomes.context(request, place, outcome),
        "refusal": outcome.refusals.get(look.job.job_id, "") if outcome else "",
        "dismiss": "",
        "op_id": new_op_id(),
        "history_version": version(place, look, acts.named(look.job.job_id)),
        "back": "job",
    }
    if outcome and outcome.level == "done":
        said["moved_on"] = job_words.moved_on(look, outcome.left_in)
    may, who = partial(allowed, request.user), request.user.get_username()
    return said | job_page.head(place, look, who) | job_page.body(place, look, may, who)


def _last_seen(request: HttpRequest, place: Place, look: JobLook) -> dict:
    """Whether a job that is not here was: the page that polls had it, or the audit names it, the
    trash holds it, or the ledger has one of its leases."""
    had = is_fragment(request) and request.GET.get("had") == "1"
    named = not had and _is_named(place, look)
    server, queue = place.server.name, place.queue
    in_trash = trash.holds(server, queue, look.job.job_id)
    in_ledger = has_ending(server, queue, look.job.job_id)
    is_known = had or named or in_trash or in_ledger
    return {
        "had": had,
        "was_named": named,
        "in_ledger": in_ledger,
        "is_known": is_known,
        "state": "gone" if is_known else "not here",
        "trash_url": links.trash_url(server, queue) if in_trash else "",
    }


def _is_named(place: Place, look: JobLook) -> bool:
    """Whether the trail names the job, or one of the newest entries of the audit does, which takes
    one round trip."""
    job_id = look.job.job_id
    if trail.names_job(place.server.name, place.queue, job_id):
        return True
    if not look.audited:
        return False
    found = audit.tail(place.server.client, place.queue, audit.PER_CALL, of_job.MOST_BYTES)
    return any(moved.job_id == job_id for entry in found.entries for moved in entry.jobs)


def _url(place: Place, job_id: str) -> str:
    return job_view.job_link(place, job_id).href


def _unreadable(request: HttpRequest, place: Place, job_id: str, why: str) -> HttpResponse:
    sentence = f"The row of {brief(job_id)} cannot be read: {why}."
    context = {"title": "Not readable", "sentence": sentence, "place": place}
    return render(request, "console/message.html", context, status=409)


def _too_long(request: HttpRequest, place: Place, job_id: str, length: int) -> HttpResponse:
    sentence = (
        f"This field of {brief(job_id)} is {size(length)} long; the console hands out at most "
        f"{size(MOST_RAW)}. Read it with a client of the store."
    )
    context = {"title": "Too long to download here", "sentence": sentence, "place": place}
    return render(request, "console/message.html", context, status=413)


def _safe(name: str) -> str:
    """A name as a part of a file's name."""
    return _UNSAFE.sub("_", name)[:60].strip(".") or "_"
