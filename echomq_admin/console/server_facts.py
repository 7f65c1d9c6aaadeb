"""The facts of a server in words."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console.payloads import size
from echomq_admin.console.server_notes import apart
from echomq_admin.fleet.about import About, Replica
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import Server
from echomq_admin.fleet.snapshot import ServerSnapshot
from echomq_admin.fleet.spans import span

_SILENT = "INFO, which would tell it, is refused to this user"
_CONFIG = "CONFIG GET, which would tell it, is refused to this user"
_ROLES = {"master": "primary", "slave": "replica"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One line: `text` is `None` when unknown, and `why` says why, or explains a known one."""

    label: str
    text: str | None
    why: str = ""
    css: str = ""
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """Some facts under one heading."""

    title: str
    facts: tuple[Fact, ...]


def panels(server: Server, look: ServerSnapshot, about: About | None) -> tuple[Panel, ...]:
    """Everything that is known; what the server never told is left out."""
    identity = Panel("Identity", _identity(server, look, about))
    if about is None:
        return (identity,)
    return (
        identity,
        Panel("Memory", _memory(about)),
        Panel("Persistence", _persistence(about)),
        Panel("Clients", _clients(about)),
        Panel("Clock", _clock(about)),
    )


def _identity(server: Server, look: ServerSnapshot, about: About | None) -> tuple[Fact, ...]:
    facts = look.facts
    found = [Fact("Address", server.target, "without user and password")]
    if facts is None:
        return tuple(found)
    found += [
        Fact("Version", _known(facts.version), _SILENT),
        Fact("Mode", _known(facts.mode), _SILENT),
        Fact("Role", _ROLES.get(facts.role, _known(facts.role)), _SILENT),
        Fact("Wire", facts.fence or "no version yet", _fence(facts.fence)),
    ]
    if about and about.replica:
        found += _replica(about.replica)
    elif about:
        found.append(_count("Replicas", about.replicas))
    if about:
        uptime = None if about.uptime_s is None else span(about.uptime_s * 1_000)
        found.append(Fact("Up for", uptime, _SILENT))
    return tuple(found)


def _known(word: str) -> str | None:
    return None if word == "?" else shown(word)


def _fence(fence: str | None) -> str:
    if fence:
        return "the version of the protocol that this deployment is fenced to; nothing here sets it"
    return "the first library that connects writes there which protocol it speaks"


def _replica(replica: Replica) -> list[Fact]:
    linked = {True: "up", False: "down", None: None}[replica.is_linked]
    behind = None if replica.behind_bytes is None else size(replica.behind_bytes)
    silent = None if replica.silent_s is None else span(replica.silent_s * 1_000)
    return [
        Fact("Primary", shown(replica.primary)),
        Fact("Link", linked, _SILENT, "c-lapsed" if replica.is_linked is False else ""),
        Fact("Not applied", behind, "received from the primary and not carried out yet"),
        Fact("Last heard", silent and f"{silent} ago", _SILENT),
    ]


def _clock(about: About) -> tuple[Fact, ...]:
    if about.drift is None or about.now_ms is None:
        return (Fact("Server clock", None, "TIME is refused to this user"),)
    css = "c-soon" if about.drift.is_noteworthy else ""
    return (
        Fact("Server clock", "", ms=about.now_ms),
        Fact("Difference", apart(about.drift), "measured around one TIME, ± half the trip", css),
    )


def _memory(about: About) -> tuple[Fact, ...]:
    most = about.memory_most_bytes
    limit = None if most is None else size(most) if most else "no limit"
    policy = "c-lapsed" if about.may_evict else ""
    return (
        _count("Keys", about.keys, "in the database that the console reads"),
        _size("Used", about.memory_bytes),
        Fact("At most", limit, _SILENT),
        Fact("When full", about.policy, "maxmemory-policy: what becomes of keys then", policy),
        _count("Evicted so far", about.evicted, "keys dropped for want of memory since its start"),
    )


def _persistence(about: About) -> tuple[Fact, ...]:
    aof = {True: "on", False: "off", None: None}[about.aof]
    snapshots = {True: "on", False: "off", None: None}[about.snapshots]
    return (
        Fact("Append-only file", aof, _SILENT),
        _status("Last write to it", about.aof_status if about.aof else "–"),
        Fact(
            "Snapshots", snapshots, "whether they are made by themselves" if snapshots else _CONFIG
        ),
        *_last_snapshot(about),
        _count("Changes since", about.unsaved, "changes that no snapshot holds"),
    )


def _last_snapshot(about: About) -> tuple[Fact, ...]:
    saved = about.rdb_saved_s
    if about.has_snapshot is False and about.rdb_status != "err":
        return (Fact("Last one", "none yet", "none was made since the server started"),)
    return (
        _status("Last one", about.rdb_status),
        Fact("Made", "" if saved else None, _SILENT, ms=saved * 1_000 if saved else None),
    )


def _clients(about: About) -> tuple[Fact, ...]:
    return (
        _count("Connected", about.clients),
        _count("Blocked", about.clients_blocked, "consumers that wait for a wake-up, for example"),
        _count("At most", about.clients_most),
        _count("Of this process", about.connections, "connections of the web process you look at"),
        _count("Commands per second", about.ops_per_s),
    )


def _count(label: str, value: int | None, why: str = "") -> Fact:
    return Fact(
        label, None if value is None else f"{value:,}", why if value is not None else _SILENT
    )


def _size(label: str, value: int | None) -> Fact:
    return Fact(label, None if value is None else size(value), _SILENT if value is None else "")


def _status(label: str, status: str | None) -> Fact:
    return Fact(
        label, status, _SILENT if status is None else "", "c-lapsed" if status == "err" else ""
    )
