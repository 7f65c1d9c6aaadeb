"""Every 10 s by the server's clock: how full each set of each queue is, kept for two days."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Set

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.emq.reads import QueueCounts, counts
from echomq_admin.fleet.discovery import known
from echomq_admin.fleet.rounds import portions
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.observing.lead import Term
from echomq_admin.ledger.samples.models import KEPT_H, SampleHour
from echomq_admin.ledger.samples.packing import SLOT_MS, Packing, Sample, hour_of, unpack

# A round that took long is followed by a pause of so many times its own work.
_REST = 10
# How many rows one statement takes.
_AT_ONCE = 250


class Sampler:
    """Takes the samples of one server in one term of the lead: it remembers the hour under way."""

    def __init__(self, server: Server, term: Term) -> None:
        self._server = server
        self._term = term
        self._places: dict[str, int] = {}
        self._hour = -1
        self._hours: dict[int, Packing] = {}

    def take(self) -> float:
        """Take the sample of this slot; the seconds until the next is due, in the middle of its
        slot where there is time.

        Raises redis-py's errors, `django.db.Error` and `Lost`; the slot then stays missing.
        """
        before_s, started_s = time.thread_time(), time.monotonic()
        now_ms, read = self._read()
        if read:
            self._keep(now_ms // SLOT_MS, read)
        spent_s = time.monotonic() - started_s
        next_s = (due_ms(now_ms) - now_ms) / 1000 - spent_s
        return max(next_s, _REST * (time.thread_time() - before_s))

    def _read(self) -> tuple[int, list[QueueCounts]]:
        """The server's clock when it began, and all queues."""
        times, read = [], []
        for part in portions(known(self._server.name)):
            now_ms, sizes = counts(self._server.client, part)
            times.append(now_ms)
            read += sizes
        return times[0], read

    def _keep(self, slot: int, read: Iterable[QueueCounts]) -> None:
        samples = {sizes.queue: _sample(slot, sizes) for sizes in read}
        self._place(samples)
        with self._term.held():
            places = {self._places[queue]: sample for queue, sample in samples.items()}
            if hour_of(slot) != self._hour:
                self._prune(hour_of(slot))
            hours = self._with(hour_of(slot), places)
            _write(hour_of(slot), {place: hours[place].packed() for place in places})
        self._hour, self._hours = hour_of(slot), hours

    def _place(self, queues: Iterable[str]) -> None:
        missing = [queue for queue in queues if queue not in self._places]
        if missing:
            kept = names.places(self._server.name)
            self._places |= {from_wire(bytes(p.queue)): pk for pk, p in kept.items()}
        for queue in missing:
            if queue not in self._places:
                self._places[queue] = names.place(self._server.name, queue).pk

    def _with(self, hour: int, places: Mapping[int, Sample]) -> dict[int, Packing]:
        """The hour by place, with these new samples."""
        hours = dict(self._hours) if hour == self._hour else {}
        if missing := places.keys() - hours.keys():
            hours |= self._kept(hour, missing)
        for place, sample in places.items():
            there = hours.setdefault(place, Packing())
            if sample.slot > there.last_slot:
                there.add(sample)
            else:
                hours[place] = _amended(hour, there, sample)
        return hours

    def _kept(self, hour: int, places: Set[int]) -> dict[int, Packing]:
        """What is in the database: another agent began the hour, or the clock was set back."""
        rows = SampleHour.objects.filter(hour=hour, place__server=self._server.name)
        found = rows.values_list("place", "packed")
        return {place: Packing(unpack(hour, packed)) for place, packed in found if place in places}

    def _prune(self, hour: int) -> None:
        mine = SampleHour.objects.filter(place__server=self._server.name)
        mine.filter(hour__lt=hour - KEPT_H).delete()


def due_ms(now_ms: int) -> int:
    """When the sample behind one taken now is due: in the middle of its slot."""
    return (now_ms // SLOT_MS + 1) * SLOT_MS + SLOT_MS // 2


def _sample(slot: int, sizes: QueueCounts) -> Sample:
    return Sample(
        slot,
        pending=sizes.waiting,
        active=sizes.active,
        scheduled=sizes.scheduled,
        dead=sizes.dead,
        lapsed=sizes.lapsed,
        completed=sizes.completed,
        failed=sizes.failed,
    )


def _amended(hour: int, there: Packing, sample: Sample) -> Packing:
    """With a sample of a slot that is not behind the last one."""
    slots = {known.slot: known for known in unpack(hour, there.packed())} | {sample.slot: sample}
    return Packing(slots[slot] for slot in sorted(slots))


def _write(hour: int, packed: Mapping[int, bytes]) -> None:
    rows = [SampleHour(place_id=place, hour=hour, packed=blob) for place, blob in packed.items()]
    SampleHour.objects.bulk_create(
        rows,
        batch_size=_AT_ONCE,
        update_conflicts=True,
        unique_fields=["place", "hour"],
        update_fields=["packed"],
    )
