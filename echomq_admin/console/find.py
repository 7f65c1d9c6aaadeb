"""The search of the header: queues by a part of their name, lanes by all of it, jobs by their id or
its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from echomq_admin.console.access import may_keep, page
from echomq_admin.console.gone import GoneJob, gone
from echomq_admin.console.htmx import show
from echomq_admin.console.links import LONGEST_ID, job_href, lane_href, queue_url
from echomq_admin.console.words import TABS, counted
from echomq_admin.emq import find as search
from echomq_admin.emq.find import Found, Hit, Known, Wanted
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet import discovery
from echomq_admin.fleet.names import brief, from_url
from echomq_admin.fleet.servers import TROUBLE, Server, servers, trouble
from echomq_admin.fleet.snapshot import ServerSnapshot, snapshots

MOST_NAMES = 20
MOST_HITS = 50
SHORTEST_BEGINNING = 4
_TIME = re.compile(r"\d{1,2}:\d\d|\d{4}-\d\d-\d\d|(?:\d{10}|\d{13})\Z")


@dataclass(frozen=True)
class Meaning:
    """What a text may mean on one server: `names` that a queue's name may hold, `name` that of
    a queue, and `ids` of jobs, each with the queue that it would be in, if the text says so."""

    names: tuple[str, ...]
    name: str
    ids: tuple[tuple[str, str | None], ...]

    @classmethod
    def read(cls, text: str, server_name: str) -> Meaning:
        """`name`, `id`, `name id`, also behind `server/`; each in its `~` form too."""
        head, slash, rest = text.partition("/")
        wholes = [text, rest] if slash and rest and head == server_name else [text]
        names = tuple(dict.fromkeys(name for whole in wholes for name in _forms(whole)))
        found: list[tuple[str, str | None]] = [(name, None) for name in names]
        queue, _, job_id = wholes[-1].rpartition(" ")
        if queue.strip():
            found += [(one, home) for home in _forms(queue.strip()) for one in _forms(job_id)]
        return cls(names, names[-1], tuple(found))

    @property
    def wanted(self) -> list[Wanted]:
        return [
            Wanted(job_id, queue, starts=queue is None and len(job_id) >= SHORTEST_BEGINNING)
            for job_id, queue in self.ids
        ]

    def lanes(self, known: Known) -> Iterator[tuple[str, str]]:
        """The lanes that are called so, each behind its queue."""
        for text, home in self.ids:
            for queue in known if home is None else (home,):
                if text in known.get(queue, ()):
                    yield queue, text

    def rank(self, queue: str) -> int | None:
        """0 for the very name, 1 when it begins so, 2 when it holds the text, or `None`."""
        if queue in self.names:
            return 0
        folded, said = queue.casefold(), brief(queue).casefold()
        texts = [text.casefold() for text in self.names if text]
        if any(folded.startswith(text) for text in texts):
            return 1
        return 2 if any(text in folded or text in said for text in texts) else None


@dataclass(frozen=True)
class FoundQueue:
    """A queue that was found; `is_exact` when that is its whole name. `counts` are at most a
    second old, `None` when not known."""

    name: str
    server: str
    href: str
    is_exact: bool
    counts: QueueCounts | None

    @property
    def numbers(self) -> tuple[tuple[str, int | None], ...]:
        if self.counts is None:
            return ("Pending", None), ("Active", None), ("Dead", None)
        counts = self.counts
        return ("Pending", counts.waiting), ("Active", counts.active), ("Dead", counts.dead)


@dataclass(frozen=True)
class FoundLane:
    """A lane that is called so. One with too long a name for an address has no `href`."""

    name: str
    server: str
    queue: str
    href: str
    queue_href: str


@dataclass(frozen=True)
class FoundJob:
    """A job that was found, with the words for what holds it; none when only its row does.
    An id that is too long for an address has no `href`."""

    name: str
    server: str
    queue: str
    href: str
    queue_href: str
    places: tuple[str, ...]


@dataclass
class Answer:
    """What all servers gave. `apart` are those that could not be searched, `reach` says how far
    the others were, and `is_whole` that nothing was left out."""

    queues: list[FoundQueue] = field(default_factory=list)
    more_queues: int = 0
    lanes: list[FoundLane] = field(default_factory=list)
    more_lanes: int = 0
    jobs: list[FoundJob] = field(default_factory=list)
    starting: list[FoundJob] = field(default_factory=list)
    gone: list[GoneJob] = field(default_factory=list)
    more: bool = False
    apart: list[str] = field(default_factory=list)
    reach: list[str] = field(default_factory=list)
    is_whole: bool = True

    @property
    def is_empty(self) -> bool:
        return not (self.queues or self.lanes or self.jobs or self.starting or self.gone)

    @property
    def only(self) -> str:
        """The address of what was found when it is all there is, and exactly what was asked."""
        found = [*self.jobs, *self.lanes, *self.queues]
        is_all = (
            len(found) == 1 and self.is_whole and not (self.starting or self.apart or self.gone)
        )
        is_exact = all(queue.is_exact for queue in self.queues)
        return found[0].href if is_all and is_exact else ""


@page
def find(request: HttpRequest) -> HttpResponse:
    """What the text finds on all servers; straight to it when it is the only answer."""
    text = request.GET.get("q", "").strip()
    context: dict = {"find_text": text[:LONGEST_ID].replace("\0", "\ufffd"), "shown": brief(text)}
    if not text or len(to_wire(text)) > LONGEST_ID:
        context["too_long"] = bool(text)
        return show(request, "console/find.html", context)
    answer = _search(text)
    if answer.only:
        return redirect(answer.only)
    context |= {
        "answer": answer,
        "adds": [server.name for server in servers()] if may_keep(request, "add_queue") else [],
        "is_time": _TIME.match(text) is not None,
        "too_short": len(text) < SHORTEST_BEGINNING,
    }
    return show(request, "console/find.html", context)


def _forms(text: str) -> tuple[str, ...]:
    """The name itself, and the one it stands for when it is written in the `~` form."""
    try:
        return tuple(dict.fromkeys((text, from_url(text))))
    except ValueError:
        return (text,)


def _search(text: str) -> Answer:
    answer = Answer()
    queues: list[tuple[int, str, FoundQueue]] = []
    for server, look in zip(servers(), snapshots(), strict=True):
        queues += _on_server(server, look, Meaning.read(text, server.name), answer)
    lines = [line for _, _, line in sorted(queues, key=lambda found: found[:2])]
    answer.queues, answer.more_queues = lines[:MOST_NAMES], max(0, len(lines) - MOST_NAMES)
    answer.more_lanes = max(0, len(answer.lanes) - MOST_NAMES)
    answer.lanes = answer.lanes[:MOST_NAMES]
    answer.more |= len(answer.starting) > MOST_HITS
    answer.starting = answer.starting[:MOST_HITS]
    meant = (Meaning.read(text, name) for name in ["", *(one.name for one in servers())])
    ids = {one for each in meant for one in each.ids}
    answer.gone = gone(ids, {one.href for one in answer.jobs})[:MOST_NAMES]
    return answer


def _on_server(
    server: Server, look: ServerSnapshot, meaning: Meaning, answer: Answer
) -> list[tuple[int, str, FoundQueue]]:
    """Notes the jobs of one server in `answer`; returns its queues, each with rank and name."""
    lanes = discovery.known(server.name)
    answer.lanes += [_lane(server, *lane) for lane in dict.fromkeys(meaning.lanes(lanes))]
    names = set(lanes)
    found = _found(server, look, lanes, meaning, answer)
    if found:
        _note(server, found, answer)
        names |= {meaning.name} if found.has_queue else set()
    counts = {one.queue: one for one in look.queues}
    ranks = {name: rank for name in names if (rank := meaning.rank(name)) is not None}
    return [
        (rank, name, _queue(server, name, rank == 0, counts.get(name)))
        for name, rank in ranks.items()
    ]


def _queue(server: Server, name: str, is_exact: bool, counts: QueueCounts | None) -> FoundQueue:
    return FoundQueue(brief(name), server.name, queue_url(server.name, name), is_exact, counts)


def _lane(server: Server, queue: str, group: str) -> FoundLane:
    href, home = lane_href(server.name, queue, group), queue_url(server.name, queue)
    return FoundLane(brief(group), server.name, brief(queue), href, home)


def _found(
    server: Server, look: ServerSnapshot, lanes: Known, meaning: Meaning, answer: Answer
) -> Found | None:
    if look.error:
        answer.apart.append(look.error)
        return None
    try:
        return search.find(server.client, lanes, meaning.wanted, meaning.name)
    except TROUBLE as error:
        answer.apart.append(trouble(server, error))
        return None


def _note(server: Server, found: Found, answer: Answer) -> None:
    exact = [_job(server, hit) for hit in found.exact[: MOST_HITS + 1]]
    answer.more |= found.more or len(answer.jobs) + len(exact) > MOST_HITS
    answer.jobs = [*answer.jobs, *exact][:MOST_HITS]
    answer.starting += [_job(server, hit) for hit in found.starting[: MOST_HITS + 1]]
    left = found.queues_left or found.lanes_left or found.faults
    answer.is_whole &= not left
    answer.reach.append(_reach(server, found))


def _job(server: Server, hit: Hit) -> FoundJob:
    return FoundJob(
        name=brief(hit.job_id),
        server=server.name,
        queue=brief(hit.queue),
        href=job_href(server.name, hit.queue, hit.job_id),
        queue_href=queue_url(server.name, hit.queue),
        places=tuple(_place(*place) for place in hit.places),
    )


def _place(name: str, group: str | None) -> str:
    return TABS[name] if group is None else f"lane {brief(group)}"


def _reach(server: Server, found: Found) -> str:
    """How far one server was searched, in a sentence or a few."""
    said = [f"{server.name}: the id was looked for in {counted(found.queues, 'known queue')}."]
    if found.has_beginnings:
        said.append(
            "Ids that begin so were looked for among waiting and dead jobs, and in active and "
            f"scheduled sets of up to {search.SMALL:,} jobs with ids that are not overlong."
        )
    if found.large:
        said.append(f"{counted(found.large, 'larger set')} of these not searched for beginnings.")
    if found.queues_left or found.lanes_left:
        left = f"{counted(found.queues_left, 'queue')} and {counted(found.lanes_left, 'lane')}"
        said.append(f"Not looked at: {left}.")
    if found.faults:
        said.append(f"Could not be read: {'; '.join(found.faults[:3])}.")
    return " ".join(said)
