"""Several who write at once, whom SQLite would let write one after the other."""

from __future__ import annotations

import pytest
from django.db import transaction

from echomq_admin.emq.kept import Kept
from echomq_admin.fleet import preferences
from echomq_admin.ledger import copying, presses
from echomq_admin.ledger.models import TrailEntry
from echomq_admin.operations import trashing
from echomq_admin.operations.calls import Call
from echomq_admin.operations.models import Trashed
from tests.ledger.conftest import Stream
from tests.postgresql.conftest import wait_until_blocked

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_two_who_change_what_both_saw_the_second_is_told(prod, beside):
    def change(by: str) -> tuple[str, ...]:
        return preferences.change("prod", "q", by, {"note": ""}, note=f"of {by}")

    with transaction.atomic():
        change("olena")
        second = beside(lambda: change("petro"))
        wait_until_blocked()
    with pytest.raises(preferences.ChangedMeanwhile):
        second.result(30)
    assert preferences.own("prod", "q").note == "of olena"


def test_of_two_presses_of_one_removal_the_later_one_stands_in_the_trash(prod, beside):
    call = Call("remove", "prod", "q", ("A",), op_id="x")

    def keep(actor: str) -> None:
        trashing._write(prod, call, actor, {"A": Kept({b"attempts": b"1"})})

    with transaction.atomic():
        keep("olena")
        second = beside(lambda: keep("petro"))
        wait_until_blocked()
    second.result(30)
    assert Trashed.objects.get().actor == "petro"


def test_of_two_who_copy_at_once_one_writes(client, prod, beside):
    ids = Stream(client).many(3)
    presses.look_after("prod", "orders")
    with transaction.atomic():
        copying.copy_piece(prod, "orders")
        second = beside(lambda: copying.copy_piece(prod, "orders"))
        wait_until_blocked("transactionid")
    assert second.result(30).is_late
    assert list(TrailEntry.objects.values_list("stream_id", flat=True)) == ids
