"""What only the console can do: `python -m tests.chaos.house make NAME`, `… stated`."""

from __future__ import annotations

import json
import sys

import django
from django.core.management import call_command


def make(name: str) -> None:
    """A database, and an account of the role admin."""
    call_command("migrate", verbosity=0)
    from django.contrib.auth.models import Group, User

    User.objects.create(username=name).groups.add(Group.objects.get(name="admin"))


def stated() -> None:
    """Print of each queue how many deaths have no entry, as the pages say it."""
    from echomq_admin.ledger.endings.models import Place
    from echomq_admin.ledger.endings.sieve import Filter
    from echomq_admin.ledger.endings.unseen import watching

    found = {}
    for place in Place.objects.all():
        queue = bytes(place.queue).decode()
        watched = watching(Filter(server=place.server, queue=queue))
        found[queue] = None if watched.unknown else watched.missing
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    django.setup()
    {"make": make, "stated": stated}[sys.argv[1]](*sys.argv[2:])
