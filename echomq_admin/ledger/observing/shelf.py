"""How what the observer knows of the queues of a server lies in the database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from django.db.models import Max

from echomq_admin.emq.batched import batched
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.models import Ending, Place, Source
from echomq_admin.ledger.observing import flights
from echomq_admin.ledger.observing.models import Watched
from echomq_admin.ledger.observing.watch import Watch

# How many values one statement takes.
_VALUES = 500
# An ending is written with the look that showed it, or before the next one is saved.
_SAVED_MS = 10_000


class Shelf:
    """The rows of one server. All of it raises `django.db.Error`; writing needs a transaction in
    the lead. A transaction that was undone is told by `undone`."""

    def __init__(self, server_name: str) -> None:
        self._server_name = server_name
        self._places: dict[str, Place] = {}
        self._fresh: set[str] = set()

    def load(self) -> dict[str, Watch]:
        """What was known when somebody last observed the server."""
        rows = Watched.objects.filter(place__server=self._server_name).select_related("place")
        found: dict[str, Watch] = {}
        for row in rows.defer("dead_cursor"):
            queue = from_wire(bytes(row.place.queue))
            self._places[queue] = row.place
            leases, failed = flights.unpack(row.flights)
            found[queue] = Watch(leases, row.seen_ms, row.shortest_ms, row.backoff_ms, failed)
        return found

    def last_ms(self, watches: Mapping[str, Watch]) -> int:
        """When somebody looked last at any of these queues, as far as they and the ledger tell."""
        seen_ms = max((watch.seen_ms or 0 for watch in watches.values()), default=0)
        found = Ending.objects.filter(
            place__server=self._server_name,
            source=Source.OBSERVER,
            ended_ms__range=(seen_ms, seen_ms + _SAVED_MS),
        )
        return found.aggregate(last=Max("ended_ms"))["last"] or seen_ms

    def place(self, queue: str) -> Place:
        """The place of a queue that was saved once."""
        return self._places[queue]

    def begin(self, queues: Collection[str], now_ms: int) -> None:
        """Make the rows of queues that are watched for the first time."""
        fresh = [queue for queue in queues if queue not in self._places]
        if not fresh:
            return
        names.one_writer()
        places = [Place(server=self._server_name, queue=to_wire(queue)) for queue in fresh]
        Place.objects.bulk_create(places, ignore_conflicts=True, batch_size=_VALUES)
        for some in batched(fresh, _VALUES):
            mine = Place.objects.filter(server=self._server_name, queue__in=map(to_wire, some))
            self._places |= {from_wire(bytes(place.queue)): place for place in mine}
        rows = [
            Watched(place=self._places[queue], since_ms=now_ms, seen_ms=now_ms) for queue in fresh
        ]
        Watched.objects.bulk_create(rows, ignore_conflicts=True, batch_size=_VALUES)
        self._fresh |= set(fresh)

    def save(self, watches: Mapping[str, Watch]) -> set[str]:
        """Keep the leases of these queues; those whose row is lost, to be made anew next time."""
        lost: set[str] = set()
        for queue, watch in watches.items():
            rows = Watched.objects.filter(place=self._places[queue]).update(
                flights=flights.pack(watch.leases, watch.failed),
                seen_ms=watch.seen_ms,
                shortest_ms=watch.shortest_ms,
                backoff_ms=watch.backoff_ms,
            )
            if not rows:
                lost.add(queue)
        return self._lose(lost)

    def seen(self, queues: Iterable[str], now_ms: int) -> set[str]:
        """Keep that the leases of these queues were at `now_ms` as they were saved; those whose row
        is lost, as `save`."""
        lost: set[str] = set()
        for some in batched(queues, _VALUES):
            rows = Watched.objects.filter(place__in=[self._places[queue].pk for queue in some])
            if rows.update(seen_ms=now_ms) < len(some):
                there = set(rows.values_list("place_id", flat=True))
                lost |= {queue for queue in some if self._places[queue].pk not in there}
        return self._lose(lost)

    def _lose(self, queues: set[str]) -> set[str]:
        for queue in queues:
            self._places.pop(queue, None)
        return queues

    def forget(self) -> None:
        """The rows of places may not be there any more."""
        self._places.clear()
        self._fresh.clear()

    def drop(self, queues: Iterable[str]) -> None:
        """Forget queues that are gone."""
        mine = Watched.objects.filter(place__server=self._server_name)
        for some in batched(queues, _VALUES):
            mine.filter(place__queue__in=[to_wire(queue) for queue in some]).delete()
            for queue in some:
                self._places.pop(queue, None)

    def written(self) -> None:
        """The transaction was committed."""
        self._fresh.clear()

    def undone(self) -> None:
        """The transaction was undone: rows made in it are not there."""
        for queue in self._fresh:
            self._places.pop(queue, None)
        self._fresh.clear()
