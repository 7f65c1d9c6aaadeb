"""The page of the history of a job, and the same as a section of the page of the job."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from echomq_admin.console import links, places
from echomq_admin.console.access import page
from echomq_admin.console.history import picture
from echomq_admin.console.history.lines import lines, newest
from echomq_admin.console.htmx import is_fragment, show
from echomq_admin.console.places import Place
from echomq_admin.console.trail import of_job
from echomq_admin.console.trail.of_job import News
from echomq_admin.console.trail.undoing import Undoing
from echomq_admin.emq.present import Presence, Present
from echomq_admin.emq.reads import JobLook
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import brief
from echomq_admin.ledger.endings.acts import Act
from echomq_admin.ledger.endings.history import History, endings_mark, history
from echomq_admin.operations import trash

# So many lines has the section on the page of the job.
ON_JOB = 12


@page
def job_history(request: HttpRequest, server: str, queue: str, job: str) -> HttpResponse:
    """Every lease that ended, and what people did between. Also of a job long gone, and while its
    server is out of reach."""
    place, trouble = places.reached(server, queue, places.find_of_job)
    now, news = None, of_job.NONE
    if not trouble:
        try:
            now, news = _looked(place, job)
        except servers.TROUBLE as error:
            trouble = servers.trouble(place.server, error)
    if now is not None and now.is_unknown:
        now, trouble = None, f"{now.fault}."
    told = history(server, queue, job, now, news.entries, trash.holds(server, queue, job))
    is_section = is_fragment(request) and request.htmx.target == "history"
    context = _context(request, place, job, told, now, news, is_section) | {"trouble": trouble}
    is_known = told.is_known or now is None or now.is_here
    # A section of a page whose job has just gone is no failure.
    status = 200 if is_known or is_section else 404
    part = "history" if is_section else "live"
    return show(request, "console/job_history.html", context, status, part=part)


def version(place: Place, look: JobLook, named: int) -> str:
    """What changes when the history of a job does; `named` counts the entries that name it."""
    marks = endings_mark(place.server.name, place.queue, look.job.job_id)
    held = [f"{held.place}{held.score:.0f}" for held in look.held if held.group is None]
    parts = [look.audited, named, *marks, look.job.attempts, *held]
    return ".".join("" if part is None else str(part) for part in parts)


def _looked(place: Place, job_id: str) -> tuple[Present, News]:
    """Where the job is now, and what of the stream is not copied, in two round trips. Raises
    redis-py's errors."""
    look = Presence(place.server.client, place.queue, job_id)
    look.begin()
    news = of_job.news(place, look.ask)
    return look.end(), news


def _context(
    request: HttpRequest,
    place: Place,
    job_id: str,
    told: History,
    now: Present | None,
    news: News,
    is_section: bool,
) -> dict[str, object]:
    server, queue = place.server.name, place.queue
    now_ms = now.now_ms if now else place.now_ms
    trail_url = links.trail_url(server, queue, job_id)
    drawn, earlier = lines(told.lives, _undoing(request, told)), 0
    if is_section:
        drawn, earlier = newest(drawn, ON_JOB)
    widths = picture.WIDTHS[1:] if is_section else picture.WIDTHS
    return {
        "place": place,
        "name": brief(job_id),
        "job_url": links.job_url(server, queue, job_id),
        "history_url": links.history_url(server, queue, job_id),
        "trail_url": trail_url,
        "query": trail_url.partition("?")[2],
        "told": told,
        "lives": drawn,
        "earlier": earlier,
        "drawings": picture.drawings(told.lives, now_ms, widths),
        "now": now,
        "now_ms": now_ms,
        "news": news,
        "is_section": is_section,
    }


def _undoing(request: HttpRequest, told: History) -> Undoing:
    items = [item for life in told.lives for item in life.items]
    return Undoing(request.user, [act.entry for act in items if isinstance(act, Act) and act.entry])
