"""Round after round, every stream of a server is copied; none that is broken stops another."""

from __future__ import annotations

import threading

import pytest
import redis
from django.db import OperationalError

from echomq_admin.fleet import memory
from echomq_admin.ledger import copying, copyist, presses
from echomq_admin.ledger.copyist import Copyist
from echomq_admin.ledger.models import Press, TrailEntry
from tests.emq.reading import CountingClient
from tests.ledger.conftest import AUDIT, Q, copied_ids, gaps

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(prod):
    """Makes a round of the one copyist."""
    one = Copyist(prod)

    def rounds(count: int = 1) -> Copyist:
        for _ in range(count):
            one.round(threading.Event())
        return one

    return rounds


def know(*queues):
    memory.learn("prod", {queue: set() for queue in queues})


def copied():
    rows = TrailEntry.objects.order_by("pk").values_list("queue", "op")
    return [(bytes(queue), op) for queue, op in rows]


def test_all_known_queues_are_copied_to_their_end(emq, stream, run):
    know(b"orders", b"m\xffil", b"empty")
    stream.many(35)
    emq.pause("m\udcffil", actor="olena")
    run()
    assert len(copied_ids()) == 36
    assert (b"m\xffil", "pause") in copied()


def test_a_queue_that_is_gone_is_copied_because_of_the_press(client, emq, run):
    presses.press("prod", "gone", "click", "olena", "obliterate", "not needed")
    emq.enqueue("gone", "JOB0KHTOWnGLuA", "{}")
    emq.pause("gone")
    while emq.obliterate("gone", actor="olena", op_id="click"):
        pass
    assert client.keys("emq:*") == []
    run()
    assert copied() == [(b"gone", "obliterate")]
    assert TrailEntry.objects.get().reason == "not needed"


def test_a_queue_that_nobody_knows_is_not_asked_for(emq, run):
    emq.pause("strange", actor="olena")
    run()
    assert copied() == []


def test_streams_that_cannot_be_read_stop_no_other_and_are_said_once(client, emq, run, caplog):
    know(b"a", b"b", b"orders")
    for queue in "ab":
        client.set(f"emqadmin:{{{queue}}}:audit", "x")
    emq.pause(Q, actor="olena")
    run(3)
    assert copied() == [(b"orders", "pause")]
    assert caplog.messages == [
        "the audit of prod/a and 1 more cannot be copied: the key holds another type"
    ]


def test_what_nobody_foresaw_in_one_stream_stops_no_other(emq, run, caplog, monkeypatch):
    know(b"a", b"b")
    for queue in "ab":
        emq.pause(queue, actor="olena")
    copy_piece = copying.copy_piece

    def failing(server, queue, count):
        if queue == "a":
            raise ZeroDivisionError("odd")
        return copy_piece(server, queue, count)

    monkeypatch.setattr(copying, "copy_piece", failing)
    run(2)
    assert copied() == [(b"b", "pause")]
    assert len(caplog.messages) == 2
    monkeypatch.undo()
    run()
    assert copied() == [(b"b", "pause"), (b"a", "pause")]


def test_trouble_with_database_or_server_ends_the_round(stream, run, monkeypatch):
    know(b"orders")
    stream.write()

    def failing(error):
        def fail(*_):
            raise error

        return fail

    for error in (OperationalError("locked"), redis.ConnectionError("gone")):
        monkeypatch.setattr(copying, "copy_piece", failing(error))
        with pytest.raises(type(error)):
            run()
    monkeypatch.undo()
    run()
    assert len(copied_ids()) == 1


def test_a_stream_deleted_without_news_is_found_by_a_whole_round(client, stream, run):
    know(b"orders")
    stream.write()
    run()
    client.delete(AUDIT)
    run(copyist.WHOLE_EVERY)
    assert [missing for *_, missing in gaps()] == [None]


def test_a_thousand_streams_at_rest_are_ten_round_trips(client, server_port, prod, monkeypatch):
    know(*(f"q{at}".encode() for at in range(1_000)))
    one = Copyist(prod)
    one.round(threading.Event())
    with CountingClient(port=server_port) as counting:
        monkeypatch.setattr(prod, "client", counting)
        one.round(threading.Event())
        assert counting.trips == 10


def test_a_round_ends_when_it_is_told_to(stream, prod):
    know(b"orders")
    stream.write()
    stop = threading.Event()
    stop.set()
    Copyist(prod).round(stop)
    assert copied_ids() == []


def test_old_presses_are_forgotten_where_all_is_copied(client, emq, run):
    for queue in ("read", "unread"):
        presses.press("prod", queue, "old", "olena", "pause", "why")
    presses.press("elsewhere", "read", "old", "olena", "pause", "why")
    Press.objects.update(at_ms=0)
    presses.press("prod", "read", "new", "olena", "pause", "why")
    client.set("emqadmin:{unread}:audit", "x")
    run().tidy()
    left = [(p.server, bytes(p.queue), p.op_id) for p in Press.objects.order_by("pk")]
    assert left == [
        ("prod", b"unread", "old"), ("elsewhere", b"read", "old"), ("prod", b"read", "new"),
    ]  # fmt: skip


def test_nothing_is_forgotten_before_all_is_copied(prod):
    presses.press("prod", Q, "old", "olena", "pause", "why")
    Press.objects.update(at_ms=0)
    stop = threading.Event()
    stop.set()
    one = Copyist(prod)
    one.round(stop)
    one.tidy()
    assert Press.objects.count() == 1
