"""msgpack decoded, as long as it is one whole value."""

from __future__ import annotations

import json
import struct

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_admin.console.bodies.body import body
from tests.console.squeezing import STEADY, seen_escaped, squeezed


def seen(raw: bytes) -> str:
    found = body(raw)
    assert found.kind == "msgpack"
    return squeezed(found.text)


def test_a_map_is_laid_out_like_json():
    raw = msgpack.packb({"user": 1970670598291982290, "tags": ["a", None, True], "weight": 1.5})
    assert body(raw).text.splitlines() == [
        "{",
        '  "user": 1970670598291982290,',
        '  "tags": ["a", null, true],',
        '  "weight": 1.5',
        "}",
    ]


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (2**64 - 1, "18446744073709551615"),
        (-(2**63), "-9223372036854775808"),
        (-1, "-1"),
        (-33, "-33"),
        (200, "200"),
        (70_000, "70000"),
        (1e300, "1e+300"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_number_is_exact(number, shown):
    assert seen(msgpack.packb([number])) == f"[{shown}]"


def test_bytes_extensions_and_instants_are_marked():
    raw = msgpack.packb(
        [b"\x00\xff", b"", msgpack.ExtType(5, b"hi"), msgpack.Timestamp(1_700_000_000, 5)]
    )
    assert body(raw).text.splitlines()[1:-1] == [
        "  bytes(0x00ff),",
        "  bytes(),",
        "  ext(5, 0x6869),",
        "  timestamp(2023-11-14 22:13:20.000000005 UTC)",
    ]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"\x91\xd6\xff\x00\x00\x00\x00", "timestamp(1970-01-01 00:00:00.000000000 UTC)"),
        (
            b"\x91\xd7\xff" + struct.pack(">Q", 999_999_999 << 34),
            "timestamp(1970-01-01 00:00:00.999999999 UTC)",
        ),
        (b"\x91\xd7\xff" + struct.pack(">Q", 1_000_000_000 << 34), "ext(-1, 0xee6b280000000000)"),
        (b"\x91\xc7\x0c\xff" + struct.pack(">Iq", 1, 2**62), f"timestamp({2**62} s + 1 ns)"),
        (b"\x91\xc7\x0c\xff" + struct.pack(">Iq", 0, 2**62), f"timestamp({2**62} s)"),
        (b"\x91\xc7\x01\xff\x07", "ext(-1, 0x07)"),
    ],
)
def test_an_instant_that_is_none_stays_what_it_is(raw, shown):
    assert body(raw).text == f"[{shown}]"


def test_keys_of_any_kind_and_keys_that_come_twice_stay():
    pairs = [("a", 1), ("a", 2), (3, 4), (None, 5), (b"k", 6), ([1], 7)]
    raw = b"\x86" + b"".join(msgpack.packb(part) for pair in pairs for part in pair)
    assert seen(raw) == '{"a":1,"a":2,3:4,null:5,bytes(0x6b):6,[1]:7}'


def test_a_string_that_is_no_utf8_shows_its_bytes():
    assert seen(b"\x91\xa3a\xff\\") == '["a\\xff\\\\"]'


@pytest.mark.parametrize(
    "raw",
    [
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff\x01\x02",
        b"\xdd\xff\xff\xff\xff" * 200,
        b"\xdc\xff\xff" * 20_000,
        b"\xc6\xff\xff\xff\xff\x00",
        b"\x93\x01\x02",
        b"\x93\x01\x02\x03\x04",
        b"\x91\xc1",
        b"\x92\xcb\x00\x00",
        b"\xcd\x12\x34",
    ],
)
def test_what_is_not_one_whole_value_is_bytes(raw):
    assert body(raw).kind == "bytes"


def test_a_cut_value_is_decoded_as_far_as_it_goes():
    found = body(msgpack.packb({"a": [1, 2, "x" * 200_000], "b": 1}))
    assert (found.kind, found.cut) == ("msgpack", "first 64,000 of 200,014 bytes")
    assert found.text.startswith('{\n  "a": [\n    1,\n    2,\n    "xxx')
    assert found.text.endswith("xxx")


def test_a_cut_value_may_not_promise_more_or_less_than_there_is():
    assert body(b"\xdb\x00\x03\x0d\x40" + b"\xff" * 200_000).kind == "msgpack"
    assert body(b"\xdb\x00\x03\x0d\x41" + b"\xff" * 200_000).kind == "bytes"
    assert body(b"\xdb\x00\x03\x0d\x3f" + b"\xff" * 200_000).kind == "bytes"
    assert body(b"\x91\x01" + b"\xff" * 200_000).kind == "bytes"


def test_ten_thousand_lists_in_each_other_are_drawn():
    assert seen(b"\x91" * 10_000 + b"\x01") == "[" * 10_000 + "1" + "]" * 10_000


TEXTS = st.text(max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=12,
)


@STEADY
@given(VALUES)
def test_a_value_reads_as_it_would_in_json(value):
    expected = json.dumps([value], ensure_ascii=False, separators=(",", ":"))
    assert seen(msgpack.packb([value])) == seen_escaped(expected)


@STEADY
@given(VALUES, st.data())
def test_a_prefix_reads_as_the_beginning_of_the_whole(value, data):
    raw = msgpack.packb([value])
    part = body(raw, data.draw(st.integers(1, len(raw))))
    assert part.kind == "msgpack"
    assert seen(raw).startswith(squeezed(part.text))
