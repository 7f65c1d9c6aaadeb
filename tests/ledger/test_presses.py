"""A press is one row for one call of one person, whatever its steps and repetitions."""

from __future__ import annotations

import pytest

from echomq_admin.ledger.models import Copied, Press
from echomq_admin.ledger.presses import press, reasons, whole_calls

pytestmark = pytest.mark.django_db


def test_a_press_makes_the_stream_of_its_queue_one_to_copy():
    press("prod", "m\udcffil", "click", "olena", "pause", "")
    (row,) = Copied.objects.all()
    assert (row.server, bytes(row.queue), row.last_id) == ("prod", b"m\xffil", "0-0")


def test_a_step_is_no_press_of_its_own_and_keeps_mark_and_reason():
    press("prod", "orders", "click", "olena", "drain", "a flood")
    Copied.objects.update(last_id="5-0")
    press("prod", "orders", "click", "olena", "drain", "")
    assert Press.objects.get().reason == "a flood"
    assert Copied.objects.get().last_id == "5-0"


def test_a_press_repeated_for_another_reason_has_that_one():
    for reason in ("a flood", "a large flood"):
        press("prod", "orders", "click", "olena", "drain", reason)
    assert Press.objects.get().reason == "a large flood"


def test_nobody_takes_the_press_of_another():
    press("prod", "orders", "click", "olena", "drain", "a flood")
    press("prod", "orders", "click", "mallory", "drain", "for fun")
    why = reasons("prod", "orders", [("click.3", "olena"), ("click", "mallory"), ("", "olena")])
    assert why == {
        ("click.3", "olena"): "a flood", ("click", "mallory"): "for fun", ("", "olena"): "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("op_id", "calls"),
    [
        ("a", ["a"]),
        ("a.1", ["a.1", "a"]),
        ("a.1.2.again", ["a.1.2.again", "a.1.2", "a.1", "a"]),
        ("v1.2-x", ["v1.2-x"]),
        (".1", [".1"]),
        ("", [""]),
    ],
)
def test_a_step_leads_to_its_call(op_id, calls):
    assert list(whole_calls(op_id)) == calls


def test_a_stream_that_is_looked_after_is_not_written_down_again(
    django_assert_num_queries,
):
    press("prod", "orders", "click", "olena", "drain", "")
    with django_assert_num_queries(2) as asked:
        press("prod", "orders", "click-2", "olena", "drain", "")
    assert [query["sql"].split()[0] for query in asked] == ["SELECT", "INSERT"]
