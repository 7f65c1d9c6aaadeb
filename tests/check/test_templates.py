"""Templates compile, and hold nothing that the content security policy would refuse."""

from __future__ import annotations

import re

import pytest
from django.template.loader import get_template

from tests.check.files import ROOT, templates

REFUSED = {
    "a script without a source": re.compile(r"<script\b(?![^>]*\bsrc=)", re.I),
    "a style block": re.compile(r"<style\b", re.I),
    "a style attribute": re.compile(r"\sstyle\s*=", re.I),
    "an event attribute": re.compile(r"\son[a-z]+\s*=|\shx-on\b", re.I),
    "a script address": re.compile(r"javascript:", re.I),
}


def refused(template: str) -> list[str]:
    """What of a template the policy would refuse."""
    text = (ROOT / "templates" / template).read_text()
    return [what for what, pattern in REFUSED.items() if pattern.search(text)]


def test_every_template_compiles():
    names = templates()
    assert names
    assert [get_template(template).template.name for template in names] == names


def test_no_template_holds_anything_inline():
    assert {template: refused(template) for template in templates() if refused(template)} == {}


@pytest.mark.parametrize(
    ("markup", "what"),
    [
        ("<script>go()</script>", "a script without a source"),
        ("<p STYLE='x'>", "a style attribute"),
        ("<a onclick=go()>", "an event attribute"),
        ("<a href='javascript:go()'>", "a script address"),
    ],
)
def test_what_is_inline_would_be_found(markup, what):
    assert [found for found, pattern in REFUSED.items() if pattern.search(markup)] == [what]
