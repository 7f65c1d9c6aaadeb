"""One shared look at each server for all viewers of this process."""

from __future__ import annotations

import threading

from echomq_admin.fleet import servers as fleet
from echomq_admin.fleet.lookout import Lookout, ServerSnapshot
from echomq_admin.fleet.servers import Server

__all__ = ["FRESH_S", "ServerSnapshot", "refresh", "snapshot", "snapshots"]

FRESH_S = 1.0

_lock = threading.Lock()
_lookouts: dict[Server, Lookout] = {}


def snapshots() -> tuple[ServerSnapshot, ...]:
    """The shared look at every server, in the order of the setting.

    Each is about a second old while its server answers; trouble is told in it, never raised.
    Only a first look, one after a pause and one after `refresh` are waited for, all servers
    together at most about a second. Raises `UnreadableSetting`.
    """
    return tuple(lookout.tell() for lookout in _asked(fleet.servers()))


def snapshot(server: Server) -> ServerSnapshot:
    """The same of one server. The looks at the others are begun, so that none waits in turn."""
    wanted, *_ = _asked((server, *fleet.servers()))
    return wanted.tell()


def refresh(server: Server) -> None:
    """Make the next snapshot a new look, as after a change that this process made."""
    _lookout(server).want_new()


def _asked(wanted: tuple[Server, ...]) -> list[Lookout]:
    lookouts = [_lookout(server) for server in dict.fromkeys(wanted)]
    for lookout in lookouts:
        lookout.ask()
    return lookouts


def _lookout(server: Server) -> Lookout:
    with _lock:
        if server not in _lookouts:
            _lookouts[server] = Lookout(server, lambda: FRESH_S)
            server.when_closed.append(lambda: _lookouts.pop(server, None))
        return _lookouts[server]
