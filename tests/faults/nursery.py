"""Web servers born again at once: `python -m tests.faults.nursery DESCRIPTOR FOLDER NAME…`.

Makes an account of the role admin for each NAME, loads the whole console, and then keeps `TWINS`
web processes alive, which share the socket. Every birth is a line with its pid. What each is at
is told in FOLDER.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.template.loader import get_template
from django.urls import get_resolver

from echomq_admin.startup.children import end_with_parent
from tests.faults.busy import Telling

PASSWORD = "long enough 1"
TWINS = 2


def main(descriptor: int, folder: Path, names: list[str]) -> None:
    end_with_parent(signal.SIGKILL, os.getppid())
    django.setup()
    # Nobody's password is guessed here.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    call_command("migrate", verbosity=0)
    _make_accounts(names)
    _load()
    # What is opened before a fork would be shared by all that are born.
    connections.close_all()
    for _ in range(TWINS):
        _bear(descriptor, folder)
    while True:
        os.wait()
        _bear(descriptor, folder)


def _make_accounts(names: list[str]) -> None:
    from django.contrib.auth.models import Group, User

    for name in names:
        user = User.objects.create_user(name, password=PASSWORD)
        user.groups.add(Group.objects.get(name="admin"))


def _load() -> None:
    """Import, build and compile what the first pages would."""
    from echomq_admin.fleet import lookout
    from echomq_admin.startup import web

    # Whoever is born on a busy machine has looked at the server before its first page.
    lookout.PATIENCE_S = 30.0
    built = web.mounted()
    web.mounted = lambda: built
    assert get_resolver().reverse_dict
    folder = Path(settings.BASE_DIR) / "templates"
    for path in folder.rglob("*.html"):
        get_template(str(path.relative_to(folder)))


def _bear(descriptor: int, folder: Path) -> None:
    child = os.fork()
    if child == 0:
        _serve(descriptor, folder)
    sys.stdout.write(f"{child}\n")
    sys.stdout.flush()


def _serve(descriptor: int, folder: Path) -> None:
    from echomq_admin.startup import web

    end_with_parent(signal.SIGKILL, os.getppid())
    telling = Telling(web.mounted(), folder)
    web.mounted = lambda: telling
    web.main(descriptor)
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
