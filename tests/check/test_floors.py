"""Each floor of the house imports only from below, and only the console speaks HTTP."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.check.files import PACKAGE, name, own

HOUSE = "echomq_admin"
BELOW = {
    "emq": set(),
    "fleet": {"emq"},
    "ledger": {"emq", "fleet"},
    "operations": {"emq", "fleet", "ledger"},
    "console": {"emq", "fleet", "ledger", "operations"},
    "agent": {"emq", "fleet", "ledger", "operations"},
    "startup": set(),
    "demo": {"emq", "startup"},
}
NO_DJANGO = {"emq", "demo"}
HTTP = ("django.http", "django.shortcuts", "django.views", "django.template", "django_htmx")
# The composing files on the roof: they may know every floor, and no floor may know them.
ROOF = {"database", "management", "settings", "urls", "wsgi", "__init__"}


def floor_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> Iterator[str]:
    """Full dotted names of what a file imports, at any depth of its code."""
    package = (HOUSE, *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{stem}.{alias.name}" for alias in node.names)


FILES = [path for path in own(".py", below=PACKAGE) if floor_of(path) not in ROOF]


def test_every_file_stands_on_a_floor_or_on_the_roof():
    assert {floor_of(path) for path in own(".py", below=PACKAGE)} <= set(BELOW) | ROOF


def test_every_file_imports_only_from_its_own_floor_and_below():
    above = {}
    for path in FILES:
        inside = (found.split(".") for found in imports_of(path) if found.split(".")[0] == HOUSE)
        floors = {parts[1] for parts in inside if len(parts) > 1}
        above[name(path)] = floors - BELOW[floor_of(path)] - {floor_of(path)}
    assert {path: floors for path, floors in above.items() if floors} == {}


def test_the_protocol_and_its_users_import_no_django():
    users = [path for path in FILES if floor_of(path) in NO_DJANGO]
    assert users
    assert not [
        f"{name(path)}: {found}"
        for path in users
        for found in imports_of(path)
        if found.split(".")[0] == "django"
    ]


def test_below_the_console_nothing_knows_http():
    assert not [
        f"{name(path)}: {found}"
        for path in FILES
        if floor_of(path) != "console"
        for found in imports_of(path)
        if found.startswith(HTTP)
    ]


def test_a_relative_import_is_resolved_from_its_own_package():
    path = PACKAGE / "emq" / "__init__.py"
    assert "echomq_admin.emq.verbs.EchoMQ" in set(imports_of(path))
