"""Bytes of the wire as text for the eye."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_admin.console import payloads
from echomq_admin.emq.rows import SHORT, Text


def sight(raw: bytes) -> payloads.Sight:
    return payloads.sight(Text(len(raw), raw))


def test_a_short_line_is_shown_as_it_is():
    assert sight(b'{"a":1.10}') == payloads.Sight('{"a":1.10}')


def test_a_long_line_is_cut_and_can_be_opened():
    seen = sight(b"x" * 201)
    assert seen.line == "x" * 200 + "…"
    assert seen.full == "x" * 201


def test_of_several_lines_the_first_is_shown():
    seen = sight(b"\nfirst\r\nsecond")
    assert seen.line == "first"
    assert seen.full == "\nfirst\nsecond"


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ("a\u202eb".encode(), "a\\u202eb"),
        (b"a\x00b-and-some-more", "a\\x00b-and-some-more"),
        (b"a\tb", "a    b"),
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
    assert payloads.sight(Text(3_000_000, None)).kind == "3.0 MB, not read in a list"
    assert payloads.sight(None, "no payload").kind == "no payload"
    assert sight(b"").kind == "empty"


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "1 byte"), (214, "214 bytes"), (50_000, "50.0 kB"), (3_000_000, "3.0 MB")],
)
def test_a_size_is_said_in_bytes(count, said):
    assert payloads.size(count) == said


@given(st.binary(max_size=SHORT))
def test_any_bytes_become_printable_text(raw):
    seen = sight(raw)
    assert all(line.isprintable() for line in (seen.line + seen.kind + seen.full).split("\n"))
    assert len(seen.line) <= 6 * payloads.LINE + 1
