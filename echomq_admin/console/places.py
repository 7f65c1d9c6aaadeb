"""Where a page is: the server and the queue of its address, and what is known of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from django.http import Http404
from django.urls import reverse
from redis.exceptions import ResponseError

from echomq_admin.emq import reads
from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.preferences import QueueSettings, queue_settings
from echomq_admin.fleet.servers import Server, UnknownServer
from echomq_admin.fleet.snapshot import ServerSnapshot, live, snapshot
from echomq_admin.operations import trash
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.services import allowed


class Away(Exception):
    """The server of a page cannot be read now. `place` is what was last seen of it."""

    def __init__(self, sentence: str, place: Place) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.place = place


@dataclass(frozen=True)
class Place:
    """A queue of a server. `counts` are at most a second old; `read_only` is the reason, if any."""

    server: Server
    queue: str
    look: ServerSnapshot
    counts: QueueCounts | None
    read_only: str | None = None

    @property
    def name(self) -> str:
        return brief(self.queue)

    @property
    def now_ms(self) -> int:
        """The server's clock at the last look, unix ms; 0 when there was none."""
        return self.look.now_ms or 0

    def url(self, route: str) -> str:
        """The address of one of the pages of this queue."""
        return reverse(route, args=[self.server.name, self.queue])

    def seen(self, **counts: int | None) -> Place:
        """The same place with the numbers that its page has just read itself; `None` is none."""
        fresh = {name: count for name, count in counts.items() if count is not None}
        return replace(self, counts=replace(self.counts, **fresh)) if self.counts else self

    @cached_property
    def settings(self) -> QueueSettings:
        """The settings in force for this queue, read when first asked for."""
        return queue_settings(self.server.name, self.queue)

    @property
    def is_bare(self) -> bool:
        """Whether it is only listed because somebody added it: nothing of it is there yet."""
        is_bare = self.counts is not None and self.counts.is_bare
        return is_bare and self.queue in discovery.added_queues(self.server.name)

    def may(self, user, verb: str) -> bool:
        """Whether this user may use the verb here, now."""
        return self.read_only is None and allowed(user, verb)

    def url_of(self, verb: str) -> str:
        """The address of an action here."""
        if ACTIONS[verb].address == "own":
            return self.url(verb)
        return reverse("act", args=[self.server.name, self.queue, verb])

    @property
    def sweep_url(self) -> str:
        return self.url("sweep")

    @property
    def dead_url(self) -> str:
        return self.url("queue_dead")

    @property
    def audit_url(self) -> str:
        return self.url("queue_audit")


def server(name: str) -> Server:
    """The server of an address. Raises `Http404` when there is none of that name."""
    try:
        return servers.server(name)
    except UnknownServer:
        raise Http404(f"No server is called “{brief(name)}”.") from None


def find(server_name: str, queue: str) -> Place:
    """The place of an address. Raises `Http404` for what is not there, `Away` when out of reach."""
    where = server(server_name)
    look = live(where, [queue])
    counts = look.counts_of(queue)
    place = Place(where, queue, look, counts)
    if look.error:
        raise Away(look.error, place)
    try:
        counts = counts or _count(where, queue)
    except servers.TROUBLE as error:
        raise Away(servers.trouble(where, error), place) from None
    reason = servers.read_only_reason(where, queue, look.facts)
    return replace(place, counts=counts, read_only=reason)


def find_of_job(server_name: str, queue: str) -> Place:
    """The place of a job, also in a queue that no list knows: of one that holds only a parent
    waiting for children in other queues nothing else is to be seen. Raises as `find`."""
    try:
        return find(server_name, queue)
    except Http404:
        where = server(server_name)
    look = snapshot(where)
    return Place(where, queue, look, None, servers.read_only_reason(where, queue, look.facts))


def reached(
    server_name: str, queue: str, finding: Callable[[str, str], Place]
) -> tuple[Place, str]:
    """The place for a page that has more to show than its server tells, and why that cannot be
    read, if so. Raises `Http404`."""
    try:
        return finding(server_name, queue), ""
    except Away as away:
        return away.place, away.sentence


def is_open(server_name: str, queue: str) -> bool:
    """Whether a server of this name is there and may be written to, as it was last seen."""
    try:
        where = servers.server(server_name)
    except UnknownServer:
        return False
    look = snapshot(where)
    if look.error or look.facts is None:
        return False
    return servers.read_only_reason(where, queue, look.facts) is None


def _count(server: Server, queue: str) -> QueueCounts:
    """The sizes of a queue that the snapshot does not hold yet."""
    if not _knows(server, queue):
        raise Http404(f"{server.name} has no queue “{brief(queue)}”.")
    lanes = discovery.lanes_of(server.name, queue)
    return reads.counts(server.client, {queue: lanes})[1][0]


def _knows(server: Server, queue: str) -> bool:
    try:
        # A queue whose last job was removed is there as long as that can be restored.
        return discovery.knows(server, queue) or trash.restorable(server.name, queue).exists()
    except ResponseError as error:
        raise Http404(
            f"No queue “{brief(queue)}” is known, and {server.name} does not say whether it has "
            f"one: {servers.masked(server, str(error))}. Give the console’s user there the right "
            "by ACL SETUSER (+exists and ~emq:*), or add the queue by its name."
        ) from None
