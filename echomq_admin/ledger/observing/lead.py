"""Which of several agents observes a server: one at a time, told by a number in the database.

Nobody's wall clock matters. Whoever watches takes the lead when it was given up, when its holder
was a process of this host that is there no more, or when it showed no sign of life for a while by
the watcher's own monotonic clock. A holder that slept so long learns at its next write that its
number is another's, and that write is undone.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2s
from pathlib import Path

from django.db import connection, transaction
from django.db.models import F, QuerySet

from echomq_admin.fleet.own_database import is_postgresql
from echomq_admin.ledger.observing import models

PATIENCE_S = 6.0
# A holder that is stopped amid a write keeps the row locked; PostgreSQL ends such a transaction.
_STILL_MS = 4_000


class Lost(Exception):
    """The lead is another's, or nobody's: nothing was written."""


@dataclass(frozen=True)
class Term:
    """The lead from one taking to its end. What was learned in a term is of no use in the next,
    also when the holder is the same: another may have led between."""

    server_name: str
    holder: str
    number: int

    @property
    def is_held(self) -> bool:
        """Whether it goes on, by the database now."""
        return self._row().exists()

    @contextmanager
    def held(self) -> Iterator[None]:
        """A transaction in which nobody else can take the lead; it counts as a sign of life.

        Raises `Lost`, and undoes everything then.
        """
        with transaction.atomic():
            _bound_stillness()
            if not self.beat():
                raise Lost(f"{self.holder} does not lead {self.server_name} any more")
            yield

    def beat(self) -> bool:
        """Show a sign of life; whether the term goes on."""
        return self._row().update(beats=F("beats") + 1) == 1

    def give_up(self) -> None:
        """Leave the lead to the next who looks."""
        self._row().update(holder="")

    def _row(self) -> QuerySet[models.Lead]:
        mine = {"server": self.server_name, "number": self.number, "holder": self.holder}
        return models.Lead.objects.filter(**mine)


class Lead:
    """What one agent does to lead a server. `hold` is called about once a second by one thread;
    any thread may write under `held` of the `term`. All of it raises `django.db.Error`."""

    def __init__(
        self,
        server_name: str,
        patience_s: float = PATIENCE_S,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server_name = server_name
        self._patience_s, self._clock_s = patience_s, clock_s
        self.holder = f"{socket.gethostname()[:100]}:{_here()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._term: Term | None = None
        self._last_sign: tuple[int, int] | None = None
        self._seen_at = 0.0

    @property
    def term(self) -> Term | None:
        """The present term, as this agent knows it; `None` while it only watches. Only its `held`
        is sure."""
        return self._term

    def hold(self) -> bool:
        """Keep the lead, or take it when it is free or its holder is silent; whether it is ours."""
        term = self._term
        if term is not None and term.beat():
            return True
        self._term = None
        row, _ = models.Lead.objects.get_or_create(server=self._server_name)
        if not row.holder or _is_gone(row.holder) or self._is_silent(row):
            self._term = self._take(row)
        return self._term is not None

    def give_up(self) -> None:
        """Leave the lead, if it is ours, to the next who looks."""
        term, self._term = self._term, None
        if term is not None:
            term.give_up()

    def _is_silent(self, row: models.Lead) -> bool:
        """Whether it showed no sign of life for long enough, since that is watched."""
        now, sign = self._clock_s(), (row.number, row.beats)
        if sign != self._last_sign:
            self._last_sign, self._seen_at = sign, now
        return now - self._seen_at >= self._patience_s

    def _take(self, row: models.Lead) -> Term | None:
        """The new term; `None` when the row is not as it was seen, or its holder is writing."""
        seen = {"holder": row.holder, "number": row.number, "beats": row.beats}
        with transaction.atomic():
            there = models.Lead.objects.select_for_update(skip_locked=True)
            if not there.filter(pk=row.pk, **seen):
                return None
            mine = {"holder": self.holder, "number": row.number + 1, "beats": row.beats + 1}
            models.Lead.objects.filter(pk=row.pk).update(**mine)
        return Term(self._server_name, self.holder, row.number + 1)


def _here() -> str:
    """Where the number of a process means what it means here: since this start of this host, and
    in this container. Empty where that is not known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_bytes()
        space = os.readlink("/proc/self/ns/pid").encode()
    except OSError:
        return ""
    return blake2s(boot + space, digest_size=8).hexdigest()


def _is_gone(holder: str) -> bool:
    """Whether a holder was a process that can be told to be there no more."""
    *_, here, number, _ = (":::" + holder).split(":")
    if not here or here != _here() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _bound_stillness() -> None:
    if is_postgresql():
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = {_STILL_MS}")
