"""What needs a person: which reasons there are, and which is the worst."""

from __future__ import annotations

import pytest

from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet.attention import Why, needs, worst
from echomq_admin.fleet.models import Pass
from echomq_admin.fleet.sight import ServerSnapshot

pytestmark = pytest.mark.django_db

SIZES = {"pending", "lanes_pending", "lanes", "active", "lapsed", "scheduled", "dead"}
MORE = {"completed", "failed", "off_ring", "repeats"}
EMPTY = dict.fromkeys(SIZES | MORE, 0) | {"paused": False}


def queue(name, **sizes):
    return QueueCounts(name, **(EMPTY | sizes))


def look(*queues, **more):
    return ServerSnapshot("prod", 1, tuple(queues), **more)


def told(*queues, hidden=(), **more):
    found = worst(needs(look(*queues, **more), hidden))
    return [(need.why, need.counts and need.counts.queue) for need in found]


def test_a_queue_at_rest_needs_nobody():
    assert told(queue("a", pending=9, active=3, scheduled=1, completed=7, failed=2)) == []


def test_what_is_unknown_is_no_reason():
    assert told(queue("a", lapsed=None, dead=None, off_ring=None, paused=None)) == []


def test_the_worst_comes_first_then_the_most():
    assert told(
        queue("p", paused=True),
        queue("d", dead=5),
        queue("o", off_ring=1),
        queue("l2", lapsed=2),
        queue("l9", lapsed=9),
    ) == [
        (Why.LAPSED, "l9"), (Why.LAPSED, "l2"), (Why.OFF_RING, "o"), (Why.DEAD, "d"),
        (Why.PAUSED, "p"),
    ]  # fmt: skip


def test_a_queue_has_several_reasons_and_one_worst():
    everything = queue("a", lapsed=1, dead=2, off_ring=3, paused=True, pending=4)
    assert [(need.why, need.size) for need in needs(look(everything))] == [
        (Why.LAPSED, 1), (Why.OFF_RING, 3), (Why.DEAD, 2), (Why.PAUSED, 4),
    ]  # fmt: skip
    assert told(everything) == [(Why.LAPSED, "a")]


def test_a_lease_that_lapsed_only_now_needs_nobody_yet():
    assert told(queue("a", lapsed=1, lapsed_ms=8_000.0, now_ms=10_000)) == []
    assert told(queue("a", lapsed=1, lapsed_ms=7_000.0, now_ms=10_000)) == [(Why.LAPSED, "a")]
    for odd in (float("-inf"), float("nan"), None):
        assert told(queue("a", lapsed=1, lapsed_ms=odd, now_ms=10_000)) == [(Why.LAPSED, "a")]


def test_of_hidden_queues_only_lapsed_leases_are_told():
    assert told(queue("a", dead=2, paused=True), hidden={"a"}) == []
    assert told(queue("a", lapsed=1, dead=2), hidden={"a"}) == [(Why.LAPSED, "a")]


def test_a_server_out_of_reach_comes_before_all_and_its_queues_stay():
    assert told(queue("a", lapsed=1), error="gone") == [(Why.AWAY, None), (Why.LAPSED, "a")]


def test_a_server_without_queues_needs_a_pass_of_discovery_once():
    assert told() == [(Why.UNDISCOVERED, None)]
    assert told(unread=3) == []
    Pass.objects.create(
        server="prod", finished_at="2026-01-01T00:00Z", took_ms=1, keys=0, queues=0, lanes=0
    )
    assert told() == []
