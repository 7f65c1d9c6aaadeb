"""Rules of the house that a reader could break without noticing."""

from __future__ import annotations

import re

import pytest
from django.core.management import call_command

from tests.check.files import PACKAGE, ROOT, name, own

MOST_LINES = 320
CODE = list(own(".py", ".lua", ".html", ".css", ".js"))
# Settings and documents may not be the only place that knows a key either.
KEYS = re.compile(r"emq:\{|emqadmin")
HOST_CLOCK = re.compile(r"\btime\.time\(|\bdatetime\.(?:utc)?now\(|\btimezone\.now\(")
PINNED = re.compile(r"[A-Za-z0-9._-]+(?:\[[a-z,]+\])?==\S+ (?:; .+ )?\\\Z")
REQUIREMENTS = ("requirements.txt", "requirements-dev.txt")


def test_every_file_stays_short_enough_to_read():
    assert CODE
    assert not [name(path) for path in CODE if len(path.read_text().splitlines()) > MOST_LINES]


def test_only_the_keyspace_knows_how_a_key_is_spelled():
    keyspace = PACKAGE / "emq" / "keyspace.py"
    files = (path for path in own(".py", ".html", below=PACKAGE) if path != keyspace)
    assert not [name(path) for path in files if KEYS.search(path.read_text())]


def test_the_protocol_never_asks_the_clock_of_its_host():
    files = own(".py", below=PACKAGE / "emq")
    assert not [name(path) for path in files if HOST_CLOCK.search(path.read_text())]


@pytest.mark.parametrize("file", REQUIREMENTS)
def test_every_requirement_is_pinned_and_hashed(file):
    entries = re.split(r"\n(?=[A-Za-z])", (ROOT / file).read_text())
    for entry in entries:
        lines = [line for line in entry.split("\n") if not line.lstrip().startswith("#")]
        assert PINNED.match(lines[0]), lines[0]
        assert any(line.startswith("    --hash=sha256:") for line in lines), lines[0]


@pytest.mark.parametrize("file", REQUIREMENTS)
def test_requirements_name_no_index(file):
    text = (ROOT / file).read_text()
    assert not re.search(r"--(?:extra-)?index-url|--find-links|://", text)


def test_running_needs_nothing_that_only_tests_need():
    running, testing = ((ROOT / file).read_text().split("\n") for file in REQUIREMENTS)
    pins = {line for line in running if PINNED.match(line)}
    assert pins <= set(testing)


@pytest.mark.django_db
def test_every_model_has_its_migration():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
