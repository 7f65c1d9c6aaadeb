"""`emq discover`: one discovery pass over each server now."""

from __future__ import annotations

from collections.abc import Sequence

from echomq_admin.fleet import servers
from echomq_admin.fleet.discovery import discover, trouble
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import Server
from echomq_admin.operations.cli.names import configured
from echomq_admin.operations.cli.stops import Usage

_COUNTED = ("queues", "lanes", "keys", "took_ms")


def passes(names: Sequence[str]) -> list[dict[str, object]]:
    """One document a server: what its pass found, or its trouble as `error`. Raises `Usage`."""
    known = {server.name: server for server in configured()}
    for name in names:
        if name not in known:
            stranger = shown(name)
            raise Usage(f"There is no server {stranger}. EMQ_SERVERS names: {', '.join(known)}.")
    return [_pass(known[name]) for name in dict.fromkeys(names or known)]


def _pass(server: Server) -> dict[str, object]:
    try:
        done = discover(server)
    except servers.TROUBLE as error:
        return {"server": server.name, "error": trouble(server, error)}
    return {"server": server.name} | {name: getattr(done, name) for name in _COUNTED}


def lines(answer: list[dict[str, object]]) -> list[str]:
    """One line for each server that answered."""
    return [
        f"{done['server']}: {_number(done, 'queue')}, {_number(done, 'lane')}, "
        f"{_number(done, 'key')} looked at, {done['took_ms']:,} ms"
        for done in answer
        if "error" not in done
    ]


def _number(done: dict[str, object], what: str) -> str:
    number = int(str(done[f"{what}s"]))
    return f"{number:,} {what if number == 1 else f'{what}s'}"
