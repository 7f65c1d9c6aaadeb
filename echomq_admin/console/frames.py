"""The rail beside every page: servers, and the servers and queues that need a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.http import HttpRequest
from django.urls import reverse

from echomq_admin.console.links import queue_url
from echomq_admin.fleet import attention
from echomq_admin.fleet.attention import Need, Why, worst
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.preferences import all_settings
from echomq_admin.fleet.servers import UnreadableSetting
from echomq_admin.fleet.snapshot import ServerSnapshot, snapshots
from echomq_admin.operations.actions import Role

MOST_NEEDS = 8


@dataclass(frozen=True)
class RailServer:
    """A server with its number of queues, `None` when never seen; `away` when out of reach."""

    name: str
    href: str
    queues: int | None
    away: bool
    current: bool


@dataclass(frozen=True)
class RailNeed:
    """A queue or a server that needs a person, with the words that say why. Where the console has
    several servers, `name` has that of the queue's in front."""

    name: str
    href: str
    why: str
    css: str
    current: bool


@dataclass(frozen=True)
class Frame:
    """What the frame shows; `on_overview` marks the link to all queues. `is_stale`: nothing of
    what the page shows could be read now."""

    servers: tuple[RailServer, ...]
    needs: tuple[RailNeed, ...]
    more_needs: int
    total: str
    role: str
    on_overview: bool
    is_stale: bool


def build(request: HttpRequest) -> Frame | None:
    """Read the shared snapshots; a server out of reach shows what was last seen.

    `None`, and then a page stands without it, while a setting cannot be read.
    """
    try:
        return _frame(request, [_with_page(look, request) for look in snapshots()])
    except UnreadableSetting:
        return None


def _frame(request: HttpRequest, looks: list[ServerSnapshot]) -> Frame:
    match = request.resolver_match
    where = dict(match.kwargs) if match else {}
    on_overview = bool(match) and match.url_name == "overview"
    chosen = request.GET.get("server", "") if on_overview else ""
    needs = worst(need for look in looks for need in _needs(look))
    counts = [_seen(look) for look in looks]
    return Frame(
        servers=tuple(_rail_server(look, chosen) for look in looks),
        needs=tuple(_shown(need, where, chosen, len(looks) > 1) for need in needs[:MOST_NEEDS]),
        more_needs=max(0, len(needs) - MOST_NEEDS),
        total=_total(counts),
        role=role_of(request.user),
        on_overview=on_overview and not chosen,
        is_stale=_is_stale(looks, where.get("server") or chosen),
    )


def role_of(user) -> str:
    """The widest role whose permission the user has."""
    held = [role.value for role in Role if user.has_perm(role.permission)]
    return held[-1] if held else "no role"


def _with_page(look: ServerSnapshot, request: HttpRequest) -> ServerSnapshot:
    """The look with the numbers of the open queue as its page has read them itself."""
    place = getattr(request, "place", None)
    if place is None or place.counts is None or place.server.name != look.server or look.error:
        return look
    others = [counts for counts in look.queues if counts.queue != place.queue]
    return replace(look, queues=(*others, place.counts))


def _is_stale(looks: list[ServerSnapshot], shown_server: str) -> bool:
    seen = [look for look in looks if shown_server in ("", look.server)]
    return bool(seen) and all(look.error for look in seen)


def _seen(look: ServerSnapshot) -> int | None:
    return None if look.error and look.stale_since is None else look.known


def _total(counts: list[int | None]) -> str:
    """All queues of all servers; "12+" when a server was never seen."""
    seen = [count for count in counts if count is not None]
    return f"{sum(seen):,}{'' if len(seen) == len(counts) else '+'}"


def _rail_server(look: ServerSnapshot, chosen: str) -> RailServer:
    href = f"{reverse('overview')}?server={look.server}"
    return RailServer(look.server, href, _seen(look), bool(look.error), look.server == chosen)


def _needs(look: ServerSnapshot) -> Iterator[Need]:
    own = all_settings(look.server)
    return attention.needs(look, {queue for queue, settings in own.items() if settings.hidden})


def _shown(need: Need, where: dict, chosen: str, are_several: bool) -> RailNeed:
    tab, word, css = _WORDS[need.why]
    why = word.format(need.size)
    if need.counts is None:
        href = f"{reverse('overview')}?server={need.server}"
        return RailNeed(need.server, href, why, css, need.server == chosen)
    queue = need.counts.queue
    current = where == {"server": need.server, "queue": queue}
    # Whatever else is wrong with it: one that is paused must not look as if it ran.
    why = f"paused · {why}" if need.counts.paused and need.why is not Why.PAUSED else why
    why = f"{why}?" if need.stale else why
    name = f"{need.server}/{brief(queue, 60)}" if are_several else brief(queue, 60)
    return RailNeed(name, queue_url(need.server, queue, tab), why, css, current)


# The tab that shows it, the word and its colour.
_WORDS = {
    Why.AWAY: ("", "out of reach", "c-lapsed"),
    Why.LAPSED: ("active", "{:,} lapsed", "c-lapsed"),
    Why.OFF_RING: ("lanes", "{:,} off the ring", "c-soon"),
    Why.DEAD: ("dead", "{:,} dead", "c-dead"),
    Why.PAUSED: ("pending", "paused", "c-soon"),
    Why.READ_ONLY: ("", "read-only", "c-soon"),
    Why.UNDISCOVERED: ("", "not discovered yet", "c-soon"),
}
