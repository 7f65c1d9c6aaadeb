"""Bytes of the wire as text for the eye."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_admin.console import payloads
from echomq_admin.emq.rows import SHORT, Text
from tests.console.squeezing import STEADY


def sight(raw: bytes) -> payloads.Sight:
    return payloads.sight(Text(len(raw), raw))


def test_a_short_line_is_shown_as_it_is():
    assert sight(b'{"a":1.10}') == payloads.Sight('{"a":1.10}')


def test_json_on_one_line_keeps_every_digit_and_every_key():
    raw = '{"id":1970670598291982290,"f":1.10,"e":1e400,"d":{"a":1,"a":2}}'
    assert payloads.sight(Text(len(raw), raw.encode())).line == raw


def test_a_long_line_is_cut_and_can_be_opened():
    seen = sight(b"x" * 201)
    assert seen.line == "x" * 200 + "…"
    assert seen.full == "x" * 201


def test_of_several_lines_the_first_is_shown():
    seen = sight(b"\r\nfirst\r\nsecond")
    assert seen.line == "first"
    assert seen.full == "\nfirst\nsecond"


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ("a\u202eb".encode(), "a\\u202eb"),
        (b"a\x00b-and-some-more", "a\\x00b-and-some-more"),
        (b"a\tb", "a\\tb"),
        (b"a line\r", "a line\\x0d"),
        (b"a\r\nb\nc", "a\\x0d"),
        ("a\ufe0fb\u3164".encode(), "a\\ufe0fb\\u3164"),
        (b'{"path":"C:\\\\x"}', '{"path":"C:\\\\x"}'),
    ],
)
def test_what_cannot_be_printed_is_escaped_and_nothing_else(raw, line):
    assert sight(raw).line == line


def test_bytes_that_are_no_text_are_hexadecimal_with_their_length():
    assert sight(b"\x80\x04") == payloads.Sight("\\x80\\x04", kind="binary, 2 bytes")
    assert sight(b"\x80" * 100).line.endswith("\\x80…")


def test_text_with_a_few_foreign_bytes_stays_readable_and_says_so():
    seen = sight(b"unreadable reply from the mail server: \xff\xfe")
    assert seen.line == r"unreadable reply from the mail server: \xff\xfe"
    assert seen.kind == "not all UTF-8, 41 bytes"


def test_a_field_that_a_list_does_not_read_shows_its_size():
    assert payloads.sight(Text(3_000_000, None)) == payloads.Sight("", "", "3.0 MB", is_part=True)
    assert payloads.sight(Text(2_400, None)).kind == "2.4 kB"
    assert payloads.sight(None, "no payload").kind == "no payload"
    assert sight(b"").kind == "empty"


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "1 byte"), (214, "214 bytes"), (50_000, "50.0 kB"), (3_000_000, "3.0 MB")],
)
def test_a_size_is_said_in_bytes(count, said):
    assert payloads.size(count) == said


@pytest.mark.parametrize(
    ("raw", "cut", "text"),
    [
        (b"", False, ""),
        (b"caf\xc3\xa9", False, "café"),
        (b"caf\xc3", False, None),
        (b"caf\xc3", True, "caf"),
        (b"\xc3", True, None),
        (b"\x00\x01", False, None),
    ],
)
def test_a_cut_through_a_character_leaves_the_text_before_it(raw, cut, text):
    assert payloads.as_text(raw, cut) == text


def test_a_character_beyond_the_first_plane_has_a_long_escape():
    assert sight("a\U000e0001b".encode()).line == "a\\U000e0001b"


@STEADY
@given(st.binary(max_size=SHORT))
def test_any_bytes_become_printable_text(raw):
    seen = sight(raw)
    assert all(line.isprintable() for line in (seen.line + seen.kind + seen.full).split("\n"))
    assert len(seen.line) <= 10 * payloads.LINE + 1
