"""A field of any bytes as it is drawn: what it is called, how much of it, and never as markup."""

from __future__ import annotations

import gzip
import pickle
import re
import zlib

import msgpack
import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from echomq_admin.console.bodies.body import WIDEST, body
from echomq_admin.console.bodies.hexes import MOST as DUMPED
from echomq_admin.console.bodies.pieces import COLOURED
from tests.console.scene import tags
from tests.console.squeezing import STEADY, seen_escaped


def drawn(raw: bytes | None) -> str:
    return render_to_string("console/_body.html", {"b": body(raw)})


@pytest.mark.parametrize(
    ("raw", "label"),
    [
        (None, "absent"),
        (b"", "empty, 0 bytes"),
        (b"null", "JSON, 4 bytes"),
        (b"1", "JSON, 1 byte"),
        (b'"text"', "JSON, 6 bytes"),
        (b"true", "JSON, 4 bytes"),
        (b" [] ", "JSON, 4 bytes"),
        (b"hello", "text, 5 bytes"),
        (b"nul", "text, 3 bytes"),
        (b"\x00\x01\x02", "bytes, 3 bytes"),
        (b"\x93\x01\x02\x03", "msgpack, 4 bytes"),
        (b"\x80", "msgpack, 1 byte"),
        (b"\xff", "bytes, 1 byte"),
        (b"\x80\x04\x95\xff", "Python pickle, 4 bytes"),
        (pickle.dumps([1, "a"]), "Python pickle, 22 bytes"),
        (b"\x83m\x00\x00\x00\x05hello", "Erlang term, 11 bytes"),
        (zlib.compress(b"hello" * 9), "zlib, 16 bytes"),
        (b"caf\xe9 au lait et d'autres choses", "damaged text, 31 bytes"),
        (b"a" * 3_000_000, "text, 3,000,000 bytes"),
    ],
)
def test_a_field_is_called_what_it_is_with_its_exact_size(raw, label):
    assert body(raw).label == label


def test_what_is_compressed_is_named_and_not_unpacked():
    seen = body(gzip.compress(b"secret " * 100))
    assert (seen.kind, seen.is_dump) == ("gzip", True)
    assert "not unpacked" in seen.note
    assert "secret" not in seen.text


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        (None, "there is no such field"),
        (b"", "the field is there, with nothing in it"),
        (b"null\n", "nothing but null"),
        (b'""', "an empty string"),
        (b" \n ", "white space only"),
        (b"a\nb\n", "2 lines"),
        (b"a\r\nb", "2 lines; lines end in CR LF"),
        (b"a\r\nb\nc", "3 lines; 1 of 2 lines end in CR LF"),
        (b"caf\xe9 au lait, s'il vous plait", "not all of it is UTF-8"),
    ],
)
def test_what_the_eye_cannot_tell_is_said_below(raw, note):
    assert body(raw).note == note
    assert note in drawn(raw).replace("&#x27;", "'")


def test_text_stays_as_it_is_and_what_cannot_be_seen_is_marked():
    seen = body("a\u202eb\ttab\x1b[31m \U000e0001 ünï 🦊".encode() + b" \xfe end")
    assert seen.text == "a\\u202eb\ttab\\x1b[31m \\U000e0001 ünï 🦊 \\xfe end"
    assert [piece.text for piece in seen.pieces if piece.css == "body-x"] == [
        "\\u202e",
        "\\x1b",
        "\\U000e0001",
        "\\xfe",
    ]


def test_a_carriage_return_can_be_seen_unless_all_lines_end_in_one():
    assert body(b"one\rtwo\r\nthree").text == "one\\x0dtwo\nthree"
    assert body(b"one\r\ntwo\nthree\r").text == "one\\x0d\ntwo\nthree\\x0d"


@pytest.mark.parametrize("char", ["\ufe0f", "\u3164", "\u115f", "\U000e0100", "\u2800"])
@pytest.mark.parametrize("form", ["a{}b", '["a{}b"]'])
def test_a_character_that_leaves_nothing_to_see_is_marked(char, form):
    seen = body(form.format(char).encode())
    assert char not in seen.text
    assert seen_escaped(char).upper() in seen.text.upper() or ascii(char)[1:-1] in seen.text


def test_a_tab_has_a_class_of_its_own():
    assert [(piece.text, piece.css) for piece in body(b"a\tb").pieces] == [
        ("a", ""),
        ("\t", "body-t"),
        ("b", ""),
    ]


def test_a_dump_shows_offsets_bytes_and_characters():
    lines = body(bytes(range(0xF0, 0x100)) + b"\x00Hi<").text.splitlines()
    assert lines[0] == (
        "00000000  f0 f1 f2 f3 f4 f5 f6 f7  f8 f9 fa fb fc fd fe ff  ................"
    )
    assert lines[1].split() == ["00000010", "00", "48", "69", "3c", ".Hi<"]
    assert lines[1].index(".Hi<") == lines[0].index("....")


def test_a_dump_ends_early_and_says_so():
    seen = body(b"\xff" * 100_000)
    assert seen.cut == "first 4,096 of 100,000 bytes"
    assert len(seen.text.splitlines()) == DUMPED // 16


def test_a_long_text_is_cut_and_says_so():
    seen = body(b"a" * 3_000_000)
    assert seen.cut == "first 64,000 of 3,000,000 bytes"
    assert len(seen.text) == 64_000
    assert not body(b"a" * 64_000).cut


def test_a_cut_through_a_character_is_no_damage():
    raw = ("é" * 10).encode()
    assert (body(raw, most=5).kind, body(raw, most=5).text) == ("text", "éé")
    assert body(b'"' + raw + b'"', most=6).kind == "JSON"


@pytest.mark.parametrize(
    "raw",
    [
        b"<img src=x onerror=alert(1)>",
        b'{"<b>":"</pre><script>alert(1)</script>"}',
        b"\x91\xb9</pre><script>x</script>",
        b"\xff\xfe<script>" * 9,
        b'" hx-get="/x" hx-trigger="load',
    ],
)
def test_markup_in_a_field_is_text(raw):
    page = drawn(raw)
    assert "<img" not in page
    assert "<script" not in page
    assert page.count("</pre>") == 1
    assert all(list(attrs) in (["class"], ["class", "tabindex"]) for _, attrs in tags(page))


def test_a_text_that_begins_with_an_empty_line_keeps_it():
    # A browser drops a line feed right behind the tag.
    assert ">\n\nsecond" in drawn(b"\nsecond")


def test_what_is_long_scrolls_in_a_box_that_the_keyboard_reaches():
    assert "tabindex" in drawn(b"x\n" * 100)
    assert "tabindex" in drawn(b"\xff\xfe\xfd")
    assert "tabindex" not in drawn(b'{"a":1}')


HOSTILE = {
    "brackets": b"[" * 32_000 + b"]" * 32_000,
    "brackets without an end": b"[" * 64_000,
    "brackets side by side": b"[" + b"[]," * 21_000 + b"0]",
    "steps": b"[0," * 30_000,
    "bottom of a pit": b"[" * 20 + b"0," * 31_900,
    "one digit each": b"[" + b"1," * 31_900 + b"1]",
    "quotes": b'"' * 64_000,
    "empty strings": b"[" + b'"",' * 21_000 + b'""]',
    "overrides": "\u202ea".encode() * 16_000,
    "overrides in JSON": b'"' + "\u202ea".encode() * 15_999 + b'"',
    "foreign bytes": b"\xffaaa" * 16_000,
    "no text": b"\xff" * 64_000,
    "ampersands": b"&" * 64_000,
    "packed quotes": b"\xda\xf9\xfd" + b'"' * 63_997,
    "packed ampersands": b"\xda\xf9\xfd" + b"&" * 63_997,
    "fillers": "\u3164".encode() * 21_000,
    "tabs": b"a\t" * 32_000,
    "packed lists": b"\x91" * 64_000,
    "packed claims": b"\xdd\x00\x01\x00\x00" * 12_000,
    "packed bytes": b"\xc5\xf9\xfd" + b"\x00" * 63_997,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("times", [1, 50])
def test_no_field_grows_beyond_measure(name, times):
    seen = body(HOSTILE[name] * times)
    assert len(seen.pieces) <= 2 * COLOURED + 1
    assert len(seen.drawn) <= WIDEST


def test_what_grows_as_markup_is_drawn_from_fewer_bytes_and_says_so():
    seen = body(msgpack.packb("&" * 60_000))
    assert seen.kind == "msgpack"
    assert re.fullmatch(r"first 3\d,\d\d\d of 60,003 bytes", seen.cut)
    assert len(seen.drawn) > WIDEST // 2
    assert body(msgpack.packb('"' * 1_000_000)).cut == "first 64,000 of 1,000,005 bytes"


@STEADY
@given(st.binary(max_size=300), st.integers(1, 300))
def test_any_bytes_can_be_drawn(raw, most):
    seen = body(raw, most)
    assert all(line.replace("\t", "").isprintable() for line in seen.text.split("\n"))
    assert bool(seen.cut) == (len(raw) > most)
    assert len(seen.drawn) <= 100 * min(len(raw), most) + 200
