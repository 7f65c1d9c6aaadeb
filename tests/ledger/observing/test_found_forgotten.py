"""What the ledger has forgotten for its age is not told as new while the job is still dead."""

from __future__ import annotations

import pytest

from echomq_admin.emq.ids import mint
from echomq_admin.emq.reads import server_now_ms
from echomq_admin.ledger.endings.models import Ending, Tally
from echomq_admin.ledger.observing.found import Finder
from echomq_admin.ledger.observing.models import Watched

pytestmark = pytest.mark.django_db(transaction=True)

DAY_MS = 86_400_000


def prune():
    Ending.objects.all().delete()
    Tally.objects.all().delete()


def test_a_death_that_the_ledger_has_forgotten_is_no_new_one(orders, finder):
    orders.put("dead", "a")
    finder.step()
    prune()
    assert finder.step() == 0


def test_nor_is_it_for_the_next_who_leads_where_it_may_have_been_forgotten(
    orders, prod, lead, watched, settings
):
    now = server_now_ms(orders.client)
    settings.EMQ_LEDGER_DAYS = settings.EMQ_LEDGER_DAYS | {"failed": 7}
    Watched.objects.update(since_ms=now - 8 * DAY_MS)
    young, old = mint("JOB", now - 6 * DAY_MS), mint("JOB", now - 8 * DAY_MS)
    orders.put("dead", young, old, "no-mint")
    finder = Finder(prod, lead.term)
    assert finder.step() == 1
    orders.put("dead", old, attempts=2)
    assert finder.step() == 1
    entered = Ending.objects.order_by("job").values_list("job", "attempts")
    assert [(bytes(job).decode(), attempts) for job, attempts in entered] == [(old, 2), (young, 1)]


def test_nor_where_the_queue_is_watched_anew(orders, prod, lead, watched):
    old = mint("JOB", server_now_ms(orders.client) - 100 * DAY_MS)
    orders.put("dead", old)
    assert Finder(prod, lead.term).step() == 1
    prune()
    assert Finder(prod, lead.term).step() == 0


def test_a_queue_that_is_not_watched_for_so_long_has_forgotten_nothing(
    orders, finder, watched, settings
):
    now = server_now_ms(orders.client)
    settings.EMQ_LEDGER_DAYS = settings.EMQ_LEDGER_DAYS | {"failed": 7}
    Watched.objects.update(since_ms=now - 6 * DAY_MS)
    orders.put("dead", mint("JOB", now - 30 * DAY_MS), "no-mint")
    assert finder.step() == 2
