"""The ledger keeps each kind of ending for its days, by the server's clock."""

from __future__ import annotations

from threading import Event

import pytest

from echomq_admin.fleet import servers
from echomq_admin.fleet.own_database import is_postgresql
from echomq_admin.ledger.endings import keeping
from echomq_admin.ledger.endings.models import (
    SLOT_MS,
    Ending,
    EndingKind,
    ErrorText,
    Lane,
    LongId,
    Place,
    Tally,
)
from echomq_admin.ledger.endings.terms import USUAL, terms
from echomq_admin.ledger.notes import host_ms
from echomq_admin.ledger.observing.models import Blind, Watched
from tests.ledger.endings.made import ending
from tests.plans import plan

DAY = keeping.DAY_MS
KINDS = list(EndingKind)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _prod(settings, monkeypatch):
    """Of two servers, prod and dev, one is looked at; each kind is kept for ten days, and nobody
    has to wait for a breath."""
    settings.EMQ_SERVERS = "prod=redis://127.0.0.1:1"
    settings.EMQ_LEDGER_DAYS = dict.fromkeys(USUAL, 10.0)
    monkeypatch.setattr(keeping, "BREATH_S", 0)
    yield
    servers.forget()


@pytest.fixture
def now_ms() -> int:
    """The clock of prod, an hour ahead of this host's."""
    return host_ms() + 3_600_000


def watched(now_ms: int, server: str = "prod", queue: bytes = b"orders") -> Watched:
    place, _ = Place.objects.get_or_create(server=server, queue=queue)
    return Watched.objects.create(place=place, since_ms=0, seen_ms=now_ms)


def prune() -> int:
    return keeping.prune(Event())


def jobs() -> set[bytes]:
    return {bytes(job) for job in Ending.objects.values_list("job", flat=True)}


def test_each_kind_is_kept_for_its_own_days_to_the_millisecond(settings, now_ms):
    settings.EMQ_LEDGER_DAYS = {
        "stalled": 10, "reaped": 0.5, "failed": 20, "operator": 30, "uncertain": 1,
    }  # fmt: skip
    days = {1: 10, 2: 10, 3: 0.5, 4: 20, 5: 30, 6: 1}
    watched(now_ms)
    for kind in KINDS:
        cut = now_ms - int(days[kind] * DAY)
        ending(f"kept-{kind}", kind, cut)
        ending(f"old-{kind}", kind, cut - 1)
    assert prune() == len(KINDS)
    assert jobs() == {f"kept-{kind}".encode() for kind in KINDS}
    assert prune() == 0


def test_queues_and_the_number_of_their_deaths_stay(now_ms):
    ending("a", EndingKind.DEAD, now_ms - 11 * DAY)
    Place.objects.update(deaths=7)
    watched(now_ms)
    prune()
    assert list(Place.objects.values_list("server", "deaths")) == [("prod", 7)]
    assert jobs() == set()


def test_what_is_counted_of_a_kind_is_kept_as_long_as_the_kind(settings, now_ms):
    settings.EMQ_LEDGER_DAYS = dict.fromkeys(USUAL, 10.0) | {"operator": 20.0}
    watched(now_ms)
    for kind in (EndingKind.DEAD, EndingKind.OPERATOR):
        for days in (9, 19, 21):
            ending(f"{kind}-{days}", kind, now_ms - days * DAY)
    prune()
    assert jobs() == {b"2-9", b"5-9", b"5-19"}
    assert set(Tally.objects.values_list("kind", "slot")) == {
        (kind, (now_ms - days * DAY) // SLOT_MS) for kind, days in ((2, 9), (5, 9), (5, 19))
    }


def test_names_go_once_nothing_that_is_kept_can_name_them(now_ms):
    watched(now_ms)
    ending("young", at_ms=now_ms, lane="young", error=b"young")
    ending("old", at_ms=now_ms - 11 * DAY, lane="old", error=b"old")
    for name, at_ms in ((b"young", now_ms), (b"old", now_ms - 11 * DAY)):
        LongId.objects.create(key=name, job_id=name * 9, last_ms=at_ms)
    prune()
    assert [bytes(one.name) for one in Lane.objects.all()] == [b"young"]
    assert [bytes(one.text) for one in ErrorText.objects.all()] == [b"young"]
    assert [bytes(one.key) for one in LongId.objects.all()] == [b"young"]


def test_names_stay_as_long_as_a_server_whose_clock_is_behind_keeps_what_has_them(now_ms):
    watched(now_ms)
    watched(now_ms - DAY // 2, "dev")
    ending("a", at_ms=now_ms - 10 * DAY - 1, lane="shared")
    prune()
    assert jobs() == set()
    assert Lane.objects.count() == 1


def test_spans_that_were_not_seen_are_kept_for_the_longest_days_of_their_server(now_ms):
    place = watched(now_ms).place
    for at_ms in (now_ms - 9 * DAY, now_ms - 11 * DAY):
        Blind.objects.create(server="prod", from_ms=0, to_ms=at_ms, why="It was off.")
        Blind.objects.create(server="prod", place=place, from_ms=0, to_ms=at_ms, why="So.")
    assert prune() == 2
    assert set(Blind.objects.values_list("to_ms", flat=True)) == {now_ms - 9 * DAY}


def test_each_server_has_its_own_clock(settings, now_ms):
    settings.EMQ_SERVERS += " dev=redis://127.0.0.1:1"
    watched(now_ms)
    watched(now_ms - 5 * DAY, "dev")
    for server in ("prod", "dev"):
        for days in (9, 12, 16):
            ending(f"{server}-{days}", at_ms=now_ms - days * DAY, server=server)
    prune()
    assert jobs() == {b"prod-9", b"dev-9", b"dev-12"}


def test_the_clock_of_a_server_that_was_never_observed_is_that_of_its_newest_ending(now_ms):
    ending("new", at_ms=now_ms - 5 * DAY, queue="other")
    ending("kept", at_ms=now_ms - 14 * DAY)
    ending("old", at_ms=now_ms - 16 * DAY)
    prune()
    assert jobs() == {b"new", b"kept"}


def test_of_a_server_that_is_no_longer_looked_at_time_goes_on_here():
    watched(host_ms() - 50 * DAY, "gone")
    ending("kept", at_ms=host_ms() - 10 * DAY, server="gone")
    ending("old", at_ms=host_ms() - 12 * DAY, server="gone")
    prune()
    assert jobs() == {b"kept"}


def test_a_server_whose_clock_was_far_ahead_once_loses_nothing_that_is_young(now_ms):
    watched(now_ms + 1_000 * DAY)
    ending("young", at_ms=now_ms - 8 * DAY)
    prune()
    assert jobs() == {b"young"}


def test_nothing_is_pruned_while_nothing_is_known():
    assert prune() == 0
    Place.objects.create(server="prod", queue=b"orders")
    assert prune() == 0


def test_it_goes_in_small_steps_and_stops_at_once(monkeypatch, now_ms):
    monkeypatch.setattr(keeping, "AT_ONCE", 2)
    watched(now_ms)
    for at in range(7):
        ending(f"{at}", EndingKind.DEAD, now_ms - 11 * DAY + at // 3)

    class After(Event):
        """Set once so many steps were done."""

        left = 2

        def wait(self, timeout=None):
            self.left -= 1
            return self.left == 0

    assert keeping.prune(After()) == 4
    assert jobs() == {b"4", b"5", b"6"}
    stopped = Event()
    stopped.set()
    assert keeping.prune(stopped) == 0
    prune()
    assert jobs() == set()


def test_what_another_server_keeps_is_passed_once_and_holds_nothing_up(monkeypatch, now_ms):
    monkeypatch.setattr(keeping, "AT_ONCE", 2)
    watched(now_ms)
    for at in range(5):
        ending(f"dev-{at}", at_ms=now_ms - 40 * DAY, server="dev")
    ending("prod", at_ms=now_ms - 39 * DAY)
    monkeypatch.setattr(keeping, "_clocks", lambda: {"prod": now_ms})
    prune()
    assert jobs() == {f"dev-{at}".encode() for at in range(5)}


def test_old_endings_are_found_by_the_index_of_their_kind(now_ms, django_assert_max_num_queries):
    watched(now_ms)
    for kind in KINDS:
        ending(f"{kind}", kind, now_ms - 11 * DAY)
    with django_assert_max_num_queries(80) as asked:
        prune()
    reads = [one["sql"] for one in asked if "ledger_ending" in one["sql"] and "ORDER" in one["sql"]]
    assert reads
    chosen = "endings_by" if is_postgresql() else "endings_by_kind"
    for sql in reads:
        assert chosen in plan(sql).first


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("", {}),
        (" 30 ", dict.fromkeys(USUAL, 30.0)),
        ("stalled=1.5 failed=0", {"stalled": 1.5, "failed": 0.0}),
        ("30 reaped=7", dict.fromkeys(USUAL, 30.0) | {"reaped": 7.0}),
        ("reaped=7 30", dict.fromkeys(USUAL, 30.0) | {"reaped": 7.0}),
    ],
)
def test_what_is_not_named_is_kept_as_usual(text, days):
    assert terms(text) == USUAL | days


@pytest.mark.parametrize(
    "text", ["x", "-1", "=5", "stalled=", "dead=5", "stalled=1=2", "nan", "1e3", "100000", "٣"]
)
def test_what_cannot_be_read_is_told(text):
    with pytest.raises(ValueError, match="is a number of days, such as 400, or one for each of"):
        terms(text)


@pytest.mark.parametrize("text", ["1 2", "reaped=1 reaped=1"])
def test_nothing_is_named_twice(text):
    with pytest.raises(ValueError, match="once, not twice"):
        terms(text)
