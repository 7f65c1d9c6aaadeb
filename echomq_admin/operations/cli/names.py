"""Names as they are typed: plain, as raw bytes of the shell, or in `~` form."""

from __future__ import annotations

import os

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import from_url, shown, to_url
from echomq_admin.operations import looks
from echomq_admin.operations.cli.stops import Usage

_NO_SERVER = (
    "No server is configured. Set EMQ_SERVERS; beside a demo that runs elsewhere than in var, "
    "set EMQ_DATA to its folder."
)


def typed(text: str) -> str:
    """The name that was typed. The empty one can be typed as such."""
    name = from_wire(os.fsencode(text))
    try:
        return from_url(name) if name else ""
    except ValueError:
        raise Usage(f"{shown(name)} is no name in ~ form: base64url is wanted after ~.") from None


def configured() -> tuple[servers.Server, ...]:
    """The servers of the setting. Raises `Usage` when there is none or it cannot be read."""
    try:
        known = servers.servers()
    except ValueError as error:
        raise Usage(f"{error}.") from None
    if not known:
        raise Usage(_NO_SERVER)
    return known


def both(name: str) -> str:
    """A name for the eye, and where it is not plain the form in which it can be typed."""
    url = to_url(name)
    return shown(name) if url == name else f"{shown(name)} ({url})"


def place(text: str) -> tuple[str, str]:
    """Server and queue of `[SERVER/]QUEUE`. `SERVER/` is taken off only when it is configured."""
    known = [server.name for server in configured()]
    head, slash, tail = text.partition("/")
    if slash and head in known:
        return head, typed(tail)
    if len(known) > 1:
        stranger = looks.strange_server(text)
        missing = "" if stranger is None else f"There is no server {stranger}. "
        raise Usage(
            f"{missing}Several servers are configured: write SERVER/QUEUE ({', '.join(known)})."
        )
    return known[0], typed(text)


def scope(text: str | None) -> tuple[str, str | None]:
    """Server and queue of `[SERVER/][QUEUE]`; `SERVER/` means all its queues, `None` everything."""
    if text is None:
        return "", None
    if text in {f"{server.name}/" for server in configured()}:
        return text.rstrip("/"), None
    return place(text)


def named(what: str, name: str) -> dict[str, str]:
    """A name for a JSON document: shown, and in `~` form where it is not plain."""
    url = to_url(name)
    return {what: shown(name)} | ({f"{what}_name": url} if url != name else {})
