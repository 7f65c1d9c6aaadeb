"""The samples as pages read them."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.samples import series
from echomq_admin.ledger.samples.models import SampleHour
from echomq_admin.ledger.samples.packing import SLOT_MS
from echomq_admin.ledger.samples.series import Growth, Ruler, Series
from tests.ledger.samples.made import keep, sample

pytestmark = pytest.mark.django_db

# 2026-11-29 12:00:00 UTC, on the hour.
START = 1_795_953_600_000 // SLOT_MS


def test_the_samples_of_many_queues_come_from_every_hour_in_one_query():
    for queue in ("orders", "mail", "elsewhere"):
        keep([sample(START + n, pending=n) for n in range(-5, 10)], queue=queue)
    keep([sample(START, pending=99)], server="other")
    with CaptureQueriesContext(connection) as queries:
        found = series.read("prod", ["orders", "mail", "empty"], START - 3, START + 2, ["pending"])
    assert len(queries) == 1
    assert found.keys() == {"orders", "mail"}
    assert found["orders"].slots == list(range(START - 3, START + 3))
    assert found["mail"].columns == {"pending": [-3, -2, -1, 0, 1, 2]}


def test_a_name_of_any_bytes_keeps_its_samples():
    keep([sample(START, dead=7)], queue="\udcff/ü")
    found = series.read("prod", ["\udcff/ü"], START, START)
    assert found["\udcff/ü"].columns["dead"] == [7]


def test_a_damaged_hour_is_an_hour_without_samples():
    keep([sample(START + 360, dead=7)])
    place = Place.objects.get()
    SampleHour.objects.create(place=place, hour=START // 360, packed=b"\x00 no samples")
    assert series.read("prod", ["orders"], START, START + 720)["orders"].slots == [START + 360]
    assert series.last_ms("prod", "orders") == (START + 360) * SLOT_MS


def test_the_last_sample_is_told_and_no_sample_too():
    assert series.last_ms("prod", "orders") is None
    keep([sample(START - 360), sample(START + 5)])
    assert series.last_ms("prod", "orders") == (START + 5) * SLOT_MS


def told(**columns: list[int | None]) -> Series:
    """Samples slot after slot; a slot in which all are unknown was not sampled at all."""
    rows = list(zip(*columns.values(), strict=True))
    taken = [at for at, row in enumerate(rows) if any(value is not None for value in row)]
    kept = {name: [column[at] for at in taken] for name, column in columns.items()}
    return Series([START + at for at in taken], kept)


def test_a_span_without_a_sample_is_unknown_and_another_is_the_most_of_it():
    found = told(pending=[1, 5, 2, None, None, None, 4, None, 3])
    ruler = Ruler(START, 3, 3)
    assert ruler.most(found, "pending") == [5, None, 4]
    assert ruler.until == START + 8
    assert ruler.ms(1) == (START + 3) * SLOT_MS


def test_a_number_that_one_sample_could_not_tell_is_no_zero():
    found = told(pending=[None, None], active=[1, 1])
    assert Ruler(START, 1, 2).most(found, "pending") == [None, None]


def test_the_pace_of_a_counter_is_what_it_grew_a_minute():
    found = told(completed=[100, 110, 120, 120, 150, 150, 150])
    assert Ruler(START, 3, 2).pace(found, "completed") == [60.0, 60.0]


@pytest.mark.parametrize(
    ("counted", "pace"),
    [
        ([100, 110, 3, 13], [60.0]),
        ([100, None, None, None, None, 900], [None]),
        ([100, None, None, 130], [60.0]),
        ([100], [None]),
        ([], [None]),
    ],
    ids=["set back", "far apart", "near enough", "one alone", "none"],
)
def test_what_a_counter_did_unseen_is_not_made_up(counted, pace):
    assert Ruler(START, 6, 1).pace(told(completed=counted), "completed") == pace


@pytest.mark.parametrize(("hours", "count"), [(1, 360), (1, 60), (6, 360), (24, 48), (48, 360)])
def test_a_ruler_ends_with_the_present_slot_whatever_its_step(hours, count):
    now = START + 1234
    ruler = Ruler.upto(now * SLOT_MS + 9_999, hours, count)
    assert ruler.size * ruler.count == hours * 360
    assert ruler.until - ruler.size < now <= ruler.until


def at(slots: int) -> int:
    return (START + slots) * SLOT_MS


@pytest.mark.parametrize(
    ("dead", "grown"),
    [
        ([4] * 50 + [16] * 11, Growth(12, 600_000)),
        ([4] * 10 + [16] * 51, None),
        ([4] * 61, None),
        ([16] * 50 + [4] * 11, None),
        ([4] * 50 + [5] * 11, None),
        ([1_000] * 50 + [1_012] * 11, None),
        ([1_000] * 10 + [1_001] * 20 + [1_002] * 20 + [1_003] * 11, Growth(3, 600_000)),
        ([9] * 10 + [3] * 20 + [8] * 20 + [16] * 11, Growth(7, 600_000)),
        ([None] * 49 + [4] * 6 + [9] * 6, None),
        ([None] * 49 + [4] * 9 + [9] * 3, Growth(5, 110_000)),
        ([None] * 57 + [4, 5, 6, 17], None),
        ([1, None, None, 9] + [None] * 57, None),
        ([None] * 61, None),
        ([4] * 54 + [9] + [None] * 6, None),
    ],
    ids=[
        *("grew", "grew and stopped", "stayed", "shrank", "by one", "by little of much"),
        *("by little and steadily", "after it shrank", "stopped", "since not long", "too short"),
        *("too few", "none", "not known of late"),
    ],
)
def test_growth_is_told_of_ten_minutes_as_far_as_they_are_known(dead, grown):
    assert series.growth(told(dead=dead), "dead", at(60)) == grown


def test_what_grew_earlier_is_no_growth_of_now():
    assert series.growth(told(dead=[4, 16] + [16] * 60), "dead", at(200)) is None
    assert series.growth(told(dead=[4, 16] + [16] * 60), "dead", at(61)) is None
