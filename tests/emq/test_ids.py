"""Branded ids: what they say, and how a time becomes a range of them."""

from __future__ import annotations

import pytest
import redis
from hypothesis import given, settings
from hypothesis import strategies as st

from echomq_admin.emq import ids

EPOCH_MS = 1_704_067_200_000
LARGEST = "AzL8n0Y58m7"


def test_the_parts_of_an_id_are_read() -> None:
    parsed = ids.parse("USR0KHTOWnGLuC")
    assert parsed is not None
    assert parsed.namespace == "USR"
    assert parsed.snowflake == 274557032793636864
    assert parsed.minted_ms == EPOCH_MS + (274557032793636864 >> 22)
    assert parsed.node == (274557032793636864 >> 12) % 1024
    assert parsed.sequence == 274557032793636864 % 4096
    assert str(parsed) == "USR0KHTOWnGLuC"


@pytest.mark.parametrize(
    "odd",
    [
        "", "JOB", "JOB0KHTOWnGLu", "JOB0KHTOWnGLuAA", "job0KHTOWnGLuA", "J0B0KHTOWnGLuA",
        "JOB0KHTOWnGL-A", "JOBzzzzzzzzzzz", "JOB0KHTOWnGLu\n", "JOB0KHTOWnGLuA\n",
        "\udcffOB0KHTOWnGLuA", "JOB0KHTOWnGLé", "JOB٠٠٠٠٠٠٠٠٠٠٠", "JOBAzL8n0Y58m8",
    ],
    ids=ascii,
)  # fmt: skip
def test_a_malformed_id_says_nothing(odd: str) -> None:
    assert ids.parse(odd) is None
    assert ids.minted_ms(odd) is None


def test_the_ends_of_the_range_are_ids() -> None:
    first, last = ids.parse("JOB00000000000"), ids.parse("JOB" + LARGEST)
    assert first is not None
    assert last is not None
    assert (first.snowflake, first.minted_ms) == (0, EPOCH_MS)
    assert last.snowflake == 2**63 - 1


@settings(deadline=None, database=None, derandomize=True)
@given(
    st.integers(0, 2**41 - 1),
    st.integers(0, 1023),
    st.integers(0, 4095),
    st.sampled_from(["JOB", "CMD"]),
)
def test_a_minted_id_says_what_it_was_minted_with(
    since_ms: int, node: int, sequence: int, namespace: str
) -> None:
    parsed = ids.parse(ids.mint(namespace, EPOCH_MS + since_ms, node, sequence))
    assert parsed is not None
    assert (parsed.namespace, parsed.minted_ms) == (namespace, EPOCH_MS + since_ms)
    assert (parsed.node, parsed.sequence) == (node, sequence)


@settings(deadline=None, database=None, derandomize=True)
@given(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_byte_order_is_mint_order(one: int, other: int) -> None:
    assert (ids.encode(one) < ids.encode(other)) == (one < other)


@pytest.mark.parametrize("number", [-1, 2**63])
def test_a_number_outside_the_range_is_no_id(number: int) -> None:
    with pytest.raises(ValueError, match="63"):
        ids.encode(number)


@pytest.mark.parametrize(
    "wrong",
    [("job", EPOCH_MS), ("JOBS", EPOCH_MS), ("JOB", EPOCH_MS - 1), ("JOB", EPOCH_MS + 2**41),
     ("JOB", EPOCH_MS, 1024), ("JOB", EPOCH_MS, -1), ("JOB", EPOCH_MS, 0, 4096)],
)  # fmt: skip
def test_what_an_id_cannot_hold_is_not_minted(wrong: tuple[str, int]) -> None:
    with pytest.raises(ValueError, match=r"id|63"):
        ids.mint(*wrong)


def test_a_span_of_time_cuts_a_set_of_equal_scores(client: redis.Redis) -> None:
    minted = [ids.mint("JOB", EPOCH_MS + ms, node, 7) for ms in range(10) for node in (0, 1023)]
    others = [ids.mint(other, EPOCH_MS + 5) for other in ("JOA", "JOC", "CMD")]
    client.zadd("set", dict.fromkeys(minted + others + ["JOB", "JOBz", "zzz"], 0))

    def between(start_ms: int, end_ms: int) -> list[str]:
        low, high = ids.span("JOB", EPOCH_MS + start_ms, EPOCH_MS + end_ms)
        found = [raw.decode() for raw in client.zrange("set", low, high, bylex=True)]
        assert client.zlexcount("set", low, high) == len(found)
        return found

    assert between(3, 5) == minted[6:10]
    assert between(0, 10) == minted
    assert between(5, 5) == between(9, 2) == between(20, 30) == between(-10, 0) == []
    assert between(-(2**50), 2**50) == minted
    assert between(-5, 1) == minted[:2]


def test_a_span_reaches_the_last_id_there_can_be(client: redis.Redis) -> None:
    last = "JOB" + LARGEST
    client.zadd("set", {last: 0, "JOBz": 0})
    end_ms = EPOCH_MS + 2**41

    assert client.zrange("set", *ids.span("JOB", end_ms - 1, end_ms), bylex=True) == [last.encode()]
    assert client.zrange("set", *ids.span("JOB", end_ms, end_ms + 1), bylex=True) == []


@pytest.mark.parametrize("namespace", ["", "job", "JOBS", "J\n"])
def test_a_span_needs_a_namespace(namespace: str) -> None:
    with pytest.raises(ValueError, match="namespace"):
        ids.span(namespace, 0, 1)


@settings(deadline=None, database=None, derandomize=True)
@given(st.integers(1, 2**41 - 1))
def test_the_name_before_an_instant_parts_its_ids_from_those_before(since_ms: int) -> None:
    parting = ids.before("JOB", EPOCH_MS + since_ms)
    assert ids.mint("JOB", EPOCH_MS + since_ms - 1, 1023, 4095).encode() < parting
    assert parting < ids.mint("JOB", EPOCH_MS + since_ms).encode()


@pytest.mark.parametrize("since_ms", [0, -1, -(10**18)])
def test_before_the_first_instant_there_is_only_the_namespace(since_ms: int) -> None:
    assert ids.before("JOB", EPOCH_MS + since_ms) == b"JOB"


def test_far_instants_come_behind_all_ids() -> None:
    assert ids.before("JOB", 10**18) == b"JOB" + LARGEST.encode() + b"\0"
    with pytest.raises(ValueError, match="namespace"):
        ids.before("job", 0)
