"""The key grammar: each key string is pinned, and read back whatever the names hold."""

from __future__ import annotations

import fnmatch

import pytest
from redis.crc import key_slot

from echomq_admin.emq import keyspace
from echomq_admin.emq.keyspace import (
    DISCOVERY_PATTERN,
    FENCE,
    Keyspace,
    from_wire,
    is_enqueueable,
    parse,
    spans_slots,
    to_wire,
)

K = Keyspace("orders")
A = "JOB0KHTOWnGLuA"
PINNED = [
    (K.base, b"emq:{orders}:"),
    (K.admin, b"emqadmin:{orders}:"),
    (K.pending, b"emq:{orders}:pending"),
    (K.active, b"emq:{orders}:active"),
    (K.schedule, b"emq:{orders}:schedule"),
    (K.dead, b"emq:{orders}:dead"),
    (K.job(A), b"emq:{orders}:job:JOB0KHTOWnGLuA"),
    (K.logs(A), b"emq:{orders}:job:JOB0KHTOWnGLuA:logs"),
    (K.lock(A), b"emq:{orders}:job:JOB0KHTOWnGLuA:lock"),
    (K.dependencies(A), b"emq:{orders}:job:JOB0KHTOWnGLuA:dependencies"),
    (K.ended_children(A, "failed"), b"emq:{orders}:job:JOB0KHTOWnGLuA:failed"),
    (K.dedup("order-7"), b"emq:{orders}:de:order-7"),
    (K.lane("acme"), b"emq:{orders}:g:acme:pending"),
    (K.ring, b"emq:{orders}:ring"),
    (K.paused, b"emq:{orders}:paused"),
    (K.glimit, b"emq:{orders}:glimit"),
    (K.gactive, b"emq:{orders}:gactive"),
    (K.meta, b"emq:{orders}:meta"),
    (K.repeatable("nightly"), b"emq:{orders}:repeat:nightly"),
    (K.completed, b"emq:{orders}:metrics:completed"),
    (K.failed, b"emq:{orders}:metrics:failed"),
    (K.audit, b"emqadmin:{orders}:audit"),
    (K.kept_reply("op-1"), b"emqadmin:{orders}:op:op-1"),
    (FENCE, b"{emq}:version"),
]
FIXED_NAMES = {
    b"pending", b"active", b"schedule", b"dead", b"ring", b"paused", b"glimit", b"gactive",
    b"gweight", b"wake", b"meta", b"metrics:completed", b"metrics:failed", b"limiter", b"repeat",
    b"flow:outbox",
}  # fmt: skip
ODD_NAMES = [
    "foo/bar.baz", "task:email", "q+name", "a#b", "a?b", "a%2Fb", "é", "..", "a}b", "a*[b]", "",
    "}", "}:", "a}:b", "\udcff\x00", "\n", "g:x:pending", "x" * 5000,
]  # fmt: skip


@pytest.mark.parametrize(("key", "expected"), PINNED, ids=[raw.decode() for _, raw in PINNED])
def test_a_key_is_spelt_as_on_the_wire(key: bytes, expected: bytes) -> None:
    assert key == expected


def test_the_fixed_keys_are_those_without_a_job_or_lane_in_their_name() -> None:
    assert {key.removeprefix(K.base) for key in K.fixed} == FIXED_NAMES
    assert len(K.fixed) == len(FIXED_NAMES)


@pytest.mark.parametrize("raw", [b"", b"\xff\x00", b"a\xc3", "é".encode(), bytes(range(256))])
def test_a_name_of_any_bytes_makes_the_round_trip(raw: bytes) -> None:
    assert to_wire(from_wire(raw)) == raw


@pytest.mark.parametrize("queue", ODD_NAMES, ids=lambda name: ascii(name[:12]))
def test_a_key_of_an_oddly_named_queue_is_read_back(queue: str) -> None:
    names = Keyspace(queue)
    for key in names.fixed:
        read = parse(key)
        assert read is not None
        assert (read.queue, read.group) == (queue, None)
        assert names.base + read.name == key


@pytest.mark.parametrize("group", ODD_NAMES, ids=lambda name: ascii(name[:12]))
def test_a_lane_of_an_oddly_named_group_is_read_back(group: str) -> None:
    read = parse(K.lane(group))
    assert read is not None
    assert (read.queue, read.group) == ("orders", group)


@pytest.mark.parametrize("job", ODD_NAMES, ids=lambda name: ascii(name[:12]))
def test_a_row_of_an_oddly_named_job_belongs_to_its_queue(job: str) -> None:
    for key in (K.job(job), K.logs(job), K.lock(job)):
        read = parse(key)
        assert read is not None
        assert (read.queue, read.group) == ("orders", None)


@pytest.mark.parametrize(
    "key",
    [
        b"", b"emq", b"emq:orders:pending", b"emq:{orders}", b"emq:{orders}:", b"emq:{orders}:x",
        b"emq:{orders}:pending2", b"emq:{orders}:Pending", b"emq:{orders}:g:acme:active",
        b"emqadmin:{orders}:audit", b"{emq}:version", b"bull:{orders}:pending",
        b"emq:{orders:pending",
        b"emq:{orders}:events", b"\xff\xfe", b"emq:{orders}:metrics:other",
    ],
)  # fmt: skip
def test_a_foreign_key_is_none_of_the_grammar(key: bytes) -> None:
    assert parse(key) is None


def test_discovery_matches_every_queue_and_no_row_of_a_job() -> None:
    pattern = DISCOVERY_PATTERN.decode().replace("[^", "[!")
    for key in (*K.fixed, K.lane("acme"), Keyspace("task:email").dead, Keyspace("a*[b]").dead):
        assert fnmatch.fnmatchcase(key.decode(), pattern)
    for key in (K.job(A), K.logs(A), K.lock(A)):
        assert not fnmatch.fnmatchcase(key.decode(), pattern)


def test_all_keys_of_a_queue_lie_on_one_slot_unless_its_name_says_otherwise() -> None:
    for queue in ODD_NAMES:
        names = Keyspace(queue)
        keys = (*names.fixed, names.job(A), names.lane("acme"), names.audit, names.kept_reply("x"))
        if not spans_slots(queue):
            assert len({key_slot(key) for key in keys}) == 1
    assert all(spans_slots(queue) for queue in ("", "}", "a}b", "}a"))


@pytest.mark.parametrize(
    ("queue", "is_admitted"),
    [("orders", True), ("a.b-c_D9", True), ("x" * 128, True), ("x" * 129, False), ("", False),
     ("emq", False), ("a b", False), ("é", False), ("orders\n", False), ("a/b", False)],
)  # fmt: skip
def test_producers_are_held_to_the_grammar(queue: str, is_admitted: bool) -> None:
    assert is_enqueueable(queue) is is_admitted


def test_no_other_module_spells_a_key() -> None:
    from pathlib import Path

    package = Path(keyspace.__file__).parents[1]
    spelling = [
        path
        for path in package.rglob("*.py")
        if path.name != "keyspace.py"
        and any(mark in path.read_text() for mark in ("emq:{", "emqadmin:{", "{emq}:"))
    ]
    assert spelling == []
