"""Which entries of the trail can still be taken back, and by whom."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from django.urls import reverse

from echomq_admin.console import places
from echomq_admin.console.trail import still
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.ledger.models import Kind, TrailEntry
from echomq_admin.operations.actions import ACTIONS, MANY
from echomq_admin.operations.services import allowed
from echomq_admin.operations.undoing import undo_id

_BY = "return_to_dead"
# What the address of an undo can carry.
_OP_ID = re.compile(r"[A-Za-z0-9_-]+")


class Undoing:
    """What of some entries one person may take back: each queue is asked for once."""

    def __init__(self, user, entries: Iterable[TrailEntry]) -> None:
        self._may = allowed(user, _BY)
        self._open: dict[tuple[str, str], bool] = {}
        self._entries = [entry for entry in entries if _has_undo(entry)]
        self._undone = _undone(self._entries)

    def undone(self, entry: TrailEntry) -> str:
        """How much of the call of an entry was taken back, as words; empty for nothing."""
        back = self._undone.get(entry.pk, 0)
        if not back or back >= entry.n:
            return "undone" if back else ""
        return f"{back:,} of {entry.n:,} undone"

    def url(self, entry: TrailEntry) -> str:
        """The address that takes the call of an entry back; empty when there is no taking back,
        or when it is not for this person."""
        if not self._may or not _has_undo(entry) or self.undone(entry):
            return ""
        queue = from_wire(bytes(entry.queue))
        if not self._is_open(entry.server, queue) or entry.pk in self._over:
            return ""
        return reverse("undo", args=[entry.server, queue, entry.op_id])

    @cached_property
    def _over(self) -> set[int]:
        """Those with nothing left to take back."""
        return still.over(entry for entry in self._entries if not self.undone(entry))

    def _is_open(self, server: str, queue: str) -> bool:
        where = server, queue
        if where not in self._open:
            self._open[where] = places.is_open(*where)
        return self._open[where]


def _undone(entries: Iterable[TrailEntry]) -> dict[int, int]:
    """How many jobs the undo of an entry returned, by the ids of those whose undo is on record."""
    names = {
        undo_id(entry.server, from_wire(bytes(entry.queue)), entry.op_id): entry.pk
        for entry in entries
    }
    # By the op_id alone, or the database would read all entries of that kind.
    found = TrailEntry.objects.filter(op_id__in=names).values_list("op_id", "op", "kind", "n")
    return {names[op_id]: n for op_id, op, kind, n in found if (op, kind) == (_BY, Kind.MOVED)}


def _has_undo(entry: TrailEntry) -> bool:
    """Whether a call of this kind and size has an undo at all. One of several steps has none."""
    action = ACTIONS.get(entry.op)
    is_one = _OP_ID.fullmatch(entry.op_id) is not None and 0 < entry.n <= MANY
    return entry.kind == Kind.MOVED and action is not None and action.undo == _BY and is_one
