"""The samples of an hour survive packing, whatever they are; what is damaged is none."""

from __future__ import annotations

import zlib

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echomq_admin.ledger.samples.packing import (
    SLOTS_PER_HOUR,
    Packing,
    Sample,
    columns,
    hour_of,
    unpack,
)
from tests.ledger.samples.made import pack

HOUR = 498_876
FIRST = HOUR * SLOTS_PER_HOUR
counted = st.none() | st.integers(0, 2**53 - 1) | st.integers(-(2**53), 5)
hours = st.lists(
    st.builds(Sample, st.integers(FIRST, FIRST + SLOTS_PER_HOUR - 1), *[counted] * 7),
    max_size=SLOTS_PER_HOUR,
    unique_by=lambda sample: sample.slot,
).map(lambda found: sorted(found, key=lambda sample: sample.slot))
_on_a_busy_machine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def steady(count=SLOTS_PER_HOUR, **fields):
    usual = {"pending": 3, "active": 2, "scheduled": 0, "dead": 41, "lapsed": 0, "failed": 41}
    return [Sample(FIRST + at, completed=at * 7, **usual | fields) for at in range(count)]


@_on_a_busy_machine
@given(hours)
def test_what_is_packed_comes_back(samples):
    assert unpack(HOUR, pack(samples)) == samples


@_on_a_busy_machine
@given(hours)
def test_columns_are_the_same_by_field(samples):
    found = columns(HOUR, pack(samples))
    assert found["slot"] == [sample.slot for sample in samples]
    assert found["dead"] == [sample.dead for sample in samples]


def test_an_hour_under_way_packs_as_one_that_is_over():
    packing = Packing(steady(100))
    for sample in steady()[100:]:
        packing.add(sample)
    assert packing.packed() == pack(steady())
    assert packing.last_slot == FIRST + SLOTS_PER_HOUR - 1


def test_a_steady_queue_takes_next_to_nothing():
    assert len(pack(steady())) < 100


def test_the_largest_numbers_fit():
    wild = [Sample(FIRST + at, *[(2**53 - 1) * (-1) ** at] * 7) for at in range(SLOTS_PER_HOUR)]
    assert unpack(HOUR, pack(wild)) == wild


def test_of_another_hour_there_are_none():
    assert unpack(HOUR + 1, pack(steady())) == []


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"no zlib",
        pack(steady())[:-1],
        pack(steady())[:20],
        pack([])[:3],
    ],
)
def test_what_is_damaged_is_none(damaged):
    assert unpack(HOUR, damaged) == []


@pytest.mark.parametrize(
    "steps",
    [
        {"slot": 1},
        [FIRST, 1, 2],
        ["a"] * 8,
        [None] * 8,
        [FIRST, *[1] * 7, 0, *[1] * 7],
        [FIRST, *[1] * 7, -1, *[1] * 7],
        [FIRST, *[1] * 7, SLOTS_PER_HOUR, *[1] * 7],
        [[FIRST]] * 8,
    ],
)
def test_what_is_no_samples_is_none(steps):
    assert unpack(HOUR, zlib.compress(msgpack.packb(steps))) == []


def test_a_bomb_is_not_opened():
    assert unpack(HOUR, zlib.compress(b"\xdd" + bytes(10_000_000))) == []


def test_a_slot_lies_in_its_hour():
    assert (hour_of(FIRST - 1), hour_of(FIRST), hour_of(FIRST + 359)) == (HOUR - 1, HOUR, HOUR)
