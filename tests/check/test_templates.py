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


@pytest.mark.parametrize("template", templates())
def test_a_template_compiles(template):
    assert get_template(template).template.name


@pytest.mark.parametrize("template", templates())
def test_a_template_holds_nothing_inline(template):
    text = (ROOT / "templates" / template).read_text()
    assert not [what for what, pattern in REFUSED.items() if pattern.search(text)]


def test_there_are_templates_to_look_at():
    assert templates()
