"""Names travel through addresses and come back as they were."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet.names import NameConverter, from_url, shown, to_url

ODD = [
    "foo/bar.baz", "task:email", "q+name", "q name", "a#b", "a?b", "a%2Fb", "é", "..", ".",
    "a}b", "a*[b]", "", "~", "~abc", "\udcff\x00/", "x" * 129, "x" * 4096, "<img src=x>", "{{7*7}}",
]  # fmt: skip


@pytest.mark.parametrize("name", ["orders", "cm.bot.commands", "A-b_c.9", "x" * 128, "...", "-"])
def test_a_plain_name_stays_readable(name):
    assert to_url(name) == name
    assert from_url(name) == name


@pytest.mark.parametrize("name", ODD)
def test_any_other_name_travels_in_a_form_of_safe_characters(name):
    text = to_url(name)
    assert text[0] == "~"
    assert text[1:].replace("-", "").replace("_", "").isalnum() or text == "~"
    assert from_url(text) == name


@given(st.binary(max_size=300))
def test_every_byte_string_makes_the_round_trip(raw):
    assert from_url(to_url(from_wire(raw))) == from_wire(raw)


@given(st.binary(max_size=30), st.binary(max_size=30))
def test_two_names_never_share_an_address(left, right):
    if left != right:
        assert to_url(from_wire(left)) != to_url(from_wire(right))


@pytest.mark.parametrize("text", ["q name", "a b", "é", "task:email", "a%2Fb"])
def test_an_address_written_by_hand_means_the_name_itself(text):
    assert from_url(text) == text
    assert from_url(to_url(text)) == text


@pytest.mark.parametrize("text", ["", "~a", "~ab=", "~a b", "~a/b", "~a+b", "~é", "~YR", "~\x00"])
def test_garbage_is_refused(text):
    with pytest.raises(ValueError, match=r"name is missing|no base64url"):
        from_url(text)


def test_the_path_converter_speaks_the_same_form():
    converter = NameConverter()
    assert converter.to_python(converter.to_url("a b")) == "a b"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("orders", "orders"),
        ("Bestellungen für é", "Bestellungen für é"),
        ("a\x00b\n", "a\\x00b\\x0a"),
        ("\udcff", "\\xff"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("a\xa0b\x85", "a\\u00a0b\\u0085"),
        ("\U000e0001", "\\U000e0001"),
        ("a\\x00", "a\\\\x00"),
        (" ", "\\x20"),
        ("  ", "\\x20\\x20"),
        (" a", "\\x20a"),
        ("a ", "a\\x20"),
        ("a  b", "a \\x20b"),
        ("a b", "a b"),
        ("\u3164", "\\u3164"),
        ("a\u2800b", "a\\u2800b"),
        ("\ufe0f\u0301", "\\ufe0f\\u0301"),
        ("", "(no name)"),
    ],
)
def test_what_the_eye_cannot_see_is_spelled_out(name, text):
    assert shown(name) == text


@given(st.binary(max_size=60))
def test_what_is_shown_holds_no_control_and_can_be_encoded(raw):
    text = shown(from_wire(raw))
    text.encode()
    assert not any(unicodedata.category(character)[0] == "C" for character in text)
