"""JSON laid out from its own text."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_admin.console.bodies.body import body
from echomq_admin.console.bodies.layout import DEEPEST
from tests.console.squeezing import STEADY, seen_escaped, squeezed


def is_json(text: str) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


def test_an_object_is_laid_out_line_by_line():
    raw = (
        b'{"command":"guess","room":1970670598291982290,"code":["a","b"],"weight":1.10,'
        b'"none":{},"deep":[{"id":1},{"id":[2]}]}'
    )
    assert body(raw).text.splitlines() == [
        "{",
        '  "command": "guess",',
        '  "room": 1970670598291982290,',
        '  "code": ["a", "b"],',
        '  "weight": 1.10,',
        '  "none": {},',
        '  "deep": [',
        '    {"id": 1},',
        "    {",
        '      "id": [2]',
        "    }",
        "  ]",
        "}",
    ]


def test_a_list_too_long_for_a_line_takes_one_for_each_value():
    assert len(body(json.dumps(list(range(40))).encode()).text.splitlines()) == 42


def test_keys_strings_and_values_have_their_class():
    pieces = body(b'{"a":"b","c":[1,null]}').pieces
    coloured = [(piece.text, piece.css) for piece in pieces if piece.css]
    assert coloured == [
        ('"a"', "body-k"),
        ('"b"', "body-s"),
        ('"c"', "body-k"),
        ("1", "body-v"),
        ("null", "body-v"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        "1970670598291982290",
        "1.10",
        "1e400",
        "-0",
        "0.1e+05",
        "9" * 5000,
        '"\\ud800"',
        '"\\u00e9\\/"',
    ],
)
def test_a_value_stays_as_it_was_written(value):
    assert body(value.encode()).kind == "JSON"
    assert body(value.encode()).text == value


def test_a_key_that_comes_twice_stays_twice_and_in_its_place():
    assert squeezed(body(b'{"b":1,"a":2,"b":3}').text) == '{"b":1,"a":2,"b":3}'


@pytest.mark.parametrize(
    "deep", [b"[" * 10_000 + b"]" * 10_000, b'{"a":' * 10_000 + b"1" + b"}" * 10_000]
)
def test_ten_thousand_brackets_are_json_and_their_indent_ends(deep):
    seen = body(deep)
    assert seen.kind == "JSON" if len(deep) <= 64_000 else seen.cut
    assert max(len(line) - len(line.lstrip()) for line in seen.text.splitlines()) == 2 * DEEPEST
    assert squeezed(seen.text) == deep[:64_000].decode()


@pytest.mark.parametrize(
    "text",
    [
        "01", "1.", ".5", "1e", "+1", "-", "NaN", "Infinity", "tru", "1 2", "[1 2]", "[1,]", "[1]]",
        "[", "]", "[}", "{,}", '{"a"}', '{"a":1,}', '{"a":1]', "{1:2}", "'a'", '"a\nb"', '"\\x"',
        '"\\u12g4"', "\ufeff[]",
    ],
)  # fmt: skip
def test_what_only_looks_like_json_is_text(text):
    assert body(text.encode()).kind == "text"


def test_several_values_one_a_line_are_text_as_they_are():
    assert body(b'{"a":1}\n{"a":2}\n').text == '{"a":1}\n{"a":2}\n'


TEXTS = st.text(max_size=8)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=12,
)
WRITTEN = st.builds(
    json.dumps,
    VALUES,
    ensure_ascii=st.booleans(),
    indent=st.none() | st.integers(0, 3),
    separators=st.sampled_from([(",", ":"), (" ,\t", " :\r\n ")]),
).filter(lambda text: not re.search(r"[\ud800-\udfff]", text))


@STEADY
@given(WRITTEN)
def test_nothing_but_white_space_between_tokens_changes(text):
    seen = body(text.encode())
    assert seen.kind == "JSON"
    assert squeezed(seen.text) == seen_escaped(squeezed(text))


@STEADY
@given(WRITTEN, st.data())
def test_cut_json_is_json_as_far_as_it_goes(text, data):
    raw = text.encode()
    most = data.draw(st.integers(1, len(raw)))
    seen = body(raw, most)
    head = raw[:most].decode("utf-8", "ignore")
    if head.isspace() or not head:
        return
    assert seen.kind == "JSON"
    assert squeezed(seen.text) == seen_escaped(squeezed(head))


@STEADY
@given(st.text('[]{}",:0123eE+-.\\u/ \n', max_size=12) | st.text(max_size=12))
def test_json_is_what_the_standard_calls_json(text):
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return
    assert (body(raw).kind == "JSON") == is_json(text)


@STEADY
@given(WRITTEN, st.data())
def test_a_text_with_one_character_changed_is_judged_like_any_other(text, data):
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + data.draw(st.sampled_from('[]{}",:0-.e\\\x01 ')) + text[at + 1 :]
    assert (body(changed.encode()).kind == "JSON") == is_json(changed)
