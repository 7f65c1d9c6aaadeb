"""A holder that is stopped amid a write keeps its row locked, and yet nobody waits for it."""

from __future__ import annotations

from threading import Event

import pytest
from django.db import DatabaseError

from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.observing import lead as leads
from echomq_admin.ledger.observing.lead import Lead
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stopped(beside):
    """The lead of an agent that is stopped in the middle of a write, what comes of that, and the
    end of its stop."""
    lead, amid, wakes = Lead("prod"), Event(), Event()
    assert lead.hold()

    def write():
        with lead.term.held():
            amid.set()
            wakes.wait(60)
            Place.objects.create(server="prod", queue=b"orders")

    write = beside(write)
    assert amid.wait(30)
    yield write, wakes
    wakes.set()


def test_who_watches_a_writer_neither_waits_nor_takes_its_lead(monkeypatch, request):
    monkeypatch.setattr(leads, "_STILL_MS", 60_000)
    write, wakes = request.getfixturevalue("stopped")
    other = Lead("prod", patience_s=0)
    assert not other.hold()
    wakes.set()
    write.result(30)
    assert Place.objects.exists()


def test_a_write_that_stands_still_is_ended_and_undone(monkeypatch, request):
    monkeypatch.setattr(leads, "_STILL_MS", 1_000)
    write, wakes = request.getfixturevalue("stopped")
    wait_for(Lead("prod", patience_s=0).hold)
    wakes.set()
    with pytest.raises(DatabaseError):
        write.result(30)
    assert not Place.objects.exists()
