"""What is read from the database often and changes seldom, kept in this process.

A mark in the database is replaced in every transaction that changes it, by a value that never
comes back. So what is kept under the mark that stands there is true, whatever process wrote it
and whatever was rolled back, and an unchanged fleet costs one tiny query.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from uuid import uuid4

from echomq_admin.fleet.models import Mark

T = TypeVar("T")


class Kept(Generic[T]):
    """What `read(server_name)` answers; `what` names it in the database."""

    def __init__(self, what: str, read: Callable[[str], T]) -> None:
        self._what = what
        self._read = read
        self._kept: dict[str, tuple[str, T]] = {}

    def of(self, server_name: str) -> T:
        """The answer as it is now; it is shared, so it must not be changed."""
        marks = Mark.objects.filter(server=server_name, what=self._what)
        # Read before the rows: a change in between leaves an old mark, which holds for nothing.
        mark = marks.values_list("mark", flat=True).first()
        kept = self._kept.get(server_name)
        if kept and kept[0] == mark:
            return kept[1]
        value = self._read(server_name)
        if mark is not None:
            self._kept[server_name] = (mark, value)
        return value

    def changed(self, server_name: str) -> None:
        """To be called in the transaction that changes what is read."""
        Mark.objects.update_or_create(
            server=server_name, what=self._what, defaults={"mark": uuid4().hex}
        )
