"""The renewals of leases on the active tab: what is slow but alive, what is silent."""

from __future__ import annotations

import re

import pytest

from echomq_admin.console import renewed as renewing
from echomq_admin.console.times import clock_time
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.observing import flights
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.models import Watched
from tests.console.scene import A, B, C, tags, text

URL = "/q/prod/orders/active"
FAR = 3_600_000


@pytest.fixture(autouse=True)
def _fresh_for_long(monkeypatch):
    """What was written counts for longer than a page takes on a busy machine."""
    monkeypatch.setattr(renewing, "_FRESH_MS", 60_000)


@pytest.fixture
def cells(scene, browser):
    """What the page says of each renewal: (kind, text, title) by the order of the rows."""

    def read() -> list[tuple[str, str, str]]:
        html = browser("viewer").get(URL).content.decode()
        heads = [a for tag, a in tags(html) if tag == "td" and "data-sign" in a]
        said = re.findall(r'<td class="nowrap renewed".*?</td>', html, re.S)
        return [
            (a["data-sign"], text(cell).strip(), a["title"])
            for a, cell in zip(heads, said, strict=True)
        ]

    return read


def deadline(scene, job_id: str = A) -> float:
    return scene.store.zscore(scene.key("active"), job_id)


def watched(scene, leases: dict[str, Lease], ago_ms: int = 0) -> None:
    """What the agent wrote so long ago."""
    place, _ = Place.objects.get_or_create(server="prod", queue=b"orders")
    packed = flights.pack({to_wire(job_id): lease for job_id, lease in leases.items()})
    now = scene.now_ms()
    Watched.objects.create(place=place, since_ms=1, seen_ms=now - ago_ms, flights=packed)


def clock(ms: int) -> str:
    """A clock time as the page writes it."""
    return text(str(clock_time(ms))).strip()


def lease(scene, ago_s: int, renewals: int = 0, last_s: int | None = None, **fields) -> Lease:
    """A lease first seen so long ago, and renewed so often."""
    now = scene.now_ms()
    usual = {"attempts": 1, "deadline_ms": deadline(scene), "is_whole": True} | fields
    return Lease(
        stalled=0,
        lane=None,
        mark=None,
        first_ms=now - ago_s * 1_000,
        renewals=renewals,
        renewed_ms=None if last_s is None else now - last_s * 1_000,
        **usual,
    )


def test_a_lease_that_is_renewed_as_it_used_to_be_is_told_by_count_and_the_last_time(scene, cells):
    scene.active(A, FAR)
    watched(scene, {A: lease(scene, 300, 14, 3)})
    ((kind, said, why),) = cells()
    assert kind == "renewed"
    assert re.fullmatch(r"14 last ([3-9]|1\d) s ago", said)
    assert "about every 21 s" in why


def test_a_lease_that_was_renewed_and_is_no_more_is_silent(scene, cells):
    scene.active(A, FAR)
    watched(scene, {A: lease(scene, 400, 14, 360)})
    ((kind, said, why),) = cells()
    assert (kind, said) == ("silent", "14 silent for 6 min")
    assert "about every 2 s" in why


def test_a_lease_that_nobody_renewed_says_since_when(scene, cells):
    scene.active(A, FAR)
    seen = lease(scene, 150)
    watched(scene, {A: seen})
    ((kind, said, why),) = cells()
    assert (kind, said) == ("none", f"none since {clock(seen.first_ms)}")
    assert why == "not renewed since the agent first saw this lease"


def test_a_lease_that_was_renewed_since_the_agent_wrote_counts_one_more(scene, cells):
    """When that was nobody knows, not even that an agent is there still."""
    scene.active(A, FAR)
    old = deadline(scene) - 1_000
    watched(scene, {A: lease(scene, 300, 14, 60, deadline_ms=old)}, ago_ms=8_000)
    ((kind, said, _),) = cells()
    assert kind == "renewed"
    assert re.fullmatch(r"15 last within ([89]|1\d) s", said)


@pytest.mark.parametrize(
    ("count", "last_s", "said", "explained"),
    [
        (3, 2, r"at least 3 since {} last \d+ s ago", "at least"),
        (3, 250, r"at least 3 since {} silent for 4 min", "but not for the last 4 min"),
        (0, None, r"none since {}", "none seen; at least"),
    ],
)
def test_what_was_not_watched_from_its_beginning_is_counted_at_least(
    scene, cells, count, last_s, said, explained
):
    scene.active(A, FAR)
    seen = lease(scene, 300, count, last_s, is_whole=False)
    watched(scene, {A: seen})
    ((_, words, why),) = cells()
    assert re.fullmatch(said.format(clock(seen.first_ms)), words)
    assert explained in why


@pytest.mark.parametrize("attempts", [2, None])
def test_another_attempt_is_another_lease(scene, cells, attempts):
    scene.active(A, FAR)
    watched(scene, {A: lease(scene, 300, 14, 3, attempts=attempts)})
    ((kind, said, why),) = cells()
    assert (kind, said) == ("unknown", "?")
    assert "has not seen this lease yet" in why


def test_a_lease_that_the_agent_has_not_seen_is_unknown_beside_one_that_it_has(scene, cells):
    scene.active(A, FAR)
    scene.active(B, FAR + 1_000_000)
    watched(scene, {A: lease(scene, 150), C: lease(scene, 1)})
    assert [kind for kind, _, _ in cells()] == ["none", "unknown"]


def test_without_an_agent_the_page_says_that_nobody_counts(scene, cells):
    scene.active(A, FAR)
    ((kind, _, why),) = cells()
    assert kind == "unknown"
    assert "no agent watches" in why


def test_what_the_agent_wrote_long_ago_counts_no_longer(scene, cells):
    scene.active(A, FAR)
    watched(scene, {A: lease(scene, 300, 14, 3)}, ago_ms=120_000)
    ((kind, _, why),) = cells()
    assert kind == "unknown"
    assert "last looked 2 min" in why


def test_a_damaged_memory_of_the_agent_breaks_no_page(scene, cells):
    scene.active(A, FAR)
    watched(scene, {})
    Watched.objects.update(flights=b"\x00 damaged")
    ((kind, _, _),) = cells()
    assert kind == "unknown"


def test_a_row_whose_attempts_are_no_number_has_no_renewals(scene, cells):
    scene.active(A, FAR, attempts="x")
    watched(scene, {A: lease(scene, 300, 14, 3, attempts=None)})
    ((kind, _, _),) = cells()
    assert kind == "unknown"
