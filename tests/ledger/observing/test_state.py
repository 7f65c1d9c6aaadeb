"""Whether a server is observed, as the database tells it to any process."""

from __future__ import annotations

import pytest

from echomq_admin.ledger.endings import names
from echomq_admin.ledger.observing import state as states
from echomq_admin.ledger.observing.lead import Lead
from echomq_admin.ledger.observing.models import Blind, Watched
from echomq_admin.ledger.observing.state import state
from echomq_admin.ledger.samples.models import SampleHour
from echomq_admin.ledger.samples.packing import Sample, pack

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _anew(monkeypatch):
    monkeypatch.setattr(states, "_signs", states._Signs())
    monkeypatch.setattr(states, "_intervals", states._Intervals())


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now_s = 1_000.0

        def monotonic(self):
            return self.now_s

    clock = Clock()
    monkeypatch.setattr(states, "time", clock)
    return clock


def watched(queue, since_ms, seen_ms, passed_ms=None, server="prod"):
    place = names.place(server, queue)
    return Watched.objects.create(
        place=place, since_ms=since_ms, seen_ms=seen_ms, passed_ms=passed_ms
    )


def sampled(queue, dead, hour=7):
    samples = [Sample(hour * 360, 0, 0, 0, dead, 0, 0, 0)]
    SampleHour.objects.create(place=names.place("prod", queue), hour=hour, packed=pack(samples))


def test_of_a_server_that_nobody_observed_nothing_is_known():
    found = state("prod")
    assert (found.since_ms, found.seen_ms, found.passed_ms) == (None, None, None)
    assert (found.is_led, found.holder, found.blind) == (False, "", ())


def test_it_tells_of_all_queues_of_the_server_together():
    watched("a", 1_000, 5_000, 4_000)
    watched("b", 2_000, 9_000, 3_000)
    watched("a", 1, 99_000, 1, server="dev")
    found = state("prod")
    assert (found.since_ms, found.seen_ms, found.passed_ms) == (1_000, 9_000, 3_000)


def test_while_one_dead_set_was_never_gone_through_none_is_said_to_be():
    watched("a", 1_000, 5_000, 4_000)
    watched("b", 2_000, 9_000)
    assert state("prod").passed_ms is None


def test_who_holds_the_lead_is_named_until_it_is_given_up():
    lead = Lead("prod")
    lead.hold()
    found = state("prod")
    assert (found.is_led, found.holder) == (True, lead.holder)
    lead.give_up()
    found = state("prod")
    assert (found.is_led, found.holder) == (False, "")


def test_a_holder_without_signs_of_life_does_not_lead(clock):
    lead = Lead("prod")
    lead.hold()
    assert state("prod").is_led
    clock.now_s += 9
    assert state("prod").is_led
    clock.now_s += 2
    assert not state("prod").is_led
    lead.hold()
    assert state("prod").is_led


def test_spans_not_seen_are_told_the_newest_first():
    place = names.place("prod", "a")
    for to_ms, server, where in ((10, "prod", None), (30, "prod", place), (20, "dev", None)):
        Blind.objects.create(server=server, place=where, from_ms=1, to_ms=to_ms, why="asleep")
    found = state("prod").blind
    assert [(span.to_ms, span.place) for span in found] == [(30, place), (10, None)]
    assert [span.to_ms for span in state("prod", most_blind=1).blind] == [30]


def test_the_interval_of_the_pass_goes_by_the_last_samples(clock):
    sampled("a", dead=10**9, hour=6)
    sampled("a", dead=1_000_000)
    sampled("b", dead=None)
    assert state("prod").pass_interval_s == 5_000
    sampled("c", dead=1_000_000)
    assert state("prod").pass_interval_s == 5_000
    clock.now_s += 60
    assert state("prod").pass_interval_s == 10_000


def test_without_samples_the_interval_is_that_of_a_step():
    assert state("prod").pass_interval_s == 10
