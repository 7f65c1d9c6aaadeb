"""An entry of the trail that stands is never changed, whoever tries."""

from __future__ import annotations

import pytest

from echomq_admin.ledger.models import Gap, Kind, NeverChanged, TrailEntry, TrailJob
from echomq_admin.ledger.notes import note

pytestmark = pytest.mark.django_db


@pytest.fixture
def entry():
    return note(Kind.REFUSED, "requeue", "olena", "Not now.", job_ids=["JOBa"])


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: TrailEntry.objects.update(actor="nobody"),
        lambda entry: TrailEntry.objects.filter(pk=entry.pk).delete(),
        lambda entry: TrailEntry.objects.bulk_update([entry], ["actor"]),
        lambda entry: TrailEntry.objects.update_or_create(pk=entry.pk),
        lambda entry: entry.save(),
        lambda entry: entry.delete(),
        lambda entry: TrailJob.objects.all().delete(),
        lambda entry: entry.named.all().delete(),
        lambda entry: Gap.objects.all().delete(),
    ],
)
def test_no_way_of_the_models_changes_an_entry(entry, change):
    with pytest.raises(NeverChanged):
        change(entry)
    assert TrailEntry.objects.get().actor == "olena"
    assert TrailJob.objects.count() == 1
