"""One shared look at each server for all viewers of this process."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping

from echomq_admin.fleet import servers as fleet
from echomq_admin.fleet.lookout import Lookout
from echomq_admin.fleet.servers import Server
from echomq_admin.fleet.sight import ServerSnapshot

__all__ = ["FRESH_S", "ServerSnapshot", "live", "lives", "refresh", "snapshot", "snapshots"]

FRESH_S = 1.0

_lock = threading.Lock()
_lookouts: dict[Server, Lookout] = {}


def snapshots() -> tuple[ServerSnapshot, ...]:
    """The shared look at every server, in the order of the setting.

    Each is about a second old while its server answers; trouble is told in it, never raised.
    In a small fleet every queue is that new, in a large one each has its turn within seconds.
    Only a first look, one after a pause and one after `refresh` are waited for, all servers
    together at most about a second. Raises `UnreadableSetting`.
    """
    return tuple(lookout.tell() for lookout in _asked(fleet.servers()))


def snapshot(server: Server) -> ServerSnapshot:
    """The same of one server. The looks at the others are begun, so that none waits in turn."""
    wanted, *_ = _asked((server, *fleet.servers()))
    return wanted.tell()


def live(server: Server, queues: Collection[str]) -> ServerSnapshot:
    """The same of one server, with these queues no older than about a second.

    For the next ten seconds every look reads them, whoever asks. A queue that discovery does
    not know is left aside. Where a look is not in time the sizes are older: see `age_of`.
    """
    wanted, *_ = _asked((server, *fleet.servers()), {server: queues})
    return wanted.tell(queues)


def lives(queues: Mapping[Server, Collection[str]]) -> tuple[ServerSnapshot, ...]:
    """`live` of several servers at once, in the order given."""
    lookouts = _asked(tuple(queues), queues)
    return tuple(
        lookout.tell(wanted) for lookout, wanted in zip(lookouts, queues.values(), strict=True)
    )


def refresh(server: Server) -> None:
    """Make the next snapshot a new look, as after a change that this process made."""
    _lookout(server).want_new()


def _asked(
    wanted: tuple[Server, ...], queues: Mapping[Server, Collection[str]] | None = None
) -> list[Lookout]:
    lookouts = {server: _lookout(server) for server in wanted}
    for server, lookout in lookouts.items():
        lookout.ask((queues or {}).get(server, ()))
    return list(lookouts.values())


def _lookout(server: Server) -> Lookout:
    with _lock:
        if server not in _lookouts:
            _lookouts[server] = Lookout(server, lambda: FRESH_S)
            server.when_closed.append(lambda: _lookouts.pop(server, None))
        return _lookouts[server]
