"""A book of one job without a database: leases are told, and the rows are what became of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from echomq_admin.ledger.endings.merging import merge
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.seating import Lease, seat

# The server's clock, from which tests count.
T = 1_795_953_600_000


@dataclass
class Leaf:
    """Rows are shown as (life, attempts, n, kind, ended after T, source), in the order of seats."""

    rows: list[Lease] = field(default_factory=list)

    def tell(
        self, source: Source, attempts: int, kind: EndingKind, at: int, within: int = 0, **more
    ) -> Leaf:
        flags = {name: more.pop(name) for name in ("is_new_life", "is_revived") if name in more}
        if (deadline := more.pop("deadline", None)) is not None:
            more["deadline_ms"] = T + deadline
        told = Lease(b"J", attempts, kind, source, T + at, within, **more)
        place = seat(self.rows, told, **flags)
        for row, life, n in place.moves:
            row.life, row.n = life, n
        if place.row:
            place.row.life, place.row.n = place.life, place.n
            merge(place.row, told)
        else:
            told.life, told.n = place.life, place.n
            self.rows.append(told)
        self._no_seat_is_taken_twice()
        return self

    def script(self, attempts: int, kind: EndingKind, at: int, **more) -> Leaf:
        return self.tell(Source.SCRIPT, attempts, kind, at, **more)

    def observer(self, attempts: int, kind: EndingKind, at: int, within: int = 200, **more) -> Leaf:
        return self.tell(Source.OBSERVER, attempts, kind, at, within, **more)

    def found(self, attempts: int, kind: EndingKind, at: int, **more) -> Leaf:
        return self.tell(Source.FOUND, attempts, kind, at, **more)

    def _no_seat_is_taken_twice(self) -> None:
        seats = [(row.life, row.attempts, row.n) for row in self.rows]
        assert len(seats) == len(set(seats))

    @property
    def seats(self) -> list[tuple[int, int, int]]:
        return sorted((row.life, row.attempts, row.n) for row in self.rows)

    @property
    def only(self) -> Lease:
        (row,) = self.rows
        return row

    def at(self, life: int, attempts: int, n: int = 0) -> Lease:
        (row,) = (r for r in self.rows if (r.life, r.attempts, r.n) == (life, attempts, n))
        return row
