"""Of several agents one observes a server, takes its samples and looks through its dead jobs; when
it stops, another goes on."""

from __future__ import annotations

import logging

import pytest
from django.db import DatabaseError, IntegrityError

from echomq_admin.agent import Agent
from echomq_admin.agent import ledger as leading
from echomq_admin.fleet import servers
from echomq_admin.fleet.discovery import discover
from echomq_admin.ledger.endings.models import Ending, EndingKind, Place, Source, Tally
from echomq_admin.ledger.observing import found, journal, lead, turns
from echomq_admin.ledger.observing.models import Lead, Watched
from echomq_admin.ledger.observing.observer import Observer
from echomq_admin.ledger.samples.models import SampleHour
from echomq_admin.ledger.samples.packing import unpack
from tests.emq.orders import Orders
from tests.ledger.conftest import Q
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def started(monkeypatch):
    monkeypatch.setattr(turns, "EVERY_S", 0.1)
    agents = []

    def start():
        agents.append(Agent(servers.servers(), every_s=0.1, copy_every_s=0.1))
        agents[-1].start()
        return agents[-1]

    yield start
    for agent in agents:
        agent.stop()


@pytest.fixture
def orders(client, prod):
    orders = Orders(client)
    orders.put("pending", "JOBfirst")
    discover(prod)
    return orders


def holder():
    return Lead.objects.filter(server="prod").values_list("holder", flat=True).first()


def test_a_lease_that_lapses_and_is_swept_by_others_is_entered(orders, emq, started):
    started()
    wait_for(Watched.objects.exists)
    emq.claim(Q, 3_000)
    wait_for(lambda: len(bytes(Watched.objects.get().flights)) > 0)
    wait_for(lambda: emq.sweep(Q, max_stalled=9).recovered)
    row = wait_for(Ending.objects.first)
    assert (bytes(row.job), row.attempts, row.stalled) == (b"JOBfirst", 2, 1)
    assert (row.kind, row.source) == (EndingKind.RECOVERED, Source.OBSERVER)
    assert Ending.objects.count() == 1


def test_what_one_agent_saw_begin_another_sees_end(orders, emq, started):
    first = started()
    wait_for(Watched.objects.exists)
    emq.claim(Q, 600_000)
    wait_for(lambda: len(bytes(Watched.objects.get().flights)) > 0)
    started()
    before = holder()
    first.stop()
    wait_for(lambda: holder() not in {before, ""})
    orders.lapse("JOBfirst")
    emq.sweep(Q, max_stalled=1)
    row = wait_for(Ending.objects.first)
    assert row.kind == EndingKind.DEAD


def test_a_stop_saves_what_was_seen_and_gives_the_lead_up(orders, emq, started, monkeypatch):
    # But for the stop, nothing would be saved for long.
    monkeypatch.setattr(journal, "SAVE_EVERY_S", 600)
    # However long that takes on a busy machine.
    monkeypatch.setattr(leading, "_SAVE_S", 45)
    beat, beats = Observer.beat, []

    def counted(observer):
        beats.append(observer)
        return beat(observer)

    monkeypatch.setattr(Observer, "beat", counted)
    agent = started()
    wait_for(Watched.objects.exists)
    emq.claim(Q, 600_000)
    beats.clear()
    wait_for(lambda: len(beats) >= 3)
    agent.stop()
    wait_for(lambda: holder() == "")
    assert len(bytes(Watched.objects.get().flights)) > 0


def test_two_agents_take_one_sample_of_a_slot_and_enter_a_death_once(orders, started, monkeypatch):
    # However long a busy machine keeps an agent from showing a sign of life.
    monkeypatch.setattr(lead.Lead, "_is_silent", lambda *_: False)
    orders.put("dead", "JOBdead", attempts=3, last_error="boom")
    started()
    started()
    row = wait_for(Ending.objects.first)
    assert (bytes(row.job), row.kind, row.source) == (b"JOBdead", EndingKind.FAILED, Source.FOUND)
    hour = wait_for(SampleHour.objects.first)
    (sample,) = unpack(hour.hour, hour.packed)[:1]
    assert (sample.pending, sample.dead) == (1, 1)
    assert Lead.objects.get(server="prod").number == 1
    assert Ending.objects.count() == 1


def test_a_database_that_takes_no_deaths_is_said_once_and_written_to_later(
    orders, started, caplog, monkeypatch
):
    caplog.set_level(logging.INFO, "echomq_admin.agent")
    enter, tries = found.enter, []

    def failing(*found):
        tries.append(found)
        if len(tries) < 3:
            raise DatabaseError("the disk is full")
        return enter(*found)

    monkeypatch.setattr(found, "enter", failing)
    orders.put("dead", "JOBdead")
    started()
    wait_for(Ending.objects.exists)
    wait_for(lambda: len(caplog.messages) == 2)
    assert caplog.messages == [
        "jobs found dead on prod cannot be entered: the disk is full",
        "jobs found dead on prod are entered again",
    ]


@pytest.mark.parametrize("trouble", [RuntimeError, IntegrityError])
def test_an_observer_that_broke_is_made_anew(orders, started, caplog, monkeypatch, trouble):
    caplog.set_level(logging.INFO, "echomq_admin.agent")
    beat, broken = Observer.beat, set()

    def failing(observer):
        if not broken or observer in broken:
            broken.add(observer)
            raise trouble("what nobody foresaw")
        return beat(observer)

    monkeypatch.setattr(Observer, "beat", failing)
    started()
    wait_for(Watched.objects.exists)
    wait_for(lambda: "the leases of prod are observed again" in caplog.messages)
    assert [said for said in caplog.messages if "what nobody foresaw" in said] == [
        caplog.messages[0]
    ]


def test_a_queue_whose_rows_were_deleted_by_hand_is_watched_anew(orders, emq, started):
    started()
    wait_for(lambda: Watched.objects.exists() and SampleHour.objects.exists())
    for model in (SampleHour, Watched, Tally, Ending, Place):
        model.objects.all().delete()
    orders.put("dead", "JOBdead")
    emq.claim(Q, 600_000)
    wait_for(lambda: Watched.objects.filter(flights__gt=b"").exists() and Ending.objects.exists())


def test_an_agent_that_lost_the_lead_writes_nothing_more_and_takes_it_again(orders, emq, started):
    started()
    wait_for(Watched.objects.exists)
    number = Lead.objects.get(server="prod").number
    Lead.objects.filter(server="prod").update(holder="another", number=number + 1)
    wait_for(lambda: Lead.objects.get(server="prod").number == number + 2)
    assert holder() != "another"
    emq.claim(Q, 600_000)
    wait_for(lambda: len(bytes(Watched.objects.get().flights)) > 0)
