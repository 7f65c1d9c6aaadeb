"""Every queue of a server is sampled by the server's clock, and kept for two days."""

from __future__ import annotations

from threading import Event

import pytest

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.emq.reads import server_now_ms
from echomq_admin.fleet.discovery import discover
from echomq_admin.ledger.endings.keeping import DAY_MS, prune
from echomq_admin.ledger.endings.names import find_place, place
from echomq_admin.ledger.notes import host_ms
from echomq_admin.ledger.observing.lead import Lead, Lost
from echomq_admin.ledger.observing.models import Watched
from echomq_admin.ledger.samples import sampling
from echomq_admin.ledger.samples.models import KEPT_H, SampleHour
from echomq_admin.ledger.samples.packing import SLOT_MS, Sample, hour_of, unpack
from echomq_admin.ledger.samples.sampling import Sampler
from tests.ledger.samples.made import pack

pytestmark = pytest.mark.django_db(transaction=True)

Q = "emq:{orders}:"


@pytest.fixture
def lead():
    lead = Lead("prod")
    assert lead.hold()
    return lead


@pytest.fixture
def sampler(prod, lead):
    return Sampler(prod, lead.term)


@pytest.fixture
def orders(client, prod):
    """Two jobs wait, one of them in a lane, two are in flight, three dead."""
    now = server_now_ms(client)
    client.zadd(Q + "pending", {"a": 0})
    client.zadd(Q + "g:vip:pending", {"b": 0})
    client.rpush(Q + "ring", "vip")
    client.zadd(Q + "active", {"c": now - 1, "d": now + 600_000})
    client.zadd(Q + "schedule", {"e": now})
    client.zadd(Q + "dead", {"f": 0, "g": 0, "h": 0})
    client.hset(Q + "metrics:completed", "count", 70)
    client.hset(Q + "metrics:failed", "count", 5)
    discover(prod)


@pytest.fixture
def clock(client, monkeypatch):
    """The server's clock as the samples see it, moved by the test."""
    real = sampling.counts

    class Clock:
        now_ms = server_now_ms(client) // 3_600_000 * 3_600_000

        def counts(self, client, queues):
            return self.now_ms, real(client, queues)[1]

    clock = Clock()
    monkeypatch.setattr(sampling, "counts", clock.counts)
    return clock


def kept(queue="orders"):
    rows = SampleHour.objects.filter(place=find_place("prod", queue)).order_by("hour")
    return [sample for row in rows for sample in unpack(row.hour, row.packed)]


def test_a_sample_tells_how_full_each_set_was(orders, sampler, clock):
    sampler.take()
    slot = clock.now_ms // SLOT_MS
    assert kept() == [Sample(slot, 2, 2, 1, 3, 1, 70, 5)]


def test_what_cannot_be_read_is_not_known(client, orders, sampler):
    client.delete(Q + "pending", Q + "metrics:failed")
    client.set(Q + "pending", "no set")
    client.hset(Q + "metrics:failed", "count", "many")
    sampler.take()
    (sample,) = kept()
    assert (sample.pending, sample.active, sample.failed) == (None, 2, None)


def test_samples_of_an_hour_stand_in_one_row_and_a_missed_slot_stays_missing(
    client, orders, sampler, clock
):
    first = clock.now_ms // SLOT_MS
    for slot in (0, 1, 4):
        clock.now_ms = (first + slot) * SLOT_MS
        client.hset(Q + "metrics:failed", "count", slot)
        sampler.take()
    assert SampleHour.objects.count() == 1
    assert [(sample.slot - first, sample.failed) for sample in kept()] == [(0, 0), (1, 1), (4, 4)]


def test_the_next_hour_is_a_row_of_its_own(orders, sampler, clock):
    sampler.take()
    clock.now_ms += 3_600_000
    sampler.take()
    assert SampleHour.objects.count() == 2
    assert [hour_of(sample.slot) for sample in kept()] == [
        row.hour for row in SampleHour.objects.order_by("hour")
    ]


def test_the_second_sample_of_a_slot_takes_the_place_of_the_first(client, orders, sampler, clock):
    sampler.take()
    client.zrem(Q + "dead", "f")
    sampler.take()
    assert [sample.dead for sample in kept()] == [2]


def test_a_clock_that_was_set_back_goes_on_among_what_is_kept(client, orders, sampler, clock):
    hour_ms = clock.now_ms
    for at_ms in (hour_ms + 30_000, hour_ms + 3_600_000, hour_ms + 10_000):
        clock.now_ms = at_ms
        sampler.take()
    slots = [sample.slot - hour_ms // SLOT_MS for sample in kept()]
    assert slots == [1, 3, 360]


def test_another_agent_goes_on_with_the_hour(orders, sampler, lead, prod, clock):
    sampler.take()
    lead.give_up()
    other = Lead("prod")
    other.hold()
    clock.now_ms += SLOT_MS
    Sampler(prod, other.term).take()
    assert len(kept()) == 2


def test_a_queue_that_appears_within_the_hour_is_sampled_from_then_on(
    client, orders, sampler, prod, clock
):
    sampler.take()
    client.zadd(b"emq:{\xff}:pending", {"a": 0})
    discover(prod)
    clock.now_ms += SLOT_MS
    sampler.take()
    assert len(kept(from_wire(b"\xff"))) == 1
    assert len(kept()) == 2


def test_a_queue_that_was_away_keeps_its_samples_of_the_hour(client, orders, sampler, prod, clock):
    sampler.take()
    keys = {key: client.dump(key) for key in client.scan_iter()}
    client.flushall()
    discover(prod)
    clock.now_ms += SLOT_MS
    sampler.take()
    for key, dump in keys.items():
        client.restore(key, 0, dump)
    discover(prod)
    clock.now_ms += SLOT_MS
    sampler.take()
    first = kept()[0].slot
    assert [sample.slot - first for sample in kept()] == [0, 2]


def test_what_is_older_than_two_days_goes(orders, sampler, clock):
    hour = hour_of(clock.now_ms // SLOT_MS)
    mine, other = place("prod", "orders"), place("dev", "orders")
    for old in (hour - KEPT_H - 1, hour - KEPT_H):
        SampleHour.objects.create(place=mine, hour=old, packed=pack([]))
    SampleHour.objects.create(place=other, hour=1, packed=pack([]))
    sampler.take()
    assert set(SampleHour.objects.values_list("place", "hour")) == {
        (mine.pk, hour - KEPT_H), (mine.pk, hour), (other.pk, 1)
    }  # fmt: skip


def test_those_of_a_server_that_nobody_samples_any_more_go_with_the_rest_of_the_ledger(prod):
    mine, other = place("prod", "orders"), place("dev", "orders")
    here_ms = host_ms()
    for at in (mine, other):
        Watched.objects.create(place=at, since_ms=1, seen_ms=here_ms - 3 * DAY_MS)
        for ago_h in (0, 24, 50, 100):
            hour = hour_of(here_ms // SLOT_MS) - ago_h
            SampleHour.objects.create(place=at, hour=hour, packed=pack([]))
    assert prune(Event()) == 1
    # Nobody knows that the clock of prod went on; that of dev, which is configured no longer, did.
    assert SampleHour.objects.filter(place=mine).count() == 4
    assert SampleHour.objects.filter(place=other).count() == 3


def test_a_row_that_cannot_be_read_begins_anew(orders, sampler, clock):
    hour = hour_of(clock.now_ms // SLOT_MS)
    SampleHour.objects.create(place=place("prod", "orders"), hour=hour, packed=b"damaged")
    sampler.take()
    assert len(kept()) == 1


def test_who_does_not_lead_writes_nothing(orders, sampler, lead):
    lead.give_up()
    with pytest.raises(Lost):
        sampler.take()
    assert not SampleHour.objects.exists()


@pytest.mark.parametrize(("now_ms", "due"), [(0, 15_000), (9_999, 15_000), (10_000, 25_000)])
def test_the_next_sample_is_due_in_the_middle_of_the_next_slot(now_ms, due):
    assert sampling.due_ms(now_ms) == due


def test_a_server_without_queues_is_no_trouble(client, prod, sampler):
    discover(prod)
    assert sampler.take() > 0
    assert not SampleHour.objects.exists()
