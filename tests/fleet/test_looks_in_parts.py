"""A look that takes long is told part by part, and is no trouble while the server answers."""

from __future__ import annotations

import threading
import time

import pytest

from echomq_admin.emq.reads import counts
from echomq_admin.fleet import lookout, rounds, sight, snapshot
from echomq_admin.fleet.discovery import discover
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db


def test_a_long_look_at_a_server_that_answers_is_no_trouble_and_is_told_part_by_part(
    client, prod, monkeypatch
):
    for queue in "ab":
        client.zadd(f"emq:{{{queue}}}:pending", {"x": 0})
    discover(prod)
    monkeypatch.setattr(type(prod), "patience_s", 0.2)
    monkeypatch.setattr(rounds, "_AT_ONCE", 1)
    over = threading.Event()

    def slow(server, queues, heard):
        read = counts(server, queues, heard)
        while "b" in queues and not over.wait(0.05):
            heard()
        return read

    monkeypatch.setattr(lookout, "counts", slow)
    started = time.monotonic()
    try:
        wait_for(lambda: snapshot.snapshot(prod).queues)
        told = wait_for(lambda: time.monotonic() - started > 1 and snapshot.snapshot(prod))
        assert (told.error, [q.queue for q in told.queues], told.unread) == (None, ["a"], 1)
    finally:
        over.set()
    wait_for(lambda: snapshot.snapshot(prod).unread == 0)


def test_before_the_first_part_is_read_only_a_silent_server_is_out_of_reach(prod):
    seen = sight.Sight(prod)
    assert "has not answered yet" in seen.told(1.0, 0.0, {"a": ()}).error
    told = seen.told(1.0, 0.0, {"a": ()}, is_heard=True)
    assert (told.error, told.queues, told.unread) == (None, (), 1)
