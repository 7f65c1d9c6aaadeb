"""Samples as they are kept, for the pages that read them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.samples.models import SampleHour
from echomq_admin.ledger.samples.packing import Packing, Sample, hour_of

EMPTY = dict.fromkeys(Sample.__slots__[1:], 0)


def sample(slot: int, **fields: int | None) -> Sample:
    """A sample of an empty queue but for these fields."""
    return Sample(slot, **(EMPTY | fields))


def pack(samples: Iterable[Sample]) -> bytes:
    """Samples of one hour, in the order of their slots."""
    return Packing(samples).packed()


def keep(samples: Iterable[Sample], server: str = "prod", queue: str = "orders") -> None:
    """Keep samples of one queue, which come in the order of their slots."""
    place, _ = Place.objects.get_or_create(server=server, queue=to_wire(queue))
    for hour, some in groupby(samples, key=lambda one: hour_of(one.slot)):
        SampleHour.objects.create(place=place, hour=hour, packed=pack(some))
