"""Jobs found dead are entered once, with what tells how they died, and none is invented."""

from __future__ import annotations

import msgpack
import pytest

from echomq_admin.fleet.discovery import discover
from echomq_admin.ledger import copying
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.book import Finding, enter
from echomq_admin.ledger.endings.models import Ending, EndingKind, Source
from echomq_admin.ledger.endings.sieve import Filter
from echomq_admin.ledger.endings.unseen import watching
from echomq_admin.ledger.models import Gap, Kind, TrailEntry
from echomq_admin.ledger.notes import note
from echomq_admin.ledger.observing import turns
from echomq_admin.ledger.observing.found import Finder
from echomq_admin.ledger.observing.lead import Lead, Lost
from echomq_admin.ledger.observing.models import Watched
from tests.emq.orders import Orders
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

DAY_MS = 86_400_000


def entered():
    rows = Ending.objects.order_by("job", "life", "attempts").values_list("job", "attempts", "kind")
    return [(bytes(job).decode(), attempts, EndingKind(kind)) for job, attempts, kind in rows]


def test_a_job_found_dead_died_by_its_attempts(orders, finder):
    orders.put("dead", "a", attempts=3, group="vip", last_error="boom", stalled=1)
    assert finder.step() == 1
    row = Ending.objects.get()
    assert (bytes(row.job), row.attempts, row.kind) == (b"a", 3, EndingKind.FAILED)
    assert (row.source, row.stalled, bytes(row.lane.name)) == (Source.FOUND, 1, b"vip")
    assert bytes(row.error.text) == b"boom"


def test_a_job_that_a_sweep_killed_is_told_by_its_error_and_its_count(orders, finder):
    orders.put("dead", "swept", last_error="stalled", stalled=1)
    orders.put("dead", "failed", last_error="stalled")
    finder.step()
    assert entered() == [("failed", 1, EndingKind.FAILED), ("swept", 1, EndingKind.DEAD)]


def test_what_is_entered_is_not_entered_again(orders, finder):
    orders.put("dead", "a", "b", attempts=3)
    assert finder.step() == 2
    assert finder.step() == 0


def test_a_job_that_died_again_with_more_attempts_is_entered_again(orders, finder):
    orders.put("dead", "a", attempts=3)
    finder.step()
    orders.put("dead", "a", attempts=4, last_error="again")
    finder.step()
    assert [attempts for _, attempts, _ in entered()] == [3, 4]


def test_what_the_observer_saw_is_left_as_it_is(orders, finder, lead):
    orders.put("dead", "a", attempts=3)
    with lead.term.held():
        enter(
            names.place("prod", "orders"),
            [Finding("a", 3, EndingKind.DEAD, Source.OBSERVER, 1_000)],
        )
    assert finder.step() == 0
    assert entered() == [("a", 3, EndingKind.DEAD)]


@pytest.mark.parametrize(
    "fields", [{"attempts": 0}, {"attempts": "x"}, {"attempts": -1}, {"state": "pending"}]
)
def test_a_row_that_tells_no_death_is_passed_over(orders, finder, fields):
    orders.put("dead", "a", **fields)
    orders.put("dead", "b")
    assert finder.step() == 1


def test_orphans_and_rows_that_are_none_are_passed_over(orders, finder):
    orders.only_id("dead", "orphan", "text")
    orders.client.set(orders.row_key("text"), "x")
    assert finder.step() == 0


def test_a_job_that_a_person_buried_did_not_die(orders, finder, client):
    orders.put("pending", "a", "b", attempts=2)
    orders.emq.bury("orders", ["a"], "poison", actor="olena", op_id="x")
    orders.put("dead", "b", attempts=2)
    orders.client.zrem(orders.key("pending"), "b")
    finder.step()
    assert entered() == [("b", 2, EndingKind.FAILED)]
    assert TrailEntry.objects.filter(op="bury").exists()


def test_a_buried_job_that_was_claimed_again_and_died_is_entered(orders, finder):
    orders.put("pending", "a", attempts=2)
    orders.emq.bury("orders", ["a"], "poison", actor="olena", op_id="x")
    orders.put("dead", "a", attempts=3, last_error="boom")
    finder.step()
    assert entered() == [("a", 3, EndingKind.FAILED)]


def test_where_entries_of_the_audit_are_lost_a_death_is_not_certain(orders, finder):
    Gap.objects.create(
        server="prod", queue=b"orders", after_id="0-0", missing=1, found_at_ms=1, sentence="gone"
    )
    orders.put("dead", "a", last_error="boom")
    orders.put("dead", "b", last_error="stalled", stalled=1)
    finder.step()
    assert entered() == [("a", 1, EndingKind.UNCERTAIN), ("b", 1, EndingKind.DEAD)]


def test_where_the_audit_cannot_be_read_a_death_is_not_certain(orders, finder, client):
    client.set("emqadmin:{orders}:audit", "no stream")
    orders.put("dead", "a", last_error="boom")
    finder.step()
    assert entered() == [("a", 1, EndingKind.UNCERTAIN)]


def test_an_audit_that_breaks_the_copier_leaves_the_death_uncertain(orders, finder, monkeypatch):
    def broken(*_):
        raise RuntimeError("what nobody foresaw")

    monkeypatch.setattr(copying, "copy_piece", broken)
    orders.put("dead", "a", last_error="boom")
    finder.step()
    assert entered() == [("a", 1, EndingKind.UNCERTAIN)]


def test_entries_of_a_hostile_stream_invent_nothing_and_hide_nothing(orders, finder, client):
    jobs = msgpack.packb([[b"a", b"buried", 7.5], [b"a", b"buried", "1"], [b"b"], 7])
    client.xadd("emqadmin:{orders}:audit", {"op": "bury", "jobs": jobs, "t": 5, "n": 1})
    orders.put("dead", "a", "b")
    finder.step()
    assert [job for job, _, _ in entered()] == ["a", "b"]


def test_strange_ids_are_entered_by_their_bytes(orders, finder):
    long = "x" * 500
    orders.put("dead", "\udcff", "", long, "å")
    assert finder.step() == 4
    assert finder.step() == 0
    refs = {bytes(job) for job in Ending.objects.values_list("job", flat=True)}
    assert refs == {b"\xff", b"", "å".encode(), names.job_ref(long)}


def test_a_first_look_knows_only_that_it_died_before(orders, finder):
    orders.put("dead", "a")
    finder.step()
    row = Ending.objects.get()
    assert row.within_ms == row.ended_ms


def test_between_two_passes_a_death_lies_between_them(orders, finder):
    orders.put("dead", "a")
    finder.step()
    orders.put("dead", "b")
    finder.step()
    first, second = Ending.objects.order_by("job")
    assert second.within_ms < second.ended_ms
    assert second.ended_ms - second.within_ms <= first.ended_ms <= second.ended_ms


def test_a_job_that_a_person_put_back_among_the_dead_died_at_some_time_before(orders, finder):
    orders.put("dead", "a")
    orders.emq.requeue("orders", ["a"], actor="olena", op_id="x")
    finder.step()
    orders.emq.return_to_dead("orders", {"a": (1, b"boom", 0)}, actor="olena", op_id="y")
    finder.step()
    row = Ending.objects.get()
    assert (row.attempts, row.within_ms) == (1, row.ended_ms)


def test_a_refused_return_leaves_the_time_of_a_death_as_near_as_it_is(orders, finder):
    orders.put("dead", "first")
    finder.step()
    orders.put("dead", "a")
    for op in ("restore", "return_to_dead"):
        note(Kind.REFUSED, op, "olena", "Not now.", "prod", "orders", job_ids=["a"])
    finder.step()
    row = Ending.objects.get(job=b"a")
    assert row.within_ms < row.ended_ms


def test_a_large_set_is_gone_through_in_several_steps_and_by_another_agent(
    orders, finder, lead, prod, watched, monkeypatch
):
    monkeypatch.setattr(turns, "SMALL", 5)
    monkeypatch.setattr(turns, "TAIL", 1)
    jobs = [f"job{at:02}" for at in range(20)]
    orders.put("dead", *jobs)
    small = Finder(prod, lead.term, budget=8)
    assert small.step() == 8
    assert bytes(Watched.objects.get().dead_cursor) == b"job06"
    assert Watched.objects.get().passed_ms is None
    lead.give_up()
    other = Lead("prod")
    other.hold()
    later = Finder(prod, other.term, budget=8)
    assert later.step() == 7
    later.step()
    assert [job for job, _, _ in entered()] == jobs
    wait_for(lambda: later.step() == 0 and Watched.objects.get().passed_ms)


def test_many_queues_take_turns_within_the_budget(client, prod, lead):
    for at in range(6):
        Orders(client, f"q{at}").put("dead", "a", "b")
    discover(prod)
    finder = Finder(prod, lead.term, budget=4)
    assert [finder.step() for _ in range(4)] == [4, 4, 4, 0]


def missing():
    """How many deaths have no entry, as the pages say it."""
    told = watching(Filter(server="prod", queue="orders"))
    return None if told.unknown else told.missing


def test_failures_are_kept_and_what_has_no_entry_is_counted(orders, finder, watched):
    orders.client.hset(orders.key("metrics:failed"), "count", 5)
    orders.put("dead", "a", "b")
    assert missing() is None
    finder.step()
    assert missing() == 3


def test_a_counter_that_was_reset_says_nothing(orders, finder, watched):
    orders.client.hset(orders.key("metrics:failed"), "count", 9)
    orders.put("dead", "a", "b")
    finder.step()
    orders.client.hset(orders.key("metrics:failed"), "count", 1)
    finder.step()
    assert missing() is None


def test_an_empty_set_is_passed_by(orders, finder, watched):
    finder.step()
    assert Watched.objects.get().passed_ms >= watched.since_ms


def test_what_the_observer_keeps_is_not_touched(orders, finder, watched):
    Watched.objects.update(flights=b"known", seen_ms=9)
    orders.client.hset(orders.key("metrics:failed"), "count", 5)
    finder.step()
    row = Watched.objects.get()
    assert (row.failed, bytes(row.flights), row.seen_ms) == (5, b"known", 9)


def test_who_does_not_lead_enters_nothing(orders, finder, lead):
    orders.put("dead", "a")
    lead.give_up()
    with pytest.raises(Lost):
        finder.step()
    assert not Ending.objects.exists()
