"""Which server and queue a reading verb means, and what to say when there is no answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.endings.strangers import stranger
from echomq_admin.operations import looks
from echomq_admin.operations.cli.stops import ServerFailed, Usage


@contextmanager
def answering(server: Server) -> Iterator[None]:
    """Turn the trouble of a server into `ServerFailed`."""
    try:
        yield
    except servers.TROUBLE as error:
        raise ServerFailed(servers.trouble(server, error)) from error


def with_queue(server_name: str, queue: str) -> Server:
    """The server, when it has the queue. Raises `Usage`, `ServerFailed`."""
    server = servers.server(server_name)
    with answering(server):
        if not discovery.knows(server, queue):
            raise Usage(looks.no_queue(server, queue))
    return server


def on_record(server_name: str, queue: str) -> None:
    """Raises `Usage` for a queue of which nothing is on record, and that its server does not have.
    While that does not answer, the record alone says it."""
    if not stranger(server_name, queue):
        return
    server = servers.server(server_name)
    with suppress(*servers.TROUBLE):
        if not discovery.knows(server, queue):
            is_server = queue in {one.name for one in servers.servers()}
            meant = f" Did you mean {queue}/, all its queues?" if is_server else ""
            raise Usage(f"{looks.no_queue(server, queue)}{meant}")
