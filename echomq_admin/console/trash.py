"""The page of the trash: what was removed, and the way back of each job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from echomq_admin.console import forms, links, outcomes, payloads, places
from echomq_admin.console.access import page
from echomq_admin.console.htmx import show
from echomq_admin.console.lists import turns
from echomq_admin.console.rows import dom_id
from echomq_admin.console.tables import NUM, Heading
from echomq_admin.emq.kept import goes_back
from echomq_admin.emq.whereabouts import Held
from echomq_admin.fleet.names import brief, from_url, to_url
from echomq_admin.ledger.notes import host_ms
from echomq_admin.operations import trash as kept
from echomq_admin.operations.services import allowed
from echomq_admin.operations.trash import DAY_MS, InTrash

_HEADINGS = tuple(
    Heading(label, css, title, "", "")
    for label, css, title in (
        ("Job", "", ""),
        ("Queue", "", ""),
        ("Was in", "", "the set that held it; it goes back there"),
        ("Attempts", NUM["th"]["class"], "they stay as they were"),
        ("Removed", "", "by the clock of the console’s host"),
        ("By", "", "by whom, and why"),
        ("Kept until", "", "then it is deleted for good"),
    )
)
# Of a longer reason a list shows the beginning; the trail has all of it.
LONGEST_REASON = 200
_GOES_BACK = {"waiting": "waiting", "schedule": "scheduled", "dead": "dead"}
_PLACES = {"pending": "pending", "schedule": "scheduled", "dead": "dead"}


@dataclass(frozen=True)
class Look:
    """How the trash is looked at: all of it, a server's, or a queue's."""

    server: str
    queue: str | None
    cursor: str
    rows: int

    @classmethod
    def read(cls, query: QueryDict) -> Look:
        try:
            queue = from_url(query["queue"]) if query.get("queue") else None
        except ValueError:
            queue = None
        return cls(
            forms.text_of(query, "server")[:64],
            queue,
            forms.text_of(query, "cursor")[:40],
            forms.rows_of(query),
        )

    def query(self, **changes: str) -> str:
        """The address of the same look, but for changes."""
        rows = "" if self.rows == forms.SIZES[0] else str(self.rows)
        queue = "" if self.queue is None else to_url(self.queue)
        now = {"server": self.server, "queue": queue, "rows": rows, "cursor": self.cursor}
        return forms.query_of(now | changes)


@dataclass(frozen=True, slots=True)
class TrashRow:
    """A removed job of the list. `trail_href` leads to what people did
    with it; `whole_reason` is that of which `reason` is the beginning, empty when it is all;
    `was_in` tells its sets, `due_ms` when a scheduled one is due;
    `url` is where it is restored, empty when it cannot be by this person now."""

    dom_id: str
    name: str
    queue: str
    server: str
    queue_href: str
    trail_href: str
    was_in: str
    due_ms: float | None
    attempts: int | None
    size: str
    actor: str
    reason: str
    whole_reason: str
    at_ms: int
    until_ms: int
    key: str
    url: str


@page
def trash(request: HttpRequest) -> HttpResponse:
    """What can be restored, the newest removal first."""
    look = Look.read(request.GET)
    found = kept.page(look.server, look.queue, look.cursor, look.rows)
    urls = _urls(request, found)
    rows = [_row(one, urls[one.server, one.queue]) for one in found.rows]
    outcome = outcomes.kept(request)
    context = {
        "found": found,
        "rows": rows,
        "headings": _HEADINGS,
        "does": any(row.url for row in rows),
        "now_ms": host_ms(),
        "days": f"{settings.EMQ_TRASH_DAYS:g}",
        "op_id": forms.new_op_id(),
        "back": "trash",
        "look": look.query(),
        "together": _together(look, rows),
        "where": _where(look),
        "rows_now": look.rows,
        "sizes": [(size, look.query(rows=str(size), cursor="")) for size in forms.SIZES],
        "outcome": outcome,
        "dismiss": outcomes.dismissed(request),
        "back_word": "Newer",
        "forth_word": "Older",
        **turns(look, found),
    }
    return show(request, "console/trash.html", context)


def _where(look: Look) -> str:
    if look.queue is not None:
        return f"of queue {brief(look.queue)}{f' on {look.server}' if look.server else ''}"
    return f"of {look.server}" if look.server else "of all queues"


def _together(look: Look, rows: list[TrashRow]) -> list[str]:
    """The keys of the jobs that one press could restore: all shown, when they are of one queue."""
    is_one = bool(look.server) and look.queue is not None and len(rows) > 1
    return [row.key for row in rows] if is_one and all(row.url for row in rows) else []


def _urls(request: HttpRequest, found: kept.Page) -> Mapping[tuple[str, str], str]:
    """Where the jobs of each queue are restored; each queue is looked at once."""
    places = {(one.server, one.queue) for one in found.rows}
    may = allowed(request.user, "restore")
    return {place: _url(*place) if may else "" for place in places}


def _url(server_name: str, queue: str) -> str:
    """Empty while the server is unknown, out of reach or read-only, as it was last seen."""
    is_open = places.is_open(server_name, queue)
    return reverse("act", args=[server_name, queue, "restore"]) if is_open else ""


def _row(one: InTrash, url: str) -> TrashRow:
    due = next((held.score for held in one.sets if held.place == "schedule"), None)
    attempts = "" if one.attempts is None else one.attempts
    return TrashRow(
        dom_id=dom_id(f"{one.row}"),
        name=brief(one.job_id),
        queue=brief(one.queue),
        server=one.server,
        queue_href=f"?{forms.query_of({'server': one.server, 'queue': to_url(one.queue)})}",
        trail_href=_trail_href(one),
        was_in=_was_in(one),
        due_ms=due,
        attempts=one.attempts,
        size=payloads.size(one.size),
        actor=brief(one.actor),
        reason=_cut(one.reason),
        whole_reason=one.reason if _cut(one.reason) != one.reason else "",
        at_ms=one.at_ms,
        until_ms=one.at_ms + int(settings.EMQ_TRASH_DAYS * DAY_MS),
        key=f"{attempts}::{to_url(one.job_id)}",
        url=url,
    )


def _trail_href(one: InTrash) -> str:
    """What people did with the job; empty for an id that is too long for an address."""
    is_short = len(one.job_id) <= links.LONGEST_ID
    return links.trail_url(one.server, one.queue, one.job_id) if is_short else ""


def _cut(reason: str) -> str:
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"


def _was_in(one: InTrash) -> str:
    """The sets that held it; of several, the one where it goes back to."""
    names = ", ".join(map(_place, one.sets)) or "no set"
    if len(one.sets) < 2:
        return names
    return f"{names}; goes back to {_GOES_BACK[goes_back(one.sets)[0]]}"


def _place(held: Held) -> str:
    if held.place == "lane":
        return f"lane {brief(held.group or '', 60)}"
    return _PLACES.get(held.place, "active, and waits when restored")
