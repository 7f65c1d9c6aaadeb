"""What no script writes down is noted whole or not at all, whatever text it is made of."""

from __future__ import annotations

import pytest

from echomq_admin.ledger.models import Kind, TrailEntry, TrailJob, job_key
from echomq_admin.ledger.notes import host_ms, note

pytestmark = pytest.mark.django_db


def test_a_note_says_who_what_and_when():
    before = host_ms()
    note(
        Kind.REFUSED, "requeue", "olena", "Not now.", "prod", "orders", "click", "why", 2,
        ["JOBa", "JOBb", "JOBa"],
    )  # fmt: skip
    entry = TrailEntry.objects.get()
    assert before <= entry.at_ms <= host_ms()
    assert (entry.kind, entry.op, entry.actor, entry.sentence) == (
        "refused", "requeue", "olena", "Not now.",
    )  # fmt: skip
    assert (entry.server, bytes(entry.queue), entry.op_id, entry.reason, entry.n) == (
        "prod", b"orders", "click", "why", 2,
    )  # fmt: skip
    assert entry.stream_id is None
    named = TrailJob.objects.values_list("job", flat=True)
    assert sorted(map(bytes, named)) == sorted([job_key("JOBa"), job_key("JOBb")])


def test_a_sign_in_names_no_place():
    note(Kind.SIGN_IN, "signed in", "olena", "olena signed in.")
    entry = TrailEntry.objects.get()
    assert (entry.kind, entry.server, bytes(entry.queue)) == ("sign-in", "", b"")


def test_any_text_will_do():
    odd = "\udcff\0<b>\u202e" * 1_000
    note(Kind.REFUSED, odd, odd, odd, odd, odd, odd, odd, 10**30, [odd])
    entry = TrailEntry.objects.get()
    assert entry.op.startswith("\\xff\\x00<b>\\u202e")
    assert entry.sentence.startswith("\\udcff\\x00<b>")
    assert (len(entry.op), len(entry.server), len(entry.actor)) == (100, 64, 300)
    assert bytes(entry.queue).startswith(b"\xff\x00<b>")
    assert entry.n == 2**31 - 1


def test_names_that_stand_for_no_bytes_are_noted():
    odd = "\ud800"
    note(Kind.REFUSED, odd, odd, odd, odd, odd, odd, odd, 1, [odd])
    assert bytes(TrailEntry.objects.get().queue) == b"\\ud800"


def test_the_lines_of_a_reason_are_kept():
    note(Kind.KEPT, "set_queue", "olena", "Note written.", reason="one\ntwo  three")
    assert TrailEntry.objects.get().reason == "one\ntwo  three"
