"""Repeatables: the next one due first, and each fault in its own row."""

from __future__ import annotations

import pytest

from echomq_admin.emq.keyspace import Keyspace
from echomq_admin.emq.repeats import Repeatable, repeat_page
from echomq_admin.emq.rows import Text
from tests.emq.keys import server_now_ms
from tests.emq.reading import CountingClient

KEYS = Keyspace("orders")


def add(client, name: str | bytes, next_ms: float = 1e12, **fields: object) -> None:
    raw = name.encode() if isinstance(name, str) else name
    client.zadd(KEYS.repeat, {raw: next_ms})
    if fields:
        client.hset(KEYS.base + b"repeat:" + raw, mapping=fields)


def only(client) -> Repeatable:
    (found,) = repeat_page(client, "orders").repeats
    return found


def test_a_repeatable_tells_its_period_its_next_run_and_its_template(client):
    add(client, "nightly", 1_800_000_000_000, every_ms=86_400_000, template='{"a":1}')
    assert only(client) == Repeatable(
        "nightly", 1_800_000_000_000, 1_800_000_000_000, 86_400_000, Text(7, b'{"a":1}')
    )


def test_the_next_one_due_comes_first_by_the_clock_of_the_server(client):
    now = server_now_ms(client)
    for name, at in (("late", now + 9_000), ("overdue", now - 5_000), ("soon", now + 10)):
        add(client, name, at, every_ms=1, template="x")
    page = repeat_page(client, "orders")
    assert [row.name for row in page.repeats] == ["overdue", "soon", "late"]
    assert page.total == 3
    assert page.now_ms >= now


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({}, "its hash is missing"),
        ({"template": "x"}, "every_ms is missing"),
        ({"every_ms": "5"}, "the template is missing"),
        ({"every_ms": "x", "template": "x"}, "every_ms is no whole number above 0"),
        ({"every_ms": "0", "template": "x"}, "every_ms is no whole number above 0"),
        ({"every_ms": "-5", "template": "x"}, "every_ms is no whole number above 0"),
        ({"every_ms": "1.5", "template": "x"}, "every_ms is no whole number above 0"),
        ({"every_ms": b"\xff", "template": "x"}, "every_ms is no whole number above 0"),
        ({"every_ms": "9" * 5_000, "template": "x"}, "every_ms is no whole number above 0"),
        ({"every_ms": "", "template": ""}, "every_ms is missing"),
        ({"else": "x"}, "every_ms is missing; the template is missing"),
    ],
)
def test_what_is_wrong_with_a_repeatable_is_said_in_its_row(client, fields, fault):
    add(client, "good", every_ms=5, template="")
    add(client, "odd", 2e12, **fields)
    good, odd = repeat_page(client, "orders").repeats
    assert (good.fault, good.template) == (None, Text(0, b""))
    assert odd.fault == fault


def test_a_hash_of_the_wrong_type_is_a_fault_of_its_row(client):
    add(client, "odd")
    client.set(KEYS.repeatable("odd"), "x")
    found = only(client)
    assert found.fault == "its hash cannot be read: the key holds another type"
    assert (found.every_ms, found.template) == (None, None)


@pytest.mark.parametrize("score", [float("inf"), float("-inf"), 1e308, -1, 253402300800000])
def test_a_score_that_is_no_time_is_a_fault_of_its_row(client, score):
    add(client, "odd", score, every_ms=5, template="x")
    found = only(client)
    assert (found.next_ms, found.score) == (None, score)
    assert found.fault == "its next run is no time"


def test_a_long_template_tells_its_size_and_is_not_fetched(client):
    add(client, "big", every_ms=5, template="x" * 3_000_000)
    before = client.info("stats")["total_net_output_bytes"]
    assert only(client).template == Text(3_000_000, None)
    assert client.info("stats")["total_net_output_bytes"] - before < 50_000


def test_names_of_any_bytes_are_listed(client):
    for name in (b"", b"\xff\x00", b"a:b}"):
        add(client, name, every_ms=5, template="x")
    assert {row.name for row in repeat_page(client, "orders").repeats} == {"", "\udcff\x00", "a:b}"}
    assert not [row for row in repeat_page(client, "orders").repeats if row.fault]


def test_a_key_that_is_no_sorted_set_is_a_fault_of_the_page(client):
    client.set(KEYS.repeat, "x")
    page = repeat_page(client, "orders")
    assert (page.total, page.repeats, page.fault) == (None, (), "the key holds another type")


def test_pages_are_cut_behind_a_name_in_at_most_three_trips(client, server_port):
    for number in range(60):
        add(client, f"r{number:02}", 1e12 + number, every_ms=5, template="x")
    with CountingClient(port=server_port) as counting:
        first = repeat_page(counting, "orders")
        client.zrem(KEYS.repeat, "r24", "r03")
        counting.trips = 0
        second = repeat_page(counting, "orders", cursor=first.next)
        assert counting.trips <= 3
    assert [row.name for row in second.repeats] == [f"r{n:02}" for n in range(25, 50)]
    assert second.repeats[0].every_ms == 5


@pytest.mark.parametrize("cursor", ["", "x", "bm9uZQ", "%"])
def test_an_unknown_cursor_opens_the_first_page(client, cursor):
    add(client, "nightly", every_ms=5, template="x")
    assert repeat_page(client, "orders", cursor=cursor).repeats


def test_a_page_that_moved_far_away_still_costs_three_trips(client, server_port):
    for number in range(600):
        add(client, f"r{number:03}", 1e12 + number, every_ms=5, template="x")
    first = repeat_page(client, "orders")
    for number in range(500):
        client.zadd(KEYS.repeat, {f"new{number:03}": 5e11})
    with CountingClient(port=server_port) as counting:
        page = repeat_page(counting, "orders", cursor=first.next)
        assert counting.trips <= 3
    assert page.repeats[0].name == "r025"
    assert page.repeats[0].fault is None
