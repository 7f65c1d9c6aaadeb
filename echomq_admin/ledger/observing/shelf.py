"""How what the observer knows of the queues of a server lies in the database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.observing import flights
from echomq_admin.ledger.observing.models import Watched
from echomq_admin.ledger.observing.watch import Watch

# How many values one statement takes.
_VALUES = 500


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
            leases = flights.unpack(row.flights)
            found[queue] = Watch(leases, row.seen_ms, row.shortest_ms, row.backoff_ms)
        return found

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
        for some in _portions(fresh):
            mine = Place.objects.filter(server=self._server_name, queue__in=map(to_wire, some))
            self._places |= {from_wire(bytes(place.queue)): place for place in mine}
        rows = [
            Watched(place=self._places[queue], since_ms=now_ms, seen_ms=now_ms) for queue in fresh
        ]
        Watched.objects.bulk_create(rows, ignore_conflicts=True, batch_size=_VALUES)
        self._fresh |= set(fresh)

    def save(self, watches: Mapping[str, Watch]) -> None:
        """Keep the leases of these queues."""
        for queue, watch in watches.items():
            Watched.objects.filter(place=self._places[queue]).update(
                flights=flights.pack(watch.leases),
                seen_ms=watch.seen_ms,
                shortest_ms=watch.shortest_ms,
                backoff_ms=watch.backoff_ms,
            )

    def seen(self, queues: Iterable[str], now_ms: int) -> None:
        """Keep that the leases of these queues were at `now_ms` as they were saved."""
        for some in _portions([self._places[queue].pk for queue in queues]):
            Watched.objects.filter(place__in=some).update(seen_ms=now_ms)

    def drop(self, queues: Iterable[str]) -> None:
        """Forget queues that are gone."""
        mine = Watched.objects.filter(place__server=self._server_name)
        for some in _portions(list(queues)):
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


def _portions(values: list) -> Iterable[list]:
    return (values[start : start + _VALUES] for start in range(0, len(values), _VALUES))
