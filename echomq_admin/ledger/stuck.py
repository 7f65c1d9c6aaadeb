"""Streams that cannot be copied: why each is left alone, as long as that is so."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import QuerySet

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.servers import Server, masked
from echomq_admin.ledger.models import Copied
from echomq_admin.ledger.presses import look_after
from echomq_admin.ledger.sieve import Filter
from echomq_admin.ledger.texts import fit

_LONGEST = 1_000


def are(server: Server, faults: Mapping[str, str]) -> None:
    """Of a server these streams cannot be copied, by their queues, and all others can. Raises
    `django.db.Error`."""
    known = Copied.objects.filter(server=server.name).exclude(fault="")
    for pk, queue in known.values_list("pk", "queue"):
        if bytes(queue) not in {to_wire(name) for name in faults}:
            Copied.objects.filter(pk=pk).update(fault="")
    for name, fault in faults.items():
        found(server, name, fault)


def found(server: Server, queue: str, fault: str) -> None:
    """The stream of a queue cannot be copied, and why. Raises `django.db.Error`."""
    why = fit(masked(server, fault), _LONGEST)
    mine = Copied.objects.filter(server=server.name, queue=to_wire(queue))
    if mine.filter(fault=why).exists():
        return
    look_after(server.name, queue)
    mine.update(fault=why)


def streams(wanted: Filter) -> QuerySet[Copied]:
    """Those of the server and the queue that are asked for, by their names; none of servers that
    the console no longer has."""
    known = [one.name for one in servers.servers()]
    rows = Copied.objects.filter(server__in=known).exclude(fault="").order_by("server", "queue")
    if wanted.server:
        rows = rows.filter(server=wanted.server)
    return rows if wanted.queue is None else rows.filter(queue=to_wire(wanted.queue))
