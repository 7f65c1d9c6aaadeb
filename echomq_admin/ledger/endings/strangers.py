"""Names in a filter that nobody has: told apart from those of which nothing is on record."""

from __future__ import annotations

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import brief
from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.models import TrailEntry


def stranger(server: str, queue: str | None) -> str:
    """Why a server or a queue of these names cannot be meant, as sentences: neither is it there,
    as far as discovery knows, nor is anything on record of it. Empty when it can."""
    names = [one.name for one in servers.servers()]
    if server and server not in names and not _is_on_record(server, None):
        return f"No server is called “{brief(server, 80)}”. There is: {', '.join(names)}."
    if queue is None or _is_on_record(server, queue):
        return ""
    here = [server] if server else names
    if any(queue in discovery.known(name) for name in here):
        return ""
    where = f" of {server}" if server else ""
    return f"No queue{where} is called “{brief(queue, 80)}”.{_meant(queue, here)}"


def _meant(queue: str, here: list[str]) -> str:
    """What may be meant: a server, or queues whose names hold the text."""
    if queue in (one.name for one in servers.servers()):
        return f" {brief(queue)} is a server."
    folded = queue.casefold()
    near = [
        name for server in here for name in discovery.known(server) if folded in name.casefold()
    ]
    if not queue or not near:
        return " Names are meant whole, with their capitals."
    said = ", ".join(f"“{brief(name, 60)}”" for name in near[:3])
    return f" Names are meant whole: {said}{' and others' if len(near) > 3 else ''} would fit."


def _is_on_record(server: str, queue: str | None) -> bool:
    places, entries = Place.objects.all(), TrailEntry.objects.all()
    if server:
        places, entries = places.filter(server=server), entries.filter(server=server)
    if queue is not None:
        raw = to_wire(queue)
        places, entries = places.filter(queue=raw), entries.filter(queue=raw)
    return places.exists() or (bool(server) and entries.exists())
