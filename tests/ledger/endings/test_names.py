"""Queues, lanes, errors and long ids, each kept once, whatever they are made of."""

from __future__ import annotations

import pytest
from django.db import transaction

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.models import ErrorText, Lane, LongId, Place

pytestmark = pytest.mark.django_db

LONG = "x" * 41


@pytest.fixture(autouse=True)
def _one_transaction():
    with transaction.atomic():
        yield


@pytest.mark.parametrize("job_id", ["JOB0KHTOWnGLuA", "", "x" * 40, "\udcff\x00\udcfe", "é" * 20])
def test_a_short_id_stands_as_its_own_bytes(job_id):
    ref = names.job_ref(job_id)
    assert from_wire(ref) == job_id
    assert names.ids_of([memoryview(ref)]) == {ref: job_id}


@pytest.mark.parametrize("job_id", [LONG, "é" * 21, "\udcff" * 5_000])
def test_a_long_id_stands_as_its_beginning_and_a_digest(job_id):
    ref = names.job_ref(job_id)
    assert len(ref) == 41
    names.keep_ids([job_id, "short"], 5)
    assert names.ids_of([ref]) == {ref: job_id}
    assert LongId.objects.count() == 1


def test_long_ids_that_begin_alike_are_told_apart():
    assert names.job_ref(LONG + "a") != names.job_ref(LONG + "b")


def test_a_long_id_that_is_kept_no_longer_is_known_by_its_beginning():
    ref = names.job_ref(LONG)
    assert names.ids_of([ref, b"a"]) == {ref: "x" * 25 + "…", b"a": "a"}


def test_of_an_id_beyond_all_measure_the_beginning_is_kept():
    job_id = "y" * (names.MOST_ID + 1)
    names.keep_ids([job_id], 5)
    assert names.ids_of([names.job_ref(job_id)]) == {names.job_ref(job_id): "y" * 25 + "…"}


def test_a_place_is_made_once_and_found_again():
    made = names.place("prod", "\udcff\x00")
    assert names.place("prod", "\udcff\x00") == made == names.find_place("prod", "\udcff\x00")
    assert (made.server, bytes(made.queue), made.deaths) == ("prod", b"\xff\x00", 0)


def test_one_name_on_two_servers_is_two_places():
    one, two = names.place("prod", "orders"), names.place("twin", "orders")
    other = names.place("prod", "mail")
    assert names.places() == {each.pk: each for each in (one, two, other)}
    assert names.places("prod") == {each.pk: each for each in (one, other)}


def test_a_queue_of_which_nothing_is_known_has_no_place():
    assert names.find_place("prod", "orders") is None
    assert Place.objects.count() == 0


def test_a_place_that_was_deleted_is_made_anew():
    names.place("prod", "orders").delete()
    assert names.place("prod", "orders") == Place.objects.get()


def test_a_lane_is_kept_once_with_its_beginning():
    long = "\udcff" * 300
    first = names.keep_lanes(["a", long], 5)
    again = names.keep_lanes([long, "b"], 9)
    assert again[long] == first[long]
    kept = {bytes(lane.name): lane.last_ms for lane in Lane.objects.all()}
    assert kept == {b"a": 5, b"\xff" * 200: 9, b"b": 9}


def test_lanes_whose_names_begin_alike_are_two():
    assert len(set(names.keep_lanes(["x" * 200 + "a", "x" * 200 + "b"], 5).values())) == 2


def test_what_ended_before_makes_no_name_older():
    names.keep_lanes(["a"], 9)
    names.keep_lanes(["a"], 5)
    assert Lane.objects.get().last_ms == 9


def test_an_error_is_kept_once_with_its_beginning_and_its_size():
    whole, cut = (b"\x00\xff" * 2_000, 4_000), (b"\x00\xff" * 2_000, 9_000)
    kept = names.keep_errors([whole, cut], 5)
    assert names.keep_errors([cut], 6) == {cut: kept[cut]}
    rows = {error.size: bytes(error.text) for error in ErrorText.objects.all()}
    assert rows == {4_000: b"\x00\xff" * 500, 9_000: b"\x00\xff" * 500}
