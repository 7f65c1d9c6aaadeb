"""Where a job is on record, though it may be long gone from its queue."""

from __future__ import annotations

import pytest

from echomq_admin.ledger import lookup
from echomq_admin.ledger.endings.models import Ending
from echomq_admin.ledger.endings.names import job_ref
from echomq_admin.ledger.lookup import places_of
from echomq_admin.ledger.models import Kind, TrailEntry, TrailJob, job_key
from tests.ledger.endings.made import ending

pytestmark = pytest.mark.django_db


def named(job_id: str, server: str, queue: bytes, kind: Kind = Kind.MOVED) -> None:
    entry = TrailEntry.objects.create(kind=kind, at_ms=1, server=server, queue=queue, n=1)
    TrailJob.objects.create(entry=entry, at_ms=1, job=job_key(job_id))


def test_both_the_endings_and_the_trail_tell_of_it_each_queue_once():
    for attempts in range(3):
        ending("A", queue="b\udcff", attempts=attempts)
    ending("A", server="dev")
    ending("B", queue="other")
    named("A", "prod", b"b\xff")
    named("A", "prod", b"past")
    assert places_of("A") == [("dev", "orders"), ("prod", "b\udcff"), ("prod", "past")]


def test_no_queue_hides_behind_the_many_endings_of_another(monkeypatch):
    monkeypatch.setattr(lookup, "LOOKED", 3)
    for attempts in range(5):
        ending("A", queue="busy", attempts=attempts)
    ending("A", queue="calm")
    assert places_of("A") == [("prod", "busy"), ("prod", "calm")]


@pytest.mark.parametrize("job_id", ["x" * 300, "\udcff" * 60])
def test_a_long_id_is_found_whole(job_id):
    Ending.objects.filter(pk=ending("A").pk).update(job=job_ref(job_id))
    assert places_of(job_id) == [("prod", "orders")]
    assert places_of(job_id[:-1]) == []


def test_of_an_id_that_nobody_names_nothing_is_found():
    assert places_of("A") == []
