"""Gaps, clocks, broken queues, lost leads and databases: no wrong entry, and a span not seen."""

from __future__ import annotations

import contextlib

import pytest
import redis
from django.db import DatabaseError
from redis.client import Pipeline

from echomq_admin.fleet.models import KnownQueue
from echomq_admin.ledger.endings.models import Ending, Place
from echomq_admin.ledger.observing import blind, findings, flights, journal
from echomq_admin.ledger.observing.lead import Lost
from echomq_admin.ledger.observing.models import Blind, Watched
from echomq_admin.ledger.observing.watch import Watch
from tests.ledger.observing.fleet import DEAD, JOB, REAPED, RECOVERED, UNCERTAIN, Q, told

pytestmark = pytest.mark.django_db


def test_a_queue_that_cannot_be_read_stops_no_other_and_is_a_blind_span(fleet):
    fleet.know("broken")
    fleet.beat()
    fleet.client.set(fleet.key("active", "broken"), "x")
    fleet.start()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.beat()
    fleet.observer.close()
    assert told() == [(JOB, 1, REAPED)]
    span = Blind.objects.get()
    assert bytes(span.place.queue) == b"broken"
    assert span.why == "Its leases cannot be read: the key holds another type."


def test_another_observer_goes_on_with_what_the_first_one_saw(fleet):
    fleet.start()
    fleet.lapse()
    fleet.observer.close()
    fleet.emq.sweep(Q, max_stalled=5)
    fleet.restart()
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED)]
    assert not Blind.objects.exists()


def test_after_a_long_absence_only_what_is_provable_is_told(fleet):
    other, third = "JOB0KHTOWnGLuB", "JOB0KHTOWnGLuC"
    for job_id in (JOB, other, third):
        fleet.start(job_id)
    for job_id in (JOB, other, third):
        fleet.lapse(job_id)
    fleet.beat()
    fleet.observer.close()
    Watched.objects.update(seen_ms=fleet.now_ms() - 3_600_000)
    fleet.emq.sweep(Q, limit=1)
    fleet.emq.sweep(Q, max_stalled=5, limit=1)
    fleet.emq.reap(Q)
    fleet.restart()
    fleet.beat()
    assert told() == [(JOB, 1, DEAD), (other, 1, UNCERTAIN), (third, 1, UNCERTAIN)]
    assert Blind.objects.get().why == "No agent observed the leases."


def test_the_clock_of_the_host_does_not_matter(fleet, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 5.0)
    fleet.start()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.beat()
    assert told() == [(JOB, 1, REAPED)]
    assert not Blind.objects.exists()


def test_a_forgotten_queue_is_not_watched_any_more(fleet):
    fleet.observer.close()
    assert Watched.objects.count() == 1
    KnownQueue.objects.all().delete()
    fleet.know("mails")
    fleet.beat()
    fleet.observer.close()
    assert [bytes(row.place.queue) for row in Watched.objects.all()] == [b"mails"]


class _Shifted(Pipeline):
    """Answers TIME as a server would whose clock was set."""

    def execute(self, raise_on_error=True):
        asked = [args[0] for args, _ in self.command_stack]
        replies = super().execute(raise_on_error)
        return [
            (reply[0] + self.by_s, reply[1]) if name == "TIME" else reply
            for name, reply in zip(asked, replies, strict=True)
        ]


def test_a_clock_that_jumps_back_leaves_a_blind_span_and_no_wrong_entry(fleet, monkeypatch):
    def pipeline(transaction=True, shard_hint=None):
        made = _Shifted(client.connection_pool, client.response_callbacks, transaction, shard_hint)
        made.by_s = by_s
        return made

    client, by_s = fleet.server.client, 0
    monkeypatch.setattr(client, "pipeline", pipeline)
    fleet.start()
    fleet.lapse()
    by_s = -3_600
    fleet.emq.reap(Q)
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]
    span = Blind.objects.get()
    assert span.why == "The server's clock was set back by about 3600 s."
    assert 3_590_000 < span.to_ms - span.from_ms < 3_610_000
    assert Ending.objects.get().within_ms > 3_590_000


def test_what_could_not_be_written_is_written_later(fleet, monkeypatch):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q)
    with monkeypatch.context() as broken:
        broken.setattr(journal, "enter", _failing(DatabaseError("locked")))
        with pytest.raises(DatabaseError):
            fleet.beat()
    assert told() == []
    fleet.beat()
    assert told() == [(JOB, 1, DEAD)]


def test_an_ending_is_not_lost_when_the_server_goes_before_the_audit_is_asked(fleet, monkeypatch):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q)
    with monkeypatch.context() as broken:
        broken.setattr(findings, "touches", _failing(redis.ConnectionError("gone")))
        with pytest.raises(redis.ConnectionError):
            fleet.beat()
    fleet.beat()
    assert told() == [(JOB, 1, DEAD)]


def test_what_nobody_foresaw_in_one_queue_stops_no_other(fleet, monkeypatch, caplog):
    fleet.know("odd")
    fleet.beat()
    fleet.start()
    fleet.lapse()
    fleet.emq.reap(Q)
    take = Watch.take

    def failing(watch, active, *rest):
        if not active.deadlines and not watch.leases:
            raise ZeroDivisionError("odd")
        return take(watch, active, *rest)

    monkeypatch.setattr(Watch, "take", failing)
    fleet.beat()
    assert told() == [(JOB, 1, REAPED)]
    assert caplog.messages == ["the leases of prod/'odd' are watched anew"]
    assert Blind.objects.get().why == "What was known of the leases could not be gone on with."


def test_endings_that_nobody_can_judge_stop_no_other_queue(fleet, monkeypatch, caplog):
    fleet.know("odd")
    fleet.beat()
    for queue in (Q, "odd"):
        fleet.start(queue=queue)
        fleet.lapse(queue=queue)
        fleet.emq.reap(queue)
    lanes = []
    finding = findings._finding

    def failing(one, verdict):
        lanes.append(one)
        if len(lanes) == 1:
            raise ZeroDivisionError("odd")
        return finding(one, verdict)

    monkeypatch.setattr(findings, "_finding", failing)
    fleet.beat()
    fleet.observer.close()
    assert told() == [(JOB, 1, REAPED)]
    assert len(caplog.messages) == 1
    assert Blind.objects.get().why == "What was known of the leases could not be gone on with."


def test_endings_that_cannot_be_written_stop_no_other_queue(fleet, monkeypatch, caplog):
    fleet.know("odd")
    fleet.beat()
    for queue in (Q, "odd"):
        fleet.start(queue=queue)
        fleet.lapse(queue=queue)
        fleet.emq.reap(queue)
    enter = journal.enter

    def failing(place, told):
        if bytes(place.queue) == b"odd":
            raise OverflowError("odd")
        return enter(place, told)

    monkeypatch.setattr(journal, "enter", failing)
    fleet.beat()
    assert told() == [(JOB, 1, REAPED)]
    assert caplog.messages == ["endings of prod/'odd' are left out"]
    span = Blind.objects.get()
    assert (bytes(span.place.queue), span.why) == (
        b"odd", "Endings that were seen could not be written down.",
    )  # fmt: skip


def test_rows_that_somebody_took_out_are_made_anew(fleet, monkeypatch):
    monkeypatch.setattr(journal, "SAVE_EVERY_S", 0)
    fleet.start()
    fleet.beat()
    Watched.objects.all().delete()
    for _ in range(3):
        fleet.beat()
    assert len(flights.unpack(Watched.objects.get().flights)[0]) == 1
    Watched.objects.all().delete()
    fleet.lapse()
    fleet.beat()
    fleet.beat()
    assert len(flights.unpack(Watched.objects.get().flights)[0]) == 1


@pytest.mark.django_db(transaction=True)
def test_places_that_somebody_took_out_are_made_anew(fleet, monkeypatch):
    fleet.start()
    fleet.lapse()
    Watched.objects.all().delete()
    Place.objects.all().delete()
    fleet.emq.sweep(Q)
    with contextlib.suppress(DatabaseError):
        fleet.beat()
    fleet.beat()
    assert told() == [(JOB, 1, DEAD)]


def test_a_queue_that_was_forgotten_and_comes_back_was_not_watched_meanwhile(fleet, monkeypatch):
    KnownQueue.objects.all().delete()
    fleet.know("mails")
    fleet.beat()
    moment = fleet.observer._gone[Q]
    fleet.observer._gone[Q] = moment - 60_000
    fleet.know(Q)
    fleet.beat()
    fleet.observer.close()
    span = Blind.objects.get()
    assert (bytes(span.place.queue), span.from_ms) == (b"orders", moment - 60_000)
    assert span.why == "No agent observed the leases."


def test_a_span_without_an_agent_begins_where_the_last_one_looked_or_entered_something(fleet):
    fleet.know("mails")
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q)
    fleet.beat()
    ended = Ending.objects.get()
    ago = 3_600_000
    Ending.objects.update(ended_ms=ended.ended_ms - ago)
    Watched.objects.update(seen_ms=ended.ended_ms - ago - 1_500)
    fleet.restart()
    fleet.beat()
    fleet.observer.close()
    assert set(Blind.objects.values_list("from_ms", flat=True)) == {ended.ended_ms - ago}


def test_an_observer_whose_lead_is_another_s_writes_nothing(fleet, monkeypatch):
    monkeypatch.setattr(journal, "SAVE_EVERY_S", 0)
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q)
    late = fleet.observer
    fleet.restart()
    with pytest.raises(Lost):
        late.beat()
    assert told() == []
    fleet.beat()
    assert told() == [(JOB, 1, DEAD)]
    for _ in range(2):
        with pytest.raises(Lost):
            late.beat()
    with pytest.raises(Lost):
        late.close()
    assert told() == [(JOB, 1, DEAD)]


def test_many_queues_that_were_not_seen_are_one_span_of_the_server(fleet):
    fleet.know(*(f"q{at}" for at in range(5)))
    fleet.beat()
    fleet.observer.close()
    Watched.objects.update(seen_ms=fleet.now_ms() - 60_000)
    fleet.restart()
    fleet.beat()
    span = Blind.objects.get()
    assert (span.place, span.why) == (None, "No agent observed the leases.")


def test_a_span_that_goes_on_is_one_row():
    blind.note("prod", None, 1_000, 2_000, "why")
    blind.note("prod", None, 2_500, 3_000, "why")
    blind.note("prod", None, 2_500, 3_000, "another")
    blind.note("prod", None, 90_000, 91_000, "another")
    blind.note("dev", None, 2_500, 3_000, "why")
    spans = Blind.objects.order_by("pk").values_list("server", "from_ms", "to_ms", "why")
    assert list(spans) == [
        ("prod", 1_000, 3_000, "why"), ("prod", 2_500, 3_000, "another"),
        ("prod", 90_000, 91_000, "another"), ("dev", 2_500, 3_000, "why"),
    ]  # fmt: skip


def _failing(error):
    def fail(*_):
        raise error

    return fail
