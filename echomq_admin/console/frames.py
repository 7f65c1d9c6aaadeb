"""The rail beside every page: servers, and the servers and queues that need a person."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.http import HttpRequest
from django.urls import reverse

from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet.discovery import last_pass
from echomq_admin.fleet.names import brief
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
class Need:
    """A queue or a server that needs a person, with the word that says why."""

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
    needs: tuple[Need, ...]
    more_needs: int
    total: str
    role: str
    on_overview: bool
    is_stale: bool


def build(request: HttpRequest) -> Frame | None:
    """Read the shared snapshots; a server out of reach shows what was last seen.

    `None`, and then a page stands without it, while EMQ_SERVERS cannot be read.
    """
    try:
        looks = [_with_page(look, request) for look in snapshots()]
    except UnreadableSetting:
        return None
    match = request.resolver_match
    where = dict(match.kwargs) if match else {}
    on_overview = bool(match) and match.url_name == "overview"
    chosen = request.GET.get("server", "") if on_overview else ""
    needs = sorted(_needs(looks, where, chosen), key=lambda need: need[0])
    counts = [_seen(look) for look in looks]
    return Frame(
        servers=tuple(_rail_server(look, chosen) for look in looks),
        needs=tuple(need for _, need in needs[:MOST_NEEDS]),
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
    return None if look.error and look.stale_since is None else len(look.queues)


def _total(counts: list[int | None]) -> str:
    """All queues of all servers; "12+" when a server was never seen."""
    seen = [count for count in counts if count is not None]
    return f"{sum(seen):,}{'' if len(seen) == len(counts) else '+'}"


def _rail_server(look: ServerSnapshot, chosen: str) -> RailServer:
    href = f"{reverse('overview')}?server={look.server}"
    return RailServer(look.server, href, _seen(look), bool(look.error), look.server == chosen)


def _needs(looks: list[ServerSnapshot], where: dict, chosen: str):
    for look in looks:
        if about_server := _server_reason(look):
            rank, why, css = about_server
            href = f"{reverse('overview')}?server={look.server}"
            yield rank, Need(look.server, href, why, css, look.server == chosen)
        for counts in look.queues:
            if reason := _reason(counts):
                rank, tab, why, css = reason
                current = where == {"server": look.server, "queue": counts.queue}
                args = [look.server, counts.queue]
                name = brief(counts.queue)
                why = f"{why}?" if look.error else why
                yield rank, Need(name, reverse(f"queue_{tab}", args=args), why, css, current)


def _server_reason(look: ServerSnapshot) -> tuple[tuple[int, int], str, str] | None:
    if look.error:
        return (-1, 0), "out of reach", "c-lapsed"
    if look.facts and look.facts.read_only:
        return (3, 0), "read-only", "c-soon"
    if not look.queues and last_pass(look.server) is None:
        return (4, 0), "not discovered yet", "c-soon"
    return None


def _reason(counts: QueueCounts) -> tuple[tuple[int, int], str, str, str] | None:
    if counts.lapsed:
        return (0, -counts.lapsed), "active", f"{counts.lapsed:,} lapsed", "c-lapsed"
    if counts.dead:
        return (1, -counts.dead), "dead", f"{counts.dead:,} dead", "c-dead"
    if counts.paused:
        return (2, 0), "pending", "paused", "c-soon"
    return None
