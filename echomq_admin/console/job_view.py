"""The page of a job as its template places it: every text ready, every link made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.http import QueryDict
from django.urls import reverse

from echomq_admin.console import job_words, links, offers, payloads, rows, times, words
from echomq_admin.console.forms import query_of
from echomq_admin.console.offers import Offer
from echomq_admin.console.places import Place
from echomq_admin.console.rows import LeaseRow, Listing, Stamp
from echomq_admin.emq.flow import Children, Parent
from echomq_admin.emq.reads import JobLook, Text
from echomq_admin.emq.rows import LONGEST_NAME, ROW_MISSING
from echomq_admin.emq.timeline import lease_of
from echomq_admin.emq.whereabouts import Held
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.possible import Possible, Seen, possible


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A set that holds the job: `lease` in active, `due` in schedule, else neither."""

    name: str
    href: str
    lease: LeaseRow | None = None
    scale: float = 0
    due: Stamp | None = None


@dataclass(frozen=True, slots=True)
class ActionRow:
    """An action with the command that makes it; `why_not` when it cannot be made now, `said` what
    it does. `is_offered`: it can be made now, though perhaps not by this person.

    `offer` is its button, `None` where it has none here; `href` leads to its confirmation."""

    verb: str
    label: str
    why_not: str
    said: str
    command: tuple[str, ...] = ()
    by_force: bool = False
    is_offered: bool = False
    offer: Offer | None = None
    href: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A job that another page tells more of; `href` is empty when its id is too long for one."""

    name: str
    href: str


def held_rows(place: Place, look: JobLook, max_stalled: int) -> list[HeldRow]:
    """The sets that hold the id, each with what its score says."""
    return [_held_row(place, look, held, max_stalled) for held in look.held]


def lease_phase(look: JobLook) -> str:
    """The phase of the lease: `live`, `expiring` or `lapsed`; empty for a job without one."""
    scores = [held.score for held in look.held if held.place == "active"]
    return lease_of(replace(look.job, score=scores[0]), look.now_ms).phase if scores else ""


def state_word(look: JobLook) -> str:
    """One word for where the job is, as its chip says."""
    if look.is_gone:
        return "gone"
    places = {held.place for held in look.held}
    for place in ("active", "dead", "schedule", "pending", "lane"):
        if place in places:
            return "pending" if place == "lane" else words.TABS[place]
    if look.job.state == job_words.AWAITS:
        return "awaiting children"
    return "in no set" if look.looked_everywhere else "not known where"


def state_chip(look: JobLook) -> tuple[str, str]:
    """The class and the shape of the chip of the state: what is wrong stands out. A lease has
    the colour of its phase."""
    word = state_word(look)
    is_odd = look.is_settled and (len(look.held) > 1 or word in {"in no set", "not known where"})
    if is_odd or (look.job.fault and not look.is_gone):
        return "soon", "warn"
    if word == "active":
        return "", lease_phase(look)
    return ("dead", "dead") if word == "dead" else ("plain", "info")


def action_rows(
    place: Place, look: JobLook, allowed: Callable[[str], bool], who: str, max_stalled: int
) -> list[ActionRow]:
    """Every action on the job; `who` is the name of the person, for commands."""
    found = possible(seen(look, place.queue, max_stalled), allowed, place.read_only)
    return [_action_row(place, look, one, who, max_stalled) for one in found]


def seen(look: JobLook, queue: str, max_stalled: int = words.SWEEP_STARTS_AT) -> Seen:
    """What the actions are judged by."""
    job = look.job
    has_row = job.fault != ROW_MISSING
    ours = [at for at in look.held if at.place != "lane" or at.group == job.group or not has_row]
    lane = look.lane
    return Seen(
        job_id=job.job_id,
        held=frozenset(at.place for at in ours),
        attempts=job.attempts,
        has_row=has_row,
        fault="" if job.is_movable or not has_row else job.fault or "",
        lane_fault=(lane.fault or "it cannot be read") if lane and lane.depth is None else "",
        lease=_lease_clause(look),
        locked=look.lock is not None,
        flow=_flow_clause(look, queue),
        is_child=_needs_it(look.flow.parent, queue),
        dedup_id=look.dedup.dedup_id if look.dedup and look.dedup.holds else "",
        refusal=look.refusal or "",
        unfound=_unfound(look),
        unread=_unread(look),
        is_lapsed=lease_phase(look) == "lapsed",
        max_stalled=max_stalled,
    )


def find_url(job_id: str) -> str:
    """Where the id is searched for on all servers; empty when it is too long for an address."""
    if len(job_id) > links.LONGEST_ID:
        return ""
    query = QueryDict(mutable=True)
    query["q"] = to_url(job_id)
    return f"{reverse('find')}?{query.urlencode()}"


def lock_text(look: JobLook) -> str:
    """The presence marker in words."""
    lock = look.lock
    if lock is None:
        return ""
    value = payloads.sight(Text(lock.size, lock.value)).line if lock.value else "empty"
    ends = (
        "never expires" if lock.left_ms is None else f"expires in {times.countdown(lock.left_ms)}"
    )
    more = f"… ({payloads.size(lock.size)})" if lock.size > len(lock.value) else ""
    return f"{value}{more}, {ends}"


def child_links(place: Place, children: Children) -> list[Link]:
    """The children of one outcome, taken to lie in the queue of the page."""
    server, queue = place.server.name, place.queue
    return [Link(brief(child), links.job_href(server, queue, child)) for child in children.ids]


def job_link(place: Place, job_id: str, queue: str | None = None) -> Link:
    """A job of the queue of the page, or of another of its server."""
    where = place.queue if queue is None else queue
    return Link(brief(job_id), links.job_url(place.server.name, where, job_id))


def _held_row(place: Place, look: JobLook, held: Held, max_stalled: int) -> HeldRow:
    name = job_words.set_name(held)
    if held.group is not None:
        return HeldRow(name, links.lane_href(place.server.name, place.queue, held.group))
    href = links.queue_url(place.server.name, place.queue, words.TABS[held.place])
    if held.place == "active":
        lease = lease_of(replace(look.job, score=held.score), look.now_ms)
        scale = rows.scale_ms((lease,))
        listing = Listing(place, held.place, look.now_ms, max_stalled)
        return HeldRow(name, href, rows.lease_row(lease, listing, scale), scale)
    if held.place == "schedule":
        return HeldRow(name, href, due=rows.stamp(held.score, look.now_ms))
    return HeldRow(name, href)


def _lease_clause(look: JobLook) -> str:
    score = next((held.score for held in look.held if held.place == "active"), None)
    if score is None:
        return ""
    if score <= look.now_ms:
        return f"its lease lapsed at {times.exact(score)} and no sweep has taken it yet"
    return f"a worker holds its lease until {times.exact(score)}"


def _flow_clause(look: JobLook, queue: str) -> str:
    parent = look.flow.parent
    if parent is not None and _needs_it(parent, queue):
        there = "" if parent.queue == queue else f" in queue {brief(parent.queue)}"
        return f"it is a child of {brief(parent.job_id)}{there}, which would wait for it for ever"
    return "it waits for its children" if look.job.state == job_words.AWAITS else ""


def _needs_it(parent: Parent | None, queue: str) -> bool:
    """As the scripts judge it: of a parent in another queue nothing can be seen."""
    return parent is not None and (parent.queue != queue or parent.awaits)


def _unfound(look: JobLook) -> str:
    """The lane that alone holds an id, when no removal would look into it."""
    if not look.held or any(held.group not in look.unnamed_lanes for held in look.held):
        return ""
    return job_words.set_name(look.held[0])


def _unread(look: JobLook) -> frozenset[str]:
    """Which names of the row are too long to be read on this page."""
    sizes = {field.name: field.size for field in look.fields}
    names = ("group", "parent")
    return frozenset(name for name in names if sizes.get(name.encode(), 0) > LONGEST_NAME)


def _action_row(
    place: Place, look: JobLook, one: Possible, who: str, max_stalled: int
) -> ActionRow:
    is_offered = one.is_possible or one.lacks_role
    if not (one.is_possible or one.by_force):
        return ActionRow(one.verb, one.label, one.why_not, "", is_offered=is_offered)
    command = words.command(place, one.verb, look.job.job_id, *one.options, who=who)
    said = one.note or ACTIONS[one.verb].help
    if one.verb == "requeue":
        said = _requeue(look, one.note, max_stalled)
    row = ActionRow(
        one.verb, one.label, one.why_not, said, tuple(command.split(" ")), one.by_force, is_offered
    )
    named = rows.key(look.job)
    if not ACTIONS[one.verb].address or not named:
        return row
    offer = offers.offer(place, one.verb)
    return replace(row, offer=offer, href=f"{offer.url}?{_asks(look, one, named)}")


def _asks(look: JobLook, one: Possible, named: str) -> str:
    """The query of a confirmation: the job as it was seen, and what goes along with it."""
    dedup = look.dedup
    is_named = one.verb == "remove" and dedup is not None and dedup.holds
    fields = {
        "job": named,
        "back": "job",
        "force": "on" if one.by_force else "",
        "dedup_id": to_url(dedup.dedup_id) if is_named and dedup else "",
    }
    return query_of(fields)


def _requeue(look: JobLook, note: str, max_stalled: int) -> str:
    """What a requeue does, and what it keeps."""
    said = (
        note or "It goes back into its own lane, or into pending.",
        words.attempts_kept([look.job.attempts]),
        words.stalls_kept([look.job.stalled], max_stalled),
        "Requeue… lets it start at 0." if look.job.stalled else "",
    )
    return " ".join(filter(None, said))
