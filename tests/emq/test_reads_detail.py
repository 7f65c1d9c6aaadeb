"""One job whole: its fields, the sets that hold it, its marker and its log."""

from __future__ import annotations

from echomq_admin.emq.reads import whole_row
from tests.emq.reading import Q, add_job


def test_every_field_is_there_known_or_not_and_however_long(client):
    fields = {
        b"state": b"dead",
        b"payload": b"a" * 3_000_000,
        b"odd\xff": b"\x00",
        b"attempts": b"2",
    }
    add_job(client, "dead", "JOBx")
    client.hset(Q + "job:JOBx", mapping=fields)
    detail = whole_row(client, "orders", "JOBx")
    assert detail.fields == fields
    assert (detail.job.attempts, detail.job.payload.size) == (2, 3_000_000)


def test_every_set_that_holds_the_id_is_named(client):
    for held_in, score in {"pending": 0, "active": 5, "schedule": 7, "dead": 0}.items():
        add_job(client, held_in, "JOBx", score)
    add_job(client, "g:A:pending", "JOBx", 0, state="dead", group="A")
    assert whole_row(client, "orders", "JOBx").held_by == {
        "pending": 0, "active": 5, "schedule": 7, "dead": 0, "lane": 0,
    }  # fmt: skip


def test_the_lock_marker_and_the_log_are_seen(client):
    add_job(client, "pending", "JOBx", state="pending")
    detail = whole_row(client, "orders", "JOBx")
    assert (detail.locked, detail.log_lines) == (False, 0)
    client.set(Q + "job:JOBx:lock", "w1")
    client.rpush(Q + "job:JOBx:logs", "a", "b")
    detail = whole_row(client, "orders", "JOBx")
    assert (detail.locked, detail.log_lines) == (True, 2)


def test_a_missing_row_and_one_that_is_no_hash_say_so(client):
    add_job(client, "dead", "JOBx")
    detail = whole_row(client, "orders", "JOBx")
    assert (detail.job.fault, detail.fields, detail.held_by) == ("row missing", {}, {"dead": 0})
    client.set(Q + "job:JOBx", "text")
    detail = whole_row(client, "orders", "JOBx")
    assert detail.job.fault.startswith("unreadable row")
    assert detail.fields == {}


def test_sets_and_side_keys_of_the_wrong_type_hide_nothing_else(client):
    add_job(client, "dead", "JOBx", 0, state="dead", group="A", payload="{}")
    for key in ("pending", "active", "schedule", "g:A:pending", "job:JOBx:logs"):
        client.set(Q + key, "x")
    detail = whole_row(client, "orders", "JOBx")
    assert (detail.held_by, detail.log_lines, detail.job.fault) == ({"dead": 0}, 0, None)
