"""A job that is requeued was dead until then: what its entry tells of a death that nobody saw."""

from __future__ import annotations

import pytest

from echomq_admin.emq.ids import mint
from echomq_admin.emq.reads import server_now_ms
from echomq_admin.ledger import copying
from echomq_admin.ledger.endings import book, names
from echomq_admin.ledger.endings.models import Ending, EndingKind, ErrorText, Lane, Place, Source
from echomq_admin.ledger.models import Copied, TrailEntry
from echomq_admin.ledger.observing.models import Watched
from tests.ledger.conftest import Q
from tests.ledger.endings.working import A, error
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db

RECOVERED, DEAD, FAILED = EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.FAILED
OPERATOR = EndingKind.OPERATOR
DAY_MS = 86_400_000


def test_a_death_of_a_stall_that_nobody_saw_is_known_when_it_is_requeued(work):
    work.claim(A, group="vip")
    work.lapse(A)
    work.emq.sweep(Q)
    work.emq.requeue(Q, [A], actor="olena", reset_stalls=True)
    assert work.copied() == [(A, 0, 1, 0, DEAD, Source.FOUND, 1)]
    assert error() is None
    assert bytes(Lane.objects.get().name) == b"vip"


def test_nobody_knows_when_a_job_died_that_was_requeued(work):
    work.claim(A)
    work.fail(error=b"smtp")
    work.emq.requeue(Q, [A], actor="olena")
    work.copied()
    ending = Ending.objects.get()
    assert ending.within_ms == ending.ended_ms


def test_a_death_of_a_stall_that_nobody_saw_is_known_when_the_job_is_removed(work):
    work.claim(A)
    work.lapse(A)
    work.emq.sweep(Q)
    work.emq.remove(Q, [A], actor="olena")
    assert work.copied() == [(A, 0, 1, 0, DEAD, Source.FOUND, 1)]


def test_the_removal_of_a_job_that_failed_before_tells_of_no_death(work):
    work.claim(A)
    work.fail(error=b"smtp")
    work.emq.remove(Q, [A], actor="olena")
    assert work.copied() == []


def test_a_death_by_attempts_that_nobody_saw_is_known_when_it_is_requeued(work):
    work.claim(A)
    work.fail(error=b"smtp \xff")
    work.emq.requeue(Q, [A], actor="olena")
    assert work.copied() == [(A, 0, 1, 0, FAILED, Source.FOUND, 0)]
    assert error() == b"smtp \xff"


def test_a_worker_may_fail_with_the_word_of_a_sweep(work):
    work.claim(A)
    work.fail(error="stalled")
    work.emq.requeue(Q, [A], actor="olena")
    assert work.copied() == [(A, 0, 1, 0, FAILED, Source.FOUND, 0)]


def test_of_an_error_that_an_entry_cuts_it_is_known_that_it_was_longer(work):
    work.claim(A)
    work.fail(error="e" * 70_000)
    work.emq.requeue(Q, [A], actor="olena")
    work.copied()
    assert ErrorText.objects.get().size == 65_537


def test_a_job_that_was_buried_died_of_no_lease(work):
    work.claim(A)
    work.lapse(A)
    work.emq.reap(Q)
    work.emq.bury(Q, [A], "poison", actor="olena")
    work.emq.requeue(Q, [A], actor="olena")
    assert work.copied() == []


def test_a_job_that_was_buried_in_flight_and_requeued_ended_once(work):
    work.claim(A)
    work.emq.bury(Q, [A], "poison", tokens={A: 1}, actor="olena")
    work.emq.requeue(Q, [A], actor="olena")
    assert work.copied() == [(A, 0, 1, 0, OPERATOR, Source.SCRIPT, 0)]


def test_a_job_that_was_buried_once_may_die_of_its_next_lease(work):
    work.emq.enqueue(Q, A, "{}")
    work.emq.bury(Q, [A], "poison", actor="olena")
    work.emq.requeue(Q, [A], actor="olena")
    work.claim_again()
    work.fail()
    work.emq.requeue(Q, [A], actor="olena")
    assert work.copied() == [(A, 0, 1, 0, FAILED, Source.FOUND, 0)]


def test_a_job_that_died_was_requeued_and_then_buried_had_died(work):
    work.claim(A)
    work.fail()
    work.emq.requeue(Q, [A], actor="olena")
    died = work.copied()
    assert died == [(A, 0, 1, 0, FAILED, Source.FOUND, 0)]
    ended = server_now_ms(work.client)
    wait_for(lambda: server_now_ms(work.client) > ended, every_s=0.001)
    work.emq.bury(Q, [A], "poison", actor="olena")
    Ending.objects.all().delete()
    Copied.objects.all().delete()
    copying.copy(work.server, Q)
    found = book.Finding(A, 1, FAILED, Source.FOUND, TrailEntry.objects.earliest("pk").at_ms)
    late = book.Finding(A, 1, FAILED, Source.FOUND, server_now_ms(work.client))
    assert book.enter(names.place("prod", Q), [late]) == 0
    assert book.enter(names.place("prod", Q), [found]) == 1


def test_after_a_recovery_the_word_of_a_sweep_without_another_count_is_that_of_a_worker(work):
    work.claim(A)
    work.lapse(A)
    work.emq.sweep(Q, max_stalled=3, actor="olena")
    work.claim_again()
    work.fail(token=2, error="stalled")
    work.emq.requeue(Q, [A], actor="olena")
    assert work.copied() == [
        (A, 0, 1, 0, RECOVERED, Source.SCRIPT, 1),
        (A, 0, 2, 0, FAILED, Source.FOUND, 1),
    ]
    assert bytes(ErrorText.objects.get().text) == b"stalled"


def test_a_count_that_a_requeue_reset_is_raised_by_the_sweep_that_kills(work):
    work.claim(A)
    work.lapse(A)
    work.emq.sweep(Q, max_stalled=3, actor="olena")
    work.emq.bury(Q, [A], "poison", actor="olena")
    work.emq.requeue(Q, [A], actor="olena", reset_stalls=True)
    work.claim_again()
    work.lapse(A)
    work.emq.sweep(Q, max_stalled=1)
    work.emq.requeue(Q, [A], actor="olena")
    assert work.copied()[1:] == [(A, 0, 2, 0, DEAD, Source.FOUND, 1)]


@pytest.mark.parametrize("since_days", [91, 1])
def test_a_death_that_the_ledger_has_forgotten_is_none_when_the_job_is_requeued(work, since_days):
    now = server_now_ms(work.client)
    old, young = mint("JOB", now - 100 * DAY_MS), mint("JOB", now - 80 * DAY_MS)
    watched(now - since_days * DAY_MS, deaths=1)
    for job_id in (old, young):
        work.claim(job_id)
        work.fail(job_id)
    work.emq.requeue(Q, [old, young], actor="olena")
    assert work.copied() == [(young, 0, 1, 0, FAILED, Source.FOUND, 0)]


def test_an_old_job_of_a_young_ledger_may_have_died_before_it_began(work):
    now = server_now_ms(work.client)
    old = mint("JOB", now - 100 * DAY_MS)
    watched(now - DAY_MS, deaths=0)
    work.claim(old)
    work.fail(old)
    work.emq.requeue(Q, [old], actor="olena")
    assert work.copied() == [(old, 0, 1, 0, FAILED, Source.FOUND, 0)]


def watched(since_ms, deaths):
    place = names.place("prod", Q)
    Watched.objects.create(place=place, since_ms=since_ms, seen_ms=since_ms)
    Place.objects.update(deaths=deaths)


def test_where_entries_are_missing_a_dead_job_may_have_been_buried(work):
    work.claim(A)
    work.fail()
    work.client.xtrim("emqadmin:{orders}:audit", maxlen=0)
    work.emq.pause(Q, actor="olena")
    work.copied()
    work.emq.resume(Q, actor="olena")
    work.client.xtrim("emqadmin:{orders}:audit", maxlen=0)
    work.emq.requeue(Q, [A], actor="olena")
    assert work.copied() == [(A, 0, 1, 0, EndingKind.UNCERTAIN, Source.FOUND, 0)]
    assert error() == b"boom"


def test_a_requeue_that_a_person_took_back_tells_of_one_death(work):
    work.claim(A)
    work.fail()
    for _ in range(2):
        work.emq.requeue(Q, [A], actor="olena")
        work.emq.return_to_dead(Q, {A: (1, b"boom", None)}, actor="olena")
    assert work.copied() == [(A, 0, 1, 0, FAILED, Source.FOUND, 0)]


@pytest.mark.parametrize("first", ["script", "observer"])
def test_a_job_that_died_and_was_requeued_between_two_looks_was_not_recovered(work, first):
    work.claim(A)
    deadline = work.lapse(A)
    before = server_now_ms(work.client)
    work.emq.sweep(Q)
    work.emq.requeue(Q, [A], actor="olena")
    after = server_now_ms(work.client)
    seen = book.Finding(
        A, 1, RECOVERED, Source.OBSERVER, after, after - before + 1, deadline, stalled=1
    )  # fmt: skip
    if first == "script":
        work.copied()
    book.enter(names.place("prod", Q), [seen])
    assert work.copied() == [(A, 0, 1, 0, DEAD, Source.OBSERVER, 1)]
    assert error() is None


def test_a_job_that_was_seen_to_be_recovered_and_failed_late_was_recovered(work):
    work.claim(A)
    now = server_now_ms(work.client)
    seen = book.Finding(A, 1, RECOVERED, Source.OBSERVER, now - 9, 5, stalled=1)
    book.enter(names.place("prod", Q), [seen])
    work.fail()
    work.emq.requeue(Q, [A], actor="olena")
    assert work.copied() == [(A, 0, 1, 0, RECOVERED, Source.OBSERVER, 1)]
