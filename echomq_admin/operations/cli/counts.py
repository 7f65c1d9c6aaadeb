"""`emq counts`: the sizes of queues."""

from __future__ import annotations

from dataclasses import asdict

from echomq_admin.emq import reads
from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import Server
from echomq_admin.operations.cli.asking import answering, with_queue
from echomq_admin.operations.cli.names import configured, named, place
from echomq_admin.operations.cli.stops import ServerFailed

_COLUMNS = {
    "pending": "pending",
    "lanes_pending": "of these in lanes",
    "active": "active",
    "lapsed": "lapsed",
    "scheduled": "scheduled",
    "dead": "dead",
    "completed": "completed",
    "failed": "failed",
    "paused": "paused",
}


def counts(text: str | None) -> list[dict[str, object]]:
    """One document a server: its queues with their sizes, or its trouble as `error`.

    `text` is `[SERVER/]QUEUE`, `SERVER/` for all its queues, or `None` for everything.
    Raises `Usage`.
    """
    whole = {f"{server.name}/": server for server in configured()}
    if text is None:
        return [_all(server) for server in whole.values()]
    if text in whole:
        return [_all(whole[text])]
    name, queue = place(text)
    return [_counted(servers.server(name), [queue])]


def _all(server: Server) -> dict[str, object]:
    return _counted(server, list(discovery.known(server.name)))


def _counted(server: Server, queues: list[str]) -> dict[str, object]:
    known = discovery.known(server.name)
    lanes = {queue: known.get(queue, ()) for queue in queues}
    try:
        for queue in queues:
            if queue not in known:
                with_queue(server.name, queue)
        with answering(server):
            now_ms, sizes = reads.counts(server.client, lanes)
    except ServerFailed as failed:
        return {"server": server.name, "error": str(failed), "queues": []}
    return {"server": server.name, "now_ms": now_ms, "queues": [_sizes(size) for size in sizes]}


def _sizes(queue: QueueCounts) -> dict[str, object]:
    fields = asdict(queue)
    fields.pop("queue")
    flat, in_lanes = queue.pending, queue.lanes_pending
    # As on the pages: all that wait, flat or in a lane.
    fields["pending"] = None if flat is None or in_lanes is None else flat + in_lanes
    return named("queue", queue.queue) | fields


def lines(answer: list[dict[str, object]]) -> list[str]:
    """The sizes as a table; what is unknown is "?", and why stands below."""
    rows = [["queue", *_COLUMNS.values()]]
    notes = []
    for server in answer:
        for queue in server["queues"]:
            name = f"{server['server']}/{queue['queue']}"
            rows.append([name, *(_cell(queue[column]) for column in _COLUMNS)])
            notes += [f"{name}: {shown(fault)}" for fault in queue["faults"]]
        if "error" not in server and not server["queues"]:
            notes.append(
                f"{server['server']}: no queue is known, `manage.py emq discover` looks now"
            )
    return _table(rows) + notes


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    ]


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "?" if value is None else f"{value:,}"
