"""Whatever is told of some jobs, by whom and in which order: each lease gets one row."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echomq_admin.ledger.endings.models import DEATHS, Ending, EndingKind, Source, Tally
from tests.ledger.endings.made import NOON
from tests.ledger.endings.test_book import enter, finding, is_counted_right

pytestmark = pytest.mark.django_db

RECOVERED, DEAD, FAILED = EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.FAILED
# What the observer saw of a job that was requeued before it looked.
SEEN = {RECOVERED: RECOVERED, DEAD: RECOVERED, FAILED: EndingKind.REAPED}
quick = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def emptied() -> None:
    Tally.objects.all().delete()
    Ending.objects.all().delete()
    for place in {*Ending.place.get_queryset()}:
        place.delete()


def rows() -> Counter:
    told = ("job", "attempts", "kind", "source", "ended_ms", "within_ms", "deadline_ms", "renewals")
    return Counter((bytes(job), *rest) for job, *rest in Ending.objects.values_list(*told))


@st.composite
def lives(draw):
    """Leases of two jobs as they happened, each told by the sources that know of it."""
    told, number = [], Counter()
    for at in range(draw(st.integers(1, 8))):
        job_id = draw(st.sampled_from(["J1", "x" * 50]))
        number[job_id] += draw(st.integers(1, 3))
        ended_ms = NOON + 30_000 * at
        lease = {"job_id": job_id, "attempts": number[job_id], "deadline_ms": ended_ms - 400}
        kind = draw(st.sampled_from([RECOVERED, DEAD, FAILED]))
        tellings = [
            finding(kind=kind, at_ms=ended_ms, entry=at, **lease),
            finding(kind=SEEN[kind], at_ms=ended_ms + 100, within_ms=300, renewals=at,
                    source=Source.OBSERVER, **lease),
        ]  # fmt: skip
        if kind in DEATHS:
            lease.pop("deadline_ms")
            dead = {"source": Source.FOUND, "kind": kind, "error": b"boom"} | lease
            tellings += [finding(at_ms=ended_ms + later, **dead) for later in (50, 20_000)]
        told += draw(st.lists(st.sampled_from(tellings), min_size=1, max_size=3))
    return told


@quick
@given(lives(), st.data())
def test_the_leases_of_a_life_become_the_same_rows_in_whatever_order_they_are_told(told, data):
    emptied()
    enter(*told)
    expected = rows()
    assert len(expected) == len({(each.job_id, each.attempts) for each in told})
    emptied()
    for each in data.draw(st.permutations(told + told)):
        enter(each)
    assert rows() == expected
    assert set(Ending.objects.values_list("life", "n")) == {(0, 0)}
    assert is_counted_right()


anything = st.builds(
    finding,
    job_id=st.sampled_from(["J1", "x" * 50]),
    attempts=st.sampled_from([None, 1, 2, 3, 2**60]),
    kind=st.sampled_from(EndingKind),
    source=st.sampled_from(Source),
    at_ms=st.sampled_from([NOON + 1_500 * at for at in range(400)]),
    within_ms=st.sampled_from([0, 200, 4_000, 3_600_000]),
    deadline_ms=st.sampled_from([None, NOON, NOON + 5_000]),
    renewals=st.sampled_from([None, 3]),
    error=st.sampled_from([None, b"", b"boom"]),
    is_new_life=st.booleans(),
    is_revived=st.booleans(),
)


@quick
@given(st.lists(anything, max_size=12), st.integers(1, 12))
def test_whatever_is_told_is_counted_as_the_rows_say(told, at_once):
    emptied()
    for at in range(0, len(told), at_once):
        enter(*told[at : at + at_once])
        assert is_counted_right()
    assert Ending.objects.count() <= len(told)
