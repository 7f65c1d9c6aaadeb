"""What our scripts did to leases, as their audit entries tell it, is in the ledger exactly.

Every script is the real one, on the real server.
"""

from __future__ import annotations

import pytest

from echomq_admin.emq.reads import server_now_ms
from echomq_admin.ledger.endings import book, names
from echomq_admin.ledger.endings.models import Ending, EndingKind, Lane, Place, Source
from echomq_admin.ledger.models import Copied, TrailEntry
from echomq_admin.ledger.observing import flights
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.models import Watched
from tests.ledger.conftest import Q
from tests.ledger.endings.working import A, B, C, error
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db

RECOVERED, DEAD, REAPED = EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.REAPED
FAILED, OPERATOR = EndingKind.FAILED, EndingKind.OPERATOR


def test_a_sweep_recovers_and_kills(work):
    work.claim(A)
    work.claim(B)
    work.client.hset(f"emq:{{orders}}:job:{B}", "stalled", 2)
    deadline = work.lapse(A, B)
    before = server_now_ms(work.client)
    work.emq.sweep(Q, max_stalled=3, actor="olena")
    assert work.copied() == [
        (A, 0, 1, 0, RECOVERED, Source.SCRIPT, 1), (B, 0, 1, 0, DEAD, Source.SCRIPT, 3),
    ]  # fmt: skip
    for row in Ending.objects.all():
        assert before <= row.ended_ms <= server_now_ms(work.client)
        assert (row.within_ms, row.deadline_ms) == (0, deadline)
        assert row.entry == TrailEntry.objects.get().pk
    assert Place.objects.get().deaths == 1


def test_each_stall_of_a_job_is_one_ending(work):
    work.claim(A)
    for _ in range(3):
        work.lapse(A)
        work.emq.sweep(Q, max_stalled=3, actor="olena")
        if work.client.zcard("emq:{orders}:pending"):
            work.claim_again()
    assert work.copied() == [
        (A, 0, 1, 0, RECOVERED, Source.SCRIPT, 1), (A, 0, 2, 0, RECOVERED, Source.SCRIPT, 2),
        (A, 0, 3, 0, DEAD, Source.SCRIPT, 3),
    ]  # fmt: skip


@pytest.mark.parametrize(("most", "kind"), [(1, DEAD), (2, RECOVERED)])
def test_a_lease_that_is_recovered_now_ended_before_its_deadline(work, most, kind):
    work.claim(A)
    work.emq.recover_now(Q, A, 1, max_stalled=most, actor="olena")
    assert work.copied() == [(A, 0, 1, 0, kind, Source.SCRIPT, 1)]
    row = Ending.objects.get()
    assert row.deadline_ms > row.ended_ms
    assert error() is None


def test_a_reap_returns_without_a_count(work):
    work.claim(A)
    work.client.hset(f"emq:{{orders}}:job:{A}", "stalled", 2)
    work.claim(B)
    work.lapse(A, B)
    work.emq.reap(Q, actor="olena")
    assert work.copied() == [
        (A, 0, 1, 0, REAPED, Source.SCRIPT, 2), (B, 0, 1, 0, REAPED, Source.SCRIPT, 0),
    ]  # fmt: skip


def test_a_reap_of_a_lane_tells_the_lane(work):
    work.claim(A, group="\udcffvip")
    work.claim(B)
    work.lapse(A, B)
    work.emq.reap_group(Q, "\udcffvip", actor="olena")
    assert work.copied() == [(A, 0, 1, 0, REAPED, Source.SCRIPT, 0)]
    assert bytes(Lane.objects.get(pk=Ending.objects.get().lane_id).name) == b"\xffvip"


def test_a_job_that_is_buried_in_flight_is_ended_by_an_operator(work):
    work.claim(A)
    work.emq.enqueue(Q, B, "{}")
    work.emq.bury(Q, [A, B], "poison", tokens={A: 1}, actor="olena")
    assert work.copied() == [(A, 0, 1, 0, OPERATOR, Source.SCRIPT, 0)]


def test_a_job_that_is_removed_in_flight_is_ended_by_an_operator(work):
    work.claim(A)
    work.emq.enqueue(Q, B, "{}")
    work.emq.remove(Q, [A, B], force=True, actor="olena")
    assert work.copied() == [(A, 0, 1, 0, OPERATOR, Source.SCRIPT, 0)]


def test_a_queue_that_is_obliterated_ends_what_is_in_flight(work):
    work.claim(A)
    work.emq.enqueue(Q, B, "{}")
    work.emq.pause(Q, actor="olena")
    while work.emq.obliterate(Q, force=True, actor="olena"):
        pass
    assert work.copied() == [(A, 0, 1, 0, OPERATOR, Source.SCRIPT, 0)]


def test_an_id_that_is_enqueued_again_after_its_removal_lives_again(work):
    for _ in range(2):
        work.claim(A)
        work.emq.remove(Q, [A], force=True, actor="olena")
        ended = server_now_ms(work.client)
        wait_for(lambda before=ended: server_now_ms(work.client) > before, every_s=0.001)
    assert work.copied() == [
        (A, 0, 1, 0, OPERATOR, Source.SCRIPT, 0), (A, 1, 1, 0, OPERATOR, Source.SCRIPT, 0),
    ]  # fmt: skip


def test_of_two_lives_the_first_is_the_first_though_the_second_was_seen_before_it_was_copied(work):
    for turn in range(2):
        work.claim(A)
        deadline = work.lapse(A)
        began = server_now_ms(work.client)
        work.emq.sweep(Q, max_stalled=3, actor="olena")
        ended = server_now_ms(work.client)
        wait_for(lambda before=ended: server_now_ms(work.client) > before, every_s=0.001)
        if turn == 0:
            work.emq.remove(Q, [A], actor="olena")
    seen = book.Finding(
        A, 1, RECOVERED, Source.OBSERVER, ended, ended - began + 1, deadline, stalled=1, renewals=2
    )
    book.enter(names.place("prod", Q), [seen])
    assert work.copied() == [
        (A, 0, 1, 0, RECOVERED, Source.SCRIPT, 1), (A, 1, 1, 0, RECOVERED, Source.SCRIPT, 1),
    ]  # fmt: skip
    first, second = Ending.objects.order_by("life")
    assert first.ended_ms < began <= second.ended_ms
    assert (first.renewals, second.renewals) == (None, 2)


def test_a_last_attempt_that_an_actor_fails_is_a_death(work):
    work.claim(A)
    work.fail(actor="olena")
    assert work.copied() == [(A, 0, 1, 0, FAILED, Source.SCRIPT, 0)]
    assert error() is None


def test_an_attempt_that_waits_for_its_next_one_is_no_ending(work):
    work.claim(A)
    assert work.emq.retry(Q, A, 1, 0, 5, "boom", actor="olena") == "scheduled"
    work.claim(B)
    work.emq.complete(Q, B, 1, actor="olena")
    assert work.copied() == []


def test_an_orphan_that_a_sweep_drops_is_no_ending(work):
    work.client.zadd("emq:{orders}:active", {C: 5})
    work.claim(A)
    work.client.hset(f"emq:{{orders}}:job:{A}", "attempts", "many")
    work.lapse(A)
    work.emq.sweep(Q, actor="olena")
    assert len(TrailEntry.objects.all()) == 0
    assert work.copied() == []
    assert TrailEntry.objects.get().n == 2


def test_an_unreadable_row_that_is_removed_in_flight_has_no_number(work):
    work.claim(A)
    work.client.hset(f"emq:{{orders}}:job:{A}", "attempts", "many")
    work.emq.remove(Q, [A], force=True, actor="olena")
    assert work.copied() == [(A, 0, -1, 0, OPERATOR, Source.SCRIPT, 0)]


def test_an_entry_that_is_copied_twice_ends_nothing_twice(work):
    work.claim(A)
    work.lapse(A)
    work.emq.sweep(Q, actor="olena")
    once = work.copied()
    Copied.objects.all().delete()
    assert work.copied() == once
    assert len(once) == 1


def test_an_entry_is_not_copied_when_its_endings_cannot_be_written(work, monkeypatch):
    work.claim(A)
    work.lapse(A)
    work.emq.sweep(Q, actor="olena")
    with monkeypatch.context() as broken:
        broken.setattr(book, "_count", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            work.copied()
    assert not TrailEntry.objects.exists()
    assert not Copied.objects.exclude(last_id="0-0").exists()
    assert len(work.copied()) == 1


@pytest.mark.parametrize("is_revived", [True, False])
def test_a_lease_that_the_observer_saw_revived_is_of_the_life_it_was(work, is_revived):
    work.claim(A)
    deadline = work.lapse(A) + 60_000
    work.emq.reap(Q, actor="olena")
    work.client.zadd("emq:{orders}:active", {A: deadline})
    first = work.copied()
    seen = Lease(1, 0, float(deadline), None, None, first_ms=1, is_revived=is_revived)
    packed = flights.pack({A.encode(): seen})
    Watched.objects.create(place=Place.objects.get(), since_ms=1, seen_ms=1, flights=packed)
    work.client.hset(f"emq:{{orders}}:job:{A}", "state", "active")
    work.emq.bury(Q, [A], "poison", tokens={A: 1}, actor="olena")
    life, n = (0, 1) if is_revived else (1, 0)
    assert work.copied() == [*first, (A, life, 1, n, OPERATOR, Source.SCRIPT, 0)]
