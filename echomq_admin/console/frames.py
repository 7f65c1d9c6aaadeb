"""The rail beside every page: servers, and the queues that need a person."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import servers
from echomq_admin.fleet.snapshot import ServerSnapshot, snapshot
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
    """A queue that needs a person, with the word that says why."""

    name: str
    href: str
    why: str
    css: str
    current: bool


@dataclass(frozen=True)
class Frame:
    """What the frame shows; `on_overview` marks the link to all queues."""

    servers: tuple[RailServer, ...]
    needs: tuple[Need, ...]
    more_needs: int
    total: str
    role: str
    on_overview: bool


def build(request: HttpRequest) -> Frame:
    """Read the shared snapshots; a server out of reach shows what was last seen."""
    match = request.resolver_match
    where = dict(match.kwargs) if match else {}
    on_overview = bool(match) and match.url_name == "overview"
    chosen = request.GET.get("server", "") if on_overview else ""
    looks = [snapshot(server) for server in servers()]
    needs = sorted(_needs(looks, where), key=lambda need: need[0])
    counts = [_seen(look) for look in looks]
    return Frame(
        servers=tuple(_rail_server(look, chosen) for look in looks),
        needs=tuple(need for _, need in needs[:MOST_NEEDS]),
        more_needs=max(0, len(needs) - MOST_NEEDS),
        total=_total(counts),
        role=role_of(request.user),
        on_overview=on_overview and not chosen,
    )


def role_of(user) -> str:
    """The widest role whose permission the user has."""
    held = [role.value for role in Role if user.has_perm(role.permission)]
    return held[-1] if held else "no role"


def _seen(look: ServerSnapshot) -> int | None:
    return None if look.error and look.stale_since is None else len(look.queues)


def _total(counts: list[int | None]) -> str:
    """All queues of all servers; "12+" when a server was never seen."""
    seen = [count for count in counts if count is not None]
    return f"{sum(seen):,}{'' if len(seen) == len(counts) else '+'}"


def _rail_server(look: ServerSnapshot, chosen: str) -> RailServer:
    href = f"{reverse('overview')}?server={look.server}"
    return RailServer(look.server, href, _seen(look), bool(look.error), look.server == chosen)


def _needs(looks: list[ServerSnapshot], where: dict):
    for look in looks:
        for counts in look.queues:
            if reason := _reason(counts):
                rank, tab, why, css = reason
                current = where == {"server": look.server, "queue": counts.queue}
                args = [look.server, counts.queue]
                name = shown(counts.queue)
                yield rank, Need(name, reverse(f"queue_{tab}", args=args), why, css, current)


def _reason(counts: QueueCounts) -> tuple[tuple[int, int], str, str, str] | None:
    if counts.lapsed:
        return (0, -counts.lapsed), "active", f"{counts.lapsed:,} lapsed", "c-lapsed"
    if counts.dead:
        return (1, -counts.dead), "dead", f"{counts.dead:,} dead", "c-dead"
    if counts.paused:
        return (2, 0), "pending", "paused", "c-soon"
    return None
