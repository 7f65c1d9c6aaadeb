"""One agent leads a server, and another takes over when it is gone, whatever the clocks say."""

from __future__ import annotations

import os
import signal
import subprocess
import threading

import pytest
from django.db import connection

from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.observing import lead, models
from echomq_admin.ledger.observing.lead import Lead, Lost
from tests.ledger.observing.leading import begun
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


class Clock:
    """A monotonic clock that a test moves."""

    def __init__(self):
        self.now_s = 1_000.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def first(clock):
    lead = Lead("prod", patience_s=6, clock_s=clock)
    assert lead.hold()
    return lead


@pytest.fixture
def second(first, clock):
    return Lead("prod", patience_s=6, clock_s=clock)


def test_the_first_to_look_leads_and_the_second_watches(first, second):
    assert not second.hold()
    assert first.hold()
    assert second.term is None


def test_each_server_has_a_lead_of_its_own(first):
    assert Lead("dev").hold()
    assert first.hold()


def test_a_lead_that_is_given_up_is_taken_at_once(first, second):
    first.give_up()
    assert second.hold()
    assert not first.hold()


def test_a_watcher_gives_up_nothing(first, second):
    second.hold()
    second.give_up()
    assert first.hold()


def test_a_holder_that_shows_signs_of_life_keeps_the_lead_however_long(first, second, clock):
    for _ in range(20):
        clock.now_s += 5
        assert not second.hold()
        assert first.hold()


def test_a_write_is_a_sign_of_life(first, second, clock):
    second.hold()
    clock.now_s += 5
    with first.term.held():
        pass
    clock.now_s += 5
    assert not second.hold()


def test_a_silent_holder_is_followed_by_who_watched_it_for_long_enough(first, second, clock):
    clock.now_s += 100
    assert not second.hold()
    clock.now_s += 5.9
    assert not second.hold()
    clock.now_s += 0.2
    assert second.hold()


def test_a_holder_that_slept_finds_its_write_undone_and_watches(first, second, clock):
    second.hold()
    clock.now_s += 7
    assert second.hold()
    with pytest.raises(Lost), first.term.held():
        Place.objects.create(server="prod", queue=b"orders")
    assert not Place.objects.exists()
    assert not first.hold()
    assert second.hold()


def test_a_term_does_not_go_on_in_the_next_of_the_same_holder(first, second):
    before = first.term
    first.give_up()
    second.hold()
    second.give_up()
    assert first.hold()
    assert not before.is_held
    with pytest.raises(Lost), before.held():
        pass
    with first.term.held():
        Place.objects.create(server="prod", queue=b"orders")
    assert Place.objects.exists()


def test_who_watches_or_gave_up_has_no_term(first, second):
    second.hold()
    assert second.term is None
    first.give_up()
    assert first.term is None


def test_a_failed_write_is_undone_and_the_lead_stays(first):
    def write():
        with first.term.held():
            Place.objects.create(server="prod", queue=b"orders")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert not Place.objects.exists()
    assert first.hold()


def test_of_many_who_take_at_once_one_leads():
    leads = [Lead("prod") for _ in range(8)]
    start = threading.Barrier(len(leads))

    def take(lead):
        start.wait()
        lead.hold()
        connection.close()

    threads = [threading.Thread(target=take, args=(lead,)) for lead in leads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [lead.term is None for lead in leads].count(False) == 1
    assert models.Lead.objects.get().number == 1


def test_a_killed_holder_is_followed_and_never_waited_for():
    with begun("prod", patience_s=60) as other:
        assert other.stdout.readline() == "leads\n"
        mine = Lead("prod", patience_s=1)
        assert not mine.hold()
        other.kill()
        other.wait()
        wait_for(mine.hold)
    assert models.Lead.objects.get().number == 2


def test_a_holder_of_this_host_that_was_killed_is_followed_at_once():
    with begun("prod", patience_s=60) as other:
        assert other.stdout.readline() == "leads\n"
        mine = Lead("prod", patience_s=60)
        assert not mine.hold()
        other.kill()
        other.wait()
        wait_for(mine.hold)


@pytest.mark.parametrize(
    "holder",
    ["another", "host::{dead}:ab", "host:cafe:{dead}:ab", "host:{here}:{mine}:ab",
     "host:{here}:x:ab", "host:{here}:²:ab", "host:{here}:99999999999999999999:ab", "{dead}"],
)  # fmt: skip
def test_nobody_else_is_taken_for_gone(holder, clock):
    gone = subprocess.Popen(["true"])
    gone.wait()
    name = holder.format(dead=gone.pid, here=lead._here(), mine=os.getpid())
    models.Lead.objects.create(server="prod", holder=name)
    assert not Lead("prod", patience_s=6, clock_s=clock).hold()


def test_a_stopped_process_loses_the_lead_and_learns_it_at_its_next_write():
    with begun("prod", patience_s=60) as other:
        assert other.stdout.readline() == "leads\n"
        mine = Lead("prod", patience_s=1)
        other.send_signal(signal.SIGUSR1)
        os.waitpid(other.pid, os.WUNTRACED)
        wait_for(mine.hold)
        other.send_signal(signal.SIGCONT)
        assert other.stdout.readline() == "lost\n"
        assert other.stdout.readline() == "watches\n"
    assert mine.hold()
