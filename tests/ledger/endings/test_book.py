"""Findings become rows, and what is counted of them says what the rows say."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from django.db import connection, transaction

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings import book, names, pages
from echomq_admin.ledger.endings.models import (
    DEATHS,
    SLOT_MS,
    Ending,
    EndingKind,
    ErrorText,
    Lane,
    LongId,
    Place,
    Source,
    Tally,
)  # fmt: skip
from tests.ledger.endings.made import NOON

pytestmark = pytest.mark.django_db

RECOVERED, DEAD, FAILED = EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.FAILED


def finding(job_id="J1", attempts=1, kind=RECOVERED, at_ms=NOON, **more) -> book.Finding:
    return book.Finding(job_id, attempts, kind, ended_ms=at_ms, **{"source": Source.SCRIPT} | more)


def enter(*findings, queue="orders", server="prod") -> int:
    with transaction.atomic():
        return book.enter(names.place(server, queue), findings)


def is_counted_right() -> bool:
    """Whether tallies and deaths say what the rows say."""
    rows = list(Ending.objects.values_list("place", "ended_ms", "kind"))
    slots = Counter((place, ended_ms // SLOT_MS, kind) for place, ended_ms, kind in rows)
    kept = Tally.objects.filter(count__gt=0).values_list("place", "slot", "kind", "count")
    deaths = Counter(place for place, _, kind in rows if kind in DEATHS)
    return {key: count for *key, count in kept for key in [tuple(key)]} == slots and {
        p.pk: p.deaths for p in Place.objects.exclude(deaths=0)
    } == deaths


def test_a_finding_becomes_a_row_with_all_it_tells():
    told = finding(
        "\udcff\x00", 3, FAILED, within_ms=40, deadline_ms=NOON + 9, stalled=2, renewals=7,
        lane="\udcfelane", error=b"\x00boom", error_size=70_000, entry=12, source=Source.OBSERVER,
    )  # fmt: skip
    assert enter(told) == 1
    row = Ending.objects.get()
    assert (bytes(row.job), row.life, row.attempts, row.n) == (b"\xff\x00", 0, 3, 0)
    assert (row.kind, row.source, row.ended_ms, row.within_ms) == (
        FAILED,
        Source.OBSERVER,
        NOON,
        40,
    )
    assert (row.deadline_ms, row.stalled, row.renewals, row.entry) == (NOON + 9, 2, 7, 12)
    assert bytes(Lane.objects.get(pk=row.lane_id).name) == b"\xfelane"
    error = ErrorText.objects.get(pk=row.error_id)
    assert (bytes(error.text), error.size) == (b"\x00boom", 70_000)
    assert is_counted_right()


def test_what_is_told_again_changes_nothing():
    told = [finding("J1"), finding("J2", 2, DEAD), finding("x" * 90, None)]
    assert enter(*told) == 3
    before = list(Ending.objects.order_by("pk").values())
    assert enter(*told) == 0
    assert enter(*told, *told) == 0
    assert list(Ending.objects.order_by("pk").values()) == before
    assert is_counted_right()


def test_nothing_found_writes_nothing():
    assert enter() == 0
    assert Ending.objects.count() == Tally.objects.count() == 0


def test_a_kind_and_a_time_that_a_better_source_knows_are_counted_anew():
    enter(finding(kind=DEAD, at_ms=NOON + SLOT_MS, within_ms=SLOT_MS, source=Source.OBSERVER))
    assert Place.objects.get().deaths == 1
    assert enter(finding(kind=RECOVERED, at_ms=NOON + 5)) == 1
    assert Place.objects.get().deaths == 0
    assert is_counted_right()


def test_one_id_in_two_queues_and_on_two_servers_is_three_jobs():
    enter(finding(kind=DEAD))
    enter(finding(kind=FAILED), queue="mail")
    enter(finding(), server="twin")
    assert sorted(Ending.objects.values_list("kind", "life", "n")) == [
        (RECOVERED, 0, 0), (DEAD, 0, 0), (FAILED, 0, 0),
    ]  # fmt: skip
    assert is_counted_right()


def test_ids_that_share_a_beginning_are_two_jobs():
    enter(finding("x" * 90 + "a"), finding("x" * 90 + "b"))
    assert Ending.objects.count() == LongId.objects.count() == 2


@pytest.mark.parametrize(
    "attempts", [None, 2**53, 10**400, -1, -(10**400)], ids=["none", "just", "far", "-1", "below"]
)
def test_attempts_that_are_no_number_are_kept_as_such(attempts):
    enter(finding(attempts=attempts))
    assert Ending.objects.get().attempts == -1


@pytest.mark.parametrize("far", [10**400, 2**63, -(10**400)], ids=["far", "just", "below"])
def test_numbers_beyond_all_measure_count_as_not_known(far):
    enter(finding(
        at_ms=far, within_ms=far, deadline_ms=far, stalled=far, renewals=far, error=b"x",
        error_size=far,
    ))  # fmt: skip
    row = Ending.objects.get()
    assert (row.deadline_ms, row.stalled) == (None, None)
    assert 0 <= row.ended_ms - row.within_ms <= row.ended_ms < 2**53
    assert 0 <= row.renewals < 2**31
    assert is_counted_right()


def test_a_row_that_moves_to_another_life_takes_its_seat_along():
    enter(finding(deadline_ms=NOON - 5), finding(attempts=2, at_ms=NOON + 9_000, deadline_ms=NOON))
    seen = {"source": Source.OBSERVER, "at_ms": NOON + 9_100, "deadline_ms": NOON}
    assert enter(finding(attempts=2, within_ms=300, is_new_life=True, **seen)) == 1
    assert sorted(Ending.objects.values_list("life", "attempts")) == [(0, 1), (1, 2)]
    assert is_counted_right()


def test_a_job_with_very_many_endings_gets_its_next_one():
    place = names.place("prod", "orders")
    many = pages._MOST_ROWS + pages._MOST_EACH + 10
    Ending.objects.bulk_create(
        Ending(job=b"J1", place=place, life=at % 3, attempts=at // 3, kind=RECOVERED,
               source=Source.SCRIPT, ended_ms=NOON + 1000 * at, deadline_ms=at)
        for at in range(many)
    )  # fmt: skip
    first, last = 0, (many - 1) // 3
    newest = NOON + 1000 * many
    told = [finding(attempts=last + 1, at_ms=newest), finding(attempts=first, at_ms=newest + 9)]
    assert enter(*told, finding("J2")) == 3
    assert enter(*told) == 0
    seats = Ending.objects.filter(job=b"J1", ended_ms__gte=newest).order_by("ended_ms")
    assert list(seats.values_list("life", "attempts", "n")) == [(2, last + 1, 0), (3, first, 0)]


def test_ten_thousand_findings_are_entered_in_parts():
    told = [finding(f"J{at}", lane=f"g{at % 7}") for at in range(2 * book.AT_ONCE + 5)]
    assert enter(*told) == len(told) == Ending.objects.count()
    assert Lane.objects.count() == 7
    assert is_counted_right()


def test_counts_that_were_pruned_do_not_fall_below_nothing():
    enter(finding(kind=DEAD, within_ms=500, source=Source.OBSERVER))
    Tally.objects.all().delete()
    assert enter(finding(kind=RECOVERED)) == 1
    assert sorted(Tally.objects.values_list("kind", "count")) == [(RECOVERED, 1), (DEAD, 0)]


def test_a_job_found_dead_that_was_never_claimed_ended_no_lease():
    found = {"kind": FAILED, "source": Source.FOUND}
    assert enter(finding(attempts=0, **found), finding(attempts=None, **found)) == 0
    assert enter(finding(attempts=1, **found)) == 1


@pytest.mark.django_db(transaction=True)
def test_the_ledger_is_only_written_in_a_transaction():
    place = names.place("prod", "orders")
    with pytest.raises(transaction.TransactionManagementError):
        book.enter(place, [finding()])
    assert Ending.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_leaves_nothing_behind():
    with transaction.atomic():
        book.enter(names.place("prod", "orders"), [finding(lane="g", error=b"x")])
        transaction.set_rollback(True)
    assert not any(m.objects.exists() for m in (Ending, Tally, Lane, ErrorText, Place))
    assert enter(finding(lane="g", error=b"x")) == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_who_enter_the_same_at_once_each_lease_gets_one_row():
    together, errors = threading.Barrier(4), []
    told = [
        finding(f"J{at}", kind=(DEAD, FAILED)[at % 2], lane=f"g{at}", error=b"e%d" % at)
        for at in range(40)
    ]

    def work(mine):
        together.wait()
        try:
            for queue in ("orders", "mail"):
                enter(*mine, queue=queue)
        except Exception as error:
            errors.append(error)
        connection.close()

    orders = (told, told[::-1], told[20:] + told[:20], told)
    threads = [threading.Thread(target=work, args=(mine,)) for mine in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for queue in ("orders", "mail"):
        jobs = Ending.objects.filter(place__queue=to_wire(queue)).values_list("job", flat=True)
        assert sorted(map(bytes, jobs)) == sorted(b"J%d" % at for at in range(40))
    assert Lane.objects.count() == ErrorText.objects.count() == 40
    assert is_counted_right()
